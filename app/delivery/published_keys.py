"""The keys with which this site signs what it sends to others, and their public parts for the receivers (RFC 7517)."""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc.jwk import ECKey

from app.delivery.messages import PublicJwk, PublicJwkSet
from app.delivery.webhook_signature import public_text
from app.store.keys import Keys

SECURITY_EVENTS: Final = "security-events"
"""Purpose of the key that signs Security Event Tokens; P-256, ES256."""

TERMINAL_BUNDLES: Final = "terminal-bundle"
"""Purpose of the key that signs bundles of terminals, which have it from their installation; P-256, ES256."""

WEBHOOKS: Final = "webhooks"
"""Purpose of the key that signs callbacks beside the API key's own secret; Ed25519, ``v1a`` of Standard Webhooks."""
WEBHOOK_SIGNERS: Final = 2
"""So many of its newest keys sign each callback: a receiver that knows the one before the newest still takes it."""


class PublishedKeys:
    """Keys are named by their thumbprints (RFC 7638), so each keeps its name when the next one comes. Earlier keys stay
    published, because what they signed may still be on its way. Safe on any thread."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def newest(self, purpose: str) -> ECKey:
        """The key that signs now."""
        return ECKey.import_key(self._keys.p256(purpose))

    def webhook_signers(self) -> list[Ed25519PrivateKey]:
        """The keys that sign callbacks now, newest first; the first one is made at the first call."""
        self._keys.ed25519(WEBHOOKS)
        return self._keys.ed25519s(WEBHOOKS)[:WEBHOOK_SIGNERS]

    def public(self) -> PublicJwkSet:
        """Every key that ever signed, of each purpose the newest first. A signed document names its type, so that none
        of one purpose passes for another."""
        found = []
        for purpose in (SECURITY_EVENTS, TERMINAL_BUNDLES):
            self._keys.p256(purpose)
        for key in (key for purpose in (SECURITY_EVENTS, TERMINAL_BUNDLES) for key in self._keys.p256s(purpose)):
            signer = ECKey.import_key(key.public_key())
            part = signer.as_dict(private=False)
            found.append(PublicJwk(kid=signer.thumbprint(), x=str(part["x"]), y=str(part["y"])))
        self._keys.ed25519(WEBHOOKS)
        webhooks = [public_text(key.public_key()) for key in self._keys.ed25519s(WEBHOOKS)]
        return PublicJwkSet(keys=found, webhook_keys=webhooks)
