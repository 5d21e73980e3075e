"""A log of numbered leaves that a test grows and forks, and the requests that it sends to a witness."""

from __future__ import annotations

from pathlib import Path

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Signer, checkpoint_text
from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import Node, consistency_path, node_hash, root_at
from app.ledger.witnesses.client import request_body
from app.ledger.witnesses.witness import Witness
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, WITNESSES


class GrowingLog:
    """Leaves are ``<name>-<n>``; logs of two names fork under one origin."""

    def __init__(self, name: str = "leaf", *, same: int = 0) -> None:
        """The first ``same`` leaves are those of the log named ``leaf``."""
        self._name = name
        self._same = same

    @property
    def node(self) -> Node:
        """Every complete node."""

        def node(height: int, index: int) -> bytes:
            if height == 0:
                name = "leaf" if index < self._same else self._name
                return leaf_hash(f"{name}-{index}".encode())
            return node_hash(node(height - 1, 2 * index), node(height - 1, 2 * index + 1))

        return node

    def note(self, size: int, signer: Signer = LOG) -> str:
        """The signed checkpoint of ``size``."""
        return signer.sign(checkpoint_text(signer.verifier.name, size, root_at(self.node, size)))

    def request(self, old: int, size: int, note: str | None = None) -> bytes:
        """A request for ``size`` from ``old`` on, with its true proof."""
        path = consistency_path(self.node, old, size) if old <= size else []
        return request_body(old, path, note or self.note(size))


def open_witness(path: Path, cosigners: tuple[Cosigner, ...] = WITNESSES[0]) -> Witness:
    """A witness of the log of ``note_strategies`` with its state in the directory ``path``."""
    return Witness(path / "witness.db", cosigners, [LOG.verifier, LOG_MLDSA.key], clock=lambda: 1_700_000_000.0)
