"""The chosen strike: reads it, keeps its declaration and its evidence bundle, takes it back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QGuiApplication

from app.capabilities.enforcement.messages import Strike, WithdrawStrike
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.failures import Failure, NothingRead
from app.console.files import HOW_TO_VERIFY, FileKeeper
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.enforcement.forms import WithdrawStrikeForm
from app.console.pages.enforcement.strike_view import StrikePanel
from app.console.pages.enforcement.words import KIND, PAGE, SOON_AGAIN_S, moves, takes_details
from app.console.part import Host, Part
from app.console.session import MessageWay
from app.console.telemetry.live import Listener, LiveEvent

UNSENT = frozenset({"held", "operator_action", "queued"})
"""States in which a notice has not left."""
WITNESSES_S, ASKED_AGAIN_S = 90.0, 2.0
"""The longest that a bundle waits for witnesses, and between two questions."""


class StrikePart(Part):
    """``supply`` hears of the strike whose details are to be supplied; ``point`` has the board put its cursor on it;
    ``warnings_of`` gives the warnings that belong to a law."""

    every_s = 10.0
    ticks_a_paint = 10
    kinds = frozenset({KIND, "deliveries"})

    view: StrikePanel

    def __init__(
        self,
        host: Host,
        view: StrikePanel,
        *,
        supply: Callable[[Strike], None],
        point: Callable[[str], None],
        warnings_of: Callable[[str], Sequence[str]],
    ) -> None:
        super().__init__(host, view.mark)
        self.view = view
        self._supply = supply
        self._point = point
        self._warnings_of = warnings_of
        self._strike: Strike | None = None
        self._files = FileKeeper(view, host.session)
        self.token = ""
        """Tracking token of the strike that is chosen; empty: none."""

    @property
    def strike(self) -> Strike | None:
        """The chosen strike, once it is read."""
        return self._strike

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        def has_strike() -> bool:
            return self.host.may_write and self._strike is not None

        def can_save() -> bool:
            return self.host.may_write and bool(self.token) and not self._files.saving

        return [
            Action(
                "enforcement.bundle", tr("Save the evidence bundle"), self._ask_bundle, "package", (), PAGE,
                when=can_save,
                    hint=tr("One signed zip: declaration, notices, law as used, evidence, proofs, verifier."),
            ),
            Action("enforcement.declaration", tr("Save the declaration as PDF"), self._ask_declaration, "download",
                   ("Ctrl+S",), PAGE, when=can_save, hint=tr("The signed document itself.")),
            Action(
                "enforcement.supply", tr("Supply the missing details"), self._ask_supply, "pencil", ("Ctrl+U",), PAGE,
                when=lambda: self.host.may_write and self._strike is not None and takes_details(self._strike),
                hint=tr("Fills the draft with what it has."),
                calls=("enforcement_supply",),
            ),
            Action(
                "enforcement.withdraw", tr("Withdraw the strike"), self._ask_withdraw, "circle-x", ("F8",), PAGE,
                when=lambda: self.host.may_write and self._strike is not None and self._strike.state != "WITHDRAWN",
                effect=Effect.IRREVERSIBLE, hint=tr("Asks for the reason. What has not left never leaves."),
                calls=("enforcement_withdraw",),
            ),
            Action("enforcement.copy", tr("Copy the tracking token"), self._copy, "copy", ("Ctrl+Shift+C",), PAGE,
                   when=lambda: bool(self.token)),
            Action("enforcement.audit", tr("Find it in the audit log"), self._open_audit, "scroll-text",
                ("Ctrl+Shift+I",),
                   PAGE, when=has_strike),
        ]  # fmt: skip

    # --- which one ---------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if token := arguments.get("strike"):
            self.open(token)

    def choose(self, token: str) -> None:
        """Make a strike the chosen one; it is shown where the strike is in front."""
        if token != self.token:
            self.token, self._strike = token, None
            self._paint_strike()
            self.read_now()
            self.session.actions.refresh()

    def open(self, token: str) -> None:
        """Bring a strike to the front, by its token or one of its notices'."""
        if token:
            self.choose(token.partition(".")[0])
            self.host.show()

    def show(self, strike: Strike) -> None:
        """Bring a strike to the front that was just answered."""
        self.token, self._strike = strike.tracking_token, strike
        self._paint_strike()
        self.host.show()
        self._point(strike.tracking_token)
        self.session.actions.refresh()

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return {"alarm": self._read_soon}

    def _read_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    async def read(self) -> None:
        token = self.token
        if not token:
            raise NothingRead
        try:
            found = await self.session.client.enforcement_get(token)
        except ApiError as error:
            if error.code != "not_found" or token != self.token:
                raise
            self.token = ""
            sentence = tr("{token} is the tracking token of no strike of this site.", token=token)
            self.host.show_failure(Failure("not_found", sentence, tr("Compare it with the notice, letter by letter.")))
            self._paint_strike()
            raise NothingRead from None
        if self.token in (token, found.tracking_token):
            # Typed with other letters of the same sense, it is the token as the site writes it from here on.
            self.token, self._strike = found.tracking_token, found

    def paint_all(self) -> None:
        self._paint_strike()

    def paint(self) -> None:
        super().paint()
        strike, now, age = self._strike, self.session.live.now(), self.fresh.age_s()
        if strike is None or age is None or age < SOON_AGAIN_S:
            return
        if any(moves(one, now) for one in strike.notices):
            self.read_now()

    def _paint_strike(self) -> None:
        strike = self._strike
        general = self._warnings_of(strike.law.code) if strike is not None else ()
        self.view.show_strike(strike, self.token, self.session.live.now(), general)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _ask_bundle(self) -> None:
        token = self.token
        self._files.ask(
            tr("Save the evidence bundle"),
            f"{token}.zip",
            lambda path: self._files.keep_made(
                path, tr("The evidence bundle"), lambda: self._bundle(token), HOW_TO_VERIFY
            ),
        )

    async def _bundle(self, token: str) -> bytes:
        """The bundle, as soon as witnesses have signed for the newest entry that it proves."""
        until, said = time.monotonic() + WITNESSES_S, False
        while True:
            try:
                return await self.session.client.enforcement_bundle(token)
            except ApiError as error:
                if error.code != "state_conflict" or time.monotonic() > until:
                    raise
            if not said:
                words = tr(
                    "The bundle of {token} is saved as soon as witnesses have signed for its newest entry.", token=token
                )
                self.session.notify(words, "info", subject=token, way=MessageWay("enforcement", {"strike": token}))
                said = True
            await asyncio.sleep(ASKED_AGAIN_S)

    def _ask_declaration(self) -> None:
        token = self.token
        self._files.ask(
            tr("Save the declaration"),
            f"{token}.pdf",
            lambda path: self._files.keep_made(
                path, tr("The declaration"), lambda: self.session.client.enforcement_declaration(token)
            ),
        )

    def _ask_supply(self) -> None:
        if self._strike is not None:
            self._supply(self._strike)

    def _ask_withdraw(self) -> None:
        """Ask for the reason, then take the strike back."""
        strike = self._strike
        if strike is None:
            return
        unsent = sum(one.state in UNSENT for one in strike.notices)
        form = WithdrawStrikeForm(self.view.window(), strike.tracking_token, unsent)

        def withdraw(reason: str) -> None:
            body = WithdrawStrike(reason=reason)
            operation: Operation[Strike] = Operation(
                lambda client, key: client.enforcement_withdraw(strike.tracking_token, body, idempotency_key=key),
                title=tr("Withdraw {token}", token=strike.tracking_token),
                changes=(KIND, "deliveries"),
                asks=True,
            )
            operation.success(finish).failure(form.show_failure).run(self.session, form)

        def finish(now: Strike) -> None:
            form.accept()
            self.session.notify(tr("{token} is withdrawn.", token=now.tracking_token), subject=now.tracking_token)
            if now.tracking_token == self.token:
                self._strike = now
                self._paint_strike()

        form.asked.connect(withdraw)
        form.open()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.token)
        self.session.notify(tr("The tracking token is on the clipboard."), subject=tr("Clipboard"))

    def _open_audit(self) -> None:
        if self._strike is not None:
            self.session.navigate("audit", text=self._strike.strike_id)
