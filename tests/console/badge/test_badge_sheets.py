"""Badges and labels as poppler renders them and zxing reads them."""

from __future__ import annotations

import asyncio
import re
import unicodedata
import uuid
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import zxingcpp
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage

from app.console.badge import CARD_MM, LABEL_MM, Badge, badge_pdf, label_pdf, photo_of, unprintable
from app.console.badge.sheets import CONTACTS_MM
from tests.console.badge.conftest import DPI, GUID, MakeBadge, page_texts, picture, poppler, rendered
from tests.console.conftest import Run

MM = DPI / 25.4
ARABIC = "متدرب رقم أربعون"
LONG = "Training Person " + "Of The Very Long Name " * 8 + "Forty"


def codes(page: QImage) -> list[str]:
    """What a scanner reads on the page."""
    view = memoryview(page.constBits())
    lines = view.cast("B", (page.height(), page.bytesPerLine()))
    return [found.text for found in zxingcpp.read_barcodes(lines, formats=zxingcpp.BarcodeFormat.DataMatrix)]


def squeezed(text: str) -> str:
    """Text without the places where lines end."""
    return "".join(text.split())


@pytest.mark.parametrize(("make", "size"), [(badge_pdf, CARD_MM), (label_pdf, LABEL_MM)])
def test_pages_have_the_size_of_the_sheet(
    make_badge: MakeBadge, make: Callable[[list[Badge]], bytes], size: tuple[float, float]
) -> None:
    """To a hundredth of a millimetre: ISO/IEC 7810 allows a card 0.13 mm in its width."""
    told = poppler("pdfinfo", "-", document=make([make_badge()])).decode()
    found = re.search(r"Page size: +([0-9.]+) x ([0-9.]+) pts", told)
    assert found is not None
    assert [float(side) / 72 * 25.4 for side in found.groups()] == pytest.approx(size, abs=0.01)


def test_a_badge_has_a_front_and_a_back(make_badge: MakeBadge) -> None:
    """In the order that a duplex card printer wants them, each with what belongs on it."""
    front, back, front_2, _ = page_texts(badge_pdf([make_badge(), make_badge(display_name="Training Person 41")]))
    for told in ("Training Person 40", "TRAINING", "2029-11-20", "1F3A22B0", "training-0040"):
        assert told in front
    for told in (GUID, "training-0040", "2026-11-21", "2029-11-20", "opens nothing real"):
        assert told in back
    assert "Training Person 41" in front_2


def test_a_real_badge_does_not_say_training(make_badge: MakeBadge) -> None:
    """Neither side, and the label neither; its owner is named instead."""
    badge = make_badge(display_name="Person 40", node_id="n-40", issuer="ARC", affiliation="", training=False)
    pages = page_texts(badge_pdf([badge])) + page_texts(label_pdf([badge]))
    assert not any("training" in page.lower() for page in pages)
    assert "AFFILIATION" not in pages[0]
    assert "Property of ARC" in pages[1]


def test_a_label_tells_whose_card_it_is(make_badge: MakeBadge) -> None:
    """Name, node, the GUID's last digits, dates, and that it is training."""
    (page,) = page_texts(label_pdf([make_badge()]))
    for told in ("Training Person 40", "training-0040", "4fd430c8", "2026-11-21", "2029-11-20", "TRAINING"):
        assert told in page


def test_a_scanner_reads_the_cards_guid(make_badge: MakeBadge, tmp_path: Path) -> None:
    """Off the back and off the label, whatever the GUID; a front has no code."""
    guids = [GUID, str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1)), str(uuid.uuid4())]
    badges = [make_badge(card_guid=guid) for guid in guids]
    for make, first in ((badge_pdf, 1), (label_pdf, 0)):
        folder = tmp_path / make.__name__
        folder.mkdir()
        pages = rendered(make(badges), folder)
        assert [codes(page) for page in pages[first :: first + 1]] == [[f"urn:uuid:{guid}"] for guid in guids]
    assert codes(rendered(badge_pdf(badges[:1]), tmp_path / "badge_pdf")[0]) == []


def test_the_contacts_place_stays_white(make_badge: MakeBadge, tmp_path: Path) -> None:
    """A print head that runs over a card's contacts breaks; the longest texts must not reach them."""
    badge = make_badge(display_name=LONG, node_id="n" * 64, affiliation="W" * 20, issuer="W" * 15)
    front = rendered(badge_pdf([badge]), tmp_path)[0]
    left, top, width, height = (round(side * MM) for side in CONTACTS_MM)
    part = front.copy(left, top, width, height)
    assert {part.pixelColor(x, y).value() for x in range(0, width, 2) for y in range(0, height, 2)} == {255}


def test_a_photo_fills_its_frame_and_its_lack_is_no_hole(make_badge: MakeBadge, tmp_path: Path) -> None:
    """The picture's left half is on the left; without one there is a grey figure."""
    photo = photo_of(picture(300, 400, colour="#000000"))
    for name, badge in (("with", make_badge(photo=photo)), ("without", make_badge())):
        folder = tmp_path / name
        folder.mkdir()
        front = rendered(badge_pdf([badge]), folder)[0]
        left, right = (front.pixelColor(round(x * MM), round(40 * MM)).value() for x in (62, 77))
        if name == "with":
            assert left < 8
            assert right > 247
        else:
            assert 200 < left < 247
            assert 200 < right < 247


def test_a_long_name_is_whole_on_the_back(make_badge: MakeBadge) -> None:
    """On the front its middle is left out, so that first and last words stay."""
    front, back = page_texts(badge_pdf([make_badge(display_name=LONG)]))
    assert "\u2026" in front
    assert squeezed(LONG) not in squeezed(front)
    assert "Training Person" in front
    assert "Forty" in front
    assert squeezed(LONG) in squeezed(back)


def test_a_name_of_one_endless_word_is_whole_on_the_back(make_badge: MakeBadge) -> None:
    """200 of the widest letters, which is all that a name may have."""
    _, back = page_texts(badge_pdf([make_badge(display_name="W" * 200)]))
    assert "W" * 200 in squeezed(back)


def test_a_name_that_fits_is_not_repeated(make_badge: MakeBadge) -> None:
    """The back has a name only where the front could not hold it."""
    _, back = page_texts(badge_pdf([make_badge()]))
    assert "Training Person 40" not in back


@pytest.mark.parametrize(
    "name",
    [
        ARABIC,
        f"Person {ARABIC} 40",
        "培训人员 四十",
        "Zoe\u0308 A\u030a Tra\u0304ining",
        "T" + "\u0301\u0334" * 90 + "raining",
        "Training\u202e Person\u0007\u200b 40",
        "\u202e",
        "\U0001f600 Training",
    ],
)
def test_every_letter_is_printed_or_reported(make_badge: MakeBadge, tmp_path: Path, name: str) -> None:
    """A letter that no font here has is told and becomes its base letter or a question mark; no code is covered."""
    badge = make_badge(display_name=name)
    document = badge_pdf([badge])
    (label,) = rendered(label_pdf([badge]), tmp_path)
    assert codes(label) == [f"urn:uuid:{GUID}"]
    fonts = poppler("pdffonts", "-", document=document).decode().splitlines()[2:]
    assert all(line[-22:].split()[0] == "yes" for line in fonts), "every font is embedded"
    told = unprintable([badge])
    front = page_texts(document)[0]
    if told:
        assert "?" in front or re.search(r"Training|raining", front)
        assert "training-0040's name" in told[0]
    else:
        assert "?" not in front


def test_a_name_that_nobody_sees_gives_way_to_the_node(make_badge: MakeBadge) -> None:
    """Direction marks and spaces alone: the badge is not anonymous."""
    front, _ = page_texts(badge_pdf([make_badge(display_name="\u202e \u2066\u200b")]))
    assert front.count("training-0040") == 2


def test_arabic_is_shaped_by_a_font_of_the_machine(make_badge: MakeBadge) -> None:
    """Inter has no Arabic; Debian's fontconfig always brings a font that has, and poppler finds the letters."""
    assert unprintable([make_badge(display_name=ARABIC)]) == []
    front = page_texts(badge_pdf([make_badge(display_name=ARABIC)]))[0]
    letters = {letter for letter in unicodedata.normalize("NFKC", front) if "\u0600" <= letter <= "\u06ff"}
    assert letters >= {letter for letter in unicodedata.normalize("NFKD", ARABIC) if letter.isalpha()} - {"ا"}


def test_letters_that_no_font_has_are_named(make_badge: MakeBadge) -> None:
    """A letter for private use has no glyph anywhere: the sentence tells it and whose name it is in."""
    told = unprintable([make_badge(), make_badge(display_name="Training \U0010fffd 40", node_id="n-40")])
    assert len(told) == 1
    assert "\U0010fffd" in told[0]
    assert "n-40" in told[0]
    assert "Training ? 40" in page_texts(badge_pdf([make_badge(display_name="Training \U0010fffd 40")]))[0]


@pytest.mark.campaign
def test_five_hundred_badges_are_one_document(make_badge: MakeBadge, run: Run) -> None:
    """Made on a worker thread; the photo and the fonts are in it once where they are the same."""
    photo = photo_of(picture(600, 800))
    badges = [make_badge(display_name=f"Training Person {number}", photo=photo) for number in range(500)]
    document = run(asyncio.to_thread(badge_pdf, badges))
    assert b"Pages:           1000" in poppler("pdfinfo", "-", document=document)
    assert len(document) < 10_000_000
    assert "Training Person 499" in page_texts(document)[998]


def test_a_document_names_nobody_in_its_metadata(make_badge: MakeBadge) -> None:
    """Title and author are shown in print queues."""
    told = poppler("pdfinfo", "-", document=badge_pdf([make_badge()])).decode()
    assert "Badges" in told
    assert "Person" not in told
    assert "0040" not in told


def test_no_badge_is_no_document(application: object) -> None:
    """An empty list is the caller's mistake."""
    with pytest.raises(ValueError, match="no badge"):
        badge_pdf([])


def test_dates_are_written_without_ambiguity(make_badge: MakeBadge) -> None:
    """Year, month, day: 3 April and 4 March differ."""
    assert "2030-04-03" in page_texts(badge_pdf([make_badge(expires=date(2030, 4, 3))]))[0]


def test_words_can_be_copied_from_the_document(make_badge: MakeBadge) -> None:
    """Every glyph is told as the letter it stands for, none as a private code point of the font."""
    told = "".join(page_texts(badge_pdf([make_badge()])) + page_texts(label_pdf([make_badge()])))
    assert [letter for letter in told if unicodedata.category(letter) == "Co"] == []


def test_the_photos_frame_is_three_to_four(make_badge: MakeBadge, tmp_path: Path) -> None:
    """A wide picture given directly is cropped, not squeezed."""
    wide = QImage(QSize(800, 400), QImage.Format.Format_RGB32)
    wide.fill(QColor("#000000"))
    front = rendered(badge_pdf([make_badge(photo=wide)]), tmp_path)[0]
    assert front.pixelColor(round(69 * MM), round(30 * MM)).value() < 8
