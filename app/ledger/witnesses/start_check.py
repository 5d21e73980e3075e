"""The start check: is this store the newest one that its witnesses know?

A store that was restored, copied or rolled back would sign a second tree under the log's name. So before any checkpoint
leaves the process, each witness is asked for the newest one that it cosigned, and that must be a state in which this
store has been.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import enum
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.ledger.c2sp.note import Checkpoint, NoteError, parse_checkpoint, parse_note
from app.ledger.c2sp.policy import WitnessPolicy, WitnessRow
from app.ledger.log.log import AnyLog
from app.ledger.tree.tree import root_at
from app.ledger.witnesses.client import WitnessClient, WitnessError
from app.store.engine import Store


class StoreStanding(enum.StrEnum):
    """What is known of the store."""

    UNCONFIRMED = "UNCONFIRMED"
    """Not enough witnesses have answered."""
    CONFIRMED = "CONFIRMED"
    ROLLED_BACK = "ROLLED_BACK"
    """A witness has cosigned more than this store has."""
    FORKED = "FORKED"
    """A witness has cosigned another tree."""


@dataclass(frozen=True)
class StoreVerdict:
    """``sentence``, for people: what was found, with both heads, or which witnesses did not answer. ``sizes``: the
    number of entries that each answering witness has seen, by name."""

    standing: StoreStanding
    sentence: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)


async def check(
    ledger: AnyLog, store: Store, policy: WitnessPolicy, clients: Mapping[str, WitnessClient]
) -> StoreVerdict:
    """Ask all witnesses at once and judge the store. ``clients``: by the name of the witness's keys."""
    name = hashlib.sha256(ledger.origin.encode()).hexdigest()
    answers = await asyncio.gather(
        *(client.newest_checkpoint(name) for client in clients.values()), return_exceptions=True
    )
    seen: dict[str, Checkpoint | None] = {}
    silent: list[str] = []
    for (witness, _client), answer in zip(clients.items(), answers, strict=True):
        rows = [row for row in policy.witnesses if row.key.name == witness]
        try:
            if isinstance(answer, BaseException):
                raise answer
            seen[witness] = None if answer is None else _read_checkpoint(ledger, policy, rows, answer)
        except WitnessError as error:
            silent.append(str(error))
        except NoteError as error:
            silent.append(f"{witness} answers no checkpoint of {ledger.origin}: {error}.")
    for witness, checkpoint in seen.items():
        if checkpoint is not None:
            verdict = await asyncio.to_thread(_judge, ledger, store, witness, checkpoint)
            if verdict is not None:
                return verdict
    sizes = {witness: 0 if checkpoint is None else checkpoint.size for witness, checkpoint in seen.items()}
    # The silent witnesses may know a newer tree. If they are a quorum, that tree may have been proven to somebody.
    if policy.met_at({row.name: 0 for row in policy.witnesses if row.key.name not in seen}) is not None:
        return StoreVerdict(StoreStanding.UNCONFIRMED, " ".join(silent), sizes)
    return StoreVerdict(StoreStanding.CONFIRMED, sizes=sizes)


def _read_checkpoint(ledger: AnyLog, policy: WitnessPolicy, rows: Sequence[WitnessRow], answer: str) -> Checkpoint:
    """A witness's checkpoint, signed by the log and by one of the witness's keys ``rows``; ``NoteError``."""
    note = parse_note(answer.encode())
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != ledger.origin:
        raise NoteError("it is of another log")
    policy.check_log(note)
    for row in rows:
        with contextlib.suppress(NoteError):
            row.key.time_of(note)
            return checkpoint
    raise NoteError("none of its keys has cosigned it")


def _judge(ledger: AnyLog, store: Store, witness: str, checkpoint: Checkpoint) -> StoreVerdict | None:
    """A verdict where the witness's checkpoint is no state of this store; ``None`` where it is."""
    head = ledger.snapshot()
    theirs = f"{checkpoint.size} entries, root {base64.b64encode(checkpoint.root).decode()}"
    ours = f"{head.size} entries, root {base64.b64encode(head.root).decode()}"
    if checkpoint.size > head.size:
        return StoreVerdict(
            StoreStanding.ROLLED_BACK,
            f"{witness} has cosigned {theirs} of {ledger.origin}, but this store has {ours}: it is an old copy.",
        )
    with store.read() as connection:
        root = root_at(ledger.nodes(connection, head), checkpoint.size)
    if root != checkpoint.root:
        return StoreVerdict(
            StoreStanding.FORKED,
            f"{witness} has cosigned {theirs} of {ledger.origin}, but this store ({ours}) had another root at that "
            "size: the log has forked.",
        )
    return None
