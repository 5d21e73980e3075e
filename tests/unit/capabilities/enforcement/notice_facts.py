"""Facts of a strike for tests of texts, and a signer with a root of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from app.api.wire import unix_us
from app.capabilities.enforcement.declaration import DeclarationSigner
from app.capabilities.enforcement.jurisdictions import SHIPPED, Law, load_laws
from app.capabilities.enforcement.messages import CopyrightWork, Declarant, StrikeEvidence
from app.capabilities.enforcement.notice import NoticeFacts, StrikeRecord
from app.ledger.stamps.timestamp import StampAuthority
from app.pki.authority import Root, SiteAuthority, make_root

BOOK = load_laws(SHIPPED)
CODES = ("CN", "EU", "GB", "IN", "US", "US-CA", "US-IL", "US-NCII", "US-NY", "US-TN")
AT = "2026-11-25T12:00:00.000000Z"
TOKEN = "ARC-ST-0123456789ABCDEFGHJKMNPQRSTVWXYZ"
URLS = ["https://video.example/v/88121", "https://video.example/v/88122"]


def whole_record(**changes: Any) -> StrikeRecord:
    """Everything that any law asks for."""
    said: dict[str, Any] = {
        "content_urls": URLS,
        "statement": "The recording shows my voice and face, made by a machine.\nI never agreed to it.",
        "declarant": Declarant(
            name="Training Person One",
            capacity="the person shown",
            attested=True,
            email="one@training.invalid",
            postal_address="1 Training Street",
            phone="+1 555 0100",
        ),
        "work": CopyrightWork(title="A training recording", owner="Training Person One", registration="TR-1"),
        "nature": "impersonation",
        "attested_us": unix_us(AT),
        "attested_by": "key-test",
    }
    return StrikeRecord(**{**said, **changes})


def facts(law: Law | str = "US", *, automated: bool = False, **changes: Any) -> NoticeFacts:
    """A strike under a law; ``changes`` are of the record."""
    return NoticeFacts(
        strike_id="str_0123456789abcdef0123",
        law=BOOK.laws[law] if isinstance(law, str) else law,
        target="scan_0123456789abcdef0123",
        automated=automated,
        at_us=unix_us(AT),
        record=whole_record(**changes),
        evidence=StrikeEvidence(
            kind="scan",
            ref="scan_0123456789abcdef0123",
            known=True,
            title="Media scan scan_0123456789abcdef0123 of this site",
            facts=["Verdict MANIPULATED, score 0.991."],
        ),
        mandate="KNOT-0123456789ABCDEF",
        training=True,
    )


class TestAuthority:
    """A training root with the keys that sign declarations and time stamps."""

    __test__ = False

    def __init__(self) -> None:
        keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(3)]
        self.now = datetime.now(UTC)
        root = make_root(keys[0], training=True, site="training.invalid", now=self.now)
        self.authority = SiteAuthority(Root(root, keys[0]), training=True)
        self.root = root
        self.key = keys[1]
        self.certificate = self.authority.declaration_signer(keys[1].public_key()).certificate
        stamper = self.authority.stamp_signer(keys[2].public_key()).certificate
        self.stamps = StampAuthority(stamper, keys[2], "2.25.7", [root])
        self.signer = DeclarationSigner(keys[1], [self.certificate, root], self.stamps)
