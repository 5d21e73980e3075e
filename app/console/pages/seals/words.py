"""Words of the seals: what a standing, a consent and a witness say to a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.capabilities.gateway.audit.logs.messages import LogWitness, LogWitnesses
from app.capabilities.provenance.messages import KnotLeaf
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning

KIND = "seals"
"""What an operation of this page changes."""
STANDING_HINTS = {
    "PENDING_CONSENSUS": tr("The quorum of witnesses is missing; the next round that meets it seals this."),
    "VERIFIED_DIGITAL_HUMAN": tr("A live check of the person stood within 15 minutes before the consent was sealed."),
    "UNVERIFIED": tr("The consent is sealed, but no live check of the person stood beside it."),
    "WITHDRAWN": tr("The person took the consent back. The first statement stays, as it must."),
    "EXPIRED": tr("The consent's own time is over."),
    "REVOKED": tr("The person's identity was burned; every consent ended with it."),
}
LIFTS = tr(
    "What lifts UNVERIFIED: a live check within the 15 minutes before sealing. Give the person a card in "
    "Write card, or have palm or voice checked at a terminal; then seal the consent again. A seal that "
    "stands is never changed."
)
ENDED = ("WITHDRAWN", "EXPIRED", "REVOKED")
WITNESS_STATES = {
    "UP": Meaning.OK,
    "WAITING": Meaning.IDLE,
    "UNREACHABLE": Meaning.BAD,
    "REFUSED": Meaning.BAD,
    "ROLLED_BACK": Meaning.CRIT,
    "FORKED": Meaning.CRIT,
}
SITE_STATES = {
    "CONFIRMED": (Meaning.OK, tr("Confirmed")),
    "UNCONFIRMED": (Meaning.WARN, tr("Unconfirmed")),
    "ROLLED_BACK": (Meaning.CRIT, tr("Rolled back")),
    "FORKED": (Meaning.CRIT, tr("Forked")),
}
_WITNESS_WORDS = {
    "UP": tr("Up"),
    "WAITING": tr("Waiting"),
    "UNREACHABLE": tr("Unreachable"),
    "REFUSED": tr("Refused"),
    "ROLLED_BACK": tr("Rolled back"),
    "FORKED": tr("Forked"),
}
CHECK_WORDS = {
    "card": tr("card"),
    "palm": tr("palm"),
    "voice": tr("voice"),
    "stylized": tr("stylized likeness"),
}


def moment(text: str | None) -> str:
    """Local time of the API's time; empty for none."""
    return "" if text is None else date_time(parse_time(text))


def said_time(value: object) -> str:
    """A time that an opening states, as it states it where that is no time."""
    if not isinstance(value, str):
        return ""
    try:
        return moment(value)
    except ValueError:
        return value


def joined_texts(value: object) -> str:
    """Texts of a list, joined."""
    return ", ".join(str(item) for item in value) if isinstance(value, list) else ""


def consent_lines(payload: Mapping[str, Any] | None) -> dict[str, str]:
    """What the first statement's opening says, by the keys of the view's facts."""
    if payload is None:
        return {}
    consent = payload.get("consent")
    consent = consent if isinstance(consent, dict) else {}
    subject = payload.get("subject")
    live = payload.get("live_check")
    return {
        "purpose": joined_texts(consent.get("purpose")),
        "controller": str(consent.get("controller") or ""),
        "scope": joined_texts(consent.get("scope")),
        "given": said_time(consent.get("given_at")),
        "ends": said_time(consent.get("expires_at")) or tr("No end was agreed"),
        "jurisdiction": str(consent.get("jurisdiction") or ""),
        "withdrawal": str(consent.get("withdrawal") or ""),
        "subject": _subject(subject) if isinstance(subject, dict) else "",
        "live": _check(live) if isinstance(live, dict) else tr("None stood beside it"),
    }


def _subject(subject: Mapping[str, Any]) -> str:
    digests = subject.get("media_sha256")
    digests = digests if isinstance(digests, list) else []
    first = f" {digests[0]}" if digests else ""
    more = tr(" and {count} more", count=len(digests) - 1) if len(digests) > 1 else ""
    return f"{subject.get('media_type', '')}{first}{more}".strip()


def _check(row: Mapping[str, Any]) -> str:
    kind = CHECK_WORDS.get(str(row.get("type")), str(row.get("type")))
    return tr(
        "{kind} at {time}, {reference}", kind=kind, time=said_time(row.get("at")), reference=row.get("ref", "")
    ).strip(", ")


def leaf_note(leaf: KnotLeaf, payload: Mapping[str, Any] | None) -> str:
    """What a statement adds in words: its reason, or its burn."""
    if payload is None:
        return tr("The content was erased; its hash stands in the log.")
    return str(payload.get("reason") or payload.get("burn_id") or STANDING_HINTS.get(leaf.standing, ""))


def witness_word(row: LogWitness) -> str:
    """State of a witness for people."""
    return _WITNESS_WORDS[row.state]


def independence(found: LogWitnesses) -> str:
    """How much the witnesses are worth, in one sentence."""
    if found.independent == 0:
        return tr("0 independent witnesses: this machine's own witnesses prove order only.")
    if found.independent == 1:
        return tr("1 witness is run by others; this machine's own prove order only.")
    return tr("{count} witnesses are run by others; this machine's own prove order only.", count=found.independent)


def checked_line(found: LogWitnesses) -> str:
    """When the service last looked at its logs itself, and with what result."""
    late = tr(" That is overdue: see the service's log.") if found.check_overdue else ""
    if found.checked_at is None:
        return tr("The logs were not checked by night yet.{late}", late=late)
    faults = found.check_findings or 0
    result = tr("no faults") if faults == 0 else tr("{count} faults, see the alarms", count=faults)
    return tr("Checked by night {time}: {result}.{late}", time=moment(found.checked_at), result=result, late=late)


def quorum_lines(names: Sequence[tuple[str, int | None]]) -> str:
    """Who cosigned and when, one line each; witnesses that did not cosign are listed too."""
    return "\n".join(
        tr("did not {witness}", witness=name) if at is None else f"{date_time(at)} {name}" for name, at in names
    )
