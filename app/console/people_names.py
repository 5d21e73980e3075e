"""The names of people, wherever the console shows the id of a node.

Most lists have the id only. A site of a few hundred people is read whole, by one call; a person who is not in that
page is read by the id when it is first shown.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.api.wire import ListQuery
from app.client import ApiError, ClientError
from app.console.failures import NotConnected
from app.console.ids import wrong_id

if TYPE_CHECKING:
    from app.console.operations import Change
    from app.console.session import WindowSession

WHOLE = 500
"""People whose names are read at once."""
MOST_NAMES = 5000
"""Kept; those read first go first."""
RENEWED_S = 300.0
"""After so long the names are read again: somebody may have been renamed at another console."""


class PersonNames(QObject):
    """One for each window (``session.people``). ``changed``: another name is known."""

    changed = Signal()

    def __init__(self, session: WindowSession) -> None:
        super().__init__(session)
        self._session = session
        self._names: dict[str, str] = {}
        """By id; empty: the registry has nobody of this id."""
        self._wanted: deque[str] = deque()
        self._read_at: float | None = None
        self._reading = False
        session.connected.connect(self._forget)
        session.changed.connect(self._take_change)

    def of(self, node_id: str | None) -> str:
        """The person's name; empty while it is not known, where nobody has that id, and while nobody is signed in."""
        if not node_id or self._session.resting:
            return ""
        name = self._names.get(node_id)
        old = self._read_at is None or time.monotonic() - self._read_at > RENEWED_S
        if (name is None or old) and self._session.is_connected and not wrong_id(node_id, node=True):
            if name is None and node_id not in self._wanted:
                self._wanted.append(node_id)
            if not self._reading:
                self._reading = True
                self._session.tasks.spawn(self._read(), name="names of people")
        return name or ""

    def peek(self, node_id: str | None) -> str:
        """As ``of``, and nothing is asked for: of what passes by while somebody scrolls."""
        return "" if not node_id or self._session.resting else self._names.get(node_id, "")

    def _forget(self) -> None:
        # Another service, or another operator who may read more.
        self._names, self._read_at = {}, None

    def _take_change(self, change: Change) -> None:
        if "nodes" in change.kinds:
            self._read_at = None
            self.changed.emit()

    async def _read(self) -> None:
        """Read the first page where it is old, then each id that it did not have."""
        client = self._session.client
        try:
            if self._read_at is None or time.monotonic() - self._read_at > RENEWED_S:
                self._read_at = time.monotonic()  # also a reading that fails is not tried again at once
                page = await client.registry_list_nodes(query=ListQuery(limit=WHOLE))
                # Those of further pages are read again when they are shown.
                self._names = {one.node_id: one.display_name for one in page.items}
                self.changed.emit()
            while self._wanted:
                node_id = self._wanted.popleft()
                if node_id not in self._names:
                    await self._read_one(node_id)
        except (ClientError, NotConnected):
            # The ids stand alone until the next reading.
            self._wanted.clear()
        finally:
            self._reading = False

    async def _read_one(self, node_id: str) -> None:
        try:
            name = (await self._session.client.registry_get_node(node_id)).display_name
        except ApiError as refused:
            if refused.code != "not_found":
                raise
            name = ""
        while len(self._names) >= MOST_NAMES:
            del self._names[next(iter(self._names))]
        self._names[node_id] = name
        if name:
            self.changed.emit()
