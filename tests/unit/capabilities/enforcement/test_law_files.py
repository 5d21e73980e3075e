"""The law files: what is shipped, and what the loader refuses."""

from __future__ import annotations

import difflib
import hashlib
import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.enforcement.jurisdictions import (
    KINDS,
    LAW,
    SHIPPED,
    SOURCES,
    ElementFile,
    Law,
    LawRefused,
    LawShelf,
    difference_of,
    folder_sha256,
    load_law,
    load_laws,
    read_folder,
)
from app.capabilities.enforcement.messages import NoticeKind
from app.capabilities.enforcement.notice import missing_elements, plain_text, render_text
from tests.unit.capabilities.enforcement.notice_facts import BOOK, CODES, TOKEN, facts

GOLDEN = Path(__file__).parent / "golden"
DOCUMENTS = [(code, kind, language) for code in CODES for kind in KINDS for language in BOOK.laws[code].languages]
ELEMENTS = [
    (code, kind, language, element.id, placeholder)
    for code, kind, language in DOCUMENTS
    for element in BOOK.laws[code].elements(kind)
    for placeholder in element.placeholders
]
TODAY = date(2026, 11, 25)


def text_of(law: Law, kind: NoticeKind, language: str) -> str:
    """A whole document of this law."""
    return plain_text(render_text(facts(law), kind, language, recipients=["Training video"], tracking=TOKEN))


def changed(code: str, name: str, before: str, after: str) -> dict[str, bytes]:
    """The files of a shipped law with one of them changed."""
    files = dict(BOOK.laws[code].files)
    text = files[name].decode()
    assert before in text
    files[name] = text.replace(before, after).encode()
    return files


# --- what is shipped ---


def test_every_law_of_the_table_is_there_and_used() -> None:
    """Ten of them, none refused."""
    assert tuple(sorted(BOOK.laws)) == CODES
    assert BOOK.refused == {}


def test_languages() -> None:
    """All have English, the European one also German."""
    assert {code: BOOK.laws[code].languages for code in CODES} == {
        code: ["en", "de"] if code == "EU" else ["en"] for code in CODES
    }


@pytest.mark.parametrize(("code", "kind", "language"), DOCUMENTS)
def test_a_document_is_that_of_its_golden_file(code: str, kind: NoticeKind, language: str) -> None:
    """Letter by letter; whoever changes a text of the law looks at the change."""
    golden = (GOLDEN / f"{code}.{kind}.{language}.txt").read_text(encoding="utf-8")
    text = text_of(BOOK.laws[code], kind, language)
    assert text == golden, "".join(difflib.unified_diff(golden.splitlines(True), text.splitlines(True)))


@pytest.mark.parametrize(("code", "kind", "language"), DOCUMENTS)
def test_each_element_stands_in_its_golden_file(code: str, kind: NoticeKind, language: str) -> None:
    """With every value that it is made from."""
    golden = (GOLDEN / f"{code}.{kind}.{language}.txt").read_text(encoding="utf-8")
    law = BOOK.laws[code]
    values = {
        "declarant_name": "Training Person One",
        "declarant_capacity": "the person shown",
        "declarant_email": "one@training.invalid",
        "declarant_contact": "one@training.invalid\n1 Training Street\n+1 555 0100",
        "attestation": law.file.attestation[language],
        "content_urls": "https://video.example/v/88121\nhttps://video.example/v/88122",
        "statement": "The recording shows my voice and face, made by a machine.\nI never agreed to it.",
        "work_title": "A training recording",
        "work_owner": "Training Person One",
        "nature": "impersonation",
    }
    for element in law.elements(kind):
        for placeholder in element.placeholders:
            assert values[placeholder] in golden, (element.id, placeholder)


@pytest.mark.parametrize(("code", "kind", "language", "element", "placeholder"), ELEMENTS)
def test_a_law_whose_text_lost_an_element_is_refused(
    code: str, kind: NoticeKind, language: str, element: str, placeholder: str
) -> None:
    """By the element's name, or that of another one that the same value says."""
    name = f"{kind}.{language}.txt"
    with pytest.raises(LawRefused, match=f"{name} does not say the element [a-z_]+: .{placeholder} is missing"):
        load_law(code, changed(code, name, f"${placeholder}", "something else"))


@pytest.mark.parametrize(("code", "kind", "language", "element", "placeholder"), ELEMENTS)
def test_what_is_not_recorded_is_missing_by_name(
    code: str, kind: NoticeKind, language: str, element: str, placeholder: str
) -> None:
    """An element without one of its values is told with basis and field, and no other is told wrongly."""
    bare = facts(code, content_urls=[], statement=None, declarant=None, work=None, nature=None)
    missing = {one.element: one for one in missing_elements(bare, kind)}
    law = BOOK.laws[code]
    assert set(missing) == {one.id for one in law.elements(kind)}
    (asked,) = [one for one in law.elements(kind) if one.id == element]
    assert missing[element].basis == asked.basis
    assert missing[element].pointer == SOURCES[asked.placeholders[0]].pointer
    assert missing_elements(facts(code), kind) == []


def test_no_text_names_a_bill() -> None:
    """Nothing of the watch list is cited, in no language and in no case."""
    names = [name for bill in BOOK.bills for name in bill.names]
    assert len(names) >= 7
    for law in BOOK.laws.values():
        for file, data in law.files.items():
            found = [name for name in names if name.lower() in data.decode().lower()]
            assert found == [], f"{law.code}/{file}"


def test_the_plain_demand_cites_no_statute() -> None:
    """Without a work the DMCA gives nothing to cite."""
    text = (SHIPPED / "US" / "declaration.en.txt").read_text()
    assert "512" not in text
    assert "U.S.C." not in text
    assert "This letter relies on no statute." in text


@pytest.mark.parametrize("code", CODES)
def test_dates_and_review(code: str) -> None:
    """As of 21 November 2026, due 180 days later, signed off by nobody."""
    law = BOOK.laws[code]
    assert (law.file.as_of, law.file.review_due) == ("2026-11-21", "2027-05-20")
    assert (law.file.reviewed_by, law.is_signed_off(TODAY)) == (None, False)
    assert (law.is_past(date(2027, 5, 19)), law.is_past(date(2027, 5, 20))) == (False, True)
    assert law.file.sources


def test_what_was_not_verified_says_so() -> None:
    """The table has no day for these."""
    unknown = [code for code in CODES if BOOK.laws[code].file.in_force_from == "not verified"]
    assert unknown == ["EU", "GB", "US", "US-CA"]
    assert "not verified" in BOOK.laws["CN"].file.sources[0]


# --- codes ---


@pytest.mark.parametrize(
    ("asked", "code", "state"),
    [
        ("us", "US", None),
        ("USA", "US", None),
        ("US_NCII", "US-NCII", None),
        ("uk", "GB", None),
        ("gb", "GB", None),
        ("de", "EU", "DE"),
        ("DK", "EU", "DK"),
        ("eu", "EU", None),
    ],
)
def test_codes_aliases_and_member_states(asked: str, code: str, state: str | None) -> None:
    """In any case, with a low line for a dash; the member state is kept."""
    law, found = BOOK.find(asked)
    assert (law.code, found) == (code, state)


def test_the_27_member_states() -> None:
    """All of them mean the European law."""
    assert len(BOOK.laws["EU"].file.member_states) == 27
    assert {BOOK.find(state)[0].code for state in BOOK.laws["EU"].file.member_states} == {"EU"}


def test_an_unknown_code_is_refused_with_the_list() -> None:
    """422 at the field."""
    with pytest.raises(Problem) as refused:
        BOOK.find("FR-75")
    assert (refused.value.status, refused.value.errors[0].pointer) == (422, "/enforcement_jurisdiction")
    assert f"Use one of: {', '.join(CODES)}." in refused.value.detail


@pytest.mark.parametrize("asked", ["US-NO-FAKES", "no_fakes_act", "DK-65A", "GB-CPA-2026"])
def test_a_bill_is_no_law(asked: str) -> None:
    """422 that says so."""
    with pytest.raises(Problem) as refused:
        BOOK.find(asked)
    assert refused.value.status == 422
    assert "is a bill, not law" in refused.value.detail


# --- what the loader refuses ---


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('status = "in_force"', 'status = "bill"', "only a law in force is cited"),
        ('in_force_from = "2026-05-19"', 'in_force_from = "2999-01-01"', "not yet"),
        ('in_force_from = "2026-05-19"', 'in_force_from = "2026-02-30"', "cannot be read"),
        ('in_force_from = "2026-05-19"', 'in_force_from = "soon"', "cannot be read"),
        ('code = "US-NCII"', 'code = "US-TN"', "its folder of US-NCII"),
        ('review_due = "2027-05-20"', 'review_due = "2027-05-21"', "more than 180 days"),
        ('id = "contact"', 'id = "signature"', "Two elements have one id"),
        ('from = ["declarant_contact"]', 'from = ["evidence"]', "which no field supplies"),
        ('from = ["declarant_contact"]', 'from = ["telephone"]', "which no field supplies"),
        ('from = ["declarant_contact"]', "from = []", "cannot be read"),
        ('recipient = "', 'reviewed_on = "2026-11-25"\nrecipient = "', "A sign-off has both"),
        ('recipient = "', 'reviewed_by = "A Lawyer"\nrecipient = "', "A sign-off has both"),
        ('recipient = "', 'colour = "red"\nrecipient = "', "cannot be read"),
        ('hours = { "" = 48 }', 'hours = { "" = 0 }', "cannot be read"),
        ('hours = { "" = 48 }', 'hours = { "" = 8761 }', "cannot be read"),
        ('hours = { "" = 48 }', 'hours = { "voice" = 48 }', "cannot be read"),
        ("[attestation]\nen = ", "[attestation]\nfr = ", "no attestation in en"),
        ('kinds = ["declaration", "takedown"]', 'kinds = ["declaration"]', "No element is asked of a takedown"),
    ],
)
def test_a_law_file_that_is_none_is_refused(before: str, after: str, said: str) -> None:
    """With a sentence for people."""
    with pytest.raises(LawRefused, match=said):
        load_law("US-NCII", changed("US-NCII", LAW, before, after))


@pytest.mark.parametrize("hours", [1, 8760])
def test_a_deadline_is_an_hour_to_a_year(hours: int) -> None:
    """Laws have given platforms a few hours; none has given more than a year."""
    law = load_law("US-NCII", changed("US-NCII", LAW, 'hours = { "" = 48 }', f'hours = {{ "" = {hours} }}'))
    assert law.file.deadline.hours_for(None) == hours


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("$date", "$day", "has the placeholder day, which nothing supplies"),
        ("$date", "$ 5", "begins no placeholder"),
        ("$date", "${date", "begins no placeholder"),
    ],
)
def test_a_text_with_another_placeholder_is_refused(before: str, after: str, said: str) -> None:
    """And one whose sign stands alone."""
    with pytest.raises(LawRefused, match=said):
        load_law("GB", changed("GB", "takedown.en.txt", before, after))


def test_a_sign_of_money_is_written_twice() -> None:
    """Then it is printed once."""
    law = load_law("GB", changed("GB", "takedown.en.txt", "$date", "$date, a fee of $$5"))
    assert "Date: 2026-11-25, a fee of $5" in text_of(law, "takedown", "en")


def test_a_language_has_both_texts_and_an_attestation() -> None:
    """A half of one is refused."""
    files = dict(BOOK.laws["EU"].files)
    del files["takedown.de.txt"]
    with pytest.raises(LawRefused, match=r"takedown\.de\.txt is missing"):
        load_law("EU", files)
    files = {**BOOK.laws["GB"].files, "takedown.fr.txt": b"x", "declaration.fr.txt": b"x"}
    with pytest.raises(LawRefused, match="no attestation in fr"):
        load_law("GB", files)


def test_english_is_there() -> None:
    """The service's own words fall back to it."""
    files = {name.replace(".en.", ".fr."): data for name, data in BOOK.laws["GB"].files.items()}
    with pytest.raises(LawRefused, match="not there in en"):
        load_law("GB", files)


def test_bytes_that_are_no_text_are_refused() -> None:
    """Of the law and of its texts."""
    with pytest.raises(LawRefused, match="cannot be read"):
        load_law("GB", {**BOOK.laws["GB"].files, LAW: b"\xff"})
    with pytest.raises(LawRefused, match="is not UTF-8"):
        load_law("GB", {**BOOK.laws["GB"].files, "takedown.en.txt": b"\xff"})
    with pytest.raises(LawRefused, match=r"There is no law\.toml"):
        load_law("GB", {})


def test_other_files_do_not_belong_there(tmp_path: Path) -> None:
    """Neither by name nor by size."""
    folder = tmp_path / "GB"
    shutil.copytree(SHIPPED / "GB", folder)
    (folder / "notes.md").write_text("x")
    with pytest.raises(LawRefused, match=r"notes\.md does not belong"):
        read_folder(folder)
    (folder / "notes.md").unlink()
    (folder / "takedown.en.txt").write_bytes(b"x" * 65_537)
    with pytest.raises(LawRefused, match="longer than 65536 bytes"):
        read_folder(folder)


# --- the site's own ---


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A site's directory with its own file of GB, signed off."""
    folder = tmp_path / "GB"
    shutil.copytree(SHIPPED / "GB", folder)
    law = (folder / LAW).read_text()
    signed = 'reviewed_by = "A Training Lawyer"\nreviewed_on = "2026-11-24"\nrecipient = "'
    (folder / LAW).write_text(law.replace('recipient = "', signed))
    return tmp_path


def test_the_sites_own_folder_stands_in_place(own: Path) -> None:
    """As a whole, with the difference to the shipped one."""
    law = load_laws(SHIPPED, own).laws["GB"]
    message = law.message(TODAY)
    assert (message.overridden, message.signed_off, message.reviewed_by) == (True, True, "A Training Lawyer")
    added = [line for line in message.difference.splitlines() if line.startswith("+") and "+++" not in line]
    assert added == ['+reviewed_by = "A Training Lawyer"', '+reviewed_on = "2026-11-24"']
    assert law.sha256 != BOOK.laws["GB"].sha256


@pytest.mark.parametrize(
    ("day", "holds"),
    [(date(2026, 11, 23), False), (date(2026, 11, 24), True), (date(2027, 5, 19), True), (date(2027, 5, 20), False)],
)
def test_a_sign_off_holds_from_its_day_until_the_review(own: Path, day: date, holds: bool) -> None:
    """Not before, and not past review."""
    assert load_laws(SHIPPED, own).laws["GB"].is_signed_off(day) is holds


def test_a_sign_off_before_the_files_date_is_none(own: Path) -> None:
    """It was of another text."""
    law = own / "GB" / LAW
    law.write_text(law.read_text().replace("2026-11-24", "2026-11-20"))
    assert not load_laws(SHIPPED, own).laws["GB"].is_signed_off(TODAY)


def test_a_broken_folder_of_the_site_is_not_used_and_neither_is_the_shipped_one(own: Path) -> None:
    """The site meant another text: a call is told why, 503, and the other laws stay."""
    (own / "GB" / LAW).write_text("code =")
    book = load_laws(SHIPPED, own)
    assert "GB" not in book.laws
    assert set(book.laws) == set(CODES) - {"GB"}
    with pytest.raises(Problem) as refused:
        book.find("GB")
    assert (refused.value.status, "cannot be read" in refused.value.detail) == (503, True)


def test_a_law_of_the_sites_own(own: Path) -> None:
    """A code that the program does not ship; everything of it is a difference."""
    folder = own / "US-XX"
    shutil.copytree(SHIPPED / "US-TN", folder)
    (folder / LAW).write_text((folder / LAW).read_text().replace('"US-TN"', '"US-XX"'))
    law = load_laws(SHIPPED, own).laws["US-XX"]
    assert law.message(TODAY).overridden
    assert "--- shipped/declaration.en.txt" in law.message(TODAY).difference


def test_a_law_of_the_sites_own_takes_no_code_of_another(own: Path) -> None:
    """Neither a law's nor a bill's: it is refused, the other stays."""
    folder = own / "US-XX"
    shutil.copytree(SHIPPED / "US-TN", folder)
    text = (folder / LAW).read_text().replace('"US-TN"', '"US-XX"')
    for alias in ("US", "DE", "US-NO-FAKES"):
        (folder / LAW).write_text(text.replace("aliases = []", f'aliases = ["{alias}"]'))
        book = load_laws(SHIPPED, own)
        assert "mean something else already" in book.refused["US-XX"]
        assert "US" in book.laws


@pytest.mark.parametrize("text", [b"bills = 1", b"\xff", b'[[bills]]\ncode = "X"'])
def test_a_watch_list_that_is_none_is_no_site(tmp_path: Path, text: bytes) -> None:
    """It is the program's own: without it nobody knows what is no law."""
    shutil.copytree(SHIPPED, tmp_path / "shipped")
    (tmp_path / "shipped" / "watch.toml").write_bytes(text)
    with pytest.raises(LawRefused, match=r"watch\.toml cannot be read"):
        load_laws(tmp_path / "shipped")


def test_a_shelf_reads_again_what_was_changed(own: Path) -> None:
    """Without a restart; what was not changed is not read again."""
    shelf = LawShelf(own)
    first = shelf.book()
    assert shelf.book() is first
    law = own / "GB" / LAW
    law.write_text(law.read_text().replace("A Training Lawyer", "Another Training Lawyer"))
    assert shelf.book().laws["GB"].file.reviewed_by == "Another Training Lawyer"
    shutil.rmtree(own / "GB")
    assert shelf.book().laws["GB"].shipped is None


def test_a_folder_is_pinned_by_every_byte_and_name() -> None:
    """One line for each file, by name."""
    files = {"b.txt": b"2", "a.txt": b"1"}
    lines = f"{hashlib.sha256(b'1').hexdigest()} a.txt\n{hashlib.sha256(b'2').hexdigest()} b.txt\n"
    assert folder_sha256(files) == hashlib.sha256(lines.encode()).hexdigest()
    assert folder_sha256({"a.txt": b"1", "b.txt": b"3"}) != folder_sha256(files) != folder_sha256({"a.txt": b"1"})


def test_the_folder_of_the_vector() -> None:
    """What others compute is what we pin."""
    vector = json.loads((Path(__file__).parents[3] / "vectors" / "strike-notice-1.json").read_text())["law"]
    files = {name: text.encode() for name, text in vector["files"].items()}
    assert load_law(vector["code"], files).sha256 == vector["sha256"]


def test_a_difference_names_lines_without_an_end() -> None:
    """Each line of it ends."""
    assert difference_of({"a": b"x"}, {"a": b"y"}).splitlines() == [
        "--- shipped/a",
        "+++ site/a",
        "@@ -1 +1 @@",
        "-x",
        "+y",
    ]


def test_an_element_has_one_message_of_its_fields() -> None:
    """As the console shows it."""
    message = BOOK.laws["US"].message(TODAY)
    work = next(one for one in message.elements if one.id == "work")
    assert (work.pointers, work.kinds) == (["/work/title", "/work/owner"], ["takedown"])
    assert message.aliases == ["USA"]
    assert (message.copyright_only, message.overridden, message.difference) == (True, False, "")
    assert isinstance(BOOK.laws["US"].file.elements[0], ElementFile)
