"""The vectors of `hardware/terminals/README.md`: by the product, and straight from the tables of that page."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import struct
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hardware.terminals import bundle, frame, keystone
from hardware.terminals.bundle_ack import ack_text, acknowledge, check_acknowledgement

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "tests" / "vectors"


def vector(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((VECTORS / f"{name}-1.json").read_text(encoding="utf-8"))
    return loaded


FRAME, BUNDLE, ACK, CODE = (vector(name) for name in ("palm-frame", "terminal-bundle", "bundle-ack", "keystone-code"))


def signer(of: dict[str, Any]) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(of["signing_seed"]))


def templates(of: dict[str, Any]) -> Any:
    return np.stack([np.frombuffer(bytes.fromhex(row), np.int8) for row in of["templates"]])


def p256(number: str) -> EllipticCurvePrivateKey:
    return derive_private_key(int(number, 16), SECP256R1())


def test_the_palm_frame_comes_out() -> None:
    """Packed, signed, parsed and verified by the product."""
    made = frame.PalmFrame(
        alg=FRAME["alg"],
        kind=frame.TemplateKind(FRAME["kind"]),
        registry_tag=frame.registry_tag(FRAME["registry_id"]),
        key_epoch=FRAME["key_epoch"],
        counter=FRAME["counter"],
        captured_ms=FRAME["captured_ms"],
        nonce=bytes.fromhex(FRAME["nonce"]),
        terminal_tag=keystone.terminal_tag(FRAME["terminal_id"]),
        templates=templates(FRAME),
        quality=FRAME["quality"],
        liveness=FRAME["liveness"],
    )
    whole = frame.sign(frame.pack(made), signer(FRAME), FRAME["terminal_id"], FRAME["intent"])
    assert whole.hex() == FRAME["frame"]
    frame.verify(whole, signer(FRAME).public_key(), FRAME["terminal_id"], FRAME["intent"])
    assert np.array_equal(frame.parse(whole).templates, templates(FRAME))


def test_the_palm_frame_is_laid_out_as_the_page_says() -> None:
    """The frame once more, by `struct` and `hashlib` alone."""
    terminal, intent = FRAME["terminal_id"].encode(), FRAME["intent"].encode()
    head = struct.pack(">4sBBBB", b"ARP1", FRAME["alg"], FRAME["kind"], len(FRAME["templates"]), 0)
    head += hashlib.sha256(b"arc-registry/1\0" + FRAME["registry_id"].encode()).digest()[:8]
    head += struct.pack(">IBBH", FRAME["key_epoch"], FRAME["quality"], 255, 0)
    head += struct.pack(">QQ", FRAME["counter"], FRAME["captured_ms"]) + bytes.fromhex(FRAME["nonce"])
    head += hashlib.sha256(b"arc-terminal/1\0" + terminal).digest()[:4]
    assert (len(head), head.hex()) == (56, FRAME["head"])
    packed = head + bytes.fromhex("".join(FRAME["templates"]))
    lengths = (struct.pack(">H", len(text)) + text for text in (terminal, intent))
    proof = signer(FRAME).sign(b"arc-palm/1\0" + b"".join(lengths) + packed)
    assert (packed + proof).hex() == FRAME["frame"]
    assert proof.hex() == FRAME["signature"]


def test_the_bundle_opens_to_its_plaintext() -> None:
    """The sealed text of the vector, by the terminal's key and the site's, at its time and at no later one."""
    site, terminal = p256(BUNDLE["site_private"]), p256(BUNDLE["terminal_private"])
    opened = bundle.open_bundle(
        BUNDLE["sealed"].encode(),
        terminal,
        [site.public_key()],
        terminal_id=BUNDLE["terminal_id"],
        now_s=BUNDLE["now_s"],
    )
    assert bytes(bundle.pack(opened)).hex() == BUNDLE["plaintext"]
    assert opened.head_sha256.hex() == BUNDLE["head_sha256"]
    assert bundle.thumbprint(site.public_key()) == BUNDLE["site_kid"]
    assert bundle.thumbprint(terminal.public_key()) == BUNDLE["terminal_kid"]
    with pytest.raises(bundle.BundleExpired):
        bundle.open_bundle(
            BUNDLE["sealed"].encode(),
            terminal,
            [site.public_key()],
            terminal_id=BUNDLE["terminal_id"],
            now_s=BUNDLE["now_s"] + 300,
        )


def test_the_bundle_s_plaintext_is_laid_out_as_the_page_says() -> None:
    """Front, head, seed, templates; and the digest that an acknowledgement names."""
    head = BUNDLE["head"].encode()
    plain = b"ARB1" + struct.pack(">I", len(head)) + head
    plain += bytes.fromhex(BUNDLE["seed"] + "".join(BUNDLE["templates"]))
    assert plain.hex() == BUNDLE["plaintext"]
    assert hashlib.sha256(head).hexdigest() == BUNDLE["head_sha256"]
    assert msgspec.json.encode(msgspec.json.decode(head, type=bundle.PalmBundleHead)) == head


def test_the_bundle_s_seed_and_template_are_those_of_the_template_s_vector() -> None:
    """The pages' examples hang together: one registry, one epoch, one template."""
    first = json.loads((VECTORS / "template-1.json").read_text(encoding="utf-8"))[0]
    assert BUNDLE["seed"] == first["seed"]
    assert FRAME["templates"] == BUNDLE["templates"]
    assert templates(FRAME)[0, :8].tolist() == first["t_head"]
    assert hashlib.sha256(templates(FRAME).tobytes()).hexdigest() == first["t_sha256"]


def test_the_acknowledgement_comes_out() -> None:
    """Its text by the product and by the table, and its signature."""
    terminal, issue, head_sha256 = ACK["terminal_id"], ACK["issue"], bytes.fromhex(ACK["head_sha256"])
    assert ack_text(terminal, issue, head_sha256).hex() == ACK["text"]
    text = b"arc-bundle-taken/1\0" + struct.pack(">H", len(terminal)) + terminal.encode()
    text += struct.pack(">Q", issue) + head_sha256
    assert text.hex() == ACK["text"]
    proof = acknowledge(terminal, issue, head_sha256, signer(ACK))
    assert proof.hex() == ACK["signature"]
    check_acknowledgement(proof, terminal, issue, head_sha256, signer(ACK).public_key())
    assert ACK["head_sha256"] == BUNDLE["head_sha256"]


def test_the_code_comes_out() -> None:
    """From the reply of ``qr-rotate`` to the payload, by the product and by HKDF, HMAC and base45 of the page."""
    session = keystone.CodeSession.of_reply(CODE["session_token"], CODE["seed_nonce"], CODE["terminal_id"])
    assert session.payload(CODE["step"]) == CODE["payload"]
    assert session.proves(keystone.parse(CODE["payload"]))
    token, nonce = base64.urlsafe_b64decode(CODE["session_token"] + "="), bytes.fromhex(CODE["seed_nonce"][2:])
    extracted = hmac.new(nonce, token, hashlib.sha256).digest()
    info = b"keystone-qr/1\0" + CODE["terminal_id"].encode()
    key = hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()
    sid = hmac.new(extracted, b"keystone-sid/1\x01", hashlib.sha256).digest()[:8]
    tag = hashlib.sha256(b"arc-terminal/1\0" + CODE["terminal_id"].encode()).digest()[:4]
    assert (key.hex(), sid.hex(), tag.hex()) == (CODE["key"], CODE["sid"], CODE["terminal_tag"])
    signed = b"\x01" + sid + tag + CODE["step"].to_bytes(6, "big")
    whole = signed + hmac.new(key, b"kqr1" + signed, hashlib.sha256).digest()[:16]
    assert whole.hex() == CODE["frame"]
    assert keystone.unbase45(CODE["payload"].removeprefix("KQ1:")) == whole


def test_the_page_shows_the_vectors() -> None:
    """Every long hexadecimal number of the page is part of a vector."""
    vectors = "".join(path.read_text(encoding="utf-8") for path in sorted(VECTORS.glob("*.json")))
    shown = re.findall(r"[0-9a-f]{16,}", (ROOT / "hardware" / "terminals" / "README.md").read_text(encoding="utf-8"))
    assert len(shown) > 5
    assert [number for number in shown if number not in vectors] == []
