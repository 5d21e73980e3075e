"""One key, or one operator, is never two persons: no sequence of its calls reaches an approved act."""

from __future__ import annotations

from typing import ClassVar

import pytest
from sqlalchemy import Connection, select

from app.api.lineage import Lines
from app.api.operation import Clearance
from app.api.operator_id import is_operator
from app.api.tables import api_key
from tests.service.approvals.one_key_search import OPERATOR_ROWS, OWN_NODE, ROWS, Step, World, way
from tests.unrelated_keys import UnrelatedKeys


class _Loose(Lines):
    """Lines that miss one thing, so that the search must find the way through it."""

    missing: ClassVar[str]

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        if self.missing == "rotations":
            made = connection.execute(select(api_key.c.kid, api_key.c.made_by).where(api_key.c.made_by.is_not(None)))
            self._makers = {kid: {maker} for kid, maker in made}

    def bar(self, asker: str, approver: str, asked_us: int) -> str | None:
        """As of ``Lines``, but for what is missing."""
        line, other = self.of(approver), self.of(asker)
        if self.missing == "descent of the approver" and asker in line and asker != approver:
            return None
        if self.missing == "descent of the asker" and approver in other and asker != approver:
            return None
        if self.missing == "common descent" and asker not in line and approver not in other:
            return None
        if self.missing == "the asker itself" and asker == approver:
            return None
        return super().bar(asker, approver, asked_us)


def loose(what: str) -> type[Lines]:
    """Lines without ``what``."""
    return type("Loose", (_Loose,), {"missing": what})


@pytest.mark.parametrize(
    ("others", "launched", "most"),
    [
        (2, False, 4),
        (1, True, 4),
        (0, False, 5),
        pytest.param(1, False, 5, marks=pytest.mark.campaign),
        pytest.param(2, False, 5, marks=pytest.mark.campaign),
        pytest.param(2, True, 5, marks=pytest.mark.campaign),
    ],
)
def test_one_key_approves_nothing(others: int, launched: bool, most: int) -> None:
    """Whether the key is a stored one or that of a console: none of its calls, in any order, leads to an approval."""
    world = World(others=others, launched=launched)
    assert way(world, most) is None
    assert world.calls > 100


@pytest.mark.parametrize(
    ("others", "operators", "person", "launched", "most"),
    [
        (0, 1, True, False, 4),
        (0, 0, True, False, 4),
        (0, 1, False, False, 3),
        (0, 1, False, True, 3),
        pytest.param(0, 0, True, False, 5, marks=pytest.mark.campaign),
        pytest.param(0, 1, True, False, 5, marks=pytest.mark.campaign),
        pytest.param(0, 2, True, False, 5, marks=pytest.mark.campaign),
        pytest.param(1, 1, True, False, 5, marks=pytest.mark.campaign),
        pytest.param(0, 1, False, False, 5, marks=pytest.mark.campaign),
        pytest.param(0, 1, False, True, 5, marks=pytest.mark.campaign),
    ],
)
def test_one_person_approves_nothing(others: int, operators: int, person: bool, launched: bool, most: int) -> None:
    """An operator with every role, or a key beside operators: none of its calls, in any order, with all operators and
    keys that it makes or takes over, leads to an approval."""
    world = World(others=others, operators=operators, person=person, launched=launched)
    assert way(world, most) is None
    assert world.calls > 40


@pytest.mark.parametrize(
    ("what", "names"),
    [
        (
            "hands",
            ["registry.put_operator", "operators.set_passphrase", "approvals.request", "approvals.approve"],
        ),
        ("nodes", ["approvals.request", "approvals.approve"]),
    ],
)
def test_the_search_finds_the_way_of_a_person(what: str, names: list[str]) -> None:
    """Without the hands of operators: make a second one, and approve as that. Without nodes: two accounts of one
    person."""

    class Loose(Lines):
        """Lines that miss one thing."""

        def __init__(self, connection: Connection) -> None:
            super().__init__(connection)
            if what == "hands":
                self._makers = {one: makers for one, makers in self._makers.items() if not is_operator(one)}
            else:
                self._nodes = {one: one for one in self._nodes}

    world = World(Loose, others=0, operators=0, person=True)
    if what == "nodes":
        world.kids.append(world._operator(OWN_NODE))
        world.held[1] = world.kids[1]
    found = shortest(world)
    assert found is not None
    assert sorted(step.name for step in found) == sorted(names)


def test_two_operators_approve() -> None:
    """Two operators of two nodes and two lines are enough; one without a node is not."""
    world = World(others=0, operators=1, person=True)
    world.held[1] = world.kids[1]
    found = shortest(world)
    assert found is not None
    assert [(step.name, step.by) for step in found] == [("approvals.request", 0), ("approvals.approve", 1)]


@pytest.mark.parametrize(
    ("what", "others", "names"),
    [
        ("the asker itself", 0, ["approvals.request", "approvals.approve"]),
        ("descent of the approver", 1, ["approvals.request", "keys.create", "approvals.approve"]),
        ("descent of the asker", 0, ["keys.create", "approvals.request", "approvals.approve"]),
        ("common descent", 0, ["keys.create", "keys.create", "approvals.request", "approvals.approve"]),
        ("rotations", 1, ["keys.rotate", "approvals.request", "approvals.approve"]),
    ],
)
def test_the_search_finds_the_way_that_is_left_open(what: str, others: int, names: list[str]) -> None:
    """With one part of the judgement switched off, the search comes through exactly there."""
    found = shortest(World(loose(what), others=others))
    assert found is not None
    assert sorted(step.name for step in found) == sorted(names)


def shortest(world: World) -> list[Step] | None:
    """The shortest way of at most five calls."""
    return next((found for most in range(1, 6) if (found := way(world, most)) is not None), None)


def test_the_search_finds_the_way_without_lines() -> None:
    """Judged by the name of the key alone, as before: mint a second key, ask with one, approve with the other."""
    found = shortest(World(UnrelatedKeys, others=0))
    assert found is not None
    assert [step.name for step in found] == ["keys.create", "approvals.request", "approvals.approve"]


def test_two_people_approve() -> None:
    """Keys of two lines are enough: what the search finds none of is not simply forbidden."""
    found = shortest(World(stolen=2))
    assert found is not None
    assert [(step.name, step.by) for step in found] == [("approvals.request", 0), ("approvals.approve", 1)]


def test_every_row_of_the_table_is_searched_or_only_reads() -> None:
    """A row that is added to these tables is to be added to the search; a Sovereign key may call none of them."""
    world = World()
    searched = {step.name for step in world.steps()}
    assert {name for name, row in ROWS.items() if row.method != "GET"} == searched
    assert {row.clearance for row in ROWS.values()} == {Clearance.CITADEL}
    searched = {step.name for step in World(operators=1, person=True).steps()} - searched
    changes = {name for name, row in OPERATOR_ROWS.items() if row.clearance is Clearance.CITADEL}
    assert changes - {"registry.list_operators", "registry.get_operator", *SESSIONS} == searched


SESSIONS = {"operators.list_sessions", "operators.end_session"}
"""Of the administrators' rows these give nobody anything."""
