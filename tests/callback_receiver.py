"""A receiver of callbacks that judges each signature by a library that is not ours."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook

from tests.receiver import Received, Receiver, Reply


class CallbackReceiver(Receiver):
    """Answers each call with the next of ``statuses``, the last one for ever. ``webhook-signature`` is judged when a
    test asks for ``verified``."""

    def __init__(self, *statuses: int, before: Callable[[], None] | None = None, **headers: str) -> None:
        """``before`` is called before each answer; ``headers`` go with it."""
        super().__init__(self.take)
        self.statuses = list(statuses) or [204]
        self.before = before
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def take(self, call: Received) -> Reply:
        """The next status."""
        del call
        if self.before is not None:
            self.before()
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0], self.headers, b""

    @property
    def ids(self) -> list[str]:
        """``webhook-id`` of each call, in the order they came."""
        return [call.headers["webhook-id"] for call in self.calls]


def verified(call: Received, secret: str, public: Sequence[str]) -> Any:
    """The body, where ``v1`` holds by ``standardwebhooks`` under ``secret``, and by ``cryptography`` one ``v1a`` under
    each key of ``public`` (``whpk_``)."""
    signed = b".".join((call.headers["webhook-id"].encode(), call.headers["webhook-timestamp"].encode(), call.body))
    given = [one.partition(",") for one in call.headers["webhook-signature"].split(" ")]
    by_site = [base64.b64decode(value) for version, _, value in given if version == "v1a"]
    assert len(by_site) == len(public)
    for key, signature in zip(public, by_site, strict=True):
        raw = base64.b64decode(key.removeprefix("whpk_"), validate=True)
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, signed)
    return Webhook(secret).verify(call.body, call.headers)
