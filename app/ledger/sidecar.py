"""C2PA sidecar manifests (C2PA specification 2.2): a signed statement about a file, beside the file and not in it.

A manifest binds the file by its hash, carries one assertion of ours, and is signed by a certificate under the site's
root. It says nothing of itself: C2PA lets anybody edit about a third of its bytes (padding, repeated and unsigned
parts) unseen. So a manifest without its file proves nothing, and two manifests of one file need not be equal; in a
bundle each is bound by the bundle's own manifest. Neither making nor reading one uses the network: no time-stamp
authority, no OCSP, no remote manifest.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

if TYPE_CHECKING:
    import c2pa

MEDIA_TYPE: Final = "application/c2pa"
"""Media type of a manifest file."""
LIMIT: Final = 1 << 20
"""Bytes of the longest manifest; ours have 4 KiB."""
_FORMAT: Final = "application/json"
_CREATED: Final = "c2pa.created"
_ACTIONS: Final = "c2pa.actions.v2"
_SOURCE: Final = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation"
_TRUSTED: Final = "Trusted"
_VALID: Final = "Valid"
"""The signature is good, and its certificate leads to no anchor."""


class SidecarError(ValueError):
    """The manifest does not vouch for the file, or is no manifest; the message is a sentence for people."""


class SidecarSigner:
    """Signs with one key. Use it on one thread at a time, as the native signer demands."""

    def __init__(self, key: Ed25519PrivateKey, chain: Sequence[x509.Certificate]) -> None:
        """``chain``: the key's certificate, then its root (C2PA 14.5: emailProtection, digitalSignature)."""
        self._key = key
        self._chain = b"".join(one.public_bytes(Encoding.PEM) for one in chain)
        self._native: c2pa.Signer | None = None
        self._context: c2pa.Context | None = None

    def sign(self, data: bytes, title: str, label: str, assertion: Mapping[str, object]) -> bytes:
        """The manifest of ``data`` (media type JSON). The first call loads the library: about 60 ms, then 0.4."""
        # Imported here: a process that only reads a store, or shows a window, never loads it.
        import c2pa

        if self._native is None or self._context is None:
            secret = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            self._native = c2pa.Signer.from_info(c2pa.C2paSignerInfo(b"ed25519", self._chain, secret, None))
            self._context = offline_context(())
        created = {"actions": [{"action": _CREATED, "digitalSourceType": _SOURCE}]}
        definition = {
            "claim_generator_info": [{"name": "ARC Console"}],
            "title": title,
            "format": _FORMAT,
            "assertions": [{"label": _ACTIONS, "data": created}, {"label": label, "data": dict(assertion)}],
        }
        builder = c2pa.Builder(definition, self._context)
        builder.set_no_embed()
        manifest: bytes = builder.sign(self._native, _FORMAT, io.BytesIO(data), io.BytesIO())
        return manifest


def verify_sidecar(
    data: bytes, manifest: bytes, label: str, roots: Sequence[x509.Certificate]
) -> tuple[dict[str, Any], x509.Certificate]:
    """What the assertion ``label`` states about ``data``, and the one of ``roots`` under which the manifest is signed.
    ``SidecarError`` unless the manifest is of exactly these bytes."""
    if len(manifest) > LIMIT:
        raise SidecarError("The manifest is too long.")
    for root in roots:
        # One root at a time: the library does not say which of several it was.
        state, found = _read(data, manifest, root)
        if state == _TRUSTED:
            return _statement(found, label), root
        if state != _VALID:
            raise SidecarError("The file or its manifest was changed.")
    raise SidecarError("The manifest is signed under no root that you trust.")


def _read(data: bytes, manifest: bytes, root: x509.Certificate) -> tuple[str | None, dict[str, Any]]:
    import c2pa

    try:
        with offline_context([root]) as context, c2pa.Reader(_FORMAT, io.BytesIO(data), manifest, context) as reader:
            return reader.get_validation_state(), msgspec.json.decode(reader.json(), type=dict[str, Any])
    except (c2pa.C2paError, msgspec.MsgspecError):
        raise SidecarError("It is no C2PA manifest.") from None


def _statement(found: dict[str, Any], label: str) -> dict[str, Any]:
    manifests = found.get("manifests", {})
    if len(manifests) != 1:
        raise SidecarError("The manifest brings others along.")
    said = [one["data"] for one in manifests[found["active_manifest"]]["assertions"] if one["label"] == label]
    if len(said) != 1 or not isinstance(said[0], dict):
        raise SidecarError(f"The manifest makes no statement {label}.")
    return said[0]


def offline_context(roots: Sequence[x509.Certificate]) -> c2pa.Context:
    """The library's settings: trust in ``roots`` alone, and no network (no remote manifests, no OCSP)."""
    import c2pa

    pem = b"".join(root.public_bytes(Encoding.PEM) for root in roots).decode()
    trust = {"user_anchors": pem} if pem else {}
    # Not verified after signing: each reader verifies it, and against roots of their own.
    verify = {
        "verify_trust": True,
        "verify_after_sign": False,
        "remote_manifest_fetch": False,
        "ocsp_fetch": False,
    }
    return c2pa.Context(c2pa.Settings.from_dict({"version": 1, "trust": trust, "verify": verify}))
