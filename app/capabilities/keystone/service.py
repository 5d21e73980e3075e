"""Sessions of rotating codes: opened and renewed; each code is accepted once; a session ends by time, by renewal, by a
burn, or with the API key that opened it.

A session lives in memory alone: after a restart the service accepts none of the codes that were shown before. Only the
writer's thread changes the sessions, in the transaction that holds the leaf. So of two verifications of one code, one
comes first, and a burn ends a session exactly when the burn is durable. A change whose transaction is not committed in
the end was only too strict.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.api.problems import Problem
from app.api.wire import base64url_text, rfc3339
from app.capabilities.keystone.messages import (
    LIFETIME_S,
    STEP_MS,
    CodeSession,
    QrRotateBody,
    QrSession,
    QrVerdict,
    QrVerifyBody,
    boot_ns,
    step_at,
    to_next_ns,
)
from app.delivery.alarms import AlarmBook
from app.delivery.events import Holding, RevocationEvidence
from app.registry.service import Registry
from app.registry.terminals import KEYED
from app.store.engine import Store
from app.store.writer import ACCEPTED, DENIED, Transaction
from hardware.terminals.keystone import NONCE_BYTES, TOKEN_BYTES, BadPayload, CodeFrame, parse

ROTATE = "keystone.rotate"
VERIFY = "keystone.verify"
REVOKE = "keystone.revoke"
REPLAYED = "keystone.replayed"
HOLDER_ID = "qr-sessions"
SESSIONS_MAX = 20_000

_NAME = "Rotating codes"
_LIFETIME_NS = LIFETIME_S * 1_000_000_000
_STEP_NS = STEP_MS * 1_000_000
_DRIFT_NS = 100_000_000
"""How early before a step its code may come: the clocks of terminals drift."""
_ALARM_NS = 3600 * 1_000_000_000
"""An alarm is cleared when no code was shown twice at its terminal for this long."""
_REFUSED = QrVerdict(accepted=False, step_age=None, sid=None)


@dataclass(slots=True, eq=False)
class _Live:
    """One session. ``issued_ns`` None: its leaf is not durable yet, and its token has not been given out."""

    session: CodeSession
    token_digest: bytes
    key_id: str
    """Id of the API key that opened or renewed the session: its holder knows the secret of the codes."""
    node_id: str | None
    intent: str | None
    ends_ns: int
    issued_ns: int | None = None
    used: set[int] = field(default_factory=set)

    @property
    def terminal_id(self) -> str:
        return self.session.terminal_id


class Keystone:
    """Serves the rows of ``keystone``; a ``GrantHolder``. ``sweep`` is called each minute (``Registry.add_sweep``).
    ``clock_ns`` must count suspend and never be set."""

    def __init__(
        self, store: Store, registry: Registry, alarms: AlarmBook, clock_ns: Callable[[], int] = boot_ns
    ) -> None:
        self._store = store
        self._registry = registry
        self._alarms = alarms
        self._clock_ns = clock_ns
        self._by_sid: dict[bytes, _Live] = {}
        self._by_token: dict[bytes, _Live] = {}
        self._ended_keys: set[str] = set()
        # Terminals with an open alarm, and when a code was last shown twice there.
        self._alarmed = dict.fromkeys(alarms.keys(REPLAYED), clock_ns())

    # --- the calls ---

    async def rotate(self, body: QrRotateBody, *, actor: str, request_id: str | None = None) -> QrSession:
        """Opens a session or renews one. 404: no such terminal or node; 409: the node is burned or contained; 503: too
        many sessions live."""
        token, nonce = secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(NONCE_BYTES)
        made = await self._store.writer.run(lambda tx: self._rotate(tx, body, token, nonce, actor, request_id))
        if isinstance(made, Problem):
            raise made
        issued_us = time.time_ns() // 1000
        return QrSession(
            session_token=base64url_text(token),
            rotation_interval_ms=STEP_MS,
            seed_nonce="0x" + nonce.hex(),
            terminal_id=made.terminal_id,
            sid=made.session.sid.hex(),
            epoch_ms=issued_us // 1000,
            expires_at=rfc3339(issued_us + LIFETIME_S * 1_000_000),
        )

    def _rotate(
        self, tx: Transaction, body: QrRotateBody, token: bytes, nonce: bytes, actor: str, request_id: str | None
    ) -> _Live | Problem:
        """Opens or renews a session, with its leaf. The refusal of a denied node is returned, not raised, so that its
        leaf stays."""
        if actor in self._ended_keys:
            # The key was revoked after this call was let in: a session would outlive the key by its whole life.
            raise Problem("unauthenticated", "This API key was revoked.")
        old = self._renewable(body, KEYED + actor)
        terminal_id = self._terminal(tx, body.terminal_id, old, KEYED + actor)
        node_id = body.node_id or (None if old is None else old.node_id)
        intent = body.intent or (None if old is None else old.intent)
        denied = None
        if node_id is not None:
            self._registry.require_node(tx.connection, node_id)
            denied = self._registry.deny.denies_node(node_id)
        if len(self._by_sid) >= SESSIONS_MAX:
            raise Problem(
                "dependency_unavailable", "Too many codes are shown now: try again.", headers={"Retry-After": "60"}
            )
        session = CodeSession(token, nonce, terminal_id)
        tx.audit(
            ROTATE,
            actor=actor,
            outcome=ACCEPTED if denied is None else DENIED,
            node_id=node_id,
            request_id=request_id,
            detail={
                "terminal_id": terminal_id,
                **({} if intent is None else {"intent": intent}),
                **({} if old is None else {"renews": old.session.sid.hex()}),
                **({"sid": session.sid.hex()} if denied is None else {"reason": denied.cause}),
            },
        )
        if denied is not None:
            word = "burned" if denied.cause == "burn" else "contained"
            return Problem("state_conflict", f"Node {node_id} is {word}: no code is shown for it.")
        live = _Live(session, _digest(base64url_text(token)), actor, node_id, intent, self._clock_ns() + _LIFETIME_NS)
        # Now and not after the commit: a burn in the same commit must find the session.
        self._by_sid[session.sid] = self._by_token[live.token_digest] = live
        tx.after_commit(lambda: self._issue(live, old))
        return live

    def _renewable(self, body: QrRotateBody, own: str) -> _Live | None:
        """The valid session of this token; None if it is of another terminal, or is another key's own."""
        if body.session_token is None:
            return None
        old = self._by_token.get(_digest(body.session_token))
        if old is None or self._clock_ns() >= old.ends_ns or body.terminal_id not in (None, old.terminal_id):
            return None
        return None if old.terminal_id.startswith(KEYED) and old.terminal_id != own else old

    def _terminal(self, tx: Transaction, asked: str | None, old: _Live | None, own: str) -> str:
        """The terminal that the codes name. 404 for one that is not registered, or is another key's own."""
        terminal_id = asked or (own if old is None else old.terminal_id)
        if not terminal_id.startswith(KEYED):
            self._registry.terminals.require(tx.connection, terminal_id)
        elif asked not in (None, own):
            raise Problem("not_found", "This is the terminal of another key: leave terminal_id out, or register one.")
        return terminal_id

    def _issue(self, live: _Live, old: _Live | None) -> None:
        """The session's leaf is durable: its time begins, and that of the session that it renews ends."""
        now_ns = self._clock_ns()
        live.issued_ns, live.ends_ns = now_ns, now_ns + _LIFETIME_NS
        if old is not None:
            # A code that was on the screen may still be on its way.
            old.ends_ns = min(old.ends_ns, now_ns + 2 * _STEP_NS)

    async def verify(self, body: QrVerifyBody, *, actor: str, request_id: str | None = None) -> QrVerdict:
        """Judges a code by the moment of this call; an accepted code is used up. 404: no such terminal; 409
        ``replayed``: the code was accepted before, and an alarm is open. A code with any other fault is not accepted,
        and only the leaf names the fault."""
        at_ns = self._clock_ns()
        verdict = await self._store.writer.run(lambda tx: self._verify(tx, body, at_ns, actor, request_id))
        if isinstance(verdict, Problem):
            raise verdict
        return verdict

    def _verify(
        self, tx: Transaction, body: QrVerifyBody, at_ns: int, actor: str, request_id: str | None
    ) -> QrVerdict | Problem:
        """Judges a code, with its leaf. A refusal is returned, not raised, so that its leaf stays."""
        keyed = body.terminal_id.startswith(KEYED)
        slow_link = not keyed and self._registry.terminals.require(tx.connection, body.terminal_id).slow_link
        try:
            frame = parse(body.payload)
        except BadPayload:
            live, age, cause = None, None, "malformed"
        else:
            live = self._by_sid.get(frame.sid)
            age, cause = self._judge(tx, live, frame, body.terminal_id, at_ns, slow_link=slow_link)
        tx.audit(
            VERIFY,
            actor=actor,
            outcome=DENIED if cause else ACCEPTED,
            node_id=None if live is None else live.node_id,
            request_id=request_id,
            detail={
                "terminal_id": body.terminal_id,
                **({} if live is None else {"sid": live.session.sid.hex()}),
                **({} if live is None or live.intent is None else {"intent": live.intent}),
                **({} if age is None else {"step_age": age}),
                **({"reason": cause} if cause else {}),
            },
        )
        if live is not None and cause == "replayed":
            text = f"A code of terminal {live.terminal_id} was shown a second time: see who stands there."
            self._alarms.raise_alarm(tx, REPLAYED, live.terminal_id, text, node_id=live.node_id, ref=live.terminal_id)
            self._alarmed[live.terminal_id] = at_ns
            return Problem("replayed", "This code was accepted before: scan the one that is shown now.")
        if live is None or cause:
            return _REFUSED
        return QrVerdict(accepted=True, step_age=age, sid=live.session.sid.hex())

    def _judge(
        self, tx: Transaction, live: _Live | None, frame: CodeFrame, terminal_id: str, at_ns: int, *, slow_link: bool
    ) -> tuple[int | None, str]:
        """Age of the code in steps (None where its proof was not reached or failed), and why it is not accepted; "": it
        is accepted, and thereby used up."""
        if live is None or live.issued_ns is None:
            return None, "unknown"
        if live.terminal_id != terminal_id:
            return None, "terminal"
        if not live.session.proves(frame):
            return None, "proof"
        since_ns = at_ns - live.issued_ns
        age = step_at(since_ns) - frame.step
        # Before its time is judged: a used code that is shown again was recorded, no matter how late it comes.
        if frame.step in live.used:
            return age, "replayed"
        early = age == -1 and to_next_ns(since_ns) <= _DRIFT_NS
        if at_ns >= live.ends_ns or not (early or age in (0, 1) or (age == 2 and slow_link)):
            return age, "time"
        if live.node_id is not None:
            if self._registry.deny.denies_node(live.node_id) is not None:
                return age, "denied"
            if self._registry.node(tx.connection, live.node_id) is None:
                return age, "unknown_node"
        live.used.add(frame.step)
        return age, ""

    # --- what ends sessions ---

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's valid sessions."""
        now_ns = self._clock_ns()
        count = sum(now_ns < live.ends_ns for live in self._of_node(node_id))
        if not count:
            return ()
        detail = f"each ends at most {LIFETIME_S} s after its issue"
        return (Holding(HOLDER_ID, "session", _NAME, count, reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Ends the node's sessions inside the burn's transaction."""
        ended = self._of_node(node_id)
        if not ended:
            return ()
        for live in ended:
            self._drop(live)
        sids = [live.session.sid.hex() for live in ended]
        tx.audit(REVOKE, actor="service", node_id=node_id, detail={"burn_id": burn_id, "sids": sids})
        detail = f"{len(ended)} session{'' if len(ended) == 1 else 's'} ended"
        return (RevocationEvidence(HOLDER_ID, "session", _NAME, len(ended), already=False, detail=detail),)

    def end_key(self, key_id: str) -> None:
        """Ends the sessions that a revoked key opened; the revocation itself has the leaf. On the writer's thread."""
        self._ended_keys.add(key_id)
        for live in self._sessions():
            if live.key_id == key_id:
                self._drop(live)

    def sweep(self, tx: Transaction) -> int:
        """Forgets ended sessions, and clears the alarms of terminals where no code was shown twice for an hour."""
        now_ns = self._clock_ns()
        ended = [live for live in self._sessions() if now_ns >= live.ends_ns]
        for live in ended:
            self._drop(live)
        quiet = [terminal_id for terminal_id, at_ns in self._alarmed.items() if now_ns - at_ns >= _ALARM_NS]
        for terminal_id in quiet:
            self._alarms.clear(tx, REPLAYED, terminal_id)
        tx.after_commit(lambda: self._forget(quiet))
        return len(ended)

    def _forget(self, terminal_ids: Sequence[str]) -> None:
        for terminal_id in terminal_ids:
            self._alarmed.pop(terminal_id, None)

    def _sessions(self) -> list[_Live]:
        # One atomic step: a preview reads this on other threads while the writer's thread changes the dict.
        return list(self._by_sid.values())

    def _of_node(self, node_id: str) -> list[_Live]:
        return [live for live in self._sessions() if live.node_id == node_id]

    def _drop(self, live: _Live) -> None:
        self._by_sid.pop(live.session.sid, None)
        self._by_token.pop(live.token_digest, None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
