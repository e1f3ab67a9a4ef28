"""Credentials that their own shape gives away, whatever stands beside them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from coevolve.store.redaction.checks import random
from coevolve.store.redaction.rule import START, RedactionRule, rule

_HEX, _WORD = r"[a-f0-9]", r"[A-Za-z0-9_-]"
_SHAPES: tuple[tuple[str, str], ...] = (  # a beginning that no other text has, and what follows it
    # clouds, their storage and what runs on them
    (r"AIza", r"[\w-]{35}"),
    (r"ya29\.", r"[\w-]{20,1000}"),
    (r"1//0", r"[\w-]{40,400}"),
    (r"GOCSPX-", r"[\w-]{20,40}"),
    (r"LTAI", r"[A-Za-z0-9]{12,26}"),
    (r"AKID", r"[A-Za-z0-9]{32,40}"),
    (r"bedrock-api-key-|ABSK", r"[\w+/=-]{60,2000}"),
    (r"d(?:op|oo|or)_v1_", rf"{_HEX}{{64}}"),
    (r"dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    (r"HRKU-", r"[\w-]{36,80}"),
    (r"fo1_|fm[12][ar]?_", r"[\w+/=,-]{40,2000}"),
    (r"rnd_", r"[A-Za-z0-9]{28,40}"),
    (r"nfp_", r"[A-Za-z0-9]{36,50}"),
    (r"v1\.0-", rf"{_HEX}{{24}}-{_HEX}{{146}}"),
    (r"dt0[a-z]\d{2}\.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    (r"tskey-[a-z]+-", r"[\w-]{16,100}"),
    (r"pul-", rf"{_HEX}{{40}}"),
    (r"hv[sbr]\.", rf"{_WORD}{{24,300}}"),
    (r"\w{14}\.atlasv1\.", r"[\w=-]{60,80}"),
    (r"pscale_(?:tkn|pw|oauth)_", r"[\w.-]{32,64}"),
    (r"dckr_(?:pat|oat)_", rf"{_WORD}{{20,60}}"),
    (r"sb_secret_", r"[\w-]{20,80}"),
    (r"sbp_(?:v0_)?", rf"{_HEX}{{40}}"),
    # models and what is around them
    (r"sk-(?:ant-|proj-|live-|or-v1-|svcacct-|admin-|lf-)?", rf"{_WORD}{{20,200}}"),
    (r"hf_|api_org_", r"[A-Za-z0-9]{30,60}"),
    (r"gsk_", r"[A-Za-z0-9]{40,64}"),
    (r"r8_", r"[A-Za-z0-9]{37,40}"),
    (r"xai-", r"[A-Za-z0-9]{60,100}"),
    (r"pplx-", r"[A-Za-z0-9]{40,64}"),
    (r"tvly-(?:dev-|prod-)?", r"[A-Za-z0-9]{24,64}"),
    (r"nvapi-", r"[\w-]{50,80}"),
    (r"jina_", r"[\w-]{40,80}"),
    (r"pcsk_", r"\w{40,90}"),
    (r"lsv2_(?:pt|sk)_", rf"{_HEX}{{32}}_{_HEX}{{10}}"),
    (r"e2b_", rf"{_HEX}{{40}}"),
    (r"pa-|al-", r"[\w-]{43,44}"),
    (r"sk-or-|fw_|dsk-|key_", r"[A-Za-z0-9]{24,64}"),
    # code, builds and packages
    (r"github_pat_", r"\w{22,120}"),
    (r"gl(?:pat|ptt|dt|ft|soat|rt|cbt|imt|agent|ffct|wt)-", r"[\w.-]{20,80}"),
    (r"AKC", r"[A-Za-z0-9]{30,100}"),
    (r"GR1348941", r"[\w-]{20,50}"),
    (r"ATATT3x|ATCTT3x|ATBB|ATOA", r"[\w=-]{20,260}"),
    (r"npm_", r"[A-Za-z0-9]{36}"),
    (r"rubygems_", rf"{_HEX}{{48}}"),
    (r"oy2", r"[a-z0-9]{43}"),
    (r"cio", r"[A-Za-z0-9]{32}"),
    (r"sgp_(?:[a-f0-9]{16}_|local_)?", rf"{_HEX}{{40}}"),
    (r"CCIPAT_|CCIPRJ_", r"[A-Za-z0-9_]{40,80}"),
    (r"squ_|sqp_|sqa_", rf"{_HEX}{{40}}"),
    (r"CLOJARS_", rf"{_HEX}{{60}}"),
    (r"bkua_|bkaj_|bkct_", rf"{_HEX}{{40}}"),
    (r"dp\.(?:pt|st|ct|sa|said|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?", r"[A-Za-z0-9]{40,44}"),
    (r"[A-Za-z0-9]{76}AZDO", r"[A-Za-z0-9]{4}"),
    (r"[\w.~-]{3}\dQ~", r"[\w.~-]{31,34}"),
    (r"PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    (r"AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    (r"ops_", r"eyJ[\w-]{80,1000}"),
    (r"A3-[A-Z0-9]{6}-", r"(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    # what watches
    (r"NRAK-|NRJS-|NRII-|NRRA-|NRIQ-", r"[A-Za-z0-9_-]{19,40}"),
    (r"glc_", r"[\w+/=]{32,400}"),
    (r"glsa_", rf"[A-Za-z0-9]{{32}}_{_HEX}{{8}}"),
    (r"sntrys_", r"[\w+/=-]{40,400}"),
    (r"sntryu_", rf"{_HEX}{{64}}"),
    (r"ph[xs]_", r"[A-Za-z0-9]{40,60}"),
    (r"hcaik_|hcbik_|hcxik_|hcalk_", r"[A-Za-z0-9]{40,64}"),
    # shops, payments, post
    (r"(?:rk|sk|pk)_(?:live|test)_", r"[0-9A-Za-z]{16,247}"),
    (r"whsec_", r"[0-9A-Za-z+/=]{24,80}"),
    (r"shp(?:at|ca|pa|ss|tka)_", r"[a-fA-F0-9]{32}"),
    (r"sq0(?:atp|csp|idp)-", r"[\w-]{22,50}"),
    (r"EAAA", r"[\w-]{60}"),
    (r"access-(?:sandbox|development|production)-", rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    (r"EZ[AT]K", r"[A-Za-z0-9]{54}"),
    (r"AQE", r"[A-Za-z0-9+/=]{60,200}-[A-Za-z0-9+/=]{20,100}-?[^\s\"',]{0,60}"),
    (r"APP_USR-|TEST-", rf"\d{{12,18}}-\d{{6}}-{_HEX}{{32}}-\d{{6,12}}"),
    (r"re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"),
    (r"(?:duffel|shippo)_(?:live|test)_", r"[\w=-]{40,60}"),
    (r"FLWSECK_?(?:TEST)?-", r"[A-Za-z0-9]{12,40}"),
    (r"(?:live|test)_", r"(?=\w*[A-Z])(?=\w*\d)[A-Za-z0-9]{30,64}"),
    (r"xkeysib-|xsmtpsib-", rf"{_HEX}{{64}}-[A-Za-z0-9]{{16}}"),
    (r"key-", rf"{_HEX}{{32}}"),
    # papers, talk, pictures
    (r"pat", rf"[A-Za-z0-9]{{14}}\.{_HEX}{{64}}"),
    (r"ntn_", r"[A-Za-z0-9]{40,60}"),
    (r"[12]/\d{12,20}/\d{12,20}:", rf"{_HEX}{{32}}"),
    (r"secret_", r"[A-Za-z0-9]{43}"),
    (r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{32,64}"),
    (r"figd_", r"[\w-]{38,60}"),
    (r"CFPAT-", r"[\w-]{43}"),
    (r"xapp-\d-", r"[A-Z0-9]+-\d+-[a-z0-9]+"),
    (r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.", r"[\w-]{27,40}"),
    (r"EAA", r"[A-Za-z0-9]{80,300}"),
    (r"IG(?:QV|AA)", r"[\w-]{80,300}"),
    (r"sl\.(?:u\.)?", r"[\w-]{100,1400}"),
    # wallets
    (r"[xyz]prv", r"[1-9A-HJ-NP-Za-km-z]{100,112}"),
    (r"nsec1", r"[a-z0-9]{58}"),
)
_INSIDE = {  # what tells of those that begin with any characters
    r"\w{14}\.atlasv1\.": r"\.atlasv1\.",
    r"[A-Za-z0-9]{76}AZDO": "AZDO",
    r"[\w.~-]{3}\dQ~": "[0-9]Q~",
    r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.": r"[A-Za-z0-9_-]{8}\.[\w-]{6}\.[\w-]{8}",
    r"[12]/\d{12,20}/\d{12,20}:": r"[12]/[0-9]{12}",
    r"sk-(?:ant-|proj-|live-|or-v1-|svcacct-|admin-|lf-)?": "sk-",
}
_MORE = 12  # characters of what follows that the second look asks for


def _shaped(beginning: str, rest: str) -> RedactionRule:
    return rule(
        "TOKEN",
        rf"{START}(?:{beginning}){rest}(?![A-Za-z0-9])",
        words=(_INSIDE.get(beginning, rf"(?-i:{beginning})"),),
        telling=(rf"(?-i:(?:{beginning})[A-Za-z0-9_.+/=-]{{{_MORE}}})",),
        check=random(),
    )


_OTHERS: tuple[RedactionRule, ...] = (
    rule(
        "PRIVATE_KEY",
        r"-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----"
        r"(?=(?:[\s\\]|[\w-]{1,20}: [^\n\\]{0,80}){0,12}[\snr]"
        r"[A-Za-z0-9+/=]{4})[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----|$)",
        "private key",
    ),
    rule("PRIVATE_KEY", r"PuTTY-User-Key-File-\d:[\s\S]{0,8000}?Private-MAC: \w+", "putty-user-key-file"),
    rule(
        "PRIVATE_KEY",
        rf"{START}[5KL][1-9A-HJ-NP-Za-km-z]{{50,51}}(?![A-Za-z0-9])",
        check=random(),
        words=(r"\b[5KL][1-9A-HJ-NP-Za-km-z]{16}",),
        telling=(r"[5KL][1-9A-HJ-NP-Za-km-z]{50}",),
    ),
    rule(
        "TOKEN",
        r"(?:\b|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,4000}\.(?:[A-Za-z0-9_-]{8,8000}|(?=\.))"
        r"\.?[A-Za-z0-9_-]{0,4000}(?:\.[A-Za-z0-9_-]{0,4000}){0,2}",
        "eyj",
    ),
    rule(  # the same, or a certificate's key, in base64
        "PRIVATE_KEY",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}(?:UFJJVkFURSBLRVk|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)"
        r"[A-Za-z0-9+/=]{40,8000}",
        "LS0tLS1CRUdJTi",
    ),
    rule(
        "PRIVATE_KEY",
        r"(?:genkey|PrivateKey|PresharedKey)[^\n]{0,40}[\s=\\n]{1,4}([A-Za-z0-9+/]{43}=)",
        "genkey",
        "PrivateKey",
        "PresharedKey",
        group=1,
    ),
    rule(
        "PRIVATE_KEY",
        r"(?i:solana|keypair|secret key|private key)[^\n]{0,30}?[\s:\"']([1-9A-HJ-NP-Za-km-z]{86,88})"
        r"(?![A-Za-z0-9])",
        words=("[1-9A-HJ-NP-Za-km-z]{86}",),
        group=1,
    ),
    rule(
        "PRIVATE_KEY",
        r"(?i:accounts|private|mnemonic|signer|wallet)[^\n]{0,30}?[\"'\s:](0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
        words=("0x[0-9a-fA-F]{64}",),
        group=1,
    ),
    rule("TOKEN", r"discord(?:app)?\.com/api(?:/v\d+)?/webhooks/\d+/([\w-]{40,100})", "/webhooks/", group=1),
    rule("TOKEN", r"(?i)_authtoken\s*=\s*(npm_\w{20,60}|[a-f0-9-]{36})", "_authtoken", group=1),
    rule("TOKEN", r"\.webhook\.office\.com/webhookb2/([^\s\"'<>\\]{40,400})", "/webhookb2/", group=1),
    rule(  # in an address that lets in whoever has it
        "TOKEN",
        r"(?i)[?&;](?:[\w.-]*(?:token|signature|sig|secret|api[_-]?key|access[_-]?key(?:[_-]?id)?|auth|pwd|"
        r"password|credential|hmac|jwt)=(?=[^\s&]{12})|(?:code|state|key|session|ticket)=(?=[^\s&]{20}))"
        r"([^\s&\"'<>;,)\\]{12,2000})",
        group=1,
        words=(
            r"(?i)(?:token|sig|signature|secret|key|keyid|key_id|key-id|auth|pwd|password|credential|hmac|"
            r"jwt|code|state|session|ticket)=",
        ),
        telling=(
            r"(?i)[?&;][\w.-]*(?:token|sig|secret|key|auth|pass|pwd|cred|ticket|hmac|jwt|sess|code|state)"
            r"\w*=",
        ),
        check=random(1),
    ),
)

_LIBRARY: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("aws", "AWSKeyDetector", ("akia", "asia", "abia", "a3t", "aws")),
    ("azure_storage_key", "AzureStorageKeyDetector", ("accountkey=",)),
    ("cloudant", "CloudantDetector", ("cloudant",)),
    ("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("mailchimp", "MailchimpDetector", ("-us",)),
    ("pypi_token", "PypiTokenDetector", ("pypi-ag",)),
    ("sendgrid", "SendGridDetector", ("sg.",)),
    ("slack", "SlackDetector", ("xox", "hooks.slack.com")),
    ("telegram_token", "TelegramBotTokenDetector", (":aa",)),
    ("twilio", "TwilioKeyDetector", ("twilio", "AC", "SK")),
)


def _of_library() -> Iterator[RedactionRule]:
    """The token formats that detect-secrets knows beside ours, without its guesses by entropy and keyword."""
    for module, name, needles in _LIBRARY:
        detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        for pattern in detector.denylist:
            group = 1 if pattern.groups and pattern.pattern.startswith("aws") else 0
            yield RedactionRule(
                kind="TOKEN", text=pattern.pattern, needles=needles, group=group, check=random(group)
            )


def token_rules() -> tuple[RedactionRule, ...]:
    """The rules of this file."""
    return (*_OTHERS, *(_shaped(*one) for one in _SHAPES), *_of_library())
