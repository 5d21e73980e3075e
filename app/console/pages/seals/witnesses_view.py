"""Who cosigns the logs, how far each log was cosigned, and whose signatures this console believes."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QLabel

from app.capabilities.gateway.audit.logs.messages import LogWitness, LogWitnesses
from app.console import theme
from app.console.clock import age, date_time
from app.console.evidence.seals import VerifiedCheckpoint
from app.console.language import number, tr
from app.console.pages.seals.words import SITE_STATES, WITNESS_STATES, checked_line, independence, moment, witness_word
from app.console.theme.tokens import Meaning
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label

QUIET_S = 600.0
"""Seconds in which a log that does not grow is cosigned again."""
LOGS = (("seal", tr("Seal log")), ("audit", tr("Audit log")))


class WitnessesPanel(TitledPanel):
    """``heads`` are the mark, size and root of each log, by its name."""

    def __init__(self) -> None:
        super().__init__(tr("Witnesses and heads"), padding=12)
        self.standing = StateMark()
        self.head.addWidget(self.standing)
        self.worth = label("", "dim", wrap=True)
        self.body.addWidget(self.worth)
        columns: list[Column[LogWitness]] = [
            Column(tr("WITNESS"), lambda row: row.name, least=190, mono=True, hint=lambda row: row.url or row.name),
            Column(tr("RUN BY"), lambda row: tr("Others") if row.independent else tr("This machine"), 104, dim=True,
                   spare=1),
            Column(tr("STATE"), witness_word, 104, state=lambda row: WITNESS_STATES[row.state],
                   hint=lambda row: row.detail or witness_word(row)),
            Column(tr("LAST COSIGNED"), lambda row: moment(row.cosigned_at) or "–", 152, dim=True),
            Column(tr("SEAL"), lambda row: number(row.seal_size, ","), 98, right=True, mono=True, spare=2,
                   order=lambda row: row.seal_size),
            Column(tr("AUDIT"), lambda row: number(row.audit_size, ","), 98, right=True, mono=True, spare=3,
                   order=lambda row: row.audit_size),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.name)
        self.table = DataTable(self.rows, name=tr("Witnesses of the logs"), sorts=True)
        keep_lengths(self.table, lambda one: one.setFixedHeight(height_of(3)))
        self.body.addWidget(self.table)
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
        self.body.addLayout(grid)
        self.trust = label("", "small", wrap=True)
        self.body.addWidget(self.trust)
        self.show_witnesses(None, "")

    def show_witnesses(self, witnesses: LogWitnesses | None, trouble: str) -> None:
        """Show every witness; None with the reason why they are not known."""
        if witnesses is None:
            self.standing.set(Meaning.IDLE, tr("Unknown"))
            self.worth.setText(trouble or tr("What the witnesses say appears here."))
            self.rows.set_rows(())
            return
        self.standing.set(*SITE_STATES[witnesses.standing])
        self.standing.setToolTip(witnesses.detail or "")
        detail = f" {witnesses.detail}" if witnesses.detail else ""
        self.worth.setText(f"{independence(witnesses)}{detail} {checked_line(witnesses)}")
        self.rows.set_rows(witnesses.items)

    def show_head(self, log: str, head: VerifiedCheckpoint | None, trouble: str, now: float) -> None:
        """Show the newest checkpoint of a log whose signatures were checked, or why there is none. ``now``: Unix
        seconds of the service."""
        mark, size, root = self.heads[log]
        if head is None:
            mark.set(Meaning.WARN, tr("None"))
            size.setText("")
            root.setText(trouble)
            return
        old = now - head.quorum_at
        stale = old > 2 * QUIET_S
        mark.set(
            Meaning.IDLE if stale else Meaning.OK,
            tr("STALE since {time}", time=date_time(head.quorum_at)) if stale else tr("Cosigned"),
        )
        since = age(old)
        size.setText(
            tr("1 entry, {age} ago", age=since)
            if head.size == 1
            else tr("{count:,} entries, {age} ago", count=head.size, age=since)
        )
        # Roots are compared, never cut: a zero-width space after each character lets one break anywhere.
        root.setText("\u200b".join(head.root.hex()))
        root.setAccessibleName(tr("Root {hash}", hash=head.root.hex()))

    def show_trust(self, sentence: str, changed: bool) -> None:
        """Say whose signatures are believed; ``changed``: the service gives another policy now."""
        self.trust.setText(sentence)
        theme.set_property(self.trust, "role", "error" if changed else "small")
