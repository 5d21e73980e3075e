"""Receivers of Shared Signals: Security Event Tokens pushed over HTTP (RFC 8417, RFC 8935; OpenID SSF, CAEP, RISC 1.0).

Three events a burn, in this order: CAEP ``session-revoked``, CAEP ``credential-change`` (``revoke``), RISC
``account-disabled`` (``hijacking``). Each ``jti`` is fixed by burn, target and event and every claim by the burn, so
that a receiver that gets one twice recognizes it. 202 says that the event was taken, never that it had an effect: the
target is ``delivered``, and what the receiver does with it stays residual exposure.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from typing import ClassVar, Final, Literal

import msgspec
from joserfc import jws

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, bearer, outlives, probing, successful, unsuccessful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Tools
from app.capabilities.burn.targets.subject_id import subject_id
from app.delivery.outbound import OutboundAnswer
from app.delivery.published_keys import SECURITY_EVENTS, PublishedKeys
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_CAEP: Final = "https://schemas.openid.net/secevent/caep/event-type/"
_RISC: Final = "https://schemas.openid.net/secevent/risc/event-type/"
_VERIFICATION: Final = "https://schemas.openid.net/secevent/ssf/event-type/verification"
_ERROR: Final = re.compile(r"[a-z_]{1,40}")


class _Failure(msgspec.Struct):
    """RFC 8935, 2.3. Its description is not read: it may quote what it was sent."""

    err: str


class Ssf:
    """The kind ``ssf``."""

    kind: ClassVar[DirectoryKind] = "ssf"
    per: ClassVar[Literal["person", "site"]] = "site"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ()
    readable: ClassVar[bool] = False
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "bearer token of the receiver, if it asks for one"
    fields: ClassVar[tuple[str, ...]] = ("audience",)

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http
        self._issuer = tools.issuer
        self._keys = PublishedKeys(tools.keys)

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """Pushes the events, each once the one before was taken."""
        taken = []
        try:
            async with asyncio.timeout(deadline_s):
                for event, payload in _events(facts):
                    token_id = _jti(facts.burn_id, where.directory_id, who.account, event)
                    at = facts.at_us // 1_000_000
                    claims = {"jti": token_id, "iat": at, "toe": at, "txn": facts.burn_id}
                    claims["sub_id"] = {"format": "complex", "user": subject_id(where, who)}
                    claims["events"] = {event: payload}
                    if facts.training or facts.drill:
                        claims["arc"] = {"training": facts.training, "drill": facts.drill}
                    await self._push(where, claims, deadline_s)
                    taken.append(token_id)
        except Unsuccessful as answered:
            return answered.outcome
        return AttemptOutcome(
            "delivered", f"{len(taken)} events taken (202), their effect cannot be read: {', '.join(taken)}"
        )

    async def _push(self, where: DirectoryRow, claims: dict[str, object], deadline_s: float) -> None:
        """Signs one event and pushes it; raises ``Unsuccessful`` for any answer but 202."""
        key = self._keys.newest(SECURITY_EVENTS)
        header = {"typ": "secevent+jwt", "alg": "ES256", "kid": key.thumbprint()}
        payload = {"iss": self._issuer, "aud": where.audience or where.url, **claims}
        token = jws.serialize_compact(header, msgspec.json.encode(payload), key)
        headers = {"Content-Type": "application/secevent+jwt", "Accept": "application/json"}
        if where.secret is not None:
            headers |= bearer(where.secret)
        answer = await self._http.call(
            "POST", where.url, timeout_s=deadline_s, headers=headers, content=token.encode(), ca=where.ca
        )
        if answer.status == 400:
            raise Unsuccessful(unsuccessful(answer, _refusal(answer)))
        successful(answer, 202, words="RFC 8935 has 202 for an event that was taken" if answer.status < 300 else None)

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Pushes a verification event (SSF 1.0, 8.1.4): it is about the stream itself and changes nothing."""
        stream = {"format": "opaque", "id": where.audience or where.url}
        token_id = _jti(str(time.time_ns()), where.directory_id, None, _VERIFICATION)
        claims: dict[str, object] = {"jti": token_id, "iat": int(time.time()), "sub_id": stream}
        with probing():
            await self._push(where, {**claims, "events": {_VERIFICATION: {}}}, deadline_s)
        return (
            "the verification event was taken (202); what it does with events cannot be read: a burn is delivered there"
        )

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """Always some: the receiver does not say what it did."""
        del at_us
        what = "what the receiver does with the events is not told"
        return Residual(what=outlives(where.display_name, state, what), until=None)

    async def close(self) -> None:
        """The connections belong to the client of all."""


def _events(facts: BurnFacts) -> list[tuple[str, dict[str, object]]]:
    """The events of a burn, in the order in which they are pushed: type and payload."""
    mark = "TRAINING: " if facts.training else ""
    mark += "DRILL: " if facts.drill else ""
    caep: dict[str, object] = {
        "event_timestamp": facts.at_us // 1_000_000,
        "initiating_entity": "admin",
        "reason_admin": {"en": mark + facts.reason},
    }
    return [
        (_CAEP + "session-revoked", caep),
        # The certificates of the person's cards: the credentials that this site itself has revoked.
        (_CAEP + "credential-change", {**caep, "credential_type": "x509", "change_type": "revoke"}),
        (_RISC + "account-disabled", {"reason": "hijacking"}),
    ]


def _jti(burn_id: str, directory_id: str, account: str | None, event: str) -> str:
    text = msgspec.json.encode([burn_id, directory_id, account, event])
    return hashlib.sha256(text).hexdigest()[:32]


def _refusal(answer: OutboundAnswer) -> str:
    try:
        code = msgspec.json.decode(answer.body, type=_Failure).err
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        code = ""
    return f"the receiver refuses the event ({code if _ERROR.fullmatch(code) else 'without a known code'})"
