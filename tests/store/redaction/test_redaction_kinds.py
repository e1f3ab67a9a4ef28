"""What is told by a name, a form or the words around it, where agents meet it."""
# ruff: noqa: RUF001 - words stand in their own language's letters

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from coevolve.store.redaction import Redactor

REDACTOR = Redactor(b"k" * 32)


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("Das WLAN-Passwort lautet V4lencia_778, bitte.", "V4lencia_778", "PASSWORD"),
        ("Mi contraseña es Sol4r-99x y no entra", "Sol4r-99x", "PASSWORD"),
        ("le mot de passe : Lune77!x", "Lune77!x", "PASSWORD"),
        ("パスワードはjuventus5141です", "juventus5141", "PASSWORD"),
        ("비밀번호는 biscuit-49x 입니다", "biscuit-49x", "PASSWORD"),
        ("Şifrem letmein2055 ama olmuyor", "letmein2055", "PASSWORD"),
        ("hunter22 is my new password", "hunter22", "PASSWORD"),
        ('the passphrase "gazebo dolphin inkwell copper easel"', "gazebo dolphin inkwell", "PASSWORD"),
        ("export PGPASSWORD=fjord6462", "fjord6462", "PASSWORD"),
        ("set -gx NEW_RELIC_KEY a1b2c3d4e5f6a7", "a1b2c3d4e5f6a7", "PASSWORD"),
        ('ENV["DB_PASS"] ||= "copper44"', "copper44", "PASSWORD"),
        ("define('API_SECRET', 'k9fX2mQ7');", "k9fX2mQ7", "PASSWORD"),
        ("<ftpPass>l3tm3in_209</ftpPass>", "l3tm3in_209", "PASSWORD"),
        ('<property name="db.password" value="Sommer19x"/>', "Sommer19x", "PASSWORD"),
        ('{"name": "DB_PASSWORD", "value": "Sommer19x"}', "Sommer19x", "PASSWORD"),
        ('{"selector": "input[type=password]", "text": "Tornado#683"}', "Tornado#683", "PASSWORD"),
        ("ALTER USER crm IDENTIFIED BY 'Sommer1955@4';", "Sommer1955@4", "PASSWORD"),
        ("mysqldump -ureport -ppierogi5537 shop", "pierogi5537", "PASSWORD"),
        ("sshpass -p kiwi8812 ssh root@host", "kiwi8812", "PASSWORD"),
        ("curl -u ann:Kiwi8812 https://host/x", "Kiwi8812", "PASSWORD"),
        ("./login --host h --token abcd1234efgh", "abcd1234efgh", "PASSWORD"),
        ("echo 'Kiwi8812' | sudo -S reboot", "Kiwi8812", "PASSWORD"),
        ("*.*:5432:returns:report:Amsel-930", "Amsel-930", "PASSWORD"),
        ("WIFI:T:WPA;S:Guest;P:zoo5905iujy;;", "zoo5905iujy", "PASSWORD"),
        ("Authorization: Token 176a9fab7161d8a06f28e0e5", "176a9fab7161d8a06f28e0e5", "TOKEN"),
        ("Cookie: theme=dark; id_token=x9Kd83hfLq02mVnE72ks", "x9Kd83hfLq02mVnE72ks", "TOKEN"),
        ("https://h/a.csv?sv=2&sig=deSHKm2fM8r7NwEvtUrs%3D", "deSHKm2fM8r7NwEvtUrs", "TOKEN"),
        ("key glsa_Zpbi2gy3vfOymfRC03WwMW1iWptgo5mU_b8402e45", "glsa_Zpbi2gy3vf", "TOKEN"),
        ("it says\\n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", "ntn_384733", "TOKEN"),
        ("OTP setup key: r4by ibgp dgkl dfk5 xba2 ft6x", "r4by ibgp", "SEED"),
        (
            "seed phrase: ripple crane velvet month arrive tulip orbit canyon mimic sugar fossil wagon",
            "canyon mimic",
            "SEED",
        ),
        ("né le 25 décembre 1953 à Lyon", "25 décembre 1953", "BIRTH"),
        ("生年月日：1968年06月08日", "1968年06月08日", "BIRTH"),
        ('{"birthDate": "1979-02-12"}', "1979-02-12", "BIRTH"),
        ("Ich bin am 31.07.1957 geboren", "31.07.1957", "BIRTH"),
        ("Mi DNI es 16736670F, gracias", "16736670F", "ID"),
        ("AHV-Nr. 756.0453.6384.87", "756.0453.6384.87", "ID"),
        ("passport_number: 513318462", "513318462", "ID"),
        ("パスポート番号：573418442", "573418442", "ID"),
        ("lookup bsn=127172737 hit", "127172737", "ID"),
        ('{"nhs_number": "414 557 3692"}', "414 557 3692", "ID"),
        ("ma voiture, immatriculée GJ-968-GB, rayée", "GJ-968-GB", "PLATE"),
        ("Sort code 20-00-00, account number 44102679", "44102679", "ACCOUNT"),
        ("konto de89370400440532013000 stimmt", "de89370400440532013000", "IBAN"),
        ("Karte 4938 0695 0517 9485, Prüfziffer 323", "323", "CVV"),
        ("card 6510 2722 3330 3465, exp 12/29", "12/29", "EXPIRY"),
        ("Ihr Bestätigungscode: 482913", "482913", "CODE"),
        ("G-529780 is your verification code", "G-529780", "CODE"),
        ("codice OTP per l'ordine 346142 è 425201", "425201", "CODE"),
        ("O meu telemóvel é 916 401 217", "916 401 217", "PHONE"),
        ("login from 2804:a84f:b93:29da::bd3b", "2804:a84f:b93:29da::bd3b", "IP"),
        ("my router is 6c:8c:ef:90:66:24", "6c:8c:ef:90:66:24", "MAC"),
        ("customer home: 56.411773,9.823741 (8m)", "56.411773", "LOCATION"),
        ("chiara [at] nordlicht [dot] es, please", "chiara [at] nordlicht", "EMAIL"),
        ("?email=stenwil%40perstengri.fr&x=1", "stenwil%40perstengri.fr", "EMAIL"),
    ],
)
def test_it_is_found_and_said_to_be_what_it_is(text: str, secret: str, kind: str) -> None:
    clean = REDACTOR.text(text)
    assert secret not in clean
    assert re.search(rf"<{kind}_[0-9a-f]{{8}}>", clean), clean


@pytest.mark.parametrize(
    "text",
    [
        "the password is case-sensitive and must not be reused",
        "Password:\nLogin incorrect",
        "token: !secret api_token",
        'secret = "REPLACE_ME"',
        "OPENAI_API_KEY=sk-...****",
        "password = data.vault_generic_secret.db.data",
        "self.mask_token = tokenizer.mask_token",
        "per-token classification of each soft-token slot",
        "Token: '#f8f8f2'",
        "API_KEY=\nAPI_URL=https://api.example.org",
        "git@github.com:acme/tools.git and logo@3x.png",
        "part 000-12-3146 replaces part 666-12-3486",
        "Teilenummer 06-4412-7730, awb 020-44121471",
        "numéro de lot FR94 3307 4148 0013 9920 9400 163",
        "free software, Boston, MA 02110-1301 USA",
        "Chrome/4.36.104.87, firmware 9.15.205.4",
        "RSA key fingerprint is SHA256:k0IljZHufALXk6ZsowvaP0l+ZOsuM04AZZiEA",
        "map.setView([41.9029, 12.4534], 13) // St Peter's Square",
        "valid until 12/29 while stocks last",
        "cache key: deps-linux-2e5e407813a5d7695866fdccbc86402622f5dfb0",
        "call at 2026-11-30 10:20:30, or std::vector::size",
        "section 4.2.1.3, DOI 10.1111/0081-1750.00098",
        '{"user":"x","password": null}',
        '{"tests": {"pass": 12345}}',
        '{"url":"http://localhost:8080","email":"@"}',
        '{"sku":"APB1234567890x"}',
        '{"template_id": "10024", "manifest": "v2"}',
        '{"tracking_number": "212-555-0198", "sku": "415-555-0198"}',
        "Please contact support with order number 12345678",
        "docker run -p 8080:80 nginx",
        "pass the --token flag to it",
        "net user growth was strong",
        "am 05.12.2026 14:30 Uhr, Termin 01-02-2026 09:15",
        "id 0010023456, sizes 250 300 1200",
        "RUN 1: TCP 10.0.0.12:50051, test TC-10234 fails",
        "Checking 2026-01-17 for free slots",
        "the tan sofa, item 48201734",
        "placa base B650M-A",
        "Medicare 2026 plans",
        "suite,pass,fail\nunit,120,3",
        "x,sin,cos\n1.04,0.8660,0.5",
        "date,desktop,mobile\n2026-01-02,20881,1200",
        "file 250117-0042 and doc 260117-01-0042",
        'fetch(u, {credentials: "include"})',
        "Error: expected -----BEGIN PRIVATE KEY----- as first line. Order 1001 was not shipped.",
        "15.01.2026 г. рейс",
    ],
)
def test_what_an_agent_needs_stays(text: str) -> None:
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        ({"user": "x", "password": "hunter2x", "n": 1}, "hunter2x"),
        ({"csv": "user,password\nann,hunter2", "rows": 1}, "hunter2"),
        ({"content": "name,password,role\nann,wqyB3DLiQELK,editor", "role": "user"}, "wqyB3DLiQELK"),
        ({"url": "http://app:Kiwi8812@db:8080", "email": "ann@example.org"}, "Kiwi8812"),
        ({"text": "my password is hunter22"}, "hunter22"),
        ({"cookie": "sid=ab12cd34ef56gh"}, "ab12cd34ef56gh"),
        ({"db_password": "O'Brien2024!"}, "Brien2024"),
        ({"backup_codes": ["abcd1234", "efgh5678"], "user": "ann"}, "abcd1234"),
        ({"text": "| user | password |\n|---|---|\n| ann | hunter2 |"}, "hunter2"),
        ({"body": "username=ann&password=hunter2x&next=/orders/1001"}, "hunter2x"),
        ({"text": "credentials: password=hunter2xyz"}, "hunter2xyz"),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_json_stays_json_however_deep_a_text_lies_in_it(given: Any, secret: str, depth: int) -> None:
    text = json.dumps(given)
    for _ in range(depth - 1):
        text = json.dumps({"body": text, "n": 1})
    clean = REDACTOR.text(text)
    assert secret not in clean
    found = json.loads(clean)
    for _ in range(depth - 1):
        assert found["n"] == 1
        found = json.loads(found["body"])
    assert found.keys() == given.keys()
