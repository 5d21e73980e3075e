"""The lines of one group as they come and go: connecting, up, down, tried again. On the group's loop thread only.

A dead line is the library's weak side: it retries a command for 4 to 9 s, ignores `disable_pd` meanwhile, and then
waits 300 s. Here a reader that is silent for 1.5 s, or a command that has no answer after 1 s, makes the line `broken`:
its writes fail, which ends the retries at the next one (within 0.7 s). The device is then disabled, and enabled again
after a pause of 1 to 5 s.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hardware.readers.access import DoorAccess
from hardware.readers.binding import osdp_sys
from hardware.readers.delta import VENDOR_CODE
from hardware.readers.epochs import EpochBook
from hardware.readers.errors import FleetStopped, ReaderOffline, ReaderTimeout
from hardware.readers.panel import (
    BACKOFF,
    COMMAND_SECONDS,
    MAX_PANELS_PER_GROUP,
    LinkPhase,
    ReaderCommand,
    ReaderLink,
    ReaderPanel,
    delta_command,
    resolve,
)
from hardware.readers.reader import DoorReaderIdentity
from hardware.readers.shared import GroupShared, stopped_error

_log = logging.getLogger(__name__)

SILENCE_SECONDS = 1.5
"""A reader is offline when nothing has come from it for this long.

The panel polls each 50 ms and repeats a lost poll after 0.7 s.
"""

_CONNECT_SECONDS = 10.0
_SETUP_PAUSE_MAX = 300.0

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


class LineKeeper:
    """The panels of one group, and the life of each reader's line.

    `post`: run a job on the loop thread, after the present turn. `attend`: have the loop woken by the reader's line.
    `awake_since`: set by the loop when it was held up: no reader is silent before that moment.
    """

    def __init__(
        self,
        group: GroupShared,
        epochs: EpochBook,
        access: DoorAccess,
        *,
        post: Callable[[Callable[[], None]], None],
        attend: Callable[[ReaderLink], None],
    ) -> None:
        self.panels: list[ReaderPanel | None] = [None] * MAX_PANELS_PER_GROUP
        self.awake_since = 0.0
        self._group = group
        self._epochs = epochs
        self._access = access
        self._post = post
        self._attend = attend

    def rebuild(self, number: int, links: Sequence[ReaderLink]) -> None:
        """Build panel `number` anew with these links; the lines of those that it loses are closed."""
        old = self.panels[number]
        if old is not None:
            staying = set(links)
            for link in old.links:
                self.give_up(link, ReaderOffline(f"{link.reader_id} is being set up anew"))
                if link not in staying:
                    link.channel.close()
                    self._group.links.pop(link.reader_id, None)
                    self._group.hot.pop(link, None)
            self.panels[number] = None
        if not links:
            return
        panel = ReaderPanel(links)
        now = time.monotonic()
        for index, link in enumerate(links):
            link.panel, link.index, link.slot = panel, index, None
            link.channel.broken = False
            link.channel.ready()
            self._attend(link)
            self._enter(link, LinkPhase.CONNECTING, now)
            self._group.set_state(link, online=False, secure=False)
            self._group.links[link.reader_id] = link
            self._group.heat(link)
        self.panels[number] = panel

    def close(self) -> None:
        """Fail every caller as stopped, close every channel and drop the panels."""
        for link in self._group.links.values():
            self.give_up(link, stopped_error())
            link.channel.close()
            link.state = replace(link.state, online=False, secure_channel=False, since=time.time())
        # The binding is no subject of garbage collection: dropping the contexts here frees them, on their own thread.
        self.panels = [None] * MAX_PANELS_PER_GROUP
        self._group.links.clear()
        self._group.hot.clear()

    def note_status(self, link: ReaderLink, event: dict[str, Any]) -> None:
        """Take in the library's notification that a device or its Secure Channel came or went."""
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
            self._rekey(link, link.slot)
        elif link.phase is LinkPhase.UP and not (online and secure):
            self.lose(link, f"{link.reader_id} closed its channel")
        elif online and secure:
            self._come_up(link)
        elif event["type"] == osdp_sys.EVENT_NOTIFICATION_PD_STATUS and not online:
            self.lose(link, f"{link.reader_id} does not answer")
        else:
            self._group.set_state(link, online=online, secure=secure and online)
            link.secure = secure

    def care(self, link: ReaderLink, now: float) -> None:
        """Look at the clock for one reader: what is overdue is given up, a line that is down is tried again."""
        if link.panel is None:
            return
        if link.phase is LinkPhase.UP:
            last_heard = max(link.channel.last_heard, link.phase_since, self.awake_since)
            if link.slot is not None and now > link.slot.deadline and now - self.awake_since > COMMAND_SECONDS:
                why = f"{link.reader_id} did not answer a command within {COMMAND_SECONDS:g} s"
                self.lose(link, why, ReaderTimeout(why))
            elif now - last_heard > SILENCE_SECONDS:
                self.lose(link, f"{link.reader_id} is silent")
            else:
                self._access.expire(link, now)
                self._epochs.expire(link, now)
        elif link.phase is LinkPhase.CONNECTING:
            if now - max(link.phase_since, self.awake_since) > _CONNECT_SECONDS:
                self.lose(link, f"{link.reader_id} does not answer")
        else:
            self._reconnect(link, link.panel.context, now)

    def lose(self, link: ReaderLink, why: str, error: Exception | None = None) -> None:
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
        self.give_up(link, error or ReaderOffline(why))
        self._group.set_state(link, online=False, secure=False)

    def give_up(self, link: ReaderLink, error: Exception) -> None:
        """Fail every caller that waits for this reader; its slot stays taken until the late completion."""
        queued, link.queue = list(link.queue), deque()
        for command in queued:
            resolve(command.future, error)
        if link.slot is not None:
            resolve(link.slot.future, error)
        rekeying, link.rekeying = link.rekeying, None
        resolve(rekeying, error)
        if link.panel is not None:
            link.panel.files.forget(link.index)
        link.list.fail(error)
        expected, link.presentations = link.presentations, []
        for presentation in expected:
            resolve(presentation.future, error)
        if isinstance(error, FleetStopped):
            self._epochs.fail_all(link, error)
        else:
            self._epochs.refuse(link)

    def _enter(self, link: ReaderLink, phase: LinkPhase, now: float) -> None:
        link.phase = phase
        link.phase_since = now

    def _rekey(self, link: ReaderLink, command: ReaderCommand) -> None:
        """The reader has acknowledged its new key: the library builds the channel anew with it."""
        if command.setup is not None:
            link.setup = command.setup
        link.rekeying, command.future = command.future, None
        self._enter(link, LinkPhase.CONNECTING, time.monotonic())
        self._group.set_state(link, online=True, secure=False)

    def _come_up(self, link: ReaderLink) -> None:
        """The reader is secure with its own key: it is served from now on, and its list's trust is sent first."""
        if link.phase is LinkPhase.UP or link.panel is None:
            return
        link.identity = _identity_of(link, link.panel.context)
        link.backoff, link.attempts = BACKOFF[0], 0
        link.setup_pause = BACKOFF[0]
        link.slot, link.gap_since = None, None
        self._enter(link, LinkPhase.UP, time.monotonic())
        self._group.set_state(link, online=True, secure=True)
        rekeying, link.rekeying = link.rekeying, None
        resolve(rekeying, None)
        if link.config.trust is not None and link.identity.vendor_code == VENDOR_CODE:
            # No step and no list means anything to a reader that does not know whose lists it may take.
            link.queue.appendleft(delta_command(link.config.trust.delta()))
        self._group.heat(link)

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
            if panel in self.panels:
                link.setup = following
                link.channel.set_speed(following.baud)
                self.rebuild(self.panels.index(panel), panel.links)

        self._post(build)

    def _reconnect(self, link: ReaderLink, context: Any, now: float) -> None:
        """Disable the device of a line that is down; enable it again once its pause is over and the line is there."""
        if context.is_pd_enabled(link.index):
            # Commands that still wait inside the library must not reach a reader that comes back: a door would open
            # long after its card was read.
            context.flush_commands(link.index)
            context.disable_pd(link.index)  # done by the library once its write has failed on the broken line
        elif now >= link.retry_at and link.channel.ready():
            link.channel.broken = False
            link.channel.flush()
            if context.enable_pd(link.index):
                self._enter(link, LinkPhase.CONNECTING, now)
                self._group.heat(link)


def _identity_of(link: ReaderLink, context: Any) -> DoorReaderIdentity:
    """What the reader has answered to osdp_ID and osdp_CAP."""
    reported = context.get_pd_id(link.index)
    levels = {name: int(context.check_capability(link.index, code)[0]) for code, name in _CAPABILITY_NAMES.items()}
    number = reported["firmware_version"]
    return DoorReaderIdentity(
        link.reader_id,
        reported["vendor_code"],
        reported["model"],
        reported["version"],
        reported["serial_number"] & 0xFFFFFFFF,
        f"{number >> 16 & 0xFF}.{number >> 8 & 0xFF}.{number & 0xFF}",
        {name: level for name, level in levels.items() if level},
    )
