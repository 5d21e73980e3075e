"""The terminal's bundle: only its terminal reads it, only its site makes it, and another implementation agrees."""

from __future__ import annotations

import base64
import secrets

import msgspec
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from hypothesis import given, settings
from hypothesis import strategies as st
from joserfc import jwe, jws
from joserfc.jwk import ECKey

from hardware.terminals.bundle import (
    MOST_ROWS,
    BundleExpired,
    BundleForged,
    BundleShape,
    EntryRules,
    KeyWrap,
    PalmBundle,
    PalmBundleError,
    PalmBundleHead,
    PartitionHead,
    open_bundle,
    pack,
    parse,
    seal,
)

NOW = 1_790_000_000
SITE, OTHER_SITE, TERMINAL, OTHER_TERMINAL = (generate_private_key(SECP256R1()) for _ in range(4))
RULES = EntryRules(floor=0.4, margin=0.08, limit=5.5, alone=0.5, copy=0.995, liveness_min=60)


def bundle(nodes: int = 3, **changed: object) -> PalmBundle:
    """One of this moment for ``T-1`` with two templates a node; no partition without nodes."""
    partition = PartitionHead(NOW + 3600, [(f"ARC-{n}", 2) for n in range(nodes)], RULES) if nodes else None
    head = PalmBundleHead("site.example", "T-1", 7, NOW, NOW + 300, "default", 1, 2, 3, ["ARC-BURNED"], partition)
    rows = np.random.default_rng().integers(-127, 128, (2 * nodes, 512)).astype(np.int8)
    return PalmBundle(msgspec.structs.replace(head, **changed), bytearray(secrets.token_bytes(32)), rows)


def opened(text: bytes, now_s: float = NOW) -> PalmBundle:
    return open_bundle(text, TERMINAL, [OTHER_SITE.public_key(), SITE.public_key()], terminal_id="T-1", now_s=now_s)


@pytest.mark.parametrize("alg", ["ECDH-ES", "ECDH-ES+A256KW"])
@pytest.mark.parametrize("nodes", [0, 3])
def test_another_implementation_opens_the_same(alg: KeyWrap, nodes: int) -> None:
    """joserfc decrypts and verifies what we made, and what it makes opens here."""
    made = bundle(nodes)
    text = seal(made, SITE, TERMINAL.public_key(), alg)
    mine = opened(text)
    assert (mine.head, mine.seed) == (made.head, made.seed)
    assert np.array_equal(mine.templates, made.templates)
    outer = jwe.decrypt_compact(text.decode(), ECKey.import_key(TERMINAL))
    inner = jws.deserialize_compact(outer.plaintext or b"", ECKey.import_key(SITE.public_key()), algorithms=["ES256"])
    assert inner.payload == bytes(pack(made))
    header = {"typ": "arc-bundle+jws", "alg": "ES256", "kid": ECKey.import_key(SITE.public_key()).thumbprint()}
    signed = jws.serialize_compact(header, bytes(pack(made)), ECKey.import_key(SITE))
    apv = base64.urlsafe_b64encode(b"T-1").rstrip(b"=").decode()
    reader = ECKey.import_key(TERMINAL.public_key())
    outside = {"typ": "arc-bundle+jwe", "alg": alg, "enc": "A256GCM", "kid": reader.thumbprint(), "apv": apv}
    theirs = opened(jwe.encrypt_compact(outside, signed.encode(), reader).encode())
    assert (theirs.head, theirs.seed) == (made.head, made.seed)


def test_what_is_altered_anywhere_is_refused() -> None:
    """One bit of any part of what is sealed."""
    text = seal(bundle(), SITE, TERMINAL.public_key(), "ECDH-ES+A256KW")
    parts = text.split(b".")
    assert len(parts) == 5
    for number, part in enumerate(parts):
        for at in (0, len(part) // 2):
            other = bytes([ord("A") if part[at] != ord("A") else ord("B")])
            changed = [*parts[:number], part[:at] + other + part[at + 1 :], *parts[number + 1 :]]
            with pytest.raises(PalmBundleError):
                opened(b".".join(changed))


def test_what_is_another_s_is_refused() -> None:
    """Sealed to another key or another terminal, made for another, signed by nobody whom this terminal knows."""
    with pytest.raises(BundleForged, match="another terminal"):
        opened(seal(bundle(), SITE, OTHER_TERMINAL.public_key()))
    with pytest.raises(BundleForged, match="another terminal"):
        opened(seal(bundle(aud="T-2"), SITE, TERMINAL.public_key()))
    text = seal(bundle(), SITE, TERMINAL.public_key())
    with pytest.raises(BundleForged, match="site"):
        open_bundle(text, TERMINAL, [OTHER_SITE.public_key()], terminal_id="T-1", now_s=NOW)
    # The party is in the key: with the header's word changed it does not open at all.
    with pytest.raises(BundleForged):
        open_bundle(text, TERMINAL, [SITE.public_key()], terminal_id="T-2", now_s=NOW)


def test_another_kind_of_document_by_the_site_is_no_bundle() -> None:
    """The site's key signs other things too: the type decides, and it is signed."""
    header = {"typ": "secevent+jwt", "alg": "ES256", "kid": ECKey.import_key(SITE.public_key()).thumbprint()}
    signed = jws.serialize_compact(header, bytes(pack(bundle())), ECKey.import_key(SITE))
    reader = ECKey.import_key(TERMINAL.public_key())
    outside = {"typ": "arc-bundle+jwe", "alg": "ECDH-ES", "enc": "A256GCM", "kid": reader.thumbprint(), "apv": "VC0x"}
    with pytest.raises(BundleShape, match="header"):
        opened(jwe.encrypt_compact(outside, signed.encode(), reader).encode())


@pytest.mark.parametrize(
    ("changed", "now_s"),
    [
        ({}, NOW + 300),
        ({}, NOW - 31),
        ({"exp": NOW + 301}, NOW),
        ({"partition": PartitionHead(NOW, [("ARC-0", 2), ("ARC-1", 2), ("ARC-2", 2)], RULES)}, NOW),
        ({"partition": PartitionHead(NOW + 604_801, [("ARC-0", 6)], RULES)}, NOW),
    ],
)
def test_what_is_not_of_this_time_is_refused(changed: dict[str, object], now_s: float) -> None:
    """Too late, too early, opened for too long, ended, or without an end that may be."""
    with pytest.raises(BundleExpired):
        opened(seal(bundle(**changed), SITE, TERMINAL.public_key()), now_s)


def test_a_partition_has_its_bounds() -> None:
    """A node twice, more templates than are there, more than a terminal holds."""
    twice = bundle(partition=PartitionHead(NOW + 60, [("ARC-0", 3), ("ARC-0", 3)], RULES))
    with pytest.raises(BundleShape, match="twice"):
        parse(pack(twice))
    with pytest.raises(ValueError, match="templates"):
        pack(bundle(partition=PartitionHead(NOW + 60, [("ARC-0", 5)], RULES)))
    with pytest.raises(BundleShape, match="templates"):
        parse(pack(bundle())[:-1])
    many = [(f"ARC-{n}", 255) for n in range(MOST_ROWS // 255 + 1)]
    head = msgspec.json.encode(bundle(partition=PartitionHead(NOW + 60, many, RULES)).head)
    with pytest.raises(BundleShape, match="large"):
        parse(b"ARB1" + len(head).to_bytes(4, "big") + head + bytes(32))


def test_a_bundle_shows_nothing_of_its_secrets() -> None:
    """Neither its text nor an error."""
    made = bundle()
    assert "seed" not in repr(made)
    assert "templates" not in repr(made)
    made.wipe()
    assert not any(made.seed)
    assert not made.templates.any()


@settings(max_examples=60)
@given(st.binary(max_size=400))
def test_any_bytes_are_a_bundle_or_refused(data: bytes) -> None:
    """Plaintext from outside: `BundleShape`, and nothing else."""
    for raw in (data, b"ARB1" + len(data).to_bytes(4, "big") + data + bytes(32)):
        with pytest.raises(BundleShape):
            parse(raw)


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=60), min_size=5, max_size=5), st.binary(max_size=200))
def test_any_text_is_a_bundle_or_refused(parts: list[bytes], junk: bytes) -> None:
    """What a wire may bring: `PalmBundleError`, and nothing else, also behind a header that is right."""
    good = seal(bundle(0), SITE, TERMINAL.public_key()).split(b".")[0]
    coded = [base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts]
    for text in (junk, b".".join(parts), b".".join(coded), b".".join([good, *coded[1:]])):
        with pytest.raises(PalmBundleError):
            opened(text)
