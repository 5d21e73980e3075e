"""Which site answers: the statement that a service signs, checked before a word of it is shown.

A key of the site's own signs it, and the certificate of that key leads to the site's root. Which root that is, nobody
can know at first sight: the console keeps to the one that it saw first for as long as it runs.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from app.console.language import tr

if TYPE_CHECKING:
    from app.api.health_messages import SignedStatement
    from app.client import Client

TYPE: Final = "arc-site"
PROFILES: Final = ("training", "production")


class StatementRefused(Exception):
    """What a service says of itself is not signed as it must be. The text is a sentence for people."""


@dataclass(frozen=True)
class KnownSite:
    """A site as its own signature states it. ``root``: SHA-256 of its root's certificate, lower-case hexadecimal."""

    profile: str
    site_id: str
    version: str
    root: str

    def same_site(self, other: KnownSite) -> bool:
        """Whether both are one site; its program may have become newer."""
        return (self.profile, self.site_id, self.root) == (other.profile, other.site_id, other.root)


async def stated_site(client: Client) -> KnownSite:
    """The site that answers ``client``, ready or not. Raises StatementRefused, and what ``client`` raises."""
    import msgspec

    from app.api.health_messages import SignedStatement
    from app.client import ApiError

    try:
        statement = (await client.health_ready()).statement
    except ApiError as error:
        if error.code == "unauthenticated":
            raise StatementRefused(
                tr("The service is of an earlier version: it does not say which site it is.")
            ) from None
        if "statement" not in error.extra:
            raise
        statement = msgspec.convert(error.extra["statement"], SignedStatement)
    return judged_statement(statement)


def judged_statement(statement: SignedStatement) -> KnownSite:
    """The site that signed ``statement``. Raises StatementRefused."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        header = json.loads(_bytes(statement.protected))
        if (header["alg"], header["typ"]) != ("EdDSA", TYPE):
            raise ValueError(tr("it is a document of another kind"))
        signer, root = (x509.load_der_x509_certificate(base64.b64decode(one, validate=True)) for one in header["x5c"])
        signer.verify_directly_issued_by(root)
        root.verify_directly_issued_by(root)
        key = signer.public_key()
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError(tr("its certificate has a key of another kind"))
        key.verify(_bytes(statement.signature), f"{statement.protected}.{statement.payload}".encode("ascii"))
        said = json.loads(_bytes(statement.payload))
        profile, site_id, version = (str(said[name]) for name in ("profile", "site_id", "version"))
        if profile not in PROFILES:
            raise ValueError(tr("it names the profile {profile}", profile=profile[:40]))
    except InvalidSignature:
        raise StatementRefused(
            tr("The service's statement of its site is not signed by the key that it names.")
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StatementRefused(
            tr("The service's statement of its site cannot be believed: {error}.", error=error)
        ) from None
    return KnownSite(profile, site_id, version, root.fingerprint(hashes.SHA256()).hex())


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
