"""The sessions of operators: in memory alone, so that a restart ends them all.

A session ends by sign-out, by a lock, when its time is over, when nobody was there for a while, when an administrator
ends it, when its unit goes, when the operator ends or is changed, and when the operator's node is burned or contained.
The last is asked of the deny set at each call: a burned operator is out before the burn is durable.

Kept of a session's key is a digest under a secret of this process. Times are those of a clock that counts while the
machine sleeps, where there is one: a laptop that was closed for the night wakes up locked.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.api.keys import Unauthenticated, make_session_key
from app.api.lineage import SESSION_PREFIX
from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.api.roles import Role, Roles
from app.api.wire import rfc3339
from app.operators.messages import Session, SignInMethod
from app.running_clock import running_s
from app.store.acting import Acting

SESSIONS_MAX: Final = 1_000
PER_OPERATOR: Final = 8
"""Sessions of one operator at a time; the one that was idle longest ends for a further one."""

EndCause = Literal[
    "signed_out",
    "locked",
    "expired",
    "idle",
    "ended_by_admin",
    "changed",
    "unit_gone",
    "denied",
    "more",
    "card_revoked",
]


@dataclass(frozen=True)
class SignInIdentity:
    """The operator as a sign-in found it; ``roles`` are those of the session."""

    operator_id: str
    display_name: str
    node_id: str | None
    roles: Roles


@dataclass(slots=True, eq=False)
class _Open:
    caller: Caller
    identity: SignInIdentity
    method: SignInMethod
    serial: int | None
    acting: Acting
    digest: bytes
    opened_us: int
    end: float
    seen: float


@dataclass(frozen=True)
class EndedSession:
    """A session that has ended, for its leaf."""

    session_id: str
    operator_id: str
    unit_id: str
    cause: EndCause


OnEnd = Callable[[Sequence[EndedSession]], None]
"""Called once for sessions that ended, on the thread that ended them: quick, and it must not raise."""


class Sessions:
    """The sessions of a running service. ``authenticate`` is for the event loop, the rest for any thread."""

    def __init__(
        self,
        *,
        longest_s: float,
        idle_s: float,
        is_denied: Callable[[str], bool],
        clock: Callable[[], float] = running_s,
    ) -> None:
        """``is_denied``: whether a node may do nothing at this moment; quick, on any thread."""
        self._longest_s = longest_s
        self._idle_s = idle_s
        self._is_denied = is_denied
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._by_digest: dict[bytes, _Open] = {}
        self._by_id: dict[str, _Open] = {}
        self._on_end: list[OnEnd] = []

    def on_end(self, told: OnEnd) -> None:
        """Calls ``told`` for sessions that end, for any cause. Before the service starts."""
        self._on_end.append(told)

    # --- opening ---

    def open(
        self, identity: SignInIdentity, unit_id: str, method: SignInMethod, *, serial: int | None = None
    ) -> tuple[str, Session]:
        """A new session and its key, which exists in what this returns alone. ``serial``: of the card's certificate.
        429 where the service holds ``SESSIONS_MAX``."""
        key = make_session_key()
        now = self._clock()
        acting = Acting(identity.operator_id, f"{SESSION_PREFIX}{secrets.token_hex(8)}", unit_id)
        # Roles bind an operator. The clearance opens what asks for one beside its row, as a card's PIN mailer does.
        caller = Caller(identity.operator_id, Clearance.CITADEL, "operator", roles=identity.roles, acting=acting)
        opened = _Open(
            caller=caller,
            identity=identity,
            method=method,
            serial=serial,
            acting=acting,
            digest=self._digest(key.encode("ascii")),
            opened_us=time.time_ns() // 1000,
            end=now + self._longest_s,
            seen=now,
        )
        with self._lock:
            mine = sorted(
                (one for one in self._by_id.values() if one.identity.operator_id == identity.operator_id),
                key=lambda one: one.seen,
            )
            ended = [self._take_out(one, "more") for one in mine[: max(0, len(mine) - PER_OPERATOR + 1)]]
            if len(self._by_id) >= SESSIONS_MAX:
                raise Problem("rate_limited", "Too many operators are signed in.", headers={"Retry-After": "60"})
            self._by_digest[opened.digest] = opened
            self._by_id[acting.session_id] = opened
        self._tell(ended)
        return key, self._message(opened, now)

    # --- calls ---

    def authenticate(self, key: bytes) -> Caller:
        """The operator whose session this key opens (``app.api.keys.OpenSessions``)."""
        opened = self._by_digest.get(self._digest(key))
        if opened is None:
            raise Unauthenticated("unknown")
        cause = self._why_over(opened, self._clock())
        if cause is not None:
            self._end([opened], cause)
            raise Unauthenticated(cause, opened.identity.operator_id)
        return opened.caller

    def note_act(self, session_id: str) -> None:
        """The operator did something (``app.api.keys.OpenSessions``)."""
        opened = self._by_id.get(session_id)
        if opened is not None:
            opened.seen = self._clock()

    def is_open(self, session_id: str) -> bool:
        """Whether the session opens calls now (``app.api.keys.OpenSessions``)."""
        opened = self._by_id.get(session_id)
        return opened is not None and self._why_over(opened, self._clock()) is None

    def get(self, session_id: str) -> Session | None:
        """The session, or None: it has ended."""
        opened = self._by_id.get(session_id)
        return None if opened is None else self._message(opened, self._clock())

    def all(self) -> list[Session]:
        """Every session, oldest first."""
        now = self._clock()
        with self._lock:
            held = sorted(self._by_id.values(), key=lambda one: one.opened_us)
        return [self._message(one, now) for one in held if self._why_over(one, now) is None]

    def serials(self) -> dict[str, int]:
        """The serial numbers of the certificates by which sessions were opened, by session."""
        with self._lock:
            return {name: one.serial for name, one in self._by_id.items() if one.serial is not None}

    # --- ending ---

    def end(self, session_id: str, cause: EndCause) -> EndedSession | None:
        """Ends the session at once; None: it has ended already."""
        opened = self._by_id.get(session_id)
        ended = [] if opened is None else self._end([opened], cause)
        return ended[0] if ended else None

    def end_operator(self, operator_id: str, cause: EndCause, *, but: str | None = None) -> None:
        """Ends the sessions of an operator, except the one with the id ``but``."""
        self._end_where(lambda one: one.identity.operator_id == operator_id and one.acting.session_id != but, cause)

    def end_unit(self, unit_id: str) -> None:
        """Ends the sessions of a unit that is registered no more."""
        self._end_where(lambda one: one.acting.unit_id == unit_id, "unit_gone")

    def end_denied(self) -> None:
        """Ends the sessions whose operators' nodes are denied now."""
        self._end_where(self._is_out, "denied")

    def end_over(self) -> None:
        """Ends the sessions whose time is over, so that what they opened ends as well though nobody calls."""
        now = self._clock()
        for cause in ("denied", "expired", "idle"):
            with self._lock:
                held = [one for one in self._by_id.values() if self._why_over(one, now) == cause]
            self._end(held, cause)

    def _end_where(self, which: Callable[[_Open], bool], cause: EndCause) -> None:
        with self._lock:
            held = [one for one in self._by_id.values() if which(one)]
        self._end(held, cause)

    def _end(self, held: Collection[_Open], cause: EndCause) -> list[EndedSession]:
        with self._lock:
            ended = [self._take_out(one, cause) for one in held if one.acting.session_id in self._by_id]
        self._tell(ended)
        return ended

    def _take_out(self, opened: _Open, cause: EndCause) -> EndedSession:
        """The caller holds the lock."""
        del self._by_digest[opened.digest]
        del self._by_id[opened.acting.session_id]
        return EndedSession(opened.acting.session_id, opened.identity.operator_id, opened.acting.unit_id, cause)

    def _tell(self, ended: Sequence[EndedSession]) -> None:
        if ended:
            for told in self._on_end:
                told(ended)

    # --- judging ---

    def _why_over(self, opened: _Open, now: float) -> Literal["denied", "expired", "idle"] | None:
        if self._is_out(opened):
            return "denied"
        if now >= opened.end:
            return "expired"
        return "idle" if now - opened.seen >= self._idle_s else None

    def _is_out(self, opened: _Open) -> bool:
        return opened.identity.node_id is not None and self._is_denied(opened.identity.node_id)

    def _digest(self, key: bytes) -> bytes:
        return hmac.digest(self._secret, key, "sha256")

    def _message(self, opened: _Open, now: float) -> Session:
        """The session as the wire shows it at ``now`` of the sessions' clock."""
        left_us = round((opened.end - now) * 1e6)
        identity = opened.identity
        return Session(
            session_id=opened.acting.session_id,
            operator_id=identity.operator_id,
            display_name=identity.display_name,
            node_id=identity.node_id,
            unit_id=opened.acting.unit_id,
            roles=[role for role in Role if role in identity.roles],
            method=opened.method,
            signed_in_at=rfc3339(opened.opened_us),
            expires_at=rfc3339(time.time_ns() // 1000 + left_us),
            idle_s=round(now - opened.seen, 3),
            idle_limit_s=self._idle_s,
        )
