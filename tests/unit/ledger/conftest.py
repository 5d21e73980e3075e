"""An audit log in a store of its own, and the plainest possible Merkle tree to compare with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.ledger.log.append import AuditLog
from app.ledger.query.query import AuditIndex
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.writer import Transaction

ORIGIN = "training-0123456789abcdef.site.invalid/audit"
KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)


class NoKeys:
    """The log seals nothing."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        raise KeyError(purpose)

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        raise KeyError(purpose)


class Ledger:
    """A store whose log is under test."""

    def __init__(self, path: Path, *, clock: Callable[[], int] | None = None, key: Ed25519PrivateKey = KEY) -> None:
        self.path = path
        self.log = AuditLog(ORIGIN, key)
        options = {} if clock is None else {"clock": clock}
        self.store = Store.open(path, self.log, sealer=FieldSealer(NoKeys()), **options)  # type: ignore[arg-type]
        self.query = AuditIndex(self.store, self.log, Cursors(b"c" * 32))

    def add(self, count: int, **fields: object) -> None:
        """``count`` leaves in one commit."""

        def job(tx: Transaction) -> None:
            for number in range(count):
                tx.audit("test.added", actor="tester", detail={"number": number}, **fields)  # type: ignore[arg-type]

        self.store.writer.submit(job).result(30)

    def run(self, job: Callable[[Transaction], object]) -> object:
        """One job, waited for."""
        return self.store.writer.submit(job).result(30)


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Callable[..., Ledger]]:
    """Opens the test's one store; closes it at the end."""
    made: list[Ledger] = []

    def open_it(**options: object) -> Ledger:
        made.append(Ledger(tmp_path / "store.db", **options))  # type: ignore[arg-type]
        return made[-1]

    yield open_it
    for ledger in made:
        ledger.store.close()


@pytest.fixture(scope="session")
def make_ledger() -> type[Ledger]:
    """For a fixture of a wider scope that makes a log of its own."""
    return Ledger


@pytest.fixture
def ledger(opening: Callable[..., Ledger]) -> Ledger:
    """An empty log."""
    return opening()


def plain_root(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962 section 2.1, written as the definition reads."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + plain_root(leaves[:half]) + plain_root(leaves[half:])).digest()


def plain_path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of RFC 6962 section 2.1.1, written as the definition reads."""
    if len(leaves) <= 1:
        return []
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    if index < half:
        return [*plain_path(index, leaves[:half]), plain_root(leaves[half:])]
    return [*plain_path(index - half, leaves[half:]), plain_root(leaves[:half])]


@pytest.fixture(scope="session")
def oracle() -> tuple[Callable[[Sequence[bytes]], bytes], Callable[[int, Sequence[bytes]], list[bytes]]]:
    """The definition's root and path."""
    return plain_root, plain_path
