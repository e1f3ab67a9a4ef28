"""A second set of planted secrets and look-alikes, written without sight of the redactor's rules.

A seed enters; labelled texts leave: `planted` and `look_alikes` are what recall and precision are counted on,
`debatable` are texts about which careful people disagree, to be shown and never counted. The same seed gives the
same texts. A rate holds for the formats written down here; names of persons, free descriptions of somebody and
anything in a picture are not among them.
"""
# ruff: noqa: E501, RUF001 - a template is written in its own language's letters, and is not cut in two

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random

from benchmarks.fresh_credentials import CREDENTIALS, PIECES
from benchmarks.fresh_harmless import HARMLESS
from benchmarks.fresh_look_alikes import DEBATABLE, LOOK_ALIKES
from benchmarks.fresh_templates import ABROAD, AT_HOME, TEMPLATES
from benchmarks.fresh_values import PERSONAL, PHONES, fill
from benchmarks.planted_secrets import Planted
from benchmarks.planted_values import Maker

NAMED_PER_CREDENTIAL = 2  # texts in which the value stands next to its variable's name
BARE_PER_CREDENTIAL = 2  # texts in which only the value's shape tells what it is

SECRETS: Mapping[str, Maker] = {**PERSONAL, **PIECES, **{kind: one.make for kind, one in CREDENTIALS.items()}}

NAMED = (  # NAME, HOST and VALUE are a credential's; of a value without a shape these are all its contexts
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: worker\nstringData:\n  NAME: "VALUE"\n',
    "  api:\n    image: shop:{{version}}\n    environment:\n      - TZ=Europe/Paris\n      - NAME=VALUE\n",
    "FROM python:3.12-slim\nARG NAME=VALUE\nRUN pip install -r requirements.txt",
    'PS C:\\jobs> $env:NAME = "VALUE"; .\\sync.ps1 -Verbose',
    "set -gx NAME VALUE  # ~/.config/fish/config.fish",
    'variable "region" { default = "eu-west-3" }\nNAME = "VALUE"\n',
    'import os\nos.environ["NAME"] = "VALUE"\nmain(dry_run=False)',
    "process.env.NAME = 'VALUE';\nawait sync({ since: '{{date}}' });",
    '<bean id="gateway">\n  <property name="NAME" value="VALUE"/>\n  <property name="timeout" value="30"/>\n</bean>',
    '{"tool": "bash", "arguments": {"command": "NAME=VALUE python sync.py --since {{date}}"}}',
    '{"type": "function", "name": "write_file", "arguments": "{\\"path\\": \\".env\\", \\"content\\": \\"NAME=VALUE\\"}"}',
    "observation: LANG=C.UTF-8\nNAME=VALUE\nSHELL=/bin/bash",
    "heroku config:set NAME=VALUE --app shop-eu",
    "kubectl -n prod create secret generic worker --from-literal=NAME=VALUE",
    'gh secret set NAME --body "VALUE" --repo acme/shop',
    '[Service]\nEnvironment="NAME=VALUE"\nExecStart=/usr/bin/worker',
    "<?php\ndefine('NAME', 'VALUE');\ndefine('DEBUG', false);",
    "In der Datei steht NAME=VALUE, trotzdem antwortet HOST mit 403.",
    "J'ai mis NAME=VALUE dans le fichier .env, toujours rien.",
    'ENV["NAME"] ||= "VALUE" # TODO: move to the vault',
)
BARE = (
    "Ho incollato per sbaglio questo nel canale: VALUE. Si può revocare?",
    "Wklejam klucz do HOST: VALUE, proszę go nie udostępniać dalej.",
    "HOST için anahtar şu: VALUE (yenisini {{day}} tarihinde alacağım)",
    "HOSTの鍵はこちらです：VALUE。テストが終わったら削除してください。",
    "Je vous transmets la clé VALUE, elle marche sur HOST.",
    "La clave para HOST es VALUE y caduca el {{day}}.",
    "Ich habe eben VALUE in die Konfiguration geschrieben.",
    "A chave da HOST é VALUE, pode testar.",
    "{{iso}} WARN [pool-3] c.s.http.Retry - HOST refused VALUE, next try in {{small}}s",
    "panic: HOST: unauthorized: VALUE\n\ngoroutine {{small}} [running]:\nmain.push(0xc000012345)\n\t/src/push.go:{{small}}",
    'const client = connect("https://HOST", "VALUE", { retries: 3 });',
    "  214  cd /srv/app\n  215  ./login --host HOST --token VALUE\n  216  make sync",
    "assistant: I called HOST with VALUE as you asked; it returned {{small}} items.",
    '{"role": "tool", "exit_code": 0, "stdout": "logged in to HOST\\nVALUE\\n", "stderr": ""}',
    "@@ -7,3 +7,3 @@ def client():\n-    return Client('VALUE')\n+    return Client(vault.read('client'))",
    "> what does the second line print?\n`VALUE`, that is what HOST gave me on {{long_date}}",
    "curl -sS -H 'x-auth: VALUE' https://HOST/v1/status | jq .state",
    'Exception in thread "main" java.io.IOException: HOST 401 for VALUE\n\tat shop.Sync.push(Sync.java:{{small}})',
    "<entry><host>HOST</host><credential>VALUE</credential></entry>",
    "* rotate\n  - [ ] VALUE (HOST, found in the wiki on {{date}})",
)


def planted(seed: int) -> list[Planted]:
    """Returns: more than 500 texts with at least one secret each, every template once, in a shuffled order."""
    rng = Random(f"fresh-planted:{seed}")
    jobs = [(kind, template) for kind, templates in TEMPLATES.items() for template in templates]
    for i, country in enumerate(PHONES):
        jobs.append(("phone", AT_HOME[country].replace("VALUE", f"<<phone_{country}>>")))
        jobs.append(("phone", ABROAD[i % len(ABROAD)].replace("VALUE", f"<<phone_{country}_abroad>>")))
    for kind, one in CREDENTIALS.items():
        contexts = rng.sample(NAMED, NAMED_PER_CREDENTIAL) + rng.sample(
            BARE, BARE_PER_CREDENTIAL if one.shaped else 0
        )
        for context in contexts:
            jobs.append((kind, _named(context, kind)))
    return _filled("planted", seed, jobs)


def look_alikes(seed: int) -> list[Planted]:
    """Returns: more than 240 texts with nothing to redact, every template once, in a shuffled order."""
    return _filled(
        "look-alikes", seed, [(kind, text) for kind, texts in LOOK_ALIKES.items() for text in texts]
    )


def debatable(seed: int) -> list[Planted]:
    """Returns: texts for which neither keeping nor hiding is an error; no figure may include them."""
    return _filled("debatable", seed, [(kind, text) for kind, texts in DEBATABLE.items() for text in texts])


def _named(context: str, kind: str) -> str:
    """The context with a credential's variable, host and value in it, in one pass: a variable may hold HOST."""
    one = CREDENTIALS[kind]
    meant = {"NAME": one.variable, "HOST": one.host, "VALUE": f"<<{kind}>>"}
    return re.sub("NAME|HOST|VALUE", lambda found: meant[found[0]], context)


def _filled(name: str, seed: int, jobs: list[tuple[str, str]]) -> list[Planted]:
    rng = Random(f"fresh-{name}-values:{seed}")
    rng.shuffle(jobs)
    made: list[Planted] = []
    for kind, template in jobs:
        text, secrets = fill(template, rng, SECRETS, HARMLESS)
        wrapped = surround(text, rng)
        kept = all(wrapped.count(secret) == 1 for secret in secrets)  # escaping changes a quoted one
        made.append(Planted(wrapped if kept else text, secrets, kind))
    return made


def surround(text: str, rng: Random) -> str:
    """Puts two texts in five into what a trace has around them; the others stay as they are."""
    match rng.randrange(10):
        case 0:
            return json.dumps(
                {"type": "tool_result", "tool_use_id": f"call_{rng.randrange(10**6)}", "output": text},
                ensure_ascii=False,
            )
        case 1:
            return json.dumps(
                [{"role": "user", "content": [{"type": "text", "text": text}]}], ensure_ascii=False
            )
        case 2:
            return f"### Observation {rng.randint(1, 9)}\n```\n{text}\n```\n### Next action\nsummarise"
        case 3:
            return f"Human: {text}\n\nAgent: I have noted that and will continue."
    return text
