"""Judges evidence offline against pinned keys: knot seals, receipts of cards, declarations, notices, bundles.

One function for each kind of evidence, and in it the numbered steps that an auditor follows: ``examine_seal``,
``examine_receipt``, ``examine_bundle``; ``revocations.py`` has those of a segment and of a burn, ``scans.py`` those of
a media scan, ``strikes.py`` those of a declaration, a notice and a strike, ``entries.py`` those of chosen entries. They
are the steps of ``resources/arc_verify.py``, made from this project's own parts, and beyond them the two that need
certificates: who signed the time stamps, and who signed documents and bundles.

A step that fails does not end the judgement: every later step that can still be made is made, so that the auditor sees
all that is wrong.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from cryptography import x509

from app.capabilities.burn.log.bundles import KIND as BURN
from app.capabilities.enforcement.bundles import KIND as STRIKE
from app.capabilities.gateway.audit.bundles import KIND as ENTRIES
from app.capabilities.media.bundles import KIND as MEDIA_SCAN
from app.capabilities.provenance.bundles import seal_parts
from app.capabilities.provenance.messages import KnotLeaf, KnotSeal, OutsideStamp
from app.capabilities.provisioning.paper import receipts as receipt
from app.evidence.checks import (
    JWS,
    TRAINING_ORIGIN,
    Content,
    CosignedProof,
    Document,
    EvidenceError,
    EvidenceRefused,
    Findings,
    PinnedTrust,
    content,
    exactly,
    is_training,
    judge_training,
    need,
    path,
    quorum,
    signed_document,
    stamp,
    strict_object,
    unbase64,
)
from app.evidence.entries import examine_entries
from app.evidence.revocations import examine_burn, examine_segment, is_segment
from app.evidence.scans import examine_scan
from app.evidence.strikes import COMPACT, PDF, examine_declaration, examine_notice, examine_strike
from app.ledger import bundle
from app.ledger.c2sp.note import parse_checkpoint
from app.ledger.c2sp.proof import consensus_seal
from app.ledger.stamps.timestamp import APART_S, imprint_of, verify_token
from app.ledger.tree.leaf import knot_id_of
from app.ledger.tree.tree import verify_consistency

OUTSIDE: Final = 2
"""Outside time stamps of a statement: the first and the newest."""
_ZIP: Final = b"PK\3\4"
_NOTHING: Final = (
    "It is neither a seal, nor a receipt, nor a segment of a revocation log, nor a declaration or notice, nor a bundle."
)


def examine(data: bytes, trust: PinnedTrust, sidecar: bytes | None = None) -> Findings:
    """Judges a file. ``sidecar``: the manifest that lies beside a segment of a revocation log. ``EvidenceError`` if the
    file is no evidence of any kind."""
    if data.startswith(_ZIP):
        findings = Findings("bundle")
        examine_bundle(findings, trust, data)
        return findings
    if data.startswith(PDF):
        findings = Findings("declaration")
        examine_declaration(findings, trust, data)
        return findings
    if COMPACT.fullmatch(data):
        findings = Findings("notice")
        examine_notice(findings, trust, data)
        return findings
    if sidecar is not None or is_segment(data):
        findings = Findings("segment")
        examine_segment(findings, trust, data, sidecar)
        return findings
    try:
        value = strict_object(data)
    except EvidenceRefused:
        raise EvidenceError(_NOTHING) from None
    if value.keys() >= JWS:
        findings = Findings("receipt")
        examine_receipt(findings, trust, value)
    elif "knot_id" in value:
        findings = Findings("seal")
        examine_seal(findings, trust, value)
    else:
        raise EvidenceError(_NOTHING)
    return findings


# --- seals ---


def examine_seal(findings: Findings, trust: PinnedTrust, value: dict[str, Any]) -> KnotSeal | None:
    """Makes every check of a knot seal; the seal, ``None`` where the file has another shape."""
    check = findings.check

    # 1. The file is a knot seal: all its members, and none that nothing proves.
    seal = check("shape", _shape, value)
    if seal is None:
        return None

    contents = []
    for number, leaf in enumerate(seal.leaves, 1):
        # 2. The consensus seal is the hash of the leaf's proof.
        check(f"seal {number}", _seal_hash, leaf)
        # 3. The leaf commits to exactly the content that opens it.
        content = check(f"leaf {number}", _content, leaf)
        # 4. The log signed a checkpoint, and enough pinned witnesses cosigned it. The seal states that time
        # (before 2026-11-23) or the leaf's own.
        own_us = None if content is None else content.header.ts
        signed = check(f"quorum {number}", quorum, trust, seal.log_origin, leaf.seal_proof, leaf.timestamp, own_us)
        # 5. The leaf stands in the tree of that checkpoint.
        if signed is not None and content is not None:
            check(f"path {number}", path, leaf.log_index, signed, content.hashed)
        if signed is not None:
            # 6. An authority under a pinned root stamped that checkpoint at that time.
            check(f"stamp {number}", stamp, trust, leaf.timestamp_token, signed)
            # 7. Outside authorities, where there are any, stamped checkpoints that continue it.
            if leaf.outside_stamps is not msgspec.UNSET:
                check(f"outside {number}", _outside, leaf.outside_stamps, signed, trust)
        contents.append(content)

    # 8. The leaves are all of one knot, and the seal repeats them truly.
    check("knot", _knot, seal, contents)
    # 9. Seal, log and first statement agree on whether this is training, which never passes for real.
    check("training", _training, seal, contents[0], trust)
    return seal


def _shape(value: dict[str, Any]) -> tuple[str, KnotSeal]:
    seal = exactly(value, KnotSeal, "knot seal")
    need(0 < len(seal.leaves) <= 10_000, "The seal has no leaves.")
    return f"A knot seal with {len(seal.leaves)} statement{'s' * (len(seal.leaves) != 1)}.", seal


def _seal_hash(leaf: KnotLeaf) -> tuple[str, bool]:
    if leaf.seal_proof is None:
        raise EvidenceRefused("It has no proof yet: the witnesses' quorum was missing. Ask the site again.")
    need(
        leaf.consensus_seal == consensus_seal(leaf.seal_proof.encode()), "The consensus seal is not that of the proof."
    )
    return "The consensus seal is the hash of the proof.", True


def _content(leaf: KnotLeaf) -> tuple[str, Content]:
    sentence, found = content(leaf.leaf, leaf.log_index, leaf.opening.salt, leaf.opening.payload)
    need(found.header.outcome == leaf.standing, "The leaf states another standing than it says.")
    return sentence, found


def _outside(stamps: Sequence[OutsideStamp], signed: CosignedProof, trust: PinnedTrust) -> tuple[str, bool]:
    """Time stamps of outside authorities, each over a later checkpoint that continues the leaf's own."""
    need(0 < len(stamps) <= OUTSIDE, "There are none, or too many.")
    own, size, said = signed.checkpoint, 0, ""
    for one in stamps:
        later = parse_checkpoint(one.checkpoint)
        need(later.size > size, "The outside time stamps are not in the log's order.")
        size = later.size
        steps = [unbase64(step, "A hash of the consistency proof") for step in one.consistency]
        need(later.origin == own.origin, "An outside time stamp is of another log.")
        need(
            verify_consistency(own.size, later.size, steps, own.root, later.root),
            "The checkpoint that was stamped outside does not continue the seal's own.",
        )
        token = unbase64(one.timestamp_token, "An outside time stamp")
        need(
            imprint_of(token) == hashlib.sha256(one.checkpoint.encode()).digest(),
            "An outside time stamp is of something else than its checkpoint.",
        )
        if trust.outside_roots:
            at = verify_token(token, one.checkpoint.encode(), trust.outside_roots)
            need(at.timestamp() >= signed.quorum_at - APART_S, "An outside time stamp is older than the seal.")
            said = said or f"A trusted outside authority had seen it at {at:%Y-%m-%d %H:%M:%S} UTC."
    said = said or "Who signed the stamps is not judged: no roots of outside authorities are pinned."
    return (
        f"{len(stamps)} outside time stamp{'s' * (len(stamps) != 1)} over checkpoints that continue this one. {said}",
        True,
    )


def _knot(seal: KnotSeal, contents: Sequence[Content | None]) -> tuple[str, bool]:
    """The leaves are one knot: its name, its node, its order, and what the seal repeats of them."""
    opened = [content for content in contents if content is not None]
    need(len(opened) == len(contents), "Not every statement could be read.")
    first, last = opened[0], seal.leaves[-1]
    need(seal.knot_id == knot_id_of(first.hashed), "The knot's name is not that of its first leaf.")
    # ``standing`` is a member of both, but the seal's is not the first leaf's; only a leaf has outside stamps.
    repeated = set(KnotLeaf.__struct_fields__) - {"standing", "outside_stamps"}
    need(
        all(getattr(seal, name) == getattr(seal.leaves[0], name) for name in repeated),
        "The seal repeats its first leaf differently.",
    )
    need(all(content.payload.get("node_id") == seal.node_id for content in opened), "The statements name another node.")
    need("first_leaf" not in first.payload, "The first statement is a later one of another knot.")
    need(
        all(content.payload.get("first_leaf") == first.hashed.hex() for content in opened[1:]),
        "A later statement is of another knot.",
    )
    need(
        all(one.log_index < other.log_index for one, other in itertools.pairwise(seal.leaves)),
        "The statements are not in the log's order.",
    )
    standing = "PENDING_CONSENSUS" if last.seal_proof is None else last.standing
    need(seal.standing == standing, "The standing is not what the last statement says.")
    return f"{seal.knot_id} of node {seal.node_id} stands at {seal.standing}.", True


def _training(seal: KnotSeal, first: Content | None, trust: PinnedTrust) -> tuple[str, bool]:
    """Seal, log and first statement say the same."""
    said = None if first is None else first.payload.get("training")
    need(isinstance(said, bool), "The first statement does not say which it is.")
    need(seal.training is said, "The seal and its first statement differ on whether this is TRAINING.")
    need(seal.log_origin.startswith(TRAINING_ORIGIN) is said, "The log is of the other kind.")
    return judge_training("seal", seal.training, trust)


# --- receipts of cards ---


def examine_receipt(findings: Findings, trust: PinnedTrust, value: dict[str, Any]) -> None:
    """Makes every check of a receipt of a card."""
    check = findings.check

    # 1. The site's receipt key signed it, under a pinned root.
    document = check("signature", signed_document, value, receipt.TYPE, trust.roots)
    if document is None:
        return

    # 2. What was signed is a receipt of a card, made while the signer's certificate was good.
    said = check("content", _receipt, document)
    if said is None:
        return

    # 3. Receipt and root agree on whether this is training, which never passes for real.
    check("training", _training_by_root, said["training"], document.root, trust)


def _receipt(document: Document) -> tuple[str, dict[str, Any]]:
    """What was signed, read as a receipt of a card."""
    said = strict_object(document.payload)
    provision = said.get("provision")
    known = said.get("v") == 1 and said.get("kind") == "provision" and isinstance(said.get("training"), bool)
    if not known or not isinstance(provision, dict):
        raise EvidenceRefused("The signed document is no receipt of a card.")
    try:
        issued = datetime.strptime(str(said.get("issued_at")), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise EvidenceRefused("The receipt does not say when it was made.") from None
    need(
        all(one.not_valid_before_utc <= issued <= one.not_valid_after_utc for one in (document.signer, document.root)),
        "The receipt was made outside the signer's term.",
    )
    names = " ".join(f"{name} {provision.get(name)}" for name in ("provision_id", "node_id", "hardware_uid"))
    return f"A receipt of {said['issued_at']}: {names}.", said


def _training_by_root(training: bool, root: x509.Certificate, trust: PinnedTrust) -> tuple[str, bool]:
    need(training is is_training(root), "The receipt and its root differ on whether this is TRAINING.")
    return judge_training("receipt", training, trust)


# --- bundles ---


def examine_bundle(findings: Findings, trust: PinnedTrust, data: bytes) -> None:
    """Makes every check of an evidence bundle and of the evidence in it."""
    check = findings.check

    # 1. The zip is a bundle to the byte, and its files are those of its manifest.
    found = check("manifest", _bundle, data)
    if found is None:
        return

    # 2. The site's receipt key signed the manifest, under a pinned root of the same kind.
    check("signature", _signature, found, trust)

    # 3. A burn's bundle has steps of its own.
    if found.manifest.kind == BURN:
        examine_burn(findings, trust, found)
        return

    # 4. So has a media scan's.
    if found.manifest.kind == MEDIA_SCAN:
        examine_scan(findings, trust, found)
        return

    # 5. And a strike's.
    if found.manifest.kind == STRIKE:
        examine_strike(findings, trust, found)
        return

    # 6. And that of chosen entries.
    if found.manifest.kind == ENTRIES:
        examine_entries(findings, trust, found)
        return

    # 7. It holds a seal, and every check of a seal by itself is made.
    value = check("content", _read_seal, found)
    if value is None:
        return
    seal = examine_seal(findings, trust, value)

    # 8. The files beside the seal are the seal's own.
    if seal is not None:
        check("parts", _parts, found, seal)


def _bundle(data: bytes) -> tuple[str, bundle.EvidenceBundle]:
    found = bundle.read_bundle(data)
    return f"A bundle ({found.manifest.kind}): every one of {len(found.files)} files is as it was signed.", found


def _signature(found: bundle.EvidenceBundle, trust: PinnedTrust) -> tuple[str, Document]:
    """The signature over the manifest."""
    sentence, document = signed_document(strict_object(found.signature), bundle.TYPE, trust.roots)
    need(document.payload == found.files[bundle.MANIFEST], "The signature is of another manifest.")
    need(
        found.manifest.training is is_training(document.root),
        "The bundle and its root differ on whether this is TRAINING.",
    )
    return sentence, document


def _read_seal(found: bundle.EvidenceBundle) -> tuple[str, dict[str, Any]]:
    need(bundle.SEAL in found.files, "The bundle holds no seal.")
    return "The bundle holds a seal.", strict_object(found.files[bundle.SEAL])


def _parts(found: bundle.EvidenceBundle, seal: KnotSeal) -> tuple[str, bool]:
    beside = {name: data for name, data in found.files.items() if name.startswith("seal/")}
    try:
        wanted = seal_parts(seal)
    except ValueError:
        raise EvidenceRefused("The seal's own proofs or time stamps cannot be read.") from None
    need(beside == wanted, "The files beside the seal are not the seal's own.")
    need(found.manifest.training is seal.training, "Seal and manifest differ on whether this is TRAINING.")
    return "Proofs, checkpoints and time stamps are the seal's own.", True
