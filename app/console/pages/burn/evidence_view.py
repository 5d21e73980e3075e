"""The evidence of the burn on the board: what names it, and the checks of this machine."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.capabilities.burn.messages import Burn
from app.console.actions import ActionTable
from app.console.evidence.checks_view import CheckList
from app.console.language import tr
from app.console.pages.burn.drill import mark_drill
from app.console.widgets.buttons import ActionButton
from app.console.widgets.facts import Facts
from app.console.widgets.scroller import scroller
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

_FACTS = (
    ("burn", tr("Burn", "record"), True),
    ("node", tr("Node"), True),
    ("leaf", tr("Audit leaf"), False),
    ("sha256", tr("Leaf hash"), True),
    ("manifest", tr("C2PA manifest"), True),
)


class EvidenceView(QWidget):
    """``show_burn`` fills it with the burn on the board."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Evidence of the burn"), padding=12)
        outer.addWidget(panel)
        row = WrapRow()
        row.addWidget(ActionButton(table, "burn.verify", role="primary"))
        row.addWidget(ActionButton(table, "burn.save_bundle"))
        row.addWidget(ActionButton(table, "burn.save_manifest"))
        row.addWidget(ActionButton(table, "burn.open_audit"))
        panel.body.addLayout(row)
        self.none = label(
            tr("Open a burn first: choose a burned subject, or Enter on a row of Burns."), "dim", wrap=True
        )
        panel.body.addWidget(self.none)
        self.facts = Facts(_FACTS)
        panel.body.addWidget(self.facts)
        self.checks = CheckList(
            tr(
                "The bundle holds the order, every target's proof, the C2PA manifests, a report and what "
                "proves that the log has it. Verify now checks the bundle on this machine; arc-console "
                "verify FILE does so anywhere."
            )
        )
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 8, 8, 0)
        column.addWidget(self.checks)
        column.addStretch(1)
        panel.body.addWidget(scroller(inside, tr("Checks of the evidence"), sideways=True), 1)
        self.show_burn(None)

    def show_burn(self, burn: Burn | None) -> None:
        """Show which burn it is about; None: none is on the board."""
        self.none.setVisible(burn is None)
        self.facts.setVisible(burn is not None)
        if burn is not None:
            said = f"{burn.burn_id}{' TRAINING' if burn.training else ''}"
            self.facts.set("burn", mark_drill(said, burn.drill))
            self.facts.set("node", burn.node_id)
            self.facts.set("leaf", tr("Not in the log yet") if burn.log.index is None else str(burn.log.index))
            self.facts.set("sha256", burn.log.sha256 or tr("Not in the log yet"))
            self.facts.set("manifest", burn.log.manifest_url or tr("Being sealed"))
