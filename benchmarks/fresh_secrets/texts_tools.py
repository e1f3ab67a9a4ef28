"""Texts of tools, threads, tables and scans that pass through agents."""
# ruff: noqa: E501, RUF001

TEXTS = r"""
=== 36 package_token
//registry.npmjs.org/:_authToken=⟦npm⟧
@northbeam:registry=https://npm.pkg.github.com
=== 36 package_token
[pypi]
  username = __token__
  password = ⟦pypi⟧
=== 36 package_token
<server>
  <id>internal-releases</id>
  <username>deployer</username>
  <password>⟦artifactory⟧</password>
</server>
=== 36 package_token
cargo login ⟦crates⟧
       Login token for `crates.io` saved
=== 36 package_token
---
:rubygems_api_key: ⟦rubygems⟧
=== 36 package_token dotnet nuget push bin/Release/Northbeam.Core.2.3.0.nupkg -k ⟦nuget⟧ -s https://api.nuget.org/v3/index.json
=== 37 password
android {
    signingConfigs {
        release {
            storeFile file("upload.jks")
            storePassword "⟦password⟧"
            keyAlias "upload"
            keyPassword "⟦password⟧"
=== 37 cloud_key
<key>GMSApiKey</key>
<string>⟦google_key⟧</string>
<key>CFBundleVersion</key>
<string>412</string>
=== 37 app_secret
fastlane/.env.default
MATCH_PASSWORD=⟦passwords_dash⟧
FASTLANE_APPLE_APPLICATION_SPECIFIC_PASSWORD=⟦#aaaa-aaaa-aaaa-aaaa⟧
=== 38 deploy_secret Done. I rotated the token and stored the new one (⟦databricks⟧) in the job's parameters; the old one returns 403 now.
=== 38 password_prose The compose file gives the Grafana admin account the password ⟦password⟧, so you can sign in at http://localhost:3000 with admin and that.
=== 38 monitoring_token
Here's the snippet with your credentials filled in:

```yaml
receivers:
  - name: oncall
    pagerduty_configs:
      - routing_key: ⟦hex32⟧
remote_write:
  - bearer_token: ⟦grafana⟧
```
=== 38 saas_token I tried three variants. Only `curl -H 'Authorization: ⟦linear⟧' https://api.linear.app/graphql` works, because Linear wants the key without "Bearer".
=== 39 chat_token
[10:14] marek: who has the webhook for #deploys
[10:15] ines: ⟦slack_hook⟧
[10:15] marek: ty 🙏
=== 39 chat_token ines: bot's dead again, someone revoked it. new one from BotFather ⟦telegram⟧ pls update the helm values
=== 39 password_prose
[Thread, 4 replies]
jo: staging login?
cem: qa@ + ⟦password⟧
jo: thx
cem: don't use it on prod tho it's the same lol
=== 39 chat_token DISCORD_TOKEN got printed in the logs, sorry!! it was ⟦discord⟧ - I reset it in the portal already
=== 39 signed_url here's the dump, link's valid till tmrw: https://northbeam-dumps.s3.eu-central-1.amazonaws.com/2026-05-10.sql.gz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=⟦aws_id⟧%2F20260511%2Feu-central-1%2Fs3%2Faws4_request&X-Amz-Date=20260511T080000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=⟦hex64⟧
=== 40 ip_address ⟦ipv4⟧ - - [11/May/2026:06:12:44 +0000] "POST /login HTTP/1.1" 401 112 "-" "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X)"
=== 40 ip_address May 11 06:12:45 web1 sshd[⟨#dddd⟩]: Failed password for invalid user oracle from ⟦ipv4⟧ port ⟨#5dddd⟩ ssh2
=== 40 ip_address {"ts":"2026-05-11T06:13:02.114Z","lvl":"warn","msg":"login_new_device","uid":⟨#ddddd⟩,"client_ip":"⟦ipv6⟧","geo":"DE"}
=== 40 cookie level=debug msg="session restored" sid=⟦token43⟧ user=⟨#dddd⟩ ttl=86400s
=== 40 signed_url "GET /auth/magic?token=⟦token43⟧&next=%2Fbilling HTTP/2.0" 302 0 rt=0.041 uct=0.002
=== 40 email_in_data May 11 06:20:11 mx2 postfix/smtp[2210]: 4RkQ2z1: to=<⟦email_nl⟧>, relay=none, delay=0.4, status=bounced (Host or domain name not found)
=== 41 password
step 6: browser.type(selector="#password", text="⟦strong⟧")
step 7: browser.click(selector="button[type=submit]")
observation: Invalid e-mail or password.
=== 41 card {"action":"fill","fields":{"#cc-number":"⟦card⟧","#cc-exp":"⟨expiry⟩","#cc-name":"⟨name_en⟩"}}
=== 41 cookie document.cookie → "sessionid=⟦cookie26⟧; csrftoken=⟦alnum32⟧; lang=en"
=== 41 otp The page asks for the code from the mail. I opened the inbox: subject "⟦otp⟧ is your GitHub launch code", so I typed that and continued.
=== 41 email_in_data <input type="email" id="login" autocomplete="username" value="⟦email_es⟧"><input type="password" id="pw" value="">
=== 41 jwt localStorage dump: {"i18nextLng":"en","persist:root":"{\"auth\":\"{\\\"access\\\":\\\"⟦jwt⟧\\\"}\"}"}
=== 42 saas_token {"role":"assistant","tool_calls":[{"id":"call_⟨#w*24⟩","type":"function","function":{"name":"http_get","arguments":"{\"url\":\"https://api.hubapi.com/crm/v3/objects/contacts\",\"headers\":{\"Authorization\":\"Bearer ⟦hubspot⟧\"}}"}}]}
=== 42 connection_string {"type":"tool_result","content":[{"type":"text","text":"Error: getaddrinfo ENOTFOUND\nDSN=mysql://crm:⟦alnum20⟧@db-crm:3306/crm?charset=utf8mb4"}]}
=== 42 saas_token mcpServers: {"atlassian":{"command":"npx","args":["-y","mcp-atlassian"],"env":{"JIRA_URL":"https://northbeam.atlassian.net","JIRA_API_TOKEN":"⟦atlassian⟧"}}}
=== 42 saas_token {"mcpServers":{"figma":{"args":["--figma-api-key=⟦figma⟧","--stdio"]},"airtable":{"env":{"AIRTABLE_API_KEY":"⟦airtable⟧"}}}}
=== 42 email_in_data {"name":"send_email","input":{"to":["⟦email_en⟧"],"cc":[],"subject":"Re: quote 5531","body":"Hi,\n\nattached as discussed."}}
=== 42 model_key span.attributes: llm.provider=xai llm.invocation_parameters={"temperature":0.2,"api_key":"⟦xai⟧"} llm.token_count.prompt=1841
=== 43 customer_record
Id,Name,Phone,Email,Stage
0035g⟨#w*13⟩,⟨name_en⟩,⟦phone_uk⟧,⟦email_en⟧,Negotiation
0035g⟨#w*13⟩,⟨name_de⟩,⟦phone_ch⟧,⟦email_de⟧,Closed Lost
=== 43 birth_date
Kundennr;Name;Geb.-Dat.;PLZ;Umsatz
⟨#1ddddd⟩;⟨name_de⟩;⟦dob_dots⟧;70⟨#ddd⟩;1.204,50
⟨#1ddddd⟩;⟨name_de⟩;⟦dob_dots⟧;04⟨#ddd⟩;88,00
=== 43 phone_world
| Account        | Owner  | Mobile | Last touch |
|----------------|--------|--------|------------|
| Hollis Bakery  | ⟨name_en⟩ | ⟦phone_us⟧ | 2026-04-30 |
| Prado Imports  | ⟨name_pt⟩ | ⟦phone_br⟧ | 2026-05-02 |
=== 43 saas_token
sf org display --verbose
Access Token   ⟦salesforce⟧
Instance Url   https://northbeam.my.salesforce.com
=== 44 tax_id Liebe Kolleginnen, anbei die Angaben von Herrn ⟨name_de⟩ zum 1.6.: Steuerklasse 1, keine Kinder, evangelisch, Steuer-Identnr. ⟦steuer_id|by3⟧. Vertrag ist unterschrieben.
=== 44 health_id Neueintritt: SV-Nummer ⟦rvnr⟧, Krankenkasse AOK Baden-Württemberg, Vollzeit 39 Std.
=== 44 national_id_americas_uk Hi team, new starter form for ⟨name_en⟩. Start 3 June, desk 4.12, laptop ordered. SSN for the I-9 is ⟦ssn⟧ (she'll bring the card on day one).
=== 44 bank_account Direct deposit form says Chase, ⟦routing_us⟧ / ⟦#Dd*8⟧, checking, 100% of net. Voided check attached as PDF.
=== 44 health_id Eintritt 01.08., Pensum 80 %, AHV-Nr. ⟦ahv⟧, Quellensteuer Tarif B, wohnhaft Kanton Aargau.
=== 44 password_prose Welcome aboard! Your account is t.⟨#aaaaaa⟩ and the first-day password is ⟦password⟧. VPN client: see the wiki.
=== 45 tax_id
Emp#	Name	SSN	Gross	Net
⟨#dddd⟩	⟨name_en⟩	⟦ssn⟧	4,812.50	3,551.08
⟨#dddd⟩	⟨name_en⟩	⟦ssn⟧	6,020.00	4,310.77
=== 45 iban
Personalnr.;Name;IBAN;Auszahlung
⟨#dddd⟩;⟨name_de⟩;⟦iban_at|plain⟧;2.918,44
⟨#dddd⟩;⟨name_de⟩;⟦iban_ch|by4⟧;5.402,10
=== 45 bank_account {"row":14,"empleado":"⟨name_es⟩","clabe":"⟦clabe⟧","neto":"18,450.00","periodo":"2026-10"}
=== 45 tax_id
| RFC | Nombre | CURP | SBC |
|---|---|---|---|
| ⟦rfc⟧ | ⟨name_es⟩ | ⟦curp⟧ | 612.40 |
=== 45 tax_id Funcionário: ⟨name_pt⟩ | ⟦nif_pt⟧ | vencimento base 1.420,00 € | sub. alimentação 9,60 €/dia | Segurança Social ⟨#11d⟩ em falta
=== 45 tax_id Payslip query: tax code 1257L is right, but the UTR in your portal should be ⟦utr⟧, not last year's agent ref.
=== 46 iban
R E C H N U N G   Nr. 2026-⟨#dddd⟩
Malermeister ⟨name_de⟩        Leistungszeitraum April
                                 Netto     1.480,00
                                 MwSt 19%    281,20
Zahlbar binnen 14 Tagen auf ⟦iban_de|by4⟧
=== 46 email
INVOICE
Bill to: ⟨name_en⟩ (private client)
e: ⟦email_en⟧   m: ⟦phone_au⟧
Qty  Description            Unit     Amount
2    Gutter clean, single   95.00    190.00
=== 46 iban
Factuur ⟨#2026dddd⟩ – eenmanszaak ⟨name_nl⟩
Gelieve te betalen op ⟦iban_be|by4⟧
met vermelding +++⟨#ddd/dddd/ddddd⟩+++
=== 46 tax_id Fattura di cortesia, prestazione occasionale. Prestatore: ⟨name_it⟩ CF ⟦codice_fiscale⟧ - ritenuta d'acconto 20% - marca da bollo € 2,00
=== 47 health_id
HOSPITAL GENERAL — INFORME DE ALTA
Paciente: ⟨name_es⟩   NHC ⟦#00d*6⟧   CIP ⟦BBBB⟨#ddddddddd⟩⟧
Motivo: dolor abdominal de 48 h de evolución. Exploración: Blumberg +.
=== 47 birth_date Radiology report. ⟨name_en⟩, ⟦dob_uk⟧, F. MRI lumbar spine without contrast. L4/5 disc protrusion, no cord signal change.
=== 47 health_id Befund vom 11.05.2026, Pat. ⟨name_de⟩, SVNR ⟦svnr⟧. Labor: Hb 13,1, Leuko 7,4, CRP < 0,5. Kontrolle in 6 Wo.
=== 47 health_id
P A T I E N T   R E C O R D          MRN: ⟦#3d*7⟧
Adm 05/09/26 Disch 05/11/26   Att: Dr. Delaney
Dx: community-acquired pneumonia, improving on PO abx
=== 48 passport
OCR (conf 0.87)
REPUBLIQUE FRANCAISE PASSEPORT
Passeport No ⟦passport_fr⟧
Nom MOREAU  Prenoms CAMILLE
Sexe F  Taille 1,68 m
=== 48 passport {"doc_type":"passport","country":"IND","fields":{"number":{"value":"⟦passport_in⟧","conf":0.98},"given_names":{"value":"PRIYA","conf":0.99}},"face_match":0.94}
=== 48 licence
DRIVING LICENCE  UK
1. ⟨name_en⟩
4b. 11.04.2033  4c. DVLA
5. ⟦licence_uk⟧
9. AM/A/B1/B
=== 48 national_id Ausweis geprüft: Dokumentnr. ⟦ausweis_de⟧, gültig bis 02.11.2031, Lichtbild stimmt überein, Videoident-Vorgang VI-⟨#dddddd⟩.
=== 48 licence
CALIFORNIA DRIVER LICENSE
DL ⟦licence_ca⟧   EXP 08/22/2030   CLASS C
LN PRUITT  FN HANNAH   HGT 5'-06"  EYES BRN
=== 48 national_id_asia_africa KTP terbaca: NIK ⟦nik⟧, nama SITI RAHAYU, agama ISLAM, status BELUM KAWIN, berlaku seumur hidup
=== 48 national_id_americas_uk Cédula de ciudadanía ⟦cedula_co⟧ expedida en Cali. Selfie: coincide (0,91). Teléfono declarado ⟦phone_co⟧.
=== 48 national_id_americas_uk Chilean ID check passed: RUN ⟦rut⟧, serial number in the chip matches, liveness 0.97.
=== 38 totp_secret The QR code decodes to a TOTP enrolment: issuer "GitLab", SHA1, 6 digits, seed ⟦totp|by4⟧. If the camera fails the user can type the groups by hand.
=== 38 git_token git push failed with 403 because the remote still has the old credential. I changed it with `git remote set-url origin https://⟨#aaaa⟩:⟦bitbucket⟧@bitbucket.org/northbeam/etl.git` and the push went through.
=== 40 password 2026-05-11 06:31:07 DEBUG LoginController params={"user"=>"h.faure", "pass"=>"⟦password⟧", "commit"=>"Sign in"}
=== 40 phone_world sms-gateway[311]: queued msg=⟨#h*12⟩ dst=⟦phone_in⟧ len=142 parts=1 route=premium
=== 36 git_token hub config: oauth_token: ⟦github_oauth⟧ (user: nb-release-bot, protocol: https)
=== 37 payment_key PaymentConfiguration.init(applicationContext, "pk_live_⟨#w*24⟩"); // server side: ⟦stripe_rk⟧
=== 41 backup_code Screenshot OCR: Save your recovery codes  1. ⟦backup8⟧  2. ⟦backup8⟧  3. ⟦backup8⟧  4. ⟦backup8⟧  Download  Print
=== 42 payment_key {"tool":"adyen_refund","env":"live","x-API-key":"⟦adyen⟧","merchantAccount":"NorthbeamEU","pspReference":"⟨#88d*14⟩"}
=== 39 wallet_key lol don't laugh but the deployer wallet for the testnet AND mainnet is PRIVATE_KEY=⟦eth_private⟧, hardhat picks it up from .env
=== 39 seed_phrase
vault handover, write it on paper and delete this message:
⟦seed24⟧
=== 46 payment_key Shop config export: mollie_mode=live; mollie_key=⟦mollie⟧; webhook=https://shop.northbeam.io/mollie
=== 43 coordinates
cust_no | home_lat_lon | pref_slot
⟨#dddddd⟩ | ⟦home5:p1|lat⟧, ⟦=p1|lng⟧ | Tue AM
⟨#dddddd⟩ | ⟦home5:p2|lat⟧, ⟦=p2|lng⟧ | Fri PM
=== 44 licence Chauffeur onboarding: Führerschein ⟦licence_de⟧, Klassen B/BE, keine Punkte, Einweisung Transporter am 4.6.
=== 48 licence Name: ⟨name_en⟩. DL No: ⟦licence_in⟧. Valid till (NT) 2036. COV: LMV, MCWG. Blood group B+.
=== 48 health_id Front of card read as: Canada, Ontario Health, ⟦#Dddd-ddd-ddd⟧-AB, expires 2029 AU 14, sex F
=== 45 national_id CNP angajat ⟦cnp⟧, post: operator depozit, normă 8 ore, tichete 20 x 40 lei
=== 47 national_id_asia_africa 환자 등록: 외래 5번 창구, ⟦rrn⟧, 보험 유형 직장, 알레르기 없음
=== 48 national_id_asia_africa NRIC scanned: ⟦nric⟧. Address on the back differs from the utility bill; second proof requested.
=== 48 national_id_asia_africa SA green barcoded ID book, number ⟦za_id⟧, smart-ID application pending, photo quality poor.
=== 42 signed_url {"artifact":"statement.pdf","url":"https://nbreports.blob.core.windows.net/out/statement.pdf?sv=2024-11-04&se=2026-05-12T00%3A00Z&sr=b&sp=r&sig=⟦azure_sas|url⟧"}
=== 53 signed_url Hi! You asked to reset your password. Click https://app.northbeam.io/reset/⟦token43⟧ within 30 minutes. If it wasn't you, ignore this mail.
=== 46 bank_account Please remit to: ⟨name_en⟩ Photography, Wells Fargo, ABA ⟦routing_us⟧, Acct. ⟦#3d*9⟧. 1.5 % per month on overdue amounts.
=== 46 bank_account NEFT details — A/c Name: ⟨name_en⟩; A/c No: ⟦#0021010dddddd⟧; IFSC ⟨ifsc⟩; Branch: Andheri East. GST not applicable.
=== 45 iban salary run May: ⟨name_nl⟩ 2.840,12 -> ⟦iban_nl|by4⟧ / ⟨name_en⟩ 3.011,90 -> ⟦iban_gb|by4⟧ / holiday pay next month
=== 40 ip_address fail2ban.actions [911]: NOTICE [nginx-login] Ban ⟦ipv4:b⟧; previous: 3 attempts from ⟦=b⟧ as user "h.faure"
=== 41 ip_address The page says: "New sign-in from Chrome on Windows, near Lyon, IP ⟦ipv6⟧, today 08:12. If this was you, ignore this mail."
=== 31 ip_address
< x-forwarded-for: ⟦ipv4⟧, 10.0.3.17
< x-real-ip: ⟦ipv4⟧
< via: 1.1 varnish
=== 29 email
ValidationError: 1 validation error for Subscriber
email
  value is not a valid email address: unexpected whitespace [input_value='⟦email_pt⟧ ', input_type=str]
=== 30 phone
+    # regression: this customer broke the parser
+    assert normalise("⟦phone_de⟧") is not None
+    assert normalise("⟦phone_fr⟧") is not None
=== 29 customer_record
django.db.utils.IntegrityError: duplicate key value violates unique constraint "crm_contact_email_key"
DETAIL:  Key (email)=(⟦email_en⟧) already exists.  params: ('⟨name_en⟩', '⟦email_en⟧', '⟦phone_us⟧', datetime.date(1986, 4, 2))
=== 33 birth_date
df.head(3)
   pid     dob         sex  bmi
0  ⟨#dddd⟩  ⟦dob_iso⟧  F    24.1
1  ⟨#dddd⟩  ⟦dob_iso⟧  M    27.8
2  ⟨#dddd⟩  ⟦dob_iso⟧  F    22.0
=== 34 national_id_americas_uk {"rows":[["⟨name_en⟩","⟦ssn⟧","A-"],["⟨name_en⟩","⟦ssn|digits⟧","B+"]],"columns":["applicant","ss_no","grade"],"truncated":false}
=== 39 model_key
cem: anyone got credits left? my key's dead
jo: use mine but don't go wild ⟦anthropic⟧
cem: 🫡
=== 45 birth_date two-digit years are gone; new column BIRTHDT: ⟦dob_compact⟧ (emp ⟨#dddd⟩), ⟦dob_compact⟧ (emp ⟨#dddd⟩), rest unchanged
=== 42 model_key LANGCHAIN_TRACING_V2=true LANGCHAIN_API_KEY=⟦langsmith⟧ LANGCHAIN_PROJECT=support-bot → 403 on /runs/multipart
=== 39 chat_token found in an old gist of ours, still valid according to auth.test: ⟦slack_user⟧ (user token of someone who left!)
=== 41 otp The text message shown in the phone mirror reads: G-⟦otp⟧ is your verification code. I entered it in the second box.
=== 43 payment_key PayPal REST app "nb-live": client id A⟨#b*79⟩ secret ⟦paypal_secret⟧ (exported from the dashboard 3 May)
"""
