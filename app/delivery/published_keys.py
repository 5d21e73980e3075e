"""The keys with which this site signs what it sends to others, and their public parts for the receivers (RFC 7517)."""

from __future__ import annotations

from typing import Final

from joserfc.jwk import ECKey

from app.delivery.messages import PublicJwk, PublicJwkSet
from app.store.keys import Keys

SECURITY_EVENTS: Final = "security-events"
"""Purpose of the key that signs Security Event Tokens; P-256, ES256."""

TERMINAL_BUNDLES: Final = "terminal-bundle"
"""Purpose of the key that signs bundles of terminals, which have it from their installation; P-256, ES256."""


class PublishedKeys:
    """Keys are named by their thumbprints (RFC 7638), so each keeps its name when the next one comes. Earlier keys stay
    published, because what they signed may still be on its way. Safe on any thread."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def newest(self, purpose: str) -> ECKey:
        """The key that signs now."""
        return ECKey.import_key(self._keys.p256(purpose))

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
        return PublicJwkSet(keys=found)
