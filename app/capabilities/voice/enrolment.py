"""Enrolment of a voice: takes in, one sealed vocal signature out.

Every take passes the gates that a check passes, and the takes must be of one person. The answer names each take that
did not, and why: the operator is with the person and records that one again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.api.problems import Problem, invalid_field
from app.api.wire import FieldError, rfc3339
from app.capabilities.voice.analyser import AnalysisThreads, HeardTake, VoiceAnalyser, VoiceModels
from app.capabilities.voice.decision import WORDS, disagreeing, faults_of
from app.capabilities.voice.matrix import wave_of, wipe
from app.capabilities.voice.messages import (
    LEAST_NET_S,
    MIN_TAKES,
    EnrolledVoice,
    ErasedVoice,
    MatrixText,
    VoiceModelReply,
    VoiceSamples,
)
from app.capabilities.voice.replay import ReplayMemory, VoicePrint, any_same
from app.capabilities.voice.service import closeness, heard_of, matrix_in, wipe_take
from app.capabilities.voice.signatures import ENROL, VECTORS, NewSignature, SignatureFacts, VocalSignatures
from app.registry.service import Registry
from app.store.engine import Store
from app.store.writer import DENIED, Transaction

LEAST_PAIR_LLR: Final = 0.0
"""Two takes are of one person from even odds on."""
REGISTRY: Final = "default"
KEY_EPOCH: Final = 1
"""What every enrolment answers: vocal signatures have one registry, and each has a matrix of its own instead of a key
that a renewal changes."""


class _Take:
    """One take on its way: what was heard of it, its waveform and its print. ``wipe`` when it is over."""

    def __init__(self, heard: HeardTake, wave: NDArray[np.float32], given: VoicePrint) -> None:
        self.heard = heard
        self.wave = wave
        self.given = given

    def wipe(self) -> None:
        wipe_take(self.heard)
        wipe(self.wave)


class VoiceEnrolments:
    """Puts, shows and erases the vocal signatures of nodes."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        models: VoiceModels,
        threads: AnalysisThreads,
        signatures: VocalSignatures,
        memory: ReplayMemory,
    ) -> None:
        self._store = store
        self._registry = registry
        self._models = models
        self._threads = threads
        self._signatures = signatures
        self._memory = memory

    async def put(
        self, node_id: str, body: VoiceSamples, *, actor: str, request_id: str | None = None
    ) -> EnrolledVoice:
        """Puts the node's signature in place of the one that it had. 404: no such node, or a registry other than
        ``default``; 409: burned or contained; 422: too few takes, too little speech, or takes that do not serve, each
        with its reason; 503: no models, or too many wait."""
        with self._store.read() as connection:
            fault = self._node_fault(node_id) or (
                None if self._registry.node(connection, node_id) else self._registry.nodes.missing(node_id)
            )
        if fault is not None:
            raise fault
        if body.registry_id != REGISTRY:
            raise Problem("not_found", f"Vocal signatures have one registry, {REGISTRY}: leave registry_id out.")
        engine = await self._models.engine()
        if len(body.samples) < MIN_TAKES:
            raise invalid_field("/samples", f"A voice is enrolled with at least {MIN_TAKES} takes.")
        try:
            made, prints = await self._threads.run(lambda: self._make(engine, body.samples, consent=body.consent))
        except Problem as refusal:
            if refusal.code == "invalid_body":
                takes, faults = len(body.samples), [f"{one.pointer}: {one.detail}" for one in refusal.errors]
                await self._store.writer.run(lambda tx: _record_refusal(tx, node_id, takes, faults, actor, request_id))
            raise
        try:
            kept = await self._store.writer.run(lambda tx: self._keep(tx, node_id, made, prints, actor, request_id))
        finally:
            wipe(made.vectors)
        return self._reply_of(kept, engine)

    async def show(self, node_id: str) -> EnrolledVoice:
        """What is enrolled; 404 for an unknown node and for one without a signature. ``current`` is false where the
        models are missing."""
        with self._store.read() as connection:
            if self._registry.node(connection, node_id) is None:
                raise self._registry.nodes.missing(node_id)
            facts = self._signatures.facts(connection, node_id)
        if facts is None:
            raise Problem("not_found", f"Node {node_id} has no vocal signature.")
        try:
            engine = await self._models.engine()
        except Problem:
            engine = None
        return self._reply_of(facts, engine)

    async def erase(self, node_id: str, *, actor: str, request_id: str | None = None) -> ErasedVoice:
        """Erases the node's signature; 404 for a node that is not registered."""

        def job(tx: Transaction) -> ErasedVoice:
            self._registry.require_node(tx.connection, node_id)
            rows = self._signatures.erase(tx, node_id, actor=actor, request_id=request_id)
            return ErasedVoice(node_id=node_id, rows=rows, erased_at=rfc3339(tx.now_us))

        return await self._store.writer.run(job)

    def _node_fault(self, node_id: str) -> Problem | None:
        denied = self._registry.deny.denies_node(node_id)
        if denied is None:
            return None
        word = "burned" if denied.cause == "burn" else "contained"
        return Problem("state_conflict", f"Node {node_id} is {word}: nothing is enrolled for it.")

    # --- on a thread of the voice check ---

    def _make(
        self, engine: VoiceAnalyser, samples: Sequence[MatrixText], *, consent: bool
    ) -> tuple[NewSignature, list[VoicePrint]]:
        """The signature of the takes, and what recognizes each. 422 that names every take that does not serve."""
        takes: list[_Take] = []
        try:
            for at, sample in enumerate(samples):
                takes.append(self._take(engine, sample, f"/samples/{at}"))
            faults = [fault for at, take in enumerate(takes) for fault in _faults(engine, takes[:at], take, at)]
            if faults:
                raise _refusal("Record the takes named in errors again.", faults)
            speech_s = sum(take.heard.quality.speech_s for take in takes)
            if speech_s < LEAST_NET_S:
                text = (
                    f"The takes have {speech_s:.1f} s of speech together: at least {LEAST_NET_S:.0f} s are asked for."
                )
                raise invalid_field("/samples", text)
            quality = _agreement(engine, takes)
            vectors = engine.signature([take.wave for take in takes])
        finally:
            for take in takes:
                take.wipe()
        made = NewSignature(
            vectors=vectors,
            model_id=engine.model.id,
            model_sha256=engine.model.sha256,
            takes=len(takes),
            quality=quality,
            speech_s=speech_s,
            gate_llr=max(take.heard.synthetic_llr for take in takes),
            consent=consent,
        )
        return made, [take.given for take in takes]

    def _take(self, engine: VoiceAnalyser, text: MatrixText, pointer: str) -> _Take:
        """One take, read and heard; 422 at ``pointer`` where it is no matrix with phase."""
        matrix = matrix_in(text, pointer)
        try:
            if matrix.profile != "mdct":
                raise invalid_field(pointer, "A voice is enrolled with its phase: send the MDCT, 160 values a frame.")
            given = self._memory.print_of(matrix)
            wave = wave_of(matrix)
            try:
                return _Take(engine.analyse(matrix), wave, given)
            except BaseException:
                wipe(wave)
                raise
        finally:
            matrix.wipe()

    # --- inside the transaction ---

    def _keep(
        self,
        tx: Transaction,
        node_id: str,
        made: NewSignature,
        prints: Sequence[VoicePrint],
        actor: str,
        request_id: str | None,
    ) -> SignatureFacts:
        """Keeps the signature, unless the node went or was denied meanwhile. Its takes are remembered: a check with one
        of them is a replay."""
        self._registry.require_node(tx.connection, node_id)
        if (fault := self._node_fault(node_id)) is not None:
            raise fault
        kept = self._signatures.put(tx, node_id, made, actor=actor, request_id=request_id)
        for given in prints:
            self._memory.remember(tx, node_id, given)
        return kept

    @staticmethod
    def _reply_of(facts: SignatureFacts, engine: VoiceAnalyser | None) -> EnrolledVoice:
        """What a row says, as a reply."""
        return EnrolledVoice(
            node_id=facts.node_id,
            serial=facts.serial,
            samples=facts.takes,
            quality=facts.quality,
            speech_seconds=round(facts.speech_s, 2),
            registry_id=REGISTRY,
            key_epoch=KEY_EPOCH,
            model=VoiceModelReply(id=facts.model_id, sha256=facts.model_sha256),
            current=engine is not None and engine.model.sha256 == facts.model_sha256,
            consent_at=None if facts.consent_us is None else rfc3339(facts.consent_us),
            enrolled_at=rfc3339(facts.enrolled_us),
        )


def _faults(engine: VoiceAnalyser, earlier: Sequence[_Take], take: _Take, at: int) -> list[FieldError]:
    """Why the take at this position does not serve; empty for one that does."""
    pointer = f"/samples/{at}"
    heard = heard_of(take.heard, 0.0)
    found = [FieldError(pointer=pointer, detail=f"{code}: {WORDS[code]}") for code in faults_of(heard)]
    # Written so that a score that is no number is refused.
    if not found and not heard.synthetic_llr < engine.gate_llr:
        found.append(FieldError(pointer=pointer, detail=f"synthetic_traces: {WORDS['synthetic_traces']}"))
    if any_same(take.given.marks, [one.given.marks for one in earlier]):
        found.append(FieldError(pointer=pointer, detail="replayed: It is an earlier take again: speak each one anew."))
    return found


def _agreement(engine: VoiceAnalyser, takes: Sequence[_Take]) -> int:
    """100 times the lowest similarity of two takes; 422 that names those that are not of one person with the others."""
    count = len(takes)
    scores = np.zeros((count, count))
    lowest = 1.0
    for at, take in enumerate(takes):
        alone = np.repeat(take.heard.speaker[np.newaxis].astype(np.float16), VECTORS, axis=0)
        for other in range(count):
            if other != at:
                score = closeness(engine, [takes[other].heard.speaker], alone)[0]
                scores[at, other] = score.llr
                lowest = min(lowest, score.similarity)
        wipe(alone)
    # Neither of two takes is the one that was recorded worse: both ways count.
    apart = disagreeing(np.minimum(scores, scores.T).tolist(), LEAST_PAIR_LLR)
    if apart:
        detail = "disagrees: It does not sound like the same person as the others."
        raise _refusal(
            "The takes do not sound like one person: record those named in errors again.",
            [FieldError(pointer=f"/samples/{at}", detail=detail) for at in apart],
        )
    return round(100 * max(0.0, lowest))


def _refusal(text: str, errors: Sequence[FieldError]) -> Problem:
    return Problem("invalid_body", text, errors=errors)


def _record_refusal(
    tx: Transaction, node_id: str, takes: int, faults: Sequence[str], actor: str, request_id: str | None
) -> None:
    """The leaf of takes that were not enrolled: positions and reasons, no measured value."""
    detail = {"takes": takes, "faults": [fault.split(": ")[0] + ": " + fault.split(": ")[1] for fault in faults]}
    tx.audit(ENROL, actor=actor, outcome=DENIED, node_id=node_id, request_id=request_id, detail=detail)
