"""Rows of the operation table for operators, signing in and sessions."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from app.api.operation import Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import ADMIN, ANY_ROLE
from app.api.secret import decode_base64
from app.api.wire import NoBody
from app.operators.messages import (
    CardChallenge,
    CardChallengeBody,
    CardSignIn,
    OpenIdBegin,
    OpenIdBegun,
    OpenIdFinish,
    Operator,
    OperatorBody,
    OperatorId,
    OperatorPage,
    OwnPassphraseBody,
    PassphraseBody,
    PassphraseSet,
    PassphraseSignIn,
    SessionEnded,
    SessionList,
    SignedIn,
    WhoAmI,
)
from app.operators.passphrases import MOST_BYTES
from app.operators.service import OperatorService
from app.registry.crud_operations import crud_rows

_SECRET_BODY = 8 << 10


async def _sign_in(service: OperatorService, call: Call[PassphraseSignIn, None]) -> SignedIn:
    body = call.body
    with decode_base64(body.passphrase, "/passphrase", limit=MOST_BYTES) as passphrase:
        return await service.by_passphrase(
            body.operator_id, passphrase, body.unit_id, source=call.caller.key_id, request_id=call.request_id
        )


async def _challenge_card(service: OperatorService, call: Call[CardChallengeBody, None]) -> CardChallenge:
    parts = urlsplit(call.url)
    return service.challenge_card(call.body.unit_id, f"{parts.scheme}://{parts.netloc}", source=call.caller.key_id)


async def _sign_in_by_card(service: OperatorService, call: Call[CardSignIn, None]) -> SignedIn:
    return await service.by_card(call.body, source=call.caller.key_id, request_id=call.request_id)


async def _begin_openid(service: OperatorService, call: Call[OpenIdBegin, None]) -> OpenIdBegun:
    return await service.begin_openid(call.body.unit_id, call.body.redirect_uri, source=call.caller.key_id)


async def _finish_openid(service: OperatorService, call: Call[OpenIdFinish, None]) -> SignedIn:
    return await service.by_openid(call.body, source=call.caller.key_id, request_id=call.request_id)


async def _set_passphrase(service: OperatorService, call: Call[PassphraseBody, None]) -> PassphraseSet:
    with decode_base64(call.body.passphrase, "/passphrase", limit=MOST_BYTES) as passphrase:
        return await service.set_passphrase(
            call.path["id"],
            passphrase,
            approval_id=call.body.approval_id,
            actor=call.caller.key_id,
            request_id=call.request_id,
        )


async def _change_own(service: OperatorService, call: Call[OwnPassphraseBody, None]) -> PassphraseSet:
    with (
        decode_base64(call.body.current, "/current", limit=MOST_BYTES) as current,
        decode_base64(call.body.passphrase, "/passphrase", limit=MOST_BYTES) as passphrase,
    ):
        return await service.change_own(call.caller, current, passphrase, request_id=call.request_id)


async def _who(service: OperatorService, call: Call[None, None]) -> WhoAmI:
    return service.who(call.caller)


async def _stay(service: OperatorService, call: Call[NoBody, None]) -> WhoAmI:
    # The call itself is the sign: its row is no read.
    return service.who(call.caller)


async def _sign_out(service: OperatorService, call: Call[NoBody, None]) -> SessionEnded:
    return await service.end_own(call.caller, "signed_out", request_id=call.request_id)


async def _lock(service: OperatorService, call: Call[NoBody, None]) -> SessionEnded:
    return await service.end_own(call.caller, "locked", request_id=call.request_id)


async def _sessions(service: OperatorService, _call: Call[None, None]) -> SessionList:
    return await asyncio.to_thread(service.all_sessions)


async def _end_session(service: OperatorService, call: Call[None, None]) -> SessionEnded:
    return await service.end(call.path["session_id"], actor=call.caller.key_id, request_id=call.request_id)


_SIGN_IN = "/v1/operators/sign-in"
_SESSION = "/v1/operators/session"
_SESSIONS = "/v1/citadel/operators/sessions"

OPERATIONS: tuple[Endpoint, ...] = (
    *crud_rows(
        "operators",
        "operator",
        "operators",
        lambda operators: operators.register,
        OperatorBody,
        Operator,
        OperatorPage,
        service="operators",
        puts=ADMIN,
        deletes=ADMIN,
        id_type=OperatorId,
    ),
    Endpoint(
        name="operators.set_passphrase",
        method="PUT",
        path="/v1/registry/operators/{id}/passphrase",
        handler=_set_passphrase,
        summary="Gives an operator a passphrase; its sessions end.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        request=PassphraseBody,
        response=PassphraseSet,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        body_limit=_SECRET_BODY,
        secret=True,
    ),
    Endpoint(
        name="operators.sign_in_by_passphrase",
        method="POST",
        path=f"{_SIGN_IN}/passphrase",
        handler=_sign_in,
        summary="A session for an operator by passphrase; wrong ones delay further ones by the same key alone.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=PassphraseSignIn,
        response=SignedIn,
        problems=("not_found", "proof_invalid", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
        body_limit=_SECRET_BODY,
        secret=True,
    ),
    Endpoint(
        name="operators.challenge_card",
        method="POST",
        path=f"{_SIGN_IN}/card/challenge",
        handler=_challenge_card,
        summary="What an operator's card is to sign for a session: this service's address, the unit, a nonce.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=CardChallengeBody,
        response=CardChallenge,
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="operators.sign_in_by_card",
        method="POST",
        path=f"{_SIGN_IN}/card",
        handler=_sign_in_by_card,
        summary="A session for the holder of a card of this site: its key 9A has signed the challenge.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=CardSignIn,
        response=SignedIn,
        problems=("not_found", "proof_invalid", "replayed", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
    ),
    Endpoint(
        name="operators.begin_openid",
        method="POST",
        path=f"{_SIGN_IN}/oidc",
        handler=_begin_openid,
        summary="Where a browser signs an operator in at the site's OpenID provider (code with PKCE).",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=OpenIdBegin,
        response=OpenIdBegun,
        problems=("state_conflict",),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
    ),
    Endpoint(
        name="operators.sign_in_by_openid",
        method="POST",
        path=f"{_SIGN_IN}/oidc/finish",
        handler=_finish_openid,
        summary="A session for the operator whom the OpenID provider names for this code.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=OpenIdFinish,
        response=SignedIn,
        problems=("not_found", "proof_invalid", "replayed", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
    ),
    Endpoint(
        name="operators.who_am_i",
        method="GET",
        path=_SESSION,
        handler=_who,
        summary="Who calls: an operator in a session, or an API key.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=WhoAmI,
    ),
    Endpoint(
        name="operators.stay",
        method="POST",
        path=f"{_SESSION}/active",
        handler=_stay,
        summary="The operator is there: the session is not idle. Reads alone do not show that.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=NoBody,
        response=WhoAmI,
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="operators.change_passphrase",
        method="POST",
        path=f"{_SESSION}/passphrase",
        handler=_change_own,
        summary="The operator's own next passphrase; its other sessions end.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=OwnPassphraseBody,
        response=PassphraseSet,
        problems=("proof_invalid", "state_conflict"),
        rate=Rate.WRITE,
        body_limit=_SECRET_BODY,
        secret=True,
    ),
    Endpoint(
        name="operators.sign_out",
        method="POST",
        path=f"{_SESSION}/sign-out",
        handler=_sign_out,
        summary="Ends the caller's session.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=NoBody,
        response=SessionEnded,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="operators.lock",
        method="POST",
        path=f"{_SESSION}/lock",
        handler=_lock,
        summary="Ends the caller's session, because the desk is left or the card was pulled.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=NoBody,
        response=SessionEnded,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="operators.list_sessions",
        method="GET",
        path=_SESSIONS,
        handler=_sessions,
        summary="Who is signed in where, oldest first.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        response=SessionList,
    ),
    Endpoint(
        name="operators.end_session",
        method="DELETE",
        path=f"{_SESSIONS}/{{session_id}}",
        handler=_end_session,
        summary="Ends a session of any operator at once.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        response=SessionEnded,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
)
