"""Judges recordings against vocal signatures (specification 4.1).

A recording is read, heard and compared on a thread of the voice check; what it consists of is wiped there. The verdict
falls inside the transaction that remembers the recording and writes the leaf: a burn, an enrolment or the same
recording that became durable before counts in it. The body, the matrix and the waveform are raw biometric values: they
are never stored, logged or cached.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from app.api.operation import Caller, Clearance, Rate
from app.api.problems import Problem, invalid_field
from app.api.rates import RateRule, Rates
from app.api.secret import decode_base64
from app.api.wire import rfc3339
from app.biometrics.matching import MAY_MATCH
from app.capabilities.voice.analyser import AnalysisThreads, HeardTake, VoiceAnalyser, VoiceModels
from app.capabilities.voice.decision import (
    WORDS,
    Heard,
    VoiceDecision,
    VoicePolicy,
    decide,
    noting_cap,
    shows_closeness,
    threshold_at,
)
from app.capabilities.voice.even_odds import at_even_odds
from app.capabilities.voice.matrix import MAX_BYTES, MatrixError, VoiceMatrix, read_matrix, wipe
from app.capabilities.voice.messages import (
    DEFAULT_TOLERANCE,
    MatrixText,
    SpectralCheck,
    SpectralCheckBody,
    TolerancePoint,
    VoiceCalibration,
    VoiceMeasure,
    VoiceModelReply,
    VoiceQualityReply,
    VoiceResonance,
    VoiceSegmentReply,
)
from app.capabilities.voice.replay import ReplayMemory, VoicePrint
from app.capabilities.voice.signatures import SignatureFacts, VocalSignatures
from app.delivery.alarms import AlarmBook
from app.registry.messages.nodes import Standing
from app.registry.service import Registry, now_us
from app.site.settings import Settings
from app.store.engine import Store
from app.store.writer import ACCEPTED, DENIED, Transaction

CHECK = "voice.check"
SYNTHETIC_ALARM = "voice.synthetic"
ALARM_STEPS: Final = (3, 10, 30, 100, 300)
"""Synthetic recordings of one node within an hour at which an operator is told. One alone is none: the gate refuses one
living voice in twenty."""

_HOUR_US: Final = 3600 * 1_000_000
_FIELD: Final = "/audio_stream_vector"
_CURVE_POINTS: Final = 21


@dataclass(frozen=True, slots=True)
class _Heard:
    """One recording as it was heard, without anything of the voice. ``segments``: t0, t1, similarity and probability.
    ``seen``: the newest recording that it was compared with."""

    take: HeardTake
    score: VoiceCloseness
    segments: tuple[tuple[float, float, float, float], ...]
    given: VoicePrint
    known: bool
    seen: int


class VoiceChecks:
    """Serves the voice check and its error curve."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        alarms: AlarmBook,
        models: VoiceModels,
        threads: AnalysisThreads,
        signatures: VocalSignatures,
        memory: ReplayMemory,
        settings: Settings,
    ) -> None:
        self.models = models
        self._store = store
        self._registry = registry
        self._alarms = alarms
        self._threads = threads
        self._signatures = signatures
        self._memory = memory
        self._cap = settings.voice_tolerance_cap
        self._phase_required = settings.voice_phase_required
        hourly = settings.voice_checks_per_hour
        # By key and node: to climb from score to score takes thousands of checks of one node.
        self._attempts = Rates({Rate.WRITE: RateRule(hourly / 3600, hourly)})

    async def check(self, body: SpectralCheckBody, *, caller: Caller, request_id: str | None = None) -> SpectralCheck:
        """Judges one recording. 404: no such node; 409: burned, contained, of a standing that never matches, without a
        signature, or with one of other models; 422: no matrix; 429: too many of this key and node; 503: no models, or
        too many wait."""
        node_id = body.node_id
        with self._store.read() as connection:
            self._check_node(connection, node_id)
        engine = await self.models.engine()
        with self._store.read() as connection:
            facts = self._require(connection, node_id, engine)
        self._draw(caller, node_id)
        tolerance = min(body.tolerance_coefficient, self._cap)
        heard = await self._threads.run(lambda: self._hear(engine, body.audio_stream_vector, facts))
        capped = tolerance < body.tolerance_coefficient

        def job(tx: Transaction) -> SpectralCheck | Problem:
            return self._decide(
                tx, engine, facts, heard, tolerance, capped=capped, caller=caller, request_id=request_id
            )

        found = await self._store.writer.run(job)
        if isinstance(found, Problem):
            raise found
        return found

    async def calibration(self) -> VoiceCalibration:
        """The error curve of the models; 503 without models."""
        engine = await self.models.engine()
        points = []
        genuine = impostor = 0
        for number in range(_CURVE_POINTS):
            tolerance = number / (_CURVE_POINTS - 1)
            far, frr, genuine, impostor = engine.error_rates(threshold_at(tolerance))
            points.append(TolerancePoint(tolerance=tolerance, threshold_llr=threshold_at(tolerance), far=far, frr=frr))
        return VoiceCalibration(
            model=model_of(engine),
            tolerance_default=min(DEFAULT_TOLERANCE, self._cap),
            tolerance_cap=self._cap,
            synthetic_threshold=round(at_even_odds(engine.gate_llr), 4),
            genuine_trials=genuine,
            impostor_trials=impostor,
            points=points,
        )

    # --- who is asked for ---

    def _check_node(self, connection: Connection, node_id: str) -> Standing:
        """The node's standing. 404 for an unknown node, 409 for one that never matches."""
        row = self._registry.node(connection, node_id)
        if row is None:
            raise self._registry.nodes.missing(node_id)
        if (denied := self._registry.deny.denies_node(node_id)) is not None:
            word = "burned" if denied.cause == "burn" else "contained"
            raise Problem("state_conflict", f"Node {node_id} is {word}: no voice is taken for it.")
        if row.standing not in MAY_MATCH:
            raise Problem("state_conflict", f"Node {node_id} is {row.standing}: no voice is taken for it.")
        return row.standing

    def _require(self, connection: Connection, node_id: str, engine: VoiceAnalyser) -> SignatureFacts:
        """What is enrolled of the node, under the models in use; 409 otherwise."""
        facts = self._signatures.facts(connection, node_id)
        if facts is None:
            raise Problem("state_conflict", f"Node {node_id} has no vocal signature: enrol its voice first.")
        if facts.model_sha256 != engine.model.sha256:
            raise Problem(
                "state_conflict",
                f"The vocal signature of node {node_id} was made by other models than those in use: enrol its voice "
                "again.",
            )
        return facts

    def _draw(self, caller: Caller, node_id: str) -> None:
        wait = self._attempts.draw(f"{caller.key_id}/{node_id}", Rate.WRITE).retry_after_s
        if wait:
            raise Problem(
                "rate_limited",
                "This key has used up its checks of this node: wait and try again.",
                headers={"Retry-After": str(wait)},
            )

    # --- on a thread of the voice check ---

    def _hear(self, engine: VoiceAnalyser, text: MatrixText, facts: SignatureFacts) -> _Heard:
        """What the recording in a body's field is like, and how close to the signature; the voice itself is wiped."""
        matrix = matrix_in(text, _FIELD)
        try:
            given = self._memory.print_of(matrix)
            take = engine.analyse(matrix)
        finally:
            matrix.wipe()
        try:
            with self._store.read() as connection:
                signature = self._signatures.open(connection, facts.node_id, facts.serial)
                seen = self._memory.newest(connection)
                known = self._memory.is_known(connection, facts.node_id, given, now_us())
            if signature is None:
                raise _overtaken(facts.node_id)
            try:
                score, *pieces = closeness(engine, [take.speaker, *(one.speaker for one in take.segments)], signature)
                segments = tuple(
                    (one.t0, one.t1, piece.similarity, one.synthetic_probability)
                    for one, piece in zip(take.segments, pieces, strict=True)
                )
            finally:
                wipe(signature)
        finally:
            wipe_take(take)
        return _Heard(take, score, segments, given, known, seen)

    # --- inside the transaction ---

    def _decide(
        self,
        tx: Transaction,
        engine: VoiceAnalyser,
        facts: SignatureFacts,
        heard: _Heard,
        tolerance: float,
        *,
        capped: bool,
        caller: Caller,
        request_id: str | None,
    ) -> SpectralCheck | Problem:
        """Remembers the recording and decides on it, with its leaf."""
        node_id, check_id = facts.node_id, f"vck_{secrets.token_hex(10)}"
        try:
            self._check_node(tx.connection, node_id)
            if self._signatures.facts(tx.connection, node_id) != facts:
                raise _overtaken(node_id)
        except Problem as problem:
            if problem.code == "state_conflict":
                detail = {"check_id": check_id, "cause": "overtaken"}
                tx.audit(
                    CHECK, actor=caller.key_id, outcome=DENIED, node_id=node_id, request_id=request_id, detail=detail
                )
            return problem
        known = heard.known or self._memory.is_known(tx.connection, node_id, heard.given, tx.now_us, after=heard.seen)
        threshold = threshold_at(tolerance)
        policy = VoicePolicy(engine.gate_llr, threshold, phase_required=self._phase_required)
        decision = noting_cap(decide(heard_of(heard.take, heard.score.llr, replayed=known), policy), capped=capped)
        synthetic = decision.verdict == "SYNTHETIC"
        self._memory.remember(tx, node_id, heard.given, synthetic=synthetic)
        if synthetic:
            self._tell_operator(tx, node_id, check_id)
        if decision.match:
            self._registry.standing.record(tx, node_id=node_id, kind="voice", ref=check_id)
        standing = self._registry.require_node(tx.connection, node_id).standing
        self._record(tx, facts, heard, decision, check_id, tolerance, caller, request_id)
        return _reply(
            engine,
            facts,
            heard,
            decision,
            check_id=check_id,
            tolerance=tolerance,
            citadel=caller.clearance is Clearance.CITADEL,
            standing="SYNTHETIC_SUSPECTED" if synthetic else standing,
            at=rfc3339(tx.now_us),
        )

    def _tell_operator(self, tx: Transaction, node_id: str, check_id: str) -> None:
        """Raises the alarm of repeated clones. The node's own standing stays: a clone that somebody sends must not lock
        out the person whom it imitates."""
        count = self._memory.synthetic_since(tx.connection, node_id, tx.now_us - _HOUR_US)
        reached = [step for step in ALARM_STEPS if step <= count]
        if not reached:
            return
        text = (
            f"At least {reached[-1]} recordings for node {node_id} within an hour were synthetic or sent before: "
            "somebody may be trying clones of this voice. The node keeps its standing: see who calls."
        )
        self._alarms.raise_alarm(tx, SYNTHETIC_ALARM, node_id, text, node_id=node_id, ref=check_id, renew=True)

    def _record(
        self,
        tx: Transaction,
        facts: SignatureFacts,
        heard: _Heard,
        decision: VoiceDecision,
        check_id: str,
        tolerance: float,
        caller: Caller,
        request_id: str | None,
    ) -> None:
        """Write the audit leaf of a verdict."""
        detail: dict[str, object] = {
            "check_id": check_id,
            "verdict": decision.verdict,
            "match": decision.match,
            "reasons": list(decision.reasons),
            "tolerance": tolerance,
            "speech_s": _number(heard.take.quality.speech_s, 2),
            "phase": heard.take.phase,
            "serial": facts.serial,
            "model": facts.model_id,
        }
        if decision.match:
            # No score of a failed check is recorded: a reader of the log could climb from score to score to a match.
            detail |= {"llr": _number(heard.score.llr, 3), "similarity": _number(heard.score.similarity, 4)}
        tx.audit(
            CHECK,
            actor=caller.key_id,
            outcome=ACCEPTED if decision.verdict == "GENUINE" else DENIED,
            node_id=facts.node_id,
            request_id=request_id,
            detail=detail,
        )


@dataclass(frozen=True, slots=True)
class VoiceCloseness:
    """How close a voice is to a signature, as ``analyser.Closeness``; no numbers where there was no voice."""

    llr: float
    similarity: float


def closeness(
    engine: VoiceAnalyser, speakers: Sequence[NDArray[np.float32]], signature: NDArray[np.float16]
) -> list[VoiceCloseness]:
    """Each voice (1024,) with a signature (8, 1024). Silence has no voice, and is as close as nothing."""
    voices = np.stack(speakers)
    heard = np.isfinite(voices).all(axis=1)
    told = [VoiceCloseness(math.nan, math.nan)] * len(voices)
    if heard.any():
        for at, one in zip(np.flatnonzero(heard), engine.compare(voices[heard], signature), strict=True):
            told[at] = VoiceCloseness(one.llr, one.similarity)
    wipe(voices)
    return told


def matrix_in(text: MatrixText, pointer: str) -> VoiceMatrix:
    """The matrix of a body's field, which the caller wipes; 422 at ``pointer`` where it is none."""
    with decode_base64(text, pointer, limit=MAX_BYTES) as raw:
        try:
            return read_matrix(raw)
        except MatrixError as error:
            raise invalid_field(pointer, error.reason) from None


def heard_of(take: HeardTake, llr: float, *, replayed: bool = False) -> Heard:
    """What the decision needs of a take."""
    quality = take.quality
    return Heard(
        speech_s=quality.speech_s,
        snr_db=quality.snr_db,
        bandwidth_hz=quality.bandwidth_hz,
        clipping=quality.clipping,
        level_dbfs=quality.level_dbfs,
        synthetic_llr=take.synthetic_llr,
        llr=llr,
        phase=take.phase,
        unreliable=take.unreliable,
        replayed=replayed,
    )


def wipe_take(take: HeardTake) -> None:
    """Overwrites what a take holds of the voice."""
    wipe(take.speaker, *(segment.speaker for segment in take.segments))


def model_of(engine: VoiceAnalyser) -> VoiceModelReply:
    """The engine's models as a reply names them."""
    return VoiceModelReply(id=engine.model.id, sha256=engine.model.sha256)


def _overtaken(node_id: str) -> Problem:
    return Problem("state_conflict", f"The voice of node {node_id} was enrolled anew or erased meanwhile: check again.")


def _number(value: float | None, digits: int) -> float | None:
    """``value`` for a reply; null where it was not measurable."""
    return round(float(value), digits) if value is not None and math.isfinite(value) else None


def _reply(
    engine: VoiceAnalyser,
    facts: SignatureFacts,
    heard: _Heard,
    decision: VoiceDecision,
    *,
    check_id: str,
    tolerance: float,
    citadel: bool,
    standing: Standing,
    at: str,
) -> SpectralCheck:
    """The verdict as this caller may see it. Others than Citadel see scores to two decimals."""
    shown, digits = shows_closeness(decision, citadel=citadel), 4 if citadel else 2
    far, frr, genuine, impostor = engine.error_rates(threshold_at(tolerance))
    take, quality = heard.take, heard.take.quality
    return SpectralCheck(
        check_id=check_id,
        node_id=facts.node_id,
        match=decision.match,
        verdict=decision.verdict,
        similarity=_number(heard.score.similarity, digits) if shown else None,
        synthetic_probability=_number(take.synthetic_probability, digits),
        llr=_number(heard.score.llr, digits) if shown else None,
        threshold_llr=round(threshold_at(tolerance), 4),
        far=far,
        frr=frr,
        genuine_trials=genuine,
        impostor_trials=impostor,
        tolerance_coefficient=tolerance,
        speech_seconds=_number(quality.speech_s, 2) or 0.0,
        reasons=list(decision.reasons),
        reason_texts=[WORDS[code] for code in decision.reasons],
        resonance=_resonance(take),
        quality=VoiceQualityReply(
            speech_s=_number(quality.speech_s, 2) or 0.0,
            snr_db=_number(quality.snr_db, 1),
            bandwidth_hz=_number(quality.bandwidth_hz, 0),
            clipping=_number(quality.clipping, 4) or 0.0,
            level_dbfs=_number(quality.level_dbfs, 1),
            reverberation_db=_number(quality.reverberation_db, 1),
        ),
        segments=[
            VoiceSegmentReply(
                t0=round(t0, 2),
                t1=round(t1, 2),
                similarity=_number(similarity, digits) if shown else None,
                synthetic_probability=_number(probability, digits),
            )
            for t0, t1, similarity, probability in heard.segments
        ],
        phase=take.phase,
        model=model_of(engine),
        serial=facts.serial,
        standing=standing,
        timestamp=at,
    )


def _resonance(take: HeardTake) -> VoiceResonance:
    """The resonance variation of a take, each with its deviation."""
    found, deviations = take.resonance, take.resonance_z

    def measure(name: str, value: float, digits: int) -> VoiceMeasure:
        return VoiceMeasure(value=_number(value, digits), z=_deviation(deviations, name))

    return VoiceResonance(
        f0_hz=measure("f0_hz", found.f0_hz, 1),
        f0_jitter=measure("f0_jitter", found.f0_jitter, 4),
        formants=[measure(f"f{at}", value, 1) for at, value in enumerate(found.formants, start=1)],
        residual_kurtosis=measure("residual_kurtosis", found.residual_kurtosis, 2),
        group_delay_spread=measure("group_delay_spread", found.group_delay_spread, 4),
        coherence=measure("coherence", found.coherence, 4),
    )


def _deviation(deviations: Mapping[str, float], name: str) -> float | None:
    return _number(deviations.get(name), 2)
