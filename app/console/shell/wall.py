"""The window as a wall display: how the site stands, for a room in which nobody has signed in. It names nobody and
takes no action."""

from __future__ import annotations

import time
from collections import Counter

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time, zone_name
from app.console.devices.screen_saver import ScreenSaver
from app.console.frames.goal import goal_of
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import nearest_rank
from app.console.frames.site_counts import SiteCounts
from app.console.language import tr
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.lock_words import alarm_state, alarm_words
from app.console.shell.statusbar import ProfileBand
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import shape_icon
from app.console.widgets.node_grid import NodeGrid
from app.console.widgets.text import label
from app.delivery.messages import Alarm

SCENE_S = 20
"""Seconds that a scene stays."""
REST_S = 60
"""Seconds without turning after somebody has touched keyboard or mouse."""
DRIFT_PX = 2
MOST_LINES = 8
SCENES = (tr("Frames"), tr("Latency"), tr("Burns and doors"), tr("Needs you"))
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
        head = QFrame()
        head.setProperty("role", "panel")
        row = QHBoxLayout(head)
        row.setContentsMargins(24, 12, 24, 12)
        row.setSpacing(24)
        self._shape = label()
        self.state = label("", "wall-state")
        self.sentence = label("", "wall-text", wrap=True)
        self.clock = label("", "wall-figure")
        self.clock.setFont(theme.mono(45))
        self.age = label("", "wall-dim")
        times = QVBoxLayout()
        times.setSpacing(0)
        for part in (self.clock, self.age):
            times.addWidget(part, 0, Qt.AlignmentFlag.AlignRight)
        row.addWidget(self._shape)
        row.addWidget(self.state)
        row.addWidget(self.sentence, 1)
        row.addLayout(times)
        column.addWidget(head)
        self.scenes = QStackedWidget()
        self.grid = NodeGrid(tr("Server frames"))
        self.grid.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.grid.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.latency = _Figures(tr("Latency"))
        self.burns = _Figures(tr("Burns and doors"))
        self.needs = _Figures(tr("Needs you"))
        for scene in (self.grid, self.latency, self.burns, self.needs):
            self.scenes.addWidget(scene)
        column.addWidget(self.scenes, 1)
        foot = QHBoxLayout()
        foot.setSpacing(24)
        self._band = ProfileBand(session.profile)
        self.scene = label("", "wall-text")
        self.why = label("", "wall-dim")
        foot.addWidget(self._band)
        foot.addWidget(self.scene)
        foot.addStretch(1)
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
        self._show_state()
        self._show_scenes()
        self._turn()

    def _show_state(self) -> None:
        """The one state of the site. What nobody knows now is never green."""
        state, _words = self._alarms.words
        waiting, total = len(self._alarms.waiting), len(self._alarms.alarms)
        sentence = ""
        if state is Meaning.IDLE or self.counts.stale or self._session.live.stale:
            state, word, sentence = (
                Meaning.IDLE,
                tr("Unknown"),
                tr("Data: {data_age}. What is shown is old.", data_age=self.counts.data_age),
            )
        elif waiting:
            word = tr("{waiting} need{value} you", waiting=waiting, value="s" * (waiting == 1))
            sentence = alarm_words(self._alarms.waiting[0])
        elif total:
            word, sentence = tr("{total} taken", total=total), tr("Every open alarm has an owner.")
        else:
            word, sentence = tr("All clear"), tr("No alarm is open.")
        self.meaning = state
        self._shape.setPixmap(shape_icon(state, theme.px(44)).pixmap(theme.px(44)))
        self.state.setText(word)
        self.sentence.setText(sentence)
        self.setAccessibleName(tr("Wall display: {word}. {sentence}", word=word, sentence=sentence))

    def _show_scenes(self) -> None:
        """All four, so that the one that comes next is true at once."""
        board = self.counts.board
        self.grid.set_nodes(board.grid_nodes())
        self.grid.set_values(board.values())
        self.latency.show_lines(self._latency_lines())
        old = f" · {self.counts.data_age}" if self.counts.stale else ""
        self.burns.show_lines(
            [
                (tr("Frames"), self.counts.frames, f"operational{old}"),
                (tr("Doors"), self.counts.doors, tr("readers online{old}", old=old)),
                (tr("Open burns"), self.counts.open_burns, tr("with a target that is not proven{old}", old=old)),
            ]
        )
        kinds = Counter((alarm_words(one), alarm_state(one)) for one in self._alarms.alarms)
        lines = [
            (tr("Waits") if state is Meaning.CRIT else tr("Taken"), str(count), words)
            for (words, state), count in sorted(kinds.items(), key=lambda one: one[0][1] is not Meaning.CRIT)
        ]
        if not lines:
            lines = [("", "", tr("No alarm is open.") if self._alarms.known else tr("Nobody knows what is open."))]
        self.needs.show_lines(lines)

    def _latency_lines(self) -> list[tuple[str, str, str]]:
        """p50 and p99 of the last minute by group, and whether the goal was kept."""
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
                else tr("{value} the goal of {goal:g} ms", value="over" if high > goal else "under", goal=goal)
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
        waiting = self._alarms.waiting
        if self._rests and now - self._touched < REST_S:
            why = tr("Held by hand")
        elif waiting:
            self.scenes.setCurrentIndex(scene_of(waiting[0]))
            why, self._turned = tr("Scene held by the alarm"), now
        else:
            why, self._rests = tr("Esc goes back"), False
            if now - self._turned >= SCENE_S:
                self._choose(1)
        name = SCENES[self.scenes.currentIndex()]
        self.scene.setText(
            tr(
                "{name}, {currentindex} of {scenes}",
                name=name,
                currentindex=self.scenes.currentIndex() + 1,
                scenes=len(SCENES),
            )
        )
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

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "clock"):
            self.clock.setFont(theme.mono(45))
        super().changeEvent(event)

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
