"""The list of the burns, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.capabilities.burn.messages import Burn
from app.console.actions import ActionTable
from app.console.clock import date_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.pages.burn.drill import mark_drill
from app.console.pages.burn.words import SCOPE_WORDS, unproven_words
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.person_columns import person_column, person_columns
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


class BurnHistoryView(QWidget):
    """``show_burns`` fills it. It stands in its tab or, in a wide page, beside order and board (``stand_beside``)."""

    def __init__(self, table: ActionTable, now: Callable[[], float]) -> None:
        super().__init__()
        self._outer = QVBoxLayout(self)
        panel = TitledPanel(tr("Burns"), padding=12)
        self._outer.addWidget(panel)
        self.older = ActionButton(table, "burn.older", role="quiet")
        panel.head.addWidget(self.older)
        name, node = person_columns(self, _node_of, 124)
        time: Column[Burn] = Column(
            tr("TIME"), lambda burn: date_time(parse_time(burn.timestamp)), 168, hint=lambda burn: burn.timestamp
        )
        state: Column[Burn] = Column(tr("STATE"), _word, 152, state=_state)
        targets: Column[Burn] = Column(tr("TARGETS"), _counts, 150, spare=1)
        scope: Column[Burn] = Column(tr("SCOPE"), lambda burn: SCOPE_WORDS[burn.scope], 136, dim=True, spare=2)
        reason: Column[Burn] = Column(tr("REASON"), lambda burn: burn.reason)
        self._columns = [time, name, node, state, targets, scope, reason]
        self._beside = [
            replace(time, text=lambda burn: moment(parse_time(burn.timestamp), now()), width=84),
            person_column(self, _node_of),
            replace(node, spare=4),
            replace(state, width=128),
            replace(targets, width=0, least=150),
            replace(scope, spare=3),
            replace(reason, spare=2),
        ]
        self.rows = RowsModel(self._columns, lambda burn: burn.burn_id)
        self.table = DataTable(self.rows, name=tr("Burns, newest first"), marks=True, proof=lambda one: one.burn_id)
        self.empty = EmptyState(
            "flame",
            tr("No burn yet."),
            tr("Every burn stays here with its targets and their evidence."),
            table=table,
            action="burn.subject",
        )
        self._bulk = BulkBar(self.table, tr("burn"), tr("burns"))
        panel.body.addWidget(self.table, 1)
        panel.body.addWidget(self._bulk)
        panel.body.addWidget(self.empty, 1)
        self.empty.hide()
        self.older.hide()
        self.stand_beside(False)

    def stand_beside(self, on: bool) -> None:
        """Show in a column what is read there: when, who, how it stands. There the page offers to choose a subject
        itself, and no tab is above."""
        self._outer.setContentsMargins(0, 0 if on else 12, 0, 0)
        self.table.show_columns(self._beside if on else self._columns, "Burns beside" if on else self.table.name)
        self._bulk.fold(on)
        self.empty.offer(not on)

    def show_burns(self, burns: Sequence[Burn], *, more: bool) -> None:
        """Show the burns that are known; ``more``: there are older ones."""
        self.table.take_rows(burns)
        self.table.setVisible(bool(burns))
        self.empty.setVisible(not burns)
        self.older.setVisible(more)


def _node_of(burn: Burn) -> str:
    return burn.node_id


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
