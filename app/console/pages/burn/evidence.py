"""What a burn leaves for others to verify: the signed bundle, the manifest, and the checks made on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Burn
from app.console.actions import Action, ActionTable
from app.console.clock import date_time
from app.console.files import FileKeeper
from app.console.page import Presenter
from app.console.pages.burn.drill import marked
from app.console.pinning import pins_of, seen_policy
from app.console.session import WindowSession
from app.console.verifying import verify_file
from app.console.widgets.buttons import ActionButton
from app.console.widgets.checks import CheckList
from app.console.widgets.facts import Facts
from app.console.widgets.text import TitledPanel, label

_FACTS = (
    ("burn", "Burn", True),
    ("node", "Node", True),
    ("leaf", "Audit leaf", False),
    ("sha256", "Leaf hash", True),
    ("manifest", "C2PA manifest", True),
)


class EvidenceView(QWidget):
    """Of the burn on the board."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel("Evidence of the burn", padding=12)
        outer.addWidget(panel)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(ActionButton(table, "burn.verify", role="primary"))
        row.addWidget(ActionButton(table, "burn.save_bundle"))
        row.addWidget(ActionButton(table, "burn.save_manifest"))
        row.addWidget(ActionButton(table, "burn.open_audit"))
        row.addStretch(1)
        panel.body.addLayout(row)
        self.none = label("Open a burn first: choose a burned subject, or Enter on a row of Burns.", "dim", wrap=True)
        panel.body.addWidget(self.none)
        self.facts = Facts(_FACTS)
        panel.body.addWidget(self.facts)
        self.checks = CheckList(
            "The bundle holds the order, every target's proof, the C2PA manifests, a report and what proves that the "
            "log has it. Verify now checks the bundle on this machine; arc-console verify FILE does so anywhere."
        )
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 8, 8, 0)
        column.addWidget(self.checks)
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        area.setAccessibleName("Checks of the evidence")
        panel.body.addWidget(area, 1)
        self.show_burn(None)

    def show_burn(self, burn: Burn | None) -> None:
        """Which burn it is about."""
        self.none.setVisible(burn is None)
        self.facts.setVisible(burn is not None)
        if burn is not None:
            said = f"{burn.burn_id}{' TRAINING' if burn.training else ''}"
            self.facts.set("burn", marked(said, burn.drill))
            self.facts.set("node", burn.node_id)
            self.facts.set("leaf", str(burn.log.index))
            self.facts.set("sha256", burn.log.sha256)
            self.facts.set("manifest", burn.log.manifest_url or "Being sealed")


class BurnEvidence:
    """``burn`` gives the burn on the board, ``front`` brings the evidence to the front."""

    def __init__(
        self,
        session: WindowSession,
        view: EvidenceView,
        initiator: Presenter,
        *,
        burn: Callable[[], Burn | None],
        front: Callable[[], None],
    ) -> None:
        self._session = session
        self._view = view
        self._initiator = initiator
        self._burn = burn
        self._front = front
        self._of = ""
        self._verifying = False
        self.files = FileKeeper(view, session)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""

        def there() -> bool:
            return self._burn() is not None

        def sealed() -> bool:
            burn = self._burn()
            return burn is not None and burn.log.manifest_url is not None

        return [
            Action(
                "burn.save_bundle", "Save the evidence bundle", self._ask_bundle, "package", ("Ctrl+E",), "burn",
                when=lambda: sealed() and not self.files.saving,
                hint="One signed zip: order, proofs of every target, manifests, report, verifier.",
            ),
            Action(
                "burn.save_manifest", "Save the C2PA manifest", self._ask_manifest, "file-check", ("Ctrl+Shift+E",),
                "burn", when=lambda: sealed() and not self.files.saving,
                hint="The sidecar manifest of the burn's first segment of the revocation log.",
            ),
            Action(
                "burn.verify", "Verify now", self._verify, "shield-check", ("Ctrl+Shift+V",), "burn",
                when=lambda: sealed() and not self._verifying,
                hint="Fetches the bundle and checks it on this machine, by the pinned policy.",
            ),
            Action(
                "burn.open_audit", "Find it in the audit log", self._open_audit, "scroll-text", ("Ctrl+I",), "burn",
                when=there,
            ),
        ]  # fmt: skip

    def show(self) -> None:
        """The burn on the board; what was checked of another one is forgotten."""
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
            self.files.ask("Save the evidence bundle", f"{burn.burn_id}.zip", lambda path: save(path, burn.burn_id))

    def save_bundle(self, path: Path, burn_id: str) -> None:
        """Keep the signed bundle of a burn as a file."""
        self.files.keep_made(path, "The bundle", lambda: self._session.client.revocations_evidence(burn_id))

    def _ask_manifest(self) -> None:
        burn = self._burn()
        if burn is not None:
            save = self.save_manifest
            self.files.ask("Save the C2PA manifest", f"{burn.burn_id}.0.c2pa", lambda path: save(path, burn.burn_id))

    def save_manifest(self, path: Path, burn_id: str) -> None:
        """Keep the manifest of a burn's first segment as a file."""
        self.files.keep_made(path, "The manifest", lambda: self._session.client.revocations_manifest(burn_id))

    def _verify(self) -> None:
        burn = self._burn()
        if burn is not None:
            self._front()
            self._verifying = True
            self._initiator.spawn(self._judge(burn.burn_id), name="verify a burn's evidence")

    async def _judge(self, burn_id: str) -> None:
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
        note = f"Checked on this machine by the policy pinned on {date_time(pin.since)}. "
        note += "The C2PA manifests in it are checked by arc-console verify."
        if pin.changed:
            note += " The service gives another policy now."
        self._view.checks.show_judgement(judgement, note)

    def _open_audit(self) -> None:
        burn = self._burn()
        if burn is not None:
            self._session.navigate("audit", text=burn.burn_id)
