"""Tables of provisioning: cards and their journal, certificates, PIN resets, the stock, batches, the site's own
certificates."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

from app.store.tables import blob, integer, real, table, text

provision = table(
    "provision",
    text("provision_id", primary_key=True),
    text("node_id"),
    text("hardware_uid"),
    text("hardware_uid_now", nullable=True),
    text("aliases"),
    text("reader"),
    text("state"),
    text("card_guid"),
    text("former_guid", nullable=True),
    text("fips"),
    text("operator"),
    integer("attempt"),
    integer("started_us"),
    integer("finished_us", nullable=True),
    integer("apdu_count"),
    real("duration_ms"),
    text("slots"),
    text("verification", nullable=True),
    text("stages"),
    text("warnings"),
    integer("weak_management_key"),
    blob("pin", nullable=True),
    integer("mailer_us", nullable=True),
    blob("trace", nullable=True),
    text("detail", nullable=True),
    text("batch_id", nullable=True),
    blob("receipt", nullable=True),
    integer("unproven", server_default="0"),
    text("approver", nullable=True),
    integer("released_us", nullable=True),
)
"""One row for each personalization. ``pin`` is sealed and becomes NULL when its mailer is printed; PUK and management
key are derived from ``card_guid`` and stored nowhere; ``former_guid`` is the GUID that the card had before, whose
secrets open it until the new ones are set. ``aliases``, ``fips``, ``slots``, ``verification``,
``stages``, ``warnings`` are JSON of the messages; ``trace`` is JSON of its entries, without secrets; ``receipt`` is
the signed receipt of a finished one. ``unproven``: the last attempt wrote everything, but the proof in the
fresh session failed. ``released_us``: an approved re-issue took the card from its node."""

Index("provision_by_node", provision.c.node_id, provision.c.started_us)
Index("provision_by_guid", provision.c.card_guid)
Index("provision_by_start", provision.c.started_us, provision.c.provision_id)
Index("provision_by_batch", provision.c.batch_id)
Index("provision_by_finish", provision.c.finished_us, provision.c.provision_id)

card_name = table(
    "card_name",
    text("name", primary_key=True),
    text("provision_id", ForeignKey("provision.provision_id"), primary_key=True),
)
"""``provision.aliases``, one row for each name: a card that was reset is found again by them."""

refused_key = table(
    "refused_key",
    text("provision_id", ForeignKey("provision.provision_id"), primary_key=True),
    text("mark", primary_key=True),
)
"""Management keys that the card of a provisioning refused. ``mark``: ``factory``, the GUID that a key is derived for,
or a digest under the master key."""

provision_step = table(
    "provision_step",
    text("provision_id", ForeignKey("provision.provision_id"), primary_key=True),
    integer("attempt", primary_key=True),
    integer("n", primary_key=True),
    text("step"),
    blob("digest", nullable=True),
    integer("sw", nullable=True),
    integer("at_us"),
)
"""Every changing step, recorded and fsynced before it is sent; ``sw`` is filled in with the next row or at the end.
NULL in the last row of an attempt: the answer was lost, and the step may have been executed."""

pin_reset = table(
    "pin_reset",
    text("approval_id", primary_key=True),
    text("provision_id", ForeignKey("provision.provision_id")),
    text("reader"),
    text("state"),
    blob("pin", nullable=True),
    text("operator"),
    integer("attempt"),
    text("stages"),
    integer("started_us"),
    integer("finished_us", nullable=True),
    text("code", nullable=True),
    text("detail", nullable=True),
    Index("pin_reset_by_provision", "provision_id"),
)
"""One row for each approval. ``pin`` is sealed before it is sent to the card, and NULL when the reset is over: a proven
one moves to ``provision.pin``. ``attempt``: of its rows in ``provision_step``. ``code``, ``detail``: the last
problem."""

card_certificate = table(
    "card_certificate",
    text("sha256", primary_key=True),
    text("provision_id", ForeignKey("provision.provision_id")),
    text("node_id"),
    text("slot"),
    blob("certificate"),
    integer("not_after_us"),
    integer("revoked_us", nullable=True),
    text("burn_id", nullable=True),
    text("serial", nullable=True),
    text("reason", nullable=True),
)
"""Every certificate that the site issued for a card, recorded before the card gets it. ``revoked_us``: its write
failed, the card was written again, it was revoked by itself, or its node was burned (``burn_id``; in the burn's own
transaction). ``serial``: its number, lower-case hexadecimal; ``reason``: of a revocation, as ``RevocationReason`` names
it, or NULL for unspecified."""

Index("card_certificate_by_node", card_certificate.c.node_id)
Index("card_certificate_by_provision", card_certificate.c.provision_id)
Index("card_certificate_by_serial", card_certificate.c.serial)
Index("card_certificate_by_revocation", card_certificate.c.revoked_us, card_certificate.c.not_after_us)

element = table(
    "element",
    text("element_id", primary_key=True),
    text("product"),
    text("location", nullable=True),
    text("state"),
    text("validation", nullable=True),
    blob("transport", nullable=True),
    integer("transport_us", nullable=True),
    text("provision_id", nullable=True),
    text("detail", nullable=True),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
)
"""The stock. ``element_id`` is the ``hardware_uid`` in lower case; ``validation`` JSON of the message, ``transport``
the sealed transport keys, without those that a write replaced."""

batch = table(
    "batch",
    text("batch_id", primary_key=True),
    text("label"),
    text("fips_standard"),
    text("state"),
    text("readers"),
    text("operator"),
    integer("made_us"),
    integer("changed_us"),
    integer("finished_us", nullable=True),
)
"""A list of cards to be written. ``readers``: JSON list, empty = all of them."""

Index("batch_by_start", batch.c.made_us, batch.c.batch_id)

batch_row = table(
    "batch_row",
    text("batch_id", ForeignKey("batch.batch_id"), primary_key=True),
    integer("n", primary_key=True),
    text("node_id"),
    text("hardware_uid", nullable=True),
    text("state"),
    text("reader", nullable=True),
    text("provision_id", nullable=True),
    integer("attempts"),
    text("code", nullable=True),
    text("detail", nullable=True),
    integer("begun_us", nullable=True),
    integer("ended_us", nullable=True),
)
"""One line of a batch: ``hardware_uid`` NULL = the next blank card. ``code``, ``detail``: the last problem."""
