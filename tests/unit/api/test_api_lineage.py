"""Lines of keys and operators: who could act as whom, and why two of them are one person."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, insert

from app.api.lineage import LAUNCH_KID, Lines
from app.api.tables import api_key, api_key_secret, operator, operator_hand
from app.store import migrations
from app.store.tables import metadata

ASKED_US = 1_000
BEFORE = "0020"
"""The revision that knew no makers."""


@pytest.fixture
def connection() -> Iterator[Connection]:
    """The tables of keys and of operators, empty."""
    engine = create_engine("sqlite+pysqlite://")
    with engine.connect() as made:
        metadata.create_all(made, tables=[api_key, api_key_secret, operator, operator_hand])
        yield made


def key(connection: Connection, kid: str, made_by: str | None = None, *, at_us: int = 1, revoked: bool = False) -> None:
    """A key with its first secret."""
    connection.execute(
        insert(api_key).values(
            kid=kid,
            label="x",
            clearance="citadel",
            created_us=at_us,
            webhook_secret=b"",
            made_by=made_by,
            revoked_us=5 if revoked else None,
        )
    )
    secret(connection, kid, made_by)


def secret(connection: Connection, kid: str, made_by: str | None) -> None:
    """One more secret of a key."""
    digest = f"{kid} {made_by}".encode()
    connection.execute(insert(api_key_secret).values(digest=digest, kid=kid, created_us=1, made_by=made_by))


def person(connection: Connection, operator_id: str, node_id: str | None, *hands: str, at_us: int = 1) -> None:
    """An operator with its hands."""
    words = dict.fromkeys(("display_name", "roles", "methods", "state", "tags", "search"), "x")
    times = {"created_us": at_us, "changed_us": at_us}
    connection.execute(insert(operator).values(operator_id=operator_id, node_id=node_id, **words, **times))
    for hand in hands:
        connection.execute(insert(operator_hand).values(operator_id=operator_id, hand=hand, since_us=1))


def bar(connection: Connection, asker: str, approver: str) -> str:
    """What is said; empty where nothing is."""
    return Lines(connection).bar(asker, approver, ASKED_US) or ""


def test_a_line_goes_through_makers_and_rotations_of_any_depth(connection: Connection) -> None:
    """Revoked keys included, and a key that drew its own secret ends the walk as any other."""
    key(connection, "key_root", revoked=True)
    key(connection, "key_mid", "key_root")
    key(connection, "key_leaf", "key_mid")
    key(connection, "key_far")
    secret(connection, "key_leaf", "key_far")
    secret(connection, "key_leaf", "key_leaf")
    lines = Lines(connection)
    assert lines.of("key_leaf") == {"key_leaf", "key_mid", "key_root", "key_far"}
    assert lines.of("key_mid") == {"key_mid", "key_root"}
    assert lines.of("key_far") == {"key_far"}


def test_keys_of_two_lines_are_two_persons(connection: Connection) -> None:
    """In both directions; a console's own key is one as well, and has no age."""
    key(connection, "key_1")
    key(connection, "key_2")
    assert bar(connection, "key_1", "key_2") == bar(connection, "key_2", "key_1") == ""
    assert bar(connection, "key_1", LAUNCH_KID) == bar(connection, LAUNCH_KID, "key_1") == ""


@pytest.mark.parametrize(
    ("asker", "approver", "said"),
    [
        ("key_1", "key_1", "asked for the approval itself"),
        ("key_1", "key_child", "This key comes from key_1, which asked"),
        ("key_child", "key_1", "The key that asked, key_child, comes from this one"),
        ("key_child", "key_sister", "both come from key_1,"),
        ("key_launched", LAUNCH_KID, "The key that asked, key_launched, comes from this one"),
        (LAUNCH_KID, "key_launched", f"This key comes from {LAUNCH_KID}"),
        ("key_1", "key_late", "made after the request"),
        ("key_1", "key_none", "not among the keys of the site"),
    ],
)
def test_why_a_key_is_no_second_person(connection: Connection, asker: str, approver: str, said: str) -> None:
    """Each reason has its sentence, and what to do stands behind it."""
    key(connection, "key_1")
    key(connection, "key_child", "key_1")
    key(connection, "key_sister", "key_1")
    key(connection, "key_launched", LAUNCH_KID)
    key(connection, "key_late", at_us=ASKED_US)
    found = bar(connection, asker, approver)
    assert said in found
    assert "arc-console key create" in found


def test_a_key_of_the_moment_before_may(connection: Connection) -> None:
    """One microsecond older than the request."""
    key(connection, "key_1")
    key(connection, "key_2", at_us=ASKED_US - 1)
    assert bar(connection, "key_1", "key_2") == ""


def test_lines_of_before_come_from_the_log(tmp_path: Path) -> None:
    """A store of the revision before: makers are those whom the leaves name. What no leaf names any more is of one
    line with its like."""
    path = tmp_path / "store.db"
    migrations.migrate(path, BEFORE)
    words = ["keys.create", "keys.rotate", "command-line", "key_root", "key_launch"]

    def entry(seq: int, ts: int, action: str, actor: str, kid: str | None, outcome: int = 0) -> tuple[object, ...]:
        payload = None if kid is None else f'{{"detail":{{"kid":"{kid}"}}}}'.encode()
        return seq, ts, words.index(action), outcome, words.index(actor), b"", payload

    entries = [
        entry(0, 10, "keys.create", "command-line", "key_root"),
        entry(1, 20, "keys.create", "key_root", "key_minted"),
        entry(2, 30, "keys.create", "key_launch", "key_launched"),
        entry(3, 40, "keys.rotate", "key_root", "key_launched"),
        entry(4, 50, "keys.create", "key_root", None),
        entry(5, 60, "keys.rotate", "key_launch", "key_root", 1),
    ]
    made = {"key_root": 10, "key_minted": 20, "key_launched": 30, "key_erased": 50}
    secrets = [*made.items(), ("key_launched", 40), ("key_root", 60)]
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.executemany("INSERT INTO log_word VALUES (?, ?)", list(enumerate(words)))
        raw.executemany(
            "INSERT INTO audit_entry (seq, ts, action, outcome, actor, header, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",
            entries,
        )
        raw.executemany(
            "INSERT INTO api_key (kid, label, clearance, created_us, webhook_secret) VALUES (?, '', 'citadel', ?, x'')",
            list(made.items()),
        )
        raw.executemany(
            "INSERT INTO api_key_secret (digest, kid, created_us) VALUES (?, ?, ?)",
            [(bytes([place]), kid, at_us) for place, (kid, at_us) in enumerate(secrets)],
        )
    migrations.migrate(path)
    engine = create_engine(f"sqlite+pysqlite:///{path}")
    with engine.connect() as opened:
        lines = Lines(opened)
    engine.dispose()
    assert {kid: lines.of(kid) - {kid} for kid in made} == {
        "key_root": {"key_unknown"},
        "key_minted": {"key_root", "key_unknown"},
        "key_launched": {"key_launch", "key_root", "key_unknown"},
        "key_erased": {"key_unknown"},
    }
    with closing(sqlite3.connect(path)) as raw:
        assert dict(raw.execute("SELECT kid, made_by FROM api_key").fetchall()) == {
            "key_root": None,
            "key_minted": "key_root",
            "key_launched": "key_launch",
            "key_erased": "key_unknown",
        }


def test_operators_of_two_nodes_and_two_lines_are_two_persons(connection: Connection) -> None:
    """In both directions; and so are an operator and a partner's key of another line."""
    person(connection, "op_a", "ARC-A")
    person(connection, "op_b", "ARC-B", "key_b")
    key(connection, "key_b")
    key(connection, "key_c")
    for one, other in (("op_a", "op_b"), ("op_a", "key_c"), ("op_a", "key_b"), ("op_b", "key_c")):
        assert bar(connection, one, other) == bar(connection, other, one) == ""


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("op_a", "op_a", "You asked for the approval yourself"),
        ("op_a", "op_same", "Both operators are the same person"),
        ("op_a", "op_none", "tied to no node"),
        ("op_a", "op_child", "op_a could act as both"),
        ("op_child", "op_sister", "op_a could act as both"),
        ("op_child", "op_grandchild", "op_a could act as both"),
        ("op_a", "key_of_a", "op_a could act as both"),
        ("op_child", "key_of_a", "op_a could act as both"),
        ("op_a", LAUNCH_KID, "The key of a console is no person"),
        ("op_none", "key_far", "tied to no node"),
    ],
)
def test_why_an_operator_is_no_second_person(connection: Connection, one: str, other: str, why: str) -> None:
    """In both directions, with the way out."""
    person(connection, "op_a", "ARC-A")
    person(connection, "op_same", "ARC-A")
    person(connection, "op_none", None)
    person(connection, "op_child", "ARC-C", "op_a")
    person(connection, "op_sister", "ARC-S", "op_a")
    person(connection, "op_grandchild", "ARC-G", "op_child")
    key(connection, "key_of_a", "op_a")
    key(connection, "key_far")
    for asker, approver in ((one, other), (other, one)):
        said = bar(connection, asker, approver)
        assert why in said
        assert "arc-console operator create" in said


@pytest.mark.parametrize(("at_us", "late"), [(ASKED_US - 1, False), (ASKED_US, True), (ASKED_US + 1, True)])
def test_an_operator_is_older_than_what_it_approves(connection: Connection, at_us: int, late: bool) -> None:
    """By the microsecond; one that there is not approves nothing."""
    person(connection, "op_a", "ARC-A")
    person(connection, "op_b", "ARC-B", at_us=at_us)
    assert ("This operator was made after the request" in bar(connection, "op_a", "op_b")) == late
    assert "tied to no node" in bar(connection, "op_a", "op_gone")


def test_the_line_of_a_key_goes_through_operators(connection: Connection) -> None:
    """A key that an operator made, whose passphrase a key had set."""
    key(connection, "key_root")
    person(connection, "op_a", "ARC-A", "key_root")
    key(connection, "key_leaf", "op_a")
    assert Lines(connection).of("key_leaf") == {"key_leaf", "op_a", "key_root"}
