"""The window as a wall display: how the site stands, for a room in which nobody has signed in. It names nobody and
takes no action."""

from __future__ import annotations

import time
from collections import Counter

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import age, clock_time, zone_name
from app.console.devices.screen_saver import ScreenSaver
from app.console.frames.goal import goal_of
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import nearest_rank
from app.console.frames.site_counts import SiteCounts
from app.console.frames.standing import CERTIFICATE_WARN_DAYS, certificate_state
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.need_words import need_words
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.lock_words import alarm_state, alarm_words
from app.console.shell.statusbar import ProfileBand
from app.console.shell.wall_parts import SceneRow, WallHead, WallShape, WallTile
from app.console.theme.tokens import Meaning
from app.console.widgets.node_grid import NodeGrid
from app.console.widgets.text import label
from app.delivery.messages import Alarm

SCENE_S = 20
"""Seconds that a scene stays."""
REST_S = 60
"""Seconds without turning after somebody has touched keyboard or mouse."""
DRIFT_PX = 2
MOST_LINES = 12
SCENES = (tr("Frames"), tr("Latency"), tr("Burns and doors"), tr("Needs you"))
TILES = (
    tr("Handshake p99"),
    tr("Doors online"),
    tr("Last burn, last target"),
    tr("Open burns"),
    tr("First certificate ends in"),
)
TILES_FROM = 1400
"""Width of the wall, px at 100 % text, from which tiles stand beside the scene."""
TREND_SPAN_S, TREND_STEP_S = 600, 10
_FRAMES, _LATENCY, _BURNS, _NEEDS = range(len(SCENES))
_HELD_BY = {"frame": _FRAMES, "burn": _BURNS}
_MARGIN = 16
_STEPS = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Where the picture stands, minute by minute, in steps of the drift."""


def scene_of(alarm: Alarm) -> int:
    """The scene that an alarm holds."""
    return _HELD_BY.get(alarm.kind.partition(".")[0], _NEEDS)


class _Figures(QFrame):
    """Lines of a name, a large figure and what it means: as many as there is room for, at most ``MOST_LINES``."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._name = name
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(24, 16, 24, 16)
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        self._lines: list[tuple[QLabel, QLabel, QLabel]] = []
        for at in range(MOST_LINES):
            line = (label("", "wall-dim"), label("", "wall-figure"), label("", "wall-text", wrap=True))
            for column, part in enumerate(line):
                grid.addWidget(part, at, column)
            self._lines.append(line)
        grid.setRowStretch(MOST_LINES, 1)

    def _most_lines(self) -> int:
        """For how many lines of two lines of words each there is room."""
        figure, words = self._lines[0][1].fontMetrics(), self._lines[0][2].fontMetrics()
        high = max(figure.height(), 2 * words.lineSpacing()) + self._grid.verticalSpacing()
        margins = self._grid.contentsMargins()
        # The height of the stack: a scene that is not shown has that of the time when it was.
        stack = self.parentWidget() or self
        return max(2, min(MOST_LINES, (stack.height() - margins.top() - margins.bottom()) // high))

    def show_lines(self, lines: list[tuple[str, str, str]]) -> None:
        """Show these; of more than there is room for, the last one says how many are left out."""
        most = self._most_lines()
        if len(lines) > most:
            left = len(lines) - most + 1
            lines = [*lines[: most - 1], ("", "", tr("{left} more", left=left))]
        for at, parts in enumerate(self._lines):
            said = lines[at] if at < len(lines) else ("", "", "")
            for part, text in zip(parts, said, strict=True):
                part.setText(text)
                # A line that says nothing takes no height from those that do.
                part.setVisible(at < len(lines))
        self.setAccessibleName(f"{self._name}: " + "; ".join(" ".join(filter(None, one)) for one in lines))


class WallView(QWidget):
    """Shown in place of everything else. ``left``: Esc was pressed. Left and Right choose a scene by hand."""

    left = Signal()

    def __init__(self, session: WindowSession, alarms: AlarmWatch, preferences: PreferenceStore) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self.setAccessibleName(tr("Wall display"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._session, self._alarms, self._preferences = session, alarms, preferences
        self._screen = ScreenSaver()
        self._turned = self._touched = time.monotonic()
        self._rests = False
        self.meaning = Meaning.IDLE
        """The state that is shown."""
        self._column = column = QVBoxLayout(self)
        column.setSpacing(16)
        self._head = head = WallHead()
        row = QHBoxLayout(head)
        row.setContentsMargins(40, 12, 24, 12)
        row.setSpacing(24)
        self._shape = WallShape(44)
        self.state = label("", "wall-state")
        self.sentence = label("", "wall-sentence", wrap=True)
        self.detail = label("", "wall-dim", wrap=True)
        self.clock = label("", "wall-figure")
        self.clock.setFont(theme.mono(45))
        self.age = label("", "wall-dim")
        times = QVBoxLayout()
        times.setSpacing(0)
        for part in (self.clock, self.age):
            times.addWidget(part, 0, Qt.AlignmentFlag.AlignRight)
        row.addWidget(self._shape)
        row.addWidget(self.state)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(self.sentence)
        words.addWidget(self.detail)
        words.addStretch(1)
        row.addLayout(words, 1)
        row.addLayout(times)
        column.addWidget(head)
        self.scenes = QStackedWidget()
        self.grid = NodeGrid(tr("Server frames"), wall=True)
        self.grid.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.grid.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.latency = _Figures(tr("Latency"))
        self.burns = _Figures(tr("Burns and doors"))
        self.needs = _Figures(tr("Needs you"))
        self.frames = QFrame()
        self.frames.setProperty("role", "panel")
        room = QVBoxLayout(self.frames)
        room.setContentsMargins(24, 16, 24, 16)
        self.frames_said = label("", "wall-text", wrap=True)
        room.addWidget(self.frames_said)
        room.addWidget(self.grid, 1)
        for scene in (self.frames, self.latency, self.burns, self.needs):
            self.scenes.addWidget(scene)
        self.tiles = [WallTile(title) for title in TILES]
        self._side = QWidget()
        tiles = QVBoxLayout(self._side)
        tiles.setContentsMargins(0, 0, 0, 0)
        tiles.setSpacing(12)
        for tile in self.tiles:
            tiles.addWidget(tile)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.scenes, 69)
        both.addWidget(self._side, 31)
        column.addLayout(both, 1)
        foot = QHBoxLayout()
        foot.setSpacing(24)
        self._band = ProfileBand(session.profile)
        self.scene = SceneRow(SCENES)
        self._why_shape = WallShape(14)
        self.why = label("", "wall-dim")
        foot.addWidget(self._band)
        foot.addStretch(1)
        foot.addWidget(self.scene)
        foot.addStretch(1)
        foot.addWidget(self._why_shape)
        foot.addWidget(self.why)
        column.addLayout(foot)
        self.counts = SiteCounts(session, self)
        self.counts.changed.connect(self._beat)
        alarms.changed.connect(self._beat)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._beat)
        self.hide()

    # --- what it shows -----------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Everything that is shown, once a second and when something was read."""
        if not self.isVisible():
            return
        now = time.time()
        across, down = _STEPS[int(now // 60) % len(_STEPS)]
        x, y = across * DRIFT_PX, down * DRIFT_PX
        self._column.setContentsMargins(_MARGIN + x, _MARGIN + y, _MARGIN - x, _MARGIN - y)
        self.clock.setText(clock_time(now))
        self.age.setText(tr("{zone_name} · data {data_age}", zone_name=zone_name(now), data_age=self.counts.data_age))
        self._band.show_profile(self._session.profile)
        self._fit_tiles()
        self._show_state()
        self._show_tiles(self._session.live.now())
        self._show_scenes()
        self._turn()

    def _show_state(self) -> None:
        """The one state of the site. What nobody knows now is never green."""
        state, _words = self._alarms.words
        waiting, total = len(self._alarms.waiting), len(self._alarms.alarms)
        sentence = detail = ""
        if state is Meaning.IDLE or self._unknown:
            state, word = Meaning.IDLE, tr("Unknown")
            sentence = tr("Nobody knows how the site stands now.")
            detail = tr("Data: {data_age}", data_age=self.counts.data_age)
        elif waiting:
            word = need_words(waiting)
            sentence = alarm_words(self._alarms.waiting[0])
            detail = self._waiting_words(waiting - 1, total - waiting)
        elif total:
            word, sentence = tr("{total} taken", total=total), tr("Every open alarm has an owner.")
        else:
            word, sentence = tr("All clear"), tr("No alarm is open.")
        self.meaning = state
        self._shape.set_state(state)
        self._head.set_state(state)
        self.state.setText(word)
        self.sentence.setText(sentence)
        self.detail.setText(detail)
        self.detail.setVisible(bool(detail))
        self.setAccessibleName(tr("Wall display: {word}. {sentence}", word=word, sentence=sentence))

    @property
    def _unknown(self) -> bool:
        """Whether what was read is too old to be shown as true."""
        return self.counts.stale or self._session.live.stale or not self._session.is_connected

    def _waiting_words(self, more: int, taken: int) -> str:
        """Since when the first alarm waits, and how many there are besides."""
        since = parse_time(self._alarms.waiting[0].since)
        parts = [tr("for {age}", age=age(max(0.0, self._session.live.now() - since)))]
        if more:
            parts.append(tr("{count} more", count=more))
        if taken:
            parts.append(tr("{count} taken", count=taken))
        return " · ".join(parts)

    @property
    def _is_narrow(self) -> bool:
        return self.width() < theme.px(TILES_FROM)

    def _fit_tiles(self) -> None:
        """Tiles stand where there is room beside the scene, as many as are whole."""
        self._side.setVisible(not self._is_narrow)
        room, high = self.scenes.height(), self.tiles[0].sizeHint().height() + 12
        for at, tile in enumerate(self.tiles):
            tile.setVisible((at + 1) * high - 12 <= room)

    def _show_tiles(self, now: float) -> None:
        """The figures of now, with what each means. What nobody knows now is a dash: nothing stays from before."""
        if self._unknown:
            for tile in self.tiles:
                tile.set("–", "", Meaning.IDLE, tr("Not known now"))
                tile.set_trend(None)
            return
        latency, doors, last, burns, certificate = self.tiles
        self._show_latency(latency)
        readers = self.counts.readers
        if readers is None:
            doors.set("–", "", Meaning.IDLE, tr("Not read yet"))
        else:
            online, secure, total = readers
            if online < total:
                said = Meaning.WARN, tr("{count} do not answer", count=total - online)
            elif secure < online:
                said = Meaning.WARN, tr("{count} without a secure channel", count=online - secure)
            else:
                said = Meaning.OK, tr("All on a secure channel")
            if not total:
                said = Meaning.IDLE, tr("None is registered")
            doors.set(str(online), tr("of {total}", total=total), *said)
        self._show_last_burn(last)
        count = self.counts.open_burn_count
        if count is None:
            burns.set("–", "", Meaning.IDLE, tr("Not read yet"))
        elif count:
            burns.set(self.counts.open_burns, "", Meaning.WARN, tr("With a target that is not proven"))
        else:
            burns.set("0", "", Meaning.OK, tr("No target is open"))
        days = self.counts.first_certificate_days(now)
        if days is None:
            certificate.set("–", "", Meaning.IDLE, tr("No certificate was seen"))
        else:
            state = certificate_state(days)
            words = tr("None within {days:.0f} days", days=CERTIFICATE_WARN_DAYS)
            if state is not Meaning.OK:
                words = tr("Renew it")
            certificate.set(number(days, ".0f"), tr("days"), state, words)

    def _show_latency(self, tile: WallTile) -> None:
        """p99 of the last minute, and whether it keeps the goal."""
        board, goal = self.counts.board, goal_of(self._preferences)
        high = board.minute()[1] if board.frames else None
        if high is None:
            tile.set("–", "", Meaning.IDLE, tr("Nothing was measured in the last minute"))
            tile.set_trend(None)
            return
        if goal is None:
            said = Meaning.IDLE, tr("The last minute, no goal is set")
        elif high > goal:
            said = Meaning.WARN, tr("Over the goal of {goal:g} ms", goal=goal)
        else:
            said = Meaning.OK, tr("Within the goal of {goal:g} ms", goal=goal)
        tile.set(number(high, ".1f"), "ms", *said)
        tile.set_trend(board.high(TREND_SPAN_S, TREND_STEP_S), goal)

    def _show_last_burn(self, tile: WallTile) -> None:
        """How long the newest burn took until its last target was proven, and how long ago that was."""
        burns, now = self.counts.newest_burns, self._session.live.now()
        burn = next(iter(burns or ()), None)
        if burn is None:
            tile.set("–", "", Meaning.IDLE, tr("Not read yet") if burns is None else tr("No burn yet"))
        elif burn.ended is None:
            since = number(max(0.0, now - burn.began), ".0f")
            tile.set(since, "s", Meaning.WARN, tr("A target is not proven yet"))
        else:
            ago = age(max(0.0, now - burn.ended))
            words = tr("A drill, {age} ago", age=ago) if burn.drill else tr("Complete, {age} ago", age=ago)
            tile.set(number(max(0.0, burn.ended - burn.began), ".3f"), "s", Meaning.OK, words)

    def _show_scenes(self) -> None:
        """All four, so that the one that comes next is true at once."""
        board = self.counts.board
        self.grid.set_nodes(board.grid_nodes())
        self.grid.set_values(board.values())
        counted = sorted(board.counts().items(), key=lambda one: -one[1])
        self.frames_said.setText(
            tr("Frames: {data_age}", data_age=self.counts.data_age)
            if self._unknown
            else tr("Frames: {counts}", counts=" · ".join(f"{count} {word}" for word, count in counted) or tr("none"))
        )
        self.latency.show_lines(self._latency_lines())
        self.burns.show_lines(self._burn_lines())
        # What was open when it was last read says nothing of now.
        known = self._alarms.known and not self._unknown
        kinds = Counter((alarm_words(one), alarm_state(one)) for one in self._alarms.alarms if known)
        lines = [
            (tr("Waits") if state is Meaning.CRIT else tr("Taken"), str(count), words)
            for (words, state), count in sorted(kinds.items(), key=lambda one: one[0][1] is not Meaning.CRIT)
        ]
        if not lines:
            lines = [("", "", tr("No alarm is open.") if known else tr("Nobody knows what is open."))]
        self.needs.show_lines(lines)

    def _burn_lines(self) -> list[tuple[str, str, str]]:
        """Frames, doors and burns in one figure each; then the clusters and the newest burns one by one. A burn has a
        time and a length here: whom it was about, no wall says."""
        counts, unknown = self.counts, tr("Not known now")
        lost = self._unknown
        lines = [
            (tr("Frames"), "–" if lost else counts.frames, unknown if lost else tr("operational")),
            (tr("Doors"), "–" if lost else counts.doors, unknown if lost else tr("readers online")),
            (
                tr("Open burns"),
                "–" if lost else counts.open_burns,
                unknown if lost else tr("with a target that is not proven"),
            ),
        ]
        if lost:
            return lines
        for cluster in counts.clusters:
            missing = cluster.total - cluster.online
            said = tr("{count} do not answer", count=missing) if missing else tr("every door answers")
            lines.append((cluster.name, tr("{count} of {total}", count=cluster.online, total=cluster.total), said))
        for burn in counts.newest_burns or ():
            if burn.ended is None:
                said, length = tr("a burn, a target is not proven yet"), self._session.live.now() - burn.began
            else:
                length = burn.ended - burn.began
                if burn.unproven:
                    said = tr("a burn, {count} targets without a proof", count=burn.unproven)
                else:
                    said = tr("a drill, every target proven") if burn.drill else tr("a burn, every target proven")
            shown = ".3f" if burn.ended is not None else ".0f"
            lines.append((clock_time(burn.began), f"{number(max(0.0, length), shown)} s", said))
        return lines

    def _latency_lines(self) -> list[tuple[str, str, str]]:
        """p50 and p99 of the last minute by group, and whether the goal was kept."""
        if self._unknown:
            return [("", "–", tr("Not known now"))]
        board, goal = self.counts.board, goal_of(self._preferences)
        values = board.values(60)
        rows: dict[str, list[int]] = {}
        for at, peer_id in enumerate(board.frames):
            rows.setdefault(group_of(peer_id), []).append(at)
        lines = []
        for group, places in rows.items():
            half, high = nearest_rank(values[places], 0.5), nearest_rank(values[places], 0.99)
            if half is None or high is None:
                lines.append((caption(group), "–", tr("nothing was measured in the last minute")))
                continue
            kept = (
                tr("no goal is set")
                if goal is None
                else tr("over the goal of {goal:g} ms", goal=goal)
                if high > goal
                else tr("within the goal of {goal:g} ms", goal=goal)
            )
            lines.append(
                (
                    caption(group),
                    tr("{high:.1f} ms", high=high),
                    tr("p99, {kept}; p50 {half:.1f} ms", kept=kept, half=half),
                )
            )
        return lines or [("", "", tr("No frame was read yet."))]

    # --- turning -----------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """The next scene when its time has come: an alarm that waits holds its own, and a hand holds what it chose."""
        now = time.monotonic()
        waiting = [] if self._unknown or not self._alarms.known else self._alarms.waiting
        held = False
        if self._rests and now - self._touched < REST_S:
            why = tr("Held by hand")
        elif waiting:
            self.scenes.setCurrentIndex(scene_of(waiting[0]))
            why, self._turned = tr("Scene held by the alarm"), now
            held = True
        else:
            why, self._rests = tr("Esc goes back"), False
            if now - self._turned >= SCENE_S:
                self._choose(1)
        self.scene.choose(self.scenes.currentIndex(), narrow=self._is_narrow)
        self._why_shape.set_state(Meaning.CRIT)
        self._why_shape.setVisible(held)
        self.why.setText(why)

    def _choose(self, step: int) -> None:
        self.scenes.setCurrentIndex((self.scenes.currentIndex() + step) % len(SCENES))
        self._turned = time.monotonic()

    def _touch(self) -> None:
        self._touched = self._turned = time.monotonic()
        self._rests = True

    # --- events ------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        self._touch()
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._choose(1 if event.key() == Qt.Key.Key_Right else -1)
        self._beat()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._touch()
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touch()
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._turned, self._rests = time.monotonic(), False
        self._screen.hold(tr("A wall display is shown"))
        self._second.start()
        self.counts.look(True)
        self._beat()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._screen.release()
        self._second.stop()
        self.counts.look(False)
