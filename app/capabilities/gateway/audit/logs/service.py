"""The logs as others read them: checkpoints and tiles (C2SP tlog-tiles), the policy, the roots, the witnesses."""

from __future__ import annotations

import asyncio
import base64
import re
from dataclasses import dataclass
from typing import Final

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.gateway.audit.logs.messages import LogKeyChange, LogKeys, LogName, LogWitness, LogWitnesses
from app.ledger.check.nightly import Nightly
from app.ledger.cosigned import proof_of
from app.ledger.log.append import Ledger
from app.ledger.log.keys import read_leaves
from app.ledger.log.log import AnyLog
from app.ledger.tree.tree import HASH, WIDTH
from app.ledger.witnesses.rounds import Rounds
from app.ledger.witnesses.witnessing import Witnessing, WitnessView
from app.store.engine import Store, driver

_INDEX: Final = re.compile(r"((?:x[0-9]{3}/){0,5})([0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")
_LEVEL: Final = re.compile(r"[0-9]|[1-5][0-9]|6[0-3]")


@dataclass(frozen=True)
class TilePlace:
    """``index`` of a tile within its level, ``width`` in hashes: 256 is the full one."""

    index: int
    width: int


def parse_tile_index(text: str) -> TilePlace | None:
    """The place that ``x001/x234/067`` or ``000.p/17`` names; ``None`` for anything else, also for a number that is
    written in a second way."""
    found = _INDEX.fullmatch(text)
    if found is None:
        return None
    above, last, width = found[1], found[2], int(found[3] or WIDTH)
    # A partial tile is 1 to 255 wide, and an index has no element of zeros in front.
    if above.startswith("x000/") or (found[3] is not None and width >= WIDTH):
        return None
    return TilePlace(int(above.replace("x", "").replace("/", "") + last), width)


class PublishedLogs:
    """Reads the logs for others. The logs' own signatures cover every answer, so that nobody has to believe one."""

    def __init__(self, store: Store, ledger: Ledger, witnessing: Witnessing, roots: bytes, nightly: Nightly) -> None:
        """``roots``: the site's root certificates as PEM."""
        self._store = store
        self._witnessing = witnessing
        self._logs: dict[LogName, tuple[AnyLog, Rounds]] = {
            "seal": (ledger.seal, witnessing.seal),
            "audit": (ledger.audit, witnessing.audit),
        }
        self.roots = roots
        self._nightly = nightly

    def checkpoint(self, name: str) -> str:
        """The newest checkpoint with a quorum; 404 while there is none."""
        ledger, rounds = self._log(name)
        found = rounds.newest()
        if found is not None:
            return found.note
        if ledger.snapshot().size == 0:
            raise Problem("not_found", f"The {ledger.title} is empty: its first checkpoint comes with its first entry.")
        raise Problem(
            "not_found",
            f"No quorum of witnesses has cosigned the {ledger.title} yet: see /v1/log/witnesses and ask again.",
        )

    async def tile(self, name: str, level: str, index: str) -> bytes:
        """A full tile, or a partial one cut to its width; 404 for what the log does not hold."""
        ledger, _ = self._log(name)
        place = parse_tile_index(index)
        if place is None or _LEVEL.fullmatch(level) is None:
            raise _no_tile()
        found = await asyncio.to_thread(self._tile, ledger, int(level), place)
        if len(found) < HASH * place.width:
            raise _no_tile()
        return found[: HASH * place.width]

    async def entries(self, name: str, index: str) -> bytes:
        """The entries of a tile of level 0, each after its length in two bytes; 404 for what the log does not hold."""
        ledger, _ = self._log(name)
        place = parse_tile_index(index)
        if place is None:
            raise _no_tile()
        found = await asyncio.to_thread(self._headers, ledger, place)
        if len(found) < place.width:
            raise _no_tile()
        return b"".join([len(header).to_bytes(2) + header for header in found])

    def policy(self) -> str:
        """The policy in force, as a file; 404 until the first start has made it, 503 while it cannot be used."""
        policy = self._witnessing.policy
        if policy is not None:
            return policy.text()
        trouble = self._witnessing.trouble()
        if trouble is not None:
            raise Problem("dependency_unavailable", trouble, headers={"Retry-After": "60"})
        raise Problem("not_found", "The policy is made when the local witnesses have started: ask again in a second.")

    async def keys(self) -> LogKeys:
        """Every replacement of the logs' keys, from their leaves."""
        return LogKeys(items=await asyncio.to_thread(self._key_changes))

    def witnesses(self) -> LogWitnesses:
        """The state of each witness, and of the nightly check."""
        checked = self._nightly.last
        items = [_witness_message(view) for view in self._witnessing.witnesses()]
        return LogWitnesses(
            standing=self._witnessing.standing.value,
            detail=self._witnessing.sentence(),
            independent=sum(item.independent for item in items),
            items=items,
            checked_at=None if checked is None else rfc3339(checked.at_us),
            check_findings=None if checked is None else checked.result.findings,
            check_overdue=self._nightly.overdue,
        )

    def _log(self, name: str) -> tuple[AnyLog, Rounds]:
        found = next((parts for known, parts in self._logs.items() if known == name), None)
        if found is None:
            raise Problem("not_found", "There is no such log: ask for seal or audit.")
        return found

    def _key_changes(self) -> list[LogKeyChange]:
        """The leaves ``log.key`` of both logs, each with its proof as far as a published checkpoint covers it."""
        found = []
        with self._store.read() as connection:
            for name, (ledger, rounds) in self._logs.items():
                size = 0 if (newest := rounds.newest()) is None else newest.size
                for change in read_leaves(driver(connection), ledger.number):
                    # No proof leaves the process before its checkpoint has.
                    proof = proof_of(ledger, connection, change.seq) if change.seq < size else None
                    found.append(
                        LogKeyChange(
                            log=name,
                            log_index=change.seq,
                            leaf=change.header.decode(),
                            salt=base64.b64encode(change.salt).decode(),
                            payload=base64.b64encode(change.payload).decode(),
                            proof=None if proof is None else proof.data.decode(),
                        )
                    )
        return found

    def _tile(self, ledger: AnyLog, level: int, place: TilePlace) -> bytes:
        with self._store.read() as connection:
            return ledger.tile(connection, level, place.index)

    def _headers(self, ledger: AnyLog, place: TilePlace) -> list[bytes]:
        with self._store.read() as connection:
            return ledger.headers(connection, place.index * WIDTH, place.width)


def _witness_message(view: WitnessView) -> LogWitness:
    waiting = view.fault is None and view.good_at is None
    return LogWitness(
        name=view.name,
        url=view.url or None,
        independent=not view.local,
        state="WAITING" if waiting else "UP" if view.fault is None else view.fault.value,
        detail=view.sentence or None,
        cosigned_at=None if view.good_at is None else rfc3339(int(view.good_at * 1e6)),
        seal_size=view.sizes["seal"],
        audit_size=view.sizes["audit"],
    )


def _no_tile() -> Problem:
    return Problem("not_found", "The log holds no such tile: ask for those of a checkpoint (C2SP tlog-tiles).")
