"""Puts the parts of the stock page together: the list, what is done to one element, and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.console.actions import Action, Effect
from app.console.language import tr
from app.console.pages.stock.changes import ElementChanges
from app.console.pages.stock.elements import Elements
from app.console.pages.stock.files import StockFiles
from app.console.pages.stock.makers import CardMakers
from app.console.pages.stock.view import StockView
from app.console.part import PartsPresenter
from app.console.session import WindowSession


class StockPresenter(PartsPresenter):
    """Reads, shows, and changes by ``Operation`` alone."""

    view: StockView

    def __init__(self, session: WindowSession, view: StockView) -> None:
        super().__init__(session, view)
        host = self.host()
        self.elements = Elements(host, view)
        self.changes = ElementChanges(host, self.elements)
        self.makers = CardMakers(host, view)
        self.files = StockFiles(self, lambda: self.elements.question)
        self.parts = (self.elements,)
        view.opened.connect(lambda _uid: session.actions.trigger("stock.change"))
        view.provision_chosen.connect(session.actions.refresh)
        view.dropped.connect(self.files.bring)

    def actions(self) -> Sequence[Action]:
        here, view, changes, files = "stock", self.view, self.changes, self.files

        def is_chosen() -> bool:
            return self.elements.element is not None

        def state_is(*states: str) -> Callable[[], bool]:
            return lambda: (element := self.elements.element) is not None and element.state in states

        return [
            Action(
                "stock.add", tr("Add an element"), changes.add, "plus", ("Ctrl+N",), here, effect=Effect.CHANGE,
                hint=tr("A card or token by its hardware_uid."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.import", tr("Import a list"), files.ask_list, "upload", ("Ctrl+O",), here, effect=Effect.CHANGE,
                hint=tr("A CSV of elements. All lines are checked before the first one is sent."),
                calls=("provisioning_import_elements",),
            ),
            Action(
                "stock.change", tr("Change the element"), changes.change, "pencil", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=is_chosen, effect=Effect.CHANGE, hint=tr("Product, place, declared validation."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.keys", tr("Transport keys"), changes.change_keys, "key-round", ("F4",), here, when=is_chosen,
                effect=Effect.CHANGE, hint=tr("Sets, changes or removes the keys that the element came with."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.quarantine", tr("Quarantine the element"), changes.quarantine, "shield-alert", ("F7",), here,
                when=state_is("in_stock", "issued"), effect=Effect.CHANGE,
                hint=tr("Keeps it out of use, with a reason, until it is put back."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.restock", tr("Put the element back to stock"), changes.restock, "rotate-ccw", ("F8",), here,
                when=state_is("quarantined", "issued", "retired"), effect=Effect.CHANGE,
                hint=tr("It may be written again."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.retire", tr("Retire the element"), changes.retire, "circle-x", ("F9",), here,
                when=state_is("in_stock", "quarantined", "issued"), effect=Effect.CHANGE,
                hint=tr("Asks first. It is not written any more; its row stays."),
                calls=("provisioning_put_element",),
            ),
            Action(
                "stock.delete", tr("Delete the element's row"), changes.delete, "trash-2", ("Ctrl+Del",), here,
                when=is_chosen, effect=Effect.CHANGE, hint=tr("Asks first. For a row that was a mistake."),
                calls=("provisioning_delete_element",),
            ),
            Action(
                "stock.receipt", tr("Receipt of the provisioning"), self._read_receipt, "file-check", ("Ctrl+R",), here,
                when=lambda: view.provision is not None and view.provision.receipt_url is not None,
                hint=tr("Its claims, and the signed file to keep."),
            ),
            Action(
                "stock.open_card", tr("Open in Write card"), self._open_card, "id-card", ("Ctrl+Shift+Return",), here,
                when=lambda: view.provision is not None, hint=tr("Proof, trace and PIN mailer of the provisioning."),
            ),
            Action(
                "stock.export", tr("Export the inventory"), files.ask_inventory, "download", ("Ctrl+Shift+S",), here,
                when=lambda: not files.saving, hint=tr("Every element that the search and the state find, as CSV."),
            ),
            Action(
                "stock.export_receipts", tr("Export receipts"), files.ask_range, "scroll-text", ("Ctrl+Shift+R",),
                here, when=lambda: not files.saving, hint=tr("Finished cards of some days, as CSV."),
                calls=("provisioning_list_receipts",),
            ),
            Action(
                "stock.makers", tr("Card makers"), self.makers.open, "shield-check", ("Ctrl+M",), here,
                when=lambda: self.session.is_connected, effect=Effect.CHANGE,
                hint=tr(
                    "Whose attestations the site believes: who ships with it, who is trusted, and another "
                    "one."),
            ),
            Action("stock.table", tr("Go to the elements"), view.table.setFocus, "table-2", ("Alt+1",), here),
            Action("stock.state", tr("Choose a state"), view.states.setFocus, "funnel", ("Alt+2",), here),
            Action(
                "stock.provisions", tr("Go to what was written"), view.provision_table.setFocus, "history",
                ("Alt+3",), here,
            ),
        ]  # fmt: skip

    def _open_card(self) -> None:
        provision = self.view.provision
        if provision is not None:
            self.session.navigate("write_card", provision_id=provision.provision_id)

    def _read_receipt(self) -> None:
        provision = self.view.provision
        if provision is not None:
            self.files.show_receipt(provision)
