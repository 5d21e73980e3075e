"""Tables of the registry: nodes and their live checks, readers, profiles, units, terminals, peers, directories, HR
sources, media sources, and the rows of the deny set.

Every ``search`` column holds the case-folded identifier and name; with the key in one covering index a substring
search walks that index alone and stops at the page's end.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy import text as sql_text

from app.store.tables import blob, integer, table, text

SKELETON: Final = "replace(replace(replace(lower(node_id), 'o', '0'), 'i', '1'), 'l', '1')"
"""Equal for node ids that look alike (``lookalikes.skeleton``)."""

node = table(
    "node",
    text("node_id", primary_key=True),
    text("display_name"),
    text("employee_id", nullable=True),
    text("email", nullable=True),
    text("notes", nullable=True),
    text("directory_accounts"),
    text("tags"),
    text("search"),
    text("standing"),
    integer("verified_us", nullable=True),
    integer("created_us"),
    integer("changed_us"),
    Index("node_by_search", "node_id", "search"),
    Index("node_by_standing", "standing", "verified_us"),
    Index("node_by_employee", "employee_id"),
    Index("node_by_skeleton", sql_text(SKELETON)),
)
"""``standing`` is what the last leaf said; what is true now also asks the deny rows and the clock
(``standing.effective``)."""

live_check = table(
    "live_check",
    integer("live_check_id", primary_key=True),
    text("node_id", ForeignKey("node.node_id")),
    text("kind"),
    integer("at_us"),
    text("ref"),
    integer("success"),
    Index("live_check_by_node", "node_id", "live_check_id"),
)

deny = table(
    "deny",
    text("node_id", primary_key=True),
    text("cause", primary_key=True),
    text("ref", primary_key=True),
    integer("since_us"),
    Index("deny_by_skeleton", sql_text(SKELETON)),
)
"""Who is denied and why. No foreign key: a node that nobody registered can be denied too."""

deny_credential = table(
    "deny_credential",
    blob("digest", primary_key=True),
    text("ref", primary_key=True),
    text("node_id"),
    text("cause"),
    blob("sealed"),
    integer("since_us"),
    Index("deny_credential_by_ref", "ref"),
)
"""Credentials that stay denied even after their profile is gone or names somebody else."""

access_epoch = table(
    "access_epoch",
    integer("access_epoch_id", primary_key=True),
    integer("epoch"),
)
"""One row (1): counts every change of who may pass, so that a reader's acknowledgement says how new its answer is."""

reader_cluster = table(
    "reader_cluster",
    text("cluster_id", primary_key=True),
    text("display_name"),
    text("schedule", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    Index("reader_cluster_by_search", "cluster_id", "search"),
)

reader = table(
    "reader",
    text("reader_id", primary_key=True),
    text("cluster_id", ForeignKey("reader_cluster.cluster_id")),
    integer("position"),
    text("channel"),
    integer("address"),
    integer("baud"),
    integer("onboard_list"),
    blob("key_sealed"),
    integer("key_changed_us"),
    integer("enrolled_us", nullable=True),
    blob("pending_sealed", nullable=True),
    integer("pending_since_us", nullable=True),
    integer("wire_address", nullable=True),
    integer("wire_baud", nullable=True),
    Index("reader_by_cluster", "cluster_id", "position"),
    Index("reader_by_channel", "channel", "address"),
)
"""``key_sealed``: the 16 byte Secure Channel Base Key; ``enrolled_us`` null: the reader does not hold it yet.
``pending_sealed``: the next one, from before it is sent until the reader was seen with it. ``wire_address`` and
``wire_baud``: where it was last seen, while that is not where it is registered."""

credential_profile = table(
    "credential_profile",
    text("profile_id", primary_key=True),
    text("node_id", ForeignKey("node.node_id")),
    text("schedule", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    Index("credential_profile_by_search", "profile_id", "search"),
    Index("credential_profile_by_node", "node_id"),
)

profile_credential = table(
    "profile_credential",
    text("profile_id", ForeignKey("credential_profile.profile_id"), primary_key=True),
    integer("position", primary_key=True),
    text("format"),
    text("card_guid", nullable=True),
    blob("sealed"),
    blob("digest"),
    integer("changed_us"),
    Index("profile_credential_by_digest", "digest"),
)

profile_cluster = table(
    "profile_cluster",
    text("profile_id", ForeignKey("credential_profile.profile_id"), primary_key=True),
    text("cluster_id", ForeignKey("reader_cluster.cluster_id"), primary_key=True),
    integer("position"),
    Index("profile_cluster_by_cluster", "cluster_id"),
)

unit = table(
    "unit",
    text("unit_id", primary_key=True),
    text("public_key"),
    text("thumbprint"),
    text("actions"),
    text("display_name", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    UniqueConstraint("thumbprint", name="unit_key_is_used_once"),
    Index("unit_by_search", "unit_id", "search"),
)

terminal = table(
    "terminal",
    text("terminal_id", primary_key=True),
    text("kind"),
    text("display_name", nullable=True),
    text("public_key", nullable=True),
    text("thumbprint", nullable=True),
    text("encryption_key", nullable=True),
    text("registry_id"),
    text("cluster_id", ForeignKey("reader_cluster.cluster_id"), nullable=True),
    integer("liveness_min"),
    integer("offline"),
    integer("slow_link"),
    integer("legacy"),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    UniqueConstraint("thumbprint", name="terminal_key_is_used_once"),
    Index("terminal_by_search", "terminal_id", "search"),
    Index("terminal_by_cluster", "cluster_id"),
)
"""Palm scanners and screens of rotating codes. No secret is here: ``public_key`` and ``encryption_key`` are public."""

peer = table(
    "peer",
    text("peer_id", primary_key=True),
    text("node_id"),
    text("url"),
    text("ca", nullable=True),
    text("certificate", nullable=True),
    text("level"),
    integer("maintenance"),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    UniqueConstraint("node_id", name="peer_node_is_one_frame"),
    Index("peer_by_search", "peer_id", "search"),
)

directory = table(
    "directory",
    text("directory_id", primary_key=True),
    text("kind"),
    text("display_name", nullable=True),
    text("url"),
    blob("secret_sealed", nullable=True),
    integer("secret_changed_us", nullable=True),
    text("bind_dn", nullable=True),
    text("base_dn", nullable=True),
    text("dialect", nullable=True),
    text("audience", nullable=True),
    text("ca", nullable=True),
    integer("timeout_ms", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    text("email_match", server_default="link"),
    Index("directory_by_search", "directory_id", "search"),
)
"""Systems elsewhere that hold accounts or sessions of nodes; ``secret_sealed`` is what the service authenticates
with."""

hr_source = table(
    "hr_source",
    text("hr_source_id", primary_key=True),
    text("scheme"),
    text("display_name", nullable=True),
    blob("secret_sealed", nullable=True),
    integer("secret_changed_us", nullable=True),
    blob("next_secret_sealed", nullable=True),
    integer("next_secret_changed_us", nullable=True),
    integer("max_discharges_per_minute"),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    Index("hr_source_by_search", "hr_source_id", "search"),
)
"""HR systems whose signed calls discharge employees."""

media_source = table(
    "media_source",
    text("media_source_id", primary_key=True),
    text("display_name", nullable=True),
    text("cidrs"),
    text("ports"),
    text("hosts"),
    blob("secret_sealed", nullable=True),
    integer("secret_changed_us", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    Index("media_source_by_search", "media_source_id", "search"),
)
"""Addresses beside the public ones that media is fetched from or reported to; ``cidrs``, ``ports`` and ``hosts`` are
JSON lists, ``secret_sealed`` is what the service authenticates with at ``hosts``."""

platform = table(
    "platform",
    text("platform_id", primary_key=True),
    text("display_name"),
    text("channel"),
    text("address"),
    text("framework_contacts"),
    text("domains"),
    integer("default_named"),
    text("languages"),
    blob("secret_sealed", nullable=True),
    integer("secret_changed_us", nullable=True),
    text("ca", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
    Index("platform_by_search", "platform_id", "search"),
)
"""Platforms elsewhere that declarations and notices go to; ``framework_contacts`` is a JSON object by jurisdiction
code, ``default_named``: whether a strike that names no platform means this one."""
