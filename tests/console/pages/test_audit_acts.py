"""Entries of one act fold under one row in a filtered view of the audit log."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.pages.audit.acts import LEAST, act_id, acts_in
from app.console.pages.audit.model import LEAF, TIME, WHAT, LogModel
from app.console.session import WindowSession
from app.console.widgets.table_cells import MARK_ROLE

AT = "2026-03-01T10:00:00.000000Z"


def entry(seq: int, action: str = "test.done", **detail: object) -> AuditEntry:
    return AuditEntry(
        seq=seq, timestamp=AT, actor="service", action=action, node_id="ARC-1", outcome="ACCEPTED", detail=detail,
        leaf_hash="ab" * 32,
    )  # fmt: skip


def burn() -> list[AuditEntry]:
    """What is left of a burn, newest first, between two other entries."""
    return [
        entry(9),
        entry(8, "burn.tripwire", burn_id="burn_1", reader_id="data-hall-01"),
        entry(7, "burn.complete", burn_id="burn_1", elapsed_ms=51),
        entry(6, "burn.confirmed", burn_id="burn_1", revoked=2, open=0),
        entry(4, "burn.executed", burn_id="burn_1", reason="left"),
        entry(3, "registry.standing_change", ref="burn_1", before="UNVERIFIED", standing="REVOKED"),
        entry(2),
    ]


@pytest.fixture
def model(session: WindowSession) -> LogModel:
    """A filtered view that holds a burn."""
    made = LogModel(session.names, session.people)
    made.reset_filtered()
    made.append(burn())
    return made


def seqs(model: LogModel) -> list[int | None]:
    """Numbers of the rows; None for a head."""
    rows = [model.get(row) for row in range(model.rowCount())]
    return [None if one is None else one.seq for one in rows]


def test_an_act_is_known_by_its_id() -> None:
    """In the payload, or as what a standing refers to. What calls for somebody later stands for itself."""
    known = [act_id(one) for one in burn()]
    assert known == ["", "", "burn_1", "burn_1", "burn_1", "burn_1", ""]
    assert act_id(entry(1, provision_id="prv_1")) == "prv_1"
    assert act_id(entry(1, ref="con_1")) == ""


def test_few_entries_are_no_act() -> None:
    """Two are read as fast as a head."""
    assert acts_in(burn()[2 : 2 + LEAST - 1], 0) == []
    assert [act.count for act in acts_in(burn(), 0)] == [4]


def test_an_act_begins_folded(model: LogModel) -> None:
    """Its head says what it came to, and which leaves it has; every entry is still counted."""
    assert seqs(model) == [9, 8, None, 2]
    assert model.total == 7
    head = [str(model.index(2, column).data()) for column in (WHAT, LEAF)]
    assert head == ["Burn of ARC-1, complete in 0.051 s", "3–7"]


def test_an_act_without_its_end_says_how_many_entries_it_has(session: WindowSession) -> None:
    """It may still run, or the filter leaves its end out."""
    made = LogModel(session.names, session.people)
    made.reset_filtered()
    made.append(burn()[3:6])
    assert str(made.index(0, WHAT).data()) == "ARC-1 burned everywhere: “left”, 3 entries"


def test_a_head_is_turned_by_what_marks_a_row(model: LogModel) -> None:
    """Space and the box: there is no entry to mark. The entries below it can be."""
    model.mark(2, True)
    assert seqs(model) == [9, 8, None, 7, 6, 4, 3, 2]
    assert model.marked == []
    assert [model.within(row) for row in range(8)] == [False, False, False, True, True, True, True, False]
    model.mark(4, True)
    assert model.marked == [6]
    assert model.index(4, 0).data(MARK_ROLE) is True
    model.mark(2, True)
    assert seqs(model) == [9, 8, None, 2]
    assert model.marked == [6]


def test_all_acts_are_turned_at_once(model: LogModel) -> None:
    """And back."""
    model.append([entry(1 - at, "burn.confirmed", burn_id="burn_0") for at in range(3)])
    model.turn_all()
    assert seqs(model).count(None) == 2
    assert model.rowCount() == 12
    model.turn_all()
    assert model.rowCount() == 5


def test_a_page_that_was_forgotten_leaves_the_rows_as_they_are(
    model: LogModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entries come to their places again."""
    monkeypatch.setattr("app.console.pages.audit.model.KEPT_PAGES", 1)
    asked: list[int] = []
    model.missing.connect(asked.append)
    model.turn_all()
    model.append([entry(1)])
    assert model.get(3) is None
    assert asked == [0]
    model.put(0, burn())
    assert seqs(model)[:8] == [9, 8, None, 7, 6, 4, 3, 2]


def test_a_screen_reader_reads_every_row(model: LogModel) -> None:
    """It walks rows of its own window; nothing is folded there, and folds are there again after it."""
    model.set_windowed(True)
    assert seqs(model) == [9, 8, 7, 6, 4, 3, 2]
    model.set_windowed(False)
    assert seqs(model) == [9, 8, None, 2]


def test_the_head_says_how_it_stands(model: LogModel) -> None:
    """Whoever does not see the chevron hears it."""
    said = model.index(2, WHAT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Burn of ARC-1, complete in 0.051 s. 4 entries, folded"
    assert model.index(2, WHAT).data(MARK_ROLE) is False


def test_another_filter_forgets_the_acts(model: LogModel) -> None:
    """And the whole log has none."""
    model.turn_all()
    model.reset_filtered()
    model.append(burn())
    assert seqs(model) == [9, 8, None, 2]
    model.reset_whole(10)
    assert (model.acts, model.rowCount(), model.head(2)) == (0, 10, None)


def test_a_table_paints_heads_and_what_is_below_them(model: LogModel, qtbot: Any) -> None:
    """Folded and open, with marks."""
    from app.console.pages.audit.cells import LogCells
    from app.console.widgets.table import DataTable

    table = DataTable(model, name="Log", marks=True, proof=lambda one: one.seq)
    table.setItemDelegate(LogCells(table, model))
    qtbot.addWidget(table)
    table.opened.connect(model.turn)
    table.resize(900, 400)
    table.show()
    table.selectRow(2)
    folded = table.grab().toImage()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert model.rowCount() == 8
    assert table.grab().toImage() != folded
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert model.rowCount() == 4
    assert model.columns[TIME].title == "TIME, UTC"
