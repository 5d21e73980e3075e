"""The tab of a batch: follows it, lets it be heard, pauses, resumes and cancels it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Qt

from app.capabilities.provisioning.batches.messages import Batch, BatchEvent, BatchRow
from app.capabilities.provisioning.messages import Card, CardEvent, ProvisionEvent
from app.client import ClientError
from app.console.actions import Action, Effect, keys_text
from app.console.cards import CARDS_EVERY_S
from app.console.devices.sounds import Speaker, Tone
from app.console.failures import Failure, NotConnected, failure_of
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.batch.board import NEEDS, OPEN_BATCH, BatchBoard, Station, as_of, who
from app.console.pages.batch.drawer import BatchDrawer
from app.console.pages.batch.files import BatchFiles
from app.console.pages.batch.folds import listing
from app.console.pages.batch.hand_out import HandOut, where_words
from app.console.pages.batch.hand_out_view import HandLine
from app.console.pages.batch.history import HistoryTab
from app.console.pages.batch.lines_view import what_happened
from app.console.pages.batch.orders import Lead, lead_of
from app.console.pages.batch.run_view import RunView
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client

WHOLE_EVERY_S = 30.0
"""Between two readings of all lines while the stream is live; while it is silent, each reading of the cards has one."""


class RunTab(Part):
    """Follows one batch: ``board`` is its state, None while none is shown. ``offer_readers`` has the names of the
    readers as they are read."""

    every_s = CARDS_EVERY_S

    view: RunView

    def __init__(
        self,
        host: Host,
        view: RunView,
        speaker: Speaker,
        history: HistoryTab,
        offer_readers: Callable[[Sequence[str]], None],
    ) -> None:
        super().__init__(host, view.head.stale)
        self.view = view
        self._speaker = speaker
        self._history = history
        self._offer_readers = offer_readers
        self.board: BatchBoard | None = None
        self.files = BatchFiles(host, view, lambda: self.board)
        self._drawer = BatchDrawer(host, view, lambda: self.board, self.read_now)
        self._cards: Sequence[Card] = ()
        self._whole_at = 0.0
        self._words = ""
        self._dirty = True
        self._turning = False
        self.hand_out = HandOut()
        self._lead: Lead | None = None
        self._was_stale = False
        self._profiles: dict[str, str] = {}
        """What the registry knows of persons who were next, by node id; empty while it is being read."""
        lines = view.lines
        lines.note = self._note
        host.session.names.changed.connect(self._name_anew)
        lines.filtered.connect(self._filter)
        lines.turned.connect(self._paint_rows)
        lines.opened.connect(lambda _n: self._open_line())
        lines.table.selected.connect(lambda _at: host.session.actions.refresh())
        view.hand_out.given.connect(self._give)
        view.hand_out.taken_back.connect(self._take_back)
        view.hand_out.turned.connect(self._paint_hand_out)

    def actions(self) -> Sequence[Action]:
        page, shown, files = "batch", self.host.shown, self.files

        def state(*states: str) -> bool:
            board = self.board
            return shown() and board is not None and not self._turning and board.summary.state in states

        def has(state: str) -> bool:
            return self.board is not None and any(row.state == state for row in self.board.rows)

        made = [
            Action(
                "batch.pause", tr("Pause"), self._turn("pause"), "pause", ("Ctrl+Space",), page,
                when=lambda: state("RUNNING"), effect=Effect.CHANGE,
                hint=tr("No further line is given to a card; cards in work are finished."),
                calls=("batches_pause",),
            ),
            Action(
                "batch.resume", tr("Go on"), self._turn("resume"), "play", ("Ctrl+Shift+Space",), page,
                when=lambda: state("PAUSED"), effect=Effect.CHANGE,
                calls=("batches_resume",),
            ),
            Action(
                "batch.cancel", tr("Cancel the batch"), self._cancel, "x", ("Ctrl+.",), page,
                when=lambda: state("RUNNING", "PAUSED"), effect=Effect.IRREVERSIBLE,
                hint=tr("Asks first. Cards in work are finished; no other line ever is."),
                calls=("batches_cancel",),
            ),
            Action(
                "batch.next_bad", tr("Next line that needs you"), self._next_bad, "arrow-down", ("F8",), page,
                when=lambda: shown() and (has("TORN") or has("FAILED")),
            ),
            Action(
                "batch.open_line", tr("Open on Write card"), self._open_line, "id-card", ("Ctrl+J",), page,
                when=lambda: shown() and self.view.lines.chosen is not None,
                hint=tr("Stages, APDUs and the proof of this line; or the person, when nothing was written."),
            ),
            Action(
                "batch.report", tr("Save the report"), files.ask_report, "file-text", ("Ctrl+S",), page,
                when=lambda: shown() and self.board is not None and not files.saving,
                hint=tr("Every line and what became of it, as CSV."),
            ),
            Action(
                "batch.receipts", tr("Save the receipts"), files.ask_receipts, "file-check", ("Ctrl+R",), page,
                when=lambda: shown() and has("COMPLETE") and not files.saving,
                hint=tr("Every finished card with the digest of its signed receipt, as CSV."),
                calls=("provisioning_list_receipts",),
            ),
            Action(
                "batch.mailers", tr("Save PIN mailers"), files.ask_mailers, "printer", ("Ctrl+M",), page,
                when=lambda: shown() and has("COMPLETE") and not files.saving, effect=Effect.IRREVERSIBLE,
                hint=tr(
                    "One PDF a card, into a folder. Each PIN is given out once; afterwards it exists nowhere "
                    "else."),
                calls=("provisioning_print_pin_mailer",),
            ),
            Action(
                "batch.badges", tr("Save badges (PDF)"), lambda: files.ask_sheets(labels=False), "id-card", ("Ctrl+B",),
                page, when=lambda: shown() and has("COMPLETE") and not files.saving,
                hint=tr("Front and back of every finished card, in the order of the list."),
            ),
            Action(
                "batch.labels", tr("Save labels (PDF)"), lambda: files.ask_sheets(labels=True), "file-text",
                ("Ctrl+Shift+L",),
                page, when=lambda: shown() and has("COMPLETE") and not files.saving,
                hint=tr("One label a card, for its envelope."),
            ),
            Action(
                "batch.give", tr("Card given"), self._give_first, "user-check", ("Ctrl+G",), page,
                when=lambda: shown() and bool(self._to_give()),
                hint=tr("Marks the newest written card as given. The mark is of this console and ends with it."),
            ),
            Action(
                "batch.take_back", tr("Not given after all"), self._take_last_back, "rotate-ccw", ("Ctrl+Shift+G",),
                page,
                when=lambda: shown() and self.board is not None and bool(self.hand_out.given_lines(self.board)),
                hint=tr("Takes the last mark of a card that was given back."),
            ),
            Action(
                "batch.mute", tr("Sounds on or off"), self._mute, "bell", ("Ctrl+Shift+M",), page,
                hint=tr("A sound for each card: written, needs you, failed. Kept in the preferences."),
            ),
        ]  # fmt: skip
        if self.session.training:
            made.append(
                Action(
                    "batch.swap", tr("Next training card"), self._drawer.swap, "download", ("Ctrl+I",), page,
                    when=lambda: shown() and self._drawer.can_swap,
                    effect=Effect.CHANGE,
                    hint=tr(
                        "Does at one simulated reader what its tile asks for: a card out, a blank or the "
                        "same one in."),
                    calls=("drawer_move_card",),
                )
            )  # fmt: skip
        return made

    # --- following ---------------------------------------------------------------------------------------------------

    def show_batch(self, batch: Batch) -> None:
        """Follow this batch from now on."""
        if self.board is None or self.board.batch_id != batch.batch_id:
            self.view.show_saved(Meaning.IDLE, "")
        self.board = BatchBoard(batch)
        self.hand_out.look(self.board)
        self.board.take_cards(self._cards)
        self._whole_at = time.monotonic()
        self.fresh.touch()
        self._dirty = True
        self.paint()
        self.read_now()

    async def open(self, batch_id: str) -> None:
        """Read a batch, and bring it to the front."""
        self.show_batch(await self.session.client.batches_get(batch_id))
        self.host.show()

    async def begin(self, arguments: Mapping[str, str]) -> None:
        """The batch that is asked for; else the one that was followed; else the oldest that is open, which is the one
        that cards are given to."""
        self.fresh.resume()
        items = await self._history.load(None)
        self._dirty = True
        if batch_id := arguments.get("batch_id"):
            await self.open(batch_id)
        elif self.board is not None:
            await self.read_whole()
        elif waiting := [item for item in items if item.state in OPEN_BATCH]:
            await self.open(waiting[-1].batch_id)

    async def read(self) -> None:
        """Read all readers, and the batch where the stream does not tell of it."""
        cards = (await self.session.client.provisioning_list_cards()).items
        self._offer_readers([card.reader for card in cards])
        self._cards = cards
        board = self.board
        if board is None:
            return
        board.take_cards(cards)
        silent = self.session.live.stale or time.monotonic() - self._whole_at > WHOLE_EVERY_S
        if board.is_open and silent:
            await self.read_whole()
        self._dirty = True

    def show_error(self, error: Exception) -> None:
        """Told once: what is shown turns stale by itself."""
        failure = failure_of(error)
        if not self.failing and failure.code != "connection_lost":
            self.host.show_failure(failure)

    def listeners(self) -> Mapping[str, Listener]:
        return {"card": self._take_events, "gap": lambda _events: self._read_whole_now()}

    def take_stream(self, state: str) -> None:
        # What happened while the stream was lost was not heard.
        if state == "live":
            self._read_whole_now()

    def _read_whole_now(self) -> None:
        self.host.spawn(self.read_whole(), name="batch")

    async def read_whole(self) -> None:
        """Read every line."""
        board = self.board
        if board is None:
            return
        heard = board.heard
        batch = await self.session.client.batches_get(board.batch_id)
        self._whole_at = time.monotonic()
        self._hear(board.take_batch(batch, heard))
        self._dirty = True

    def _take_events(self, events: Sequence[LiveEvent]) -> None:
        """``card`` events of one tick: of batches, of readers, of stages."""
        board = self.board
        if board is None:
            return
        heard: list[Tone] = []
        for event in events:
            message = _message(event)
            if isinstance(message, BatchEvent):
                sound = board.take_event(message)
                if sound is not None:
                    heard.append(sound)
                self._history.hear(message.batch)
                if message.row is None and message.batch.batch_id == board.batch_id:
                    # A batch that is cancelled, here or elsewhere, tells of itself and not of each line.
                    self.host.spawn(self.read_whole())
            elif isinstance(message, CardEvent):
                board.take_card(message.card)
            elif isinstance(message, ProvisionEvent):
                board.take_stage(message)
        self._hear(heard)
        self._dirty = True

    def _hear(self, sounds: Sequence[Tone]) -> None:
        # What came in one tick is one sound of each kind: nobody counts knocks.
        for sound in (Tone.NEEDS_YOU, Tone.FAILED, Tone.DONE):
            if sound in sounds:
                self._speaker.tell(sound)

    def paint(self) -> None:
        """Show what is new; running clocks go on."""
        board, view = self.board, self.view
        if board is None:
            view.stack.setCurrentWidget(view.none)
            return
        view.stack.setCurrentWidget(view.shown)
        super().paint()
        stale = self.fresh.words()
        view.head.muted.setVisible(not self.session.preferences.value.sounds)
        if self._dirty or bool(stale) != self._was_stale:
            self._dirty, self._was_stale = False, bool(stale)
            stations = board.stations() if board.at_work else []
            self._lead = self._lead_of(board, stations)
            if stale:
                stations = [as_of(one, stale) for one in stations]
            view.show_stations(stations)
            operator = self.session.names.of(board.summary.operator)
            now = self.session.live.now()
            view.head.show_summary(board.summary, operator, self._history.others, now, stale=bool(stale))
            self._paint_rows()
            self.session.actions.refresh()
        if self._lead is not None:
            profile = "" if self._lead.row is None else self._profile(self._lead.row)
            view.hero.show_lead(self._lead, profile, stale=stale)
        self._paint_hand_out()

    def _name_anew(self) -> None:
        """Another name is known: the next turn shows it."""
        self._dirty = True

    def _lead_of(self, board: BatchBoard, stations: Sequence[Station]) -> Lead:
        table = self.session.actions
        go_on = "" if table.refusal("batch.resume") else keys_text(table.get("batch.resume"))
        return lead_of(board, stations, go_on=go_on, ahead=self._history.ahead_of(board.summary))

    def _profile(self, row: BatchRow) -> str:
        """What the registry knows of a person beside the name; it is asked once."""
        node_id = row.node_id
        if node_id not in self._profiles and self.session.is_connected:
            self._profiles[node_id] = ""
            self.host.spawn(self._ask_profile(node_id))
        return self._profiles.get(node_id, "")

    async def _ask_profile(self, node_id: str) -> None:
        # A person whom the registry does not know has a failed line: the hero needs no second word for it.
        with contextlib.suppress(ClientError, NotConnected):
            node = await self.session.client.registry_get_node(node_id)
            self._profiles[node_id] = " · ".join(part for part in (node.employee_id, *node.tags) if part)

    def _paint_rows(self) -> None:
        board = self.board
        if board is None:
            return
        lines, rows = self.view.lines, board.rows
        row = self._lead.row if self._lead is not None else None
        next_n = row.n if row is not None and row.state == "WAITING" else None
        lines.stale = self._was_stale
        shown = listing(
            rows, next_n, is_open=board.is_open, words=self._words, unfolded=lines.unfolded, room=lines.room
        )
        lines.show_listing(shown, len(rows), next_n)

    def _note(self, row: BatchRow) -> str:
        """What happened to a line, or happens to it now."""
        board, lead = self.board, self._lead
        if self._was_stale and row.state in ("RUNNING", "WAITING") and not row.detail:
            return ""  # What happens there now is not known.
        if board is not None and row.state == "RUNNING":
            return board.stage_words(row)
        is_next = lead is not None and lead.row is not None and lead.row.n == row.n and row.state == "WAITING"
        if is_next and lead is not None and lead.order is not None and not row.detail:
            return lead.order.words
        return what_happened(row)

    # --- cards that are handed out -----------------------------------------------------------------------------------

    def _to_give(self) -> list[BatchRow]:
        return [] if self.board is None else self.hand_out.to_give(self.board)

    def _paint_hand_out(self) -> None:
        """Show which cards wait for their persons, and where each is now."""
        board = self.board
        if board is None:
            return
        now, stale = self.session.live.now(), bool(self.fresh.words())

        def lines(rows: Sequence[BatchRow]) -> list[HandLine]:
            return [HandLine(row.n, who(row), where_words(board, row, now, stale=stale)) for row in rows]

        panel = self.view.hand_out
        to_give, given = self.hand_out.to_give(board), self.hand_out.given_lines(board)
        written, unknown = board.summary.counts.complete, self.hand_out.unknown(board)
        panel.show_lines(lines(to_give), lines(given), written=written, unknown=unknown)

    def _give(self, n: int) -> None:
        if self.board is not None:
            self.hand_out.give(self.board.batch_id, n)
            self._paint_hand_out()
            self.session.actions.refresh()

    def _take_back(self, n: int) -> None:
        if self.board is not None:
            self.hand_out.take_back(self.board.batch_id, n)
            self._paint_hand_out()
            self.session.actions.refresh()

    def _give_first(self) -> None:
        """The card that was written last is the one in the hand."""
        self._give(self._to_give()[0].n)

    def _take_last_back(self) -> None:
        if self.board is not None:
            self._take_back(self.hand_out.given_lines(self.board)[0].n)

    def _filter(self, words: str) -> None:
        self._words = words
        self._paint_rows()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _next_bad(self) -> None:
        """The next line after the chosen one that needs somebody, round and round."""
        rows = self.view.lines.rows.rows
        start = self.view.lines.table.currentIndex().row()
        for step in range(1, len(rows) + 1):
            at = (start + step) % len(rows)
            if rows[at].state in NEEDS:
                self.view.lines.table.selectRow(at)
                self.view.lines.table.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    def _open_line(self) -> None:
        row = self.view.lines.chosen
        if row is None:
            return
        if row.provision_id:
            self.session.navigate("write_card", node_id=row.node_id, provision_id=row.provision_id)
        else:
            self.session.navigate("write_card", node_id=row.node_id)

    def _mute(self) -> None:
        on = not self.session.preferences.value.sounds
        self.session.preferences.set(sounds=on)
        self.session.notify(tr("Sounds are on.") if on else tr("Sounds are off."))

    # --- turning -----------------------------------------------------------------------------------------------------

    def _turn(self, verb: str) -> Callable[[], None]:
        """What pauses, resumes or cancels the batch that is shown."""
        calls: dict[str, Callable[[Client, str, str], Awaitable[Batch]]] = {
            "pause": lambda client, batch_id, key: client.batches_pause(batch_id, idempotency_key=key),
            "resume": lambda client, batch_id, key: client.batches_resume(batch_id, idempotency_key=key),
            "cancel": lambda client, batch_id, key: client.batches_cancel(batch_id, idempotency_key=key),
        }

        title = {
            "pause": tr("Batch: pause"),
            "resume": tr("Batch: resume"),
            "cancel": tr("Batch: cancel"),
        }[verb]

        def turn() -> None:
            board = self.board
            if board is None:
                return
            heard, batch_id, call = board.heard, board.batch_id, calls[verb]
            self._turning = True

            def take(batch: Batch) -> None:
                self._turning = False
                self._hear(board.take_batch(batch, heard))
                self._dirty = True

            def refuse(failure: Failure) -> None:
                self._turning = False
                self.host.show_failure(failure)

            Operation(
                lambda client, key: call(client, batch_id, key),
                title=title,
                changes=("batches",),
                asks=True,
            ).success(take).failure(refuse).run(self.session, self.view)

        return turn

    def _cancel(self) -> None:
        """Ask, then cancel the batch."""
        board = self.board
        if board is None:
            return
        counts = board.summary.counts
        left = counts.waiting + counts.torn
        sentence = (
            tr("1 of {total} lines is not finished and never will be. ", total=counts.total)
            if left == 1
            else tr("{count} of {total} lines are not finished and never will be. ", count=left, total=counts.total)
        )
        if counts.running:
            sentence += tr("What is being written now is finished first. ")
        sentence += tr("A cancelled batch cannot go on: make a new list of who is left.")
        ConfirmDialog(
            self.view.window(), tr("Cancel this batch?"), sentence, tr("Cancel the batch"), self._turn("cancel")
        ).open()


def _message(event: LiveEvent) -> BatchEvent | CardEvent | ProvisionEvent | None:
    """What a ``card`` event is; None for a kind that this console does not know."""
    kinds: tuple[type[BatchEvent | CardEvent | ProvisionEvent], ...] = (BatchEvent, CardEvent, ProvisionEvent)
    for kind in kinds:
        with contextlib.suppress(msgspec.ValidationError):
            return event.read(kind)
    return None
