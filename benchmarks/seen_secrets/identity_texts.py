# ruff: noqa: E501, RUF001
"""Texts with national, tax and health numbers; `render` explains the marks."""

IDENTITY_TEXTS = r"""
%% national_id_west
Steuer-ID: «de_tax»
%%
Meine steuerliche Identifikationsnummer lautet «de_tax_spaced», geboren bin ich in ‹city›.
%%
Rentenversicherungsnummer «de_pension»
%%
SV-Nummer: «de_pension», bitte für die Lohnabrechnung
%%
Ausweisnummer «de_id_card», gültig bis ‹day_de›
%%
numéro de sécurité sociale : «fr_nir»
%%
{"assure": {"nom": "‹last›", "nir": "«fr_nir»"}}
%%
Mijn BSN is «nl_bsn»
%%
burgerservicenummer;naam
«nl_bsn»;‹name›
%%
rijksregisternummer «be_register»
%%
numéro national : «be_register» (carte d'identité)
%%
AHV-Nummer «ch_ahv»
%%
no AVS «ch_ahv», canton de Vaud
%%
Sozialversicherungsnummer «at_insurance», ÖGK Wien
%%
NI number «gb_nino»
%%
my national insurance no is «gb_nino» and I started on ‹day›
%%
UTR «gb_utr», self assessment
%%
{"employee": {"name": "‹name›", "nino": "«gb_nino»", "tax_code": "1257L"}}
%%
PPS number: «ie_pps»
%% national_id_south
DNI «es_dni»
%%
mi DNI es «es_dni» y el pedido ‹order›
%%
NIE: «es_nie», permiso hasta ‹day›
%%
INSERT INTO clientes (nombre, nif) VALUES ('‹name›', '«es_dni»');
%%
codice fiscale «it_code»
%%
Il mio CF: «it_code», fattura intestata a me
%%
{"cliente": {"cognome": "‹last›", "codice_fiscale": "«it_code»"}}
%%
NIF «pt_nif», fatura com contribuinte
%%
o meu contribuinte é «pt_nif»
%%
ΑΜΚΑ: «gr_amka»
%%
OIB: «hr_oib»
%%
T.C. Kimlik No: «tr_id»
%%
TC kimlik numaram «tr_id», fatura adıma olsun
%% national_id_north_east
PESEL: «pl_pesel»
%%
mój pesel «pl_pesel», proszę o duplikat umowy
%%
NIP «pl_nip» (działalność jednoosobowa)
%%
personnummer «se_person»
%%
Mitt personnummer är «se_person_short», kan ni se ordern?
%%
{"borrower": {"personnummer": "«se_person»", "city": "Malmö"}}
%%
fødselsnummer: «no_person»
%%
CPR-nr. «dk_cpr»
%%
mit cpr er «dk_cpr»
%%
henkilötunnus «fi_hetu»
%%
rodné číslo: «cz_birth_number»
%%
CNP «ro_cnp», seria RX
%%
ЕГН: «bg_egn»
%%
isikukood «ee_code»
%%
РНОКПП (ІПН): «ua_tax»
%% national_id_americas
SSN: «us_ssn»
%%
my social is «us_ssn», last name ‹last›
%%
{"applicant": {"ssn": "«us_ssn_plain»", "income": ‹big›}}
%%
ITIN «us_itin» for the W-7
%%
ssn,first,last
«us_ssn»,‹first›,‹last›
«us_ssn#2»,‹first#2›,‹last#2›
%%
The caller verified with social security number «us_ssn» and order ‹order›.
%%
SIN «ca_sin»
%%
social insurance number: «ca_sin», T4 missing
%%
CPF: «br_cpf»
%%
meu cpf é «br_cpf», nota fiscal por favor
%%
select nome from clientes where cpf = '«br_cpf»';
%%
CURP «mx_curp»
%%
mi CURP: «mx_curp», la factura no llegó
%%
RUT «cl_rut»
%%
mi rut es «cl_rut»
%%
CUIL «ar_cuil»
%% national_id_asia_pacific
Aadhaar no. «in_aadhaar»
%%
my aadhar is «in_aadhaar», kyc pending since ‹day›
%%
PAN: «in_pan», ITR filed
%%
{"kyc": {"pan_number": "«in_pan»", "aadhaar": "«in_aadhaar»"}}
%%
身份证号:«cn_id»
%%
我的身份证号码是«cn_id»,请帮我改签
%%
マイナンバー:«jp_my_number»
%%
個人番号は «jp_my_number» です。
%%
주민등록번호 «kr_resident»
%%
身分證字號 «tw_id»
%%
NRIC «sg_nric»
%%
HKID: «hk_id»
%%
เลขบัตรประชาชน «th_id»
%%
TFN «au_tfn»
%%
my tax file number: «au_tfn», employer ‹last› Pty Ltd
%%
IRD number «nz_ird»
%%
ID number «za_id», FICA documents attached
%%
תעודת זהות «il_id»
%%
Emirates ID «ae_id»
%%
الرقم القومي «eg_id»
%% health_insurance
NHS number: «gb_nhs»
%%
patient NHS no. «gb_nhs», referral ‹ticket›
%%
Versichertennummer «de_health», Techniker Krankenkasse
%%
KVNR: «de_health»
IK: 101575519
%%
Medicare ID: «us_medicare»
%%
{"member": {"plan": "PPO", "subscriber_id": "«health_us»", "group": "71083"}}
%%
insurance card says member ID «health_us», group 0043
%%
EHIC: «health_eu», valid to ‹day›
%%
OHIP «health_ca», version code on the card
%%
Medicare card «au_medicare», I'm the first on it
%%
polisnummer zorgverzekering «health_nl», klant ‹name›
%%
carte Vitale «fr_nir»
%%
健保卡號 «health_card_tw»
%% passport
passport number «passport_us»
%%
My passport no. is «passport_gb», expires ‹day›
%%
Reisepass-Nr.: «passport_de», ausgestellt in ‹city›
%%
numéro de passeport «passport_fr»
%%
passaporto n. «passport_it»
%%
pasaporte «passport_es», vuelo IB3170
%%
nr paszportu «passport_pl»
%%
paspoortnummer: «passport_nl»
%%
{"traveller": {"name": "‹name›", "document": {"type": "passport", "number": "«passport_in»", "country": "IN"}}}
%%
パスポート番号 «passport_jp»
%%
pasaport no: «passport_tr»
%%
护照号码 «passport_cn»
%%
passaporte «passport_br», embarque às ‹clock›
%%
P<D<<VOGT<<LENA<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<
«mrz_line»
%%
SSR DOCS LH HK1/P/DEU/«passport_de»/DEU
%%
update pax set passport_no='«passport_us»' where pnr='KX7Q2M'
%% driving_licence
driving licence «licence_gb»
%%
my licence number is «licence_gb», points should be zero
%%
driver's license: «licence_us_ca», State: CA
%%
DL# «licence_us_fl» (FL), rental pick-up ‹clock›
%%
NY driver license ID «licence_us_ny»
%%
Führerscheinnummer «licence_de», Klasse B
%%
permis de conduire n° «licence_fr»
%%
numero patente «licence_it»
%%
rijbewijsnummer «licence_nl»
%%
{"driver": {"licence_no": "«licence_au»", "state": "NSW", "class": "C"}}
%%
DL no «licence_in»
%%
運転免許証番号 «licence_jp»
"""
