"""Inclusion proofs of a page of entries. Each hash is listed once: paths in one tree share most of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.ledger.cosigned import Cosigned
from app.ledger.tree.tree import Node, inclusion_path


@dataclass(frozen=True, kw_only=True)
class EntryProof:
    """The proof of one entry. ``salt`` and ``payload`` open its body; ``None`` after an erasure. ``path`` leads to the
    page's checkpoint and ``cosigned_path`` to the cosigned one (``None`` if that does not cover the entry); both are
    positions in ``PageProofs.hashes``, from leaf to root."""

    header: bytes
    salt: bytes | None
    payload: bytes | None
    path: Sequence[int]
    cosigned_path: Sequence[int] | None


@dataclass(frozen=True, kw_only=True)
class PageProofs:
    """Proofs of a page's entries, in their order. ``cosigned``: the newest checkpoint with its witnesses, verbatim."""

    entries: Sequence[EntryProof]
    hashes: Sequence[bytes]
    cosigned: str | None


def page_proofs(
    rows: Sequence[tuple[int, bytes, bytes | None, bytes | None]], node: Node, size: int, cosigned: Cosigned | None
) -> PageProofs:
    """The proofs of ``rows`` (seq, header, payload, salt) in the tree of ``size``. ``node`` must know a tree at least
    that large, and at least as large as ``cosigned``."""
    places: dict[bytes, int] = {}

    def positions(seq: int, of: int) -> list[int]:
        return [places.setdefault(step, len(places)) for step in inclusion_path(node, seq, of)]

    entries = [
        EntryProof(
            header=header,
            salt=salt,
            payload=payload,
            path=positions(seq, size),
            cosigned_path=None if cosigned is None or seq >= cosigned.size else positions(seq, cosigned.size),
        )
        for seq, header, payload, salt in rows
    ]
    return PageProofs(entries=entries, hashes=list(places), cosigned=None if cosigned is None else cosigned.note)
