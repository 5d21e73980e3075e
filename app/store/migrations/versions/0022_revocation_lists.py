"""Certificates of cards have a serial number and a reason of their revocation; revocation lists are kept."""

from __future__ import annotations

from alembic import op
from cryptography import x509
from sqlalchemy import text

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, fill them for the cards of before, and make the table of lists."""
    op.execute("ALTER TABLE card_certificate ADD COLUMN serial TEXT")
    op.execute("ALTER TABLE card_certificate ADD COLUMN reason TEXT")
    op.execute("CREATE INDEX card_certificate_by_serial ON card_certificate (serial)")
    op.execute("CREATE INDEX card_certificate_by_revocation ON card_certificate (revoked_us, not_after_us)")
    connection = op.get_bind()
    for digest, der in connection.execute(text("SELECT sha256, certificate FROM card_certificate")).all():
        serial = f"{x509.load_der_x509_certificate(der).serial_number:x}"
        connection.execute(
            text("UPDATE card_certificate SET serial = :serial WHERE sha256 = :digest"),
            {"serial": serial, "digest": digest},
        )
    op.execute(
        "UPDATE card_certificate SET reason = 'privilegeWithdrawn' WHERE revoked_us IS NOT NULL AND burn_id IS NOT NULL"
    )
    # What a torn write may still finish is taken off the list again, which no other reason allows.
    op.execute(
        "UPDATE card_certificate SET reason = 'certificateHold' WHERE revoked_us IS NOT NULL AND burn_id IS NULL "
        "AND provision_id IN (SELECT provision_id FROM provision WHERE state IN ('TORN', 'RUNNING'))"
    )
    op.execute(
        "CREATE TABLE revocation_list (\n\tnumber INTEGER NOT NULL, \n\tmade_us INTEGER NOT NULL, "
        "\n\tthis_us INTEGER NOT NULL, \n\tnext_us INTEGER NOT NULL, \n\tentries_sha256 TEXT NOT NULL, "
        "\n\tentries INTEGER NOT NULL, \n\tsha256 TEXT NOT NULL, \n\tcrl BLOB NOT NULL, "
        "\n\tCONSTRAINT revocation_list_key PRIMARY KEY (number)\n)\n\n STRICT"
    )


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
