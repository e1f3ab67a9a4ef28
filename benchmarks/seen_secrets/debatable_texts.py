# ruff: noqa: RUF001
"""Texts on which careful people disagree; they are reported apart and counted nowhere."""

DEBATABLE_TEXTS = r"""
%% company_contact
Our hotline: 0800 330 1000, Mon-Fri 8-20
%%
Schreiben Sie an service@brotzeit-shop.de oder rufen Sie 030 2201 900 an.
%%
support@nordwerk-it.de answered on ‹day›
%%
noreply@github.com
%% git_address
git clone git@github.com:shop/‹slug›.git
%%
ssh deploy@‹pod_ip› -p 2222
%%
scp report.csv ops@bastion.nordwerk-it.de:/tmp/
%%
12345+‹slug›-bot@users.noreply.github.com
%% documentation_value
AKIAIOSFODNN7EXAMPLE is the key id in the vendor's manual
%%
try the test card 4242 4242 4242 4242
%%
user@example.com / hunter2
%%
DE89 3704 0044 0532 0130 00 is the IBAN of the standard's example
%% weak_default
POSTGRES_PASSWORD=postgres
%%
login admin, password admin, then change it
%%
redis-cli -a test123 ping
%% hash_of_a_secret
password_hash = '«password_hash»'
%%
sha256(email) = ‹sha256›
%%
key fingerprint: ‹md5›
%% publishable_key
pk_live_51«opaque64»
%%
NEXT_PUBLIC_SUPABASE_ANON_KEY=sb_publishable_‹nano›_‹hex7›
%%
https://‹md5›@o4507.ingest.sentry.io/4508
%% identity_of_a_thing
VIN «vin», recall ‹ticket›
%%
router MAC «mac»
%%
server address «ipv4»
%%
AWS account ‹aws_account›, tenant ‹uuid›
%%
company VAT number DE‹count›4471182
%% vague_person
my birthday is next Tuesday
%%
She was born in 1987 and lives in ‹city›.
%%
lives near 48.137, 11.576
%%
the last four digits are 4417, expiry 04/29
%%
Handelsregister HRB ‹big›, Geschäftsführer ‹name›
%% spent_code
the code 493027 had expired when I typed it
%%
voucher WELCOME-‹hex7› takes 10 % off
%%
invite code for the meetup: ‹sku›
%%
Zoom meeting id 824 ‹count› 1178, passcode «otp6»
%% customer_number
Customer number ‹big›, contract ‹order10›
%%
Kundennummer: ‹big›, Vorgang ‹ticket›
%%
loyalty card ‹bad_card›
%%
PNR KX7Q2M, e-ticket 220-‹phone_like›, gate closes ‹clock›
%%
licence key of the editor: «recovery_block»
%% link_with_id
https://docs.google.com/document/d/1‹nano›‹nano#2›/edit
%%
https://calendly.com/‹first›-‹last›/30min
%%
unsubscribe?u=‹md5›
"""
