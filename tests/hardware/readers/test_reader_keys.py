"""Secure Channel keys."""

from __future__ import annotations

import pytest

from hardware.readers.keys import check_scbk, generate_scbk
from hardware.readers.reader import DoorReaderConfig

DEFAULT_KEY = bytes(range(0x30, 0x40))


def test_generated_keys_differ_and_are_usable() -> None:
    """Every reader gets a key of its own."""
    keys = {check_scbk(generate_scbk()) for _ in range(100)}
    assert len(keys) == 100


@pytest.mark.parametrize("key", [DEFAULT_KEY, bytes(16), bytes(15), bytes(range(17))])
def test_published_trivial_and_misshapen_keys_are_refused(key: bytes) -> None:
    """The default key of the standard is no key."""
    with pytest.raises(ValueError, match="SCBK"):
        check_scbk(key)


def test_key_is_not_in_the_text_of_a_configuration() -> None:
    """repr of a configuration, as logs print it, shows no key."""
    key = generate_scbk()
    text = repr(DoorReaderConfig("r", "c", "simulated:", 1, key))
    assert key.hex() not in text
    assert repr(key) not in text
