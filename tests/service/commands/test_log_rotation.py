"""A log's keys are replaced beside a running service: witnesses, policy, proofs of before, during and after."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import re
import shutil
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from msgspec import structs

from app.__main__ import main
from app.capabilities.gateway.audit.logs.messages import LogKeyChange, LogKeys
from app.commands.backup import backup
from app.commands.fsck import run_fsck
from app.commands.keys import LOGS
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.commands.restore import restore
from app.console.evidence.log_keys import followed_policy
from app.ledger.c2sp.note import NoteError, parse_note
from app.ledger.c2sp.policy import WitnessPolicy, parse_policy
from app.ledger.c2sp.proof import ProofError, parse_proof, verify_proof
from app.ledger.erase import Eraser
from app.ledger.log.keys import KeyStatement, LogRing, read_leaf, sign_rotation
from app.service.open_store import open_keys, open_store
from app.site.site import Site
from resources import arc_verify
from tests.served_site import ServedSite
from tests.service.capabilities.provenance.seal_site import body

PATH = "/v1/citadel/provenance/knot-seal"
LONG_S = 3_600.0


@dataclass(frozen=True)
class Rekeyed:
    """A site whose logs' keys were replaced twice within one overlap, stopped; what it gave out meanwhile."""

    site: Site
    pinned: str
    """The policy before."""
    before: dict[str, Any]
    text: str
    """The policy after."""
    during: dict[str, Any]
    changes: list[LogKeyChange]
    backups: Path
    """``older.backup`` and ``newest.backup``."""


@pytest.fixture(scope="module")
def rekeyed(tmp_path_factory: pytest.TempPathFactory) -> Rekeyed:
    """One for the tests of this file."""
    place = tmp_path_factory.mktemp("rekeyed")
    with ServedSite.laid_out(place / "site").running() as served:
        before = sealed(served)
        pinned = policy_text(served)
        overlap(served.data_dir, LONG_S)
        told_late = (served.data_dir / "policy").read_bytes()
        for name in (*LOGS, *LOGS):
            rotate(served, name)
        site = Site.existing(served.data_dir)
        backup(site, place / "older.backup")
        text = served.wait(lambda: len(logs_of(text := policy_text(served), "seal")) == 6 and text)
        during = served.wait(lambda: own_lines(knot := sealed(served)) == 6 and knot)

        def proven() -> list[LogKeyChange]:
            found = msgspec.convert(served.get("/v1/log/keys"), LogKeys).items
            return found if all(one.proof for one in found) else []

        changes = served.wait(proven)
        assert served.stop() == 0
    # As a command that is killed before it has told the policy leaves it.
    (site.data_dir / "policy").write_bytes(told_late)
    backup(site, place / "newest.backup")
    (site.data_dir / "policy").write_text(text)
    return Rekeyed(site, pinned, before, text, during, changes, place)


def overlap(data_dir: Path, seconds: float) -> None:
    """The setting, as an operator edits it."""
    path = data_dir / "site.json"
    said = json.loads(path.read_text())
    said["settings"]["log_key_overlap_s"] = seconds
    path.write_text(json.dumps(said))


def rotate(served: ServedSite, name: str) -> None:
    """The command, beside whatever runs."""
    assert main(["key", "rotate", "--data-dir", str(served.data_dir), name]) == EXIT_OK


def sealed(served: ServedSite) -> dict[str, Any]:
    """A knot with its quorum."""
    answer = served.post(PATH, msgspec.to_builtins(body("ARC-T0041")))
    assert answer.status_code in (200, 202), answer.text
    found: dict[str, Any] = answer.json()
    if found["seal_proof"] is None:
        return served.wait(lambda: (again := served.get(f"{PATH}/{found['knot_id']}"))["seal_proof"] and again)
    return found


def policy_text(served: ServedSite) -> str:
    """What anybody pins."""
    return served.client.get("/v1/log/policy").text


def holds(knot: dict[str, Any], policy: WitnessPolicy) -> bool:
    """Whether a stranger with ``policy`` accepts the seal's proof."""
    leaf = hashlib.sha256(b"\x00" + knot["leaf"].encode()).digest()
    try:
        verify_proof(parse_proof(knot["seal_proof"].encode()), leaf, policy)
    except (ProofError, NoteError):
        return False
    return True


def with_logs(policy: str, lines: list[str]) -> WitnessPolicy:
    """``policy`` with the log lines ``lines`` alone."""
    kept = [line for line in policy.splitlines() if not line.startswith("log ")]
    return parse_policy(("\n".join([*lines, *kept]) + "\n").encode())


def logs_of(policy: str, name: str) -> list[str]:
    """The lines of one log."""
    return [line for line in policy.splitlines() if re.match(rf"log \S+/{name}\+", line)]


def own_lines(knot: dict[str, Any]) -> int:
    """Signature lines of the log itself."""
    note = parse_note(parse_proof(knot["seal_proof"].encode()).note.encode())
    return sum(line.name == knot["log_origin"] for line in note.signatures)


def accepted_alone(knot: dict[str, Any], policy: str) -> bool:
    """Whether the one-file verifier accepts the seal. It imports nothing of this project (``test_evidence``)."""
    return arc_verify.verify(json.dumps(knot).encode(), policy.encode()).good


def findings(data_dir: Path) -> list[str]:
    """Of ``fsck``."""
    out = io.StringIO()
    run_fsck(Site.existing(data_dir), out, as_json=True, offline=False)
    return [line for line in out.getvalue().splitlines() if '"what"' in line]


@pytest.mark.campaign
def test_both_sign_then_the_new_alone(tmp_path: Path) -> None:
    """Beside a service: old proofs stay good, during the overlap old and new vkey alone are each enough, the witnesses
    follow by themselves, and when it has ended, over a restart, the new keys alone sign."""
    with ServedSite.laid_out(tmp_path / "site").running() as served:
        _replaced_over_a_restart(served, tmp_path)


def _replaced_over_a_restart(served: ServedSite, tmp_path: Path) -> None:
    before = sealed(served)
    old = policy_text(served)
    overlap(served.data_dir, 15.0)
    rotate(served, "seal-log")
    ended = time.time() + 15.0
    both = served.wait(lambda: len(logs_of(text := policy_text(served), "seal")) == 4 and text)
    assert logs_of(both, "audit") == logs_of(old, "audit")
    new_lines = [line for line in logs_of(both, "seal") if line not in logs_of(old, "seal")]
    during = served.wait(lambda: own_lines(knot := sealed(served)) == 4 and knot)
    assert during["log_origin"] == before["log_origin"]
    for policy in (old, both):
        assert holds(before, parse_policy(policy.encode()))
        assert holds(during, parse_policy(policy.encode()))
    for line in logs_of(both, "seal"):
        assert holds(during, with_logs(both, [line]))
    assert not holds(before, with_logs(both, new_lines))
    assert served.stop() == 0
    assert findings(served.data_dir) == []

    served.wait(lambda: time.time() > ended)
    served.start()
    after = sealed(served)
    assert own_lines(after) == 2
    assert not holds(after, parse_policy(old.encode()))
    assert holds(after, with_logs(both, new_lines))
    exported = policy_text(served)
    for knot in (before, during, after):
        assert holds(knot, parse_policy(exported.encode()))
        assert accepted_alone(knot, exported)
        (tmp_path / "knot.json").write_text(json.dumps(knot))
        (tmp_path / "trust").mkdir(exist_ok=True)
        (tmp_path / "trust" / "policy").write_text(exported)
        (tmp_path / "trust" / "roots").write_bytes(served.client.get("/v1/log/roots").content)
        assert main(["verify", str(tmp_path / "knot.json"), "--trust", str(tmp_path / "trust")]) == EXIT_OK
    assert served.get("/v1/log/witnesses")["standing"] == "CONFIRMED"
    assert served.stop() == 0
    assert findings(served.data_dir) == []


def logs_in(policy: bytes) -> set[str]:
    """Every log line."""
    return {line for line in policy.decode().splitlines() if line.startswith("log ")}


def by_a_stranger(change: LogKeyChange) -> LogKeyChange:
    """The same leaf, but for what it states: keys of somebody who has not the old ones."""
    payload = msgspec.json.decode(base64.b64decode(change.payload))
    origin = payload["statement"].split("\n")[1]
    old, new = (
        LogRing.alone(origin, Ed25519PrivateKey.generate(), MLDSA44PrivateKey.generate()).newest for _ in range(2)
    )
    said = msgspec.to_builtins(sign_rotation(origin, old, new, 2_000_000_000))
    changed, salt = msgspec.json.encode(said), base64.b64decode(change.salt)
    header = msgspec.json.decode(change.leaf) | {"body": hashlib.sha256(salt + changed).hexdigest()}
    return structs.replace(
        change, payload=base64.b64encode(changed).decode(), leaf=msgspec.json.encode(header, order="sorted").decode()
    )


@pytest.mark.campaign
def test_the_one_file_verifier_knows_replaced_keys(rekeyed: Rekeyed) -> None:
    """Seals of before and during hold under the exported policy, and where one pair alone is known; a seal that the new
    keys have not signed does not hold under them, and one whose line was taken out does not hold under that key."""
    text, old = rekeyed.text, logs_of(rekeyed.pinned, "seal")
    for knot in (rekeyed.before, rekeyed.during):
        assert accepted_alone(knot, text)
        assert accepted_alone(knot, rekeyed.pinned)
    others = [line for line in text.splitlines(keepends=True) if not line.startswith("log ")]
    new = [line for line in logs_of(text, "seal") if line not in old]
    for line in new:
        assert accepted_alone(rekeyed.during, "".join([f"{line}\n", *others]))
    known = "".join([*(f"{line}\n" for line in new), *others])
    assert not accepted_alone(rekeyed.before, known)
    lines = rekeyed.during["seal_proof"].splitlines(keepends=True)
    stripped = [line for line in lines if not line.startswith(f"\u2014 {rekeyed.during['log_origin']} ")]
    assert len(lines) - len(stripped) == 6
    assert not accepted_alone(rekeyed.during | {"seal_proof": "".join(stripped)}, text)


@pytest.mark.campaign
def test_both_logs_twice(rekeyed: Rekeyed) -> None:
    """A second replacement within the overlap of the first: three pairs sign. A console that pinned the first policy
    follows both by their leaves alone, and by nothing that was changed in them."""
    pinned, text, changes = rekeyed.pinned, rekeyed.text, rekeyed.changes
    assert len(logs_of(text, "audit")) == 6
    for line in logs_of(text, "seal"):
        assert holds(rekeyed.during, with_logs(text, [line]))
    assert [one.log for one in changes] == ["seal", "seal", "audit", "audit"]
    assert logs_in(followed_policy(pinned.encode(), changes)) == logs_in(text.encode())
    assert followed_policy(text.encode(), changes) == text.encode()
    first = changes[0]
    for wrong in (
        structs.replace(first, proof=None),
        structs.replace(first, proof=changes[1].proof),
        structs.replace(first, leaf=first.leaf.replace("log.key", "log.kez")),
        structs.replace(first, payload=changes[1].payload, salt=changes[1].salt),
        by_a_stranger(first),
    ):
        assert followed_policy(pinned.encode(), [wrong]) == pinned.encode()
        # The second was signed by keys that only the first brings in.
        assert logs_in(followed_policy(pinned.encode(), [wrong, changes[1]])) == logs_in(pinned.encode())
    assert findings(rekeyed.site.data_dir) == []


@pytest.fixture
def quiet(tmp_path: Path) -> Site:
    """A site with a store, whose service does not run, and whose overlap is over at once."""
    site = Site.open(tmp_path / "quiet", "training")
    entry(site)
    overlap(site.data_dir, 0.001)
    return Site.existing(site.data_dir)


def entry(site: Site) -> int:
    """One more audit entry, by a command; its exit code."""
    return main(["key", "create", "--data-dir", str(site.data_dir), "--clearance", "citadel", "--label", "test"])


def test_without_a_service(quiet: Site) -> None:
    """The head of the commit is signed by both pairs where their overlap lasts, by the new one alone after it."""
    overlap(quiet.data_dir, LONG_S)
    assert main(["key", "rotate", "--data-dir", str(quiet.data_dir), "audit-log"]) == EXIT_OK
    assert own_lines_of_head(quiet.data_dir) == 2
    assert entry(quiet) == EXIT_OK
    assert own_lines_of_head(quiet.data_dir) == 2
    assert findings(quiet.data_dir) == []


EDITS = {
    "row deleted": "DELETE FROM log_key",
    "row of another key": "UPDATE log_key SET ed25519 = zeroblob(32)",
    "longer overlap": "UPDATE log_key SET until_us = until_us + 1000000000000",
    "leaf opened by other bytes": "UPDATE audit_entry SET payload = x'7b7d' WHERE seq = (SELECT seq FROM log_key)",
    "leaf without payload": "UPDATE audit_entry SET payload = NULL WHERE seq = (SELECT seq FROM log_key)",
    "row of no leaf": "INSERT INTO log_key SELECT log, seq + 1, ed25519, mldsa44, until_us FROM log_key",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_rotation_is_refused(quiet: Site, edit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Index or leaf changed by hand: nothing is appended any more, and fsck finds it."""
    assert main(["key", "rotate", "--data-dir", str(quiet.data_dir), "audit-log"]) == EXIT_OK
    assert entry(quiet) == EXIT_OK
    assert own_lines_of_head(quiet.data_dir) == 1
    assert findings(quiet.data_dir) == []
    forge(quiet.data_dir, EDITS[edit])
    capsys.readouterr()
    assert entry(quiet) == EXIT_REFUSED
    said = capsys.readouterr().err
    assert any(word in said for word in ("Keep this store as evidence", "not signed by this site"))
    assert any("log_key" in line for line in findings(quiet.data_dir))


def forge(data_dir: Path, *statements: str) -> None:
    """What a writer of files without the keys can do."""
    with contextlib.closing(sqlite3.connect(data_dir / "store.db", isolation_level=None)) as file:
        for statement in statements:
            file.execute(statement)


def test_a_leaf_of_the_log_is_never_erased(quiet: Site) -> None:
    """An erasure leaves it out."""
    assert main(["key", "rotate", "--data-dir", str(quiet.data_dir), "seal-log"]) == EXIT_OK
    with open_keys(quiet) as keys, open_store(quiet, keys) as opened, opened.store.snapshot() as raw:
        assert Eraser(opened.ledger).erasable(raw, "seal", [0]) == []


@pytest.mark.parametrize("kinds", [[], ["ed25519"], ["ed25519", "mldsa44"]])
def test_a_killed_command_is_gone_on_with(quiet: Site, kinds: list[Literal["ed25519", "mldsa44"]]) -> None:
    """Keys that were made and never named sign nothing; the next command names those."""
    with open_keys(quiet) as keys:
        first = keys.ed25519s("seal")[-1].public_key()
        for kind in kinds:
            keys.renew("seal", kind)
        made = keys.ed25519s("seal")[0].public_key()
        with open_store(quiet, keys) as opened:
            assert opened.ledger.seal.verifier.key == first
    assert main(["key", "rotate", "--data-dir", str(quiet.data_dir), "seal-log"]) == EXIT_OK
    with open_keys(quiet) as keys, open_store(quiet, keys) as opened:
        assert len(keys.ed25519s("seal")) == len(keys.mldsa44s("seal")) == 2
        newest = opened.ledger.seal.verifier.key
        assert (newest == made) is bool(kinds)
        assert newest != first


def place_for(site: Site, directory: Path) -> Path:
    """A directory with what no backup holds."""
    directory.mkdir()
    shutil.copy(site.data_dir / "kek", directory / "kek")
    shutil.copytree(site.data_dir / "witnesses", directory / "witnesses")
    return directory


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["newest", "older"])
def test_backups_of_a_rekeyed_site(rekeyed: Rekeyed, tmp_path: Path, name: str) -> None:
    """The newest one goes on with all pairs, as does a new generation of an older one, under an origin of its own; a
    policy that a killed command had not told is told by the restore."""
    where = place_for(rekeyed.site, tmp_path / name)
    restored = restore(rekeyed.backups / f"{name}.backup", where, new_generation=name == "older").site
    with ServedSite(where).running() as again:
        knot = sealed(again)
        assert own_lines(knot) == 6
        assert knot["log_origin"] == restored.origin("seal")
        policy = policy_text(again)
        assert holds(knot, parse_policy(policy.encode()))
        assert holds(rekeyed.before, parse_policy(policy.encode())) is (name == "newest")
    assert findings(where) == []


def own_lines_of_head(data_dir: Path) -> int:
    """Signature lines of the audit log's head."""
    with contextlib.closing(sqlite3.connect(data_dir / "store.db")) as file:
        note = file.execute("SELECT note FROM log_head WHERE log = 1").fetchone()[0]
    return len(parse_note(bytes(note)).signatures)


def test_the_leaf_says_it(quiet: Site) -> None:
    """Both logs tell of a replacement; the audit log names it for the seal log too."""
    for name in LOGS:
        assert main(["key", "rotate", "--data-dir", str(quiet.data_dir), name]) == EXIT_OK
    with contextlib.closing(sqlite3.connect(quiet.store_path)) as file:
        for table, log in (("seal_entry", 0), ("audit_entry", 1)):
            row = file.execute(
                f"SELECT header, salt, payload FROM {table} WHERE seq = (SELECT seq FROM log_key WHERE log = ?)",
                (log,),
            ).fetchone()
            signed = read_leaf(*row)
            assert isinstance(signed, KeyStatement)
            assert [len(base64.b64decode(one)) for one in signed.signatures] == [64, 2420, 64, 2420]
        headers = [msgspec.json.decode(row[0]) for row in file.execute("SELECT header FROM audit_entry")]
    assert [one["action"] for one in headers][1:] == ["key.replaced", "log.key"]
