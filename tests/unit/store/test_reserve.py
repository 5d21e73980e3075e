"""The reserve: what is kept is found again, what is torn is known, and a full disk is no obstacle."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.store import reserve
from app.store.errors import SealBroken, StoreUnavailable
from app.store.reserve import RECORD_MAX, SIZE, SLOT, SLOTS, Reserve, is_whole, read_records
from app.store.sealed import FieldSealer


class Keys:
    """One data key; ``away``: its fields cannot be counted, as on a full disk. ``none``: it was never made."""

    def __init__(self, *, key: bytes = b"k" * 32) -> None:
        self.key = key
        self.away = False
        self.none = False

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        if self.away and kid is None:
            raise StoreUnavailable("The disk is full.")
        return self.known_data_key(purpose)

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        if self.none:
            raise KeyError(purpose)
        return 7, self.key


def opened(path: Path, keys: Keys | None = None) -> tuple[Reserve, list[bytes]]:
    """The reserve at ``path``, and what it keeps."""
    one = Reserve(path, FieldSealer(keys or Keys()))
    return one, [kept.record for kept in one.open()]


def test_the_file_is_made_whole_and_private(tmp_path: Path) -> None:
    """All of it is written at once, readable by its owner alone, and stays as it is at the next start."""
    path = tmp_path / "reserve"
    assert not is_whole(path)
    one, kept = opened(path)
    found = path.stat()
    assert (found.st_size, stat.S_IMODE(found.st_mode), kept, one.trouble) == (SIZE, 0o600, [], None)
    assert found.st_blocks * 512 >= SIZE
    opened(path)
    assert path.stat().st_ino == found.st_ino
    assert [entry.name for entry in tmp_path.iterdir()] == ["reserve"]


def test_records_are_kept_until_they_are_freed(tmp_path: Path) -> None:
    """Each in a place of its own, sealed, found by the next start; a freed place is used again."""
    path = tmp_path / "reserve"
    one, _ = opened(path)
    slots = [one.keep(word) for word in (b"first", b"second", b"x" * RECORD_MAX)]
    assert slots == [0, 1, 2]
    assert b"first" not in path.read_bytes()
    again, kept = opened(path)
    assert kept == [b"first", b"second", b"x" * RECORD_MAX]
    again.free(1)
    assert opened(path)[1] == [b"first", b"x" * RECORD_MAX]
    assert again.keep(b"third") == 1
    with pytest.raises(ValueError, match="at most"):
        again.keep(b"x" * (RECORD_MAX + 1))


def test_keeping_writes_in_place(tmp_path: Path) -> None:
    """On a full disk nothing is counted and no block is added: the file is the same one, of the same size."""
    path, keys = tmp_path / "reserve", Keys()
    opened(path, keys)
    keys.away = True
    before = path.stat()
    one, _ = opened(path, keys)
    written: list[int] = []
    one.keep(b"a burn", lambda: written.append(path.read_bytes().count(bytes(SLOT))))
    after = path.stat()
    assert (after.st_ino, after.st_size, after.st_blocks) == (before.st_ino, before.st_size, before.st_blocks)
    assert opened(path, keys)[1] == [b"a burn"]
    # Told after the write and before the fsync.
    assert written == [SLOTS - 1]


@pytest.mark.parametrize("cut", [1, 31, 33, 40, 60])
def test_a_torn_record_is_known_and_its_place_used_again(tmp_path: Path, cut: int) -> None:
    """A write that was cut after any byte is no record, and harms none."""
    path = tmp_path / "reserve"
    one, _ = opened(path)
    one.keep(b"whole")
    one.keep(b"torn, torn, torn, torn, torn")
    data = bytearray(path.read_bytes())
    data[SLOT + cut : 2 * SLOT] = bytes(SLOT - cut)
    path.write_bytes(data)
    again, kept = opened(path)
    assert kept == [b"whole"]
    assert again.keep(b"new") == 1
    assert opened(path)[1] == [b"whole", b"new"]


def test_a_length_beyond_its_place_is_torn(tmp_path: Path) -> None:
    """No record reaches into the next place, whatever its digest says."""
    path = tmp_path / "reserve"
    opened(path)
    data = bytearray(path.read_bytes())
    rest = (SLOT).to_bytes(4, "big") + bytes(SLOT)
    import hashlib

    data[: 36 + SLOT] = hashlib.sha256(rest).digest() + rest
    path.write_bytes(data)
    assert opened(path)[1] == []


def test_a_record_of_another_place_or_key_is_refused(tmp_path: Path) -> None:
    """A whole record that does not open was edited or is of another site: the start must not go on without it."""
    path = tmp_path / "reserve"
    one, _ = opened(path)
    one.keep(b"burn")
    data = path.read_bytes()
    with pytest.raises(SealBroken):
        opened(path, Keys(key=b"o" * 32))
    path.write_bytes(data[SLOT : 2 * SLOT] + data[:SLOT] + data[2 * SLOT :])
    with pytest.raises(SealBroken):
        opened(path)


def test_a_full_reserve_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last place is given, then 503's reason; with a free place all is well again."""
    monkeypatch.setattr(reserve, "SLOTS", 2)
    one, _ = opened(tmp_path / "reserve")
    one.keep(b"1")
    assert one.trouble is None
    one.keep(b"2")
    assert one.trouble is not None
    with pytest.raises(StoreUnavailable, match="taken"):
        one.keep(b"3")
    one.free(0)
    assert one.trouble is None
    assert one.keep(b"3") == 0


def test_a_file_that_cannot_be_made_is_trouble_until_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without room nothing is kept and nothing is left behind; the next record finds the room."""
    path = tmp_path / "reserve"

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", no_room)
        one, kept = opened(path)
        assert kept == []
        assert "No space left" in (one.trouble or "")
        with pytest.raises(StoreUnavailable, match="could not be made"):
            one.keep(b"burn")
        assert list(tmp_path.iterdir()) == []
    one.keep(b"burn")
    assert (one.trouble, opened(path)[1]) == (None, [b"burn"])


def test_a_key_that_was_never_made_keeps_nothing(tmp_path: Path) -> None:
    """A site whose first start with a reserve comes on a full disk says that it cannot keep a burn."""
    keys = Keys()
    keys.none = keys.away = True
    one, _ = opened(tmp_path / "reserve", keys)
    with pytest.raises(StoreUnavailable):
        one.keep(b"burn")
    assert one.trouble is not None


def test_a_write_that_fails_is_told_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes a part of a record alone has not kept it; the place is used by the next."""
    one, _ = opened(tmp_path / "reserve")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", lambda *_: 1)
        with pytest.raises(StoreUnavailable, match="could not be written"):
            one.keep(b"burn")
        assert one.trouble is not None
    assert one.keep(b"burn") == 0
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", lambda *_: 1)
        one.free(0)
    # Not erased, so its place stays taken; the next start finds it.
    assert one.keep(b"other") == 1
    assert opened(tmp_path / "reserve")[1] == [b"burn", b"other"]


def test_a_file_of_another_size_is_made_anew_with_its_records(tmp_path: Path) -> None:
    """Cut or longer, or open to others: what it keeps stays, and the file is whole and private again."""
    path = tmp_path / "reserve"
    one, _ = opened(path)
    one.keep(b"burn")
    for size, mode in ((3 * SLOT + 5, 0o600), (SIZE + SLOT, 0o600), (SIZE, 0o644)):
        os.truncate(path, size)
        path.chmod(mode)
        assert not is_whole(path)
        assert opened(path)[1] == [b"burn"]
        assert is_whole(path)


def test_no_file_keeps_nothing(tmp_path: Path) -> None:
    """A site that never had one."""
    assert read_records(tmp_path / "none", FieldSealer(Keys())) == []
