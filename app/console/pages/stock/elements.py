"""The list of elements: read page by page, searched, and followed as cards are written."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.messages import ProvisionEvent, ProvisionListQuery
from app.capabilities.provisioning.stock.messages import (
    Element,
    ElementCounts,
    ElementListQuery,
    ElementPage,
    ElementState,
)
from app.console.growing import Growing
from app.console.pages.stock.view import StockView
from app.console.pages.stock.words import KIND, LARGEST, ElementRow, row_of
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent

PAGE = 200
PROVISIONS = 50


class Elements(Part):
    """Reads what is loaded every 15 s: others change the stock too, and no event tells of it. Shows the chosen element
    with what was written on it."""

    kinds = frozenset({KIND, "cards"})

    view: StockView

    def __init__(self, host: Host, view: StockView) -> None:
        super().__init__(host, view.mark)
        self.view = view
        self._list = Growing(self._page, lambda element: element.hardware_uid, page=PAGE, largest=LARGEST)
        self._rows: dict[str, ElementRow] = {}
        self._counts = ElementCounts()
        self._q = ""
        self._state: ElementState | None = None
        self._chosen = ""
        self._wanted = ""
        view.searched.connect(self._search)
        view.state_chosen.connect(self._choose_state)
        view.chosen.connect(self._choose)
        view.more.connect(self._grow)
        view.show_element(None)

    @property
    def element(self) -> Element | None:
        """The chosen element."""
        return self._list.rows.get(self._chosen)

    @property
    def question(self) -> tuple[str | None, ElementState | None]:
        """The search and the state that the list is of."""
        return self._q or None, self._state

    def want(self, uid: str) -> None:
        """Put the cursor on this element when it is read."""
        self._wanted = uid

    def forget(self, uid: str) -> None:
        """This element is gone: it is chosen no longer."""
        if self._chosen == uid:
            self._chosen = ""

    def filter_field(self) -> QWidget:
        return self.view.search

    def first_control(self) -> QWidget:
        return self.view.table

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if uid := arguments.get("hardware_uid", "").lower():
            self._wanted, self._q, self._state = uid, "", None
            self.view.search.clear()
            self.view.states.setCurrentIndex(0)

    def listeners(self) -> Mapping[str, Listener]:
        return {"card": self._take_events}

    def _take_events(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            with contextlib.suppress(msgspec.DecodeError):
                if event.read(ProvisionEvent).stage is None:
                    self.read_now()

    async def read(self) -> None:
        """Everything that was loaded, anew: as many pages as there were, at least until the wanted element."""
        await self._list.read(self._goes_on)

    def _goes_on(self, rows: Mapping[str, Element]) -> bool:
        """Whether the wanted element is behind these rows, which are in the order of their ids."""
        wanted = self._wanted
        return bool(wanted) and wanted not in rows and (not rows or next(reversed(list(rows))) < wanted)

    async def _page(self, cursor: str | None, limit: int) -> ElementPage:
        query = ElementListQuery(q=self._q or None, state=self._state, limit=limit, cursor=cursor)
        page = await self.session.client.provisioning_list_elements(query=query)
        self._counts = page.counts or self._counts
        return page

    def _grow(self) -> None:
        if self._list.can_grow and self.session.is_connected:
            self.host.spawn(self._read_on(), name="more elements")

    async def _read_on(self) -> None:
        if await self._list.grow():
            self.paint_all()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        elements = self._list.rows
        self._rows = {uid: self._row(element) for uid, element in elements.items()}
        wanted = self._wanted or self._chosen
        if self._wanted in elements:
            self._wanted = ""
        if wanted not in elements:
            wanted = next(iter(elements), "")
        narrowed = bool(self._q or self._state)
        self.view.show_rows(list(self._rows.values()), self._counts, wanted, narrowed=narrowed)
        if not elements:
            self._chosen = ""
        self._show_chosen()
        # A page that came while all was read anew was dropped: the end of the list must not stay in sight for ever.
        self.view.near_end()

    def _row(self, element: Element) -> ElementRow:
        """The row of an element; the one that is shown if the element did not change."""
        row = self._rows.get(element.hardware_uid)
        return row if row is not None and row.element == element else row_of(element)

    def _show_chosen(self) -> None:
        self.view.show_element(self._rows.get(self._chosen))
        if self._chosen:
            self.host.spawn(self._read_provisions(self._chosen), name="provisionings of the element")
        else:
            self.view.show_provisions(())
        self.session.actions.refresh()

    async def _read_provisions(self, uid: str) -> None:
        query = ProvisionListQuery(hardware_uid=uid, limit=PROVISIONS)
        page = await self.session.client.provisioning_list_provisions(query=query)
        if uid == self._chosen:
            self.view.show_provisions(page.items)
            self.session.actions.refresh()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _choose(self, uid: str) -> None:
        if uid and uid != self._chosen:
            self._chosen = uid
            self.view.show_provisions(())
            if self.session.is_connected:
                self._show_chosen()

    def _search(self, text: str) -> None:
        if text != self._q:
            self._q = text
            self._begin_anew()

    def _choose_state(self, state: str) -> None:
        self._state = state or None  # type: ignore[assignment]  # the box holds the words of the API
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._list.forget()
        self._rows = {}
        self.view.table.scrollToTop()
        self.read_now()
