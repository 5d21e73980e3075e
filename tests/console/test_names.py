"""The names of operators, wherever the console says who did something."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from app.console.names import HIDDEN, RENAMED_S, who
from app.console.operations import Change
from app.console.session import WindowSession
from app.console.widgets.table import Column, DataTable, RowsModel
from app.operators.messages import OperatorPage
from tests.console.conftest import Run, until
from tests.console.operator_rows import of_operator

ALEX, SAM = "op_00000000000000aa", "op_00000000000000bb"


class Register:
    """A client that lists operators, and counts how often."""

    def __init__(self, *names: tuple[str, str]) -> None:
        self.names = names
        self.read = 0

    async def registry_list_operators(self, *, query: object) -> OperatorPage:
        """One page of them."""
        del query
        self.read += 1

        return OperatorPage(items=[of_operator(one, name) for one, name in self.names], next=None)


@pytest.fixture
def known(session: WindowSession) -> WindowSession:
    """A session that knows one operator."""
    session.names.take([of_operator(ALEX, "Alex Novak")])
    return session


def test_an_operator_has_a_name_and_others_have_none(known: WindowSession) -> None:
    """Keys, sources and commands are shown as they are."""
    names = known.names
    assert names.of(ALEX) == "Alex Novak"
    assert [names.of(one) for one in ("key_1", "key_launch", "hr:bamboo", "command-line", None)] == [
        "key_1", "key_launch", "hr:bamboo", "command-line", "",
    ]  # fmt: skip


def test_the_name_beside_the_id_goes_first(known: WindowSession) -> None:
    """The service has read it for this very answer."""
    assert known.names.of(ALEX, "Alexandra Novak") == "Alexandra Novak"
    assert known.names.of("key_1", None) == "key_1"


def test_an_unknown_id_stays_an_id(known: WindowSession) -> None:
    """While nobody knows it, nothing else names the person."""
    assert known.names.of(SAM) == SAM


def test_proofs_and_copies_have_both(known: WindowSession) -> None:
    """The name is for people, the id for who looks it up."""
    assert known.names.full(ALEX) == f"Alex Novak ({ALEX})"
    assert known.names.full("key_1") == "key_1"
    assert known.names.full(SAM) == SAM


def test_a_sentence_of_the_service_is_said_with_names(known: WindowSession) -> None:
    """Ids stand in it as words, with or without a stop behind them."""
    said = f"{SAM} could act as both {ALEX} and {ALEX}. It takes another person: {ALEX}, or key_1."
    assert known.names.in_text(said) == (
        f"{SAM} could act as both Alex Novak and Alex Novak. It takes another person: Alex Novak, or key_1."
    )
    assert known.names.in_text("Nobody is named.") == "Nobody is named."


def test_a_desk_that_rests_names_nobody(known: WindowSession) -> None:
    """Neither by what it knows nor by what the service says."""
    known.resting = True
    assert known.names.of(ALEX, "Alex Novak") == HIDDEN
    assert known.names.in_text(f"{ALEX} asks.") == f"{HIDDEN} asks."
    assert known.names.full(ALEX) == f"{HIDDEN} ({ALEX})"
    assert known.names.of("key_1") == "key_1"


def test_toasts_have_names(known: WindowSession, qtbot: Any) -> None:
    """Whatever page says it."""
    with qtbot.waitSignal(known.toast) as toast:
        known.notify(f"Approved by {ALEX}.")
    assert toast.args[0] == "Approved by Alex Novak."


def test_the_register_is_read_when_a_name_is_wanted(
    session: WindowSession, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for all that are wanted, and not again for an id that it does not have; after a minute it is."""
    register: Any = Register((ALEX, "Alex Novak"))

    async def work() -> None:
        session.attach(register, "http://127.0.0.1:1", "citadel")
        told: list[bool] = []
        session.names.changed.connect(lambda: told.append(True))
        assert session.names.of(ALEX) == ALEX
        assert session.names.of(SAM) == SAM
        await until(lambda: told, "the names")
        assert session.names.of(ALEX) == "Alex Novak"
        assert session.names.of(SAM) == SAM
        assert session.names.of(SAM) == SAM
        assert register.read == 1
        monkeypatch.setattr(session.names, "_read_at", time.monotonic() - RENAMED_S - 1)
        register.names = ((ALEX, "Alexandra Novak"),)
        assert session.names.of(ALEX) == "Alex Novak"
        await until(lambda: session.names.of(ALEX) == "Alexandra Novak", "the new name")
        assert register.read == 2

    run(work())


def test_a_change_of_operators_is_read(known: WindowSession, run: Run) -> None:
    """An operator who was renamed has the new name everywhere."""
    register: Any = Register((ALEX, "Alexandra Novak"))

    async def work() -> None:
        known.attach(register, "http://127.0.0.1:1", "citadel")
        known.changed.emit(Change(frozenset({"operators"}), None, None))
        await until(lambda: known.names.of(ALEX) == "Alexandra Novak", "the new name")
        known.changed.emit(Change(frozenset({"cards"}), None, None))
        await known.tasks.close()
        assert register.read == 1

    run(work())


def test_a_column_shows_the_name_and_copies_both(known: WindowSession, qtbot: Any) -> None:
    """With the id on hover."""
    by: Column[str] = who(known.names, "BY", lambda one: one, 120)
    table = DataTable(RowsModel([by, Column("ID", lambda one: one)], lambda one: one), name="Rows")
    qtbot.addWidget(table)
    table.model().set_rows([ALEX, "key_1"])  # type: ignore[attr-defined]
    assert (by.text(ALEX), by.hint and by.hint(ALEX)) == ("Alex Novak", ALEX)
    table.show()
    table.selectRow(0)
    assert table.copy_row()
    assert QGuiApplication.clipboard().text() == f"Alex Novak ({ALEX})\t{ALEX}"
