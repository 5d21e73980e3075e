"""Backup and restore of a real site with its witnesses: nothing is lost, and no log is ever forked."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import insert

from app.__main__ import main
from app.biometrics.tables import template
from app.commands.backup import backup
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.commands.restore import ACTOR, GENERATION, RestoreRefused, restore
from app.commands.witness import STATE, open_cosigners
from app.ledger.log.append import AuditLog
from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import Tree
from app.ledger.witnesses.client import request_body
from app.ledger.witnesses.witness import Witness
from app.service.open_store import open_keys, open_store
from app.site.errors import SiteBusy, SiteRefused
from app.site.site import Site
from app.store.backup import BackupBroken, BackupManifest, BackupRefused, open_backup
from app.store.engine import Store
from app.store.errors import KeysUnavailable, StoreRefused
from app.store.keys import Keys, find_kek
from hardware.terminals.bundle import PER_GENERATION
from tests.served_site import ServedSite

ROOT = Path(__file__).parents[3]
WRITER = ROOT / "tests" / "e2e" / "writer_kill_child.py"
PATIENCE_S = 60.0
RESTORED = ["kek", "keys.db", "policy", "program.json", "serve.lock", "site.json", "store.db", "witnesses"]


@dataclass(frozen=True)
class Kept:
    """A site that was backed up twice: ``older`` before its last entries, ``newest`` after them."""

    site: Site
    older: Path
    newest: Path


def add_key(served: ServedSite) -> None:
    """One more entry of the audit log."""
    made = served.client.post("/v1/keys", json={"label": "backup test", "clearance": "sovereign"})
    assert made.status_code in (200, 201), made.text


def wait_for_witnesses(served: ServedSite) -> None:
    """Until every entry that there is now is under a cosigned checkpoint."""
    cosigned, lags = gauges(served, "cosigned_size"), gauges(served, "lag")
    wanted = {log: cosigned[log] + lags[log] for log in cosigned}
    until = time.monotonic() + PATIENCE_S
    while any(gauges(served, "cosigned_size")[log] < size for log, size in wanted.items()):
        if time.monotonic() > until:
            lines = served.log.read_text().splitlines()
            pytest.fail("\n".join(line for line in lines if '"operation"' not in line))
        time.sleep(0.1)


def gauges(served: ServedSite, name: str) -> dict[str, float]:
    """A figure of both logs."""
    lines = [line.split() for line in served.client.get("/metrics").text.splitlines()]
    head = f"arc_ledger_{name}{{"
    return {line[0].removeprefix(head): float(line[1]) for line in lines if line[0].startswith(head)}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A training site whose service ran; its three local witnesses have cosigned all of it."""
    room = tmp_path_factory.mktemp("backup")
    served = ServedSite.laid_out(room / "site")
    served.start()
    older = room / "older.backup"
    add_key(served)
    wait_for_witnesses(served)
    assert main(["backup", "--data-dir", str(served.data_dir), "--out", str(older)]) == EXIT_OK
    add_key(served)
    wait_for_witnesses(served)
    assert served.stop() == 0
    site = Site.existing(served.data_dir)
    backup(site, room / "newest.backup")
    return Kept(site, older, room / "newest.backup")


@pytest.fixture
def directory(kept: Kept, tmp_path: Path) -> Path:
    """An empty directory with what no backup holds: the key, and the local witnesses."""
    made = tmp_path / "restored"
    made.mkdir()
    shutil.copy(kept.site.data_dir / "kek", made / "kek")
    shutil.copytree(kept.site.data_dir / "witnesses", made / "witnesses")
    return made


def names(directory: Path) -> list[str]:
    """What lies in it."""
    return sorted(path.name for path in directory.iterdir())


def heads(site: Site) -> tuple[tuple[int, bytes], ...]:
    """Of both logs, after they were checked."""
    with open_keys(site) as keys, open_store(site, keys) as opened:
        return opened.ledger.seal.head(), opened.ledger.audit.head()


def test_newest_backup_comes_back(kept: Kept, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the witnesses saw last is restored as it was, private, and serves under the same origin."""
    assert main(["restore", str(kept.newest), "--data-dir", str(directory)]) == EXIT_OK
    assert "Run fsck" in capsys.readouterr().out
    assert names(directory) == RESTORED
    for name in ("keys.db", "policy", "site.json", "store.db"):
        assert stat.S_IMODE((directory / name).stat().st_mode) == 0o600
    site = Site.existing(directory)
    assert site.origin("seal") == kept.site.origin("seal")
    assert heads(site) == heads(kept.site)
    served = ServedSite(directory)
    served.start()
    try:
        add_key(served)
        wait_for_witnesses(served)
        assert served.client.get("/readyz").status_code == 200
    finally:
        served.stop()


def test_backup_holds_no_name_in_the_clear(kept: Kept, tmp_path: Path) -> None:
    """A text that the store holds is in no byte of the archive, and no unsealed copy is left in the data directory."""
    archive = kept.newest.read_bytes()
    with sqlite3.connect(kept.site.store_path) as store:
        people = [name for (name,) in store.execute("SELECT display_name FROM node")]
    assert people
    assert b"wrapped_key" in archive  # the parts are stored, not packed: this search finds what is there
    assert [name for name in (*people, "backup test", "log_head") if name.encode() in archive] == []
    assert ".backup" not in names(kept.site.data_dir)


def test_older_backup_is_refused(kept: Kept, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Behind its witnesses: both heads are told, and nothing of it is left."""
    before = sorted([*names(directory), "serve.lock"])
    assert main(["restore", str(kept.older), "--data-dir", str(directory)]) == EXIT_REFUSED
    told = capsys.readouterr().err
    seen = re.search(r"has cosigned (\d+) entries, root ", told)
    assert seen is not None
    with open_backup(kept.older) as archive:
        assert archive.manifest.heads["audit"].size < int(seen[1]) <= heads(kept.site)[1][0]
    assert "but this store has" in told
    assert "--new-generation" in told
    assert names(directory) == before


def test_silent_witnesses_are_no_consent(kept: Kept, directory: Path) -> None:
    """Without its witnesses even the newest backup is refused, and the remedy is named."""
    shutil.rmtree(directory / "witnesses")
    with pytest.raises(RestoreRefused, match=r"does not run.*Put the local witnesses' directory at"):
        restore(kept.newest, directory)
    assert names(directory) == ["kek", "serve.lock"]


def test_new_generation_tells_what_was_lost(kept: Kept, directory: Path) -> None:
    """The logs go on under the next origin from the backup's trees; the first leaf names the old origin and both
    heads, the same witnesses cosign it, and readers are told of an epoch beyond all of before."""
    done = restore(kept.older, directory, new_generation=True)
    site = Site.existing(directory)
    assert site.origin("seal") == kept.site.origin("seal") + "/2"
    assert (done.site.generation, site.generation, site.name) == (2, 2, kept.site.name)
    size, _ = heads(kept.site)[1]
    with open_keys(site) as keys, open_store(site, keys) as opened, opened.store.snapshot() as file:
        assert opened.ledger.audit.head()[0] == done.manifest.heads["audit"].size + 1
        payload = file.execute("SELECT payload FROM audit_entry ORDER BY seq DESC LIMIT 1").fetchone()[0]
        sealed = file.execute("SELECT header, payload FROM seal_entry ORDER BY seq DESC LIMIT 1").fetchone()
        (epoch,) = file.execute("SELECT epoch FROM access_epoch").fetchone()
    assert epoch > PER_GENERATION
    told = msgspec.json.decode(payload)["detail"]
    assert told["old_origin"] == kept.site.origin("audit")
    assert told["restored"]["size"] == done.manifest.heads["audit"].size < size
    assert re.search(r"has cosigned \d+ entries, root .* but this store has", told["found"])
    assert GENERATION.encode() in sealed[0]
    assert ACTOR.encode() in sealed[0]
    assert msgspec.json.decode(sealed[1])["old_origin"] == kept.site.origin("seal")
    assert (directory / "policy.1").read_bytes() == (kept.site.data_dir / "policy").read_bytes()
    served = ServedSite(directory)
    served.start()
    try:
        wait_for_witnesses(served)
        assert served.client.get("/readyz").status_code == 200
    finally:
        served.stop()
    # What was cosigned before is judged by the policy of before.
    assert main(["fsck", "--data-dir", str(directory)]) == EXIT_OK
    # From here on the new origin has its own witnessed heads, and its backups come back as any other.
    again = backup(site, directory.parent / "second.backup")[0]
    assert again.heads["seal"].origin == site.origin("seal")


def test_an_origin_that_was_begun_is_never_begun_again(kept: Kept, directory: Path, tmp_path: Path) -> None:
    """Lost twice with one old backup at hand: the second time a generation is taken that no witness has seen, and what
    is older than a generation is not the newest state, whatever the witnesses saw before that."""
    site = restore(kept.older, directory, new_generation=True).site
    with open_keys(site) as keys, open_store(site, keys) as opened:
        log, room = opened.ledger.seal, directory / "witnesses" / "w1"
        with contextlib.closing(
            Witness(room / STATE, open_cosigners(room, f"{site.name}/w1"), [log.verifier])
        ) as witness:
            assert witness.add_checkpoint(request_body(0, [], log.checkpoint())).status == 200
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(directory / "kek", again / "kek")
    shutil.copytree(directory / "witnesses", again / "witnesses")
    with pytest.raises(RestoreRefused, match=r"went on as generation 2 .* this backup is of generation 1"):
        restore(kept.newest, again)
    restore(kept.older, again, new_generation=True)
    assert Site.existing(again).origin("seal") == kept.site.origin("seal") + "/3"
    assert main(["fsck", "--data-dir", str(again)]) == EXIT_OK


def test_new_generation_without_its_witnesses_begins_new_ones(kept: Kept, directory: Path) -> None:
    """All that was left is the archive and the key: the old policy is kept aside, the service makes its own."""
    shutil.rmtree(directory / "witnesses")
    done = restore(kept.older, directory, new_generation=True)
    assert any("new ones are in the new policy" in sentence for sentence in done.sentences)
    assert any("burn again whoever was burned" in sentence for sentence in done.sentences)
    assert any("Terminals that may decide offline: 1." in sentence for sentence in done.sentences)
    assert names(directory) == [
        "kek",
        "keys.db",
        "policy",
        "policy.1",
        "program.json",
        "serve.lock",
        "site.json",
        "store.db",
        "witnesses",
    ]
    served = ServedSite(directory)
    served.start()
    try:
        wait_for_witnesses(served)
    finally:
        served.stop()


def test_other_witnesses_of_the_same_name_are_no_consent(kept: Kept, directory: Path) -> None:
    """New keys have seen nothing of this site: that they know of no newer entry says nothing."""
    for witness in (directory / "witnesses").iterdir():
        shutil.rmtree(witness)
        open_cosigners(witness, f"{kept.site.name}/{witness.name}")
    with pytest.raises(RestoreRefused, match="does not run"):
        restore(kept.older, directory)


def test_new_generation_needs_a_loss(kept: Kept, directory: Path) -> None:
    """Where nothing is lost no second log begins."""
    with pytest.raises(RestoreRefused, match="without --new-generation"):
        restore(kept.newest, directory, new_generation=True)


def test_restore_needs_the_key(kept: Kept, directory: Path) -> None:
    """Without the key-encryption key, or with another, nothing is restored; none is made."""
    (directory / "kek").unlink()
    with pytest.raises(KeysUnavailable, match="Bring it back"):
        restore(kept.newest, directory)
    assert names(directory) == ["serve.lock", "witnesses"]
    (directory / "kek").write_bytes(b"x" * 32)
    with pytest.raises(KeysUnavailable, match="another key-encryption key"):
        restore(kept.newest, directory)


@pytest.mark.parametrize("name", ["store.db-wal", "store.db", "site.json", "notes.txt"])
def test_restore_takes_an_empty_directory_alone(kept: Kept, directory: Path, name: str) -> None:
    """Nothing is overwritten, and no WAL of another store can lie beside the restored one."""
    (directory / name).write_bytes(b"theirs")
    with pytest.raises(RestoreRefused, match="is not empty"):
        restore(kept.newest, directory)
    assert (directory / name).read_bytes() == b"theirs"


def test_two_restores_at_once(kept: Kept, directory: Path) -> None:
    """The second is refused, and touches nothing of the first."""
    site = Site("training", directory, kept.site.settings, kept.site.site_id)
    with site.claim(), pytest.raises(SiteBusy, match="Another restore or service"):
        restore(kept.newest, directory)
    assert names(directory) == ["kek", "serve.lock", "witnesses"]


def test_failed_last_step_leaves_nothing(kept: Kept, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full at the end: what was in its place already is taken away again."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(directory))

    with monkeypatch.context() as patch:
        patch.setattr("app.commands.restore.write_private", full)
        with pytest.raises(StoreRefused, match="No space left"):
            restore(kept.newest, directory)
    assert names(directory) == ["kek", "serve.lock", "witnesses"]
    restore(kept.newest, directory)


def test_restored_data_keys_seal_no_more(kept: Kept, directory: Path) -> None:
    """How many fields the lost store sealed under them is not known: the next field begins a new key."""
    restored = restore(kept.newest, directory).site
    with open_keys(restored) as keys:
        with contextlib.closing(sqlite3.connect(restored.keys_path)) as file:
            old = file.execute("SELECT max(kid) FROM wrapped_key WHERE purpose = 'webhook'").fetchone()[0]
        assert keys.data_key("webhook")[0] > old
        assert keys.data_key("webhook", old)[0] == old


def test_changed_archive_is_refused(kept: Kept, directory: Path, tmp_path: Path) -> None:
    """Somebody who may write to the archive alone can put nothing into the site: the manifest is under its key."""
    edited = tmp_path / "edited.backup"
    with zipfile.ZipFile(kept.newest) as old, zipfile.ZipFile(edited, "w") as new:
        manifest = msgspec.json.decode(old.read("manifest.json"), type=BackupManifest)
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename == "manifest.json":
                data = msgspec.json.encode(msgspec.structs.replace(manifest, made_us=manifest.made_us + 1))
            new.writestr(entry.filename, data)
    with pytest.raises(BackupBroken, match="was changed after it was made"):
        restore(edited, directory)


def test_palm_keys_go_another_way(kept: Kept, directory: Path, tmp_path: Path) -> None:
    """Where templates have a key file, a backup says that it is kept apart, and a restore without it what is lost."""
    row = ("default", "ARC-T0001", 0, 1, os.urandom(560), 0)
    site = Site.open(Path(shutil.copytree(kept.site.data_dir, tmp_path / "palms")), kept.site.profile)
    with open_keys(site) as keys, open_store(site, keys) as opened:
        opened.store.writer.submit(lambda tx: tx.connection.execute(insert(template).values(row))).result(30)
    apart = site.registry_keys_path
    apart.touch()
    _, sentence = backup(site, tmp_path / "palms.backup")
    assert f"({apart}) are not in it either" in sentence
    done = restore(tmp_path / "palms.backup", directory)
    assert any(f"registries default are not at {directory}.registry-keys.db" in one for one in done.sentences)


def test_archive_holds_no_key(kept: Kept) -> None:
    """It is private, and neither the key-encryption key nor a key that it wraps is in it."""
    assert stat.S_IMODE(kept.newest.stat().st_mode) == 0o600
    data = kept.newest.read_bytes()
    with open_keys(kept.site) as keys:
        for secret in (
            find_kek(kept.site).key,
            keys.ed25519("seal").private_bytes_raw(),
            keys.secret("pepper"),
            keys.secret("backup"),
        ):
            assert secret not in data
    with zipfile.ZipFile(kept.newest) as zipped:
        assert sorted(zipped.namelist()) == [
            "keys.db",
            "manifest.json",
            "manifest.mac",
            "policy",
            "site.json",
            "store.db",
        ]


def test_backup_replaces_nothing(kept: Kept, tmp_path: Path) -> None:
    """A file that is there stays; a directory that is no site gets no backup, and no site."""
    with pytest.raises(BackupRefused, match="exists"):
        backup(kept.site, kept.newest)
    assert main(["backup", "--data-dir", str(tmp_path / "none"), "--out", str(tmp_path / "b")]) == EXIT_REFUSED
    assert not (tmp_path / "none").exists()
    fresh = Site.open(tmp_path / "fresh", "training")
    assert main(["backup", "--data-dir", str(fresh.data_dir), "--out", str(tmp_path / "b")]) == EXIT_REFUSED
    assert names(fresh.data_dir) == ["site.json"]


# --- under load, and killed


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Path]:
    """A site into which 16 clients of another process write without end."""
    child = subprocess.Popen(
        [sys.executable, str(WRITER), str(tmp_path / "site"), "load"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline()
        yield tmp_path / "site"
    finally:
        child.kill()
        child.stdout.close()
        child.wait(10)


def wait_for_more(site: Site, size: int) -> None:
    """Until the log has more than ``size`` leaves. A busy machine may give the writers no turn between two backups."""
    end = time.monotonic() + PATIENCE_S
    with contextlib.closing(sqlite3.connect(f"{site.store_path.as_uri()}?mode=ro", uri=True)) as raw:
        while raw.execute("SELECT count(*) FROM audit_entry").fetchone()[0] <= size:
            assert time.monotonic() < end, "nothing was written"
            time.sleep(0.02)


def test_backup_under_load_is_one_state(writing: Path, tmp_path: Path) -> None:
    """Rows, leaves and the signed head in the archive are of one commit, however many come during the copy."""
    site = Site.existing(writing)
    sizes: list[int] = []
    for number in range(3):
        wait_for_more(site, sizes[-1] if sizes else 0)
        manifest, _ = backup(site, tmp_path / f"{number}.backup")
        sizes.append(manifest.heads["audit"].size)
    assert sizes == sorted(set(sizes))
    target = tmp_path / "restored"
    target.mkdir()
    shutil.copy(writing / "kek", target / "kek")
    restored = restore(tmp_path / "2.backup", target).site
    with open_keys(restored) as keys:
        log = AuditLog(restored.origin("audit"), keys.ed25519("audit"))
        with Store.open(restored.store_path, log, sealer=keys.sealer) as store, store.snapshot() as file:
            entries = file.execute("SELECT header FROM audit_entry ORDER BY seq").fetchall()
            rows = file.execute("SELECT seq FROM test_killed_row ORDER BY seq").fetchall()
            tree = Tree()
            for (header,) in entries:
                tree.append(leaf_hash(header))
            assert (len(entries), tree.root()) == log.head() == (sizes[2], manifest.heads["audit"].root)
            assert [seq for (seq,) in rows] == list(range(len(entries)))


def killed(module: str, step: str, call: str, *arguments: str) -> None:
    """A child that makes ``call`` and is killed where ``module`` comes to ``step``."""
    code = (
        "import os, sys\nfrom pathlib import Path\nimport app.commands.backup, app.commands.restore, app.store.backup\n"
        "from app.site.site import Site\n"
        f"{module}.{step} = lambda *_, **__: os.kill(os.getpid(), 9)\nfirst, second = map(Path, sys.argv[1:])\n{call}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("step", ["_measure", "_mac", "sync_directory"])
def test_killed_backup_leaves_nothing_that_looks_whole(kept: Kept, tmp_path: Path, step: str) -> None:
    """Before the last rename there is no archive; the next backup to the same name takes the rest away."""
    out = tmp_path / "a.backup"
    call = "app.commands.backup.backup(Site.existing(first), second)"
    killed("app.store.backup", step, call, str(kept.site.data_dir), str(out))
    assert out.exists() is (step == "sync_directory")
    if not out.exists():
        backup(kept.site, out)
        assert names(tmp_path) == ["a.backup"]
    with zipfile.ZipFile(out) as zipped:
        assert zipped.testzip() is None


@pytest.mark.parametrize(
    "step",
    [
        "_place",
        "write_private",
        *(pytest.param(each, marks=pytest.mark.campaign) for each in ("_restore", "_verdicts", "sync_directory")),
    ],
)
def test_killed_restore_is_no_site(kept: Kept, directory: Path, step: str) -> None:
    """Until the last step no command takes the directory for a site; the next restore begins again."""
    killed(
        "app.commands.restore", step, "app.commands.restore.restore(first, second)", str(kept.newest), str(directory)
    )
    with pytest.raises(SiteRefused):
        Site.open(directory, "training")
    restore(kept.newest, directory)
    assert names(directory) == RESTORED
    assert heads(Site.existing(directory)) == heads(kept.site)


def test_older_kek_opens_an_older_backup(kept: Kept, directory: Path) -> None:
    """The key was replaced after the backup: the old one, still kept, opens it, and the new one wraps what comes
    back."""
    from app.store.kek import add_kek

    holder = Site.existing(kept.site.data_dir)
    with open_keys(holder) as keys:
        secret = keys.secret("pepper")
    moved = directory.parent / "moved"
    moved.mkdir()
    shutil.copy(holder.data_dir / "kek", moved / "kek")
    shutil.copy(holder.data_dir / "site.json", moved / "site.json")
    shutil.copy(holder.data_dir / "keys.db", moved / "keys.db")
    after = add_kek(Site.existing(moved))
    shutil.copy(moved / "kek", directory / "kek")
    restored = restore(kept.newest, directory).site
    with contextlib.closing(sqlite3.connect(restored.keys_path)) as file:
        assert file.execute("SELECT DISTINCT kek FROM wrapped_key").fetchall() == [(after.name,)]
    again = Keys(restored.keys_path, find_kek(restored))
    assert again.secret("pepper") == secret
    again.close()
