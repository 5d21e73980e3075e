"""The draft of a strike: every field with its name and its fault, the attestation to read, and the name to type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.enforcement.messages import Jurisdiction, StrikeEvidence
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.enforcement.draft_values import DraftValues
from app.console.pages.enforcement.fitted import FaultLabel, FittedBox, FoundMark, PlatformsButton, StatementField
from app.console.pages.enforcement.law_words import FIELDS, NATURES, evidence_words, law_title
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.scroller import scroller
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator

WORK = (
    ("title", tr("Title of the work"), tr("As it is registered or known")),
    ("owner", tr("Owner of the copyright"), ""),
    ("original_url", tr("Where the original is"), "https://…"),
    ("description", tr("Description"), tr("What it shows")),
    ("registration", tr("Registration"), tr("Number, if any")),
    ("sha256", "SHA-256", tr("64 hexadecimal digits")),
)
CONTACT = ("/declarant/postal_address", "/declarant/phone")
"""Fields of the declarant that are shown where a law asks for them."""


class DraftPanel(TitledPanel):
    """``edited`` whenever a field was changed by hand; ``searched`` asks for people."""

    edited = Signal()
    searched = Signal(str)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Draft"), padding=12)
        self._errors: dict[str, QLabel] = {}
        self._rooms: dict[str, QWidget] = {}
        self._lines: dict[str, QLineEdit] = {}
        self.fields: dict[str, QWidget] = {}
        self._quiet = False
        self.note = ElidedLabel(tr("nothing leaves before “Issue”"), "dim")
        self.head.insertWidget(1, self.note, 8)
        self.head.addWidget(ActionButton(table, "enforcement.new", text=tr("New draft"), role="quiet"))
        self.head.addWidget(ActionButton(table, "enforcement.preview", text=tr("Preview")))
        inside = QWidget()
        self.column = QVBoxLayout(inside)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(8)
        self._add_what(table)
        self._add_where()
        self._add_who()
        self._add_work()
        self.area = scroller(inside)
        self.body.addWidget(self.area, 1)
        self.body.addWidget(separator())
        self._add_attestation()
        self._fit()
        for key in CONTACT:
            self._rooms[key].hide()
        self.show_law(None)

    # --- fields ------------------------------------------------------------------------------------------------------

    def _room(
        self,
        pointer: str,
        title: str,
        field: QWidget,
        beside: QWidget | None = None,
        line: QWidget | None = None,
    ) -> QWidget:
        """A field with its name above it and its fault below it; ``beside``: what stands beside the name; ``line``: in
        which the field stands with something else."""
        room = QWidget()
        column = QVBoxLayout(room)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        name = label(title, "dim")
        name.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(title)
        wrong = FaultLabel()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(name)
        if beside is not None:
            head.addWidget(beside, 1)
        column.addLayout(head)
        column.addWidget(line or field)
        column.addWidget(wrong)
        self.fields[pointer], self._errors[pointer], self._rooms[pointer] = field, wrong, room
        return room

    def _line(self, pointer: str, title: str = "", example: str = "") -> QWidget:
        field = self._lines[pointer] = QLineEdit()
        field.setPlaceholderText(example)
        field.textChanged.connect(lambda _text: self._tell())
        return self._room(pointer, title or FIELDS[pointer], field)

    def _text(self, pointer: str, example: str, field: QPlainTextEdit) -> QPlainTextEdit:
        field.setPlaceholderText(example)
        field.setTabChangesFocus(True)
        field.textChanged.connect(self._tell)
        self._room(pointer, FIELDS[pointer], field)
        return field

    @staticmethod
    def _beside(*rooms: tuple[QWidget, int]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(12)
        for room, share in rooms:
            row.addWidget(room, share, Qt.AlignmentFlag.AlignTop)
        return row

    def _add_what(self, table: ActionTable) -> None:
        """The law, the platforms, what shows the fraud, and whom it shows."""
        self.law = FittedBox(tr("Law"))
        self.law.currentIndexChanged.connect(lambda _at: self._tell())
        self.platforms = PlatformsButton()
        self.platforms.clicked.connect(lambda: table.trigger("enforcement.platforms"))
        self.column.addLayout(
            self._beside(
                (self._room("/enforcement_jurisdiction", tr("Law"), self.law), 1),
                (self._room("/platforms", tr("Platforms"), self.platforms), 1),
            )
        )
        what = "/target_compromise_signature"
        self.signature = self._lines[what] = QLineEdit()
        self.signature.setPlaceholderText(tr("scan_…, KNOT-… or your reference"))
        self.signature.setToolTip(tr("A scan (scan_…), a seal (KNOT-…, 0x…), a SHA-256, or your own reference"))
        self.signature.textChanged.connect(lambda _text: self._tell())
        self.signature.setFont(theme.mono(12))
        self.evidence = FoundMark()
        self.evidence.hide()
        self.look = ActionButton(table, "enforcement.evidence", text=tr("Open"), role="quiet", bare=True)
        self.look.hide()
        named = QWidget()
        line = QHBoxLayout(named)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.signature, 1)
        line.addWidget(self.look)
        self.node = ChoiceField(tr("Name or id"), name=tr("Person concerned"), icon="user")
        self.node.textChanged.connect(lambda _text: self._tell())
        self.node.searched.connect(self.searched)
        self.nature = FittedBox(FIELDS["/nature"])
        self.nature.set_entries([(tr("Choose"), ""), *((word, key) for key, word in NATURES.items())])
        self.nature.currentIndexChanged.connect(lambda _at: self._tell())
        self.column.addLayout(
            self._beside(
                (self._room(what, FIELDS[what], self.signature, self.evidence, named), 5),
                (self._room("/node_id", FIELDS["/node_id"], self.node), 3),
                (self._room("/nature", FIELDS["/nature"], self.nature), 2),
            )
        )

    def _add_where(self) -> None:
        """Where the content is, and why it is illegal."""
        self.addresses = self._text("/content_urls", "https://platform.example/v/88121", QPlainTextEdit())
        self._rooms["/content_urls"].findChildren(QLabel)[0].setText(tr("Exact addresses, one a line"))
        self.addresses.setFont(theme.mono(12))
        self.addresses.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.statement = self._text(
            "/statement",
            tr("What the content shows, and why it breaks this law: 20 to 5,000 characters"),
            StatementField(),
        )
        self.column.addWidget(self._rooms["/content_urls"])
        self.column.addWidget(self._rooms["/statement"], 1)

    def _add_who(self) -> None:
        """Who declares."""
        self.column.addLayout(
            self._beside(
                (self._line("/declarant/name"), 1),
                (self._line("/declarant/capacity", "", tr("the person shown")), 1),
                (self._line("/declarant/email", "", "name@example.org"), 1),
            )
        )
        self.column.addLayout(self._beside((self._line(CONTACT[0]), 2), (self._line(CONTACT[1], "", "+49 30 000"), 1)))

    def _add_work(self) -> None:
        """The copyrighted work, for laws of copyright."""
        self.work = QWidget()
        column = QVBoxLayout(self.work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        rooms = [(self._line(f"/work/{key}", title, example), 1) for key, title, example in WORK]
        column.addLayout(self._beside(*rooms[:3]))
        column.addLayout(self._beside(*rooms[3:]))
        self.column.addWidget(self.work)

    def _add_attestation(self) -> None:
        """The sentence that is attested, and the name under it: typed, never ticked."""
        self.sentence = label("", "heading", wrap=True)
        self.body.addWidget(self.sentence)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.typed = QLineEdit()
        self.typed.setPlaceholderText(tr("Type your name to say so"))
        self.typed.setAccessibleName(tr("Your name, typed under the attestation"))
        self.typed.textChanged.connect(lambda _text: self._tell())
        self.fields["/declarant/attested"] = self.typed
        self.typed_note = label("", "dim", wrap=True)
        row.addWidget(self.typed, 2)
        row.addWidget(self.typed_note, 3)
        self.body.addLayout(row)

    def _edit(self, pointer: str) -> QLineEdit:
        return self._lines[pointer]

    def _fit(self) -> None:
        """Lengths that follow the text scale."""
        self.addresses.setFixedHeight(theme.px(54))
        self.statement.setMinimumHeight(theme.px(48))
        self.area.setMinimumHeight(theme.px(150))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "typed"):
            self._fit()
            self.signature.setFont(theme.mono(12))
            self.addresses.setFont(theme.mono(12))
        super().changeEvent(event)

    # --- what stands in it -------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        if not self._quiet:
            self.edited.emit()

    def values(self, *, platforms: Sequence[str], dispatch: bool) -> DraftValues:
        """What stands in the fields; ``platforms`` and ``dispatch`` stand elsewhere."""
        choice = self.node.choice
        work = {key: self._edit(f"/work/{key}").text() for key, _, _ in WORK}
        return DraftValues(
            signature=self.signature.text(),
            law=str(self.law.currentData() or ""),
            dispatch=dispatch,
            node_id=choice.id if choice is not None else self.node.text().strip(),
            platforms=tuple(platforms),
            addresses=self.addresses.toPlainText(),
            statement=self.statement.toPlainText(),
            name=self._edit("/declarant/name").text(),
            capacity=self._edit("/declarant/capacity").text(),
            email=self._edit("/declarant/email").text(),
            postal_address=self._edit("/declarant/postal_address").text(),
            phone=self._edit("/declarant/phone").text(),
            typed=self.typed.text(),
            nature=str(self.nature.currentData() or "") if self.nature_asked else "",
            work=work if self.work_asked else None,
        )

    def fill(self, values: DraftValues) -> None:
        """Put these values into the fields, as one change."""
        self._quiet = True
        self.signature.setText(values.signature)
        self.law.setCurrentIndex(max(0, self.law.findData(values.law)))
        self.node.choose(Choice(values.node_id, values.node_id) if values.node_id else None)
        self.addresses.setPlainText(values.addresses)
        self.statement.setPlainText(values.statement)
        for pointer, text in (
            ("/declarant/name", values.name), ("/declarant/capacity", values.capacity),
            ("/declarant/email", values.email), ("/declarant/postal_address", values.postal_address),
            ("/declarant/phone", values.phone),
        ):  # fmt: skip
            self._edit(pointer).setText(text)
        self.typed.setText(values.typed)
        self.nature.setCurrentIndex(max(0, self.nature.findData(values.nature)))
        for key, _, _ in WORK:
            self._edit(f"/work/{key}").setText((values.work or {}).get(key, ""))
        self._quiet = False
        self.edited.emit()

    @property
    def work_asked(self) -> bool:
        """Whether the fields of the work are shown."""
        return not self.work.isHidden()

    @property
    def nature_asked(self) -> bool:
        """Whether the nature of the likeness is asked for."""
        return not self._rooms["/nature"].isHidden()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_law(self, law: Jurisdiction | None, *, dispatch: bool = False) -> None:
        """Show the fields that a law asks for, and the sentence that it has one attest."""
        pointers = {pointer for element in law.elements for pointer in element.pointers} if law is not None else set()
        for key in CONTACT:
            filled = bool(self._edit(key).text())
            self._rooms[key].setVisible(key in pointers or filled)
        asks_work = any(one.startswith("/work") for one in pointers)
        self.work.setVisible(law is not None and (law.copyright_only or asks_work or dispatch))
        self._rooms["/nature"].setVisible(law is not None and (len(law.hours) > 1 or "/nature" in pointers))
        self.sentence.setText(
            tr("“{words}”", words=law.attestation)
            if law is not None
            else tr("Choose a law to read what it has you attest.")
        )

    def show_laws(self, laws: Sequence[Jurisdiction]) -> None:
        """Offer these laws."""
        self.law.set_entries([(tr("Choose a law"), ""), *((law_title(one), one.code) for one in laws)])

    def show_evidence(self, evidence: StrikeEvidence | None) -> None:
        """Say what the signature names."""
        self.evidence.setVisible(evidence is not None)
        self.look.setVisible(evidence is not None and evidence.known)
        if evidence is None:
            return
        hint = "\n".join((evidence.title, *evidence.facts))
        if evidence.known:
            self.evidence.say(Meaning.OK, evidence_words(evidence), hint)
        else:
            state = Meaning.IDLE if evidence.kind == "reference" else Meaning.WARN
            self.evidence.say(state, evidence.title or tr("Not known on this site: printed as your reference"), hint)

    def show_faults(self, faults: Mapping[str, str]) -> None:
        """Show what is wrong, at each field that is named; a pointer without a field belongs to the one above it."""
        by_field: dict[str, str] = {}
        for pointer, sentence in faults.items():
            while pointer and pointer not in self._errors:
                pointer = pointer.rpartition("/")[0]
            if pointer:
                by_field.setdefault(pointer, sentence)
        for pointer, wrong in self._errors.items():
            sentence = by_field.get(pointer, "")
            if wrong.text() == sentence:
                continue
            wrong.setText(sentence)
            wrong.setVisible(bool(sentence))
            field = self.fields[pointer]
            field.setAccessibleDescription(sentence)
            theme.mark_invalid(field, bool(sentence))

    def fault(self, pointer: str) -> str:
        """The fault shown at a field; empty: none."""
        wrong = self._errors.get(pointer)
        return wrong.text() if wrong is not None and not wrong.isHidden() else ""

    def show_typed(self, *, attested: bool, fault: str) -> None:
        """Say what the typed name does."""
        note = tr("Never ticked in advance. The name goes into the signed declaration.")
        self.typed_note.setText(
            fault or (tr("Attested. The name goes into the signed declaration.") if attested else note)
        )
        self.typed.setAccessibleDescription(self.typed_note.text())

    def go_to(self, pointer: str) -> None:
        """Give the focus to the field at a pointer, or to the nearest one above or below it."""
        wanted = pointer
        while wanted and wanted not in self.fields:
            wanted = wanted.rpartition("/")[0]
        if not wanted:
            wanted = next((one for one in self.fields if one.startswith(f"{pointer}/")), "")
        if field := self.fields.get(wanted):
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            if self.area.isAncestorOf(field):
                self.area.ensureWidgetVisible(field)

    def show_supply(self, token: str, fixed: Collection[str] = (), *, left: bool = False) -> None:
        """The draft supplies the details of that strike; empty: it is a new one. ``fixed``: fields that stay as they
        are; ``left``: something of it has left."""
        self.title.setText(tr("Details") if token else tr("Draft"))
        said = tr("add what it lacks") if left else tr("nothing was sent yet")
        self.note.setText(f"{token}: {said}" if token else tr("nothing leaves before “Issue”"))
        for pointer, field in self.fields.items():
            field.setEnabled(pointer not in fixed)
