"""The tab of API keys: who may call this service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.keys_messages import CreateKey, KeyMade, KeyQuery, KeyRotated, KeyRow, RotateKey
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.failures import Failure, NothingRead
from app.console.growing import LARGEST, read_all
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.settings.key_forms import KeyForm, RotateKeyForm
from app.console.pages.settings.keys_view import CLOSED, KeysView, ListedKey
from app.console.pages.settings.second_admin import offer
from app.console.pages.settings.words import CHANGES, PAGE
from app.console.part import Host, Part
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.secret import Secret, SecretDialog

ONCE = tr("This is the only time that it is shown. Put it where it belongs before you close this.")
LOST = tr("Nobody knows the secret of a key whose answer was lost: if it stands in the list now, revoke it.")


class KeysTab(Part):
    """Reads the keys; makes, rotates and revokes them by ``Operation``. The list needs Citadel clearance."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = CHANGES

    view: KeysView

    def __init__(self, host: Host) -> None:
        self.view = KeysView(host.session)
        super().__init__(host, self.view.mark)
        self._keys: list[KeyRow] = []
        self._revoked = False
        self._wanted = ""
        self.view.table.selected.connect(lambda _row: host.session.actions.refresh())

    def actions(self) -> Sequence[Action]:
        host = self.host

        def live() -> bool:
            chosen = self.view.chosen
            return host.shown() and host.may_write and chosen is not None and chosen.live

        def new() -> None:
            host.show()
            self._new()

        return [
            Action(
                "settings.key_new", tr("Make an API key"), new, "plus", ("Ctrl+N",), "settings",
                when=lambda: host.may_write, effect=Effect.CHANGE, hint=tr("Its secret is shown once."),
                calls=("keys_create",),
            ),
            Action(
                "settings.key_rotate", tr("Rotate the key"), self._rotate, "refresh-cw", ("Ctrl+Shift+R",), "settings",
                when=live, effect=Effect.CHANGE, hint=tr("A new secret; the old one opens for a while more."),
                calls=("keys_rotate",),
            ),
            Action(
                "settings.key_revoke", tr("Revoke the key"), self._revoke, "x", ("Ctrl+Del",), "settings",
                when=live, effect=Effect.IRREVERSIBLE, hint=tr("Asks first. The key ends at once and for ever."),
                calls=("keys_revoke",),
            ),
            Action(
                "settings.keys_revoked", tr("Show or hide revoked keys"), self._switch, "eye", ("Ctrl+Shift+V",),
                "settings", when=lambda: host.shown() and host.may_write,
                calls=("keys_list",),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def begin(self, arguments: Mapping[str, str]) -> None:
        """Open the form of what another administrator approved: of a key that is there, or of a new one."""
        approval_id, subject = arguments.get("approval_id", ""), arguments.get("subject", "")
        if approval_id and self.host.may("keys_list"):
            await self.read()
            known = next((one for one in self._keys if one.kid == subject), None)
            if known is None:
                self._new(approval_id, subject)
            else:
                self._rotate_key(known, approval_id)

    async def read(self) -> None:
        if not self.host.may("keys_list"):
            self.paint()
            raise NothingRead
        client = self.session.client
        self._keys = await read_all(
            lambda cursor: client.keys_list(query=KeyQuery(limit=LARGEST, cursor=cursor, revoked=self._revoked))
        )

    def paint(self) -> None:
        """Show what is known, and how old it is: ages go on by themselves."""
        view, session = self.view, self.session
        if session.is_connected and not self.host.may("keys_list"):
            refusal = session.permissions.refusal(("keys_list",))
            view.closed.say(*((tr("Keys are not for your role."), refusal) if refusal else CLOSED))
            view.stack.setCurrentWidget(view.closed)
            view.mark.hide()
            view.note.setText("")
            return
        if self.fresh.since is None:
            view.stack.setCurrentWidget(view.away)
            view.note.setText("")
            return
        now = session.live.now()
        view.show_keys([ListedKey(key, now) for key in self._keys], self._wanted)
        if view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        super().paint()
        ours = tr("This console's own key lives only as long as the service that it started, and is not in this list.")
        view.show_note(ours if session.service_pid else tr("Revoking the key of this console disconnects it."))

    def _switch(self) -> None:
        self._revoked = not self._revoked
        self.read_now()

    # --- changing ----------------------------------------------------------------------------------------------------

    def _new(self, approval_id: str | None = None, label: str = "") -> None:
        form = KeyForm(self.view.window(), self.session.live.now(), approval_id=approval_id, approved=label)
        form.asked.connect(lambda body: self._create(form, body))
        form.open()

    def _create(self, form: KeyForm, body: CreateKey) -> None:
        """Make a key, and show its secrets once."""

        def show_secrets(reply: KeyMade) -> None:
            self._wanted = reply.kid
            form.accept()
            self._show(
                tr("Key of {label}", label=body.label),
                [Secret(tr("API key"), reply.key), Secret(tr("Webhook secret"), reply.webhook_secret)],
            )

        operation: Operation[KeyMade] = Operation(
            lambda client, key: client.keys_create(body, idempotency_key=key),
            title=tr("Make the key of {label}", label=body.label),
            changes=("keys",),
        )
        operation.success(show_secrets).failure(lambda failure: self._show_failure(form, failure)).run(
            self.session, form
        )

    def _rotate(self) -> None:
        """Ask how long the old secret stays, then make a new one and show it once."""
        chosen = self.view.chosen
        if chosen is not None:
            self._rotate_key(chosen.row, None)

    def _rotate_key(self, row: KeyRow, approval_id: str | None) -> None:
        """The form that gives a key its next secret, under an approval where one was given."""
        form = RotateKeyForm(self.view.window(), row.label)

        def rotate(overlap_s: int | None) -> None:
            operation: Operation[KeyRotated] = Operation(
                lambda client, key: client.keys_rotate(
                    row.kid, RotateKey(overlap_seconds=overlap_s, approval_id=approval_id), idempotency_key=key
                ),
                title=tr("Rotate the key of {label}", label=row.label),
                changes=("keys",),
            )
            operation.success(show_secret).failure(lambda failure: self._show_failure(form, failure)).run(
                self.session, form
            )

        def show_secret(reply: KeyRotated) -> None:
            form.accept()
            until = date_time(parse_time(reply.previous_valid_until))
            self._show(
                tr("New key of {label}", label=row.label),
                [Secret(tr("API key"), reply.key)],
                tr("The old one opens until {time}.", time=until),
            )

        form.asked.connect(rotate)
        form.open()

    def _show_failure(self, form: KeyForm | RotateKeyForm, failure: Failure) -> None:
        offer(self.session, form, failure, self._show_request)
        if failure.unknown:
            # The reply held the secret and is kept nowhere: asking again could not bring it back.
            form.banner.show_note(failure.sentence, LOST, Meaning.WARN)
            self.read_now()

    def _show_request(self, approval_id: str) -> None:
        """Lead to where another administrator decides."""
        self.session.navigate(PAGE, section="operators", approval_id=approval_id)

    def _show(self, title: str, secrets: list[Secret], more: str = "") -> None:
        SecretDialog(self.view.window(), title, f"{ONCE} {more}".strip(), secrets).open()

    def _revoke(self) -> None:
        """Ask, then revoke the key."""
        chosen = self.view.chosen
        if chosen is None:
            return
        row = chosen.row

        def revoke() -> None:
            operation: Operation[None] = Operation(
                lambda client, _key: client.keys_revoke(row.kid),
                title=tr("Revoke the key of {label}", label=row.label),
                changes=("keys",),
            )
            operation.success(lambda _none: self.session.notify(tr("The key of {label} is revoked.", label=row.label)))
            operation.failure(self.host.show_failure).run(self.session, self.view)

        ConfirmDialog(
            self.view.window(),
            tr("Revoke the key of {label}?", label=row.label),
            tr(
                "{key} opens nothing any more from that moment on, streams that it opened end, and it cannot "
                "be brought back. It was used last: {last_use}.",
                key=row.kid,
                last_use=chosen.last_use,
            ),
            tr("Revoke the key"),
            revoke,
        ).open()
