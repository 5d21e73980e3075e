"""EXIF of files by Pillow and by hand: software, the thumbnail against its picture, whose quantizers."""

from __future__ import annotations

import struct
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from app.capabilities.media.provenance.exif import MISMATCH
from app.capabilities.media.provenance.quantizers import OWN_TABLES, table_origin
from app.capabilities.media.provenance.reading import ExifOrigin, prepare_provenance, read_provenance
from tests.media_files import encoded, exif, mutated

Pixels = npt.NDArray[np.uint8]


def scene(seed: int, width: int = 320, height: int = 240) -> Pixels:
    """Patches of light and dark at several scales."""
    drawn = np.random.default_rng(seed)
    total = np.zeros((height, width))
    for cells in (4, 12, 40):
        coarse = Image.fromarray(drawn.normal(0, 1, (cells, cells)).astype(np.float32))
        total += np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)) * 40
    return np.clip(total + 128, 0, 255).astype(np.uint8)


def with_thumbnail(picture: Pixels, small: bytes, **options: Any) -> bytes:
    """A JPEG whose EXIF has a second directory with a thumbnail, as cameras write it."""
    entries = struct.pack("<HHHLL", 2, 0x0201, 4, 1, 44) + struct.pack("<HHLLL", 0x0202, 4, 1, len(small), 0)
    # An empty first directory at 8, the second at 14: 2 + 24 + 4 bytes.
    tiff = b"II*\0" + struct.pack("<LHL", 8, 0, 14) + entries
    return encoded(picture, "JPEG", exif=b"Exif\0\0" + tiff + small, **options)


def shrunk(picture: Pixels, width: int = 160, height: int = 120) -> Image.Image:
    """As a camera makes a thumbnail."""
    return Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC)


def found(file: bytes) -> ExifOrigin:
    """What is read of a JPEG."""
    return read_provenance(file, "image/jpeg").exif


SCENE = scene(3)


def thumbnails() -> dict[str, Image.Image]:
    """Of one picture, by how it was made."""
    barred = Image.new("L", (160, 120))
    barred.paste(shrunk(SCENE[20:-20], 160, 100), (0, 10))
    lighter = shrunk(SCENE).point([min(255, round(value * 0.8 + 30)) for value in range(256)])
    turned = shrunk(SCENE).rotate(90, expand=True)
    return {"all": shrunk(SCENE), "lighter": lighter, "turned": turned, "barred": barred}


@pytest.mark.parametrize("how", thumbnails())
def test_a_thumbnail_of_the_picture_matches(how: str) -> None:
    """Made smaller, in other light, turned, or with bars for a picture that is wider."""
    picture = SCENE[20:-20] if how == "barred" else SCENE
    told = found(with_thumbnail(picture, encoded(thumbnails()[how], "JPEG", quality=70)))
    assert told.thumbnail_mismatch is False
    assert told.thumbnail_difference is not None
    assert told.thumbnail_difference < MISMATCH / 2


def test_a_thumbnail_of_what_was_there_before_does_not_match() -> None:
    """A piece of another picture was put in, and the thumbnail was forgotten."""
    edited = SCENE.copy()
    edited[60:160, 100:200] = scene(4)[60:160, 100:200]
    told = found(with_thumbnail(edited, encoded(shrunk(SCENE), "JPEG")))
    assert told.thumbnail_mismatch is True
    assert told.thumbnail_difference is not None
    assert told.thumbnail_difference >= MISMATCH


def test_large_pictures_are_compared_at_an_eighth() -> None:
    """The decoder leaves out what a thumbnail does not show."""
    large = scene(5, 1024, 768)
    assert found(with_thumbnail(large, encoded(shrunk(large), "JPEG"))).thumbnail_mismatch is False
    assert found(with_thumbnail(large, encoded(shrunk(scene(6)), "JPEG"))).thumbnail_mismatch is True


@pytest.mark.parametrize("small", [b"", b"no JPEG", encoded(Image.new("L", (15, 90)), "JPEG"), encoded(SCENE, "PNG")])
def test_what_is_no_thumbnail_is_none(small: bytes) -> None:
    """Neither a match nor a mismatch."""
    told = found(with_thumbnail(SCENE, small))
    assert (told.thumbnail_mismatch, told.thumbnail_difference) == (None, None)


@pytest.mark.parametrize("quality", [1, 12, 50, 75, 93, 100])
def test_the_quality_of_the_ijg_is_named(quality: int) -> None:
    """As libjpeg scales the standard's tables, for grey and for colour."""
    words = f"tables of the JPEG standard, IJG quality {quality}"
    colour = np.stack([SCENE] * 3, axis=2)
    assert {found(encoded(each, "JPEG", quality=quality)).quant_table_origin for each in (SCENE, colour)} == {words}


def test_other_tables_are_told_as_such() -> None:
    """Both, or that of chroma alone."""
    ramp = list(range(1, 65))
    assert found(encoded(SCENE, "JPEG", qtables=[ramp])).quant_table_origin == OWN_TABLES
    standard = Image.open(BytesIO(encoded(SCENE, "JPEG", quality=80))).quantization[0]  # type: ignore[attr-defined]
    mixed = encoded(np.stack([SCENE] * 3, axis=2), "JPEG", qtables=[standard, ramp])
    assert found(mixed).quant_table_origin == "luma table of the JPEG standard, IJG quality 80; own chroma table"
    assert table_origin({}) is None


@pytest.mark.parametrize(
    ("name", "mime"), [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp"), ("TIFF", "image/tiff")]
)
def test_software_is_told(name: str, mime: str) -> None:
    """EXIF 0x0131 of each format that has it; only JPEG has quantizers."""
    prepare_provenance()
    told = read_provenance(encoded(SCENE, name, exif=exif(software="darktable 4.2")), mime).exif
    assert (told.software, told.quant_table_origin is None) == ("darktable 4.2", name != "JPEG")


def test_a_file_of_another_type_says_nothing() -> None:
    """Its type is what the caller found it to be."""
    assert read_provenance(encoded(SCENE, "PNG"), "image/jpeg").exif == ExifOrigin()
    assert read_provenance(encoded(SCENE, "JPEG"), "video/mp4").exif == ExifOrigin()


WHOLE = with_thumbnail(SCENE[:64, :64], encoded(shrunk(SCENE[:64, :64], 32, 32), "JPEG"))


@given(st.integers(0, 2**32))
def test_no_bytes_raise(seed: int) -> None:
    """Changed files say something bounded, or nothing."""
    told = found(mutated(WHOLE, seed))
    assert told.software is None or len(told.software) <= 200
    assert (told.thumbnail_mismatch is None) == (told.thumbnail_difference is None)


@given(st.dictionaries(st.integers(0, 3), st.lists(st.integers(0, 65535), max_size=70)))
def test_tables_of_any_size_are_told(tables: dict[int, list[int]]) -> None:
    """Also those that no standard has."""
    assert (table_origin(tables) is None) == (0 not in tables)
