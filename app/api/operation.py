"""The operation table: one row declares an endpoint, and everything else is made from the rows.

Routing, decoding, authentication, rate limits, idempotency and OpenAPI read these rows at start; the client's calls
are written from them by a command. No endpoint is declared anywhere else.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from app.api.roles import Roles
from app.api.wire import Request
from app.store.acting import Acting

BodyT = TypeVar("BodyT", bound=Request | None)
QueryT = TypeVar("QueryT", bound=Request | None)


class Clearance(enum.StrEnum):
    """Who may call. Citadel may do everything; Sovereign what the rows of the table leave it."""

    OPEN = "open"
    SOVEREIGN = "sovereign"
    CITADEL = "citadel"


class Idempotency(enum.StrEnum):
    """What an ``Idempotency-Key`` does with the reply of a POST."""

    KEPT = "kept"
    """The first reply is kept for 24 h and given again."""
    SECRET = "secret"  # noqa: S105 -- a word of the table, no secret
    """The reply carries a secret and is never kept: a repeat is 410."""
    MEMORY = "memory"
    """As SECRET, but for 10 min this process gives the first reply again out of its memory."""


class Rate(enum.StrEnum):
    """Token bucket that a call draws from, one a key and class. Nothing else drains ``BURN``."""

    READ = "read"
    WRITE = "write"
    BURN = "burn"
    CARD = "card"
    ENROL = "enrol"
    STREAM = "stream"
    HEALTH = "health"
    WEBHOOK = "webhook"


@dataclass(frozen=True)
class Caller:
    """Who calls: ``key_id`` names the API key, or the operator of a session, in leaves and logs and is no secret.

    An operator may call the rows that name one of its ``roles``, of any clearance; a key (``roles`` None) those
    of its clearance.
    """

    key_id: str
    clearance: Clearance
    label: str
    roles: Roles | None = field(default=None, kw_only=True)
    acting: Acting | None = field(default=None, kw_only=True)
    """The operator's session; None: a key."""

    @property
    def grant_id(self) -> str:
        """What opened the call: the session of an operator, else the key. A stream lasts no longer than this."""
        return self.key_id if self.acting is None else self.acting.session_id


@dataclass(slots=True)
class Call(Generic[BodyT, QueryT]):
    """One authenticated, decoded request as a handler sees it."""

    body: BodyT
    query: QueryT
    path: Mapping[str, str]
    caller: Caller
    request_id: str
    headers: Mapping[str, str]
    """Lower-case names; only those that the row names in its ``headers``."""
    url: str
    """Absolute URL without query, as the caller addressed it (``htu`` of a proof)."""
    disconnected: Callable[[], Awaitable[bool]]


@dataclass(frozen=True)
class Answer:
    """What a handler gives back: a reply Struct, or bytes of ``media_type``, or a stream of chunks."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass
class Unsigned(Exception):
    """No signature that opens this row. ``cause`` is one word for the audit log; the caller is told the same each
    time."""

    cause: str


@dataclass(frozen=True)
class SignedRequest:
    """A request as it came, for the code that judges its signature: ``headers`` are those that the row names."""

    headers: Mapping[str, str]
    path: Mapping[str, str]
    raw: bytes


Sender = Callable[[Any, SignedRequest], Caller]
"""``sender(service, sent) -> Caller``: who signed the request; raises ``Unsigned``. On the event loop: quick."""

Handler = Callable[[Any, Call[Any, Any]], Awaitable[Any]]
"""``async def handler(service, call) -> reply Struct | Answer``. ``service`` is what the site was assembled with under
the row's ``served_by``."""


@dataclass(frozen=True)
class Endpoint:
    """One endpoint.

    ``name`` is unique, ``<capability>.<verb>``; it is the operationId and, with ``_``, the client's method.
    ``path`` uses ``{name}`` for one segment, at its end ``{name...}`` for one or more. ``statuses`` are the success
    codes, ``problems`` the codes beyond those that every operation may answer.
    """

    name: str
    method: str
    path: str
    handler: Handler
    summary: str
    clearance: Clearance
    roles: Roles = field(kw_only=True)
    """Operators that may call it (``app/api/roles.py``). Without a default, so that no row forgets them."""
    request: type[Request] | None = None
    query: type[Request] | None = None
    response: type[msgspec.Struct] | None = None
    media_type: str = "application/json"
    statuses: tuple[int, ...] = (200,)
    problems: tuple[str, ...] = ()
    rate: Rate = Rate.READ
    idempotency: Idempotency = Idempotency.KEPT
    body_limit: int = 1 << 20
    timeout_s: float = 30.0
    optional_body: bool = False
    """A POST whose body may be left out (taken as the empty object)."""
    headers: tuple[str, ...] = ()
    """Request headers with a meaning of their own, for the OpenAPI document."""
    path_types: Mapping[str, Any] = field(default_factory=dict)
    """Path parameters that the service takes in a narrower shape than any identifier (422 otherwise), with their
    types, for the OpenAPI document."""
    training_only: bool = False
    secret: bool = False
    """The body carries biometric values: it is kept in one buffer, decoded in place and wiped when the work is over
    (``app.api.secret``). Fields that hold such values are ``Base64``."""
    service: str = ""
    """Name of the service that serves the row, where a capability has several; empty: the capability's own name."""
    sender: Sender | None = None
    """An OPEN row that a signature over the body's own bytes opens instead of a key. Its handler gets the body as it
    came (``Call.body`` is bytes) and reads it after the signature; calls are drawn from the bucket of their sender, and
    what nobody signed from one that cannot drain theirs."""

    body_type: str = ""
    """Media type of a body that is no JSON: the handler gets its bytes. Such a row changes nothing by any method, and
    an ``Idempotency-Key`` means nothing to it, unless it says ``body_changes``."""
    body_changes: bool = False
    """A row with a ``body_type`` that changes something, as any other POST does."""
    rest_pattern: str = ""
    """What a last parameter of many segments may be where it is no identifier: a regular expression over the whole."""

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing. A bundle is fetched by GET, and handed out by that: it counts as a change."""
        if self.body_type:
            return not self.body_changes
        return self.method == "GET" and self.rate is not Rate.WRITE

    @property
    def takes_key(self) -> bool:
        """Whether an ``Idempotency-Key`` means something to it."""
        return self.method == "POST" and (not self.body_type or self.body_changes)

    @property
    def parameters(self) -> list[str]:
        """Names of the path parameters, in order."""
        return [part[1:-1].removesuffix("...") for part in self.path.split("/") if part.startswith("{")]

    @property
    def documented_path(self) -> str:
        """The path as OpenAPI writes it, which knows no parameter of many segments."""
        return self.path.replace("...}", "}")

    @property
    def takes_rest(self) -> bool:
        """Whether the last path parameter may hold slashes."""
        return self.path.endswith("...}")

    @property
    def capability(self) -> str:
        """The package that this row is named after."""
        return self.name.split(".", 1)[0]

    @property
    def served_by(self) -> str:
        """The name of the service among those that the site is assembled with."""
        return self.service or self.capability
