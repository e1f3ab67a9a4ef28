# ruff: noqa: E501, RUF001
"""Places in which an API key is met: NAME, HOST and KEY are replaced by a key's variable, host and hole."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.seen_secrets.render import blocks
from benchmarks.seen_secrets.shapes import PREFIXED, UNPREFIXED

USES = 3  # texts that may share one context
LABELLED = r"""
%% labelled
# .env.production
APP_ENV=production
LOG_LEVEL=info
NAME=KEY
SENTRY_TRACES_SAMPLE_RATE=0.1
%%
NAME="KEY" # rotate in ‹day›
%%
export NAME='KEY'; ./scripts/backfill.sh --from ‹day› --dry-run
%%
{"mcpServers": {"search": {"command": "npx", "args": ["-y", "mcp-remote"], "env": {"NAME": "KEY", "LOG": "debug"}}}}
%%
$env:NAME = "KEY"
PS C:\repo> python -m worker --queue ‹slug›
%%
apiVersion: v1
kind: Secret
metadata:
  name: ‹slug›-keys
  namespace: prod
stringData:
  NAME: KEY
%%
services:
  ‹slug›:
    image: registry.local/‹slug›:‹version›
    environment:
      - TZ=Europe/Berlin
      - NAME=KEY
    ports: ["8080:8080"]
%%
curl -sS https://HOST/v1/status -H "Authorization: Bearer KEY" -H "Accept: application/json" | jq .
%%
import os
os.environ["NAME"] = "KEY"  # TODO remove before commit
from agent import run
run("‹slug›")
%%
diff --git a/config/settings.py b/config/settings.py
index ‹hex7›..‹hex7#2› 100644
--- a/config/settings.py
+++ b/config/settings.py
@@ -12,3 +12,3 @@
-NAME = os.environ["NAME"]
+NAME = "KEY"
%%
resource "aws_lambda_function" "‹slug›" {
  function_name = "‹slug›"
  environment {
    variables = {
      NAME = "KEY"
      STAGE    = "prod"
    }
  }
}
%%
FROM python:3.12-slim
ARG NAME=KEY
ENV NAME=$NAME PYTHONUNBUFFERED=1
COPY . /srv
CMD ["python", "-m", "‹slug›"]
%%
‹log› DEBUG [‹slug›] loaded settings: {'debug': False, 'NAME': 'KEY', 'region': 'eu-central-1'}
%%
Hi team, the new key for HOST is in place since ‹day›. API key: KEY - please don't use the old one any more.
%%
Der API-Schlüssel für HOST wurde erneuert. Neuer Schlüssel: KEY (gültig ab ‹day_de›)
%%
Bonjour, voici la clé API pour HOST : KEY. Merci de la mettre dans la config du client.
%%
La clave de API de HOST es KEY, ponla en NAME y reinicia el servicio, por favor.
%%
Ecco la chiave API di HOST: KEY
Puoi provare adesso se il webhook risponde?
%%
{\"type\":\"http_request\",\"url\":\"https://HOST/v2/items\",\"headers\":{\"x-api-key\":\"KEY\",\"user-agent\":\"agent/‹version›\"}}
%%
> set NAME KEY
OK, NAME saved to profile "prod".
%%
requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://HOST/v1/models?api_key=KEY
%%
GET /v1/search?q=returns&api_key=KEY&page=2 HTTP/1.1
Host: HOST
User-Agent: python-httpx/0.27.2
%%
- name: Deploy
  run: ./deploy.sh
  env:
    NAME: KEY
    REGION: eu-west-1
%%
[profile.prod]
host = "HOST"
api_key = "KEY"
timeout_s = 30
%%
const client = new Client({ baseUrl: "https://HOST", apiKey: "KEY", retries: ‹count› });
%%
I found the setting: `NAME` is currently `KEY`. I will write it into the deployment's values file next.
%%
{"name": "set_secret", "arguments": {"repo": "shop/‹slug›", "secret_name": "NAME", "secret_value": "KEY"}}
%%
<configuration>
  <add key="NAME" value="KEY" />
  <add key="BaseUrl" value="https://HOST/" />
</configuration>
%%
INSERT INTO integrations (id, provider, api_key, created_at) VALUES (‹count›, 'HOST', 'KEY', '‹iso›');
%%
 id | host | api_key | enabled
----+------+---------+---------
 ‹count› | HOST | KEY | t
(1 row)
%%
provider,api_key,owner,expires
HOST,KEY,platform,‹day›
%%
docker run -d --name ‹slug› -e NAME=KEY -p 8080:8080 ghcr.io/shop/‹slug›:‹version›
%%
helm upgrade ‹slug› ./chart --set image.tag=‹version› --set secrets.NAME=KEY --wait
%%
kubectl create secret generic ‹slug› --from-literal=NAME=KEY -n prod
%%
gh secret set NAME --body "KEY" --repo shop/‹slug›
✓ Set Actions secret NAME for shop/‹slug›
%%
# config.toml
[integrations.main]
url = "https://HOST"
NAME = 'KEY'
%%
#define NAME "KEY"
static const char *host = "HOST";
%%
spring.ai.base-url=https://HOST
spring.ai.api-key=KEY
spring.ai.retry.max-attempts=4
%%
{"cells": [{"cell_type": "code", "execution_count": ‹count›, "source": ["NAME = \"KEY\"\n", "client = connect(NAME)\n"], "outputs": []}]}
%%
{"role":"user","content":"here is my config:\n```yaml\nNAME: KEY\nmodel: fast\n```\nwhy do I get 401?"}
%%
Onze API-sleutel voor HOST is KEY. Kunnen jullie nagaan waarom die wordt geweigerd?
%%
Klucz API do HOST: KEY - proszę sprawdzić, czy działa.
%%
API-nyckeln till HOST är KEY, den gamla slutade fungera ‹day›.
%%
HOST için API anahtarı: KEY
%%
HOSTのAPIキーは「KEY」です。設定をお願いします。
%%
A chave de API do HOST é KEY, podes testar no ambiente de produção?
%%
+ NAME=KEY
+ echo 'starting ‹slug›'
starting ‹slug›
%%
process.env.NAME ||= 'KEY';
export default { host: 'HOST' };
%%
{"level":"warn","ts":‹epoch›,"logger":"http","msg":"retrying","headers":{"X-Api-Key":["KEY"]},"host":"HOST","attempt":2}
%%
Environment:
  NAME:  KEY
  TZ:        UTC
Mounts:
  /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access (ro)
%%
ansible_vars:
  ‹slug›_host: HOST
  ‹slug›_api_key: "KEY"
%%
let request = URLRequest(url: URL(string: "https://HOST/v1")!)
request.setValue("KEY", forHTTPHeaderField: "X-API-Key")
%%
"env": [{"name": "TZ", "value": "UTC"}, {"name": "NAME", "value": "KEY"}]
"""
BARE = r"""
%% bare
is this one still valid? KEY
%%
KEY
%%
oops, wrong window: KEY ... can you delete that from the chat?
%%
client = connect("KEY", "‹slug›")
%%
Traceback (most recent call last):
  File "/srv/‹slug›/main.py", line ‹count›, in call
    raise AuthError(f"rejected: {value!r}")
AuthError: rejected: 'KEY'
%%
$ cat ~/.config/‹slug›/credentials
KEY
$ exit
%%
['--host', 'HOST', '--verbose', 'KEY']
%%
I've used KEY as you told me, and HOST answered 403. Shall I try another one?
%%
‹iso› INFO call(‹slug›) args=('HOST', 'KEY') took ‹count›ms
%%
{"query": "why does KEY not work", "top_k": 5}
%%
| service | value |
|---|---|
| HOST | `KEY` |
| region | eu-west-1 |
%%
"KEY",
"‹uuid›",
%%
ich hab das hier im Log gefunden, ist das von uns? KEY
%%
on a fini par trouver : c'était KEY qui bloquait tout
"""


def key_templates(rng: Random) -> Iterator[tuple[str, str]]:
    """Yield (kind, template) for every known shape of key, once or twice, each in another context."""
    decks = {
        name: [text for _, text in blocks(raw)] * USES for name, raw in (("named", LABELLED), ("bare", BARE))
    }
    for deck in decks.values():
        rng.shuffle(deck)
    place = 0
    for table in (PREFIXED, UNPREFIXED):
        for kind, group in table.items():
            for number, (_, variable, host) in enumerate(group):
                twice = len(group) < 16 and (len(group) < 9 or number % 2 == 0)
                for turn in range(2 if twice else 1):
                    bare = table is PREFIXED and (turn == 1 or number % 5 == 4) and bool(decks["bare"])
                    context = decks["bare" if bare else "named"].pop()
                    text = context.replace("KEY", f"«key.{place}»")
                    yield kind, text.replace("NAME", variable).replace("HOST", host)
                place += 1
