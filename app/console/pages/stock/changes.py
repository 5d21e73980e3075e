"""What a person does to one element: adds it, changes its row, its keys or its state, deletes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from app.capabilities.provisioning.stock.messages import (
    DeclaredValidation,
    Element,
    ElementBody,
    ElementState,
    Transport,
    Validation,
)
from app.client import ApiError
from app.console.deletion import Deletion
from app.console.failures import Failure, failure_of
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.stock.elements import Elements
from app.console.pages.stock.forms import ElementForm, ElementRequest, QuarantineForm, TransportForm
from app.console.pages.stock.words import KIND, STATE_WORDS
from app.console.part import Host
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client


class ChangedMeanwhile(Exception):
    """The element is no longer what the person saw when they decided."""


class ElementChanges:
    """Changes the chosen element by ``Operation``."""

    def __init__(self, host: Host, elements: Elements) -> None:
        self._host = host
        self._session = host.session
        self._elements = elements
        self._view = elements.view

    def add(self) -> None:
        """Open the form of a new element."""
        form = ElementForm(self._view.window())
        form.asked.connect(lambda request: self._host.spawn(self._add_new(form, request), name="add an element"))
        form.open()

    async def _add_new(self, form: ElementForm, request: ElementRequest) -> None:
        """Put a new element, unless one of that id is in the stock."""
        uid = request.hardware_uid
        try:
            await self._session.client.provisioning_get_element(uid)
        except ApiError as error:
            if error.code == "not_found":
                self._save(form, request, tr("{uid} is in the stock.", uid=uid))
            else:
                form.show_failure(failure_of(error))
        except Exception as error:  # told in the form, where it was asked for
            form.show_failure(failure_of(error))
        else:
            sentence = tr("It is in the stock already; close this and change its row.")
            form.show_failure(Failure("state_conflict", sentence, fields=(("/hardware_uid", sentence),)))

    def change(self) -> None:
        """Open the form of the row: product, place, declared validation."""
        element = self._elements.element
        if element is None:
            return
        form = ElementForm(self._view.window(), element)
        form.asked.connect(lambda request: self._save(form, request, tr("{uid} is changed.", uid=request.hardware_uid)))
        form.open()

    def _save(self, form: ElementForm, request: ElementRequest, words: str) -> None:
        """Put the row of the form."""

        def show(element: Element) -> None:
            self._elements.want(element.hardware_uid)
            form.accept()
            self._session.notify(words)

        operation: Operation[Element] = Operation(
            lambda client, _key: client.provisioning_put_element(request.hardware_uid, request.body),
            title=tr("Save {uid}", uid=request.hardware_uid),
            changes=(KIND,),
            asks=True,
        )
        operation.success(show).failure(form.show_failure).run(self._session, form)

    def change_keys(self) -> None:
        """Open the form of the transport keys."""
        element = self._elements.element
        if element is None:
            return
        uid = element.hardware_uid
        form = TransportForm(self._view.window(), element)

        def change(transport: Transport) -> None:
            async def request(client: Client, _key: str) -> Element:
                now = await client.provisioning_get_element(uid)
                return await client.provisioning_put_element(uid, body_of(now, transport=transport))

            def tell(now: Element) -> None:
                form.accept()
                self._session.notify(
                    tr("The transport keys of {uid} are set and sealed.", uid=uid)
                    if now.transport.set
                    else tr("The transport keys of {uid} are removed.", uid=uid)
                )

            operation: Operation[Element] = Operation(
                request, title=tr("Keys of {uid}", uid=uid), changes=(KIND,), asks=True
            )
            operation.success(tell).failure(form.show_failure).run(self._session, form)

        form.asked.connect(change)
        form.open()

    def quarantine(self) -> None:
        """Open the form that asks for a reason."""
        element = self._elements.element
        if element is None:
            return
        form = QuarantineForm(self._view.window(), element)

        def set_aside(reason: str) -> None:
            operation = self._turning(element, "quarantined", reason)
            operation.success(lambda _element: form.accept()).failure(form.show_failure).run(self._session, form)

        form.asked.connect(set_aside)
        form.open()

    def restock(self) -> None:
        """Put the element back to stock; asks first unless it was quarantined."""
        element = self._elements.element
        if element is None:
            return
        if element.state == "quarantined":
            self._turn(element, "in_stock")
            return
        self._confirm(
            tr("Put {uid} back to stock?", uid=element.hardware_uid),
            tr("It was written for a person. In stock it may be written for another one.")
            if element.state == "issued"
            else tr("It was taken out of use. In stock it may be written for another one."),
            tr("Put it back"),
            lambda: self._turn(element, "in_stock"),
        )

    def retire(self) -> None:
        """Take the element out of use; asks first."""
        element = self._elements.element
        if element is not None:
            self._confirm(
                tr("Retire {uid}?", uid=element.hardware_uid),
                tr(
                    "It is not written any more. Its row and its receipts stay; a card that somebody holds "
                    "is valid until it is burned."
                ),
                tr("Retire it"),
                lambda: self._turn(element, "retired"),
            )

    def delete(self) -> None:
        """Delete the row; asks first."""
        element = self._elements.element
        if element is None:
            return
        uid = element.hardware_uid

        Deletion(
            uid,
            lambda client: client.provisioning_delete_element(uid),
            (KIND,),
            tr(
                "What is declared of it and its transport keys are gone. Cards and receipts stay. To take it "
                "out of use, retire it instead."
            ),
            tr("Delete the row"),
        ).ask(self._session, self._view, self._host.show_failure, lambda: self._elements.forget(uid))

    def _confirm(self, title: str, sentence: str, verb: str, agreed: Callable[[], object]) -> None:
        ConfirmDialog(self._view.window(), title, sentence, verb, agreed).open()

    def _turn(self, element: Element, state: ElementState) -> None:
        self._turning(element, state).failure(self._host.show_failure).run(self._session, self._view)

    def _turning(self, element: Element, state: ElementState, reason: str | None = None) -> Operation[Element]:
        """Gives the element another state; the rest of its row stays as it is now."""
        uid = element.hardware_uid

        async def request(client: Client, _key: str) -> Element:
            now = await client.provisioning_get_element(uid)
            if now.state not in (element.state, state):
                raise ChangedMeanwhile(
                    tr("{uid} is {state} by now; look at it again.", uid=uid, state=STATE_WORDS[now.state])
                )
            return await client.provisioning_put_element(uid, body_of(now, state, reason))

        words = tr("back in stock") if state == "in_stock" else STATE_WORDS[state]
        operation: Operation[Element] = Operation(request, title=f"{uid}: {words}", changes=(KIND,), asks=True)
        return operation.success(lambda _element: self._session.notify(tr("{uid} is {state}.", uid=uid, state=words)))


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
        validation=None if element.validation is None else _declaration(element.validation),
        transport=transport,
    )


def _declaration(validation: Validation) -> DeclaredValidation:
    values = {name: value for name, value in msgspec.structs.asdict(validation).items() if value is not None}
    return msgspec.convert(values, DeclaredValidation)  # type: ignore[no-any-return]  # a union of Structs
