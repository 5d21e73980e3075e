"""The flight recorder's work: read the trace and its golden one, compare, filter, copy, save."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtGui import QGuiApplication

from app.capabilities.provisioning.messages import Trace
from app.console.actions import Action
from app.console.files import ask_save, save_file
from app.console.language import tr
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.trace_diff import TraceLine, alone, compare
from app.console.pages.write_card.trace_view import as_text
from app.console.pages.write_card.view import TRACE


class Recorder:
    """Keeps the trace of the shown provisioning, compared with the last good one of its kind of card."""

    def __init__(self, state: WriteCardState) -> None:
        self._state = state
        self._trace: Trace | None = None
        self._lines: Sequence[TraceLine] = ()

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "write_card"

        def here() -> bool:
            return bool(self._lines) and self._state.view.tabs.currentIndex() == TRACE

        only = self._state.view.trace.only
        return [
            Action(
                "write_card.differences", tr("Only differences from the golden trace"), only.toggle, "funnel",
                    ("Alt+D",),
                page, when=lambda: here() and only.isEnabled(),
            ),
            Action(
                "write_card.trace_copy", tr("Copy the APDU trace"), self._copy, "copy", ("Ctrl+Shift+C",), page,
                    when=here,
                hint=tr("The lines that are shown, as text. Secrets are in it as their length."),
                calls=("provisioning_get_trace",),
            ),
            Action(
                "write_card.trace_save", tr("Save the APDU trace"), self._ask, "download", ("Ctrl+Shift+S",), page,
                when=here, hint=tr("JSON lines: one object an APDU, with its difference from the golden trace."),
                calls=("provisioning_get_trace",),
            ),
        ]  # fmt: skip

    async def load(self) -> None:
        """Read and show the trace of the provisioning that is shown."""
        state = self._state
        shown = state.shown
        if shown is None:
            self._show(None, (), "")
            return
        if refusal := state.session.permissions.refusal(("provisioning_get_trace",)):
            self._show(None, (), refusal)
            return
        if self._trace is not None and self._trace.provision_id != shown.provision_id:
            # The service may refuse this one (another key wrote it): that of the card before must not stand for it.
            self._show(None, (), "")
        trace = await state.session.client.provisioning_get_trace(shown.provision_id)
        lines, against = alone(trace.entries), ""
        if trace.golden_provision_id is not None:
            golden = await state.session.client.provisioning_get_trace(trace.golden_provision_id)
            # On a thread: two long traces that have little in common take their time.
            lines = await asyncio.to_thread(compare, trace.entries, golden.entries)
            against = tr("Against {provision}, the last good one.", provision=golden.provision_id)
            if trace.attempt > 1:
                against += tr(" Attempt {attempt}: what was done before is not done again.", attempt=trace.attempt)
        if state.shows(shown.provision_id):
            self._show(trace, lines, against)

    def _show(self, trace: Trace | None, lines: Sequence[TraceLine], against: str) -> None:
        self._trace, self._lines = trace, lines
        self._state.view.trace.show_trace(trace, lines, against)
        self._state.session.actions.refresh()

    def _copy(self) -> None:
        lines = self._state.view.trace.shown
        QGuiApplication.clipboard().setText(as_text(lines))
        self._state.session.notify(tr("{count} APDUs are on the clipboard.", count=len(lines)), subject=tr("Clipboard"))

    def _ask(self) -> None:
        trace = self._trace
        if trace is not None:
            name = f"trace-{trace.provision_id}.jsonl"
            ask_save(self._state.view, tr("Save the APDU trace"), name, self.save, kinds=[tr("JSON lines (*.jsonl)")])

    def save(self, path: Path) -> None:
        """Write the whole trace, also what the filter hides."""
        if self._trace is not None:
            text = json_lines(self._trace, self._lines)
            self._state.session.tasks.spawn(save_file(self._state.session, path, text, tr("The trace")), name="trace")


def json_lines(trace: Trace, lines: Sequence[TraceLine]) -> bytes:
    """A line that says what this is, then one a line of the comparison: ``difference``, ``apdu`` (null: missing),
    ``golden`` (null: extra, or nothing was compared)."""
    head = {
        "provision_id": trace.provision_id,
        "attempt": trace.attempt,
        "model": trace.model,
        "golden_provision_id": trace.golden_provision_id,
    }
    rows = [{"difference": line.difference.value or None, "apdu": line.entry, "golden": line.golden} for line in lines]
    return b"".join(msgspec.json.encode(row) + b"\n" for row in (head, *rows))
