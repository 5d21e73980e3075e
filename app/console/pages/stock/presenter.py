"""Brings the stock page to life: reads pages of the list, follows the cards that are written, changes elements."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.messages import ProvisionEvent, ProvisionListQuery
from app.capabilities.provisioning.stock.messages import (
    DeclaredValidation,
    Element,
    ElementBody,
    ElementCounts,
    ElementListQuery,
    ElementPage,
    ElementState,
    Transport,
    Validation,
)
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import Freshness
from app.console.deleting import Deletion
from app.console.failures import Failure, failure_of
from app.console.live import LiveEvent
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.stock.files import KIND, LARGEST, StockFiles
from app.console.pages.stock.forms import (
    ElementForm,
    ElementRequest,
    QuarantineForm,
    TransportForm,
)
from app.console.pages.stock.view import StockView
from app.console.pages.stock.words import ElementRow, row_of
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client

PAGE = 200
EVERY_S = 15.0
"""Seconds between two readings of what is loaded: others change the stock too, and no event tells of it."""
PROVISIONS = 50


class ChangedMeanwhile(Exception):
    """The element is no longer what the person saw when they decided."""


class StockPresenter(Presenter):
    """Reads, shows, and changes by ``Operation`` alone."""

    view: StockView

    def __init__(self, session: WindowSession, view: StockView) -> None:
        super().__init__(session, view)
        self._rows: dict[str, ElementRow] = {}
        self._next: str | None = None
        self._counts = ElementCounts()
        self._fresh = Freshness(EVERY_S)
        self._q = ""
        self._state: ElementState | None = None
        self._chosen = ""
        self._wanted = ""
        self._growing = False
        self._generation = 0
        self._wake: asyncio.Event | None = None
        self.files = StockFiles(self, lambda: (self._q or None, self._state))
        view.searched.connect(self._search)
        view.state_chosen.connect(self._choose_state)
        view.chosen.connect(self._choose)
        view.opened.connect(lambda _uid: self._change())
        view.provision_chosen.connect(session.actions.refresh)
        view.more.connect(self._grow)
        view.dropped.connect(self.files.bring)
        view.show_element(None)

    def actions(self) -> Sequence[Action]:
        here, view = "stock", self.view

        def chosen() -> bool:
            return self._element() is not None

        def state_is(*states: str) -> Callable[[], bool]:
            return lambda: (found := self._element()) is not None and found.state in states

        return [
            Action(
                "stock.add", "Add an element", self._add, "plus", ("Ctrl+N",), here, effect=Effect.CHANGE,
                hint="A card or token by its hardware_uid.",
            ),
            Action(
                "stock.import", "Import a list", self.files.ask_list, "upload", ("Ctrl+O",), here, effect=Effect.CHANGE,
                hint="A CSV of elements. All lines are checked before the first one is sent.",
            ),
            Action(
                "stock.change", "Change the element", self._change, "pencil", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=chosen, effect=Effect.CHANGE, hint="Product, place, declared validation.",
            ),
            Action(
                "stock.keys", "Transport keys", self._change_keys, "key-round", ("F4",), here, when=chosen,
                effect=Effect.CHANGE, hint="Sets, changes or removes the keys that the element came with.",
            ),
            Action(
                "stock.quarantine", "Quarantine the element", self._quarantine, "shield-alert", ("F7",), here,
                when=state_is("in_stock", "issued"), effect=Effect.CHANGE,
                hint="Keeps it out of use, with a reason, until it is put back.",
            ),
            Action(
                "stock.restock", "Put the element back to stock", self._restock, "rotate-ccw", ("F8",), here,
                when=state_is("quarantined", "issued", "retired"), effect=Effect.CHANGE,
                hint="It may be written again.",
            ),
            Action(
                "stock.retire", "Retire the element", self._retire, "circle-x", ("F9",), here,
                when=state_is("in_stock", "quarantined", "issued"), effect=Effect.CHANGE,
                hint="Asks first. It is not written any more; its row stays.",
            ),
            Action(
                "stock.delete", "Delete the element's row", self._delete, "trash-2", ("Ctrl+Del",), here,
                when=chosen, effect=Effect.CHANGE, hint="Asks first. For a row that was a mistake.",
            ),
            Action(
                "stock.receipt", "Receipt of the provisioning", self._read_receipt, "file-check", ("Ctrl+R",), here,
                when=lambda: view.provision is not None and view.provision.receipt_url is not None,
                hint="Its claims, and the signed file to keep.",
            ),
            Action(
                "stock.open_card", "Open in Write card", self._open_card, "id-card", ("Ctrl+Shift+Return",), here,
                when=lambda: view.provision is not None, hint="Proof, trace and PIN mailer of the provisioning.",
            ),
            Action(
                "stock.export", "Export the inventory", self.files.ask_inventory, "download", ("Ctrl+Shift+S",), here,
                when=lambda: not self.files.saving, hint="Every element that the search and the state find, as CSV.",
            ),
            Action(
                "stock.export_receipts", "Export receipts", self.files.ask_range, "scroll-text", ("Ctrl+Shift+R",),
                here, when=lambda: not self.files.saving, hint="Finished cards of some days, as CSV.",
            ),
            Action("stock.table", "Go to the elements", view.table.setFocus, "table-2", ("Alt+1",), here),
            Action("stock.state", "Choose a state", view.states.setFocus, "funnel", ("Alt+2",), here),
            Action(
                "stock.provisions", "Go to what was written", view.provision_table.setFocus, "history",
                ("Alt+3",), here,
            ),
        ]  # fmt: skip

    def filter_field(self) -> QWidget | None:
        return self.view.search

    def first_control(self) -> QWidget:
        return self.view.table

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wake = asyncio.Event()
        if uid := arguments.get("hardware_uid", "").lower():
            self._wanted, self._q, self._state = uid, "", None
            self.view.search.clear()
            self.view.states.setCurrentIndex(0)
        if not self.session.live.stale:
            self._fresh.resume()
        unsubscribe = self.session.live.subscribe("card", self._card_events)
        failing = False
        try:
            while True:
                try:
                    await self._read()
                except Exception as error:  # told at the head of the page; the next turn tries again
                    failing = True
                    self.show_failure(failure_of(error))
                else:
                    if failing:
                        failing = False
                        self.view.banner.clear()
                    self._show()
                await woken(self._wake, EVERY_S)
        finally:
            unsubscribe()

    async def _read(self) -> None:
        """Everything that was loaded, anew: as many pages as there were, at least until the wanted element."""
        self._generation += 1
        asked = (self._q, self._state)
        loaded = max(PAGE, len(self._rows))
        rows: dict[str, ElementRow] = {}
        counts, cursor = self._counts, None
        while True:
            left = loaded - len(rows)
            page = await self._page(min(LARGEST, left) if left > 0 else LARGEST, cursor)
            if asked != (self._q, self._state):
                return  # what is asked for now was set by whoever also woke this
            rows |= self._rows_of(page.items)
            counts, cursor = page.counts or counts, page.next
            sought = self._wanted and self._wanted not in rows and (not rows or next(reversed(rows)) < self._wanted)
            if cursor is None or (len(rows) >= loaded and not sought):
                break
        self._rows, self._next, self._counts = rows, cursor, counts
        self._fresh.touch()

    async def _page(self, limit: int, cursor: str | None) -> ElementPage:
        query = ElementListQuery(q=self._q or None, state=self._state, limit=limit, cursor=cursor)
        return await self.session.client.provisioning_list_elements(query=query)

    def _rows_of(self, items: Sequence[Element]) -> dict[str, ElementRow]:
        """Rows of these elements; those that did not change are the ones that are shown."""
        made = {}
        for element in items:
            known = self._rows.get(element.hardware_uid)
            made[element.hardware_uid] = known if known is not None and known.element == element else row_of(element)
        return made

    def _grow(self) -> None:
        if self._next is not None and not self._growing and self.session.is_connected:
            self._growing = True
            self.spawn(self._read_more(), name="more elements")

    async def _read_more(self) -> None:
        generation, cursor = self._generation, self._next
        try:
            page = await self._page(PAGE, cursor)
        finally:
            self._growing = False
        if generation == self._generation and cursor == self._next:
            self._rows |= self._rows_of(page.items)
            self._next = page.next
            self._show()

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def _card_events(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            with contextlib.suppress(msgspec.DecodeError):
                if event.read(ProvisionEvent).stage is None:
                    self._read_now()

    def take_change(self, change: Change) -> None:
        if change.kinds & {KIND, "cards"}:
            self._read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        stale = self._fresh.words()
        self.view.mark.setVisible(bool(stale))
        if stale:
            self.view.mark.set(Meaning.IDLE, stale)

    def _show(self) -> None:
        rows = list(self._rows.values())
        wanted = self._wanted or self._chosen
        if self._wanted in self._rows:
            self._wanted = ""
        if wanted not in self._rows:
            wanted = rows[0].element.hardware_uid if rows else ""
        self.view.show_rows(rows, self._counts, wanted, narrowed=bool(self._q or self._state))
        if not rows:
            self._chosen = ""
        self._show_chosen()
        # A page that came while all was read anew was dropped: whoever waits at the end must not wait for ever.
        self.view.near_end()

    def _show_chosen(self) -> None:
        self.view.show_element(self._rows.get(self._chosen))
        if self._chosen:
            self.spawn(self._read_provisions(self._chosen), name="provisionings of the element")
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

    def _element(self) -> Element | None:
        row = self._rows.get(self._chosen)
        return None if row is None else row.element

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
        self._rows, self._next = {}, None
        self.view.table.scrollToTop()
        self._read_now()

    def _open_card(self) -> None:
        provision = self.view.provision
        if provision is not None:
            self.session.navigate("write_card", provision_id=provision.provision_id)

    def _read_receipt(self) -> None:
        provision = self.view.provision
        if provision is not None:
            self.files.show_receipt(provision)

    # --- changing one ------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        form = ElementForm(self.view.window())
        form.asked.connect(lambda request: self.spawn(self._add_new(form, request), name="add an element"))
        form.open()

    async def _add_new(self, form: ElementForm, request: ElementRequest) -> None:
        uid = request.hardware_uid
        try:
            await self.session.client.provisioning_get_element(uid)
        except ApiError as error:
            if error.code == "not_found":
                self._save(form, request, f"{uid} is in the stock.")
            else:
                form.show_failure(failure_of(error))
        except Exception as error:  # told in the form, where it was asked for
            form.show_failure(failure_of(error))
        else:
            sentence = "It is in the stock already; close this and change its row."
            form.show_failure(Failure("state_conflict", sentence, fields=(("/hardware_uid", sentence),)))

    def _change(self) -> None:
        element = self._element()
        if element is None:
            return
        form = ElementForm(self.view.window(), element)
        form.asked.connect(lambda request: self._save(form, request, f"{request.hardware_uid} is changed."))
        form.open()

    def _save(self, form: ElementForm, request: ElementRequest, words: str) -> None:
        def saved(element: Element) -> None:
            self._wanted = element.hardware_uid
            form.accept()
            self.session.notify(words)

        operation: Operation[Element] = Operation(
            lambda client, _key: client.provisioning_put_element(request.hardware_uid, request.body),
            title=f"Save {request.hardware_uid}",
            changes=(KIND,),
            asks=True,
        )
        operation.success(saved).failure(form.show_failure).run(self.session, form)

    def _change_keys(self) -> None:
        element = self._element()
        if element is None:
            return
        uid = element.hardware_uid
        form = TransportForm(self.view.window(), element)

        def asked(transport: Transport) -> None:
            async def request(client: Client, _key: str) -> Element:
                now = await client.provisioning_get_element(uid)
                return await client.provisioning_put_element(uid, body_of(now, transport=transport))

            def done(now: Element) -> None:
                form.accept()
                words = "are set and sealed" if now.transport.set else "are removed"
                self.session.notify(f"The transport keys of {uid} {words}.")

            operation: Operation[Element] = Operation(request, title=f"Keys of {uid}", changes=(KIND,), asks=True)
            operation.success(done).failure(form.show_failure).run(self.session, form)

        form.asked.connect(asked)
        form.open()

    def _quarantine(self) -> None:
        element = self._element()
        if element is None:
            return
        form = QuarantineForm(self.view.window(), element)

        def asked(reason: str) -> None:
            operation = self._turning(element, "quarantined", reason)
            operation.success(lambda _element: form.accept()).failure(form.show_failure).run(self.session, form)

        form.asked.connect(asked)
        form.open()

    def _restock(self) -> None:
        element = self._element()
        if element is None:
            return
        if element.state == "quarantined":
            self._turn(element, "in_stock")
            return
        said = "It was written for a person" if element.state == "issued" else "It was taken out of use"
        self._confirm(
            f"Put {element.hardware_uid} back to stock?",
            f"{said}. In stock it may be written for another one.",
            "Put it back",
            lambda: self._turn(element, "in_stock"),
        )

    def _retire(self) -> None:
        element = self._element()
        if element is not None:
            self._confirm(
                f"Retire {element.hardware_uid}?",
                "It is not written any more. Its row and its receipts stay; a card that somebody holds is valid until "
                "it is burned.",
                "Retire it",
                lambda: self._turn(element, "retired"),
            )

    def _delete(self) -> None:
        element = self._element()
        if element is None:
            return
        uid = element.hardware_uid

        def gone() -> None:
            if self._chosen == uid:
                self._chosen = ""

        Deletion(
            uid,
            lambda client: client.provisioning_delete_element(uid),
            (KIND,),
            "What is declared of it and its transport keys are gone. Cards and receipts stay. To take it out of use, "
            "retire it instead.",
            "Delete the row",
        ).ask(self.session, self.view, self.show_failure, gone)

    def _confirm(self, title: str, sentence: str, verb: str, agreed: Callable[[], object]) -> None:
        ConfirmDialog(self.view.window(), title, sentence, verb, agreed).open()

    def _turn(self, element: Element, state: ElementState) -> None:
        self._turning(element, state).failure(self.show_failure).run(self.session, self)

    def _turning(self, element: Element, state: ElementState, reason: str | None = None) -> Operation[Element]:
        """Gives the element another state; the rest of its row stays as it is now."""
        uid = element.hardware_uid

        async def request(client: Client, _key: str) -> Element:
            now = await client.provisioning_get_element(uid)
            if now.state not in (element.state, state):
                raise ChangedMeanwhile(f"{uid} is {now.state.replace('_', ' ')} by now; look at it again.")
            return await client.provisioning_put_element(uid, body_of(now, state, reason))

        words = {"in_stock": "back in stock"}.get(state, state)
        operation: Operation[Element] = Operation(request, title=f"{uid}: {words}", changes=(KIND,), asks=True)
        return operation.success(lambda _element: self.session.notify(f"{uid} is {words}."))


def body_of(
    element: Element,
    state: ElementState | None = None,
    reason: str | None = None,
    transport: Transport | None = None,
) -> ElementBody:
    """The PUT that gives the element another state or other keys, and changes nothing else of it."""
    return ElementBody(
        product=element.product,
        location=element.location,
        state=state,
        detail=reason,
        validation=None if element.validation is None else _declared(element.validation),
        transport=transport,
    )


def _declared(validation: Validation) -> DeclaredValidation:
    said = {name: value for name, value in msgspec.structs.asdict(validation).items() if value is not None}
    return msgspec.convert(said, DeclaredValidation)  # type: ignore[no-any-return]  # a union of Structs
