# ruff: noqa: E501, RUF001
"""Harmless texts that speak of secrets without holding one; `render` explains the marks."""

WORD_TEXTS = r"""
%% placeholder
OPENAI_API_KEY=<YOUR_API_KEY>
LOG_LEVEL=info
%%
Authorization: Bearer $TOKEN
%%
curl -H "Authorization: Bearer ${API_TOKEN}" https://api.example.com/v1/items
%%
password: xxxxxxxx
user: ‹slug›
%%
api_key = os.environ["ANTHROPIC_API_KEY"]
%%
env:
  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}
  STAGE: ‹slug›
%%
token: {{ .Values.auth.token | quote }}
%%
DB_PASSWORD=changeme
DB_HOST=localhost
%%
const key = process.env.STRIPE_SECRET_KEY ?? "";
%%
password = var.db_password
%%
postgresql://USER:PASSWORD@HOST:5432/DBNAME
%%
https://<user>:<password>@git.example.com/repo.git
%%
"clientSecret": "@Microsoft.KeyVault(SecretUri=https://‹slug›-kv.vault.azure.net/secrets/erp)"
%%
secretKeyRef:
  name: ‹slug›-keys
  key: api-key
%%
aws_secret_access_key = ****************
region = eu-west-1
%%
Enter your password: ________
%%
{"email": "name@example.com", "phone": "+1 (555) 555-0100"}
%%
SECRET_KEY=$(openssl rand -hex 32)
%%
Bitte ersetzen Sie <PASSWORT> und <BENUTZER> durch Ihre Angaben.
%%
votre_cle_api = "VOTRE_CLE_ICI"
%%
gh auth login --with-token < token.txt
%%
export VAULT_TOKEN=$(vault print token)
%%
API_KEY=
API_URL=https://api.example.org
%%
set the header to "Bearer {access_token}" and retry
%%
password: !vault |
  (encrypted value left out)
%%
op://prod/‹slug›/password
%%
passwd: null, token: None, secret: ""
%%
<input type="password" name="password" placeholder="Password" autocomplete="current-password">
%% masked_value
card •••• •••• •••• 4‹count› charged ‹amount› EUR
%%
Your card ending in 4417 was declined.
%%
key sk-...x7Qa was last used ‹day›
%%
IBAN DE** **** **** **** **** 12
%%
phone: +49 *** *** **‹count›
%%
email: j***@g***.com, verified ‹day›
%%
token=[REDACTED] user=[EMAIL_1] ip=[IP_2]
%%
SSN ***-**-****, DOB **/**/****
%%
Passwort: ******** (ausgeblendet)
%%
'apiKey': '<hidden>', 'secret': '<hidden>'
%%
Signature=*** (masked by the runner)
%%
mot de passe : ●●●●●●●●
%% prose_on_secrets
Please never send your password by chat; our staff will not ask for it.
%%
I forgot my password and the reset mail never arrived.
%%
The token expires after one hour, then the client has to refresh it.
%%
Ich habe mein Passwort vergessen, wie bekomme ich ein neues?
%%
Das Kennwort muss zwölf Zeichen lang sein und eine Ziffer enthalten.
%%
Mon mot de passe est refusé depuis hier.
%%
La contraseña es incorrecta, dice la página.
%%
la password è scaduta e non riesco a cambiarla
%%
A palavra-passe está sempre errada, dizem eles.
%%
Mijn wachtwoord is verlopen sinds ‹day_de›.
%%
hasło jest nieprawidłowe, co robić?
%%
Lösenordet är för kort, säger sidan.
%%
Şifrem çalışmıyor, ne yapmalıyım?
%%
パスワードは12文字以上にしてください。
%%
비밀번호는 8자 이상이어야 합니다.
%%
The secret is to whisk slowly, the key is patience.
%%
password is required; token is missing; api key is invalid
%%
Password: must contain at least one symbol (policy ‹version›)
%%
wifi password is on the back of the router, PIN is in the letter
%%
My date of birth is wrong in your system, how do I change it?
%%
IBAN and BIC are on the invoice, at the bottom left.
%%
The verification code did not arrive, please send a new one.
%%
What is my customer number? My phone number has not changed.
%%
The SSN field is optional for applicants from abroad.
%%
Your passport must be valid for six months after the trip.
%%
Geburtsdatum und Adresse werden für die Prüfung benötigt.
%%
The CVV is the three-digit code on the back of the card.
%%
Store each token in the vault: tokens live ‹count› minutes, refresh tokens ‹count#2› days.
%%
Max tokens: ‹count›, prompt tokens: ‹big›, completion tokens: ‹count#2›
%%
My IP was blocked, and the MAC address filter is on.
%%
the license key is emailed after purchase, the licence plate is optional
%%
Rotating keys every ‹count› days lowers the risk of a leaked credential.
%%
login: yes, password: yes, captcha: no
%%
secret santa budget is ‹amount› EUR, draw on ‹day›
%% code_by_variable
def login(user: str, password: str) -> Session:
    return Session(user, hash_password(password))
%%
token = vault.read("kv/‹slug›")["token"]
headers = {"Authorization": f"Bearer {token}"}
%%
if not secrets.compare_digest(api_key, settings.api_key):
    raise HTTPException(401)
%%
const { accessToken, refreshToken } = await auth.refresh(session);
%%
password = getpass.getpass("Password: ")
%%
auth := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+pass))
%%
SELECT password_hash FROM users WHERE id = $1;
%%
String token = request.getHeader("X-Auth-Token");
%%
type Config struct { APIKey string `env:"API_KEY"`; Secret string `env:"SECRET"` }
%%
api_key: str | None = Field(default=None, repr=False)
%%
cookies.set("sessionid", session.id, { httpOnly: true, secure: true })
%%
parser.add_argument("--password", required=True, help="database password")
%%
passwordField.setText(credentials.getPassword());
%%
self.token = token or self._load_token(path)
%%
private_key = serialization.load_pem_private_key(data, password=None)
%%
assert mask("secret") == "******"
%%
tokenizer = AutoTokenizer.from_pretrained("sentence-transformers/all-MiniLM-L6-v2")
%%
password=password, key=key, secret=self.secret, token=next(tokens)
%%
<PasswordInput value={password} onChange={setPassword} />
%% public_key_and_certificate
‹ssh_public› deploy@bastion
%%
‹pem_public›
%%
tls.crt:
‹pem_certificate›
%%
SHA256:Yp3w0sQbVtN4f1k7Lx8mR2uJc6ZgHdEoAiTq9KvXnSB (ED25519)
%%
"kty":"EC","crv":"P-256","use":"sig","kid":"‹span›"
%%
Subject: CN=*.brotzeit-shop.de, Serial: 04:9c:‹count›:1f:e2, Not After: ‹day›
%%
known_hosts: git.nordwerk-it.de ‹ssh_public›
%%
GPG fingerprint 4AEE 18F8 3AFD EB23 5C2B 91D0 7B6F A2C4 0E1D 93B7
%% image_and_blob
<img src="data:image/png;base64,‹png›" alt="‹goods›">
%%
{"type": "image_url", "image_url": {"url": "data:image/png;base64,‹png›"}}
%%
"image/png": "‹png›",
"text/plain": ["<Figure size 640x480>"]
%%
@font-face{src:url(data:font/woff2;base64,d09GMgABAAAAAAUsAA4AAAAACkwAAATWAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAA)}
%%
embedding (base64 f32): AACAPwAAAEAAAEBAAACAQAAAoEAAAMBAAADgQAAAAEEAABBBAAAgQQ==
%% minified_code
!function(e,t){"object"==typeof exports?module.exports=t():e.Lib=t()}(this,function(){var n=‹count›;return n<<3^2147483647});
%%
.a{margin:0 auto}.b1f3{color:#3a4f5c;background:#fafafa}.c‹hex7›{padding:4px 8px}
%%
(window.webpackJsonp=window.webpackJsonp||[]).push([[‹count›],{1042:function(t,e,r){"use strict";r.r(e)}}]);
%%
//# sourceMappingURL=app.‹hex7›.js.map
%%
a=>b=>c=>a[b]??c;let _0x4f2a=["length","push"],_0x1b=‹count›;
%%
mappings: "AAAA,SAASA,EAAMC,GACb,OAAOA,EAAE,CCDX,IAAIC,EAAI"
"""
