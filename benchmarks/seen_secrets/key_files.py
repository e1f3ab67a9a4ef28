"""Private and public keys as files: a random source enters, a key in its true encoding leaves.

The RSA numbers are random and no primes: a shape to find, not a key to use.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random


def _der(tag: int, body: bytes) -> bytes:
    size = len(body)
    length = bytes([size]) if size < 128 else bytes([128 + (size.bit_length() + 7) // 8]) + _big(size)
    return bytes([tag]) + length + body


def _big(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _int(rng: Random, size: int) -> bytes:
    return _der(
        2,
        b"\x00"
        + bytes([rng.randint(128, 255)])
        + rng.randbytes(size - 2)
        + bytes([rng.randrange(1, 256, 2)]),
    )


def _rsa(rng: Random) -> bytes:
    parts = [_der(2, b"\x00"), _int(rng, 256), _der(2, b"\x01\x00\x01"), _int(rng, 256)]
    return _der(0x30, b"".join(parts + [_int(rng, 128) for _ in range(5)]))


def _pem(label: str, data: bytes, width: int = 64) -> str:
    text = b64encode(data).decode()
    lines = [text[start : start + width] for start in range(0, len(text), width)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


def pem_rsa(rng: Random) -> str:
    return _pem("RSA PRIVATE KEY", _rsa(rng))


def pem_pkcs8(rng: Random) -> str:
    oid = bytes.fromhex("300d06092a864886f70d0101010500")
    return _pem("PRIVATE KEY", _der(0x30, _der(2, b"\x00") + oid + _der(4, _rsa(rng))))


def pem_ed25519(rng: Random) -> str:
    return _pem("PRIVATE KEY", bytes.fromhex("302e020100300506032b657004220420") + rng.randbytes(32))


def pem_ec(rng: Random) -> str:
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    return _pem("EC PRIVATE KEY", _der(0x30, b"\x02\x01\x01" + _der(4, rng.randbytes(32)) + curve))


def _field(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def pem_openssh(rng: Random) -> str:
    public, check = rng.randbytes(32), rng.randbytes(4)
    blob = _field(b"ssh-ed25519") + _field(public)
    private = check + check + blob + _field(rng.randbytes(32) + public) + _field(b"deploy@bastion")
    private += bytes(range(1, 1 + -len(private) % 8))
    head = b"openssh-key-v1\x00" + _field(b"none") + _field(b"none") + _field(b"") + (1).to_bytes(4, "big")
    return _pem("OPENSSH PRIVATE KEY", head + _field(blob) + _field(private), 70)


def ssh_public(rng: Random) -> str:
    return "ssh-ed25519 " + b64encode(_field(b"ssh-ed25519") + _field(rng.randbytes(32))).decode()


def pem_public(rng: Random) -> str:
    return _pem("PUBLIC KEY", bytes.fromhex("302a300506032b6570032100") + rng.randbytes(32))


def pem_certificate(rng: Random) -> str:
    return _pem("CERTIFICATE", _der(0x30, _der(0x30, rng.randbytes(420)) + _der(3, rng.randbytes(257))))


def pem_pgp(rng: Random) -> str:
    """An armoured OpenPGP secret key with its CRC-24 line (RFC 4880, section 6.1)."""
    data = bytes.fromhex("9503980467") + rng.randbytes(480)
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc = crc << 1 ^ (0x1864CFB if crc & 0x800000 else 0)
    *lines, last = _pem("PGP PRIVATE KEY BLOCK", data).split("\n")
    return "\n".join([*lines, "=" + b64encode((crc & 0xFFFFFF).to_bytes(3, "big")).decode(), last])


KEY_FILES: Mapping[str, Callable[[Random], str]] = {
    "pem_rsa": pem_rsa,
    "pem_pkcs8": pem_pkcs8,
    "pem_ed25519": pem_ed25519,
    "pem_ec": pem_ec,
    "pem_openssh": pem_openssh,
    "pem_pgp": pem_pgp,
    "ssh_public": ssh_public,
    "pem_public": pem_public,
    "pem_certificate": pem_certificate,
}
