"""Forms of the seals: a consent to seal, and the reason for which one is taken back."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.capabilities.provenance.messages import Consent, KnotSealBody, Subject
from app.console.clock import date_time, zone_name
from app.console.failures import Failure
from app.console.files import ask_open
from app.console.language import tr
from app.console.moments import api_time, parse_moment
from app.console.tasks import Tasks
from app.console.widgets.choice import ChoiceField
from app.console.widgets.form import FormDialog

TIME = tr("A date and a time, as 2026-01-31 14:32.")
SHAPES = {
    "node_id": tr("Choose a person, or type a node id: 3 to 64 letters, digits and . _ : -"),
    "purpose": tr("1 to 32 purposes, one a line, each at most 200 characters."),
    "scope": tr("1 to 32 things, one a line, each at most 200 characters."),
    "controller": tr("Who answers for the data: 1 to 200 characters."),
    "given_at": TIME,
    "expires_at": TIME,
    "jurisdiction": tr("A country as DE, or one of its parts as US-CA."),
    "withdrawal": tr("At most 4,000 characters."),
    "media_sha256": tr("SHA-256 digests, 64 hexadecimal digits each, one a line, at most 256."),
    "media_type": tr("A media type, as image/png."),
    "evidence": tr("At most 16, one a line: voice, palm, stylized or card, then the reference, as card prv_1."),
}
KINDS = ("voice", "palm", "stylized", "card")
CHUNK = 1 << 20


class SealForm(FormDialog):
    """Emits ``asked`` with a ``KnotSealBody``; stays open until the presenter accepts it. ``searched`` asks for people.

    ``now``: Unix seconds of the service.
    """

    asked = Signal(object)

    def __init__(self, window: QWidget, now: Callable[[], float]) -> None:
        super().__init__(
            window,
            tr("Seal a consent"),
            tr("What the person agreed to becomes a leaf of the seal log. Witnesses cosign it; nobody can change it."),
            # A text of its own: the seal and to seal are one word in English alone.
            tr("Seal{consent}", consent=""),
            shapes=SHAPES,
        )
        self._now = now
        self._tasks = Tasks(
            lambda error: self.mark("media_sha256", tr("The file cannot be read: {error}.", error=error))
        )
        self.node = ChoiceField(tr("Person or node id"), name=tr("Person"))
        self.add("node_id", tr("Person"), self.node)
        self.purpose = self.text("purpose", tr("Purpose"), tr("Identity check at the door"), height=48)
        self.controller = self.line("controller", tr("Controller"), tr("Who answers for the data"))
        self.scope = self.text("scope", tr("Scope"), tr("Card\nVoice"), height=48)
        zone = zone_name()
        self.given = self.line("given_at", tr("Given at ({zone})", zone=zone), "2026-01-31 14:32")
        self.given.setText(date_time(now())[:16])
        self.ends = self.line("expires_at", tr("Ends at ({zone})", zone=zone), tr("Empty: no end is agreed"))
        self.jurisdiction = self.line("jurisdiction", tr("Jurisdiction"), "DE")
        self.withdrawal = self.line("withdrawal", tr("How to withdraw"), tr("At the badge office, at any time"))
        self.media = self.text(
            "media_sha256", tr("Media (SHA-256)"), tr("Empty: the consent is about no medium"), height=48
        )
        self.media_type = self.line("media_type", tr("Media type"), "image/png")
        self.evidence = self.text("evidence", tr("Live checks"), "card prv_1", height=48)
        row = QHBoxLayout()
        self.hash_file = QPushButton(tr("Take a file's digest…"))
        self.hash_file.setAccessibleName(tr("Take a file's digest"))
        self.hash_file.setAutoDefault(False)
        self.hash_file.clicked.connect(self._ask_file)
        row.addWidget(self.hash_file)
        row.addStretch(1)
        self.body.addLayout(row)
        self.finished.connect(lambda _result: self._tasks.cancel())
        self.node.setFocus(Qt.FocusReason.PopupFocusReason)

    # --- a medium ----------------------------------------------------------------------------------------------------

    def _ask_file(self) -> None:
        ask_open(self, tr("A medium that the consent is about"), lambda paths: self.take_file(paths[0]), pictures=True)

    def take_file(self, path: Path) -> None:
        """Add the digest of a file; the file itself goes nowhere."""
        self._tasks.spawn(self._take(path), name="digest of a medium")

    async def _take(self, path: Path) -> None:
        digest = await asyncio.to_thread(_digest, path)
        if digest not in _rows(self.media):
            self.media.appendPlainText(digest)
        if not self.media_type.text().strip():
            self.media_type.setText(mimetypes.guess_type(path.name)[0] or "application/octet-stream")

    # --- asking ------------------------------------------------------------------------------------------------------

    def ask(self) -> bool:
        consent = {
            "purpose": _rows(self.purpose),
            "controller": self.controller.text().strip(),
            "scope": _rows(self.scope),
            "given_at": self._time("given_at", self.given.text(), needed=True),
            "expires_at": self._time("expires_at", self.ends.text(), needed=False),
            "jurisdiction": self.jurisdiction.text().strip().upper() or None,
            "withdrawal": self.withdrawal.text().strip() or None,
        }
        chosen = self.node.choice
        node_id = chosen.id if chosen is not None else self.node.text().strip()
        evidence = []
        for row in _rows(self.evidence):
            kind, _, ref = row.replace(":", " ", 1).partition(" ")
            if kind.lower() not in KINDS or not ref.strip():
                self.mark("evidence", SHAPES["evidence"])
            evidence.append({"type": kind.lower(), "ref": ref.strip()})
        digests, media_type = [row.lower() for row in _rows(self.media)], self.media_type.text().strip()
        if digests and not media_type:
            self.mark("media_type", SHAPES["media_type"])
        if media_type and not digests:
            self.mark("media_sha256", SHAPES["media_sha256"])
        # Each field by itself: a person wants to know of all that is wrong.
        for key, value in consent.items():
            if value is not None:
                self._check_shape(key, {**GOOD_CONSENT, key: value}, Consent)
        if digests and media_type:
            self._check_shape("media_sha256", {"media_sha256": digests, "media_type": "image/png"}, Subject)
            self._check_shape("media_type", {"media_sha256": ["0" * 64], "media_type": media_type}, Subject)
        self._check_shape("node_id", {"node_id": node_id, "consent": GOOD_CONSENT}, KnotSealBody)
        self._check_shape("evidence", {"node_id": "x-1", "consent": GOOD_CONSENT, "evidence": evidence}, KnotSealBody)
        if self.marked:
            return False
        subject = {"media_sha256": digests, "media_type": media_type} if digests else None
        body = {"node_id": node_id, "consent": consent, "subject": subject, "evidence": evidence}
        self.asked.emit(msgspec.convert(body, KnotSealBody))
        return True

    def _check_shape(self, key: str, value: object, kind: type[msgspec.Struct]) -> None:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            self.mark(key, SHAPES[key])

    def _time(self, key: str, text: str, *, needed: bool) -> str | None:
        if not text.strip():
            if needed:
                self.mark(key, TIME)
            return None
        at = parse_moment(text, self._now())
        if at is None:
            self.mark(key, TIME)
            return None
        return api_time(at)

    def show_failure(self, failure: Failure) -> None:
        """Show a failure; what the service names inside of ``consent`` and ``subject`` has a field of its own here."""
        fields = tuple((re.sub("^/(consent|subject)(?=/)", "", pointer), detail) for pointer, detail in failure.fields)
        super().show_failure(failure._replace(fields=fields))


GOOD_CONSENT = {"purpose": ["x"], "controller": "x", "scope": ["x"], "given_at": "2026-01-01T00:00:00Z"}
"""A consent whose every field is in shape, to look at one of another by itself."""


class WithdrawForm(FormDialog):
    """Asks whether a consent is really taken back, and why. Emits ``asked`` with the reason, which may be empty."""

    asked = Signal(str)

    def __init__(self, window: QWidget, knot_id: str, node_id: str) -> None:
        super().__init__(
            window,
            tr("Withdraw the consent?"),
            tr(
                "{knot} of {person} ends by a new leaf. The first one stays, as it must; this cannot be "
                "undone. A new consent needs a new seal.",
                knot=knot_id,
                person=node_id,
            ),
            tr("Withdraw it"),
            shapes={"reason": SHAPES["withdrawal"]},
        )
        self.reason = self.line("reason", tr("Reason"), tr("Asked for by the person (may stay empty)"))
        self.reason.setMaxLength(4000)
        self.reason.setFocus()

    def ask(self) -> bool:
        self.asked.emit(self.reason.text().strip())
        return True


def _rows(field: QPlainTextEdit) -> list[str]:
    return [line.strip() for line in field.toPlainText().splitlines() if line.strip()]


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()
