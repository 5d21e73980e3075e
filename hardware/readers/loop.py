"""The loop thread of a group of readers: it drives the panels, sends commands, and hands out what comes back.

Every call of a panel comes from its group's thread, and each reader has one command in flight: completions do not say
which command they complete. What the thread does for a reader lies in three parts beside it: `lines` (connecting and
losing), `epochs` (announcing and acknowledging) and `access` (deciding and showing).
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hardware.readers.access import DoorAccess
from hardware.readers.binding import osdp_sys, release_event
from hardware.readers.commands import PROFILE, at_rest, led_fields
from hardware.readers.decision import Credential
from hardware.readers.delta import VENDOR_CODE, Delta
from hardware.readers.epochs import EpochBook
from hardware.readers.errors import ReaderOffline, ReaderRefused
from hardware.readers.lines import LineKeeper
from hardware.readers.panel import (
    COMMAND_SECONDS,
    PAUSE,
    TURNS,
    LinkPhase,
    Presentation,
    ReaderCommand,
    ReaderLink,
    ReaderPanel,
    delta_command,
    resolve,
)
from hardware.readers.reader import AckCallback, DoorReaderConfig, DoorReaderIdentity, LedColor, Setup
from hardware.readers.shared import FleetShared, GroupShared, fail_all, stopped_error
from hardware.readers.waker import Waker

_log = logging.getLogger(__name__)

_CARE_SECONDS = 0.02
_IDLE_CARE_SECONDS = 0.1
"""Of readers of which nothing is expected: they can only fall silent, or be tried again."""
_STALL_SECONDS = 0.3
_MAX_QUEUE = 64
_TURNS_PER_CHUNK = 4


class PanelGroup:
    """Up to 3 panels, 96 readers, and the one thread that drives them. Public methods may be called from any thread."""

    def __init__(self, name: str, fleet: FleetShared) -> None:
        self._group = GroupShared(name, fleet)
        self._epochs = EpochBook(self._group)
        self._access = DoorAccess(self._group)
        self._lines = LineKeeper(self._group, self._epochs, self._access, post=self._post, attend=self._attend)
        self._jobs: deque[Callable[[], None]] = deque()
        self._released: list[dict[str, Any]] = []
        self._waker = Waker()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the loop thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop and join the loop thread; every caller that waits gets FleetStopped and every channel is closed."""
        self._stopping = True
        self._waker.wake()
        if self._thread.is_alive():
            self._thread.join()
        else:
            self._finish()

    def set_panel(self, number: int, links: Sequence[ReaderLink]) -> None:
        """Rebuild panel `number` (0 to 2) with these links; those that it keeps are secure again some 50 ms later."""
        self._post(lambda: self._lines.rebuild(number, links))

    def announce(
        self,
        delta: Delta,
        waiters: Sequence[tuple[str, AckCallback]],
        called_at: int,
        credentials: Sequence[Credential] = (),
    ) -> None:
        """Move the group's epoch and send the delta; each of `waiters` is called once with its Ack.

        `called_at`: `perf_counter_ns` of the call. `credentials`: what readers with a list of their own must forget.
        """
        pairs = list(waiters)

        def refuse() -> None:
            for _, answer in pairs:
                self._group.notify(answer, stopped_error())

        self._post(lambda: self._epochs.announce(delta, pairs, called_at, credentials), refuse)

    def light(self, link: ReaderLink, color: LedColor, tenths: int, future: Future[None]) -> None:
        """Queue one LED command."""
        command = ReaderCommand(led_fields(color, tenths), future)
        self._post(lambda: self._enqueue(link, command, "led"), lambda: fail_all([future]))

    def rest(self, link: ReaderLink, futures: Sequence[Future[None]]) -> None:
        """Queue the resting profile of lamp, buzzer and output; one future each, in this order."""
        commands = [ReaderCommand(fields, future) for fields, future in zip(at_rest(), futures, strict=True)]

        def queue() -> None:
            for command, capability in zip(commands, PROFILE, strict=True):
                self._enqueue(link, command, capability)

        self._post(queue, lambda: fail_all(futures))

    def change(self, link: ReaderLink, setup: Setup, future: Future[None]) -> None:
        """Have the reader take another key (KEYSET), or else another address and speed (COMSET)."""

        def queue() -> None:
            if setup.scbk != link.setup.scbk:
                fields = {"command": osdp_sys.CMD_KEYSET, "type": 1, "data": setup.scbk}
                wanted = replace(link.setup, scbk=setup.scbk)
            else:
                fields = {"command": osdp_sys.CMD_COMSET, "address": setup.address, "baud_rate": setup.baud}
                wanted = setup
            if wanted == link.setup and link.phase is LinkPhase.UP:
                resolve(future, None)
            else:
                self._enqueue(link, ReaderCommand(fields, future, setup=wanted), "secure_channel")

        self._post(queue, lambda: fail_all([future]))

    def adopt(self, link: ReaderLink, config: DoorReaderConfig) -> None:
        """Go on with `config`, which differs from the link's by nothing that needs a new channel."""

        def take() -> None:
            link.config = config

        self._post(take)

    def send_list(self, link: ReaderLink, blob: bytes, epoch: int, future: Future[None]) -> None:
        """Have the reader keep this list; done when it says that it does. A newer list replaces one that waits."""

        def want() -> None:
            keeps = link.identity is not None and link.identity.vendor_code == VENDOR_CODE
            if link.config.trust is None or (link.identity is not None and not keeps):
                resolve(future, ReaderRefused(f"{link.reader_id} keeps no list that this version can write"))
            elif link.phase is not LinkPhase.UP:
                resolve(future, ReaderOffline(f"{link.reader_id} is offline"))
            else:
                link.list.want(blob, epoch, future)
                self._group.heat(link)

        self._post(want, lambda: fail_all([future]))

    def identity(self, link: ReaderLink, future: Future[DoorReaderIdentity]) -> None:
        """Answer with what the reader reported at its last contact; ReaderOffline if there is no channel now."""

        def answer() -> None:
            up = link.phase is LinkPhase.UP
            resolve(future, link.identity if up and link.identity else ReaderOffline(f"{link.reader_id} is offline"))

        self._post(answer, lambda: fail_all([future]))

    def expect(self, link: ReaderLink, presentation: Presentation, then: Callable[[], None]) -> None:
        """Register a simulated presentation, then call `then` (on the loop thread) to make it happen."""
        self._post(lambda: self._access.expect(link, presentation, then), lambda: fail_all([presentation.future]))

    def withdraw(self, link: ReaderLink, presentation: Presentation) -> None:
        """The simulated reader did not take the card."""
        self._post(lambda: self._access.withdraw(link, presentation))

    def _post(self, job: Callable[[], None], refuse: Callable[[], None] | None = None) -> None:
        """Run `job` on the loop thread, or `refuse` here if that thread has ended."""
        self._jobs.append(job)
        self._waker.wake()
        # The thread empties the queue once more after `stopped` is set, so a job is either run there or taken back
        # here, never lost and never both.
        if self._group.stopped and refuse is not None:
            with suppress(ValueError):
                self._jobs.remove(job)
                refuse()

    def _attend(self, link: ReaderLink) -> None:
        link.channel.attend(self._waker, functools.partial(self._note_bytes, link))

    def _note_bytes(self, link: ReaderLink) -> None:
        """Bytes have come from the reader. On any thread. The panel is told before the loop, which looks there."""
        if link.panel is not None:
            link.panel.heard = True
        if self._group.hot:
            self._waker.wake()

    # Below: the loop thread only.

    def _run(self) -> None:
        """Turn until stopped: jobs, panels, the clock, commands; then sleep until something comes."""
        care_at = idle_care_at = 0.0
        last_turn = time.monotonic()
        hot = self._group.hot
        while not self._stopping:
            now = time.monotonic()
            if now - last_turn > _STALL_SECONDS:
                # This thread was held up, and the readers may have answered meanwhile: none of them is silent yet.
                self._lines.awake_since = now
            last_turn = now
            while self._jobs:
                self._run_job(self._jobs.popleft())
            self._turn_panels(now)
            if now >= care_at:
                care_at = now + _CARE_SECONDS
                due: Iterable[ReaderLink] = hot
                if now >= idle_care_at:
                    idle_care_at = now + _IDLE_CARE_SECONDS
                    due = self._group.links.values()
                for link in list(due):
                    self._lines.care(link, now)
            for link in list(hot):
                self._pump(link)
                if not link.busy():
                    del hot[link]
            busy = bool(hot)
            at_once = busy and any(panel is not None and panel.turns for panel in self._lines.panels)
            self._waker.wait(0.0 if at_once else PAUSE, eager=busy)
        self._finish()

    def _turn_panels(self, now: float) -> None:
        """Give each panel its turn that wants one, and act upon what it noted."""
        for panel in self._lines.panels:
            if panel is not None and panel.wants_turn(now):
                # The library takes four turns from the answer to one chunk to the next chunk.
                for _ in range(_TURNS_PER_CHUNK if panel.files.sending else 1):
                    panel.context.refresh()
                if panel.notes:
                    self._digest(panel)
        release_event(self._released)

    def _run_job(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Exception:
            _log.exception("%s: a job failed", self._group.name)

    def _finish(self) -> None:
        """Leave nothing behind: fail the callers, close the lines, and run the jobs that still wait."""
        self._lines.close()
        self._group.stopped = True
        while self._jobs:
            self._run_job(self._jobs.popleft())
        for link in list(self._group.hot):
            self._lines.give_up(link, stopped_error())
        self._waker.close()

    def _digest(self, panel: ReaderPanel) -> None:
        """Act upon what the library has reported, in its order."""
        notes, panel.notes[:] = list(panel.notes), []
        # The library reports the manufacturer's reply to a command after the completion of that command.
        gaps = {index for index, what, status in notes if status is None and what["event"] == osdp_sys.EVENT_MFGREP}
        while notes:
            index, what, status = notes.pop(0)
            link = panel.links[index]
            try:
                if status is not None:
                    self._complete(link, status, gap=index in gaps)
                elif what["event"] == osdp_sys.EVENT_CARDREAD:
                    self._take_card(link, what)
                elif what["event"] == osdp_sys.EVENT_NOTIFICATION:
                    self._lines.note_status(link, what)
            except Exception:
                _log.exception("%s: an event of %s failed", self._group.name, link.reader_id)
            if status is None:
                self._released.append(what)

    def _take_card(self, link: ReaderLink, event: dict[str, Any]) -> None:
        """Decide a card and send its first signal at once; a denial is reported after that."""
        decision = self._access.decide_card(link, event)
        if decision is None:
            return
        self._group.heat(link)
        self._pump(link)
        if not decision.grant:
            self._access.report(link, decision)

    # Commands.

    def _enqueue(self, link: ReaderLink, command: ReaderCommand, capability: str) -> None:
        """Queue a command, or fail its caller: the reader is offline, cannot do it, or has too much to do."""
        if link.phase is not LinkPhase.UP:
            resolve(command.future, ReaderOffline(f"{link.reader_id} is offline"))
        elif link.identity is None or capability not in link.identity.capabilities:
            resolve(command.future, ReaderRefused(f"{link.reader_id} reports no {capability}"))
        elif len(link.queue) >= _MAX_QUEUE:
            # The library polls for cards only when no command waits: a flood of lamps must not stop card reads.
            resolve(command.future, ReaderRefused(f"{_MAX_QUEUE} commands wait for {link.reader_id} already"))
        else:
            link.queue.append(command)
            self._group.heat(link)

    def _next(self, link: ReaderLink) -> ReaderCommand | None:
        """The command to send now. Trust, steps and the question for a list come first: a burn waits for no lamp."""
        if link.queue and link.queue[0].delta is not None:
            return link.queue.popleft()
        if (step := self._epochs.next_step(link)) is not None:
            return delta_command(step)
        if (question := link.list.question()) is not None:
            return delta_command(question)
        while link.queue:
            command = link.queue.popleft()
            if not command.opens or self._access.may_still_open(link, command):
                return command
        return None

    def _pump(self, link: ReaderLink) -> None:
        """Submit the next command if the reader's slot is free."""
        if link.slot is not None or link.phase is not LinkPhase.UP or link.panel is None:
            return
        if link.list.wanted and not link.panel.files.advance(link.index, link.list):
            self._lines.lose(link, f"{link.reader_id} does not take its list")
        command = self._next(link)
        if command is None:
            return
        command.deadline = time.monotonic() + COMMAND_SECONDS
        link.slot = command
        if not link.panel.context.submit_command(link.index, command.fields):
            link.slot = None
            self._fail(link, command, ReaderOffline(f"{link.reader_id} takes no command now"))
        else:
            link.panel.turns = TURNS

    def _complete(self, link: ReaderLink, status: int, *, gap: bool) -> None:
        """The command in the reader's slot has ended; the slot is free."""
        command, link.slot = link.slot, None
        if command is None:
            return
        if status == osdp_sys.COMPLETION_OK:
            self._succeed(link, command, gap=gap)
        elif status == osdp_sys.COMPLETION_FAILED and link.phase is LinkPhase.UP:
            if command.delta is not None:
                self._epochs.note_failure(link)
            self._fail(link, command, ReaderRefused(f"{link.reader_id} refused the command"))
        else:
            self._fail(link, command, ReaderOffline(f"{link.reader_id} went offline"))
        self._epochs.settle(link)
        self._group.heat(link)

    def _succeed(self, link: ReaderLink, command: ReaderCommand, *, gap: bool) -> None:
        """The reader has acknowledged the command. `gap`: by a manufacturer's reply."""
        if command.delta is not None:
            self._epochs.take_answer(link, command.delta, gap)
        elif command.setup is not None and not command.rekeys:
            link.setup = command.setup
            link.channel.set_speed(command.setup.baud)
            self._group.set_state(link, online=link.online, secure=link.secure)
        resolve(command.future, None)
        if command.presentation is not None:
            self._access.note_signal(link, command.presentation)

    def _fail(self, link: ReaderLink, command: ReaderCommand, error: Exception) -> None:
        """The command was not carried out: fail its callers."""
        resolve(command.future, error)
        if command.presentation is not None:
            self._access.fail(link, command.presentation, error)
        if command.delta is not None:
            self._epochs.refuse(link, command.delta.epoch)
