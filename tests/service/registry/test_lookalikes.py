"""Ids that people take for one another: never two nodes, and the nearest people for an id that nobody has."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from app.api.problems import Problem
from app.registry.lookalikes import distance_of, nearest, skeleton
from app.registry.messages.nodes import NodeBody
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site

PEOPLE = [
    ("ARC-T0007", "Maria Lopez", "E-4711"),
    ("ARC-T0008", "Ivan Petrov", "E-4712"),
    ("ARC-T0070", "Wu Lin", None),
    ("ARC-T1234", "Olu Adeyemi", "K-1"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorSite]:
    """Some people; an id that is denied and nobody has."""
    with door_site(tmp_path_factory.mktemp("alike") / "site") as made:
        for node_id, name, employee in PEOPLE:
            register(made, node_id, name, employee)
        made.write(lambda tx: made.registry.deny.store(tx, "VISITOR-10", "burn", "burn_1"))
        yield made


def register(site: DoorSite, node_id: str, name: str = "Somebody", employee: str | None = None) -> None:
    """One node."""
    body = NodeBody(display_name=name, employee_id=employee)
    site.write(lambda tx: site.registry.nodes.put_in(tx, node_id, body, ACTOR))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ARC-O1", "arc-0l", True),
        ("ARC-I1", "ARC-LL", True),
        ("ARC-1", "ARC-2", False),
        ("ARC-S5", "ARC-55", False),
        ("ARC.1", "ARC-1", False),
    ],
)
def test_what_looks_alike(one: str, other: str, same: bool) -> None:
    """Capitals, O and 0, I, l and 1; nothing else."""
    assert (skeleton(one) == skeleton(other)) is same


@pytest.mark.parametrize(
    ("node_id", "named"),
    [("arc-t0007", "ARC-T0007"), ("ARC-TOOO7", "ARC-T0007"), ("ARC-Tl234", "ARC-T1234"), ("visitor-lO", "VISITOR-10")],
)
def test_two_that_look_alike_cannot_both_be_made(site: DoorSite, node_id: str, named: str) -> None:
    """409 that names the other: a node, or an id that is denied though nobody has it."""
    with pytest.raises(Problem, match=named) as caught:
        register(site, node_id)
    assert caught.value.code == "state_conflict"


def test_a_node_that_is_there_can_be_changed(site: DoorSite) -> None:
    """Its own id is no look-alike of it, and one that looks like another from before can still be edited."""
    register(site, "ARC-T0007", "Maria Lopez y Vega", "E-4711")
    register(site, "ARC-T0007", "Maria Lopez", "E-4711")

    def before(tx: Transaction) -> None:
        tx.connection.exec_driver_sql(
            "INSERT INTO node SELECT 'TWIN-O', display_name, employee_id, email, notes, directory_accounts, tags, "
            "search, standing, verified_us, created_us, changed_us FROM node WHERE node_id = 'ARC-T0070'"
        )

    register(site, "TWIN-0")
    site.write(before)
    register(site, "TWIN-O", "Changed")
    register(site, "TWIN-0", "Changed too")


def test_an_id_that_was_burned_before_it_was_registered_stays_denied(site: DoorSite) -> None:
    """The very id may be registered; its node is REVOKED from its first moment."""
    register(site, "VISITOR-10")
    assert site.registry.nodes.get("VISITOR-10", 0).standing == "REVOKED"


@pytest.mark.parametrize(
    ("typed", "found", "matched", "distance"),
    [
        ("arc-t0007", "ARC-T0007", "node_id", 0),
        ("ARC-TOOO7", "ARC-T0007", "node_id", 0),
        ("ARCT0007", "ARC-T0007", "node_id", 0),
        ("ARC-T0017", "ARC-T0007", "node_id", 1),
        ("ARC-T00007", "ARC-T0007", "node_id", 1),
        ("RAC-T1234", "ARC-T1234", "node_id", 1),
        ("e4711", "ARC-T0007", "employee_id", 0),
        ("e-4712", "ARC-T0008", "employee_id", 0),
        ("Ivan.Petrow", "ARC-T0008", "display_name", 1),
        ("olu-adeyemi", "ARC-T1234", "display_name", 0),
    ],
)
def test_the_nearest_comes_first(site: DoorSite, typed: str, found: str, matched: str, distance: int) -> None:
    """By id, employee number or name; by capitals, look-alikes, punctuation and single characters."""
    first, *_ = offered = nearest(site.store, typed, 5.0)
    assert (first.node_id, first.matched, first.distance) == (found, matched, distance)
    assert len(offered) <= 3
    assert [one.distance for one in offered] == sorted(one.distance for one in offered)


def test_what_is_far_is_not_offered(site: DoorSite) -> None:
    """Nobody is near, or nothing can be compared."""
    assert nearest(site.store, "QQQQQQQQQQ", 5.0) == []
    assert nearest(site.store, "...", 5.0) == []


@pytest.mark.parametrize(
    ("one", "other", "most", "distance"),
    [
        ("abc", "abc", 0, 0),
        ("abc", "acb", 2, 1),
        ("abc", "abd", 2, 1),
        ("abc", "ab", 2, 1),
        ("ab", "abc", 2, 1),
        ("abcd", "badc", 3, 2),
        ("abc", "xyz", 2, 3),
        ("abcdef", "abc", 2, 3),
        ("kitten", "sitting", 3, 3),
        ("aaaaxxxxaaaa", "aaaayyyyaaaa", 3, 4),
    ],
)
def test_distances(one: str, other: str, most: int, distance: int) -> None:
    """Insertions, losses, changes and neighbours exchanged; more than ``most`` is one more than it."""
    assert distance_of(one, other, most) == distance
    assert distance_of(other, one, most) == distance


def test_the_store_is_not_asked_without_end(site: DoorSite) -> None:
    """On a site of many nodes what is not found in time is not offered, and the connection serves the next."""

    def crowd(tx: Transaction) -> None:
        tx.connection.exec_driver_sql(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
            "INSERT INTO node SELECT 'CROWD-' || printf('%06d', i), 'Person ' || i, 'C' || i, NULL, NULL, '[]', '[]', "
            "'', 'UNVERIFIED', NULL, 0, 0 FROM n"
        )

    site.write(crowd)
    began = time.perf_counter()
    assert [one.node_id for one in nearest(site.store, "crowd-012346", 0.0)] == ["CROWD-012346"]
    assert nearest(site.store, "person+12345", 0.0) == []
    found = nearest(site.store, "crowd-O12345", 60.0)
    print(f"100,000 nodes: {time.perf_counter() - began:.3f} s")
    assert (found[0].node_id, found[0].distance) == ("CROWD-012345", 0)
    with site.store.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT node_id FROM node WHERE "
            "replace(replace(replace(lower(node_id), 'o', '0'), 'i', '1'), 'l', '1') = 'x' LIMIT 1"
        ).all()
    assert "node_by_skeleton" in str(plan)
