"""A burn's evidence, judged by both verifiers: what is good is accepted, what was edited is refused."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.capabilities.burn.log.bundles import REPORT
from app.capabilities.burn.log.segments import LABEL, assertion_of
from app.commands.verify import pinned_trust, run_verify
from app.evidence.checks import Findings, PinnedTrust
from app.evidence.judge import examine
from app.ledger.bundle import pack, unpack
from app.ledger.c2sp.note import Signer
from app.ledger.c2sp.policy import parse_policy
from app.ledger.sidecar import SidecarSigner
from resources import arc_verify
from tests.door_site import ACTOR
from tests.service.capabilities.burn.burned_site import BurnedSite
from tests.service.capabilities.provenance.sealed_knots import Issuer

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BurnedSite:
    """One for all."""
    return BurnedSite(tmp_path_factory.mktemp("burned") / "site")


def bad(findings: Findings) -> dict[str, str]:
    """Sentences of the checks that failed."""
    return {check.name: check.sentence for check in findings.checks if not check.good}


def bad_alone(data: bytes, site: BurnedSite) -> dict[str, str]:
    """The same by the verifier in one file."""
    return {name: sentence for name, good, sentence in arc_verify.verify(data, site.policy_file).checks if not good}


# --- good evidence ---


def test_a_burn_is_accepted_by_both(site: BurnedSite) -> None:
    """Every check is good: the leaves with quorum, path and stamp, the segments with their manifests, the chain."""
    findings = examine(site.bundle, site.trust)
    assert bad(findings) == {} == bad_alone(site.bundle, site)
    made = [check.name for check in findings.checks]
    steps = {"leaf 3", "quorum 3", "path 3", "stamp 3", "segment 2", "manifest 2", "training 2"}
    assert {*steps, "chain", "parts", "training"} <= set(made)
    assert "every target was proven" in next(check.sentence for check in findings.checks if check.name == "chain")


def test_the_same_burn_is_the_same_bundle(site: BurnedSite) -> None:
    """To the byte, its report too."""
    assert site.bundle == site.again


def test_a_segment_is_accepted_with_the_manifest_beside_it(site: BurnedSite, tmp_path: Path) -> None:
    """On the command line, with what an auditor pinned; without the manifest it is refused."""
    (tmp_path / "policy").write_bytes(site.policy_file)
    (tmp_path / "roots").write_bytes(site.root_pem)
    file = tmp_path / "first.jsonl"
    file.write_bytes(site.segments[0][0])
    codes = []
    for manifest in (None, site.segments[0][1]):
        if manifest is not None:
            file.with_suffix(".c2pa").write_bytes(manifest)
        with (tmp_path / "out").open("w+") as out:
            codes.append(run_verify(file, pinned_trust(tmp_path), out, as_json=False))
            out.seek(0)
            words = out.read()
    assert (codes, words.splitlines()[-1].startswith("VERIFIED")) == ([1, 0], True)


def test_the_file_in_the_bundle_verifies_alone(site: BurnedSite, tmp_path: Path) -> None:
    """Python's standard library and the verifier that lies in the bundle, nothing of ours on its path."""
    files = unpack(site.bundle)
    for name, data in (("arc_verify.py", files["arc_verify.py"]), ("b.zip", site.bundle), ("policy", site.policy_file)):
        (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-I", "arc_verify.py", "b.zip", "--policy", "policy"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "VERIFIED"), done.stdout


# --- tampered, reordered, truncated, under another root ---


def changed(files: Files, name: str, old: bytes, new: bytes) -> None:
    """Replaces text in a part."""
    assert old in files[name], name
    files[name] = files[name].replace(old, new)


def numbers(files: Files) -> list[int]:
    """Of the segments."""
    found: list[int] = json.loads(files["burn.json"])["segments"]
    return found


def tampered(files: Files) -> None:
    """Another reason in the first segment."""
    changed(files, f"segments/{numbers(files)[0]}.jsonl", b"street", b"Street")


def reordered(files: Files) -> None:
    """Follow-up first, with everything that names them."""
    burn = json.loads(files["burn.json"])
    burn["segments"].reverse()
    burn["leaves"][1:] = burn["leaves"][:0:-1]
    files["burn.json"] = json.dumps(burn).encode()


def swapped(files: Files) -> None:
    """Each segment under the other's name, its manifest with it."""
    one, other = numbers(files)
    for end in ("jsonl", "c2pa"):
        first, second = f"segments/{one}.{end}", f"segments/{other}.{end}"
        files[first], files[second] = files[second], files[first]


def lines_reordered(files: Files) -> None:
    """Targets of the first segment in another order."""
    name = f"segments/{numbers(files)[0]}.jsonl"
    head, *lines = files[name].splitlines(keepends=True)
    files[name] = b"".join([head, *reversed(lines)])


def line_truncated(files: Files) -> None:
    """The first segment without its last target."""
    name = f"segments/{numbers(files)[0]}.jsonl"
    files[name] = b"".join(files[name].splitlines(keepends=True)[:-1])


def head_truncated(files: Files) -> None:
    """Without the first segment, and without everything of it."""
    number = numbers(files)[0]
    burn = json.loads(files["burn.json"])
    del burn["segments"][0]
    gone = burn["leaves"].pop(1)["log_index"]
    files["burn.json"] = json.dumps(burn).encode()
    for name in [name for name in files if name.startswith((f"segments/{number}.", f"audit/{gone}."))]:
        del files[name]


def manifest_of_the_other(files: Files) -> None:
    """Both segments with the same manifest."""
    one, other = numbers(files)
    files[f"segments/{one}.c2pa"] = files[f"segments/{other}.c2pa"]


def manifest_gone(files: Files) -> None:
    """A segment that nobody sealed."""
    del files[f"segments/{numbers(files)[0]}.c2pa"]


def another_node(files: Files) -> None:
    """The burn of somebody else."""
    changed(files, "burn.json", b"ARC-1", b"ARC-9")


def something_more(files: Files) -> None:
    """A file that nothing proves."""
    files["audit/note.txt"] = b"trust me"


@pytest.mark.parametrize(
    ("change", "full", "alone"),
    [
        (tampered, {"manifest 1", "chain"}, {"chain"}),
        (reordered, {"chain"}, {"chain"}),
        (swapped, {"chain"}, {"chain"}),
        (lines_reordered, {"manifest 1", "chain"}, {"chain"}),
        (line_truncated, {"segment 1", "manifest 1", "chain"}, {"chain"}),
        (head_truncated, {"chain"}, {"chain"}),
        (manifest_of_the_other, {"manifest 1"}, set()),
        (manifest_gone, {"manifest 1"}, {"parts"}),
        (another_node, {"chain"}, {"chain"}),
        (something_more, {"parts"}, {"parts"}),
    ],
)
def test_an_edit_that_the_site_itself_signed_again_is_refused(
    change: Callable[[Files], None], full: set[str], alone: set[str], site: BurnedSite
) -> None:
    """Whoever holds the receipt key cannot change what the logs and the manifests vouch for."""
    data = site.packed(change)
    found = set(bad(examine(data, site.trust)))
    assert found == full
    assert set(bad_alone(data, site)) == alone


def test_another_root_is_refused(site: BurnedSite) -> None:
    """A stranger's root is pinned: signature, manifests and stamps are all under one that is not."""
    found = bad(examine(site.bundle, site.trusting(Issuer.stranger().root)))
    assert found["manifest 1"] == "The manifest is signed under no root that you trust."
    assert {"signature", "manifest 1", "manifest 2", "stamp 1", "stamp 2", "stamp 3"} == set(found)


def test_a_segment_sealed_by_a_stranger_is_refused(site: BurnedSite) -> None:
    """Its manifest is good, and its root is not pinned."""
    stranger, own = Issuer.stranger(), Ed25519PrivateKey.generate()
    chain = [stranger.authority.provenance_signer(own.public_key()).certificate, stranger.root]
    data, _ = site.segments[0]
    head = json.loads(data.splitlines()[0])
    manifest = SidecarSigner(own, chain).sign(
        data, "forged", LABEL, assertion_of(head["segment"], head["burn_id"], data)
    )
    assert bad(examine(data, site.trusting(stranger.root), manifest)) == {}
    assert list(bad(examine(data, site.trust, manifest))) == ["manifest"]


def test_training_proves_nothing_to_production(site: BurnedSite) -> None:
    """A policy that names a log of a real site refuses a training burn and its segments."""
    real = Signer("site.invalid/audit", Ed25519PrivateKey.generate()).verifier.vkey
    policy = f"log {real}\n".encode() + site.policy_file
    trust = PinnedTrust(parse_policy(policy), [site.root])
    assert set(bad(examine(site.bundle, trust))) == {"training", "training 1", "training 2"}
    data, manifest = site.segments[0]
    assert set(bad(examine(data, trust, manifest))) == {"training"}
    assert [name for name, good, _ in arc_verify.verify(site.bundle, policy).checks if not good] == ["training"]


def test_the_seal_bundles_signature_is_of_another_kind(site: BurnedSite) -> None:
    """The files of one burn under the signature of another."""
    files = {**unpack(site.bundle), "manifest.jws": unpack(site.other_bundle)["manifest.jws"]}
    assert "signature" in bad(examine(pack(files), site.trust))
    assert "signature" in bad_alone(pack(files), site)


def test_edits_of_a_bundle_are_refused_by_both(site: BurnedSite) -> None:
    """Bits, bytes more, less and moved, anywhere in the file: its every byte follows from what was signed."""
    dice = random.Random(7)
    for number in range(150):
        data = bytearray(site.bundle)
        at = dice.randrange(len(data))
        match number % 4:
            case 0:
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                data[at:at] = dice.randbytes(dice.randrange(1, 5))
            case 2:
                del data[at : at + dice.randrange(1, 5)]
            case _:
                to = dice.randrange(len(data) - 40)
                part = bytes(data[at : at + 40])
                data[to : to + len(part)] = part
        if bytes(data) == site.bundle:
            continue
        if bytes(data[:4]) == b"PK\3\4":
            assert bad(examine(bytes(data), site.trust)), number
        assert bad_alone(bytes(data), site), number


def test_edits_of_a_segment_are_refused(site: BurnedSite) -> None:
    """Bits, lines swapped, lines gone; the manifest is of exactly these bytes."""
    dice = random.Random(8)
    good, manifest = site.segments[0]
    for number in range(150):
        data = bytearray(good)
        at = dice.randrange(len(data))
        lines = good.splitlines(keepends=True)
        match number % 3:
            case 0:
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                del lines[dice.randrange(len(lines))]
                data = bytearray(b"".join(lines))
            case _:
                one, other = dice.sample(range(len(lines)), 2)
                lines[one], lines[other] = lines[other], lines[one]
                data = bytearray(b"".join(lines))
        assert bad(examine(bytes(data), site.trust, manifest)), number


def test_openssl_takes_signer_and_stamp(site: BurnedSite, tmp_path: Path) -> None:
    """An independent program: the time stamp over the checkpoint's file, as the bundle's words say."""
    files = unpack(site.bundle)
    index = json.loads(files["burn.json"])["leaves"][0]["log_index"]
    for name in ("tst", "checkpoint"):
        (tmp_path / name).write_bytes(files[f"audit/{index}.{name}"])
    (tmp_path / "roots").write_bytes(site.root_pem)
    command = ["openssl", "ts", "-verify", "-token_in", "-in", "tst", "-data", "checkpoint", "-CAfile", "roots"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Verification: OK" in done.stdout + done.stderr


def test_the_report_says_who_ordered_the_burn(site: BurnedSite) -> None:
    """As the burn's own leaf does."""
    pdf = unpack(site.bundle)[REPORT]
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    assert f"Ordered by {ACTOR}" in " ".join(done.stdout.decode().split())
