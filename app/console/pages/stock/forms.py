"""Forms of the stock: one element, the keys it came with, the reason of a quarantine, the days of receipts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDateEdit, QLineEdit, QWidget

from app.capabilities.provisioning.stock.messages import (
    ChannelKeys,
    ChannelKeySet,
    ChannelMaster,
    DeclaredValidation,
    Element,
    ElementBody,
    Transport,
)
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.stock.lines import SHAPES
from app.console.widgets.form import FormDialog

STANDARDS = ("FIPS 140-3", "FIPS 140-2", "GSA APL")
LEVELS = ((None, "–"), *((n, str(n)) for n in range(1, 5)))
CHANNELS = (
    ("", tr("None")),
    ("set", tr("The card's own three keys")),
    ("master", tr("A master key, diversified by each card")),
)


def choice(form: FormDialog, key: str, title: str, choices: Iterable[tuple[object, str]]) -> QComboBox:
    """A field of the form that takes one of several values: each with its word."""
    field = QComboBox()
    for value, word in choices:
        field.addItem(word, value)
    form.add(key, title, field)
    return field


@dataclass(frozen=True)
class ElementRequest:
    """What the person wants in the stock."""

    hardware_uid: str
    body: ElementBody


class ElementForm(FormDialog):
    """Emits ``asked`` with an ``ElementRequest``; stays open until the presenter accepts it.

    State and transport keys are none of its fields: they change by actions that say what they do.
    """

    asked = Signal(object)

    def __init__(self, window: QWidget, element: Element | None = None) -> None:
        super().__init__(
            window,
            tr("Add an element") if element is None else tr("Change {uid}", uid=element.hardware_uid),
            tr("A card or token as it was bought. What is declared counts as evidence only where the site accepts it.")
            if element is None
            else "",
            tr("Add") if element is None else tr("Save"),
            shapes=SHAPES,
        )
        self.uid = self.line("hardware_uid", "hardware_uid", tr("As its packing or the reader names it"))
        self.product = self.line("product", tr("Product"), tr("YubiKey 5 FIPS"))
        self.location = self.line("location", tr("Location"), tr("Safe 2, tray 14"))
        self.standard = choice(
            self, "standard", tr("Declared validation"), [("", tr("None")), *((one, one) for one in STANDARDS)]
        )
        self.certificate = self.line("certificate", tr("Certificate or listing"), "5291")
        self.level = choice(self, "level", tr("Overall level"), LEVELS)
        self.physical = choice(self, "physical", tr("Physical level"), LEVELS)
        self._fill(element)
        self.standard.currentIndexChanged.connect(lambda _at: self._follow())
        self._follow()

    def _fill(self, element: Element | None) -> None:
        """Show the element that is changed; a new one begins empty."""
        if element is None:
            self.uid.setFocus()
            return
        self.uid.setText(element.hardware_uid)
        self.uid.setEnabled(False)
        self.product.setText(element.product)
        self.location.setText(element.location or "")
        declared = element.validation
        if declared is not None:
            self.standard.setCurrentIndex(max(0, self.standard.findData(declared.standard)))
            self.certificate.setText(declared.certificate)
            self.level.setCurrentIndex(max(0, self.level.findData(declared.level)))
            self.physical.setCurrentIndex(max(0, self.physical.findData(declared.physical)))
        self.product.setFocus()

    def _follow(self) -> None:
        """Fields that mean something now."""
        standard = self.standard.currentData()
        self.show_field("certificate", bool(standard))
        for key in ("level", "physical"):
            self.show_field(key, standard.startswith("FIPS"))

    def ask(self) -> bool:
        uid, product = self.uid.text().strip(), self.product.text().strip()
        for key, text in (("hardware_uid", uid), ("product", product)):
            if not text:
                self.mark(key, SHAPES[key])
        validation = self._validation()
        if self.marked:
            return False
        body = ElementBody(
            product=product,
            location=self.location.text().strip() or None,
            validation=validation,
        )
        self.asked.emit(ElementRequest(uid, body))
        return True

    def _validation(self) -> DeclaredValidation | None:
        """What is declared; None also where something is wrong, which is then marked."""
        standard = self.standard.currentData()
        if not standard:
            return None
        values: dict[str, object] = {"standard": standard, "certificate": self.certificate.text().strip().lstrip("#")}
        if standard.startswith("FIPS"):
            values |= {"level": self.level.currentData(), "physical": self.physical.currentData()}
            if values["level"] is None:
                self.mark("level", SHAPES["level"])
                return None
        try:
            return msgspec.convert(values, DeclaredValidation)  # type: ignore[no-any-return]
        except msgspec.ValidationError:
            self.mark("certificate", SHAPES["certificate"])
            return None


class TransportForm(FormDialog):
    """Sets, changes or removes the keys that an element came with. Emits ``asked`` with a ``Transport``; the empty one
    removes. All of them are set together: what is left empty is not kept, and what is there is never shown."""

    asked = Signal(object)

    def __init__(self, window: QWidget, element: Element) -> None:
        known = element.transport
        if not known.set:
            sentence = tr(
                "What the maker set for the way: tried before the published factory values, kept sealed, never shown."
            )
        elif known.changed_at is None:
            sentence = tr("They are set and never shown. New ones take the place of all of them.")
        else:
            sentence = tr(
                "They are set since {time} and never shown. New ones take the place of all of them.",
                time=date_time(parse_time(known.changed_at))[:16],
            )
        super().__init__(
            window,
            tr("Transport keys of {uid}", uid=element.hardware_uid),
            sentence,
            tr("Change") if known.set else tr("Set", "button"),
            shapes=SHAPES,
        )
        self.remove = QCheckBox(tr("Remove what is there and set none"))
        self.remove.setVisible(known.set)
        self.remove.toggled.connect(lambda _on: self._follow())
        self.management_key = self._secret(
            "management_key", tr("Management key (9B)"), tr("32, 48 or 64 hexadecimal digits")
        )
        self.puk = self._secret("puk", "PUK", SHAPES["puk"])
        self.pin = self._secret("pin", "PIN", SHAPES["pin"])
        self.scp03 = choice(self, "scp03", tr("Secure channel (SCP03)"), CHANNELS)
        self.channel_keys = self._secret(
            "channel_keys", tr("Channel keys"), tr("Hexadecimal; three keys: ENC, MAC, DEK")
        )
        self.channel_version = choice(self, "channel_version", tr("Key version"), [(n, str(n)) for n in range(128)])
        self.body.addWidget(self.remove)
        self.scp03.currentIndexChanged.connect(lambda _at: self._follow())
        self._follow()
        self.management_key.setFocus()

    def _secret(self, key: str, title: str, example: str) -> QLineEdit:
        field = self.line(key, title, example)
        field.setEchoMode(QLineEdit.EchoMode.Password)
        return field

    def _follow(self) -> None:
        """Fields that mean something now."""
        setting = not self.remove.isChecked()
        for key in ("management_key", "puk", "pin", "scp03"):
            self.show_field(key, setting)
        for key in ("channel_keys", "channel_version"):
            self.show_field(key, setting and bool(self.scp03.currentData()))

    def ask(self) -> bool:
        transport = Transport() if self.remove.isChecked() else self._transport()
        if self.marked:
            return False
        self.asked.emit(transport)
        return True

    def _transport(self) -> Transport:
        """The keys to send; what is wrong is marked."""
        values: dict[str, str] = {}
        for key, field in (("management_key", self.management_key), ("puk", self.puk), ("pin", self.pin)):
            if text := field.text().strip():
                values[key] = text
                try:
                    msgspec.convert({key: text}, Transport)
                except msgspec.ValidationError:
                    self.mark(key, SHAPES[key])
        channel = self._channel()
        made = Transport(**values, scp03=channel)
        if made == Transport() and not self.marked:
            self.mark("management_key", tr("Give at least one key."))
        return made

    def _channel(self) -> ChannelKeys | None:
        """The keys of the secure channel; None where there are none, or where they are wrong and marked."""
        kind = self.scp03.currentData()
        if not kind:
            return None
        text, version = self.channel_keys.text().strip(), self.channel_version.currentData()
        try:
            if kind == "master":
                return msgspec.convert({"key": text, "version": version, "kind": kind}, ChannelMaster)
            return msgspec.convert({"keys": text, "version": version, "kind": kind}, ChannelKeySet)
        except msgspec.ValidationError:
            self.mark(
                "channel_keys",
                tr("32, 48 or 64 hexadecimal digits.")
                if kind == "master"
                else tr("96, 144 or 192 hexadecimal digits."),
            )
            return None


class QuarantineForm(FormDialog):
    """Asks why an element is kept out of use. Emits ``asked`` with the reason."""

    asked = Signal(str)

    def __init__(self, window: QWidget, element: Element) -> None:
        super().__init__(
            window,
            tr("Quarantine {uid}?", uid=element.hardware_uid),
            tr("It is not written until somebody puts it back. The reason is told to each person who tries."),
            tr("Quarantine"),
        )
        self.reason = self.line("detail", tr("Reason"), tr("Contacts are scratched"))
        self.reason.setMaxLength(200)
        self.reason.setFocus()

    def ask(self) -> bool:
        reason = self.reason.text().strip()
        if not reason:
            self.mark("detail", tr("Say why: who finds it tomorrow wants to know."))
            return False
        self.asked.emit(reason)
        return True


class ReceiptRangeForm(FormDialog):
    """Asks for the days whose receipts are wanted. Emits ``asked`` with Unix seconds: from, and to (not included)."""

    asked = Signal(float, float)
    DAYS = 30

    def __init__(self, window: QWidget) -> None:
        super().__init__(
            window,
            tr("Receipts as CSV"),
            tr("One line for each finished card, with the digests of its certificates and of its signed receipt."),
            tr("Choose a file"),
        )
        today = QDate.currentDate()
        self.first = self._day("from", tr("First day"), today.addDays(-self.DAYS))
        self.last = self._day("to", tr("Last day"), today)
        self.first.setFocus()

    def _day(self, key: str, title: str, day: QDate) -> QDateEdit:
        field = QDateEdit(day)
        field.setDisplayFormat("yyyy-MM-dd")
        field.lineEdit().setTextMargins(8, 0, 8, 0)
        self.add(key, title, field)
        return field

    def ask(self) -> bool:
        first, last = self.first.date(), self.last.date()
        if first > last:
            self.mark("to", tr("The last day is not before the first."))
            return False
        self.asked.emit(first.startOfDay().toSecsSinceEpoch(), last.addDays(1).startOfDay().toSecsSinceEpoch())
        return True
