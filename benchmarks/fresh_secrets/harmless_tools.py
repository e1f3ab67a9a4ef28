"""Texts of tools and back offices that look as if they held something to hide, and do not (from situation 34)."""
# ruff: noqa: E501, RUF001

TEXTS = r"""
=== 34 schema
create table users (
  id bigint primary key,
  email citext unique not null,
  password_hash text not null,
  phone varchar(⟨#Dd⟩),
  date_of_birth date
);
=== 34 schema {"type":"object","properties":{"ssn":{"type":"string","pattern":"^\\d{3}-\\d{2}-\\d{4}$"},"iban":{"type":"string","maxLength":34},"n":{"const":⟨#ddd⟩}}}
=== 34 schema explain: Index Scan using users_email_idx on users (cost=0.42..8.⟨#dd⟩ rows=1 width=⟨#ddd⟩) Index Cond: (email = $1)
=== 34 uuid select * from events where event_id in ('⟨#h*8-hhhh-4hhh-9hhh-h*12⟩','⟨#h*8-hhhh-4hhh-ahhh-h*12⟩') limit 10;
=== 35 public_key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI⟨#B*43⟩ deploy@runner-⟨#d⟩
=== 35 public_key
-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE⟨#B*64⟩
⟨#B*22⟩==
-----END PUBLIC KEY-----
=== 35 public_key
-----BEGIN CERTIFICATE-----
MIIDdzCCAl+gAwIBAgIE⟨#B*44⟩
⟨#B*64⟩
-----END CERTIFICATE-----
=== 35 public_key
[Peer]
PublicKey = ⟨#B*42⟩8=
AllowedIPs = 10.66.66.0/24
Endpoint = vpn.northbeam.io:51820
=== 35 public_key
The authenticity of host 'github.com' can't be established.
ED25519 key fingerprint is SHA256:⟨#B*43⟩.
=== 35 public_key
pub   ed25519 2025-0⟨#D⟩-11 [SC]
      ⟨#H*40⟩
sub   cv25519 2025-01-11 [E]
=== 35 git_remote
origin	git@github.com:northbeam/billing-⟨#dd⟩.git (fetch)
origin	ssh://git@gitlab.northbeam.io:2222/platform/charts.git (push)
=== 36 npm_scope
npm publish --access public
+ @northbeam/ui-kit@3.⟨#d.dd⟩
npm notice shasum: ⟨#h*40⟩
=== 36 version
[[package]]
name = "cryptography"
version = "44.0.⟨#d⟩"
checksum = "⟨#h*64⟩"
=== 36 placeholder
//registry.npmjs.org/:_authToken=${NPM_TOKEN}
registry=https://registry.npmjs.org/
fetch-retries=⟨#D⟩
=== 37 public_key
apk signer #1 certificate SHA-256 digest: ⟨#h*64⟩
versionCode='⟨#dddd⟩' versionName='6.2'
=== 37 code_by_variable
storePassword System.getenv("KEYSTORE_PASSWORD")
keyPassword System.getenv("KEY_PASSWORD")
versionCode ⟨#dddd⟩
=== 37 test_value SwiftUI preview: SecureField("Password", text: $password).frame(width: ⟨#ddd⟩)
=== 38 prose_about_secrets I moved the API key out of the source and into the secret store; the code now reads it from the environment and fails with a clear error if it's missing. ⟨#D⟩ tests pass.
=== 38 prose_about_secrets To create a personal access token go to Settings > Developer settings > Tokens (classic), tick `repo` and copy it once; it starts with ghp_ and expires after ⟨#Dd⟩ days.
=== 38 prose_about_secrets The password must be at least ⟨#1d⟩ characters and contain a digit; the token is valid for 15 minutes; the secret is read from Vault at start.
=== 38 regex Use `^(?:\+?49|0)1[5-7]\d{8,9}$` for German mobiles and `[A-Z]{2}\d{2}[A-Z0-9]{11,30}` for IBANs, then check mod 97. Line ⟨#ddd⟩.
=== 38 regex
grep -rEn 'AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|sk_live_' src/ | wc -l
⟨#D⟩
=== 38 code_by_variable
def mask(card: str) -> str:
    return "*" * (len(card) - 4) + card[-4:]  # keeps ⟨#D⟩ groups
=== 39 chat_mention @here deploy of v2.⟨#dd.d⟩ at 14:00, @channel please hold merges, cc @backend-oncall
=== 39 prose_about_secrets
[10:14] marek: who can rotate the slack token?
[10:15] ines: done, it's in 1password under "slack bot (prod)", item ⟨#dd⟩
=== 39 chat_mention <@U0⟨#u*8⟩> opened <https://northbeam.atlassian.net/browse/PAY-⟨#dddd⟩|PAY-⟨#dddd⟩> in <#C0⟨#u*8⟩|payments>
=== 40 private_ip 10.20.⟨#d⟩.⟨#Dd⟩ - - [11/May/2026:06:12:44 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.32"
=== 40 documentation_ip upstream test: 192.0.2.⟨#Dd⟩ ok, 198.51.100.⟨#Dd⟩ ok, 203.0.113.⟨#Dd⟩ timeout, 2001:db8::⟨#hh⟩ ok
=== 40 documentation_ip resolver 1.1.1.1 8.8.8.8 valid=⟨#Dd⟩s; listen 0.0.0.0:443; allow 127.0.0.1; deny all;
=== 40 log_id {"level":"info","trace_id":"⟨#h*32⟩","span_id":"⟨#h*16⟩","msg":"password reset mail queued","queue_depth":⟨#dd⟩}
=== 40 log_id May 11 06:20:11 mx2 postfix/qmgr[⟨#dddd⟩]: 4RkQ2z⟨#wwwwwww⟩: removed
=== 40 log_id jobId=⟨#Dd*9⟩ worker=⟨#hhhh⟩ attempt=2 offset=⟨#Dd*11⟩ lag=⟨#dddd⟩ partition=7
=== 41 selector browser.click("#password-toggle"); browser.wait_for("input[name='otp']"); browser.screenshot("step-⟨#dd⟩.png")
=== 41 selector <label for="card">Card number</label><input id="card" placeholder="1234 5678 9012 3456" maxlength="19" tabindex="⟨#D⟩">
=== 41 masked_value The page shows "Signed in as j•••••@g•••.com, card •••• ⟨#dddd⟩, phone ending in ⟨#dd⟩". I pressed Continue.
=== 42 log_id {"id":"call_⟨#w*24⟩","type":"function","function":{"name":"get_order","arguments":"{\"order_id\":\"⟨#11d*8⟩\"}"}}
=== 42 log_id {"id":"chatcmpl-⟨#w*29⟩","object":"chat.completion","created":17785⟨#ddddd⟩,"system_fingerprint":"fp_⟨#h*10⟩","usage":{"prompt_tokens":812}}
=== 42 log_id {"id":"msg_01⟨#w*22⟩","type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"toolu_01⟨#w*22⟩","name":"search"}]}
=== 42 schema tools: login(username: str, password: str) -> Session; get_token(scope: str) -> Token; timeout ⟨#dd⟩
=== 42 hash cache_key=sha1:⟨#h*40⟩ hit=true age_s=⟨#ddd⟩ md5=⟨#h*32⟩
=== 43 crm_id
Id,Account,Amount,CloseDate,Probability
0065g⟨#w*13⟩,Hollis Bakery,⟨#Dddd.dd⟩,2026-06-30,0.4
0065g⟨#w*13⟩,Prado Imports,⟨#Dddd.dd⟩,2026-07-15,0.8
=== 43 quantity
SKU;Bestand;Mindestmenge;EK;VK
NB-⟨#dddd-AA⟩;⟨#Ddd⟩;40;⟨#D,dd⟩;⟨#1d,dd⟩
NB-⟨#dddd-AA⟩;⟨#Ddd⟩;25;⟨#D,dd⟩;⟨#2d,dd⟩
=== 43 crm_id
| Case Number | Subject | Opened | Owner queue |
|---|---|---|---|
| 00⟨#Dd*6⟩ | Forgot password link broken | 2026-05-0⟨#D⟩ | Tier 2 |
=== 44 prose_about_secrets Dear all, as of Monday payroll needs your tax number and bank details through the HR portal only; please never send them by mail. Form HR-⟨#ddd⟩.
=== 44 date Probation ends 30 November 2026, holiday entitlement ⟨#2d⟩ days, next review on 2026-0⟨#D⟩-15, contract signed 11.05.2026.
=== 45 price
| Kostenstelle | Budget | Ist | Abw. |
|---|---|---|---|
| ⟨#4dddd⟩ | ⟨#Ddd.ddd⟩,00 | ⟨#Ddd.ddd⟩,50 | -3,2 % |
=== 45 price =SUMIFS(Payroll!$F$2:$F$⟨#Ddd⟩,Payroll!$B$2:$B$⟨#Ddd⟩,"Sales")*1.19
=== 45 formula =IF(LEN(A⟨#Dd⟩)<>22,"IBAN length?",MOD(VALUE(B⟨#Dd⟩),97)=1)
=== 46 invoice_number Rechnung RE-2026-⟨#ddddd⟩ vom 11.05.2026, fällig 25.05.2026, Auftrag ⟨#4d*9⟩, Lieferschein LS⟨#d*8⟩, Kd.-Nr. 10⟨#dddd⟩
=== 46 invoice_number INVOICE INV-⟨#d*7⟩   PO 45000⟨#ddddd⟩   Terms: net 30   Due: 06/10/2026   Total: USD ⟨#D,ddd.dd⟩
=== 46 ean
Pos 1  EAN ⟨ean⟩  Kabelkanal 2 m  12 St  à 3,49  41,88
Pos 2  EAN ⟨ean⟩  Schrauben 4x40  2 Pk  à 5,10  10,20
=== 46 ean ISBN ⟨isbn⟩, 3rd edition, paperback, 412 pp., list price €⟨#2d⟩.90
=== 46 price Subtotal 1,480.00 | Shipping ⟨#1d.dd⟩ | VAT 19 % | Grand total 1,7⟨#dd.dd⟩ | Paid 0.00 | Balance due within 14 days
=== 46 company Handelsregister: Amtsgericht Stuttgart HRB ⟨#7ddddd⟩, Zahlungsziel 14 Tage, Skonto 2 % bei Zahlung binnen 8 Tagen
=== 47 dosage Rx: amoxicillin 500 mg TID x 7d, #⟨#2d⟩, refills 0. NDC 0093-⟨#dddd-dd⟩. ICD-10 J18.9, CPT 99⟨#2dd⟩.
=== 47 dosage Labor 11.05.: Hb 13,⟨#d⟩ g/dl, Leukozyten 7,⟨#d⟩, Thrombozyten ⟨#2dd⟩, Kreatinin 0,⟨#d⟩ mg/dl, TSH 2,1
=== 47 dosage Lot ⟨#AAdddd⟩, exp 2027-0⟨#D⟩, 0.3 mL IM left deltoid, next dose in 8 weeks, BP 12⟨#d⟩/78, HR ⟨#7d⟩, SpO2 98 %
=== 48 date Dokumententyp Personalausweis, Ausstellungsdatum 02.11.2021, gültig bis 01.11.2031, Prüfergebnis: bestanden (Score 0,9⟨#d⟩)
=== 48 masked_value {"doc_type":"passport","number":"*****⟨#ddd⟩","dob":"****-**-**","result":"clear","check_id":"⟨#h*8-hhhh-4hhh-9hhh-h*12⟩"}
=== 49 date Hearing listed for 14 September 2026 at 10:30, Court 7, claim no. K⟨#d⟩QZ⟨#d*5⟩, time estimate ⟨#D⟩ hours. Bundle by 31 August 2026.
=== 49 legal_reference Vgl. BGH, Urteil vom 12.03.2019 – XI ZR ⟨#ddd⟩/17, NJW 2019, ⟨#dddd⟩; ferner § 675u BGB.
=== 49 legal_reference STS ⟨#dddd⟩/2022, de 14 de junio; art. 1.101 del Código Civil; recurso núm. ⟨#dddd⟩/2020, Ponente Sr. Salas
=== 50 course_id PHYS-⟨#2dd⟩ Quantum Mechanics, room B-1.⟨#dd⟩, Tue 08:15-09:45, 6 ECTS, exam 2026-07-2⟨#d⟩, 140 seats
=== 50 course_id Bestanden: ⟨#1dd⟩ von 160, Notenschnitt 2,⟨#d⟩, Durchfallquote 14 %, Wiederholung am 01.10.2026 um 09:00 in HS ⟨#D⟩
=== 51 booking Confirmation ⟨#AdAAdA⟩, LH⟨#4dd⟩ FRA 0935 - BOS 1140, 23K, ticket 220-⟨#Dd*9⟩, baggage 1PC, meal VGML
=== 51 booking Hotel res. no. ⟨#8d*9⟩, 2 nights, king non-smoking, rate EUR 148.00, cancel by 18:00 on 01JUN26
=== 51 booking train ICE ⟨#ddd⟩ coach 7 seats 41-44, Auftragsnummer ⟨#Dd*11⟩, Abfahrt 09:3⟨#d⟩ Gleis 8
=== 52 quantity 3 Zi., 84,5 m², EG, Kaltmiete 1.190 €, NK 2⟨#dd⟩ €, Baujahr 1967, Energieausweis 112 kWh/(m²a), frei ab 01.08.2026
=== 52 quantity MLS# ⟨#Dd*7⟩ 3bd/2ba, 1,4⟨#dd⟩ sqft, lot 0.18 ac, APN 012-⟨#ddd-dd⟩, list $6⟨#dd⟩,000, HOA $210/mo
=== 53 mail_header
Message-ID: <⟨#d*14.w*8⟩@mx3.northbeam.io>
DKIM-Signature: v=1; a=rsa-sha256; s=sel⟨#d⟩; bh=⟨#B*43⟩=; b=⟨#B*86⟩
=== 53 mail_header
ARC-Seal: i=1; a=rsa-sha256; t=17785⟨#ddddd⟩; cv=none; b=⟨#B*120⟩
X-Spam-Status: No, score=-1.⟨#d⟩
=== 53 mail_header
To: undisclosed-recipients:;
From: noreply@example.com
List-Id: <release-notes.example.org>
X-Campaign: ⟨#ddddd⟩
=== 54 ticket_number {"ticket":{"id":⟨#Dd*7⟩,"status":"open","via":"web","priority":"high","tags":["password_reset","otp_missing"],"sla":"PT4H"}}
=== 54 ticket_number Merged #⟨#Dddddd⟩ into #⟨#Dddddd⟩; macro "2FA reset – ask for ID" applied; CSAT sent 2026-05-1⟨#d⟩.
=== 55 date Agenda 11 May: 09:00 budget, 09:45 hiring, 10:30 token rotation policy, 11:00 AOB. Next meeting 18.05.2026, room 4.⟨#dd⟩
=== 55 calendar
BEGIN:VEVENT
UID:⟨#h*8-hhhh-4hhh-9hhh-h*12⟩
DTSTART;TZID=Europe/Berlin:202605⟨#1d⟩T090000
SUMMARY:Password policy review
END:VEVENT
=== 56 quantity
asset;model;bought;warranty;price
NB-⟨#dddd⟩;ThinkPad T14 Gen 5;2025-03-1⟨#d⟩;36 mo;1.149,00
NB-⟨#dddd⟩;Dell U2723QE;2024-11-02;36 mo;489,00
=== 56 version iOS 18.4.1 (22E⟨#ddd⟩), firmware 7.29.⟨#dd⟩, BIOS N3QET⟨#dd⟩W (1.⟨#dd⟩), kernel 6.8.0-⟨#dd⟩-generic
=== 57 rule Rule R-⟨#ddd⟩: velocity > 3 CNP attempts / 10 min on one BIN 4⟨#ddddd⟩ and amount < 2.00 EUR => review; FP rate 0.4⟨#d⟩ %
=== 57 masked_value 16:02:11  4⟨#ddd⟩ 56** **** ⟨#dddd⟩  €1.00 approved, auth code ok, AVS match, terminal T⟨#dddd⟩
=== 57 hash tx 0x⟨#h*64⟩ block ⟨#2d*7⟩ gas 21000 status success fee 0.00⟨#ddd⟩ ETH
=== 57 hash Block 00000000000000000001⟨#h*44⟩, height 89⟨#dddd⟩, ⟨#Dddd⟩ transactions
=== 58 event {"event":"page_view","event_id":"⟨#h*16⟩","ts":17785⟨#ddddd⟩,"path":"/account/password/new","ab":"B","ms":⟨#ddd⟩}
=== 58 event utm_source=newsletter&utm_campaign=secret_sale_26&utm_content=tile_⟨#dd⟩&cid=⟨#Dd*8⟩
=== 58 public_place {"store":"Berlin Mitte","lat":52.520008,"lng":13.404954,"radius_m":⟨#Ddd⟩,"open":"10:00-20:00"}
=== 58 event
campaign_id,impressions,clicks,ctr,cpc
⟨#12d*9⟩,⟨#Ddddd⟩,⟨#ddd⟩,1.2,0.4⟨#d⟩
⟨#12d*9⟩,⟨#Ddddd⟩,⟨#ddd⟩,0.9,0.3⟨#d⟩
=== 59 form_line Zeile 41 Kennzahl 112: ⟨#D.ddd⟩ €; Zeile 46 Kennzahl 350: 1.230 €; Anlage N, VZ 2025, Steuersatz 3⟨#d,d⟩ %
=== 59 form_line Form 1040 line 11 AGI $⟨#8d,ddd⟩; line 16 tax $⟨#1d,ddd⟩; Schedule C code 5415⟨#dd⟩; due April 15, 2026
=== 59 prose_about_secrets Sie brauchen dafür Ihre Steuer-ID, Ihre Bankverbindung und das Passwort für ELSTER; das Zertifikat ist ⟨#D⟩ Jahre gültig. Senden Sie mir bitte nichts davon.
=== 60 memory
- user prefers metric units, 24 h clock, answers under ⟨#ddd⟩ words
- never store passwords or card numbers
- standing order #⟨#Dd*7⟩ every 2nd Tuesday
=== 60 memory memory.write(key="last_task", value="renamed 14⟨#d⟩ files, hash ⟨#h*12⟩, branch fix/token-leak")
"""
