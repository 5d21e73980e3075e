"""Tables of biometrics: template registries and their templates, the bundles of terminals, and what keeps a frame or a
probe from counting twice."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

from app.store.tables import blob, integer, table, text

template_registry = table(
    "template_registry",
    text("template_registry_id", primary_key=True),
    integer("alg"),
    integer("key_epoch"),
    integer("renewed_us", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    blob("generation", nullable=True),
    Index("template_registry_by_search", "template_registry_id", "search"),
)
"""Sets of biometric templates that share one secret projection. ``key_epoch`` names the key that made every row of it;
the keys lie elsewhere (``registry_keys.py``). ``generation``: random, another value with each change of its templates
(``template_cache.py``). ``default`` is made with the table."""

template = table(
    "template",
    text("registry_id", ForeignKey("template_registry.template_registry_id"), primary_key=True),
    text("node_id", primary_key=True),
    integer("position", primary_key=True),
    integer("epoch"),
    blob("sealed"),
    integer("enrolled_us"),
    Index("template_by_node", "node_id"),
)
"""One template (512 bytes) a row, sealed to registry, epoch, node and position."""

terminal_bundle = table(
    "terminal_bundle",
    text("terminal_id", primary_key=True),
    integer("issue", primary_key=True, autoincrement=False),
    text("sealed_to"),
    blob("head_sha256", nullable=True),
    text("registry_id"),
    integer("key_epoch"),
    integer("access_epoch"),
    integer("nodes"),
    integer("issued_us"),
    integer("not_after_us", nullable=True),
    integer("taken_us", nullable=True),
)
"""Bundles that a terminal may have (``handed_bundles.Handed``): all since the last that its device acknowledged, and
that one. ``issue``: the audit leaf of its issue, from ``first_number`` of the logs' generation on; ``access_epoch``: of
who may pass; ``not_after_us``: until then the terminal may let people in by it (so many ``nodes``). Rows stay when the
terminal is deleted: that takes nothing back."""

terminal_counter = table(
    "terminal_counter",
    text("thumbprint", primary_key=True),
    integer("counter"),
    integer("at_us"),
)
"""Counter of the last frame that this signing key had accepted: none up to it is accepted again. By key and not by
terminal, so that a scanner that was replaced begins anew, and one that is registered again does not."""

terminal_nonce = table(
    "terminal_nonce",
    text("thumbprint", primary_key=True),
    blob("nonce", primary_key=True),
    integer("at_us"),
    Index("terminal_nonce_by_time", "at_us"),
)

probe_seen = table(
    "probe_seen",
    blob("digest", primary_key=True),
    integer("at_us"),
    Index("probe_seen_by_time", "at_us"),
)
"""Keyed digests of probes that were judged: an equal one later is no hand."""
