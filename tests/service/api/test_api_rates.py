"""Rate limits as callers meet them."""

from __future__ import annotations

from app.api.operation import Rate
from app.api.rates import RateRule, Rates
from tests.service.api.api_site import PLENTY, ApiSite
from tests.service.api.test_api_requests import code

BODY = {"node_id": "ARC-1"}


def test_limit_is_told_and_kept(fresh: ApiSite) -> None:
    """Each reply says what is left; past the burst it is 429 with Retry-After, for this key and class alone."""
    fresh.context.rates = Rates({**PLENTY, Rate.WRITE: RateRule(0.01, 2)})
    with fresh.running(), fresh.client() as client, fresh.client(fresh.sovereign.key) as other:
        first = client.post("/v1/sample/echo", json=BODY)
        assert first.headers["ratelimit"].startswith('"write";r=1;')
        assert first.headers["ratelimit-policy"] == '"write";q=2;w=200'
        client.post("/v1/sample/echo", json=BODY)
        denied = client.post("/v1/sample/echo", json=BODY)
        assert code(denied) == "rate_limited"
        assert 1 <= int(denied.headers["retry-after"]) <= 100
        assert client.post("/v1/sample/small", json=BODY).status_code == 200
        assert other.post("/v1/sample/echo", json=BODY).status_code == 200
        assert 'arc_rate_denied_total{rate="write"} 1' in client.get("/metrics").text
    assert fresh.sample.runs == 4


def test_nothing_drains_burn(fresh: ApiSite) -> None:
    """With every other bucket empty the burn class still answers."""
    fresh.context.rates = Rates({rate: RateRule(0.001, 1) for rate in Rate} | {Rate.BURN: RateRule(0.001, 1)})
    with fresh.running(), fresh.client() as client:
        for _ in range(5):
            client.post("/v1/sample/echo", json=BODY)
            client.get("/v1/sample")
        assert code(client.get("/v1/sample")) == "rate_limited"
        assert client.post("/v1/sample/small", json=BODY).status_code == 200
