"""What a page is: a view that emits intents, and a presenter that owns its tasks.

A page module has ``make(session)``, which gives its ``Presenter`` (a coroutine gives it where the page is built in
pieces: between two the window answers), and its row in ``app.console.pages.PAGES``. While the page is shown and
a service is connected, the presenter's ``run`` is one task and everything it spawns dies with it.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import Action
from app.console.failures import Failure, failure_of
from app.console.tasks import Tasks
from app.console.widgets.banner import Banner
from app.console.widgets.breadth import PAGE, Narrow
from app.console.widgets.scroller import BAR_PX, page_scroller

if TYPE_CHECKING:
    import asyncio

    from app.console.operations import Change
    from app.console.session import WindowSession


class PageRow(NamedTuple):
    """One page of the rail: ``module`` is imported off the GUI thread and has ``make(session)``."""

    id: str
    title: str
    icon: str
    keys: str
    module: str
    offline: bool = False
    """May be shown while no service is connected."""
    group: str = ""
    """The caption of the rail that it stands under; empty: none."""


class PageView(QWidget):
    """Ground of a page: 16 px margin, a banner for the page's own trouble, then ``body``.

    ``scrolls``: the body lies in a scroll area (forms); otherwise it fills the page (tables, grids). All of it is at
    most ``widest`` px wide at 100 % text: a main zone and a side. Only a page with a third zone asks for more.
    """

    def __init__(self, title: str, *, scrolls: bool = False, widest: int = PAGE) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self.setAccessibleName(title)
        self.banner = Banner()
        self.frame_grounds: tuple[QWidget, ...] = (self.banner,)
        """Of the frame, what a page that names its parts names besides."""
        bar = BAR_PX if scrolls else 0
        outer = Narrow(widest, parent=self)
        outer.setContentsMargins(16, 16, 16 - bar, 16)
        outer.setSpacing(12)
        room = QVBoxLayout()
        outer.addLayout(room)
        room.setContentsMargins(0, 0, bar, 0)
        room.addWidget(self.banner)
        self.body = QVBoxLayout()
        self.body.setSpacing(12)
        if scrolls:
            inside = QWidget()
            inside.setLayout(self.body)
            area = page_scroller(inside, self.body)
            outer.addWidget(area, 1)
            self.frame_grounds += (area.verticalScrollBar(), area.horizontalScrollBar())
        else:
            self.body.setContentsMargins(0, 0, 0, 0)
            outer.addLayout(self.body, 1)

    def grounds(self) -> Sequence[QWidget]:
        """What wears the look by itself (``theme.wear``), with all that it holds: the page. One of many widgets names
        its parts and ``frame_grounds``, none of which holds another: each is dressed in a turn of its own, and while
        it is hidden later. What holds them hears of another size of the text by its own font."""
        return (self,)

    def arrange(self) -> None:
        """Give the parts their places for the size of the page and of the text. A page that has several arrangements
        overrides it. Of a page that is hidden it is called in a turn of its own, not when the page is opened."""

    def take_size(self, size: QSize) -> None:
        """The size that the page will have when it is shown next."""
        self.resize(size)
        self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            theme.arrange(self, self.arrange)
        super().changeEvent(event)


def tab_grounds(tabs: QTabWidget) -> Sequence[QWidget]:
    """What wears the look by itself of a page of tabs: their row, and of each tab the parts that it names (``grounds``,
    as a page does), or all of it."""
    found: list[QWidget] = [tabs.tabBar()]
    for at in range(tabs.count()):
        tab = tabs.widget(at)
        if tab is not None:
            named = getattr(tab, "grounds", None)
            found += [tab] if named is None else named()
    return found


class Presenter(QObject):
    """Brings a page to life.

    Override ``run`` (the page's work while it is shown), ``repaint`` (paint what is new; at most each 100 ms, only
    while shown), ``actions``, ``take_change``, ``filter_field``. Anything asynchronous goes through ``spawn`` and ends
    when the page is left; a change of state is an ``Operation``, which outlives the page.
    """

    evidence_action = ""
    """The action that gives the evidence of what the page shows: Ctrl+E runs it while no rows are marked."""

    past_words = ""
    """What of the page shows the moment of ``session.shown_time`` while that is past, and what shows now, a sentence.
    Empty: all of it shows now, and the window says so."""

    def __init__(self, session: WindowSession, view: PageView) -> None:
        super().__init__(view)
        self.session = session
        self.view = view
        self._tasks = Tasks(self.show_error)
        self._main: asyncio.Task[Any] | None = None
        self._interrupted = False

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table; asked for once."""
        return ()

    async def run(self, arguments: Mapping[str, str]) -> None:
        """The page's work while it is shown; cancelled when it is left. ``arguments`` come from ``navigate``."""

    def filter_field(self) -> QWidget | None:
        """The field that ``/`` goes to; None when the page has none."""
        return None

    def first_control(self) -> QWidget | None:
        """Where the hands go when the page is opened; None leaves the focus where it is."""
        return None

    def repaint(self) -> None:
        """Show what came since the last call."""

    def take_change(self, change: Change) -> None:
        """Somebody changed something (this page while it is shown); refresh if it concerns the page."""

    def spawn(self, work: Coroutine[Any, Any, Any], *, name: str = "") -> asyncio.Task[Any]:
        """Start something that ends with the page. Its failure is shown by ``show_error``."""
        return self._tasks.spawn(work, name=name)

    def show_error(self, error: BaseException) -> None:
        """A task of the page failed: the banner says so."""
        self.show_failure(failure_of(error))

    def show_failure(self, failure: Failure) -> None:
        """Tell a failure at the head of the page."""
        self.view.banner.show_failure(failure)

    def enter(self, arguments: Mapping[str, str]) -> None:
        """The shell shows the page (again)."""
        interrupted = self._interrupted
        self.leave()
        self.view.banner.clear()
        first = self.first_control()
        # A service that comes back must not take the focus from what somebody types.
        if first is not None and not interrupted:
            # With this reason a type-ahead waits for a key, instead of covering the page with its suggestions.
            first.setFocus(QtCore.Qt.FocusReason.PopupFocusReason)
        self._main = self._tasks.spawn(self.run(arguments), name=f"page {self.view.accessibleName()}")

    def leave(self) -> None:
        """The shell shows another page, or the service is gone."""
        self._interrupted = not self.session.is_connected
        self._tasks.cancel()

    async def close(self) -> None:
        """The window goes: every task has ended when this returns."""
        await self._tasks.close()
