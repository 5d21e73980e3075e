"""A reader's own list: who may pass while the reader cannot ask the controller. Its wire format, and the list itself.

The blob goes by FILETRANSFER (private file type `FILE_TYPE`), big endian: ``ARCS``, u8 version = 1, cluster hash 16 B,
u64 epoch, u64 issued, u64 not_after, u32 n, n entries of 24 B (name 16 B, u32 not_after, u16 schedule, u16 flags) in
rising order of their names, Ed25519 signature 64 B over all that is before it. Times are Unix seconds.

A name is HMAC-SHA256 of the credential under the cluster's key, cut to 16 B: a list that is read out of a stolen reader
names no card. The cluster hash is made with the same key, so a list of another cluster is refused. `schedule` and
`flags` are 0: the issuer of a list puts in the credentials that the schedule admits now, each until the schedule ends.

A credential that is not in the list is denied; a lower epoch and a foreign signature are refused; after `not_after`
nobody passes. ``README.md`` beside this file gives the bytes with an example.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hardware.readers.decision import AccessDecision, Credential, Moment
from hardware.readers.delta import Delta, DeltaOperation

FILE_TYPE = 0x80
"""The first of the private file types (OSDP 2.2 table 33: 128 to 255)."""

NAME_BYTES = 16
KEY_BYTES = 16
MAX_ENTRIES = 65_535
MAX_BLOB_BYTES = 49 + MAX_ENTRIES * 24 + 64

_MAGIC = b"ARCS"
_VERSION = 1
_HEAD = struct.Struct(">4sB16sQQQI")
_ENTRY = struct.Struct(">16sIHH")
_SIGNATURE_BYTES = 64
_PUBLIC_KEY_BYTES = 32
_NAMES_PER_DELTA = 3
_MAX_SECONDS = 2**32 - 1

StepResult = Literal["taken", "gap"]


@dataclass(frozen=True, slots=True)
class ListTrust:
    """What a reader must know before it takes a list: `cluster_key` (secret, 16 B) and `public_key` (Ed25519, 32 B)."""

    cluster_key: bytes = field(repr=False)
    public_key: bytes

    def __post_init__(self) -> None:
        if len(self.cluster_key) != KEY_BYTES or len(self.public_key) != _PUBLIC_KEY_BYTES:
            raise ValueError("a list's trust is a cluster key of 16 bytes and a public key of 32")

    @property
    def cluster_hash(self) -> bytes:
        """16 bytes that name the cluster in its lists."""
        return hmac.digest(self.cluster_key, b"cluster", "sha256")[:NAME_BYTES]

    def name(self, credential: Credential) -> bytes:
        """The 16 bytes that stand for `credential` in this cluster's lists and deltas."""
        head = credential.format.encode() + b"|" + credential.bits.to_bytes(2, "big")
        return hmac.digest(self.cluster_key, head + credential.value, "sha256")[:NAME_BYTES]

    def delta(self) -> Delta:
        """The delta that tells this trust to a reader, over its Secure Channel."""
        return Delta(DeltaOperation.TRUST, 1, self.cluster_key + self.public_key)

    @classmethod
    def of(cls, delta: Delta) -> ListTrust:
        """The trust in a TRUST delta; ValueError if the digest has another length."""
        return cls(delta.digest[:KEY_BYTES], delta.digest[KEY_BYTES:])


@dataclass(frozen=True, slots=True, order=True)
class ListEntry:
    """One credential by `name`, until `not_after` (Unix seconds, 32 bits)."""

    name: bytes
    not_after: int
    schedule: int = 0
    flags: int = 0

    def __post_init__(self) -> None:
        if len(self.name) != NAME_BYTES or not 0 <= self.not_after <= _MAX_SECONDS:
            raise ValueError("an entry has a name of 16 bytes and an end of 32 bits")


@dataclass(frozen=True, slots=True)
class AccessList:
    """The list of one cluster at one epoch. `entries` rise by name, no name twice; at most `MAX_ENTRIES`."""

    cluster_hash: bytes
    epoch: int
    issued: int
    not_after: int
    entries: tuple[ListEntry, ...]

    def __post_init__(self) -> None:
        if len(self.cluster_hash) != NAME_BYTES or len(self.entries) > MAX_ENTRIES:
            raise ValueError(f"a list names its cluster by 16 bytes and holds at most {MAX_ENTRIES} entries")
        if not 1 <= self.epoch < 2**64 or not 0 <= self.issued < self.not_after < 2**64:
            raise ValueError("a list has an epoch from 1 on and ends after it was issued")
        if any(one.name >= other.name for one, other in zip(self.entries, self.entries[1:], strict=False)):
            raise ValueError("the entries of a list rise by name, each name once")

    @classmethod
    def build(
        cls, trust: ListTrust, epoch: int, issued: int, not_after: int, admitted: Sequence[tuple[Credential, float]]
    ) -> AccessList:
        """The list of those `admitted` (credential, end in Unix seconds); of one that occurs twice, the later end."""
        ends: dict[bytes, int] = {}
        for credential, end in admitted:
            name = trust.name(credential)
            ends[name] = max(ends.get(name, 0), min(int(end), not_after, _MAX_SECONDS))
        entries = tuple(ListEntry(name, ends[name]) for name in sorted(ends))
        return cls(trust.cluster_hash, epoch, issued, not_after, entries)

    def encode(self, sign: Callable[[bytes], bytes]) -> bytes:
        """The blob; `sign` gives the Ed25519 signature of its argument."""
        head = _HEAD.pack(
            _MAGIC, _VERSION, self.cluster_hash, self.epoch, self.issued, self.not_after, len(self.entries)
        )
        body = head + b"".join(
            _ENTRY.pack(entry.name, entry.not_after, entry.schedule, entry.flags) for entry in self.entries
        )
        return body + sign(body)

    @classmethod
    def decode(cls, blob: bytes, public_key: bytes) -> AccessList:
        """Parse a blob from the wire; ValueError for anything that `encode` with that key does not make.

        The signature is checked before any field is believed.
        """
        if len(blob) < _HEAD.size + _SIGNATURE_BYTES or len(blob) > MAX_BLOB_BYTES:
            raise ValueError(f"a list has {_HEAD.size + _SIGNATURE_BYTES} to {MAX_BLOB_BYTES} bytes, not {len(blob)}")
        body, signature = blob[:-_SIGNATURE_BYTES], blob[-_SIGNATURE_BYTES:]
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, body)
        except InvalidSignature as error:
            raise ValueError("the list is not signed by the key that this reader trusts") from error
        magic, version, cluster_hash, epoch, issued, not_after, count = _HEAD.unpack_from(body)
        if magic != _MAGIC or version != _VERSION:
            raise ValueError("this is no list of a version that is known here")
        if len(body) != _HEAD.size + count * _ENTRY.size:
            raise ValueError(f"a list of {count} entries has another length")
        entries = tuple(ListEntry(*fields) for fields in _ENTRY.iter_unpack(body[_HEAD.size :]))
        return cls(cluster_hash, epoch, issued, not_after, entries)


def digest(blob: bytes) -> bytes:
    """16 bytes by which a LIST delta asks for exactly this blob."""
    return sha256(blob).digest()[:NAME_BYTES]


def deny_delta(trust: ListTrust, epoch: int, digest: bytes, credentials: Sequence[Credential]) -> Delta:
    """The delta that takes `credentials` off a reader's list.

    A delta has room for three names. For more credentials it says only that the list has changed, and the reader
    answers by asking for the whole list; for none it is a bare step.
    """
    names = sorted({trust.name(credential) for credential in credentials})
    if len(names) > _NAMES_PER_DELTA:
        return Delta(DeltaOperation.SYNC, epoch, digest)
    return Delta(DeltaOperation.DENY, epoch, b"".join(names) or digest[:NAME_BYTES])


class OnboardList:
    """The list that a reader keeps, and its decisions by that list. For one thread."""

    def __init__(self) -> None:
        self.epoch = 0
        self._trust: ListTrust | None = None
        self._held: AccessList | None = None
        self._digest = b""
        self._ends: dict[bytes, int] = {}
        self._anchor = Moment(0.0, 0.0)

    def __len__(self) -> int:
        """Number of credentials in the list."""
        return len(self._ends)

    def trust(self, trust: ListTrust) -> bool:
        """Learn whose lists to take. The first trust stays: another one is refused (False) until the reader is enrolled
        anew."""
        if self._trust is None:
            self._trust = trust
        return self._trust == trust

    def take(self, blob: bytes, now: Moment) -> None:
        """Take a list in place of the old one. ValueError says why it is refused; the old list then stays."""
        if self._trust is None:
            raise ValueError("the reader was told nobody whose lists it may take")
        new = AccessList.decode(blob, self._trust.public_key)
        if new.cluster_hash != self._trust.cluster_hash:
            raise ValueError("the list is another cluster's")
        held = self._held
        if new.epoch < self.epoch or (held is not None and new.epoch == self.epoch and new.issued < held.issued):
            raise ValueError(f"the list of epoch {new.epoch} is older than what the reader knows")
        self._held, self._digest, self.epoch = new, digest(blob), new.epoch
        self._ends = {entry.name: entry.not_after for entry in new.entries}
        # Time goes on from the later of issue and wall clock, so a wrong clock, or one turned back, prolongs no list.
        self._anchor = Moment(max(now.wall, new.issued), now.monotonic)

    def apply(self, delta: Delta) -> StepResult:
        """Carry out one step of the epoch, or answer the question for a list.

        `gap`: steps before this one are missing, or the list asked for is not the one that this reader keeps. A denial
        is carried out even over a gap: revocation only goes forward.
        """
        if delta.operation is DeltaOperation.LIST:
            return "taken" if delta.digest == self._digest and delta.epoch == self.epoch else "gap"
        denies = delta.operation is DeltaOperation.DENY
        for at in range(0, len(delta.digest), NAME_BYTES) if denies else ():
            self._ends.pop(delta.digest[at : at + NAME_BYTES], None)
        if delta.epoch <= self.epoch:
            return "taken"
        if not denies or self._held is None or delta.epoch != self.epoch + 1:
            return "gap"
        self.epoch = delta.epoch
        return "taken"

    def decide(self, credential: Credential, now: Moment) -> AccessDecision:
        """May this card pass? No list, no entry, or an end that is over denies."""
        held, trust = self._held, self._trust
        if held is None or trust is None:
            return AccessDecision(False, "unknown_credential")
        at = max(now.wall, self._anchor.wall + now.monotonic - self._anchor.monotonic)
        end = self._ends.get(trust.name(credential))
        if end is None:
            return AccessDecision(False, "unknown_credential")
        return AccessDecision(True, "granted") if at < min(end, held.not_after) else AccessDecision(False, "expired")
