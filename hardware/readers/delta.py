"""The delta that tells a reader that the site's deny set or grants have changed: data of an OSDP MFG command.

Layout (big endian, at most 64 bytes): u8 version = 1, u8 operation, u64 epoch, digest of 16 to 54 bytes. The caller
chooses the digest; for a reader that keeps a list, it is the names of the denied credentials under the cluster key. MFG
data is opaque to OSDP; the command's vendor code is ours. A reader acknowledges a delta. A reader with a list that has
missed steps answers with a manufacturer's reply (MFGREP) instead, and is then given the whole list. ``README.md``
beside this file gives the bytes with an example.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

VENDOR_CODE = int.from_bytes(b"\x02AR", "little")
"""24-bit vendor code of our MFG commands.

The locally administered bit is set: it is no registered OUI and collides with none.
"""

MAX_BYTES = 64
DIGEST_BYTES = range(16, 55)
MAX_EPOCH = 2**64 - 1

_VERSION = 1
_HEAD = struct.Struct(">BBQ")


class DeltaOperation(IntEnum):
    """What moved the epoch; or what a reader with a list of its own is told or asked about that list."""

    DENY = 1
    SYNC = 2
    TRUST = 3
    """Not a step: tells a reader with a list of its own whose lists it may take (`listblob.ListTrust`)."""
    LIST = 4
    """Not a step: asks such a reader whether it holds the list of this epoch and digest."""


@dataclass(frozen=True, slots=True)
class Delta:
    """One step of the epoch. `epoch` 1 to 2**64-1; `digest` 16 to 54 bytes."""

    operation: DeltaOperation
    epoch: int
    digest: bytes

    def __post_init__(self) -> None:
        if not 1 <= self.epoch <= MAX_EPOCH:
            raise ValueError(f"epoch {self.epoch} is not within 1 to 2**64-1")
        if len(self.digest) not in DIGEST_BYTES:
            raise ValueError(f"a digest has 16 to 54 bytes, not {len(self.digest)}")

    def encode(self) -> bytes:
        """Return the 26 to 64 bytes of MFG data."""
        return _HEAD.pack(_VERSION, self.operation, self.epoch) + self.digest

    @classmethod
    def decode(cls, data: bytes) -> Delta:
        """Parse MFG data from the wire; ValueError for anything that `encode` does not make."""
        if not _HEAD.size < len(data) <= MAX_BYTES:
            raise ValueError(f"a delta has 26 to {MAX_BYTES} bytes, not {len(data)}")
        version, operation, epoch = _HEAD.unpack_from(data)
        if version != _VERSION:
            raise ValueError(f"delta version {version} is not known")
        return cls(DeltaOperation(operation), epoch, data[_HEAD.size :])


def step_digest(name: str) -> bytes:
    """16 bytes that name a step of the epoch to the readers: the burn, containment or sync that is called `name`.

    They say nothing of the person.
    """
    return sha256(name.encode()).digest()[:16]
