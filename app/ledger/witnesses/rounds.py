"""Rounds: the newest head of a log goes to all witnesses at once, until enough of them have cosigned it.

A round takes the newest head, adds the log's own ML-DSA line and asks all witnesses in parallel. It ends with the
quorum: the note is frozen, and after the fsync the callers that wait for a leaf under it get their proofs. Rounds of
one log never overlap. A witness that is still busy with an older round is left out of the next one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from app.ledger.c2sp.note import Note, NoteError, checkpoint_text, parse_note
from app.ledger.c2sp.policy import WitnessPolicy, WitnessRow
from app.ledger.cosigned import Cosigned, LeafProof, add_late, freeze, make_proof, newest, proof_of
from app.ledger.interval import rfc3339
from app.ledger.log.log import AnyLog, CommittedHead
from app.ledger.stamps.timestamp import APART_S, StampError
from app.ledger.witnesses.client import WitnessClient, WitnessError, WitnessFault, WitnessIsElsewhere
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

QUIET_S: Final = 600.0
"""A log that does not grow is cosigned again this often, which proves that it is still the same."""
PROVE_S: Final = 5.0
"""How long a caller waits for the quorum before the seal is pending."""
CLOCK_S: Final = 60
"""A cosignature whose time is this far from our own clock is an alarm; beyond ``APART_S`` it does not count."""
FIRST_BACKOFF_S: Final = 0.2
LONGEST_BACKOFF_S: Final = 5.0
LATE_S: Final = 1.5
"""How long a late cosignature waits for the commit of the next round before it gets a commit of its own."""
_OTHERS: Final = 4_096
"""Of each round, the consensus seals of so many leaves are kept for look-ups, even if no caller waits for them."""

_NOBODY: Final = WitnessPolicy((), (), (), "nobody yet")
"""A policy that nothing meets."""

log = logging.getLogger("arc.ledger")


class NoQuorum(Exception):
    """Too few witnesses cosigned; the sentence says which did not."""


@dataclass
class WitnessState:
    """What is known of one witness. ``size``: of the tree that it has seen of this log. ``fault`` and ``sentence``:
    about its last answer; None and empty if that was good. ``good_at``: Unix seconds of its last good answer."""

    name: str
    size: int = 0
    fault: WitnessFault | None = None
    sentence: str = ""
    good_at: float | None = None
    skew_s: float = 0.0
    """Its clock minus ours, according to its last cosignature."""


@dataclass
class _Witness:
    client: WitnessClient
    rows: Sequence[WitnessRow]
    """Its keys in the policy."""
    state: WitnessState
    busy: asyncio.Task[str] | None = None


@dataclass(frozen=True)
class _Round:
    head: CommittedHead
    text: str
    own: str
    """The note with the log's own lines."""
    paths: dict[int, asyncio.Task[list[bytes]]] = field(default_factory=dict)
    """Consistency proofs by older size: mostly all witnesses need the same one."""


@dataclass(frozen=True)
class _LateLine:
    """A cosignature line that came after the note of ``size`` was frozen."""

    size: int
    key_id: bytes
    line: str


OnSealed = Callable[[Transaction, Sequence[LeafProof]], None]


class Rounds:
    """The rounds of one log. Made and used on one event loop, but for ``notice_growth``, which any thread may call."""

    def __init__(
        self,
        ledger: AnyLog,
        store: Store,
        *,
        interval_s: float = 0.0,
        stamp: Callable[[bytes, datetime], bytes] | None = None,
        on_sealed: OnSealed | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``interval_s``: least time between the beginnings of two rounds. ``stamp(text, at)``: makes the time stamp of
        a checkpoint, or raises ``StampError``. ``on_sealed`` runs in the transaction that freezes the note."""
        self._log = ledger
        self._store = store
        self._policy = _NOBODY
        self._interval_s = interval_s
        self._stamp = stamp
        self._on_sealed = on_sealed
        self._clock = clock
        self._witnesses: list[_Witness] = []
        self._waiting: dict[int, list[asyncio.Future[LeafProof]]] = {}
        self._cosigned: Cosigned | None = None
        self._cosigned_at = -QUIET_S
        """When the newest round met its quorum (monotone clock)."""
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._late: set[asyncio.Task[None]] = set()
        self._late_lines: list[_LateLine] = []
        self.confirmed = False
        """Whether this store is known to be the newest: until then no checkpoint leaves the process."""
        self.unstamped = ""
        """Why the last checkpoint could not be stamped; empty if it was."""

    # -- callers

    async def start(self) -> None:
        """Begin; rounds wait for ``confirmed``."""
        self._loop = asyncio.get_running_loop()
        self._cosigned = await asyncio.to_thread(self._read_newest)
        self._task = self._loop.create_task(self._serve(), name=f"rounds of {self._log.origin}")

    async def stop(self) -> None:
        """Cancel what runs; callers that wait get no proof."""
        tasks: list[asyncio.Task[Any]] = [*self._late]
        tasks += [task for task in (self._task, *(witness.busy for witness in self._witnesses)) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for waiters in self._waiting.values():
            for waiter in waiters:
                waiter.cancel()
        self._loop = None

    def admit(self, policy: WitnessPolicy, clients: Mapping[str, WitnessClient]) -> None:
        """Name the witnesses to ask; before ``confirm``. ``clients``: by the name of the witness's keys. A witness of
        the policy without a client is never asked."""
        self._policy = policy
        self._witnesses = [
            _Witness(client, [row for row in policy.witnesses if row.key.name == name], WitnessState(name))
            for name, client in clients.items()
        ]

    def confirm(self) -> None:
        """The witnesses know no newer tree than ours: let the rounds begin."""
        self.confirmed = True
        self._wake.set()

    def notice_growth(self) -> None:
        """The log has a new leaf: wake the rounds. From any thread."""
        loop = self._loop
        # If the event is set already, the rounds have yet to look at the head. Each wake-up of a loop is a system call.
        if loop is not None and not self._wake.is_set():
            with contextlib.suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(self._wake.set)

    async def prove(self, seq: int, *, timeout_s: float = PROVE_S) -> LeafProof | None:
        """The proof of the leaf at ``seq``, once a round has covered it; ``None`` if no quorum was met in time."""
        if self._cosigned is not None and seq < self._cosigned.size:
            return await asyncio.to_thread(self._read_proof, seq)
        waiter: asyncio.Future[LeafProof] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(seq, []).append(waiter)
        self._wake.set()
        try:
            return await asyncio.wait_for(waiter, timeout_s)
        except TimeoutError:
            return None
        finally:
            waiters = self._waiting.get(seq)
            if waiters is not None and waiter in waiters:
                waiters.remove(waiter)
                if not waiters:
                    del self._waiting[seq]

    def newest(self) -> Cosigned | None:
        """The newest checkpoint with a quorum."""
        return self._cosigned

    @property
    def witnesses(self) -> Sequence[WitnessState]:
        """What is known of each witness."""
        return [witness.state for witness in self._witnesses]

    async def unaware(self) -> dict[str, str]:
        """Witnesses that do not know the newest of the log's keys, each with a sentence for people; they accept
        checkpoints until the earlier keys end. A witness that cannot be asked, or need not be, is not among them."""
        ring, cosigned = self._log.ring, self._cosigned
        until_us = ring.overlap_until_us()
        if until_us is None or cosigned is None:
            return {}
        text = parse_note(cosigned.note.encode()).text
        # Signed by the newest key alone. A witness that has seen another size says so only after it has checked the
        # signature.
        note = f"{text}\n{ring.newest.signer.line(text)}"
        found = {}
        for witness in self._witnesses:
            try:
                await witness.client.add_checkpoint(cosigned.size, [], note, size=cosigned.size)
            except WitnessIsElsewhere:
                continue
            except WitnessError as error:
                if error.fault is WitnessFault.REFUSED:
                    found[witness.state.name] = (
                        f"{witness.state.name} does not know the new key of the log {self._log.origin} yet. From "
                        f"{rfc3339(until_us)} on it refuses its checkpoints: have its keeper add the log lines of "
                        f"GET /v1/log/policy before, {ring.newest.signer.verifier.vkey} above all."
                    )
        return found

    # -- the rounds

    async def _serve(self) -> None:
        """One round after the other, as long as there is something to cosign; failures wait longer each time."""
        backoff = FIRST_BACKOFF_S
        while True:
            await self._due()
            began = time.monotonic()
            try:
                await self._round()
                backoff = FIRST_BACKOFF_S
                wait = self._interval_s
                self.unstamped = ""
            except (NoQuorum, StampError, StoreError) as error:
                if isinstance(error, StampError):
                    self.unstamped = str(error)
                log.warning("no round of witnesses for %s: %s", self._log.origin, error)
                wait, backoff = max(backoff, self._interval_s), min(backoff * 2, LONGEST_BACKOFF_S)
            except Exception:
                # A failed round must not end the rounds: seals would stay pending for ever, and nobody would know.
                log.exception("a round of witnesses failed", extra={"log": self._log.origin})
                wait, backoff = max(backoff, self._interval_s), min(backoff * 2, LONGEST_BACKOFF_S)
            await asyncio.sleep(max(0.0, began + wait - time.monotonic()))

    async def _due(self) -> None:
        """Waits until there is something to cosign: growth, or a quiet log that was not cosigned for ``QUIET_S``."""
        while True:
            self._wake.clear()
            cosigned = 0 if self._cosigned is None else self._cosigned.size
            size = self._log.snapshot().size
            if self.confirmed and size > cosigned:
                return
            # By the monotone clock: a machine whose clock was set back would not cosign for as long.
            quiet = max(0.0, self._cosigned_at + QUIET_S - time.monotonic()) if self.confirmed and size else None
            if quiet == 0.0:
                return
            # Not ``wait_for``: on Python 3.11 it loses a cancellation that comes in the same turn as the event.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(quiet):
                    await self._wake.wait()

    async def _round(self) -> None:
        head = self._log.snapshot()
        self._store.writer.hold_seals(True)
        try:
            await self._gather(await asyncio.to_thread(self._prepare, head))
        finally:
            self._store.writer.hold_seals(False)

    def _prepare(self, head: CommittedHead) -> _Round:
        text = checkpoint_text(self._log.origin, head.size, head.root)
        # Signed by the keys of now: the head of a quiet log may still have lines of a pair that has ended since.
        ring = self._log.ring
        return _Round(head, text, ring.note(text) + ring.cosign(text, int(self._clock())))

    async def _gather(self, this: _Round) -> None:
        """Asks the witnesses and freezes the note as soon as the quorum is met; ``NoQuorum``."""
        asked: dict[asyncio.Task[str], _Witness] = {}
        for witness in self._witnesses:
            if witness.busy is None or witness.busy.done():
                witness.busy = asyncio.create_task(self._ask(witness, this))
                asked[witness.busy] = witness
        times: dict[str, int] = {}
        lines: dict[str, str] = {}
        pending = set(asked)
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                await self._take(this, asked[task], task, times, lines)
            quorum_at = self._policy.met_at(times)
            if quorum_at is not None:
                late = {task: asked[task] for task in pending}
                try:
                    await self._freeze(this, lines, quorum_at)
                except Exception:
                    # A line is late beside a frozen note. Nothing was frozen, so none is kept.
                    self._follow_late(this, late, keep=False)
                    raise
                self._follow_late(this, late, keep=True)
                return
        missing = [witness.state.sentence for witness in self._witnesses if witness.state.fault is not None]
        raise NoQuorum(" ".join(missing) or "Every witness is busy with an older round.")

    async def _take(
        self, this: _Round, witness: _Witness, task: asyncio.Task[str], times: dict[str, int], lines: dict[str, str]
    ) -> None:
        """Judges one witness's answer; adds the valid cosignatures to ``times`` and ``lines``, and keeps its state."""
        try:
            answer = await task
            found = await asyncio.to_thread(_read_cosignatures, this, witness.rows, answer)
        except WitnessError as error:
            self._trouble(witness, error.fault, str(error))
            return
        if not found:
            self._trouble(witness, WitnessFault.REFUSED, f"{witness.state.name} gave no valid cosignature.")
            return
        now = self._clock()
        witness.state.size = this.head.size
        witness.state.skew_s = max((time_s - now for _, time_s, _ in found), key=abs)
        if abs(witness.state.skew_s) > APART_S:
            # The time stamp has the time of our clock and must be as near to the quorum's: with this cosignature nobody
            # could ever verify the seal.
            self._trouble(
                witness,
                WitnessFault.REFUSED,
                f"{witness.state.name} gave a cosignature that cannot count: its clock and this machine's differ by "
                f"{abs(witness.state.skew_s):.0f} s.",
            )
            return
        for row, time_s, line in found:
            times[row.name] = time_s
            lines[row.name] = line
        witness.state.good_at = now
        self._trouble(witness, None, "")

    def _trouble(self, witness: _Witness, fault: WitnessFault | None, sentence: str) -> None:
        if fault is not None and witness.state.fault is not fault:
            log.warning("%s: %s", self._log.origin, sentence)
        witness.state.fault = fault
        witness.state.sentence = sentence

    async def _ask(self, witness: _Witness, this: _Round) -> str:
        """The witness's signature lines. A second try follows where it has seen another size than we thought."""
        size = this.head.size
        old = min(witness.state.size, size)
        try:
            return await self._add(witness, this, old)
        except WitnessIsElsewhere as elsewhere:
            witness.state.size = elsewhere.size
            if elsewhere.size > size:
                # Rounds never run behind a newer one, so this store has lost what the witness saw.
                raise WitnessError(
                    WitnessFault.ROLLED_BACK,
                    f"{witness.state.name} has seen {elsewhere.size} entries of this log, the store has {size}.",
                ) from None
            try:
                return await self._add(witness, this, elsewhere.size)
            except WitnessIsElsewhere:
                raise WitnessError(
                    WitnessFault.REFUSED, f"{witness.state.name} contradicts itself about what it saw."
                ) from None

    async def _add(self, witness: _Witness, this: _Round, old: int) -> str:
        path = this.paths.get(old)
        if path is None:
            path = this.paths[old] = asyncio.create_task(asyncio.to_thread(self._consistency, this.head, old))
        return await witness.client.add_checkpoint(old, await path, this.own, size=this.head.size)

    def _consistency(self, head: CommittedHead, old: int) -> list[bytes]:
        with self._store.read() as connection:
            return self._log.consistency_proof(connection, old, head.size)

    # -- what a quorum gives

    async def _freeze(self, this: _Round, lines: Mapping[str, str], quorum_at: int) -> None:
        """Makes the cosigned note durable, with its time stamp and the seals under it; then answers the callers."""
        ordered = [lines[row.name] for row in self._policy.witnesses if row.name in lines]
        note = this.own + "".join(ordered)
        before = 0 if self._cosigned is None else self._cosigned.size
        # A leaf's proof is under the first checkpoint that covers it: leaves under an older note are not proven here.
        seqs = {seq for seq in self._waiting if before <= seq < this.head.size}
        if self._on_sealed is not None:
            seqs.update(range(before, min(this.head.size, before + _OTHERS)))
        cosigned, proofs = await asyncio.to_thread(self._prove, this, note, quorum_at, sorted(seqs))

        if this.head.size > before:
            late, self._late_lines = self._late_lines, []

            def keep(tx: Transaction) -> None:
                freeze(tx, self._log, cosigned)
                self._keep_late(tx, late)
                if self._on_sealed is not None:
                    self._on_sealed(tx, proofs)

            await self._store.writer.run(keep)
            self._cosigned = cosigned
        self._cosigned_at = time.monotonic()
        ready = {proof.seq: proof for proof in proofs}
        # A caller that came while the note was frozen may wait for a leaf whose proof was not made above.
        for seq in [seq for seq in self._waiting if seq < this.head.size]:
            proof = ready.get(seq) or await asyncio.to_thread(self._read_proof, seq)
            for waiter in self._waiting.pop(seq, ()):
                if proof is not None and not waiter.done():
                    waiter.set_result(proof)

    def _prove(self, this: _Round, note: str, quorum_at: int, seqs: Iterable[int]) -> tuple[Cosigned, list[LeafProof]]:
        """The note as it is frozen, with its time stamp, and the proofs of ``seqs`` under it; ``StampError``."""
        now = datetime.fromtimestamp(self._clock(), UTC)
        # The clock may have been set since the witnesses answered. Nobody would ever accept a time stamp that is so far
        # from the quorum: the round is made again.
        if self._stamp is not None and abs(now.timestamp() - quorum_at) > APART_S:
            raise StampError(
                f"this machine's clock says {now:%Y-%m-%d %H:%M:%S} UTC, and the witnesses signed "
                f"{abs(now.timestamp() - quorum_at):.0f} s away from that"
            )
        token = self._stamp(this.text.encode(), now) if self._stamp is not None else None
        cosigned = Cosigned(this.head.size, note, quorum_at, token)
        with self._store.read() as connection:
            node = self._log.nodes(connection, this.head)
            return cosigned, [make_proof(node, seq, cosigned) for seq in seqs]

    def _follow_late(self, this: _Round, asked: Mapping[asyncio.Task[str], _Witness], *, keep: bool) -> None:
        """Judges the answers of witnesses that come after the quorum was met. ``keep``: the note was frozen, and their
        cosignatures are kept beside it."""

        async def late(task: asyncio.Task[str], witness: _Witness) -> None:
            lines: dict[str, str] = {}
            await self._take(this, witness, task, {}, lines)
            if not keep:
                return
            keys = {row.name: row.key.key_id for row in witness.rows}
            own = [_LateLine(this.head.size, keys[name], line) for name, line in lines.items()]
            self._late_lines += own
            # On a busy log the next round commits soon: a commit for each late line would be one more in each round.
            await asyncio.sleep(LATE_S)
            if any(line in self._late_lines for line in own):
                found, self._late_lines = self._late_lines, []
                await self._store.writer.run(lambda tx: self._keep_late(tx, found))

        for task, witness in asked.items():
            follower = asyncio.create_task(late(task, witness))
            self._late.add(follower)
            follower.add_done_callback(self._late_done)

    def _keep_late(self, tx: Transaction, lines: Sequence[_LateLine]) -> None:
        for late in lines:
            add_late(tx, self._log, late.size, late.key_id, late.line)

    def _late_done(self, task: asyncio.Task[None]) -> None:
        self._late.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a late cosignature was lost", exc_info=error)

    def _read_newest(self) -> Cosigned | None:
        with self._store.read() as connection:
            return newest(self._log, connection)

    def _read_proof(self, seq: int) -> LeafProof | None:
        with self._store.read() as connection:
            return proof_of(self._log, connection, seq)


def _read_cosignatures(this: _Round, rows: Sequence[WitnessRow], answer: str) -> list[tuple[WitnessRow, int, str]]:
    """The rows whose valid cosignature is in ``answer``, with time and line. ``WitnessError`` if it has no such
    lines."""
    try:
        note = parse_note(f"{this.text}\n{answer}".encode())
    except NoteError:
        note = None
    # An empty line in the answer would make the lines before it part of the signed text.
    if note is None or note.text != this.text:
        raise WitnessError(WitnessFault.REFUSED, "A witness answered no signature lines.")
    found = []
    for line in note.signatures:
        alone = Note(note.text, (line,))
        for row in rows:
            with contextlib.suppress(NoteError):
                found.append((row, row.key.time_of(alone), line.text))
    return found
