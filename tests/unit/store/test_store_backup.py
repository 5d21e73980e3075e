"""The archive of a backup: whatever was done to it, what is unpacked is what was backed up, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import io
import shutil
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.backup import (
    _CHUNK as CHUNK,
)
from app.store.backup import (
    ArchiveFile,
    BackupBroken,
    BackupManifest,
    LogHead,
    _seal,
    _seal_key,
    open_backup,
)

KEY = b"k" * 32
PARTS = {"store.db": b"store" * 40, "keys.db": b"keys" * 20, "site.json": b"{}", "policy": b"quorum none\n"}


def manifest(parts: dict[str, bytes] = PARTS) -> BackupManifest:
    """Of an archive with these parts."""
    return BackupManifest(
        v=1,
        made_us=1,
        profile="training",
        site_id="0123456789abcdef",
        generation=1,
        schema="0003",
        keks=["a"],
        heads={"audit": LogHead("site.invalid/audit", 1, b"r" * 32)},
        parts={name: ArchiveFile(len(data), hashlib.sha256(data).hexdigest()) for name, data in parts.items()},
    )


def archive(
    told: BackupManifest, parts: dict[str, bytes] = PARTS, how: int = zipfile.ZIP_STORED, *more: tuple[str, bytes]
) -> bytes:
    """Its bytes."""
    signed = msgspec.json.encode(told)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as zipped:
        zipped.writestr("manifest.json", signed)
        zipped.writestr("manifest.mac", hmac.digest(KEY, signed, "sha256"))
        for name, data in [*parts.items(), *more]:
            zipped.writestr(name, data)
    return file.getvalue()


WHOLE = archive(manifest())


def unpacked(data: bytes) -> dict[str, bytes]:
    """What comes out of it."""
    room = Path(tempfile.mkdtemp())
    try:
        (room / "file").write_bytes(data)
        (room / "out").mkdir()
        with open_backup(room / "file") as opened:
            opened.check_mac(KEY)
            opened.unpack(room / "out")
        return {path.name: path.read_bytes() for path in (room / "out").iterdir()}
    finally:
        shutil.rmtree(room)


def test_whole_archive_gives_its_parts() -> None:
    """Byte for byte."""
    assert unpacked(WHOLE) == PARTS


@given(st.data())
def test_edited_archive_gives_its_parts_or_nothing(data: st.DataObject) -> None:
    """Bytes changed or cut off anywhere."""
    edited = bytearray(WHOLE[: data.draw(st.integers(0, len(WHOLE)) | st.just(len(WHOLE)))])
    for _ in range(data.draw(st.integers(0, 3))):
        if edited:
            edited[data.draw(st.integers(0, len(edited) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(BackupBroken):
        assert unpacked(bytes(edited)) == PARTS


@given(st.binary(max_size=300))
def test_foreign_bytes_are_no_archive(data: bytes) -> None:
    """Any bytes give the one error."""
    with pytest.raises(BackupBroken):
        unpacked(data)


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "kek", "passphrase", "store.db-wal", "policy.1/x"])
def test_only_a_backups_parts_are_unpacked(name: str) -> None:
    """No path leads out of the directory, no WAL and no key comes in, also where the manifest names it."""
    parts = {**PARTS, name: b"x"}
    with pytest.raises(BackupBroken, match="other parts"):
        unpacked(archive(manifest(parts), parts))


def test_parts_are_exactly_those_of_the_manifest() -> None:
    """One more, one less, one twice, one packed."""
    few = {name: data for name, data in PARTS.items() if name != "keys.db"}
    for data in (
        archive(manifest(), {**PARTS, "policy.1": b"x"}),
        archive(manifest(), few),
        archive(manifest(few), few),
        archive(manifest(), PARTS, zipfile.ZIP_DEFLATED),
    ):
        with pytest.raises(BackupBroken):
            unpacked(data)
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = archive(manifest(), PARTS, zipfile.ZIP_STORED, ("policy", b"quorum none\n"))
    with pytest.raises(BackupBroken, match="other parts"):
        unpacked(twice)


def sealed(plain: bytes) -> tuple[BackupManifest, bytes]:
    """A manifest of version 2, and the store that goes with it."""
    salt = bytes(range(32))
    target = io.BytesIO()
    _seal(io.BytesIO(plain), target, _seal_key(KEY, salt))
    parts = {**PARTS, "store.db": target.getvalue()}
    told = msgspec.structs.replace(manifest(parts), v=2, salt=b64encode(salt).decode())
    return told, target.getvalue()


def opened_store(told: BackupManifest, store: bytes, key: bytes = KEY) -> bytes:
    """The store that comes out of an archive with this one."""
    room = Path(tempfile.mkdtemp())
    try:
        parts = {**PARTS, "store.db": store}
        described = {name: ArchiveFile(len(data), hashlib.sha256(data).hexdigest()) for name, data in parts.items()}
        (room / "file").write_bytes(archive(msgspec.structs.replace(told, parts=described), parts))
        with open_backup(room / "file") as opened:
            opened.unpack(room)
            opened.open_store(room / "store.db", key)
        assert not (room / ".store.db.plain").exists()
        return (room / "store.db").read_bytes()
    finally:
        shutil.rmtree(room)


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_sealed_store_comes_back(size: int) -> None:
    """At every edge of its chunks, and nothing of it stands in the archive."""
    plain = (b"a name " * (size // 7 + 1))[:size]
    told, store = sealed(plain)
    assert opened_store(told, store) == plain
    assert b"a name" not in store


def test_older_archive_has_its_store_in_the_clear() -> None:
    """Version 1 is still restored."""
    assert opened_store(manifest(), PARTS["store.db"]) == PARTS["store.db"]


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda data: data[: CHUNK + 16], id="cut at a chunk"),
        pytest.param(lambda data: data[:-1], id="cut in its last tag"),
        pytest.param(lambda data: b"", id="nothing"),
        pytest.param(lambda data: data[CHUNK + 16 : 2 * (CHUNK + 16)] + data[: CHUNK + 16] + data[-17:], id="swapped"),
        pytest.param(lambda data: data + data[-17:], id="doubled"),
        pytest.param(lambda data: data[:9] + bytes((data[9] ^ 1,)) + data[10:], id="a bit"),
    ],
)
def test_edited_sealed_store_is_refused(edit: Callable[[bytes], bytes]) -> None:
    """Though size and digest are told anew: a chunk altered, missing, moved or doubled opens nothing."""
    told, store = sealed(b"s" * (2 * CHUNK + 1))
    with pytest.raises(BackupBroken, match="is not what was backed up"):
        opened_store(told, edit(store))


def test_store_of_another_site_is_refused() -> None:
    """Another backup key opens nothing."""
    told, store = sealed(b"s")
    with pytest.raises(BackupBroken, match="is not what was backed up"):
        opened_store(told, store, b"o" * 32)


@pytest.mark.parametrize("change", [{"v": 2}, {"salt": b64encode(bytes(32)).decode()}])
def test_version_and_salt_go_together(change: dict[str, object]) -> None:
    """An archive that says sealed and names no salt, or the reverse, is none."""
    with pytest.raises(BackupBroken, match="how its store is sealed"):
        unpacked(archive(msgspec.structs.replace(manifest(), **change)))


def test_longer_part_than_told_is_not_read_to_its_end() -> None:
    """A part is read no further than one byte beyond its size."""
    with pytest.raises(BackupBroken, match="is not what was backed up"):
        unpacked(archive(manifest(), {**PARTS, "policy": b"x" * 5_000_000}))
