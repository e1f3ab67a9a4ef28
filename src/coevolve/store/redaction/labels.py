"""What numbers of persons are called, in the languages of those who write them."""

from __future__ import annotations

from coevolve.store.redaction.rule import one_of

IDS = one_of(
    r"""
    passport reisepass\w* ausweis\w* personalausweis\w* passeport pasaporte passaporto passaporte
    paspoort\w* paszport\w* pasaport\w* passi?nummer passnr паспорт\w* pass-?nr
    national_(?:insurance|identity|id) social_(?:security|insurance) ssn nino tax_(?:id\w*|file|number)
    taxpayer\w* itin identity_(?:card|number|document) id_card citizen_(?:id|number)
    personal_(?:id\w*|number|identity) steuer~(?:id\w*|nummer|nr) idnr sozialversicherungs\w*
    versicherten\w* rentenversicherungs\w* svnr krankenversicher\w* krankenkasse\w* versicherungsnummer
    num[ée]ro_de_s[ée]cu\w*(?:_sociale)? s[ée]curit[ée]_sociale carte_(?:d['’]identit[ée]|vitale)
    num[ée]ro_fiscal seguridad_social c[ée]dula documento_de_identidad tarjeta_sanitaria codice_fiscale
    carta_d['’]identit[àa] tessera_sanitaria partita_iva cart[ãa]o_de_cidad[ãa]o n[úu]mero_de_utente
    t[íi]tulo_de_eleitor contribuinte burgerservice\w* sofi-?nummer identiteits\w*
    dow[óo]d\w*(?:_osobist\w*)? personn?ummer\w* samordningsnummer cpr(?:-n\w*)? f[øo]dselsn\w*
    henkil[öo]tunnus\w* kimlik\w* vergi_(?:no|kimlik)\w* rodn\w*_[čc][íi]sl\w* občansk\w* szem[ée]lyi\w*
    ad[óo]azonos[íi]t[óo]\w* снилс инн егн лнч
    マイナンバー 個人番号 パスポート(?:番号)? 旅券番号 健康保険\w*
    保険証\w* 運転免許\w* 免許証\w*
    身份证\w* 护照\w* 护照号码? 주민등록번호 여권\w* 운전면허\w* aadhaa?r voter_id nhs medicare medicaid
    health_(?:card|insurance|plan|number) insurance_(?:number|no|id) member_(?:id|number)
    patient_(?:id|number) mrn driv(?:er|ing)['’]?s?_licen[cs]es? licen[cs]e_(?:number|no)
    f[üu]hrerschein\w* permis_de_conduire carnet_de_conducir licencia_de_conducir patente(?:_di_guida)?
    rijbewijs\w* prawo_jazdy prawa_jazdy k[öo]rkort\w* ajokortti\w* ehliyet\w* carta_de_condu[çc][ãa]o
    kvnr ehic ohip 健保卡\w* subscriber~id polis~?nummer polisnummer utr emirates_id תעודת_זהות الرقم_القومي
    身分證\w* steuerliche_identifikationsnummer sv-nummer sv-nr dl~(?:no|number|\#)? рнокпп іпн αμκα αφμ
    imei\d? msin imsi meid device~serial
    """
)
PLATES = one_of(
    r"""
    licen[cs]e_plates? number_plates? registration_plates? vehicle_registration plate kennzeichen
    immatricul\w* matr[íi]cula targa kenteken rejestracyjn\w* registreringsnummer registreringsskylt plaka
    nummernschild reg_number
    """
)
SHORT_IDS = one_of(
    r"""
    DNI NIE NIF CURP RUT RUN CUIL CUIT CPF CNH BSN PESEL NIP SIN TFN NIR CNI CNP EGN OIB AHV AVS AMKA AFM
    PPS PPSN HETU CPR TAJ TC NRIC PAN IRD NHS MBI NINO SSN ITIN
    """
)
LOGGED_IDS = one_of(
    r"""
    dni nif curp rfc rut cuil cuit cpf cnh bsn pesel nino nhs egn hetu nric tfn ssn itin oib cnp aadhaar
    ppsn
    """
)
BORN = one_of(
    r"""
    bday born birth~(?:date|day) date~of~birth dob d\.o\.b geburts\w* geboren geb n[ée]_le n[ée]e_le
    date_de_naissance naissance fecha~(?:de~)?nacimiento naci(?:d[oa]|miento)? nac[íi] data_di_nascita
    nat[oa]_il data~de~nascimento nascimento nascid[oa] nasci geboortedatum geboren_op data_urodzenia
    urodz\w+ ur\. f[öo]delse\w* f[öo]dd f[øo]dsels\w* f[øo]dt syntym[äa]\w* syntyn\w* do[ğg]um 生年月日 誕生日
    出生\w* 生日 생년월일 생일 дата_рождения рождения родил\w* дата_народження datum_narozen[íi] narozen\w*
    sz[üu]let\w* γέννησης γεννήθ\w* data_nașterii ngày_sinh tanggal_lahir
    """
)
ACCOUNT = one_of(
    r"""
    account~(?:number|no|nr|\#) acct a/c sort~code transit~(?:no|number|code) routing(?:~(?:number|no))? aba
    bank_account checking~account savings~account konto(?:nummer|nr|-nr)? bankleitzahl blz clabe cbu bsb
    rekening(?:nummer)? num[ée]ro_de_compte n[úu]mero_de_cuenta cuenta(?:_bancaria)? numero_(?:di_)?conto
    conto_corrente conta(?:_corrente)? ag[êe]ncia nr_rachunku nr_konta numer_rachunku numer_konta
    rachun\w+ kontonummer clearing\w* bankgiro tilinumero hesap
    口座番号 口座 账号 帐号 银行卡号? 계좌(?:번호)?
    """
)
CODE = one_of(
    r"""
    cvv2? cvc2? cvn csc card~(?:verification|security)\w* security~(?:code|number) verification_value
    pr[üu]f(?:ziffer|nummer) kartenpr[üu]f\w* sicherheits(?:code|nummer) cryptogramme
    code_de_s[ée]curit[ée] c[óo]digo_de_seguran[çc]a c[óo]digo_de_seguridad codice_di_sicurezza
    beveiligingscode kod_(?:cvv|cvc|zabezpieczaj\w+) s[äa]kerhetskod sikkerhedskode turvakoodi
    g[üu]venlik_(?:kodu|numaras[ıi]) 
    セキュリティー?コード 安全码 보안_?코드 digits_on_the_back numbers_on_the_back
    code_on_the_back
    """
)
ONCE = one_of(
    r"""
    verification~code security~code one~time~(?:pass)?(?:code|pin) sms~code login~code log-in~code
    sign-in~code 2fa~code mfa~code authenticat\w*~code access~(?:code|pin) backup~code recovery~code otp
    one-time_password einmal(?:code|passwort|kennwort) best[äa]tigungscode sicherheitscode sms-?code
    code_de_(?:v[ée]rification|validation|connexion)
    c[óo]digo_de_(?:verificaci[óo]n|verifica[çc][ãa]o|acceso|acesso) code_de_s[ée]curit[ée] door~code
    gate~code t[üu]rcode puk codice_(?:di_verifica|otp|di_accesso) verificatiecode inlogcode
    kod_(?:weryfikacyjny|sms|dost[ęe]pu) verifieringskod eng[åa]ngskod do[ğg]rulama_kodu
    確認コード 認証コード 验证码
    驗證碼 인증_?번호 код_подтверждения
    """
)
PIN = one_of(r"sim~pin puk pin(?:-?code|~number|-?nummer)? geheimzahl code_pin c[óo]digo_pin pinkod\w*")
PHONES = one_of(
    r"""
    phones? tel\.? t[ée]l[ée]phone\w* t[ée]l[ée]fono\w* telefone\w* telefoon\w* tlf mobile\w* mobil\w*
    cell(?:phone|ulare)? celular handynummer cel mob r[üu]ckruf call-?back m[óo]vil
    telem[óo]vel gsm whats-?app fax msisdn puhelin\w* telefon\w* cep call_me reach_me ring_me text_me
    電話\w* 携帯\w* 手机\w* 手機\w* 电话\w* 전화\w* 휴대폰\w* 연락처 телефон\w* моб\w*
    """
)
