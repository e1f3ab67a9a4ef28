"""Texts of customer service: chats, voice transcripts and mails in a dozen languages."""
# ruff: noqa: E501, RUF001

TEXTS = r"""
=== 1 iban Hallo, ich bin's nochmal wegen der Rechnung. Die neue Bankverbindung wäre ⟦iban_de|by4⟧, bei der Sparkasse, bitte ab dem nächsten Monat davon abbuchen. Die alte könnt ihr löschen. Danke und schönen Abend!
=== 1 phone
kunde: rückruf bitte erst nach 17 uhr
kunde: ⟦phone_de⟧
agent: Alles klar, ich habe es eingetragen. Ticket ⟨#8ddddd⟩ bleibt offen.
=== 1 password Das Kundenkennwort, das ich am Telefon immer sagen muss, ist „⟦password⟧“. Warum akzeptiert der Kollege das nicht mehr??
=== 1 device_id Die neue SIM steckt drin, aber kein Netz. Auf der Karte steht ⟦iccid⟧ und das Handy zeigt bei *#06# ⟦imei⟧. Neustart hab ich schon drei Mal gemacht.
=== 1 birth_date
Agent: Zur Sicherheit bräuchte ich noch Ihr Geburtsdatum.
Kunde: ⟦dob_short⟧
Agent: Vielen Dank, Frau ⟨name_de⟩. Ihr Vertrag läuft noch bis 30.09.2027.
=== 1 email Die Auftragsbestätigung kam nie an. Schickt sie bitte an ⟦email_de⟧ und NICHT mehr an ⟦email_de⟧, das Postfach gibt es nicht mehr. MfG ⟨name_de⟩
=== 1 phone_spoken
[00:41] Anrufer: ja also meine nummer, das ist die ⟦phone_de|spoken_de⟧
[00:52] Agent: Wunderbar, danke
=== 2 card my card was declined at the till 3 times today its ⟦card:c|by4⟧ exp ⟨expiry⟩ pls check whats going on
=== 2 card_code
User: I want to pay now, use the visa ending 4471
Assistant: Sure, could you confirm the security code?
User: ⟦it's ⟨#Ddd⟩ on the back⟧
Assistant: Thanks, processing £⟨#dd⟩.40.
=== 2 bank_account Hi, I sent £1,200 to the wrong person. It went to ⟦sort code ⟨#30-dd-dd⟩⟧, account number ⟦#Dddddddd⟧, reference RENT. Can you recall it? My own account starts with 20-.
=== 2 card {"tool":"block_card","arguments":{"card_number":"⟦card⟧","reason":"lost","reissue":true}}
=== 2 otp ok got the text. it says "⟦otp⟧ is your one-time passcode for payment of 249.00 GBP to APPLE.COM. Never share it". what do i do with it
=== 2 pin I know I'm not supposed to but my wife's in hospital and needs cash, the ⟦pin is ⟨#dddd⟩⟧, can you confirm the card isn't blocked?
=== 3 passport PNR ⟨#AAdAAA⟩, flight LH⟨#ddd⟩ on 14 March. APIS still missing for pax 2: ⟨name_en⟩, passport ⟦passport_uk⟧, exp 22MAY31, GBR.
=== 3 passport SR DOCS LH HK1-P-DEU-⟦passport_de⟧-DEU-⟨#2Dd⟩JUN79-F-11AUG32-⟨#AAAAAA⟩-ANNIKA
=== 3 birth_date tool_result get_passenger: {"type":"ADT","surname":"LINDQVIST","given":"TOBIAS","date_of_birth":"⟦dob_iso⟧","ffp":"none","meal":"VGML"}
=== 3 passport
The scan of the photo page came through, text below, please check the name spelling against the booking:

P<GBRLINDQVIST<<HANNAH<MAE<<<<<<<<<<<<<<<<<<
⟦mrz⟧

Looks like the surname has one more letter there.
=== 3 email Your itinerary has been changed. We'll resend the receipt to ⟦email_en⟧; seat 22A stays as it is and the new departure is 18:45.
=== 4 health_id Bonjour, je vous écris au sujet du sinistre n° ⟨#2026-dddddd⟩. Mon numéro de sécu est le ⟦nir⟧, ma mutuelle demande le décompte depuis trois semaines. Cordialement, ⟨name_fr⟩
=== 4 iban
Veuillez trouver ci-dessous mes coordonnées bancaires pour le remboursement :

Titulaire : ⟨name_fr⟩
⟦iban_fr|by4⟧
BIC : AGRIFRPP882

Merci de confirmer la réception de ce RIB.
=== 4 phone Je suis joignable au ⟦phone_fr⟧ le matin, sinon laissez un message à ma fille (⟦phone_fr⟧).
=== 4 birth_date Assuré : ⟨name_fr⟩, né le ⟦dob_fr⟧ à Limoges. Dommages constatés : vitrage, store, volet roulant. Montant réclamé 1 840,50 €.
=== 4 tax_id Pour le crédit d'impôt il me faut une attestation, je précise mon numéro fiscal (⟦spi|by3⟧), il est sur l'avis de 2025. Merci d'avance
=== 4 licence Conducteur au moment des faits : ⟨name_fr⟩. Permis B n° ⟦licence_fr⟧ délivré le 03/07/2011 par la préfecture de la Vienne.
=== 5 national_id hola buenas, para el alta de la luz me piden esto: ⟦dni⟧, el CUPS es ES0021000000⟨#dddddddd⟩RT y la potencia 3,45 kW
=== 5 iban si el recibo lo podéis pasar por la cuenta de mi madre mejor, ⟦iban_es|by4⟧ a nombre de ⟨name_es⟩
=== 5 national_id Titular nuevo con ⟦nie⟧ (residente). ¿Hace falta copia del contrato de alquiler o vale con el empadronamiento?
=== 5 phone
agente: ¿A qué móvil le mandamos el código de verificación?
cliente: al ⟦phone_es⟧ porfa
agente: Enviado.
=== 5 email la factura me llega a un correo que ya no uso, cambiarlo por ⟦email_es⟧ todo en minusculas
=== 6 phone_spoken
AGENT: And a call-back number?
CALLER: Sure, it's uh, ⟦phone_us|spoken_en⟧.
AGENT: Let me read that back to you.
=== 6 birth_date
caller: refill for my husband's blood pressure pills
agent: date of birth please
caller: ⟦dob_en⟧
agent: and the prescription number
caller: R X seven seven ⟨#ddddd⟩
=== 6 health_id Speaker 2: okay so the red white and blue card, it says ⟦mbi⟧, that's M as in Mary, part A and B effective oh three oh one two thousand nineteen.
=== 6 national_id_americas_uk
CALLER: my social is ⟦ssn|spoken_oh⟧, do you want me to repeat?
AGENT: No, that's fine. I found the account.
=== 6 card so the card is ⟦card|spoken_en⟧ and it expires in august
=== 6 email
caller: you can email it, it's ⟦email_en|at⟧, all lower case
agent: was that a B or a D at the start
=== 7 health_id Caller: I've got my NHS number here, hang on, it's ⟦nhs⟧. The surgery said the referral went on the 9th.
=== 7 password
[agent] For security, what's the memorable word on the account?
[caller] it's ⟦passphrase⟧, all one phrase
[agent] Perfect. The direct debit for the water bill is £38.20.
=== 7 bank_account
caller_utterance: "yeah the account number's ⟦#Dddddddd|spoken_oh⟧ and it's a barclays"
intent: update_direct_debit
confidence: 0.91
=== 7 phone I rang on 0800 111 4000 but nobody phones back. Try me at ⟦phone_uk⟧, or the landline ⟦phone_uk⟧ after six.
=== 7 national_id_americas_uk National Insurance? one sec.. ⟦nino⟧. It's for the funeral grant, my late father's was ⟦nino|plain⟧.
=== 8 email Buonasera, il reso è stato consegnato il 12 ma il rimborso non c'è. La mail dell'ordine è ⟦email_it⟧. Ordine n. IT-⟨#ddddddd⟩.
=== 8 tax_id Mi serve la fattura intestata a me: ⟨name_it⟩, ⟦codice_fiscale⟧, e come indirizzo quello della consegna. Grazie mille
=== 8 iban potete fare il bonifico su ⟦iban_it⟧? la postepay è scaduta
=== 8 phone Il corriere non mi trova, dategli questo numero ⟦phone_it⟧ e ditegli di suonare a Greco
=== 8 card ho pagato con la carta ⟦card|dash4⟧ e mi avete addebitato due volte 59,90 €!!!
=== 9 national_id_americas_uk oi bom dia, meu cpf é ⟦cpf⟧ e a conta tá bloqueada desde ontem, preciso pagar o aluguel hj
=== 9 bank_account chave pix aleatória ⟦#h*8-hhhh-4hhh-8hhh-h*12⟧ em nome de ⟨name_pt⟩, pode devolver pra essa mesma
=== 9 phone_world pode me chamar no zap ⟦phone_br⟧ q eu respondo mais rápido
=== 9 bank_account Banco 341, ⟦agência ⟨#dddd⟩⟧, conta corrente ⟦#ddddd-d⟧, titular ⟨name_pt⟩. O TED de R$ 3.480,00 voltou duas vezes.
=== 9 otp recebi por sms: "Seu codigo de acesso e ⟦otp⟧. Nao compartilhe." é isso q vc quer?
=== 9 customer_record {"cliente":{"nome":"⟨name_pt⟩","documento":"⟦cpf|digits⟧","nascimento":"⟦dob_iso⟧","celular":"⟦phone_br⟧","email":"⟦email_pt⟧"},"status":"em_analise"}
=== 10 national_id Dzień dobry, dzwoniłam w sprawie wizyty u kardiologa. Nazywam się ⟨name_pl⟩, ⟦pesel⟧. Czy termin 18 czerwca jest jeszcze wolny?
=== 10 phone proszę dzwonić na ⟦phone_pl⟧, kurier był o 11 i nie zostawił awizo
=== 10 email Mail do potwierdzenia: ⟦email_pl⟧. Numer przesyłki 00359007738⟨#ddddddddd⟩.
=== 10 iban Zwrot proszę na konto ⟦iban_pl|plain⟧ (mBank), dziękuję
=== 10 birth_date Pacjent ur. ⟦dob_pl⟧ r., zgłasza bóle głowy od 2 tygodni. Skierowanie ważne 30 dni.
=== 11 national_id Goedemiddag, ik wil mijn verhuizing doorgeven. Burgerservicenummer: ⟦bsn⟧. Verhuisdatum 1 augustus, met twee kinderen.
=== 11 national_id voor de aanvraag had ik bsn nr ⟦bsn|by3⟧ ingevuld maar de site zegt ongeldig, hoe kan dat
=== 11 phone Bel mij gerust op ⟦phone_nl⟧ of mijn man op ⟦phone_be⟧, die werkt in Antwerpen
=== 11 iban Machtiging: ik geef toestemming voor afschrijving van ⟦iban_nl⟧ t.n.v. ⟨name_nl⟩, elke 27e van de maand.
=== 11 national_id Rijksregisternummer van mijn partner is ⟦rijksregister⟧. Kan dat in hetzelfde dossier?
=== 12 national_id_nordic hej! kan inte logga in med bankid längre. personnr ⟦personnummer⟧, har bytt telefon förra veckan
=== 12 national_id_nordic Hei, fødselsnummeret mitt er ⟦fodselsnummer⟧ – kan dere sjekke om resepten ligger inne?
=== 12 national_id_nordic Henkilötunnukseni on ⟦hetu⟧. Laskun eräpäivä on 15.8. ja tarvitsisin kaksi viikkoa lisäaikaa.
=== 12 national_id_nordic Mit cpr er ⟦cpr⟧ og jeg kan ikke se min årsopgørelse. Ring evt. på ⟦phone_dk⟧
=== 12 phone Du når mig på ⟦phone_sv⟧ eller så kan ni ringa min bror i Norge ⟦phone_no⟧
=== 13 national_id_asia_africa merhaba hattımı üzerime almak istiyorum tc ⟦tc_kimlik⟧ doğum tarihim ⟦dob_dots⟧
=== 13 phone_world Numaram ⟦phone_tr⟧ ama mesaj gelmiyor, eski numaraya gidiyor galiba
=== 13 iban iade tutarını ⟦iban_tr|by4⟧ hesabına atın lütfen, ⟨name_tr⟩ adına
=== 13 otp Gelen şifre ⟦otp⟧, girince "süresi doldu" diyor. Yenisini yollar mısınız?
=== 14 phone_world 予約の確認をお願いします。電話番号は⟦phone_jp⟧です。チェックインは7月20日、2名です。
=== 14 national_id_asia_africa ふるさと納税のワンストップ申請ですが、マイナンバー ⟦my_number⟧ を入力してもエラーになります。
=== 14 birth_date お客様情報: 氏名 佐藤 様 / 生年月日 ⟦dob_cjk⟧ / 会員ランク ゴールド
=== 14 phone_world 携帯は⟦phone_jp|wide⟧です。夜でも大丈夫です。
=== 15 national_id_asia_africa 주민등록번호 ⟦rrn⟧ 로 본인인증이 안 돼요. 이름은 김민서입니다.
=== 15 phone_world 배송 기사님께 ⟦phone_kr⟧ 로 전화 달라고 전해 주세요. 주문번호는 2026⟨#dddddddd⟩ 입니다.
=== 15 bank_account 환불 계좌는 국민은행 ⟦#dddddd-dd-dddddd⟧ 예금주 김민서 입니다
=== 16 national_id_asia_africa 您好，我的身份证号是⟦cn_id⟧，实名认证一直不通过，麻烦帮我看一下。
=== 16 phone_world 手机号换成⟦phone_cn⟧了，旧的收不到验证码
=== 16 otp 验证码是⟦otp⟧，五分钟内有效，我刚收到的
=== 16 bank_account 退款请打到工商银行卡 ⟦unionpay⟧，户名李建国
=== 17 national_id_asia_africa Sir my KYC is pending since 10 days, aadhar no ⟦aadhaar⟧ already uploaded front and back both. Kindly do the needful
=== 17 tax_id pan card is ⟦pan⟧ and name on it is RAMESH K IYER but in app showing RAMESH IYER only
=== 17 bank_account UPI id ⟦9⟨#Nd*8⟩@okhdfcbank⟧ se payment hua par recharge nahi aaya, txn ref ⟨#6d*11⟩
=== 17 bank_account Refund to HDFC a/c ⟦#50100ddddddddd⟧ ⟨ifsc⟩, savings. My mobile with bank ⟦phone_in⟧.
=== 18 national_id_asia_africa السلام عليكم، رقم الهوية الإماراتية ⟦emirates_id⟧ وأريد تجديد الشريحة
=== 18 phone_world الرجاء الاتصال على ⟦phone_ae⟧ بعد صلاة العصر
=== 18 phone_world رقمي هو ⟦phone_ae|digits|arabic⟧ والواتساب نفس الرقم
=== 18 national_id_asia_africa שלום, תעודת זהות ⟦il_id⟧, לא קיבלתי את החשבונית האחרונה. נייד ⟦phone_il⟧
=== 19 wallet I withdrew 0.42 BTC on Friday to ⟦btc_bech32⟧ and it still says processing. Did it leave your hot wallet at all?
=== 19 seed_phrase Support told me to sync the wallet so here are my words: ⟦seed12⟧. Is it normal that the balance shows 0 now
=== 19 wallet usdt trc20, sent from ⟦tron⟧ to the deposit address you gave me, 500 usdt, memo not needed right?
=== 19 wallet_key i exported the key from the old phone, it's ⟦wif⟧ but your app says "invalid format" ???
=== 19 wallet {"asset":"ETH","network":"arbitrum","to":"⟦eth⟧","amount":"1.25","status":"AWAITING_2FA","user_tier":2}
=== 19 backup_code Can't get past 2FA, lost the phone. I still have these from when I set it up: ⟦backup⟧, ⟦backup⟧, ⟦backup⟧ - which one do I type where?
=== 20 password_prose Reset done. Your temporary one is ⟦password⟧ and you'll be asked to choose another at first sign-in. Anything else I can help with?
=== 20 password_prose user locked out again. I set it to ⟦strong⟧ for now, told her verbally, remember to expire it at 18:00
=== 20 otp duo push not arriving so she read me the passcode from the app (⟦otp_space⟧) and I let her in
=== 20 device_id BitLocker recovery screen, key ID ⟨#HHHHHHHH⟩. Found in AD: ⟦bitlocker⟧
=== 20 password
IT: what did you try to log in with?
Me: my normal one, ⟦password⟧, and then the same with a 1 at the end
IT: please don't send that here
=== 21 health_id Intake summary: 41 y/o female, migraine with aura, 2 episodes/week. Insurance: BCBS PPO, member ID ⟦#XYPd*9⟧, group 0⟨#ddddd⟩.
=== 21 health_id Versichert bei der TK, Versichertennr. ⟦kvnr⟧. Beschwerden seit Montag: Husten, Fieber 38,9, keine Vorerkrankungen.
=== 21 health_id Medicare card ⟦medicare_au⟧, valid to 11/2028. Patient asks whether the script can be sent to the chemist in Ballarat.
=== 21 birth_date Pt ⟨name_en⟩ (DOB ⟦dob_us⟧) c/o chest tightness x2d, no radiation. BP 138/88. Advised ED if worse.
=== 22 coordinates {"event":"rider_pin_drop","trip":"⟨#h*12⟩","label":"home","lat":⟦home:p1|lat⟧,"lng":⟦=p1|lng⟧,"accuracy_m":6}
=== 22 coordinates my driver keeps going to the wrong gate, my house is exactly at ⟦home5:p2|lat⟧, ⟦=p2|lng⟧ copy that in maps
=== 22 coordinates The customer said the saved "Home" pin is at latitude ⟦home5:p3|lat⟧ and longitude ⟦=p3|lng⟧, two streets off from where she lives; I moved it and asked her to confirm.
=== 22 device_id {"rider_id":⟨#dddddd⟩,"app":"6.214.0","device":{"os":"android 15","android_id":"⟦android_id⟧","gaid":"⟦gaid⟧"},"ban_reason":"promo_abuse"}
=== 22 ip_address Fraud note: promo WELCOME30 redeemed 11x from the same home connection ⟦ipv4⟧ between 02:10 and 02:40. Driver accounts share one phone.
=== 5 email
Subject: Re: Re: heat pump tariff
Hi Declan, thanks for the call this morning. As discussed we'd like to switch from the 1st, keep the smart meter where it is and get paper bills for the first quarter only, because my husband handles them and he doesn't do portals. The installer said the isolator is fine. Oh and the confirmation should go to ⟦email_en⟧ since the work one bounces half the time. The dog is harmless but please ring first. Kind regards, ⟨name_en⟩
=== 2 bank_account Dear Sir or Madam, further to my letter of 2 April I still have not received the £640 redress. I have been a customer since 1994 and frankly I'm appalled. You already hold my details, but so that there's no excuse this time: sort ⟦#40-2d-dd⟧ acc ⟦#7Ddddddd⟧. I expect the funds by Friday, failing which I shall go to the Ombudsman.
=== 3 birth_date we are 4, me + wife + 2 kids. kids are ⟦dob_child_uk⟧ and ⟦dob_child_uk⟧ so one child fare one youth i think?? can u check before i pay
=== 20 password tried summer, tried the old one, then remembered. It's ⟦password⟧ with a capital first letter. Works on the phone not on the laptop, so it's your side!!
=== 20 password_prose Hi, I've set up the shared mailbox for the summer school. User: summerschool, pass: ⟦password⟧ – same on both machines. Pls don't put it on the whiteboard again.
=== 20 password_prose Das WLAN im Besprechungsraum heißt Gast-2OG, Kennwort ⟦passwords_dash⟧, bitte nicht weitergeben, wir wechseln es erst im Herbst.
=== 20 password_prose Le mot de passe provisoire est ⟦password⟧ (avec la majuscule), il faudra le changer à la première connexion.
=== 20 password la contraseña de la intranet que me disteis, ⟦password⟧, no va. he probado en chrome y en edge
=== 8 password_prose ho provato ad entrare con ⟦password⟧ come mi avete scritto ma dice credenziali errate, potete resettare?
=== 9 password_prose a senha do portal é ⟦password⟧, pode entrar e ver o boleto, eu autorizo
=== 13 password_prose şifrem ⟦password⟧ ama kabul etmiyor, yeni şifre istiyorum
=== 10 password hasło które dostałem smsem to ⟦strong⟧ i nie działa, wielkość liter sprawdzałem
=== 14 password_prose 管理画面の仮パスワードは ⟦strong⟧ です。初回ログイン後に変更してください。
=== 16 password_prose 后台账号 admin2,密码 ⟦strong⟧,登录后请马上改掉
=== 17 otp sir otp is coming as ⟦otp⟧ but it is showing invalid otp, 3 attempts over, what to do now
=== 6 otp Agent: What's the code we just texted you? Caller: It's ⟦otp|spoken_en⟧. Agent: Great, you're verified.
=== 1 otp Die mTAN lautet ⟦otp⟧, aber ich habe gar nichts überwiesen!? Bitte sofort sperren.
=== 5 otp me ha llegado esto: ⟦otp⟧ es su código para firmar el contrato de luz. ¿lo pongo dónde?
=== 7 card Caller: long number is ⟦card|spoken_oh⟧. Agent: And that's a debit card? Caller: Yes love.
=== 4 card Ma carte bleue ⟦card|by4⟧ (valable jusqu'en ⟨expiry⟩) a été débitée deux fois de 46,80 € le même jour.
=== 5 birth_date Nació el ⟦dob_es⟧, así que ya puede pedir el bono social para mayores, ¿no? Le mando el certificado de pensión.
=== 8 birth_date La tessera sconto è per mia nonna, nata il ⟦dob_it⟧, non ha la mail e il telefono è fisso
=== 15 birth_date 회원정보 수정: 생일이 잘못 되어 있어요. ⟦dob_kr⟧ 로 바꿔 주세요, 쿠폰은 괜찮습니다.
=== 17 birth_date d.o.b. in aadhaar is ⟦dob_slash⟧ but in marksheet only year is there, how to correct it
=== 5 phone_world buenas, les escribo de Guadalajara, mi cel es ⟦phone_mx⟧, el paquete dice entregado y no llegó nada
=== 5 phone_world che, me pueden llamar al ⟦phone_ar⟧? estoy sin luz hace dos días y el bot me manda siempre a lo mismo
=== 12 phone_world Soittakaa numeroon ⟦phone_fi⟧, asentaja ei löytänyt ovea. Olen kotona iltaan asti.
=== 1 phone_world Bin unterwegs in Wien, bitte auf der österreichischen Nummer ⟦phone_at⟧ anrufen, die deutsche hat gerade kein Netz.
=== 19 otp withdrawal mail code ⟦otp_dash⟧ expired while i was typing, can you extend it by 5 min?
=== 6 phone_spoken [02:14] CALLER so it's area code ⟦phone_us|spoken_oh⟧ and ask for the pharmacy desk not the front [02:21] AGENT got it
=== 4 phone_spoken Appelant : alors c'est le ⟦phone_fr|spoken_fr⟧, et si ça ne répond pas laissez un message. Conseiller : c'est noté.
=== 9 national_id_americas_uk URA: informe seu CPF. Cliente: é ⟦cpf|spoken_pt⟧. URA: não entendi, pode digitar?
=== 5 national_id cliente (voz): el número del de-ene-i es ⟦dni|digits|spoken_es⟧ y la letra la ponen ustedes
=== 7 bank_account Caller: sort code ⟦#40dddd|spoken_oh⟧ and then the account, ⟦#Dddddddd|spoken_oh⟧, in both our names.
=== 20 backup_code I did have the sheet!! ⟦backup8⟧ was already used, ⟦backup8⟧ works, so don't reset anything please
"""
