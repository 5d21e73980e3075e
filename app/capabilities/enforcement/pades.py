"""PAdES B-T signatures (ETSI EN 319 142-1) by pyHanko, over the site's own key and its embedded time-stamp authority.

Imported at the first signature: the library takes seconds to load, and a start must not wait for that. Nothing here
reaches for the network: the time stamp is made in this process, and nothing is validated.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from asn1crypto import algos, cms
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner
from pyhanko.sign.signers.pdf_cms import Signer
from pyhanko.sign.timestamps import TimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

from app.ledger.stamps.timestamp import StampAuthority

FIELD: Final = "Declaration"
"""Name of the signature's field."""
DIGEST: Final = "sha256"
RESERVED: Final = 8_192
"""Hexadecimal digits kept free for the signature, its certificate and its time stamp: 4 KiB, of which it takes a little
more than half. pyHanko raises where it does not fit."""


class PadesSigner:
    """Signs PDF documents. Made once; one thread at a time."""

    def __init__(
        self, key: ec.EllipticCurvePrivateKey, chain: Sequence[x509.Certificate], stamps: StampAuthority
    ) -> None:
        """``chain``: the certificate of ``key``, then the root."""
        self._stamps = _SiteStamps(stamps)
        meta = PdfSignatureMetadata(
            field_name=FIELD, md_algorithm=DIGEST, subfilter=SigSeedSubFilter.PADES, certify=True
        )
        self._signer = PdfSigner(meta, _KeySigner(key, chain[0]), timestamper=self._stamps)

    def sign(self, pdf: bytes, at: datetime) -> bytes:
        """``pdf`` with a certifying signature, stamped at ``at``. ``StampError`` for a time at which the site's
        certificates are not valid."""
        self._stamps.at = at
        return asyncio.run(self._sign(pdf))

    async def _sign(self, pdf: bytes) -> bytes:
        out = await self._signer.async_sign_pdf(IncrementalPdfFileWriter(io.BytesIO(pdf)), bytes_reserved=RESERVED)
        return bytes(out.getvalue())


class _KeySigner(Signer):
    """pyHanko's signer over a key that the process holds: its own one reads the key anew for each signature."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        super().__init__(
            signing_cert=asn1_x509.Certificate.load(certificate.public_bytes(Encoding.DER)),
            cert_registry=SimpleCertificateStore(),  # type: ignore[no-untyped-call]
            signature_mechanism=algos.SignedDigestAlgorithm({"algorithm": "sha256_ecdsa"}),
            embed_roots=False,
        )
        self._key = key

    async def async_sign_raw(self, data: bytes, digest_algorithm: str, dry_run: bool = False) -> bytes:
        """DER signature over ``data``. It is never asked for the size alone: the place is reserved."""
        del digest_algorithm, dry_run
        return self._key.sign(data, ec.ECDSA(hashes.SHA256()))


class _SiteStamps(TimeStamper):
    """pyHanko's client of a time-stamp authority, answered by the embedded one."""

    at: datetime
    """When the next signature is stamped."""

    def __init__(self, stamps: StampAuthority) -> None:
        super().__init__(include_nonce=False)  # type: ignore[no-untyped-call]
        self._stamps = stamps

    async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> Any:
        """The token (asn1crypto) over the digest, SHA-256 as the signature's own."""
        del md_algorithm
        return cms.ContentInfo.load(self._stamps.stamp(message_digest, self.at))
