"""The form of one person. What the service refuses is shown at the field that it names."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.console.language import tr
from app.console.widgets.form import FormDialog
from app.registry.messages.nodes import DirectoryAccount, Node, NodeBody
from app.registry.messages.shared import DRILL_TAG

SHAPES = {
    "id": tr("3 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "display_name": tr("Give the person a name of 1 to 200 characters."),
    "employee_id": tr("At most 100 characters."),
    "email": tr("An address such as name@example.org."),
    "notes": tr("At most 4000 characters."),
    "directory_accounts": tr("One a line: the directory's id, a space, and the account as the directory names it."),
}
"""What the fields take, in words."""

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

    ``directories``: ids of those that are registered. What the form does not show (tags other than drill) is kept as
    ``node`` has it.
    """

    asked = Signal(str, object)

    def __init__(self, window: QWidget, node: Node | None = None, directories: Sequence[str] = ()) -> None:
        super().__init__(
            window,
            tr("Add a person") if node is None else tr("Change {name}", name=node.display_name),
            tr("A person stands as unverified until a live check of theirs succeeds; writing a card is one.")
            if node is None
            else "",
            tr("Add") if node is None else tr("Save"),
            shapes=SHAPES,
        )
        self._node = node
        self._directories = directories
        self.name = self.line("display_name", tr("Name"))
        self.node_id = self.line("id", tr("Node id"))
        self.employee_id = self.line("employee_id", tr("Employee id"), tr("As the HR system names the person"))
        self.email = self.line("email", tr("E-mail"), "name@example.org")
        example = directories[0] if directories else "staff-directory"
        self.accounts = self.text(
            "directory_accounts", tr("Accounts"), tr("{example} name-there, one a line", example=example), height=56
        )
        self.notes = self.text("notes", tr("Notes"))
        self.drill = QCheckBox(tr("Drill identity: for exercises, not a real person"))
        self.body.addWidget(self.drill)
        if node is None:
            self.node_id.setText(made_node_id())
        else:
            self.node_id.setText(node.node_id)
            self.node_id.setEnabled(False)
            self.name.setText(node.display_name)
            self.employee_id.setText(node.employee_id or "")
            self.email.setText(node.email or "")
            self.accounts.setPlainText(
                "\n".join(f"{one.directory_id} {one.account}" for one in node.directory_accounts)
            )
            self.notes.setPlainText(node.notes or "")
            self.drill.setChecked(DRILL_TAG in node.tags)
        self.name.setFocus()

    def ask(self) -> bool:
        name, node_id = self.name.text().strip(), self.node_id.text().strip()
        if not name:
            self.mark("display_name", SHAPES["display_name"])
        self.mark_id("id", node_id, node=True)
        accounts = self._accounts()
        if self.marked:
            return False
        node = self._node
        tags = [tag for tag in (node.tags if node else []) if tag != DRILL_TAG]
        self.asked.emit(
            node_id,
            NodeBody(
                display_name=name,
                employee_id=self.employee_id.text().strip() or None,
                email=self.email.text().strip() or None,
                notes=self.notes.toPlainText().strip() or None,
                directory_accounts=accounts,
                tags=[*tags, DRILL_TAG] if self.drill.isChecked() else tags,
            ),
        )
        return True

    def _accounts(self) -> list[DirectoryAccount]:
        """What stands in the field; a line that cannot be meant is told there."""
        found: list[DirectoryAccount] = []
        before = self._node.directory_accounts if self._node else []
        for line in self.accounts.toPlainText().splitlines():
            directory_id, _, account = line.strip().partition(" ")
            if not directory_id:
                continue
            one = DirectoryAccount(directory_id=directory_id, account=account.strip())
            if not one.account:
                self.mark(
                    "directory_accounts",
                    tr("{directory}: name the account after a space.", directory=directory_id),
                )
            elif one in found:
                self.mark("directory_accounts", tr("{line} stands here twice.", line=line.strip()))
            elif directory_id not in self._directories and one not in before:
                # The service would take it, and a burn could never reach it: a slip, in all likelihood.
                known = ", ".join(self._directories) or tr("none yet; register it in Directories first")
                self.mark(
                    "directory_accounts",
                    tr(
                        "No directory {directory} is registered. There are: {known}.",
                        directory=directory_id,
                        known=known,
                    ),
                )
            found.append(one)
        return found
