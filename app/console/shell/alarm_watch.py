"""The open alarms as the whole window knows them: read on every page, counted in the top bar, and called out until
somebody has taken them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from app.console.clock import Freshness
from app.console.devices.sounds import Speaker, Tone
from app.console.language import tr
from app.console.mutes import fact_key
from app.console.need_words import need_words
from app.console.session import WindowSession
from app.console.shell.lock_words import alarm_words
from app.console.shell.tray import Tray
from app.console.telemetry.live import LiveEvent
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm
from app.running_clock import running_s

READ_MS = 4000
"""How often the list is read without an event: a hidden window is handed none."""
ANSWER_S = 2.0
"""The longest that an answer is waited for before the list is called old."""
RING_MS = 8000
"""How often the sound is repeated while an alarm waits for an owner."""


class AlarmWatch(QObject):
    """Reads the list while a service is connected. An alarm waits until a key has taken it (or it closes); while one
    waits that is not muted here, the sound repeats. A new one makes the window ask for attention, and the tray
    shows a notice. ``alert``: as ``QApplication.alert``."""

    changed = Signal()
    """The list, who owns what, or whether anything is known."""

    def __init__(
        self,
        session: WindowSession,
        window: QWidget,
        speaker: Speaker,
        tray: Tray,
        alert: Callable[[QWidget], None] = QApplication.alert,
    ) -> None:
        super().__init__(window)
        self._session, self._window, self._speaker = session, window, speaker
        self._tray, self._alert = tray, alert
        self.alarms: Sequence[Alarm] = ()
        """Oldest first, as read last."""
        self._answered = False
        """Whether the last reading succeeded."""
        self._fresh = Freshness(READ_MS / 1000, ANSWER_S)
        self._said: tuple[Meaning, str] | None = None
        self.nameless = False
        """The window is a wall display, before people who may not know the names."""
        self._called: set[str] = set()
        """Waiting alarms for which the window was already called up."""
        self._reading = False
        self._again = False
        self._poll = QTimer(self)
        self._poll.setInterval(READ_MS)
        self._poll.timeout.connect(self.read_now)
        self._poll.timeout.connect(self._doubt)
        self._ring = QTimer(self)
        self._ring.setInterval(RING_MS)
        self._ring.timeout.connect(self._sound)
        session.connected.connect(self._begin)
        session.disconnected.connect(self._end)
        for kind in ("alarm", "gap"):
            session.live.subscribe(kind, self._hear)
        session.live.tick.connect(self._doubt)
        if session.is_connected:
            self._begin()

    @property
    def known(self) -> bool:
        """Whether anybody knows now what is open: the last reading succeeded and is not old. While the stream is
        silent, an alarm that was raised is not heard of: only what was read since then counts."""
        age_s, silent_s = self._fresh.age_s(), self._session.live.stream.age_s()
        if not self._answered or age_s is None or self._fresh.stale:
            return False
        return not self._session.live.stale or silent_s is None or age_s <= silent_s

    @property
    def waiting(self) -> list[Alarm]:
        """The open alarms that nobody has taken."""
        return [alarm for alarm in self.alarms if alarm.taken_by is None]

    @property
    def words(self) -> tuple[Meaning, str]:
        """State and words for the top bar."""
        waiting, total = len(self.waiting), len(self.alarms)
        if not self.known:
            return Meaning.IDLE, tr("Alarms unknown")
        if waiting:
            return Meaning.CRIT, need_words(waiting)
        return (Meaning.WARN, tr("{count} taken", count=total)) if total else (Meaning.OK, tr("No alarm"))

    def _begin(self) -> None:
        self._poll.start()
        self.read_now()

    def _end(self, _reason: str) -> None:
        self._poll.stop()
        self._lose()

    def _lose(self) -> None:
        self._answered = False
        self._ring.stop()
        self._say()

    def _doubt(self) -> None:
        """Say that nothing is known any more, where the last reading has become too old; and read again."""
        if self.words != self._said:
            self._say()
            self.read_now()

    def _hear(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    def read_now(self) -> None:
        """Read the list; once more when it is being read, because that answer may be of before."""
        if self._reading:
            self._again = True
        elif self._session.is_connected:
            self._reading = True
            self._session.tasks.spawn(self._read(), name="alarms")

    async def _read(self) -> None:
        """Read, until no new reading was asked for meanwhile."""
        try:
            while True:
                self._again = False
                client, asked = self._session.client, running_s()
                found = (await client.gateway_alarms()).items
                if self._session.is_connected:
                    self.take(found, running_s() - asked)
                if not self._again:
                    return
        except Exception:  # the next turn tries again; until then nobody knows
            self._lose()
        finally:
            self._reading = False

    def take(self, alarms: Sequence[Alarm], age_s: float = 0.0) -> None:
        """This is the list, as it was asked for ``age_s`` seconds ago."""
        self.alarms, self._answered = list(alarms), True
        self._fresh.touch(age_s)
        waiting = {alarm.alarm_id: alarm for alarm in self.waiting}
        fresh = [alarm for alarm_id, alarm in waiting.items() if alarm_id not in self._called]
        self._called = set(waiting)
        if fresh:
            self._alert(self._window)
            more = tr(" (and {count} more)", count=len(fresh) - 1) if len(fresh) > 1 else ""
            # A notice lies over all that is on the screen: of a locked desk and of a wall it names nobody, either.
            said = alarm_words(fresh[-1]) if self._session.resting or self.nameless else fresh[-1].text
            self._tray.set_state(*self.words)
            self._tray.call(self.words[1], said + more)
        if not waiting:
            self._ring.stop()
        elif fresh or not self._ring.isActive():
            self._ring.start()
            self._sound()
        self._say()

    def _say(self) -> None:
        self._said = self.words
        self._tray.set_state(*self._said)
        self.changed.emit()

    def _sound(self) -> None:
        """Call once, unless all that waits is muted here."""
        muted = self._session.mutes.standing()
        if any(fact_key(alarm) not in muted for alarm in self.waiting):
            self._speaker.tell(Tone.NEEDS_YOU)
