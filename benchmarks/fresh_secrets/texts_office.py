"""Texts of back offices and of agents' own notes: letters, forms, alerts, case files."""
# ruff: noqa: E501, RUF001

TEXTS = r"""
=== 49 birth_date In the matter of the estate of the late ⟨name_en⟩, who was born on ⟦dob_uk⟧ and died at Leeds on 4 January 2026, we act for the executors and enclose form IHT205.
=== 49 national_id COMPARECE: D. ⟨name_es⟩, mayor de edad, casado, con D.N.I. y N.I.F. número ⟦dni⟧, quien actúa en su propio nombre y derecho.
=== 49 national_id Sulla base della procura, il sottoscritto ⟨name_it⟩ (⟦codice_fiscale⟧) conferisce mandato per il recupero del credito di € 12.400,00.
=== 49 email Dear Sirs, without prejudice. Our client will accept £18,500 in full settlement. Please reply by 29 May to ⟦email_en⟧ and not to the general office address.
=== 49 licence The claimant holds Florida driver license ⟦licence_fl⟧ and was cited under s. 316.123(2)(a) on the night in question.
=== 50 birth_date
Matriculation list WS 26/27
No. | Name | Born | Programme
14 | ⟨name_de⟩ | ⟦dob_de⟧ | B.Sc. Physik
15 | ⟨name_tr⟩ | ⟦dob_dots⟧ | B.A. Geschichte
=== 50 customer_record Enrolment form p.1 — Child: ⟨name_en⟩, D.O.B. ⟦dob_child_slash⟧. Parent/guardian mobile ⟦phone_uk⟧. Allergies: nuts (EpiPen in office). Consent to photos: no.
=== 50 phone_world Dear parents, if your child is ill ring me before 8:15 on ⟦phone_za⟧, the office line is down this week.
=== 50 national_id_asia_africa Öğrenci: ⟨name_tr⟩ T.C. Kimlik No: ⟦tc_kimlik⟧ Bölüm: Makine Müh. Burs: %50 Kayıt yenileme tarihi 12.09.2026
=== 50 national_id_asia_africa นักศึกษา รหัส 65⟨#dddddd⟩ เลขประจำตัวประชาชน ⟦thai_id⟧ ขอใบรับรองผลการเรียน
=== 51 passport Fwd: visa invitation. Please add Mr Tanaka, passport ⟦passport_jp⟧, nationality Japanese, arriving NH203 on 2 June; hotel already paid.
=== 51 passport
Trip manifest
1) ⟨name_en⟩ ...... USA ...... ⟦passport_us⟧ ...... vegetarian
2) ⟨name_en⟩ ...... USA ...... ⟦passport_us⟧ ...... none
=== 51 card Please guarantee the two rooms with the company Amex ⟦amex⟧, exp ⟨expiry⟩, cardholder as per file. Late arrival around 23:30.
=== 51 card_code Ok to charge the deposit now. ⟦CVC: ⟨#Ddd⟩⟧. I'll send the signed form this afternoon.
=== 51 birth_date Group booking, kids: Maja (⟦dob_child_dash⟧), Oskar (⟦dob_child_dash⟧). Infant fare only applies under 2 on the return date!
=== 52 customer_record
Selbstauskunft Mietinteressent
Name: ⟨name_de⟩   geboren: ⟦dob_dots⟧
Tel. ⟦phone_de⟧   Nettoeinkommen: 3.150 €
Haustiere: 1 Katze
=== 52 iban Kaution 2.400 € bitte nach Auszug zurück auf ⟦iban_de⟧ (Konto meines Vaters)
=== 52 tax_id Rental application — applicant ⟨name_en⟩, employer Hollis Bakery (3 yrs), income $5,900/mo, ⟦itin⟧ in lieu of SSN, no evictions.
=== 52 national_id_americas_uk CPF do fiador: ⟦cpf⟧, RG ⟦rg_br⟧ SSP/SP, renda comprovada R$ 9.200,00, imóvel quitado em Campinas
=== 52 phone_world viewing sat 11:00 — ring ⟦phone_sg⟧ when you're at the gate, no buzzer
=== 53 email_in_data
Received: from mx3.northbeam.io (10.1.4.9) by mail.northbeam.io; Mon, 11 May 2026 07:44:02 +0200
Return-Path: <⟦email_fr⟧>
Message-ID: <CAF⟨#w*20⟩@mail.gmail.com>
Subject: Re: devis
=== 53 ip_address
X-Originating-IP: [⟦ipv4⟧]
X-Mailer: Apple Mail (2.3826.500.181)
X-Spam-Score: 0.4
=== 53 email_in_data The following message to <⟦email_sv⟧> was undeliverable. The reason for the problem: 5.1.0 - Unknown address error 550-'5.1.1 mailbox unavailable'
=== 53 email_in_data
> On 9 May 2026 at 18:20, ⟨name_it⟩ <⟦email_it⟧> wrote:
>> in allegato il preventivo firmato
> Perfetto, grazie.
=== 53 phone
--
⟨name_nl⟩
Teamleider Inkoop | Postma Bouw BV
M ⟦phone_nl⟧ | aanwezig ma-do
Denk aan het milieu voordat u deze mail print
=== 54 customer_record {"ticket":{"id":⟨#dddddd⟩,"subject":"Can't log in","requester":{"name":"⟨name_en⟩","email":"⟦email_en⟧","phone":"⟦phone_us⟧"},"tags":["sso","vip"]}}
=== 54 saas_token zendesk webhook 401: auth header was "support@northbeam.io/token:⟦zendesk⟧" — base64 it before sending
=== 54 ip_address "metadata":{"system":{"client":"Mozilla/5.0 (Windows NT 10.0; Win64; x64)","location":"Utrecht, NL","ip_address":"⟦ipv4⟧","latitude":null}}
=== 54 email_in_data Agent note: merged two tickets, the second came from her other address ⟦email_pl⟧ (typo in the domain was ours).
=== 54 otp Internal comment: customer quoted the code ⟦otp8⟧ from the letter; matches. Address change approved.
=== 55 pin
Join Zoom Meeting https://northbeam.zoom.us/j/⟨#8d*10⟩?pwd=⟦alnum32⟧
Meeting ID: 812 ⟨#dddd dddd⟩
⟦Passcode: ⟨#dddddd⟩⟧
=== 55 pin Dial-in (Frankfurt) +49 69 ⟨#7dddddd⟩, conference host ⟦PIN: ⟨#dddd⟩#⟧ — agenda: budget Q3, hiring, AOB
=== 55 phone Notes 11 May: ⟨name_en⟩ will chase the landlord, personal cell ⟦phone_us⟧ if anything burns over the weekend. Next sync Thursday.
=== 55 password_prose Retro: wifi for guests changes monthly, this month it's ⟦passwords_dash⟧ (poster in the kitchen). Action: Uwe prints new badges.
=== 56 device_id
asset;user;model;serial;wifi mac
NB-⟨#dddd⟩;⟨name_de⟩;MacBook Pro 14;⟦serial_apple⟧;⟦mac⟧
=== 56 device_id {"UDID":"⟦udid⟧","ProductName":"iPhone16,2","OSVersion":"18.4.1","IsSupervised":true,"DeviceName":"Field 12"}
=== 56 device_id dhcpd: DHCPACK on 192.168.178.44 to ⟦mac|lower⟧ (Lottes-iPhone) via eth0
=== 56 device_id Handset returned without box. ⟦imei⟧ (slot 1), ⟦imei⟧ (slot 2). Battery 83 %, screen cracked lower left. Wiped.
=== 56 device_id Fleet: Skoda Octavia, white, driver ⟨name_pl⟩, VIN ⟦vin⟧, next MOT 10/2027
=== 57 card
Case FR-⟨#dddd⟩: three card-not-present attempts in 4 min
16:02:11  ⟦card⟧  €1.00  approved
16:02:58  ⟦card⟧  €1.00  declined 51
16:04:20  ⟦amex⟧  €899.00  review
=== 57 bank_account Mule account identified: ABA ⟦routing_us⟧, acct ⟦#4d*9⟧, opened 12 days ago with a synthetic identity, 41 inbound Zelle.
=== 57 wallet Cluster analysis: ransom of 3.1 BTC paid to ⟦btc⟧, peeled through 14 hops, last seen at ⟦ltc⟧ after a swap.
=== 57 wallet SOL drained from ⟦solana⟧ nine minutes after approval of the phishing dApp; victim confirmed on the call.
=== 57 national_id_nordic Adverse media check on ⟨name_sv⟩ (⟦personnummer|plain⟧): no hits. PEP: no. Source of funds: sale of flat, documents on file.
=== 58 device_id {"event":"add_to_cart","ts":⟨#17785ddddd⟩,"idfa":"⟦idfa⟧","props":{"sku":"NB-⟨#dddd⟩","price":39.9,"currency":"EUR"}}
=== 58 ip_address
event_id,ip,country,campaign
⟨#h*16⟩,⟦ipv4⟧,PL,spring_26
⟨#h*16⟩,⟦ipv4⟧,PL,spring_26
=== 58 coordinates geo_ping user=⟨#dddddd⟩ night_cluster=⟦home:p1|lat⟧,⟦=p1|lng⟧ visits=27 label=residence confidence=0.96
=== 58 email_in_data utm_source=newsletter&utm_campaign=may&subscriber=⟦email_tr|url⟧&open=1
=== 58 saas_token Klaviyo-style call failed. POST https://api.brevo.com/v3/smtp/email api-key: ⟦brevo⟧ -> 402 not_enough_credits
=== 59 tax_id
ELSTER Übermittlungsprotokoll
Steuerpflichtige Person: ⟨name_de⟩
IdNr. ⟦steuer_id⟧
Festzusetzende Einkommensteuer 6.214 €
=== 59 tax_id Notice of assessment year ended 30 June 2025. TFN ⟦tfn⟧. Taxable income $84,210. Refund $1,204.55 to nominated account.
=== 59 tax_id CRA said the SIN on file (⟦sin⟧) doesn't match the T4; employer transposed two digits, amended slip coming.
=== 59 tax_id ИНН ⟦inn⟧, СНИЛС ⟦snils⟧ — для возврата вычета за лечение нужны справка и чеки за 2025 год.
=== 59 tax_id РНОКПП ⟦rnokpp⟧, телефон ⟦phone_ua⟧. Податкову декларацію подано 28 квітня, квитанція № 2 отримана.
=== 59 tax_id Declaração IRPF 2026: titular ⟨name_pt⟩, ⟦cpf|digits⟧, dependente 1 (filha, ⟦cpf|digits⟧), imposto a restituir R$ 2.118,44
=== 60 customer_record
## Memory: user profile
- prefers short answers, metric units
- works nights
- private mail ⟦email_en⟧, mobile ⟦phone_il⟧
- daughter's birthday party in June
=== 60 coordinates remembered facts (3): 1. drives an EV 2. charger at home, ⟦home:p2|lat⟧,⟦=p2|lng⟧, 11 kW 3. avoids motorways
=== 60 password_prose NOTE TO SELF (agent scratchpad): the portal rejected the first login; user then said to try ⟦password⟧, which worked. Reuse for the monthly download.
=== 60 health_id Saved for next time: EHIC/insurance card number is ⟦80756⟨#d*15⟩⟧ (valid to 2029), GP is Dr Prado, pharmacy closes at 19:00.
=== 60 birth_date memory.write(key="user.facts", value="birthday coming up (⟦dob_iso⟧), lactose intolerant, two cats")
=== 60 national_id Η ΑΜΚΑ του χρήστη είναι ⟦amka⟧ και το κινητό ⟦phone_gr⟧. Ραντεβού στον παθολόγο την Τρίτη.
=== 60 national_id Uživatel uvedl rodné číslo ⟦rodne⟧ a mobil ⟦phone_cz⟧, chce připomenout očkování v září.
=== 60 totp_secret Enrolment finished. In case you need to add it by hand: otpauth://totp/Northbeam:⟨#aaaa⟩?secret=⟦totp16⟧&issuer=Northbeam&digits=6&period=30
=== 49 phone My neighbour witnessed it all (the van reversing, the wall, the driver shouting) and would give a statement. She's in most evenings; her number's ⟦phone_uk⟧ but she is a bit deaf so let it ring. I enclose eleven photographs and the council's letter.
=== 12 card Kortet ⟦card|dot4⟧ ble trukket 3 ganger for samme ordre, kan dere refundere 2 av dem?
=== 22 card Receipt photo text: UBEREATS *TRIP  AUTH 04⟨#dddd⟩  PAN ⟦card⟧  SALE  EUR 23,40  CUSTOMER COPY
=== 54 card Redaction bot missed this one, customer typed the number in odd groups: "⟦card|by6⟧". Deleting the public comment.
=== 13 iban Please pay my AED 3,200 deposit back to ⟦iban_ae|by4⟧, ENBD, and send me a screenshot
=== 12 iban Betala tillbaka till ⟦iban_se⟧ tack, inte swish, den är kopplad till ett gammalt nummer
=== 9 bank_account Meu IBAN em Portugal ⟦iban_pt|by4⟧, mas o Pix é pelo telefone ⟦phone_br⟧
=== 39 private_key
jo: prod box won't take my key. here, use this one till friday
-----BEGIN EC PRIVATE KEY-----
⟦ec_body|lines64⟧
-----END EC PRIVATE KEY-----
=== 38 connection_string I connected with `psql "host=db-2.internal port=5432 dbname=crm user=agent_ro password=⟦alnum20⟧ sslmode=require"` and the table has 48,112 rows, none newer than 9 May.
=== 38 cloud_key Your config had the storage connection string inline: DefaultEndpointsProtocol=https;AccountName=nbreports;AccountKey=⟦azure_storage⟧;EndpointSuffix=core.windows.net - I replaced it with a managed identity.
=== 42 git_token thought: The previous tool call failed with "Bad credentials". The user supplied ⟦github_fine⟧ earlier in this conversation, so I will set it as GH_TOKEN and retry.
=== 42 deploy_secret {"event":"tool_start","tool":"bash","input":{"command":"curl -sS -H 'X-Vault-Token: ⟦vault⟧' $VAULT_ADDR/v1/secret/data/ci | jq .data"}}
=== 60 saas_token
agent_notes.md
* Jira base is northbeam.atlassian.net
* the token that works (user pasted 2026-05-02): ⟦atlassian⟧
* board 14 = mobile, board 22 = web
=== 60 pin Saved preference: garage keypad ⟦code ⟨#dddd⟩⟧, alarm off by 07:30 on weekdays, lights warm white, vacuum Tuesdays.
=== 55 pin Cleaner starts Monday. Key safe is left of the door, ⟦combination ⟨#dddd⟩⟧. Dog food in the hall cupboard, Wi-Fi is on the fridge.
=== 60 birth_date Remember: anniversary 4 June; Sofia's school play Thursday; mother-in-law (born ⟦dob_uk⟧) has her hip operation on the 19th.
=== 43 email_in_data
BEGIN:VCARD
VERSION:3.0
FN:⟨name_fr⟩
TEL;TYPE=CELL:⟦phone_fr⟧
EMAIL:⟦email_fr⟧
END:VCARD
=== 55 email_in_data
ATTENDEE;CN=⟨name_en⟩;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:⟦email_en⟧
ORGANIZER;CN=Facilities:mailto:noreply@example.com
=== 19 seed_phrase The phrase from the paper: "⟦seed12⟧". The third word might be a different one, my handwriting is awful
=== 57 wallet_key Seized laptop, notes.txt line 3: "metamask acc2 pk ⟦hex64⟧ (the one with the apes)". Funds still at ⟦eth⟧ as of block 22⟨#dddddd⟩.
=== 21 health_id pt typed: medicare # is ⟦mbi|plain⟧ and i have the AARP supplement, no referral needed i think
=== 11 health_id Zorgverzekering CZ, ⟦polisnummer ⟨#4dddddddd⟩⟧, fysio 9 behandelingen per jaar vergoed; verwijzing is van de huisarts in Breda.
=== 48 passport
OCR of the back of the residence card (line 2 looks blurred):
⟦mrz⟧
Confidence 0.71, manual review suggested.
=== 51 passport passport no. keeps being rejected on the visa form: typed ⟦passport_in⟧, also tried with a space after the letter. expiry 2034.
=== 56 device_id Sep 14 10:22:41 kernel: Bluetooth: hci0: bonded with "⟨name_en⟩'s Watch" addr ⟦mac|upper⟧ rssi -61
=== 58 device_id bid request: {"device":{"ifa":"⟦gaid⟧","os":"Android","model":"SM-A556B","geo":{"country":"ITA"}},"imp":[{"bidfloor":0.4}]}
=== 1 device_id Router zurückgesetzt. SIM getauscht, IMSI ⟦imsi⟧, APN internet.telekom, Signal -87 dBm, trotzdem "kein Dienst".
=== 44 licence New driver for the Sydney depot: ⟨name_en⟩, NSW lic. no. ⟦licence_au⟧ class HR, medical valid to Feb 2028, induction on the 3rd.
=== 7 licence [caller] it's the number on the front of my driving licence? okay. ⟦licence_uk⟧. the one with all the letters at the start
=== 6 licence caller: my D L is ⟦licence_ca⟧, California. for the pseudoephedrine log, right
=== 31 signed_url GET https://cdn.northbeam.io/private/scan-⟨#dddd⟩.pdf?Expires=17785⟨#ddddd⟩&Key-Pair-Id=K2⟨#u*12⟩&Signature=⟦#b*86⟧~⟦#b*86⟧__ 200 in 88 ms
=== 25 jwt vercel deploy failed: OIDC token was "⟦jwt⟧", issuer oidc.vercel.com, audience mismatch
=== 34 password_hash dump.sql:8812: INSERT INTO wp_users VALUES (7,'editor','⟦$P$B⟨#w*30⟩⟧','editor','','2023-04-01 09:00:00');
=== 35 password_hash
deploy:⟦$apr1$⟨#w*8⟩$⟨#w*22⟩⟧
grafana:⟦{SHA}⟨#B*27⟩=⟧
(.htpasswd, 2 users)
=== 32 app_secret docker run -d -e ERLANG_COOKIE=⟦cookie40|upper⟧ -p 5672:5672 --name rabbit rabbitmq:4-management
=== 37 app_secret
# Rails
cat config/master.key
⟦hex32⟧
bin/rails credentials:show | head -2
=== 28 monitoring_token New Relic license check: curl -H "Api-Key: ⟦newrelic⟧" https://api.eu.newrelic.com/graphql -> 200, account 41⟨#ddddd⟩
=== 26 monitoring_token helm upgrade obs grafana/k8s-monitoring --set cluster.name=prod --set externalServices.prometheus.basicAuth.password=⟦grafana_cloud⟧
=== 33 model_key replicate.Client(api_token="⟦replicate⟧").run("stability-ai/sdxl", input={"prompt": "a fox in the snow"})
=== 36 git_token
composer config --global github-oauth.github.com ⟦github⟧
Changed current directory to /srv/build/.config/composer
=== 54 chat_token Alert channel moved. Old connector URL, still live, please delete: ⟦teams_hook⟧
=== 45 tax_id ss# on the W-2 is wrong. Should be ⟦ssn|digits⟧. box 1 says 48,210.55
=== 42 chat_token {"tool":"twilio_send","auth":["⟦twilio_sid⟧","⟦alnum32⟧"],"to":"+15550100","status":20003,"message":"Authenticate"}
=== 40 saas_token smtp debug: 334 UGFzc3dvcmQ6 <- ⟦sendgrid|b64⟧ -> 235 Authentication successful (apikey)
=== 23 saas_token MAILGUN_DOMAIN=mg.northbeam.io⏎MAILGUN_API_KEY=⟦mailgun⟧⏎MAILCHIMP=⟦mailchimp⟧ (one line in the PDF, ⏎ are mine)
=== 38 saas_token I used `new Resend("⟦resend⟧")` from your snippet; the domain isn't verified yet, so the mail stays queued.
=== 46 saas_token Store handover sheet: Shopify Admin API access token ⟦shopify⟧, scopes read_orders, write_products; theme is Dawn 15.
=== 54 saas_token Macro failed: GET https://northbeam.okta.com/api/v1/users?q=faure with SSWS ⟦okta⟧ gave E0000011 Invalid token provided
=== 39 deploy_secret ines: netlify build hook is broken, so I deployed by hand with ⟦netlify⟧, worked first time
=== 23 deploy_secret dp config: DOPPLER_TOKEN="⟦doppler⟧" DOPPLER_PROJECT="billing" DOPPLER_CONFIG="prd"
=== 34 connection_string createClient("https://xkq⟨#aaaaaaaa⟩.supabase.co", "⟦supabase_secret⟧") // service role, do NOT ship to the browser
=== 29 connection_string Error 1045 (28000): Access denied. dsn=app:⟦planetscale⟧@tcp(aws.connect.psdb.cloud)/shop?tls=true
=== 25 deploy_secret circleci: using personal token ⟦circleci⟧ to trigger pipeline 4471 on main
=== 26 deploy_secret kubectl create secret generic op --from-literal=OP_SERVICE_ACCOUNT_TOKEN=⟦onepassword⟧ -n ops
=== 32 deploy_secret heroku auth: HEROKU_API_KEY ⟦heroku⟧ is set in the container, so `heroku login` refuses to run
=== 33 model_key headers = {"xi-api-key": "⟦elevenlabs⟧", "Content-Type": "application/json"}  # tts test, voice "Daniel"
=== 60 model_key note: web search works again after switching to the key the user gave (⟦tavily⟧), 1000 credits a month
=== 42 model_key litellm.AuthenticationError: DeepseekException - Authentication Fails, Your api key: ⟦deepseek⟧ is invalid, model=deepseek-chat
=== 38 model_key Set NVIDIA_API_KEY to ⟦nvidia⟧ and base_url to https://integrate.api.nvidia.com/v1, then rerun the cell.
=== 43 payment_key rzp settings row 3: key_id rzp_live_⟨#w*14⟩ | key_secret ⟦razorpay⟧ | webhook on | settlement T+2
=== 37 payment_key SQUARE_ACCESS_TOKEN (production) = ⟦square⟧ ; location L⟨#u*12⟩ ; sandbox off
=== 59 password Für ELSTER habe ich die Zertifikatsdatei hochgeladen, das Passwort dazu lautet ⟦password⟧, damit können Sie die Erklärung abholen.
=== 36 saas_token newman run "https://api.getpostman.com/collections/⟨#d*8⟩?apikey=⟦postman⟧" -r cli
=== 30 monitoring_token -SENTRY_AUTH_TOKEN = "⟦sentry⟧"  # removed in this PR, but it is still in the history of main
=== 55 chat_token Minutes: alerts go to the Discord webhook ⟦discord_hook⟧ until the new on-call tool is bought. Owner: Declan.
=== 24 git_token $ git credential fill <<< $'protocol=https\nhost=gitlab.northbeam.io' | tail -2; username=ci-bot; password=⟦gitlab_deploy⟧
=== 27 package_token local-exec: curl -H "X-JFrog-Art-Api: ⟦artifactory⟧" -O https://nb.jfrog.io/artifactory/generic/agent.tgz
=== 59 tax_id Monotributo: CUIT/CUIL ⟦cuil⟧, categoría C, próximo vencimiento 20/06, débito automático rechazado por el banco
=== 55 pin Building access over the holidays: front door ⟦pin6⟧#, then the lift needs the blue fob. Alarm company is informed.
=== 54 saas_token Postmark says inactive recipient; request had X-Postmark-Server-Token: ⟦postmark⟧, MessageStream outbound
=== 51 email hi travel desk, pls resend e-tickets for the osaka group, tanaka-san never got his. mine came fine. his private one (not the company) is ⟦email_en⟧ and cc nobody. also window seats if poss, thx
=== 60 email [memory] contact_preferences: the user's mother should be copied on travel plans -> ⟦email_it⟧ ; quiet hours 22-7
"""
