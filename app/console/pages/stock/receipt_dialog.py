"""A signed receipt as a person reads it: its claims one by one, and the file that proves them without the site."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.capabilities.provisioning.messages import Receipt
from app.console import theme
from app.console.cards.words import EVIDENCE
from app.console.code_words import code_word
from app.console.language import tr
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.scroller import scroller
from app.console.widgets.text import label

CLAIMS = (
    ("issued_at", tr("Issued"), False),
    ("site", tr("Site"), True),
    ("node_id", tr("Written for"), True),
    ("hardware_uid", tr("Card, as asked"), True),
    ("hardware_uid_now", tr("Card, now"), True),
    ("card_guid", tr("Card GUID"), True),
    ("fips", "FIPS", False),
    ("verification", tr("Proven"), False),
    ("keys", tr("Keys made on it"), False),
    ("management", tr("Management key"), False),
    ("operator", tr("Operator"), True),
    ("approver", tr("Approver"), True),
    ("audit", tr("Audit log entry"), False),
    ("journal", tr("Journal SHA-256"), True),
    ("digest", tr("Receipt SHA-256"), True),
)

PROOFS = {
    "read_back": tr("Read back"),
    "proof_of_possession": tr("Proof of possession"),
    "chuid_signature": tr("CHUID signature"),
    "security_object": tr("Security object"),
}


def receipt_bytes(receipt: Receipt) -> bytes:
    """The file: a flattened JWS (RFC 7515, 7.2.2), byte for byte as the site keeps it, so its SHA-256 is that of the
    list of receipts."""
    return msgspec.json.encode(receipt)


def claims_of(receipt: Receipt) -> dict[str, Any]:
    """The payload. Raises ValueError where it is none."""
    raw = base64.urlsafe_b64decode(receipt.payload + "=" * (-len(receipt.payload) % 4))
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ValueError("the receipt's payload is no JSON object") from error


def claim_words(claims: Mapping[str, Any], who: Callable[[str], str]) -> dict[str, str]:
    """The claims of ``CLAIMS`` in words; what a receipt does not have is left out. ``who``: the words for an
    operator or a key."""
    written, fips = claims["provision"], claims["provision"]["fips"]
    proven = [PROOFS.get(name, sentence_case(name)) for name, held in (written["verification"] or {}).items() if held]
    evidence = tr(", no evidence")
    if fips["evidence"] != "none":
        evidence = tr(", evidence {evidence}", evidence=EVIDENCE.get(fips["evidence"], fips["evidence"]))
    weak = tr(" (the card takes no stronger one)") if written["weak_management_key"] else ""
    log = claims["audit"]
    return {
        "issued_at": claims["issued_at"],
        "site": claims["site"],
        "node_id": written["node_id"],
        "hardware_uid": written["hardware_uid"],
        "hardware_uid_now": written["hardware_uid_now"] or "",
        "card_guid": written["card_guid"],
        "fips": f"{fips['required']}: {code_word(fips['verdict'])}{evidence}",
        "verification": ", ".join(proven),
        "keys": ", ".join(f"{slot['slot']} {slot['algorithm']}" for slot in written["slots"]),
        "management": f"{written['management_algorithm']}{weak}",
        "operator": who(claims["operator"]),
        "approver": who(claims["approver"] or ""),
        "audit": tr("{entry:,} of {log}", entry=log["index"], log=log["log"]),
        "journal": claims["journal_sha256"],
    }


class ReceiptDialog(Dialog):
    """Emits ``saving`` when the receipt is to be kept as a file."""

    saving = Signal()

    def __init__(self, window: QWidget, receipt: Receipt, who: Callable[[str], str]) -> None:
        super().__init__(window)
        self.receipt = receipt
        claims = claims_of(receipt)
        self.setWindowTitle(tr("Receipt"))
        self.setAccessibleName(tr("Receipt"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_dialog(self, 640, 600)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("Receipt"), "title"))
        column.addWidget(
            label(
                tr(
                    "What the site signed when the card was finished. The file proves it to anybody who has "
                    "the site's root; arc-console verify FILE checks it."
                ),
                "dim",
                wrap=True,
            )
        )
        if claims.get("training"):
            column.addWidget(StateMark(Meaning.WARN, tr("TRAINING: a real site refuses it")))
        self.facts = Facts(CLAIMS)
        for key, words in claim_words(claims, who).items():
            self.facts.set(key, words)
        self.facts.set("digest", hashlib.sha256(receipt_bytes(receipt)).hexdigest())
        # Values wrap to the width there is, instead of dictating one.
        self.facts.setMinimumWidth(theme.px(200))
        column.addWidget(scroller(self.facts, tr("What the receipt says"), sideways=True), 1)
        row = QHBoxLayout()
        row.addStretch(1)
        self.save = QPushButton(tr("Save receipt"))
        self.save.setAccessibleName(tr("Save receipt"))
        self.save.setProperty("role", "primary")
        self.save.setDefault(True)
        self.save.clicked.connect(self.saving)
        row.addWidget(plain_button(tr("Close"), self.reject))
        row.addWidget(self.save)
        column.addLayout(row)
        self.save.setFocus()
