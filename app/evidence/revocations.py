"""Judges a revocation log offline: a segment with its manifest, a burn's bundle.

The formats stand in ``app/capabilities/burn/README.md``.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from cryptography import x509

from app.capabilities.burn.log.bundles import PROOF, REPORT, BurnProof, manifest_name, segment_name
from app.capabilities.burn.log.segments import LABEL, SEALED, Segment, SegmentError, assertion_of, read_segment
from app.capabilities.burn.targets import FINAL, UNPROVEN
from app.evidence.checks import (
    TRAINING_ORIGIN,
    Content,
    EvidenceRefused,
    Findings,
    PinnedTrust,
    exactly,
    is_training,
    judge_training,
    leaf_checks,
    need,
    strict_object,
)
from app.ledger import bundle
from app.ledger.sidecar import verify_sidecar
from app.pki.proven_leaf import leaf_files

EXECUTED: Final = "burn.executed"
_OWN: Final = frozenset((bundle.MANIFEST, bundle.SIGNATURE, "arc_verify.py", "HOW-TO-VERIFY.txt", PROOF, REPORT))


def is_segment(data: bytes) -> bool:
    """Whether a file would be a segment, good or not."""
    try:
        first = json.loads(data.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() >= {"segment", "burn_id", "prev_sha256"}


def examine_segment(
    findings: Findings, trust: PinnedTrust, data: bytes, manifest: bytes | None, of: str = ""
) -> Segment | None:
    """Makes every check of a segment by itself; the segment. ``of`` is appended to the checks' names."""
    check = findings.check

    # 1. The file is a segment.
    segment = check(f"segment{of}", _segment, data)
    # 2. A manifest under a pinned root seals exactly these bytes and names this segment.
    root = check(f"manifest{of}", _manifest, data, manifest, segment, trust.roots)
    # 3. Segment, log and root agree on whether this is training, which never passes for real.
    if segment is not None and root is not None:
        check(f"training{of}", _segment_training, segment, root, trust)
    return segment


def _segment(data: bytes) -> tuple[str, Segment]:
    """The segment, and in words which it is and what of its burn is no proof."""
    try:
        found = read_segment(data)
    except SegmentError as error:
        raise EvidenceRefused(str(error)) from None
    head = found.head
    open_ = f", {head.open} without proof" if head.open else ""
    open_ += f", {head.delivered} only delivered" if head.delivered else ""
    open_ += f", {head.unlinked} without an account found" if head.unlinked else ""
    return (
        f"Segment {head.segment}: burn {head.burn_id} of node {head.node_id} is {head.state}{open_}; "
        f"{len(found.targets)} target{'s' * (len(found.targets) != 1)} told.",
        found,
    )


def _manifest(
    data: bytes, manifest: bytes | None, segment: Segment | None, roots: Sequence[x509.Certificate]
) -> tuple[str, x509.Certificate]:
    """The root under which the manifest binds this segment."""
    if manifest is None:
        raise EvidenceRefused("There is no manifest: save it beside the segment under the same name, ending in .c2pa.")
    said, root = verify_sidecar(data, manifest, LABEL, roots)
    if segment is not None:
        wanted = assertion_of(segment.head.segment, segment.head.burn_id, data)
        need(said == wanted, "The manifest states another segment.")
    # Much of a manifest is padding and repetition that C2PA lets anybody edit: it binds the segment, not itself.
    sentence = (
        f"It is sealed by a manifest under the root {root.subject.rfc4514_string()}. That a log holds it is proven by "
        "the burn's bundle alone, and the manifest proves nothing else."
    )
    return sentence, root


def _segment_training(segment: Segment, root: x509.Certificate, trust: PinnedTrust) -> tuple[str, bool]:
    head = segment.head
    need(head.training is is_training(root), "The segment and its root differ on whether this is TRAINING.")
    need(head.training is head.log.startswith(TRAINING_ORIGIN), "The log is of the other kind.")
    return judge_training("segment", head.training, trust)


# --- a burn's bundle ---


def examine_burn(findings: Findings, trust: PinnedTrust, found: bundle.EvidenceBundle) -> None:
    """Makes every check of a burn's bundle but those of its manifest."""
    check = findings.check

    # 1. The bundle holds a burn: all its members, one leaf for the burn and one for each segment.
    proof = check("shape", _shape, found)
    if proof is None:
        return

    # 2. to 5. Each leaf by itself: content, quorum, path and time stamp.
    contents = leaf_checks(findings, trust, proof.log_origin, proof.leaves)

    segments = []
    for at, number in enumerate(proof.segments, 1):
        # 6. Each segment by itself.
        data, manifest = found.files.get(segment_name(number), b""), found.files.get(manifest_name(number))
        segments.append(examine_segment(findings, trust, data, manifest, f" {at}"))

    # 7. Leaves and segments are one chain, from the order to the last segment.
    check("chain", _chain, proof, contents, segments, found)
    # 8. The files beside the burn are the burn's own.
    check("parts", _parts, found, proof)
    # 9. Burn, log and manifest agree on whether this is training, which never passes for real.
    check("training", _training, found, proof, trust)


def _shape(found: bundle.EvidenceBundle) -> tuple[str, BurnProof]:
    need(PROOF in found.files, "The bundle holds no burn.")
    proof = exactly(strict_object(found.files[PROOF]), BurnProof, "burn")
    need(0 < len(proof.segments) <= 1_000, "The burn has no segments.")
    need(len(proof.leaves) == 1 + len(proof.segments), "The burn has another number of leaves than of segments.")
    return f"Burn {proof.burn_id} of node {proof.node_id} in {len(proof.segments)} of the log's segments.", proof


def _chain(
    proof: BurnProof, contents: Sequence[Content | None], read: Sequence[Segment | None], found: bundle.EvidenceBundle
) -> tuple[str, bool]:
    """The first leaf is the order of this burn, and its segments follow each other from the first to the last."""
    opened = [one for one in contents if one is not None]
    segments = [one for one in read if one is not None]
    need(len(opened) == len(contents) and len(segments) == len(read), "Not everything could be read.")
    own, *leaves = opened
    _check_order(proof, own)
    told: dict[str, str] = {}
    before: Segment | None = None
    for number, segment, leaf in zip(proof.segments, segments, leaves, strict=True):
        _check_segment(proof, number, segment, leaf, _detail(own), found)
        _follow(number, segment, before, told, found)
        before = segment
    return f"One chain from the order to its last segment; {_standing(told)}.", True


def _standing(told: Mapping[str, str]) -> str:
    """How the targets of a burn stand at its last segment, in words."""
    open_ = sum(state not in FINAL for state in told.values())
    unproven = [f"{count} {state}" for state in UNPROVEN if (count := sum(now == state for now in told.values()))]
    left = f"{open_} target{'s' * (open_ != 1)} had no proof yet" if open_ else "every target was proven or closed"
    if not unproven:
        return left
    also = f"{', '.join(unproven)}, which is no proof"
    return f"{left}; {also}" if open_ else f"{left}, but {also}"


def _check_order(proof: BurnProof, own: Content) -> None:
    """``own``, the first leaf, is the order of this burn."""
    need(own.header.action == EXECUTED, "The first leaf is not of a burn.")
    need(
        all(one.log_index < other.log_index for one, other in itertools.pairwise(proof.leaves)),
        "The leaves are not in the log's order.",
    )
    need(own.payload.get("node_id") == proof.node_id, "The burn is of another node.")
    need(_detail(own).get("burn_id") == proof.burn_id, "The first leaf is of another burn.")


def _check_segment(
    proof: BurnProof,
    number: int,
    segment: Segment,
    leaf: Content,
    order: dict[str, Any],
    found: bundle.EvidenceBundle,
) -> None:
    """The segment is the one that its leaf seals, of this burn, and repeats its order truly."""
    head = segment.head
    digest = sha256(found.files[segment_name(number)]).hexdigest()
    need(
        leaf.header.action == SEALED
        and _detail(leaf) == {"burn_id": proof.burn_id, "segment": number, "sha256": digest},
        f"Segment {number} is not the one that its leaf says.",
    )
    need(
        (head.segment, head.burn_id, head.node_id, head.log, head.training)
        == (number, proof.burn_id, proof.node_id, proof.log_origin, proof.training),
        f"Segment {number} is of another burn.",
    )
    need(
        all(order.get(name) == getattr(head, name) for name in ("scope", "reason", "epoch")),
        f"Segment {number} tells another order than was given.",
    )


def _follow(
    number: int, segment: Segment, before: Segment | None, told: dict[str, str], found: bundle.EvidenceBundle
) -> None:
    """The segment continues the one ``before`` it. ``told``: the state of each target until then; takes in those of
    this segment."""
    head = segment.head
    named = {target.target: target.state for target in segment.targets}
    if before is None:
        need(head.follows is None, "The burn's first segments are withheld.")
    else:
        last = sha256(found.files[segment_name(before.head.segment)]).hexdigest()
        follows = None if head.follows is None else (head.follows.segment, head.follows.sha256)
        need(follows == (before.head.segment, last), f"Segment {number} does not follow the one before it.")
        need(
            number != before.head.segment + 1 or head.prev_sha256 == last,
            f"Segment {number} does not continue the chain.",
        )
        # From version 2 on a target may lose its proof: then it is told as open, and again once it is proven anew.
        changed = all(name in told and _standing_of(state) != _standing_of(told[name]) for name, state in named.items())
        reopened = any(state not in FINAL for state in named.values())
        before_final = any(told.get(name) in FINAL for name in named)
        need(
            changed and (head.v > 1 or not (reopened or before_final)),
            f"Segment {number} tells what was proven before.",
        )
    told.update(named)
    states = Counter(told.values())
    open_ = sum(count for state, count in states.items() if state not in FINAL)
    good = len(named) == head.targets and head.open == open_
    if head.v > 1:
        good = good and (head.delivered, head.unlinked) == (states["delivered"], states["unlinked"])
    need(good, f"Segment {number} counts wrongly.")


def _standing_of(state: str) -> str:
    """What a follow-up must have changed: open states are one."""
    return state if state in FINAL else "open"


def _detail(leaf: Content) -> dict[str, Any]:
    detail = leaf.payload.get("detail")
    return detail if isinstance(detail, dict) else {}


def _parts(found: bundle.EvidenceBundle, proof: BurnProof) -> tuple[str, bool]:
    names = {name(number) for number in proof.segments for name in (segment_name, manifest_name)}
    beside = {name: data for name, data in found.files.items() if name not in _OWN | names}
    try:
        wanted = leaf_files(proof.leaves)
    except ValueError:
        raise EvidenceRefused("The burn's own proofs or time stamps cannot be read.") from None
    need(beside == wanted, "The files beside the burn are not the burn's own.")
    return "Proofs, checkpoints and time stamps are the burn's own.", True


def _training(found: bundle.EvidenceBundle, proof: BurnProof, trust: PinnedTrust) -> tuple[str, bool]:
    need(found.manifest.training is proof.training, "Burn and manifest differ on whether this is TRAINING.")
    need(proof.log_origin.startswith(TRAINING_ORIGIN) is proof.training, "The log is of the other kind.")
    return judge_training("burn", proof.training, trust)
