"""What crosses the wire of operators, signing in and sessions."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.keys_messages import KeyClearance
from app.api.roles import Role
from app.api.wire import Base64, NodeId, RegistryId, Reply, Request, ShortText, Timestamp
from app.registry.messages.shared import UNIQUE, Tags

OperatorId = Annotated[str, msgspec.Meta(pattern=r"^op_[0-9a-f]{16}\Z")]
"""``op_`` and 16 hexadecimal digits that the caller draws. It stands in headers of the log, which nobody can erase: so
it says nothing of the person."""

SignInMethod = Literal["card", "passphrase", "oidc"]
"""``card``: the operator's own PIV card; ``oidc``: the site's OpenID provider."""
OperatorState = Literal["active", "ended"]
SubjectText = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
RoleList = Annotated[list[Role], msgspec.Meta(min_length=1, max_length=5, extra_json_schema=UNIQUE)]


class OperatorBody(Request, kw_only=True):
    """PUT ``/v1/registry/operators/{id}``. ``node_id``: the registered person who the operator is; without one the
    operator takes no part in four eyes. ``subject``: ``sub`` of the OpenID provider, for the method ``oidc``.
    ``approval_id``: an approval of the kind ``operator`` for exactly this, which an administrator needs once the site
    has had two; any other operator who was approved begins a line of their own."""

    display_name: ShortText
    node_id: NodeId | None = None
    roles: RoleList
    methods: Annotated[list[SignInMethod], msgspec.Meta(max_length=3, extra_json_schema=UNIQUE)]
    subject: SubjectText | None = None
    state: OperatorState = "active"
    approval_id: RegistryId | None = None
    tags: Tags = []


class Operator(Reply, kw_only=True):
    """An operator. ``passphrase_set_at``: since when there is one; it is shown to nobody. ``line``: all others who
    could sign in as this one, since they made it or changed what it is recognized by without a second person. Two
    operators whose lines meet, or of one node, never approve each other's requests."""

    operator_id: str
    display_name: str
    node_id: str | None
    roles: list[Role]
    methods: list[SignInMethod]
    subject: str | None
    state: OperatorState
    passphrase_set_at: Timestamp | None
    line: list[str]
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class OperatorPage(Reply, kw_only=True):
    """A page of operators."""

    items: list[Operator]
    next: str | None


class PassphraseBody(Request, kw_only=True):
    """PUT ``/v1/registry/operators/{id}/passphrase``. ``passphrase``: base64 of its UTF-8 text in normalization form C,
    12 characters to 1024 bytes. ``approval_id``: as of ``OperatorBody``, for the subjects operator_id and
    ``passphrase``."""

    passphrase: Base64
    approval_id: RegistryId | None = None


class OwnPassphraseBody(Request, kw_only=True):
    """POST ``/v1/operators/session/passphrase``: both as base64, as of ``PassphraseBody``."""

    current: Base64
    passphrase: Base64


class PassphraseSet(Reply, kw_only=True):
    """The operator's passphrase is this one from now on; its other sessions ended."""

    operator_id: str
    passphrase_set_at: Timestamp


class PassphraseSignIn(Request, kw_only=True):
    """POST ``/v1/operators/sign-in/passphrase``: ``unit_id`` is the registered unit that the session is bound to.
    ``passphrase``: base64, as of ``PassphraseBody``."""

    operator_id: OperatorId
    unit_id: RegistryId
    passphrase: Base64


class CardChallengeBody(Request, kw_only=True):
    """POST ``/v1/operators/sign-in/card/challenge``: the unit that the session will be bound to."""

    unit_id: RegistryId


class CardChallenge(Reply, kw_only=True):
    """What the card signs: the UTF-8 bytes of ``statement`` (``app/operators/card_proof.py``). The caller compares its
    line ``origin`` with the address that it calls. Answered once, within ``seconds``."""

    challenge_id: str
    statement: str
    seconds: float


class CardSignIn(Request, kw_only=True):
    """POST ``/v1/operators/sign-in/card``: the certificate of slot 9A (DER) and its key's signature over the statement
    (EC: DER as the card gives it), both base64. ``operator_id``: where a person is more than one operator."""

    challenge_id: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    certificate: Annotated[str, msgspec.Meta(min_length=1, max_length=16_384)]
    signature: Annotated[str, msgspec.Meta(min_length=1, max_length=1_024)]
    operator_id: OperatorId | None = None


class OpenIdBegin(Request, kw_only=True):
    """POST ``/v1/operators/sign-in/oidc``: ``redirect_uri`` is where the caller waits for the browser, a loopback
    address by number (RFC 8252)."""

    unit_id: RegistryId
    redirect_uri: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class OpenIdBegun(Reply, kw_only=True):
    """Open ``authorization_url`` in the system's browser. What comes back to the redirect must have this ``state``; its
    ``code`` goes to ``/finish``, within ``seconds``."""

    state: str
    authorization_url: str
    seconds: float


class OpenIdFinish(Request, kw_only=True):
    """POST ``/v1/operators/sign-in/oidc/finish``: what came back to the redirect. ``iss``: where the provider says who
    it is (RFC 9207)."""

    state: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    code: Annotated[str, msgspec.Meta(min_length=1, max_length=2_048)]
    iss: Annotated[str, msgspec.Meta(max_length=500)] | None = None


class Session(Reply, kw_only=True):
    """A session of an operator. ``method``: how the operator signed in; ``expires_at``: its end at the latest, by the
    clock as it is now; ``idle_s``: seconds since the operator last did something, and ``idle_limit_s`` those after
    which it ends."""

    session_id: str
    operator_id: str
    display_name: str
    node_id: str | None
    unit_id: str
    roles: list[Role]
    method: SignInMethod
    signed_in_at: Timestamp
    expires_at: Timestamp
    idle_s: float
    idle_limit_s: float


class SignedIn(Reply, kw_only=True):
    """The key of a new session, shown this once: ``Authorization: Bearer <key>``."""

    key: str
    session: Session


class WhoAmI(Reply, kw_only=True):
    """GET ``/v1/operators/session``: ``actor`` is who leaves and approvals name; ``session`` is null for an API key,
    ``clearance`` for an operator."""

    actor: str
    clearance: KeyClearance | None
    session: Session | None


class SessionList(Reply, kw_only=True):
    """The sessions of this moment, oldest first."""

    items: list[Session]


class SessionEnded(Reply, kw_only=True):
    """The session opens nothing any more."""

    session_id: str
    ended_at: Timestamp
