"""Alarms on every page: counted in the top bar, called out until somebody owns them, taken from the list by keys."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.api.problems import Problem
from app.console import clock, mutes
from app.console.devices.sounds import Speaker, Tone
from app.console.page import PageRow
from app.console.preferences import PreferenceStore
from app.console.shell.alarm_list import AlarmDialog
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.tray import Tray
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm, TakeAlarm
from app.running_clock import running_s
from tests.console.conftest import Run, until

PAGES = (PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page"),)


def alarm(number: int, kind: str = "test.fact", **more: Any) -> Alarm:
    """An open alarm."""
    since = f"2026-01-01T00:00:{number:02}.000000Z"
    return Alarm(
        alarm_id=f"alm_{number}", kind=kind, since=since, node_id=None, ref=None, text=f"Fact {number}.", **more
    )


class Book:
    """The service's part: a list that many keys share. ``broken``: it does not answer. ``frozen``: it answers once
    that is set."""

    def __init__(self) -> None:
        self.open: list[Alarm] = []
        self.broken = False
        self.frozen: asyncio.Event | None = None
        self.closed: list[str] = []

    async def gateway_alarms(self) -> Any:
        """The list."""
        if self.broken:
            raise Problem("dependency_unavailable", "It does not answer.")
        if self.frozen is not None:
            await self.frozen.wait()
        return msgspec.defstruct("Found", ["items"])(list(self.open))

    async def gateway_take_alarm(self, alarm_id: str, body: TakeAlarm) -> Alarm:
        """This console's key takes it."""
        at = next(at for at, one in enumerate(self.open) if one.alarm_id == alarm_id)
        taken_at = "2026-01-01T01:00:00.000000Z"
        self.open[at] = msgspec.structs.replace(self.open[at], taken_by="key_me", taken_at=taken_at, note=body.note)
        return self.open[at]

    async def gateway_acknowledge_alarm(self, alarm_id: str) -> Alarm:
        """It is closed."""
        self.closed.append(alarm_id)
        found = next(one for one in self.open if one.alarm_id == alarm_id)
        self.open.remove(found)
        return found


class Desktop(Tray):
    """What the desktop would show."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.actions_, "ARC Console", window)
        self.states: list[tuple[Meaning, str]] = []
        self.called: list[tuple[str, str]] = []

    def set_state(self, state: Meaning, words: str) -> None:
        """Note it."""
        self.states.append((state, words))

    def call(self, words: str, text: str) -> None:
        """Note it."""
        self.called.append((words, text))


class Scene:
    """A window with its watch, and what of it can be heard and seen outside."""

    def __init__(self, preferences: PreferenceStore, clearance: str = "citadel") -> None:
        self.book = Book()
        self.heard: list[Tone] = []
        self.alerts: list[QWidget] = []
        self.window = MainWindow("training", preferences, PAGES)
        self.session = self.window.session
        self.session.live = Live(self.session.clock, self.window)
        heard = self.heard

        class Loud(Speaker):
            def tell(self, sound: Tone) -> None:
                heard.append(sound)

        self.tray = Desktop(self.window)
        self.watch = AlarmWatch(
            self.session, self.window, Loud(preferences, parent=self.window), self.tray, self.alerts.append
        )
        self.window.watch_alarms(self.watch)
        self.clearance = clearance

    def attach(self) -> None:
        """The service answers."""
        self.session.attach(self.book, "http://127.0.0.1:1", self.clearance)  # type: ignore[arg-type]

    async def read(self) -> None:
        """The list is read anew."""
        self.watch.read_now()
        await until(lambda: not self.watch._reading, "the reading")

    @property
    def bar(self) -> str:
        """What the top bar says."""
        return self.window.top.alarms.text().strip()

    def list(self) -> AlarmDialog:
        """The list, opened by its key."""
        self.window.actions_.trigger("console.alarms")
        (found,) = self.window.findChildren(AlarmDialog)
        return found


@pytest.fixture
def scene(preferences: PreferenceStore, loop: asyncio.AbstractEventLoop, qtbot: Any) -> Scene:
    """A window that is shown, not yet attached."""
    made = Scene(preferences)
    qtbot.addWidget(made.window)
    made.window.show()
    made.window._ready_to_close = True
    return made


def test_the_top_bar_counts_what_nobody_has_taken(scene: Scene, run: Run) -> None:
    """Unknown before the first answer and after a lost one; then the number of those that wait, by word and state."""

    async def walk() -> None:
        assert (scene.bar, scene.watch.words[0]) == ("Alarms unknown", Meaning.IDLE)
        scene.attach()
        await scene.read()
        assert (scene.bar, scene.watch.words[0]) == ("No alarm", Meaning.OK)
        scene.book.open = [alarm(1), alarm(2), alarm(3, taken_by="key_2")]
        await scene.read()
        assert (scene.bar, scene.watch.words[0]) == ("2 need you", Meaning.CRIT)
        scene.book.open = [alarm(1)]
        await scene.read()
        assert scene.bar == "1 needs you"
        assert scene.window.top.alarms.accessibleName() == "Alarms: 1 needs you"
        scene.book.open = [alarm(1, taken_by="key_2")]
        await scene.read()
        assert (scene.bar, scene.watch.words[0]) == ("1 taken", Meaning.WARN)
        scene.book.broken = True
        await scene.read()
        assert scene.bar == "Alarms unknown"
        scene.book.broken = False
        await scene.read()
        assert scene.bar == "1 taken"
        scene.session.detach("It is gone.")
        assert scene.bar == "Alarms unknown"

    run(walk())


def test_the_shape_in_the_top_bar_is_that_of_the_state(scene: Scene) -> None:
    """A picture of its own for each state: the word is not all that differs."""
    pictures = set()
    for state in Meaning:
        scene.window.top.set_alarms(state, "x")
        pictures.add(bytes(scene.window.top.alarms.icon().pixmap(12, 12).toImage().constBits()))
    assert len(pictures) == len(Meaning)


def test_it_sounds_until_somebody_has_taken_it(scene: Scene, run: Run) -> None:
    """Again and again; who took it need not be this console. What was there before the console counts too."""

    async def walk() -> None:
        scene.watch._ring.setInterval(20)
        scene.book.open = [alarm(1)]
        scene.attach()
        await until(lambda: len(scene.heard) > 2, "the third sound")
        assert set(scene.heard) == {Tone.NEEDS_YOU}
        scene.book.open = [alarm(1, taken_by="key_2")]
        await scene.read()
        assert not scene.watch._ring.isActive()

    run(walk())


def test_a_new_alarm_calls_the_window_and_the_desktop_once(scene: Scene, run: Run) -> None:
    """A list that is read again calls nobody; the next alarm does."""

    async def walk() -> None:
        scene.attach()
        await scene.read()
        assert (scene.alerts, scene.tray.called) == ([], [])
        scene.book.open = [alarm(1), alarm(2), alarm(9, taken_by="key_2")]
        await scene.read()
        await scene.read()
        assert scene.alerts == [scene.window]
        assert scene.tray.called == [("2 need you", "Fact 2. (and 1 more)")]
        assert len(scene.heard) == 1
        scene.book.open.append(alarm(3))
        await scene.read()
        assert scene.tray.called[1:] == [("3 need you", "Fact 3.")]
        assert (len(scene.alerts), len(scene.heard)) == (2, 2)

    run(walk())


def test_the_tray_says_what_the_top_bar_says(scene: Scene, run: Run) -> None:
    """Also that nothing is known any more."""

    async def walk() -> None:
        scene.attach()
        scene.book.open = [alarm(1)]
        await scene.read()
        assert scene.tray.states[-1] == (Meaning.CRIT, "1 needs you")
        scene.session.detach("It is gone.")
        assert scene.tray.states[-1] == (Meaning.IDLE, "Alarms unknown")

    run(walk())


def test_an_event_is_read_at_once(scene: Scene, run: Run) -> None:
    """Without waiting for the next turn; so is the end of a gap."""

    def listed(number: int) -> bool:
        return len(scene.watch.alarms) == number

    async def walk() -> None:
        scene.attach()
        await scene.read()
        scene.watch._poll.stop()
        for number, kind in enumerate(("alarm", "gap"), 1):
            scene.book.open.append(alarm(number))
            scene.session.live.look(True)
            scene.session.live._take(kind, '{"lost": 1}')
            await until(partial(listed, number), kind)
        assert scene.bar == "2 need you"

    run(walk())


def test_what_is_muted_is_silent_and_still_counted(scene: Scene, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """For its time, and it alone; muting again ends it."""

    async def walk() -> None:
        scene.book.open = [alarm(1)]
        scene.attach()
        await scene.read()
        scene.session.mutes.toggle("alarm:alm_1")
        heard = len(scene.heard)
        scene.watch._sound()
        assert len(scene.heard) == heard
        assert scene.bar == "1 needs you"
        scene.book.open.append(alarm(2))
        await scene.read()
        assert len(scene.heard) == heard + 1
        scene.session.mutes.toggle("alarm:alm_2")
        scene.watch._sound()
        assert len(scene.heard) == heard + 1
        scene.session.mutes.toggle("alarm:alm_1")
        scene.watch._sound()
        assert len(scene.heard) == heard + 2
        clock = running_s() + mutes.MUTE_S + 1
        monkeypatch.setattr(mutes, "running_s", lambda: clock)
        assert scene.session.mutes.standing() == {}

    run(walk())


def test_an_alarm_is_taken_from_the_list_by_keys(scene: Scene, run: Run, qtbot: Any) -> None:
    """Alt+N, the arrows, Enter, a note, Enter: the owner and the note stand there, and the next one waits."""

    async def walk() -> None:
        scene.book.open = [alarm(1), alarm(2)]
        scene.attach()
        await scene.read()
        opened = scene.list()
        opened.activateWindow()
        await until(opened.isActiveWindow, "the list")
        qtbot.keyClick(opened.table, Qt.Key.Key_Down)
        assert opened.chosen is not None and opened.chosen.alarm_id == "alm_2"  # noqa: PT018
        qtbot.keyClick(opened.table, Qt.Key.Key_Return)
        await until(opened.note.hasFocus, "the note")
        qtbot.keyClicks(opened.note, " I go there. ")
        qtbot.keyClick(opened.note, Qt.Key.Key_Return)
        await until(lambda: scene.bar == "1 needs you", "the count")
        assert (scene.book.open[1].taken_by, scene.book.open[1].note) == ("key_me", "I go there.")
        assert scene.book.open[0].taken_by is None
        assert opened.note.text() == ""
        owners = [opened.rows.columns[2].text(one) for one in opened.rows.rows]
        assert owners == ["nobody yet", "key_me: I go there."]
        assert "I go there." in opened._whole.text()
        scene.window.actions_.trigger("console.alarms")
        assert len(scene.window.findChildren(QDialog)) == 1
        opened.accept()

    run(walk())


def test_the_list_closes_what_has_happened_and_mutes(scene: Scene, run: Run) -> None:
    """What lasts closes with its fact, so its button is off."""

    async def walk() -> None:
        scene.book.open = [alarm(1), alarm(2, kind="palm.copy")]
        scene.attach()
        await scene.read()
        opened = scene.list()
        assert not opened.close_alarm.isEnabled()
        opened.mute.click()
        assert list(scene.session.mutes.standing()) == ["alarm:alm_1"]
        assert opened.mute.text() == "Unmute"
        opened.table.selectRow(1)
        assert opened.mute.text() == "Mute 15 min"
        opened.close_alarm.click()
        await until(lambda: scene.bar == "1 needs you", "the count")
        assert scene.book.closed == ["alm_2"]
        opened.accept()

    run(walk())


def test_a_key_that_only_reads_takes_nothing(preferences: PreferenceStore, run: Run, qtbot: Any) -> None:
    """Nor does Enter in the note."""
    scene = Scene(preferences, clearance="sovereign")
    qtbot.addWidget(scene.window)
    scene.window._ready_to_close = True

    async def walk() -> None:
        scene.book.open = [alarm(1, kind="palm.copy")]
        scene.attach()
        await scene.read()
        opened = scene.list()
        assert not opened.take.isEnabled()
        assert not opened.close_alarm.isEnabled()
        opened._take()
        await asyncio.sleep(0)
        assert scene.book.open[0].taken_by is None
        opened.accept()

    run(walk())


def test_a_list_that_is_not_read_any_more_is_unknown(scene: Scene, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that froze refuses nothing: the reading hangs, and the green word goes at the next beat."""

    async def walk() -> None:
        scene.attach()
        await scene.read()
        assert scene.bar == "No alarm"
        later = running_s() + 11.0
        monkeypatch.setattr(clock, "running_s", lambda: later)
        scene.book.frozen = asyncio.Event()
        scene.session.live.tick.emit()
        assert scene.bar == "Alarms unknown"
        assert scene.tray.states[-1] == (Meaning.IDLE, "Alarms unknown")
        scene.book.frozen.set()
        await until(lambda: scene.bar == "No alarm")

    run(walk())


def test_beside_a_silent_stream_only_what_was_read_since_counts(
    scene: Scene, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An alarm that was raised meanwhile would not have been heard of."""

    async def walk() -> None:
        scene.attach()
        scene.session.live._note_pulse()
        await scene.read()
        scene.session.live._note_pulse()
        quiet = running_s() + 3.0
        scene.session.live.stream.interval_s = 1.0
        monkeypatch.setattr(clock, "running_s", lambda: quiet)
        assert scene.session.live.stale
        scene.session.live.tick.emit()
        assert scene.bar == "Alarms unknown"
        await until(lambda: scene.bar == "No alarm", "the reading that follows")
        assert scene.session.live.stale

    run(walk())
