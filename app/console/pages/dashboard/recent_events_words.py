"""What just happened, row by row: each card at a reader, and one row a burn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.capabilities.burn.messages import Burn, BurnEvent
from app.console.clock import parse_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.telemetry.door_feed import CardAtDoor
from app.console.theme.tokens import Meaning

KEPT = 200
OF_THE_RECORD = tr("\nFrom the service's record: it was before this window listened.")
_GRAVE = {"burned": Meaning.CRIT, "contained": Meaning.CRIT}


@dataclass(frozen=True)
class RecentEvent:
    """One row. ``at`` Unix time of the service; ``page`` and ``arguments`` open what it is about."""

    key: str
    at: float
    node: str
    where: str
    state: Meaning
    word: str
    hint: str = ""
    page: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


def of_access(card: CardAtDoor) -> RecentEvent:
    """A card at a reader. One of the record is of the past: it has no colour of now, unless it is grave."""
    event = card.event
    granted = event.decision == "GRANT"
    word = tr("Granted") if granted else tr("Denied: {reason}", reason=event.reason.replace("_", " "))
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
    return RecentEvent(
        f"access:{card.key}", card.at, event.node_id or tr("unknown"), event.reader_id, state, word, hint,
        page, arguments,
    )  # fmt: skip


def of_burn_event(event: BurnEvent, began: float | None) -> RecentEvent:
    """How far a burn is. ``began``: time of its row so far, which it keeps."""
    proven = event.total - event.open
    word = tr("Burned {proven}/{total}", proven=proven, total=event.total)
    at = parse_time(event.at) if began is None else began
    return _burn(event.burn_id, event.node_id, event.scope, at, tr("DRILL: {word}", word=word) if event.drill else word)


def of_burn(burn: Burn) -> RecentEvent:
    """A burn as it is listed."""
    total = sum(burn.counts.values())
    word = tr("Burned {proven}/{total}", proven=total - len(burn.targets), total=total)
    word = tr("DRILL: {word}", word=word) if burn.drill else word
    return _burn(burn.burn_id, burn.node_id, burn.scope, parse_time(burn.timestamp), word)


def _burn(burn_id: str, node_id: str, scope: str, at: float, word: str) -> RecentEvent:
    where = tr("local only") if scope == "LOCAL_ONLY" else tr("all systems")
    hint = tr(
        "{word} targets proven\n{burn_id}, {scope}",
        word=word,
        burn_id=burn_id,
        scope=code_word(scope),
    )
    arguments = {"burn_id": burn_id}
    return RecentEvent(f"burn:{burn_id}", at, node_id, where, Meaning.CRIT, word, hint, "burn", arguments)
