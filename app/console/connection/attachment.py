"""Keeps the window attached to its service: the child of this console, or a service elsewhere.

Imported before the first paint: what is heavy (asyncio, httpx, the keyring) is imported when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.console.connection.supervisor import ServiceState, Supervisor
from app.console.language import tr

if TYPE_CHECKING:
    import asyncio

    from app.console.connection.client import ConsoleClient, UnitStream
    from app.console.connection.statement import KnownSite
    from app.console.connection.unit_key import UnitKeyPair
    from app.console.operators.desk import OperatorDesk
    from app.console.shell.window import MainWindow

FORGET_WITHIN_S = 5.0


class Attachment:
    """The connection of one window. With a ``supervisor`` it follows the child's life; with a ``connect_url`` it
    attaches to the service there, with a key from the keyring or from the operator."""

    def __init__(self, window: MainWindow, supervisor: Supervisor | None, connect_url: str | None) -> None:
        self._window = window
        self._session = window.session
        self._supervisor = supervisor
        self._connect_url = connect_url
        self._begun = False
        self._offered: tuple[str, str] | None = None
        """Address and key of a child that became ready before ``begin``."""
        self._connection: ConsoleClient | None = None
        self._attach: asyncio.Task[None] | None = None
        self._follow: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._site: KnownSite | None = None
        """The site that answered first at ``connect_url``."""
        self._again: asyncio.Event | None = None
        """Set by F5 while no service has stated its site."""
        self._unit: UnitKeyPair | None = None
        """The key of this launch."""
        self._stream: UnitStream | None = None
        self._desk: OperatorDesk | None = None
        if supervisor is not None:
            supervisor.state_changed.connect(self._show_state)
            supervisor.ready.connect(self._take_ready_child)
            supervisor.died.connect(self._take_death)

    def begin(self, desk: OperatorDesk) -> None:
        """The loop runs and the pages are there: attach to the child if it is ready, or to the service elsewhere.
        ``desk`` says with whose key pages work."""
        self._begun, self._desk = True, desk
        if self._offered is not None:
            self._attach_to(*self._offered)
        elif self._connect_url is not None:
            self.reconnect()

    def reconnect(self) -> None:
        """F5: start the child anew, or attach again."""
        if self._supervisor is not None:
            self._supervisor.restart()
        elif self._connect_url is not None and self._begun:
            self._spawn_connect()
        elif self._again is not None:
            self._again.set()

    async def detach(self, reason: str) -> None:
        """End the stream and the connection; ``reason`` is the sentence that the window shows."""
        import asyncio

        ended = [task for task in (self._follow, self._watch) if task is not None]
        self._follow = self._watch = None
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended, return_exceptions=True)
        self._session.detach(reason)
        if self._desk is not None:
            await self._desk.end()
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    async def close(self) -> None:
        """The console closes: its unit is taken back, if the service still answers, and all is detached."""
        import asyncio
        import contextlib

        # The attaching first: it would open a stream that nobody ends any more.
        for task in (self._attach, self._follow):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if self._stream is not None:
            # What is left behind by a service that does not answer, that service sweeps away.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._stream.forget(), FORGET_WITHIN_S)
        if self._desk is not None:
            await self._desk.close()
        await self.detach(tr("The console stops."))

    # --- the child ---------------------------------------------------------------------------------------------------

    def _show_state(self, state: object) -> None:
        """Say in the window where the child is."""
        supervisor = self._supervisor
        if supervisor is None:
            return
        self._session.service_pid = supervisor.pid
        self._session.service_starts = supervisor.starts
        if state is ServiceState.STARTING:
            again = supervisor.starts > 1
            self._window.show_service_busy(
                tr("Starting the service again") if again else tr("Starting the service"),
                tr("The pages open as soon as it answers."),
            )
        elif state is ServiceState.WAITING:
            self._window.show_service_busy(tr("The service ended"), tr("It is started again in a moment."))

    def _take_ready_child(self, base_url: str, key: str) -> None:
        self._session.service_pid = self._supervisor.pid if self._supervisor else 0
        self._offered = (base_url, key)
        if self._begun:
            self._attach_to(base_url, key)

    def _take_death(self, sentence: str) -> None:
        """The child died: nothing is attached any more, and a child that was given up leaves its last lines."""
        self._offered = None
        self._session.detach(sentence)
        supervisor = self._supervisor
        if supervisor is None:
            return
        self._window.log_tail = list(supervisor.tail)
        if self._begun:
            self._cancel_tasks()
        if supervisor.state is ServiceState.REFUSED:
            self._window.show_service_refused(supervisor.refusal)
        elif supervisor.state is ServiceState.GIVEN_UP:
            self._window.show_service_stopped(
                tr("The service does not stay up"),
                sentence + tr(" Its last lines are below."),
                list(supervisor.tail),
            )

    # --- attaching ---------------------------------------------------------------------------------------------------

    def _cancel_tasks(self) -> None:
        for task in (self._attach, self._follow, self._watch):
            if task is not None:
                task.cancel()
        self._attach = self._follow = self._watch = None

    def _attach_to(self, base_url: str, key: str) -> None:
        import asyncio

        self._cancel_tasks()
        self._attach = asyncio.get_event_loop().create_task(self._attach_now(base_url, key))

    async def _attach_now(self, base_url: str, key: str) -> None:
        """Make a service that answered the one of this window, and open its stream."""
        import asyncio
        import socket

        from app.console.connection.client import ConsoleClient, UnitStream, unit_id
        from app.console.connection.unit_key import UnitKeyPair

        await self.detach(tr("Another service takes over."))
        connection = ConsoleClient(base_url, key, self._session.calls.add)
        self._connection = connection
        self._session.clock.forget()
        self._unit = self._unit or UnitKeyPair.generate()
        host = socket.gethostname()
        source = self._stream = UnitStream(
            connection, self._unit, unit_id(self._unit), f"Console on {host}"[:200], self._session.live.now
        )
        if not await self._seat(connection, source, unit_id(self._unit)):
            return
        self._session.live.restart()
        self._follow = asyncio.get_running_loop().create_task(self._session.live.follow(source))
        self._watch = self._session.tasks.spawn(self._session.live.watch(connection), name="watch frames")

    async def _seat(self, connection: ConsoleClient, stream: UnitStream, unit_id: str) -> bool:
        """Find out who may sit at this window, and hand the session its client; False: that cannot be known, and
        nothing is opened by a key that is no person's."""
        import contextlib

        from app.client import ApiError
        from app.console.failures import failure_of

        try:
            with contextlib.suppress(ApiError):
                # Before pages ask for what is of now, and before a proof is dated; if it is refused now, ``watch``
                # measures later.
                await self._session.live.measure(connection)
            with contextlib.suppress(ApiError):  # a key that may not register may not sign anybody in either
                await stream.register()
            if self._desk is not None:
                await self._desk.begin(connection, unit_id)
        except Exception as error:  # every reason is shown, and the operator decides
            failure = failure_of(error)
            self._session.detach(failure.sentence)
            self._window.show_service_stopped(tr("Not connected"), f"{failure.sentence} {failure.next_step}", [])
            return False
        return True

    # --- which site it is --------------------------------------------------------------------------------------------

    async def learn_site(self) -> KnownSite:
        """The site at ``connect_url``, by its own signature. Asks again at F5 until it is known."""
        import asyncio

        self._again = asyncio.Event()
        while True:
            self._again.clear()
            self._window.show_service_busy(tr("Connecting"), tr("to {url}: which site is it?", url=self._connect_url))
            found = await self._state_site()
            if found is not None:
                self._again = None
                return found
            await self._again.wait()

    async def _state_site(self) -> KnownSite | None:
        """What the service at ``connect_url`` states, if that is signed and of the site that was there before; else
        None, and the window says why."""
        from app.client import Client
        from app.console.connection.statement import StatementRefused, stated_site
        from app.console.failures import failure_of

        try:
            async with Client((self._connect_url or "").rstrip("/"), "none") as client:
                found = await stated_site(client)
        except StatementRefused as refused:
            self._window.show_service_stopped(tr("Not connected"), str(refused) + tr(" Nothing was sent to it."), [])
            return None
        except Exception as error:  # every reason is shown, and the operator decides
            failure = failure_of(error)
            self._window.show_service_stopped(tr("Not connected"), f"{failure.sentence} {failure.next_step}", [])
            return None
        if self._site is not None and not found.same_site(self._site):
            sentence = tr(
                "Another site answers at {url} than before. Close the console if that is meant.", url=self._connect_url
            )
            self._window.show_service_stopped(tr("Not connected"), sentence, [])
            return None
        self._site = found
        return found

    # --- a service elsewhere -----------------------------------------------------------------------------------------

    def _spawn_connect(self) -> None:
        import asyncio

        if self._attach is not None:
            self._attach.cancel()
        self._attach = asyncio.get_event_loop().create_task(self._connect_elsewhere())

    async def _connect_elsewhere(self) -> None:
        """Attach to ``connect_url`` with the key from the keyring, or ask for it."""
        import asyncio

        from app.console.connection.client import ConsoleClient, recall_key, remember_key
        from app.console.failures import failure_of

        url = self._connect_url or ""
        loop = asyncio.get_running_loop()
        if await self._state_site() is None:
            self._session.detach(tr("The service does not say which site it is."))
            return
        key = await loop.run_in_executor(None, recall_key, url)
        reason = ""
        while True:
            keep = False
            if not key:
                self._window.show_service_busy(tr("A key is needed"), tr("for {url}", url=url))
                key, keep = await self._ask_key(url, reason)
                if not key:
                    self._window.show_service_stopped(tr("Not connected"), tr("{url} needs an API key.", url=url), [])
                    return
            self._window.show_service_busy(tr("Connecting"), tr("to {url}", url=url))
            connection = ConsoleClient(url, key, self._session.calls.add)
            try:
                await connection.gateway_alarms()
            except Exception as error:  # every reason is shown, and the operator decides
                failure = failure_of(error)
                if failure.code == "unauthenticated":
                    key, reason = "", tr("This key was refused.")
                    continue
                self._session.detach(failure.sentence)
                self._window.show_service_stopped(tr("Not connected"), f"{failure.sentence} {failure.next_step}", [])
                return
            finally:
                await connection.aclose()
            if keep:

                def keep_key(key: str = key) -> bool:
                    return remember_key(url, key)

                # The pool may log arguments, so the key is not one.
                await loop.run_in_executor(None, keep_key)
            await self._attach_now(url, key)
            return

    async def _ask_key(self, url: str, reason: str) -> tuple[str, bool]:
        """The key that the operator types, empty when they give up; and whether to keep it in the keyring."""
        import asyncio

        from app.console.shell.key_dialog import KeyDialog

        answer: asyncio.Future[tuple[str, bool]] = asyncio.get_running_loop().create_future()

        def take_answer(key: str, keep: bool) -> None:
            if not answer.done():
                answer.set_result((key, keep))

        dialog = KeyDialog(self._window, url, reason, take_answer)
        dialog.open()
        return await answer
