"""Doors as people read them: the state of a reader, of a cluster, of a card at a door, of a sync. Without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.capabilities.credentials.messages import SyncReader
from app.console.clock import age, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.telemetry.door_feed import CardAtDoor
from app.console.theme.tokens import Meaning
from app.registry.messages.clusters import Reader, ReaderCluster, ReaderKeyed
from app.registry.messages.profiles import CredentialProfile

_GRAVE = frozenset({"burned", "contained"})
_WORST_FIRST = {Meaning.BAD: 0, Meaning.WARN: 1, Meaning.IDLE: 2, Meaning.OK: 3}


@dataclass(frozen=True)
class Door:
    """One reader with its cluster's newest acknowledged epoch, so that a door that lags behind shows it."""

    reader: Reader
    newest_epoch: int
    stale: bool

    @property
    def state(self) -> Meaning:
        """State of the door; never green when it is stale."""
        return Meaning.IDLE if self.stale else reader_state(self.reader)[0]

    @property
    def word(self) -> str:
        """Its state in a word or two."""
        return tr("Stale") if self.stale else reader_state(self.reader)[1]

    @property
    def epoch(self) -> str:
        """The newest change that it acknowledged; how many it lags behind its neighbours."""
        behind = self.newest_epoch - self.reader.epoch
        return str(self.reader.epoch) if behind <= 0 else f"{self.reader.epoch} (-{behind})"

    def key(self, now: float) -> str:
        """How old its Secure Channel key is, or that a new one waits. ``now``: Unix seconds."""
        if not self.reader.enrolled:
            return "–"
        if self.reader.key_pending is not None:
            return tr("pending", "key")
        return age(max(0.0, now - parse_time(self.reader.key_changed_at)))

    @property
    def key_hint(self) -> str:
        """When it took its key, and since when a new one waits."""
        if not self.reader.enrolled:
            return tr("It has not taken its first key yet")
        taken = tr("Took its key {at}", at=utc_time(parse_time(self.reader.key_changed_at)))
        pending = self.reader.key_pending
        return (
            taken
            if pending is None
            else tr("{taken}; a new one waits since {since}", taken=taken, since=utc_time(parse_time(pending)))
        )

    @property
    def since(self) -> float | None:
        """Unix time at which it came or went."""
        return None if self.reader.since is None else parse_time(self.reader.since)


def reader_state(reader: Reader) -> tuple[Meaning, str]:
    """State and word of a reader."""
    state, word, _ = _reader_words(reader)
    return state, word


def _reader_words(reader: Reader) -> tuple[Meaning, str, str]:
    """State and word of a reader, and the word that follows a count of such readers."""
    if not reader.enrolled:
        return Meaning.WARN, tr("Has no key"), tr("has no key")
    if not reader.online:
        return Meaning.BAD, tr("Offline"), tr("offline")
    if not reader.secure_channel:
        return Meaning.WARN, tr("No secure channel"), tr("no secure channel")
    return Meaning.OK, tr("Secure channel"), tr("on a secure channel")


def doors_of(cluster: ReaderCluster, text: str, *, stale: bool) -> list[Door]:
    """The cluster's doors whose id has ``text``, those that need somebody first."""
    newest = max((reader.epoch for reader in cluster.readers), default=0)
    found = [
        Door(reader, newest, stale) for reader in cluster.readers if text.casefold() in reader.reader_id.casefold()
    ]
    return sorted(found, key=lambda door: _WORST_FIRST.get(reader_state(door.reader)[0], 0))


def cluster_state(cluster: ReaderCluster) -> tuple[Meaning, str]:
    """State of a cluster, and ``38 of 40``: the doors on a secure channel."""
    secure = sum(reader_state(reader)[0] is Meaning.OK for reader in cluster.readers)
    total = len(cluster.readers)
    words = tr("{count} of {total}", count=secure, total=total)
    if not total:
        return Meaning.IDLE, tr("no door")
    if secure == total:
        return Meaning.OK, words
    return (Meaning.BAD if any(not reader.online for reader in cluster.readers) else Meaning.WARN), words


def takes_first_key(cluster: ReaderCluster) -> bool:
    """Whether the cluster has a real reader that did not take its first key yet."""
    return any(reader.channel != "simulated:" and not reader.enrolled for reader in cluster.readers)


def keyed_doors(cluster: ReaderCluster) -> int:
    """How many doors of the cluster have a key."""
    return sum(reader.enrolled for reader in cluster.readers)


def summary(cluster: ReaderCluster) -> str:
    """``40 doors, 38 on a secure channel, 2 offline, epoch 48``."""
    counts: dict[str, int] = {}
    for reader in cluster.readers:
        word = _reader_words(reader)[2]
        counts[word] = counts.get(word, 0) + 1
    epochs = {reader.epoch for reader in cluster.readers if reader.online}
    if len(epochs) == 1:
        epoch = tr("epoch {epoch}", epoch=epochs.pop())
    else:
        epoch = tr("epochs {first} to {last}", first=min(epochs), last=max(epochs)) if epochs else ""
    parts = [f"{count} {word}" for word, count in counts.items()]
    return ", ".join([tr("{count} doors", count=len(cluster.readers)), *parts, *([epoch] if epoch else [])])


REASONS = {
    "granted": tr("granted"),
    "burned": tr("identity burned"),
    "contained": tr("identity contained"),
    "unknown_credential": tr("nobody's card here"),
    "wrong_cluster": tr("not granted here"),
    "outside_schedule": tr("outside its hours"),
    "expired": tr("grant has run out"),
}


def reason_words(reason: str) -> str:
    """Why a door decided so."""
    return REASONS.get(reason, reason.replace("_", " "))


def card_state(card: CardAtDoor) -> Meaning:
    """Granted, denied, or burned badge used. One of the record is of the past: it has no colour of now, unless it is
    grave."""
    state = decision_state(card.event.decision, card.event.reason)
    return state if card.heard or state is Meaning.CRIT else Meaning.IDLE


def card_hint(card: CardAtDoor) -> str:
    """When it was to the millisecond, and where this window has it from."""
    return utc_time(card.at) + ("" if card.heard else tr("\nFrom the service's record: before this window listened."))


def decision_state(decision: str, reason: str) -> Meaning:
    """State of a decision: a burned identity at a door is an alarm, another denial is not."""
    if decision == "GRANT":
        return Meaning.OK
    return Meaning.CRIT if reason in _GRAVE else Meaning.BAD


SYNC_STATES = {
    "applied": Meaning.OK,
    "pending_offline": Meaning.WARN,
    "unsupported": Meaning.IDLE,
    "failed": Meaning.BAD,
}
_SYNC_WORDS = {
    "applied": tr("Applied"),
    "pending_offline": tr("Pending offline"),
    "unsupported": tr("Unsupported"),
    "failed": tr("Failed"),
}


def sync_word(state: str) -> str:
    """How far a door is with a grant."""
    return _SYNC_WORDS[state]


def sync_words(readers: Sequence[SyncReader]) -> tuple[Meaning, str]:
    """A whole sync: ``20 of 20 doors``."""
    counts = {state: sum(reader.state == state for reader in readers) for state in SYNC_STATES}
    words = [tr("{count} of {total} doors", count=counts["applied"], total=len(readers))]
    if count := counts["pending_offline"]:
        words.append(tr("{count} pending offline", count=count))
    if count := counts["unsupported"]:
        words.append(tr("{count} unsupported", count=count))
    if count := counts["failed"]:
        words.append(tr("{count} failed", count=count))
    state = Meaning.BAD if counts["failed"] else Meaning.WARN if counts["pending_offline"] else Meaning.OK
    return state, ", ".join(words)


def rotation_words(readers: Sequence[ReaderKeyed]) -> tuple[str, str, Meaning]:
    """A replacement of keys: how many doors hold theirs, what is to be done, its state."""
    waiting = [reader.reader_id for reader in readers if reader.state == "pending_offline"]
    failed = [reader for reader in readers if reader.state == "failed"]
    parts = [
        tr(
            "{count} of {total} doors hold their new key",
            count=len(readers) - len(waiting) - len(failed),
            total=len(readers),
        )
    ]
    steps: list[str] = []
    if waiting:
        parts.append(
            tr("1 takes it when it is back")
            if len(waiting) == 1
            else tr("{count} take it when they are back", count=len(waiting))
        )
        steps.append(tr("Away: {doors}.", doors=_some(waiting)))
    if failed:
        parts.append(tr("{count} failed", count=len(failed)))
        for reader in failed[:3]:
            why = reader.detail or tr("no reason was told")
            steps.append(f"{reader.reader_id}: {why.rstrip('.')}.")
    state = Meaning.BAD if failed else Meaning.WARN if waiting else Meaning.OK
    return f"{', '.join(parts)}.", " ".join(steps), state


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")


def credential_words(row: CredentialProfile) -> str:
    """``card 49a93a03…`` of the first credential, and how many more."""
    first = row.credentials[0] if row.credentials else None
    if first is None:
        return "–"
    words = tr("card {card}", card=first.card_guid[:8]) if first.card_guid else first.format
    more = len(row.credentials) - 1
    return f"{words} +{more}" if more else words
