"""Systems elsewhere that a burn tells over HTTP: each checks what it gets by its protocol's own library."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

import jwt
from standardwebhooks import Webhook, WebhookVerificationError

from tests.receiver import Received, Receiver, Reply

SSF_AUDIENCE = "https://receiver.invalid/"
SSF_TOKEN = "ssf-token-of-the-test"
OAUTH_TENANT = "https://idp.invalid/tenant"
OAUTH_TOKEN = "oauth-token-of-the-test"
WEBHOOK_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


class SsfReceiver(Receiver):
    """RFC 8935 on the side that receives; checks every token with PyJWT and the keys that it trusts."""

    def __init__(self) -> None:
        super().__init__(self.take)
        self.keys: dict[str, Any] = {}
        self.taken: list[dict[str, Any]] = []

    def trust(self, keys: Iterable[dict[str, Any]]) -> None:
        """Takes over JWKs, as a site publishes them."""
        for key in keys:
            self.keys[key["kid"]] = jwt.PyJWK(key).key

    def take(self, call: Received) -> Reply:
        """202, or the error of RFC 8935."""
        if call.headers.get("authorization") != f"Bearer {SSF_TOKEN}":
            return 401, {}, b""
        try:
            head = jwt.get_unverified_header(call.body)
            assert (head["typ"], head["alg"]) == ("secevent+jwt", "ES256")
            assert call.headers["content-type"] == "application/secevent+jwt"
            if head["kid"] not in self.keys:
                return self.refusal("invalid_key")
            claims = jwt.decode(call.body, self.keys[head["kid"]], algorithms=["ES256"], audience=SSF_AUDIENCE)
        except jwt.InvalidAudienceError:
            return self.refusal("invalid_audience")
        except jwt.InvalidTokenError:
            return self.refusal("invalid_request")
        self.taken.append(claims)
        return 202, {}, b""

    @staticmethod
    def refusal(code: str) -> Reply:
        """With a description that quotes what must not be told on."""
        return 400, {}, json.dumps({"err": code, "description": f"not {SSF_TOKEN}"}).encode()


class AuthorizationServer(Receiver):
    """Global Token Revocation on the side that revokes; ``sessions`` by subject identifier."""

    def __init__(self) -> None:
        super().__init__(self.revoke)
        self.sessions = {
            ("email", "t1@site.invalid"): 3,
            ("iss_sub", OAUTH_TENANT, "t1"): 2,
        }

    def revoke(self, call: Received) -> Reply:
        """204, 400, 401 or 404."""
        if call.headers.get("authorization") != f"Bearer {OAUTH_TOKEN}":
            return 401, {}, b""
        named: dict[str, str] = json.loads(call.body).get("sub_id", {})
        if named.get("format") not in ("email", "iss_sub"):
            return 400, {}, b""
        key = tuple(named.values())
        if key not in self.sessions:
            return 404, {}, b""
        self.sessions[key] = 0
        return 204, {}, b""


class WebhookReceiver(Receiver):
    """Takes what is signed under the secret."""

    def __init__(self) -> None:
        super().__init__(self.take)
        self.taken: list[Any] = []

    def take(self, call: Received) -> Reply:
        """204, or 401."""
        if call.method == "OPTIONS":
            return 204, {"Allow": "POST"}, b""
        try:
            self.taken.append(Webhook(WEBHOOK_SECRET).verify(call.body, call.headers))
        except WebhookVerificationError:
            return 401, {}, b""
        return 204, {}, b""
