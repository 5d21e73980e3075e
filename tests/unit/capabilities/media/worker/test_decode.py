"""From files of real encoders to pixels as they are stored, and named refusals for all else."""

from __future__ import annotations

import functools
import hashlib
import struct
from io import BytesIO
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from app.capabilities.media.analysis.judge import ImageJudge
from app.capabilities.media.detectors.faces import FaceFinder
from app.capabilities.media.messages import ScanReport
from app.capabilities.media.worker import decode as decoding
from app.capabilities.media.worker.child import Instruments, answer
from app.capabilities.media.worker.decode import DecodedMedia, decode, open_image, preview
from app.capabilities.media.worker.protocol import ImageFacts, ImageMeasures, WorkerRefusal
from app.capabilities.media.worker.refusals import (
    MediaNotAnalysed,
    MediaTooLarge,
    MediaUndecodable,
    MediaUnsupported,
)
from tests.media_files import FORMATS, encoded, exif, photo, png_header
from tests.media_model import shared_model

PHOTO = photo(90, 61)
LOSSLESS = ("PNG", "TIFF", "BMP")


def decoded(file: bytes) -> DecodedMedia:
    """The image in a file."""
    return decode(open_image(file))


def opencv(name: str, pixels: npt.NDArray[Any], *options: int) -> bytes:
    """A file by OpenCV, which writes 16 bits a sample."""
    return cv2.imencode(name, pixels, options)[1].tobytes()


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_decoded(name: str) -> None:
    """Its size, its name and the photo in it."""
    media = decoded(encoded(PHOTO, name))
    assert (media.format, media.image.rgb.shape, media.image.rgb.dtype) == (name, (61, 90, 3), np.uint8)
    # Palette and compression move a pixel; a turned or mirrored photo would be off by far more.
    assert np.abs(media.image.rgb.astype(int) - PHOTO).mean() < (0.01 if name in LOSSLESS else 14)
    assert (media.orientation, media.software) == (None, None)
    assert (media.image.jpeg is None) == (name != "JPEG")


def test_jpeg_is_decoded_by_the_decoder_of_training() -> None:
    """Pixel for pixel what OpenCV gives, and not turned."""
    file = encoded(PHOTO, "JPEG", quality=71, exif=exif(6))
    wanted = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    assert wanted is not None
    np.testing.assert_array_equal(decoded(file).image.rgb, wanted[:, :, ::-1])


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_quantizers_are_those_of_luma_in_natural_order(mode: str) -> None:
    """Row by row, the steps along a row before those of the next: not zigzag, and not those of chroma."""
    luma, chroma = list(range(1, 65)), [90] * 64
    tables = [luma] if mode == "L" else [luma, chroma]
    media = decoded(encoded(Image.fromarray(PHOTO).convert(mode), "JPEG", qtables=tables))
    assert media.image.jpeg is not None
    np.testing.assert_array_equal(media.image.jpeg.luma, np.arange(1, 65).reshape(8, 8))
    assert media.image.jpeg.luma.dtype == np.uint16
    assert media.mode == mode


def test_luma_has_the_table_that_its_component_names() -> None:
    """A frame header may give luma the second table (T.81, B.2.2)."""
    file = bytearray(encoded(PHOTO, "JPEG", qtables=[[9] * 64, list(range(1, 65))]))
    first = file.index(b"\xff\xc0") + 10
    assert file[first : first + 3] == b"\x01\x22\x00"
    file[first + 2] = 1
    past = decoded(bytes(file)).image.jpeg
    assert past is not None
    np.testing.assert_array_equal(past.luma.ravel(), np.arange(1, 65))


def test_a_jpeg_without_height_is_refused() -> None:
    """Its height would stand behind the first scan (T.81, B.2.5)."""
    file = bytearray(encoded(PHOTO, "JPEG"))
    height = file.index(b"\xff\xc0") + 5
    file[height : height + 2] = bytes(2)
    with pytest.raises(MediaUndecodable, match=r"^The file's header is broken\.$"):
        open_image(bytes(file))


def test_cmyk_jpeg_has_no_luma() -> None:
    """Its first component is cyan: no quantizers of luma, and the conversion is named."""
    media = decoded(encoded(Image.fromarray(PHOTO).convert("CMYK"), "JPEG", quality=95))
    assert (media.image.jpeg, media.mode, media.conversions) == (None, "CMYK", ("cmyk_to_rgb",))
    assert np.abs(media.image.rgb.astype(int) - PHOTO).mean() < 14


def test_a_quantizer_of_zero_is_no_table() -> None:
    """T.81 has none; the pixels are decoded as the decoder does."""
    file = encoded(PHOTO, "JPEG")
    place = file.index(b"\xff\xdb") + 5
    assert decoded(file[:place] + b"\0" + file[place + 1 :]).image.jpeg is None


CONVERTED = [
    ("PNG", "L", ()),
    ("PNG", "1", ()),
    ("PNG", "P", ("palette_expanded",)),
    ("PNG", "LA", ("alpha_dropped",)),
    ("PNG", "RGBA", ("alpha_dropped",)),
    ("TIFF", "CMYK", ("cmyk_to_rgb",)),
    ("TIFF", "YCbCr", ("ycbcr_to_rgb",)),
    ("BMP", "P", ("palette_expanded",)),
]


@pytest.mark.parametrize(("name", "mode", "conversions"), CONVERTED)
def test_samples_of_other_kinds_are_converted_by_name(name: str, mode: str, conversions: tuple[str, ...]) -> None:
    """What Pillow's conversion gives, and its name."""
    stored = Image.fromarray(PHOTO).convert(mode)
    media = decoded(encoded(stored, name))
    assert (media.mode, media.conversions) == (mode, conversions)
    assert np.abs(media.image.rgb.astype(int) - np.asarray(stored.convert("RGB"))).mean() < 2


def test_alpha_is_dropped_and_not_mixed() -> None:
    """The colours behind a transparent pixel are what the file stores, also of a palette."""
    clear = np.dstack([PHOTO, np.zeros(PHOTO.shape[:2], np.uint8)])
    np.testing.assert_array_equal(decoded(encoded(clear, "PNG")).image.rgb, PHOTO)
    webp = decoded(encoded(clear, "WEBP", lossless=True, exact=True))
    np.testing.assert_array_equal(webp.image.rgb, PHOTO)
    assert (webp.mode, webp.conversions) == ("RGBA", ("alpha_dropped",))
    flat = Image.new("P", (9, 9))
    flat.putpalette([200, 100, 50])
    media = decoded(encoded(flat, "PNG", transparency=0))
    assert media.conversions == ("palette_expanded", "alpha_dropped")
    assert media.image.rgb[0, 0].tolist() == [200, 100, 50]


@pytest.mark.parametrize("extension", [".png", ".tiff"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_sixteen_bits_become_the_eight_high_ones(extension: str, channels: int) -> None:
    """Not scaled to the range that the picture uses."""
    stored = np.dstack([PHOTO, PHOTO])[:, :, :channels].astype(np.uint16) * 256 + 200
    media = decoded(opencv(extension, stored))
    assert media.conversions == ("sixteen_bit_to_eight", "alpha_dropped")[: 1 + (channels == 4)]
    # OpenCV writes B, G, R; a grey picture has one channel three times.
    wanted = PHOTO[:, :, ::-1] if channels > 1 else np.repeat(PHOTO[:, :, :1], 3, axis=2)
    np.testing.assert_array_equal(media.image.rgb, wanted)


def test_a_bitmap_of_sixteen_bits_a_pixel_has_five_a_sample() -> None:
    """Sixteen bits of a BMP are three samples of 5, 6 and 5: nothing is cut to eight."""
    pixels = np.full((4, 4), 0xFFFF, "<u2").tobytes()
    header = struct.pack("<IiiHHIIiiIIIII", 40, 4, 4, 1, 16, 3, len(pixels), 0, 0, 0, 0, 0xF800, 0x7E0, 0x1F)
    file = b"BM" + struct.pack("<IHHI", 66 + len(pixels), 0, 0, 66) + header + pixels
    media = decoded(file)
    assert media.conversions == ()
    assert media.image.rgb.min() == 255


@pytest.mark.parametrize("mode", ["F", "I"])
def test_other_samples_are_refused(mode: str) -> None:
    """Floating point and 32 bits have no range that could be shown."""
    with pytest.raises(MediaUnsupported, match=f"kind {mode} are not analysed"):
        decoded(encoded(Image.fromarray(PHOTO).convert("L").convert(mode), "TIFF"))


@pytest.mark.parametrize("name", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_an_animation_the_first_frame_is_decoded(name: str) -> None:
    """The others are not looked at, and the result says so."""
    frames = [Image.new("RGB", (20, 10), colour) for colour in ("white", "black", "gray")]
    media = decoded(encoded(frames[0], name, save_all=True, append_images=frames[1:]))
    assert "first_frame" in media.conversions
    assert media.image.rgb.min() > 250
    assert media.image.rgb.shape == (10, 20, 3)


def test_of_several_photos_in_one_jpeg_the_first_is_decoded() -> None:
    """A multi-picture file of a camera (CIPA DC-007)."""
    media = decoded(encoded(PHOTO, "MPO", save_all=True, append_images=[Image.new("RGB", (90, 61))]))
    assert (media.format, media.conversions) == ("JPEG", ("first_frame",))
    assert media.image.jpeg is not None
    assert np.abs(media.image.rgb.astype(int) - PHOTO).mean() < 14


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_turns_no_picture(name: str, orientation: int) -> None:
    """It is told, and the pixels are as the file has them."""
    media = decoded(encoded(PHOTO, name, exif=exif(orientation, "darktable 4.2")))
    assert (media.orientation, media.software) == (orientation, "darktable 4.2")
    assert media.image.rgb.shape == PHOTO.shape
    assert np.abs(media.image.rgb.astype(int) - PHOTO).mean() < 14


@pytest.mark.parametrize("orientation", [0, 9, None])
def test_an_orientation_that_is_none_is_none(orientation: int | None) -> None:
    """EXIF has 1 to 8."""
    assert decoded(encoded(PHOTO, "JPEG", exif=exif(orientation, "x"))).orientation is None


def test_the_name_of_software_is_short_and_printable() -> None:
    """At most 200 characters, without signs that move a cursor; an empty one is none."""
    assert decoded(encoded(PHOTO, "JPEG", exif=exif(software="\x1b[2J" + "s" * 300))).software == "[2J" + "s" * 197
    assert decoded(encoded(PHOTO, "JPEG", exif=exif(software="\x07 "))).software is None


def test_exif_behind_the_pixels_is_found() -> None:
    """A PNG may have it there (PNG 3rd edition, 5.6)."""
    file = encoded(PHOTO, "PNG", exif=exif(5, "x"))
    begin = file.index(b"eXIf") - 4
    end = begin + 12 + int.from_bytes(file[begin : begin + 4], "big")
    late = file[:begin] + file[end:-12] + file[begin:end] + file[-12:]
    assert late.index(b"eXIf") > late.index(b"IDAT")
    assert decoded(late).orientation == 5


def test_unreadable_exif_refuses_no_picture() -> None:
    """Broken EXIF has neither orientation nor software."""
    media = decoded(encoded(PHOTO, "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff"))
    assert (media.orientation, media.software) == (None, None)


@pytest.mark.parametrize(
    ("size", "refusal"),
    [
        ((20_001, 1), MediaTooLarge),
        ((1, 20_001), MediaTooLarge),
        ((60_000, 60_000), MediaTooLarge),
        ((8000, 5001), MediaTooLarge),
        ((8000, 5000), MediaNotAnalysed),
        ((6000, 4001), MediaNotAnalysed),
    ],
)
def test_a_header_that_is_too_large_is_refused(size: tuple[int, int], refusal: type[Exception]) -> None:
    """More than 20000 px a side or 40 MP are never decoded, more than 24 MP not analysed: no pixel is looked at."""
    with pytest.raises(refusal, match="than are " + ("analysed" if refusal is MediaNotAnalysed else "decoded")):
        open_image(png_header(*size))


@pytest.mark.parametrize("size", [(20_000, 1), (1, 20_000), (6000, 4000)])
def test_the_largest_headers_are_read(size: tuple[int, int]) -> None:
    """The bounds themselves are allowed."""
    opened = open_image(png_header(*size))
    assert (opened.width, opened.height) == size


HOSTILE = [
    ("empty", b"", MediaUndecodable),
    ("text", b"This is a text.\n" * 9, MediaUnsupported),
    ("svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', MediaUnsupported),
    ("postscript", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", MediaUnsupported),
    ("playlist", b"#EXTM3U\nhttp://127.0.0.1/\n", MediaUnsupported),
    ("netpbm", b"P6 1 1 255 abc", MediaUnsupported),
    ("a photo within PDF", b"%PDF-1.7\n" + encoded(PHOTO, "JPEG"), MediaUnsupported),
    ("a photo within HTML", b"<html>" + encoded(PHOTO, "PNG"), MediaUnsupported),
    ("a script as GIF", b"GIF89a=1;alert(document.domain)//", MediaUndecodable),
    ("a photo as another format", b"\xff\xd8\xff" + encoded(PHOTO, "PNG"), MediaUndecodable),
    ("BM", b"BMW is a maker of cars.", MediaUndecodable),
    ("a PNG of no height", png_header(5, 0), MediaUndecodable),
]


@pytest.mark.parametrize(("file", "refusal"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_what_is_no_image_is_refused_by_name(file: bytes, refusal: type[Exception]) -> None:
    """Files of other kinds, and those that look like two kinds."""
    with pytest.raises(refusal):
        decoded(file)


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.97])
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_cut_off_is_refused(name: str, kept: float) -> None:
    """No part of a picture is taken for the whole."""
    whole = encoded(PHOTO, name, **({"compression": "tiff_lzw"} if name == "TIFF" else {}))
    with pytest.raises(MediaUndecodable):
        decoded(whole[: int(len(whole) * kept)])


def test_the_end_of_a_thumbnail_is_not_that_of_the_photo() -> None:
    """A JPEG without its last two bytes is cut off, although its EXIF holds a whole JPEG; bytes behind the end do no
    harm, nor do fill bytes before a marker."""
    whole = encoded(PHOTO, "JPEG", comment=encoded(PHOTO, "JPEG"))
    assert whole.count(b"\xff\xd9") == 2
    with pytest.raises(MediaUndecodable, match="cut off"):
        decoded(whole[:-2])
    with pytest.raises(MediaUndecodable, match="cut off"):
        decoded(whole[:-1])
    decoded(whole + b"PK\3\4" + bytes(30))
    decoded(whole[:2] + b"\xff\xff" + whole[2:])
    scan = whole.index(b"\xff\xda", whole.rindex(b"\xff\xc4"))
    decoded(whole[:scan] + b"\xff\xff" + whole[scan:])
    decoded(whole[:-2] + b"\xff\xff\xff\xd9")


def test_a_jpeg_whose_pixels_do_not_fit_its_header_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """None at all, and those of another size."""
    whole = encoded(PHOTO, "JPEG")
    scan = whole.index(b"\xff\xda")
    with pytest.raises(MediaUndecodable, match="coded data is broken"):
        decoded(whole[:scan] + whole[scan:].replace(b"\x01\x00\x02", b"\x09\x00\x02", 1))
    monkeypatch.setattr(decoding.cv2, "imdecode", lambda *_: PHOTO[:, :-1])
    with pytest.raises(MediaUndecodable, match="coded data is broken"):
        decoded(whole)


@pytest.mark.parametrize("options", [{"progressive": True}, {"restart_marker_rows": 1}, {"subsampling": 0}])
def test_scans_and_restarts_are_no_end(options: dict[str, Any]) -> None:
    """A JPEG of several scans, or with restart markers within one, is whole."""
    assert decoded(encoded(PHOTO, "JPEG", **options)).image.rgb.shape == PHOTO.shape


@pytest.mark.parametrize("error", [MemoryError(), cv2.error("full")])
def test_a_lack_of_memory_is_named(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture is too large for this worker, and not broken."""

    def full(*_: object) -> None:
        raise error

    if isinstance(error, cv2.error):
        error.code = cv2.Error.STS_NO_MEM
    monkeypatch.setattr(decoding.cv2, "imdecode", full)
    with pytest.raises(MediaTooLarge, match="more memory"):
        decoded(encoded(PHOTO, "JPEG"))


def test_a_broken_header_is_named_without_an_address() -> None:
    """The sentence is the same for the same file."""
    with pytest.raises(MediaUndecodable, match=r"^The file's header is broken\.$"):
        open_image(b"\xff\xd8\xff" + encoded(PHOTO, "PNG"))


def test_other_errors_of_a_decoder_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Printable, and at most 300 characters."""

    def broken(*_: object) -> None:
        raise cv2.error("\x1b" + "long" * 100)

    monkeypatch.setattr(decoding.cv2, "imdecode", broken)
    with pytest.raises(MediaUndecodable) as refused:
        decoded(encoded(PHOTO, "JPEG"))
    assert str(refused.value).startswith("The file cannot be decoded: error:  longlong")
    assert len(str(refused.value)) == 300


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((1024, 40), (1024, 40)),
        ((2048, 100), (1024, 50)),
        ((1, 4096), (1, 1024)),
        ((4096, 1), (1024, 1)),
        ((9, 7), (9, 7)),
    ],
)
def test_a_preview_has_at_most_1024_pixels_a_side(size: tuple[int, int], shown: tuple[int, int]) -> None:
    """Smaller pictures keep their size; colours and proportions stay."""
    image = decoded(encoded(photo(*size), "PNG")).image
    picture = Image.open(BytesIO(preview(image)))
    assert (picture.format, picture.mode, picture.size) == ("PNG", "RGB", shown)
    mean = np.asarray(picture).reshape(-1, 3).mean(axis=0)
    assert mean == pytest.approx(image.rgb.reshape(-1, 3).mean(axis=0), abs=1.5)


@functools.cache
def instruments() -> Instruments:
    """Of a worker, with a model that nobody trained."""
    return Instruments(ImageJudge.load(shared_model()), FaceFinder())


def answered(file: bytes) -> list[Any]:
    """What a worker says of a file."""
    said: list[Any] = []
    answer(file, instruments(), lambda message, *parts: said.append((message, *parts)))
    return said


def test_an_answer_is_measures_then_facts_with_report_and_pictures() -> None:
    """All that the file says of itself."""
    file = encoded(PHOTO, "JPEG", exif=exif(3, "GIMP 2.10"), qtables=[list(range(1, 65))] * 2)
    (measures,), (found, report, *pictures) = answered(file)
    assert measures == ImageMeasures(width=90, height=61)
    assert msgspec.json.decode(report, type=ScanReport).verdict == "INCONCLUSIVE"
    assert found.facts == ImageFacts(
        width=90,
        height=61,
        format="JPEG",
        mode="RGB",
        sha256=hashlib.sha256(file).hexdigest(),
        orientation=3,
        software="GIMP 2.10",
        luma_quantizers=tuple(range(1, 65)),
    )
    assert Image.open(BytesIO(pictures[found.layers.index("preview")])).size == (90, 61)


def test_a_refusal_is_sent_in_place_of_the_measures_or_of_the_facts() -> None:
    """By its code, whether the header or the pixels are refused."""
    (early,) = answered(b"text")
    assert early == (WorkerRefusal(code="unsupported_format", reason=early[0].reason),)
    measures, late = answered(encoded(PHOTO, "JPEG")[:-2])
    assert isinstance(measures[0], ImageMeasures)
    assert late[0].code == "undecodable"


def test_facts_of_a_picture_that_is_no_jpeg_have_no_quantizers() -> None:
    """Conversions are told as they are."""
    _, (found, *_) = answered(encoded(Image.fromarray(PHOTO).convert("P"), "PNG"))
    facts = found.facts
    assert (facts.luma_quantizers, facts.conversions, facts.mode) == (None, ("palette_expanded",), "P")
