"""What the keys tab does: lists keys, makes, rotates and revokes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.api.keys_messages import CreateKey, KeyMade, KeyQuery, KeyRotated, RotateKey
from app.api.keys_messages import KeyRow as Key
from app.console.actions import Action, Effect
from app.console.clock import Freshness, date_time, parse_time
from app.console.failures import Failure
from app.console.growing import read_all
from app.console.operations import Operation
from app.console.pages.settings.key_forms import KeyForm, RotateKeyForm
from app.console.pages.settings.keys_view import KeysView, ListedKey
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.secret import Secret, SecretDialog

READ_EVERY_S = 10.0
ONCE = "This is the only time that it is shown. Put it where it belongs before you close this."
LOST = "Nobody knows the secret of a key whose answer was lost: if it stands in the list now, revoke it."


class KeysTab:
    """``read_now`` has the list read at once; ``refused`` tells a failure at the head of the page."""

    def __init__(
        self, session: WindowSession, tab: KeysView, read_now: Callable[[], None], refused: Callable[[Failure], None]
    ) -> None:
        self._session = session
        self._tab = tab
        self._read_now = read_now
        self._refused = refused
        self._age = Freshness(READ_EVERY_S)
        self._keys: list[Key] = []
        self._revoked = False
        self._wanted = ""
        self._tab.table.selected.connect(lambda _row: session.actions.refresh())

    @property
    def _allowed(self) -> bool:
        return self._session.is_connected and self._session.clearance.lower() == "citadel"

    def actions(self, show: Callable[[], None], shown: Callable[[], bool]) -> Sequence[Action]:
        """Its rows of the action table. ``show`` opens the tab, ``shown`` tells whether it is open."""

        def live() -> bool:
            chosen = self._tab.chosen
            return shown() and self._allowed and chosen is not None and chosen.live

        def new() -> None:
            show()
            self._new()

        return [
            Action(
                "settings.key_new", "Make an API key", new, "plus", ("Ctrl+N",), "settings",
                when=lambda: self._allowed, effect=Effect.CHANGE, hint="Its secret is shown once.",
            ),
            Action(
                "settings.key_rotate", "Rotate the key", self._rotate, "refresh-cw", ("Ctrl+Shift+R",), "settings",
                when=live, effect=Effect.CHANGE, hint="A new secret; the old one opens for a while more.",
            ),
            Action(
                "settings.key_revoke", "Revoke the key", self._revoke, "x", ("Ctrl+Del",), "settings",
                when=live, effect=Effect.IRREVERSIBLE, hint="Asks first. The key ends at once and for ever.",
            ),
            Action(
                "settings.keys_revoked", "Show or hide revoked keys", self._switch, "eye", ("Ctrl+Shift+V",),
                "settings", when=lambda: shown() and self._allowed,
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Read the list. Raises what the client raises."""
        if not self._allowed:
            self.paint()
            return
        client = self._session.client
        self._keys = await read_all(
            lambda cursor: client.keys_list(query=KeyQuery(limit=500, cursor=cursor, revoked=self._revoked))
        )
        self._age.touch()
        self.paint()
        self._session.actions.refresh()

    def paint(self) -> None:
        """Show what is known, and how old it is."""
        tab, session = self._tab, self._session
        if session.is_connected and session.clearance.lower() != "citadel":
            tab.stack.setCurrentWidget(tab.closed)
            tab.mark.hide()
            tab.note.setText("")
            return
        if self._age.since is None:
            tab.stack.setCurrentWidget(tab.away)
            tab.note.setText("")
            return
        now = session.live.now()
        tab.show_keys([ListedKey(key, now) for key in self._keys], self._wanted)
        if tab.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        stale = self._age.words()
        tab.mark.setVisible(bool(stale))
        if stale:
            tab.mark.set(Meaning.IDLE, stale)
        ours = "This console's own key lives only as long as the service that it started, and is not in this list."
        tab.note.setText(ours if session.service_pid else "Revoking the key of this console disconnects it.")

    def _switch(self) -> None:
        self._revoked = not self._revoked
        self._read_now()

    # --- changing ----------------------------------------------------------------------------------------------------

    def _new(self) -> None:
        form = KeyForm(self._tab.window(), self._session.live.now())
        form.asked.connect(lambda body: self._create(form, body))
        form.open()

    def _create(self, form: KeyForm, body: CreateKey) -> None:
        def made(reply: KeyMade) -> None:
            self._wanted = reply.kid
            form.accept()
            self._show(
                f"Key of {body.label}",
                [Secret("API key", reply.key), Secret("Webhook secret", reply.webhook_secret)],
            )

        operation: Operation[KeyMade] = Operation(
            lambda client, key: client.keys_create(body, idempotency_key=key),
            title=f"Make the key of {body.label}",
            changes=("keys",),
        )
        operation.success(made).failure(lambda failure: self._lost(form, failure)).run(self._session, form)

    def _rotate(self) -> None:
        chosen = self._tab.chosen
        if chosen is None:
            return
        row = chosen.row
        form = RotateKeyForm(self._tab.window(), row.label)

        def asked(overlap_s: int | None) -> None:
            operation: Operation[KeyRotated] = Operation(
                lambda client, key: client.keys_rotate(
                    row.kid, RotateKey(overlap_seconds=overlap_s), idempotency_key=key
                ),
                title=f"Rotate the key of {row.label}",
                changes=("keys",),
            )
            operation.success(rotated).failure(lambda failure: self._lost(form, failure)).run(self._session, form)

        def rotated(reply: KeyRotated) -> None:
            form.accept()
            until = date_time(parse_time(reply.previous_valid_until))
            self._show(f"New key of {row.label}", [Secret("API key", reply.key)], f"The old one opens until {until}.")

        form.asked.connect(asked)
        form.open()

    def _lost(self, form: KeyForm | RotateKeyForm, failure: Failure) -> None:
        form.show_failure(failure)
        if failure.unknown:
            # The reply held the secret and is kept nowhere: asking again could not bring it back.
            form.banner.show_note(failure.sentence, LOST, Meaning.WARN)
            self._read_now()

    def _show(self, title: str, secrets: list[Secret], more: str = "") -> None:
        SecretDialog(self._tab.window(), title, f"{ONCE} {more}".strip(), secrets).open()

    def _revoke(self) -> None:
        chosen = self._tab.chosen
        if chosen is None:
            return
        row = chosen.row

        def agreed() -> None:
            operation: Operation[None] = Operation(
                lambda client, _key: client.keys_revoke(row.kid),
                title=f"Revoke the key of {row.label}",
                changes=("keys",),
            )
            operation.success(lambda _none: self._session.notify(f"The key of {row.label} is revoked."))
            operation.failure(self._refused).run(self._session, self._tab)

        ConfirmDialog(
            self._tab.window(),
            f"Revoke the key of {row.label}?",
            f"{row.kid} opens nothing any more from that moment on, streams that it opened end, and it cannot be "
            f"brought back. It was used last: {chosen.last_use}.",
            "Revoke the key",
            agreed,
        ).open()
