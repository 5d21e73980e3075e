"""The audit query against a plain filter over all rows."""

from __future__ import annotations

import dataclasses
import random
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

import app.ledger.query.query as query_module
from app.ledger.c2sp.note import parse_checkpoint, parse_note
from app.ledger.cosigned import Cosigned, freeze
from app.ledger.interval import IntervalError
from app.ledger.query.query import EntryCriteria, LoggedEntry
from app.ledger.tree.leaf import body_of, leaf_hash, read_header
from app.ledger.tree.tree import verify_inclusion
from app.store.engine import driver
from app.store.errors import BadCursor
from app.store.writer import ActOutcome, Transaction

ROWS = 1_500
ACTORS = ["key_a", "key_b", "key_c"]
ACTIONS = ["burn.started", "card.written", "node.created"]
NODES = [f"ARC-{number:04d}" for number in range(12)]
UNITS = ["unit-1", "unit-2"]
WORDS = ["alpha", "beta", "gamma", "Müller", "x-7"]


def tokens(text: str) -> list[str]:
    """Words as the index cuts them: letters and digits, without case and accents."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return re.findall(r"\w+", plain.lower())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, make_ledger: Callable[..., Any]) -> Any:
    """A log of rows drawn with a fixed seed, 1,000 microseconds apart, several of them at the same time."""
    clock = iter(range(0, 10**9, 1_000))
    ledger = make_ledger(tmp_path_factory.mktemp("ledger") / "store.db", clock=lambda: next(clock))
    chance = random.Random(7)

    def some(tx: Transaction) -> None:
        for _ in range(chance.randint(1, 5)):
            tx.audit(
                chance.choice(ACTIONS),
                actor=chance.choice(ACTORS),
                outcome=chance.choices(list(ActOutcome), [8, 1, 1])[0],
                node_id=chance.choice([None, *NODES]),
                unit_id=chance.choice([None, None, *UNITS]),
                detail={"note": " ".join(chance.choices(WORDS, k=2))},
            )

    while ledger.log._tree.size < ROWS:
        ledger.run(some)
    yield ledger
    ledger.store.close()


def everything(ledger: Any, **fields: Any) -> list[LoggedEntry]:
    """All entries over all pages, with a check that each page is of the first one's tree."""
    criteria = EntryCriteria(**fields)
    entries: list[LoggedEntry] = []
    notes = set()
    while True:
        page = ledger.query.page(0, 10**9, criteria)
        entries += page.entries
        notes.add(page.checkpoint)
        if page.next is None:
            assert len(notes) == 1
            return entries
        criteria = dataclasses.replace(criteria, cursor=page.next)


def fits(entry: LoggedEntry, criteria: dict[str, Any]) -> bool:
    """Whether ``entry`` fulfils ``criteria``, without any index."""
    for name in ("actor", "action", "node_id", "unit_id", "outcome"):
        if criteria.get(name) is not None and getattr(entry, name) != criteria[name]:
            return False
    if criteria.get("text"):
        words = " ".join(
            [entry.action, entry.actor, entry.node_id or "", entry.unit_id or "", entry.detail.get("note", "")]
        )
        held = " ".join(tokens(words))
        return all(f" {' '.join(tokens(word))} " in f" {held} " for word in criteria["text"].split())
    return True


CRITERIA = st.fixed_dictionaries(
    {},
    optional={
        "actor": st.sampled_from([*ACTORS, "nobody"]),
        "action": st.sampled_from([*ACTIONS, "never.done"]),
        "node_id": st.sampled_from(NODES),
        "unit_id": st.sampled_from(UNITS),
        "outcome": st.sampled_from(list(ActOutcome)),
        "text": st.sampled_from(["alpha", "beta gamma", "muller", "x-7", "ARC-0003", "burn", "key_a alpha", "absent"]),
        "order": st.sampled_from(["asc", "desc"]),
    },
)


@given(criteria=CRITERIA, limit=st.integers(20, 500))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_are_the_plain_filter(filled: Any, criteria: dict[str, Any], limit: int) -> None:
    """Any criteria, page by page, give exactly the entries that a filter over all rows gives, in order."""
    expected = [entry for entry in everything(filled, limit=500, order="asc") if fits(entry, criteria)]
    if criteria.get("order", "desc") == "desc":
        expected.reverse()
    assert everything(filled, **criteria, limit=limit) == expected


@given(criteria=CRITERIA, budget=st.integers(40, 200))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_small_budget_loses_nothing(filled: Any, criteria: dict[str, Any], budget: int) -> None:
    """Where the budget cuts pages short, following ``next`` still gives every entry once."""
    whole = everything(filled, **criteria, limit=100)
    kept = query_module.BUDGET
    query_module.BUDGET = budget  # type: ignore[misc]
    try:
        assert everything(filled, **criteria, limit=20) == whole
    finally:
        query_module.BUDGET = kept  # type: ignore[misc]


@given(criteria=CRITERIA, limit=st.integers(1, 200), witnessed=st.integers(1, ROWS))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_page_s_proofs_hold(filled: Any, criteria: dict[str, Any], limit: int, witnessed: int) -> None:
    """Of any criteria, on the second page too: each leaf leads to both checkpoints, and no hash comes twice."""
    with filled.store.read() as connection:
        note = filled.log.checkpoint_at(connection, witnessed)
    filled.run(lambda tx: freeze(tx, filled.log, Cosigned(witnessed, note, 0, None)))
    cursor = None
    for _ in range(2):
        page = filled.query.page(0, 10**9, EntryCriteria(**criteria, limit=limit, cursor=cursor), proofs=True)
        assert page.proofs is not None
        assert len(page.proofs.entries) == len(page.entries)
        assert len(set(page.proofs.hashes)) == len(page.proofs.hashes)
        notes = (page.checkpoint, page.proofs.cosigned)
        own, cosigned = (parse_checkpoint(parse_note(text.encode()).text) for text in notes)
        assert cosigned.size >= witnessed
        for entry, proof in zip(page.entries, page.proofs.entries, strict=True):
            assert body_of(proof.salt, proof.payload) == read_header(proof.header).body
            leaf = leaf_hash(proof.header)
            assert leaf.hex() == entry.leaf_hash
            places = [(own, proof.path)]
            assert (proof.cosigned_path is None) == (entry.seq >= cosigned.size)
            if proof.cosigned_path is not None:
                places.append((cosigned, proof.cosigned_path))
            for checkpoint, steps in places:
                path = [page.proofs.hashes[at] for at in steps]
                assert verify_inclusion(leaf, entry.seq, checkpoint.size, path, checkpoint.root)
        cursor = page.next
        if cursor is None:
            break


@given(first=st.integers(-5, 800_000), length=st.integers(0, 800_000))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_range_is_half_open(filled: Any, first: int, length: int) -> None:
    """A range holds exactly the entries with from <= time < to."""
    page = filled.query.page(first, first + length, EntryCriteria(limit=500, order="asc"))
    times = [entry.ts_us for entry in everything(filled, limit=500, order="asc")]
    inside = [time for time in times if first <= time < first + length]
    assert page.seq_range[1] - page.seq_range[0] == len(inside)
    assert [entry.ts_us for entry in page.entries] == inside[:500]


def test_entry_is_the_leaf(filled: Any) -> None:
    """An entry's hash is that of the header in the store."""
    entry = filled.query.page(0, 10**9, EntryCriteria(limit=1)).entries[0]
    with filled.store.read() as connection:
        sql = text("SELECT header FROM audit_entry WHERE seq = :seq")
        header = connection.execute(sql, {"seq": entry.seq}).scalar_one()
    assert entry.leaf_hash == leaf_hash(header).hex()


def test_driving_index_is_the_rule(filled: Any) -> None:
    """Each set of criteria runs on the index of the rule, and none sorts."""
    expected = {
        "audit_by_node": {"node_id": NODES[0], "actor": ACTORS[0], "action": ACTIONS[0]},
        "audit_by_unit": {"unit_id": UNITS[0], "outcome": ActOutcome.DENIED},
        "audit_by_actor": {"actor": ACTORS[0], "action": ACTIONS[0], "outcome": ActOutcome.DENIED},
        "audit_by_action": {"action": ACTIONS[0]},
        "audit_by_outcome": {"outcome": ActOutcome.FAILED},
        "INTEGER PRIMARY KEY": {"outcome": ActOutcome.ACCEPTED},
    }
    with filled.store.read() as connection:
        raw = driver(connection)
        for index, fields in expected.items():
            criteria = EntryCriteria(**fields)
            drive, values, _, _ = query_module._plan(query_module._Ids(raw.cursor(), criteria), criteria, 0, 900)
            plan = " ".join(row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {drive} ORDER BY seq DESC", values))
            assert index in plan
            assert "TEMP B-TREE" not in plan


def test_pages_keep_their_tree(opening: Callable[..., Any]) -> None:
    """Entries that come while somebody pages are not in his pages, and the checkpoint stays that of the first."""
    ledger = opening(clock=iter(range(10, 10**6)).__next__)
    for _ in range(30):
        ledger.add(1)
    first = ledger.query.page(0, 10**6, EntryCriteria(limit=20, order="asc"))
    ledger.add(500)
    second = ledger.query.page(0, 10**6, EntryCriteria(limit=20, order="asc", cursor=first.next))
    assert [entry.seq for entry in second.entries] == list(range(20, 30))
    assert (second.next, second.checkpoint) == (None, first.checkpoint)
    assert parse_checkpoint(parse_note(second.checkpoint.encode()).text).size == second.tree_size == 30


def test_cursor_of_another_query(filled: Any) -> None:
    """A cursor does not continue a query that it was not made for."""
    page = filled.query.page(0, 10**9, EntryCriteria(limit=20))
    with pytest.raises(BadCursor):
        filled.query.page(0, 10**9, EntryCriteria(limit=20, actor="key_a", cursor=page.next))


def test_cursor_from_before_a_restore(filled: Any) -> None:
    """A cursor that pins a larger tree than ours is refused."""
    fingerprint = query_module._fingerprint(0, 10**9, EntryCriteria())
    cursor = filled.query._cursors.encode("audit", (5, 10**6), query=fingerprint)
    with pytest.raises(BadCursor, match="newer state"):
        filled.query.page(0, 10**9, EntryCriteria(cursor=cursor))


@pytest.mark.parametrize("limit", [0, 501])
def test_limit_out_of_bounds(filled: Any, limit: int) -> None:
    """A page has 1 to 500 entries."""
    with pytest.raises(ValueError, match="1 to 500"):
        filled.query.page(0, 1, EntryCriteria(limit=limit))


def test_reversed_range(filled: Any) -> None:
    """A range that ends before it begins is refused."""
    with pytest.raises(IntervalError, match="ends before"):
        filled.query.page(2, 1, EntryCriteria())


@given(st.text(min_size=1, max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_may_be_searched(filled: Any, words: str) -> None:
    """No text of a user is an operator or an error of the index."""
    filled.query.page(0, 10**9, EntryCriteria(text=words, limit=20))


def test_empty_log_has_a_page(ledger: Any) -> None:
    """A log without entries answers with an empty page and the checkpoint of size 0."""
    page = ledger.query.page(0, 10**6, EntryCriteria())
    assert (list(page.entries), page.next, page.tree_size) == ([], None, 0)


class Stepping:
    """A clock that jumps where it is told."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory, make_ledger: Callable[..., Any]) -> Any:
    """A log whose clock was set ahead and back many times; the last time it stands behind the log's."""
    clock, chance = Stepping(), random.Random(11)
    ledger = make_ledger(tmp_path_factory.mktemp("stepped") / "store.db", clock=clock)
    for _ in range(300):
        clock.now = max(0, clock.now + chance.choice([100, 100, 100, 100, 700, -500, 3_000, -2_500]))
        ledger.add(chance.randint(1, 3), node_id=chance.choice([None, "ARC-1"]))
    clock.now -= 4_000
    ledger.add(2)
    yield ledger, clock
    ledger.store.close()


@given(
    first=st.integers(990_000, 1_060_000),
    length=st.integers(0, 30_000),
    limit=st.integers(1, 400),
    order=st.sampled_from(["asc", "desc"]),
    node=st.sampled_from([None, "ARC-1"]),
)
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_entries_are_found_by_when_they_came(
    stepped: Any, first: int, length: int, limit: int, order: Any, node: str | None
) -> None:
    """An entry is in the range by its time in the log or by the clock that it came at; each comes once, in order."""
    ledger, _ = stepped
    criteria = EntryCriteria(order=order, limit=500, node_id=node)
    everyone: list[LoggedEntry] = []
    while True:
        page = ledger.query.page(0, 10**9, criteria)
        everyone += page.entries
        if page.next is None:
            break
        criteria = dataclasses.replace(criteria, cursor=page.next)
    assert any(entry.received_us is not None for entry in everyone)
    wanted = [
        entry.seq
        for entry in everyone
        if any(at is not None and first <= at < first + length for at in (entry.ts_us, entry.received_us))
    ]
    found: list[int] = []
    cursor = None
    while True:
        page = ledger.query.page(
            first, first + length, EntryCriteria(order=order, limit=limit, node_id=node, cursor=cursor)
        )
        assert len(page.entries) <= limit
        found += [entry.seq for entry in page.entries]
        cursor = page.next
        if cursor is None:
            break
    assert found == wanted


def test_the_present_is_found_while_the_log_is_ahead(stepped: Any) -> None:
    """The page says by how much, and an entry that came now is found by now."""
    ledger, clock = stepped
    page = ledger.query.page(clock.now, clock.now + 1, EntryCriteria(limit=2))
    assert [entry.received_us for entry in page.entries] == [clock.now] * 2
    assert page.ahead_us == page.entries[0].ts_us - clock.now > 0
