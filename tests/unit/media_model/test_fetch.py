"""Photographs are taken out of packages by their hash."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from media_model.fetch import ListedPhoto, by_package, listed, resource, take

EXCLUDED = {
    "lomiri-wallpapers",
    "mate-backgrounds",
    "plasma-workspace-wallpapers",
    "lxqt-themes",
    "opencv-doc",
    "python3-skimage",
    "python3-sklearn",
}


def _listed(file: str, content: bytes) -> ListedPhoto:
    return ListedPhoto("some", "1", file, "CC0", sha256(content).hexdigest(), False)


def test_the_list_is_whole() -> None:
    """Each photograph once, with a licence, and none of a package that others measure with."""
    photos = listed()
    assert len(photos) >= 60
    assert len({photo.sha256 for photo in photos}) == len({photo.name for photo in photos}) == len(photos)
    assert all(photo.licence and photo.version and len(photo.sha256) == 64 for photo in photos)
    assert not {photo.package for photo in photos} & EXCLUDED
    assert sum(len(some) for some in by_package(photos).values()) == len(photos)
    assert 0.15 < sum(photo.held_out for photo in photos) / len(photos) < 0.35


def test_a_photograph_is_named_after_its_bytes(tmp_path: Path) -> None:
    """Copied from where its package has it."""
    (tmp_path / "a.jpg").write_bytes(b"pixels")
    photo = _listed("a.jpg", b"pixels")
    take(tmp_path, photo, tmp_path)
    assert (tmp_path / photo.name).read_bytes() == b"pixels"
    assert photo.name == sha256(b"pixels").hexdigest()[:20] + ".jpg"


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    """And nothing is written."""
    (tmp_path / "a.jpg").write_bytes(b"others")
    with pytest.raises(ValueError, match="another file than the one listed"):
        take(tmp_path, _listed("a.jpg", b"pixels"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jpg"]


def test_a_file_inside_a_qt_resource_is_read(tmp_path: Path) -> None:
    """Of one that Qt's own compiler wrote."""
    (tmp_path / "a.webp").write_bytes(b"pixels" * 50)
    (tmp_path / "a.qrc").write_text('<RCC><qresource prefix="/x"><file>a.webp</file></qresource></RCC>')
    compiler = Path(sys.executable).parent / "pyside6-rcc"
    subprocess.run([compiler, "--binary", "a.qrc", "-o", "a.rcc"], cwd=tmp_path, check=True)
    assert resource(tmp_path / "a.rcc", "/x/a.webp") == b"pixels" * 50
    for file, inside in (("a.rcc", "/x/b.webp"), ("b.rcc", "/x/a.webp")):
        with pytest.raises(FileNotFoundError):
            resource(tmp_path / file, inside)
    photo = _listed("a.rcc:/x/a.webp", b"pixels" * 50)
    take(tmp_path, photo, tmp_path)
    assert (tmp_path / photo.name).is_file()
