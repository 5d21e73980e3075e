"""The progress of a write, step by step, and the form in which its trace is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec

from app.capabilities.provisioning.messages import Stage, TraceEntry
from hardware.cards.apdu import ApduChannel, ApduTrace


def waiting_stage(step: str) -> Stage:
    """A step that has not begun."""
    return Stage(step=step, state="waiting", apdus=0, ms=None)


class StepProgress:
    """The progress of one write. Called on the card thread only; readers on the loop see whole ``Stage`` objects."""

    def __init__(self, stages: list[Stage], tell: Callable[[Stage], None]) -> None:
        self._stages = stages
        self._tell = tell
        self._index: int | None = None
        self._since = 0.0
        self._apdus = 0
        self._channel: ApduChannel | None = None

    def attach(self, channel: ApduChannel) -> None:
        """The channel whose trace counts the APDUs."""
        self._channel = channel

    def begin(self, step: str) -> None:
        """``step`` begins; the step before it is done."""
        self.end("done")
        self._index = self._place(step)
        self._since, self._apdus = time.perf_counter(), self._apdu_count()
        self._set(Stage(step=step, state="running", apdus=0, ms=None))

    def end(self, state: Literal["done", "failed"]) -> None:
        """The step under way has ended in ``state``."""
        if self._index is None:
            return
        ms = (time.perf_counter() - self._since) * 1000
        step = self._stages[self._index].step
        self._set(Stage(step=step, state=state, apdus=self._apdu_count() - self._apdus, ms=round(ms, 2)))
        self._index = None

    def _set(self, stage: Stage) -> None:
        self._stages[self._place(stage.step)] = stage
        self._tell(stage)

    def _place(self, step: str) -> int:
        """The step's index; a step that was not planned (a card with retired keys) is inserted after the last done
        one."""
        for index, known in enumerate(self._stages):
            if known.step == step:
                return index
        index = max((at for at, known in enumerate(self._stages) if known.state == "done"), default=-1) + 1
        self._stages.insert(index, waiting_stage(step))
        return index

    def _apdu_count(self) -> int:
        return 0 if self._channel is None else self._channel.trace.apdus


def trace_json(trace: ApduTrace) -> bytes:
    """The trace's entries as JSON; what the channel masked stays masked."""
    entries = [
        TraceEntry(
            index=index,
            stage=entry.stage,
            header=entry.header,
            lc=entry.lc,
            le=entry.le,
            sw="" if entry.sw is None else f"{entry.sw:04X}",
            ms=round(entry.ms, 3),
            data=None if entry.data is None else entry.data.hex(),
            response=None if entry.answer is None else entry.answer.hex(),
            response_length=entry.answer_length,
        )
        for index, entry in enumerate(trace.entries, 1)
    ]
    return msgspec.json.encode(entries)
