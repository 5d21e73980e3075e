"""Whether a certificate leads to an authority (RFC 5280), and the errors that malformed certificates cause."""

import datetime
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.utils import CryptographyDeprecationWarning

BROKEN: Final = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    UnsupportedAlgorithm,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    CryptographyDeprecationWarning,
)
"""What the parsers of ASN.1 and X.509 raise for malformed bytes (the last one where a program turns warnings into
errors, for certificates that a coming version refuses)."""


def issued_by(
    leaf: x509.Certificate, authorities: Sequence[x509.Certificate], at: datetime.datetime | None = None
) -> bool:
    """Whether `leaf` leads to a self-issued certificate among `authorities`, all valid at `at` (default now).

    Every authority on the way must be marked as a CA; the signatures are checked. Never raises for odd certificates.
    """
    at = at or datetime.datetime.now(datetime.UTC)
    current = leaf
    for _ in range(len(authorities) + 1):
        if not current.not_valid_before_utc <= at <= current.not_valid_after_utc:
            return False
        parent = next((authority for authority in authorities if directly_issued(current, authority)), None)
        if parent is None:
            return False
        if parent.subject == parent.issuer:
            return parent.not_valid_before_utc <= at <= parent.not_valid_after_utc
        current = parent
    return False


@lru_cache(maxsize=256)
def directly_issued(leaf: x509.Certificate, authority: x509.Certificate) -> bool:
    """Whether `authority` is marked as a CA and its key signed `leaf`. Never raises for odd certificates."""
    # Cached by the certificates' bytes, on which alone it depends: a content signer is judged with each card.
    try:
        if not authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            return False
        leaf.verify_directly_issued_by(authority)
    except (*BROKEN, InvalidSignature, x509.ExtensionNotFound):
        return False
    return True
