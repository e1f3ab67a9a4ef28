# ruff: noqa: RUF001
"""Texts with cards, accounts and wallets; `render` explains the marks."""

MONEY_TEXTS = r"""
%% card_number
please charge my other card «card» instead
%%
Card: «card»
Exp: «expiry»
CVV: «cvv»
Name on card: ‹name›
%%
{"payment_method": {"type": "card", "number": "«card_plain»", "exp_month": 4, "exp_year": 2029}}
%%
I was charged twice on «card», order ‹order›. Please refund ‹amount›.
%%
Meine Kreditkartennummer ist «card», die Abbuchung vom ‹day_de› war nicht von mir.
%%
ma carte bancaire numéro «card» a été débitée deux fois
%%
Mi tarjeta es la «card» y me la rechazan siempre
%%
numero carta «card», l'addebito non è mio
%%
Kaartnummer «card», bedrag € ‹amount_de›
%%
numer karty: «card»
%%
Kortnumret är «card», kan ni ändra betalningen?
%%
Kart numaram «card», iade ne zaman yatar?
%%
カード番号 «card» で決済できません
%%
‹log› INFO payment pan=«card_plain» amount=‹amount› currency=EUR result=declined
%%
UPDATE customers SET card_no = '«card_plain»' WHERE id = ‹big›;
%%
id;holder;pan;amount
‹count›;‹name›;«card_plain»;‹amount_de›
%%
The customer's card «card» has been declined by the issuer; I asked for another one.
%%
<cardNumber>«card_plain»</cardNumber><amount>‹amount›</amount>
%%
card.number=«card_plain»&card.brand=visa&amount=‹amount›
%%
cartão de crédito «card» não passou, tento outro?
%%
the card that failed yesterday was «card_plain», today the same one works
%%
track2: ;«card_plain»=29041010000012300000?
%% card_cvv
the three digits on the back are «cvv»
%%
CVV «cvv», valid until «expiry»
%%
{"number": "«card_plain»", "cvc": "«cvv»", "exp": "«expiry»"}
%%
Prüfziffer hinten: «cvv», Karte läuft ab «expiry»
%%
cryptogramme «cvv», expire «expiry»
%%
código de seguridad «cvv» y caduca «expiry_long»
%%
«card» «expiry» «cvv»
%%
amex «card_plain», cid «cvv4», exp «expiry»
%%
cvv2=«cvv»&pan=«card_plain»&expdate=«expiry_tight»
%%
kod CVC to «cvv», ważna do «expiry»
%%
securityCode: "«cvv»"
cardNumber: "«card»"
%%
Ok I typed «card», expiration «expiry_long», security code «cvv», and it says declined
%%
セキュリティコードは«cvv»、有効期限は«expiry»です
%% iban
Please send the refund to «iban»
%%
IBAN: «iban_de»
BIC: COBADEFFXXX
Kontoinhaber: ‹name›
%%
Bitte überweisen Sie den Betrag auf «iban_de», danke.
%%
meine neue Bankverbindung: «iban_at», bei der Erste Bank
%%
Voici mon RIB : «iban_fr»
%%
Mi cuenta es «iban_es», a nombre de ‹name›
%%
IBAN per il rimborso: «iban_it»
%%
O meu IBAN é «iban_pt»
%%
Graag terugstorten op «iban_nl» t.n.v. ‹name›
%%
numer konta «iban_pl»
%%
IBAN «iban_se», bank: SEB
%%
İade için IBAN: «iban_tr»
%%
«iban_ch» lautend auf ‹name›
%%
{"payout": {"iban": "«iban_plain»", "amount": ‹amount›, "currency": "EUR"}}
%%
‹order›;‹day›;«iban_de_plain»;‹amount_de›;SEPA
%%
<IBAN>«iban_be_plain»</IBAN><Nm>‹name›</Nm>
%%
INSERT INTO mandates(iban, ref) VALUES ('«iban_gb_plain»', '‹invoice›');
%%
The transfer to «iban_ie» bounced, reason code AC04.
%%
konto «iban_lower» stimmt das so?
%%
:59:/«iban_lu_plain»
‹name›
:71A:SHA
%%
I'll pay out ‹amount› EUR to «iban_nl_plain» now and tell the customer.
%%
DK: «iban_dk», kvittering følger
%% bank_account
Routing number «aba_routing», account «us_account», checking
%%
{"bank_account": {"routing_number": "«aba_routing»", "account_number": "«us_account»", "type": "checking"}}
%%
sort code «gb_sort» account number «gb_account» please, not the old one
%%
Sort code: «gb_sort»
Account no: «gb_account»
Payee: ‹name›
%%
BSB «au_bsb» Acc «au_account»
%%
My direct deposit: transit 00412, institution 003, account «ca_account»
%%
Konto-Nr. «de_account», BLZ 50010517
%%
A/c no «in_account», IFSC HDFC0001482, name as per bank ‹name›
%%
CLABE interbancaria: «mx_clabe»
%%
agência 1847, conta corrente «br_account», Banco Itaú
%%
三井住友銀行 渋谷支店 普通 «jp_account»
%%
Kontonummer «se_account», clearing 8327-9
%%
acct_number,routing,amount
«us_account»,«aba_routing»,‹amount›
%%
PIX: conta «br_account» ag. 0231
%%
He read the account number out as «gb_account», the sort code as «gb_sort».
%%
ACH debit failed for account ending... full number is «us_account» (ABA «aba_routing»)
%% wallet_seed
«seed12»
%%
my recovery phrase is "«seed12»", can you tell me why the balance is zero?
%%
MNEMONIC="«seed24»"
%%
{"mnemonic": "«seed12»", "path": "m/44'/60'/0'/0/0"}
%%
Meine 24 Wörter: «seed24»
%% wallet_key
PRIVATE_KEY=«eth_key»
RPC_URL=https://mainnet.base.org
%%
cast send 0x4f3a120e72c76c22ae802d129f599bfdbc31cb81 "transfer(address,uint256)" --private-key «eth_key»
%%
bitcoin-cli importprivkey "«wif»" "cold"
%%
"xprv": "«xprv»"
%%
solana keypair (base58): «solana_key»
%%
I exported the key from the wallet: «wif»
%%
accounts: ["«eth_key»"],
chainId: 137,
%%
COINBASE_API_SECRET=«coinbase_secret»
"""
