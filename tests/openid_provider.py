"""A real OpenID provider on loopback: Authlib's authorization server (code grant, PKCE, ID tokens) under Flask.

``fault`` makes its next ID tokens wrong in one thing; everything else it does as the specifications say.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import httpx
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from flask import Flask, jsonify, request
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey
from werkzeug.serving import make_server

CLIENT = "arc-console"
Fault = Literal[
    "", "iss", "aud", "two audiences", "azp", "nonce", "no nonce", "alg none", "alg HS256", "alg RS512", "expired",
    "early", "future", "another key", "no roles",
]  # fmt: skip


@dataclass
class _Client(ClientMixin):
    """The one registered client: public, with any loopback redirect (RFC 8252, section 7.3)."""

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return urlsplit(redirect_uri).hostname == "127.0.0.1"

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class Provider:
    """The provider, and who signs in at its page."""

    issuer: str = ""
    subject: str = "sub-1"
    roles: list[str] = field(default_factory=lambda: ["arc-desk"])
    fault: Fault = ""
    alg: Literal["ES256", "RS256"] = "ES256"
    codes: dict[str, Any] = field(default_factory=dict)
    ec: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "ec-1", "use": "sig"}))
    rsa: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "rsa-1", "use": "sig"}))

    def visit(self, authorization_url: str) -> dict[str, str]:
        """What the browser of somebody who signs in brings back to the redirect."""
        answer = httpx.get(authorization_url, trust_env=False, timeout=20)
        assert answer.status_code == 302, answer.text
        return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}

    def signing(self) -> tuple[str, Any]:
        """Algorithm and key of the next ID token."""
        match self.fault:
            case "alg none":
                return "none", None
            case "alg HS256":
                return "HS256", None
            case "alg RS512":
                return "RS512", self.rsa
            case "another key":
                return "ES256", ECKey.generate_key("P-256", {"kid": "ec-1"})
            case _:
                return self.alg, self.ec if self.alg == "ES256" else self.rsa

    def spoil(self, claims: dict[str, Any]) -> dict[str, Any]:
        """The claims with the fault."""
        now = int(time.time())
        match self.fault:
            case "iss":
                claims["iss"] = "http://127.0.0.1:1"
            case "aud":
                claims["aud"] = ["somebody-else"]
            case "two audiences":
                claims["aud"] = [CLIENT, "somebody-else"]
            case "azp":
                claims["aud"], claims["azp"] = [CLIENT, "somebody-else"], "somebody-else"
            case "nonce":
                claims["nonce"] = "another"
            case "no nonce":
                del claims["nonce"]
            case "expired":
                claims["iat"], claims["exp"] = now - 7200, now - 3600
            case "early":
                claims["nbf"] = now + 3600
            case "future":
                claims["iat"] = now + 3600
        return claims


def _by_hand(alg: str, claims: dict[str, Any], public: bytes) -> str:
    """A token that no library makes: unsigned, or with the published key as the secret of an HMAC."""

    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    signed = f"{part(json.dumps({'alg': alg, 'kid': 'ec-1'}).encode())}.{part(json.dumps(claims).encode())}"
    tag = b"" if alg == "none" else hmac.digest(public, signed.encode(), "sha256")
    return f"{signed}.{part(tag)}"


def _grants(provider: Provider) -> tuple[type[Any], list[Any]]:
    """The code grant of the provider, with PKCE and ID tokens."""

    class CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]  # noqa: RUF012 -- as of Authlib

        def save_authorization_code(self, code: str, request: Any) -> None:
            data = request.payload.data
            kept = {
                name: data.get(name)
                for name in ("redirect_uri", "scope", "nonce", "code_challenge", "code_challenge_method")
            }
            found = SimpleNamespace(
                code=code,
                **kept,
                get_redirect_uri=lambda: kept["redirect_uri"],
                get_scope=lambda: kept["scope"],
                get_nonce=lambda: kept["nonce"],
                get_auth_time=lambda: int(time.time()),
                get_acr=lambda: None,
                get_amr=lambda: None,
            )
            provider.codes[code] = found

        def query_authorization_code(self, code: str, _client: Any) -> Any:
            return provider.codes.get(code)

        def delete_authorization_code(self, authorization_code: Any) -> None:
            provider.codes.pop(authorization_code.code, None)

        def authenticate_user(self, _authorization_code: Any) -> Any:
            return SimpleNamespace(sub=provider.subject)

    class IdToken(OpenIDCode):  # type: ignore[misc]
        def exists_nonce(self, _nonce: str, _request: Any) -> bool:
            return False

        def get_client_algorithm(self, _client: Any) -> str:
            return provider.signing()[0]

        def get_encode_header(self, _client: Any) -> dict[str, str]:
            alg, _ = provider.signing()
            return {"alg": alg, "kid": "rsa-1" if alg.startswith("RS") else "ec-1"}

        def get_compatible_claims(self, _request: Any) -> dict[str, Any]:
            now = int(time.time())
            return {"iss": provider.issuer, "aud": [CLIENT], "iat": now, "exp": now + 3600}

        def resolve_client_private_key(self, _client: Any) -> Any:
            return provider.signing()[1]

        def get_authorization_code_claims(self, authorization_code: Any) -> dict[str, Any]:
            return {"nonce": authorization_code.nonce}

        def encode_id_token(self, token: Any, request: Any) -> str:
            claims = self.get_compatible_claims(request)
            claims |= self.get_authorization_code_claims(request.authorization_code)
            claims |= {"sub": provider.subject} | ({} if provider.fault == "no roles" else {"roles": provider.roles})
            alg, key = provider.signing()
            if key is None:
                return _by_hand(alg, provider.spoil(claims), provider.ec.as_pem(private=False))
            return jwt.encode(self.get_encode_header(None), provider.spoil(claims), key, [alg])

        def generate_user_info(self, _user: Any, _scope: str) -> dict[str, Any]:
            return {"sub": provider.subject}

    return CodeGrant, [CodeChallenge(required=True), IdToken(require_nonce=True)]


@contextlib.contextmanager
def openid_provider() -> Iterator[Provider]:
    """A running provider at a free port."""
    provider = Provider()
    flask = Flask("openid-provider")
    server = AuthorizationServer(
        flask, query_client=lambda name: _Client() if name == CLIENT else None, save_token=lambda *_: None
    )
    grant, extensions = _grants(provider)
    server.register_grant(grant, extensions)

    @flask.get("/.well-known/openid-configuration")
    def metadata() -> Any:
        addresses = {
            "authorization_endpoint": f"{provider.issuer}/authorize",
            "token_endpoint": f"{provider.issuer}/token",
            "jwks_uri": f"{provider.issuer}/jwks",
        }
        return jsonify({"issuer": provider.issuer, **addresses})

    @flask.get("/jwks")
    def jwks() -> Any:
        return jsonify({"keys": [key.as_dict(private=False) for key in (provider.rsa, provider.ec)]})

    @flask.get("/authorize")
    def authorize() -> Any:
        # Whoever sits at the browser signs in as ``subject`` without being asked.
        end_user = SimpleNamespace(sub=provider.subject)
        consent = server.get_consent_grant(end_user=end_user)
        return server.create_authorization_response(request, grant_user=end_user, grant=consent)

    @flask.post("/token")
    def token() -> Any:
        return server.create_token_response(request)

    http = make_server("127.0.0.1", 0, flask, threaded=True)
    provider.issuer = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, name="openid-provider")
    thread.start()
    try:
        yield provider
    finally:
        http.shutdown()
        thread.join(20)
        http.server_close()
