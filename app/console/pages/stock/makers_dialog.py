"""The card makers whose attestations the site believes: the list with its certificates, and the form of another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.provisioning.stock.messages import MAKERS_BY_HAND, MAKERS_CA_MAX, CardMakerItem, MakerCertificate
from app.console import theme
from app.console.failures import Failure
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.facts import Facts
from app.console.widgets.form import FormDialog
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label


class UnreadableCertificates(ValueError):
    """The text says why, a sentence."""


def read_certificates(data: bytes) -> tuple[str, list[MakerCertificate]]:
    """The certificates of a file, PEM or one as DER: as PEM, and what they say. Raises UnreadableCertificates."""
    # Imported here: few who open the page pin anything.
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding

    if len(data) > MAKERS_CA_MAX:
        raise UnreadableCertificates(tr("It is larger than any maker's certificates."))
    if b"PRIVATE KEY" in data:
        raise UnreadableCertificates(tr("A private key is in it: nobody needs that here. Give certificates alone."))
    try:
        if b"-----BEGIN" in data:
            found = x509.load_pem_x509_certificates(data)
        else:
            found = [x509.load_der_x509_certificate(data)]
        told = [
            MakerCertificate(
                subject=one.subject.rfc4514_string(),
                sha256=one.fingerprint(SHA256()).hex(),
                not_after=api_time(one.not_valid_after_utc.astimezone(UTC).timestamp()),
            )
            for one in found
        ]
    except ValueError as error:
        raise UnreadableCertificates(tr("No certificate that can be read is in it.")) from error
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in found), told


def certificate_facts(certificates: Sequence[MakerCertificate], now: float) -> Facts:
    """What the certificates say, one after the other; ``now``: Unix time by which one has ended."""
    rows: list[tuple[str, str, bool]] = []
    values: dict[str, str] = {}
    for at, one in enumerate(certificates):
        ended = tr(" (ended)") if parse_time(one.not_after) < now else ""
        for key, title, mono, value in (
            ("subject", tr("Subject"), False, one.subject),
            ("sha256", "SHA-256", True, one.sha256),
            ("ends", tr("Ends"), False, f"{one.not_after[:10]}{ended}"),
        ):
            rows.append((f"{key}{at}", title, mono))
            values[f"{key}{at}"] = value
    facts = Facts(rows)
    facts.setMinimumWidth(theme.px(200))
    for key, value in values.items():
        facts.set(key, value)
    return facts


class CertificateList(QScrollArea):
    """What certificates say, read by keys too: it takes the focus and scrolls."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reads")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.facts: Facts | None = None

    def show_certificates(self, certificates: Sequence[MakerCertificate], now: float) -> None:
        """Show these, from the first one on."""
        self.facts = certificate_facts(certificates, now)
        self.setWidget(self.facts)
        self.verticalScrollBar().setValue(0)


class MakersDialog(Dialog):
    """Emits ``trusting`` and ``ending`` (the chosen maker) and ``adding``. ``may_write``: whether the console's key may
    change the list."""

    trusting = Signal(object)
    ending = Signal(object)
    adding = Signal()

    def __init__(self, window: QWidget, items: Sequence[CardMakerItem], now: float, *, may_write: bool) -> None:
        super().__init__(window)
        self._now = now
        self._may_write = may_write
        self.setWindowTitle(tr("Card makers"))
        self.setAccessibleName(tr("Card makers"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_dialog(self, 760, 620)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("Card makers"), "title"))
        sentence = tr(
            "A card proves its make and its FIPS mark by a certificate of its maker. The site believes "
            "that of the makers that are trusted here, from the next card on."
        )
        column.addWidget(label(sentence, "dim", wrap=True))
        self.banner = Banner()
        column.addWidget(self.banner)
        column.addWidget(self._table(), 2)
        self.about = label("", "small", wrap=True, selectable=True)
        column.addWidget(self.about)
        self.certificates = CertificateList(tr("Certificates of the chosen maker"))
        column.addWidget(self.certificates, 3)
        column.addLayout(self._buttons())
        self.show_makers(items)
        self.table.setFocus()

    def _table(self) -> DataTable:
        """The makers, and whether each is trusted."""
        columns: list[Column[CardMakerItem]] = [
            Column(tr("MAKER"), maker_name, least=160, hint=lambda row: row.products),
            Column(tr("STATE"), lambda row: maker_words(row)[1], 132, state=lambda row: maker_words(row)[0]),
            Column(tr("COMES FROM"), origin, 136, dim=True),
            Column(tr("CERTIFICATES"), lambda row: str(len(row.certificates)), 112, right=True, dim=True),
        ]
        self.rows = RowsModel(columns, lambda row: row.maker_id, self)
        self.table = DataTable(self.rows, name=tr("Card makers"))
        self.table.selected.connect(lambda _at: self._show_chosen())
        self.table.opened.connect(lambda _at: self._turn())
        self.table.setMinimumHeight(theme.px(120))
        return self.table

    def _buttons(self) -> QHBoxLayout:
        """What can be done with the list, and with the chosen maker."""
        row = QHBoxLayout()
        row.setSpacing(8)
        self.add = plain_button(tr("Add another maker"), self.adding.emit)
        self.end = plain_button(tr("Stop trusting"), lambda: self._emit(self.ending))
        self.trust = plain_button(tr("Trust this maker"), lambda: self._emit(self.trusting))
        self.trust.setProperty("role", "primary")
        row.addWidget(self.add)
        if not self._may_write:
            row.addWidget(StateMark(Meaning.IDLE, tr("A Citadel key changes this list")))
        row.addStretch(1)
        row.addWidget(plain_button(tr("Close"), self.reject))
        row.addWidget(self.end)
        row.addWidget(self.trust)
        self.add.setEnabled(self._may_write)
        return row

    @property
    def chosen(self) -> CardMakerItem | None:
        """The maker under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_makers(self, items: Sequence[CardMakerItem]) -> None:
        """Show the list; the chosen maker stays chosen."""
        here = "" if self.chosen is None else self.chosen.maker_id
        self.banner.clear()
        self.rows.set_rows(items)
        if items:
            self.table.selectRow(max(0, self.rows.row_of(here)))
        self._show_chosen()

    def show_failure(self, failure: Failure) -> None:
        """Show why the service refused."""
        self.banner.show_failure(failure)

    def _show_chosen(self) -> None:
        """The chosen maker, where its list comes from, and what may be done with it."""
        one = self.chosen
        self.end.setEnabled(self._may_write and one is not None and one.pinned)
        self.trust.setEnabled(self._may_write and one is not None and not one.pinned and one.maker_id != MAKERS_BY_HAND)
        if one is None:
            return
        source = (
            tr(
                " Published at {source}; compared with it on {day}.",
                source=one.source,
                day=one.checked_on,
            )
            if one.source
            else ""
        )
        self.about.setText(f"{one.products.rstrip('.')}.{source}")
        self.certificates.show_certificates(one.certificates, self._now)

    def _turn(self) -> None:
        """Enter on a row: what its button does."""
        if self.trust.isEnabled():
            self._emit(self.trusting)
        elif self.end.isEnabled():
            self._emit(self.ending)

    def _emit(self, signal: object) -> None:
        if (one := self.chosen) is not None:
            signal.emit(one)  # type: ignore[attr-defined]  # a bound Signal


def maker_name(one: CardMakerItem) -> str:
    """What people call it."""
    return tr("Other makers") if one.maker_id == MAKERS_BY_HAND else one.maker


def origin(one: CardMakerItem) -> str:
    """Where its certificates are from."""
    return tr("Added here") if one.maker_id == MAKERS_BY_HAND else tr("The program")


def maker_words(one: CardMakerItem) -> tuple[Meaning, str]:
    """Whether the maker is trusted."""
    return (Meaning.OK, tr("Trusted")) if one.pinned else (Meaning.IDLE, tr("Not trusted"))


class MakerForm(FormDialog):
    """Asks for the certificates of a maker that does not ship, and shows what they say before anything is sent.
    Emits ``asked`` with the PEM, ``choosing`` for a file. ``shipped``: makers by the SHA-256 of their certificates."""

    asked = Signal(str)
    choosing = Signal()

    def __init__(self, window: QWidget, now: float, shipped: Mapping[str, str]) -> None:
        super().__init__(
            window,
            tr("Trust another card maker"),
            tr(
                "Its root, and what is between it and the cards, as PEM. Compare the SHA-256 with what the "
                "maker says on another way than the one the file came on."
            ),
            tr("Trust it"),
        )
        self._now = now
        self._shipped = shipped
        self.pem: QPlainTextEdit = self.text("ca", tr("Certificates"), "-----BEGIN CERTIFICATE-----", height=110)
        self.pem.textChanged.connect(self._show_said)
        row = QHBoxLayout()
        self.said = StateMark(Meaning.IDLE, tr("Nothing is given yet"))
        row.addWidget(plain_button(tr("Choose a file"), self.choosing.emit))
        row.addWidget(self.said)
        row.addStretch(1)
        self.body.addLayout(row)
        self.certificates = CertificateList(tr("What the certificates say"))
        self.certificates.setMinimumHeight(theme.px(150))
        self.body.addWidget(self.certificates, 1)
        self.pem.setFocus()

    def take_file(self, name: str, data: bytes) -> None:
        """What a file holds comes into the field as PEM; what is wrong with it is told at the field."""
        self.clear()
        try:
            pem, _told = read_certificates(data)
        except UnreadableCertificates as wrong:
            self.mark("ca", f"{name}: {wrong}")
            return
        self.pem.setPlainText(pem)

    def _show_said(self) -> None:
        """What is in the field, said in words while it is typed or pasted."""
        self.clear()
        text = self.pem.toPlainText().strip()
        told: list[MakerCertificate] = []
        if not text:
            self.said.set(Meaning.IDLE, tr("Nothing is given yet"))
        else:
            try:
                _pem, told = read_certificates(text.encode())
                self.said.set(
                    Meaning.OK, tr("1 certificate") if len(told) == 1 else tr("{count} certificates", count=len(told))
                )
            except UnreadableCertificates as wrong:
                self.said.set(Meaning.WARN, str(wrong))
        self.certificates.show_certificates(told, self._now)

    def ask(self) -> bool:
        text = self.pem.toPlainText().strip()
        if not text:
            self.mark("ca", tr("Paste them, or choose a file."))
            return False
        try:
            pem, told = read_certificates(text.encode())
        except UnreadableCertificates as wrong:
            self.mark("ca", str(wrong))
            return False
        for one in told:
            if maker := self._shipped.get(one.sha256):
                self.mark(
                    "ca",
                    tr(
                        "{subject} ships with the program: trust {maker} in the list.", subject=one.subject, maker=maker
                    ),
                )
                return False
        self.asked.emit(pem)
        return True
