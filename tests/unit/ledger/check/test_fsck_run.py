"""fsck over two small logs: what it says of each table beside them, exactly, and of which part of them."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import StaticPool, create_engine

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import checkpoint_text
from app.ledger.c2sp.policy import parse_policy
from app.ledger.check.fsck import Against, CheckedLog, SeenHead, fsck
from app.ledger.check.rows import WHOLE, LogFault, LogPart
from app.ledger.erase import ERASED
from app.ledger.tables import AUDIT, SEAL, log_anchor, log_cosigned, log_key, log_late, state_row, state_sum, tile_id
from app.ledger.tree.tree import root_at
from app.ledger.witnesses.recorded_quorum import RECORDED, deciding_text
from app.store.tables import metadata
from tests.unit.ledger.check.made_log import (
    OTHER,
    SIGNERS,
    SIZE,
    Told,
    as_told,
    audit_run,
    identity_of,
    make_logs,
    seal_run,
)
from tests.unit.ledger.check.test_log_run import about_log, put_leaf
from tests.unit.ledger.stamps.test_timestamp import AUTHORITY, ROOT

WITNESSES: Final = [
    Cosigner(f"w{number}", Ed25519PrivateKey.from_private_bytes(bytes([30 + number]) * 32)) for number in range(4)
]
"""The fourth is in no policy."""
POLICY: Final = parse_policy(
    "".join(
        [
            *(f"log {signer.verifier.vkey}\n" for signer in SIGNERS.values()),
            *(f"witness w{number} {WITNESSES[number].key.vkey}\n" for number in range(3)),
            "group g 2 w0 w1 w2\nquorum g\n",
        ]
    ).encode()
)
AT: Final = 1_800_000_000
AGAINST: Final = Against(seal=identity_of(SEAL), audit=identity_of(AUDIT), policy=POLICY)
COSIGNED: Final = ((AUDIT, 200), (AUDIT, 256), (AUDIT, 257), (AUDIT, 600), (SEAL, 300))


def texts() -> dict[tuple[int, int], str]:
    """The checkpoints that are cosigned."""
    with closing(make_logs()) as made:
        runs = {AUDIT: audit_run(made), SEAL: seal_run(made)}
        assert [fault for run in runs.values() for fault in run.findings()] == []
        return {
            (log, size): checkpoint_text(f"log{log}", size, root_at(runs[log].node(), size)) for log, size in COSIGNED
        }


TEXTS: Final = texts()


def line(witness: int, log: int, size: int, at: int = AT) -> str:
    """A witness's line."""
    return WITNESSES[witness].line(TEXTS[log, size], at)


def frozen(log: int, size: int, *lines: str) -> bytes:
    """A kept note with the log's own line."""
    return zlib.compress((SIGNERS[log].sign(TEXTS[log, size]) + "".join(lines)).encode())


NOT_MET: Final = "the note does not meet the policy of its time: "
FEW: Final = f"{NOT_MET}too few of the policy's witnesses have cosigned the checkpoint"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sound logs with cosigned checkpoints, in a file. Leave it as it is."""
    path = tmp_path_factory.mktemp("sound") / "store.db"
    with closing(make_logs()) as made:
        engine = create_engine("sqlite://", creator=lambda: made, poolclass=StaticPool)
        tables = [log_cosigned, log_late, log_anchor, log_key, state_sum, state_row]
        metadata.create_all(engine, tables=tables)
        for log, size in COSIGNED:
            note = frozen(log, size, line(0, log, size, AT - 9), line(1, log, size))
            made.execute("INSERT INTO log_cosigned VALUES (?, ?, ?, ?, NULL)", (log, size, note, AT))
            key = WITNESSES[2].key.key_id.hex()
            made.execute("INSERT INTO log_late VALUES (?, ?, ?, ?)", (log, size, key, line(2, log, size)))
        with closing(sqlite3.connect(path)) as file:
            made.backup(file)
    return path


@pytest.fixture
def path(template: Path, tmp_path: Path, few_searches: None) -> Path:
    """A copy to be edited."""
    copy = tmp_path / "store.db"
    copy.write_bytes(template.read_bytes())
    return copy


def edit(path: Path, sql: str, values: tuple[object, ...] = ()) -> None:
    """One statement on the closed store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        assert raw.execute(sql, values).rowcount != 0


def told(path: Path, against: Against = AGAINST, part: LogPart = WHOLE) -> list[Told]:
    """All that fsck says."""
    return [as_told(fault) for fault in fsck(path, against, part=part)]


def test_a_sound_store_is_clean(path: Path) -> None:
    """As a whole and in parts; what is done is told in steps, and the first part has more of them."""
    assert told(path) == []
    steps: dict[int, list[tuple[str, int, int]]] = {}
    for number in (0, 1):
        steps[number] = []
        found = fsck(path, AGAINST, lambda *step, of=number: steps[of].append(step), LogPart(number, 2))
        assert list(found) == []
    cosigned = [("audit_entry: cosigned checkpoints", 0, 4), ("seal_entry: cosigned checkpoints", 0, 1)]
    entries = [(f"{log}_entry", done, 600) for log in ("audit", "seal") for done in (0, 344)]
    assert [step for step in steps[0] if step[0] == "rows"] == [("rows", 0, 1)]
    assert [step for step in steps[1] if step[0] == "rows"] == []
    for number in (0, 1):
        assert steps[number][0] == ("integrity", 0, 1)
        assert set(entries) <= set(steps[number])
    assert set(cosigned) <= {*steps[0], *steps[1]}


STRANGERS = {
    f"a row of a {table}": (
        f"INSERT INTO {table} SELECT 2, {rest} FROM {of} LIMIT 1",
        [(table, "a row of a log 2, which there is not", None)],
    )
    for table, of, rest in (
        ("log_head", "log_head", "size, root, note"),
        ("log_cosigned", "log_cosigned", "size, note, quorum_at, token"),
        ("log_late", "log_late", "size, key_id, line"),
        ("log_anchor", "log_late", "size, key_id, 1, x'00'"),
    )
}
EXTRA_TILES = [
    (tile_id(0, 0, 2), tile_id(0, 1, 0), tile_id(0, 1, 1), tile_id(0, 2, 0), tile_id(0, 255, 7)),
    (tile_id(1, 0, 2), tile_id(1, 0, 2**48 - 1), tile_id(1, 1, 0), tile_id(1, 2, 0), tile_id(1, 3, 9)),
    (tile_id(2, 0, 0), 2**63 - 2),
    (-1, -(2**63)),
]


@pytest.mark.parametrize("name", STRANGERS)
def test_rows_of_no_log_are_told(path: Path, name: str) -> None:
    """In each table that has a log's number."""
    sql, expected = STRANGERS[name]
    edit(path, sql)
    assert told(path) == expected
    edit(path, f"UPDATE {expected[0][0]} SET log = -1 WHERE log = 2")
    assert told(path) == [(expected[0][0], "a row of a log -1, which there is not", None)]


def test_every_tile_too_many_is_told(path: Path) -> None:
    """Once each, in both parts: behind the last full one, of a level that is not begun, of no log."""
    for group in EXTRA_TILES:
        for number in group:
            edit(path, "INSERT INTO log_tile VALUES (?, zeroblob(8192))", (number,))
    expected = [
        ("log_tile", f"tile {number} is of no full part of a log", None) for group in EXTRA_TILES for number in group
    ]
    for part in (WHOLE, LogPart(1, 2)):
        assert sorted(fault for fault in told(path, part=part) if "full part" in fault[1]) == sorted(expected)


NO_LEAF, NOT_GONE = (
    "the payload is gone, and no leaf says that it was erased",
    "a leaf says that the payload was erased, but it is there",
)


def test_an_erasure_that_no_leaf_says_is_told(path: Path) -> None:
    """In each log, each entry."""
    edit(path, "UPDATE seal_entry SET salt = NULL, payload = NULL WHERE seq IN (0, 9, 599)")
    edit(path, "UPDATE audit_entry SET salt = NULL, payload = NULL, node = NULL, unit = NULL WHERE seq = 50")
    found = told(path)
    assert [fault for fault in found if fault[1] == NO_LEAF] == [
        ("audit_entry", NO_LEAF, 50),
        *[("seal_entry", NO_LEAF, seq) for seq in (0, 9, 599)],
    ]
    assert not [fault for fault in found if fault[1] == NOT_GONE]


def test_what_a_leaf_erases_is_gone(path: Path) -> None:
    """From the first to the last entry of each range, in the log that it names; the first one left is told."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        put_leaf(raw, about_log(ERASED, log="seal", seqs=[[3, 9], [20, 20]], legal_basis="x"))
        put_leaf(raw, about_log(ERASED, log="audit", seqs=[[599, 599]], legal_basis="x"))
    audit = ("audit_entry", NOT_GONE, 599)
    assert told(path) == [audit, ("seal_entry", NOT_GONE, 3), ("seal_entry", NOT_GONE, 20)]
    gone = "UPDATE seal_entry SET salt = NULL, payload = NULL WHERE seq"
    edit(path, f"{gone} BETWEEN 3 AND 8")
    assert told(path) == [audit, ("seal_entry", NOT_GONE, 9), ("seal_entry", NOT_GONE, 20)]
    edit(path, f"{gone} IN (9, 20)")
    assert told(path) == [audit]


def test_a_policy_is_the_one_that_the_newest_leaf_states(path: Path) -> None:
    """Another file is told at that leaf; without a file, or without a leaf, there is nothing to compare."""
    text = deciding_text(POLICY)
    stated = {"audit": 0, "policy": text.decode(), "seal": 0, "sha256": hashlib.sha256(text).hexdigest()}
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        put_leaf(raw, about_log(RECORDED, **stated))
    assert told(path) == told(path, replace(AGAINST, policy=None)) == []
    weak = replace(POLICY, groups=tuple(replace(group, threshold=1) for group in POLICY.groups))
    ((where, what, seq),) = told(path, replace(AGAINST, policy=weak))
    assert (where, seq) == ("policy", SIZE)
    assert what.startswith("the policy file has other witnesses or another quorum than this entry")


# --- what the witnesses have seen


def test_what_the_witnesses_saw_is_of_this_log(path: Path) -> None:
    """A size beyond the store's means an old copy; another root another history."""
    good = SIGNERS[AUDIT].sign(TEXTS[AUDIT, SIZE])
    other = SIGNERS[AUDIT].sign(checkpoint_text("log1", 200, bytes(32)))
    beyond = SIGNERS[AUDIT].sign(checkpoint_text("log1", SIZE + 1, bytes(32)))
    seal = SIGNERS[SEAL].sign(TEXTS[SEAL, 300])
    heads = {
        "w0": (AUDIT, good, None),
        "w1": (AUDIT, other, ("the entries do not give the root that the note signs", 200)),
        "w2": (AUDIT, beyond, ("has cosigned 601 entries, the store has 600: it was cut off or is an old copy", 601)),
        "w3": (AUDIT, "gone", ("answers no checkpoint: the note has no signatures", None)),
        "w4": (SEAL, seal, None),
        "w5": (SEAL, None, None),
        "w6": (SEAL, good, ("the note is of 600 entries of log1", SIZE)),
        "w7": (7, good, None),
    }
    seen = [SeenHead(witness, log, note) for witness, (log, note, _) in heads.items()]
    expected = [(f"witness {name}", *fault) for name, (_, _, fault) in heads.items() if fault is not None]
    assert told(path, replace(AGAINST, seen=seen)) == expected


# --- cosigned checkpoints


def test_a_quorum_is_that_of_its_row(path: Path) -> None:
    """Its time, who met it, and nobody beside them; without a policy only the log's own line is judged."""
    alone = replace(AGAINST, policy=None)
    set_note = "UPDATE log_cosigned SET note = ? WHERE log = 1 AND size = 200"

    def of(*lines: str) -> list[Told]:
        edit(path, set_note, (frozen(AUDIT, 200, *lines),))
        found = told(path)
        assert told(path, alone) == []
        return found

    first, second, third = (line(number, AUDIT, 200, AT - number) for number in range(3))
    nobody = "the note has a signature line of nobody in the policy, or a wrong one"
    assert of(first, second) == []
    assert of(first, second, third) == [
        ("log_cosigned", f"the quorum was met at {AT - 1}, the row says {AT}", 200),
    ]
    assert of(first, second, line(3, AUDIT, 200)) == [("log_cosigned", nobody, 200)]
    stranger = OTHER.sign(TEXTS[AUDIT, 200]).removeprefix(f"{TEXTS[AUDIT, 200]}\n")
    assert of(first, second, stranger) == [("log_cosigned", nobody, 200)]
    wrong = ("log_cosigned", f"{NOT_MET}the cosignature of w2 is wrong", 200)
    assert of(first, second, line(2, AUDIT, 256)) == [wrong]
    assert of(first) == [("log_cosigned", FEW, 200)]
    edit(path, set_note, (frozen(AUDIT, 200, first, second),))
    for later in (1, -1):
        edit(path, "UPDATE log_cosigned SET quorum_at = quorum_at + ? WHERE log = 1 AND size = 200", (later,))
        assert told(path) == [("log_cosigned", f"the quorum was met at {AT}, the row says {AT + later}", 200)]
        edit(path, "UPDATE log_cosigned SET quorum_at = ? WHERE log = 1 AND size = 200", (AT,))
    edit(path, "UPDATE log_cosigned SET note = x'00' WHERE log = 1 AND size = 200")
    assert told(path) == [("log_cosigned", "the note is damaged: a kept note is damaged", 200)]


def test_each_checkpoint_is_judged_by_one_part(path: Path) -> None:
    """By its size; also one that can be none."""
    edit(path, "UPDATE log_cosigned SET quorum_at = 1 WHERE log = 1")
    sizes = [{seq for _, _, seq in told(path, part=LogPart(number, 2))} for number in (0, 1)]
    assert sizes == [{200, 256}, {257, 600}]


def test_a_policy_of_an_earlier_origin_judges_its_notes(path: Path) -> None:
    """The one whose log the note names, and today's for all others."""
    never = replace(POLICY, groups=tuple(replace(group, threshold=3) for group in POLICY.groups))
    of_seal = replace(POLICY, logs=tuple(row for row in POLICY.logs if row.key.name == "log0"))
    of_audit = [("log_cosigned", FEW, size) for log, size in COSIGNED if log == AUDIT]
    assert told(path, replace(AGAINST, policy=never)) == [*of_audit, ("log_cosigned", FEW, 300)]
    assert told(path, replace(AGAINST, policy=never, earlier=[of_seal])) == of_audit


def test_a_late_line_is_one_line_of_a_witness(path: Path) -> None:
    """Over the checkpoint that is there, by a witness that the policy names; one, and no more."""
    where = "WHERE log = 1 AND size = 200"
    good = line(2, AUDIT, 200)

    def of(text: str) -> list[Told]:
        edit(path, f"UPDATE log_late SET line = ? {where}", (text,))
        return told(path)

    assert of(good) == []
    assert of(good + line(0, AUDIT, 200)) == [("log_late", "a late cosignature is more than one line", 200)]
    wrong = [("log_late", "a late cosignature is wrong: the cosignature of w2 is wrong", 200)]
    assert of(line(2, AUDIT, 256)) == wrong
    assert [fault[::2] for fault in of("x")] == [("log_late", 200)]
    assert of(good) == []
    edit(path, f"UPDATE log_late SET key_id = ? {where}", (WITNESSES[3].key.key_id.hex(),))
    nobody = "a cosignature of nobody in the policy of its time or a later one"
    assert told(path) == [("log_late", nobody, 200)]
    edit(path, f"UPDATE log_late SET key_id = ?, size = 201 {where}", (WITNESSES[2].key.key_id.hex(),))
    assert told(path) == [("log_late", "a cosignature of a checkpoint that is not there", 201)]
    assert told(path, part=LogPart(1, 2)) == []
    assert told(path, replace(AGAINST, policy=None)) == told(path)


def test_tokens_are_asked_for_where_there_are_roots(path: Path) -> None:
    """Of every checkpoint; each within a span of the time when its quorum was met."""
    with_roots = replace(AGAINST, roots=[ROOT])
    none = "the checkpoint has no time stamp"
    assert told(path, with_roots) == [("log_cosigned", none, size) for _, size in COSIGNED]
    now = datetime.now(UTC).replace(microsecond=0)
    for log, size in COSIGNED:
        edit(
            path,
            "UPDATE log_cosigned SET token = ? WHERE log = ? AND size = ?",
            (AUTHORITY.token(TEXTS[log, size].encode(), now), log, size),
        )
    apart = round(AT - now.timestamp())
    assert told(path, with_roots) == [
        ("log_cosigned", f"the time stamp is {abs(apart)} s from its time", size) for _, size in COSIGNED
    ]


# --- the rest


def test_what_cannot_be_read_ends_nothing(path: Path) -> None:
    """A table that is gone is one finding; the others are judged."""
    edit(path, "UPDATE log_cosigned SET quorum_at = 1 WHERE log = 1 AND size = 200")
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("DROP TABLE log_late")
    gone = ("log_late", "cannot be read to its end: no such table: main.log_late", None)
    wrong = ("log_cosigned", f"the quorum was met at {AT}, the row says 1", 200)
    found = [(where, what.replace("table: log_late", "table: main.log_late"), seq) for where, what, seq in told(path)]
    assert found == [
        wrong,
        gone,
        gone,
        ("log_tile", "cannot be read to its end: no such table: main.log_late", None),
    ]


def test_derived_rows_are_checked_once(path: Path) -> None:
    """By the first part, over the seal log as it was found; a check that breaks is a finding."""
    sizes: list[tuple[int, bytes]] = []

    def check(_: sqlite3.Connection, log: CheckedLog) -> Iterator[LogFault]:
        sizes.append((log.size, root_at(log.nodes(), 300)))
        assert log.nodes() is not log.nodes()
        yield LogFault("knot", "wrong", 3)
        raise ValueError("broken")

    against = replace(AGAINST, derived=[check, check])
    expected = [("knot", "wrong", 3), ("derived", "cannot be read to its end: broken", None)]
    assert told(path, against, LogPart(1, 2)) == []
    assert told(path, against, LogPart(0, 2)) == expected * 2
    assert told(path, against) == expected * 2
    root = TEXTS[SEAL, 300].splitlines()[2]
    assert len(sizes) == 4
    assert {size for size, _ in sizes} == {SIZE}
    assert {checkpoint_text("x", 1, found).splitlines()[2] for _, found in sizes} == {root}


def test_words_of_no_entry_are_told_by_the_whole_check(path: Path) -> None:
    """A part has not seen the other entries."""
    edit(path, "INSERT INTO log_word VALUES (77, 'NODE-99')")
    assert told(path) == [("log_word", "word 77 is of no entry", None)]
    assert told(path, part=LogPart(0, 2)) == told(path, part=LogPart(1, 2)) == []


def test_the_index_of_a_table_is_compared_by_the_first_part(path: Path) -> None:
    """The file's own check finds an index that lacks an entry; the others look at the pages alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'IS NOT NULL', 'IS NULL') WHERE name = 'audit_by_unit'"
        )
    for part, seen in ((WHOLE, True), (LogPart(0, 2), True), (LogPart(1, 2), False)):
        damaged = [what for where, what, _ in told(path, part=part) if where == "store"]
        assert bool(damaged) is seen
        assert all(what.startswith("the file is damaged: ") for what in damaged)
        assert len(damaged) <= 100
