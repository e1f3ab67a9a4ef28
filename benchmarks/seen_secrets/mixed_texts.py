# ruff: noqa: E501, RUF001
"""Texts with birth dates, and texts in which several kinds of data stand together; `render` explains the marks."""

MIXED_TEXTS = r"""
%% customer_record
{"id": ‹big›, "name": "‹name›", "email": "«email»", "phone": "«phone_de»", "birth_date": "«born_iso»", "iban": "«iban_de_plain»", "orders": ["‹order›"]}
%%
Hi, ‹name› here. You can mail me at «email» or call «phone_gb». Refund to sort code «gb_sort», account «gb_account». Thanks!
%%
 id | email | phone | last_ip
----+-------+-------+---------
 ‹count› | «email» | «phone_us» | «ipv4»
 ‹count#2› | «email#2» | «phone_us#2» | «ipv4#2»
(2 rows)
%%
BEGIN:VCARD
VERSION:3.0
FN:‹name›
EMAIL;TYPE=HOME:«email»
TEL;TYPE=CELL:«mobile_fr»
BDAY:«born_iso»
END:VCARD
%%
Mit freundlichen Grüßen
‹name›
Tel. «phone_de»
Mobil «mobile_de»
«email»
%%
Cordialement,
‹name›
Port. «mobile_fr» - «email»
%%
Rejestracja: ‹name›, PESEL «pl_pesel», tel. «phone_pl», e-mail «email»
%%
Inscripción: ‹name›, DNI «es_dni», nacido el «born_slash», móvil «mobile_es»
%%
Modulo: ‹name›, C.F. «it_code», nato il «born_slash», cell. «mobile_it», IBAN «iban_it»
%%
Aanmelding ‹name›: geboren «born_dash», BSN «nl_bsn», tel «phone_nl», rekening «iban_nl»
%%
Kund: ‹name›, pnr «se_person», mobil «phone_se», mejl «email»
%%
氏名:‹name›
生年月日:«born_jp»
電話:«phone_jp»
メール:«email»
%%
{\"customer\":{\"email\":\"«email»\",\"phone\":\"«phone_e164»\",\"card\":{\"number\":\"«card_plain»\",\"cvc\":\"«cvv»\"}},\"order\":\"‹order›\"}
%%
[{"user": "‹last›", "ip": "«ipv4»", "mac": "«mac»"}, {"user": "‹last#2›", "ip": "«ipv4#2»", "mac": "«mac#2»"}]
%%
Passenger ‹name›, passport «passport_gb», DOB «born_slash», contact «phone_gb», seat 14C, fare ‹amount› GBP
%%
INSERT INTO patients VALUES (‹count›, '‹name›', '«born_iso»', '«gb_nhs»', '«email»');
%%
Candidate: ‹name› · «email» · «phone_us» · born «born_us» · open to relocation
%%
insured: ‹name›; KVNR «de_health»; geb. «born_de»; Tel. «phone_de»
%% profile_note
Memory note: customer prefers «email»; phone «phone_us» only in emergencies; likes short answers.
%%
Summary for the next agent: identity checked (SSN «us_ssn», DOB «born_us»), refund of ‹amount› USD open on order ‹order›.
%%
<thinking>The user gave «email» and «phone_ca». The lookup needs the e-mail only, so I call find_customer.</thinking>
%%
find_customer(email="«email»") -> {"found": true, "id": ‹big›, "phone": "«phone_e164»"}
%%
I've updated your profile: e-mail «email», mobile «phone_au», date of birth «born_slash». Anything else?
%%
Tool result: {"ok": false, "error": "duplicate key (email)=(«email») already exists"}
%%
Zusammenfassung: Kunde ‹name›, erreichbar unter «phone_at», neue IBAN «iban_at», Rückruf bis ‹clock›
%%
Observation: user «email» logged in from «ipv4», device «mac», 3 failed attempts.
%%
Let me confirm: card «card», expiry «expiry», billed ‹amount› EUR. Is that right?
%%
- who: ‹name›
- contact: «phone_in», «email»
- wants: exchange of ‹goods›
%% handover_of_access
Server: ‹pod_ip›
User: root
Password: «password»
API token: «opaque43»
%%
Here are the logins:
admin panel - «email» / «password»
ftp - upload / «password#2»
%%
{"user": "«email»", "password": "«password»", "otp": "«otp6»"}
%%
Anmeldung für den Dienstleister: Benutzer «email», Passwort «password», WLAN «wifi»
%%
POST /login HTTP/1.1
Cookie: sid=«hex32»

email=«email_encoded»&password=«url_password»
%%
HOST=db-2
DB_PASS=«password»
STRIPE=«stripe_live»
AWS_SECRET_ACCESS_KEY=«aws_secret»
%%
Voici les accès : identifiant «email», mot de passe «password», code «otp6»
%%
vault kv put secret/‹slug› db_password=«password» api_key=«opaque43»
%% quoted_thread
On ‹day› at ‹clock›, ‹name› <«email»> wrote:
> My order ‹order› never came. Call me: «phone_gb»
%%
Am ‹day_de› schrieb ‹name› («email»):
> Mein Konto: «iban_de»
> Mein Telefon: «phone_de»
%%
Le ‹day_de›, ‹name› <«email»> a écrit :
> Mon numéro : «phone_fr»
%%
[‹clock›] customer: it's «email»
[‹clock#2›] agent: thank you, and the phone?
[‹clock#3›] customer: «phone_us»
%%
Original message
Von: «email»
An: service
Betreff: ‹invoice›
Bitte an «iban_de» erstatten.
%%
Q: what's the number on the card?
A: «card»
Q: and the three on the back?
A: «cvv»
%%
user: soy ‹name›
user: dni «es_dni»
user: cuenta «iban_es»
assistant: gracias, lo reviso
%%
> Your phone number?
«phone_pl»
> Your e-mail?
«email»
%% birth_date
Date of birth: «born_iso»
%%
I was born on «born_en_long», so I qualify for the senior fare
%%
DOB «born_us»
%%
{"patient": {"name": "‹name›", "birthDate": "«born_iso»", "gender": "female"}}
%%
geboren am «born_de» in ‹city›
%%
Geburtsdatum: «born_de»
%%
mein Geburtstag ist der «born_de_long»
%%
née le «born_fr_long» à ‹city›
%%
date de naissance «born_slash»
%%
fecha de nacimiento: «born_slash»
%%
nato il «born_it_long»
%%
data di nascita «born_slash»
%%
data de nascimento «born_slash»
%%
geboortedatum «born_dash»
%%
urodzony «born_pl_long»
%%
data urodzenia: «born_de»
%%
jag är född «born_sv_long»
%%
doğum tarihim «born_tr_long»
%%
生年月日:«born_jp»
%%
name;dob;class
‹name›;«born_iso»;B
%%
user.setBirthday(LocalDate.parse("«born_iso»"));
%%
my mother's birthday is «born_us_long», she needs wheelchair assistance
%%
verified the customer by date of birth («born_slash») and postcode
%%
PID|1||‹big›^^^HOSP||‹last›^‹first›||«born_compact»|F
"""
