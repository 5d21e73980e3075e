"""The register of operators on a real store: what it takes, whose hands it writes down, and what needs two persons."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.api.lineage import Lines
from app.api.operator_id import draw_operator_id
from app.api.problems import Problem
from app.api.roles import Role
from app.api.tables import operator, operator_hand
from app.approvals.messages import ApprovalBody
from app.operators.four_eyes import add_kinds, approval_user, citadel_gate
from app.operators.messages import OperatorBody
from app.operators.register import (
    COMMAND_LINE,
    OperatorRecords,
    OperatorRegister,
    had_two_admins,
    subjects_of,
)
from app.registry.messages.nodes import NodeBody
from tests.door_site import DoorSite, door_site

ACTOR = "key_1"


class Desk:
    """A store with a register of operators, and approvals by keys that are each a person."""

    def __init__(self, site: DoorSite) -> None:
        self.site = site
        add_kinds(site.approvals)
        self.register = OperatorRegister(
            site.store, site.registry.nodes.cursors, site.registry.nodes, approval_user(site.approvals)
        )
        self.gate = citadel_gate(site.approvals)
        for number in range(4):
            body = NodeBody(display_name=f"Training Person {number}")
            site.write(lambda tx, n=number, b=body: site.registry.nodes.put_in(tx, f"ARC-{n:04d}", b, ACTOR))

    def put(self, operator_id: str, *roles: Role, actor: str = ACTOR, **more: Any) -> Any:
        """A PUT by ``actor``; the operator."""
        body = body_of(*roles, **more)
        item, _ = asyncio.run(self.register.put(operator_id, body, actor=actor, request_id="req_1"))
        return item

    def admin(self, node_id: str | None = None) -> str:
        """An administrator of a line of its own."""
        operator_id = draw_operator_id()
        self.put(operator_id, Role.ADMIN, actor=COMMAND_LINE, node_id=node_id)
        return operator_id

    def approve(self, kind: Any, subjects: list[str]) -> str:
        """An approval that two keys gave; its id."""
        body = ApprovalBody(kind=kind, subjects=subjects, reason="x")
        item, _ = asyncio.run(self.site.approvals.request(body, actor="key_asks"))
        asyncio.run(self.site.approvals.approve(item.approval_id, actor="key_approves"))
        return item.approval_id

    def hands(self, operator_id: str) -> set[str]:
        """Whose hands are written down."""
        with self.site.store.read() as connection:
            wanted = select(operator_hand.c.hand).where(operator_hand.c.operator_id == operator_id)
            return set(connection.scalars(wanted))


def body_of(*roles: Role, **more: Any) -> OperatorBody:
    """A body with these roles."""
    fields: dict[str, Any] = {"display_name": "Somebody", "methods": ["passphrase"], **more}
    return OperatorBody(roles=list(roles), **fields)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A register with four registered persons."""
    with door_site(tmp_path / "site") as site:
        yield Desk(site)


def refusal(desk: Desk, operator_id: str, *roles: Role, **more: Any) -> tuple[str, str]:
    """Code and field of what a PUT is refused with."""
    with pytest.raises(Problem) as refused:
        desk.put(operator_id, *roles, **more)
    return refused.value.code, refused.value.errors[0].pointer if refused.value.errors else ""


@pytest.mark.parametrize(
    ("operator_id", "more", "pointer"),
    [
        ("op_anna", {}, ""),
        ("op_" + "0" * 15, {}, ""),
        ("op_" + "0" * 17, {}, ""),
        ("op_" + "A" * 16, {}, ""),
        ("op_" + "0" * 16, {"node_id": "ARC-GONE"}, "/node_id"),
        ("op_" + "0" * 16, {"methods": ["card"]}, "/node_id"),
        ("op_" + "0" * 16, {"methods": ["oidc"]}, "/subject"),
        ("op_" + "0" * 16, {"subject": "sub"}, "/subject"),
        ("op_" + "0" * 16, {"methods": ["passphrase", "passphrase"]}, "/methods"),
    ],
)
def test_what_contradicts_itself_is_refused(desk: Desk, operator_id: str, more: dict[str, Any], pointer: str) -> None:
    """An id that says something, an unknown node, a card without a person, a subject without its method: 422."""
    assert refusal(desk, operator_id, Role.DESK, **more) == ("invalid_body", pointer)


def test_a_role_is_named_once(desk: Desk) -> None:
    """Twice is 422."""
    assert refusal(desk, draw_operator_id(), Role.DESK, Role.DESK) == ("invalid_body", "/roles")


def test_a_subject_is_of_one_operator(desk: Desk) -> None:
    """The second is 409; the same operator may be put again."""
    first = draw_operator_id()
    desk.put(first, Role.DESK, methods=["oidc"], subject="sub-1")
    desk.put(first, Role.BADGE, methods=["oidc"], subject="sub-1")
    assert refusal(desk, draw_operator_id(), Role.DESK, methods=["oidc"], subject="sub-1")[0] == "state_conflict"
    with desk.site.store.read() as connection:
        found = desk.register.by_subject(connection, "sub-1")
        assert found is not None
        assert found.operator_id == first
        assert desk.register.by_subject(connection, "sub-2") is None


def test_who_makes_or_changes_recognition_is_a_hand(desk: Desk) -> None:
    """The maker; who changes node or methods, or sets the passphrase; nobody for a name or a role; never the command
    line or the operator itself."""
    operator_id = draw_operator_id()
    desk.put(operator_id, Role.DESK, actor="key_maker")
    desk.put(operator_id, Role.DESK, Role.BADGE, actor="key_role", display_name="Another name")
    assert desk.hands(operator_id) == {"key_maker"}
    more: dict[str, Any] = {"display_name": "Another name"}
    desk.put(operator_id, Role.DESK, actor="key_node", node_id="ARC-0001", **more)
    desk.put(operator_id, Role.DESK, actor="key_method", node_id="ARC-0001", methods=["passphrase", "card"], **more)
    desk.site.write(lambda tx: desk.register.set_passphrase(tx, operator_id, b"v", actor="key_secret"))
    hands = {"key_maker", "key_node", "key_method", "key_secret"}
    assert desk.hands(operator_id) == hands
    desk.put(operator_id, Role.DESK, actor=operator_id, node_id="ARC-0001", **more)
    for actor in (operator_id, COMMAND_LINE):
        desk.site.write(lambda tx, actor=actor: desk.register.set_passphrase(tx, operator_id, b"w", actor=actor))
    assert desk.hands(operator_id) == hands
    assert desk.put(operator_id, Role.DESK, actor=operator_id, node_id="ARC-0001", **more).line == sorted(hands)


def test_who_revives_an_operator_is_a_hand(desk: Desk) -> None:
    """Of one who ended. Ending leaves none."""
    operator_id = draw_operator_id()
    desk.put(operator_id, Role.DESK, actor=COMMAND_LINE)
    asyncio.run(desk.register.delete(operator_id, actor="key_end", request_id="req_1"))
    assert desk.hands(operator_id) == set()
    assert desk.put(operator_id, Role.DESK, actor="key_revive").state == "active"
    assert desk.hands(operator_id) == {"key_revive"}


def test_an_operator_of_the_command_line_has_a_line_of_its_own(desk: Desk) -> None:
    """Nobody could act as it."""
    operator_id = desk.admin()
    with desk.site.store.read() as connection:
        assert Lines(connection).of(operator_id) == {operator_id}


def test_one_administrator_makes_the_second_alone(desk: Desk) -> None:
    """Before there are two, one is enough; from then on nobody makes a third, or raises one, alone."""
    desk.admin()
    second, third = draw_operator_id(), draw_operator_id()
    desk.put(second, Role.ADMIN)
    assert refusal(desk, third, Role.ADMIN)[0] == "state_conflict"
    desk.put(third, Role.DESK)
    assert refusal(desk, third, Role.ADMIN)[0] == "state_conflict"
    with pytest.raises(Problem) as refused:
        desk.site.write(lambda tx: desk.register.set_passphrase(tx, second, b"v", actor=ACTOR))
    assert refused.value.code == "state_conflict"
    desk.site.write(lambda tx: desk.register.set_passphrase(tx, third, b"v", actor=ACTOR))


@pytest.mark.parametrize("way", ["ended", "lowered"])
def test_two_administrators_stay_two(desk: Desk, way: str) -> None:
    """Ending one, or taking the role away, gives the other no more than before."""
    desk.admin()
    second = desk.admin()
    if way == "ended":
        asyncio.run(desk.register.delete(second, actor=ACTOR, request_id="req_1"))
    else:
        desk.put(second, Role.DESK)
    with desk.site.store.read() as connection:
        assert had_two_admins(connection)
    assert refusal(desk, draw_operator_id(), Role.ADMIN)[0] == "state_conflict"
    assert refusal(desk, second, Role.DESK, Role.ADMIN)[0] == "state_conflict"


def test_a_second_person_approves_an_administrator(desk: Desk) -> None:
    """For exactly what was approved, once; then no hand is left, since two persons answer for it."""
    desk.admin()
    desk.admin()
    operator_id = draw_operator_id()
    wanted = body_of(Role.ADMIN, Role.DESK, node_id="ARC-0001")
    approval_id = desk.approve("operator", subjects_of(operator_id, wanted))
    for other in ({"node_id": "ARC-0002"}, {"methods": ["card"], "node_id": "ARC-0001"}, {}):
        assert (
            refusal(desk, operator_id, Role.ADMIN, Role.DESK, approval_id=approval_id, **other)[0] == "state_conflict"
        )
    assert refusal(desk, operator_id, Role.ADMIN, node_id="ARC-0001", approval_id=approval_id)[0] == "state_conflict"
    made = desk.put(operator_id, Role.DESK, Role.ADMIN, node_id="ARC-0001", approval_id=approval_id)
    assert (made.roles, made.line) == ([Role.DESK, Role.ADMIN], [])
    again = refusal(desk, draw_operator_id(), Role.ADMIN, Role.DESK, node_id="ARC-0001", approval_id=approval_id)
    assert again[0] == "state_conflict"


def test_a_second_person_approves_a_passphrase(desk: Desk) -> None:
    """Of an administrator, for this operator alone."""
    first = desk.admin()
    second = desk.admin()
    approval_id = desk.approve("operator", [second, "passphrase"])

    def give(operator_id: str) -> None:
        desk.site.write(
            lambda tx: desk.register.set_passphrase(tx, operator_id, b"v", actor=ACTOR, approval_id=approval_id)
        )

    with pytest.raises(Problem):
        give(first)
    give(second)
    job = desk.site.store.writer.submit(lambda tx: desk.register.set_passphrase(tx, second, b"v", actor=COMMAND_LINE))
    assert job.result() == desk.register.get(second, 0).passphrase_set_at
    assert desk.hands(second) == set()
    with desk.site.store.read() as connection:
        assert desk.register.verifier(connection, second) == b"v"
        assert desk.register.verifier(connection, first) is None


def test_an_operator_says_alone_how_but_not_who_it_is(desk: Desk) -> None:
    """An administrator of two changes its own methods; another node needs a second person."""
    operator_id = desk.admin("ARC-0001")
    desk.admin("ARC-0002")
    desk.put(operator_id, Role.ADMIN, actor=operator_id, node_id="ARC-0001", methods=["card"])
    assert desk.hands(operator_id) == set()
    assert refusal(desk, operator_id, Role.ADMIN, actor=operator_id, node_id="ARC-0003")[0] == "state_conflict"


@pytest.mark.parametrize(
    "subjects",
    [
        ["op_" + "0" * 16],
        ["op_anna", "passphrase"],
        ["op_" + "0" * 16, "passphrase", "roles=admin"],
        ["op_" + "0" * 16, "methods=card", "roles=admin"],
        ["op_" + "0" * 16, "roles=admin"],
        ["op_" + "0" * 16, "roles=admin", "methods=card", "node=x"],
        ["op_" + "0" * 16, "roles=admin", "methods=card", "subject=" + "0" * 64, "node=ARC-0001"],
        ["op_" + "0" * 16, "roles=ADMIN", "methods=card"],
    ],
)
def test_a_senseless_approval_cannot_be_asked_for(desk: Desk, subjects: list[str]) -> None:
    """Only the subjects of some operator, in their order."""
    with pytest.raises(Problem) as refused:
        asyncio.run(
            desk.site.approvals.request(ApprovalBody(kind="operator", subjects=subjects, reason="x"), actor="k")
        )
    assert refused.value.code == "invalid_body"


def test_every_operator_can_be_asked_for(desk: Desk) -> None:
    """What ``subjects_of`` gives is what an approval takes; it is about the node."""
    for more in ({}, {"node_id": "ARC-0001"}, {"methods": ["oidc"], "subject": "a b"}, {"methods": []}):
        subjects = subjects_of(draw_operator_id(), body_of(Role.DESK, Role.ADMIN, **more))
        item, _ = asyncio.run(
            desk.site.approvals.request(ApprovalBody(kind="operator", subjects=subjects, reason="x"), actor="k")
        )
        assert item.node_id == more.get("node_id")


def test_a_citadel_key_needs_two_once_there_were_two(desk: Desk) -> None:
    """The gate asks for nothing before; then for an approval of this label, once."""

    def pass_gate(subject: str, approval_id: str | None = None) -> str | None:
        job = desk.site.store.writer.submit(
            lambda tx: desk.gate(tx, subject, approval_id, actor=ACTOR, request_id="req_1")
        )
        return job.result()

    desk.admin()
    assert pass_gate("door controller") is None
    desk.admin()
    with pytest.raises(Problem) as refused:
        pass_gate("door controller")
    assert refused.value.code == "state_conflict"
    approval_id = desk.approve("citadel_key", ["door controller"])
    with pytest.raises(Problem):
        pass_gate("another", approval_id)
    assert pass_gate("door controller", approval_id) == "key_approves"
    with pytest.raises(Problem):
        pass_gate("door controller", approval_id)


def test_an_end_keeps_the_row(desk: Desk) -> None:
    """DELETE ends; a repeat changes nothing and leaves no leaf; an unknown one is 404."""
    operator_id = draw_operator_id()
    desk.put(operator_id, Role.DESK)
    for _ in range(2):
        ended = asyncio.run(desk.register.delete(operator_id, actor=ACTOR, request_id="req_1"))
        assert ended.id == operator_id
        assert ended.deleted_at >= desk.register.get(operator_id, 0).created_at
    assert desk.register.get(operator_id, 0).state == "ended"
    with desk.site.store.read() as connection:
        raw = connection.exec_driver_sql("SELECT count(*) FROM log_word WHERE text = 'operators.operator_delete'")
        assert raw.scalar() == 1
        leaves = connection.exec_driver_sql(
            "SELECT count(*) FROM audit_entry WHERE action = (SELECT id FROM log_word "
            "WHERE text = 'operators.operator_delete')"
        )
        assert leaves.scalar() == 1
    with pytest.raises(Problem) as refused:
        asyncio.run(desk.register.delete(draw_operator_id(), actor=ACTOR, request_id="req_1"))
    assert refused.value.code == "not_found"


def test_an_erasure_takes_the_name_and_ends_the_operator(desk: Desk) -> None:
    """Name, subject, passphrase and words of the search go; that there was an operator stays; another's stay whole."""
    gone, kept = draw_operator_id(), draw_operator_id()
    desk.put(gone, Role.DESK, node_id="ARC-0001", methods=["oidc"], subject="sub-1", display_name="Anna Gone")
    desk.put(kept, Role.DESK, node_id="ARC-0002", display_name="Kept")
    desk.site.write(lambda tx: desk.register.set_passphrase(tx, gone, b"v", actor=COMMAND_LINE))
    records = OperatorRecords()
    with desk.site.store.read() as connection:
        assert records.held_records(connection, "ARC-0001").rows == 1
    for count in (1, 0):
        assert desk.site.store.writer.submit(lambda tx: records.forget(tx, "ARC-0001")).result() == count
    with desk.site.store.read() as connection:
        row = connection.execute(select(operator).where(operator.c.operator_id == gone)).one()
        assert (row.display_name, row.subject, row.state) == ("(erased)", None, "ended")
        assert "anna" not in row.search
        assert desk.register.verifier(connection, gone) is None
        assert records.held_records(connection, "ARC-0001").rows == 0
    assert desk.register.get(kept, 0).display_name == "Kept"
