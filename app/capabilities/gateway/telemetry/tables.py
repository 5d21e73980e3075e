"""The table of the telemetry stream: proofs that were used."""

from __future__ import annotations

from sqlalchemy import Index

from app.store.tables import blob, integer, table

proof_used = table(
    "proof_used",
    blob("digest", primary_key=True),
    integer("until_us"),
    Index("proof_used_by_age", "until_us"),
)
"""``digest`` as in ``proof.EnclaveProof``. A row is kept, also across restarts, until no clock could take its proof for
a fresh one."""

proof_horizon = table("proof_horizon", integer("one", primary_key=True, autoincrement=False), integer("iat"))
"""One row: the latest ``iat`` (Unix seconds) that a proof whose row was deleted could have had. Nothing up to it is
taken again, no matter what a clock says that went ahead and back."""
