"""The forms of operators: who one is, and a passphrase."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLineEdit, QWidget

from app.api.roles import Role
from app.console.language import tr
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.form import FormDialog
from app.operators.messages import Operator, OperatorBody, SignInMethod

ROLES: Mapping[Role, str] = {
    Role.DESK: tr("Desk: burns, containments, alarms, doors"),
    Role.BADGE: tr("Badge: cards, batches, stock, enrolment"),
    Role.MANAGER: tr("Manager: reads, reports"),
    Role.AUDITOR: tr("Auditor: audit, exports, erasures"),
    Role.ADMIN: tr("Administrator: registry, keys, operators"),
}
METHODS: Mapping[SignInMethod, str] = {
    "card": tr("Own card"),
    "passphrase": tr("Passphrase"),
    "oidc": tr("OpenID provider"),
}
STATES = (("active", tr("Active")), ("ended", tr("Ended: signs in nowhere")))
LEAST_CHARACTERS = 12
SHAPES = {
    "display_name": tr("Give the operator a name of 1 to 200 characters."),
    "roles": tr("Choose at least one role."),
    "node_id": tr("Choose a registered person: an operator who signs in by card is one."),
    "subject": tr("The sub by which the OpenID provider names this operator, 1 to 255 characters."),
}


class OperatorForm(FormDialog):
    """Emits ``asked`` with the operator's id and an ``OperatorBody``; stays open until the presenter accepts it.

    ``wanted``: what a second administrator has approved, in the words of ``OperatorBody``: the form begins with that,
    and saves under ``approval_id``.
    """

    asked = Signal(str, object)

    def __init__(
        self,
        window: QWidget,
        operator_id: str,
        operator: Operator | None,
        *,
        wanted: OperatorBody | None = None,
        approval_id: str | None = None,
    ) -> None:
        super().__init__(
            window,
            tr("Make an operator") if operator is None else tr("Change {name}", name=operator.display_name),
            tr(
                "Who made an operator alone, or changed how it signs in, never approves together with it. "
                "Once the site has had two administrators, an administrator is made and changed by two."
            )
            if approval_id is None
            else tr(
                "Approved by a second administrator: roles, ways to sign in and person must stay as they stand here."
            ),
            tr("Make") if operator is None else tr("Save"),
            shapes=SHAPES,
        )
        self._operator_id, self._operator, self._approval_id = operator_id, operator, approval_id
        self.name = self.line("display_name", tr("Name"), tr("Alex Novak, night shift"))
        self.roles = {role: QCheckBox(words) for role, words in ROLES.items()}
        self.add("roles", tr("Roles"), _ticks(list(self.roles.values())))
        self.methods = {method: QCheckBox(words) for method, words in METHODS.items()}
        self.add("methods", tr("Signs in by"), _ticks(list(self.methods.values())))
        self.person = ChoiceField(tr("Name or node id; nobody: takes no part in four eyes"), name=tr("Person"))
        self.add("node_id", tr("Person"), self.person)
        self.subject = self.line("subject", tr("Subject at the provider"))
        self.state = QComboBox()
        for value, words in STATES:
            self.state.addItem(words, value)
        self.add("state", tr("State"), self.state)
        self.show_field("state", operator is not None)
        self.methods["oidc"].toggled.connect(lambda on: self.show_field("subject", on))
        self._fill(operator, wanted)
        self.show_field("subject", self.methods["oidc"].isChecked())
        self.name.setFocus()

    def _fill(self, operator: Operator | None, wanted: OperatorBody | None) -> None:
        """Show the operator as it is; what was approved goes before it."""
        shown = wanted or operator
        if operator is not None:
            self.name.setText(operator.display_name)
            self.subject.setText(operator.subject or "")
            self.state.setCurrentIndex(self.state.findData(operator.state))
        if shown is None:
            self.methods["passphrase"].setChecked(True)
            return
        for role, box in self.roles.items():
            box.setChecked(role in shown.roles)
        for method, tick in self.methods.items():
            tick.setChecked(method in shown.methods)
        if shown.node_id is not None:
            self.person.choose(Choice(shown.node_id, shown.node_id, ""))

    def ask(self) -> bool:
        name = self.name.text().strip()
        roles = [role for role, box in self.roles.items() if box.isChecked()]
        methods = [method for method, box in self.methods.items() if box.isChecked()]
        choice, typed = self.person.choice, self.person.text().strip()
        node_id = choice.id if choice is not None else typed or None
        if not name:
            self.mark("display_name", SHAPES["display_name"])
        if not roles:
            self.mark("roles", SHAPES["roles"])
        if "card" in methods and node_id is None:
            self.mark("node_id", SHAPES["node_id"])
        if "oidc" in methods and not self.subject.text().strip():
            self.mark("subject", SHAPES["subject"])
        if self.marked:
            return False
        body = OperatorBody(
            display_name=name,
            node_id=node_id,
            roles=roles,
            methods=methods,
            subject=self.subject.text().strip() if "oidc" in methods else None,
            state=self.state.currentData(),
            approval_id=self._approval_id,
            tags=[] if self._operator is None else self._operator.tags,
        )
        self.asked.emit(self._operator_id, body)
        return True


class PassphraseForm(FormDialog):
    """Emits ``asked`` with the passphrase as UTF-8 in normalization form C, a bytearray that the taker wipes."""

    asked = Signal(object)

    def __init__(self, window: QWidget, name: str) -> None:
        super().__init__(
            window,
            tr("Set a passphrase for {name}", name=name),
            tr(
                "It is kept as an scrypt digest and shown to nobody. All sessions of the operator end. Who "
                "sets another one's passphrase never approves together with that operator."
            ),
            tr("Set the passphrase"),
        )
        self.first = self._secret("passphrase", tr("Passphrase"))
        self.again = self._secret("again", tr("The same again"))
        self.finished.connect(self._forget)
        self.first.setFocus()

    def _secret(self, key: str, title: str) -> QLineEdit:
        field = self.line(key, title, tr("At least {count} characters", count=LEAST_CHARACTERS))
        field.setEchoMode(QLineEdit.EchoMode.Password)
        return field

    def ask(self) -> bool:
        typed = unicodedata.normalize("NFC", self.first.text())
        if len(typed) < LEAST_CHARACTERS:
            self.mark(
                "passphrase",
                tr("A passphrase has at least {count} characters.", count=LEAST_CHARACTERS),
            )
        elif typed != unicodedata.normalize("NFC", self.again.text()):
            self.mark("again", tr("This is not the same as above."))
        if self.marked:
            return False
        self.asked.emit(bytearray(typed.encode()))
        return True

    def _forget(self) -> None:
        self.first.clear()
        self.again.clear()


def _ticks(boxes: Sequence[QCheckBox]) -> QWidget:
    """Tick boxes as one field, two beside each other."""
    field = QWidget()
    grid = QGridLayout(field)
    grid.setContentsMargins(0, 4, 0, 4)
    for at, box in enumerate(boxes):
        box.setAccessibleName(box.text())
        grid.addWidget(box, at // 2, at % 2)
    field.setFocusProxy(boxes[0])
    return field
