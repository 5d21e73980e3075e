"""TRAINING: a palm terminal in software. It sees drawn palms and does the rest as a real one does.

Its file holds its signing key and its counter. The counter is on the disk before a frame leaves, so no number is used
twice, whatever loses its power. Whoever has the file is the terminal; it is readable by its owner only.

The rotation is secret of the registry and comes from outside (a bundle); it is never written.
"""

from __future__ import annotations

import secrets
import threading
import time
from pathlib import Path
from typing import Final

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key

from hardware.private_file import replace_private
from hardware.terminals import crease
from hardware.terminals.drawn import DrawnPalm
from hardware.terminals.frame import (
    ENROL_INTENT,
    NONCE_BYTES,
    Frame,
    Kind,
    SigningKey,
    VerifyingKey,
    pack,
    registry_tag,
    sign,
)
from hardware.terminals.rotation import Rotation
from hardware.terminals.tag import terminal_tag

_FORMAT: Final = 1


class TerminalFileError(Exception):
    """The file is not that of this software terminal."""


class NotProvisioned(Exception):
    """The terminal was given no rotation yet: it can make no template."""


class _Kept(msgspec.Struct):
    """What the terminal's file holds: PKCS #8 key without encryption, and the counter of the last frame."""

    format: int
    terminal_id: str
    key: bytes
    counter: int


class SoftwareTerminal:
    """One terminal, made at the first use of its file; `key` is then what a new one signs with (Ed25519 or P-256).

    `palms` names the world of hands that are laid on it. Calls may come from several threads. Raises
    `TerminalFileError` for a file that is something else, OSError as usual.
    """

    def __init__(self, path: Path, terminal_id: str, *, key: SigningKey | None = None, palms: str = "training") -> None:
        self.terminal_id = terminal_id
        self._path = path
        self._palms = palms
        self._lock = threading.Lock()
        self._rotation: Rotation | None = None
        if path.exists():
            self._kept, self._key = _read(path, terminal_id)
            return
        self._key = key or Ed25519PrivateKey.generate()
        der = self._key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        self._kept = _Kept(_FORMAT, terminal_id, der, 0)
        self._keep()

    @property
    def public_key(self) -> VerifyingKey:
        """What the service knows this terminal by."""
        return self._key.public_key()

    @property
    def counter(self) -> int:
        """That of the last frame; 0 before the first."""
        return self._kept.counter

    def provision(self, rotation: Rotation | None) -> None:
        """Make templates by `rotation` from now on, or none at all. The one before it is wiped."""
        with self._lock:
            if self._rotation is not None and self._rotation is not rotation:
                self._rotation.wipe()
            self._rotation = rotation

    def lay(
        self,
        node_id: str,
        intent: str,
        *,
        shot: int | None = None,
        now_ms: int | None = None,
        liveness: int | None = None,
    ) -> bytes:
        """Lay the drawn palm of `node_id` on the sensor; the signed frame of 25 views, of kind enrol for that intent.

        `shot` picks the picture (None: a new one each time), `now_ms` is the terminal's clock (Unix, None: now),
        `liveness` what its sensor claims (0..100; None: it has no such sensor). Raises `NotProvisioned`, ValueError for
        an intent without text or a liveness out of its bounds, OSError if the counter could not be kept.
        """
        with self._lock:
            if self._rotation is None:
                raise NotProvisioned(f"terminal {self.terminal_id} was given no rotation")
            self._kept.counter += 1
            self._keep()
            nonce = secrets.token_bytes(NONCE_BYTES)
            # not the counter: two terminals would see the very same picture, which is what a copied template looks like
            picture = DrawnPalm(self._palms, node_id).shot(int.from_bytes(nonce, "big") if shot is None else shot)
            packed = pack(
                Frame(
                    alg=crease.ALG,
                    kind=Kind.ENROL if intent == ENROL_INTENT else Kind.PROBE,
                    registry_tag=registry_tag(self._rotation.registry_id),
                    key_epoch=self._rotation.epoch,
                    counter=self._kept.counter,
                    captured_ms=time.time_ns() // 1_000_000 if now_ms is None else now_ms,
                    nonce=nonce,
                    terminal_tag=terminal_tag(self.terminal_id),
                    templates=self._rotation.template(crease.features(picture)),
                    liveness=liveness,
                )
            )
        try:
            return sign(packed, self._key, self.terminal_id, intent)
        finally:
            packed[:] = bytes(len(packed))

    def _keep(self) -> None:
        replace_private(self._path, msgspec.json.encode(self._kept), survives_power_loss=True)


def _read(path: Path, terminal_id: str) -> tuple[_Kept, SigningKey]:
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        key = load_der_private_key(kept.key, None)
    except (msgspec.DecodeError, UnsupportedAlgorithm, ValueError, TypeError) as error:
        # from None: the decoder's message may quote the file, and the file holds a key
        raise TerminalFileError(f"{path.name} is not a software terminal: {type(error).__name__}") from None
    if kept.format != _FORMAT or kept.terminal_id != terminal_id:
        raise TerminalFileError(f"{path.name} is another terminal's, or of a format that is not known here")
    if not isinstance(key, Ed25519PrivateKey | EllipticCurvePrivateKey) or kept.counter < 0:
        raise TerminalFileError(f"{path.name} holds no key of a terminal, or no counter")
    return kept, key
