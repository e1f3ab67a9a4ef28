# ruff: noqa: E501, RUF001
"""Texts with addresses, telephones, network identities, places and plates of persons; `render` explains the marks."""

CONTACT_TEXTS = r"""
%% email
you can reach me at «email» after 6
%%
From: ‹name› <«email»>
To: support
Subject: order ‹order›
%%
{"customer": {"id": ‹big›, "email": "«email»", "locale": "de-DE"}}
%%
Meine Mailadresse hat sich geändert, neu: «email»
%%
Pouvez-vous renvoyer la facture ‹invoice› à «email» ?
%%
mi correo es «email», gracias
%%
scrivetemi a «email» per favore
%%
stuur de bevestiging naar «email» aub
%%
mój adres e-mail: «email»
%%
min mejl är «email»
%%
E-posta adresim «email», fatura gelmedi
%%
メールアドレスは«email»です
%%
SELECT * FROM users WHERE email = '«email»' LIMIT 1;
%%
GET /unsubscribe?u=«email_encoded»&l=‹count› HTTP/1.1" 200 512
%%
write to «email_spelled», that's my private one
%%
Author: ‹name› <«email»>
Date:   ‹iso›
    fix rounding in ‹slug›
%%
‹log› WARN mailer bounce rcpt=«email» code=550
%%
schreib an «email_idn», die andere Adresse ist alt
%%
mailto:«email»?subject=Return%20‹order›
%%
Sehr geehrte Damen und Herren, ich bin unter «email_upper» erreichbar.
%%
name,email,plan
‹name›,«email»,pro
‹name#2›,«email#2»,free
%%
I sent the return label to «email» and noted it on ticket ‹ticket›.
%%
{"args": "{\"to\":[\"«email»\"],\"cc\":[\"«email#2»\"],\"subject\":\"Re: ‹order›\"}"}
%% phone_english
call me on «phone_gb» any time before noon
%%
my cell is «phone_us», text is fine
%%
Phone: «phone_us»
Best time: evenings
%%
{"caller": "«phone_e164»", "queue": "returns", "wait_s": ‹count›}
%%
My number changed to «phone_ca», please update it
%%
mobile «phone_au», leave with the neighbour if I'm out
%%
ring «phone_gb» or «phone_gb#2» if the driver is lost
%%
WhatsApp me: «phone_in»
%%
It's «phone_nz», I'm in Wellington this week
%%
You can call my wife, «phone_za», she is home
%%
my line na «phone_ng», pls call
%%
contact no. «phone_sg», unit 04-12
%%
tel:«phone_e164»
%%
SMS sent to «phone_us»: "Your parcel ‹tracking› arrives today"
%%
The customer left «phone_us» for the call-back; ticket ‹ticket› updated.
%% phone_europe
Sie erreichen mich unter «phone_de»
%%
Handy: «mobile_de», abends besser
%%
Tel. «phone_at» (ab 17 Uhr)
%%
mini Nummere isch «phone_ch»
%%
mon portable : «mobile_fr»
%%
appelez-moi au «phone_fr» avant la livraison
%%
mi móvil es el «mobile_es»
%%
il mio cellulare è «mobile_it», grazie
%%
o meu telemóvel: «mobile_pt»
%%
bel me op «phone_nl»
%%
gsm «mobile_be»
%%
proszę o kontakt: «phone_pl»
%%
ring mig på «phone_se» efter fyra
%%
tlf «phone_no»
%%
mobil: «phone_dk»
%%
puhelinnumeroni on «phone_fi»
%%
το κινητό μου είναι «phone_gr»
%%
telefon «phone_cz», volejte odpoledne
%%
nr meu de telefon este «phone_ro»
%%
мій номер «phone_ua»
%% phone_world
cep telefonum «mobile_tr»
%%
電話番号は«phone_jp»です
%%
제 번호는 «phone_kr» 입니다
%%
我的手机号是«phone_cn»
%%
meu whatsapp é «phone_br»
%%
mi cel: «phone_mx»
%%
mi teléfono es «phone_ar», llamar a la tarde
%%
הטלפון שלי «phone_il»
%%
رقم هاتفي «phone_ae»
%%
{"to":{"name":"‹name›","phone":"«phone_in»","city":"Pune"}}
%%
tel;«phone_jp»;‹name›;東京
%% user_ip
‹iso› login ok user=‹last› ip=«ipv4» ua="Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X)"
%%
«ipv4» - - [14/Oct/2026:10:15:02 +0200] "GET /account/orders/‹order› HTTP/2.0" 200 ‹big› "-" "Mozilla/5.0"
%%
X-Forwarded-For: «ipv4», ‹pod_ip›
%%
{"event": "checkout", "user_id": "‹user_id›", "client_ip": "«ipv6»"}
%%
My home IP is «ipv4» and your site blocks me
%%
Failed password for ‹last› from «ipv4» port ‹pid› ssh2
%%
INSERT INTO sessions(user_id, remote_addr) VALUES (‹big›, '«ipv6»');
%%
the user signed in from «ipv4» (Lisbon) and four minutes later from «ipv4#2» (Osaka)
%%
cf-connecting-ip: «ipv4»
cf-ipcountry: DE
%%
Meine IP-Adresse laut Router: «ipv6»
%%
user_ip;country
«ipv4»;AT
%% device_identity
device "‹first›s-iPhone" mac «mac» joined SSID Home
%%
my phone's IMEI is «imei», please block it
%%
{"device": {"type": "phone", "imei": "«imei»", "os": "Android 16"}}
%%
DHCPACK on ‹lan_ip› to «mac» (‹first›s-MacBook) via wlan0
%%
MAC-Adresse meines Laptops: «mac_dash»
%%
IMEI: «imei»
IMEI2: «imei#2»
Gerät gestohlen am ‹day_de›
%%
{"idfa": "«advertising_id»", "user": "‹user_id›", "campaign": "spring"}
%% home_coordinates
my house is at «lat», «lng», the driver always goes to the wrong gate
%%
{"home": {"lat": «lat», "lng": «lng»}, "work": null}
%%
Courier note: deliver to customer's home, GPS «lat»,«lng»
%%
https://www.google.com/maps?q=«lat»,«lng» <- da wohne ich
%%
Unser Haus: «dms_lat» «dms_lng»
%%
user_location(lat=«lat», lon=«lng», accuracy_m=6)
%%
{"user_id":"‹user_id›","event":"app_open","geo":{"type":"Point","coordinates":[«lng»,«lat»]}}
%%
j'habite ici : «lat» / «lng», troisième portail
%%
plus code of our farm is «plus_code»
%%
ST_SetSRID(ST_MakePoint(«lng», «lat»), 4326) -- home of customer ‹big›
%% licence_plate
my car is parked in front, plate «plate_de»
%%
Mein Kennzeichen ist «plate_de», ich stand auf dem Kundenparkplatz
%%
number plate «plate_gb», blue Golf, mine
%%
ma voiture, immatriculée «plate_fr», a été rayée
%%
la targa della mia auto è «plate_it»
%%
la matrícula de mi coche es «plate_es»
%%
license plate: «plate_us» (owner ‹name›)
%%
nr rejestracyjny mojego auta: «plate_pl»
%%
kenteken van mijn auto: «plate_nl»
%%
車のナンバーは «plate_jp» です
%%
{"guest": "‹name›", "vehicle": {"plate": "«plate_gb»", "colour": "red"}}
%%
Parking permit for ‹name›: vehicle registration «plate_us»
"""
