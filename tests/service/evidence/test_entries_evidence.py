"""Chosen entries of the audit log, judged by both verifiers: what is good is accepted, what was edited is refused."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.problems import Problem
from app.capabilities.gateway.audit.bundles import KIND, PROOF
from app.capabilities.gateway.audit.evidence import AuditEvidence
from app.evidence.checks import Findings, PinnedTrust
from app.evidence.judge import examine
from app.ledger.bundle import pack, unpack, write_bundle
from app.ledger.c2sp.note import Signer, parse_note
from app.ledger.c2sp.policy import parse_policy
from app.ledger.cosigned import Cosigned, freeze
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority, stamp_authority
from app.store.writer import Transaction
from resources import arc_verify
from tests.door_site import DoorSite, door_site
from tests.service.capabilities.burn.burned_site import ADDED, WITNESS

Files = dict[str, bytes]


class EntriesSite:
    """Made in ``path`` and closed again: eight entries, of which six are under a checkpoint. ``bundle`` proves three of
    them, ``other`` another one."""

    def __init__(self, path: Path) -> None:
        with door_site(path) as site:
            authority, _ = open_authority(site.site, site.store, site.keys)
            self._receipts = DocumentSigner.open(site.store, site.keys, authority)
            self._stamps = stamp_authority(site.site, site.store, site.keys, authority)
            self.first = site.log.snapshot().size
            site.write(lambda tx: add(tx, 6))
            self.published = site.log.snapshot().size
            self._cosign(site)
            site.write(lambda tx: add(tx, 2))
            self.size = site.log.snapshot().size
            self.root = authority.root.certificate
            self.policy_file = f"log {site.log.verifier.vkey}\nwitness w0 {WITNESS.key.vkey}\nquorum w0\n".encode()
            self._evidence = AuditEvidence(
                site.store, site.log, self._receipts.sign_bundle, lambda: self.published, training=True
            )
            chosen = [self.first + 4, self.first, self.first + 2, self.first]
            self.bundle, self.again = self._make(chosen), self._make(sorted(chosen))
            self.other = self._make([self.first + 1])
            self.refused = {
                seq: self._refusal([self.first, seq]) for seq in (self.published, self.size - 1, self.size, 2**80)
            }

    @property
    def trust(self) -> PinnedTrust:
        """What an auditor of the site pinned."""
        return PinnedTrust(parse_policy(self.policy_file), [self.root])

    def packed(self, change: Callable[[Files], None]) -> bytes:
        """The bundle with its parts changed, signed again by the site itself: only what the parts prove can tell."""
        parts = {name: data for name, data in unpack(self.bundle).items() if name not in ADDED}
        change(parts)
        return write_bundle(KIND, parts, training=True, sign=self._receipts.sign_bundle)

    def _make(self, seqs: list[int]) -> bytes:
        return asyncio.run(self._evidence.bundle(seqs))

    def _refusal(self, seqs: list[int]) -> Problem:
        with pytest.raises(Problem) as refused:
            self._make(seqs)
        return refused.value

    def _cosign(self, site: DoorSite) -> None:
        head, now = site.log.snapshot(), int(time.time())
        text = parse_note(head.note.encode()).text
        token = self._stamps.token(text.encode(), datetime.now(UTC))
        cosigned = Cosigned(head.size, head.note + WITNESS.line(text, now), now, token)
        site.write(lambda tx: freeze(tx, site.log, cosigned))


def add(tx: Transaction, count: int) -> None:
    """Entries of nobody's capability."""
    for number in range(count):
        tx.audit("test.added", actor="tester", node_id="ARC-1", detail={"word": f"w{number}"})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> EntriesSite:
    """One for all."""
    return EntriesSite(tmp_path_factory.mktemp("entries") / "site")


def bad(findings: Findings) -> dict[str, str]:
    """Sentences of the checks that failed."""
    return {check.name: check.sentence for check in findings.checks if not check.good}


def bad_alone(data: bytes, policy: bytes) -> dict[str, str]:
    """The same by the verifier in one file."""
    return {name: sentence for name, good, sentence in arc_verify.verify(data, policy).checks if not good}


def test_chosen_entries_are_accepted_by_both(site: EntriesSite) -> None:
    """Each with its content, quorum, path and stamp; the verifier in one file makes the same checks."""
    findings = examine(site.bundle, site.trust)
    assert bad(findings) == {} == bad_alone(site.bundle, site.policy_file)
    steps = {f"{step} {number}" for step in ("leaf", "quorum", "path", "stamp") for number in (1, 2, 3)}
    made = {check.name for check in findings.checks}
    assert steps | {"manifest", "signature", "shape", "parts", "training"} == made
    alone = {name for name, _, _ in arc_verify.verify(site.bundle, site.policy_file).checks}
    assert steps | {"shape", "parts", "training"} < alone


def test_the_same_entries_are_the_same_bundle(site: EntriesSite) -> None:
    """In any order and named twice: to the byte."""
    assert site.bundle == site.again
    indexes = [leaf["log_index"] for leaf in json.loads(unpack(site.bundle)[PROOF])["leaves"]]
    assert indexes == [site.first, site.first + 2, site.first + 4]


def test_an_entry_without_a_published_checkpoint_is_refused(site: EntriesSite) -> None:
    """It waits for its witnesses, and the sentence names it."""
    for seq in (site.published, site.size - 1):
        assert (site.refused[seq].code, str(seq) in site.refused[seq].detail) == ("state_conflict", True)


def test_an_entry_that_the_log_does_not_have_is_refused(site: EntriesSite) -> None:
    """The field is named, and no number is too large to be refused."""
    for seq in (site.size, 2**80):
        problem = site.refused[seq]
        assert (problem.code, problem.errors[0].pointer) == ("invalid_body", "/entries/1")


def another_word(files: Files) -> None:
    """An entry that says something else."""
    proof = json.loads(files[PROOF])
    other = json.loads(files[PROOF])["leaves"][1]["opening"]
    proof["leaves"][0]["opening"] = other
    files[PROOF] = json.dumps(proof).encode()


def reordered(files: Files) -> None:
    """Last entry first."""
    proof = json.loads(files[PROOF])
    proof["leaves"].reverse()
    files[PROOF] = json.dumps(proof).encode()


def twice(files: Files) -> None:
    """An entry that stands there twice."""
    proof = json.loads(files[PROOF])
    proof["leaves"].insert(0, proof["leaves"][0])
    files[PROOF] = json.dumps(proof).encode()


def none_left(files: Files) -> None:
    """A bundle that proves nothing."""
    proof = json.loads(files[PROOF])
    proof["leaves"] = []
    files.clear()
    files[PROOF] = json.dumps(proof).encode()


def left_out(files: Files) -> None:
    """One entry fewer in the list; its files are still there."""
    proof = json.loads(files[PROOF])
    proof["leaves"].pop()
    files[PROOF] = json.dumps(proof).encode()


def something_more(files: Files) -> None:
    """A file that nothing proves."""
    files["audit/note.txt"] = b"trust me"


def said_beside(files: Files) -> None:
    """A member that nothing proves."""
    proof = json.loads(files[PROOF])
    proof["title"] = "Nobody else was there"
    files[PROOF] = json.dumps(proof).encode()


def withheld(files: Files) -> None:
    """An entry without its content."""
    proof = json.loads(files[PROOF])
    proof["leaves"][0]["opening"] = {"salt": None, "payload": None}
    files[PROOF] = json.dumps(proof).encode()


def another_path(files: Files) -> None:
    """The proof of another entry."""
    proof = json.loads(files[PROOF])
    proof["leaves"][0]["proof"] = proof["leaves"][1]["proof"]
    files[PROOF] = json.dumps(proof).encode()


def real(files: Files) -> None:
    """Training that calls itself production."""
    proof = json.loads(files[PROOF])
    proof["training"] = False
    files[PROOF] = json.dumps(proof).encode()


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        (another_word, {"leaf 1"}),
        (reordered, {"shape"}),
        (twice, {"shape"}),
        (none_left, {"shape"}),
        (left_out, {"parts"}),
        (something_more, {"parts"}),
        (said_beside, {"shape"}),
        (withheld, {"leaf 1"}),
        (another_path, {"path 1", "parts"}),
        (real, {"training"}),
    ],
)
def test_an_edit_that_the_site_itself_signed_again_is_refused(
    change: Callable[[Files], None], failed: set[str], site: EntriesSite
) -> None:
    """Whoever holds the receipt key cannot change what the log vouches for; both verifiers name the same checks."""
    data = site.packed(change)
    assert set(bad(examine(data, site.trust))) == failed
    assert set(bad_alone(data, site.policy_file)) == failed


def test_edits_of_a_bundle_are_refused_by_both(site: EntriesSite) -> None:
    """Bits anywhere in the file: its every byte follows from what was signed."""
    dice = random.Random(17)
    for number in range(60):
        data = bytearray(site.bundle)
        data[dice.randrange(4, len(data))] ^= 1 << dice.randrange(8)
        assert bad(examine(bytes(data), site.trust)), number
        assert bad_alone(bytes(data), site.policy_file), number


def test_entries_under_another_bundles_signature_are_refused(site: EntriesSite) -> None:
    """The files of some entries under the signature over others."""
    files = {**unpack(site.bundle), "manifest.jws": unpack(site.other)["manifest.jws"]}
    assert "signature" in bad(examine(pack(files), site.trust))
    assert "signature" in bad_alone(pack(files), site.policy_file)


def test_training_proves_nothing_to_production(site: EntriesSite) -> None:
    """A policy that names a log of a real site refuses training entries."""
    log = Signer("site.invalid/audit", Ed25519PrivateKey.generate()).verifier.vkey
    policy = f"log {log}\n".encode() + site.policy_file
    said = {"training": "These are TRAINING entries; they prove nothing to a production site."}
    assert bad(examine(site.bundle, PinnedTrust(parse_policy(policy), [site.root]))) == said
    assert bad_alone(site.bundle, policy) == said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), JSON.map(lambda value: json.dumps(value).encode())))
def test_no_list_of_entries_breaks_a_verifier(data: bytes, site: EntriesSite) -> None:
    """Bytes that the site signed as a list of entries and that are none are refused with a sentence, by both."""

    def replaced(files: Files) -> None:
        files[PROOF] = data

    made = site.packed(replaced)
    assert bad(examine(made, site.trust)).keys() == {"shape"} == bad_alone(made, site.policy_file).keys()
