"""The rows of ``/v1/deliveries/*``."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint
from app.delivery.messages import PublicJwkSet
from app.delivery.published_keys import PublishedKeys


async def _keys(service: PublishedKeys, _call: Call[None, None]) -> PublicJwkSet:
    return service.public()


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="deliveries.keys",
        method="GET",
        path="/v1/deliveries/keys",
        handler=_keys,
        summary="The public keys of what this site signs for others, a JWK set",
        clearance=Clearance.SOVEREIGN,
        response=PublicJwkSet,
    ),
)
