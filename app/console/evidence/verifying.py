"""What the console checks itself, without asking the service: seals and audit entries under a pinned policy.

The checks are those of ``resources/arc_verify.py``, the file that goes into every bundle: what this console calls
verified, anybody's Python verifies. All of it is pure Python and takes milliseconds for each signature: not for the GUI
thread.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import msgspec

from app.api.wire import unix_us
from app.capabilities.gateway.audit.log_messages import LogKeyChange
from app.capabilities.gateway.messages import AuditEntry, AuditPage, AuditProof
from app.capabilities.provenance.messages import KnotSeal
from app.console.theme.resources import ROOT

TITLES = {
    "policy": "Pinned policy",
    "file": "File",
    "shape": "Form",
    "seal": "Consensus seal",
    "leaf": "Leaf and opening",
    "quorum": "Witnesses",
    "path": "Path to the root",
    "stamp": "Time stamp",
    "outside": "Outside time stamps",
    "knot": "Name and order",
    "training": "Training or real",
    "zip": "Bundle",
    "manifest": "List of files",
    "signature": "Signature of the site",
    "content": "Content",
    "parts": "Files beside it",
    "chain": "Chain of segments",
}


@dataclass(frozen=True)
class SealCheck:
    """One check. ``good`` None: there is nothing to judge yet, and the sentence says why."""

    title: str
    good: bool | None
    sentence: str


@dataclass(frozen=True)
class SealJudgement:
    """All checks of one seal or entry, in their order."""

    checks: tuple[SealCheck, ...]

    @property
    def good(self) -> bool | None:
        """True if every check is; False if one is not; None if none is bad and one could not be made yet."""
        verdicts = {check.good for check in self.checks}
        return False if False in verdicts else None if None in verdicts or not verdicts else True


@dataclass(frozen=True)
class CosignedBy:
    """One witness of the policy. ``at``: Unix seconds at which it cosigned, by a signature that holds; else None."""

    name: str
    at: int | None


@dataclass(frozen=True)
class VerifiedCheckpoint:
    """A checkpoint whose signatures hold. ``quorum_at``: Unix seconds."""

    origin: str
    size: int
    root: bytes
    quorum_at: int


@functools.cache
def _verifier() -> Any:
    """The single-file verifier as a module, from the very file that bundles carry."""
    spec = importlib.util.spec_from_file_location("arc_verify", ROOT / "arc_verify.py")
    if spec is None or spec.loader is None:
        raise ImportError("resources/arc_verify.py is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# --- knot seals ------------------------------------------------------------------------------------------------------


def knot_file(knot: KnotSeal) -> bytes:
    """A knot as a file that ``arc_verify.py`` and ``arc-console verify`` take."""
    return msgspec.json.format(msgspec.json.encode(knot), indent=2) + b"\n"


def verify_knot(knot: KnotSeal, policy: bytes) -> SealJudgement:
    """Every check of a knot and of each of its statements."""
    pending = {str(number) for number, leaf in enumerate(knot.leaves, 1) if leaf.seal_proof is None}
    return _judged(knot_file(knot), policy, pending, numbered=len(knot.leaves) > 1)


def verify_file(data: bytes, policy: bytes) -> SealJudgement:
    """Every check of a file that leaves the site: a seal, an evidence bundle."""
    return _judged(data, policy, frozenset(), numbered=True)


def _judged(data: bytes, policy: bytes, pending: Set[str], *, numbered: bool) -> SealJudgement:
    checks = []
    for name, good, sentence in _verifier().verify(data, policy).checks:
        kind, _, number = name.partition(" ")
        # A proof that the site does not claim to have yet is no forged one.
        awaited = not good and number in pending and kind in ("seal", "quorum")
        title = f"{number} · {TITLES[kind]}" if number and numbered else TITLES[kind]
        checks.append(SealCheck(title, None if awaited else good, sentence))
    return SealJudgement(tuple(checks))


def cosigners(seal_proof: str, policy: bytes) -> list[CosignedBy]:
    """Every witness of the policy, in its order, and when it cosigned the proof's checkpoint. Raises ValueError."""
    arc = _verifier()
    try:
        note, trusted = arc.Proof(seal_proof).note, arc.Policy(policy)
    except arc.Bad as error:
        raise ValueError(str(error)) from error
    found: dict[str, int | None] = {}
    for _, key in trusted.witnesses:
        at = key.time(note)
        before = found.get(key.name)
        found[key.name] = before if at is None else at if before is None else min(at, before)
    return [CosignedBy(name, at) for name, at in found.items()]


def checked_head(note: str, policy: bytes) -> VerifiedCheckpoint:
    """A cosigned checkpoint after its log's signature and its quorum were checked. Raises ValueError."""
    arc = _verifier()
    try:
        parsed = arc.Note(note)
        return VerifiedCheckpoint(parsed.origin, parsed.size, parsed.root, arc.Policy(policy).met_at(parsed))
    except arc.Bad as error:
        raise ValueError(str(error)) from error


# --- the logs' own keys -----------------------------------------------------------------------------------------------


def followed_policy(policy: bytes, changes: Sequence[LogKeyChange]) -> bytes:
    """``policy`` with the log keys that followed its own, as far as the leaves ``log.key`` prove it: stated in a leaf
    that its logs and its witnesses have signed, by all four keys. What proves nothing adds nothing. Raises ValueError
    for a policy that is none."""
    arc = _verifier()
    lines = policy.decode("utf-8", "surrogateescape").split("\n")
    for change in changes:
        try:
            trusted = arc.Policy("\n".join(lines).encode("utf-8", "surrogateescape"))
        except arc.Bad as error:
            raise ValueError(str(error)) from error
        try:
            old, new = _key_change(arc, change, trusted)
        except arc.Bad:
            continue
        named = [line.split() for line in lines]
        for before, after in zip(old, new, strict=True):
            at = next((place for place, words in enumerate(named) if words[:2] == ["log", before]), None)
            if at is not None and not any(words[:2] == ["log", after] for words in named):
                lines.insert(at + 1, f"log {after}")
                named.insert(at + 1, ["log", after])
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _key_change(arc: Any, change: LogKeyChange, trusted: Any) -> tuple[list[str], list[str]]:
    """The vkeys that were left and that follow, if the leaf holds; else the verifier's own complaint."""
    arc.need(change.proof, "No quorum covers the leaf yet.")
    header = arc.unjson(change.leaf.encode(), "The leaf")
    salt, payload = arc.unbase64(change.salt, "The salt"), arc.unbase64(change.payload, "The payload")
    arc.need(header.get("action") == "log.key", "The leaf is of something else.")
    arc.need(header.get("body") == hashlib.sha256(salt + payload).hexdigest(), "Another payload opens the leaf.")
    proof = arc.Proof(change.proof)
    arc.need(proof.holds(hashlib.sha256(b"\0" + change.leaf.encode()).digest()), "The leaf is not in the tree.")
    trusted.met_at(proof.note)
    said = arc.unjson(payload, "The payload")
    said = said.get("detail", said)
    arc.need(isinstance(said, dict), "The payload states nothing.")
    statement, signatures = said.get("statement"), said.get("signatures")
    arc.need(isinstance(statement, str) and isinstance(signatures, list), "The payload states nothing.")
    arc.need(all(isinstance(coded, str) for coded in signatures), "A signature is none.")
    rows = statement.split("\n")
    arc.need(len(rows) == 8 and rows[0] == "arc-log-key/v1" and not rows[7], "The statement is none.")
    arc.need(rows[1].split("/")[:2] == proof.note.origin.split("/")[:2], "The statement is of another log.")
    words = [row.split(" ") for row in rows[3:7]]
    arc.need([row[:-1] for row in words] == [["old"], ["old"], ["new"], ["new"]], "The statement names no four keys.")
    vkeys = [row[-1] for row in words]
    arc.need(len(signatures) == len(vkeys), "The statement has not four signatures.")
    for vkey, kind, coded in zip(vkeys, (arc.LOG, arc.MLDSA) * 2, signatures, strict=True):
        key, signature = arc.Key(vkey), arc.unbase64(coded, "A signature")
        arc.need(key.kind == kind and key.name == rows[1], "The statement names keys of another kind or log.")
        check = arc.ed25519 if kind == arc.LOG else arc.mldsa44
        arc.need(check(key.public, statement.encode(), signature), "A signature is wrong.")
    pinned = {key.public for key in trusted.logs}
    # All four have signed, and every old one must be one of ours: less than the old keys brings in no new ones.
    arc.need({arc.Key(vkey).public for vkey in vkeys[:2]} <= pinned, "The old keys are not pinned.")
    return vkeys[:2], vkeys[2:]


# --- audit entries ---------------------------------------------------------------------------------------------------


UNCONFIRMED = "The witnesses have not confirmed yet that this store is the newest: until then its log signs for nobody."


@dataclass(frozen=True)
class EntryProofFile:
    """A C2SP tlog-proof file of one entry. ``cosigned``: its checkpoint carries witnesses; else the log's own
    signature alone."""

    text: str
    cosigned: bool


def is_signed(checkpoint: str) -> bool:
    """Whether a page's checkpoint carries a signature: the service gives none out before its witnesses have confirmed
    that its store is the newest."""
    return bool(checkpoint.partition("\n\n")[2])


def entry_proof(page: AuditPage, seq: int) -> EntryProofFile | None:
    """The proof of an entry of a page that was asked for with proofs: under the newest cosigned checkpoint if that
    covers the entry, else under the page's own. None without the entry or its proof, or while nothing signed is given
    out."""
    found = next((entry for entry in page.entries if entry.seq == seq), None)
    if found is None or not isinstance(found.proof, AuditProof) or not isinstance(page.hashes, list):
        return None
    proof, cosigned = found.proof, page.cosigned
    if isinstance(cosigned, str) and proof.cosigned_path is not None:
        return EntryProofFile(_proof_text(seq, proof.cosigned_path, page.hashes, cosigned), True)
    if not is_signed(page.checkpoint):
        return None
    return EntryProofFile(_proof_text(seq, proof.path, page.hashes, page.checkpoint), False)


def verify_entry(shown: AuditEntry, page: AuditPage, policy: bytes) -> SealJudgement:
    """Every check of the entry ``shown``, by the proof of a page that was asked for with proofs: what is shown is what
    the leaf commits to, and the leaf is in the tree that the log and its witnesses signed."""
    arc = _verifier()
    report = arc.Report()
    checks: list[SealCheck] = []

    def check(title: str, work: Callable[..., Any], *given: Any) -> Any:
        value = report.check(title, work, *given)
        name, good, sentence = report.checks[-1]
        checks.append(SealCheck(name, good, sentence))
        return value

    found = next((entry for entry in page.entries if entry.seq == shown.seq), None)
    if found is None or not isinstance(found.proof, AuditProof) or not isinstance(page.hashes, list):
        return SealJudgement((SealCheck("Proof", False, "The service gave no proof of this entry."),))
    proof, hashes = found.proof, page.hashes
    trusted = check("Pinned policy", lambda: ("The policy is well formed.", arc.Policy(policy)))
    leaf = check("Leaf", _entry_leaf, arc, shown, proof)
    said = shown.detail or shown.node_id or shown.unit_id or shown.request_id
    if proof.opening.salt is None and proof.opening.payload is None and not said:
        checks.append(
            SealCheck(
                "Content", None, "The content was erased: its hash stands in the log, what it said cannot be shown."
            )
        )
    else:
        check("Content", _entry_content, arc, shown, proof)
    if trusted is None or leaf is None:
        return SealJudgement(tuple(checks))
    if is_signed(page.checkpoint):
        text = _proof_text(shown.seq, proof.path, hashes, page.checkpoint)
        check("Checkpoint", _entry_path, arc, leaf, text, trusted)
    else:
        checks.append(SealCheck("Checkpoint", None, UNCONFIRMED))
    if isinstance(page.cosigned, str) and proof.cosigned_path is not None:
        text = _proof_text(shown.seq, proof.cosigned_path, hashes, page.cosigned)
        check("Witnesses", _entry_quorum, arc, leaf, text, trusted)
    else:
        pending = (
            "No quorum has cosigned a checkpoint beyond this entry yet: so far only the log's own signature says it."
        )
        checks.append(SealCheck("Witnesses", None, pending))
    return SealJudgement(tuple(checks))


def _entry_leaf(arc: Any, shown: AuditEntry, proof: AuditProof) -> tuple[str, bytes]:
    header = arc.unjson(proof.header, "The leaf")
    arc.shaped(header, arc.HEADER, "The leaf")
    arc.need(arc.canonical(header) == proof.header and header["v"] == 1, "The leaf is not in canonical form.")
    hashed = hashlib.sha256(b"\0" + proof.header.encode()).digest()
    arc.need(hashed.hex() == shown.leaf_hash, "The leaf is another one than the entry's.")
    said = (shown.seq, unix_us(shown.timestamp), shown.actor, shown.action, shown.outcome)
    signed = tuple(header[name] for name in ("seq", "ts", "actor", "action", "outcome"))
    arc.need(said == signed, "Number, time, actor, action or outcome shown is not what the leaf says.")
    return "Number, time, actor, action and outcome are what the leaf says.", hashed


def _entry_content(arc: Any, shown: AuditEntry, proof: AuditProof) -> tuple[str, bool]:
    opening = proof.opening
    arc.need(opening.salt is not None and opening.payload is not None, "The content is shown, but not opened.")
    salt, payload = (arc.unbase64(text, "The opening") for text in (opening.salt, opening.payload))
    arc.need(len(salt) == 16, "The opening's salt is not 16 bytes.")
    body = hashlib.sha256(salt + payload).hexdigest()
    arc.need(body == json.loads(proof.header).get("body"), "The content is not the one that the leaf commits to.")
    try:
        said = json.loads(payload)
    except ValueError:
        raise arc.Bad("The content is not JSON.") from None
    same = isinstance(said, dict) and all(
        said.get(name) == value
        for name, value in (
            ("node_id", shown.node_id),
            ("unit_id", shown.unit_id),
            ("request_id", shown.request_id),
            ("detail", shown.detail or None),
        )
    )
    arc.need(same, "What is shown is not the content that the leaf commits to.")
    return "Node, unit, request and payload are what the leaf commits to.", True


def _entry_path(arc: Any, leaf: bytes, text: str, trusted: Any) -> tuple[str, bool]:
    proof = arc.Proof(text)
    keys = [key for key in trusted.logs if key.name == proof.note.origin]
    arc.need(keys, f"The pinned policy names no log {proof.note.origin}.")
    signed = any(key.time(proof.note) is not None for key in keys)
    arc.need(signed, "The page's checkpoint is not signed by the log that the pinned policy names.")
    arc.need(proof.holds(leaf), "The leaf is not in the tree that the page's checkpoint signs.")
    return f"The leaf is entry {proof.index} of {proof.note.size} in the tree that the log itself signed.", True


def _entry_quorum(arc: Any, leaf: bytes, text: str, trusted: Any) -> tuple[str, bool]:
    proof = arc.Proof(text)
    at = arc.rfc3339(trusted.met_at(proof.note))
    arc.need(proof.holds(leaf), "The leaf is not in the tree that the witnesses cosigned.")
    return (
        f"It is entry {proof.index} of {proof.note.size} in the tree that a quorum of witnesses cosigned at {at}.",
        True,
    )


def _proof_text(seq: int, path: Sequence[int], hashes: Sequence[str], note: str) -> str:
    """A C2SP tlog-proof file. A position that is none becomes a line that no verifier takes."""
    steps = "".join(f"{hashes[at] if 0 <= at < len(hashes) else 'missing'}\n" for at in path)
    return f"c2sp.org/tlog-proof@v1\nindex {seq}\n{steps}\n{note}"


def opened(payload: str | None) -> dict[str, Any] | None:
    """What a seal's opening says; None when it is erased or no object. Whether the leaf commits to it, ``verify_knot``
    tells."""
    if payload is None:
        return None
    try:
        said = json.loads(base64.b64decode(payload, validate=True))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
