"""Reports of mail servers about notices that were sent: delivery status notifications (RFC 3464).

A report is believed if it came to a bounce address of this site, whose MAC nobody else can make (``mail_message.py``).
What stands in it was written by any server on the way: it decides ``delivered`` or ``bounced`` and is shown as text,
and nothing else follows from it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from typing import Final, Literal

from app.delivery.mail_message import notice_of_bounce

REPORT_LIMIT: Final = 1 << 20
"""Longest report that is read, in bytes; of a longer one the beginning."""
SAID_LIMIT: Final = 300
_ADDRESSED: Final = ("delivered-to", "x-original-to", "envelope-to", "to")
"""Headers that name the bounce address, by how close to the mailbox they were written."""
_BOUNCE: Final = re.compile(r"bounce\+[0-9a-f.]{50,60}@", re.ASCII | re.IGNORECASE)
_STATUS: Final = re.compile(r"[245]\.[0-9]{1,3}\.[0-9]{1,3}")
_ACTIONS: Final[tuple[tuple[str, Literal["delivered", "bounced"], str], ...]] = (
    ("failed", "bounced", "A mail server reports that it was refused"),
    ("delivered", "delivered", "A mail server reports that it reached the mailbox"),
)
"""Actions that count (RFC 3464, 2.3.3), the one first that decides where there are several; ``delayed``, ``relayed``
and ``expanded`` say nothing of the mailbox."""
_UNPRINTABLE: Final = re.compile(r"[^\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class BounceReport:
    """What a server reports of a notice. ``detail``: for people; ``evidence``: digest of the report and its fields."""

    notice_id: str
    state: Literal["delivered", "bounced"]
    detail: str
    evidence: Mapping[str, object]


def read_report(raw: bytes, secret: bytes) -> BounceReport | None:
    """The report in a mail, which may be any bytes; None where it is none, reports a delay or a mere relaying, or came
    to no bounce address under ``secret``."""
    mail = message_from_bytes(raw[:REPORT_LIMIT])
    notice_id = _notice_of(mail, secret)
    if notice_id is None:
        return None
    groups = [group for part in mail.walk() for group in _groups(part)]
    for action, state, words in _ACTIONS:
        for group in groups:
            if _field(group, "Action").lower() == action:
                status = _STATUS.search(_field(group, "Status"))
                said = ": ".join(filter(None, ["" if status is None else status[0], _field(group, "Diagnostic-Code")]))
                evidence = {"report_sha256": hashlib.sha256(raw).hexdigest(), "report": said}
                return BounceReport(notice_id, state, f"{words} ({said or 'without a reason'})."[:SAID_LIMIT], evidence)
    return None


def _notice_of(mail: Message[str, str], secret: bytes) -> str | None:
    """The notice whose bounce address the mail came to."""
    for name in _ADDRESSED:
        for value in mail.get_all(name) or ():
            for found in _BOUNCE.finditer(str(value)):
                notice_id = notice_of_bounce(secret, found[0])
                if notice_id is not None:
                    return notice_id
    return None


def _groups(part: Message[str, str]) -> Iterator[Message[str, str]]:
    """The groups of fields of a ``message/delivery-status``, one for the message and one for each recipient."""
    if part.get_content_type() == "message/delivery-status" and isinstance(part.get_payload(), list):
        for group in part.get_payload():
            if isinstance(group, Message):
                yield group


def _field(group: Message[str, str], name: str) -> str:
    """A field as one bounded line of ASCII; empty where it is none."""
    return _UNPRINTABLE.sub(" ", str(group.get(name) or "")).strip()[:SAID_LIMIT]
