"""What the batch tab does: follows one batch, lets it be heard, turns it, and saves what it leaves."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Qt

from app.capabilities.provisioning.batches.messages import Batch, BatchEvent, BatchRow
from app.capabilities.provisioning.messages import (
    Card,
    CardEvent,
    ProvisionEvent,
    ReceiptListQuery,
    TrainingCardBody,
    TrainingCardReply,
)
from app.console.actions import Action, Effect
from app.console.cards import CARDS_EVERY_S
from app.console.clock import Freshness
from app.console.failures import Failure
from app.console.files import ask_folder, ask_save, save_private
from app.console.live import LiveEvent
from app.console.operations import Operation
from app.console.pages.batch.board import NEEDS, BatchBoard, matching
from app.console.pages.batch.exports import report, sheets
from app.console.pages.batch.mailers import BatchMailers, MailerStopped
from app.console.pages.batch.run_view import RunView
from app.console.session import WindowSession
from app.console.sounds import Speaker, Tone
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client

WHOLE_EVERY_S = 30.0
"""Between two readings of all lines while the stream is live; while it is silent, each reading of the cards has one."""


class RunSection:
    """``wake`` has everything read at once, ``spawn`` starts what ends with the page, ``refused`` tells a failure at
    its head."""

    def __init__(
        self,
        session: WindowSession,
        view: RunView,
        speaker: Speaker,
        owner: object,
        wake: Callable[[], None],
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        refused: Callable[[Failure], None],
    ) -> None:
        self._session = session
        self._view = view
        self._speaker = speaker
        self._owner = owner
        self._wake = wake
        self._spawn = spawn
        self._refused = refused
        self._mailers = BatchMailers(session, owner)
        self.board: BatchBoard | None = None
        self.others = 0
        """Further batches that are open."""
        self.fresh = Freshness(CARDS_EVERY_S)
        self._cards: Sequence[Card] = ()
        self._whole_at = 0.0
        self._words = ""
        self._dirty = True
        self._turning = False
        self._saving = False
        self._inside: dict[str, str] = {}
        self._swapping = False
        view.filtered.connect(self._filter)
        view.opened.connect(lambda _n: self._open_line())
        view.table.selected.connect(lambda _at: session.actions.refresh())

    def actions(self, shown: Callable[[], bool]) -> Sequence[Action]:
        """Its rows of the action table; ``shown`` tells whether the tab is open."""
        page = "batch"

        def state(*states: str) -> bool:
            board = self.board
            return shown() and board is not None and not self._turning and board.summary.state in states

        def has(state: str) -> bool:
            return self.board is not None and any(row.state == state for row in self.board.rows)

        made = [
            Action(
                "batch.pause", "Pause", self._turn("pause"), "pause", ("Ctrl+Space",), page,
                when=lambda: state("RUNNING"), effect=Effect.CHANGE,
                hint="No further line is given to a card; cards in work are finished.",
            ),
            Action(
                "batch.resume", "Go on", self._turn("resume"), "play", ("Ctrl+Shift+Space",), page,
                when=lambda: state("PAUSED"), effect=Effect.CHANGE,
            ),
            Action(
                "batch.cancel", "Cancel the batch", self._cancel, "x", ("Ctrl+.",), page,
                when=lambda: state("RUNNING", "PAUSED"), effect=Effect.IRREVERSIBLE,
                hint="Asks first. Cards in work are finished; no other line ever is.",
            ),
            Action(
                "batch.next_bad", "Next line that needs you", self._next_bad, "arrow-down", ("F8",), page,
                when=lambda: shown() and (has("TORN") or has("FAILED")),
            ),
            Action(
                "batch.open_line", "Open on Write card", self._open_line, "id-card", ("Ctrl+J",), page,
                when=lambda: shown() and self._view.chosen() is not None,
                hint="Stages, APDUs and the proof of this line; or the person, when nothing was written.",
            ),
            Action(
                "batch.report", "Save the report", self._ask_report, "file-text", ("Ctrl+S",), page,
                when=lambda: shown() and self.board is not None and not self._saving,
                hint="Every line and what became of it, as CSV.",
            ),
            Action(
                "batch.receipts", "Save the receipts", self._ask_receipts, "file-check", ("Ctrl+R",), page,
                when=lambda: shown() and has("COMPLETE") and not self._saving,
                hint="Every finished card with the digest of its signed receipt, as CSV.",
            ),
            Action(
                "batch.mailers", "Save PIN mailers", self._ask_mailers, "printer", ("Ctrl+M",), page,
                when=lambda: shown() and has("COMPLETE") and not self._saving, effect=Effect.IRREVERSIBLE,
                hint="One PDF a card, into a folder. Each PIN is given out once; afterwards it exists nowhere else.",
            ),
            Action(
                "batch.badges", "Save badges (PDF)", lambda: self._ask_sheets(labels=False), "id-card", ("Ctrl+B",),
                page, when=lambda: shown() and has("COMPLETE") and not self._saving,
                hint="Front and back of every finished card, in the order of the list.",
            ),
            Action(
                "batch.labels", "Save labels (PDF)", lambda: self._ask_sheets(labels=True), "file-text", ("Ctrl+L",),
                page, when=lambda: shown() and has("COMPLETE") and not self._saving,
                hint="One label a card, for its envelope.",
            ),
            Action(
                "batch.mute", "Sounds on or off", self._mute, "bell", ("Ctrl+Shift+M",), page,
                hint="A sound for each card: written, needs you, failed. Kept in the preferences.",
            ),
        ]  # fmt: skip
        if self._session.training:
            made.append(
                Action(
                    "batch.swap", "Next training card", self._swap, "download", ("Ctrl+I",), page,
                    when=lambda: shown() and not self._swapping and self._seat_to_serve() is not None,
                    effect=Effect.CHANGE,
                    hint="Does at one simulated reader what its tile asks for: a card out, a blank or the same one in.",
                )
            )  # fmt: skip
        return made

    # --- following ---------------------------------------------------------------------------------------------------

    def show_batch(self, batch: Batch) -> None:
        """Follow this batch from now on."""
        if self.board is None or self.board.batch_id != batch.batch_id:
            self._view.show_saved(Meaning.IDLE, "")
        self.board = BatchBoard(batch)
        self.board.take_cards(self._cards)
        self._whole_at = time.monotonic()
        self.fresh.touch()
        self._dirty = True
        self.paint()
        self._wake()

    async def take_cards(self, cards: Sequence[Card]) -> None:
        """All readers were read; the batch is too where the stream does not tell of it. Raises what the client
        raises."""
        self._cards = cards
        board = self.board
        if board is None:
            return
        board.take_cards(cards)
        silent = self._session.live.stale or time.monotonic() - self._whole_at > WHOLE_EVERY_S
        if board.is_open and silent:
            await self.read_whole()
        self.fresh.touch()
        self._dirty = True

    async def read_whole(self) -> None:
        """Read every line."""
        board = self.board
        if board is None:
            return
        heard = board.heard
        batch = await self._session.client.batches_get(board.batch_id)
        self._whole_at = time.monotonic()
        self._hear(board.take_batch(batch, heard))
        self._dirty = True

    def events(self, events: Sequence[LiveEvent]) -> None:
        """``card`` events of one tick: of batches, of readers, of stages."""
        board = self.board
        if board is None:
            return
        heard: list[Tone] = []
        for event in events:
            told = _message(event)
            if isinstance(told, BatchEvent):
                sound = board.take_event(told)
                if sound is not None:
                    heard.append(sound)
                if told.row is None and told.batch.batch_id == board.batch_id:
                    # A batch that is cancelled, here or elsewhere, tells of itself and not of each line.
                    self._spawn(self.read_whole())
            elif isinstance(told, CardEvent):
                board.take_card(told.card)
            elif isinstance(told, ProvisionEvent):
                board.take_stage(told)
        self._hear(heard)
        self._dirty = True

    def _hear(self, sounds: Sequence[Tone]) -> None:
        # What came in one tick is one sound of each kind: nobody counts knocks.
        for sound in (Tone.NEEDS_YOU, Tone.FAILED, Tone.DONE):
            if sound in sounds:
                self._speaker.tell(sound)

    def paint(self) -> None:
        """Show what is new; running clocks go on."""
        board, view = self.board, self._view
        if board is None:
            view.stack.setCurrentWidget(view.none)
            return
        view.stack.setCurrentWidget(view.shown)
        stale = self.fresh.words()
        view.stale.setVisible(bool(stale))
        if stale:
            view.stale.set(Meaning.IDLE, stale)
        view.muted.setVisible(not self._session.preferences.value.sounds)
        now = self._session.live.now()
        stations = board.stations(now) if board.at_work else []
        if stale:
            stations = [replace(station, state=Meaning.IDLE, detail=stale) for station in stations]
        view.show_stations(stations)
        if self._dirty or stale:
            self._dirty = False
            view.show_summary(board.summary, self.others, now)
            self._paint_rows()
            self._session.actions.refresh()

    def _paint_rows(self) -> None:
        board = self.board
        if board is not None:
            rows = board.rows
            self._view.show_rows(matching(rows, self._words), len(rows))

    def _filter(self, words: str) -> None:
        self._words = words
        self._paint_rows()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _next_bad(self) -> None:
        """The next line after the chosen one that needs somebody, round and round."""
        rows = self._view.rows.rows
        start = self._view.table.currentIndex().row()
        for step in range(1, len(rows) + 1):
            at = (start + step) % len(rows)
            if rows[at].state in NEEDS:
                self._view.table.selectRow(at)
                self._view.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    def _open_line(self) -> None:
        row = self._view.chosen()
        if row is None:
            return
        if row.provision_id:
            self._session.navigate("write_card", node_id=row.node_id, provision_id=row.provision_id)
        else:
            self._session.navigate("write_card", node_id=row.node_id)

    def _mute(self) -> None:
        on = not self._session.preferences.value.sounds
        self._session.preferences.set(sounds=on)
        self._session.notify("Sounds are on." if on else "Sounds are off.")

    # --- turning -----------------------------------------------------------------------------------------------------

    def _turn(self, verb: str) -> Callable[[], None]:
        calls: dict[str, Callable[[Client, str, str], Awaitable[Batch]]] = {
            "pause": lambda client, batch_id, key: client.batches_pause(batch_id, idempotency_key=key),
            "resume": lambda client, batch_id, key: client.batches_resume(batch_id, idempotency_key=key),
            "cancel": lambda client, batch_id, key: client.batches_cancel(batch_id, idempotency_key=key),
        }

        def turn() -> None:
            board = self.board
            if board is None:
                return
            heard, batch_id, call = board.heard, board.batch_id, calls[verb]
            self._turning = True

            def turned(batch: Batch) -> None:
                self._turning = False
                self._hear(board.take_batch(batch, heard))
                self._dirty = True

            def stayed(failure: Failure) -> None:
                self._turning = False
                self._refused(failure)

            Operation(
                lambda client, key: call(client, batch_id, key), title=f"Batch: {verb}", changes=("batches",), asks=True
            ).success(turned).failure(stayed).run(self._session, self._owner)

        return turn

    def _cancel(self) -> None:
        board = self.board
        if board is None:
            return
        counts = board.summary.counts
        left = counts.waiting + counts.torn
        sentence = (
            f"{left} of {counts.total} lines are not finished and never will be; {counts.running} in work are. "
            "A cancelled batch cannot go on: make a new list of who is left."
        )
        ConfirmDialog(
            self._view.window(), "Cancel this batch?", sentence, "Cancel the batch", self._turn("cancel")
        ).open()

    # --- what it leaves ----------------------------------------------------------------------------------------------

    def _ask_report(self) -> None:
        self._ask("Save the report", "report.csv", self.save_report)

    def _ask_receipts(self) -> None:
        self._ask("Save the receipts", "receipts.csv", self.save_receipts)

    def _ask_sheets(self, *, labels: bool) -> None:
        name = "labels" if labels else "badges"
        self._ask(f"Save {name}", f"{name}.pdf", lambda path: self.save_sheets(path, labels=labels))

    def _ask(self, title: str, name: str, save: Callable[[Path], None]) -> None:
        board = self.board
        if board is None:
            return
        kind = name.rpartition(".")[2]
        ask_save(self._view, title, f"{board.batch_id}-{name}", save, kinds=[f"{kind.upper()} (*.{kind})"])

    def save_report(self, path: Path) -> None:
        """Every line and what became of it, as it is on the screen now."""
        board = self.board
        if board is not None:
            data = report(board.rows)

            async def made() -> bytes:
                return data

            self._save(path, made())

    def save_receipts(self, path: Path) -> None:
        """The service's table of this batch's receipts."""
        board = self.board
        if board is not None:
            query = ReceiptListQuery(batch_id=board.batch_id)
            self._save(path, self._session.client.provisioning_list_receipts(query=query))

    def save_sheets(self, path: Path, *, labels: bool) -> None:
        """Badges, or labels, of every finished card, in the order of the list."""
        board = self.board
        if board is None:
            return
        ids = [row.provision_id for row in sorted(board.rows, key=lambda row: row.n) if row.state == "COMPLETE"]
        client = self._session.client

        async def made() -> bytes:
            cards = [await client.provisioning_get_provision(one) for one in ids if one]
            return await asyncio.to_thread(sheets, cards, labels=labels)

        self._save(path, made())

    def _save(self, path: Path, made: Coroutine[Any, Any, bytes]) -> None:
        async def save() -> None:
            self._saving = True
            try:
                self._view.show_saved(Meaning.WARN, f"Saving {path.name}")
                data = await made
                await asyncio.to_thread(save_private, path, data)
                self._view.show_saved(Meaning.OK, f"{path.name} is saved")
            except OSError as error:
                self._view.show_saved(Meaning.BAD, f"{path.name} is not saved: {error.strerror}")
            except BaseException:
                # The page's banner tells it; the mark must not go on saying that it is being saved.
                self._view.show_saved(Meaning.BAD, f"{path.name} is not saved")
                raise
            finally:
                self._saving = False
                self._session.actions.refresh()

        self._spawn(save())

    def _ask_mailers(self) -> None:
        ask_folder(self._view, "Folder for the PIN mailers", self.save_mailers)

    def save_mailers(self, folder: Path) -> None:
        """Give out every PIN of this batch that waits, each into its own file."""
        board = self.board
        if board is None or self._saving:
            return
        rows: list[BatchRow] = [row for row in board.rows if row.state == "COMPLETE"]
        self._saving = True
        # The session's task: a PIN that was given out must find its file though the page is left.
        self._session.tasks.spawn(self._save_mailers(rows, folder), name="PIN mailers")

    async def _save_mailers(self, rows: Sequence[BatchRow], folder: Path) -> None:
        def told(at: int, of: int) -> None:
            self._view.show_saved(Meaning.WARN, f"PIN mailer {at} of {of}")

        try:
            saved, passed = await self._mailers.save(rows, folder, told)
        except MailerStopped as stopped:
            self._view.show_saved(Meaning.BAD, "PIN mailers stopped")
            self._refused(Failure("mailers_stopped", str(stopped), "What was saved before it is safe."))
        else:
            mailers = "1 PIN mailer" if saved == 1 else f"{saved} PIN mailers"
            words = f"{mailers} saved" + (f", {passed} given out before" if passed else "")
            self._view.show_saved(Meaning.OK, words)
        finally:
            self._saving = False
            self._session.actions.refresh()

    # --- the training drawer -----------------------------------------------------------------------------------------

    def _seat_to_serve(self) -> TrainingCardBody | None:
        """What the person at the desk would do next at the first simulated reader that asks for hands."""
        board = self.board
        if board is None or board.summary.state != "RUNNING":
            return None
        for station in board.stations(self._session.live.now()):
            card = board.cards.get(station.reader)
            if card is None or not card.simulated or station.headline == "Writing":
                continue
            same = self._inside.get(station.reader)
            if card.present and station.state in (Meaning.OK, Meaning.BAD, Meaning.WARN):
                return TrainingCardBody(reader=station.reader, action="remove")
            if not card.present and station.state is Meaning.BAD and same is not None:
                return TrainingCardBody(reader=station.reader, action="insert", card=same)
            if not card.present and board.summary.counts.waiting:
                return TrainingCardBody(reader=station.reader, action="insert")
        return None

    def _swap(self) -> None:
        body = self._seat_to_serve()
        if body is None:
            return
        self._swapping = True

        def moved(reply: TrainingCardReply) -> None:
            self._swapping = False
            if reply.card is not None:
                self._inside[reply.reader] = reply.card
            self._wake()

        def stayed(failure: Failure) -> None:
            self._swapping = False
            self._refused(failure)

        Operation(
            lambda client, key: client.drawer_move_card(body, idempotency_key=key),
            title="Next training card",
            changes=("cards",),
        ).success(moved).failure(stayed).run(self._session, self._owner)


def _message(event: LiveEvent) -> BatchEvent | CardEvent | ProvisionEvent | None:
    """What a ``card`` event is; None for a kind that this console does not know."""
    kinds: tuple[type[BatchEvent | CardEvent | ProvisionEvent], ...] = (BatchEvent, CardEvent, ProvisionEvent)
    for kind in kinds:
        with contextlib.suppress(msgspec.ValidationError):
            return event.read(kind)
    return None
