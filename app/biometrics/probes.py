"""Templates that arrive to be judged: read from what a terminal sent, and used once.

A frame is good for one decision: its counter rises for the life of the terminal's key and its nonce never comes twice.
The transaction that decides checks and keeps both, so a frame is used up by any outcome. A template is recognized by a
keyed digest, from any source.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, exists, insert, select, update

from app.api.problems import Problem, invalid_field
from app.biometrics.matching import probe_digest
from app.biometrics.tables import probe_seen, terminal_counter, terminal_nonce
from app.biometrics.template_codes import Int8
from app.biometrics.template_registries import TemplateRegistries
from app.registry.jwk import public_key, thumbprint
from app.registry.terminals import TerminalRow
from app.store.engine import Store
from app.store.errors import KeysUnavailable
from app.store.writer import Transaction
from hardware.terminals.frame import FrameForged, FrameShape, PalmFrame, TemplateKind, parse, registry_tag, verify
from hardware.terminals.projection import DIMENSIONS, Projection

CLOCK_MS = 30_000
"""The most that a frame's capture time differs from our clock."""
ACCESS_INTENTS = frozenset({"ACCESS_ENTRY", "ACCESS_EXIT"})
"""The only intents of a terminal that cannot sign."""
TEMPLATE_BYTES = DIMENSIONS
FEATURE_BYTES = 4 * DIMENSIONS
_NONCE_KEPT_US = 24 * 3600 * 1_000_000
_SEEN_KEPT_US = 400 * 86_400 * 1_000_000
_SWEEP_ROWS = 1_000


@dataclass
class ProbeRefused(Exception):
    """A frame that is refused: ``problem`` for the caller, ``cause`` for the audit log."""

    problem: Problem
    cause: str


@dataclass(slots=True, eq=False)
class SentTemplates:
    """What a terminal sent. ``templates``: int8 (V, 512), not to be used after ``wipe`` nor after the request's buffer.

    ``liveness`` None: not reported. ``key``: the signing key's thumbprint, None for a terminal that cannot sign.
    ``epoch``: of the registry's key that made them. ``known``: an equal probe came before (set by ``Probes.use``).
    """

    templates: Int8 = field(repr=False)
    digest: bytes
    alg: int
    epoch: int
    liveness: int | None = None
    key: str | None = None
    counter: int = 0
    nonce: bytes = b""
    known: bool = False
    own: bool = False
    """The templates are an array of our own and no view of the request."""

    def wipe(self) -> None:
        """Clears the array that is not wiped with the request."""
        if self.own:
            self.templates.fill(0)


class Probes:
    """Reads and uses probes. ``key``: of the site, for digests. ``sweep`` is called each minute."""

    def __init__(self, store: Store, registries: TemplateRegistries, key: bytes) -> None:
        self._store = store
        self._registries = registries
        self._key = key

    def state(self, registry_id: str) -> tuple[int, int]:
        """Algorithm and key epoch of the registry now; 404 if there is none."""
        with self._store.read() as connection:
            row = self._registries.row(connection, registry_id)
        if row is None:
            raise self._registries.missing(registry_id)
        return row.alg, row.key_epoch

    def ensure_key(self, registry_id: str) -> None:
        """As ``TemplateRegistries.ensure_key``; where the disk of the keys is away, templates can still be kept."""
        with contextlib.suppress(KeysUnavailable):
            self._registries.ensure_key(registry_id)

    def read(self, raw: memoryview, terminal: TerminalRow, intent: str, now_us: int, pointer: str) -> SentTemplates:
        """The probe in what the terminal sent for this intent. Its templates view ``raw`` where they can.

        ``Problem`` 422 at ``pointer`` for what is no frame; ``ProbeRefused`` for one that is not this terminal's, or of
        another registry, epoch or time.
        """
        if len(raw) in (TEMPLATE_BYTES, FEATURE_BYTES):
            return self._bare(raw, terminal, intent, pointer)
        frame = self.frame(raw, terminal, intent, now_us, pointer)
        if frame.kind is not TemplateKind.PROBE:
            raise invalid_field(pointer, "This frame enrols somebody: send it to the enrolment.")
        return self._probe(frame, terminal)

    def frame(self, raw: memoryview, terminal: TerminalRow, intent: str, now_us: int, pointer: str) -> PalmFrame:
        """A signed frame of this terminal, of its registry's present epoch and of this moment. Raises as ``read``."""
        try:
            frame = parse(raw)
        except FrameShape as error:
            raise invalid_field(pointer, f"This is no palm frame: {error}.") from None
        if terminal.public_key is None:
            raise _forgery(
                "unsigned", f"Terminal {terminal.terminal_id} has no key: register the one that it signs with."
            )
        try:
            verify(raw, public_key(terminal.public_key), terminal.terminal_id, intent)
        except FrameForged:
            raise _forgery(
                "forged", "The frame was not signed by this terminal for this intent: take it anew."
            ) from None
        alg, epoch = self.state(terminal.registry_id)
        if frame.registry_tag != registry_tag(terminal.registry_id) or (frame.alg, frame.key_epoch) != (alg, epoch):
            raise _stale(
                "epoch", f"The frame is not of epoch {epoch} of {terminal.registry_id}: give the terminal its bundle."
            )
        if abs(frame.captured_ms - now_us // 1000) > CLOCK_MS:
            raise _stale("clock", "The frame is older than 30 s or from the future: set the terminal's clock.")
        return frame

    def _probe(self, frame: PalmFrame, terminal: TerminalRow) -> SentTemplates:
        return SentTemplates(
            frame.templates,
            probe_digest(self._key, frame.templates),
            frame.alg,
            frame.key_epoch,
            frame.liveness,
            self.key_of(terminal),
            frame.counter,
            frame.nonce,
        )

    def key_of(self, terminal: TerminalRow) -> str:
        """The thumbprint under which a terminal's counter is kept."""
        if terminal.public_key is None:
            raise LookupError(terminal.terminal_id)
        return thumbprint(terminal.public_key)

    def _bare(self, raw: memoryview, terminal: TerminalRow, intent: str, pointer: str) -> SentTemplates:
        """The probe in a template without a frame, which only a legacy terminal sends."""
        if not terminal.legacy:
            raise invalid_field(
                pointer, "Only a terminal that is registered as legacy sends a template without a frame."
            )
        if intent not in ACCESS_INTENTS:
            raise _forgery("unsigned", "A terminal that does not sign opens doors alone: use another for this intent.")
        alg, epoch = self.state(terminal.registry_id)
        try:
            templates = self.bare(raw, terminal.registry_id)
        except ValueError as error:
            raise invalid_field(pointer, f"This is no template: {error}.") from None
        return SentTemplates(templates, probe_digest(self._key, templates), alg, epoch, own=len(raw) == FEATURE_BYTES)

    def bare(self, raw: memoryview, registry_id: str) -> Int8:
        """512 signed bytes as they are (a view), or the template of 512 float32 (an array of its own): int8 (1, 512).
        ValueError if they are none."""
        if len(raw) == TEMPLATE_BYTES:
            template: Int8 = np.frombuffer(raw, np.int8).reshape(1, DIMENSIONS)
            if not template.any() or template.min() < -127:
                raise ValueError("its values are -127 to 127 and not all zero")
            return template
        x: NDArray[np.float64] = np.frombuffer(raw, "<f4").astype(np.float64).reshape(1, DIMENSIONS)
        try:
            projection = self.projection(registry_id)[0]
            try:
                return projection.template(x)
            finally:
                projection.wipe()
        finally:
            x.fill(0.0)

    def projection(self, registry_id: str) -> tuple[Projection, int]:
        """As ``TemplateRegistries.projection``; 503 where its key was not brought back."""
        try:
            return self._registries.projection(registry_id)
        except KeysUnavailable as error:
            raise Problem("dependency_unavailable", str(error), headers={"Retry-After": "60"}) from error

    def digest(self, templates: Int8) -> bytes:
        """The digest by which an equal probe is recognized."""
        return probe_digest(self._key, templates)

    # --- inside the transaction that decides ---

    def use(self, tx: Transaction, probe: SentTemplates) -> Problem | None:
        """Uses the probe up, and says in ``known`` whether an equal one came before. 409 ``replayed``, returned and not
        raised, where the frame itself was used before."""
        fault = None if probe.key is None else self.use_frame(tx, probe.key, probe.counter, probe.nonce)
        if fault is None:
            probe.known = self.remember(tx, probe.digest)
        return fault

    def use_frame(self, tx: Transaction, key: str, counter: int, nonce: bytes) -> Problem | None:
        """Uses up the counter and the nonce of a frame that this key signed. 409 ``replayed``, returned, where either
        was used before."""
        risen = tx.connection.execute(
            update(terminal_counter)
            .where(terminal_counter.c.thumbprint == key, terminal_counter.c.counter < counter)
            .values(counter=counter, at_us=tx.now_us)
        ).rowcount
        if not risen:
            if tx.connection.scalar(select(exists().where(terminal_counter.c.thumbprint == key))):
                return Problem("replayed", "This frame or a later one was used before: lay the hand on again.")
            tx.connection.execute(insert(terminal_counter).values(thumbprint=key, counter=counter, at_us=tx.now_us))
        same = (terminal_nonce.c.thumbprint == key, terminal_nonce.c.nonce == nonce)
        if tx.connection.scalar(select(exists().where(*same))):
            return Problem("replayed", "This nonce was used before: lay the hand on again.")
        tx.connection.execute(insert(terminal_nonce).values(thumbprint=key, nonce=nonce, at_us=tx.now_us))
        return None

    def remember(self, tx: Transaction, digest: bytes) -> bool:
        """Whether an equal probe came before; remembers this one."""
        known = tx.connection.execute(
            update(probe_seen).where(probe_seen.c.digest == digest).values(at_us=tx.now_us)
        ).rowcount
        if not known:
            tx.connection.execute(insert(probe_seen).values(digest=digest, at_us=tx.now_us))
        return bool(known)

    def sweep(self, tx: Transaction) -> int:
        """Forgets nonces after a day (counters have risen by then) and probes after 400 days; how many."""
        gone = 0
        for table, key, kept_us in (
            (terminal_nonce, terminal_nonce.c.nonce, _NONCE_KEPT_US),
            (probe_seen, probe_seen.c.digest, _SEEN_KEPT_US),
        ):
            old = select(key).where(table.c.at_us < tx.now_us - kept_us).limit(_SWEEP_ROWS)
            gone += tx.connection.execute(
                delete(table).where(key.in_(old), table.c.at_us < tx.now_us - kept_us)
            ).rowcount
        return gone


def _forgery(cause: str, detail: str) -> ProbeRefused:
    return ProbeRefused(Problem("proof_invalid", detail), cause)


def _stale(cause: str, detail: str) -> ProbeRefused:
    return ProbeRefused(Problem("state_conflict", detail), cause)
