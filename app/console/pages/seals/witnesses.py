"""The witnesses of the seals page: who cosigns the logs, their newest checkpoints, and the policy that is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.evidence.pinning import Pin, PinDamaged, pins_of, seen_policy, service_name
from app.console.evidence.seals import VerifiedCheckpoint, checked_head
from app.console.failures import Failure
from app.console.language import tr
from app.console.pages.seals.view import SealsView
from app.console.pages.seals.witnesses_view import LOGS
from app.console.pages.seals.words import KIND
from app.console.part import Host, Part
from app.console.widgets.confirm import ConfirmDialog


class Witnesses(Part):
    """Witnesses cosign without an event that says so: they are read each 15 s. ``trusted`` is called when another
    policy is believed: the first one that is known, or one that the operator trusts."""

    every_s = 15.0
    kinds = frozenset({KIND, "burns", "cards"})

    def __init__(self, host: Host, view: SealsView, trusted: Callable[[], None]) -> None:
        super().__init__(host)
        self.view: QWidget = view.witnesses
        self._page = view
        self._panel = view.witnesses
        self._trusted = trusted
        self._pins = pins_of(host.session)
        self.pin: Pin | None = None
        """The policy that signatures are checked by."""
        self.heads: dict[str, tuple[str, VerifiedCheckpoint | None, str]] = {}
        """By log: its newest checkpoint as it was read, what its signatures prove, or why they do not."""

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "seals.trust", tr("Trust the new policy"), self._ask_trust, "shield-alert", ("F8",), "seals",
                when=lambda: self.pin is not None and self.pin.changed, effect=Effect.CHANGE,
                hint=tr("Asks first. Only after somebody you know has confirmed the change."),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        await self._see_policy()
        self._panel.show_witnesses(await self.session.client.log_witnesses(), "")
        for name, _ in LOGS:
            await self._read_head(name)

    async def _see_policy(self) -> None:
        """Compare the policy that the service gives with the one that this console has pinned."""
        before = self.pin
        try:
            self.pin = await seen_policy(self.session, self._pins)
        except ApiError as error:
            if error.code not in ("not_found", "dependency_unavailable"):
                raise
            self._page.show_trust(error.detail, changed=False)
            return
        self._show_trust(self.pin)
        if before is None:
            self._trusted()

    async def _read_head(self, name: str) -> None:
        """Read the newest checkpoint of a log, and check its signatures if it is another one than before."""
        try:
            note = (await self.session.client.log_checkpoint(name)).decode()
        except ApiError as error:
            if error.code != "not_found":
                raise
            self.heads[name] = "", None, error.detail
            return
        if self.pin is None or self.heads.get(name, ("",))[0] == note:
            return
        try:
            self.heads[name] = note, await asyncio.to_thread(checked_head, note, self.pin.policy), ""
        except ValueError as error:
            self.heads[name] = note, None, tr("Its signatures do not hold: {error}", error=error)

    def show_error(self, error: Exception) -> None:
        if isinstance(error, PinDamaged):
            self.host.show_failure(Failure("policy_damaged", str(error)))
        else:
            super().show_error(error)

    def paint(self) -> None:
        now = self.session.live.now()
        for name, (_, head, trouble) in self.heads.items():
            self._panel.show_head(name, head, trouble, now)

    # --- the policy --------------------------------------------------------------------------------------------------

    def _show_trust(self, pin: Pin) -> None:
        """Say by which policy seals are verified; a changed one also stands at the head of the page."""
        since = date_time(pin.since)
        if pin.changed:
            said = tr(
                "The service gives another policy than the one pinned on {since} ({difference}).",
                since=since,
                difference=pin.difference,
            )
            self._page.show_trust(
                tr("POLICY CHANGED. {said} Seals are still verified by the pinned one.", said=said), changed=True
            )
            self.host.show_failure(
                Failure(
                    "policy_changed",
                    tr("{said} Whoever exchanges a service would do just that.", said=said),
                    tr(
                        "Ask the site's operator over another way before you trust it (F8). The pinned one "
                        "stays in force."
                    ),
                )
            )
        else:
            said = (
                tr("Verified by the policy that this console pinned at first sight on {since}.", since=since)
                if pin.first_sight
                else tr("Verified by the policy that this console pinned on {since}.", since=since)
            )
            self._page.show_trust(said, changed=False)
        self.session.actions.refresh()

    def _ask_trust(self) -> None:
        """Ask before the policy that the service gives takes the place of the pinned one."""
        pin = self.pin
        if pin is None or not pin.changed:
            return
        ConfirmDialog(
            self._panel.window(),
            tr("Trust the new policy?"),
            tr(
                "What changed: {difference}. From now on signatures by the new policy count, and those by "
                "the old one alone do not. The old one stays in the console's files.",
                difference=pin.difference,
            ),
            tr("Trust it"),
            lambda: self.host.spawn(self._trust(pin.offered), name="trust a policy"),
        ).open()

    async def _trust(self, offered: bytes) -> None:
        """Pin that policy. Everything that was checked by the old one is checked again."""
        name = service_name(self.session)
        self.pin = await asyncio.to_thread(self._pins.accept, name, offered, self.session.live.now())
        self.heads.clear()
        self.host.banner.clear()
        self._page.knot.checks.forget()
        self._show_trust(self.pin)
        self._trusted()
        self.read_now()
