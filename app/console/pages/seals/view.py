"""The seals page: the list of knots, the witnesses and heads of both logs, and one knot with all that proves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from app.capabilities.gateway.audit.logs.messages import LogWitness, LogWitnesses
from app.capabilities.provenance.messages import KnotLeaf, KnotSeal, KnotSummary
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, date_time, parse_time, utc_time
from app.console.evidence.checks_view import CheckList
from app.console.evidence.seals import CosignedBy, VerifiedCheckpoint, opening_of
from app.console.page import PageView
from app.console.pages.seals.words import (
    LIFTS,
    SITE_STATES,
    STANDING_HINTS,
    WITNESS_STATES,
    checked_line,
    consent_lines,
    independence,
    leaf_note,
    moment,
    quorum_lines,
    witness_word,
)
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning, sentence_case, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator

NEAR_END = 40
"""Rows before the end of the list at which more are asked for."""
QUIET_S = 600.0
"""A log that does not grow is cosigned again in this time (ledger.md, section 4)."""
LOGS = (("seal", "Seal log"), ("audit", "Audit log"))
FACTS = (
    ("node", "Person", True),
    ("purpose", "Purpose", False),
    ("controller", "Controller", False),
    ("scope", "Scope", False),
    ("given", "Given", False),
    ("ends", "Ends", False),
    ("jurisdiction", "Jurisdiction", False),
    ("withdrawal", "How to withdraw", False),
    ("subject", "Media", False),
    ("live", "Live check", False),
)
PROOF = (
    ("index", "Leaf", False),
    ("seal", "Seal", True),
    ("quorum", "Quorum met", False),
    ("tree", "Path", False),
    ("stamp", "Time stamp", False),
    ("witnesses", "Cosigned by", True),
)


class SealsView(PageView):
    """Shows; whoever listens decides."""

    chosen = Signal(str)
    """A knot of the list."""
    leaf_chosen = Signal()
    sought = Signal(str)
    """A consensus seal or a knot's name, as it was typed; the empty text: any."""
    more = Signal()

    def __init__(self, session: WindowSession) -> None:
        super().__init__("Seals")
        table = session.actions
        self.body.addLayout(self._head(table))
        below = QHBoxLayout()
        below.setSpacing(12)
        left = QVBoxLayout()
        left.setSpacing(12)
        left.addWidget(self._list(table), 1)
        left.addWidget(self._witnesses())
        below.addLayout(left, 1)
        below.addWidget(self._side(table))
        self.body.addLayout(below, 1)
        self.show_knot(None)
        self.show_witnesses(None, "")

    # --- parts -------------------------------------------------------------------------------------------------------

    def _head(self, table: ActionTable) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(8)
        self.node = ChoiceField("Person or node id   /", name="Only seals of this person")
        self.node.setMinimumWidth(theme.px(210))
        self.seal = QLineEdit()
        self.seal.setPlaceholderText("Seal 0x… or KNOT-…   Alt+4")
        self.seal.setAccessibleName("Find by consensus seal or by the knot's name")
        self.seal.setClearButtonEnabled(True)
        self.seal.setMinimumWidth(theme.px(270))
        self.seal.returnPressed.connect(lambda: self.sought.emit(self.seal.text().strip()))
        self.seal.textChanged.connect(lambda text: None if text else self.sought.emit(""))
        self.mark = StateMark()
        for part in (self.node, self.seal, self.mark):
            head.addWidget(part)
        head.addStretch(1)
        self.trust_button = ActionButton(table, "seals.trust", text="Trust the new policy")
        self.trust_button.hide()
        head.addWidget(self.trust_button)
        head.addWidget(ActionButton(table, "seals.seal", text="Seal a consent", role="primary"))
        return head

    def _list(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Consents", padding=8)
        self.count = label("", "dim")
        panel.head.addWidget(self.count)
        columns: list[Column[KnotSummary]] = [
            Column("SEALED", lambda row: moment(row.timestamp), 170,
                   hint=lambda row: utc_time(parse_time(row.timestamp))),
            Column("PERSON", lambda row: row.node_id, 116, mono=True),
            Column("STANDING", lambda row: sentence_case(row.standing), 178, state=lambda row: state_of(row.standing),
                   hint=lambda row: STANDING_HINTS.get(row.standing, row.standing)),
            Column("ENDS", lambda row: moment(row.expires_at)[:10] or "–", 108, dim=True, spare=1),
            Column("KNOT", lambda row: row.knot_id, least=120, mono=True, dim=True),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.knot_id)
        self.table = DataTable(self.rows, name="Consents that were sealed, newest first")
        self.table.selected.connect(self._selected)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.empty = EmptyState(
            "file-check",
            "No consent is sealed yet.",
            "A seal says who agreed to what and when. Witnesses cosign its place in a log that only grows, so that "
            "anybody can verify it later without asking this site.",
            table=table,
            action="seals.seal",
        )
        self.none_found = EmptyState("funnel", "No seal matches.", "Another person, or another seal; Esc goes back.")
        self.stack = Stack(theme.px(120))
        for part in (self.table, self.empty, self.none_found):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        return panel

    def _witnesses(self) -> TitledPanel:
        panel = TitledPanel("Witnesses and heads", padding=12)
        self.standing = StateMark()
        panel.head.addWidget(self.standing)
        self.worth = label("", "dim", wrap=True)
        panel.body.addWidget(self.worth)
        columns: list[Column[LogWitness]] = [
            Column("WITNESS", lambda row: row.name, least=130, mono=True, hint=lambda row: row.url or row.name),
            Column("RUN BY", lambda row: "Others" if row.independent else "This machine", 108, dim=True, spare=1),
            Column("STATE", witness_word, 118, state=lambda row: WITNESS_STATES[row.state],
                   hint=lambda row: row.detail or witness_word(row)),
            Column("LAST COSIGNED", lambda row: moment(row.cosigned_at) or "–", 170, dim=True),
            Column("SEAL", lambda row: f"{row.seal_size:,}", 98, right=True, mono=True, spare=2),
            Column("AUDIT", lambda row: f"{row.audit_size:,}", 98, right=True, mono=True, spare=3),
        ]  # fmt: skip
        self.witness_rows = RowsModel(columns, lambda row: row.name)
        self.witness_table = DataTable(self.witness_rows, name="Witnesses of the logs")
        self.witness_table.setFixedHeight(theme.px(32) + 3 * theme.row_height() + 8)
        panel.body.addWidget(self.witness_table)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(3, 1)
        self.heads: dict[str, tuple[StateMark, QLabel, QLabel]] = {}
        for row, (name, title) in enumerate(LOGS):
            mark, size, root = StateMark(), label(), label("", "mono", wrap=True)
            for at, part in enumerate((label(title, "dim"), mark, size, root)):
                grid.addWidget(part, row, at)
            self.heads[name] = mark, size, root
        panel.body.addLayout(grid)
        self.trust = label("", "small", wrap=True)
        panel.body.addWidget(self.trust)
        return panel

    def _side(self, table: ActionTable) -> Side:
        side = Side(440)
        panel = TitledPanel("Seal", padding=12)
        self.knot_mark = StateMark()
        panel.head.addWidget(self.knot_mark)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for at, (action, text, role) in enumerate(
            (
                ("seals.verify", "Verify now", "primary"),
                ("seals.save_proof", "Save proof", ""),
                ("seals.withdraw", "Withdraw", ""),
                ("seals.save_knot", "Save as JSON", ""),
                ("seals.save_bundle", "Save bundle", ""),
                ("seals.open_audit", "In the audit log", ""),
            )
        ):
            buttons.addWidget(ActionButton(table, action, text=text, role=role), at // 3, at % 3)
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        self.checks = CheckList(
            "Verify now checks every statement on this machine, without asking the service: seal, leaf, opening, "
            "witnesses, path, time stamp."
        )
        self.lifts = label("", "small", wrap=True)
        self.consent = Facts(FACTS)
        self.leaf_rows = RowsModel(
            [
                Column("STATEMENT", lambda row: sentence_case(row.standing), least=150,
                       state=lambda row: state_of(row.standing), hint=_leaf_hint),
                Column("TIME", lambda row: moment(row.timestamp), 168, dim=True,
                       hint=lambda row: utc_time(parse_time(row.timestamp))),
                Column("PROOF", lambda row: "Pending" if row.seal_proof is None else "Yes", 70, dim=True),
            ],
            lambda row: str(row.log_index),
        )  # fmt: skip
        self.leaves: DataTable = DataTable(self.leaf_rows, name="Statements about the consent, first to last")
        self.leaves.setFixedHeight(theme.px(32) + 3 * theme.row_height() + 8)
        self.leaves.selected.connect(lambda _row: self.leaf_chosen.emit())
        self.said = label("", "small", wrap=True)
        self.proof = Facts(PROOF)
        for part in (
            self.checks,
            separator(),
            label("CONSENT", "caps"),
            self.consent,
            self.lifts,
            separator(),
            label("STATEMENTS", "caps"),
            self.leaves,
            self.said,
            self.proof,
        ):
            column.addWidget(part)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setAccessibleName("The chosen seal")
        self.area.setWidget(inside)
        panel.body.addWidget(self.area, 1)
        self._rest = QWidget()
        panel.body.addWidget(self._rest, 1)
        side.column.addWidget(panel, 1)
        return side

    def _selected(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].knot_id if 0 <= at < len(self.rows.rows) else "")
        if at >= len(self.rows.rows) - NEAR_END:
            self.more.emit()

    def near_end(self) -> None:
        """Ask for more rows if the last ones that are there are in sight, or nearly."""
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.row_height():
            self.more.emit()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_rows(
        self, rows: Sequence[KnotSummary], wanted: str, *, narrowed: bool, complete: bool, pending: int
    ) -> None:
        """These rows, with the cursor on ``wanted``. ``pending``: leaves of the whole log without a quorum yet."""
        typing = self.node.hasFocus() or self.seal.hasFocus()
        to_table = self.table.hasFocus() or (self.stack.currentWidget() is not self.table and not typing)
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        self.stack.setCurrentWidget(self.table if rows else self.none_found if narrowed else self.empty)
        if to_table and rows:
            self.table.setFocus()
        waits = f", {pending:,} wait for the quorum" if pending > 0 else ""
        self.count.setText(f"{len(rows):,}{'' if complete else ' and more'}{waits}")

    def show_knot(self, knot: KnotSeal | None) -> None:
        """The chosen knot; None: there is none, or it is being read."""
        self.knot_mark.setVisible(knot is not None)
        self.area.setVisible(knot is not None)
        self._rest.setVisible(knot is None)
        if knot is None:
            self.name.setText("Choose a consent in the list.")
            self.leaf_rows.set_rows(())
            self.checks.forget()
            return
        self.name.setText(knot.knot_id)
        self.knot_mark.set(state_of(knot.standing), sentence_case(knot.standing))
        self.knot_mark.setToolTip(STANDING_HINTS.get(knot.standing, ""))
        said = consent_lines(opening_of(knot.opening.payload))
        self.consent.set("node", knot.node_id)
        for key, _, _ in FACTS[1:]:
            self.consent.set(key, said.get(key, "" if said else "The content was erased"))
        self.lifts.setText(LIFTS)
        self.lifts.setVisible(knot.leaves[-1].standing == "UNVERIFIED")
        self.leaf_rows.set_rows(knot.leaves)
        if self.leaves.currentIndex().row() < 0:
            self.leaves.selectRow(0)

    @property
    def leaf(self) -> KnotLeaf | None:
        """The chosen statement."""
        at = self.leaves.currentIndex().row()
        return self.leaf_rows.rows[at] if 0 <= at < len(self.leaf_rows.rows) else None

    def show_leaf(self, leaf: KnotLeaf, tree: VerifiedCheckpoint | None, by: Sequence[CosignedBy]) -> None:
        """What proves a statement; ``tree`` and ``by`` once its checkpoint was looked at."""
        self.said.setText(leaf_note(leaf, opening_of(leaf.opening.payload)))
        self.proof.set("index", f"{leaf.log_index:,} of the seal log")
        self.proof.set("seal", leaf.consensus_seal or "")
        pending = leaf.seal_proof is None
        self.proof.set("quorum", "The quorum is missing" if pending else moment(leaf.timestamp))
        steps = 0 if leaf.seal_proof is None else _steps(leaf.seal_proof)
        size = "" if tree is None else f" to the root of {tree.size:,} leaves"
        self.proof.set("tree", "" if pending else f"{steps} hash{'' if steps == 1 else 'es'}{size}")
        stamped = "" if leaf.timestamp_token is None else "RFC 3161, over this checkpoint"
        outside = leaf.outside_stamps or ()
        if outside:
            stamped += (
                f"; {len(outside)} stamp{'' if len(outside) == 1 else 's'} of outside authorities, over later ones"
            )
        self.proof.set("stamp", stamped)
        self.proof.set("witnesses", quorum_lines([(one.name, one.at) for one in by]))

    def show_witnesses(self, found: LogWitnesses | None, trouble: str) -> None:
        """Every witness; None with what stands in the way."""
        if found is None:
            self.standing.set(Meaning.IDLE, "Unknown")
            self.worth.setText(trouble or "What the witnesses say appears here.")
            self.witness_rows.set_rows(())
            return
        self.standing.set(*SITE_STATES[found.standing])
        self.standing.setToolTip(found.detail or "")
        detail = f" {found.detail}" if found.detail else ""
        self.worth.setText(f"{independence(found)}{detail} {checked_line(found)}")
        self.witness_rows.set_rows(found.items)

    def show_head(self, log: str, head: VerifiedCheckpoint | None, trouble: str, now: float) -> None:
        """The newest checkpoint of a log whose signatures were checked, or what stands in the way."""
        mark, size, root = self.heads[log]
        if head is None:
            mark.set(Meaning.WARN, "None")
            size.setText("")
            root.setText(trouble)
            return
        old = now - head.quorum_at
        stale = old > 2 * QUIET_S
        mark.set(
            Meaning.IDLE if stale else Meaning.OK, f"STALE since {date_time(head.quorum_at)}" if stale else "Cosigned"
        )
        size.setText(f"{head.size:,} entries, {age(old)} ago")
        # Roots are compared, never cut: a zero-width space after each character lets one break anywhere.
        root.setText("\u200b".join(head.root.hex()))
        root.setAccessibleName(f"Root {head.root.hex()}")

    def show_trust(self, sentence: str, changed: bool) -> None:
        """Whose signatures are believed."""
        self.trust_button.setVisible(changed)
        self.trust.setText(sentence)
        self.trust.setProperty("role", "error" if changed else "small")
        self.trust.style().unpolish(self.trust)
        self.trust.style().polish(self.trust)


def _steps(seal_proof: str) -> int:
    """Hashes of a proof's path: the lines between its index and its checkpoint."""
    lines: Sequence[str] = seal_proof.partition("\n\n")[0].split("\n")
    return sum(not line.startswith(("c2sp.org/", "extra ", "index ")) for line in lines)


def _leaf_hint(leaf: KnotLeaf) -> str:
    payload: Mapping[str, object] | None = opening_of(leaf.opening.payload)
    return leaf_note(leaf, payload)
