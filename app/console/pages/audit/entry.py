"""The chosen entry of the audit log: shows it, copies it, verifies its proof on this machine, saves the proof."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication

from app.capabilities.gateway.audit.messages import AuditEntry
from app.client import ClientError
from app.console.actions import Action
from app.console.clock import date_time
from app.console.evidence.entries import entry_proof, verify_entry
from app.console.evidence.pinning import pins_of, seen_policy
from app.console.files import FileKeeper
from app.console.language import tr
from app.console.pages.audit.question import LogLost, proven_page
from app.console.pages.audit.shown_log import ShownLog
from app.console.pages.audit.view import AuditView
from app.console.pages.audit.words import burn_of, entry_json
from app.console.session import WindowSession


class ChosenEntry:
    """``spawn`` starts what ends with the page, ``only_node`` narrows the log to a node."""

    def __init__(
        self,
        session: WindowSession,
        view: AuditView,
        log: ShownLog,
        *,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        only_node: Callable[[str], None],
    ) -> None:
        self._session = session
        self._view = view
        self._log = log
        self._spawn = spawn
        self._narrow = only_node
        self._judging = False
        self._pins = pins_of(session)
        self.files = FileKeeper(view, session)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        here = "audit"
        return [
            Action(
                "audit.copy", tr("Copy the entry"), self._copy, "copy", ("Ctrl+Shift+C",), here,
                when=lambda: self.current() is not None,
            ),
            Action(
                "audit.same_node", tr("Only this node"), self._only_node, "funnel", ("Ctrl+I",), here,
                    when=self._has_node,
            ),
            Action(
                "audit.verify", tr("Verify now"), self._verify, "shield-check", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=lambda: self.current() is not None and not self._judging,
                hint=tr("Fetches the entry's proof and checks it on this machine, by the pinned policy."),
            ),
            Action(
                "audit.save_proof", tr("Save the proof"), self._ask_proof, "file-check", ("Ctrl+Shift+S",), here,
                when=lambda: self.current() is not None and not self.files.saving,
                hint=tr("A C2SP tlog-proof file: place, path, and the newest checkpoint with its witnesses."),
            ),
            Action(
                "audit.to_bundle", tr("To bundle"), self._to_bundle, "plus", (), here, when=self._can_mark,
                hint=tr("Marks the entry: an evidence bundle takes all marked ones."),
            ),
            Action(
                "audit.burn", tr("Open burn"), self._open_burn, "", ("Ctrl+O",), here, when=lambda: bool(self._burn()),
            ),
            Action(
                "audit.person", tr("Open person"), self._open_person, "", ("Ctrl+P",), here, when=self._has_person,
            ),
            Action(
                "audit.codes", tr("Codes and hashes"), self._view.entry.fold.click, "hash", ("Ctrl+H",), here,
                when=lambda: self.current() is not None,
                hint=tr("Shows or hides what programs know the entry by."),
            ),
        ]  # fmt: skip

    def current(self) -> AuditEntry | None:
        """The entry that is chosen, when it is there."""
        row = self._view.table.currentIndex().row()
        return self._view.model.entry(row) if 0 <= row < self._view.model.rowCount() else None

    def show(self) -> None:
        """Show the chosen entry and the checkpoint that the table is of."""
        self._view.entry.show_entry(self.current(), self._log.checkpoint)
        self._session.actions.refresh()

    def _copy(self) -> None:
        entry = self.current()
        if entry is not None:
            QGuiApplication.clipboard().setText(entry_json(entry))
            self._session.notify(tr("Entry {seq:,} is on the clipboard.", seq=entry.seq), subject=tr("Clipboard"))

    def _can_mark(self) -> bool:
        entry = self.current()
        return entry is not None and not self._view.model.is_marked(entry.seq)

    def _to_bundle(self) -> None:
        entry = self.current()
        if entry is not None:
            self._view.model.mark_entry(entry)
            self._session.actions.refresh()

    def _burn(self) -> str:
        entry = self.current()
        return "" if entry is None else burn_of(entry)

    def _open_burn(self) -> None:
        self._session.navigate("burn", burn_id=self._burn())

    def _has_person(self) -> bool:
        entry = self.current()
        return entry is not None and entry.node_id is not None

    def _open_person(self) -> None:
        entry = self.current()
        if entry is not None and entry.node_id is not None:
            self._session.navigate("people", node_id=entry.node_id)

    def _has_node(self) -> bool:
        entry = self.current()
        return entry is not None and entry.node_id is not None and entry.node_id != self._log.wanted.node_id

    def _only_node(self) -> None:
        entry = self.current()
        if entry is not None and entry.node_id:
            self._narrow(entry.node_id)

    # --- proof -------------------------------------------------------------------------------------------------------

    def _verify(self) -> None:
        entry = self.current()
        if entry is not None and not self._judging:
            self._judging = True
            self._session.actions.refresh()
            self._spawn(self._judge(entry))

    async def _judge(self, entry: AuditEntry) -> None:
        """Fetch the entry's proof, check it by the pinned policy, and show the result if the entry is still chosen."""
        try:
            page = await proven_page(self._session.client, entry)
            pin = await seen_policy(self._session, self._pins)
            judgement = await asyncio.to_thread(verify_entry, entry, page, pin.policy)
            independent = await self._independent()
        finally:
            self._judging = False
            self._session.actions.refresh()
        note = tr(
            "Checked on this machine by the policy pinned on {time}; the service gave the path, not the verdict.",
            time=date_time(pin.since),
        )
        if pin.changed:
            note += tr(" POLICY CHANGED: the service gives another one now; see the page Seals before you trust it.")
        current = self.current()
        if current is not None and current.seq == entry.seq:
            self._view.entry.show_judgement(judgement, note, self._session.live.now(), independent)

    async def _independent(self) -> int | None:
        """How many witnesses somebody else runs, as the service says; None where it does not."""
        try:
            return (await self._session.client.log_witnesses()).independent
        except ClientError:
            return None

    def _ask_proof(self) -> None:
        entry = self.current()
        if entry is not None:
            name = f"audit-{entry.seq}.tlog-proof"
            self.files.ask(tr("Save the proof"), name, lambda path: self.save_proof(path, entry))

    def save_proof(self, path: Path, entry: AuditEntry) -> None:
        """Keep the entry's proof as a tlog-proof file; a toast says under which checkpoint it stands."""

        async def make() -> bytes:
            proof = entry_proof(await proven_page(self._session.client, entry), entry.seq)
            if proof is None:
                raise LogLost(tr("The service gave no proof of entry {seq:,}.", seq=entry.seq))
            if not proof.cosigned:
                said = tr("No quorum covers the entry yet: its proof stands under the log's own signature alone.")
                self._session.notify(said, "warn")
            return proof.text.encode()

        self.files.keep_made(path, tr("The proof of entry {seq:,}", seq=entry.seq), make)
