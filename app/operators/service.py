"""Signing in and out: how an operator is recognized, and what is written down of it.

Every way in ends in the same step (``_open``): the operator is active, may use the method, and is nobody who is burned
or contained. Each attempt that was judged is a leaf, whether it got in or not; what came during a delay is none.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cryptography import x509
from sqlalchemy import Row

from app.api.keys import KeyRing
from app.api.keys_messages import KeyClearance
from app.api.operation import Caller, Clearance
from app.api.operator_id import is_operator_id
from app.api.problems import Problem, invalid_field
from app.api.roles import Roles
from app.api.wire import rfc3339
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.operators.card_proof import CardStatement, CardUnfit, ProvenCard, is_revoked, judge, make_statement
from app.operators.challenges import Challenges
from app.operators.delays import SignInDelays
from app.operators.messages import (
    CardChallenge,
    CardSignIn,
    OpenIdBegun,
    OpenIdFinish,
    PassphraseSet,
    SessionEnded,
    SessionList,
    SignedIn,
    SignInMethod,
    WhoAmI,
)
from app.operators.openid import OpenIdClient, OpenIdRequest, TokenUnfit, make_request
from app.operators.passphrases import check_passphrase, make_verifier, matches, wrong_passphrase
from app.operators.register import OperatorRegister, methods_of, roles_of
from app.operators.sessions import EndCause, EndedSession, Sessions, SignInIdentity
from app.pki.revocation import RevocationSource
from app.registry.service import Registry
from app.store.engine import Store
from app.store.errors import StoreError, StoreUnavailable, WriterBusy, WriterStopped
from app.store.writer import DENIED, Transaction

log = logging.getLogger(__name__)

SIGNED_IN: Final = "operators.sign_in"
ENDED: Final = "operators.session_end"
GUESSED: Final = "operator.guessed"
"""The alarm about an operator whose passphrase somebody guesses."""
GUESSES_ALARMED: Final = 8
COMPARED_AT_ONCE: Final = 2
"""Passphrases that are compared at the same time: each takes a core and 32 MiB."""
CARD_S: Final = 180.0
"""How long a card may sign: its holder types the PIN meanwhile."""
OPENID_S: Final = 600.0
"""How long a browser may take to sign in: people look for their second factor."""
LOOK_S: Final = 1.0
"""Between two looks for sessions whose time is over."""
UNKNOWN: Final = "unknown"
"""Stands in delays for every operator that there is not, so that guessed ids cost no memory."""


@dataclass(frozen=True)
class CardTrust:
    """By what a card is judged: the site's root, and who knows its certificates (grows while the site is wired)."""

    root: x509.Certificate
    sources: Sequence[RevocationSource]


@dataclass(frozen=True)
class _OwedLeaf:
    """A sign-in that the store has not written down yet."""

    operator_id: str
    node_id: str | None
    request_id: str
    detail: dict[str, object]

    def write(self, tx: Transaction) -> None:
        """Write it down."""
        tx.audit(
            SIGNED_IN, actor=self.operator_id, node_id=self.node_id, request_id=self.request_id, detail=self.detail
        )


class OperatorService:
    """The operators of a site. ``start`` and the calls: on the event loop."""

    def __init__(
        self,
        store: Store,
        register: OperatorRegister,
        registry: Registry,
        keyring: KeyRing,
        alarms: AlarmBook,
        sessions: Sessions,
        delays: SignInDelays,
        trust: CardTrust,
        openid: OpenIdClient | None = None,
    ) -> None:
        """``openid``: the site as a client of its provider; None: it has none."""
        self._trust = trust
        self._openid = openid
        self._logins: Challenges[OpenIdRequest] = Challenges(OPENID_S)
        self._cards: Challenges[CardStatement] = Challenges(CARD_S)
        self._store = store
        self.register = register
        self._registry = registry
        self._keyring = keyring
        self._alarms = alarms
        self.sessions = sessions
        self._delays = delays
        self._comparing = asyncio.Semaphore(COMPARED_AT_ONCE)
        self._owed: deque[_OwedLeaf] = deque()
        self._watch: asyncio.Task[None] | None = None
        sessions.on_end(self._note_ends)
        register.on_change(self._operator_changed)
        registry.units.on_change(self._unit_changed)

    # --- life ---

    def listen(self, bus: EventBus) -> None:
        """Ends the sessions of whom a burn or a containment denies. Before start only."""
        bus.subscribe(self._listen_for_denials)

    async def start(self) -> None:
        """Begins to end sessions whose time is over."""
        self._watch = asyncio.create_task(self._end_over(), name="operators-sessions")

    async def stop(self) -> None:
        """Ends that."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch

    async def _end_over(self) -> None:
        """End sessions whose time is over or whose card is revoked, and write down what is owed, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.sessions.end_over()
            if self._owed:
                await asyncio.to_thread(self._pay)
            if serials := self.sessions.serials():
                try:
                    revoked = await asyncio.to_thread(self._find_revoked, serials)
                except StoreError:
                    log.warning("the cards of open sessions could not be looked at", exc_info=True)
                    continue
                for session_id in revoked:
                    self.sessions.end(session_id, "card_revoked")

    def _find_revoked(self, serials: Mapping[str, int]) -> list[str]:
        with self._store.read() as connection:
            sources = self._trust.sources
            return [one for one, serial in serials.items() if is_revoked(sources, connection, serial)]

    def _listen_for_denials(self, event: Event) -> None:
        if event.kind in ("burn", "containment"):
            self.sessions.end_denied()

    def _operator_changed(self, tx: Transaction, operator_id: str, before: Row[Any] | None) -> None:
        del before
        tx.after_commit(functools.partial(self.sessions.end_operator, operator_id, "changed"))

    def _unit_changed(self, tx: Transaction, unit_id: str, before: Row[Any] | None) -> None:
        after = self._registry.units.row(tx.connection, unit_id)
        if before is not None and (after is None or after.thumbprint != before.thumbprint):
            tx.after_commit(functools.partial(self.sessions.end_unit, unit_id))

    def _note_ends(self, ended: Sequence[EndedSession]) -> None:
        for one in ended:
            self._keyring.end_grant(one.session_id)
        # Nobody waits: the sessions have ended in any case. A sign-out writes its own leaf, and waits for that.
        later = [one for one in ended if one.cause not in ("signed_out", "locked", "ended_by_admin")]
        if later:
            with contextlib.suppress(StoreUnavailable):
                self._store.writer.submit(lambda tx: _end_leaves(tx, later, "service", None))

    # --- signing in ---

    async def by_passphrase(
        self, operator_id: str, passphrase: memoryview, unit_id: str, *, source: str, request_id: str
    ) -> SignedIn:
        """A session for who knows the operator's passphrase. ``source``: the API key by which the call came. 403
        ``proof_invalid`` for anything that does not fit, 404 for an unknown unit, 429 while guesses are delayed."""
        row = await asyncio.to_thread(self._find, operator_id)
        count = self._delays.begin(operator_id if row is not None else UNKNOWN, source)
        verifier = None if row is None or "passphrase" not in methods_of(row) else await self._verifier(operator_id)
        async with self._comparing:
            right = await asyncio.to_thread(matches, passphrase, verifier)
        if row is None or not right:
            await self._refuse(operator_id, unit_id, "passphrase", "wrong", source, request_id, guesses=count)
            raise wrong_passphrase()
        self._delays.forgive(operator_id, source)
        return await self._open(row, unit_id, "passphrase", source, request_id)

    def challenge_card(self, unit_id: str, origin: str, *, source: str) -> CardChallenge:
        """What a card is to sign for a session at the unit. ``origin``: the address by which this service is called."""
        statement = make_statement(origin, unit_id)
        return CardChallenge(
            challenge_id=self._cards.add(statement, source), statement=statement.text, seconds=self._cards.seconds
        )

    async def by_card(self, body: CardSignIn, *, source: str, request_id: str) -> SignedIn:
        """A session for the holder of a card who knows its PIN. 403 ``proof_invalid`` for a card or signature that does
        not do, and for a person who is no operator; 409 ``replayed``: the challenge is over; 422: no base64."""
        statement = self._cards.take(body.challenge_id, source)
        certificate = _bytes(body.certificate, "/certificate")
        signature = _bytes(body.signature, "/signature")

        def look() -> tuple[ProvenCard | str, list[Row[Any]]]:
            with self._store.read() as connection:
                try:
                    proven = judge(
                        certificate,
                        signature,
                        statement,
                        root=self._trust.root,
                        sources=self._trust.sources,
                        connection=connection,
                    )
                except CardUnfit as unfit:
                    return unfit.cause, []
                return proven, list(self.register.by_node(connection, proven.node_id))

        proven, operators = await asyncio.to_thread(look)
        if isinstance(proven, str):
            await self._refuse(body.operator_id, statement.unit_id, "card", proven, source, request_id)
            raise Problem("proof_invalid", _CARD_WORDS.get(proven, _CARD_WORDS["signature"]))
        row = _choose(operators, body.operator_id)
        if row is None:
            cause = "several" if operators and body.operator_id is None else "no_operator"
            await self._refuse(body.operator_id, statement.unit_id, "card", cause, source, request_id)
            raise Problem("proof_invalid", _CARD_WORDS[cause])
        return await self._open(row, statement.unit_id, "card", source, request_id, serial=proven.serial)

    async def begin_openid(self, unit_id: str, redirect_uri: str, *, source: str) -> OpenIdBegun:
        """Where a browser goes to sign an operator in. 409: the site has no provider; 422: no loopback redirect; 503:
        the provider cannot be asked."""
        client = self._provider()
        request = make_request(unit_id, redirect_uri)
        state = self._logins.add(request, source)
        url = await client.authorization_url(request, state)
        return OpenIdBegun(state=state, authorization_url=url, seconds=self._logins.seconds)

    async def by_openid(self, body: OpenIdFinish, *, source: str, request_id: str) -> SignedIn:
        """A session for the operator whom the provider names. 403 ``proof_invalid`` for a code or ID token that does
        not do, or of nobody known; 409 ``replayed``: the state is over; 503: the provider cannot be asked."""
        client = self._provider()
        request = self._logins.take(body.state, source)
        try:
            if body.iss not in (None, client.issuer):
                raise TokenUnfit("iss")
            proven = await client.redeem(request, body.code)
        except TokenUnfit as unfit:
            await self._refuse(None, request.unit_id, "oidc", unfit.cause, source, request_id)
            raise Problem("proof_invalid", _OPENID_WORDS.get(unfit.cause, _OPENID_WORDS["signature"])) from None

        def find() -> Row[Any] | None:
            with self._store.read() as connection:
                return self.register.by_subject(connection, proven.subject)

        row = await asyncio.to_thread(find)
        if row is None:
            await self._refuse(None, request.unit_id, "oidc", "no_operator", source, request_id)
            raise Problem("proof_invalid", _OPENID_WORDS["no_operator"])
        return await self._open(row, request.unit_id, "oidc", source, request_id, proven.roles)

    def _provider(self) -> OpenIdClient:
        if self._openid is None:
            raise Problem("state_conflict", "This site has no OpenID provider: sign in in another way.")
        return self._openid

    async def _open(
        self,
        row: Row[Any],
        unit_id: str,
        method: SignInMethod,
        source: str,
        request_id: str,
        roles: Roles | None = None,
        serial: int | None = None,
    ) -> SignedIn:
        """The session of an operator who has been recognized. ``roles``: what a provider grants of its roles;
        ``serial``: of the card's certificate."""
        why = self._bar(row, method)
        if why is not None:
            await self._refuse(row.operator_id, unit_id, method, why, source, request_id)
            raise Problem("proof_invalid", _WORDS[why])
        if await asyncio.to_thread(self._registry.unit_key, unit_id) is None:
            raise Problem("not_found", f"No unit {unit_id} is registered; PUT it under /v1/registry/units.")
        granted = roles_of(row) if roles is None else roles_of(row) & roles
        if not granted:
            await self._refuse(row.operator_id, unit_id, method, "no_role", source, request_id)
            raise Problem("proof_invalid", _WORDS["no_role"])
        identity = SignInIdentity(row.operator_id, row.display_name, row.node_id, granted)
        key, session = self.sessions.open(identity, unit_id, method, serial=serial)
        detail: dict[str, object] = {
            "session_id": session.session_id,
            "unit_id": unit_id,
            "method": method,
            "by": source,
            "roles": [role.value for role in session.roles],
        }
        if serial is not None:
            detail["certificate"] = f"{serial:x}"
        try:
            await self._write_down(row, request_id, detail)
        except BaseException:
            # What nobody has written down did not begin.
            self.sessions.end(session.session_id, "changed")
            raise
        return SignedIn(key=key, session=session)

    async def _write_down(self, row: Row[Any], request_id: str, detail: dict[str, object]) -> None:
        """The leaf of a sign-in. On a disk without room it is owed: a burn must not wait for room, and nothing but a
        burn is taken then, whose own leaf names session and operator."""
        try:
            await self._store.writer.run(lambda tx: self._admit(tx, row, request_id, detail))
        except (WriterBusy, WriterStopped):
            raise
        except StoreUnavailable:
            if await asyncio.to_thread(self._find, row.operator_id) != row:
                raise
            log.warning("an operator signed in that the store could not write down yet")
            late = {**detail, "signed_in_at": rfc3339(time.time_ns() // 1000)}
            self._owed.append(_OwedLeaf(row.operator_id, row.node_id, request_id, late))

    def _pay(self) -> None:
        """Has the store write down what it owes, as soon as it takes it."""
        while self._owed:
            owed = self._owed[0]
            try:
                self._store.writer.submit(owed.write).result()
            except StoreError:
                return
            self._owed.popleft()

    def _admit(self, tx: Transaction, seen: Row[Any], request_id: str, detail: dict[str, object]) -> None:
        """The leaf of a sign-in, if the operator is still the one who was recognized: a change that became durable
        meanwhile found no session to end."""
        now = self.register.row(tx.connection, seen.operator_id)
        if now is None or now != seen:
            raise Problem("state_conflict", "This operator was changed at this moment: sign in again.")
        tx.audit(SIGNED_IN, actor=seen.operator_id, node_id=seen.node_id, request_id=request_id, detail=detail)

    def _bar(self, row: Row[Any], method: SignInMethod) -> str | None:
        """Why the operator may not sign in by this method, a word; None: it may."""
        if row.state != "active":
            return "ended"
        if method not in methods_of(row):
            return "method"
        if row.node_id is not None:
            if self._registry.deny.denies_node(row.node_id) is not None:
                return "denied"
            with self._store.read() as connection:
                if self._registry.node(connection, row.node_id) is None:
                    return "no_node"
        return None

    async def _refuse(
        self,
        operator_id: str | None,
        unit_id: str,
        method: SignInMethod,
        cause: str,
        source: str,
        request_id: str,
        *,
        guesses: int = 0,
    ) -> None:
        """Writes a sign-in down that got nobody in, and calls a person to one that is guessed at."""
        detail = {"operator_id": operator_id, "unit_id": unit_id, "method": method, "cause": cause}

        def job(tx: Transaction) -> None:
            tx.audit(SIGNED_IN, actor=source, outcome=DENIED, request_id=request_id, detail=detail)
            if operator_id is not None and guesses >= GUESSES_ALARMED:
                text = f"{guesses} wrong passphrases for operator {operator_id} came by {source}, one after another."
                self._alarms.raise_alarm(tx, GUESSED, operator_id, text, ref=operator_id, actor=source, renew=True)

        await self._store.writer.run(job)

    def _find(self, operator_id: str) -> Row[Any] | None:
        if not is_operator_id(operator_id):
            return None
        with self._store.read() as connection:
            return self.register.row(connection, operator_id)

    async def _verifier(self, operator_id: str) -> bytes | None:
        def read() -> bytes | None:
            with self._store.read() as connection:
                return self.register.verifier(connection, operator_id)

        return await asyncio.to_thread(read)

    # --- sessions ---

    def who(self, caller: Caller) -> WhoAmI:
        """Who calls."""
        session = None if caller.acting is None else self.sessions.get(caller.acting.session_id)
        clearance: KeyClearance = "citadel" if caller.clearance is Clearance.CITADEL else "sovereign"
        return WhoAmI(actor=caller.key_id, clearance=clearance if session is None else None, session=session)

    async def end_own(self, caller: Caller, cause: EndCause, *, request_id: str) -> SessionEnded:
        """The caller's session ends. 409 for an API key, which has none."""
        return await self._end(_session_of(caller), cause, caller.key_id, request_id)

    async def end(self, session_id: str, *, actor: str, request_id: str) -> SessionEnded:
        """An administrator ends a session. 404: there is none of the id."""
        return await self._end(session_id, "ended_by_admin", actor, request_id)

    async def _end(self, session_id: str, cause: EndCause, actor: str, request_id: str) -> SessionEnded:
        ended = self.sessions.end(session_id, cause)
        if ended is None:
            raise Problem("not_found", f"There is no session {session_id}; it may have ended meanwhile.")
        await self._store.writer.run(lambda tx: _end_leaves(tx, [ended], actor, request_id))
        return SessionEnded(session_id=session_id, ended_at=rfc3339(time.time_ns() // 1000))

    def all_sessions(self) -> SessionList:
        """Every session."""
        return SessionList(items=self.sessions.all())

    # --- passphrases ---

    async def set_passphrase(
        self,
        operator_id: str,
        passphrase: memoryview,
        *,
        approval_id: str | None,
        actor: str,
        request_id: str,
        own_session: str | None = None,
    ) -> PassphraseSet:
        """Gives an operator a passphrase. 404: no such operator; 409: a second person must approve it; 422: too
        short. The operator's sessions end, except ``own_session``."""
        check_passphrase(passphrase, "/passphrase")
        async with self._comparing:
            verifier = await asyncio.to_thread(make_verifier, passphrase)

        def job(tx: Transaction) -> str:
            end = functools.partial(self.sessions.end_operator, operator_id, "changed", but=own_session)
            tx.after_commit(end)
            return self.register.set_passphrase(
                tx, operator_id, verifier, actor=actor, approval_id=approval_id, request_id=request_id
            )

        return PassphraseSet(operator_id=operator_id, passphrase_set_at=await self._store.writer.run(job))

    async def change_own(
        self, caller: Caller, current: memoryview, passphrase: memoryview, *, request_id: str
    ) -> PassphraseSet:
        """The operator's own next passphrase; its other sessions end. 403: ``current`` is wrong; 409: the caller is no
        operator; 429: too many wrong ones."""
        own_session = _session_of(caller)
        check_passphrase(passphrase, "/passphrase")
        self._delays.begin(caller.key_id, caller.key_id)
        verifier = await self._verifier(caller.key_id)
        async with self._comparing:
            right = await asyncio.to_thread(matches, current, verifier)
        if not right:
            raise wrong_passphrase()
        self._delays.forgive(caller.key_id, caller.key_id)
        return await self.set_passphrase(
            caller.key_id,
            passphrase,
            approval_id=None,
            actor=caller.key_id,
            request_id=request_id,
            own_session=own_session,
        )


_WORDS: Final = {
    "ended": "This operator is no operator of the site any more: ask an administrator.",
    "method": "This operator does not sign in this way: ask an administrator.",
    "denied": "The access of this operator's person was ended or is held: ask an administrator.",
    "no_node": "This operator's person is not registered any more: ask an administrator.",
    "no_role": "The provider grants this operator no role of its own: ask an administrator.",
}


_OPENID_WORDS: Final = {
    "signature": "What the provider said does not hold: sign in there once more.",
    "code": "The provider does not take this code: sign in there once more.",
    "expired": "The provider's word is too old: sign in there once more, and set the clocks.",
    "no_role": _WORDS["no_role"],
    "no_operator": "The provider's person is no operator of this site: ask an administrator.",
}
_CARD_WORDS: Final = {
    "not_ours": "This card's certificate is not of this site, or is not valid now: use a card that was written here.",
    "revoked": "This card's certificate is revoked or held: use another card.",
    "wrong_slot": "Sign with the key of slot 9A, after the PIN.",
    "signature": "The card's certificate or signature does not hold: sign the statement of a new challenge.",
    "no_operator": "The holder of this card is no operator who signs in by card: ask an administrator.",
    "several": "The holder of this card is more than one operator: name the operator_id.",
}


def _bytes(text: str, pointer: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise invalid_field(pointer, "Send a text of base64.") from None


def _choose(operators: Sequence[Row[Any]], operator_id: str | None) -> Row[Any] | None:
    """The operator who is meant of those who are the card's holder; None: it is not clear, or there is none."""
    by_card = [row for row in operators if "card" in methods_of(row)]
    if operator_id is not None:
        return next((row for row in by_card if row.operator_id == operator_id), None)
    return by_card[0] if len(by_card) == 1 else None


def _session_of(caller: Caller) -> str:
    if caller.acting is None:
        raise Problem("state_conflict", "An API key has no session: sign in as an operator first.")
    return caller.acting.session_id


def _end_leaves(tx: Transaction, ended: Sequence[EndedSession], actor: str, request_id: str | None) -> None:
    for one in ended:
        about = {"session_id": one.session_id, "unit_id": one.unit_id, "operator_id": one.operator_id}
        tx.audit(ENDED, actor=actor, request_id=request_id, detail={**about, "cause": one.cause})
