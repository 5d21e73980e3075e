"""Keys of tests that are about something else: they are named freely, and no store holds them."""

from __future__ import annotations

from app.api.lineage import Lines


class UnrelatedKeys(Lines):
    """Each key is a person of its own; none approves what it asked for itself."""

    def bar(self, asker: str, approver: str, asked_us: int) -> str | None:
        """As of ``Lines``, for a key that asked itself."""
        return super().bar(asker, approver, asked_us) if approver == asker else None
