"""The file that holds a card."""

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.software import SIMPLE_CARD, Quirks, SoftwareCard, StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hardware.cards.software.conftest import Host

    HostOf = Callable[[SoftwareCard], Host]


def test_card_in_a_file_is_the_same_card_later(host_of: "HostOf", tmp_path: Path) -> None:
    """Keys, objects, counters and serial survive the process."""
    path = tmp_path / "card"
    host = host_of(SoftwareCard(path, serial=7))
    host.authenticate()
    public = host.generate(0x9E)
    host.put(0x5FC102, b"abc")
    host.verify(b"999999\xff\xff")
    again = host_of(SoftwareCard(path))
    assert again.send("00F7009E")[0].endswith(public)
    assert (again.get(0x5FC102)[0], again.status("00200080"), again.raw("00F8000000")) == (
        b"\x53\x03abc",
        0x63C2,
        "000000079000",
    )


def test_quirks_stay_with_the_card(tmp_path: Path) -> None:
    """A card opened again is of the same make."""
    SoftwareCard(tmp_path / "card", quirks=SIMPLE_CARD)
    assert SoftwareCard(tmp_path / "card").quirks == SIMPLE_CARD


def test_quirks_can_be_replaced(tmp_path: Path) -> None:
    """Quirks that are given rule over those of the file."""
    SoftwareCard(tmp_path / "card", quirks=SIMPLE_CARD)
    assert SoftwareCard(tmp_path / "card", quirks=Quirks()).quirks == Quirks()


def test_file_is_the_owners_only(host_of: "HostOf", tmp_path: Path) -> None:
    """Mode 0600 from the first write to the last, under any umask."""
    path = tmp_path / "card"
    host = host_of(SoftwareCard(path))
    host.verify(b"999999\xff\xff")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_file_is_left_beside_the_card(host_of: "HostOf", tmp_path: Path) -> None:
    """Temporary files become the card or vanish."""
    host = host_of(SoftwareCard(tmp_path / "card"))
    host.verify(b"999999\xff\xff")
    assert [entry.name for entry in tmp_path.iterdir()] == ["card"]


def test_pin_and_puk_are_not_in_the_file(host_of: "HostOf", tmp_path: Path) -> None:
    """No search of the data directory meets a PIN."""
    path = tmp_path / "card"
    host = host_of(SoftwareCard(path))
    host.status("00240080", b"123456\xff\xff" + b"73519284")
    host.status("00240081", b"12345678" + b"60482915")
    content = path.read_bytes()
    assert b"73519284" not in content
    assert b"60482915" not in content


@given(st.binary(max_size=200) | st.sampled_from([b"{}", b"[]", b"null", b'{"format":2}']))
def test_other_files_are_no_cards(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Bytes that no card wrote are a StateError, and stay as they are."""
    path = tmp_path_factory.getbasetemp() / "other"
    path.write_bytes(content)
    with pytest.raises(StateError):
        SoftwareCard(path)
    assert path.read_bytes() == content


def test_full_disk_is_a_memory_failure(host_of: "HostOf", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be stored is answered 6581 and did not happen."""
    host = host_of(SoftwareCard(tmp_path / "card"))
    host.authenticate()
    host.put(0x5FC102, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        refused = host.put(0x5FC102, b"new")
    host.select()
    assert (refused, host.get(0x5FC102)[0]) == (0x6581, b"\x53\x03old")


def test_change_is_on_disk_before_it_is_answered(
    host_of: "HostOf", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fsync for each changing command, none for reading."""
    host = host_of(SoftwareCard(tmp_path / "card"))
    host.authenticate()
    synced: list[int] = []
    really = os.fsync

    def count(handle: int) -> None:
        synced.append(handle)
        really(handle)

    monkeypatch.setattr(os, "fsync", count)
    host.put(0x5FC102, bytes(600))
    host.get(0x5FC102)
    host.verify()
    assert len(synced) == 1
