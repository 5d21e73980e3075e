"""A pinned policy follows the logs' own keys, as far as the old keys signed for the new ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from app.capabilities.gateway.audit.logs.messages import LogKeyChange
from app.console.evidence.verifier import verifier


def followed_policy(policy: bytes, changes: Sequence[LogKeyChange]) -> bytes:
    """``policy`` with the log keys that followed its own, as far as ``log.key`` leaves prove it: each stated in a leaf
    that the policy's logs and witnesses have signed, by all four keys. A change that proves nothing adds nothing.
    Raises ValueError for a malformed policy."""
    arc = verifier()
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
    """The two old and the two new vkeys that a leaf states, if it holds; raises the verifier's own complaint if not."""
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
