"""Who sits at this window: begins when a service is connected, signs in by each method, locks, and notices the end.

While nobody is signed in, pages work with a client that only reads: the console's own key is no person's, and an act by
it would have nobody's name. Only a site without operators is run by that key, as it was made.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.api.operator_id import OPERATOR_PREFIX
from app.api.roles import Role
from app.client import ApiError
from app.console.connection.client import ConsoleClient
from app.console.desk_state import RESTING, DeskOperator, DeskState
from app.console.failures import NotConnected, SignInRefused, failure_of
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operators.browser import LoopbackRedirect
from app.console.operators.cards import DeskCards, DeskReader
from app.console.operators.presence import Presence
from app.console.operators.statement import check_statement
from app.console.session import WindowSession
from app.operators.messages import (
    CardChallengeBody,
    CardSignIn,
    OpenIdBegin,
    OpenIdFinish,
    Operator,
    PassphraseSignIn,
    SignedIn,
    SignInMethod,
)
from app.running_clock import running_s
from app.training.messages import PASSPHRASE, TRAINING_TAG

LOOK_S = 1.0
"""Between two looks at whether the session still stands."""
NO_ROOM = "/checks/room"
"""What a service that cannot write names as its trouble."""
STAY_S = 20.0
"""How often, at most, the service is told that somebody is there."""
FAREWELL_S = 2.0
"""So long a service is told that a session ends; one that does not answer ends it by itself: it idles away."""
CUT_OFF = tr("The service ended the session. Sign in again; what stands on the page is kept.")

Farewell = Callable[[ConsoleClient], Awaitable[object]]
"""Tells the service that the session of this client ends."""
NOBODY: Final = OPERATOR_PREFIX + "0" * 16
"""The id that no operator has."""
_ORDER: Final = list(Role)
"""The training operators are made in one transaction, so their times may be equal."""


class NobodyFits(SignInRefused):
    """No operator is meant by what was typed: a sentence for people."""


class OperatorDesk(QObject):
    """``changed``: state, operator, or who may sign in. ``session.client`` is the operator's client while somebody is
    signed in, and one that only reads while nobody is. ``open_url`` opens the system browser."""

    changed = Signal()

    def __init__(
        self,
        session: WindowSession,
        cards: DeskCards,
        parent: QObject | None = None,
        open_url: Callable[[QUrl], bool] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.cards = cards
        self._open_url = open_url
        self.state = DeskState.UNKNOWN
        self.operator: DeskOperator | None = None
        self.why = ""
        """Why nobody is signed in: a sentence for the locked window."""
        self.since = 0.0
        """Unix time since which nobody is."""
        self._unit_id = ""
        self._own: ConsoleClient | None = None
        """The connection with the console's own key."""
        self._resting: ConsoleClient | None = None
        self._client: ConsoleClient | None = None
        """The operator's."""
        self._operators: Sequence[Operator] = ()
        self._last = ""
        """Who was signed in last: on a training site, the same after a restart."""
        self._card: DeskReader | None = None
        self._watch: asyncio.Task[None] | None = None
        self._room: asyncio.Task[None] | None = None
        self._farewells: set[asyncio.Task[None]] = set()
        """Each tells the service that a lock ended a session. They are the desk's own: among the tasks of the window
        one could be cancelled before its first turn, and would neither tell the service nor close the connection."""
        self._idle_limit_s = 0.0
        self._stayed = 0.0
        self.presence = Presence(self)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._beat)
        cards.changed.connect(self._look_at_card)

    # --- beginning and end -------------------------------------------------------------------------------------------

    async def begin(self, own: ConsoleClient, unit_id: str) -> None:
        """A service is connected by the console's own key and knows this unit: find out who may sit here, and hand the
        session its client. Raises what the client raises."""
        await self.end()
        self._own, self._unit_id = own, unit_id
        self._resting = ConsoleClient(own.base_url, own.key, self._session.calls.add, reads_alone=True)
        without_room = False
        try:
            self._operators = [one for one in await self._list() if one.state == "active"]
        except ApiError as refused:
            without_room = refused.status != 403
            if without_room and not await self._lacks_room(own):
                raise
            self._operators = ()
        if not self._operators:
            self._be(DeskState.KEY_ALONE, own)
            if without_room:
                self._room = asyncio.get_running_loop().create_task(self._await_room(own, unit_id))
        elif self._session.training and self.training_operators:
            again = next((one for one in self.training_operators if one.operator_id == self._last), None)
            await self.sign_in_training((again or self.training_operators[0]).operator_id)
        else:
            self.cards.start()
            self._rest(DeskState.SIGNED_OUT, tr("Nobody is signed in."))

    @staticmethod
    async def _lacks_room(own: ConsoleClient) -> bool:
        """Whether the service runs on a disk without room: it knows no operators then, and serves nothing but burns and
        alarms. Those must not wait for the disk, so the console's own key makes them."""
        try:
            await own.health_ready()
        except ApiError as unready:
            return any(wrong.pointer == NO_ROOM for wrong in unready.errors)
        return False

    async def _await_room(self, own: ConsoleClient, unit_id: str) -> None:
        """The key acts alone only as long as the service knows nobody: with room again somebody must sign in."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self._list()
                await self.begin(own, unit_id)
                return
            except Exception as error:  # it has no room yet, is away, or does not know this unit again yet
                if failure_of(error).code == "console_error":
                    raise
                if self._operators:
                    self._rest(DeskState.SIGNED_OUT, tr("Nobody is signed in."))
            self._room = asyncio.current_task()

    async def end(self) -> None:
        """The service is gone, or another one takes over: nobody is known to be signed in."""
        room, self._room = self._room, None
        # Who awaits room begins anew, and must not cancel itself by that.
        if room is not None and room is not asyncio.current_task():
            room.cancel()
        await self._leave()
        if self._farewells:
            # Not gathered: who is cancelled while it waits must not cancel these.
            await asyncio.wait(self._farewells)
        resting, self._resting = self._resting, None
        self._own = None
        if resting is not None:
            await resting.aclose()
        self._be(DeskState.UNKNOWN)

    async def close(self) -> None:
        """The console closes: the session is ended where the service still answers."""
        await self._leave(ConsoleClient.operators_sign_out)
        await self.end()
        self.cards.stop()

    # --- who may ---------------------------------------------------------------------------------------------------

    @property
    def training_operators(self) -> list[Operator]:
        """Operators whom everybody may be, on a training site alone, in the order of their making."""
        if not self._session.training:
            return []
        made = [one for one in self._operators if TRAINING_TAG in one.tags and "passphrase" in one.methods]
        return sorted(made, key=lambda one: (one.created_at, _ORDER.index(one.roles[0]), one.operator_id))

    def offers(self, method: SignInMethod) -> bool:
        """Whether an operator of this site signs in so."""
        return any(method in one.methods for one in self._operators)

    async def _list(self) -> list[Operator]:
        own = self._connection
        found = await read_all(lambda cursor: own.registry_list_operators(query=page_query(cursor)))
        self._session.names.take(found)
        return found

    def _id_of(self, name: str) -> str:
        """The id of whom a typed name means. A name that nobody has is given an id that nobody has: the service answers
        both alike. Raises NobodyFits where several have it."""
        wanted = unicodedata.normalize("NFC", name).casefold().strip()
        found = [
            one.operator_id
            for one in self._operators
            if wanted in (unicodedata.normalize("NFC", one.display_name).casefold(), one.operator_id)
        ]
        if len(found) > 1:
            raise NobodyFits(tr("Several operators have this name: sign in by card, or type the id (op_…)."))
        return found[0] if found else NOBODY

    # --- signing in --------------------------------------------------------------------------------------------------

    async def sign_in_training(self, operator_id: str) -> None:
        """Be one of the training operators. Raises what the client raises."""
        await self._by_passphrase(operator_id, PASSPHRASE)

    async def sign_in_by_passphrase(self, name: str, passphrase: str) -> None:
        """By the operator's name (or id) and passphrase. Raises NobodyFits, and what the client raises."""
        await self._by_passphrase(self._id_of(name), passphrase)

    async def _by_passphrase(self, operator_id: str, passphrase: str) -> None:
        secret = base64.b64encode(unicodedata.normalize("NFC", passphrase).encode())
        body = PassphraseSignIn(
            operator_id=operator_id, unit_id=self._unit_id, passphrase=msgspec.Raw(b'"' + secret + b'"')
        )
        await self._take(await self._connection.operators_sign_in_by_passphrase(body))

    async def sign_in_by_card(self, reader: DeskReader, pin: str, operator_id: str | None = None) -> None:
        """By the card in that reader. Raises CardRefusal, StatementMismatch, and what the client raises."""
        own = self._connection
        challenge = await own.operators_challenge_card(CardChallengeBody(unit_id=self._unit_id))
        check_statement(challenge.statement, origin=own.base_url, unit_id=self._unit_id)
        certificate, signature = await self.cards.sign(reader, challenge.statement, pin)
        body = CardSignIn(
            challenge_id=challenge.challenge_id, certificate=certificate, signature=signature, operator_id=operator_id
        )
        await self._take(await own.operators_sign_in_by_card(body), reader)

    async def sign_in_by_browser(self) -> None:
        """At the site's OpenID provider, in the system browser. Raises BrowserRefusal, and what the client raises."""
        own = self._connection
        async with LoopbackRedirect() as redirect:
            begun = await own.operators_begin_openid(OpenIdBegin(unit_id=self._unit_id, redirect_uri=redirect.uri))
            self._open_url(QUrl(begun.authorization_url))
            came = await redirect.wait(begun.state, begun.seconds)
            body = OpenIdFinish(state=begun.state, code=came.code, iss=came.iss)
            await self._take(await own.operators_sign_in_by_openid(body))

    @property
    def _connection(self) -> ConsoleClient:
        if self._own is None:
            raise NotConnected
        return self._own

    async def _take(self, signed: SignedIn, reader: DeskReader | None = None) -> None:
        """Work with this session from now on; the one before it ends."""
        await self._leave()
        own = self._connection
        self._client = ConsoleClient(own.base_url, signed.key, self._session.calls.add)
        found = signed.session
        self._last = found.operator_id
        self._card = reader
        self._idle_limit_s = found.idle_limit_s
        self.presence.touch()
        self._stayed = running_s()
        self.operator = DeskOperator(
            found.operator_id, found.display_name, frozenset(found.roles), "" if reader is None else reader.name
        )
        self._be(DeskState.SIGNED_IN, self._client)
        self._second.start()
        self._watch = asyncio.get_running_loop().create_task(self._follow(self._client))
        self._look_at_card()

    # --- staying, locking, leaving -----------------------------------------------------------------------------------

    def lock(self, why: str = "") -> None:
        """Nobody acts here until somebody signs in. It holds at once, whether the service answers or not."""
        if self.state is not DeskState.SIGNED_IN:
            return
        client, self._client = self._client, None
        self._end_watch()
        self.cards.start()
        self._rest(DeskState.LOCKED, why or tr("Locked here."))
        if client is not None:
            farewell = asyncio.get_event_loop().create_task(_tell_end(client, ConsoleClient.operators_lock))
            self._farewells.add(farewell)
            farewell.add_done_callback(self._farewells.discard)

    async def _leave(self, end: Farewell = ConsoleClient.operators_lock) -> None:
        """Let go of the session that was, if there was one; ``end`` tells the service."""
        client, self._client = self._client, None
        self._end_watch()
        self.operator, self._card = None, None
        if client is not None:
            await _tell_end(client, end)

    def _end_watch(self) -> None:
        self._second.stop()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()

    def _rest(self, state: DeskState, why: str) -> None:
        """Nobody is signed in: pages see a client that only reads."""
        self.operator, self._card = None, None
        self.why, self.since = why, time.time()
        self._be(state, self._resting)

    def _be(self, state: DeskState, client: ConsoleClient | None = None) -> None:
        """Say where the desk is, then hand pages their client: they are entered by it, and must know who sits there."""
        self.state = state
        self._session.resting = state in RESTING
        self._session.operator = self.operator
        if client is not None:
            self._session.attach(client, client.base_url, client.clearance)
        self.changed.emit()

    async def _follow(self, client: ConsoleClient) -> None:
        """Look whether the session stands: it ends by a burn of its holder, a change of roles, an administrator."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await client.operators_who_am_i()
            except ApiError as refused:
                if refused.code == "unauthenticated" and client is self._client:
                    # The task must not cancel itself before the window is locked.
                    self._watch = None
                    self.lock(CUT_OFF)
                    return
            except Exception as error:  # a service that is away says nothing about the session
                if failure_of(error).code == "console_error":
                    raise

    def _beat(self) -> None:
        """Once a second: lock an unattended desk, and tell the service that somebody is there."""
        idle_s = self.presence.idle_s()
        if idle_s >= self._idle_limit_s:
            self.lock(tr("Nobody touched this desk for {minutes:.0f} min.", minutes=self._idle_limit_s / 60))
        elif (
            self._client is not None
            and self.presence.touched_at > self._stayed
            and running_s() - self._stayed >= STAY_S
        ):
            self._stayed = running_s()
            self._session.tasks.spawn(self._stay(self._client), name="stay signed in")

    async def _stay(self, client: ConsoleClient) -> None:
        with contextlib.suppress(Exception):  # ``_follow`` tells what it means
            await client.operators_stay()

    def _look_at_card(self) -> None:
        """The card by which somebody signed in must stay where it is."""
        if self._card is not None and not self.cards.holds(self._card):
            self.lock(tr("The card was taken out of the reader."))
        self.changed.emit()


async def _tell_end(client: ConsoleClient, end: Farewell) -> None:
    """Tell the service that a session ends, and close the connection that it had."""
    try:
        with contextlib.suppress(Exception):  # what the service does not hear, it ends by itself
            async with asyncio.timeout(FAREWELL_S):
                await end(client)
    finally:
        await client.aclose()
