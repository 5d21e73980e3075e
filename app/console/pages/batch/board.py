"""A batch as it goes: its lines, and for each reader what the hands at the desk do next.

No Qt here. Events and whole readings both bring lines; a reading that was asked for before an event came must not take
the line back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.capabilities.provisioning.batches.messages import Batch, BatchEvent, BatchRow, BatchSummary
from app.capabilities.provisioning.messages import Card, ProvisionEvent, Stage
from app.console.cards.jobs import STAGES, group_stages, milliseconds, names_of
from app.console.cards.words import card_words
from app.console.clock import parse_time
from app.console.devices.sounds import Tone
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets import stepper

ROW_STATES: Mapping[str, Meaning] = {
    "TORN": Meaning.BAD,
    "FAILED": Meaning.BAD,
    "RUNNING": Meaning.WORK,
    "WAITING": Meaning.IDLE,
    "COMPLETE": Meaning.OK,
    "CANCELLED": Meaning.IDLE,
}
"""What a line's state means, in the order in which lines need somebody."""
ROW_WORDS: Mapping[str, str] = {
    "TORN": tr("Torn"),
    "FAILED": tr("Failed"),
    "RUNNING": tr("Writing"),
    "WAITING": tr("Waits"),
    "COMPLETE": tr("Written"),
    "CANCELLED": tr("Cancelled"),
}
_URGENCY = {state: rank for rank, state in enumerate(ROW_STATES)}
NEEDS = ("TORN", "FAILED")
OPEN_BATCH = ("RUNNING", "PAUSED")


@dataclass(frozen=True)
class Station:
    """One reader: what to do there (``headline``), for whom, and how far it is. ``segments``: the stages of a write;
    empty when none is shown."""

    reader: str
    state: Meaning
    headline: str
    who: str = ""
    detail: str = ""
    time: str = ""
    segments: tuple[stepper.StageState, ...] = ()

    @property
    def words(self) -> str:
        """The whole tile for a screen reader."""
        return ", ".join(part for part in (self.reader, self.headline, self.who, self.detail) if part)


def sound_of(before: BatchRow | None, after: BatchRow) -> Tone | None:
    """What is heard when a line changes; None for what needs no ear."""
    if before is None or before == after:
        return None
    if after.state != before.state:
        if after.state == "COMPLETE":
            return Tone.DONE
        if after.state == "TORN":
            return Tone.NEEDS_YOU
        if after.state == "FAILED":
            return Tone.FAILED
    # The card was refused: the line waits for the next one, and somebody takes this one out.
    return Tone.FAILED if after.state == "WAITING" and after.attempts > before.attempts else None


class BatchBoard:
    """One batch. ``summary``: pace, counts, state as last told."""

    def __init__(self, batch: Batch) -> None:
        self.summary: BatchSummary = batch
        self.cards: dict[str, Card] = {}
        self._rows = {row.n: row for row in batch.rows}
        self._stages: dict[str, dict[str, Stage]] = {}
        self._provisions: dict[str, str] = {}
        # Reader -> the line that was last in work there, while its card may still lie there.
        self._last: dict[str, int] = {}
        self._heard = 0
        self._heard_at: dict[int, int] = {}
        # Of a batch that is over, nothing that lies in a reader now is known to be its own.
        for row in sorted(batch.rows if self.is_open else (), key=lambda row: row.begun_at or ""):
            if row.reader and row.begun_at:
                self._last[row.reader] = row.n

    @property
    def batch_id(self) -> str:
        """Its identifier."""
        return self.summary.batch_id

    @property
    def heard(self) -> int:
        """Events until now: noted before a reading, given to ``take_batch`` with its reply."""
        return self._heard

    @property
    def rows(self) -> list[BatchRow]:
        """All lines, those that need somebody first."""
        return sorted(self._rows.values(), key=lambda row: (_URGENCY[row.state], row.n))

    @property
    def is_open(self) -> bool:
        """Whether anything may still happen to it."""
        return self.summary.state in OPEN_BATCH or self.summary.counts.running > 0

    @property
    def at_work(self) -> bool:
        """Whether hands are needed at the readers: it is open, or its last cards still lie there."""
        return self.is_open or bool(self._last)

    # --- what comes in -----------------------------------------------------------------------------------------------

    def take_batch(self, batch: Batch, heard_before: int) -> list[Tone]:
        """A whole reading; lines that events told of since ``heard_before`` are newer than it."""
        if self._heard == heard_before:
            self.summary = batch
        sounds = []
        for row in batch.rows:
            if self._heard_at.get(row.n, 0) <= heard_before:
                sounds.append(self._take_row(row))
        return [sound for sound in sounds if sound is not None]

    def take_event(self, event: BatchEvent) -> Tone | None:
        """A line changed, or the batch itself; events of other batches are let pass."""
        if event.batch.batch_id != self.batch_id:
            return None
        self._heard += 1
        self.summary = event.batch
        if event.row is None:
            return None
        self._heard_at[event.row.n] = self._heard
        return self._take_row(event.row)

    def _take_row(self, row: BatchRow) -> Tone | None:
        before, self._rows[row.n] = self._rows.get(row.n), row
        if row.state == "RUNNING" and row.reader and (before is None or before.begun_at != row.begun_at):
            self._last[row.reader] = row.n
            self._stages[row.reader] = {}
            self._provisions.pop(row.reader, None)
        return sound_of(before, row)

    def take_stage(self, event: ProvisionEvent) -> None:
        """A stage of a write at one of the readers."""
        if event.stage is None:
            return
        if self._provisions.get(event.reader) != event.provision_id:
            self._provisions[event.reader] = event.provision_id
            self._stages[event.reader] = {}
        self._stages[event.reader][event.stage.step] = event.stage

    def take_cards(self, cards: Iterable[Card]) -> None:
        """All readers that there are now."""
        self.cards = {card.reader: card for card in cards}
        for card in self.cards.values():
            self._forget_if_gone(card)

    def take_card(self, card: Card) -> None:
        """What lies in one reader; a new reader joins."""
        self.cards[card.reader] = card
        self._forget_if_gone(card)

    def _forget_if_gone(self, card: Card) -> None:
        row = self._row_at(card.reader)
        if not card.present and row is not None and row.state not in ("RUNNING", "TORN"):
            del self._last[card.reader]

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _row_at(self, reader: str) -> BatchRow | None:
        n = self._last.get(reader)
        return None if n is None else self._rows[n]

    @property
    def readers(self) -> list[str]:
        """Readers of this batch, present or named; all of them when it names none."""
        named = list(self.summary.readers)
        return named or list(self.cards)

    def stations(self, now: float) -> list[Station]:
        """Every reader of the batch, as at Unix time ``now`` of the service's clock."""
        return [self._station(reader, now) for reader in self.readers]

    def _station(self, reader: str, now: float) -> Station:
        """What there is to do at one reader."""
        card, row = self.cards.get(reader), self._row_at(reader)
        if row is not None and row.state == "RUNNING":
            return self._writing(reader, row, now)
        if card is None:
            return Station(reader, Meaning.IDLE, tr("Unplugged"), detail=tr("It joins again when it is plugged in."))
        if row is not None and row.state == "TORN":
            return self._torn_station(reader, row, card)
        # Another card had the next line here meanwhile: the torn one calls again as soon as the reader is empty.
        torn = next((one for one in self.rows if one.state == "TORN" and one.reader == reader), None)
        if torn is not None and not card.present:
            return self._torn_station(reader, torn, card)
        if card.present and row is not None:
            station = self._lies_there(reader, row)
            if station is not None:
                return station
        return self._waiting(reader, card)

    def _writing(self, reader: str, row: BatchRow, now: float) -> Station:
        stages = self._stages.get(reader, {})
        marks = [mark for mark, _ in group_stages(stages)]
        at = next((n for n, mark in enumerate(marks) if mark is stepper.StageState.RUNNING), None)
        done = marks.count(stepper.StageState.DONE)
        name = STAGES[min(done, len(STAGES) - 1) if at is None else at][0]
        spent = max(0.0, now - parse_time(row.begun_at)) if row.begun_at else 0.0
        detail = tr("{stage}, {count} of {total} stages done", stage=name, count=done, total=len(STAGES))
        return Station(reader, Meaning.WORK, tr("Writing"), who(row), detail, milliseconds(1000 * spent), tuple(marks))

    def _torn_station(self, reader: str, row: BatchRow, card: Card) -> Station:
        """A reader whose card was torn: the same one must come back."""
        marks = tuple(mark for mark, _ in group_stages(self._stages.get(reader, {})))
        named = names_of(card)
        uid = row.hardware_uid or next(iter(sorted(named)), "")
        if card.present and self.summary.state == "PAUSED":
            detail = tr("It is finished when the batch goes on.")
            return Station(reader, Meaning.BAD, tr("Torn: leave this card in"), who(row), detail, "", marks)
        if card.present:
            return Station(
                reader,
                Meaning.BAD,
                tr("Take it out, put the SAME card back"),
                who(row),
                tr("The write goes on."),
                "",
                marks,
            )
        detail = tr("Card {uid}. The write goes on by itself.", uid=uid) if uid else tr("The write goes on by itself.")
        return Station(reader, Meaning.BAD, tr("Put the SAME card back"), who(row), detail, "", marks)

    def _lies_there(self, reader: str, row: BatchRow) -> Station | None:
        if row.state == "COMPLETE":
            spent = ""
            if row.begun_at and row.ended_at:
                spent = milliseconds(1000 * (parse_time(row.ended_at) - parse_time(row.begun_at)))
            more = tr("Take it out, put in the next") if self.summary.counts.waiting else tr("Take the card out")
            return Station(reader, Meaning.OK, more, who(row), tr("Written and proven."), spent)
        if row.state == "FAILED":
            return Station(reader, Meaning.BAD, tr("Failed: take this card out"), who(row), row.detail or "")
        if row.state == "WAITING" and row.attempts:
            return Station(reader, Meaning.BAD, tr("Card refused: take it out"), who(row), row.detail or "")
        return None

    def _waiting(self, reader: str, card: Card) -> Station:
        """A reader without a line in work."""
        state = self.summary.state
        if state == "PAUSED":
            return Station(reader, Meaning.IDLE, tr("Paused"), detail=tr("No line is given to a card."))
        if state != "RUNNING":
            headline = tr("Take the card out") if card.present else tr("Nothing to do")
            return Station(reader, Meaning.IDLE, headline)
        if not self.summary.counts.waiting:
            return Station(reader, Meaning.IDLE, tr("No line left"), detail=tr("Every line has its card."))
        if not card.present:
            return Station(reader, Meaning.IDLE, tr("Put in a blank card"))
        if card.state in ("blank", "torn", None) and not card.detail:
            return Station(reader, Meaning.WORK, tr("Looking at the card"))
        words = card_words(card)
        detail = (
            tr("It belongs to {holder}.", holder=card.node_id)
            if card.state == "provisioned"
            else words.remedy or tr("It is not blank.")
        )
        return Station(
            reader, Meaning.WARN, tr("Take it out"), detail=tr("Not for this batch. {detail}", detail=detail)
        )


def who(row: BatchRow) -> str:
    """The person of a line, as it is shown."""
    return row.display_name or row.node_id


def matching(rows: Sequence[BatchRow], words: str) -> list[BatchRow]:
    """Lines in which every word stands somewhere."""
    wanted = words.lower().split()
    if not wanted:
        return list(rows)
    return [row for row in rows if all(word in _text_of(row) for word in wanted)]


def _text_of(row: BatchRow) -> str:
    parts = (str(row.n), row.node_id, row.display_name, row.hardware_uid, row.reader, ROW_WORDS[row.state], row.detail)
    return " ".join(part for part in parts if part).lower()


def remaining(seconds: int) -> str:
    """``40 s``, ``12 min``, ``1 h 05 min``."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return (
        tr("{minutes} min", minutes=minutes)
        if minutes < 60
        else tr("{hours} h {minutes:02} min", hours=minutes // 60, minutes=minutes % 60)
    )
