"""The PIN page as other programs read it: any name fits on it, and the PIN stands on it alone."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.provisioning.paper.pin_sheet import pin_page

PIN = "80417263"


def page(name: str = "Training Person 07", *, training: bool = True) -> bytes:
    """A page for ``name``."""
    return pin_page(
        pin=PIN,
        display_name=name,
        node_id="ARC-T0007",
        card_guid="0f8fad5b-d9cb-469f-a165-70867728950e",
        issuer="training-0123456789abcdef.site.invalid",
        training=training,
    )


def text(pdf: bytes) -> str:
    """What pdftotext reads."""
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
    return done.stdout.decode()


def test_the_page_says_whose_card_it_is_and_its_pin() -> None:
    """Issuer, person, node, card and PIN are there, on one page."""
    read = text(page())
    for part in (
        "site.invalid",
        "Training Person 07",
        "ARC-T0007",
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        f"PIN {PIN}",
    ):
        assert part in read
    assert read.count("\f") == 1


@pytest.mark.parametrize("training", [True, False])
def test_a_training_page_says_so(training: bool) -> None:
    """TRAINING stands on the pages of training sites alone."""
    assert ("TRAINING" in text(page(training=training))) is training


def test_the_pin_is_in_the_page_alone() -> None:
    """Title, dates and every other part of the file that is not the page's content hold no PIN."""
    pdf = page()
    assert PIN.encode() not in pdf
    info = subprocess.run(["pdfinfo", "-"], input=pdf, capture_output=True, check=True).stdout
    assert PIN.encode() not in info
    assert text(pdf).count(PIN) == 1


@pytest.mark.parametrize(
    "name", ["Žofie Říhová", "Ξανθή Αναστασίου", "Юлия Щербакова", "Łódź Þór Ñandú", "Nguyễn Ẩn", "Đặng Ğül İnci"]
)
def test_names_of_every_european_script_are_printed_whole(name: str) -> None:
    """Latin with any accent, Greek, Cyrillic: what pdftotext reads is the name."""
    assert name in text(page(name))


def test_letters_that_the_font_lacks_are_question_marks() -> None:
    """What has no letter in the font is seen to be missing; the rest stays."""
    assert "Zofia Łó? Müller" in text(page("Zofia Łó王 Müller"))


def test_the_pin_lies_inside_and_the_address_outside() -> None:
    """Folded in three, the upper third has the address and no PIN, the middle one the PIN and no name."""
    thirds = [third(page(), number) for number in range(3)]
    assert [PIN in one for one in thirds] == [False, True, False]
    assert ["Training Person 07" in one for one in thirds] == [True, False, False]


def third(pdf: bytes, number: int) -> str:
    """What pdftotext reads in one third of the sheet (A4 at 72 dpi: 595 by 842)."""
    box = ["-r", "72", "-x", "0", "-y", str(281 * number), "-W", "595", "-H", "281"]
    done = subprocess.run(["pdftotext", "-layout", *box, "-", "-"], input=pdf, capture_output=True, check=True)
    return done.stdout.decode()


@settings(max_examples=15)
@given(st.text(max_size=200))
def test_any_name_makes_a_page(name: str) -> None:
    """No text breaks the page: the PIN would be lost with it."""
    assert page(name).startswith(b"%PDF-")
