"""Signatures of callbacks: the page's vector, and what foreign libraries say of drawn ones."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from app.delivery.webhook_signature import SHORTEST, public_text, read_secret, signed_headers

ROOT = Path(__file__).parents[3]
VECTOR = json.loads((ROOT / "tests" / "vectors" / "callback-1.json").read_text(encoding="utf-8"))
KEY = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTOR["site_key_seed"]))


def test_the_vector_holds_by_foreign_libraries() -> None:
    """``v1`` by ``standardwebhooks``, ``v1a`` by ``cryptography`` under the key as it is published."""
    first, second = VECTOR["webhook_signature"].split(" ")
    at = datetime.fromtimestamp(int(VECTOR["webhook_timestamp"]), UTC)
    assert Webhook(VECTOR["secret"]).sign(VECTOR["webhook_id"], at, VECTOR["body"]) == first
    signed = f"{VECTOR['webhook_id']}.{VECTOR['webhook_timestamp']}.{VECTOR['body']}".encode()
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(VECTOR["site_key"].removeprefix("whpk_")))
    public.verify(base64.b64decode(second.removeprefix("v1a,")), signed)
    assert public_text(KEY.public_key()) == VECTOR["site_key"]


def test_what_is_sent_is_the_vector() -> None:
    """To the byte."""
    headers = signed_headers(
        VECTOR["webhook_id"],
        int(VECTOR["webhook_timestamp"]),
        VECTOR["body"].encode(),
        secret=read_secret(VECTOR["secret"]),
        keys=[KEY],
    )
    assert headers == {
        "Content-Type": "application/json",
        "webhook-id": VECTOR["webhook_id"],
        "webhook-timestamp": VECTOR["webhook_timestamp"],
        "webhook-signature": VECTOR["webhook_signature"],
    }


def test_the_page_shows_the_vector() -> None:
    """What a reader copies from the page is what the file holds."""
    page = (ROOT / "app" / "delivery" / "README.md").read_text(encoding="utf-8")
    shown = [VECTOR[name] for name in ("secret", "site_key", "webhook_id", "webhook_timestamp", "body")]
    shown += VECTOR["webhook_signature"].split(" ")
    assert [text for text in shown if text not in page] == []


def test_nothing_goes_out_unsigned() -> None:
    """Without a secret and without a key there is no call."""
    with pytest.raises(ValueError, match="nobody signs"):
        signed_headers("msg_1", 1, b"{}", secret=None)


@given(st.binary(min_size=SHORTEST, max_size=64), st.text(max_size=200), st.integers(0, 2**33))
def test_any_body_is_signed_as_the_standard_has_it(secret: bytes, body: str, at_s: int) -> None:
    """The same signature as the library's, whatever is signed."""
    body = body.encode("utf-8", "ignore").decode()
    written = "whsec_" + base64.b64encode(secret).decode()
    assert read_secret(written) == read_secret(written.rstrip("=")) == secret
    headers = signed_headers("msg_1", at_s, body.encode(), secret=secret)
    assert headers["webhook-signature"] == Webhook(written).sign("msg_1", datetime.fromtimestamp(at_s, UTC), body)


DIGITS = st.text("AQgw09az+/=- é", max_size=60)


@given(st.one_of(st.text(max_size=80), st.builds("whsec_{}".format, DIGITS)))
def test_any_text_is_a_secret_or_is_refused(text: str) -> None:
    """Nothing else happens, and no secret is shorter than the standard has it."""
    try:
        secret = read_secret(text)
    except ValueError:
        return
    assert text.startswith("whsec_")
    assert len(secret) >= SHORTEST
