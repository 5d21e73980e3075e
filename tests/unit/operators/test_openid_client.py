"""The site as a client of a provider that is away, or says something else than it should."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.api.problems import Problem
from app.delivery.outbound import Outbound
from app.operators.openid import OpenIdClient, make_request
from app.site.settings import OpenIdProvider
from tests.unit.delivery.loopback_peer import Peer, serving

REQUEST = make_request("desk-1", "http://127.0.0.1:1234/")


def answer(body: object, status: bytes = b"200 OK") -> bytes:
    """An HTTP answer with this JSON."""
    data = json.dumps(body).encode()
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(data), data)


async def _ask(issuer: str) -> str:
    outbound = Outbound()
    client = OpenIdClient(OpenIdProvider(issuer=issuer, client_id="arc", roles={}), outbound)
    try:
        return await client.authorization_url(REQUEST, "the state")
    finally:
        await outbound.close()


def asked(issuer: str) -> str:
    """What a sign-in is told of a provider that is not one."""
    with pytest.raises(Problem) as refused:
        asyncio.run(_ask(issuer))
    assert refused.value.code == "dependency_unavailable"
    assert refused.value.headers["Retry-After"] == "5"
    return refused.value.detail


def metadata(peer: Peer, **changes: object) -> dict[str, object]:
    """What the provider says of itself."""
    issuer = peer.url.rstrip("/")
    addresses = dict.fromkeys(("authorization_endpoint", "token_endpoint", "jwks_uri"), f"{issuer}/x")
    return {"issuer": issuer, **addresses, **changes}


def test_a_provider_that_is_away_is_said_so() -> None:
    """Nobody answers: 503 with what to do."""
    said = asked("http://127.0.0.1:1")
    assert "No connection" in said
    assert "another way" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"issuer": "https://id.example.com"}, "another issuer"),
        ({"token_endpoint": "http://id.example.com/token"}, "without TLS"),
        ({"jwks_uri": "http://id.example.com/keys"}, "without TLS"),
        ({"authorization_endpoint": "http://id.example.com/a"}, "without TLS"),
        ({"token_endpoint": 7}, "cannot be understood"),
    ],
)
def test_what_a_provider_says_of_itself_must_fit(changes: dict[str, object], words: str) -> None:
    """Another issuer, an address over an open network, another shape: nobody is sent there."""

    async def run() -> str:
        async with serving(b"") as peer:
            peer.answer = answer(metadata(peer, **changes))
            with pytest.raises(Problem) as refused:
                await _ask(peer.url.rstrip("/"))
            return refused.value.detail

    assert words in asyncio.run(run())


def test_an_error_of_the_provider_is_no_metadata() -> None:
    """404 at the place of its metadata."""

    async def run() -> str:
        async with serving(b"") as peer:
            peer.answer = answer(metadata(peer), b"404 Not Found")
            with pytest.raises(Problem) as refused:
                await _ask(peer.url.rstrip("/"))
            return refused.value.detail

    assert "answered 404" in asyncio.run(run())


def test_a_query_of_the_address_stays() -> None:
    """An authorization endpoint with parameters of its own keeps them."""

    async def run() -> str:
        async with serving(b"") as peer:
            peer.answer = answer(metadata(peer, authorization_endpoint=f"{peer.url}a?tenant=7"))
            return await _ask(peer.url.rstrip("/"))

    assert "/a?tenant=7&response_type=code&" in asyncio.run(run())


def test_a_token_endpoint_that_gives_no_token_is_the_provider_s_fault() -> None:
    """What it answers in place of tokens proves nobody, and is no wrong code either: 503."""

    async def run() -> Problem:
        async with serving(b"") as peer:
            peer.answer = answer(metadata(peer))
            outbound = Outbound()
            issuer = peer.url.rstrip("/")
            client = OpenIdClient(OpenIdProvider(issuer=issuer, client_id="arc", roles={}), outbound)
            try:
                with pytest.raises(Problem) as refused:
                    await client.redeem(REQUEST, "a code")
            finally:
                await outbound.close()
            return refused.value

    refused = asyncio.run(run())
    assert (refused.code, refused.headers["Retry-After"]) == ("dependency_unavailable", "5")
    assert "cannot be understood" in refused.detail
