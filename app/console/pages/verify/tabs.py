"""What a tab of the page is: its view, its actions, and work that lasts while it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.console.actions import Action
from app.console.clock import Freshness
from app.console.failures import Failure, failure_of
from app.console.operations import Change
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.marks import StateMark
from app.registry.messages import Node

PAGE = "verify"
MOST_PEOPLE = 20
A_PAGE = 500
"""Rows that one question gives at most."""


def a_page(cursor: str | None) -> ListQuery:
    """The question for one page of a list."""
    return ListQuery(limit=A_PAGE, cursor=cursor)


@dataclass(frozen=True)
class Host:
    """What the page gives a tab. ``spawn`` starts what ends with the page, ``refused`` tells a failure at the head of
    the page; ``shown`` tells whether the tab is open, ``show`` opens it."""

    session: WindowSession
    banner: Banner
    spawn: Callable[[Coroutine[Any, Any, Any]], object]
    refused: Callable[[Failure], None]
    shown: Callable[[], bool]
    show: Callable[[], None]

    @property
    def may_write(self) -> bool:
        """Whether this console's key may change the registry."""
        return self.session.is_connected and self.session.clearance.lower() == "citadel"

    def suggest(self, field: ChoiceField, text: str) -> None:
        """Answer what somebody types where a person is chosen."""

        async def search() -> None:
            query = ListQuery(q=text or None, limit=MOST_PEOPLE)
            page = await self.session.client.registry_list_nodes(query=query)
            field.offer([person(node) for node in page.items])

        if self.session.is_connected:
            self.spawn(search())


def person(node: Node) -> Choice:
    """A node in a field where a person is chosen."""
    return Choice(node.node_id, node.display_name, node.node_id)


class VerifyTab:
    """Override ``read`` and ``paint_all`` for what is read again and again, or ``run`` for anything else; ``actions``
    for its rows of the action table, whose ``when`` asks ``host.shown``.

    ``mark`` tells how old what was read is; a tab that reads puts it where it belongs.
    """

    every_s = 15.0
    """Seconds between two readings, unless something wakes it earlier."""
    kinds: frozenset[str] = frozenset()
    """Of what an operation may have changed, what has the tab read again."""

    view: QWidget
    """Set by whoever overrides."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.session = host.session
        self.mark = StateMark()
        self.mark.hide()
        self.fresh = Freshness(self.every_s)
        self._wake: asyncio.Event | None = None

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table; asked for once. Keys are unique on the page, Alt+1 to Alt+9 are its tabs'."""
        return ()

    def first_control(self) -> QWidget | None:
        """Where the hands go when the tab is opened by its key."""
        return None

    def take(self, arguments: Mapping[str, str]) -> None:
        """What another page has said when it opened this one, before anything is read."""

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Its work while it is shown; cancelled when another tab or page is."""
        self.take(arguments)
        self._wake = asyncio.Event()
        if not self.session.live.stale:
            self.fresh.resume()
        failing = False
        while True:
            try:
                await self.read()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.host.refused(failure_of(error))
            else:
                if failing:
                    failing = False
                    self.host.banner.clear()
                self.fresh.touch()
                self.paint_all()
                self.paint()
                self.session.actions.refresh()
            await woken(self._wake, self.every_s)

    async def read(self) -> None:
        """Read everything that the tab shows. Raises what the client raises."""

    def paint_all(self) -> None:
        """Show what was read."""

    def paint(self) -> None:
        """Show what changes by itself; at most each 100 ms, only while shown."""
        stale = self.fresh.words()
        self.mark.setVisible(bool(stale))
        if stale:
            self.mark.set(Meaning.IDLE, stale)

    def read_now(self) -> None:
        """Have it read at once."""
        if self._wake is not None:
            self._wake.set()

    def take_change(self, change: Change) -> None:
        """Somebody changed something (while the page is shown)."""
        if change.kinds & self.kinds:
            self.read_now()


@dataclass(frozen=True)
class TabRow:
    """One tab of the page. ``icon`` is of its action."""

    id: str
    title: str
    icon: str
    make: Callable[[Host], VerifyTab]
