"""Texts of customer service that look as if they held something to hide, and do not."""
# ruff: noqa: E501, RUF001

TEXTS = r"""
=== 1 prose_about_secrets Ich habe mein Kundenkennwort vergessen und die PIN dreimal falsch eingegeben. Was soll ich jetzt machen? Tarif ist Smart M, Auftrag ⟨#4d*8⟩.
=== 1 order_number Ihr Auftrag ⟨#3d*9⟩ vom 04.05.2026 ist in Bearbeitung. Freischalttermin: 18.05.2026 zwischen 08 und 12 Uhr, Techniker-Ref. T⟨#ddddd⟩.
=== 1 prose_about_secrets Bitte geben Sie das Passwort niemals am Telefon weiter. Unser Kennwort-Service ist Mo–Fr von 8 bis 20 Uhr erreichbar, Wartezeit ca. ⟨#D⟩ Minuten.
=== 1 quantity Verbrauch im April: 41,⟨#d⟩ GB von 60 GB, 128 Gesprächsminuten, 14 SMS. Down 243,⟨#d⟩ Mbit/s, Up 41,7 Mbit/s, Ping 1⟨#d⟩ ms.
=== 2 prose_about_secrets We'll never ask for your full card number, PIN or one-time passcode. Disputes can take up to ⟨#Dd⟩ days under scheme rules.
=== 2 masked_value Card ending ⟨#dddd⟩ was declined on 11 May at 14:02 because the contactless limit was reached; nothing is wrong with the account ending in ⟨#ddd⟩.
=== 2 price You were charged £⟨#1dd.dd⟩ on 3 May and refunded £⟨#1d.dd⟩ on 9 May, so £41.20 is still outstanding. Dispute ref D-⟨#Dd*6⟩.
=== 2 card_like the reference on my statement is ⟨not_card⟩, which shop is that?
=== 2 card_like ARN for the refund: 7⟨#d*22⟩. Ask the shop's bank to trace it.
=== 3 booking PNR ⟨#AAAdAA⟩, ticket 220-⟨#Dd*9⟩, LH⟨#4dd⟩ on 14 March 2027, new departure 18:4⟨#d⟩, gate B4⟨#d⟩
=== 3 booking bag tag LH⟨#d*6⟩, file reference FRALH⟨#ddddd⟩, last seen belt 12 at 06:5⟨#d⟩
=== 3 prose_about_secrets You'll need your passport number and date of birth for APIS before check-in closes ⟨#6d⟩ minutes prior to departure.
=== 4 ticket_number Votre dossier sinistre ⟨#2026-dddddd⟩ a été transmis à l'expert. Rendez-vous le 3 juin 2026 à 10 h. Franchise : 1⟨#dd⟩ €.
=== 4 prose_about_secrets Merci de ne jamais nous communiquer votre mot de passe ni votre code confidentiel par courriel. Délai de réponse : ⟨#D⟩ jours ouvrés.
=== 4 price Indemnité proposée : 1 8⟨#dd⟩,50 €, vétusté déduite 1⟨#d⟩ %, TVA 20 %, contrat souscrit en 2019, plafond 7 600 €.
=== 5 meter La lectura del contador es 00⟨#dddd⟩ kWh a 30/04/2026, potencia 3,45 kW, peaje 2.0TD, factura F⟨#26d*7⟩, importe 6⟨#d,dd⟩ €
=== 5 prose_about_secrets Para darse de alta le pediremos el DNI, el IBAN y un móvil. La contraseña la elige usted y tiene que tener al menos ⟨#1d⟩ caracteres.
=== 5 meter Oferta n.º ⟨#3d*8⟩, tarifa indexada, permanencia no, consumo anual estimado 2.⟨#ddd⟩ kWh
=== 6 spoken_number AGENT: Your prescription number is seven seven four one nine three two, it'll be ready Tuesday after three.
=== 6 prose_about_secrets agent: for your security i won't ask for your social or the full card number, just tell me your first name and the store on route ⟨#dd⟩
=== 6 dosage caller: so it's lisinopril twenty milligrams, one a day, ninety tablets, and the copay was twelve dollars and ⟨#dd⟩ cents
=== 7 meter [caller] the meter says oh oh four one seven two, and the serial on the side is S eighty-five C ⟨#d*5⟩
=== 7 prose_about_secrets [agent] I can't see your password, nobody here can. I'll send a reset link, it lasts ⟨#3d⟩ minutes.
=== 8 order_number Ordine IT-⟨#d*7⟩ spedito il 12/05/2026, corriere BRT, 2 colli, peso 3,⟨#d⟩ kg, consegna prevista 14/05
=== 8 prose_about_secrets Non trovo più la password e il codice di verifica non arriva. Ho già provato ⟨#D⟩ volte con il browser aggiornato.
=== 8 tracking_number Il suo reso ha codice RMA-⟨#dddddd⟩ e tracking 1Z⟨#H*16⟩, rimborso entro 14 giorni
=== 9 prose_about_secrets Nunca informe sua senha ou o código do SMS para ninguém. O protocolo deste atendimento é 2026⟨#d*10⟩.
=== 9 price o limite é R$ ⟨#D.ddd⟩,00 e a fatura fechou em R$ 1.2⟨#dd⟩,37 com vencimento em 10/06/2026, parcela 3/12
=== 9 prose_about_secrets esqueci minha senha e o token do app não aparece, já reinstalei ⟨#D⟩ vezes 😡
=== 10 tracking_number Przesyłka 00359007738⟨#d*9⟩ czeka w paczkomacie KRA⟨#dd⟩M do 14.05.2026, gabaryt B, pobranie 89,⟨#dd⟩ zł
=== 10 prose_about_secrets Nie podawaj nikomu hasła ani numeru PESEL przez telefon. Sprawa nr ⟨#dddd⟩/05/2026 zostanie rozpatrzona w ciągu 14 dni.
=== 10 id_like numer zamówienia to ⟨not_pesel⟩, ale na stronie pokazuje inny
=== 11 prose_about_secrets Uw BSN vindt u op de achterkant van uw identiteitskaart. Mail het ons niet; log in met DigiD en kies formulier V-⟨#dddd⟩.
=== 11 ticket_number Zaaknummer Z2026-⟨#dddddd⟩, behandeltermijn 8 weken, leges € ⟨#6d,dd⟩, afspraak 1 augustus 10:20 balie 4
=== 12 prose_about_secrets Glömt lösenordet? Logga in med BankID så slipper du. Ärendenummer ⟨#2d*6⟩, svar inom ⟨#D⟩ dagar.
=== 12 date Laskun ⟨#1d*7⟩ eräpäivä on 15.8.2026, summa ⟨#4d,dd⟩ €, viivästyskorko 10,5 %
=== 12 price Faktura nr. ⟨#5d*6⟩ forfaller 20.06.2026, sum kr 1 ⟨#ddd⟩,50, MVA 25 %
=== 13 prose_about_secrets Şifrenizi ve SMS ile gelen kodu kimseyle paylaşmayın. Talep numaranız ⟨#4d*8⟩, işlem süresi ⟨#D⟩ iş günü.
=== 13 price Paketiniz 20 GB, fatura tutarı ⟨#3dd⟩,90 TL, son ödeme 28.05.2026, taahhüt 12 ay, kalan ⟨#D⟩ ay
=== 14 order_number ご注文番号 250-⟨#d*7-d*7⟩、お届け予定日 2026年5月14日、合計 ¥⟨#D,ddd⟩(税込)
=== 14 prose_about_secrets パスワードをお忘れの場合は、再設定用リンク(有効期限⟨#3d⟩分)をお送りします。暗証番号は伺いません。
=== 15 order_number 주문번호 2026⟨#d*10⟩, 결제금액 ⟨#3d⟩,900원, 배송 예정일 5월 14일입니다.
=== 15 prose_about_secrets 비밀번호를 잊으셨나요? 인증번호는 3분 안에 입력해 주세요. 문의번호 ⟨#dddddd⟩ 상담 시간 09:00~18:00
=== 16 tracking_number 您的快递单号 SF⟨#1d*12⟩ 已到达上海转运中心,预计5月14日送达,运费¥⟨#1d⟩.00
=== 16 prose_about_secrets 请不要把密码或验证码告诉任何人。工单编号 ⟨#2026d*8⟩,我们会在⟨#D⟩个工作日内回复。
=== 17 prose_about_secrets Please never share OTP, CVV or UPI PIN with anyone. Your complaint no. is SR⟨#8d*9⟩ and TAT is ⟨#D⟩ working days.
=== 17 price Recharge of Rs.⟨#2dd⟩ done, validity 84 days, 1.5 GB/day, txn date 11-05-2026 10:4⟨#d⟩, GST 18%
=== 18 prose_about_secrets لا تشارك كلمة المرور أو رمز التحقق مع أي شخص. رقم الطلب ⟨#4d*7⟩ والمدة المتوقعة ⟨#D⟩ أيام.
=== 18 prose_about_secrets שכחתי את הסיסמה ולא קיבלתי קוד. מספר הפנייה ⟨#3d*7⟩, ממתין כבר ⟨#Dd⟩ דקות.
=== 19 price BTC 0.4⟨#ddddd⟩ at 91,2⟨#dd⟩.50 = fee 0.0000⟨#dd⟩, 3 of 6 confirmations, ETA ⟨#2d⟩ min
=== 19 hash txid ⟨#h*64⟩ has ⟨#D⟩ confirmations, the explorer shows it as final
=== 19 prose_about_secrets Nobody from support will ever ask for your seed phrase or private key; write the twelve words on paper and keep them offline. Article ⟨#dddd⟩.
=== 20 prose_about_secrets Passwords expire every ⟨#Dd⟩ days. You can't reuse the last 10, and it must have 12 characters, one digit, one symbol. Self-service: portal > Reset.
=== 20 ticket_number INC00⟨#d*8⟩ assigned to IAM team, SCTASK⟨#d*7⟩, KB00⟨#d*5⟩ "Account lockout after 5 attempts", P3
=== 20 prose_about_secrets OTP not received? Codes are valid for 10 minutes and we send at most ⟨#D⟩ an hour. Error AADSTS50⟨#ddd⟩ means the user has no MFA method.
=== 21 dosage Take 1 tablet of 500 mg every 8 hours, at most ⟨#3⟩ g in 24 h; come back if fever is above 39.⟨#d⟩ °C for 3 days.
=== 21 date Next slots: 2026-05-⟨#1d⟩ 09:20, 2026-05-2⟨#d⟩ 14:40, 2026-06-01 08:00. Clinic room 3, bring your insurance card.
=== 22 public_place Meet the driver at the main entrance of Gare du Nord (48.8809, 2.3553), bay ⟨#Dd⟩. Waiting is free for 5 minutes.
=== 22 public_place {"restaurant_id":⟨#dddddd⟩,"name":"Noodle Bar Shibuya","location":{"lat":35.65803,"lng":139.70164},"eta_min":⟨#2d⟩,"rating":4.6}
=== 22 order_number order #⟨#AAAA-dddd⟩: 2x pad thai, 1x tom yum, €⟨#3d.dd⟩, ETA 19:4⟨#d⟩, courier on bike, PIN not required
=== 22 version App 6.214.⟨#d⟩ (build ⟨#2ddddd⟩) on Android 15 crashes at the map; works on 6.213.⟨#d⟩
=== 2 card_like The "⟨not_card⟩" on the receipt is the terminal's batch line, not your card. Keep it for the refund.
=== 8 order_number Numero ordine ⟨not_card⟩, non trovo la fattura nella mail di conferma.
=== 15 order_number 운송장 번호 ⟨#5d*11⟩ 은 어제부터 "집하" 상태입니다. 물류센터 코드 B⟨#dd⟩
=== 8 ean Il prodotto con EAN ⟨ean⟩ è esaurito, arriva il 20/05; al posto suo c'è ⟨ean⟩ allo stesso prezzo.
=== 14 ean JANコード ⟨ean⟩ の在庫は⟨#Dd⟩個です。取り寄せは3日ほどかかります。
=== 1 id_like Gerät laut Lager: ⟨not_imei⟩ — das ist unsere Artikelnummer aus dem alten System, keine Gerätenummer.
=== 5 id_like El justificante dice ⟨not_iban⟩ pero eso es el ejemplo del formulario, tiene las letras cambiadas. Ponga la suya en la web.
=== 12 order_number Tilausnumero 0⟨#40ddddddd⟩, toimitus 3–5 arkipäivää, noutokoodi tulee tekstiviestillä klo 1⟨#d⟩ jälkeen.
=== 11 order_number Bestelling 06⟨#d*8⟩NL is onderweg, PostNL 3S⟨#AAAAd*9⟩, verwacht dinsdag tussen 10:00 en 12:30
=== 3 prose_about_secrets Birth dates are only needed for infants; leave the field empty for adults. We hold seats for ⟨#2d⟩ minutes.
=== 20 label_without_value
Password: (leave blank, the portal asks for it at first login)
Token: not needed on site
MFA: push, number match, asset ⟨#dddd⟩
=== 20 label_without_value Passwort: mindestens 12 Zeichen, eine Ziffer, kein Namensteil. Gültigkeit: ⟨#Dd⟩ Tage. PIN: vierstellig, nicht fortlaufend.
=== 20 label_without_value Contraseña: obligatoria. Código: lo recibirá por SMS. Intentos restantes: ⟨#D⟩. Usuario: su correo corporativo.
=== 20 label_without_value
Mot de passe : oublié
Code : jamais reçu
Navigateur : Firefox 1⟨#dd⟩, Windows 11
=== 20 label_without_value password incorrect, token expired, secret missing, key rotated, code ⟨#4dd⟩, retry after ⟨#dd⟩ s
=== 10 label_without_value hasło: nieznane, kod: nie przyszedł, numer zgłoszenia ⟨#dddddd⟩, przeglądarka Chrome 1⟨#dd⟩
=== 16 label_without_value 密码:忘记了;验证码:没收到;工单 ⟨#dddddd⟩;系统版本 18.⟨#d⟩
=== 13 label_without_value Şifre: unuttum. Kod: gelmedi. Başvuru no: ⟨#dddddd⟩. Cihaz: Android 1⟨#d⟩.
=== 9 label_without_value Senha: não lembro / Código: expirou / Erro ⟨#ddd⟩ na tela azul / versão 7.⟨#dd.d⟩
=== 22 label_without_value pin: the map pin, not the bank one. it sits ⟨#Dd⟩ m off the gate and I can't drag it in v6.⟨#ddd⟩
=== 19 prose_about_secrets A wallet address starts with bc1, 1 or 3 on Bitcoin and with 0x on Ethereum; a seed phrase has 12 or 24 words. Minimum deposit 0.000⟨#d⟩ BTC.
=== 19 price 0x on the chart is the protocol's ticker (ZRX), trading at 0.2⟨#ddd⟩ USDT, 24 h volume ⟨#Dd,ddd,ddd⟩
=== 4 date Le contrat a pris effet le 14 mars 1987 et l'immeuble date du ⟨#1d⟩ juin 1961; la visite est fixée au 3 juin 2026.
=== 7 date [agent] The policy was taken out on the twelfth of June nineteen ninety-four, plan code ⟨#dddd⟩, so it's the old wording.
=== 17 date Dispatch date 12/04/2026, expected ⟨#1d⟩/04/2026, product launched on 15 August 1998, warranty till 11/04/2028
=== 21 dosage ICD-10 G43.1, LOINC 2345-7, SNOMED 37796009, dose 2.5 mg/kg, weight 6⟨#d⟩ kg, CrCl 8⟨#d⟩ mL/min, ref range 3.5-5.1
=== 6 spoken_number Agent: We're open nine to six, and on Sundays from ten to four. It's aisle one one, bay two, and the sale ends in ⟨#D⟩ days.
=== 18 tracking_number رقم الشحنة ARX⟨#8d*8⟩ وسيصل الطرد يوم ⟨#1d⟩ مايو بين 9 و 12
=== 22 masked_value {"driver":"d_⟨#h*10⟩","phone_masked":"+49 *** *** ⟨#dd⟩","plate":"hidden","eta_s":⟨#ddd⟩,"surge":1.2}
=== 1 masked_value Abbuchung erfolgt von DE** **** **** **** **** ⟨#dd⟩, fällig am 01.06.2026, Betrag 39,9⟨#d⟩ €
=== 3 placeholder Please send: SURNAME/GIVEN NAME, DDMMMYY, passport XXXXXXXXX, expiry DDMMMYY, as in the sample on page ⟨#D⟩.
=== 17 placeholder Enter Aadhaar as XXXX XXXX XXXX and PAN as AAAAA9999A; OTP is 6 digits. Form rev. ⟨#D.d⟩
=== 6 placeholder Format for the callback field is (NNN) NNN-NNNN and for the social it's ###-##-####; current queue ⟨#Dd⟩ callers.
=== 54 ticket_number Voorbeeld van een onderwerp: "[#⟨#Dd*6⟩] Wachtwoord vergeten" – de regel koppelt op het nummer, niet op de afzender.
=== 2 prose_about_secrets I changed my PIN at the cash machine yesterday and today the app wants a passcode, is that the same thing? Branch ⟨#dddd⟩ couldn't say.
=== 22 public_place Airport pickup: T2, Level 1, lane C, 50.0379, 8.5622. Free wait ⟨#Dd⟩ min. Toll €7.40 added.
=== 14 public_place 集合場所は東京タワー正面(35.6586, 139.7454)、9時⟨#1d⟩分出発です。
=== 20 version AnyConnect 5.1.⟨#d.ddd⟩, FortiClient 7.4.⟨#d⟩, Windows 11 24H2 26100.⟨#Dddd⟩, driver 31.0.101.⟨#dddd⟩
"""
