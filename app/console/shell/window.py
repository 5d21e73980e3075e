"""The main window: rail, top bar, the page, status bar; palette, cheat sheet and toasts over it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QRect, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QHideEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.actions import COPY_ROW, EVIDENCE, SORT_NEXT, SORT_TURN, Action, ActionTable, Effect
from app.console.clock import apart_words
from app.console.failures import failure_of
from app.console.language import tr
from app.console.page import PageRow, Presenter
from app.console.preferences import Preferences, PreferenceStore
from app.console.session import WindowSession
from app.console.shell.focus_keys import ButtonKeys, FieldKeys
from app.console.shell.page_stack import PageStack
from app.console.shell.past_frame import PastFrame
from app.console.shell.place import place_again, place_text
from app.console.shell.rail import Rail
from app.console.shell.service_view import ServiceView
from app.console.shell.statusbar import StatusBar
from app.console.shell.time_strip import TimeStrip
from app.console.shell.topbar import TopBar
from app.console.shown_time import KEPT_S, PAST_SHOWN, why_not_kept
from app.console.table_desk import TableDesk
from app.console.theme import fonts
from app.console.theme.tokens import DARK, LIGHT, Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.scroller import bring_into_sight
from app.console.widgets.side import NARROW_BELOW

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

    from app.console.connection.supervisor import StartRefusal
    from app.console.devices.motion import SystemMotion
    from app.console.operators.desk import OperatorDesk
    from app.console.shell.alarm_list import AlarmDialog
    from app.console.shell.alarm_watch import AlarmWatch
    from app.console.shell.lock_view import LockView
    from app.console.shell.palette import Palette
    from app.console.shell.text_offer import TextOffer
    from app.console.shell.tray import Tray
    from app.console.shell.wall import WallView
    from app.console.telemetry.hour_events import HourEvents
    from app.console.widgets.table import DataTable

OFFERED_FROM = 900
"""Height of the window, px, from which larger text is offered."""
REMEMBERED_MS = 1000
"""So long the window and its page must stand before they are written down: while it is dragged, nothing is."""
DRESSED_MS = 20
"""After so long what was just made is dressed."""


def dress(application: QApplication, value: Preferences, *, system_reduces: bool = False) -> None:
    """Apply the preferred theme, text scale, density and motion to the application. ``system_reduces``: the operating
    system asks for less motion."""
    choice = value.theme
    if choice == "system":
        choice = "light" if QGuiApplication.styleHints().colorScheme() is QtCore.Qt.ColorScheme.Light else "dark"
    theme.apply(
        application,
        LIGHT if choice == "light" else DARK,
        scale=value.text_scale / 100,
        density=value.density,
        reduce_motion=system_reduces if value.motion == "system" else value.motion == "reduced",
    )


class MainWindow(QMainWindow):
    """Built before the first paint from the page table alone; presenters are added when their modules are loaded."""

    closing = Signal()
    """The operator closes the window; the console then stops everything in order."""
    reconnect = Signal()
    """F5: connect anew, or start the service again."""
    looked = Signal(bool)
    """The window is shown (True) or hidden, so that hidden windows cost nothing."""
    painted = Signal()
    """The first frame is on the screen."""

    def __init__(self, profile: str, preferences: PreferenceStore, pages: Sequence[PageRow]) -> None:
        super().__init__()
        self.setMinimumSize(960, 600)
        self.resize(1480, 900)
        self._stand_again(preferences.value.window)
        self._rows = {row.id: row for row in pages}
        self._preferences = preferences
        self._presenters: dict[str, Presenter] = {}
        self._page = ""
        self._wanted: tuple[str, dict[str, str]] = (self._home(), {})
        self._history: list[str] = []
        self._entered: Presenter | None = None
        self._ready_to_close = False
        self._first_frame = True
        self._frame_waits = False
        self._frame_soon = QTimer(self)
        self._frame_soon.setSingleShot(True)
        self._frame_soon.timeout.connect(self._paint_late)
        self._opens = False
        """A page is being opened, which gives the focus to its first control."""
        self._palette: Palette | None = None
        self._desk: OperatorDesk | None = None
        self._alarms: AlarmWatch | None = None
        self._events: HourEvents | None = None
        self.actions_ = ActionTable(self, listens=False)
        self.log_tail: list[str] = []
        """What ``console.copy_log`` copies; the console's attachment sets it."""
        self.session = WindowSession(profile=profile, preferences=preferences, actions=self.actions_, parent=self)
        self.actions_.add(self._own_actions(pages))
        self.session.set_navigator(self.navigate)
        self.table_desk = TableDesk(self.session, self)

        # What holds the pages wears no style itself: each part of the window and each page is dressed apart.
        middle = QWidget()
        self.setCentralWidget(middle)
        self._whole = QVBoxLayout(middle)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        self._open = QWidget(middle)
        self._whole.addWidget(self._open, 1)
        self.status = StatusBar(self.actions_, profile=profile, parent=middle)
        self._whole.addWidget(self.status)
        upper = QHBoxLayout(self._open)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(0)
        self.rail = Rail(pages, self._open)
        upper.addWidget(self.rail)
        right = QVBoxLayout()
        right.setSpacing(0)
        upper.addLayout(right, 1)
        self.top = TopBar(self.actions_, [row.title for row in pages], self._open)
        right.addWidget(self.top)
        self.strip = TimeStrip(self.session, self._open)
        right.addWidget(self.strip)
        self._banner_room = QVBoxLayout()
        right.addLayout(self._banner_room)
        self._banner_room.setContentsMargins(16, 0, 16, 0)
        self.banner = Banner(self._open)
        self._banner_room.addWidget(self.banner)
        self.stack = PageStack(self._open)
        self.past_frame = PastFrame(self.stack, self._open)
        right.addWidget(self.past_frame, 1)
        self.service = ServiceView(self.actions_, self.stack)
        self.service.given.connect(self.reconnect)
        self.stack.addWidget(self.service)
        # Its words are measured as soon as it is narrow: by then it must have the font of the look.
        theme.wear(self.top)
        for part in (self.status, self.rail, self.strip, self.service):
            theme.wear(part, later=True)
        self.show_profile(profile)

        self.toasts = self.status.toasts
        self.actions_.add(self._message_actions())
        self._alarm_list: AlarmDialog | None = None
        self.actions_.refused.connect(lambda sentence: self.session.notify(sentence, "warn", subject="roles"))
        self.actions_.live_wanted.connect(self._go_live_for)
        self.session.shown_time.changed.connect(self._show_moment)
        self._past_begun = False
        self._clock_wrong = ""
        self._tray: Tray | None = None
        self._motion: SystemMotion | None = None
        self._lock_view: LockView | None = None
        self._wall: WallView | None = None
        self._locked = False
        self._state_before_wall: QtCore.Qt.WindowState | None = None
        """Of the window, while it is a wall. To ask for it before the first paint would make Qt's enumerations."""
        self._covered: list[QDialog] = []
        """Dialogs that the lock covers; they come back as they were."""
        self.session.toast.connect(self.toasts.show_message)
        self.session.toast_over.connect(self.toasts.withdraw)
        self.toasts.led.connect(self.navigate)
        self.session.changed.connect(self._pass_on_change)
        self.session.connected.connect(self._show_connected)
        self.session.disconnected.connect(self._show_disconnected)
        self.rail.picked.connect(lambda page: self.navigate(page, {}))
        self.status.diagnostics.connect(lambda: self.navigate("settings", {"section": "diagnostics"}))
        preferences.changed.connect(self.dress)
        self._focus_keys = FieldKeys(self.actions_), ButtonKeys(self)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            for keys in self._focus_keys:
                application.focusChanged.connect(keys.watch)
            application.focusChanged.connect(self._watch_tables)
            application.focusChanged.connect(self._see_focus)
        self._remember_soon = QTimer(self)
        self._remember_soon.setSingleShot(True)
        self._remember_soon.setInterval(REMEMBERED_MS)
        self._remember_soon.timeout.connect(self.remember)
        self._text_offer: TextOffer | None = None
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._each_second)
        self._show_page()

    # --- actions -----------------------------------------------------------------------------------------------------

    def _message_actions(self) -> list[Action]:
        """What can be done with the message in the lane."""
        return [
            Action(
                "console.message_open",
                tr("Open what the message is about"),
                self.toasts.follow,
                "arrow-right",
                ("Alt+J",),
                when=lambda: bool(self.toasts.shown and self.toasts.shown.way.page),
            ),
            Action(
                "console.message_undo",
                tr("Undo what the message tells of"),
                self.toasts.take_back,
                "rotate-ccw",
                ("Alt+Z",),
                when=lambda: bool(self.toasts.shown and self.toasts.shown.way.undo),
                effect=Effect.CHANGE,
            ),
        ]

    def _own_actions(self, pages: Sequence[PageRow]) -> list[Action]:
        """The actions that are everywhere: one that opens each page, and those of the window itself."""
        made = [
            Action(
                f"page.{row.id}",
                tr("Go to {title}", title=row.title),
                lambda page=row.id: self.navigate(page, {}),  # type: ignore[misc]  # default binds the page now
                row.icon,
                (row.keys,),
                ends_past=row.id == "burn",
                goes_to=row.title,
            )
            for row in pages
        ]
        made += [
            Action("console.palette", tr("Command palette"), self._open_palette, "command", ("Ctrl+K",)),
            Action("console.keys", tr("Show all keys"), self._show_keys, "keyboard", ("?", "F1")),
            Action("console.filter", tr("Filter this page"), self._filter, "funnel", ("/",), when=self._can_filter),
            Action("console.theme", tr("Switch dark and light"), self._switch_theme, "sun", ("Ctrl+Shift+T",)),
            Action(
                "console.larger",
                tr("Larger text"),
                lambda: self._scale(1),
                "plus",
                ("Ctrl++", "Ctrl+="),
                when=lambda: self._preferences.value.text_scale < 200,
            ),
            Action(
                "console.smaller",
                tr("Smaller text"),
                lambda: self._scale(-1),
                "minus",
                ("Ctrl+-",),
                when=lambda: self._preferences.value.text_scale > 100,
            ),
            Action(
                "console.reconnect",
                tr("Connect again"),
                self.reconnect.emit,
                "refresh-cw",
                ("F5",),
                hint=tr("Ends the connection and makes a new one; the service of this console is started anew."),
            ),
            Action(
                "console.copy_log",
                tr("Copy the service's log"),
                self._copy_log,
                "copy",
                when=lambda: bool(self.log_tail),
            ),
            Action("console.pane", tr("Next pane"), lambda: self._pane(1), "panel-left", ("F6",), hidden=True),
            Action("console.pane_back", tr("Previous pane"), lambda: self._pane(-1), "", ("Shift+F6",), hidden=True),
            Action(
                "console.back",
                tr("Back to the page before"),
                self._back,
                "chevron-left",
                ("Alt+Left",),
                when=lambda: bool(self._history),
            ),
            Action(
                "console.clear",
                tr("Close or clear"),
                self._clear,
                "",
                ("Esc",),
                hidden=True,
                hint=tr(
                    "Closes the palette, goes back to live from the past, empties the filter, takes the "
                    "message away; it never leaves the page."
                ),
            ),
            Action(
                "console.alarms",
                tr("Alarms"),
                self._show_alarms,
                "bell",
                ("Alt+N",),
                hint=tr("The open alarms over any page: take, mute and close them."),
                ends_past=True,
            ),
            Action(
                "console.time",
                tr("Go to a time"),
                self._go_to_strip,
                "clock",
                ("Alt+G",),
                when=lambda: self._events is not None,
                hint=tr(
                    "The strip of the last hour: Left and Right go to a moment of the past, Ctrl+Page Up to the hour "
                    "before, a figure types its time, also with a date, Esc is live."
                ),
            ),
            Action(
                "console.live",
                tr("Back to live"),
                self.session.shown_time.go_live,
                "activity",
                when=lambda: self.session.shown_time.is_past,
            ),
            Action("console.messages", tr("Messages"), self._show_messages, "bell", ("Alt+M",)),
            Action(
                "console.copy_row",
                tr("Copy the row of the table"),
                self._copy_row,
                "copy",
                (COPY_ROW,),
                when=lambda: self._table() is not None,
                hint=tr("As its cells show it, with tabs between them."),
            ),
            Action(
                "console.sort",
                tr("Sort the table by its next column"),
                lambda: self._sort(turn=False),
                "arrow-down",
                (SORT_NEXT,),
                when=self._can_sort,
                hint=tr("After the last column comes the order of the page. A click on a column's head sorts, too."),
            ),
            Action(
                "console.sort_turn",
                tr("Turn the table's order around"),
                lambda: self._sort(turn=True),
                "arrow-up",
                (SORT_TURN,),
                when=self._can_sort,
            ),
            Action(
                "console.evidence",
                tr("Evidence bundle"),
                self._save_evidence,
                "package",
                (EVIDENCE,),
                when=self._can_prove,
                hint=tr(
                    "The marked rows of a table, else what the page shows, else the chosen row: what the "
                    "signed log says of them, in one file that anybody can verify."
                ),
                calls=("gateway_audit_evidence", "gateway_audit_log_query"),
            ),
            Action(
                "console.report",
                tr("Report"),
                self._show_report,
                "file-text",
                ("Alt+R",),
                when=lambda: self.session.is_connected,
                hint=tr("What happened over a span of time, on paper for people, with the evidence beside it."),
                calls=(
                    "infrastructure_nodes",
                    "burn_speed",
                    "burn_list",
                    "burn_get",
                    "gateway_alarms",
                    "gateway_audit_log_query",
                    "gateway_audit_evidence",
                    "registry_get_node",
                ),
            ),
            Action(
                "console.lock",
                tr("Lock this desk"),
                self._lock,
                "lock",
                ("Ctrl+L",),
                when=self._is_signed_in,
                hint=tr("Alarms stay in sight, without names. The page stays for the next operator."),
            ),
            Action(
                "console.switch",
                tr("Switch operator"),
                self._switch_operator,
                "users",
                ("F12",),
                when=self._is_signed_in,
                hint=tr("On a training site the next training operator; else the desk is locked for another one."),
            ),
            Action(
                "console.wall",
                tr("Wall display"),
                self.turn_wall,
                "layout-dashboard",
                ("F11",),
                when=lambda: self._alarms is not None,
                hint=tr(
                    "The whole screen for a wall: state, figures and their age, no names, no actions. Esc goes back."
                ),
            ),
            Action(
                "console.quit",
                tr("Quit"),
                self.quit,
                "x",
                ("Ctrl+Q",),
                hint=tr("Ends the console: no alarm calls here until it is started again."),
            ),
        ]
        return made

    @property
    def palette_(self) -> Palette:
        """The command palette; made when it is first used, which is after the first paint."""
        if self._palette is None:
            from app.console.shell.palette import Palette

            self._palette = Palette(self, self.actions_, lambda page: self.navigate(page, {}))
            theme.wear(self._palette)
        return self._palette

    def _open_palette(self) -> None:
        self.palette_.open()

    def _copy_log(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self.log_tail))
        self.session.notify(tr("The service's log is on the clipboard."), subject=tr("Clipboard"))

    def _table(self) -> DataTable | None:
        """The table under the hands: the one that has the focus, or gets it back when the palette closes."""
        focus = QApplication.focusWidget()
        if self._palette is not None and self._palette.isVisible():
            focus = self._palette.back
        if focus is None:
            return None
        from app.console.widgets.table import DataTable

        return focus if isinstance(focus, DataTable) else None

    def _can_sort(self) -> bool:
        table = self._table()
        return table is not None and table.sorts

    def _copy_row(self) -> None:
        table = self._table()
        if table is not None and table.copy_row():
            self.session.notify(tr("The row is on the clipboard."), subject=tr("Clipboard"))
        else:
            self.session.notify(tr("No row is chosen. Choose one with the arrow keys."), subject=tr("Clipboard"))

    def _sort(self, *, turn: bool) -> None:
        table = self._table()
        if table is not None:
            table.sort_turn() if turn else table.sort_next()

    def _page_evidence(self) -> str:
        """The action of the page in front that gives the evidence of what it shows, if that is possible now."""
        presenter = self._presenters.get(self._page)
        name = "" if presenter is None else presenter.evidence_action
        return name if name and self.actions_.is_enabled(name) else ""

    def _can_prove(self) -> bool:
        return self.session.is_connected and (self._table() is not None or bool(self._page_evidence()))

    def _save_evidence(self) -> None:
        """What is marked comes before what the page shows, and that before the one row that merely is chosen."""
        table, of_page = self._table(), self._page_evidence()
        if of_page and (table is None or not table.marks_count):
            self.actions_.trigger(of_page)
        elif table is not None and (refusal := table.save_evidence()):
            self.session.notify(refusal, "info", subject=tr("Evidence"))

    def _show_report(self) -> None:
        from app.console.report.dialog import ReportDialog

        ReportDialog(self, self.session).open()

    def _watch_tables(self, old: QWidget | None, new: QWidget | None) -> None:
        """The keys of tables answer as soon as one has the focus, and no longer than it has. A page that opens tells
        its actions at its end, once."""
        if not self._opens and any(callable(getattr(one, "copy_row", None)) for one in (old, new)):
            self.actions_.refresh()

    def _see_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Scroll to what a key gave the focus to; Qt does so for Tab alone. A click stands where the hand is, and a
        page is opened at its top."""
        if new is None or self._opens or not self.isAncestorOf(new) or QGuiApplication.mouseButtons().value:
            return
        bring_into_sight(new)

    def _show_keys(self) -> None:
        from app.console.shell.cheatsheet import CheatSheet

        row = self._rows.get(self._page)
        CheatSheet(self, self.actions_, row.title if row else "").open()

    def _can_filter(self) -> bool:
        presenter = self._presenters.get(self._page)
        return presenter is not None and presenter.filter_field() is not None

    def _filter(self) -> None:
        presenter = self._presenters.get(self._page)
        field = presenter.filter_field() if presenter else None
        if field is not None:
            field.setFocus(QtCore.Qt.FocusReason.ShortcutFocusReason)

    def _switch_theme(self) -> None:
        self._preferences.set(theme="light" if theme.current().name == "dark" else "dark")

    def _scale(self, step: int) -> None:
        scales = [100, 125, 150, 175, 200]
        at = scales.index(self._preferences.value.text_scale) + step
        if 0 <= at < len(scales):
            self._preferences.set(text_scale=scales[at])

    def _pane(self, step: int) -> None:
        """Give the focus to the next pane (-1: the one before) that has a widget to take it."""
        panes: list[QWidget] = [self.rail, self.top, self.strip, self.stack, self.status]
        focus = QApplication.focusWidget()
        here = next(
            (at for at, pane in enumerate(panes) if focus is not None and (pane is focus or pane.isAncestorOf(focus))),
            1,
        )
        for turn in range(1, len(panes) + 1):
            pane = panes[(here + turn * step) % len(panes)]
            inside = [
                child
                for child in (pane, *pane.findChildren(QWidget))
                if child.focusPolicy() & QtCore.Qt.FocusPolicy.TabFocus and child.isVisible() and child.isEnabled()
            ]
            if inside:
                inside[0].setFocus(QtCore.Qt.FocusReason.TabFocusReason)
                return

    def _back(self) -> None:
        self._wanted = (self._history.pop(), {})
        self._show_page()

    def _clear(self) -> None:
        """Esc: close what lies over the page, else go back to live, else empty the filter under the hands, else take
        the message away."""
        presenter = self._presenters.get(self._page)
        field = presenter.filter_field() if presenter else None
        if self._palette is not None and self._palette.isVisible():
            self._palette.close_()
        elif self.session.shown_time.go_live():
            return
        elif isinstance(field, QLineEdit) and field.hasFocus() and field.text():
            # As hands would, so that what follows edits follows this one.
            field.selectAll()
            field.del_()
        else:
            self.toasts.dismiss()

    def _show_messages(self) -> None:
        from app.console.shell.message_history import MessageHistory

        self.toasts.mark_read()
        MessageHistory(self, self.toasts).open()

    def watch_alarms(self, watch: AlarmWatch) -> None:
        """Show the alarms of ``watch`` in the top bar, and in the list that its button opens."""
        self._alarms = watch
        watch.changed.connect(self._count_alarms)
        self._count_alarms()

    def _count_alarms(self) -> None:
        if self._alarms is not None:
            self.top.set_alarms(*self._alarms.words)

    def _show_alarms(self) -> None:
        if self._alarms is None or self._alarm_list is not None:
            return
        from app.console.shell.alarm_list import AlarmDialog

        self._alarm_list = AlarmDialog(self, self.session, self._alarms)
        self._alarm_list.finished.connect(self._forget_alarm_list)
        self._alarm_list.open()

    def _forget_alarm_list(self, _result: int) -> None:
        self._alarm_list = None

    # --- the past ----------------------------------------------------------------------------------------------------

    def watch_hour(self, events: HourEvents) -> None:
        """Show on the strip what happened in the last hour, or in an older one that is chosen."""
        self._events = events
        self.strip.begin(events)
        self.actions_.refresh()

    def _go_to_strip(self) -> None:
        if self.strip.hasFocus():
            self.strip.type_time()
        else:
            self.strip.setFocus(QtCore.Qt.FocusReason.ShortcutFocusReason)

    def _go_live_for(self, title: str) -> None:
        """What is urgent brings the window back to live, and says so."""
        moment = self.session.shown_time.words
        if self.session.shown_time.go_live():
            self.session.notify(
                tr("Back to live for “{title}”; the console showed {moment}.", title=title, moment=moment),
                "warn",
                subject=PAST_SHOWN,
            )

    def _show_moment(self) -> None:
        """Frame the page while the past is shown, and have the last hour read when that begins."""
        shown = self.session.shown_time
        in_hour = shown.is_past and shown.hour is None
        begins, self._past_begun = in_hour and not self._past_begun, in_hour
        if begins and self.session.is_connected:
            self.session.tasks.spawn(self._read_past(), name=tr("the last hour"))
        if not shown.is_past:
            self.session.withdraw(PAST_SHOWN)
        self._frame_page()

    async def _read_past(self) -> None:
        try:
            await self.session.live.read_past(self.session.client)
        except Exception as error:  # what this window measured itself is there all the same
            self.session.notify_failure(tr("The last hour could not be read"), failure_of(error))

    def _frame_page(self) -> None:
        """Say round the page which moment is shown, and what of the page shows it."""
        shown = self.session.shown_time
        presenter = self._presenters.get(self._page)
        in_front = presenter is not None and self.stack.currentWidget() is presenter.view
        follows = presenter.past_words if presenter is not None and in_front else ""
        moment = f"{shown.words} ({shown.local_words})" if shown.local_words else shown.words
        self.past_frame.show_past(moment, follows or tr("This page shows now."))

    def _leave_what_is_gone(self) -> None:
        """A moment of the last hour that has grown old is asked of the service; what that no longer keeps cannot be
        shown."""
        shown = self.session.shown_time
        if shown.at is None:
            return
        now = self.session.live.now()
        refusal = why_not_kept(shown.at, now, self._events.first if self._events is not None else None)
        if refusal:
            shown.go_live()
            self.session.notify(tr("Back to live: {reason}", reason=refusal), "warn", subject=PAST_SHOWN)
        elif shown.hour is None and now - shown.at > KEPT_S:
            shown.go_to(shown.at)

    # --- who sits here -----------------------------------------------------------------------------------------------

    def watch_desk(self, desk: OperatorDesk) -> None:
        """Show who is signed in, and lock the window while nobody is. After ``watch_alarms``."""
        self._desk = desk
        desk.changed.connect(self._show_desk)
        self._show_desk()

    def _is_signed_in(self) -> bool:
        return self._desk is not None and self._desk.operator is not None

    def _lock(self) -> None:
        if self._desk is not None:
            self._desk.lock()

    def _switch_operator(self) -> None:
        """One key on a training site: the next of its operators, who keeps the page."""
        desk, operator = self._desk, self.session.operator
        if desk is None or operator is None:
            return
        ids = [one.operator_id for one in desk.training_operators]
        if operator.operator_id not in ids:
            desk.lock(tr("Another operator is to sign in."))
            return
        following = ids[(ids.index(operator.operator_id) + 1) % len(ids)]
        self.session.tasks.spawn(desk.sign_in_training(following), name="switch operator")

    def _show_desk(self) -> None:
        operator = self.session.operator
        self.top.set_operator(operator)
        # The top bar says who sits here, with the roles; the clearance of a key says it where nobody has roles.
        self.status.set_clearance("" if operator else self.session.clearance)
        if self.session.resting is not self._locked:
            self._set_locked(self.session.resting)

    def prepare_lock(self) -> None:
        """Have the lock at hand before anybody asks for it: it then covers the page at once. After ``watch_desk``."""
        if self._lock_view is None and self._desk is not None and self._alarms is not None:
            from app.console.shell.lock_view import LockView

            self._lock_view = LockView(self.session, self._desk, self._alarms)
            self._whole.insertWidget(0, self._lock_view, 1)
            theme.wear(self._lock_view, later=True)

    def _set_locked(self, locked: bool) -> None:
        """Put the lock over everything, or take it away: what stood on the page stays there."""
        self.prepare_lock()
        if self._lock_view is None:
            return
        self._locked = locked
        self._show_front()
        if locked or self._entered is None:
            self._show_page()

    def turn_wall(self) -> None:
        """Make the whole screen a wall display, or the window what it was before: the page, or the lock."""
        if self._alarms is None:
            return
        if self._wall is None:
            from app.console.shell.wall import WallView

            self._wall = WallView(self.session, self._alarms, self._preferences)
            self._wall.left.connect(self.turn_wall)
            self._whole.insertWidget(0, self._wall, 1)
            theme.wear(self._wall, later=True)
            # It is made in one turn of the loop, dressed in the next, and then shown: in between the window answers.
            QtCore.QTimer.singleShot(DRESSED_MS, self, self.turn_wall)
            return
        before = self._state_before_wall
        if before is None:
            self.remember()
            self._state_before_wall = self.windowState()
        else:
            self._state_before_wall = None
        self._alarms.nameless = self._walled
        self._show_front()
        if before is None:
            self.setWindowState(self.windowState() | QtCore.Qt.WindowState.WindowFullScreen)
        else:
            self.setWindowState(before)

    @property
    def _walled(self) -> bool:
        return self._state_before_wall is not None

    def _show_front(self) -> None:
        """Show wall, lock or page. Under wall and lock no action runs, and no dialog stands over them."""
        covered = self._locked or self._walled
        if covered:
            # The next operator must not find a window that shows something else than now.
            self.session.shown_time.go_live()
            if self._palette is not None:
                self._palette.close_()
            self._cover_dialogs()
        self.actions_.set_locked(covered)
        self.status.set_locked(covered)
        self.status.setVisible(not self._walled)
        self._open.setVisible(not covered)
        if self._lock_view is not None:
            self._lock_view.setVisible(self._locked and not self._walled)
        if self._wall is not None:
            self._wall.setVisible(self._walled)
        if not covered:
            dialogs, self._covered = self._covered, []
            for dialog in dialogs:
                dialog.open()

    def _cover_dialogs(self) -> None:
        """Hide the dialogs of this window, and empty the secrets that stand in them: they are the last operator's."""
        from PySide6.QtWidgets import QDialog

        for dialog in self.findChildren(QDialog):
            if dialog.isVisible():
                for field in dialog.findChildren(QLineEdit):
                    if field.echoMode() is not QLineEdit.EchoMode.Normal:
                        field.clear()
                dialog.hide()
                self._covered.append(dialog)

    # --- pages -------------------------------------------------------------------------------------------------------

    def _home(self) -> str:
        """The page that the person chose to be first, else the one that was shown last, else the first of the rail. A
        page that this console has no longer is none."""
        value = self._preferences.value
        return next((page for page in (value.home, value.page) if page in self._rows), next(iter(self._rows)))

    def add_presenter(self, page: str, presenter: Presenter) -> None:
        """Add a page whose module is loaded; it is shown at once if the operator already asked for it."""
        self._presenters[page] = presenter
        self.stack.addWidget(presenter.view)
        for ground in presenter.view.grounds():
            theme.wear(ground, later=True)
        self.actions_.add(presenter.actions())
        if page == self._wanted[0]:
            self._show_page()

    def presenter(self, page: str) -> Presenter:
        """The presenter of a page. Raises KeyError while it is not loaded."""
        return self._presenters[page]

    @property
    def page(self) -> str:
        """Id of the page that is shown, or that will be as soon as it can."""
        return self._wanted[0]

    def navigate(self, page: str, arguments: dict[str, str]) -> None:
        """Open a page and hand it ``arguments``. An id that no page has is ignored."""
        if page not in self._rows:
            return
        if page != self._wanted[0]:
            self._history = [*self._history[-19:], self._wanted[0]]
        self._wanted = (page, dict(arguments))
        self._show_page()

    def _show_page(self) -> None:
        """Show the wanted page if its presenter is there and the service answers; otherwise the service's own view."""
        page, arguments = self._wanted
        row = self._rows[page]
        self.rail.set_current(page)
        self.top.set_title(row.title)
        presenter = self._presenters.get(page)
        if self._entered is not None and (self._entered is not presenter or self.session.resting):
            self._entered.leave()
            self._entered = None
        if self.session.resting:
            return
        self._page = page
        self._remember_soon.start()
        self.actions_.set_page(page)
        # A page that was shown stays when the service is lost: its values turn stale, what was typed is kept.
        shown = presenter is not None and (row.offline or self.session.is_connected or self._is_still_shown(presenter))
        if presenter is None or not shown:
            self.stack.setCurrentWidget(self.service)
            self._frame_page()
            return
        self._opens = True
        try:
            self.stack.setCurrentWidget(presenter.view)
            self._frame_page()
            if row.offline or self.session.is_connected:
                presenter.enter(arguments)
                self._entered = presenter
                self._wanted = (page, {})
        finally:
            self._opens = False
        self.actions_.refresh()

    def _is_still_shown(self, presenter: Presenter) -> bool:
        return self.stack.currentWidget() is presenter.view and not self.service.shows_log

    def _show_connected(self) -> None:
        self.banner.clear()
        self._show_link(Meaning.OK, tr("Connected"), self.session.base_url)
        self.status.set_service(tr("Service {url}", url=self.session.base_url.removeprefix("http://")))
        self.status.set_clearance(self.session.clearance)
        self._show_page()

    def _show_disconnected(self, reason: str) -> None:
        self._show_link(Meaning.BAD, tr("Disconnected"), reason)
        self.status.set_service(tr("Service: none"))
        self.banner.show_note(
            reason, tr("What is shown may be out of date until the service answers again."), Meaning.BAD
        )
        row = self._rows[self._page]
        if self._entered is not None and not row.offline:
            self._entered.leave()
            self._entered = None

    def _show_link(self, state: Meaning, word: str, hint: str) -> None:
        self.top.set_service(state, word, hint)
        self.status.set_link(state, word)

    def _show_pulse(self) -> None:
        """Show whether live data arrives: a frozen service keeps its connections, so "connected" proves little."""
        live, session = self.session.live, self.session
        if not session.is_connected:
            return
        if not live.stale:
            self._show_link(Meaning.OK, tr("Connected"), session.base_url)
        elif live.state == "live":
            self._show_link(
                Meaning.IDLE, live.stream.words(), tr("{url} is connected and silent.", url=session.base_url)
            )
        elif live.state == "lost":
            self._show_link(
                Meaning.WARN,
                tr("No live data"),
                tr("{trouble} {url} answers calls.", trouble=live.trouble, url=session.base_url).strip(),
            )

    def show_profile(self, profile: str) -> None:
        """Take the profile of the site into title, band and session: ``training``, ``production``, or empty for one
        that no service has stated. Before any page is made."""
        self.session.profile = profile
        # Qt appends the program's name to a title that does not end in it.
        self.setWindowTitle(
            "ARC Console"
            if profile == "production"
            else tr("{profile} – ARC Console", profile=profile or tr("unknown site"))
        )
        self.status.band.show_profile(profile)

    def show_service_busy(self, sentence: str, detail: str) -> None:
        """The service starts or is being connected."""
        self.service.show_busy(sentence, detail)
        if not self.session.is_connected:
            self._show_link(Meaning.WORK, tr("Connecting"), detail)

    def show_service_stopped(self, sentence: str, detail: str, tail: Sequence[str]) -> None:
        """The service was given up, or cannot be reached: the operator decides what comes next."""
        self.log_tail = list(tail)
        self.service.show_stopped(sentence, detail, tail)
        self._show_link(Meaning.BAD, tr("Stopped"), sentence)
        self.status.set_service(tr("Service: none"))
        if not self._rows[self._page].offline:
            if self._entered is not None:
                self._entered.leave()
                self._entered = None
            self.stack.setCurrentWidget(self.service)
            self.banner.clear()
        self.actions_.refresh()

    def show_service_refused(self, refusal: StartRefusal) -> None:
        """The service cannot start as it is configured: say what is missing, and take it."""
        self.show_service_stopped(tr("The service cannot start"), refusal.sentence, [])
        self.service.ask_for(refusal)

    def _pass_on_change(self, change: object) -> None:
        from app.console.operations import Change

        if self._entered is not None and isinstance(change, Change):
            self._entered.take_change(change)

    def repaint_page(self) -> None:
        """Let the shown page paint what is new; called at every tick of the live data."""
        self._show_pulse()
        if self._entered is not None:
            self._entered.repaint()

    # --- looks -------------------------------------------------------------------------------------------------------

    def dress(self) -> None:
        """Apply the preferences, and say so if they could not be read or written."""
        application = QApplication.instance()
        if isinstance(application, QApplication):
            reduces = self._motion is not None and self._motion.reduced
            dress(application, self._preferences.value, system_reduces=reduces)
        self.past_frame.dress()
        self._fit()
        if self._preferences.problem:
            self.session.notify(self._preferences.problem, "warn", subject=tr("Preferences"))

    def follow_motion(self, motion: SystemMotion) -> None:
        """From now on what the operating system says of motion counts, where the person leaves it to the system."""
        self._motion = motion
        motion.changed.connect(self.dress)
        motion.ask()

    def _fit(self) -> None:
        narrow = self.width() < theme.px(NARROW_BELOW)
        self.rail.set_narrow(narrow)
        self.top.set_narrow(narrow)
        self.status.set_narrow(narrow)

    def _each_second(self) -> None:
        self.status.beat()
        self.actions_.refresh()
        self._leave_what_is_gone()
        self.status.show_figures(self.session)
        self._judge_clock()
        self._offer_larger_text()

    def _judge_clock(self) -> None:
        """Say so where this machine's clock is far from the service's: both are on the screen."""
        clock = self.session.clock
        if clock.doubtful:
            return
        wrong = apart_words(clock.offset_s or 0.0)
        if wrong != self._clock_wrong:
            self._clock_wrong = wrong
            if wrong:
                self.session.notify(wrong, "warn", subject=tr("Clock of this machine"))
            else:
                self.session.withdraw(tr("Clock of this machine"))

    def _offer_larger_text(self) -> None:
        """Offer larger text on a screen where text is too small, until it is answered or the text has another size."""
        # Imported here: no first frame waits for it.
        from app.console.shell.text_offer import TextOffer, is_due

        # In a small window the line would take the room of a page that just fits.
        due = is_due(self.screen(), self._preferences.value) and self.height() >= OFFERED_FROM
        if due and self._text_offer is None:
            self._text_offer = TextOffer()
            self._text_offer.answered.connect(self._take_text_answer)
            # Above what went wrong, so that neither moves the other.
            self._banner_room.insertWidget(0, self._text_offer)
            theme.wear(self._text_offer)
            self._banner_room.setContentsMargins(16, 12, 16, 0)
        elif not due and self._text_offer is not None:
            self._text_offer.deleteLater()
            self._text_offer = None
            self._banner_room.setContentsMargins(16, 0, 16, 0)
            if self._preferences.value.text_scale != 100 and not self._preferences.value.larger_text:
                # The person has found another size: that is an answer, too.
                self._preferences.remember_larger_text("declined")

    def _take_text_answer(self, taken: bool) -> None:
        """Keep either answer, and do not ask again."""
        self._preferences.remember_larger_text("taken" if taken else "declined")
        if taken:
            from app.console.shell.text_offer import OFFERED_SCALE

            self._preferences.set(text_scale=OFFERED_SCALE)
        self._offer_larger_text()

    def settle(self) -> None:
        """Do what the first frame does without: give the keys to the window, dress what is not to be seen yet, load the
        fonts that are left. No sooner than the window is painted or stays hidden, and before the pages are imported;
        the second time it does nothing."""
        theme.wear(self.banner)
        fonts.load()
        self.actions_.listen()

    # --- events ------------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            if not self._frame_waits and not self._first_frame and self.session.stalls.is_busy:
                self._frame_waits = True
                self._frame_soon.start()
                return True
            self._frame_waits = False
            began = time.perf_counter()
            done = super().event(event)
            self.session.frames.add((time.perf_counter() - began) * 1000)
            if self._first_frame:
                self._first_frame = False
                self.painted.emit()
                self.settle()
                if self.isVisible():
                    self.session.stalls.start()
            return done
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        for presenter in self._presenters.values():
            if not presenter.view.isVisible():
                theme.arrange(presenter.view, partial(self._size_page, presenter))
        if self.isVisible():
            self._remember_soon.start()

    def _paint_late(self) -> None:
        """Paint the frame that was put off. Qt asks for it once: who puts off another one has to ask, too."""
        if self._frame_waits:
            QApplication.sendEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def _size_page(self, presenter: Presenter) -> None:
        presenter.view.take_size(self.stack.size())

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        if self.isVisible():
            self._remember_soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._second.start()
        if not self._first_frame:
            self.session.stalls.start()
        self.looked.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()
        self.session.stalls.stop()
        self.looked.emit(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        # The console stops tasks and the child first; until then the window stays, because tasks still write to it.
        if self._ready_to_close:
            self.remember()
            event.accept()
            return
        event.ignore()
        application = QApplication.instance()
        # The end of the desktop's session closes every window, and waits for nobody.
        ending = isinstance(application, QApplication) and application.isSavingSession()
        stays = self._preferences.value.closing == "tray" and not ending
        if self._tray is None or not stays:
            self.quit()
        elif self._tray.is_there:
            self.remember()
            self.hide()
            self._tray.say_where()
        else:
            self._ask_to_quit()

    def quit(self) -> None:
        """End the console, in order."""
        self.remember()
        self.closing.emit()

    def _ask_to_quit(self) -> None:
        """Closing would end the alarms without a word, where no tray keeps the console."""
        from app.console.widgets.confirm import ConfirmDialog

        ConfirmDialog(
            self,
            tr("Quit the console?"),
            tr("This desktop has no tray that could keep it. No alarm calls here until the console is started again."),
            tr("Quit"),
            self.quit,
            safe=tr("Stay"),
        ).open()

    def stay_in(self, tray: Tray) -> None:
        """From now on the window, when it is closed, waits in the tray, if the person prefers that."""
        self._tray = tray
        tray.opened.connect(self.raise_up)
        tray.followed.connect(self._follow_alarm)
        tray.gone.connect(self._come_back)

    def _follow_alarm(self) -> None:
        self.raise_up()
        self.actions_.trigger("console.alarms")

    def _come_back(self) -> None:
        """The tray that the window waited in is gone."""
        if not self.isVisible():
            self.show_again()
            self.session.notify(tr("The desktop's tray is gone, so the window is back."), "warn", subject=tr("Tray"))

    def show_again(self) -> None:
        """Show the window as it was: maximized if it was closed so."""
        self.showMaximized() if self._preferences.value.maximized else self.show()

    def remember(self) -> None:
        """Keep where the window stands and which page it shows, for the next start. Of a maximized window the place
        that it had before stays known; a minimized one and a wall display stand nowhere."""
        if not self.isVisible() or self.isMinimized() or self._walled:
            return
        value = self._preferences.value
        maximized = self.isMaximized()
        place = value.window if maximized else place_text(QRect(self.pos(), self.size()))
        self._preferences.remember(window=place, maximized=maximized, page=self.page)

    def _stand_again(self, text: str) -> None:
        place = place_again(text, self.minimumSize(), [one.availableGeometry() for one in QGuiApplication.screens()])
        if place is not None:
            self.resize(place.size())
            self.move(place.topLeft())

    def raise_up(self) -> None:
        """Bring the window before the operator, as large as it was before it was minimized."""
        if self.isMinimized():
            self.setWindowState(self.windowState() & ~QtCore.Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def finish(self) -> None:
        """Close the window for good; everything else has stopped."""
        self._ready_to_close = True
        if self._tray is not None:
            self._tray.close()
        if self._palette is not None:
            self._palette.close_()
        self.close()

    async def close_pages(self) -> None:
        """End the tasks of every page."""
        for presenter in self._presenters.values():
            await presenter.close()
        self._entered = None
