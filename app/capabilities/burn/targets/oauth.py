"""Authorization servers: Global Token Revocation (draft-parecki-oauth-global-token-revocation), all tokens of a person.

The address is the server's global token revocation endpoint, the secret a bearer token for it. No token of the person
is held here, so none is revoked by itself (RFC 7009).
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

import msgspec

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, bearer, outlives, probing, successful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.subject_id import subject_id
from app.delivery.outbound import OutboundAnswer
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_WORDS: Final = {
    400: "it does not know this way of naming a person",
    404: "it knows no such person",
    422: "it could not end the person's sessions",
}


class OAuth:
    """The kind ``oauth``."""

    kind: ClassVar[DirectoryKind] = "oauth"
    per: ClassVar[Literal["person", "site"]] = "person"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ("email",)
    readable: ClassVar[bool] = False
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "bearer token for the revocation endpoint"
    fields: ClassVar[tuple[str, ...]] = ("audience",)

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """204: the server says that every token of the person is revoked and a new one needs a new sign-in. Nothing of
        that can be read back. Where no account is named, the person is named by e-mail: what that ends is sessions,
        which a wrong match only interrupts."""
        del facts
        named = subject_id(where, who)
        answer = await self._post(where, {"sub_id": named}, deadline_s)
        if answer.status == 404 and who.account is None:
            return AttemptOutcome("unlinked", "it knows no person with the registered e-mail address; none was named")
        try:
            successful(answer, 204, words=_WORDS.get(answer.status))
        except Unsuccessful as answered:
            return answered.outcome
        return AttemptOutcome(
            "delivered",
            f"taken (204: all tokens revoked, as the server says), the person named as {named['format']}; "
            "its effect cannot be read",
        )

    async def _post(self, where: DirectoryRow, body: object, deadline_s: float) -> OutboundAnswer:
        headers = {**bearer(where.secret), "Content-Type": "application/json"}
        content = msgspec.json.encode(body)
        return await self._http.call(
            "POST", where.url, timeout_s=deadline_s, headers=headers, content=content, ca=where.ca
        )

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """A call about nobody: a server that refuses it as malformed has accepted the token first."""
        answer = await self._post(where, {}, deadline_s)
        if answer.status == 204:
            raise Refusal("it answers 204 to a call about nobody, so its 204 proves nothing")
        with probing():
            successful(answer, 400, 422)
        return (
            f"the endpoint takes our token and refuses a call about nobody ({answer.status}); "
            "its effect cannot be read: a burn is delivered there"
        )

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """Access tokens that are accepted without asking the server: Entra's live 60 to 90 minutes (15 with continuous
        evaluation; learn.microsoft.com), other servers' as long as each was made to."""
        del at_us
        what = "access tokens that were handed out before, until they end (Entra: 60 to 90 minutes)"
        return Residual(what=outlives(where.display_name, state, what), until=None)

    async def close(self) -> None:
        """The connections belong to the client of all."""
