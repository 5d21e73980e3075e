"""Seals, receipts and bundles judged by both verifiers: what is good is accepted, what was edited is refused, and they
agree."""

from __future__ import annotations

import base64
import collections
import contextlib
import copy
import functools
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.provisioning.paper import receipts as receipt
from app.capabilities.provisioning.paper.receipts import sign_receipt
from app.evidence.checks import EvidenceError, Findings, PinnedTrust
from app.evidence.judge import examine
from app.ledger.bundle import read_bundle, unpack
from app.ledger.c2sp.note import Signer
from app.ledger.c2sp.policy import parse_policy
from app.pki.document_signer import DocumentSigner
from resources import arc_verify
from tests.service.capabilities.provenance.evidence_edits import edits
from tests.service.capabilities.provenance.sealed_knots import Issuer, SealedKnots
from tests.unit.ledger.stamps.test_timestamp import ROOT as OUTSIDE_ROOT

FILE = Path(arc_verify.__file__)


@pytest.fixture(scope="module")
def knots(tmp_path_factory: pytest.TempPathFactory) -> SealedKnots:
    """A site's knots."""
    return SealedKnots(tmp_path_factory.mktemp("knots"))


@pytest.fixture(scope="module")
def trust(knots: SealedKnots) -> PinnedTrust:
    """What an auditor of the site pinned."""
    return PinnedTrust(parse_policy(knots.policy_file), [knots.issuer.root], [OUTSIDE_ROOT])


def text_of(seal: dict[str, Any]) -> bytes:
    """A seal's file."""
    return json.dumps(seal).encode()


def bad(findings: Findings) -> dict[str, str]:
    """Sentences of the checks that failed."""
    return {check.name: check.sentence for check in findings.checks if not check.good}


def bad_alone(data: bytes, knots: SealedKnots) -> dict[str, str]:
    """The same by the verifier in one file."""
    return {name: sentence for name, good, sentence in arc_verify.verify(data, knots.policy_file).checks if not good}


# --- good evidence, and what is no more than it says ---


@pytest.mark.parametrize("name", ["alone", "withdrawn", "renewed"])
def test_a_seal_is_accepted_by_both(name: str, knots: SealedKnots, trust: PinnedTrust) -> None:
    """Every check is good, and the five steps are there for each statement."""
    seal = getattr(knots, name)
    findings = examine(text_of(seal), trust)
    assert bad(findings) == {} == bad_alone(text_of(seal), knots)
    made = {check.name for check in findings.checks}
    for number in range(1, len(seal["leaves"]) + 1):
        assert {f"{step} {number}" for step in ("seal", "leaf", "quorum", "path", "stamp")} <= made


@pytest.mark.parametrize("name", ["alone", "withdrawn", "renewed"])
def test_a_bundle_is_accepted_by_both(name: str, knots: SealedKnots, trust: PinnedTrust) -> None:
    """The seal in it, its other files and the signature of its manifest; the same seal is the same bundle."""
    data = knots.issuer.bundle(getattr(knots, name))
    assert bad(examine(data, trust)) == {} == bad_alone(data, knots)
    assert data == knots.issuer.bundle(getattr(knots, name))


def test_a_pending_seal_is_not_verified(knots: SealedKnots, trust: PinnedTrust) -> None:
    """No quorum, no proof; both say so, in a file and in a bundle."""
    for data in (text_of(knots.pending), knots.issuer.bundle(knots.pending)):
        for found in (bad(examine(data, trust)), bad_alone(data, knots)):
            assert set(found) <= {"seal 1", "quorum 1", "parts"}
            assert "quorum was missing" in found["seal 1"]


def test_training_proves_nothing_to_production(knots: SealedKnots) -> None:
    """A policy that names a log of a real site refuses a training seal, even where it names the training log too."""
    real = Signer("site.invalid/seal", Ed25519PrivateKey.generate()).verifier.vkey
    policy = f"log {real}\n".encode() + knots.policy_file
    found = bad(examine(text_of(knots.alone), PinnedTrust(parse_policy(policy), [knots.issuer.root])))
    assert found == {"training": "This is a TRAINING seal; it proves nothing to a production site."}
    alone = [check for check in arc_verify.verify(text_of(knots.alone), policy).checks if not check[1]]
    assert alone == [("training", False, found["training"])]


def test_a_policy_without_the_log_accepts_nothing(knots: SealedKnots) -> None:
    """The keys are pinned: a log that they do not name is a stranger's."""
    stranger = Signer("training-fedcba9876543210.site.invalid/seal", Ed25519PrivateKey.generate())
    logs = [f"log {stranger.verifier.vkey}"]
    others = [line for line in knots.policy_file.decode().splitlines() if not line.startswith("log ")]
    other = "\n".join([*logs, *others, ""]).encode()
    found = bad(examine(text_of(knots.alone), PinnedTrust(parse_policy(other), [knots.issuer.root])))
    assert list(found) == ["quorum 1"]
    assert found["quorum 1"].startswith("The policy names no log")
    alone = {name: said for name, good, said in arc_verify.verify(text_of(knots.alone), other).checks if not good}
    assert alone == found


# --- time stamps ---


def test_outside_stamps_are_over_checkpoints_that_continue_the_seals(knots: SealedKnots, trust: PinnedTrust) -> None:
    """The first and the newest, with their proofs; who signed them is judged where roots are pinned, and told where
    none are."""
    stamps = knots.renewed["leaves"][0]["outside_stamps"]
    assert len(stamps) == 2
    assert stamps[1]["consistency"]
    said = {check.name: check.sentence for check in examine(text_of(knots.renewed), trust).checks}
    assert "A trusted outside authority" in said["outside 1"]
    unpinned = examine(text_of(knots.renewed), PinnedTrust(trust.policy, trust.roots))
    assert unpinned.good
    assert "not judged" in {check.name: check.sentence for check in unpinned.checks}["outside 1"]


def outside(knots: SealedKnots, **changed: Any) -> dict[str, Any]:
    """``renewed`` with its newest outside stamp changed."""
    seal = copy.deepcopy(knots.renewed)
    seal["leaves"][0]["outside_stamps"][1] |= changed
    return seal


def test_an_outside_stamp_of_anything_else_is_refused(knots: SealedKnots, trust: PinnedTrust) -> None:
    """Another order, another checkpoint's stamp, and a path that leads elsewhere or nowhere: by both."""
    first, newest = knots.renewed["leaves"][0]["outside_stamps"]
    swapped = copy.deepcopy(knots.renewed)
    swapped["leaves"][0]["outside_stamps"] = [newest, first]
    none = copy.deepcopy(knots.renewed)
    none["leaves"][0]["outside_stamps"] = []
    other = [newest["consistency"][-1], *newest["consistency"][1:]] if len(newest["consistency"]) > 1 else [32 * "A"]
    for seal in (
        swapped,
        none,
        outside(knots, consistency=[]),
        outside(knots, consistency=[*newest["consistency"], newest["consistency"][0]]),
        outside(knots, consistency=other),
        outside(knots, timestamp_token=first["timestamp_token"]),
        outside(knots, checkpoint=newest["checkpoint"].replace("/seal", "/audit")),
    ):
        assert list(bad(examine(text_of(seal), trust))) == ["outside 1"]
        assert list(bad_alone(text_of(seal), knots)) == ["outside 1"]


def test_an_outside_stamp_by_a_stranger_is_refused(knots: SealedKnots, trust: PinnedTrust) -> None:
    """Where roots are pinned, the authority must stand under one."""
    other = PinnedTrust(trust.policy, trust.roots, [Issuer.stranger().root])
    assert list(bad(examine(text_of(knots.renewed), other))) == ["outside 1"]


def test_a_stamp_by_a_stranger_is_refused(knots: SealedKnots) -> None:
    """The authority must stand under a pinned root."""
    found = bad(examine(text_of(knots.alone), PinnedTrust(parse_policy(knots.policy_file), [Issuer.stranger().root])))
    assert list(found) == ["stamp 1"]


def test_a_stamp_far_from_the_quorum_is_refused(tmp_path: Path) -> None:
    """More than 300 s apart, one of the clocks lied."""
    late = SealedKnots(tmp_path, late_s=400)
    found = bad(examine(text_of(late.alone), PinnedTrust(parse_policy(late.policy_file), [late.issuer.root])))
    assert list(found) == ["stamp 1"]
    assert "300 s are allowed" in found["stamp 1"]


def test_a_seal_without_its_stamp_is_refused(knots: SealedKnots, trust: PinnedTrust) -> None:
    """Taking a token away is an edit."""
    seal = copy.deepcopy(knots.alone)
    seal["timestamp_token"] = seal["leaves"][0]["timestamp_token"] = None
    assert list(bad(examine(text_of(seal), trust))) == ["stamp 1"] == list(bad_alone(text_of(seal), knots))


# --- who signed a bundle ---


def test_a_strangers_bundle_is_refused_by_its_signature(knots: SealedKnots, trust: PinnedTrust) -> None:
    """Anybody can pack a good seal. The verifier in one file says that it does not judge whose signature it is."""
    stranger = Issuer.stranger()
    data = stranger.bundle(knots.alone)
    found = bad(examine(data, trust))
    assert found == {"signature": "The signer's certificate leads to no root that you trust."}
    report = arc_verify.verify(data, knots.policy_file)
    assert report.good
    assert any("is not judged here" in sentence for name, _, sentence in report.checks if name == "signature")


def test_a_seal_of_another_bundle_does_not_fit(knots: SealedKnots, trust: PinnedTrust) -> None:
    """The manifest's signature of one bundle over the files of another."""
    one, other = (unpack(knots.issuer.bundle(seal)) for seal in (knots.alone, knots.withdrawn))
    data = arc_verify.pack({**one, "manifest.jws": other["manifest.jws"]})
    assert list(bad(examine(data, trust))) == ["signature"] == list(bad_alone(data, knots))


def test_other_tools_take_the_parts(knots: SealedKnots, tmp_path: Path) -> None:
    """openssl verifies the stamp over the checkpoint's file, as the bundle's words say."""
    files = read_bundle(knots.issuer.bundle(knots.alone)).files
    index = knots.alone["log_index"]
    for name in ("tst", "checkpoint"):
        (tmp_path / name).write_bytes(files[f"seal/{index}.{name}"])
    (tmp_path / "roots").write_bytes(knots.issuer.authority.root_pem())
    command = ["openssl", "ts", "-verify", "-token_in", "-in", "tst", "-data", "checkpoint", "-CAfile", "roots"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Verification: OK" in done.stdout + done.stderr


# --- receipts ---


def content(**changes: object) -> dict[str, object]:
    """A receipt's payload."""
    reply = {"provision_id": "prv_1", "node_id": "ARC-T0001", "hardware_uid": "TRAINING-1"}
    made = receipt.payload(
        reply,
        origin="training-0123456789abcdef.site.invalid/audit",
        site_id="0123456789abcdef",
        card={},
        operator="key_1",
        approver=None,
        journal="00" * 32,
        leaf=7,
        now_us=int(datetime.now(UTC).timestamp() * 1e6),
        training=True,
    )
    return {**made, **changes}


def test_a_receipt_is_accepted(knots: SealedKnots, trust: PinnedTrust) -> None:
    """Roots alone are enough; what it says is told."""
    data = sign_receipt(knots.issuer.receipts, content())
    for one in (trust, PinnedTrust(None, trust.roots)):
        findings = examine(data, one)
        assert bad(findings) == {}
        assert "node_id ARC-T0001" in findings.checks[1].sentence


@pytest.mark.parametrize("part", ["payload", "protected", "signature"])
def test_an_edited_receipt_is_refused(part: str, knots: SealedKnots, trust: PinnedTrust) -> None:
    """Every byte of each part counts."""
    good = json.loads(sign_receipt(knots.issuer.receipts, content()))
    raw = base64.urlsafe_b64decode(good[part] + "=" * (-len(good[part]) % 4))
    for at in range(0, len(raw), 7):
        turned = raw[:at] + bytes((raw[at] ^ 1,)) + raw[at + 1 :]
        edited = {**good, part: base64.urlsafe_b64encode(turned).rstrip(b"=").decode()}
        assert list(bad(examine(text_of(edited), trust))) == ["signature"]


def test_a_receipt_under_another_root_is_refused(knots: SealedKnots, trust: PinnedTrust) -> None:
    """A stranger's root in ``x5c`` is not trusted for being there."""
    assert list(bad(examine(sign_receipt(Issuer.stranger().receipts, content()), trust))) == ["signature"]


def test_a_bundles_signature_is_no_receipt(knots: SealedKnots, trust: PinnedTrust) -> None:
    """The type of what was signed is signed too."""
    data = knots.issuer.receipts.sign_bundle(json.dumps(content()).encode())
    assert bad(examine(data, trust)) == {"signature": "The signature is of another kind."}


def test_another_certificate_of_the_site_signs_no_receipt(knots: SealedKnots, trust: PinnedTrust) -> None:
    """A certificate under the root that is for something else."""
    key = Ed25519PrivateKey.generate()
    stamping = knots.issuer.authority.stamp_signer(ec.generate_private_key(ec.SECP256R1()).public_key())
    data = sign_receipt(DocumentSigner(key, [stamping.certificate, knots.issuer.root]), content())
    assert bad(examine(data, trust)) == {"signature": "The signer's certificate is not for signing documents."}


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({"training": False}, "training"),
        ({"training": "yes"}, "content"),
        ({"v": 2}, "content"),
        ({"kind": "other"}, "content"),
        ({"provision": None}, "content"),
        ({"issued_at": "yesterday"}, "content"),
        ({"issued_at": "2020-01-01T00:00:00Z"}, "content"),
    ],
)
def test_what_a_receipt_cannot_say(
    changes: dict[str, object], failed: str, knots: SealedKnots, trust: PinnedTrust
) -> None:
    """Signed, and yet no receipt of this site: another mark than its root's, another form, outside the signer's
    term."""
    assert list(bad(examine(sign_receipt(knots.issuer.receipts, content(**changes)), trust))) == [failed]


def test_a_training_receipt_is_nothing_to_production(knots: SealedKnots) -> None:
    """Where a production root is pinned beside it."""
    both = PinnedTrust(None, [knots.issuer.root, Issuer.stranger(training=False).root])
    assert list(bad(examine(sign_receipt(knots.issuer.receipts, content()), both))) == ["training"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b"null", b'{"a":1,"a":2}', b"[" * 100_000])
def test_what_is_no_evidence_is_not_judged(data: bytes, trust: PinnedTrust) -> None:
    """Neither good nor bad."""
    with pytest.raises(EvidenceError):
        examine(data, trust)


# --- bytes from outside ---

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
files = (
    st.binary(max_size=200) | st.binary(max_size=200).map(b"PK\3\4".__add__) | values.map(json.dumps).map(str.encode)
)
names = st.sampled_from(["knot_id", "node_id", "leaves", "opening", "seal_proof", "timestamp_token", "leaf"])


@given(data=files)
def test_any_bytes_are_judged_or_refused(data: bytes, knots: SealedKnots, trust: PinnedTrust) -> None:
    """Never good, and never an error of another kind, whatever comes."""
    with contextlib.suppress(EvidenceError):
        assert not examine(data, trust).good
    assert not arc_verify.verify(data, knots.policy_file).good


@settings(max_examples=50)
@given(name=names, value=values)
def test_any_member_is_judged(name: str, value: Any, knots: SealedKnots, trust: PinnedTrust) -> None:
    """A seal and its first leaf with anything at all in one place."""
    seal = copy.deepcopy(knots.alone)
    for holder in (seal, seal["leaves"][0]):
        if name in holder:
            holder[name] = value
    with contextlib.suppress(EvidenceError):  # Infinity is no JSON
        assert not examine(text_of(seal), trust).good
    assert not arc_verify.verify(text_of(seal), knots.policy_file).good


# The library warns of a serial number that a turned bit made negative; outside tests that is a line on stderr.
@pytest.mark.filterwarnings("ignore:Parsed a serial number:cryptography.utils.CryptographyDeprecationWarning")
@given(bit=st.integers(0, 2**20), which=st.sampled_from([0, 1]))
def test_any_certificate_is_judged(bit: int, which: int, knots: SealedKnots, trust: PinnedTrust) -> None:
    """A bit of a certificate turned: what a library makes of it is a refusal, never a crash."""
    jws = json.loads(sign_receipt(knots.issuer.receipts, content()))
    header = json.loads(base64.urlsafe_b64decode(jws["protected"] + "=="))
    raw = bytearray(base64.b64decode(header["x5c"][which]))
    raw[bit // 8 % len(raw)] ^= 1 << bit % 8
    header["x5c"][which] = base64.b64encode(raw).decode()
    jws["protected"] = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    assert list(bad(examine(text_of(jws), trust))) == ["signature"]


# --- edits ---


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most edits leave most signatures as they were: each one is verified once. Both functions depend on nothing but
    their arguments."""
    for name in ("ed25519", "mldsa44"):
        monkeypatch.setattr(arc_verify, name, functools.cache(getattr(arc_verify, name)))


def agree(knots: SealedKnots, trust: PinnedTrust, *, seed: int, count: int) -> collections.Counter[tuple[str, str]]:
    """Both verifiers judge ``count`` edits; how each kind of edit was judged."""
    seals = [knots.alone, knots.withdrawn, knots.renewed]
    zips = [knots.issuer.bundle(seal) for seal in seals]
    judged: collections.Counter[tuple[str, str]] = collections.Counter()
    for edit in edits(seals, zips, seed=seed, count=count):
        try:
            findings = examine(edit.data, trust)
            full, failed = findings.good, set(bad(findings))
        except EvidenceError:
            full, failed = False, {"file"}
        alone = arc_verify.verify(edit.data, knots.policy_file).good
        match edit.refused:
            case "by both":
                assert (full, alone) == (False, False), (edit.name, edit.data)
            case "by the full one":
                assert not full, (edit.name, edit.data)
                assert not alone or all(name.startswith(("stamp ", "outside ")) for name in failed), (
                    edit.name,
                    edit.data,
                )
            case "alike":
                assert full is alone, (edit.name, edit.data)
        verdict = "refused by both" if not alone else "accepted by both" if full else "refused by its stamp's signer"
        judged[edit.name, verdict] += 1
    return judged


@pytest.mark.usefixtures("remembered")
def test_edits_are_refused_and_the_verifiers_agree(knots: SealedKnots, trust: PinnedTrust) -> None:
    """A sample of the campaign below."""
    judged = agree(knots, trust, seed=4, count=200)
    refused = sum(count for (_, verdict), count in judged.items() if verdict == "refused by both")
    assert refused > 160


@pytest.mark.campaign
@pytest.mark.usefixtures("remembered")
def test_ten_thousand_edits(knots: SealedKnots, trust: PinnedTrust, capsys: pytest.CaptureFixture[str]) -> None:
    """Every member of the JSON, every region of the proof, every file of the zip; the counts are printed."""
    judged = agree(knots, trust, seed=10_000, count=10_000)
    verdicts: collections.Counter[str] = collections.Counter()
    with capsys.disabled():
        print()
        for (name, verdict), count in sorted(judged.items()):
            print(f"{count:6} {verdict:30} {name}")
            verdicts[verdict] += count
        for verdict, count in verdicts.items():
            print(f"{count:6} {verdict}")


# --- the file alone ---


@pytest.fixture
def bare(tmp_path: Path, knots: SealedKnots) -> Path:
    """A directory outside the project with the verifier and the policy."""
    shutil.copy(FILE, tmp_path / "arc_verify.py")
    (tmp_path / "policy").write_bytes(knots.policy_file)
    return tmp_path


def run_bare(bare: Path, data: bytes) -> subprocess.CompletedProcess[str]:
    """The verifier in an interpreter that has nothing but the standard library, as an auditor runs it."""
    (bare / "file").write_bytes(data)
    command = [sys.executable, "-I", "-S", "arc_verify.py", "file", "--policy", "policy"]
    return subprocess.run(command, cwd=bare, capture_output=True, text=True, env={}, check=False)


def test_the_file_alone_verifies(bare: Path, knots: SealedKnots) -> None:
    """A seal and a bundle; a sentence for each check."""
    for data in (text_of(knots.withdrawn), knots.issuer.bundle(knots.withdrawn)):
        done = run_bare(bare, data)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("VERIFIED\n")
        assert "good  path 2     The leaf is entry 5 of 6 in the signed tree." in done.stdout


def test_the_file_alone_refuses(bare: Path, knots: SealedKnots) -> None:
    """Exit 1, and what is wrong; never a traceback, never a command to the terminal."""
    seal = copy.deepcopy(knots.alone)
    seal["log_origin"] = "\x1b[31mother"
    for data, said in ((text_of(seal), "of another log"), (b"", "is not JSON"), (b"PK\3\4", "damaged")):
        done = run_bare(bare, data)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.endswith("NOT VERIFIED\n")
        assert said in done.stdout
        assert "\x1b" not in done.stdout


def test_the_bundles_own_copy_is_this_file(knots: SealedKnots) -> None:
    """What a bundle brings along to be read is what we test."""
    assert read_bundle(knots.issuer.bundle(knots.alone)).files["arc_verify.py"] == FILE.read_bytes()
