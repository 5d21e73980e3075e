"""The chosen seal: reads it, verifies it on this machine, takes its consent back, saves what proves it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from app.capabilities.provenance.messages import KnotSeal, WithdrawBody
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.evidence.pinning import Pin
from app.console.evidence.seals import CosignedBy, VerifiedCheckpoint, checked_head, cosigners, knot_file, verify_knot
from app.console.files import FileKeeper
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.seals.forms import WithdrawForm
from app.console.pages.seals.knot_view import KnotView
from app.console.pages.seals.words import ENDED, KIND
from app.console.part import Host, Part


class ChosenKnot(Part):
    """``pin`` gives the policy that signatures are checked by; None while it is not known."""

    def __init__(self, host: Host, view: KnotView, pin: Callable[[], Pin | None]) -> None:
        super().__init__(host)
        self.view: KnotView = view
        self._pin = pin
        self.chosen = ""
        """``knot_id`` of the seal that is shown or being read; empty: none."""
        self.knot: KnotSeal | None = None
        self.files = FileKeeper(view, self.session)
        view.leaf_chosen.connect(self.show_leaf)

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        here = "seals"
        return [
            Action(
                "seals.verify", tr("Verify now"), self._verify, "shield-check", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=lambda: self.knot is not None and self._pin() is not None,
                hint=tr("Checks every statement on this machine, by the pinned policy, without asking the service."),
            ),
            Action(
                "seals.withdraw", tr("Withdraw the consent"), self._ask_withdraw, "circle-x", ("F7",), here,
                when=self._can_withdraw, effect=Effect.CHANGE, hint=tr("Asks first. The consent ends by a new leaf."),
                calls=("provenance_withdraw",),
            ),
            Action(
                "seals.save_proof", tr("Save the proof"), self._ask_proof, "download", ("Ctrl+S",), here,
                when=lambda: self._has_proof() and not self.files.saving,
                hint=tr("The statement's C2SP tlog-proof file: place, path, checkpoint, witnesses."),
            ),
            Action(
                "seals.save_knot", tr("Save the seal as JSON"), self._ask_knot, "file-text", ("Ctrl+Shift+S",), here,
                when=self._can_save, hint=tr("For arc_verify.py, or arc-console verify."),
            ),
            Action(
                "seals.save_bundle", tr("Save the evidence bundle"), self._ask_bundle, "package", ("Ctrl+B",), here,
                when=self._can_save, hint=tr("One signed zip: the seal, its parts, the verifier, and how to verify."),
            ),
            Action(
                "seals.copy", tr("Copy the consensus seal"), self._copy, "copy", ("Ctrl+Shift+C",), here,
                when=self._has_proof,
            ),
            Action(
                "seals.enforce", tr("Enforce with this seal"), self._enforce, "scale", ("Ctrl+Shift+E",), here,
                when=lambda: self.knot is not None,
                hint=tr("Begins a declaration to platforms that names this seal. Nothing leaves before it is issued."),
            ),
            Action(
                "seals.open_audit", tr("Find it in the audit log"), self._open_audit, "scroll-text", ("Ctrl+I",), here,
                when=lambda: self.knot is not None,
            ),
        ]  # fmt: skip

    def _can_save(self) -> bool:
        return self.knot is not None and not self.files.saving

    def _has_proof(self) -> bool:
        leaf = self.view.leaf
        return leaf is not None and leaf.seal_proof is not None

    def _can_withdraw(self) -> bool:
        return self.knot is not None and self.knot.leaves[-1].standing not in ENDED

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Nothing is read by itself: the list has the chosen seal read again."""

    # --- which one ---------------------------------------------------------------------------------------------------

    def want(self, knot_id: str) -> None:
        """Show that seal when the list is read again."""
        self.chosen, self.knot = knot_id, None

    def clear(self) -> None:
        """Show none: the list is empty."""
        self.chosen, self.knot = "", None
        self.view.show_knot(None)

    def choose(self, knot_id: str) -> None:
        """Show the seal under the cursor."""
        if knot_id and knot_id != self.chosen:
            self.want(knot_id)
            self.view.show_knot(None)
            if self.session.is_connected:
                self.read_again()
        self.session.actions.refresh()

    def read_again(self) -> None:
        """Read the chosen seal again: it may have got a statement or a proof."""
        if self.chosen:
            self.host.spawn(self._read_knot(self.chosen), name="chosen seal")

    async def _read_knot(self, knot_id: str) -> None:
        """Read a seal, and show it if it is still the chosen one and another than before."""
        knot = await self.session.client.provenance_get(knot_id)
        if knot_id != self.chosen:
            return
        if self.knot != knot:
            self.knot = knot
            self.view.checks.forget()
            self.view.show_knot(knot)
            self.show_leaf()
        self.session.actions.refresh()

    def show_leaf(self) -> None:
        """Show the chosen statement, and who cosigned it as soon as that was checked."""
        leaf, pin = self.view.leaf, self._pin()
        if leaf is None:
            return
        self.view.show_leaf(leaf, None, ())
        if leaf.seal_proof is not None and pin is not None and self.session.is_connected:
            self.host.spawn(self._check_leaf(leaf.log_index, leaf.seal_proof, pin.policy), name="who cosigned")
        self.session.actions.refresh()

    async def _check_leaf(self, index: int, proof: str, policy: bytes) -> None:
        """Check the checkpoint of a statement, and show who cosigned it."""

        def check() -> tuple[VerifiedCheckpoint | None, list[CosignedBy]]:
            with contextlib.suppress(ValueError):  # Verify now says line by line what is wrong with it
                return checked_head(proof.partition("\n\n")[2], policy), cosigners(proof, policy)
            return None, []

        tree, by = await asyncio.to_thread(check)
        leaf = self.view.leaf
        if leaf is not None and leaf.log_index == index:
            self.view.show_leaf(leaf, tree, by)

    # --- verifying and withdrawing -----------------------------------------------------------------------------------

    def _verify(self) -> None:
        knot, pin = self.knot, self._pin()
        if knot is not None and pin is not None:
            self.host.spawn(self._judge(knot, pin), name="verify a seal")

    async def _judge(self, knot: KnotSeal, pin: Pin) -> None:
        judgement = await asyncio.to_thread(verify_knot, knot, pin.policy)
        if self.knot is not knot:
            return
        note = tr(
            "Checked on this machine by the policy pinned on {time}; the service was not asked.",
            time=date_time(pin.since),
        )
        if pin.changed:
            note += tr(" The service gives another policy now.")
        self.view.checks.show_judgement(judgement, note)
        self.view.area.verticalScrollBar().setValue(0)

    def _ask_withdraw(self) -> None:
        """Ask for the reason, and take the consent back by a new leaf."""
        knot = self.knot
        if knot is None:
            return
        form = WithdrawForm(self.view.window(), knot.knot_id, knot.node_id)

        def withdraw(reason: str) -> None:
            body = WithdrawBody(reason=reason or None)
            operation: Operation[KnotSeal] = Operation(
                lambda client, key: client.provenance_withdraw(knot.knot_id, body, idempotency_key=key),
                title=tr("Withdraw a consent"),
                changes=(KIND,),
                asks=True,
            )
            operation.success(finish).failure(form.show_failure).run(self.session, form)

        def finish(now: KnotSeal) -> None:
            form.accept()
            self.session.notify(
                tr("The consent of {person} is withdrawn: {knot}.", person=now.node_id, knot=now.knot_id)
            )

        form.asked.connect(withdraw)
        form.open()

    # --- out of the page ---------------------------------------------------------------------------------------------

    def _copy(self) -> None:
        leaf = self.view.leaf
        if leaf is not None and leaf.consensus_seal is not None:
            QGuiApplication.clipboard().setText(leaf.consensus_seal)
            self.session.notify(tr("The consensus seal is on the clipboard."), subject=tr("Clipboard"))

    def _enforce(self) -> None:
        if self.knot is not None:
            self.session.navigate("enforcement", signature=self.knot.knot_id)

    def _open_audit(self) -> None:
        if self.knot is not None:
            self.session.navigate("audit", text=self.knot.knot_id)

    def _ask_proof(self) -> None:
        leaf, knot = self.view.leaf, self.knot
        if leaf is not None and knot is not None and (proof := leaf.seal_proof) is not None:
            name = f"{knot.knot_id}-{leaf.log_index}.tlog-proof"
            self.files.ask(
                tr("Save the proof"), name, lambda path: self.files.keep(path, tr("The proof"), proof.encode())
            )

    def _ask_knot(self) -> None:
        knot = self.knot
        if knot is not None:
            data, name = knot_file(knot), f"{knot.knot_id}.json"
            self.files.ask(tr("Save the seal"), name, lambda path: self.files.keep(path, tr("The seal"), data))

    def _ask_bundle(self) -> None:
        knot = self.knot
        if knot is not None:
            name = f"{knot.knot_id}.zip"
            self.files.ask(tr("Save the evidence bundle"), name, lambda path: self.save_bundle(path, knot.knot_id))

    def save_bundle(self, path: Path, knot_id: str) -> None:
        """Keep the signed bundle of a knot as a file."""
        self.files.keep_made(path, tr("The bundle"), lambda: self.session.client.provenance_bundle(knot_id))
