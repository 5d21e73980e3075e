"""The folder of photographs: what is taken and what is refused."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media_model.photos import load


def picture(width: int, height: int, level: int = 90) -> bytes:
    """A JPEG of one grey."""
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), level, np.uint8))[1])


def put(folder: Path, **files: bytes) -> None:
    """Files by name, with the suffix .jpg."""
    for name, file in files.items():
        (folder / f"{name}.jpg").write_bytes(file)


def test_photographs_are_named_and_hashed(tmp_path: Path) -> None:
    """In the order of their names, those of folders below too; other files are passed over."""
    (tmp_path / "b").mkdir()
    put(tmp_path, z=picture(1200, 900, 1), a=picture(1200, 900, 2))
    red = np.zeros((900, 1300, 3), np.uint8)
    red[..., 2] = 255
    (tmp_path / "b" / "c.PNG").write_bytes(bytes(cv2.imencode(".png", red)[1]))
    (tmp_path / "notes.txt").write_text("licences")
    album = load(tmp_path, ())
    assert [photo.name for photo in album.photos] == ["a.jpg", "b/c.PNG", "z.jpg"]
    assert album.photos[0].sha256 == sha256((tmp_path / "a.jpg").read_bytes()).hexdigest()
    assert album.photos[1].rgb.shape == (900, 1300, 3)
    assert album.photos[1].rgb[5, 5].tolist() == [255, 0, 0]
    assert album.refused == {}


def test_small_pictures_are_refused(tmp_path: Path) -> None:
    """740 x 560 px is enough, a column or a row less is not, and an upright picture needs both sides."""
    put(
        tmp_path,
        enough=picture(740, 560),
        narrow=picture(739, 560),
        low=picture(740, 559),
        upright=picture(560, 740),
    )
    album = load(tmp_path, ())
    assert [photo.name for photo in album.photos] == ["enough.jpg"]
    assert album.refused == {
        "narrow.jpg": "739 x 560 px, under 740 x 560",
        "low.jpg": "740 x 559 px, under 740 x 560",
        "upright.jpg": "560 x 740 px, under 740 x 560",
    }


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_excluded_pictures_are_refused(tmp_path: Path, case) -> None:
    """A file whose SHA-256 is on the list is not trained on, however its hex is written."""
    put(tmp_path, kept=picture(1200, 900, 3), shut=picture(1200, 900, 4))
    album = load(tmp_path, {case(sha256(picture(1200, 900, 4)).hexdigest())})
    assert [photo.name for photo in album.photos] == ["kept.jpg"]
    assert album.refused == {"shut.jpg": "on the list of excluded pictures"}


def test_a_picture_counts_once(tmp_path: Path) -> None:
    """The same file under another name would be in two folds."""
    put(tmp_path, one=picture(1200, 900), two=picture(1200, 900))
    album = load(tmp_path, ())
    assert [photo.name for photo in album.photos] == ["one.jpg"]
    assert album.refused == {"two.jpg": "the same file as another"}


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    """Empty files and other bytes under a picture's suffix have a reason too."""
    put(tmp_path, empty=b"", text=b"no picture")
    assert load(tmp_path, ()).refused == dict.fromkeys(["empty.jpg", "text.jpg"], "no picture that can be read")


def test_large_pictures_are_scaled_down(tmp_path: Path) -> None:
    """To 2000 px on the longer side, but a panorama keeps 560 rows and a tower 740 columns."""
    put(tmp_path, a=picture(2000, 1000), b=picture(2400, 1200), c=picture(4000, 1000), d=picture(1250, 3800))
    shapes = [photo.rgb.shape[:2] for photo in load(tmp_path, ()).photos]
    assert shapes == [(1000, 2000), (1000, 2000), (560, 2240), (2250, 740)]


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    """A name that is no folder is an error, not an album without photographs."""
    put(tmp_path, file=b"x")
    for where in (tmp_path / "gone", tmp_path / "file.jpg"):
        with pytest.raises(NotADirectoryError):
            load(where, ())


@settings(max_examples=40, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"II*\x00", b"BM", b"RIFF"]),
)
def test_any_bytes_are_refused_in_words(body: bytes, start: bytes) -> None:
    """Bytes that are no photograph end as a reason, never as an exception."""
    with tempfile.TemporaryDirectory() as folder:
        put(Path(folder), any=start + body)
        album = load(Path(folder), ())
    assert album.photos == ()
    assert list(album.refused) == ["any.jpg"]
