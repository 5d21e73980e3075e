"""Checks one log of a store against itself: rows against tiles, tiles against the head (``fsck.py``).

A fault is reported where it is, and not again further up: rows are compared with the tiles of their leaves, tiles with
those above them, and the last ones with the head.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from app.ledger.c2sp.cosignature import CosignerKey
from app.ledger.c2sp.note import Note, NoteError, Verifier, parse_checkpoint, parse_note
from app.ledger.check.fast_path import Row, SoundEntries
from app.ledger.erase import ERASED, Erasure
from app.ledger.log.log import LedgerBroken
from app.ledger.query.search import Fingerprint, entry_words, finds
from app.ledger.tables import AUDIT, OUTCOMES, SEAL, tile_id
from app.ledger.tree import leaf as leaves
from app.ledger.tree.tree import EMPTY, HASH, TILE, WIDTH, Node, Tree, fold, levels_of, root_at, tile_nodes

PROGRESS_EVERY: Final = 100_000
"""Entries between two calls of ``progress``."""
_LOOKED_UP: Final = 1_000
"""So many entries, spread evenly over the log, are searched for by their own words."""
_TILES_KEPT: Final = 1_024
_LARGEST: Final = 2**63 - 1
_WORDS_KEPT: Final = 200_000
_NOBODY: Final = "\0"
"""Stands for a word that does not exist: no node or unit has this name."""
_ALONE: Final = frozenset((ERASED, leaves.REKEYED))
"""Actions whose entries state something about the log, so that the plain implementation must read them."""


@dataclass(frozen=True)
class LogFault:
    """One fault: ``where`` a table or log, ``what`` a sentence, ``seq`` of the entry or size of the tree."""

    where: str
    what: str
    seq: int | None = None


@dataclass(frozen=True)
class LogIdentity:
    """What a log must be: its origin, and the keys that may sign its checkpoints. ``earlier``: the same for earlier
    generations, whose cosigned checkpoints the log keeps. ``since``: where the log's keys were replaced; each key signs
    every checkpoint of more than that many entries, until the next replacement."""

    origin: str
    keys: Sequence[Verifier | CosignerKey]
    earlier: Sequence[LogIdentity] = ()
    since: Sequence[tuple[int, Verifier]] = ()

    def signer(self, size: int) -> Verifier | CosignerKey:
        """Who must have signed a checkpoint of ``size`` entries."""
        return next((key for seq, key in reversed(self.since) if seq < size), self.keys[0])


Progress = Callable[[str, int, int], None]
"""``(what, done, of)``."""


@dataclass(frozen=True)
class LogPart:
    """Part ``number`` (from 0) of ``of`` equal parts of a log, by whole tiles; all parts together are the whole log.
    The entries of the open tile belong to every part."""

    number: int
    of: int

    def entries(self, size: int) -> range:
        """The part's entries in a log of ``size`` entries, without those of the open tile."""
        tiles = size >> 8
        return range(tiles * self.number // self.of * WIDTH, tiles * (self.number + 1) // self.of * WIDTH)

    def sizes(self, size: int) -> tuple[int, int]:
        """First and last size of the checkpoints that belong to the part."""
        entries = self.entries(size)
        first = entries.start + 1 if self.number else -_LARGEST
        return first, entries.stop if self.number + 1 < self.of else _LARGEST

    @property
    def first(self) -> bool:
        """Whether this part includes the checks that cannot be divided."""
        return self.number == 0


WHOLE: Final = LogPart(0, 1)


class Ranges:
    """Inclusive ranges of numbers."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def add(self, first: int, last: int) -> None:
        self._ranges.append((first, last))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)

    def missing(self, numbers: array[int]) -> Iterator[int]:
        """Those of ``numbers`` (ascending) that are in no range."""
        ranges, at = sorted(self._ranges), 0
        reach = -1
        for number in numbers:
            while at < len(ranges) and ranges[at][0] <= number:
                reach = max(reach, ranges[at][1])
                at += 1
            if number > reach:
                yield number


def read_some(unread: Iterator[Row], count: int) -> tuple[list[Row], sqlite3.DatabaseError | None]:
    """The next ``count`` rows, or as many as can be read, and why not more."""
    rows: list[Row] = []
    try:
        rows.extend(itertools.islice(unread, count))
    except sqlite3.DatabaseError as error:
        # The rows before the fault are in the list.
        return rows, error
    return rows, None


class LogRun(ABC):
    """The check of one log: its rows against its tiles, its tiles against its head."""

    number: int
    table: str
    select: str

    def __init__(
        self,
        connection: sqlite3.Connection,
        number: int,
        identity: LogIdentity,
        progress: Progress,
        part: LogPart = WHOLE,
    ) -> None:
        self.number = number
        self.part = part
        self.size = 0
        """Number of entries that the signed head and the tiles cover."""
        self.empty: array[int] = array("q")
        """Entries without payload."""
        self._connection = connection
        self._identity = identity
        self._progress = progress
        self._open: list[bytearray] = []
        self._block = -1
        self._hashes: list[bytes | None] = [None] * WIDTH
        self._last_ts = 0
        self._rekeyed: list[int] = []
        self._node: Node | None = None
        self._tiles_read = 0

    def findings(self) -> Iterator[LogFault]:
        head = self._connection.execute(
            "SELECT size, root, note FROM log_head WHERE log = ?", (self.number,)
        ).fetchone()
        rows, last = self._connection.execute(f"SELECT count(*), ifnull(max(seq), -1) FROM {self.table}").fetchone()
        tiles = self._connection.execute(
            "SELECT count(*) FROM log_tile WHERE id >= ? AND id < ?",
            (tile_id(self.number, 0, 0), tile_id(self.number, 1, 0)),
        ).fetchone()[0]
        if head is None:
            if rows:
                yield LogFault("log_head", f"{self.table} has {rows} entries and no signed head")
            self.size = last + 1
        else:
            self.size = head[0]
        if last + 1 < self.size:
            yield LogFault(self.table, f"the head says {self.size} entries, the last one is missing", self.size - 1)
        # Neither an edited size nor one entry far away may make the check count up to it.
        there = max(rows, tiles * WIDTH)
        believed = ((max(there, min(last, 2 * there)) >> 8) + 1) * WIDTH
        if not 0 <= self.size <= believed:
            yield LogFault("log_head", f"the size {self.size} is beyond all entries and tiles", self.size)
            self.size = min(max(self.size, 0), rows)
        self._open = [bytearray() for _ in range(levels_of(self.size))]
        yield from self._read_rows()
        while self._block < self.size >> 8:
            yield from self._close_block(self._block)
            self._block += 1
        if self.size & 0xFF:
            yield from self._close_open()
        if head is not None:
            yield from self._head(bytes(head[1]), bytes(head[2]))
        known = (seq for seq, _ in self._identity.since if self._looks_at(seq))
        for seq in set(self._rekeyed).symmetric_difference(known):
            yield LogFault("log_key", "a replacement of the log's keys stands in the log or in the index alone", seq)

    def _looks_at(self, seq: int) -> bool:
        return self.part == WHOLE or seq in self.part.entries(self.size) or seq >= self.size & ~0xFF

    def _rows(self) -> Iterator[Row]:
        if self.part == WHOLE:
            return self._connection.execute(f"{self.select} ORDER BY seq")
        entries = self.part.entries(self.size)
        ranges = ((-_LARGEST, 0), (entries.start, entries.stop), (self.size & ~0xFF, _LARGEST))
        between = f"{self.select} WHERE seq >= ? AND seq < ? ORDER BY seq"
        return itertools.chain.from_iterable(self._connection.execute(between, bounds) for bounds in ranges)

    def _read_rows(self) -> Iterator[LogFault]:
        """Judges every row of the part, a tile at a time where nothing is missing."""
        self._block = 0
        done, last = 0, -1
        try:
            unread = self._rows()
            while True:
                # Up to the end of the tile, so that behind a gap, too, tiles are read whole.
                rows, broken = read_some(unread, WIDTH - (last + 1) % WIDTH)
                if done % PROGRESS_EVERY < WIDTH:
                    self._progress(self.table, done - done % PROGRESS_EVERY, self.size)
                done += len(rows)
                if self._is_tile(rows, last):
                    last = rows[-1][0]
                    yield from self._close_before(last)
                    yield from self._tile_rows(rows)
                else:
                    last = yield from self._each(rows, last)
                if broken is not None:
                    raise broken
                if not rows:
                    break
        except sqlite3.DatabaseError as error:
            yield LogFault(self.table, f"cannot be read behind entry {self._block * WIDTH}: {error}")
        self._progress(self.table, done, self.size)

    def _is_tile(self, rows: Sequence[Row], last: int) -> bool:
        """Whether ``rows`` are exactly the entries of one full tile, behind entry ``last``."""
        first = rows[0][0] if len(rows) == WIDTH else -1
        whole = first > last and first % WIDTH == 0 and first + WIDTH <= self.size
        return whole and [row[0] for row in rows] == [*range(first, first + WIDTH)]

    def _each(self, rows: Sequence[Row], last: int) -> Generator[LogFault, None, int]:
        """Judges entries that need not follow each other; returns the last one that belongs to the log."""
        for row in rows:
            seq = row[0]
            if not 0 <= seq < self.size:
                yield LogFault(self.table, "an entry outside the signed tree", seq)
                continue
            if seq <= last:
                # In a damaged file pages may be out of order.
                yield LogFault(self.table, "an entry out of its order", seq)
                continue
            last = seq
            yield from self._close_before(seq)
            yield from self._judge_entry(row)
        return last

    def _close_before(self, seq: int) -> Iterator[LogFault]:
        """Closes the tiles before that of entry ``seq``."""
        while seq >> 8 != self._block:
            yield from self._close_block(self._block)
            self._block += 1

    def _tile_rows(self, rows: Sequence[Row]) -> Iterator[LogFault]:
        """What is wrong with the entries of a full tile, each judged by itself: the plain implementation."""
        for row in rows:
            yield from self._judge_entry(row)

    def _judge_entry(self, row: Row) -> Iterator[LogFault]:
        """What is wrong with one entry, and its leaf's hash for its tile."""
        try:
            self._hashes[row[0] & 0xFF] = leaves.leaf_hash(row[1])
            for what in self._row_faults(row):
                yield LogFault(self.table, what, row[0])
        except (TypeError, AttributeError):
            # One byte of the file says which type a value has, so a damaged file can give any.
            yield LogFault(self.table, "a value has another type than its column", row[0])

    @abstractmethod
    def _row_faults(self, row: Row) -> Iterable[str]:
        """What is wrong with one row, which begins with ``seq`` and ``header``."""

    # -- rows to tiles

    def _close_block(self, block: int) -> Iterator[LogFault]:
        """Compares the hashes of a full tile's entries with the stored tile, and passes its root to the level above."""
        if not self._looks_at(block * WIDTH):
            tile = self._tile(0, block)
            if tile is None:
                yield LogFault("log_tile", "the tile of the entries from here on is missing or cut", block * WIDTH)
            yield from self._up(1, block, tile or bytes(TILE))
            return
        hashes, self._hashes = self._hashes, [None] * WIDTH
        tile = self._tile(0, block)
        if tile is None:
            yield LogFault("log_tile", "the tile of the entries from here on is missing or cut", block * WIDTH)
            yield from self._absent(hashes, block * WIDTH, WIDTH)
            tile = b"".join([found or bytes(HASH) for found in hashes])
        elif b"".join(filter(None, hashes)) != tile:
            yield from self._absent(hashes, block * WIDTH, WIDTH)
            for at, found in enumerate(hashes):
                if found is not None and found != tile[at * HASH : at * HASH + HASH]:
                    yield LogFault(self.table, "the entry is not the one whose hash the tile holds", block * WIDTH + at)
        yield from self._up(1, block, tile)

    def _up(self, level: int, index: int, tile: bytes) -> Iterator[LogFault]:
        """Adds the root of a full tile to the level above, and compares a tile of that level when it is full."""
        above = self._open[level]
        above += fold(tile)
        if len(above) == TILE:
            whole = bytes(above)
            above.clear()
            stored = self._tile(level, index >> 8)
            if stored != whole:
                yield LogFault(
                    "log_tile",
                    f"a tile of level {level} is missing or does not fit those below it",
                    (index >> 8) * WIDTH << (8 * level),
                )
            yield from self._up(level + 1, index >> 8, whole)

    def _close_open(self) -> Iterator[LogFault]:
        first = self.size & ~0xFF
        hashes = self._hashes[: self.size & 0xFF]
        yield from self._absent(hashes, first, len(hashes))
        self._open[0] += b"".join([found or bytes(HASH) for found in hashes])

    def _absent(self, hashes: Sequence[bytes | None], first: int, count: int) -> Iterator[LogFault]:
        missing = [at for at in range(count) if hashes[at] is None]
        if len(missing) == WIDTH:
            yield LogFault(self.table, f"the entries up to {first + WIDTH - 1} are missing", first)
            return
        for at in missing:
            yield LogFault(self.table, "the entry is missing", first + at)

    def _tile(self, level: int, index: int) -> bytes | None:
        row = self._connection.execute(
            "SELECT h FROM log_tile WHERE id = ?", (tile_id(self.number, level, index),)
        ).fetchone()
        return bytes(row[0]) if row is not None and len(row[0]) == TILE else None

    # -- tiles to heads

    def node(self) -> Node:
        """Nodes from the stored tiles; those of open tiles from the rows."""
        if self._node is None or self._tiles_read >= _TILES_KEPT:
            self._tiles_read = 0
            self._node = self.fresh_nodes()
        return self._node

    def fresh_nodes(self) -> Node:
        """As ``node``, with an empty cache."""

        def read(level: int, index: int) -> bytes:
            self._tiles_read += 1
            tile = self._tile(level, index)
            if tile is None:
                raise LedgerBroken(f"tile {level}/{index} is missing")
            return tile

        return tile_nodes(read, self.size, [bytes(tile) for tile in self._open])

    def _head(self, root: bytes, packed: bytes) -> Iterator[LogFault]:
        """The stored head has the root that the entries give, and its note is signed by the log alone."""
        try:
            found = Tree.rebuild(self.size, [bytes(tile) for tile in self._open]).root() if self.size else EMPTY
        except ValueError:
            found = b""
        if found != root:
            yield LogFault("log_head", "the entries do not give the root that the head holds", self.size)
        try:
            note = parse_note(packed)
        except NoteError as error:
            yield LogFault("log_head", f"the head's note is damaged: {error}", self.size)
            return
        own = {key.key_id for key in self._identity.keys if isinstance(key, Verifier)}
        lines = [line.key_id for line in note.signatures if line.name == self._identity.origin]
        if len(lines) != len(note.signatures) or len(set(lines)) != len(lines) or not own.issuperset(lines):
            yield LogFault("log_head", "the head's note has a signature line too many", self.size)
        yield from self.judge("log_head", note, self.size, found)

    def judge(self, where: str, note: Note, size: int, root: bytes | None = None) -> Iterator[LogFault]:
        """What is wrong with a note over the first ``size`` entries of this log."""
        try:
            checkpoint = parse_checkpoint(note.text)
        except NoteError as error:
            yield LogFault(where, f"the note is no checkpoint: {error}", size)
            return
        # The head has today's origin; notes that were cosigned under an earlier one stay as they were.
        known = [self._identity] if where == "log_head" else [self._identity, *self._identity.earlier]
        identity = next((one for one in known if one.origin == checkpoint.origin), None)
        if identity is None or checkpoint.size != size:
            yield LogFault(where, f"the note is of {checkpoint.size} entries of {checkpoint.origin}", size)
            return
        own = [(key.name, key.key_id) for key in identity.keys]
        signed = [line for line in note.signatures if (line.name, line.key_id) in own]
        if not signed:
            yield LogFault(where, "the note is not signed by the log's key", size)
        elif where in ("log_head", "log_cosigned") and identity.signer(size).key_id not in [
            line.key_id for line in signed
        ]:
            yield LogFault(where, "the note is not signed by the key that the log named for it", size)
        for key in identity.keys:
            if any((line.name, line.key_id) == (key.name, key.key_id) for line in signed):
                try:
                    if isinstance(key, Verifier):
                        key.verify(note)
                    else:
                        key.time_of(note)
                except NoteError as error:
                    yield LogFault(where, str(error), size)
        if size > self.size:
            yield LogFault(where, f"the note is of more entries than the store's {self.size}", size)
            return
        if root is None:
            try:
                root = root_at(self.node(), size)
            except LedgerBroken as error:
                yield LogFault(where, f"the root cannot be made: {error}", size)
                return
        if root != checkpoint.root:
            yield LogFault(where, "the entries do not give the root that the note signs", size)

    def _opening_faults(self, seq: int, body: str, salt: bytes | None, payload: bytes | None) -> Iterator[str]:
        """What is wrong with how the payload opens the header's ``body``."""
        if salt is None and payload is None:
            self.empty.append(seq)
        elif salt is None or payload is None or leaves.body_of(salt, payload) != body:
            yield "the payload is not the one that the header is over"


class AuditRun(LogRun):
    table = "audit_entry"
    select = "SELECT seq, header, ts, action, outcome, actor, node, unit, salt, payload FROM audit_entry"

    def __init__(
        self,
        connection: sqlite3.Connection,
        number: int,
        identity: LogIdentity,
        progress: Progress,
        erased: dict[int, Ranges],
        part: LogPart = WHOLE,
    ) -> None:
        super().__init__(connection, number, identity, progress, part)
        self._erased = erased
        self._logs = {"audit": erased[AUDIT], "seal": erased[SEAL]}
        self._search = Fingerprint()
        self._texts: dict[int | None, str | None] = {}
        self._used = bytearray()
        self._every = 1
        self._sound = SoundEntries(self._word, self._search, alone=_ALONE)

    def findings(self) -> Iterator[LogFault]:
        count = self._connection.execute("SELECT count(*) FROM audit_entry").fetchone()[0]
        self._every = max(1, count // self.part.of // _LOOKED_UP)
        try:
            yield from super().findings()
            if self.part == WHOLE:
                self._progress("search index", 0, 1)
                yield from self._index()
            else:
                self._erased_elsewhere()
        finally:
            self._search.close()

    def _erased_elsewhere(self) -> None:
        rows = self._connection.execute(
            "SELECT seq, payload FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?)", (ERASED,)
        )
        for seq, payload in rows:
            if not self._looks_at(seq):
                # The leaf itself is judged with its own part.
                with contextlib.suppress(msgspec.MsgspecError, TypeError):
                    self._erasure(leaves.read_payload(payload))

    def _index(self) -> Iterator[LogFault]:
        try:
            good = self._search.matches(self._connection)
        except sqlite3.Error as error:
            yield LogFault("audit_text", f"the search index cannot be read: {error}")
            return
        if not good:
            yield LogFault("audit_text", "the search index does not hold just the words of the entries")

    def _tile_rows(self, rows: Sequence[Row]) -> Iterator[LogFault]:
        """As the plain implementation, which judges only those entries that the fast path does not prove sound."""
        try:
            self._hashes = [leaves.leaf_hash(row[1]) for row in rows]
        except TypeError:
            yield from super()._tile_rows(rows)
            return
        self._sound.last_ts = self._last_ts
        for row, before_ts in self._sound.doubtful(rows):
            self._last_ts = before_ts
            yield from super()._judge_entry(row)
        self._last_ts = self._sound.last_ts
        for row in rows[-rows[0][0] % self._every :: self._every]:
            yield from self._search_faults(row)

    def _judge_entry(self, row: Row) -> Iterator[LogFault]:
        yield from super()._judge_entry(row)
        if row[0] % self._every == 0:
            yield from self._search_faults(row)

    def _row_faults(self, row: Row) -> Sequence[str]:
        """What is wrong with one entry, field by field; its words are added to those that the search must hold."""
        seq, raw, ts, action, outcome, actor, node, unit, salt, payload = row
        action_text, actor_text = self._word(action), self._word(actor)
        if action_text == leaves.REKEYED:
            self._rekeyed.append(seq)
        wrong = []
        if ts < self._last_ts:
            wrong.append("the entry is older than the one before it")
        self._last_ts = ts
        opens = salt is not None and payload is not None
        # Columns and payload give the header to the byte: one comparison covers all of them.
        if not (
            opens
            and 0 <= outcome < len(OUTCOMES)
            and action_text is not None
            and actor_text is not None
            and leaves.header_from(
                action_text, actor_text, leaves.body_of(salt, payload), OUTCOMES[outcome].value, seq, ts
            )
            == raw
        ):
            wrong += self._header_faults(row)
        if not opens:
            if node is not None or unit is not None:
                wrong.append("the payload is gone, but node or unit is still there")
            if action_text == ERASED:
                wrong.append("the payload of the leaf that says what was erased is gone")
            return wrong
        try:
            opened = leaves.read_payload(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return [*wrong, "the payload is none"]
        named = [None if number is None else self._word(number) or _NOBODY for number in (node, unit)]
        if [opened.node_id, opened.unit_id] != named:
            wrong.append("node or unit are not those of the payload")
        if action_text == ERASED and not self._erasure(opened):
            wrong.append("an erasure that names no entries")
        self._search.add(seq, entry_words(action_text or "", actor_text or "", opened))
        return wrong

    def _header_faults(self, row: Row) -> Iterator[str]:
        """In what the header, read by itself, differs from the columns."""
        seq, raw, ts, action, outcome, actor, _, _, salt, payload = row
        try:
            header = leaves.read_header(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            yield "the header is none"
            return
        if leaves.header_bytes(header) != raw:
            yield "the header is not in its canonical form"
        known = OUTCOMES[outcome] if 0 <= outcome < len(OUTCOMES) else None
        stated = (header.seq, header.ts, header.action, header.outcome, header.actor)
        if stated != (seq, ts, self._word(action), known, self._word(actor)):
            yield "time, action, outcome or actor are not those of the header"
        yield from self._opening_faults(seq, header.body, salt, payload)

    def _search_faults(self, row: Row) -> Iterator[LogFault]:
        """A fault if a search for the entry's words does not find it. Nothing if its words cannot be read."""
        seq, action, actor, payload = row[0], row[3], row[5], row[9]
        try:
            words = entry_words(self._word(action) or "", self._word(actor) or "", leaves.read_payload(payload))
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError):
            # Erased, or reported already.
            return
        try:
            found = finds(self._connection, seq, words)
        except sqlite3.Error as error:
            yield LogFault(self.table, f"a search for its words fails: {error}", seq)
            return
        if not found:
            yield LogFault(self.table, "a search for its words does not find the entry", seq)

    def _erasure(self, payload: leaves.Payload) -> bool:
        try:
            erasure = msgspec.convert(payload.detail, Erasure)
            ranges = self._logs[erasure.log]
        except (msgspec.ValidationError, KeyError):
            return False
        for first, last in erasure.seqs:
            ranges.add(first, last)
        return True

    def _word(self, number: int | None) -> str | None:
        if number in self._texts:
            return self._texts[number]
        row = self._connection.execute("SELECT text FROM log_word WHERE id = ?", (number,)).fetchone()
        if len(self._texts) > _WORDS_KEPT:
            self._texts.clear()
        text = self._texts[number] = None if row is None else row[0]
        if text is not None and number is not None and 0 < number < 2**32:
            if number >> 3 >= len(self._used):
                self._used += bytes((number >> 3) + 1 - len(self._used))
            self._used[number >> 3] |= 1 << (number & 7)
        return text

    def unused_words(self) -> Iterator[LogFault]:
        """Words that no entry names: left behind by an erasure, or inserted by hand."""
        for (number,) in self._connection.execute("SELECT id FROM log_word ORDER BY id"):
            if not (0 < number < 8 * len(self._used) and self._used[number >> 3] >> (number & 7) & 1):
                yield LogFault("log_word", f"word {number} is of no entry")


class SealRun(LogRun):
    table = "seal_entry"
    select = "SELECT seq, header, ts, knot_id, salt, payload FROM seal_entry"

    def _row_faults(self, row: Row) -> Iterator[str]:
        """What is wrong with one entry, and whether it begins or continues a knot."""
        seq, raw, ts, knot_id, salt, payload = row
        if ts < self._last_ts:
            yield "the entry is older than the one before it"
        self._last_ts = ts
        try:
            header = leaves.read_seal_header(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            yield "the header is none"
            return
        if leaves.header_bytes(header) != raw:
            yield "the header is not in its canonical form"
        if header.action == leaves.REKEYED:
            self._rekeyed.append(seq)
        if (header.seq, header.ts) != (seq, ts):
            yield "number or time are not those of the header"
        yield from self._opening_faults(seq, header.body, salt, payload)
        if leaves.knot_id_of(leaves.leaf_hash(raw)) != knot_id:
            first = self._connection.execute(
                "SELECT seq, header FROM seal_entry WHERE knot_id = ? ORDER BY seq LIMIT 1", (knot_id,)
            ).fetchone()
            if first is None or first[0] >= seq or leaves.knot_id_of(leaves.leaf_hash(first[1])) != knot_id:
                yield "the entry belongs to no knot that an earlier one began"
