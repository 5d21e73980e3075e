"""The body by which a terminal acknowledges a bundle."""

from __future__ import annotations

import base64

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.biometrics.messages import BundleTakenBody


@given(st.integers(1, 2**53), st.binary(min_size=64, max_size=64))
def test_every_signature_has_one_writing(issue: int, signature: bytes) -> None:
    """64 bytes in base64url without padding are taken, and the same with another last character are not."""
    text = base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
    sent = msgspec.json.encode({"issue": issue, "signature": text})
    read = msgspec.json.decode(sent, type=BundleTakenBody)
    assert (read.issue, base64.urlsafe_b64decode(read.signature + "==")) == (issue, signature)
    twin = text[:-1] + chr(ord(text[-1]) + 1)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"issue": issue, "signature": twin}, BundleTakenBody)


@given(
    st.binary(max_size=200)
    | st.text(max_size=120).map(lambda text: msgspec.json.encode({"issue": 1, "signature": text}))
)
def test_anything_else_is_refused_in_words(sent: bytes) -> None:
    """No body but one with 64 bytes is taken, and none breaks the reader."""
    try:
        read = msgspec.json.decode(sent, type=BundleTakenBody)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    assert len(base64.urlsafe_b64decode(read.signature + "==")) == 64
