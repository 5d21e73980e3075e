"""The site's signature over documents that others verify without it: receipts of cards, manifests of bundles.

A signed document is a flattened JWS (RFC 7515, 7.2.2; EdDSA, RFC 8037) whose ``x5c`` leads to the site's root.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from app.api.wire import base64url_text
from app.ledger.bundle import TYPE as BUNDLE_TYPE
from app.pki.authority import SiteAuthority
from app.pki.site_certificates import ensure_site_certificate, kept_certificates
from app.store.engine import Store
from app.store.keys import Keys

CERTIFICATE = "receipt"
"""Name of the key and of its certificate, for life."""


class DocumentSigner:
    """The site's document key with its certificate. Safe on any thread."""

    def __init__(self, key: Ed25519PrivateKey, chain: Sequence[x509.Certificate]) -> None:
        self._key = key
        self._x5c = [base64.b64encode(one.public_bytes(Encoding.DER)).decode() for one in chain]

    @classmethod
    def open(cls, store: Store, keys: Keys, authority: SiteAuthority) -> DocumentSigner:
        """The site's signer; its certificate is issued at the first start with a key. Blocks on the disk."""
        key = keys.ed25519(CERTIFICATE)
        public = key.public_key()
        certificate = ensure_site_certificate(store, CERTIFICATE, public, lambda: authority.receipt_signer(public))
        return cls(key, [certificate, authority.root.certificate])

    @classmethod
    def find(cls, store: Store, keys: Keys) -> DocumentSigner | None:
        """The signer that ``open`` made at an earlier start, None if there was none. Only reads: for a disk without
        room."""
        kept = kept_certificates(store)
        if CERTIFICATE not in kept or "root" not in kept:
            return None
        public = kept[CERTIFICATE].public_key()
        # Not ``keys.ed25519``: it makes the key that it does not find.
        own = next((key for key in keys.ed25519s(CERTIFICATE) if key.public_key() == public), None)
        return None if own is None else cls(own, [kept[CERTIFICATE], kept["root"]])

    def sign(self, payload: bytes, kind: str) -> bytes:
        """``payload`` as a flattened JWS, JSON. ``kind`` is signed with it as ``typ``: a document of one kind can never
        pass for one of another."""
        protected = base64url_text(msgspec.json.encode({"alg": "EdDSA", "typ": kind, "x5c": self._x5c}))
        coded = base64url_text(payload)
        signature = base64url_text(self._key.sign(f"{protected}.{coded}".encode()))
        return msgspec.json.encode({"payload": coded, "protected": protected, "signature": signature})

    def sign_bundle(self, manifest: bytes) -> bytes:
        """The signature over a bundle's manifest (``app.ledger.bundle.write_bundle``)."""
        return self.sign(manifest, BUNDLE_TYPE)
