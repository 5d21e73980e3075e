"""Look-ups of host names on threads of their own."""

import asyncio

from app.delivery.names import HostNames


def test_a_look_up_asks_for_what_the_loop_would() -> None:
    """Where the caller names no kind of socket it gets all of them."""

    async def both() -> tuple[object, object]:
        loop = asyncio.get_running_loop()
        return await HostNames(loop).getaddrinfo("127.0.0.1", 80), await loop.getaddrinfo("127.0.0.1", 80)

    ours, theirs = asyncio.run(both())
    assert ours == theirs
