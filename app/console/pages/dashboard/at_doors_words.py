"""What a door decided of whom, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.console.language import tr
from app.console.telemetry.door_feed import CardAtDoor
from app.console.theme.tokens import Meaning

KEPT = 200
OF_THE_RECORD = tr("\nFrom the service's record: it was before this window listened.")
_GRAVE = {"burned": Meaning.CRIT, "contained": Meaning.CRIT}


@dataclass(frozen=True)
class DoorRow:
    """One row. ``at`` Unix time of the service; ``person``: the name, or the id of whom nobody knows a name; ``page``
    and ``arguments`` open what it is about."""

    key: str
    at: float
    node: str
    person: str
    where: str
    state: Meaning
    word: str
    hint: str = ""
    page: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


def of_access(card: CardAtDoor, name: str = "") -> DoorRow:
    """A card at a reader. One of the record is of the past: it has no colour of now, unless it is grave. ``name``: of
    the person, empty while it is not known."""
    event = card.event
    granted = event.decision == "GRANT"
    word = tr("Let in") if granted else tr("Refused: {reason}", reason=event.reason.replace("_", " "))
    hint = tr(
        "{reader} of {cluster}, decided in {ms:.2f} ms at epoch {epoch}",
        reader=event.reader_id,
        cluster=event.cluster_id,
        ms=event.latency_ms,
        epoch=event.epoch,
    )
    usual = Meaning.OK if granted else Meaning.WARN
    state = _GRAVE.get(event.reason, usual if card.heard else Meaning.IDLE)
    hint += "" if card.heard else OF_THE_RECORD
    arguments = {"reader_id": event.reader_id, "cluster_id": event.cluster_id}
    page = "readers"
    if event.reason == "burned" and event.ref:
        page, arguments = "burn", {"burn_id": event.ref}
    node = event.node_id or tr("unknown")
    person = name or event.node_id or tr("Nobody known")
    return DoorRow(f"access:{card.key}", card.at, node, person, event.reader_id, state, word, hint, page, arguments)
