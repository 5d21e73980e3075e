"""A batch as it goes: its lines, and for each reader what the hands at the desk do next.

No Qt here. Events and whole readings both bring lines; a reading that was asked for before an event came must not take
the line back.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.capabilities.provisioning.batches.messages import Batch, BatchEvent, BatchRow, BatchSummary
from app.capabilities.provisioning.messages import Card, ProvisionEvent, Stage
from app.console.cards.jobs import STAGES, group_stages, names_of
from app.console.cards.words import as_sentence, card_words
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
BY_READER = "reader:"
"""Begins what a line says in the place of a card's name: any card in the reader that follows."""


class NextMove(enum.StrEnum):
    """What the hands at the desk do next at a reader."""

    INSERT = "insert"
    """A card goes in: the reader is empty and a line waits for one."""
    TAKE_OUT = "take_out"
    """A card of this batch comes out: written, failed or refused."""
    CLEAR = "clear"
    """A card that is not for this batch comes out: no other reader could be used."""
    SAME_BACK = "same_back"
    """The torn card, and no other, goes in again."""
    SAME_AGAIN = "same_again"
    """The torn card comes out and goes in again."""
    WAIT = "wait"
    """Nothing: the reader is at work."""
    NOTHING = "nothing"


@dataclass(frozen=True)
class Station:
    """One reader. ``word`` says its state, ``title`` whose card is there or what it waits for, ``detail`` what to know
    of it; ``share``: how far a write is, 0 to 1, None where nothing is written."""

    reader: str
    state: Meaning
    word: str
    title: str
    detail: str = ""
    hands: NextMove = NextMove.NOTHING
    n: int | None = None
    """The line whose card is there, or is to come back."""
    share: float | None = None
    more: str = ""
    """Why, in a sentence for which the tile has no room."""

    @property
    def words(self) -> str:
        """The whole tile for a screen reader, and on hover."""
        said = ", ".join(part for part in (self.reader, self.word, self.title, self.detail) if part)
        return f"{said}. {self.more}" if self.more else said


def as_of(station: Station, stale: str) -> Station:
    """The reader while nothing is heard of it; ``stale``: since when."""
    return replace(
        station, state=Meaning.IDLE, word=tr("Stale"), detail=stale, hands=NextMove.NOTHING, share=None, more=""
    )


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

    @property
    def waiting(self) -> list[BatchRow]:
        """Lines that wait for a card, in the order in which cards take them: those that name a card, or a reader, are
        taken by that one alone."""
        rows = [row for row in self._rows.values() if row.state == "WAITING"]
        return sorted(rows, key=lambda row: (row.hardware_uid is not None, row.n))

    def line_for(self, reader: str) -> BatchRow | None:
        """The line that a blank card in this reader takes next; where only lines are left that name a card, the first
        of these. None: no line is left for it."""
        waiting = self.waiting
        named = next((row for row in waiting if row.hardware_uid == f"{BY_READER}{reader}"), None)
        return named or next((row for row in waiting if not (row.hardware_uid or "").startswith(BY_READER)), None)

    def line(self, n: int) -> BatchRow:
        """The line of that number. Raises KeyError."""
        return self._rows[n]

    def lies_in(self, row: BatchRow) -> bool | None:
        """Whether the card of a written line still lies in its reader; None: the console cannot say."""
        card = self.cards.get(row.reader or "")
        if card is None or (card.present and card.reader not in self._last):
            return None
        return card.present and self._last[card.reader] == row.n

    def stations(self) -> list[Station]:
        """Every reader of the batch. A card that is not for it is no matter while another reader can be used."""
        made = [self._station(reader) for reader in self.readers]
        usable = (NextMove.INSERT, NextMove.WAIT, NextMove.TAKE_OUT)
        if any(one.hands in usable for one in made):
            return [
                replace(one, state=Meaning.IDLE, hands=NextMove.NOTHING) if one.hands is NextMove.CLEAR else one
                for one in made
            ]
        return made

    def _station(self, reader: str) -> Station:
        """What there is to do at one reader."""
        card, row = self.cards.get(reader), self._row_at(reader)
        if row is not None and row.state == "RUNNING":
            return self._writing(reader, row)
        if card is None:
            return Station(reader, Meaning.IDLE, tr("Unplugged"), tr("Not plugged in"), tr("It joins when it is."))
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

    def _writing(self, reader: str, row: BatchRow) -> Station:
        name, at, done = self._stage(reader)
        total = len(STAGES)
        detail = tr("{stage}, step {count} of {total}", stage=name, count=at, total=total)
        return Station(
            reader, Meaning.WORK, tr("Writing"), who(row), detail, NextMove.WAIT, n=row.n, share=done / total
        )

    def _stage(self, reader: str) -> tuple[str, int, int]:
        """The stage that is under way at a reader, its place from 1, and how many are done."""
        marks = [mark for mark, _ in group_stages(self._stages.get(reader, {}))]
        done = marks.count(stepper.StageState.DONE)
        running = (n for n, mark in enumerate(marks) if mark is stepper.StageState.RUNNING)
        at = next(running, min(done, len(STAGES) - 1))
        return STAGES[at][0], at + 1, done

    def stage_words(self, row: BatchRow) -> str:
        """How far the write of a line is."""
        if row.reader is None or self._last.get(row.reader) != row.n:
            return ""
        name, at, _ = self._stage(row.reader)
        return tr("{stage}, step {count} of {total}", stage=name, count=at, total=len(STAGES))

    def _torn_station(self, reader: str, row: BatchRow, card: Card) -> Station:
        """A reader whose card was torn: the same one must come back."""
        named = names_of(card)
        uid = row.hardware_uid or next(iter(sorted(named)), "")
        if card.present and self.summary.state == "PAUSED":
            detail, hands = tr("Leave it in. It is finished when the batch goes on."), NextMove.NOTHING
        elif card.present:
            detail, hands = tr("Take it out and put the SAME card back"), NextMove.SAME_AGAIN
        else:
            detail = tr("Put the SAME card back: {uid}", uid=uid) if uid else tr("Put the SAME card back")
            hands = NextMove.SAME_BACK
        return Station(reader, Meaning.BAD, tr("Torn", "of a card in a reader"), who(row), detail, hands, n=row.n)

    def _lies_there(self, reader: str, row: BatchRow) -> Station | None:
        """A card of this batch whose write has ended, and that is still in."""
        why = as_sentence(row.detail)
        if row.state == "COMPLETE":
            detail = tr("Take it out, hand it over")
            return Station(reader, Meaning.OK, tr("Written"), who(row), detail, NextMove.TAKE_OUT, n=row.n)
        if row.state == "FAILED":
            word = tr("Failed")
        elif row.state == "WAITING" and row.attempts:
            word = tr("Card refused")
        else:
            return None
        return Station(reader, Meaning.BAD, word, who(row), tr("Take it out"), NextMove.TAKE_OUT, n=row.n, more=why)

    def _may_take(self, card: Card, line: BatchRow) -> bool:
        """Whether the service will give this card a line: it is being looked at, blank and free, or half written for
        somebody of this batch."""
        if card.detail:
            return False
        if card.state == "torn":
            return any(row.provision_id and row.state in ("TORN", "WAITING") for row in self._rows.values())
        if card.state == "blank" and card.node_id is None:
            uid = (line.hardware_uid or "").lower()
            return not uid or uid.startswith(BY_READER) or uid in {name.lower() for name in names_of(card)}
        return card.state is None

    def _waiting(self, reader: str, card: Card) -> Station:
        """A reader without a line in work."""
        state, idle = self.summary.state, Meaning.IDLE
        there = tr("Holds a card") if card.present else tr("Empty")
        if state == "PAUSED":
            return Station(reader, idle, there, tr("Paused"), tr("No card gets a line"))
        if state != "RUNNING":
            return Station(reader, idle, there, tr("Nothing to do"))
        line = self.line_for(reader)
        if line is None:
            return Station(reader, idle, there, tr("No line is left"))
        if not card.present:
            blank = line.hardware_uid is None or line.hardware_uid.startswith(BY_READER)
            title = tr("Waits for a blank card") if blank else tr("Waits for card {uid}", uid=line.hardware_uid)
            return Station(reader, idle, there, title, tr("for {person}", person=who(line)), NextMove.INSERT)
        if self._may_take(card, line):
            return Station(reader, Meaning.WORK, tr("Looking"), tr("Looks at the card"), hands=NextMove.WAIT)
        words = card_words(card)
        title = tr("Card of {holder}", holder=card.node_id) if card.node_id else words.word
        detail = tr("Take it out to use this reader")
        return Station(
            reader, Meaning.WARN, tr("Other card"), title, detail, NextMove.CLEAR, more=words.remedy or words.word
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
