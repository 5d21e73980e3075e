"""TRAINING: a palm terminal in software. It sees synthetic palms and does the rest as a real one does.

Its file holds its signing key and its counter. The counter is on the disk before a frame leaves, so no number is used
twice, even if the power fails. Any program that has the file is the terminal, so only its owner can read it.

The terminal is installed with its site's pinned keys. A bundle signed by one of them brings the projection, and the
partition that the terminal may decide by while its line is down. Neither is ever written: after a restart the terminal
fetches another bundle. The file says only how far it got, so that no earlier bundle is accepted again (even with a
clock that was set back), and so that a terminal that lost its power can still acknowledge the last one.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key

from hardware.private_file import replace_private
from hardware.terminals import crease
from hardware.terminals.bundle import PER_GENERATION, PalmBundle, PalmBundleError, PalmBundleHead, open_bundle
from hardware.terminals.bundle_ack import acknowledge
from hardware.terminals.frame import (
    ENROL_INTENT,
    NONCE_BYTES,
    PalmFrame,
    TemplateKind,
    pack,
    registry_tag,
    sign,
)
from hardware.terminals.keystone import terminal_tag
from hardware.terminals.offline import OfflineDecision, Partition, decide
from hardware.terminals.projection import Projection
from hardware.terminals.signing import SigningKey, VerifyingKey
from hardware.terminals.synthetic_palms import SyntheticPalm

_FORMAT: Final = 1


class TerminalFileError(Exception):
    """The file is not that of this software terminal."""


class NotProvisioned(Exception):
    """The terminal has no projection yet, so it can make no template."""


class BundleOlder(PalmBundleError):
    """The bundle was made before the one that this terminal took last."""


class _Kept(msgspec.Struct, omit_defaults=True):
    """What the terminal's file holds.

    PKCS #8 keys without encryption (``opens``: the key that bundles are sealed to); the counter of the last frame; of
    the last bundle its number, registry, epochs and the SHA-256 of its head; `issued_s`: the latest time that the site
    has signed (Unix seconds).
    """

    format: int
    terminal_id: str
    key: bytes
    counter: int
    opens: bytes = b""
    issue: int = 0
    registry_id: str = ""
    key_epoch: int = 0
    access_epoch: int = 0
    head_sha256: bytes = b""
    issued_s: int = 0


class SoftwareTerminal:
    """One terminal, created with its file if that does not exist. A new one signs with `key` (Ed25519 or P-256).

    `palms` names the world of hands that are laid on it. Calls may come from several threads. Raises
    `TerminalFileError` for a file that is something else, OSError as usual.
    """

    def __init__(self, path: Path, terminal_id: str, *, key: SigningKey | None = None, palms: str = "training") -> None:
        self.terminal_id = terminal_id
        self._path = path
        self._palms = palms
        self._lock = threading.Lock()
        self._projection: Projection | None = None
        self._partition: Partition | None = None
        # Nodes that the site has denied over the line since the last bundle, each with the access epoch of the denial.
        self._pushed: dict[str, int] = {}
        # The latest time of a decision by the present partition: once ended, it stays so if the clock is set back.
        self._asked_s = 0.0
        if path.exists():
            self._kept, self._key, opens = _read(path, terminal_id)
        else:
            self._key, opens = key or Ed25519PrivateKey.generate(), None
            self._kept = _Kept(_FORMAT, terminal_id, _der(self._key), 0)
        self._opens = opens or generate_private_key(SECP256R1())
        if opens is None:
            self._kept.opens = _der(self._opens)
            self._keep()

    @property
    def public_key(self) -> VerifyingKey:
        """The key by which the service checks this terminal's frames."""
        return self._key.public_key()

    @property
    def counter(self) -> int:
        """Counter of the last frame; 0 before the first."""
        return self._kept.counter

    @property
    def encryption_key(self) -> EllipticCurvePublicKey:
        """The key to which the service seals this terminal's bundles."""
        return self._opens.public_key()

    @property
    def issue(self) -> int:
        """Number of the last bundle; 0 before the first."""
        return self._kept.issue

    @property
    def provisioned(self) -> tuple[str, int, int] | None:
        """Registry, key epoch and access epoch of the bundle in use; None without one."""
        with self._lock:
            if self._projection is None:
                return None
            return self._kept.registry_id, self._kept.key_epoch, self._kept.access_epoch

    @property
    def alone(self) -> bool:
        """Whether the terminal holds a partition to decide by while its line is down."""
        return self._partition is not None

    def take(
        self, text: bytes, site_keys: Sequence[EllipticCurvePublicKey], *, now_s: float | None = None
    ) -> PalmBundleHead:
        """Take a bundle signed by one of these pinned keys, in place of the one before. Returns its head.

        Raises `PalmBundleError` (`BundleOlder` for one that is not newer than the last, or of an earlier epoch of its
        generation) and then goes on with what it has; OSError if its file could not be written. `now_s`: the terminal's
        clock (Unix seconds, None: now).
        """
        with self._lock:
            bundle = open_bundle(text, self._opens, site_keys, terminal_id=self.terminal_id, now_s=self._now_s(now_s))
            try:
                self._check_newer(bundle.head)
                self._use(bundle)
            except BaseException:
                bundle.wipe()
                raise
            bundle.seed[:] = bytes(len(bundle.seed))
            return bundle.head

    def _check_newer(self, head: PalmBundleHead) -> None:
        """Raises ``BundleOlder`` for a bundle that was made before the one that this terminal took last."""
        kept = self._kept
        # A site that lost its last entries starts a new generation, and may have lost a renewal with them.
        goes_on = head.issue // PER_GENERATION == kept.issue // PER_GENERATION
        same = goes_on and head.registry_id == kept.registry_id
        if head.issue <= kept.issue or (same and head.key_epoch < kept.key_epoch):
            raise BundleOlder("this terminal has had a newer bundle")
        if head.access_epoch < kept.access_epoch:
            raise BundleOlder("this terminal knows a newer state of who may pass")

    def _use(self, bundle: PalmBundle) -> None:
        """Record the bundle durably, then put it in the place of the one before, of which nothing stays."""
        head = bundle.head
        kept = msgspec.structs.replace(
            self._kept,
            issue=head.issue,
            registry_id=head.registry_id,
            key_epoch=head.key_epoch,
            access_epoch=head.access_epoch,
            head_sha256=bundle.head_sha256,
            issued_s=max(self._kept.issued_s, head.iat),
        )
        projection = Projection.of_seed(bundle.seed, head.registry_id, head.key_epoch)
        try:
            # Before it is used: a bundle that was used but not recorded could be replaced by an older one.
            self._keep(kept)
        except BaseException:
            projection.wipe()
            raise
        self._clear()
        self._projection = projection
        self._asked_s = 0.0
        self._pushed = {name: epoch for name, epoch in self._pushed.items() if epoch > head.access_epoch}
        if head.partition is not None:
            self._partition = Partition(head.partition, bundle.templates, {*head.denied, *self._pushed})

    def acknowledgement(self) -> tuple[int, bytes] | None:
        """Number of the last bundle, and the signature by which this terminal acknowledges it (``bundle_ack``).

        None before the first bundle. Also given after a restart: nothing of an earlier bundle is left then either.
        """
        with self._lock:
            kept = self._kept
        if not kept.head_sha256:
            return None
        return kept.issue, acknowledge(self.terminal_id, kept.issue, kept.head_sha256, self._key)

    def deny(self, node_id: str, access_epoch: int) -> bool:
        """The site reports a burn or a containment: the node is not let in until a bundle of that epoch or a later one
        says otherwise. True if this terminal would have let it in."""
        with self._lock:
            self._pushed[node_id] = max(access_epoch, self._pushed.get(node_id, 0))
            return self._partition is not None and self._partition.remove(node_id)

    def provision(self, projection: Projection | None) -> None:
        """Make templates by `projection` from now on, or none at all. The terminal then lets nobody in by itself.

        The projection and the partition before are wiped.
        """
        with self._lock:
            if projection is not self._projection:
                self._clear()
            self._projection = projection

    def _clear(self) -> None:
        if self._projection is not None:
            self._projection.wipe()
        if self._partition is not None:
            self._partition.wipe()
        self._projection = self._partition = None

    def decide(
        self,
        node_id: str,
        intent: str,
        *,
        shot: int | None = None,
        now_s: float | None = None,
        liveness: int | None = None,
    ) -> OfflineDecision:
        """Lay the synthetic palm of `node_id` on the sensor while the line is down. Raises `NotProvisioned`."""
        with self._lock:
            if self._projection is None:
                raise NotProvisioned(f"terminal {self.terminal_id} was given no projection")
            now = self._asked_s = max(self._now_s(now_s), self._asked_s)
            picture = SyntheticPalm(self._palms, node_id).shot(secrets.randbits(64) if shot is None else shot)
            probes = self._projection.template(crease.features(picture))
            try:
                return decide(self._partition, intent, probes, liveness, now)
            finally:
                probes.fill(0)

    def _now_s(self, now_s: float | None) -> float:
        """Now, but never before the latest time that the site has signed.

        A time that only this terminal's clock has shown is not recorded: a clock that was far ahead for a moment would
        make the terminal refuse every later bundle.
        """
        return max(time.time() if now_s is None else now_s, float(self._kept.issued_s))

    def lay(
        self,
        node_id: str,
        intent: str,
        *,
        shot: int | None = None,
        now_ms: int | None = None,
        liveness: int | None = None,
    ) -> bytes:
        """Lay the synthetic palm of `node_id` on the sensor: the signed frame of 25 views (to enrol, for that intent).

        `shot` picks the picture (None: a new one each time), `now_ms` is the terminal's clock (Unix, None: now),
        `liveness` what its sensor claims (0..100; None: it has no such sensor). Raises `NotProvisioned`, ValueError for
        an empty intent or a liveness out of its bounds, OSError if the counter could not be written.
        """
        with self._lock:
            if self._projection is None:
                raise NotProvisioned(f"terminal {self.terminal_id} was given no projection")
            self._kept.counter += 1
            self._keep()
            nonce = secrets.token_bytes(NONCE_BYTES)
            # Not the counter: two terminals would see the very same picture, and that is how a copied template looks.
            picture = SyntheticPalm(self._palms, node_id).shot(int.from_bytes(nonce, "big") if shot is None else shot)
            packed = pack(
                PalmFrame(
                    alg=crease.ALG,
                    kind=TemplateKind.ENROL if intent == ENROL_INTENT else TemplateKind.PROBE,
                    registry_tag=registry_tag(self._projection.registry_id),
                    key_epoch=self._projection.epoch,
                    counter=self._kept.counter,
                    captured_ms=time.time_ns() // 1_000_000 if now_ms is None else now_ms,
                    nonce=nonce,
                    terminal_tag=terminal_tag(self.terminal_id),
                    templates=self._projection.template(crease.features(picture)),
                    liveness=liveness,
                )
            )
        try:
            return sign(packed, self._key, self.terminal_id, intent)
        finally:
            packed[:] = bytes(len(packed))

    def _keep(self, kept: _Kept | None = None) -> None:
        """Write the file; the values of `kept`, if given, take effect once they are on the disk."""
        replace_private(self._path, msgspec.json.encode(kept or self._kept), survives_power_loss=True)
        self._kept = kept or self._kept


def _der(key: SigningKey) -> bytes:
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def _read(path: Path, terminal_id: str) -> tuple[_Kept, SigningKey, EllipticCurvePrivateKey | None]:
    """What the file holds, its signing key, and the key that opens bundles (None: the file holds none yet)."""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
        key = load_der_private_key(kept.key, None)
        opens = load_der_private_key(kept.opens, None) if kept.opens else None
    except (msgspec.DecodeError, UnsupportedAlgorithm, ValueError, TypeError) as error:
        # from None: the decoder's message may quote the file, and the file holds a key
        raise TerminalFileError(f"{path.name} is not a software terminal: {type(error).__name__}") from None
    if kept.format != _FORMAT or kept.terminal_id != terminal_id:
        raise TerminalFileError(f"{path.name} is another terminal's, or of a format that is not known here")
    if not isinstance(key, Ed25519PrivateKey | EllipticCurvePrivateKey) or kept.counter < 0:
        raise TerminalFileError(f"{path.name} holds no key of a terminal, or no counter")
    if opens is not None and not isinstance(opens, EllipticCurvePrivateKey):
        raise TerminalFileError(f"{path.name} holds no key that bundles are sealed to")
    return kept, key, opens
