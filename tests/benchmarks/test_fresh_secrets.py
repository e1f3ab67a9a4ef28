"""The fresh set of planted secrets: valid values, and labels that stand in the texts."""

from __future__ import annotations

import hashlib
import re
import sys
import zlib
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parent.parent.parent))

from benchmarks.fresh_credentials import BASE58, BECH32, CREDENTIALS, base58check, bech32_sum
from benchmarks.fresh_numbers import BBANS, CARDS, NUMBERS, VALID, bare
from benchmarks.fresh_values import PERSONAL, PHONES

from benchmarks import fresh_secrets, fresh_templates, planted_secrets

SEEDS = range(5)
SPECIMENS = {  # numbers that the issuers or the standards publish as examples
    "steuer_id": "86095742719", "kvnr": "A123456780", "dni": "12345678Z", "bsn": "111222333",
    "pesel": "44051401359", "cpf": "11144477735", "tckn": "10000000146", "codice_fiscale": "RSSMRA85T10A562S",
    "nir": "255081416802538", "personnummer": "8112289874", "hetu": "131052308T", "rrn": "85073003328",
    "sin": "046454286", "aadhaar": "234123412346", "my_number": "123456789018", "cn_id": "11010519491231002X",
    "ahv": "7569217076985", "tfn": "123456782", "nhs": "9434765919", "nif": "123456789",
    "cnp": "1800101221144", "rodne_cislo": "7103192745", "za_id": "8001015009087", "card": "4111111111111111",
    "iban": "GB82WEST12345698765432",
}  # fmt: skip
IBAN_LENGTHS = {
    "DE": 22, "GB": 22, "FR": 27, "NL": 18, "ES": 24, "IT": 27, "AT": 20, "BE": 16, "CH": 21, "PL": 28,
    "PT": 25, "TR": 26, "CZ": 24, "NO": 15, "FI": 18, "GR": 27, "RO": 24, "HU": 28, "LU": 20, "SE": 24,
}  # fmt: skip
CARD_LENGTHS = {"amex": 15, "diners": 14, "unionpay": 19}


def draws(kind: str, n: int = 40) -> list[str]:
    return [fresh_secrets.SECRETS[kind](Random(f"draw:{seed}")) for seed in range(n)]


@pytest.mark.parametrize("kind", sorted(VALID))
def test_a_check_passes_the_published_specimen_and_fails_its_neighbours(kind: str) -> None:
    specimen = SPECIMENS[kind]
    assert VALID[kind](specimen)
    digit = max(i for i, c in enumerate(specimen[:-1]) if c.isdigit())
    changed = [specimen[:digit] + d + specimen[digit + 1 :] for d in "0123456789" if d != specimen[digit]]
    assert sum(map(VALID[kind], changed)) <= 1  # a check digit modulo 10 of modulo 11 lets one pass


def test_every_drawn_number_passes_its_check() -> None:
    for kind in NUMBERS:
        assert all(VALID[kind](bare(value)) for value in draws(kind)), kind


def test_cards_pass_luhn_and_have_their_issuers_length() -> None:
    for issuer in CARDS:
        for value in draws(f"card_{issuer}"):
            digits = re.sub("[ -]", "", value)
            odd, even = digits[-1::-2], digits[-2::-2]
            assert (sum(map(int, odd)) + sum(sum(divmod(2 * int(d), 10)) for d in even)) % 10 == 0
            assert len(digits) == CARD_LENGTHS.get(issuer, 16)


def test_ibans_have_their_countrys_length_and_right_check_digits() -> None:
    assert set(BBANS) == set(IBAN_LENGTHS)
    for country, length in IBAN_LENGTHS.items():
        for value in draws(f"iban_{country}"):
            plain, rest = value.replace(" ", ""), 0
            for c in plain[4:] + plain[:4]:
                rest = (rest * (100 if c.isalpha() else 10) + int(c, 36)) % 97
            assert rest == 1 and len(plain) == length


def test_coded_keys_carry_the_checksum_of_their_own_format() -> None:
    first = base58check(b"\x80" + bytes(31) + b"\x01\x01")  # the private key 1
    assert first == "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn"
    published = "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"  # BIP 173
    for text in (published, *(value.lower() for value in draws("age_key"))):
        prefix, _, data = text.rpartition("1")
        expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
        assert bech32_sum(expanded + [BECH32.index(c) for c in data]) == 1
    for value in draws("wallet_key"):
        number = 0
        for c in value:
            number = number * 58 + BASE58.index(c)
        raw = number.to_bytes(38)
        assert hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]
    for value in draws("grafana"):
        assert f"{zlib.crc32(value[:-9].encode()):08x}" == value[-8:]


def test_every_planted_part_stands_once_in_its_text_and_a_look_alike_has_none() -> None:
    for seed in SEEDS:
        for one in fresh_secrets.planted(seed):
            assert one.secrets and all(secret and one.text.count(secret) == 1 for secret in one.secrets), one
        assert not any(one.secrets for one in fresh_secrets.look_alikes(seed) + fresh_secrets.debatable(seed))


def test_the_sets_are_large_distinct_and_cover_the_countries() -> None:
    for seed in SEEDS:
        planted, harmless = fresh_secrets.planted(seed), fresh_secrets.look_alikes(seed)
        assert len({one.text for one in planted}) == len(planted) >= 250
        assert len({one.text for one in harmless}) == len(harmless) >= 240
        assert not {one.text for one in planted} & {one.text for one in harmless}
    assert len(PHONES) >= 15 and len(BBANS) >= 15
    assert set(CREDENTIALS) <= {one.kind for one in planted}


def test_nothing_stands_in_the_first_set_too() -> None:
    for seed in SEEDS:
        first = planted_secrets.planted(seed) + planted_secrets.look_alikes(seed)
        fresh = fresh_secrets.planted(seed) + fresh_secrets.look_alikes(seed) + fresh_secrets.debatable(seed)
        assert not {one.text for one in first} & {one.text for one in fresh}
        long = {part for one in first for part in one.secrets if len(part) > 6}
        assert not long & {part for one in fresh for part in one.secrets}
    known, own = (
        {text for texts in (*made.TEMPLATES.values(), *made.LOOK_ALIKES.values()) for text in texts}
        for made in (planted_secrets, fresh_secrets)
    )
    own |= {*fresh_secrets.NAMED, *fresh_secrets.BARE, *fresh_templates.ABROAD}
    assert not own & (known | set(planted_secrets.CONTEXTS))


def test_no_marker_of_a_template_is_left_in_a_text() -> None:
    for one in fresh_secrets.planted(0):
        assert not re.search(r"<<\w+>>|\{\{\w+\}\}|\b(?:VALUE|HOST)\b|\bNAME=", one.text), one


def test_a_seed_decides_the_texts() -> None:
    for make in (fresh_secrets.planted, fresh_secrets.look_alikes, fresh_secrets.debatable):
        assert make(3) == make(3)
        assert make(3) != make(4)


def test_no_look_alike_holds_a_card_or_an_iban() -> None:
    for seed in SEEDS:
        for one in fresh_secrets.look_alikes(seed):
            for run in re.findall(r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d{2,7}){2,4}(?![\w.-])", one.text):
                digits = re.sub("[ -]", "", run)
                assert not (13 <= len(digits) <= 19 and VALID["card"](digits)), one
            for run in re.findall(r"\b[A-Z]{2}\d{2}[ ]?(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{0,4}\b", one.text):
                plain = run.replace(" ", "")
                assert IBAN_LENGTHS.get(plain[:2]) != len(plain) or not VALID["iban"](plain), one


def test_private_data_in_values_is_global_and_well_formed() -> None:
    assert all(not value.startswith(("10.", "127.", "192.168.")) for value in draws("ip"))
    assert all(re.fullmatch(r"(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}", value) for value in draws("mac"))
    assert all(re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z.]+", value) for value in draws("email"))
    assert all(re.fullmatch(r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", value) for value in draws("ssn"))
    assert all(re.fullmatch(r"[A-Z]{2} ?(\d\d ?){3}[A-D]", value) for value in draws("nino"))
    assert set(PERSONAL) <= set(fresh_secrets.SECRETS)
