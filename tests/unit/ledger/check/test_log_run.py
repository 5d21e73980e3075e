"""The check of one log says exactly what is wrong, and where: no more of an edit than what it changed, and no less."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Signer, checkpoint_text, parse_note
from app.ledger.check import rows
from app.ledger.check.fast_path import Row
from app.ledger.check.rows import AuditRun, LogFault, LogIdentity, LogPart, LogRun, Ranges
from app.ledger.erase import ERASED
from app.ledger.tables import AUDIT, SEAL, tile_id
from app.ledger.tree.leaf import REKEYED, body_of, canonical, header_of, knot_id_of, leaf_hash, words_of
from app.ledger.tree.tree import EMPTY, fold
from app.store.writer import ActOutcome, Leaf, SealLeaf
from tests.unit.ledger.check.made_log import (
    INTO_AUDIT,
    OTHER,
    SIGNERS,
    SIZE,
    Told,
    as_told,
    audit_run,
    identity_of,
    leaf_at,
    make_logs,
    put_tree,
    seal_run,
    told,
)


@pytest.fixture(scope="module")
def template() -> Iterator[sqlite3.Connection]:
    """Two sound logs. Leave them as they are."""
    with closing(make_logs()) as made:
        yield made


@pytest.fixture
def raw(template: sqlite3.Connection, few_searches: None) -> Iterator[sqlite3.Connection]:
    """A copy to be edited."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        template.backup(copy)
        yield copy


ENTRY, HEAD, TILE_ = "audit_entry", "log_head", "log_tile"
INDEX: Told = ("audit_text", "the search index does not hold just the words of the entries", None)
MISSING, OUTSIDE = "the entry is missing", "an entry outside the signed tree"
NOT_ITS_HASH = "the entry is not the one whose hash the tile holds"
TILE_GONE = "the tile of the entries from here on is missing or cut"
NOT_OF_HEADER = "time, action, outcome or actor are not those of the header"
NOT_OPEN = "the payload is not the one that the header is over"
NOT_NAMED = "node or unit are not those of the payload"
UNFOUND = "a search for its words does not find the entry"
TYPE = "a value has another type than its column"
OLDER = "the entry is older than the one before it"
LAST_GONE = "the head says 600 entries, the last one is missing"


def root_faults(size: int = SIZE) -> list[Told]:
    """What follows where an entry of the open tile is not the one that was signed."""
    return [
        (HEAD, "the entries do not give the root that the head holds", size),
        (HEAD, "the entries do not give the root that the note signs", size),
    ]


def test_sound_logs_are_clean(raw: sqlite3.Connection) -> None:
    """Nothing is said; size, roots and progress are those of the log."""
    steps: list[tuple[str, int, int]] = []
    audit = audit_run(raw, progress=lambda *step: steps.append(step))
    assert audit.size == 0
    assert told(audit) == []
    assert (audit.size, list(audit.empty)) == (SIZE, [])
    assert steps == [("audit_entry", 0, 600), ("audit_entry", 600, 600), ("search index", 0, 1)]
    assert list(audit.unused_words()) == []
    seal = seal_run(raw)
    assert (told(seal), seal.size) == ([], SIZE)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 512])
def test_sound_logs_of_any_size_are_clean(size: int) -> None:
    """With and without full tiles, with and without an open one; each part too."""
    with closing(make_logs(size)) as made:
        assert told(audit_run(made)) == told(seal_run(made)) == []
        for number in range(3):
            assert told(audit_run(made, LogPart(number, 3))) == told(seal_run(made, LogPart(number, 3))) == []


def test_an_empty_log_has_the_empty_root() -> None:
    """And a head over it that says anything else is told."""
    with closing(make_logs(0)) as made:
        assert made.execute("SELECT size, root FROM log_head WHERE log = 1").fetchone() == (0, EMPTY)
        made.execute("UPDATE log_head SET root = zeroblob(32)")
        assert told(audit_run(made)) == [(HEAD, "the entries do not give the root that the head holds", 0)]
        made.execute("DELETE FROM log_head")
        assert told(audit_run(made)) == []


AUDIT_EDITS: dict[str, tuple[str, list[Told]]] = {
    "head deleted": (
        "DELETE FROM log_head WHERE log = 1",
        [(HEAD, "audit_entry has 600 entries and no signed head", None)],
    ),
    "time": ("UPDATE audit_entry SET ts = ts + 1 WHERE seq = 51", [(ENTRY, NOT_OF_HEADER, 51)]),
    "time much later": (
        "UPDATE audit_entry SET ts = ts + 2 WHERE seq = 50",
        [(ENTRY, NOT_OF_HEADER, 50), (ENTRY, OLDER, 51)],
    ),
    "outcome": ("UPDATE audit_entry SET outcome = 0 WHERE seq = 50", [(ENTRY, NOT_OF_HEADER, 50)]),
    "outcome of none": ("UPDATE audit_entry SET outcome = 3 WHERE seq = 50", [(ENTRY, NOT_OF_HEADER, 50)]),
    "outcome below all": ("UPDATE audit_entry SET outcome = -1 WHERE seq = 50", [(ENTRY, NOT_OF_HEADER, 50)]),
    "node taken away": ("UPDATE audit_entry SET node = NULL WHERE seq = 50", [(ENTRY, NOT_NAMED, 50)]),
    "unit put in": ("UPDATE audit_entry SET unit = node WHERE seq = 50", [(ENTRY, NOT_NAMED, 50)]),
    "node of no word": ("UPDATE audit_entry SET node = 999 WHERE seq = 50", [(ENTRY, NOT_NAMED, 50)]),
    "salt": ("UPDATE audit_entry SET salt = zeroblob(15) WHERE seq = 50", [(ENTRY, NOT_OPEN, 50)]),
    "salt alone erased": (
        "UPDATE audit_entry SET salt = NULL WHERE seq = 50",
        [(ENTRY, NOT_OPEN, 50), (ENTRY, "the payload is gone, but node or unit is still there", 50), INDEX],
    ),
    "salt alone erased of a unit": (
        "UPDATE audit_entry SET salt = NULL WHERE seq = 21",
        [(ENTRY, NOT_OPEN, 21), (ENTRY, "the payload is gone, but node or unit is still there", 21), INDEX],
    ),
    "payload that is none": (
        "UPDATE audit_entry SET payload = CAST('x' AS BLOB) WHERE seq = 50",
        [(ENTRY, NOT_OPEN, 50), (ENTRY, "the payload is none", 50), INDEX],
    ),
    "header of another actor": (
        "UPDATE audit_entry SET header = CAST(replace(header, 'key_0', 'key_1') AS BLOB) WHERE seq = 50",
        [(ENTRY, NOT_OF_HEADER, 50), (ENTRY, NOT_ITS_HASH, 50)],
    ),
    "header with a space": (
        "UPDATE audit_entry SET header = CAST(replace(header, ',\"ts', ', \"ts') AS BLOB) WHERE seq = 50",
        [(ENTRY, "the header is not in its canonical form", 50), (ENTRY, NOT_ITS_HASH, 50)],
    ),
    "header that is none": (
        "UPDATE audit_entry SET header = CAST('x' AS BLOB) WHERE seq = 50",
        [(ENTRY, "the header is none", 50), (ENTRY, NOT_ITS_HASH, 50)],
    ),
    "first entry deleted": (
        "DELETE FROM audit_entry WHERE seq = 0",
        [(ENTRY, MISSING, 0), INDEX],
    ),
    "two neighbours deleted at a tile's end": (
        "DELETE FROM audit_entry WHERE seq IN (255, 256)",
        [(ENTRY, MISSING, 255), (ENTRY, MISSING, 256), INDEX],
    ),
    "last entry deleted": (
        "DELETE FROM audit_entry WHERE seq = 599",
        [(ENTRY, LAST_GONE, 599), (ENTRY, MISSING, 599), *root_faults(), INDEX],
    ),
    "a tile of entries deleted": (
        "DELETE FROM audit_entry WHERE seq BETWEEN 256 AND 511",
        [(ENTRY, "the entries up to 511 are missing", 256), INDEX],
    ),
    "all entries deleted": (
        "DELETE FROM audit_entry",
        [
            (ENTRY, LAST_GONE, 599),
            (ENTRY, "the entries up to 255 are missing", 0),
            (ENTRY, "the entries up to 511 are missing", 256),
            *[(ENTRY, MISSING, seq) for seq in range(512, 600)],
            *root_faults(),
            INDEX,
        ],
    ),
    "entry before the first": (
        f"{INTO_AUDIT} SELECT -1, header, ts, action, outcome, actor, node, unit, salt, payload FROM audit_entry "
        "WHERE seq = 0",
        [(ENTRY, OUTSIDE, -1)],
    ),
    "entries behind the last": (
        f"{INTO_AUDIT} SELECT seq + 256, header, ts, action, outcome, actor, node, unit, salt, payload "
        "FROM audit_entry WHERE seq BETWEEN 344 AND 511",
        [(ENTRY, OUTSIDE, seq) for seq in range(600, 768)],
    ),
    "tile deleted": (f"DELETE FROM log_tile WHERE id = {tile_id(1, 0, 1)}", [(TILE_, TILE_GONE, 256)]),
    "tile cut": (
        f"UPDATE log_tile SET h = substr(h, 1, 8160) WHERE id = {tile_id(1, 0, 0)}",
        [(TILE_, TILE_GONE, 0)],
    ),
    "tile and an entry deleted": (
        f"DELETE FROM log_tile WHERE id = {tile_id(1, 0, 0)}; DELETE FROM audit_entry WHERE seq = 9",
        [(TILE_, TILE_GONE, 0), (ENTRY, MISSING, 9), *root_faults(), INDEX],
    ),
    "one hash of a tile edited": (
        f"UPDATE log_tile SET h = CAST(substr(h, 1, 96) || zeroblob(32) || substr(h, 129) AS BLOB) "
        f"WHERE id = {tile_id(1, 0, 1)}",
        [(ENTRY, NOT_ITS_HASH, 259), *root_faults()],
    ),
    "size one too small": (
        "UPDATE log_head SET size = 599 WHERE log = 1",
        [
            (ENTRY, OUTSIDE, 599),
            (HEAD, "the entries do not give the root that the head holds", 599),
            (HEAD, "the note is of 600 entries of log1", 599),
            INDEX,
        ],
    ),
    "word of nobody": ("INSERT INTO log_word VALUES (77, 'NODE-99')", []),
    "search text added": ("INSERT INTO audit_text (rowid, words) VALUES (54, 'innocent')", [INDEX]),
    "search text of no entry": ("INSERT INTO audit_text (rowid, words) VALUES (5400, 'innocent')", [INDEX]),
}


@pytest.mark.parametrize("name", AUDIT_EDITS)
def test_an_edit_of_the_audit_log_is_told_as_it_is(raw: sqlite3.Connection, name: str) -> None:
    """Every fault that it makes, in order, and no other."""
    sql, expected = AUDIT_EDITS[name]
    raw.executescript(sql)
    assert told(audit_run(raw)) == expected
    assert told(seal_run(raw)) == []


def take_words(raw: sqlite3.Connection, seq: int) -> None:
    """The index forgets the entry."""
    words = words_of(leaf_at(seq))
    raw.execute("INSERT INTO audit_text (audit_text, rowid, words) VALUES ('delete', ?, ?)", (seq, words))


def test_words_of_the_index_are_searched_for(raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry whose words the index lacks is told; an index that is gone is told too, and ends nothing."""
    monkeypatch.setattr(rows, "_LOOKED_UP", 1_000)
    take_words(raw, 54)
    assert told(audit_run(raw)) == [(ENTRY, UNFOUND, 54), INDEX]
    raw.execute(
        "INSERT INTO audit_text (audit_text, rowid, words) VALUES ('delete', 599, ?)", (words_of(leaf_at(599)),)
    )
    assert told(audit_run(raw)) == [(ENTRY, UNFOUND, 54), (ENTRY, UNFOUND, 599), INDEX]
    raw.execute("DROP TABLE audit_text")
    found = told(audit_run(raw))
    assert [what for _, what, _ in found[:-1]] == ["a search for its words fails: no such table: audit_text"] * SIZE
    assert [seq for _, _, seq in found[:-1]] == list(range(SIZE))
    assert found[-1][:2] == ("audit_text", "the search index cannot be read: no such fts5 table: main.audit_text")


@pytest.mark.parametrize("every", [7, 100, 256, 300])
def test_entries_are_searched_for_at_even_distances(raw: sqlite3.Connection, every: int) -> None:
    """The same ones, wherever the tiles begin, and in the open one."""
    raw.execute("INSERT INTO audit_text (audit_text) VALUES ('delete-all')")
    run = audit_run(raw)
    run._open = [bytearray(), bytearray()]
    run.size, run._every = SIZE, every
    assert [as_told(fault)[1:] for fault in run._read_rows()] == [(UNFOUND, seq) for seq in range(0, SIZE, every)]


def test_so_many_entries_are_searched_for(raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand of each part, or all where there are fewer."""
    monkeypatch.setattr(rows, "_LOOKED_UP", 1_000)

    class Many:
        """A log of so many entries, of which nothing else can be read."""

        def execute(self, *_: object) -> Many:
            return self

        def fetchone(self) -> tuple[int]:
            return (21_000,)

    for of, every in ((1, 21), (7, 3), (40, 1)):
        run = audit_run(raw, LogPart(0, of))
        run._connection = Many()  # type: ignore[assignment]
        with pytest.raises((ValueError, TypeError)):
            told(run)
        assert run._every == every


def test_words_that_no_entry_names_are_told(raw: sqlite3.Connection) -> None:
    """Each by its number, also one that can be none; a word in use is not, whatever its number."""
    raw.executescript(
        "INSERT INTO log_word VALUES (77, 'NODE-99'), (-3, 'x'), (0, 'y'), (9000000000, 'z'); "
        "UPDATE log_word SET id = 1024 WHERE id = 1; UPDATE audit_entry SET action = 1024 WHERE action = 1"
    )
    audit = audit_run(raw)
    assert told(audit) == []
    assert [as_told(fault) for fault in audit.unused_words()] == [
        ("log_word", f"word {number} is of no entry", None) for number in (-3, 0, 77, 9_000_000_000)
    ]


@pytest.mark.parametrize(
    ("sql", "size", "beyond"),
    [
        ("", 768, False),
        ("", 769, True),
        ("", 1 << 62, True),
        ("", 0, False),
        ("", -1, True),
        # Fewer entries than the tiles hold, or fewer tiles than the entries fill: what is there more of counts.
        ("DELETE FROM audit_entry WHERE seq > 99", 768, False),
        ("DELETE FROM audit_entry WHERE seq > 99", 769, True),
        (f"INSERT INTO log_tile VALUES ({tile_id(1, 1, 0)}, zeroblob(8192))", 769, True),
        ("DELETE FROM log_tile", 768, False),
        ("DELETE FROM log_tile", 769, True),
        # The last entry counts as far as twice that; one that lies far away makes nothing larger.
        ("DELETE FROM audit_entry WHERE seq < 400; DELETE FROM log_tile WHERE id & 1 = 1", 768, False),
        ("DELETE FROM audit_entry WHERE seq < 400; DELETE FROM log_tile WHERE id & 1 = 1", 769, True),
        ("UPDATE audit_entry SET seq = 5000 WHERE seq = 599", 1_280, False),
        ("UPDATE audit_entry SET seq = 5000 WHERE seq = 599", 1_281, True),
        ("UPDATE audit_entry SET seq = 5000 WHERE seq = 599; DELETE FROM audit_entry WHERE seq < 9", 5_001, True),
    ],
)
def test_a_size_is_believed_as_far_as_there_is_something(
    raw: sqlite3.Connection, sql: str, size: int, beyond: bool
) -> None:
    """An edited size does not make the check count up to it; it goes on over what is there."""
    raw.executescript(sql)
    raw.execute("UPDATE log_head SET size = ? WHERE log = 1", (size,))
    (count,) = raw.execute("SELECT count(*) FROM audit_entry").fetchone()
    run = audit_run(raw)
    found = told(run)
    said = [fault for fault in found if "beyond all" in fault[1]]
    assert said == ([(HEAD, f"the size {size} is beyond all entries and tiles", size)] if beyond else [])
    assert run.size == (size if not beyond else min(max(size, 0), count))


def of_entry(seq: int) -> str:
    """An edit of the entry whose only sign is the entry itself."""
    return f"UPDATE audit_entry SET salt = zeroblob(15) WHERE seq = {seq}"


@pytest.mark.parametrize(
    ("seq", "parts"),
    [(0, {0}), (255, {0}), (256, {1}), (511, {1}), (512, {0, 1}), (599, {0, 1})],
)
def test_an_entry_is_judged_by_its_part(raw: sqlite3.Connection, seq: int, parts: set[int]) -> None:
    """The open tile's by every part; the sizes and tiles by all."""
    raw.execute(of_entry(seq))
    for number in (0, 1):
        expected = [(ENTRY, NOT_OPEN, seq)] if number in parts else []
        assert told(audit_run(raw, LogPart(number, 2))) == expected


@pytest.mark.parametrize("number", [0, 1])
def test_tiles_and_strange_entries_are_judged_by_every_part(raw: sqlite3.Connection, number: int) -> None:
    """A tile that is missing where the part does not look gives no root."""
    raw.execute(f"DELETE FROM log_tile WHERE id = {tile_id(1, 0, 0)}")
    raw.execute("UPDATE audit_entry SET seq = -9000000000000000000 WHERE seq = 5")
    raw.execute("UPDATE audit_entry SET seq = 9000000000000000000 WHERE seq = 300")
    found = told(audit_run(raw, LogPart(number, 2)))
    assert found.count((TILE_, TILE_GONE, 0)) == 1
    assert [fault for fault in found if fault[1] == OUTSIDE] == [
        (ENTRY, OUTSIDE, -9 * 10**18),
        (ENTRY, OUTSIDE, 9 * 10**18),
    ]
    assert ((ENTRY, MISSING, 5) in found, (ENTRY, MISSING, 300) in found) == (number == 0, number == 1)
    assert root_faults()[0] in found


@pytest.mark.parametrize("seq", [300, 550])
@pytest.mark.parametrize("value", ["text", None, 7])
def test_a_value_of_another_type_is_told(raw: sqlite3.Connection, seq: int, value: object) -> None:
    """One byte of the file says the type; the entry's hash is then not there, and its neighbours are not accused."""
    given = raw.execute(f"{AuditRun.select} ORDER BY seq").fetchall()
    given[seq] = (seq, value, *given[seq][2:])
    run = audit_run(raw)
    run._rows = lambda: iter(given)  # type: ignore[method-assign]
    expected: list[Told] = [(ENTRY, TYPE, seq), (ENTRY, MISSING, seq)]
    assert told(run) == [*expected, *(root_faults() if seq == 550 else []), INDEX]


def test_full_tiles_of_sound_entries_are_judged_as_a_whole(
    raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By themselves only those of the open tile and an edited one: else ten million entries would take hours."""
    alone: list[int] = []
    plain = LogRun._judge_entry

    def judge(run: LogRun, row: Row) -> Iterator[LogFault]:
        alone.append(row[0])
        return plain(run, row)

    monkeypatch.setattr(LogRun, "_judge_entry", judge)
    assert told(audit_run(raw)) == []
    assert alone == list(range(512, 600))
    raw.execute(of_entry(300))
    alone.clear()
    assert told(audit_run(raw)) == [(ENTRY, NOT_OPEN, 300)]
    assert alone == [300, *range(512, 600)]


class OfRows(LogRun):
    """A check whose rows are given."""

    table = "audit_entry"
    rows: list[Row]

    def _rows(self) -> Iterator[Row]:
        return iter(self.rows)

    def _row_faults(self, row: Row) -> Iterator[str]:
        return iter(())


def test_behind_a_gap_tiles_are_read_whole_again(raw: sqlite3.Connection) -> None:
    """The tile of the gap and the next one are judged entry by entry; those that follow as a whole."""
    whole: list[int] = []

    class Spied(OfRows):
        def _tile_rows(self, rows: Sequence[Row]) -> Iterator[LogFault]:
            whole.append(rows[0][0])
            return super()._tile_rows(rows)

    run = Spied(raw, AUDIT, identity_of(AUDIT), lambda *_: None)
    run.rows = [(seq, b"") for seq in range(1_280) if seq != 9]
    run.size = 1_100
    run._open = [bytearray(), bytearray()]
    found = [as_told(fault) for fault in run._read_rows()]
    assert whole == [512, 768]
    assert [seq for _, what, seq in found if what == OUTSIDE] == list(range(1_100, 1_280))


def test_pages_out_of_order_are_told(raw: sqlite3.Connection) -> None:
    """A damaged file may give a row twice, or an earlier one late; the tiles are closed once."""
    sound = raw.execute("SELECT seq, header FROM audit_entry ORDER BY seq").fetchall()
    given = {
        "a tile twice": [*sound[:256], *sound[:256], *sound[256:]],
        "an entry twice": [*sound[:300], sound[299], *sound[300:]],
        "an earlier tile behind a later one": [*sound[:512], *sound[:256], *sound[512:]],
    }
    again = {
        "a tile twice": range(256),
        "an entry twice": [299],
        "an earlier tile behind a later one": range(256),
    }
    for name, some in given.items():
        run = OfRows(raw, AUDIT, identity_of(AUDIT), lambda *_: None)
        run.rows = some
        assert told(run) == [(ENTRY, "an entry out of its order", seq) for seq in again[name]], name


def test_a_log_that_breaks_off_is_told_with_its_place(raw: sqlite3.Connection) -> None:
    """What came before is judged; where it broke off is named by its tile."""

    class Broken(OfRows):
        def _rows(self) -> Iterator[Row]:
            yield from self.rows[:300]
            raise sqlite3.DatabaseError("malformed")

    run = Broken(raw, AUDIT, identity_of(AUDIT), lambda *_: None)
    run.rows = raw.execute("SELECT seq, header FROM audit_entry ORDER BY seq").fetchall()
    found = told(run)
    assert found[0] == (ENTRY, "cannot be read behind entry 256: malformed", None)
    assert [seq for _, what, seq in found if what == MISSING] == list(range(300, 600))


@pytest.mark.parametrize("index", [511, 767, 65_535, 131_071, 262_143])
def test_tiles_above_are_compared_at_their_own_place(raw: sqlite3.Connection, index: int) -> None:
    """The last tile of 256, and of 65,536: the ones above it are read at an eighth of its bits each, and a fault is
    told by the first entry that it covers."""
    tile = bytes(range(256)) * 32
    run = audit_run(raw)

    def climb() -> list[Told]:
        run._open = [bytearray(), bytearray(255 * 32), bytearray(255 * 32), bytearray()]
        return [as_told(fault) for fault in run._up(1, index, tile)]

    one = bytes(255 * 32) + fold(tile)
    two = bytes(255 * 32) + fold(one)
    of_one, of_two = ((index >> 8) * 65_536, (index >> 16) * 16_777_216)
    missing = "a tile of level {} is missing or does not fit those below it"
    assert climb() == [(TILE_, missing.format(1), of_one), (TILE_, missing.format(2), of_two)]
    raw.execute("INSERT INTO log_tile VALUES (?, ?)", (tile_id(1, 1, index >> 8), one))
    assert climb() == [(TILE_, missing.format(2), of_two)]
    raw.execute("INSERT INTO log_tile VALUES (?, ?)", (tile_id(1, 2, index >> 16), two))
    assert climb() == []
    assert run._open == [bytearray(), bytearray(), bytearray(), bytearray(fold(two))]


# --- heads and notes


def test_the_head_is_signed_by_the_log_alone(raw: sqlite3.Connection) -> None:
    """Once, by its key, over its own size, root and origin."""
    root = raw.execute("SELECT root FROM log_head WHERE log = 1").fetchone()[0]
    signer, text = SIGNERS[AUDIT], checkpoint_text("log1", SIZE, root)
    run = audit_run(raw)
    assert told(run) == []

    def head_note(note: str) -> list[Told]:
        return [as_told(fault) for fault in run._head(root, note.encode())]

    whole = signer.sign(text)
    line = signer.line(text)
    strange = (HEAD, "the head's note has a signature line too many", SIZE)
    assert head_note(whole) == []
    assert head_note(whole + line) == [strange]
    assert head_note(whole + OTHER.line(text)) == [strange]
    assert head_note(whole + SIGNERS[SEAL].line(text)) == [strange]
    unsigned = (HEAD, "the note is not signed by the log's key", SIZE)
    assert head_note(OTHER.sign(text)) == [strange, unsigned]
    wrong = f"{text}\n{signer.line(text + 'x')}"
    assert head_note(wrong) == [(HEAD, "the signature of log1 is wrong", SIZE)]
    assert head_note("gone") == [(HEAD, "the head's note is damaged: the note has no signatures", SIZE)]
    assert head_note(signer.sign("log1\n600\n")) == [(HEAD, "the note is no checkpoint: not a checkpoint", SIZE)]
    assert head_note(signer.sign(checkpoint_text("log2", SIZE, root))) == [
        (HEAD, "the note is of 600 entries of log2", SIZE)
    ]
    assert head_note(signer.sign(checkpoint_text("log1", 599, root))) == [
        (HEAD, "the note is of 599 entries of log1", SIZE)
    ]
    assert head_note(signer.sign(checkpoint_text("log1", SIZE, bytes(32)))) == [root_faults()[1]]


def judged(run: LogRun, where: str, note: str, size: int, root: bytes | None = None) -> list[Told]:
    return [as_told(fault) for fault in run.judge(where, parse_note(note.encode()), size, root)]


def root_of_first(raw: sqlite3.Connection, size: int) -> bytes:
    with closing(make_logs(size)) as made:
        root: bytes = made.execute("SELECT root FROM log_head WHERE log = 1").fetchone()[0]
    return root


def test_a_note_over_an_earlier_size_is_judged_by_the_tree(raw: sqlite3.Connection) -> None:
    """Its root is that of the first entries; one beyond the store, or of a tile that is gone, is told."""
    run = audit_run(raw)
    assert told(run) == []
    for size in (1, 300, 512, 599, SIZE):
        note = SIGNERS[AUDIT].sign(checkpoint_text("log1", size, root_of_first(raw, size)))
        assert judged(run, "log_cosigned", note, size) == []
        assert judged(run, "log_cosigned", note, size, bytes(32)) == [
            ("log_cosigned", "the entries do not give the root that the note signs", size)
        ]
    assert run.node() is run.node()
    note = SIGNERS[AUDIT].sign(checkpoint_text("log1", SIZE + 1, bytes(32)))
    assert judged(run, "log_cosigned", note, SIZE + 1) == [
        ("log_cosigned", "the note is of more entries than the store's 600", SIZE + 1)
    ]
    raw.execute(f"DELETE FROM log_tile WHERE id = {tile_id(1, 0, 1)}")
    run._node = None
    note = SIGNERS[AUDIT].sign(checkpoint_text("log1", 300, bytes(32)))
    assert judged(run, "log_cosigned", note, 300) == [
        ("log_cosigned", "the root cannot be made: tile 0/1 is missing", 300)
    ]


def test_the_cache_of_nodes_begins_anew(raw: sqlite3.Connection) -> None:
    """After 1,024 tiles it is dropped, so that memory does not grow with the store."""
    run = audit_run(raw)
    assert told(run) == []
    first = run.node()
    first(0, 0)
    assert run._tiles_read == 1
    run._tiles_read = 1_023
    assert run.node() is first
    run._tiles_read = 1_024
    assert run.node() is not first
    assert run._tiles_read == 0


def test_each_key_signs_from_where_the_log_named_it(raw: sqlite3.Connection) -> None:
    """A checkpoint of more entries than ``since`` is signed by the new key; older ones by the one before it, and the
    head never under an earlier origin."""
    old, new, newest = (
        Signer("log1", Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)) for number in (1, 21, 22)
    )
    keys = [old.verifier, new.verifier, newest.verifier]
    earlier = LogIdentity("former", [Signer("former", Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)).verifier])
    identity = LogIdentity("log1", keys, [earlier], [(100, new.verifier), (300, newest.verifier)])
    assert [identity.signer(size) for size in (0, 100, 101, 300, 301)] == [
        old.verifier,
        old.verifier,
        new.verifier,
        new.verifier,
        newest.verifier,
    ]
    run = audit_run(raw, identity=identity)
    # The log names no such replacements, and its head is signed by the first key.
    wrong_key = "the note is not signed by the key that the log named for it"
    alone = "a replacement of the log's keys stands in the log or in the index alone"
    found = told(run)
    assert found[0] == (HEAD, wrong_key, SIZE)
    assert sorted(found[1:-1] if found[-1] == INDEX else found[1:]) == [
        ("log_key", alone, 100),
        ("log_key", alone, 300),
    ]
    text = checkpoint_text("log1", 200, root_of_first(raw, 200))
    assert judged(run, "log_cosigned", new.sign(text), 200) == []
    assert judged(run, "log_cosigned", new.sign(text) + old.line(text), 200) == []
    for where in ("log_cosigned", "log_head"):
        assert judged(run, where, old.sign(text), 200) == [(where, wrong_key, 200)]
    # A witness may still have seen what the key before signed.
    assert judged(run, "witness w0", old.sign(text), 200) == []
    former = Signer("former", Ed25519PrivateKey.from_private_bytes(b"\x05" * 32))
    text = checkpoint_text("former", 200, root_of_first(raw, 200))
    assert judged(run, "log_cosigned", former.sign(text), 200) == []
    assert judged(run, "log_head", former.sign(text), 200) == [
        ("log_head", "the note is of 200 entries of former", 200)
    ]
    assert judged(run, "log_cosigned", former.sign(text), 201) == [
        ("log_cosigned", "the note is of 200 entries of former", 201)
    ]


def test_a_post_quantum_line_of_the_log_is_verified(raw: sqlite3.Connection) -> None:
    """Beside the log's own key; a line of it over another text is told."""
    cosigner = Cosigner("log1", MLDSA44PrivateKey.from_seed_bytes(b"\x0a" * 32))
    run = audit_run(raw, identity=LogIdentity("log1", [SIGNERS[AUDIT].verifier, cosigner.key]))
    assert told(run) == []
    text = checkpoint_text("log1", 200, root_of_first(raw, 200))
    other = checkpoint_text("log1", 200, bytes(32))
    note = SIGNERS[AUDIT].sign(text)
    assert judged(run, "log_cosigned", note + cosigner.line(text, 1_800_000_000), 200) == []
    wrong = judged(run, "log_cosigned", note + cosigner.line(other, 1_800_000_000), 200)
    assert [fault[::2] for fault in wrong] == [("log_cosigned", 200)]
    assert "log1" in wrong[0][1]


# --- entries about the log itself


def put_leaf(raw: sqlite3.Connection, leaf: Leaf) -> None:
    """The leaf as the last entry of the audit log, which is then one longer."""
    (seq,) = raw.execute("SELECT count(*) FROM audit_entry").fetchone()
    ids = {}
    for word in (leaf.action, leaf.actor):
        raw.execute("INSERT INTO log_word (text) VALUES (?) ON CONFLICT DO NOTHING", (word,))
        (ids[word],) = raw.execute("SELECT id FROM log_word WHERE text = ?", (word,)).fetchone()
    parts = {} if not leaf.detail else {"detail": leaf.detail}
    payload = canonical(parts)
    header = header_of(leaf, seq, body_of(bytes(16), payload))
    raw.execute(
        f"{INTO_AUDIT} VALUES (?, ?, ?, ?, 0, ?, NULL, NULL, ?, ?)",
        (seq, header, leaf.ts_us, ids[leaf.action], ids[leaf.actor], bytes(16), payload),
    )
    raw.execute("INSERT INTO audit_text (rowid, words) VALUES (?, ?)", (seq, words_of(leaf)))
    put_tree(raw, AUDIT, [header for (header,) in raw.execute("SELECT header FROM audit_entry ORDER BY seq")])


def about_log(action: str, **detail: object) -> Leaf:
    return Leaf(action, "service", ActOutcome.ACCEPTED, 9_000, None, None, None, None, detail)


def test_what_a_leaf_erases_is_taken_down(raw: sqlite3.Connection) -> None:
    """By log, whichever part holds the leaf; entries without payload are counted; a leaf that names no entries is
    told, and one whose payload is gone too."""
    put_leaf(raw, about_log(ERASED, log="audit", seqs=[[3, 4], [9, 9]], legal_basis="x"))
    put_leaf(raw, about_log(ERASED, log="seal", seqs=[[7, 8]], legal_basis="x"))
    raw.execute("UPDATE audit_entry SET salt = NULL, payload = NULL, node = NULL, unit = NULL WHERE seq IN (3, 4, 9)")
    for seq in (3, 4, 9):
        raw.execute(
            "INSERT INTO audit_text (audit_text, rowid, words) VALUES ('delete', ?, ?)", (seq, words_of(leaf_at(seq)))
        )
    for part in (LogPart(0, 1), LogPart(0, 2), LogPart(1, 2)):
        erased = {AUDIT: Ranges(), SEAL: Ranges()}
        run = audit_run(raw, part, erased=erased)
        assert told(run) == []
        assert (list(erased[AUDIT]), list(erased[SEAL])) == ([(3, 4), (9, 9)], [(7, 8)])
        assert list(run.empty) == ([] if part == LogPart(1, 2) else [3, 4, 9])
    for detail in ({}, {"log": "other", "seqs": [[1, 2]], "legal_basis": "x"}):
        put_leaf(raw, about_log(ERASED, **detail))
    assert told(audit_run(raw)) == [(ENTRY, "an erasure that names no entries", seq) for seq in (602, 603)]
    raw.execute("UPDATE audit_entry SET salt = NULL, payload = NULL WHERE seq = 600")
    assert (ENTRY, "the payload of the leaf that says what was erased is gone", 600) in told(audit_run(raw))


def test_an_erasure_in_another_part_is_read_there(raw: sqlite3.Connection) -> None:
    """Each part reads the leaves of all others, so that none of its own gaps is accused."""
    put_leaf(raw, about_log(ERASED, log="audit", seqs=[[3, 4]], legal_basis="x"))
    raw.execute("UPDATE audit_entry SET action = (SELECT id FROM log_word WHERE text = ?) WHERE seq = 9", (ERASED,))
    raw.execute(
        "UPDATE audit_entry SET payload = ? WHERE seq = 9",
        (canonical({"detail": {"legal_basis": "x", "log": "seal", "seqs": [[1, 1]]}}),),
    )
    for number, seen in ((0, [(1, 1)]), (1, [(1, 1)])):
        erased = {AUDIT: Ranges(), SEAL: Ranges()}
        told(audit_run(raw, LogPart(number, 2), erased=erased))
        assert list(erased[SEAL]) == seen
        assert list(erased[AUDIT]) == [(3, 4)]


def test_a_replacement_of_keys_stands_in_log_and_index(raw: sqlite3.Connection) -> None:
    """Its leaf without its row in the index is told, as the row without its leaf."""
    put_leaf(raw, about_log(REKEYED))
    alone = "a replacement of the log's keys stands in the log or in the index alone"
    assert told(audit_run(raw)) == [("log_key", alone, 600)]
    key = SIGNERS[AUDIT].verifier
    known = LogIdentity("log1", [key], (), [(600, key)])
    assert told(audit_run(raw, identity=known)) == []
    far = LogIdentity("log1", [key], (), [(600, key), (10, key), (300, key), (512, key)])
    for number, seqs in ((0, {10, 512}), (1, {300, 512})):
        found = told(audit_run(raw, LogPart(number, 2), identity=far))
        assert {seq for where, _, seq in found if where == "log_key"} == seqs


# --- the seal log

SEAL_ENTRY = "seal_entry"
STRANGER = "the entry belongs to no knot that an earlier one began"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("UPDATE seal_entry SET ts = ts + 1 WHERE seq = 9", [("number or time are not those of the header", 9)]),
        (
            "UPDATE seal_entry SET ts = ts + 2 WHERE seq = 9",
            [("number or time are not those of the header", 9), (OLDER, 10)],
        ),
        ("UPDATE seal_entry SET salt = zeroblob(15) WHERE seq = 9", [(NOT_OPEN, 9)]),
        ("UPDATE seal_entry SET payload = NULL WHERE seq = 9", [(NOT_OPEN, 9)]),
        (
            "UPDATE seal_entry SET header = CAST('x' AS BLOB) WHERE seq = 9",
            [("the header is none", 9), (NOT_ITS_HASH, 9)],
        ),
        (
            "UPDATE seal_entry SET header = CAST(replace(header, ',\"ts', ', \"ts') AS BLOB) WHERE seq = 9",
            [("the header is not in its canonical form", 9), (NOT_ITS_HASH, 9)],
        ),
        ("UPDATE seal_entry SET knot_id = 'KNOT-0000000000000000' WHERE seq = 8", [(STRANGER, 8), (STRANGER, 9)]),
        ("UPDATE seal_entry SET knot_id = 'KNOT-0000000000000000' WHERE seq = 9", [(STRANGER, 9)]),
        ("UPDATE seal_entry SET knot_id = (SELECT knot_id FROM seal_entry WHERE seq = 2) WHERE seq = 9", []),
        (
            "UPDATE seal_entry SET knot_id = (SELECT knot_id FROM seal_entry WHERE seq = 12) WHERE seq = 9",
            [(STRANGER, 9), (STRANGER, 13)],
        ),
        ("UPDATE seal_entry SET salt = NULL, payload = NULL WHERE seq = 9", []),
    ],
)
def test_an_edit_of_the_seal_log_is_told_as_it_is(
    raw: sqlite3.Connection, sql: str, expected: list[tuple[str, int]]
) -> None:
    """Every fault that it makes, in order, and no other."""
    raw.execute(sql)
    run = seal_run(raw)
    assert told(run) == [(SEAL_ENTRY, what, seq) for what, seq in expected]
    assert list(run.empty) == ([9] if not expected and "salt = NULL" in sql else [])


def test_a_leaf_about_the_seal_logs_keys_is_known(raw: sqlite3.Connection) -> None:
    """As in the audit log."""
    payload = canonical({})
    header = header_of(SealLeaf(REKEYED, "service", "REKEYED", 9_000, {}, None), SIZE, body_of(bytes(16), payload))
    raw.execute(
        "INSERT INTO seal_entry (seq, header, ts, knot_id, salt, payload) VALUES (?, ?, 9000, ?, ?, ?)",
        (SIZE, header, knot_id_of(leaf_hash(header)), bytes(16), payload),
    )
    put_tree(raw, SEAL, [header for (header,) in raw.execute("SELECT header FROM seal_entry ORDER BY seq")])
    alone = "a replacement of the log's keys stands in the log or in the index alone"
    assert told(seal_run(raw)) == [("log_key", alone, SIZE)]
    key = SIGNERS[SEAL].verifier
    assert told(seal_run(raw, identity=LogIdentity("log0", [key], (), [(SIZE, key)]))) == []
