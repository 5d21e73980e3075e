"""The vector of a notice that ``app/delivery/README.md`` shows, recomputed."""

from __future__ import annotations

import base64
import hmac
import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa

from app.delivery.mail_message import MailIdentity, bounce_address, notice_of_bounce
from app.delivery.notice_content import NoticeParcel, https_content

ROOT = Path(__file__).parents[3]
VECTOR = json.loads((ROOT / "tests" / "vectors" / "notice-1.json").read_text(encoding="utf-8"))


def test_a_bounce_address_is_that_of_the_vector() -> None:
    """By the product and by the standard library alone; the page shows it."""
    secret = bytes.fromhex(VECTOR["bounce_secret"])
    mac = hmac.digest(secret, b"bounce/v1|" + VECTOR["notice_id"].encode(), "sha256")[:10].hex()
    assert VECTOR["bounce_address"] == f"bounce+{VECTOR['notice_id'][4:]}.{mac}@{VECTOR['domain']}"
    key = rsa.generate_private_key(65537, 2048)
    identity = MailIdentity("n@site.example", VECTOR["domain"], "arc-1", key, secret)
    assert bounce_address(identity, VECTOR["notice_id"]) == VECTOR["bounce_address"]
    assert notice_of_bounce(secret, VECTOR["bounce_address"]) == VECTOR["notice_id"]
    assert VECTOR["bounce_address"] in (ROOT / "app/delivery/README.md").read_text(encoding="utf-8")


def test_a_call_is_that_of_the_vector() -> None:
    """The body to the byte; the page shows it."""
    pdf = base64.b64decode(VECTOR["declaration_pdf"])
    parcel = NoticeParcel("s", "t", pdf, VECTOR["notice_json"].encode(), VECTOR["notice_jws"])
    assert https_content(VECTOR["notice_id"], parcel).body.decode() == VECTOR["body"]
    assert VECTOR["body"] in (ROOT / "app/delivery/README.md").read_text(encoding="utf-8")
