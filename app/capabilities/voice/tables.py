"""Tables of the voice check: vocal signatures, and what recognizes a recording that was sent before."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import blob, integer, real, table, text

voice_signature = table(
    "voice_signature",
    text("node_id", primary_key=True),
    text("serial"),
    blob("sealed"),
    blob("seed_sealed"),
    text("model_id"),
    text("model_sha256"),
    integer("takes"),
    integer("quality"),
    real("speech_s"),
    real("gate_llr"),
    integer("consent_us", nullable=True),
    integer("enrolled_us"),
    Index("voice_signature_one_serial", "serial", unique=True),
)
"""The vocal signature of a node (``README.md``, section 2). ``sealed``: its vectors under the node's orthogonal matrix,
``seed_sealed``: what that is made from. ``gate_llr``: the most suspicious take's score of the clone gate. It has no
foreign key: a burn erases it also where the node is not registered any more."""

voice_probe = table(
    "voice_probe",
    integer("number", primary_key=True),
    text("node_id"),
    blob("digest"),
    blob("marks"),
    integer("synthetic"),
    integer("at_us"),
    Index("voice_probe_by_digest", "digest"),
    Index("voice_probe_by_node", "node_id", "number"),
    Index("voice_probe_by_time", "at_us"),
)
"""Recordings of the last 24 h, as keyed digests alone (``replay.py``). ``synthetic``: 1 where the verdict was
SYNTHETIC."""
