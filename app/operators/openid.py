"""Signing in at the site's OpenID provider: OpenID Connect Core 1.0, authorization code with PKCE.

The console opens the authorization address in the system browser (RFC 8252) and waits at a loopback redirect; state,
nonce and the code's verifier (RFC 7636) are made here and stay here. The service redeems the code itself, so nothing
that a browser saw is believed: the ID token comes from the provider's own token endpoint, is signed by a key that its
issuer publishes, and is judged in the steps of ``judge_id_token``. The client is public: it has no secret to lose.
"""

from __future__ import annotations

import base64
import hashlib
import http
import ipaddress
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from app.api.decode import repeats_member
from app.api.problems import Problem, invalid_field
from app.api.roles import Role, Roles
from app.delivery.outbound import Outbound, OutboundAnswer, OutboundError
from app.site.settings import OpenIdProvider

ALGORITHMS: Final = ("ES256", "RS256")
"""The most that is accepted: asymmetric, and what providers sign with."""
TOKEN_MAX: Final = 16_384
LEEWAY_S: Final = 60
"""How far the provider's clock may be from this one."""
TIMEOUT_S: Final = 10.0
_LEAST_MODULUS: Final = 342
"""Characters of a modulus of 2048 bits in base64url. Looked at before the key is read: joserfc warns of each smaller
one, and ``warnings`` is state of the whole process."""
_DISCOVERY: Final = "/.well-known/openid-configuration"


class TokenUnfit(Exception):
    """The ID token proves nobody. ``cause`` is one word for the audit log."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class _Metadata(msgspec.Struct):
    """What is read of the provider's metadata (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _ProviderKeys(msgspec.Struct):
    keys: list[dict[str, Any]]


class _Tokens(msgspec.Struct):
    id_token: str


class _TokenHeader(msgspec.Struct):
    alg: str
    kid: str | None = None
    crit: Any = None


class _IdTokenClaims(msgspec.Struct):
    """The claims that are judged (OpenID Connect Core 1.0, section 2)."""

    iss: str
    sub: str
    aud: str | list[str]
    exp: int | float
    iat: int | float
    nonce: str | None = None
    azp: str | None = None
    nbf: int | float | None = None


@dataclass(frozen=True)
class OpenIdRequest:
    """One sign-in that waits for its code. ``verifier`` and ``nonce`` are known here alone."""

    unit_id: str
    redirect_uri: str
    verifier: str
    nonce: str


@dataclass(frozen=True)
class ProvenSubject:
    """Who signed in at the provider, and the roles that it grants."""

    subject: str
    roles: Roles


class OpenIdClient:
    """The site as a client of its provider. Event loop only; each call asks the provider anew: people sign in a few
    times a day, and what it publishes may have changed since."""

    def __init__(self, provider: OpenIdProvider, outbound: Outbound) -> None:
        self._provider = provider
        self._outbound = outbound

    @property
    def issuer(self) -> str:
        """The provider's own name."""
        return self._provider.issuer

    async def authorization_url(self, request: OpenIdRequest, state: str) -> str:
        """Where the browser goes. 503 while the provider cannot be asked."""
        metadata = await self._metadata()
        challenge = _base64url(hashlib.sha256(request.verifier.encode()).digest())
        query = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": request.redirect_uri,
            "scope": "openid" + "".join(f" {scope}" for scope in self._provider.scopes),
            "state": state,
            "nonce": request.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            # A session of the browser is no sign that the operator sits there.
            "prompt": "login",
        }
        joint = "&" if urlsplit(metadata.authorization_endpoint).query else "?"
        return metadata.authorization_endpoint + joint + urlencode(query)

    async def redeem(self, request: OpenIdRequest, code: str) -> ProvenSubject:
        """Who signed in. ``TokenUnfit``; 503 while the provider cannot be asked."""
        metadata = await self._metadata()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": request.redirect_uri,
            "client_id": self._provider.client_id,
            "code_verifier": request.verifier,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        try:
            answer = await self._call("POST", metadata.token_endpoint, headers, urlencode(form).encode())
            if answer.status != http.HTTPStatus.OK:
                # RFC 6749, section 5.2: what is wrong with the code is the caller's matter, not ours.
                raise TokenUnfit("code")
            token = answer.read_as(_Tokens).id_token
            keys = (await self._fetch(metadata.jwks_uri)).read_as(_ProviderKeys).keys
        except OutboundError as error:
            raise _away(str(error)) from error
        return judge_id_token(token, keys, self._provider, nonce=request.nonce, now_s=time.time())

    async def _metadata(self) -> _Metadata:
        """What the provider says of itself; it must name itself as the site's settings do."""
        try:
            found = (await self._fetch(self._provider.issuer.rstrip("/") + _DISCOVERY)).read_as(_Metadata)
        except OutboundError as error:
            raise _away(str(error)) from error
        if found.issuer != self._provider.issuer:
            raise _away("It names another issuer than the site's settings.")
        for address in (found.authorization_endpoint, found.token_endpoint, found.jwks_uri):
            if not is_guarded(address):
                raise _away("It names an address without TLS.")
        return found

    async def _fetch(self, url: str) -> OutboundAnswer:
        answer = await self._call("GET", url, {"Accept": "application/json"}, None)
        if answer.status != http.HTTPStatus.OK:
            raise OutboundError(f"It answered {answer.status}.")
        return answer

    async def _call(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> OutboundAnswer:
        return await self._outbound.call(
            method, url, timeout_s=TIMEOUT_S, headers=headers, content=content, ca=self._provider.tls_roots
        )


def make_request(unit_id: str, redirect_uri: str) -> OpenIdRequest:
    """A sign-in with secrets of its own. 422 unless the redirect is a loopback address by number (RFC 8252, sections
    7.3 and 8.3)."""
    try:
        parts = urlsplit(redirect_uri)
        is_loopback = ipaddress.ip_address(parts.hostname or "").is_loopback and parts.port is not None
        plain = parts.scheme == "http" and parts.username is None and not (parts.query or parts.fragment)
    except ValueError:
        is_loopback = plain = False
    if not (is_loopback and plain):
        raise invalid_field("/redirect_uri", "Wait at http://127.0.0.1:<port>/ or http://[::1]:<port>/, with no query.")
    return OpenIdRequest(unit_id, redirect_uri, secrets.token_urlsafe(48), secrets.token_urlsafe(24))


def judge_id_token(
    token: str, keys: list[dict[str, Any]], provider: OpenIdProvider, *, nonce: str, now_s: float
) -> ProvenSubject:
    """Who the ID token names (OpenID Connect Core 1.0, section 3.1.3.7). Raises ``TokenUnfit`` at the first step that
    fails:

    1. it is a compact JWS whose header names an algorithm of ``ALGORITHMS`` and no critical extension (``alg``);
    2. a key of the issuer signed it: the one that the header names, where it names one (``signature``);
    3. ``iss`` is the provider, ``aud`` this client and, of several, ``azp`` too (``iss``, ``aud``);
    4. ``exp`` is to come, ``nbf`` and ``iat`` are not, within ``LEEWAY_S`` (``expired``, ``early``);
    5. ``nonce`` is the one of this sign-in (``nonce``);
    6. the claim of roles grants at least one (``no_role``).
    """
    header = _header(token)
    if header.alg not in ALGORITHMS or header.crit is not None:
        raise TokenUnfit("alg")
    payload = _verify(token, header, keys)
    try:
        claims = msgspec.json.decode(payload, type=_IdTokenClaims)
        everything = msgspec.json.decode(payload, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise TokenUnfit("malformed") from None
    if repeats_member(payload):
        raise TokenUnfit("malformed")
    audience = [claims.aud] if isinstance(claims.aud, str) else claims.aud
    if claims.iss != provider.issuer:
        raise TokenUnfit("iss")
    if provider.client_id not in audience or (len(audience) > 1 and claims.azp is None):
        raise TokenUnfit("aud")
    if claims.azp not in (None, provider.client_id):
        raise TokenUnfit("aud")
    if now_s >= claims.exp + LEEWAY_S:
        raise TokenUnfit("expired")
    if max(claims.iat, claims.nbf or 0) > now_s + LEEWAY_S:
        raise TokenUnfit("early")
    if claims.nonce is None or not secrets.compare_digest(claims.nonce.encode(), nonce.encode()):
        raise TokenUnfit("nonce")
    roles = _roles(everything.get(provider.roles_claim), provider)
    if not roles:
        raise TokenUnfit("no_role")
    return ProvenSubject(claims.sub, roles)


def _header(token: str) -> _TokenHeader:
    parts = token.split(".")
    if len(token) > TOKEN_MAX or len(parts) != 3 or not token.isascii():
        raise TokenUnfit("malformed")
    try:
        raw = base64.b64decode(parts[0] + "=" * (-len(parts[0]) % 4), altchars=b"-_", validate=True)
        header = msgspec.json.decode(raw, type=_TokenHeader)
    except (ValueError, RecursionError):
        raise TokenUnfit("malformed") from None
    if repeats_member(raw):
        raise TokenUnfit("malformed")
    return header


def _verify(token: str, header: _TokenHeader, keys: list[dict[str, Any]]) -> bytes:
    """The payload, if a published key of the header's kind signed it. The kind of key follows the algorithm, never the
    other way round: no public key is ever taken for a secret."""
    kind, of = ("EC", ECKey) if header.alg == "ES256" else ("RSA", RSAKey)
    for known in keys[:100]:
        if known.get("kty") != kind or known.get("use", "sig") != "sig":
            continue
        if kind == "RSA" and len(str(known.get("n"))) < _LEAST_MODULUS:
            continue
        if header.kid is not None and known.get("kid") not in (None, header.kid):
            continue
        try:
            key = of.import_key({name: value for name, value in known.items() if name in _PUBLIC})
            return jws.deserialize_compact(token, key, algorithms=[header.alg]).payload
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    raise TokenUnfit("signature")


_PUBLIC: Final = frozenset({"kty", "crv", "x", "y", "n", "e"})


def _roles(claim: object, provider: OpenIdProvider) -> Roles:
    """The roles that the claim's words stand for: a text, or a list of texts."""
    words = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return frozenset(Role(provider.roles[word]) for word in words if isinstance(word, str) and word in provider.roles)


def is_guarded(url: str) -> bool:
    """Whether what goes there is seen by nobody else: TLS, or this very machine."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "https":
            return parts.hostname is not None
        return parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _away(why: str) -> Problem:
    return Problem(
        "dependency_unavailable",
        f"The OpenID provider cannot be asked: {why.rstrip('.')}. Sign in in another way, or try again.",
        headers={"Retry-After": "5"},
    )
