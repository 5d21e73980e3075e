"""The wall display: what it says of a site, and which scene it shows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app.capabilities.burn.messages import Burn, BurnListQuery, BurnLog, BurnPage
from app.capabilities.infrastructure.messages import Frame, FrameList, NodesQuery, Percentiles, StatusRecord
from app.console import theme
from app.console.clock import clock_time
from app.console.devices.sounds import Speaker
from app.console.moments import api_time
from app.console.page import PageRow
from app.console.preferences import PreferenceStore
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.tray import Tray
from app.console.shell.wall import DRIFT_PX, MOST_LINES, REST_S, SCENE_S, TILES_FROM, WallView, scene_of
from app.console.shell.wall_parts import SceneRow, WallHead, WallShape, WallTile
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK, Meaning
from app.delivery.messages import Alarm, AlarmList
from app.registry.messages.clusters import Reader, ReaderCluster, ReaderClusterPage
from app.running_clock import running_s
from tests.console.conftest import Run, until

PAGES = (PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page"),)
DAY_S = 86400.0
FRAMES, LATENCY, BURNS, NEEDS = range(4)


def frame(peer_id: str, ends_in_days: float | None = None) -> Frame:
    """A frame that was measured just now; its certificate may have been seen."""
    nothing = Percentiles(count=0, missed=0, p50=None, p95=None, p99=None, max=None)
    ends = None if ends_in_days is None else api_time(time.time() + ends_in_days * DAY_S)
    record = StatusRecord(
        node_id="N", status="OPERATIONAL", handshake_latency="0.81 ms", active_sovereign_nodes=1, uplink="",
        measured_at=api_time(time.time()),
    )  # fmt: skip
    return Frame(
        peer_id=peer_id, record=record, phases=None, certificate_not_after=ends, group=None, cipher=None,
        protocol=None, span=nothing, history=[],
    )  # fmt: skip


def reader(*, online: bool = True, secure: bool = True) -> Reader:
    """A reader of a door."""
    return Reader(
        reader_id="r", channel="simulated:", address=1, baud=115200, onboard_list=False, online=online,
        secure_channel=secure, firmware="1.0", epoch=5, since=None, enrolled=True, key_changed_at=api_time(0.0),
    )  # fmt: skip


def burn(began: float, ended: float | None = None, *, drill: bool = False) -> Burn:
    """A burn of those times."""
    return Burn(
        burn_id="burn_1", node_id="ARC-1", scope="GLOBAL_REVOCATION", reason="lost", epoch=1,
        state="PARTIAL" if ended is None else "COMPLETE", local_deny_us=1.0, targets=[], residual_exposure=[],
        log=BurnLog(index=1, sha256="00"), timestamp=api_time(began), drill=drill,
        completed_at=None if ended is None else api_time(ended),
    )  # fmt: skip


def alarm(kind: str, *, ago_s: float = 300.0, taken: bool = False) -> Alarm:
    """An open alarm."""
    return Alarm(
        alarm_id=f"alm_{kind}", kind=kind, since=api_time(time.time() - ago_s), node_id=None, ref=None, text="A name.",
        taken_by="key_me" if taken else None,
    )  # fmt: skip


class Site:
    """The service's part: what it answers of a site."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.readers: list[Reader] = []
        self.burns: list[Burn] = []
        self.alarms: list[Alarm] = []

    async def infrastructure_nodes(self, query: NodesQuery) -> FrameList:
        """Probes are so seldom that the stream has a pulse of its own."""
        now = api_time(time.time())
        return FrameList(items=self.frames, from_=now, to=now, step=query.step or 1, probe_interval_ms=60_000)

    async def registry_list_reader_clusters(self, query: object) -> ReaderClusterPage:
        """One cluster of all readers."""
        at = api_time(0.0)
        one = ReaderCluster(
            cluster_id="c", display_name="C", readers=self.readers, schedule=None, tags=[], created_at=at, changed_at=at
        )
        return ReaderClusterPage(items=[one], next=None)

    async def burn_list(self, query: BurnListQuery) -> BurnPage:
        """The newest first."""
        return BurnPage(items=[one for one in self.burns if query.state in (None, one.state)], next=None)

    async def gateway_alarms(self) -> AlarmList:
        """The open ones."""
        return AlarmList(items=self.alarms)


class Wall:
    """A wall display of a site whose service answers."""

    def __init__(self, window: MainWindow) -> None:
        self.site = Site()
        self.session, self.preferences = window.session, window.session.preferences
        self.session.live = Live(self.session.clock, window)
        self.alarms = AlarmWatch(
            self.session,
            window,
            Speaker(self.preferences, play=lambda _tone: None, bell=lambda: None, parent=window),
            Tray(window.actions_, "ARC Console", window),
            alert=lambda _window: None,
        )
        self.view = WallView(self.session, self.alarms, self.preferences)
        self.view.resize(1920, 1080)

    async def read(self) -> None:
        """Everything was read just now."""
        self.session.live.state = "live"
        self.session.live.stream.touch()
        if not self.session.is_connected:
            self.session.attach(self.site, "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
        self.view.show()
        self.alarms.read_now()
        await until(lambda: not self.alarms._reading, "the alarms")
        await self.view.counts._poll._read_once()

    @property
    def said(self) -> tuple[str, str, str]:
        """State, sentence and detail."""
        return self.view.state.text(), self.view.sentence.text(), self.view.detail.text()

    def tile(self, at: int) -> tuple[str, Meaning, str]:
        """What a tile says."""
        return self.view.tiles[at].said


@pytest.fixture
def wall(preferences: PreferenceStore, run: Run, qtbot: Any) -> Iterator[Wall]:
    """Not yet shown, of a window that is not, either."""
    window = MainWindow("training", preferences, PAGES)
    qtbot.addWidget(window)
    made = Wall(window)
    qtbot.addWidget(made.view)
    yield made
    made.view.hide()
    made.session.detach("the test ends")
    run(window.close_pages())
    window._ready_to_close = True


# --- the state of the site --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waiting", "taken", "said", "state"),
    [
        ([], [], ("All clear", "No alarm is open.", ""), Meaning.OK),
        ([], ["store.full"], ("1 taken", "Every open alarm has an owner.", ""), Meaning.WARN),
        (["store.full"], [], ("1 needs you", "The service's disk is nearly full", "for 5 min"), Meaning.CRIT),
        (
            ["palm.copy", "store.full"],
            ["burn.pending"],
            ("2 need you", "A copied palm was presented", "for 5 min · 1 more · 1 taken"),
            Meaning.CRIT,
        ),
    ],
)
def test_the_head_says_what_waits(
    waiting: list[str], taken: list[str], said: tuple[str, str, str], state: Meaning, wall: Wall, run: Run
) -> None:
    """How many, which one first and since when; and what is taken."""
    wall.site.alarms = [alarm(kind) for kind in waiting] + [alarm(kind, taken=True) for kind in taken]
    run(wall.read())
    assert (wall.said, wall.view.meaning) == (said, state)
    assert wall.view.accessibleName() == f"Wall display: {said[0]}. {said[1]}"
    assert wall.view.detail.isVisible() == bool(said[2])


def test_an_alarm_of_a_clock_ahead_is_not_of_the_future(wall: Wall, run: Run) -> None:
    """It begins now."""
    wall.site.alarms = [alarm("store.full", ago_s=-60.0)]
    run(wall.read())
    assert wall.said[2] == "for 0.0 s"


def test_any_source_that_is_silent_makes_the_state_unknown(wall: Wall, run: Run) -> None:
    """The stream, the figures, the service and the list of alarms: each alone. The figures go, and the frames are
    named by their age."""
    wall.site.frames = [frame("training-a-01")]

    async def main() -> None:
        async def known() -> None:
            await wall.read()
            assert wall.said[0] == "All clear"
            assert wall.view.frames_said.text() == "Frames: 1 Operational"

        def unknown() -> None:
            wall.view._beat()
            assert wall.said[:2] == ("Unknown", "Nobody knows how the site stands now.")
            assert wall.said[2].startswith("Data: ")
            assert {wall.tile(at) for at in range(5)} == {("–", Meaning.IDLE, "Not known now")}
            assert wall.view.frames_said.text().startswith("Frames: ")
            assert "Operational" not in wall.view.frames_said.text()
            assert wall.view.latency.accessibleName() == "Latency: – Not known now"
            assert wall.view.burns.accessibleName().count("– Not known now") == 3
            assert "Nobody knows what is open." in wall.view.needs.accessibleName()

        await known()
        wall.session.live.state = "lost"
        unknown()
        await known()
        wall.view.counts._poll.fresh._heard = running_s() - 60.0
        wall.view.counts._poll.fresh._asked = None
        unknown()
        await known()
        wall.session.detach("gone")
        unknown()

    run(main())


def test_a_list_of_alarms_that_was_not_read_is_never_all_clear(wall: Wall, run: Run) -> None:
    """The figures may be known all the same."""

    async def main() -> None:
        wall.site.readers = [reader()]
        await wall.read()
        wall.alarms._lose()
        assert wall.said[0] == "Unknown"
        assert wall.tile(1)[0] == "1 of 1"
        assert "Nobody knows what is open." in wall.view.needs.accessibleName()

    run(main())


# --- the figures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readers", "said"),
    [
        ([], ("0 of 0", Meaning.IDLE, "None is registered")),
        ([reader(), reader()], ("2 of 2", Meaning.OK, "All on a secure channel")),
        ([reader(secure=False), reader()], ("2 of 2", Meaning.WARN, "1 without a secure channel")),
        (
            [reader(online=False), reader(secure=False), reader()],
            ("2 of 3", Meaning.WARN, "1 do not answer"),
        ),
    ],
)
def test_doors_say_what_is_wrong(readers: list[Reader], said: tuple[str, Meaning, str], wall: Wall, run: Run) -> None:
    """One that does not answer comes before one without a secure channel."""
    wall.site.readers = readers
    run(wall.read())
    assert wall.tile(1) == said


def test_the_last_burn_says_how_long_its_last_target_took(wall: Wall, run: Run) -> None:
    """While one is open, how long it has been; of a drill, that it was one."""

    async def main() -> None:
        now = wall.session.live.now()
        said = []
        for burns in (
            [], [burn(now - 4000.0, now - 3998.5)], [burn(now - 4000.0, now - 3998.5, drill=True)],
            [burn(now + 60.0)], [burn(now - 400.0)],
        ):  # fmt: skip
            wall.site.burns = burns
            await wall.read()
            said.append(wall.tile(2))
        assert said[:4] == [
            ("–", Meaning.IDLE, "No burn yet"),
            ("1.500 s", Meaning.OK, "Complete, 67 min ago"),
            ("1.500 s", Meaning.OK, "A drill, 67 min ago"),
            ("0 s", Meaning.WARN, "A target is not proven yet"),
        ]
        assert int(said[4][0].removesuffix(" s")) >= 400

    run(main())


def test_open_burns_are_counted(wall: Wall, run: Run) -> None:
    """None is green."""

    async def main() -> None:
        wall.site.burns = [burn(0.0, 1.0)]
        await wall.read()
        assert wall.tile(3) == ("0", Meaning.OK, "No target is open")
        wall.site.burns = [burn(0.0), burn(0.0, 1.0), burn(0.0)]
        await wall.read()
        assert wall.tile(3) == ("2", Meaning.WARN, "With a target that is not proven")

    run(main())


def test_figures_that_were_never_read_are_not_called_so(wall: Wall, run: Run) -> None:
    """The service answers, but not yet about doors and burns."""

    async def main() -> None:
        await wall.read()
        counts = wall.view.counts
        counts._clusters = counts._open_burns = counts._newest_burns = None
        wall.view._beat()
        assert {wall.tile(at) for at in (1, 2, 3)} == {("–", Meaning.IDLE, "Not read yet")}

    run(main())


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (None, ("–", Meaning.IDLE, "No certificate was seen")),
        (3.2, ("3 days", Meaning.BAD, "Renew it")),
        (20.2, ("20 days", Meaning.WARN, "Renew it")),
        (90.2, ("90 days", Meaning.OK, "None within 30 days")),
    ],
)
def test_the_first_certificate_that_ends_is_told(
    days: float | None, said: tuple[str, Meaning, str], wall: Wall, run: Run
) -> None:
    """And by when it should be renewed."""
    wall.site.frames = [frame("training-a-01", days), frame("training-a-02", days and days + 100)]
    run(wall.read())
    assert wall.tile(4) == said


@pytest.mark.parametrize(
    ("goal", "state", "words", "kept"),
    [
        (0, Meaning.IDLE, "The last minute, no goal is set", "no goal is set"),
        (4, Meaning.WARN, "Over the goal of 4 ms", "over the goal of 4 ms"),
        (5, Meaning.OK, "Within the goal of 5 ms", "within the goal of 5 ms"),
    ],
)
def test_latency_is_held_against_the_goal(
    goal: int, state: Meaning, words: str, kept: str, wall: Wall, run: Run
) -> None:
    """On the tile with its course, and group by group in the scene; the goal itself is kept."""
    wall.preferences.remember_goal(goal)
    wall.site.frames = [frame("training-a-01"), frame("training-a-02"), frame("training-b-01")]

    async def main() -> None:
        await wall.read()
        assert wall.tile(0) == ("–", Meaning.IDLE, "Nothing was measured in the last minute")
        assert not wall.view.tiles[0]._trend.isVisibleTo(wall.view.tiles[0])
        now = wall.session.live.now()
        wall.session.live.handshakes.put("training-a-01", now, 2.0)
        wall.session.live.handshakes.put("training-a-02", now, 5.0)
        wall.view._beat()
        assert wall.tile(0) == ("5.0 ms", state, words)
        assert wall.view.tiles[0]._trend.isVisibleTo(wall.view.tiles[0])
        assert wall.view.latency.accessibleName() == (
            f"Latency: Training a 5.0 ms p99, {kept}; p50 2.0 ms; Training b – nothing was measured in the last minute"
        )

    run(main())


def test_the_scene_of_burns_and_doors_counts_both(wall: Wall, run: Run) -> None:
    """With the frames that work."""
    wall.site.frames = [frame("training-a-01")]
    wall.site.readers = [reader(), reader(online=False)]
    run(wall.read())
    assert wall.view.burns.accessibleName() == (
        "Burns and doors: Frames 1 of 1 operational; Doors 1 of 2 readers online; "
        "Open burns 0 with a target that is not proven; C 1 of 2 1 do not answer"
    )


@pytest.mark.parametrize(
    ("ended", "change", "said"),
    [
        (1.5, {}, "1.500 s a burn, every target proven"),
        (1.5, {"drill": True}, "1.500 s a drill, every target proven"),
        (1.5, {"delivered": 1, "unlinked": 1}, "1.500 s a burn, 2 targets without a proof"),
        (1.5, {"counts": {"revoked": 4, "closed": 3}}, "1.500 s a burn, 3 targets without a proof"),
        (None, {}, "a burn, a target is not proven yet"),
    ],
)
def test_a_burn_is_told_by_its_time_and_nobody_by_name(
    ended: float | None, change: dict[str, Any], said: str, wall: Wall, run: Run
) -> None:
    """Complete is not called proven of a target that nobody could read."""

    async def main() -> None:
        began = wall.session.live.now() - 10.0
        wall.site.burns = [
            msgspec.structs.replace(burn(began, None if ended is None else began + ended), **change),
        ]
        await wall.read()
        told = wall.view.burns.accessibleName()
        assert told.endswith(said)
        assert clock_time(began) in told
        assert "ARC-1" not in told

    run(main())


def test_what_waits_stands_before_what_is_taken(wall: Wall, run: Run) -> None:
    """Alarms of one kind are one line."""
    wall.site.alarms = [alarm("palm.copy", taken=True), alarm("store.full"), alarm("store.full")]
    run(wall.read())
    assert wall.view.needs.accessibleName() == (
        "Needs you: Waits 2 The service's disk is nearly full; Taken 1 A copied palm was presented"
    )


def test_a_scene_says_how_many_lines_it_leaves_out(wall: Wall, run: Run) -> None:
    """It has as many as there is room for, and two on the smallest screen."""

    def lines_shown() -> list[str]:
        return [words.text() for _name, _figure, words in wall.view.needs._lines if not words.isHidden()]

    kinds = ["palm.copy", "store.full", "burn.pending", "voice.synthetic", "log.late", "witness.late", "clock.moved",
             "strike.due", "card.torn", "lifecycle.brake", "burn.tripwire", "stylized.copy", "makers.changed",
             "keystone.replayed"]  # fmt: skip

    async def main() -> None:
        wall.site.alarms = [alarm(kind) for kind in kinds[:MOST_LINES]]
        wall.view.resize(1920, 2400)
        await wall.read()
        QApplication.processEvents()
        wall.view._beat()
        assert len(lines_shown()) == MOST_LINES
        assert not any("more" in one for one in lines_shown())
        wall.site.alarms = [alarm(kind) for kind in kinds]
        await wall.read()
        assert (len(lines_shown()), lines_shown()[-1]) == (MOST_LINES, "3 more")
        wall.view.scenes.setFixedHeight(40)
        QApplication.processEvents()
        wall.view._beat()
        assert (len(lines_shown()), lines_shown()[-1]) == (2, "13 more")

    run(main())


def test_a_line_is_as_high_as_its_figure(wall: Wall, run: Run) -> None:
    """A pixel too little for one more leaves that one out; also of a scene that is not in front, before it comes."""
    kinds = ("frame.unreachable", "store.full", "burn.pending", "log.late", "card.torn")
    wall.site.alarms = [alarm(kind) for kind in kinds]
    run(wall.read())
    view = wall.view
    assert view.scenes.currentIndex() == FRAMES
    figure, words = (part.fontMetrics() for part in view.needs._lines[0][1:])
    assert figure.height() > 2 * words.lineSpacing()
    line, margins = figure.height() + view.needs._grid.verticalSpacing(), view.needs._grid.contentsMargins()
    for room, shown in ((5 * line, 5), (5 * line - 1, 4)):
        view.scenes.setFixedHeight(room + margins.top() + margins.bottom())
        QApplication.processEvents()
        view._beat()
        assert sum(not words.isHidden() for _name, _figure, words in view.needs._lines) == shown


# --- turning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "scene"),
    [("frame.unreachable", FRAMES), ("burn.pending", BURNS), ("palm.copy", NEEDS)],
)
def test_an_alarm_that_waits_holds_its_scene(kind: str, scene: int, wall: Wall, run: Run) -> None:
    """However long; the shape beside the words says so."""
    wall.site.alarms = [alarm(kind)]
    run(wall.read())
    wall.view._turned -= SCENE_S
    wall.view._beat()
    assert (wall.view.scenes.currentIndex(), wall.view.why.text()) == (scene, "Scene held by the alarm")
    assert scene_of(wall.site.alarms[0]) == scene
    assert (wall.view._why_shape.isVisible(), wall.view._why_shape.state) == (True, Meaning.CRIT)


def test_what_waited_when_it_was_last_read_holds_no_scene(wall: Wall, run: Run) -> None:
    """Where the list of alarms was not read, or nothing else is known."""

    async def main() -> None:
        wall.site.alarms = [alarm("burn.pending")]
        await wall.read()
        assert wall.view.why.text() == "Scene held by the alarm"
        wall.session.live.state = "lost"
        wall.view._beat()
        assert wall.view.why.text() == "Esc goes back"
        await wall.read()
        assert wall.view.why.text() == "Scene held by the alarm"
        wall.alarms._lose()
        assert wall.view.why.text() == "Esc goes back"

    run(main())


def test_scenes_turn_when_their_time_has_come(wall: Wall, run: Run) -> None:
    """One after the other, and round again."""
    run(wall.read())
    seen = []
    for _ in range(5):
        seen.append(wall.view.scenes.currentIndex())
        wall.view._beat()
        assert wall.view.scenes.currentIndex() == seen[-1]
        wall.view._turned -= SCENE_S
        wall.view._beat()
    assert seen == [FRAMES, LATENCY, BURNS, NEEDS, FRAMES]
    assert (wall.view.why.text(), wall.view._why_shape.isVisible()) == ("Esc goes back", False)


def test_a_hand_holds_a_scene_for_a_minute(wall: Wall, run: Run) -> None:
    """Even against an alarm; Left goes back, any other key and the mouse hold what is shown."""
    wall.site.alarms = [alarm("burn.pending")]
    run(wall.read())
    view = wall.view
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert (view.scenes.currentIndex(), view.why.text()) == (LATENCY, "Held by hand")
    assert not view._why_shape.isVisible()
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert view.scenes.currentIndex() == LATENCY
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.scenes.currentIndex() == BURNS
    QTest.keyClick(view, Qt.Key.Key_Right)
    view._touched -= REST_S
    view._beat()
    assert (view.scenes.currentIndex(), view.why.text()) == (BURNS, "Scene held by the alarm")


def test_the_mouse_holds_the_scene(wall: Wall, run: Run) -> None:
    """Whether it is moved or pressed."""
    run(wall.read())
    view, at = wall.view, QPointF(5, 5)
    for kind in (QMouseEvent.Type.MouseMove, QMouseEvent.Type.MouseButtonPress):
        none = Qt.MouseButton.NoButton
        view._rests = False
        event = QMouseEvent(kind, at, view.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(view, event)
        view._turned -= SCENE_S
        view._beat()
        assert (view.scenes.currentIndex(), view.why.text()) == (FRAMES, "Held by hand")
    assert view.hasMouseTracking()


def test_a_wall_that_is_shown_again_begins_anew(wall: Wall, run: Run) -> None:
    """Nobody holds its scene, which stays its whole time. While it is hidden it does nothing."""

    async def main() -> None:
        await wall.read()
        view = wall.view
        QTest.keyClick(view, Qt.Key.Key_Space)
        view.hide()
        assert not view._second.isActive()
        view.clock.setText("")
        view._turned -= SCENE_S
        view._beat()
        assert view.clock.text() == ""
        view.show()
        assert view._second.isActive()
        assert (view.scenes.currentIndex(), view.why.text()) == (FRAMES, "Esc goes back")

    run(main())


# --- how it looks -----------------------------------------------------------------------------------------------------


def test_the_picture_drifts_minute_by_minute(wall: Wall, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four places in turn, so that nothing burns into the screen; its size stays."""
    run(wall.read())
    places, sizes = [], set()
    for minute in range(5):
        monkeypatch.setattr(time, "time", lambda minute=minute: 1_772_020_800.0 + 60.0 * minute + 59.0)
        wall.view._beat()
        margins = wall.view._column.contentsMargins()
        places.append((margins.left() - 16, margins.top() - 16))
        sizes.add((margins.left() + margins.right(), margins.top() + margins.bottom()))
    assert places == [(0, 0), (DRIFT_PX, 0), (DRIFT_PX, DRIFT_PX), (0, DRIFT_PX), (0, 0)]
    assert sizes == {(32, 32)}


def test_tiles_stand_where_there_is_room(wall: Wall, run: Run) -> None:
    """Beside the scene on a wide wall, and only those that are whole; a narrow one names the scene alone."""
    run(wall.read())
    view = wall.view

    def shown_names() -> int:
        return sum(not one.isHidden() for one in view.scene._names)

    view.resize(TILES_FROM, 1080)
    view._beat()
    assert (view._side.isHidden(), shown_names()) == (False, 4)
    view.resize(TILES_FROM - 1, 1080)
    view._beat()
    assert (view._side.isHidden(), shown_names()) == (True, 1)
    high = view.tiles[0].sizeHint().height()
    for room, whole in ((2 * high + 12, 2), (2 * high + 11, 1)):
        view.scenes.setFixedHeight(room)
        view._fit_tiles()
        assert sum(not one.isHidden() for one in view.tiles) == whole


def test_the_row_of_scenes_says_which_is_in_front(qtbot: Any, application: QApplication) -> None:
    """By a longer bar and a brighter name, and in words."""
    row = SceneRow(["Frames", "Latency"])
    qtbot.addWidget(row)
    row.choose(0, narrow=False)
    row.choose(1, narrow=False)
    assert row.accessibleName() == "Latency, scene 2 of 2"
    assert [one.property("role") for one in row._names] == ["wall-dim", "wall-text"]
    first, second = (one.sizeHint() for one in row._bars)
    assert (first.width() < second.width(), first.height()) == (True, second.height())


def test_the_clock_grows_with_the_text(wall: Wall, run: Run, application: QApplication) -> None:
    """Its figures stay as wide as each other, so that it does not move each second."""
    run(wall.read())
    theme.apply(application, DARK, scale=1.5)
    application.processEvents()
    font = wall.view.clock.fontInfo()
    assert (font.pixelSize(), font.family()) == (68, theme.mono().family())


def test_the_shape_of_a_state_grows_with_the_text(qtbot: Any, application: QApplication) -> None:
    """At once, where it stands already."""
    place, shape = QWidget(), WallShape(40)
    qtbot.addWidget(place)
    row = QHBoxLayout(place)
    row.addWidget(shape)
    place.resize(400, 200)
    place.show()
    assert shape.width() == 40
    theme.apply(application, DARK, scale=1.5)
    application.processEvents()
    assert shape.width() == 60


def test_a_tile_is_read_out_whole(qtbot: Any, application: QApplication) -> None:
    """Its name, the figure with its unit, and what it means; the name alone before anything was read."""
    tile = WallTile("Doors online")
    qtbot.addWidget(tile)
    assert (tile.accessibleName(), tile.said) == ("Doors online", ("–", Meaning.IDLE, ""))
    tile.set("2", "of 3", Meaning.WARN, "1 do not answer")
    assert tile.accessibleName() == "Doors online: 2 of 3; 1 do not answer"
    tile.set("0", "", Meaning.OK, "None")
    assert tile.accessibleName() == "Doors online: 0; None"


@pytest.mark.parametrize(
    ("state", "framed"), [(Meaning.CRIT, True), (Meaning.BAD, True), (Meaning.WARN, False), (Meaning.OK, False)]
)
def test_the_head_is_framed_where_somebody_must_act(
    state: Meaning, framed: bool, qtbot: Any, application: QApplication
) -> None:
    """Its left edge has the colour of the state in any case."""
    head = WallHead()
    qtbot.addWidget(head)
    head.resize(200, 60)
    head.set_state(state)
    picture = head.grab().toImage()
    colour = QColor(theme.current().state(state))
    assert picture.pixelColor(7, 30) == colour
    assert (picture.pixelColor(198, 30) == colour) is framed
