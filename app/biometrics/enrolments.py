"""Enrolment of palms and stylized templates: samples in, sealed rows and searchable templates out.

Frames are checked as those of probes are, and each counts once. The rows are searched for before they are kept: a
person who is already enrolled as another node is reported to the operator and is not enrolled.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.api.problems import Problem, invalid_field
from app.api.secret import decode_base64
from app.api.wire import FieldError, rfc3339
from app.biometrics.effective_dimension import LEAST_DIMENSION, dimension_with
from app.biometrics.matching import FLOORS, Rules, identify
from app.biometrics.messages import Encoding, EnrolledTemplates, ErasedTemplates, TemplateSamples
from app.biometrics.probes import FEATURE_BYTES, TEMPLATE_BYTES, ProbeRefused, Probes
from app.biometrics.samples import Extracted, SentSample, extract, needs_projection
from app.biometrics.templates import Templates
from app.delivery.alarms import AlarmBook
from app.registry.denyset import DenySet
from app.registry.nodes import Nodes
from app.registry.terminals import TerminalRow, Terminals
from app.store.engine import Store
from app.store.writer import DENIED, Transaction
from hardware.terminals.extraction import ROI_BYTES
from hardware.terminals.frame import ENROL_INTENT, HEAD_BYTES, MAX_FRAME_BYTES, FrameShape, PalmFrame, parse
from hardware.terminals.signing import SIGNATURE_BYTES

Modality = Literal["palm", "stylized"]

PALM_SAMPLES: Final = 3
"""How many samples of a palm must look like one of them, which counts itself."""
EXTRACTOR_ALG: Final = 1
"""What the service itself makes of a picture."""
TWICE_ALARM: Final = "enrolment.known_person"
_SIZES: Final[Mapping[int, Encoding]] = {TEMPLATE_BYTES: "i8x512", FEATURE_BYTES: "f32x512", ROI_BYTES: "roi128"}


@dataclass(frozen=True, slots=True)
class _EnrolmentOrder:
    """One enrolment on its way."""

    modality: Modality
    node_id: str
    registry_id: str
    epoch: int
    frames: tuple[tuple[str, int, bytes], ...]
    """Key, counter and nonce of each."""
    encodings: tuple[Encoding, ...]
    actor: str
    request_id: str | None


class Enrolments:
    """Puts and erases the templates of nodes."""

    def __init__(
        self,
        store: Store,
        nodes: Nodes,
        deny: DenySet,
        terminals: Terminals,
        templates: Templates,
        probes: Probes,
        alarms: AlarmBook,
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._deny = deny
        self._terminals = terminals
        self._templates = templates
        self._probes = probes
        self._alarms = alarms
        # Two searches before either is kept would let one person in as two nodes.
        self._one_at_a_time = asyncio.Lock()

    async def put(
        self,
        modality: Modality,
        node_id: str,
        body: TemplateSamples,
        *,
        actor: str,
        request_id: str | None,
        now_us: int,
    ) -> EnrolledTemplates:
        """Puts the node's templates in place of those that it had. 404: no such node or registry; 422: samples of
        another size, too few, or too unlike, or features of too few effective dimensions; 403, 409: frames as of a
        probe; 409 also for a denied node, and for a person who is enrolled as another node (with an alarm)."""
        self._check_node(node_id, now_us)
        alg, epoch = self._probes.state(body.registry_id)
        with contextlib.ExitStack() as secrets:
            raws = [
                secrets.enter_context(decode_base64(text, f"/samples/{at}", limit=max(ROI_BYTES, MAX_FRAME_BYTES)))
                for at, text in enumerate(body.samples)
            ]
            encodings = tuple(_encoding(raw, body.encoding, at) for at, raw in enumerate(raws))
            if modality == "palm" and len(raws) < PALM_SAMPLES:
                raise invalid_field("/samples", f"A palm is enrolled with 5 samples, at least {PALM_SAMPLES}.")
            if "roi128" in encodings and alg != EXTRACTOR_ALG:
                raise invalid_field("/samples", f"Pictures are of algorithm {EXTRACTOR_ALG}, this registry of {alg}.")
            try:
                frames, samples = self._samples(raws, encodings, body.registry_id, now_us)
            except ProbeRefused as refusal:
                problem, cause = refusal.problem, refusal.cause
                await self._store.writer.run(
                    lambda tx: _record_refusal(tx, modality, node_id, body.registry_id, cause, actor, request_id)
                )
                raise problem from None
            order = _EnrolmentOrder(modality, node_id, body.registry_id, epoch, frames, encodings, actor, request_id)
            made = await asyncio.to_thread(self._extract, order, samples)
        try:
            used = len(samples) - len(made.discarded)
            if modality == "palm" and used < PALM_SAMPLES:
                raise _unlike(made.discarded)
            async with self._one_at_a_time:
                other = await asyncio.to_thread(self._known_as, order, alg, made)
                gallery = self._templates.gallery(order.registry_id)
                told = await asyncio.to_thread(dimension_with, gallery, node_id, made.rows)
                fault = await self._store.writer.run(lambda tx: self._keep(tx, order, made, other, used, told))
        finally:
            made.probes.fill(0)
        if fault is not None:
            raise fault
        return EnrolledTemplates(
            node_id=node_id,
            samples=used,
            discarded=list(made.discarded),
            quality=made.quality,
            registry_id=body.registry_id,
            key_epoch=epoch,
        )

    async def erase(self, node_id: str, *, actor: str, request_id: str | None, now_us: int) -> ErasedTemplates:
        """Erases the node's templates from every registry; 404 for a node that is not registered. Palm and stylized
        templates are the same rows: the last enrolment of either stands, and either call erases it."""

        def job(tx: Transaction) -> ErasedTemplates:
            if self._nodes.find(tx.connection, node_id, now_us) is None:
                raise self._nodes.missing(node_id)
            rows = self._templates.erase(tx, node_id, actor=actor, request_id=request_id)
            return ErasedTemplates(node_id=node_id, rows=rows, erased_at=rfc3339(tx.now_us))

        return await self._store.writer.run(job)

    # --- samples ---

    def _check_node(self, node_id: str, now_us: int) -> None:
        with self._store.read() as connection:
            if self._nodes.find(connection, node_id, now_us) is None:
                raise self._nodes.missing(node_id)
        if (denied := self._deny.denies_node(node_id)) is not None:
            word = "burned" if denied.cause == "burn" else "contained"
            raise Problem("state_conflict", f"Node {node_id} is {word}: nothing is enrolled for it.")

    def _samples(
        self, raws: Sequence[memoryview], encodings: Sequence[Encoding], registry_id: str, now_us: int
    ) -> tuple[tuple[tuple[str, int, bytes], ...], list[SentSample]]:
        """The samples as the child gets them, and key, counter and nonce of each frame, sorted."""
        frames: list[tuple[str, int, bytes]] = []
        samples = []
        for at, (raw, encoding) in enumerate(zip(raws, encodings, strict=True)):
            if encoding != "frame":
                samples.append(SentSample(encoding, raw))
                continue
            terminal, frame = self._frame(raw, registry_id, f"/samples/{at}", now_us)
            frames.append((self._probes.key_of(terminal), frame.counter, frame.nonce))
            samples.append(SentSample("i8x512", raw[HEAD_BYTES:-SIGNATURE_BYTES]))
        return tuple(sorted(frames)), samples

    def _frame(self, raw: memoryview, registry_id: str, pointer: str, now_us: int) -> tuple[TerminalRow, PalmFrame]:
        """The frame of one sample, after the checks of a probe, and the terminal that signed it."""
        try:
            tag = parse(raw).terminal_tag
        except FrameShape as error:
            raise invalid_field(pointer, f"This is no palm frame: {error}.") from None
        with self._store.read() as connection:
            terminal = self._terminals.find_by_tag(connection, tag)
        if terminal is None or terminal.kind != "palm":
            text = "The frame is of no terminal that is registered here: register it first."
            raise ProbeRefused(Problem("proof_invalid", text), "terminal")
        if terminal.registry_id != registry_id:
            text = f"Terminal {terminal.terminal_id} makes templates of {terminal.registry_id}: enrol there."
            raise ProbeRefused(Problem("state_conflict", text), "registry")
        return terminal, self._probes.frame(raw, terminal, ENROL_INTENT, now_us, pointer)

    def _extract(self, order: _EnrolmentOrder, samples: Sequence[SentSample]) -> Extracted:
        """The templates in the samples; those that the site makes itself are made with the registry's key."""
        together = order.modality == "palm"
        if not needs_projection(samples):
            # They were made elsewhere, and are the first of an empty registry perhaps: it must be able to renew.
            self._probes.ensure_key(order.registry_id)
            return extract(samples, together=together, projection=None)
        projection, epoch = self._probes.projection(order.registry_id)
        try:
            if epoch != order.epoch:
                raise Problem("state_conflict", "The registry was renewed meanwhile: enrol again.")
            return extract(samples, together=together, projection=projection)
        finally:
            projection.wipe()

    def _known_as(self, order: _EnrolmentOrder, alg: int, made: Extracted) -> str | None:
        """The other node as which this person is enrolled, or None."""
        # By views, as at a terminal: hands that lie six pixels apart are strangers to each other's rows.
        found = self._templates.gallery(order.registry_id).search(made.probes)
        others = replace(found, best=tuple(one for one in found.best if one[0] != order.node_id))
        decision = identify(others, "ENROL_CHECK", Rules(floor=FLOORS[alg], refuse_copies=False, few_by_score=True))
        if decision.matched or decision.cause == "two_alike":
            return others.best[0][0]
        return None

    # --- the transaction ---

    def _keep(
        self,
        tx: Transaction,
        order: _EnrolmentOrder,
        made: Extracted,
        other: str | None,
        used: int,
        told: tuple[float, int] | None,
    ) -> Problem | None:
        """Keeps the rows. A refusal that says something about a person is returned, not raised, so that its leaf and
        alarm stay. ``told``: the features' effective dimension, and of how many people."""
        fault = self._still(tx, order)
        for key, counter, nonce in order.frames:
            fault = fault or self._probes.use_frame(tx, key, counter, nonce)
        detail: dict[str, object] = {
            "registry_id": order.registry_id,
            "key_epoch": order.epoch,
            "samples": used,
            "discarded": len(made.discarded),
            "quality": made.quality,
            "encodings": sorted(set(order.encodings)),
        }
        if told is not None:
            detail["effective_dimension"] = round(told[0], 1)
        if fault is None and told is not None and told[0] < LEAST_DIMENSION:
            fault = _narrow(*told)
        if fault is None and other is not None:
            text = f"Who is enrolled as {order.node_id} is enrolled as {other}: see both, and erase the wrong one."
            self._alarms.raise_alarm(tx, TWICE_ALARM, order.node_id, text, node_id=order.node_id, ref=other, renew=True)
            fault = Problem("state_conflict", "This person is enrolled as another node: see the alarm.")
        if fault is not None:
            detail["reason"] = fault.detail
            tx.audit(
                f"{order.modality}.enrol",
                actor=order.actor,
                outcome=DENIED,
                node_id=order.node_id,
                request_id=order.request_id,
                detail=detail,
            )
            return fault
        self._templates.enrol(
            tx,
            order.node_id,
            made.rows,
            registry_id=order.registry_id,
            epoch=order.epoch,
            actor=order.actor,
            request_id=order.request_id,
        )
        self._alarms.clear(tx, TWICE_ALARM, order.node_id, actor=order.actor)
        tx.audit(
            f"{order.modality}.enrol",
            actor=order.actor,
            node_id=order.node_id,
            request_id=order.request_id,
            detail={**detail, "rows": len(made.rows)},
        )
        return None

    def _still(self, tx: Transaction, order: _EnrolmentOrder) -> Problem | None:
        """What may have changed while the child worked."""
        if self._nodes.row(tx.connection, order.node_id) is None:
            return self._nodes.missing(order.node_id)
        if self._deny.denies_node(order.node_id) is not None:
            return Problem(
                "state_conflict", f"Node {order.node_id} is burned or contained: nothing is enrolled for it."
            )
        if self._probes.state(order.registry_id)[1] != order.epoch:
            return Problem("state_conflict", "The registry was renewed meanwhile: enrol again.")
        return None


def _record_refusal(
    tx: Transaction,
    modality: Modality,
    node_id: str,
    registry_id: str,
    cause: str,
    actor: str,
    request_id: str | None,
) -> None:
    """The leaf of frames that were not believed."""
    tx.audit(
        f"{modality}.enrol",
        actor=actor,
        outcome=DENIED,
        node_id=node_id,
        request_id=request_id,
        detail={"registry_id": registry_id, "cause": cause},
    )


def _narrow(dimension: float, people: int) -> Problem:
    """422: strangers of such features look alike."""
    text = (
        f"The features of this registry move together: of {people} people they have {dimension:.1f} effective "
        f"dimensions, and at least {LEAST_DIMENSION:.0f} are asked for. Strangers would be taken for each other: use "
        "another extractor, in a registry of its own."
    )
    return Problem(
        "invalid_body",
        text,
        errors=[FieldError(pointer="/samples", detail="Features of too few effective dimensions.")],
        extra={"effective_dimension": round(dimension, 1), "least": LEAST_DIMENSION, "people": people},
    )


def _unlike(discarded: Sequence[int]) -> Problem:
    """422 that names each sample by itself."""
    numbers = ", ".join(str(at + 1) for at in discarded)
    return Problem(
        "invalid_body",
        f"Samples {numbers} do not look like the others: take them again.",
        errors=[FieldError(pointer=f"/samples/{at}", detail="It does not look like the others.") for at in discarded],
    )


def _encoding(raw: memoryview, given: Encoding | None, at: int) -> Encoding:
    found = _SIZES.get(len(raw), "frame")
    if given not in (None, found):
        raise invalid_field(f"/samples/{at}", f"This sample has not the size of {given}.")
    return found
