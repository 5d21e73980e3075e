"""The sources of the HR page: adds, changes, rotates and deletes them, and calls this service as one of them."""

from __future__ import annotations

import secrets as drawn
from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtGui import QGuiApplication

from app.api.wire import ListQuery
from app.capabilities.lifecycle.messages import HrReply
from app.client import Client
from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.failures import Failure
from app.console.growing import read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.hr.forms import NextSecretForm, SecretForm, SourceForm
from app.console.pages.hr.signing import TEST, signed_fields
from app.console.pages.hr.sources_view import SourcesView
from app.console.pages.hr.words import KIND
from app.console.part import Host, Part
from app.console.widgets.secret import Secret, SecretDialog
from app.registry.messages.hr_sources import HrSource, HrSourceBody

MOST = 500
ONCE = tr("This is the only time that it is shown. Give it to HR, by a way that nobody reads.")
CHANGES = (KIND, "hr_sources")
NOT_TAKEN = tr("The service does not take what this signs: it is another secret, or none of this source's scheme.")


class SourcesPart(Part):
    """``listed`` is called after the sources were shown: an inbox without a call says what to do next."""

    every_s = 15.0
    kinds = frozenset(CHANGES)

    def __init__(self, host: Host, view: SourcesView, listed: Callable[[], None]) -> None:
        super().__init__(host)
        self.view: SourcesView = view
        self._listed = listed
        self._found: list[HrSource] = []
        self._wanted = ""
        view.table.selected.connect(lambda _row: self.session.actions.refresh())

    def actions(self) -> Sequence[Action]:
        here = "hr"
        return [
            Action(
                "hr.source_new", tr("Add a source"), self._new, "plus", ("Ctrl+N",), here,
                when=lambda: self.host.may_write,
                # It opens a form and changes nothing yet: the empty inbox offers it by its key, too.
                hint=tr("An HR system, and the secret that it signs with."),
                calls=("registry_put_hr_source",),
            ),
            Action(
                "hr.source_test", tr("Send a signed test"), self._test, "zap", ("Ctrl+T",), here, when=self._can_test,
                effect=Effect.CHANGE, hint=tr("Calls this service as the source would. It burns nobody."),
            ),
            Action(
                "hr.source_change", tr("Change the source"), self._change, "pencil", ("F2",), here,
                when=self._can_change, effect=Effect.CHANGE, hint=tr("Its name and its brake."),
                calls=("registry_put_hr_source",),
            ),
            Action(
                "hr.source_rotate", tr("Rotate the secret"), self._rotate, "refresh-cw", ("Ctrl+Shift+R",), here,
                when=self._can_change, effect=Effect.CHANGE, hint=tr("A second secret is taken beside the one in use."),
                calls=("registry_put_hr_source",),
            ),
            Action(
                "hr.source_finish", tr("End the old secret"), self._end_old_secret, "check", ("Ctrl+Shift+Return",),
                here, when=self._rotating, effect=Effect.CHANGE, hint=tr("Once HR signs with the new one."),
                calls=("registry_put_hr_source",),
            ),
            Action(
                "hr.source_delete", tr("Delete the source"), self._delete, "trash-2", ("Ctrl+Shift+Del",), here,
                when=self._can_change, effect=Effect.CHANGE, hint=tr("Asks first. Its calls are refused from then on."),
                calls=("registry_delete_hr_source",),
            ),
            Action(
                "hr.copy", tr("Copy the address for HR"), self._copy, "copy", ("Ctrl+Shift+C",), here,
                when=self._can_change,
            ),
        ]  # fmt: skip

    def _can_test(self) -> bool:
        return self.host.may_write and self.view.source is not None

    def _can_change(self) -> bool:
        return self._can_test() and self.host.shown()

    def _rotating(self) -> bool:
        source = self.view.source
        return self._can_change() and source is not None and source.next_secret.set

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        client = self.session.client
        self._found = await read_all(
            lambda cursor: client.registry_list_hr_sources(query=ListQuery(limit=MOST, cursor=cursor))
        )

    def paint_all(self) -> None:
        self.view.show_sources(self._found, self._wanted)
        if self.view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        source = self.view.source
        self.view.address.setText(
            ""
            if source is None
            else tr("HR calls POST {address} with EMPLOYEE_DISCHARGE and employee_id.", address=self._address(source))
        )
        self._listed()

    def _address(self, source: HrSource) -> str:
        return f"{self.session.base_url}/webhooks/hr-sync/{source.hr_source_id}"

    def _copy(self) -> None:
        if (source := self.view.source) is not None:
            QGuiApplication.clipboard().setText(self._address(source))
            self.session.notify(tr("The address for HR is on the clipboard."), subject=tr("Clipboard"))

    # --- changing ----------------------------------------------------------------------------------------------------

    def _new(self) -> None:
        self.host.show()
        form = SourceForm(self.view.window())
        form.asked.connect(lambda source_id, body, made: self.host.spawn(self._add(form, source_id, body, made)))
        form.open()

    async def _add(self, form: SourceForm, source_id: str, body: HrSourceBody, made: str | None) -> None:
        """Add a source, unless its id is taken. ``made``: the secret that the form has drawn; it is shown once."""
        if await form.find_existing(self.session.client.registry_get_hr_source(source_id)) is not None:
            form.mark("id", tr("A source of this id is there already."))
            return

        def finish(source: HrSource) -> None:
            self._wanted = source.hr_source_id
            form.accept()
            if made is None:
                self.session.notify(tr("{source} is believed from now on.", source=source.hr_source_id))
            else:
                self._show_once(source.hr_source_id, made)

        self._put(source_id, body, tr("Add {name}", name=source_id)).success(finish).failure(form.show_failure).run(
            self.session, form
        )

    def _put(self, source_id: str, body: HrSourceBody, title: str) -> Operation[HrSource]:
        return Operation(
            lambda client, _key: client.registry_put_hr_source(source_id, body),
            title=title,
            changes=CHANGES,
            asks=True,
        )

    def _show_once(self, source_id: str, secret: str) -> None:
        SecretDialog(
            self.view.window(), tr("Secret of {source}", source=source_id), ONCE, [Secret(tr("Secret"), secret)]
        ).open()

    def _change(self) -> None:
        source = self.view.source
        if source is None:
            return
        form = SourceForm(self.view.window(), source)

        def change(source_id: str, body: HrSourceBody, _made: str | None) -> None:
            operation = self._put(source_id, body, tr("Change {name}", name=source_id))
            operation.success(lambda _source: form.accept()).failure(form.show_failure).run(self.session, form)

        form.asked.connect(change)
        form.open()

    def _rotate(self) -> None:
        """Ask for the next secret; from then on both are taken."""
        source = self.view.source
        if source is None:
            return
        form = NextSecretForm(self.view.window(), source)

        def rotate(secret: str) -> None:
            body = msgspec.structs.replace(_body(source), next_secret=secret)

            def finish(now: HrSource) -> None:
                form.accept()
                if secret == form.made:
                    self._show_once(now.hr_source_id, secret)
                else:
                    self.session.notify(tr("Both secrets of {source} are taken from now on.", source=now.hr_source_id))

            operation = self._put(source.hr_source_id, body, tr("Rotate {source}", source=source.hr_source_id))
            operation.success(finish).failure(lambda failure: form.show_failure(_at_secret(failure)))
            operation.run(self.session, form)

        form.asked.connect(rotate)
        form.open()

    def _end_old_secret(self) -> None:
        """Ask for the new secret once more, try it, and end the old one."""
        source = self.view.source
        if source is None:
            return
        form = SecretForm(
            self.view.window(),
            tr("End the old secret of {source}?", source=source.hr_source_id),
            tr(
                "Give the new secret once more. It is tried first; then it alone is taken, and calls that "
                "are signed with the old one are refused."
            ),
            tr("End the old one"),
        )

        async def end(client: Client, secret: str, fields: dict[str, str]) -> HrSource:
            await client.hr_sync_signed(source.hr_source_id, TEST, fields)
            body = msgspec.structs.replace(_body(source), secret=secret)
            now = await client.registry_put_hr_source(source.hr_source_id, body)
            if now.secret.changed_at == source.secret.changed_at:
                # It is the one in use until now: nothing was changed, and HR may be signing with the new one already.
                return now
            ended = msgspec.structs.replace(body, secret=msgspec.UNSET, next_secret=None)
            return await client.registry_put_hr_source(source.hr_source_id, ended)

        def send(secret: str) -> None:
            fields = self._fields(form, source, secret)
            if fields is None:
                return
            operation: Operation[HrSource] = Operation(
                lambda client, _key: end(client, secret, fields),
                title=tr("End the old secret of {source}", source=source.hr_source_id),
                changes=CHANGES,
            )
            operation.success(finish).failure(lambda failure: form.show_failure(_at_secret(failure)))
            operation.run(self.session, form)

        def finish(now: HrSource) -> None:
            if now.next_secret.set:
                form.save.setEnabled(True)
                form.mark("secret", tr("This is the secret in use until now. Give the new one."))
                return
            form.accept()
            self.session.notify(tr("{source} signs with its new secret alone.", source=now.hr_source_id))

        form.asked.connect(send)
        form.open()

    def _fields(self, form: SecretForm, source: HrSource, secret: str) -> dict[str, str] | None:
        """The header fields that sign a test with this secret; None when the secret does not fit the scheme, which the
        form then says."""
        at_s, call_id = int(self.session.live.now()), f"arc-test-{drawn.token_hex(8)}"
        try:
            return signed_fields(source.scheme, secret, msgspec.json.encode(TEST), call_id, at_s)
        except ValueError:
            form.save.setEnabled(True)
            form.mark("secret", NOT_TAKEN)
            return None

    def _test(self) -> None:
        """Ask for the secret and call this service as the source would."""
        source = self.view.source
        if source is None:
            return
        form = SecretForm(
            self.view.window(),
            tr("Send a signed test as {source}", source=source.hr_source_id),
            tr("Paste the secret that HR was given: what it signs goes the whole way into the inbox. It burns nobody."),
            tr("Send the test"),
        )

        def send(secret: str) -> None:
            fields = self._fields(form, source, secret)
            if fields is None:
                return
            operation: Operation[HrReply] = Operation(
                lambda client, _key: client.hr_sync_signed(source.hr_source_id, TEST, fields),
                title=tr("Signed test as {source}", source=source.hr_source_id),
                changes=(KIND,),
            )
            operation.success(finish).failure(lambda failure: form.show_failure(_at_secret(failure)))
            operation.run(self.session, form)

        def finish(reply: HrReply) -> None:
            form.accept()
            done = tr("nothing was done") if reply.action == "ignored" else tr("it was {action}", action=reply.action)
            self.session.notify(
                tr(
                    "Test received and verified: {source} signed it, {done} ({event}).",
                    source=source.hr_source_id,
                    done=done,
                    event=reply.event_id,
                )
            )
            self.session.navigate("hr", section="inbox", event_id=reply.event_id)

        form.asked.connect(send)
        form.open()

    def _delete(self) -> None:
        """Ask whether the source may go, and delete it then."""
        source = self.view.source
        if source is None:
            return
        Deletion(
            source.hr_source_id,
            lambda client: client.registry_delete_hr_source(source.hr_source_id),
            CHANGES,
            tr(
                "Its calls are refused from that moment on: who is discharged there keeps access here until "
                "somebody burns them by hand. What it has sent stays in the inbox."
            ),
            tr("Delete the source"),
        ).ask(self.session, self.view, self.host.show_failure)


def _body(source: HrSource) -> HrSourceBody:
    """The source as it is, its secrets left alone."""
    return HrSourceBody(
        scheme=source.scheme,
        display_name=source.display_name,
        max_discharges_per_minute=source.max_discharges_per_minute,
        tags=source.tags,
    )


def _at_secret(failure: Failure) -> Failure:
    """The failure, with everything that is wrong with a secret at the field that it stands in."""
    if failure.code == "unauthenticated":
        return failure._replace(fields=(("/secret", NOT_TAKEN),))
    fields = tuple(("/secret" if pointer == "/next_secret" else pointer, said) for pointer, said in failure.fields)
    return failure._replace(fields=fields)
