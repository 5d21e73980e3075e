"""The chosen seal: its consent, its statements, what proves each, and the checks of this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.capabilities.provenance.messages import KnotLeaf, KnotSeal
from app.console.actions import ActionTable
from app.console.clock import utc_time
from app.console.evidence.checks_view import CheckList
from app.console.evidence.seals import CosignedBy, VerifiedCheckpoint, opening_of
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.seals.words import LIFTS, STANDING_HINTS, consent_lines, leaf_note, moment, quorum_lines
from app.console.standing import standing_word
from app.console.theme.tokens import state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.wrap_row import WrapRow

FACTS = (
    ("node", tr("Person"), True),
    ("purpose", tr("Purpose"), False),
    ("controller", tr("Controller"), False),
    ("scope", tr("Scope"), False),
    ("given", tr("Given"), False),
    ("ends", tr("Ends"), False),
    ("jurisdiction", tr("Jurisdiction"), False),
    ("withdrawal", tr("How to withdraw"), False),
    ("subject", tr("Media"), False),
    ("live", tr("Live check"), False),
)
PROOF = (
    ("index", tr("Leaf"), False),
    ("seal", tr("Seal"), True),
    ("quorum", tr("Quorum met"), False),
    ("tree", tr("Path"), False),
    ("stamp", tr("Time stamp"), False),
    ("witnesses", tr("Cosigned by"), True),
)


class KnotView(Side):
    """Emits ``leaf_chosen`` when the cursor goes to another statement."""

    leaf_chosen = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(440)
        panel = TitledPanel(tr("Seal"), padding=12)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        buttons = WrapRow()
        for action, text, role in (
            ("seals.verify", tr("Verify now"), "primary"),
            ("seals.save_proof", tr("Save proof"), ""),
            ("seals.withdraw", tr("Withdraw"), ""),
            ("seals.save_knot", tr("Save as JSON"), ""),
            ("seals.save_bundle", tr("Save bundle"), ""),
            ("seals.open_audit", tr("In the audit log"), ""),
            ("seals.enforce", tr("Enforce…"), ""),
        ):
            buttons.addWidget(ActionButton(table, action, text=text, role=role))
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        self.checks = CheckList(
            tr(
                "Verify now checks every statement on this machine, without asking the service: seal, leaf, "
                "opening, witnesses, path, time stamp."
            )
        )
        self.lifts = label("", "small", wrap=True)
        self.consent = Facts(FACTS)
        self.leaf_rows = RowsModel(
            [
                Column(tr("STATEMENT"), lambda row: standing_word(row.standing), least=150,
                       state=lambda row: state_of(row.standing), hint=_leaf_hint),
                Column(tr("TIME"), lambda row: moment(row.timestamp), 168, dim=True,
                       hint=lambda row: utc_time(parse_time(row.timestamp))),
                Column(tr("PROOF"), lambda row: tr("Pending") if row.seal_proof is None else tr("Yes"), 70, dim=True),
            ],
            lambda row: str(row.log_index),
        )  # fmt: skip
        self.leaves: DataTable = DataTable(self.leaf_rows, name=tr("Statements about the consent, first to last"))
        keep_lengths(self.leaves, lambda one: one.setFixedHeight(height_of(3)))
        self.leaves.selected.connect(lambda _row: self.leaf_chosen.emit())
        self.said = label("", "small", wrap=True)
        self.proof = Facts(PROOF)
        for part in (
            self.checks,
            separator(),
            label(tr("Consent"), "section"),
            self.consent,
            self.lifts,
            separator(),
            label(tr("Statements"), "section"),
            self.leaves,
            self.said,
            self.proof,
        ):
            column.addWidget(part)
        column.addStretch(1)
        self.area = scroller(inside, tr("The chosen seal"))
        panel.body.addWidget(self.area, 1)
        self._rest = QWidget()
        panel.body.addWidget(self._rest, 1)
        self.column.addWidget(panel, 1)
        self.show_knot(None)

    def show_knot(self, knot: KnotSeal | None) -> None:
        """Show the chosen knot; None: there is none, or it is being read."""
        self.mark.setVisible(knot is not None)
        self.area.setVisible(knot is not None)
        self._rest.setVisible(knot is None)
        if knot is None:
            self.name.setText(tr("Choose a consent in the list."))
            self.leaf_rows.set_rows(())
            self.checks.forget()
            return
        self.name.setText(knot.knot_id)
        self.mark.set(state_of(knot.standing), standing_word(knot.standing))
        self.mark.setToolTip(STANDING_HINTS.get(knot.standing, ""))
        said = consent_lines(opening_of(knot.opening.payload))
        self.consent.set("node", knot.node_id)
        for key, _, _ in FACTS[1:]:
            self.consent.set(key, said.get(key, "" if said else tr("The content was erased")))
        self.lifts.setText(LIFTS)
        self.lifts.setVisible(knot.leaves[-1].standing == "UNVERIFIED")
        self.leaf_rows.set_rows(knot.leaves)
        if self.leaves.currentIndex().row() < 0:
            self.leaves.selectRow(0)

    @property
    def leaf(self) -> KnotLeaf | None:
        """The chosen statement."""
        return self.leaf_rows.get(self.leaves.currentIndex().row())

    def show_leaf(self, leaf: KnotLeaf, tree: VerifiedCheckpoint | None, by: Sequence[CosignedBy]) -> None:
        """Show what proves a statement; ``tree`` and ``by`` once the signatures of its checkpoint were checked."""
        self.said.setText(leaf_note(leaf, opening_of(leaf.opening.payload)))
        self.proof.set("index", tr("{index:,} of the seal log", index=leaf.log_index))
        self.proof.set("seal", leaf.consensus_seal or "")
        pending = leaf.seal_proof is None
        self.proof.set("quorum", tr("The quorum is missing") if pending else moment(leaf.timestamp))
        steps = 0 if leaf.seal_proof is None else _steps(leaf.seal_proof)
        size = "" if tree is None else tr(" to the root of {size:,} leaves", size=tree.size)
        path = tr("1 hash{size}", size=size) if steps == 1 else tr("{count} hashes{size}", count=steps, size=size)
        self.proof.set("tree", "" if pending else path)
        stamped = "" if leaf.timestamp_token is None else tr("RFC 3161, over this checkpoint")
        outside = leaf.outside_stamps or ()
        if outside:
            stamped += (
                tr("; 1 stamp of outside authorities, over later ones")
                if len(outside) == 1
                else tr("; {count} stamps of outside authorities, over later ones", count=len(outside))
            )
        self.proof.set("stamp", stamped)
        self.proof.set("witnesses", quorum_lines([(one.name, one.at) for one in by]))


def _steps(seal_proof: str) -> int:
    """Hashes of a proof's path: the lines between its index and its checkpoint."""
    lines: Sequence[str] = seal_proof.partition("\n\n")[0].split("\n")
    return sum(not line.startswith(("c2sp.org/", "extra ", "index ")) for line in lines)


def _leaf_hint(leaf: KnotLeaf) -> str:
    payload: Mapping[str, object] | None = opening_of(leaf.opening.payload)
    return leaf_note(leaf, payload)
