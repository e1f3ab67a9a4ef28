# ruff: noqa: E501, RUF001
"""Longer texts, in which a few secrets stand among much that is harmless; `render` explains the marks."""

LONG_TEXTS = r"""
%% long_mail
Hello,

I ordered a ‹goods› on ‹day› (order ‹order›, ‹amount› EUR). The parcel ‹tracking› was scanned in ‹city› and then
nothing happened for ‹count› days. I tried the chat twice. Could you please either send a replacement or refund me?
The money should not go back to the old card but to my account «iban_ie».

You can ring me on «phone_gb» - not before 10.

Kind regards
‹name›
%%
Guten Tag,

zur Rechnung ‹invoice› vom ‹day_de› über ‹amount_de› EUR habe ich eine Frage: Die Lastschrift ging zweimal ab.
Meine Bank sagt, das Mandat laute noch auf den alten Vertrag. Bitte buchen Sie den doppelten Betrag zurück auf
«iban_de».

Für Rückfragen: «mobile_de» oder «email»

Freundliche Grüße
‹name›
%%
Madame, Monsieur,

Suite à notre appel du ‹day_de›, je vous confirme le changement de titulaire pour le contrat ‹order10›.
Nouvelle titulaire : ‹name›, née le «born_slash», joignable au «mobile_fr».
Le prélèvement de ‹amount_de› € se fera désormais sur le compte «iban_fr».

Bien à vous
%%
Buenas tardes:

El paquete ‹tracking› llegó abierto y faltaban ‹count› piezas. Adjunto fotos. Para el abono necesito que usen
la cuenta «iban_es»; el titular soy yo, con DNI «es_dni». Mi teléfono es «mobile_es».

Un saludo, ‹name›
%%
Buongiorno, scrivo per la pratica ‹ticket›. Il tecnico è venuto il ‹day_de› ma il ‹goods› non funziona ancora.
Vi lascio i miei dati: C.F. «it_code», cellulare «mobile_it». L'appuntamento va bene dopo le ‹clock›.
%%
Dzień dobry, dotyczy zamówienia ‹order›. Zwrot ‹amount_de› zł proszę przelać na rachunek «iban_pl».
Numer telefonu do kuriera: «phone_pl». Paczka ‹tracking› nadal jest w ‹city›.
%%
Beste, bij levering ‹tracking› ontbrak de ‹goods›. Ik ben bereikbaar op «mobile_nl». Terugbetaling graag op
«iban_nl». Bestelnummer ‹order›, bedrag € ‹amount_de›.
%%
お世話になっております。注文番号‹order16›の件です。商品がまだ届きません。
連絡先は«phone_jp»、メールは«email»です。よろしくお願いいたします。
%% long_chat
user: hi, my ‹goods› arrived broken
assistant: Sorry to hear that. Which order is it?
user: ‹order›
assistant: Thank you. To verify you, please tell me your date of birth.
user: «born_slash»
assistant: And where should the refund of ‹amount› go?
user: card «card»
assistant: Done. It takes ‹count› days.
%%
[{"role": "system", "content": "You are a support agent. Today is ‹day›."}, {"role": "user", "content": "login is ‹last›, the password «password» stopped working"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "‹call›", "type": "function", "function": {"name": "check_login", "arguments": "{\"user\": \"‹last›\", \"password\": \"«password»\"}"}}]}]
%%
<thinking>
The order ‹order› is ‹count› days old, so the return window is open. The customer wants the call-back on «phone_us».
I should open ticket ‹ticket› first and only then confirm.
</thinking>
I have opened ‹ticket›. A colleague calls you on «phone_us» before ‹clock›.
%%
agent: Können Sie mir den Code aus der SMS nennen?
kunde: ja, «otp6»
agent: Danke. Die Lieferung ‹tracking› geht nun an die neue Adresse in ‹city›.
%%
Turn 3
  thought: need the booking, the user gave the e-mail
  action: search_booking(email="«email»", date="‹day›")
  observation: 1 booking, passenger ‹name›, passport «passport_fr», fare ‹amount› EUR
%% long_config
terraform {
  required_version = ">= 1.9"
}
variable "replicas" { default = ‹count› }
locals {
  image    = "registry.local/‹slug›:‹version›"
  commit   = "‹sha1›"
  db_url   = "postgresql://‹slug›:«url_password»@db-1.nordwerk-it.de:5432/‹slug›"
  api_key  = "«opaque43»"
  owner_id = "‹uuid›"
}
%%
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ‹slug›
  labels: {app: ‹slug›, commit: ‹hex7›}
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: app
          image: registry.local/‹slug›@sha256:‹sha256›
          env:
            - {name: REDIS_URL, value: "redis://:«url_password»@‹pod_ip›:6379/1"}
            - {name: JWT_SECRET, value: "«base64_key»"}
            - {name: LOG_LEVEL, value: info}
%%
name: release
on: {push: {tags: ["v*"]}}
jobs:
  publish:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@‹sha1›
      - run: twine upload dist/*
        env:
          TWINE_USERNAME: __token__
          TWINE_PASSWORD: «pypi_token»
      - run: curl -fsS -X POST https://hooks.slack.com/services/«slack_hook» -d '{"text":"‹version›"}'
%%
diff --git a/deploy/.env b/deploy/.env
index ‹hex7›..‹hex7#2› 100644
--- a/deploy/.env
+++ b/deploy/.env
@@ -1,5 +1,5 @@
 APP_VERSION=‹version›
-SMTP_PASSWORD=«password»
+SMTP_PASSWORD=«password#2»
 SMTP_HOST=smtp.nordwerk-it.de
 BUILD=‹build›
%%
{"cells": [{"cell_type": "markdown", "source": ["# Load ‹day›"]}, {"cell_type": "code", "source": ["import pandas as pd\n", "url = 'mysql+pymysql://etl:«url_password»@‹pod_ip›/dwh'\n"], "outputs": [{"output_type": "stream", "text": ["‹big› rows\n"]}]}]}
%%
version: 2
registries:
  npm:
    type: npm-registry
    url: https://npm.nordwerk-it.de
    token: «opaque43»
updates:
  - package-ecosystem: npm
    schedule: {interval: weekly}
%% long_log
‹log› INFO  worker started version=‹version› commit=‹hex7›
‹log#2› INFO  GET /v1/orders/‹order› 200 ‹count›ms request=‹uuid›
‹log#3› DEBUG outgoing headers={'authorization': 'Bearer «jwt»', 'accept': '*/*'}
‹log#4› WARN  retry in ‹count› s
%%
Traceback (most recent call last):
  File "/srv/‹slug›/store.py", line ‹count›, in connect
    conn = psycopg.connect(dsn)
psycopg.OperationalError: connection failed: dsn='host=‹pod_ip› port=5432 user=‹slug› password=«password» dbname=‹slug›'
hint: server version ‹version›
%%
$ kubectl get secret ‹slug› -o jsonpath='{.data.password}' | base64 -d
«password»
$ kubectl rollout restart deploy/‹slug›
deployment.apps/‹slug› restarted
$ git rev-parse HEAD
‹sha1›
%%
{"ts":"‹iso›","level":"info","msg":"signup","trace":"‹trace›","user":{"id":"‹user_id›","email":"«email»","ip":"«ipv4»","ua":"Mozilla/5.0 (X11; Linux x86_64)"},"took_ms":‹count›}
%%
* Connected to erp.nordwerk-it.de (‹pod_ip›) port 443
> POST /api/v3/orders HTTP/2
> cookie: sid=«hex32»; lang=de
> content-type: application/json
< HTTP/2 201
< x-request-id: ‹uuid›
%%
COPY public.customers (id, name, email, phone, created_at) FROM stdin;
‹big›	‹name›	«email»	«phone_e164»	‹iso›
‹big#2›	‹name#2›	«email#2»	«phone_e164#2»	‹iso#2›
\.
%%
MariaDB [shop]> select id, name, iban, total from refunds where day = '‹day›';
+------+-------+-------+-------+
| ‹count› | ‹name› | «iban_at_plain» | ‹amount› |
| ‹count#2› | ‹name#2› | «iban_ch_plain» | ‹amount#2› |
+------+-------+-------+-------+
%%
<order id="‹order›"><buyer><name>‹name›</name><mail>«email»</mail><tel>«phone_e164»</tel></buyer><item sku="‹sku›" qty="2"/><total>‹amount›</total></order>
"""
