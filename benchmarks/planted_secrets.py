"""Texts as they occur in an agent's traces, with planted secrets and personal data, and harmless look-alikes.

A seed enters; labelled texts leave: `planted` says of each text which substrings a redactor has to remove,
`look_alikes` gives texts in which nothing may be touched. The same seed gives the same texts. A rate measured
on them holds for the formats written down here, and not for formats that are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.planted_look_alikes import HARMLESS, LOOK_ALIKES
from benchmarks.planted_values import fill, wrap

TEXTS_PER_TOKEN = 7  # contexts that are drawn for each kind of token
ROUNDS = 2  # texts per template, each with fresh values
LOOK_ALIKE_COUNT = 200


@dataclass(frozen=True, slots=True)
class Planted:
    """One text and what has to be removed from it."""

    text: str
    secrets: tuple[str, ...]  # the exact substrings that must not survive; empty for a look-alike
    kind: str  # "email", "aws_key", "order_number", ...


TOKENS: Mapping[str, tuple[str, str]] = {  # maker -> its usual variable, its service's host
    "aws_key": ("AWS_ACCESS_KEY_ID", "s3.amazonaws.com"),
    "github": ("GITHUB_TOKEN", "api.github.com"),
    "github_fine": ("GH_PAT", "api.github.com"),
    "gitlab": ("CI_DEPLOY", "gitlab.example.org"),
    "slack": ("SLACK_BOT", "slack.com"),
    "stripe": ("STRIPE_API_KEY", "api.stripe.com"),
    "openai": ("OPENAI_API_KEY", "api.openai.com"),
    "openai_project": ("OPENAI_API_KEY", "api.openai.com"),
    "anthropic": ("ANTHROPIC_API_KEY", "api.anthropic.com"),
    "huggingface": ("HF_HUB", "huggingface.co"),
    "google": ("MAPS_KEY", "maps.googleapis.com"),
    "google_client": ("OAUTH_CLIENT", "oauth2.googleapis.com"),
    "twilio_key": ("TWILIO_API_KEY", "api.twilio.com"),
    "sendgrid": ("SENDGRID_API_KEY", "api.sendgrid.com"),
    "npm": ("NPM_AUTH", "registry.npmjs.org"),
    "pypi": ("UV_PUBLISH", "upload.packages.example"),
    "discord": ("DISCORD_BOT", "discord.com"),
    "telegram": ("TELEGRAM_BOT", "api.telegram.org"),
    "jwt": ("ID_TOKEN", "auth.example.org"),
}
CONTEXTS = (  # NAME, HOST and VALUE are replaced by those of a token
    "# .env\nLOG_LEVEL=info\nNAME=VALUE\nPORT=8080",
    "services:\n  worker:\n    image: shop/worker:{{version}}\n    environment:\n      NAME: VALUE\n",
    "$ export NAME='VALUE' && make deploy",
    'curl -s -H "Authorization: Bearer VALUE" https://HOST/v1/items?limit=20',
    "{{log_time}} ERROR http.client 401 from HOST, credential VALUE was rejected (request {{uuid}})",
    "Sorry, I pasted the wrong thing into ticket {{ticket}}, please delete it: VALUE",
    '{"env": {"NAME": "VALUE", "RETRIES": 3}, "commit": "{{sha1}}"}',
    'client = Client(host="HOST", token="VALUE", timeout_s=30)',
    '--- a/app.py\n+++ b/app.py\n-NAME = "VALUE"\n+NAME = os.environ["NAME"]',
    'Traceback (most recent call last):\n  File "/srv/app/sync.py", line 4{{small}}, in push\n    raise '
    "AuthError(body)\nAuthError: HOST says 'VALUE' is not valid",
    "| variable | value | rotate |\n|---|---|---|\n| NAME | `VALUE` | {{date}} |",
    '[sync]\nhost = "HOST"\nNAME = "VALUE"\ninterval_s = 60',
    "docker run --rm -e NAME=VALUE -p 8080:8080 shop/api:{{version}}",
    "GET https://HOST/v1/list?page=2&key=VALUE 200 {{small}}ms",
    "Hier ist der Schlüssel für den Import: VALUE, bitte nicht weitergeben. Danke!",
    "Voici la clé pour HOST : VALUE (valable jusqu'au {{day}})",
    "UPDATE settings SET value = 'VALUE', updated_at = '{{iso}}' WHERE name = 'NAME';",
    'await fetch("https://HOST/v2/send", {headers: {"X-Api-Key": "VALUE"}});',
    "+ env\nHOME=/root\nNAME=VALUE\nPATH=/usr/local/bin:/usr/bin\n+ exit 0",
    "[production]\nendpoint = https://HOST\nNAME = VALUE\n",
    "**Setup**\n\n1. open HOST\n2. paste `VALUE`\n3. restart the worker",
    "El bot dejó de responder, sigo usando VALUE desde el {{date}}.",
)

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "email": (
        "Hi, order {{order}} never arrived. You can reach me at <<email>>. Thanks",
        '{"order_id": "{{order}}", "customer": {"email": "<<email>>", "tier": "gold"}, "total": {{price}}}',
        "From: Customer <<<email>>>\nTo: the shop\nSubject: Refund for {{invoice}}\n\nPlease refund it.",
        '<a href="mailto:<<email>>">write to me</a>',
        "{{log_time}} INFO mailer sent template=shipped to=<<email>> order={{order}}",
        "UPDATE customers SET email = '<<email>>' WHERE id = {{n4}}; -- was <<email>>",
        "https://shop.example.org/unsubscribe?email=<<email_escaped>>&list={{small}}",
        "Meine E-Mail-Adresse hat sich geändert: <<email>> statt <<email>>.",
        "id,email,created\n{{n4}},<<email>>,{{date}}\n{{n4}},<<email>>,{{date}}",
        "请把发票发到<<email>>,谢谢",
        'KeyError: "no customer <<email>>"\n  File "crm.py", line {{small}}, in find',
    ),
    "phone": (
        "Please call me back on <<phone>> after {{clock}}.",
        '{"customer_id": {{n4}}, "phone": "<<phone>>", "verified": true}',
        "My number is <<phone_us>>, the courier can text me.",
        "Shipping label {{tracking}}\nTel: <<phone_us>>\nWeight: 2.4 kg",
        "Sie erreichen mich unter <<phone_de>> oder mobil <<phone>>.",
        "You can ring me on <<phone_uk>>, any time before {{clock}}.",
        "Mon numéro de téléphone est le <<phone_fr>>, commande {{order}}.",
        "Mi teléfono es <<phone_es>>, llámame por el pedido {{order}}.",
        "sms.send(to='<<phone>>', body='Your parcel {{order}} has shipped')",
        "{{log_time}} WARN sms delivery failed phone=<<phone>> code=30003",
        '<a href="tel:<<phone>>">call</a>',
        "電話番号は<<phone>>です。よろしくお願いします。",
    ),
    "card": (
        "I paid with card <<card>>, exp 09/27, and was charged twice for {{order}}.",
        '{"payment": {"card_number": "<<card>>", "exp": "04/28", "amount": {{price}}}}',
        "Charge my Amex <<amex>> for the difference please.",
        "{{log_time}} DEBUG gateway pan=<<card>> amount={{price}} currency=EUR",
        "Bitte belasten Sie meine Karte <<card>> für Rechnung {{invoice}}.",
        "SELECT * FROM payments WHERE card = '<<card>>' AND day = '{{date}}';",
        "My old card was <<card>>, the new one is <<card>>.",
        "order,card,total\n{{order}},<<amex>>,{{price}}",
    ),
    "cvv": (
        "Card <<card>>, expiry 11/26, CVV <<cvv>>. Please put order {{order}} on it.",
        '{"number": "<<card>>", "exp_month": 6, "cvc": "<<cvv>>"}',
        "amex <<amex>> security code <<cid>>",
        "pan=<<card>>&cvv=<<cvv>>&amount={{price}}",
        "Kartennummer <<card>>, Prüfnummer (CVC): <<cvv>>",
    ),
    "iban": (
        "Please refund to <<iban>>, the card is closed.",
        "Überweisen Sie die {{price}} EUR bitte auf IBAN <<iban>>.",
        '{"refund": {"method": "sepa", "iban": "<<iban>>", "amount": {{price}}}}',
        "beneficiary: customer {{n4}}\niban: <<iban>>\nreference: {{invoice}}",
        "Mon IBAN : <<iban>>. Merci de rembourser la commande {{order}}.",
        "INSERT INTO payouts VALUES ({{n4}}, '<<iban>>', '{{date}}');",
    ),
    "ssn": (
        "My social security number is <<ssn>>, you need it for the credit check.",
        '{"applicant": {{n4}}, "ssn": "<<ssn>>", "decision": "pending"}',
        "{{log_time}} INFO kyc lookup ssn=<<ssn_plain>> result=match",
        "SSN: <<ssn_spaced>>\nTax year: 2023",
        "applicant_id|SSN|submitted\n{{n4}}|<<ssn>>|{{date}}",
    ),
    "ip": (
        '<<ip>> - - [{{clf}}] "GET /cart HTTP/1.1" 200 512 "-" "Mozilla/5.0 Chrome/{{chrome}}"',
        '{"event": "login", "client_ip": "<<ip>>", "at": "{{iso}}"}',
        "X-Forwarded-For: <<ip>>, {{private_ip}}\nHost: shop.example.org",
        "sshd[{{n4}}]: Failed password for invalid user admin from <<ip>> port 5{{n4}} ssh2",
        "UPDATE sessions SET last_ip = '<<ip>>' WHERE id = {{n4}};",
        "The customer logged in from <<ip>> and two minutes later from <<ip>>.",
    ),
    "aws_secret": (
        "[default]\naws_access_key_id = <<aws_key>>\naws_secret_access_key = <<aws_secret>>\nregion = eu",
        "export AWS_SECRET_ACCESS_KEY=<<aws_secret>>",
        '{"AccessKeyId": "<<aws_key>>", "SecretAccessKey": "<<aws_secret>>", "Expiration": "{{iso}}"}',
        's3 = boto3.client("s3", aws_access_key_id="<<aws_key>>", aws_secret_access_key="<<aws_secret>>")',
        "AWS_ACCESS_KEY_ID: <<aws_key>>\nAWS_SECRET_ACCESS_KEY: <<aws_secret>>\nAWS_REGION: us-east-1",
    ),
    "service_key": (
        'curl -X POST -d \'{"text":"done"}\' https://hooks.slack.com/services/{{team}}/{{bot}}/<<slack_hook>>',
        '{"webhook": "https://hooks.slack.com/services/{{team}}/{{bot}}/<<slack_hook>>", "channel": "#ops"}',
        "STRIPE_WEBHOOK_SECRET=<<stripe_hook>>",
        "TWILIO_ACCOUNT_SID={{twilio_sid}}\nTWILIO_AUTH_TOKEN=<<hex32>>",
        'twilio:\n  account_sid: "{{twilio_sid}}"\n  auth_token: "<<hex32>>"',
        "//registry.npmjs.org/:_authToken=<<npm>>\nsave-exact=true",
        "[pypi]\nusername = __token__\npassword = <<pypi>>",
        "POST https://api.telegram.org/bot<<telegram>>/sendMessage 200",
        "git clone https://oauth2:<<gitlab>>@gitlab.example.org/shop/api.git",
        "git remote set-url origin https://<<github>>@github.com/acme/shop.git",
        "DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=<<azure>>;EndpointSuffix=core.windows.net",
        'az storage blob list --account-name shopdata --account-key "<<azure>>" -c media',
        "https://maps.googleapis.com/maps/api/geocode/json?address=Berlin&key=<<google>>",
    ),
    "private_key": (
        "<<key_block>>",
        "$ cat ~/.ssh/deploy\n<<key_block>>\n$ exit",
        '{"type": "service_account", "project_id": "shop", "private_key": "<<key_escaped>>\\n"}',
        "I attached the server's key as text:\n\n```\n<<key_block>>\n```\n\nCan you install it?",
        'TLS_KEY="<<key_escaped>>"\nTLS_PORT=8443',
        "tls:\n  port: 8443\n  key: |\n    <<key_indented>>\n",
        "{{log_time}} DEBUG loaded secret\n<<key_block>>\n{{log_time}} INFO ready",
    ),
    "authorization": (
        "Authorization: Basic <<basic>>\nAccept: application/json",
        "curl -H 'Authorization: Basic <<basic>>' https://api.example.org/orders/{{n4}}",
        "GET /v1/orders HTTP/1.1\nHost: api.example.org\nAuthorization: Bearer <<opaque>>\n",
        '{"headers": {"authorization": "Bearer <<jwt>>", "accept": "*/*"}, "status": 200}',
        "curl -u admin:<<url_password>> https://api.example.org/health",
        'requests.get(url, headers={"Authorization": "Bearer <<opaque>>"}, timeout=5)',
        "Authorization: Token <<alnum40>>\nContent-Type: application/json",
    ),
    "url_password": (
        "DATABASE_URL=postgres://shop:<<url_password>>@db.internal:5432/orders",
        "OperationalError: cannot connect to postgresql+psycopg://app:<<url_password>>@{{private_ip}}:5432/crm",
        "broker: amqp://worker:<<url_password>>@rabbit:5672/%2F",
        "wget https://reports:<<url_password>>@files.example.org/{{date}}.csv",
        "redis://:<<url_password>>@cache:6379/0",
        "mongodb+srv://root:<<url_password>>@cluster0.example.net/shop?retryWrites=true",
        'engine = create_engine("mysql://admin:<<url_password>>@{{private_ip}}/shop")',
        "ftp://backup:<<url_password>>@ftp.example.org/nightly.tar.gz",
    ),
    "password_assigned": (
        "DB_HOST=db\nDB_USER=shop\nDB_PASSWORD='<<password>>'",
        'user: admin\npassword: "<<password>>"\nport: 5432',
        '{"username": "<<email>>", "password": "<<password>>"}',
        "Server=db;Database=shop;Uid=app;Pwd=<<password>>;",
        "mysql -h {{private_ip}} -u root --password='<<password>>' shop",
        "POST /login HTTP/1.1\nHost: shop.example.org\n\nuser={{user}}&pwd=<<alnum40>>",
        "CREATE USER app WITH PASSWORD '<<password>>';",
        '[smtp]\nhost = "smtp.example.org"\npassword = "<<password>>"',
        "PGPASSWORD=<<dashed_phrase>> psql -h db -U shop -c 'select 1'",
        "spring.datasource.username=shop\nspring.datasource.password=<<password>>",
        '<add key="SmtpPassword" value="<<password>>" />',
        "passphrase: '<<passphrase>>'",
        "sshpass -p '<<password>>' ssh deploy@{{private_ip}}",
        '{{log_time}} DEBUG login form={"user": "{{user}}", "passwd": "<<password>>"}',
    ),
    "password_prose": (
        "I cannot log in, my password is <<password>> and it says it is wrong. Order {{order}}.",
        "pwd=<<password>>",
        "The passphrase was <<dashed_phrase>>, I think.",
        'For the archive the passphrase is "<<passphrase>>".',
        "user {{user}}, password <<password>> (please change it afterwards)",
        "Mein Passwort ist <<password>>, Bestellung {{order}}.",
        "Mon mot de passe est <<password>> mais ça ne marche pas.",
        "Mi contraseña es <<password>>, ¿qué hago mal?",
        "La mia password è <<password>>, grazie.",
        "Minha senha é <<password>> e não consigo entrar.",
        "Mijn wachtwoord is <<password>>, kunt u het resetten?",
        "Moje hasło to <<password>>, zamówienie {{order}}.",
        "我的密码是<<password>>,请帮我看看",
        "パスワードは <<password>> です。",
        "Wi-Fi for the store: SSID ShopGuest, password: <<password>>",
        "Old password: <<password>>\nNew password: <<password>>",
    ),
    "client_secret": (
        '{"client_id": "shop-web", "client_secret": "<<opaque>>", "grant_type": "client_credentials"}',
        "oauth:\n  client_id: shop-web\n  client_secret: <<opaque>>\n  scopes: [orders]",
        "curl -d 'grant_type=client_credentials&client_id=shop-web&client_secret=<<opaque>>' $URL/token",
        'API_KEY="<<opaque>>"\nAPI_URL=https://api.example.org',
        '{"service": "geo", "apiKey": "<<opaque>>", "timeout_ms": 3000}',
        "x-api-key: <<opaque>>\nx-request-id: {{uuid}}",
        "[payments]\nmerchant = shop\nsecret_key = <<hex64>>\n",
        "DJANGO_SECRET_KEY=<<hex64>>\nDJANGO_DEBUG=false",
        '{"access_token": "<<opaque>>", "token_type": "bearer", "expires_in": 3600}',
        "refresh_token: <<opaque>>\nexpires: {{iso}}",
        'const apiKey = "<<alnum40>>"; // production',
        "https://api.example.org/v2/stock?sku={{sku}}&api_key=<<hex32>>",
        "vault kv put secret/shop jwt_signing_key=<<hex64>>",
    ),
    "session_cookie": (
        "Cookie: sessionid=<<hex32>>; lang=de; theme=dark",
        "Set-Cookie: JSESSIONID=<<hex32>>; Path=/; HttpOnly; Secure",
        "curl -b 'PHPSESSID=<<hex32>>' https://shop.example.org/cart",
        '{"cookies": {"session": "<<alnum40>>", "currency": "EUR"}}',
        "Set-Cookie: connect.sid=s%3A<<alnum40>>; Expires={{rfc_date}}",
    ),
}


def planted(seed: int) -> list[Planted]:
    """Returns: at least 300 texts with at least one secret each, in an order that the seed shuffles."""
    rng = Random(f"planted:{seed}")
    jobs = [(kind, text) for kind, texts in TEMPLATES.items() for text in texts for _ in range(ROUNDS)]
    for kind, (variable, host) in TOKENS.items():
        for context in rng.sample(CONTEXTS, TEXTS_PER_TOKEN):
            named = context.replace("NAME", variable).replace("HOST", host)
            jobs.append((kind, named.replace("VALUE", f"<<{kind}>>")))
    rng.shuffle(jobs)
    made: list[Planted] = []
    for kind, template in jobs:
        text, secrets = fill(template, rng, HARMLESS)
        made.append(Planted(wrap(text, rng), secrets, kind))
    return made


def look_alikes(seed: int) -> list[Planted]:
    """Returns: 200 different texts with nothing to redact, every template's first."""
    rng = Random(f"look-alikes:{seed}")
    jobs = [(kind, text) for kind, texts in LOOK_ALIKES.items() for text in texts]
    made: dict[str, Planted] = {}
    while len(made) < LOOK_ALIKE_COUNT:
        rng.shuffle(jobs)
        for kind, template in jobs:
            text, _ = fill(template, rng, HARMLESS)
            if text not in made and len(made) < LOOK_ALIKE_COUNT:
                made[text] = Planted(text, (), kind)
    return [Planted(wrap(one.text, rng), one.secrets, one.kind) for one in made.values()]
