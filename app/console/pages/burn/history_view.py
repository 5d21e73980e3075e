"""The list of the burns, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.capabilities.burn.messages import Burn
from app.console.actions import ActionTable
from app.console.clock import date_time, parse_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.pages.burn.drill import mark_drill
from app.console.pages.burn.words import SCOPE_WORDS, unproven_words
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


class BurnHistoryView(QWidget):
    """``show_burns`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Burns"), padding=12)
        outer.addWidget(panel)
        self.older = ActionButton(table, "burn.older", role="quiet")
        panel.head.addWidget(self.older)
        columns: list[Column[Burn]] = [
            Column(
                tr("TIME"), lambda burn: date_time(parse_time(burn.timestamp)), 168, hint=lambda burn: burn.timestamp
            ),
            *person_columns(self, lambda burn: burn.node_id, 124),
            Column(tr("STATE"), _word, 152, state=_state),
            Column(tr("TARGETS"), _counts, 150, spare=1),
            Column(tr("SCOPE"), lambda burn: SCOPE_WORDS[burn.scope], 136, dim=True, spare=2),
            Column(tr("REASON"), lambda burn: burn.reason),
        ]
        self.rows = RowsModel(columns, lambda burn: burn.burn_id)
        self.table = DataTable(self.rows, name=tr("Burns, newest first"), marks=True, proof=lambda one: one.burn_id)
        self.empty = EmptyState(
            "flame",
            tr("No burn yet."),
            tr("Every burn stays here with its targets and their evidence."),
            table=table,
            action="burn.subject",
        )
        panel.body.addWidget(self.table, 1)
        panel.body.addWidget(BulkBar(self.table, tr("burn"), tr("burns")))
        panel.body.addWidget(self.empty, 1)
        self.show_burns([], more=False)

    def show_burns(self, burns: Sequence[Burn], *, more: bool) -> None:
        """Show the burns that are known; ``more``: there are older ones."""
        self.rows.set_rows(burns)
        self.table.setVisible(bool(burns))
        self.empty.setVisible(not burns)
        self.older.setVisible(more)


def _word(burn: Burn) -> str:
    return mark_drill(tr("Lifted") if burn.lifted_at else code_word(burn.state), burn.drill)


def _state(burn: Burn) -> Meaning:
    unproven = burn.state == "COMPLETE" and (burn.delivered or burn.unlinked)
    return Meaning.IDLE if burn.lifted_at or unproven else state_of(burn.state)


def _counts(burn: Burn) -> str:
    """How many targets are proven, and what became of the others."""
    total = sum(burn.counts.values())
    open_, closed = len(burn.targets), burn.counts.get("closed", 0)
    unproven = unproven_words(burn.delivered, burn.unlinked)
    proven = total - open_ - closed - burn.delivered - burn.unlinked
    said = (
        tr("{count} proven", count=total)
        if proven == total
        else tr("{count} of {total} proven", count=proven, total=total)
    )
    parts = [said]
    parts += [tr("{count} open", count=open_)] if open_ else []
    parts += [unproven] if unproven else []
    parts += [tr("{count} closed", count=closed)] if closed else []
    return ", ".join(parts)
