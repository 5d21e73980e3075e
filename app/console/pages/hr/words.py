"""Words of the HR events: what a signature, an action and a reason say to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.burn.messages import Containment
from app.capabilities.gateway.audit.messages import AuditEntry
from app.capabilities.lifecycle.messages import DifferenceKind, HrEvent, Measure, ReviewReason
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.hr.signing import TEST
from app.console.theme.tokens import Meaning
from app.registry.messages.hr_sources import HrSource

KIND = "hr"
"""What an operation of this page changes."""
REFUSED = "api.refused"
OPERATION = "lifecycle.hr_sync"
SIGNATURES: dict[str, tuple[Meaning, str, str]] = {
    "missing": (Meaning.BAD, tr("Unsigned"), tr("The call bore no signature that any source here signs with.")),
    "signature": (Meaning.CRIT, tr("Wrong signature"), tr("It was signed with another secret, or changed on its way.")),
    "stale": (
        Meaning.WARN,
        tr("Too old"),
        tr("Its time is more than 5 minutes from ours: a clock is wrong, or a replay."),
    ),
}
"""By the cause in the audit log: state, word, sentence."""
REASONS: dict[ReviewReason, str] = {
    "unknown_employee": tr("No node is registered to this employee: nobody was burned. Find out who it is."),
    "older_than_rehire": tr("It is older than the person's present employment: nobody was burned."),
    "replay_after_rehire": tr("The same call came before the person's present employment: nobody was burned."),
    "unreadable_time": tr("Its own time cannot be read, so nobody knows which employment it ends: nobody was burned."),
    "id_reused": tr("Signed under the id of an earlier call that said something else: nothing was done. Ask HR."),
    "contained": tr(
        "The brake: more discharges than this source may send. The nodes are contained, not burned. Ask HR."
    ),
    "queued": tr("The brake: far more discharges than this source may send. Nothing was denied yet. Ask HR at once."),
}
REASON_WORDS: dict[ReviewReason, str] = {
    "unknown_employee": tr("Unknown employee"),
    "older_than_rehire": tr("Older than the rehire"),
    "replay_after_rehire": tr("Sent again after a rehire"),
    "unreadable_time": tr("Unreadable time"),
    "id_reused": tr("Id used again"),
    "contained": tr("Held by the brake: contained"),
    "queued": tr("Held by the brake: queued"),
}
MEASURES: dict[Measure, tuple[Meaning, str]] = {
    "burn": (Meaning.CRIT, tr("Burned")),
    "contain": (Meaning.WARN, tr("Contained")),
    "queue": (Meaning.IDLE, tr("Queued")),
}
DIFFERENCES: dict[DifferenceKind, tuple[Meaning, str, str]] = {
    "not_employed": (
        Meaning.BAD,
        tr("Active, not employed"),
        tr("HR does not employ them, and the node still opens doors."),
    ),
    "employed_but_burned": (
        Meaning.WARN,
        tr("Employed, burned"),
        tr("HR employs them, and every node of theirs is burned."),
    ),
}
LONGEST = 2
"""Nodes that a row names; more are counted."""


@dataclass(frozen=True)
class InboxRow:
    """A call that was accepted (``event``), or the calls of one minute that were refused (``seq``: their entry of the
    audit log)."""

    key: str
    at: float
    signature: tuple[Meaning, str]
    hint: str
    source: str
    what: str
    employee: str
    action: tuple[Meaning, str]
    why: str
    event: HrEvent | None = None
    seq: int | None = None

    @property
    def waits(self) -> bool:
        """Whether a person has to decide."""
        return self.event is not None and waits(self.event)


def waits(event: HrEvent) -> bool:
    """Whether a person has to decide what the event comes to."""
    return event.action == "operator_review" and event.closed_at is None


def action_of(event: HrEvent) -> tuple[Meaning, str]:
    """What came of an event."""
    if event.action == "burn":
        return Meaning.CRIT, tr("Burned")
    if event.action == "ignored":
        # The console's own test asks for nothing but to be believed.
        return (Meaning.OK, tr("Test, verified")) if event.event == TEST.event else (Meaning.IDLE, tr("Ignored"))
    return (Meaning.WARN, tr("Waits for you")) if event.closed_at is None else (Meaning.OK, tr("Decided"))


def why_of(event: HrEvent) -> str:
    """In a few words: why it waits, or whom it was about."""
    if event.reason is not None:
        return REASON_WORDS[event.reason]
    nodes = [measure.node_id for measure in event.measures]
    more = tr(" and {count} more", count=len(nodes) - LONGEST) if len(nodes) > LONGEST else ""
    return ", ".join(nodes[:LONGEST]) + more


def inbox_rows(events: Iterable[HrEvent], refused: Iterable[AuditEntry]) -> list[InboxRow]:
    """Calls that were accepted and calls that were refused, newest first."""
    rows = [
        InboxRow(
            key=event.event_id,
            at=parse_time(event.received_at),
            signature=(Meaning.OK, tr("Signed")),
            hint=tr("Signed with a secret of this source, at a time within 5 minutes of ours."),
            source=event.source,
            what=event.event,
            employee=event.employee_id or "–",
            action=action_of(event),
            why=why_of(event),
            event=event,
        )
        for event in events
    ]
    for entry in refused:
        cause = str(entry.detail.get("cause", "")).rpartition(".")[2]
        count = int(entry.detail.get("count", 1))
        state, word, hint = SIGNATURES.get(cause, (Meaning.BAD, tr("Refused"), tr("It was not believed.")))
        rows.append(
            InboxRow(
                key=f"refused {entry.seq}",
                at=parse_time(entry.timestamp),
                signature=(state, word),
                hint=hint,
                source="–",
                what=tr("1 call") if count == 1 else tr("{count:,} calls", count=count),
                employee="–",
                action=(Meaning.OK, tr("Refused")),
                why=tr("Nothing was done"),
                seq=entry.seq,
            )
        )
    return sorted(rows, key=lambda row: (-row.at, row.key))


def is_of_hr(entry: AuditEntry) -> bool:
    """Whether a refusal was of a call to the HR listener."""
    return str(entry.detail.get("operation", "")).startswith(OPERATION)


def secret_word(source: HrSource) -> tuple[Meaning, str]:
    """How the secret of a source stands."""
    if source.next_secret.set:
        return Meaning.WARN, tr("Two: rotating")
    # A text of its own: as a button it is another word in other languages.
    return Meaning.OK, tr("Set{secret}", secret="")


def secret_hint(source: HrSource) -> str:
    """Since when each secret of a source is in use."""
    old = source.secret.changed_at
    said = "" if old is None else tr("In use since {time}.", time=date_time(parse_time(old)))
    new = source.next_secret.changed_at
    if source.next_secret.set and new is not None:
        said += tr(
            " The new one is taken too since {time}; end the old one when HR signs with it.",
            time=date_time(parse_time(new)),
        )
    return said.strip()


def held_word(held: Containment) -> tuple[Meaning, str]:
    """How a discharge that the brake holds stands."""
    return (Meaning.WARN, tr("Contained")) if held.state == "contained" else (Meaning.IDLE, tr("Queued, not denied"))


def waiting_words(rows: Sequence[InboxRow], held: Sequence[Containment]) -> tuple[Meaning, str]:
    """What waits on the whole page, in one state."""
    waiting = sum(row.waits for row in rows)
    if not waiting and not held:
        return Meaning.OK, tr("Nothing waits")
    parts = [tr("{count} to decide", count=waiting)] if waiting else []
    parts += [tr("{count} held", count=len(held))] if held else []
    return Meaning.WARN, ", ".join(parts)


def story_of(event: HrEvent, held: Mapping[str, Containment]) -> str:
    """What came of an event, in a sentence or two. ``held``: what the brake still holds, by containment_id."""
    if event.reason is not None:
        words = REASONS[event.reason]
        open_ = sum(measure.ref in held for measure in event.measures)
        if event.closed_at is None and event.measures and not open_:
            words += tr(" Nothing of it is held any more: close it.")
        return words
    if event.action == "burn":
        return tr("The discharge was signed, and every node of the employee was burned.")
    return tr("Only EMPLOYEE_DISCHARGE acts; this was noted, and nothing was done.")
