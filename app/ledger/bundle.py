"""Evidence bundles: one zip that anybody can verify offline (``README.md``, section 7).

A bundle holds ``manifest.json`` ``{files{name: sha256}, kind, training, v}`` (canonical JSON), ``manifest.jws`` (a
flattened JWS over exactly those bytes by the site's receipt key), its parts, a verifier and instructions for it. The
zip is stored, not compressed, sorted by name and dated 1980-01-01, so every byte follows from the files. A reader packs
the files again and compares: nothing can hide between them, no name occurs twice, and nothing can swell."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from app.ledger.c2sp.note import parse_note
from app.ledger.c2sp.proof import parse_proof
from app.ledger.tree.leaf import canonical

BUNDLE_LIMIT: Final = 256 << 20
"""Bytes of the largest bundle."""
FILES_LIMIT: Final = 4_096
TYPE: Final = "arc-bundle+jws"
"""``typ`` of the manifest's signature: a receipt can never pass for one."""
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.jws"
SEAL: Final = "seal.json"
"""The knot seal in a bundle, as the API gives it."""

_RESOURCES: Final = Path(__file__).parents[2] / "resources"
_ADDED: Final = ("arc_verify.py", "HOW-TO-VERIFY.txt")
# No segment begins with a dot, so there is neither "..", nor a hidden file, nor an absolute name.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}(/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){0,3}")
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_SIZE_AT: Final = 22
_VERSION: Final = 20
_UNIX: Final = 0x0300
_DATE: Final = 0x21
_MODE: Final = 0o100644 << 16


class EvidenceBundleError(ValueError):
    """The bytes are no bundle, or its files are not those of its manifest."""


class BundleManifest(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """``manifest.json``. ``files``: hexadecimal SHA-256 of every file but the manifest and its signature."""

    v: Annotated[int, msgspec.Meta(ge=1, le=1)]
    kind: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z-]{0,31}\Z")]
    training: bool
    files: dict[str, str]


@dataclass(frozen=True)
class EvidenceBundle:
    """A bundle whose files are those of its manifest. The reader still has to judge who made the ``signature``."""

    manifest: BundleManifest
    files: Mapping[str, bytes]

    @property
    def signature(self) -> bytes:
        """The flattened JWS over the manifest."""
        return self.files[SIGNATURE]


def write_bundle(kind: str, parts: Mapping[str, bytes], *, training: bool, sign: Callable[[bytes], bytes]) -> bytes:
    """The bundle of ``parts``. ``sign(manifest)`` gives its flattened JWS of type ``TYPE``. ``EvidenceBundleError`` for
    a kind or a name that a bundle cannot have."""
    files = {**parts, **{name: (_RESOURCES / name).read_bytes() for name in _ADDED}}
    if len(files) != len(parts) + len(_ADDED) or not files.keys().isdisjoint((MANIFEST, SIGNATURE)):
        raise EvidenceBundleError("a part has the name of one of the bundle's own files")
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    manifest = canonical({"v": 1, "kind": kind, "training": training, "files": digests})
    _read_manifest(manifest)
    return pack({**files, MANIFEST: manifest, SIGNATURE: sign(manifest)})


def read_bundle(data: bytes) -> EvidenceBundle:
    """The bundle; ``EvidenceBundleError`` unless it is one, to the byte, and every file is the one that its manifest
    names."""
    files = unpack(data)
    if MANIFEST not in files or SIGNATURE not in files:
        raise EvidenceBundleError("the bundle has no manifest")
    manifest = _read_manifest(files[MANIFEST])
    found = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    del found[MANIFEST], found[SIGNATURE]
    if found != manifest.files:
        name = min(name for name, _ in found.items() ^ manifest.files.items())
        raise EvidenceBundleError(f"{name} is not the file that was signed")
    return EvidenceBundle(manifest, files)


def _read_manifest(data: bytes) -> BundleManifest:
    try:
        manifest = msgspec.json.decode(data, type=BundleManifest)
        # One text for one manifest: of a member that occurs twice, two readers could each take another.
        if canonical(msgspec.to_builtins(manifest)) == data:
            return manifest
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    raise EvidenceBundleError("the manifest has another form")


def proof_parts(
    log: Literal["seal", "audit"], index: int, header: bytes, proof: bytes | None, token: bytes | None
) -> dict[str, bytes]:
    """The files of one leaf of a log, each in the form that other verifiers take: the leaf's bytes, the C2SP
    tlog-proof, the checkpoint's text and the RFC 3161 token over it. ``ProofError`` or ``NoteError`` if ``proof`` is
    not a proof."""
    stem = f"{log}/{index}"
    parts = {f"{stem}.leaf": header}
    if proof is not None:
        parts[f"{stem}.tlog-proof"] = proof
        parts[f"{stem}.checkpoint"] = parse_note(parse_proof(proof).note.encode()).text.encode()
    if token is not None:
        parts[f"{stem}.tst"] = token
    return parts


def pack(files: Mapping[str, bytes]) -> bytes:
    """The zip of ``files``; ``EvidenceBundleError`` for a name that no bundle has, or beyond the limits."""
    parts: list[bytes] = []
    directory = b""
    offset = 0
    for name, data in sorted(files.items()):
        if not _NAME.fullmatch(name):
            raise EvidenceBundleError(f"{name!r} is no name of a file in a bundle")
        raw = name.encode()
        same = (_VERSION, 0, 0, 0, _DATE, zlib.crc32(data), len(data), len(data), len(raw))
        entry = _LOCAL.pack(b"PK\3\4", *same, 0) + raw
        directory += _CENTRAL.pack(b"PK\1\2", _UNIX | _VERSION, *same, 0, 0, 0, 0, _MODE, offset) + raw
        parts += (entry, data)
        offset += len(entry) + len(data)
    parts += (directory, _END.pack(b"PK\5\6", 0, 0, len(files), len(files), len(directory), offset, 0))
    if len(files) > FILES_LIMIT or offset + len(directory) + _END.size > BUNDLE_LIMIT:
        raise EvidenceBundleError("the bundle is too large")
    return b"".join(parts)


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a zip that ``pack`` made. ``EvidenceBundleError`` for every other zip, even if other programs can
    read it."""
    if len(data) > BUNDLE_LIMIT:
        raise EvidenceBundleError("the bundle is too large")
    files: dict[str, bytes] = {}
    at = 0
    while data.startswith(b"PK\3\4", at) and at + _LOCAL.size <= len(data) and len(files) <= FILES_LIMIT:
        size, length = struct.unpack_from("<IH", data, at + _SIZE_AT)
        at += _LOCAL.size
        name = data[at : at + length].decode("latin-1")
        files[name] = data[at + length : at + length + size]
        at += length + size
    # If anything above was misread, the files packed again differ from it.
    if not files or pack(files) != data:
        raise EvidenceBundleError("the bundle is damaged, or was packed again by another program")
    return files
