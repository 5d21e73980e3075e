"""fsck over stores that somebody edited behind their backs: every edit by name, and many more that were drawn."""

from __future__ import annotations

import dataclasses
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from app.ledger.check.fsck import Against, fsck
from app.ledger.check.rows import LogFault, LogPart
from app.store.writer import system_clock_us
from tests.service.ledger.check import tampers
from tests.service.ledger.check.checked_site import CheckedSite
from tests.service.ledger.check.random_edits import ByteEdits, RowEdits, Unreadable, contents


@dataclasses.dataclass(frozen=True)
class Evidence:
    """A closed store, what it is checked against, and older copies of it."""

    path: Path
    against: Against

    @property
    def older(self) -> Path:
        """The file as it was two rounds ago."""
        return self.path.with_name("older.db")

    def copy(self, to: Path) -> Path:
        """A copy to be edited, without anything of an earlier one."""
        for suffix in ("-wal", "-shm"):
            (to / f"store.db{suffix}").unlink(missing_ok=True)
        return Path(shutil.copyfile(self.path, to / "store.db"))


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """A filled site whose service has ended."""
    site = CheckedSite(tmp_path_factory.mktemp("site"))
    try:
        site.fill()
        against = site.against()
    finally:
        site.close()
    return Evidence(site.store_path, against)


def found(path: Path, against: Against) -> list[LogFault]:
    """All findings."""
    return list(fsck(path, against))


def alone(against: Against) -> Against:
    """What the store is checked against where no witness can be asked."""
    return dataclasses.replace(against, seen=())


def test_clean_store(evidence: Evidence) -> None:
    """Nothing is found in a store that nobody touched, whose witnesses have seen it."""
    assert found(evidence.path, evidence.against) == []


def test_clean_store_of_older_days(evidence: Evidence) -> None:
    """An older copy is whole in itself."""
    assert found(evidence.older, alone(evidence.against)) == []


def test_a_clock_that_was_set_back_is_no_fault(tmp_path: Path) -> None:
    """The log's own time stands still until the clock has caught up; stamps beside it say the right one meanwhile."""
    site = CheckedSite(tmp_path)
    try:
        writer = site.site.store.writer
        writer._clock = lambda: system_clock_us() + 7_200_000_000
        site.audit(2)
        writer._clock = system_clock_us
        site.audit(1)
        site.cosign(site.site.ledger.audit)
        assert found(site.store_path, site.against()) == []
    finally:
        site.close()


def test_beside_a_running_service(tmp_path: Path) -> None:
    """The check reads one snapshot while the service goes on writing; what came later is not looked at."""
    site = CheckedSite(tmp_path)
    try:
        site.fill()
        looking = fsck(site.store_path, site.against(), lambda *_: site.audit(1))
        assert list(looking) == []
        assert site.site.ledger.audit.snapshot().size > 1040
    finally:
        site.close()


SEVENTHS = [LogPart(number, 7) for number in range(7)]


def in_parts(path: Path, against: Against) -> list[list[LogFault]]:
    """What each seventh finds."""
    return [list(fsck(path, against, part=part)) for part in SEVENTHS]


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 1_040, 256 * 7, 100_003])
def test_parts_are_the_whole(size: int) -> None:
    """Every entry but those of the open tile is in one part, and every checkpoint's size, also one that can be none."""
    entries = [seq for part in SEVENTHS for seq in part.entries(size)]
    assert entries == list(range(size & ~0xFF))
    bounds = [part.sizes(size) for part in SEVENTHS]
    assert (bounds[0][0], bounds[-1][1]) == (1 - 2**63, 2**63 - 1)
    assert [first for first, _ in bounds[1:]] == [last + 1 for _, last in bounds[:-1]]


def test_each_part_of_a_clean_store_is_clean(evidence: Evidence) -> None:
    """Though it speaks of entries and erasures elsewhere."""
    assert in_parts(evidence.path, evidence.against) == [[]] * 7


OF_THE_WHOLE = {"word of nobody", "search text added", "search text of no entry", "search index emptied"}
"""What no part finds, or only some: the search index and the words are compared as a whole."""


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(tampers.SQL.keys() - OF_THE_WHOLE))
def test_a_week_of_parts_finds_the_edit(tmp_path: Path, evidence: Evidence, name: str) -> None:
    """What the whole check finds, one of seven nights does."""
    path = evidence.copy(tmp_path)
    tampers.run_sql(path, tampers.SQL[name])
    assert any(in_parts(path, alone(evidence.against)))


def test_an_edit_is_found_by_its_part(tmp_path: Path, evidence: Evidence) -> None:
    """An entry's payload by the one that has the entry; the others have nothing to say."""
    path = evidence.copy(tmp_path)
    tampers.run_sql(path, tampers.SQL["payload edited"])
    holds = [50 in part.entries(1_040) for part in SEVENTHS]
    assert sum(holds) == 1
    assert [bool(findings) for findings in in_parts(path, alone(evidence.against))] == holds


def test_empty_site(tmp_path: Path) -> None:
    """A site with nothing in its logs is clean."""
    site = CheckedSite(tmp_path)
    try:
        assert site.check() == []
    finally:
        site.close()


def test_no_store(tmp_path: Path, evidence: Evidence) -> None:
    """What cannot be read at all is an error, not a clean store."""
    with pytest.raises(sqlite3.Error):
        found(tmp_path / "store.db", evidence.against)
    (tmp_path / "store.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(sqlite3.Error):
        found(tmp_path / "store.db", evidence.against)


QUICK = {
    "header edited",
    "node edited",
    "payload edited",
    "payload erased without its leaf",
    "entry deleted",
    "entry inserted far away",
    "two entries swapped",
    "truncated with its head",
    "search text of an entry removed",
    "words swapped",
    "word of nobody",
    "seal's payload edited",
    "seal given to another knot",
    "tile edited",
    "tile added",
    "head's size enormous",
    "heads of the logs swapped",
    "token edited",
    "quorum's time edited",
    "late cosignature edited",
    "late cosignature with another behind it",
    "outside time stamp deleted",
    "outside time stamp of another authority",
    "outside time stamp that no leaf tells of",
    "time stamp taken away",
}
"""The edits that every change is tried with; the rest are for campaigns."""


def named(edits: Mapping[str, object]) -> list[object]:
    """Each edit under its name."""
    return [
        pytest.param(edit, id=name, marks=() if name in QUICK or len(edits) < 10 else pytest.mark.campaign)
        for name, edit in edits.items()
    ]


@pytest.mark.parametrize("sql", named(tampers.SQL))
def test_edit_is_found(tmp_path: Path, evidence: Evidence, sql: str) -> None:
    """Whatever is edited is found without asking anybody."""
    path = evidence.copy(tmp_path)
    tampers.run_sql(path, sql)
    assert found(path, alone(evidence.against))


@pytest.mark.parametrize("edit", named(tampers.NOTES))
def test_edited_note_is_found(tmp_path: Path, evidence: Evidence, edit: Callable[[str], str]) -> None:
    """A frozen note is what was signed, by whom the policy names, or it is found."""
    path = evidence.copy(tmp_path)
    tampers.edit_note(path, edit)
    assert [finding for finding in found(path, alone(evidence.against)) if finding.where == "log_cosigned"]


@pytest.mark.parametrize("table", [table for table in tampers.LOG_TABLES if table not in tampers.EXTRAS])
def test_table_of_an_older_copy_is_found(tmp_path: Path, evidence: Evidence, table: str) -> None:
    """One table rolled back does not fit the others."""
    path = evidence.copy(tmp_path)
    tampers.table_of_older(path, evidence.older, table)
    assert found(path, evidence.against)


def test_edit_is_told_where_it_is(tmp_path: Path, evidence: Evidence) -> None:
    """An edited header is told with its number, and its neighbours are not accused."""
    path = evidence.copy(tmp_path)
    tampers.run_sql(path, tampers.SQL["header edited"])
    assert {finding.seq for finding in found(path, evidence.against)} == {50}


def test_all_edits_are_told(tmp_path: Path, evidence: Evidence) -> None:
    """The first finding ends nothing: edits in every table are told in one run."""
    path = evidence.copy(tmp_path)
    for name in ("payload edited", "seal deleted", "tile cut", "word of nobody", "token edited", "search text added"):
        tampers.run_sql(path, tampers.SQL[name])
    places = {finding.where for finding in found(path, evidence.against)}
    assert places >= {"audit_entry", "seal_entry", "log_tile", "log_word", "log_cosigned", "audit_text"}


def test_whole_file_rolled_back(evidence: Evidence) -> None:
    """An older copy of the whole file is found by the witnesses' heads, and by them alone."""
    assert found(evidence.older, alone(evidence.against)) == []
    findings = found(evidence.older, evidence.against)
    assert {finding.where for finding in findings} == {"witness w0", "witness w1", "witness w2"}
    assert all("older copy" in finding.what or "old copy" in finding.what for finding in findings)


def test_consistent_truncation(tmp_path: Path, evidence: Evidence) -> None:
    """Rows, tiles, words, notes and head cut back to what the log once signed: the witnesses' heads alone tell."""
    path = evidence.copy(tmp_path)
    tampers.truncate_consistently(path, evidence.older)
    assert found(path, alone(evidence.against)) == []
    assert found(path, evidence.against)


def test_stale_wal(tmp_path: Path, evidence: Evidence) -> None:
    """The WAL of an earlier time beside the newer file mixes pages of both, which is found; where it turns the whole
    file back, the witnesses tell."""
    path = evidence.copy(tmp_path)
    tampers.stale_wal(path, evidence.path.with_name("middle.wal"))
    assert found(path, alone(evidence.against))
    (tmp_path / "whole").mkdir()
    path = evidence.copy(tmp_path / "whole")
    tampers.stale_wal(path, evidence.path.with_name("older.wal"))
    assert found(path, evidence.against)


BEYOND = re.compile(r"delete of log_late\.")
"""What a store cannot tell: a cosignature that came after its note was frozen is an extra that nobody is owed, and may
be gone. Such edits are not drawn."""


def found_of(edits: RowEdits | ByteEdits, count: int, evidence: Evidence, tmp_path: Path) -> Counter[str]:
    """``count`` edits that changed something, each on a fresh copy: how many were found, and how many draws changed
    nothing that anybody reads. An edit that is not found fails the test by its name."""
    whole = contents(evidence.path)
    counts: Counter[str] = Counter()
    missed = []
    while counts["found"] + len(missed) < count:
        path = evidence.copy(tmp_path)
        done = edits.draw(path)
        if BEYOND.match(done):
            counts["of late rows that are gone, not tried"] += 1
            continue
        try:
            same = not done or contents(path) == whole
        except Unreadable:
            same = False
        if same:
            counts["changes nothing"] += 1
            continue
        try:
            seen = found(path, alone(evidence.against))
        except sqlite3.Error:
            # It cannot be read at all: exit 2 of the command.
            counts["unreadable"] += 1
            counts["found"] += 1
            continue
        if seen:
            counts["found"] += 1
        else:
            missed.append(done)
    assert missed == []
    return counts


@pytest.mark.parametrize(
    ("edits", "count"),
    [
        pytest.param("rows", 6, id="a few rows"),
        pytest.param("bytes", 6, id="a few bytes"),
        pytest.param("rows", 500, marks=pytest.mark.campaign, id="500 rows"),
        pytest.param("bytes", 500, marks=pytest.mark.campaign, id="500 bytes"),
    ],
)
def test_drawn_edits_are_found(evidence: Evidence, tmp_path: Path, edits: str, count: int) -> None:
    """Whatever of the logs' rows or bytes is changed, so that a reader would read something else, is found."""
    drawn = RowEdits(4) if edits == "rows" else ByteEdits(5, evidence.path)
    counts = found_of(drawn, count, evidence, tmp_path)
    print(f"{edits}: {dict(counts)}")
    assert counts["found"] == count
