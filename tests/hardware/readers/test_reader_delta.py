"""The MFG delta."""

from __future__ import annotations

import hashlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.readers.delta import MAX_BYTES, MAX_EPOCH, Delta, DeltaOperation, step_digest

deltas = st.builds(
    Delta, st.sampled_from(DeltaOperation), st.integers(1, MAX_EPOCH), st.binary(min_size=16, max_size=54)
)


@given(deltas)
def test_delta_survives_the_wire(delta: Delta) -> None:
    """encode and decode are inverses, within the 64 bytes of a delta."""
    data = delta.encode()
    assert len(data) <= MAX_BYTES
    assert Delta.decode(data) == delta


@given(st.one_of(st.binary(max_size=80), st.binary(min_size=25, max_size=65).map(lambda tail: b"\x01\x01" + tail)))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    """Bytes from the wire are a delta that encodes back to them, or a ValueError."""
    with suppress(ValueError):
        assert Delta.decode(data).encode() == data


@pytest.mark.parametrize(("epoch", "size"), [(0, 32), (2**64, 32), (1, 15), (1, 55)])
def test_delta_out_of_bounds_is_refused(epoch: int, size: int) -> None:
    """Epoch and digest have bounds."""
    with pytest.raises(ValueError, match=r"epoch|digest"):
        Delta(DeltaOperation.DENY, epoch, bytes(size))


def test_a_step_is_called_by_16_bytes_that_never_change() -> None:
    """The first half of the SHA-256 of its name: a reader that missed a delta is told the same step again."""
    assert step_digest("epoch|7") == hashlib.sha256(b"epoch|7").digest()[:16]
    assert len(step_digest("")) == 16
