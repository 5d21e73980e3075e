"""Checks of audit entries: what is shown is what the leaf commits to, and the leaf is in the signed tree."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.api.wire import unix_us
from app.capabilities.gateway.audit.messages import AuditEntry, AuditPage, AuditProof
from app.console.evidence.judgement import SealCheck, SealJudgement
from app.console.evidence.verifier import verifier
from app.console.language import tr

UNCONFIRMED = tr(
    "The witnesses have not confirmed yet that this store is the newest: until then its log signs for nobody."
)


POLICY, LEAF, CONTENT = tr("Pinned policy"), tr("Leaf"), tr("Content")
HEAD, PATH, WITNESSES = tr("Checkpoint"), tr("Path"), tr("Witnesses")
"""Titles of the checks of an entry."""


@dataclass(frozen=True)
class EntryJudgement(SealJudgement):
    """What the checks of an entry found. ``index`` of ``size``: its place in the tree of the page's checkpoint;
    ``steps``: hashes of its path there, None where no path was checked; ``origin``: the log that signed. ``witnesses``:
    how many of the pinned policy have cosigned, by signatures that hold; ``cosigned_at``: Unix seconds, None while too
    few have."""

    index: int = 0
    size: int = 0
    steps: int | None = None
    origin: str = ""
    witnesses: int = 0
    cosigned_at: int | None = None

    def of(self, title: str) -> SealCheck | None:
        """The check of that title; None: it was not made."""
        return next((one for one in self.checks if one.title == title), None)


@dataclass(frozen=True)
class EntryProofFile:
    """A C2SP tlog-proof file of one entry. ``cosigned``: witnesses signed its checkpoint; otherwise the log alone
    did."""

    text: str
    cosigned: bool


def is_signed(checkpoint: str) -> bool:
    """Whether a page's checkpoint is signed: the service signs none before its witnesses have confirmed that its store
    is the newest."""
    return bool(checkpoint.partition("\n\n")[2])


def entry_proof(page: AuditPage, seq: int) -> EntryProofFile | None:
    """The proof of one entry, from a page that was read with proofs: under the newest cosigned checkpoint if that
    covers the entry, else under the page's own. None without the entry or its proof, or while the page is not
    signed."""
    found = next((entry for entry in page.entries if entry.seq == seq), None)
    if found is None or not isinstance(found.proof, AuditProof) or not isinstance(page.hashes, list):
        return None
    proof, cosigned = found.proof, page.cosigned
    if isinstance(cosigned, str) and proof.cosigned_path is not None:
        return EntryProofFile(_proof_text(seq, proof.cosigned_path, page.hashes, cosigned), True)
    if not is_signed(page.checkpoint):
        return None
    return EntryProofFile(_proof_text(seq, proof.path, page.hashes, page.checkpoint), False)


def verify_entry(shown: AuditEntry, page: AuditPage, policy: bytes) -> EntryJudgement:
    """Every check of the entry ``shown``, by the proof from a page that was read with proofs: what is shown is what the
    leaf commits to, and the leaf is in the tree that the log and its witnesses signed."""
    arc = verifier()
    report = arc.Report()
    checks: list[SealCheck] = []

    def check(title: str, work: Callable[..., Any], *given: Any) -> Any:
        value = report.check(title, work, *given)
        name, good, sentence = report.checks[-1]
        checks.append(SealCheck(name, good, sentence))
        return value

    found = next((entry for entry in page.entries if entry.seq == shown.seq), None)
    if found is None or not isinstance(found.proof, AuditProof) or not isinstance(page.hashes, list):
        return EntryJudgement((SealCheck(tr("Proof"), False, tr("The service gave no proof of this entry.")),))
    proof, hashes = found.proof, page.hashes
    trusted = check(POLICY, lambda: (tr("The policy is well formed."), arc.Policy(policy)))
    leaf = check(LEAF, _entry_leaf, arc, shown, proof)
    said = shown.detail or shown.node_id or shown.unit_id or shown.request_id
    if proof.opening.salt is None and proof.opening.payload is None and not said:
        checks.append(
            SealCheck(
                CONTENT,
                None,
                tr("The content was erased: its hash stands in the log, what it said cannot be shown."),
            )
        )
    else:
        check(CONTENT, _entry_content, arc, shown, proof)
    if trusted is None or leaf is None:
        return EntryJudgement(tuple(checks))
    place = head = met = None
    if is_signed(page.checkpoint):
        text = _proof_text(shown.seq, proof.path, hashes, page.checkpoint)
        head = check(HEAD, _entry_head, arc, text, trusted)
        place = check(PATH, _entry_path, arc, leaf, text)
    else:
        checks.append(SealCheck(HEAD, None, UNCONFIRMED))
    if isinstance(page.cosigned, str) and proof.cosigned_path is not None:
        text = _proof_text(shown.seq, proof.cosigned_path, hashes, page.cosigned)
        met = check(WITNESSES, _entry_quorum, arc, leaf, text, trusted)
    else:
        pending = tr(
            "No quorum has cosigned a checkpoint beyond this entry yet: so far only the log's own signature says it."
        )
        checks.append(SealCheck(WITNESSES, None, pending))
    index, size, steps = place or (0, 0, None)
    at, witnesses = met or (None, 0)
    return EntryJudgement(tuple(checks), index, size, steps, head or "", witnesses, at)


def _entry_leaf(arc: Any, shown: AuditEntry, proof: AuditProof) -> tuple[str, bytes]:
    """Whether number, time, actor, action and outcome shown are those of the leaf; the leaf's hash."""
    header = arc.unjson(proof.header, "The leaf")
    arc.shaped(header, arc.HEADER, "The leaf")
    arc.need(arc.canonical(header) == proof.header and header["v"] == 1, tr("The leaf is not in canonical form."))
    hashed = hashlib.sha256(b"\0" + proof.header.encode()).digest()
    arc.need(hashed.hex() == shown.leaf_hash, tr("The leaf is another one than the entry's."))
    said = (shown.seq, unix_us(shown.timestamp), shown.actor, shown.action, shown.outcome)
    signed = tuple(header[name] for name in ("seq", "ts", "actor", "action", "outcome"))
    arc.need(said == signed, tr("Number, time, actor, action or outcome shown is not what the leaf says."))
    return tr("Number, time, actor, action and outcome are what the leaf says."), hashed


def _entry_content(arc: Any, shown: AuditEntry, proof: AuditProof) -> tuple[str, bool]:
    """Whether what is shown is the content that the leaf commits to."""
    opening = proof.opening
    arc.need(opening.salt is not None and opening.payload is not None, tr("The content is shown, but not opened."))
    salt, payload = (arc.unbase64(text, "The opening") for text in (opening.salt, opening.payload))
    arc.need(len(salt) == 16, tr("The opening's salt is not 16 bytes."))
    body = hashlib.sha256(salt + payload).hexdigest()
    arc.need(body == json.loads(proof.header).get("body"), tr("The content is not the one that the leaf commits to."))
    try:
        said = json.loads(payload)
    except ValueError:
        raise arc.Bad(tr("The content is not JSON.")) from None
    same = isinstance(said, dict) and all(
        said.get(name) == value
        for name, value in (
            ("node_id", shown.node_id),
            ("unit_id", shown.unit_id),
            ("request_id", shown.request_id),
            ("detail", shown.detail or None),
        )
    )
    arc.need(same, tr("What is shown is not the content that the leaf commits to."))
    return tr("Node, unit, request and payload are what the leaf commits to."), True


def _entry_head(arc: Any, text: str, trusted: Any) -> tuple[str, str]:
    """Whether the log that the policy names signed the page's own checkpoint; the log's name."""
    note = arc.Proof(text).note
    keys = [key for key in trusted.logs if key.name == note.origin]
    arc.need(keys, tr("The pinned policy names no log {origin}.", origin=note.origin))
    signed = any(key.time(note) is not None for key in keys)
    arc.need(signed, tr("The page's checkpoint is not signed by the log that the pinned policy names."))
    return tr("The log {origin} signed the head of {size} entries.", origin=note.origin, size=note.size), note.origin


def _entry_path(arc: Any, leaf: bytes, text: str) -> tuple[str, tuple[int, int, int]]:
    """Whether the leaf is in the tree of the page's own checkpoint; its place, the tree's size, the steps between."""
    proof = arc.Proof(text)
    arc.need(proof.holds(leaf), tr("The leaf is not in the tree that the page's checkpoint signs."))
    place = (proof.index, proof.note.size, len(proof.path))
    return tr(
        "The leaf is entry {index} of {size} in the tree of the page's checkpoint.",
        index=proof.index,
        size=proof.note.size,
    ), place


def _entry_quorum(arc: Any, leaf: bytes, text: str, trusted: Any) -> tuple[str, tuple[int, int]]:
    """Whether the leaf is in a tree that a quorum of witnesses cosigned; when, and how many witnesses did."""
    proof = arc.Proof(text)
    met_at = trusted.met_at(proof.note)
    arc.need(proof.holds(leaf), tr("The leaf is not in the tree that the witnesses cosigned."))
    signed = {key.name for _, key in trusted.witnesses if key.time(proof.note) is not None}
    return (
        tr(
            "It is entry {index} of {size} in the tree that a quorum of witnesses cosigned at {at}.",
            index=proof.index,
            size=proof.note.size,
            at=arc.rfc3339(met_at),
        ),
        (met_at, len(signed)),
    )


def _proof_text(seq: int, path: Sequence[int], hashes: Sequence[str], note: str) -> str:
    """A C2SP tlog-proof file. An invalid position becomes a line that every verifier refuses."""
    steps = "".join(f"{hashes[at] if 0 <= at < len(hashes) else 'missing'}\n" for at in path)
    return f"c2sp.org/tlog-proof@v1\nindex {seq}\n{steps}\n{note}"
