"""The audit log states the rows that decide: what somebody edits behind it is found, and does not let anybody in."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text

from app.ledger.check.rows import LogFault
from app.ledger.log.append import AuditLog
from app.ledger.state import book, declared
from app.ledger.state.declared import CLOSING, DECIDES
from app.ledger.tree import leaf as leaves
from app.store import migrations
from app.store.errors import StoreRefused
from app.store.writer import Transaction
from tests.service.ledger.state.stated_site import StateEdits, copy_store, faults, lay_out, open_once, opened

SAMPLE = 40
CAMPAIGN = 1_000
EARLIER = "0027"
"""The last revision whose log states no rows."""


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed site. Leave it as it was."""
    path = tmp_path_factory.mktemp("stated") / "site"
    lay_out(path)
    copy_store(path, "as-it-was.db")
    return path


@pytest.fixture
def path(laid_out: Path, tmp_path: Path) -> Path:
    """A copy of the site to be edited."""
    return Path(shutil.copytree(laid_out, tmp_path / "site"))


def edit(path: Path, *statements: str) -> None:
    """SQL on the closed store, past the program."""
    with closing(sqlite3.connect(path / "store.db", isolation_level=None)) as raw:
        for statement in statements:
            assert raw.execute(statement).rowcount != 0, statement


def leaf_states(path: Path) -> list[tuple[str, str | None]]:
    """Action and stated rows of every audit leaf."""
    with closing(sqlite3.connect(path / "store.db")) as raw:
        rows = raw.execute(
            "SELECT w.text, e.payload FROM audit_entry e JOIN log_word w ON w.id = e.action ORDER BY seq"
        ).fetchall()
    return [(action, leaves.read_payload(payload).state) for action, payload in rows]


def test_an_honest_site_is_clean_and_starts(path: Path) -> None:
    """Neither acts, nor a restart, nor a look make a difference."""
    assert faults(path / "store.db") == []
    open_once(path)
    open_once(path, lambda tx: tx.connection.execute(text("DELETE FROM deny")))
    open_once(path)
    assert faults(path / "store.db") == []


EDITS = {
    "deny row deleted": "DELETE FROM deny WHERE node_id = 'ARC-3'",
    "standing back": "UPDATE node SET standing = 'VERIFIED_DIGITAL_HUMAN' WHERE node_id = 'ARC-3'",
    "key to Citadel": "UPDATE api_key SET clearance = 'citadel' WHERE kid = 'kid-2'",
    "key not revoked": "UPDATE api_key SET revoked_us = NULL WHERE kid = 'kid-2'",
    "live check inserted": "INSERT INTO live_check VALUES (77, 'ARC-3', 'card', 9, 'x', 1)",
    "grant prolonged": "UPDATE reader_grant SET not_after_us = not_after_us + 1 WHERE node_id = 'ARC-1'",
    "grant back": "UPDATE reader_grant SET ended_us = NULL WHERE ended_us IS NOT NULL",
    "epoch back": "UPDATE access_epoch SET epoch = epoch - 1",
    "burn lifted": "UPDATE burn SET lifted_us = 1 WHERE node_id = 'ARC-3'",
    "profile given away": "UPDATE credential_profile SET node_id = 'ARC-3' WHERE profile_id = 'badge-ARC-1'",
    "approval approved": "UPDATE approval SET state = 'APPROVED' WHERE approval_id = 'approval_id-2'",
    "another asker": "UPDATE approval SET requested_by = 'somebody' WHERE approval_id = 'approval_id-2'",
    "card's state": "UPDATE provision SET state = 'provisioned' WHERE provision_id = 'provision_id-2'",
    "certificate back": "UPDATE card_certificate SET revoked_us = NULL WHERE sha256 = 'sha256-2'",
    "terminal's key": "UPDATE terminal SET public_key = 'mine' WHERE terminal_id = 'terminal_id-2'",
    "permit unspent": "UPDATE permit SET decision = NULL WHERE jti = 'jti-2'",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_lets_somebody_in_stops_the_start(path: Path, name: str) -> None:
    """fsck names the table and the row, and so does the start, which says what to do."""
    edit(path, EDITS[name])
    table = EDITS[name].replace("DELETE FROM", "UPDATE").replace("INSERT INTO", "UPDATE").split()[1]
    assert {fault.where for fault in faults(path / "store.db")} == {table}
    for _ in range(2):
        with pytest.raises(StoreRefused, match=f"{table}: the row .*[Rr]estore the newest backup"):
            open_once(path)


def test_the_row_is_named(path: Path) -> None:
    """By its key, in words, with what happened to it."""
    edit(path, "DELETE FROM deny WHERE node_id = 'ARC-3'", "UPDATE api_key SET label = 'x' WHERE kid = 'kid-1'")
    edit(path, "INSERT INTO access_epoch VALUES (77, 1)")
    said = sorted(fault.what for fault in faults(path / "store.db"))
    assert said[0] == "the row access_epoch_id 77 is in no leaf: somebody inserted it"
    assert said[1] == "the row kid kid-1 is not as its leaf left it"
    assert said[2].startswith("the row node_id ARC-3, cause burn, ref ")
    assert said[2].endswith(" is missing: no leaf took it away")


def test_a_row_that_only_denies_stops_no_start(path: Path) -> None:
    """It stays in force, and fsck names it; with one that lets in beside it nothing starts."""
    edit(path, "INSERT INTO deny VALUES ('ARC-1', 'burn', 'nobody', 1)")
    open_once(path)
    assert [fault.where for fault in faults(path / "store.db")] == ["deny"]
    edit(path, "DELETE FROM deny WHERE node_id = 'ARC-3'")
    with pytest.raises(StoreRefused, match="ARC-3"):
        open_once(path)


def test_what_names_the_rows_cannot_hide_them(path: Path) -> None:
    """Somebody who edits the digests beside the rows, too, is found: only the table is named then."""
    edit(
        path,
        "DELETE FROM deny WHERE node_id = 'ARC-3'",
        "DELETE FROM state_row WHERE name = 'deny' AND key LIKE (hex('ARC-3') || '%')",
    )
    assert [fault.what.split(" (")[0] for fault in faults(path / "store.db")] == [
        "its rows are not those that the log states, and what would name them was changed with them"
    ]
    with pytest.raises(StoreRefused, match="deny: its rows"):
        open_once(path)


def test_digests_of_sound_rows_are_judged_too(path: Path) -> None:
    """They would not name an edit that comes later."""
    edit(path, "UPDATE state_row SET digest = x'00' WHERE name = 'burn'")
    assert {fault.where for fault in faults(path / "store.db")} == {"state_row"}
    edit(path, "DELETE FROM state_row WHERE name = 'burn'", "INSERT INTO state_row VALUES ('burn', '5', x'00')")
    assert {fault.where for fault in faults(path / "store.db")} == {"state_row"}
    edit(path, "INSERT INTO state_row VALUES ('nothing', '5', x'00')")
    assert any("nothing" in fault.what for fault in faults(path / "store.db"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE state_sum SET rows = rows + 1 WHERE name = 'deny'",
        "DELETE FROM state_sum WHERE name = 'deny'",
        "DELETE FROM state_sum",
        "UPDATE state_sum SET sum = zeroblob(2048) WHERE name = 'burn'",
        "UPDATE state_sum SET sum = zeroblob(32) WHERE name = ''",
        "UPDATE state_sum SET columns = 'node_id' WHERE name = 'deny'",
    ],
)
def test_sums_are_those_of_the_newest_leaf(path: Path, statement: str) -> None:
    """Nobody begins anew by taking the sums away: only a log that never stated rows may do so."""
    edit(path, "DELETE FROM deny WHERE node_id = 'ARC-3'", statement)
    assert "state_sum" in {fault.where for fault in faults(path / "store.db")}
    with pytest.raises(StoreRefused, match="sums of the store's rows"):
        open_once(path)


def test_the_newest_leaf_cannot_be_made_to_say_nothing(path: Path) -> None:
    """Its content is the one that the tree holds, or nothing starts."""
    last = "(SELECT max(seq) FROM audit_entry)"
    edit(path, "DELETE FROM deny", f"UPDATE audit_entry SET payload = CAST('{{}}' AS BLOB) WHERE seq = {last}")
    with pytest.raises(StoreRefused, match="newest entry"):
        open_once(path)
    edit(path, f"UPDATE audit_entry SET payload = NULL, salt = NULL WHERE seq = {last}")
    with pytest.raises(StoreRefused, match="newest entry"):
        open_once(path)
    assert faults(path / "store.db") != []


def test_every_commit_states_its_rows(path: Path) -> None:
    """The last leaf of each commit has the member, once, wherever its place is; a commit that changes rows and has no
    leaf gets one; one that changes nothing gets none."""
    before = len(leaf_states(path))
    open_once(path, lambda tx: tx.audit("test.a", actor="a", unit_id='u"1', node_id="n", request_id="r"))
    open_once(path, lambda tx: tx.connection.execute(text("UPDATE access_epoch SET epoch = epoch + 1")))
    open_once(path, lambda tx: tx.connection.execute(text("UPDATE access_epoch SET epoch = epoch")))
    open_once(path, lambda tx: tx.connection.execute(text("UPDATE api_key SET last_used_us = 5")))
    first, second = leaf_states(path)[before:]
    assert (first[0], second[0]) == ("test.a", book.CHANGED)
    assert first[1] != second[1]
    assert {len(first[1] or ""), len(second[1] or "")} == {64}
    with closing(sqlite3.connect(path / "store.db")) as raw:
        for (payload,) in raw.execute("SELECT payload FROM audit_entry"):
            assert leaves.canonical(msgspec.json.decode(payload)) == payload
    assert faults(path / "store.db") == []


def test_a_leaf_without_room_leaves_the_statement_to_one_of_its_own(path: Path) -> None:
    """An entry of the longest payload is kept as it is."""
    room = leaves.PAYLOAD_LIMIT - len(leaves.canonical({"detail": {"x": ""}}))
    open_once(path, lambda tx: tx.audit("test.long", actor="a", detail={"x": "y" * room}))
    assert [(action, bool(state)) for action, state in leaf_states(path)[-2:]] == [
        ("test.long", False),
        (book.CHANGED, True),
    ]
    open_once(path)


def test_a_job_that_is_taken_back_takes_its_notes_along(path: Path) -> None:
    """Its rows never were."""

    def job(tx: Transaction) -> None:
        tx.connection.execute(text("DELETE FROM deny"))
        raise KeyError("no")

    with pytest.raises(KeyError):
        open_once(path, job)
    open_once(path)
    assert faults(path / "store.db") == []


def test_an_edit_while_the_service_runs_stays_visible(path: Path) -> None:
    """A row that was edited behind the writer and changed by it afterwards is not washed clean."""

    def job(tx: Transaction) -> None:
        tx.connection.execute(text("UPDATE node SET notes = 'later' WHERE node_id = 'ARC-3'"))

    def behind(tx: Transaction) -> None:
        tx.after_commit(lambda: edit(path, "UPDATE node SET standing = 'x' WHERE node_id = 'ARC-3'"))

    open_once(path, lambda tx: (behind(tx), None))
    with pytest.raises(StoreRefused, match="ARC-3"):
        open_once(path)
    edit(path, "UPDATE node SET notes = 'mine' WHERE node_id = 'ARC-3'")
    assert [fault.where for fault in faults(path / "store.db")] == ["node"]


def test_rows_that_come_and_go_in_one_commit(path: Path) -> None:
    """Each note counts once, also of a row that comes back with its key."""

    def job(tx: Transaction) -> None:
        for statement in (
            "UPDATE deny SET since_us = 5 WHERE node_id = 'ARC-3'",
            "DELETE FROM deny WHERE node_id = 'ARC-3'",
            "INSERT INTO deny VALUES ('ARC-3', 'burn', 'again', 6)",
            "INSERT INTO deny VALUES ('ARC-9', 'burn', 'gone', 6)",
            "DELETE FROM deny WHERE node_id = 'ARC-9'",
            "INSERT INTO deny VALUES ('ARC-3', 'burn', 'again', 7) ON CONFLICT DO UPDATE SET since_us = 7",
            "UPDATE deny SET node_id = 'ARC-4' WHERE ref = 'again'",
        ):
            tx.connection.execute(text(statement))

    open_once(path, job)
    open_once(path)
    assert faults(path / "store.db") == []


# --- upgrades


def objects(raw: sqlite3.Connection) -> dict[str, set[str]]:
    """The columns of each table that is neither SQLite's nor part of a virtual one."""
    names = raw.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict")
    return {name: {row[1] for row in raw.execute(f"PRAGMA table_info({name})")} for (name,) in names.fetchall()}


def unstated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site as an earlier version would have left it: a newest leaf that states nothing, and that schema."""
    with monkeypatch.context() as patch:
        patch.setattr(AuditLog, "_keep_state", lambda *_: None)
        open_once(path, lambda tx: tx.audit("test.earlier", actor="a"))
    earlier = path.with_name("earlier.db")
    migrations.migrate(earlier, EARLIER)
    with closing(sqlite3.connect(earlier)) as raw, closing(sqlite3.connect(path / "store.db")) as now:
        before, after = objects(raw), objects(now)
    later = [(name, column) for name in before for column in after[name] - before[name]]
    edit(
        path,
        *(f"DROP TABLE {name}" for name in after.keys() - before.keys()),
        *(f"ALTER TABLE {name} DROP COLUMN {column}" for name, column in later),
        f"UPDATE alembic_version SET version_num = '{EARLIER}'",
    )


def test_a_site_of_an_earlier_version_is_adopted_once_and_openly(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One leaf says so; from then on every start compares."""
    unstated(path, monkeypatch)
    assert faults(path / "store.db") == []
    for _ in range(3):
        open_once(path)
    assert [action for action, _ in leaf_states(path)].count(book.ADOPTED) == 1
    assert faults(path / "store.db") == []
    edit(path, EDITS["key to Citadel"])
    with pytest.raises(StoreRefused, match="api_key"):
        open_once(path)


def covering_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that covers one column and one table more."""
    monkeypatch.delitem(declared.LOOSE_COLUMNS, "api_key.last_used_us")  # type: ignore[arg-type]
    monkeypatch.setattr(book, "_COVERED", sorted([*book._COVERED, "api_reply"]))


def test_what_a_version_covers_more_is_adopted_after_a_look(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was stated until then must hold first: an upgrade washes no edit clean."""
    covering_more(monkeypatch)
    edited = Path(shutil.copytree(path, path.with_name("edited")))
    edit(edited, EDITS["key to Citadel"])
    with pytest.raises(StoreRefused, match="api_key: the row kid kid-2"):
        open_once(edited)
    open_once(path)
    assert [action for action, _ in leaf_states(path)].count(book.ADOPTED) == 1
    edit(path, "UPDATE api_key SET last_used_us = 77 WHERE kid = 'kid-2'")
    with pytest.raises(StoreRefused, match="api_key: the row kid kid-2"):
        open_once(path)


def migrating(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later schema, whose migration rewrites rows that are covered."""

    def migrate(path: Path) -> None:
        edit(
            path.parent,
            "ALTER TABLE deny ADD COLUMN note TEXT",
            "UPDATE provision SET state = 'torn'",
            "UPDATE alembic_version SET version_num = '9998'",
        )

    monkeypatch.setattr(migrations, "HEAD", "9998")
    monkeypatch.setattr(migrations, "migrate", migrate)


def test_a_migration_may_rewrite_rows_that_were_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are judged before it, whatever they decide; then the result is adopted."""
    migrating(monkeypatch)
    for number, statement in enumerate((EDITS["deny row deleted"], "UPDATE alarm SET text = 'x'")):
        edited = Path(shutil.copytree(path, path.with_name(f"edited{number}")))
        edit(edited, statement)
        with pytest.raises(StoreRefused, match="edited behind"):
            open_once(edited)
    open_once(path)
    open_once(path)
    assert faults(path / "store.db") == []
    assert [action for action, _ in leaf_states(path)].count(book.ADOPTED) == 1


def test_two_processes_write_one_store(path: Path) -> None:
    """``key create`` beside a running service: each goes on from what the other stated."""

    def job(tx: Transaction) -> None:
        tx.connection.execute(text("UPDATE access_epoch SET epoch = epoch + 1"))

    with opened(path) as one, opened(path) as other:
        for _ in range(3):
            one.writer.submit(job).result(30)
            other.writer.submit(job).result(30)
    open_once(path)
    assert faults(path / "store.db") == []


# --- drawn edits


def drawn(path: Path, wanted: int, seed: int) -> tuple[Counter[str], list[str]]:
    """So many edits, each of a fresh copy: how many of which table, and those that were not found or not stopped."""
    edits = StateEdits(seed)
    counts: Counter[str] = Counter()
    missed: list[str] = []
    while counts.total() < wanted:
        for suffix in ("", "-wal", "-shm"):
            (path / f"store.db{suffix}").unlink(missing_ok=True)
        shutil.copyfile(path / "as-it-was.db", path / "store.db")
        if (done := edits.draw(path)) is None:
            continue
        counts[done.table] += 1
        found = faults(path / "store.db")
        if done.table not in {fault.where for fault in found}:
            missed.append(f"not found: {done}")
        if done.table in DECIDES and not only_denies(found) and starts(path):
            missed.append(f"started: {done}")
    return counts, missed


def only_denies(found: list[LogFault]) -> bool:
    """Whether all that was found is a row too many of those that deny."""
    return all(fault.where in CLOSING and "inserted" in fault.what for fault in found)


def starts(path: Path) -> bool:
    """Whether the service's store opens."""
    try:
        open_once(path)
    except StoreRefused:
        return False
    return True


def test_drawn_edits_are_found(path: Path) -> None:
    """A sample of the campaign: every edit is found, and those of rows that decide stop the start."""
    _, missed = drawn(path, SAMPLE, 1)
    assert missed == []


@pytest.mark.campaign
def test_many_drawn_edits_are_found(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1,000 edits over all tables."""
    counts, missed = drawn(path, CAMPAIGN, 2)
    with capsys.disabled():
        print(f"\n{counts.total()} edits, {len(missed)} missed: {dict(sorted(counts.items()))}")
    assert missed == []
