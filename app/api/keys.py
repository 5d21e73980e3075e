"""API keys: made, looked up, rotated, revoked.

A key is ``arc_cit_`` or ``arc_sov_``, 32 base62 characters and 6 of a CRC-32, so a mistyped key
is dropped without the store, and scanners find a leaked one by ``arc_(cit|sov)_[0-9A-Za-z]{38}``. Stored is its
HMAC-SHA256 under a sealed pepper: the key has 190 bits of chance, so a slow hash would only be a way to exhaust the
service.

The key of an operator's session is ``arc_ses_`` and the same: it is stored nowhere, and the ring asks who holds the
sessions (``Sessions`` of ``app/operators``).
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hmac
import re
import secrets
import string
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import func, insert, or_, select, update

from app.api.keys_messages import CreateKey, KeyMade, KeyPage, KeyQuery, KeyRotated, KeyRow
from app.api.lineage import LAUNCH_KID, Lines
from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.api.tables import api_key, api_key_secret
from app.api.wire import FieldError, rfc3339, unix_us
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction

CREATED: Final = "keys.create"
ROTATED: Final = "keys.rotate"
REVOKED: Final = "keys.revoke"
CURSOR: Final = "api.keys"

KEY_PATTERN: Final = r"^arc_(cit|sov)_[0-9A-Za-z]{38}\Z"
USED_EVERY_US: Final = 60 * 1_000_000
OVERLAP_S: Final = 86_400

_KEY = re.compile(KEY_PATTERN)
_BASE62: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_PREFIX: Final = {Clearance.CITADEL: "arc_cit_", Clearance.SOVEREIGN: "arc_sov_"}
SESSION_PREFIX: Final = "arc_ses_"
_SESSION: Final = SESSION_PREFIX.encode("ascii")


def make_key(clearance: Clearance) -> str:
    """A new key of ``clearance`` (CITADEL or SOVEREIGN)."""
    return _draw_key(_PREFIX[clearance])


def make_session_key() -> str:
    """A new key for an operator's session."""
    return _draw_key(SESSION_PREFIX)


def _draw_key(prefix: str) -> str:
    start = prefix + "".join(secrets.choice(_BASE62) for _ in range(32))
    return start + _check(start)


def key_clearance(key: str) -> Clearance | None:
    """The clearance that a well-formed key says it has; None if its shape or check characters are wrong."""
    if _KEY.match(key) is None or not hmac.compare_digest(_check(key[:40]), key[40:]):
        return None
    return Clearance.CITADEL if key.startswith("arc_cit_") else Clearance.SOVEREIGN


def _check(start: str) -> str:
    value = zlib.crc32(start.encode("ascii"))
    digits = []
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits.append(_BASE62[digit])
    return "".join(reversed(digits))


@dataclass
class Unauthenticated(Exception):
    """No valid key. ``cause`` is ``missing``, ``malformed``, ``unknown``, ``expired`` or ``revoked``: for the audit log
    alone, since the caller is told the same each time."""

    cause: str
    key_id: str | None = None


class OpenSessions(Protocol):
    """Who holds the sessions of operators. Event loop only."""

    def authenticate(self, key: bytes) -> Caller:
        """The operator whose session this key opens; ``Unauthenticated`` otherwise."""
        ...

    def note_act(self, session_id: str) -> None:
        """The operator of the session did something: it is not idle."""
        ...

    def is_open(self, session_id: str) -> bool:
        """Whether the session opens calls now."""
        ...


class Gate(Protocol):
    """Who says whether a Citadel key may be given out now (four eyes)."""

    def __call__(
        self, tx: Transaction, subject: str, approval_id: str | None, *, actor: str, request_id: str | None
    ) -> str | None:
        """Uses the approval up where one is needed, and gives who approved. 409 without one; ``subject``: the label of
        a new key, or the kid of one that gets a new secret."""
        ...


@dataclass(frozen=True)
class _KeyEntry:
    caller: Caller
    not_after_us: int | None


class KeyRing:
    """The keys of a site. ``authenticate`` belongs to the event loop; the rest may be called on any."""

    def __init__(self, store: Store, *, peppers: Sequence[bytes], cursors: Cursors, overlap_s: int = OVERLAP_S) -> None:
        """``peppers``: the site's secrets of that name, newest first; a key of an earlier one is put under the newest
        when it is used. ``overlap_s``: how long a rotated key opens by default."""
        self._store = store
        self._cursors = cursors
        self._overlap_s = overlap_s
        self._pepper, *self._earlier = peppers
        self._launch: dict[bytes, _KeyEntry] = {}
        self._cache: dict[bytes, _KeyEntry] = {}
        # Guards the cache against a lookup that read the store before a revocation and would write after it.
        self._lock = threading.Lock()
        self._generation = 0
        self._used: dict[str, int] = {}
        self._used_due_us = 0
        self._revoked: list[Callable[[str], None]] = []
        self._sessions: OpenSessions | None = None
        self._gate: Gate | None = None

    def open_to_sessions(self, sessions: OpenSessions) -> None:
        """Lets the keys of operators' sessions in. Before the service starts."""
        self._sessions = sessions

    def guard_citadel(self, gate: Gate) -> None:
        """Has ``gate`` asked before a Citadel key is given out by a call. Before the service starts."""
        self._gate = gate

    def note_act(self, caller: Caller) -> None:
        """The caller did more than read: the session of an operator is not idle."""
        if caller.acting is not None and self._sessions is not None:
            self._sessions.note_act(caller.acting.session_id)

    def is_session_open(self, session_id: str) -> bool:
        """Whether the session of an operator opens calls now."""
        return self._sessions is not None and self._sessions.is_open(session_id)

    def end_grant(self, grant_id: str) -> None:
        """A session ended: what it opened and still runs ends as after a revocation."""
        for told in self._revoked:
            told(grant_id)

    def _digest(self, key: bytes) -> bytes:
        return hmac.digest(self._pepper, key, "sha256")

    def on_revoke(self, told: Callable[[str], None]) -> None:
        """Call ``told`` with the kid of every key that is revoked, once that is durable, and with the id of every
        session that ends: what either opened may outlive the call that it opened it with (a stream). On any thread;
        before the service starts."""
        self._revoked.append(told)

    # Looking up

    def admit_launch_key(self, key: str) -> Caller:
        """Accept ``key`` while this process lives; it is never stored. ValueError if it is no well-formed key."""
        clearance = key_clearance(key)
        if clearance is None:
            raise ValueError("The launch key is not a well-formed API key.")
        caller = Caller(key_id=LAUNCH_KID, clearance=clearance, label="launch")
        self._launch[self._digest(key.encode("ascii"))] = _KeyEntry(caller, None)
        return caller

    def authenticate(self, authorization: bytes | None) -> Caller:
        """The caller that ``Authorization: Bearer <key>`` names; ``Unauthenticated`` otherwise."""
        if authorization is None:
            raise Unauthenticated("missing")
        if authorization[:7].lower() != b"bearer ":
            raise Unauthenticated("malformed")
        if self._sessions is not None and authorization.startswith(_SESSION, 7):
            return self._sessions.authenticate(authorization[7:])
        digest = hmac.digest(self._pepper, authorization[7:], "sha256")
        now_us = time.time_ns() // 1000
        entry = self._cache.get(digest) or self._launch.get(digest)
        if entry is None:
            entry = self._look_up(authorization[7:], digest)
        if entry.not_after_us is not None and now_us >= entry.not_after_us:
            self._cache.pop(digest, None)
            raise Unauthenticated("expired", entry.caller.key_id)
        self._used[entry.caller.key_id] = now_us
        if now_us >= self._used_due_us:
            self._used_due_us = now_us + USED_EVERY_US
            self._write_used()
        return entry.caller

    def _look_up(self, key: bytes, digest: bytes) -> _KeyEntry:
        """Find the key by its digest and cache what it may do; ``Unauthenticated`` says why it opens nothing."""
        try:
            clearance = key_clearance(key.decode("ascii"))
        except UnicodeDecodeError:
            clearance = None
        if clearance is None:
            raise Unauthenticated("malformed")
        generation = self._generation
        with self._store.read() as connection:
            row = connection.execute(
                select(
                    api_key.c.kid,
                    api_key.c.label,
                    api_key.c.clearance,
                    api_key.c.expires_us,
                    api_key.c.revoked_us,
                    api_key_secret.c.not_after_us,
                    api_key_secret.c.digest,
                )
                .join(api_key_secret, api_key_secret.c.kid == api_key.c.kid)
                .where(api_key_secret.c.digest.in_([digest, *self._earlier_digests(key)]))
            ).one_or_none()
        if row is None:
            raise Unauthenticated("unknown")
        if row.revoked_us is not None:
            raise Unauthenticated("revoked", row.kid)
        if row.digest != digest:
            self._put_under_newest(bytes(row.digest), digest)
        ends = [end for end in (row.expires_us, row.not_after_us) if end is not None]
        entry = _KeyEntry(Caller(row.kid, Clearance(row.clearance), row.label), min(ends, default=None))
        with self._lock:
            if self._generation == generation:
                self._cache[digest] = entry
        return entry

    def _earlier_digests(self, key: bytes) -> list[bytes]:
        return [hmac.digest(pepper, key, "sha256") for pepper in self._earlier]

    def _put_under_newest(self, earlier: bytes, digest: bytes) -> None:
        def job(tx: Transaction) -> None:
            tx.connection.execute(
                update(api_key_secret).where(api_key_secret.c.digest == earlier).values(digest=digest)
            )

        # As with the uses: nobody waits for it, and the next use tries again.
        with contextlib.suppress(StoreUnavailable):
            self._store.writer.submit(job)

    def _forget(self, kid: str) -> None:
        """Drop what is cached of ``kid``: after a revocation or rotation is durable, before its caller is answered."""
        with self._lock:
            self._generation += 1
            for digest in [d for d, entry in self._cache.items() if entry.caller.key_id == kid]:
                self._cache.pop(digest, None)

    def _write_used(self) -> None:
        """Hand the last uses to the writer, without waiting: they are for people to read, and no call depends on
        them."""
        used, self._used = self._used, {}
        used.pop(LAUNCH_KID, None)
        if not used:
            return

        def job(tx: Transaction) -> None:
            for kid, at_us in used.items():
                tx.connection.execute(update(api_key).where(api_key.c.kid == kid).values(last_used_us=at_us))

        # Nobody waits, and nobody may fail for it: least of all the caller whose request came a minute after the last.
        try:
            self._store.writer.submit(job)
        except StoreUnavailable:
            self._used = used | self._used

    def close(self) -> None:
        """Hand over the last uses that are not written yet. Call before the store closes."""
        self._write_used()

    # Changing

    async def create(self, body: CreateKey, *, actor: str, request_id: str | None = None) -> KeyMade:
        """Make a key; returns when it is durable. ``Problem`` 409 for an expiry that has passed."""
        return await self._store.writer.run(self._creation(body, actor, actor, request_id))

    def create_now(self, body: CreateKey, *, actor: str) -> KeyMade:
        """As ``create``, for the command line: no key made it, and its line begins here. Blocks the calling thread."""
        return self._store.writer.submit(self._creation(body, actor, None, None)).result()

    def _creation(
        self, body: CreateKey, actor: str, made_by: str | None, request_id: str | None
    ) -> Callable[[Transaction], KeyMade]:
        """The job that makes a key; its secret exists in the reply alone. ``made_by``: the key that sees it there."""
        expires_us = _expiry(body.expires_at)
        kid = "key_" + secrets.token_hex(8)
        key = make_key(Clearance(body.clearance))
        webhook = secrets.token_bytes(32)
        digest = self._digest(key.encode("ascii"))
        sealed = self._store.sealer.seal("webhook", webhook, _webhook_context(kid))

        def job(tx: Transaction) -> KeyMade:
            approved = {}
            if made_by is not None and body.clearance == "citadel":
                approved = self._approve(tx, body.label, body.approval_id, actor, request_id)
            tx.connection.execute(
                insert(api_key).values(
                    kid=kid,
                    label=body.label,
                    clearance=body.clearance,
                    created_us=tx.now_us,
                    expires_us=expires_us,
                    webhook_secret=sealed,
                    made_by=made_by,
                )
            )
            tx.connection.execute(
                insert(api_key_secret).values(digest=digest, kid=kid, created_us=tx.now_us, made_by=made_by)
            )
            tx.audit(
                CREATED,
                actor=actor,
                request_id=request_id,
                detail={
                    "kid": kid,
                    "label": body.label,
                    "clearance": body.clearance,
                    "expires_at": body.expires_at,
                    "made_by": made_by,
                    **approved,
                },
            )
            return KeyMade(kid=kid, key=key, webhook_secret="whsec_" + base64.b64encode(webhook).decode())

        return job

    def _approve(
        self, tx: Transaction, subject: str, approval_id: str | None, actor: str, request_id: str | None
    ) -> dict[str, str]:
        """Asks the gate of Citadel keys; what the leaf says of who approved."""
        gate = self._gate
        approver = None if gate is None else gate(tx, subject, approval_id, actor=actor, request_id=request_id)
        return {} if approver is None else {"approver": approver}

    async def rotate(
        self, kid: str, overlap_s: int | None, *, actor: str, request_id: str, approval_id: str | None = None
    ) -> KeyRotated:
        """Give ``kid`` a new secret; the old one opens for ``overlap_s`` more seconds. 404 if there is no such
        key or it was revoked."""
        overlap_us = (self._overlap_s if overlap_s is None else overlap_s) * 1_000_000
        clearance = self._clearance(kid)
        key = make_key(clearance)
        digest = self._digest(key.encode("ascii"))

        def job(tx: Transaction) -> KeyRotated:
            _live(tx, kid)
            approved = {}
            # A key that draws its own next secret gains nothing; anybody else gains a Citadel key.
            if clearance is Clearance.CITADEL and actor != kid:
                approved = self._approve(tx, kid, approval_id, actor, request_id)
            until_us = tx.now_us + overlap_us
            tx.connection.execute(
                update(api_key_secret)
                # A secret that already ends sooner is not given more time.
                .where(
                    api_key_secret.c.kid == kid,
                    or_(api_key_secret.c.not_after_us.is_(None), api_key_secret.c.not_after_us > until_us),
                )
                .values(not_after_us=until_us)
            )
            tx.connection.execute(
                insert(api_key_secret).values(digest=digest, kid=kid, created_us=tx.now_us, made_by=actor)
            )
            until = rfc3339(until_us)
            detail = {"kid": kid, "previous_valid_until": until, "made_by": actor, **approved}
            tx.audit(ROTATED, actor=actor, request_id=request_id, detail=detail)
            tx.after_commit(lambda: self._forget(kid))
            return KeyRotated(kid=kid, key=key, previous_valid_until=until)

        return await self._store.writer.run(job)

    async def revoke(self, kid: str, *, actor: str, request_id: str) -> None:
        """End ``kid`` at once: no request that begins after this returns passes with it. 404 if there is none."""

        def job(tx: Transaction) -> None:
            _live(tx, kid)
            tx.connection.execute(update(api_key).where(api_key.c.kid == kid).values(revoked_us=tx.now_us))
            tx.audit(REVOKED, actor=actor, request_id=request_id, detail={"kid": kid})
            tx.after_commit(lambda: self._forget(kid))
            for told in self._revoked:
                tx.after_commit(functools.partial(told, kid))

        await self._store.writer.run(job)

    # Reading

    def _clearance(self, kid: str) -> Clearance:
        with self._store.read() as connection:
            clearance = connection.execute(
                select(api_key.c.clearance).where(api_key.c.kid == kid, api_key.c.revoked_us.is_(None))
            ).scalar()
        if clearance is None:
            raise _no_key()
        return Clearance(clearance)

    def page(self, query: KeyQuery) -> KeyPage:
        """One page of keys, newest first. ``BadCursor`` for a cursor that is not ours."""
        ends = (
            select(api_key_secret.c.kid, func.max(api_key_secret.c.not_after_us).label("until_us"))
            .group_by(api_key_secret.c.kid)
            .subquery()
        )
        wanted = select(api_key, ends.c.until_us).outerjoin(ends, ends.c.kid == api_key.c.kid)
        if not query.revoked:
            wanted = wanted.where(api_key.c.revoked_us.is_(None))
        key = (api_key.c.created_us, api_key.c.kid)
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection, wanted, CURSOR, key, limit=query.limit, cursor=query.cursor
            )
            lines = Lines(connection)
        now_us = time.time_ns() // 1000
        return KeyPage(items=[_row(row, lines, now_us) for row in rows], next=following)

    def webhook_secret(self, kid: str) -> bytes:
        """The 32 bytes that sign what is delivered for ``kid``. KeyError if there is no such key, and for a revoked
        one: who revokes a key may do so because others know its secrets. An expired key's still sign what was asked
        for while it opened."""
        with self._store.read() as connection:
            sealed = connection.execute(
                select(api_key.c.webhook_secret).where(api_key.c.kid == kid, api_key.c.revoked_us.is_(None))
            ).scalar()
        if sealed is None:
            raise KeyError(kid)
        return self._store.sealer.open("webhook", bytes(sealed), _webhook_context(kid))


def _live(tx: Transaction, kid: str) -> None:
    """Refuse to change a key that is not there or no longer one."""
    known = tx.connection.execute(
        select(api_key.c.kid).where(api_key.c.kid == kid, api_key.c.revoked_us.is_(None))
    ).scalar()
    if known is None:
        raise _no_key()


def _no_key() -> Problem:
    return Problem("not_found", "There is no such key, or it was revoked: GET /v1/keys lists them.")


def _webhook_context(kid: str) -> bytes:
    return b"api_key.webhook_secret|" + kid.encode("ascii")


def _expiry(text: str | None) -> int | None:
    if text is None:
        return None
    at_us = unix_us(text)
    if at_us <= time.time_ns() // 1000:
        raise Problem(
            "state_conflict",
            "The key would be expired from the start: give an expiry that is still to come.",
            errors=[FieldError(pointer="/expires_at", detail="This time has passed.")],
        )
    return at_us


def _row(row: Any, lines: Lines, now_us: int) -> KeyRow:
    """The key as ``GET /v1/keys`` shows it."""

    def stamp(at_us: int | None) -> str | None:
        return None if at_us is None else rfc3339(at_us)

    return KeyRow(
        kid=row.kid,
        label=row.label,
        clearance=row.clearance,
        created_at=rfc3339(row.created_us),
        expires_at=stamp(row.expires_us),
        last_used_at=stamp(row.last_used_us),
        revoked_at=stamp(row.revoked_us),
        previous_valid_until=stamp(row.until_us if row.until_us is not None and row.until_us > now_us else None),
        made_by=row.made_by,
        line=sorted(lines.of(row.kid) - {row.kid}),
    )
