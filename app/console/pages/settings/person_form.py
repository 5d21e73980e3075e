"""The form of one person. What the service refuses is told at the field it names."""

from __future__ import annotations

import secrets

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.console.widgets.form import FormDialog
from app.registry.messages import Node, NodeBody

SHAPES = {
    "id": "3 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit.",
    "display_name": "Give the person a name of 1 to 200 characters.",
    "employee_id": "At most 100 characters.",
    "email": "An address such as name@example.org.",
    "notes": "At most 4000 characters.",
}
"""What the fields take, in words."""

DRILL = "drill"
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHECKS = _ALPHABET + "*~$=U"


def made_node_id(number: int | None = None) -> str:
    """``ARC-``, nine digits of Crockford's base 32 and their check symbol (modulo 37). ``number`` below 2**45; drawn at
    random when it is left out. Numbers whose check symbol is no letter or digit are passed over: an id has none."""
    while True:
        value = secrets.randbits(45) if number is None else number
        check = _CHECKS[value % 37]
        if check.isalnum():
            digits = "".join(_ALPHABET[(value >> shift) & 31] for shift in range(40, -1, -5))
            return f"ARC-{digits}{check}"
        number = None if number is None else (number + 1) % (1 << 45)


class PersonForm(FormDialog):
    """Emits ``asked`` with the node id and a ``NodeBody``; stays open until the presenter accepts it.

    What the form does not show (accounts in directories, tags other than drill) is kept as ``node`` has it.
    """

    asked = Signal(str, object)

    def __init__(self, window: QWidget, node: Node | None = None) -> None:
        super().__init__(
            window,
            "Add a person" if node is None else f"Change {node.display_name}",
            "A person stands as unverified until a live check of theirs succeeds; writing a card is one."
            if node is None
            else "",
            "Add" if node is None else "Save",
            shapes=SHAPES,
        )
        self._node = node
        self.name = self.line("display_name", "Name")
        self.node_id = self.line("id", "Node id")
        self.employee_id = self.line("employee_id", "Employee id", "As the HR system names the person")
        self.email = self.line("email", "E-mail", "name@example.org")
        self.notes = self.text("notes", "Notes")
        self.drill = QCheckBox("Drill identity: for exercises, not a real person")
        self.body.addWidget(self.drill)
        if node is None:
            self.node_id.setText(made_node_id())
        else:
            self.node_id.setText(node.node_id)
            self.node_id.setEnabled(False)
            self.name.setText(node.display_name)
            self.employee_id.setText(node.employee_id or "")
            self.email.setText(node.email or "")
            self.notes.setPlainText(node.notes or "")
            self.drill.setChecked(DRILL in node.tags)
        self.name.setFocus()

    def ask(self) -> bool:
        name, node_id = self.name.text().strip(), self.node_id.text().strip()
        if not name:
            self.mark("display_name", SHAPES["display_name"])
        if not node_id:
            self.mark("id", SHAPES["id"])
        if not name or not node_id:
            return False
        node = self._node
        tags = [tag for tag in (node.tags if node else []) if tag != DRILL]
        self.asked.emit(
            node_id,
            NodeBody(
                display_name=name,
                employee_id=self.employee_id.text().strip() or None,
                email=self.email.text().strip() or None,
                notes=self.notes.toPlainText().strip() or None,
                directory_accounts=node.directory_accounts if node else [],
                tags=[*tags, DRILL] if self.drill.isChecked() else tags,
            ),
        )
        return True
