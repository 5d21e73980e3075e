"""Groups of readers, each driven by one loop thread that also takes the access decisions.

Every call of a panel comes from its group's thread, and each reader has one command in flight: completions do not say
which command they complete.

A dead line is the library's weak side: it retries a command for 4 to 9 s, ignores `disable_pd` meanwhile, and then
waits 300 s. Here a reader that is silent for 1.5 s, or a command that has no answer after 1 s, makes the line `broken`:
its writes fail, which ends the retries at the next one (within 0.7 s). The device is then disabled, and enabled again
after a pause of 1 to 5 s.
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

from hardware.readers.binding import MAX_DEVICES_PER_PANEL, osdp_sys, release_event
from hardware.readers.commands import PROFILE, at_rest, beep_fields, led_fields, pulse_fields
from hardware.readers.decision import (
    AccessDecision,
    CardRead,
    Credential,
    DenyView,
    GrantTable,
    Moment,
    decide,
)
from hardware.readers.delta import VENDOR_CODE, Delta, DeltaOperation
from hardware.readers.errors import FleetStopped, ReaderOffline, ReaderRefused, ReaderTimeout
from hardware.readers.listblob import deny_delta
from hardware.readers.panel import (
    BACKOFF,
    PAUSE,
    TURNS,
    LinkPhase,
    Presentation,
    ReaderCommand,
    ReaderLink,
    ReaderPanel,
    Waiter,
    delta_command,
    resolve,
)
from hardware.readers.reader import (
    Ack,
    Answered,
    DecidedPresentation,
    DoorReaderState,
    LedColor,
    ReaderConfig,
    ReaderIdentity,
    Setup,
)
from hardware.readers.transfer import ListSender
from hardware.readers.waker import Waker

_log = logging.getLogger(__name__)

MAX_PANELS_PER_GROUP = 3
MAX_READERS_PER_GROUP = MAX_PANELS_PER_GROUP * MAX_DEVICES_PER_PANEL
"""96: above, one loop thread serves its readers too late."""

COMMAND_SECONDS = 1.0
"""Deadline of one attempt of one command, from its submission."""

PRESENT_SECONDS = 3.0
"""Deadline of a simulated presentation, from the call to the last signal's acknowledgement."""

SILENCE_SECONDS = 1.5
"""A reader is offline when nothing came from it for so long.

The panel polls each 50 ms and repeats a lost poll after 0.7 s.
"""

_CARE_SECONDS = 0.02
_IDLE_CARE_SECONDS = 0.1
"""Of readers of which nothing is expected: they can only fall silent, or be tried again."""
_STALL_SECONDS = 0.3
_CONNECT_SECONDS = 10.0
_MAX_UNACKED = 256
_MAX_QUEUE = 64
_MAX_DELTA_FAILURES = 3
_SETUP_PAUSE_MAX = 300.0
_TURNS_PER_CHUNK = 4


_CAPABILITY_NAMES = {
    osdp_sys.CAP_CONTACT_STATUS_MONITORING: "contact_status",
    osdp_sys.CAP_OUTPUT_CONTROL: "output",
    osdp_sys.CAP_CARD_DATA_FORMAT: "card_data",
    osdp_sys.CAP_READER_LED_CONTROL: "led",
    osdp_sys.CAP_READER_AUDIBLE_OUTPUT: "buzzer",
    osdp_sys.CAP_READER_TEXT_OUTPUT: "text",
    osdp_sys.CAP_COMMUNICATION_SECURITY: "secure_channel",
    osdp_sys.CAP_BIOMETRICS: "biometrics",
}


class Shared:
    """What all groups of a fleet read: deny view, grant table, callbacks. Assignments are atomic; nothing is locked."""

    def __init__(
        self,
        deny: DenyView,
        on_access: Callable[[DecidedPresentation], None],
        on_state: Callable[[DoorReaderState], None],
        on_gap: Callable[[str], None],
    ) -> None:
        self.deny = deny
        self.on_access = on_access
        self.on_state = on_state
        self.on_gap = on_gap
        self.grants = GrantTable()
        """Empty until the first table comes: every card is denied until then."""

    def decide(self, card: CardRead) -> AccessDecision:
        """Decide by the newest table; whatever goes wrong denies."""
        try:
            return decide(card, self.deny, self.grants, Moment(time.time(), time.monotonic()))
        except Exception:
            _log.exception("access decision failed at reader %s: denied", card.reader_id)
            return AccessDecision(False, "unknown_credential")


class PanelGroup:
    """Up to 3 panels, 96 readers, and the one thread that drives them. Public methods may be called from any thread."""

    def __init__(self, name: str, shared: Shared) -> None:
        self._name = name
        self._shared = shared
        self._panels: list[ReaderPanel | None] = [None] * MAX_PANELS_PER_GROUP
        self._links: dict[str, ReaderLink] = {}
        self._jobs: deque[Callable[[], None]] = deque()
        self._hot: dict[ReaderLink, None] = {}
        self._released: list[dict[str, Any]] = []
        self._epoch = 0
        self._waker = Waker()
        self._stopping = False
        self._stopped = False
        self._awake_since = 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the loop thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop and join the loop thread; whatever waits fails with FleetStopped and every channel is closed."""
        self._stopping = True
        self._waker.wake()
        if self._thread.is_alive():
            self._thread.join()
        else:
            self._finish()

    def set_panel(self, number: int, links: Sequence[ReaderLink]) -> None:
        """Rebuild panel `number` (0 to 2) with these links; those that it keeps are secure again some 50 ms later."""
        self._post(lambda: self._rebuild(number, links))

    def announce(
        self,
        delta: Delta,
        waiters: Sequence[tuple[str, Answered]],
        called_at: int,
        credentials: Sequence[Credential] = (),
    ) -> None:
        """Move the group's epoch and send the delta; each of `waiters` is called once with its Ack.

        `called_at`: `perf_counter_ns` of the call. `credentials`: what readers with a list of their own must forget.
        """
        pairs = list(waiters)

        def refuse() -> None:
            for _, answer in pairs:
                self._tell(answer, FleetStopped("the readers were stopped"))

        self._post(lambda: self._announce(delta, pairs, called_at, credentials), refuse)

    def led(self, link: ReaderLink, color: LedColor, tenths: int, future: Future[None]) -> None:
        """Queue one LED command."""
        command = ReaderCommand(led_fields(color, tenths), future)
        self._post(lambda: self._enqueue(link, command, "led"), lambda: self._fail_all([future]))

    def rest(self, link: ReaderLink, futures: Sequence[Future[None]]) -> None:
        """Queue the resting profile of lamp, buzzer and output; one future each, in this order."""
        commands = [ReaderCommand(fields, future) for fields, future in zip(at_rest(), futures, strict=True)]

        def queue() -> None:
            for command, capability in zip(commands, PROFILE, strict=True):
                self._enqueue(link, command, capability)

        self._post(queue, lambda: self._fail_all(futures))

    def change(self, link: ReaderLink, setup: Setup, future: Future[None]) -> None:
        """Have the reader take another key (KEYSET), or else another address and speed (COMSET)."""

        def queue() -> None:
            if setup.scbk != link.setup.scbk:
                fields = {"command": osdp_sys.CMD_KEYSET, "type": 1, "data": setup.scbk}
                wanted, capability = replace(link.setup, scbk=setup.scbk), "secure_channel"
            else:
                fields = {"command": osdp_sys.CMD_COMSET, "address": setup.address, "baud_rate": setup.baud}
                wanted, capability = setup, "secure_channel"
            if wanted == link.setup and link.phase is LinkPhase.UP:
                resolve(future, None)
            else:
                self._enqueue(link, ReaderCommand(fields, future, setup=wanted), capability)

        self._post(queue, lambda: self._fail_all([future]))

    def adopt(self, link: ReaderLink, config: ReaderConfig) -> None:
        """Go on with `config`, which differs from the link's by nothing that needs a new channel."""

        def take() -> None:
            link.config = config

        self._post(take)

    def send_list(self, link: ReaderLink, blob: bytes, epoch: int, future: Future[None]) -> None:
        """Have the reader keep this list; done when it says that it does. A newer one takes an older one's place."""

        def want() -> None:
            keeps = link.identity is not None and link.identity.vendor_code == VENDOR_CODE
            if link.config.trust is None or (link.identity is not None and not keeps):
                resolve(future, ReaderRefused(f"{link.reader_id} keeps no list that this version can write"))
            elif link.phase is not LinkPhase.UP:
                resolve(future, ReaderOffline(f"{link.reader_id} is offline"))
            else:
                link.list.want(blob, epoch, future)
                self._hot[link] = None

        self._post(want, lambda: self._fail_all([future]))

    def identity(self, link: ReaderLink, future: Future[ReaderIdentity]) -> None:
        """Answer with what the reader reported at its last contact; ReaderOffline if there is no channel now."""

        def answer() -> None:
            up = link.phase is LinkPhase.UP
            resolve(future, link.identity if up and link.identity else ReaderOffline(f"{link.reader_id} is offline"))

        self._post(answer, lambda: self._fail_all([future]))

    def expect(self, link: ReaderLink, presentation: Presentation, then: Callable[[], None]) -> None:
        """Register a simulated presentation, then call `then` (on the loop thread) to make it happen."""

        def register() -> None:
            if link.phase is not LinkPhase.UP:
                resolve(presentation.future, ReaderOffline(f"{link.reader_id} is offline"))
                return
            presentation.deadline = time.monotonic() + PRESENT_SECONDS
            link.presentations.append(presentation)
            self._hot[link] = None
            then()

        self._post(register, lambda: self._fail_all([presentation.future]))

    def withdraw(self, link: ReaderLink, presentation: Presentation) -> None:
        """The simulated reader did not take the card."""

        def drop() -> None:
            if presentation in link.presentations:
                link.presentations.remove(presentation)
                resolve(presentation.future, ReaderOffline(f"{link.reader_id} does not take a card now"))

        self._post(drop)

    def _post(self, job: Callable[[], None], refuse: Callable[[], None] | None = None) -> None:
        self._jobs.append(job)
        self._waker.wake()
        # The thread empties the queue once more after `_stopped` is set, so a job is either run there or taken back
        # here, never lost and never both.
        if self._stopped and refuse is not None:
            with suppress(ValueError):
                self._jobs.remove(job)
                refuse()

    # Below: the loop thread only.

    def _run(self) -> None:
        care_at = idle_care_at = 0.0
        last_turn = time.monotonic()
        while not self._stopping:
            now = time.monotonic()
            if now - last_turn > _STALL_SECONDS:
                self._awake_since = now  # this thread was held up, the readers may have answered: nobody is silent yet
            last_turn = now
            while self._jobs:
                self._guarded(self._jobs.popleft())
            for panel in self._panels:
                if panel is not None and panel.wants_turn(now):
                    # The library takes four turns from the answer to one chunk to the next chunk.
                    for _ in range(_TURNS_PER_CHUNK if panel.files.sending else 1):
                        panel.context.refresh()
                    if panel.notes:
                        self._digest(panel)
            release_event(self._released)
            if now >= care_at:
                care_at = now + _CARE_SECONDS
                cared: Iterable[ReaderLink] = self._hot
                if now >= idle_care_at:
                    idle_care_at = now + _IDLE_CARE_SECONDS
                    cared = self._links.values()
                for link in list(cared):
                    self._care(link, now)
            for link in list(self._hot):
                self._pump(link)
                if not link.busy():
                    del self._hot[link]
            busy = bool(self._hot)
            at_once = busy and any(panel is not None and panel.turns for panel in self._panels)
            self._waker.wait(0.0 if at_once else PAUSE, eager=busy)
        self._finish()

    def _heard(self, link: ReaderLink) -> None:
        # Any thread. The panel first: who is woken must find it.
        if link.panel is not None:
            link.panel.heard = True
        if self._hot:
            self._waker.wake()

    def _guarded(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Exception:
            _log.exception("%s: a job failed", self._name)

    def _finish(self) -> None:
        stopped = FleetStopped("the readers were stopped")
        for link in self._links.values():
            self._give_up(link, stopped)
            link.channel.close()
            link.state = replace(link.state, online=False, secure_channel=False, since=time.time())
        # The binding is no subject of garbage collection: dropping the contexts here frees them, on their own thread.
        self._panels = [None] * MAX_PANELS_PER_GROUP
        self._links.clear()
        self._hot.clear()
        self._stopped = True
        while self._jobs:
            self._guarded(self._jobs.popleft())
        for link in list(self._hot):
            self._give_up(link, stopped)
        self._waker.close()

    def _fail_all(self, futures: Iterable[Future[Any] | None]) -> None:
        for future in futures:
            resolve(future, FleetStopped("the readers were stopped"))

    def _rebuild(self, number: int, links: Sequence[ReaderLink]) -> None:
        old = self._panels[number]
        if old is not None:
            kept = set(links)
            for link in old.links:
                self._give_up(link, ReaderOffline(f"{link.reader_id} is being set up anew"))
                if link not in kept:
                    link.channel.close()
                    self._links.pop(link.reader_id, None)
                    self._hot.pop(link, None)
            self._panels[number] = None
        if not links:
            return
        panel = ReaderPanel(links)
        now = time.monotonic()
        for index, link in enumerate(links):
            link.panel, link.index, link.slot = panel, index, None
            link.channel.broken = False
            link.channel.ready()
            link.channel.attend(self._waker, functools.partial(self._heard, link))
            self._enter(link, LinkPhase.CONNECTING, now)
            self._set_state(link, online=False, secure=False)
            self._links[link.reader_id] = link
            self._hot[link] = None
        self._panels[number] = panel

    def _enter(self, link: ReaderLink, phase: LinkPhase, now: float) -> None:
        link.phase = phase
        link.phase_since = now

    def _set_state(self, link: ReaderLink, *, online: bool, secure: bool) -> None:
        link.online, link.secure = online, secure
        old = link.state
        changed = (online, secure) != (old.online, old.secure_channel)
        firmware = link.identity.firmware if link.identity else old.firmware
        since = time.time() if changed else old.since
        new = DoorReaderState(link.reader_id, online, secure, firmware, link.acked_epoch, since, link.setup)
        if new != old:
            link.state = new
            self._tell(self._shared.on_state, new)

    def _tell(self, callback: Callable[[Any], None], what: object) -> None:
        try:
            callback(what)
        except Exception:
            _log.exception("%s: a callback failed", self._name)

    # What the library reported.

    def _digest(self, panel: ReaderPanel) -> None:
        notes, panel.notes[:] = list(panel.notes), []
        # The library reports the manufacturer's reply to a command after the completion of that command.
        gaps = {index for index, what, status in notes if status is None and what["event"] == osdp_sys.EVENT_MFGREP}
        while notes:
            index, what, status = notes.pop(0)
            link = panel.links[index]
            try:
                if status is not None:
                    self._completed(link, status, gap=index in gaps)
                elif what["event"] == osdp_sys.EVENT_CARDREAD:
                    self._card(link, what)
                elif what["event"] == osdp_sys.EVENT_NOTIFICATION:
                    self._notified(link, what)
            except Exception:
                _log.exception("%s: an event of %s failed", self._name, link.reader_id)
            if status is None:
                self._released.append(what)

    def _notified(self, link: ReaderLink, event: dict[str, Any]) -> None:
        online, secure = link.online, link.secure
        if event["type"] == osdp_sys.EVENT_NOTIFICATION_SC_STATUS:
            secure = bool(event["arg0"]) and not event["arg1"]  # arg1: it runs on the default key
        elif event["type"] == osdp_sys.EVENT_NOTIFICATION_PD_STATUS:
            online = bool(event["arg0"])
            secure = secure and online
        else:
            return
        if link.phase is LinkPhase.DOWN:
            return  # the end of a channel that was given up before
        if link.phase is LinkPhase.UP and online and not secure and link.slot is not None and link.slot.rekeys:
            self._rekeyed(link, link.slot)
        elif link.phase is LinkPhase.UP and not (online and secure):
            self._lose(link, f"{link.reader_id} closed its channel")
        elif online and secure:
            self._came_up(link)
        elif event["type"] == osdp_sys.EVENT_NOTIFICATION_PD_STATUS and not online:
            self._lose(link, f"{link.reader_id} does not answer")
        else:
            self._set_state(link, online=online, secure=secure and online)
            link.secure = secure

    def _rekeyed(self, link: ReaderLink, command: ReaderCommand) -> None:
        """The reader has acknowledged its new key: the library builds the channel anew with it."""
        if command.setup is not None:
            link.setup = command.setup
        link.rekeying, command.future = command.future, None
        self._enter(link, LinkPhase.CONNECTING, time.monotonic())
        self._set_state(link, online=True, secure=False)

    def _came_up(self, link: ReaderLink) -> None:
        if link.phase is LinkPhase.UP or link.panel is None:
            return
        link.identity = self._identify(link, link.panel.context)
        link.backoff, link.attempts = BACKOFF[0], 0
        link.setup_pause = BACKOFF[0]
        link.slot, link.gap_since = None, None
        self._enter(link, LinkPhase.UP, time.monotonic())
        self._set_state(link, online=True, secure=True)
        waiting, link.rekeying = link.rekeying, None
        resolve(waiting, None)
        if link.config.trust is not None and link.identity.vendor_code == VENDOR_CODE:
            # First of all: no step and no list means anything to a reader that does not know whose lists it may take.
            link.queue.appendleft(delta_command(link.config.trust.delta()))
        self._hot[link] = None

    @staticmethod
    def _identify(link: ReaderLink, context: Any) -> ReaderIdentity:
        who = context.get_pd_id(link.index)
        levels = {name: int(context.check_capability(link.index, code)[0]) for code, name in _CAPABILITY_NAMES.items()}
        number = who["firmware_version"]
        return ReaderIdentity(
            link.reader_id,
            who["vendor_code"],
            who["model"],
            who["version"],
            who["serial_number"] & 0xFFFFFFFF,
            f"{number >> 16 & 0xFF}.{number >> 8 & 0xFF}.{number & 0xFF}",
            {name: level for name, level in levels.items() if level},
        )

    def _card(self, link: ReaderLink, event: dict[str, Any]) -> None:
        started = time.perf_counter_ns()
        if link.phase is not LinkPhase.UP:
            return  # read in plain text or over a channel that is gone: worth nothing
        try:
            card = CardRead(link.reader_id, link.config.cluster_id, Credential.from_event(event))
        except ValueError:
            card = None
        decision = AccessDecision(False, "unknown_credential") if card is None else self._shared.decide(card)
        decision = replace(decision, latency_us=(time.perf_counter_ns() - started) / 1000)
        presentation = self._expected(link, card)
        presentation.card, presentation.decision = card, decision
        self._signal(link, presentation)
        self._hot[link] = None
        self._pump(link)
        if not decision.grant:
            self._report(link, decision)

    def _expected(self, link: ReaderLink, card: CardRead | None) -> Presentation:
        if card is not None:
            for presentation in link.presentations:
                if presentation.decision is None and presentation.credential == card.credential:
                    return presentation
        return Presentation()

    def _signal(self, link: ReaderLink, presentation: Presentation) -> None:
        """Queue what the reader shall do:

        OUTPUT pulse, green, one beep; or red and three beeps, whatever the reason.
        """
        decision = presentation.decision
        if decision is None:
            return
        can = link.identity.capabilities if link.identity else {}
        commands: list[ReaderCommand] = []
        if decision.grant and "output" in can:
            commands.append(ReaderCommand(pulse_fields(link.config.strike), presentation=presentation, opens=True))
        if "led" in can:
            color = LedColor.GREEN if decision.grant else LedColor.RED
            commands.append(
                ReaderCommand(
                    led_fields(color, link.config.strike if decision.grant else 20), presentation=presentation
                )
            )
        if "buzzer" in can:
            commands.append(ReaderCommand(beep_fields(1 if decision.grant else 3), presentation=presentation))
        presentation.remaining = len(commands)
        link.queue.extend(commands)
        if decision.grant and "output" not in can:
            self._report(link, decision)  # the door hangs on another controller's relay: the decision is all there is
        if not commands:
            self._served(link, presentation)

    def _report(self, link: ReaderLink, decision: AccessDecision) -> None:
        event = DecidedPresentation(
            link.reader_id,
            link.config.cluster_id,
            decision.node_id,
            decision.grant,
            decision.reason,
            decision.deny,
            time.time(),
            decision.latency_us,
            self._epoch,
        )
        self._tell(self._shared.on_access, event)

    def _served(self, link: ReaderLink, presentation: Presentation) -> None:
        if presentation in link.presentations:
            link.presentations.remove(presentation)
        resolve(presentation.future, presentation.decision)

    # Commands.

    def _enqueue(self, link: ReaderLink, command: ReaderCommand, capability: str) -> None:
        if link.phase is not LinkPhase.UP:
            resolve(command.future, ReaderOffline(f"{link.reader_id} is offline"))
        elif link.identity is None or capability not in link.identity.capabilities:
            resolve(command.future, ReaderRefused(f"{link.reader_id} reports no {capability}"))
        elif len(link.queue) >= _MAX_QUEUE:
            # The library polls for cards only when no command waits: a flood of lamps must not stop card reads.
            resolve(command.future, ReaderRefused(f"{_MAX_QUEUE} commands wait for {link.reader_id} already"))
        else:
            link.queue.append(command)
            self._hot[link] = None

    def _next(self, link: ReaderLink) -> ReaderCommand | None:
        if link.queue and link.queue[0].delta is not None:
            return link.queue.popleft()
        # Deltas first: a burn does not wait for lamps.
        if link.unacked and link.delta_failures < _MAX_DELTA_FAILURES and link.gap_since is None:
            return delta_command(link.unacked[min(link.unacked)])
        if (question := link.list.question()) is not None:
            return delta_command(question)
        while link.queue:
            command = link.queue.popleft()
            if not command.opens or self._still_granted(link, command):
                return command
        return None

    def _still_granted(self, link: ReaderLink, command: ReaderCommand) -> bool:
        """Decide once more before a door that had to wait in the queue is opened: a burn may have come in between.

        With this, and one command in flight, the Ack of an epoch means that no pulse of an older deny set is on its
        way.
        """
        presentation = command.presentation
        if presentation is None or presentation.card is None or presentation.decision is None:
            return False
        again = self._shared.decide(presentation.card)
        if again.grant:
            self._report(link, presentation.decision)
            return True
        presentation.decision = replace(again, latency_us=presentation.decision.latency_us)
        for stale in [other for other in link.queue if other.presentation is presentation]:
            link.queue.remove(stale)
        self._signal(link, presentation)
        self._report(link, presentation.decision)
        return False

    def _pump(self, link: ReaderLink) -> None:
        """Submit the next command if the reader's slot is free."""
        if link.slot is not None or link.phase is not LinkPhase.UP or link.panel is None:
            return
        if link.list.wanted:
            self._move_list(link, link.panel.files)
        command = self._next(link)
        if command is None:
            return
        command.deadline = time.monotonic() + COMMAND_SECONDS
        link.slot = command
        if not link.panel.context.submit_command(link.index, command.fields):
            link.slot = None
            self._failed(link, command, ReaderOffline(f"{link.reader_id} takes no command now"))
        else:
            link.panel.turns = TURNS

    def _completed(self, link: ReaderLink, status: int, *, gap: bool) -> None:
        command, link.slot = link.slot, None
        if command is None:
            return
        if status == osdp_sys.COMPLETION_OK:
            if command.delta is not None:
                self._delta_answered(link, command.delta, gap)
            elif command.setup is not None and not command.rekeys:
                link.setup = command.setup
                link.channel.set_speed(command.setup.baud)
                self._set_state(link, online=link.online, secure=link.secure)
            resolve(command.future, None)
            presentation = command.presentation
            if presentation is not None:
                presentation.remaining -= 1
                if presentation.remaining == 0:
                    self._served(link, presentation)
        elif status == osdp_sys.COMPLETION_FAILED and link.phase is LinkPhase.UP:
            if command.delta is not None:
                # A NAK and a line that died under the command look alike: only a repeated failure is a refusal.
                link.delta_failures += 1
                if link.delta_failures >= _MAX_DELTA_FAILURES:
                    _log.warning("reader %s refuses deltas; register it without them", link.reader_id)
            self._failed(link, command, ReaderRefused(f"{link.reader_id} refused the command"))
        else:
            self._failed(link, command, ReaderOffline(f"{link.reader_id} went offline"))
        self._settle(link)
        self._hot[link] = None

    def _failed(self, link: ReaderLink, command: ReaderCommand, error: Exception) -> None:
        resolve(command.future, error)
        if command.presentation is not None:
            for other in [waiting for waiting in link.queue if waiting.presentation is command.presentation]:
                link.queue.remove(other)
            if command.presentation in link.presentations:
                link.presentations.remove(command.presentation)
            resolve(command.presentation.future, error)
        if command.delta is not None:
            self._answer(link, [waiter for waiter in link.waiters if waiter.epoch == command.delta.epoch], False)

    # Epochs.

    def _announce(
        self,
        delta: Delta,
        pairs: list[tuple[str, Answered]],
        called_at: int,
        credentials: Sequence[Credential],
    ) -> None:
        self._epoch = max(self._epoch, delta.epoch)
        thread_us = (time.perf_counter_ns() - called_at) / 1000
        for reader_id, answer in pairs:
            link = self._links.get(reader_id)
            if link is None:
                self._tell(
                    answer,
                    ReaderOffline(f"{reader_id} was removed")
                    if not self._stopped
                    else FleetStopped("the readers were stopped"),
                )
                continue
            link.waiters.append(Waiter(answer, delta.epoch, called_at, thread_us))
            if link.config.delta and (delta.epoch > link.acked_epoch or delta.epoch in link.unacked):
                trust = link.config.trust
                if trust is not None and delta.operation is DeltaOperation.DENY:
                    link.unacked[delta.epoch] = deny_delta(trust, delta.epoch, delta.digest, credentials)
                else:
                    link.unacked[delta.epoch] = delta
                link.delta_failures = 0
                while len(link.unacked) > _MAX_UNACKED:
                    # So long away: the steps are lost to it, and only a whole list could tell a reader that keeps one.
                    del link.unacked[min(link.unacked)]
            self._settle(link)
            self._hot[link] = None

    def _delta_answered(self, link: ReaderLink, delta: Delta, gap: bool) -> None:
        if delta.operation is DeltaOperation.TRUST:
            if gap:
                _log.warning("reader %s trusts the lists of another site; enrol it anew", link.reader_id)
        elif delta.operation is DeltaOperation.LIST:
            if link.list.answered(delta, held=not gap, who=link.reader_id):
                for epoch in [epoch for epoch in link.unacked if epoch <= delta.epoch]:
                    del link.unacked[epoch]
                link.highest_acked = max(link.highest_acked, delta.epoch)
                link.gap_since = None
                self._set_state(link, online=link.online, secure=link.secure)
        elif gap and link.config.trust is not None:
            link.gap_since = time.monotonic()
            self._tell(self._shared.on_gap, link.reader_id)
        else:
            self._delta_acked(link, delta)

    def _move_list(self, link: ReaderLink, files: ListSender) -> None:
        if files.stalled(link.index, link.list):
            self._lose(link, f"{link.reader_id} does not take its list")

    def _delta_acked(self, link: ReaderLink, delta: Delta) -> None:
        link.unacked.pop(delta.epoch, None)
        link.delta_failures = 0
        link.highest_acked = max(link.highest_acked, delta.epoch)
        self._set_state(link, online=link.online, secure=link.secure)

    def _settle(self, link: ReaderLink) -> None:
        """Answer whoever waits for an epoch that needs no more waiting."""
        if not link.waiters:
            return
        opening = link.slot is not None and link.slot.opens and link.phase is LinkPhase.UP
        for waiter in list(link.waiters):
            if waiter.epoch not in link.unacked and link.config.delta:
                self._answer(link, [waiter], True)
            elif link.phase is not LinkPhase.UP or (not link.config.delta and not opening):
                self._answer(link, [waiter], None)

    def _answer(self, link: ReaderLink, waiters: list[Waiter], delta_acked: bool | None) -> None:
        now = time.perf_counter_ns()
        for waiter in waiters:
            link.waiters.remove(waiter)
            ack = Ack(
                link.reader_id,
                self._epoch,
                delta_acked,
                waiter.thread_us,
                (now - waiter.called_at) / 1000,
                link.phase is LinkPhase.UP,
            )
            self._tell(waiter.answer, ack)

    # Lines that come and go.

    def _give_up(self, link: ReaderLink, error: Exception) -> None:
        """Fail whatever waits for this reader; its slot stays taken until the late completion."""
        queued, link.queue = list(link.queue), deque()
        for command in queued:
            resolve(command.future, error)
        if link.slot is not None:
            resolve(link.slot.future, error)
        waiting, link.rekeying = link.rekeying, None
        resolve(waiting, error)
        if link.panel is not None:
            link.panel.files.forget(link.index)
        link.list.fail(error)
        expected, link.presentations = link.presentations, []
        for presentation in expected:
            resolve(presentation.future, error)
        if isinstance(error, FleetStopped):
            waiters, link.waiters = link.waiters, []
            for waiter in waiters:
                self._tell(waiter.answer, error)
        else:
            self._answer(link, list(link.waiters), False)

    def _lose(self, link: ReaderLink, why: str, error: Exception | None = None) -> None:
        """The channel is gone or is given up: fail its callers, break the line, come back after a pause."""
        now = time.monotonic()
        was_connecting = link.phase is LinkPhase.CONNECTING
        heard = link.channel.last_heard > link.phase_since
        self._enter(link, LinkPhase.DOWN, now)
        # A line that was not there yet has its own pause; a reader that does not answer, or refuses, gets ours.
        link.retry_at = now + (link.backoff if link.channel.ready() else 0.0)
        if was_connecting:
            link.attempts += 1
            link.backoff = min(link.backoff * 2, BACKOFF[1])
            self._doubt(link, now, heard=heard)
        link.channel.broken = True
        link.channel.reset()
        _log.info("reader offline: %s", why)
        self._give_up(link, error or ReaderOffline(why))
        self._set_state(link, online=False, secure=False)

    def _doubt(self, link: ReaderLink, now: float, *, heard: bool) -> None:
        """Try the reader's next setup, if it may have been left with another one.

        Keys and addresses enter the library with the panel, which is built anew for them; its other readers lose some
        50 ms. So a reader that is dead is not looked for by its keys, and the pauses grow to five minutes.
        """
        setups = link.config.setups
        if len(setups) < 2 or now < link.setup_at or link.panel is None:
            return
        at = setups.index(link.setup) if link.setup in setups else -1
        following = setups[(at + 1) % len(setups)]
        elsewhere = {(setup.address, setup.baud) for setup in setups}
        if not heard and len(elsewhere) < 2:
            return
        if at + 1 >= len(setups):
            link.setup_pause = min(link.setup_pause * 2, _SETUP_PAUSE_MAX)
            link.setup_at = now + link.setup_pause
        panel = link.panel

        def build() -> None:
            if panel in self._panels:
                link.setup = following
                link.channel.set_speed(following.baud)
                self._rebuild(self._panels.index(panel), panel.links)

        self._post(build)

    def _care(self, link: ReaderLink, now: float) -> None:
        if link.panel is None:
            return
        if link.phase is LinkPhase.UP:
            heard = max(link.channel.last_heard, link.phase_since, self._awake_since)
            if link.slot is not None and now > link.slot.deadline and now - self._awake_since > COMMAND_SECONDS:
                why = f"{link.reader_id} did not answer a command within {COMMAND_SECONDS:g} s"
                self._lose(link, why, ReaderTimeout(why))
            elif now - heard > SILENCE_SECONDS:
                self._lose(link, f"{link.reader_id} is silent")
            else:
                self._expire(link, now)
                if link.gap_since is not None and now - link.gap_since > COMMAND_SECONDS and link.waiters:
                    self._answer(link, list(link.waiters), False)
        elif link.phase is LinkPhase.CONNECTING:
            if now - max(link.phase_since, self._awake_since) > _CONNECT_SECONDS:
                self._lose(link, f"{link.reader_id} does not answer")
        else:
            self._reconnect(link, link.panel.context, now)

    def _expire(self, link: ReaderLink, now: float) -> None:
        for presentation in [late for late in link.presentations if now > late.deadline]:
            link.presentations.remove(presentation)
            resolve(presentation.future, ReaderTimeout(f"{link.reader_id} did not finish the presentation in time"))

    def _reconnect(self, link: ReaderLink, context: Any, now: float) -> None:
        if context.is_pd_enabled(link.index):
            # What still waits inside the library must not be sent to a reader that comes back: a door would open long
            # after.
            context.flush_commands(link.index)
            context.disable_pd(link.index)  # done by the library once its write has failed on the broken line
        elif now >= link.retry_at and link.channel.ready():
            link.channel.broken = False
            link.channel.flush()
            if context.enable_pd(link.index):
                self._enter(link, LinkPhase.CONNECTING, now)
                self._hot[link] = None
