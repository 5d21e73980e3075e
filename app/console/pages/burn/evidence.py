"""What a burn leaves for others to verify: the signed bundle, the manifest, and the checks made on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from app.capabilities.burn.messages import Burn
from app.console.actions import Action
from app.console.clock import date_time
from app.console.evidence.pinning import pins_of, seen_policy
from app.console.evidence.seals import verify_file
from app.console.files import FileKeeper
from app.console.language import tr
from app.console.pages.burn.evidence_view import EvidenceView
from app.console.part import Host


class BurnEvidence:
    """``burn`` gives the burn on the board."""

    def __init__(self, host: Host, view: EvidenceView, burn: Callable[[], Burn | None]) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._burn = burn
        self._of = ""
        """The burn that is shown, and its state."""
        self._verifying = False
        self.files = FileKeeper(view, host.session)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""

        return [
            Action(
                "burn.save_bundle", tr("Save the evidence bundle"), self._ask_bundle, "package", (), "burn",
                when=lambda: self._is_sealed() and not self.files.saving,
                hint=tr("One signed zip: order, proofs of every target, manifests, report, verifier."),
                calls=("revocations_evidence",),
            ),
            Action(
                "burn.save_manifest", tr("Save the C2PA manifest"), self._ask_manifest, "file-check", ("Ctrl+Shift+E",),
                "burn", when=lambda: self._is_sealed() and not self.files.saving,
                hint=tr("The sidecar manifest of the burn's first segment of the revocation log."),
                calls=("revocations_manifest",),
            ),
            Action(
                "burn.verify", tr("Verify now"), self._verify, "shield-check", ("Ctrl+Shift+V",), "burn",
                when=lambda: self._is_sealed() and not self._verifying,
                hint=tr("Fetches the bundle and checks it on this machine, by the pinned policy."),
                calls=("revocations_evidence",),
            ),
            Action(
                "burn.open_audit", tr("Find it in the audit log"), self._open_audit, "scroll-text", ("Ctrl+I",), "burn",
                when=lambda: self._burn() is not None,
            ),
        ]  # fmt: skip

    def _is_sealed(self) -> bool:
        burn = self._burn()
        return burn is not None and burn.log.manifest_url is not None

    def show(self) -> None:
        """Show the burn on the board; the checks of another one are cleared."""
        burn = self._burn()
        self._view.show_burn(burn)
        name = "" if burn is None else f"{burn.burn_id} {burn.state} {burn.lifted_at}"
        if name != self._of:
            self._of = name
            self._view.checks.forget()

    def _ask_bundle(self) -> None:
        burn = self._burn()
        if burn is not None:
            save = self.save_bundle
            self.files.ask(tr("Save the evidence bundle"), f"{burn.burn_id}.zip", lambda path: save(path, burn.burn_id))

    def save_bundle(self, path: Path, burn_id: str) -> None:
        """Keep the signed bundle of a burn as a file."""
        self.files.keep_made(path, tr("The bundle"), lambda: self._session.client.revocations_evidence(burn_id))

    def _ask_manifest(self) -> None:
        burn = self._burn()
        if burn is not None:
            save = self.save_manifest
            self.files.ask(
                tr("Save the C2PA manifest"), f"{burn.burn_id}.0.c2pa", lambda path: save(path, burn.burn_id)
            )

    def save_manifest(self, path: Path, burn_id: str) -> None:
        """Keep the manifest of a burn's first segment as a file."""
        self.files.keep_made(path, tr("The manifest"), lambda: self._session.client.revocations_manifest(burn_id))

    def _verify(self) -> None:
        burn = self._burn()
        if burn is not None:
            self._host.show()
            self._verifying = True
            self._host.spawn(self._judge(burn.burn_id), name="verify a burn's evidence")

    async def _judge(self, burn_id: str) -> None:
        """Fetch the bundle, check it by the pinned policy, and show the result if that burn is still shown."""
        of = self._of
        try:
            pin = await seen_policy(self._session, pins_of(self._session))
            data = await self._session.client.revocations_evidence(burn_id)
            judgement = await asyncio.to_thread(verify_file, data, pin.policy)
        finally:
            self._verifying = False
            self._session.actions.refresh()
        if of != self._of:
            return
        note = tr("Checked on this machine by the policy pinned on {time}. ", time=date_time(pin.since))
        note += tr("The C2PA manifests in it are checked by arc-console verify.")
        if pin.changed:
            note += tr(" The service gives another policy now.")
        self._view.checks.show_judgement(judgement, note)

    def _open_audit(self) -> None:
        burn = self._burn()
        if burn is not None:
            self._session.navigate("audit", text=burn.burn_id)
