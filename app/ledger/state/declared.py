"""Which rows of the store the audit log states: the one list of all tables.

``DECIDES``: rows that grant, deny, identify or bind. They are judged before a service starts, and by fsck. ``RECORDS``:
rows that tell what was done, or what is still to be done; fsck judges them. ``PROVEN`` and ``LOOSE`` are left out, each
with its reason, and so are the columns of ``LOOSE_COLUMNS``; every other column of a table is covered. A table that
stands nowhere here is red in ``tests/unit/ledger/state/test_declared.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DECIDES: Final = frozenset(
    {
        "access_epoch",
        "api_key",
        "api_key_secret",
        "approval",
        "burn",
        "card_certificate",
        "card_name",
        "containment",
        "credential_profile",
        "deny",
        "deny_credential",
        "directory",
        "hr_source",
        "live_check",
        "mass_burn",
        "mass_burn_node",
        "media_source",
        "node",
        "operator",
        "operator_hand",
        "operator_passphrase",
        "peer",
        "permit",
        "pin_reset",
        "platform",
        "profile_cluster",
        "profile_credential",
        "proof_horizon",
        "proof_used",
        "provision",
        "reader",
        "reader_cluster",
        "reader_grant",
        "refused_key",
        "site_certificate",
        "template",
        "template_registry",
        "terminal",
        "terminal_bundle",
        "terminal_counter",
        "terminal_nonce",
        "unit",
        "voice_signature",
    }
)
"""Judged before a service starts."""

RECORDS: Final = frozenset(
    {
        "alarm",
        "batch",
        "batch_row",
        "burn_segment",
        "burn_subject",
        "burn_target",
        "delivery",
        "delivery_gone",
        "element",
        "hr_difference",
        "hr_event",
        "hr_measure",
        "hr_period",
        "hr_roster",
        "knot",
        "media_scan",
        "probe_seen",
        "revocation_list",
        "strike",
        "strike_event",
        "strike_file",
        "strike_notice",
        "sync",
        "voice_probe",
    }
)
"""Judged by fsck."""

CLOSING: Final = frozenset({"deny", "deny_credential"})
"""A row too many in these denies somebody and opens nothing: fsck names it, and the service starts."""

_TREE: Final = "the logs themselves: rows, tiles, heads and notes are judged by fsck against what was signed"

PROVEN: Final[Mapping[str, str]] = {
    "audit_entry": _TREE,
    "seal_entry": _TREE,
    "log_anchor": _TREE,
    "log_cosigned": _TREE,
    "log_head": _TREE,
    "log_key": _TREE,
    "log_late": _TREE,
    "log_tile": _TREE,
    "log_word": _TREE,
    "state_sum": "what the leaf's digest is over",
    "state_row": "names the rows that changed; judged against the sums",
}
"""Left out, because other proofs hold them."""

LOOSE: Final[Mapping[str, str]] = {
    "api_reply": "first replies, for a day: they repeat what was answered and decide nothing",
    "door_decision": "what doors decided, for people to read: nothing obeys it",
    "frame_last": "a measurement that is shown",
    "frame_span": "measurements that are shown",
    "media_picture": "pictures that are shown: their digests stand in ``media_scan``",
    "notice_content": "bytes to send: their digests stand in ``delivery``, and none is sent that differs",
    "provision_step": "a write-ahead journal of single steps: the signed receipt in ``provision`` is over its lines",
    "sync_reader": "what readers answered: each is asked again when it connects, and obeys grants and denials",
}
"""Left out, because nothing obeys them."""

LOOSE_COLUMNS: Final[Mapping[str, str]] = {
    "api_key.last_used_us": "for people to read; written each minute, without a leaf",
    "burn_segment.manifest": "signed by itself, after the segment's leaf; fsck judges the signature",
    **{
        f"delivery.{column}": "of the last attempt and the next one: what became of the delivery is its covered state"
        for column in ("attempts", "step", "next_us", "tried_us", "status", "fault", "lease_us", "answer")
    },
    "knot.consensus_seal": "follows from the seal log for ever; fsck derives it anew",
}
"""``table.column`` and why it is left out."""
