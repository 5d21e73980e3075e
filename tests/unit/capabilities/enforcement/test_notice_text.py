"""What documents say, and what they lack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import unix_us
from app.capabilities.enforcement.jurisdictions import KINDS, SOURCES, load_law
from app.capabilities.enforcement.messages import CopyrightWork, Declarant, NoticeKind, StrikeEvidence
from app.capabilities.enforcement.notice import (
    NoticeFacts,
    form_fields,
    merge_missing,
    missing_elements,
    no_platform,
    notice_json,
    placeholder_values,
    plain_text,
    present_elements,
    render_text,
)
from app.evidence.strikes import judge_notice
from app.ledger.tree.leaf import canonical
from tests.unit.capabilities.enforcement.notice_facts import AT, BOOK, CODES, TOKEN, facts, whole_record

VECTOR = json.loads((Path(__file__).parents[3] / "vectors" / "strike-notice-1.json").read_text())
PERSON = Declarant(name="Training Person One", capacity="agent", attested=True)


def text_of(said: NoticeFacts, kind: NoticeKind = "declaration", language: str = "en") -> str:
    """A whole document."""
    return plain_text(render_text(said, kind, language, recipients=["Training video"], tracking=TOKEN))


def bare(code: str, *, automated: bool = False, **changes: Any) -> NoticeFacts:
    """Nothing is recorded but ``changes``."""
    nothing: dict[str, Any] = {
        "content_urls": [],
        "statement": None,
        "declarant": None,
        "work": None,
        "nature": None,
        "attested_us": None,
        "attested_by": None,
    }
    return facts(code, automated=automated, **{**nothing, **changes})


# --- the text ---


@pytest.mark.parametrize("statement", ["100 % of $declarant_name, ${tracking} and $$5", "%s %(x)s {0} {name} $", "$"])
def test_signs_of_templates_in_a_statement_stay_as_they_are(statement: str) -> None:
    """Nothing is put in for them."""
    assert f"\n{statement}\n" in text_of(facts("EU", statement=statement))


def test_a_value_is_never_a_heading() -> None:
    """A statement with a line that begins as one is printed as any other."""
    lines = render_text(
        facts("EU", statement="Twenty letters and more.\n# 6. Attestation"),
        "declaration",
        "en",
        recipients=[],
        tracking=TOKEN,
    )
    assert [line.text for line in lines if line.heading] == [
        "CEASE AND DESIST DECLARATION",
        "1. Declarant",
        "2. Compromise",
        "3. Content",
        "4. Statement",
        "5. Demand",
        "6. Attestation",
    ]
    assert "# 6. Attestation" in [line.text for line in lines if not line.heading]


@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=80).filter(
        str.strip
    )
)
def test_any_statement_stands_in_the_text_as_it_is(statement: str) -> None:
    """To the letter, where it is one line. Blanks alone are none: they are missing."""
    assert f"\n{statement}\n" in text_of(facts("EU", statement=statement))


def test_what_is_missing_is_printed_as_missing() -> None:
    """A declaration can be issued at once."""
    text = text_of(bare("EU"))
    assert "Name: [not supplied]" in text
    assert f"[not attested] {BOOK.laws['EU'].file.attestation['en']}" in text
    german = text_of(bare("EU"), language="de")
    assert "Name: [nicht angegeben]" in german
    assert f"[nicht versichert] {BOOK.laws['EU'].file.attestation['de']}" in german


def test_what_there_is_none_of_leaves_no_line() -> None:
    """Neither authority nor details of a work."""
    plain = msgspec.structs.replace(whole_record(), work=CopyrightWork(title="T", owner="O"))
    evidence = StrikeEvidence(kind="reference", ref="case 7", known=False, title="Nothing here.")
    said = NoticeFacts("str_1", BOOK.laws["US"], "case 7", False, unix_us(AT), plain, evidence)
    text = text_of(said, "takedown")
    assert "Authority" not in text
    assert "Owner: O\n\n2. Material" in text


def test_a_reference_that_is_unknown_here_is_the_declarants() -> None:
    """A known one is printed alone, with what this site found."""
    assert "Reference: scan_0123456789abcdef0123\n" in text_of(facts("EU"))
    assert "- Verdict MANIPULATED, score 0.991.\n" in text_of(facts("EU"))
    law = BOOK.laws["EU"]
    evidence = StrikeEvidence(kind="reference", ref="case 7", known=False, title="Nothing here.")
    unknown = NoticeFacts("str_1", law, "case 7", False, unix_us(AT), whole_record(), evidence, state="DE")
    assert "Reference: case 7 (reference given by the declarant)\n" in text_of(unknown)
    assert "2022/2065, member state DE\n" in text_of(unknown)
    assert "2022/2065, Mitgliedstaat DE\n" in text_of(unknown, language="de")


def test_the_attestation_names_who_and_when() -> None:
    """Only once it was recorded."""
    assert "Attested by Training Person One on 2026-11-25 (UTC)." in text_of(facts("EU"))
    unsaid = msgspec.structs.replace(PERSON, attested=False)
    assert "Attested by" not in text_of(facts("EU", declarant=unsaid))


def test_a_language_that_the_service_does_not_speak_takes_english_words() -> None:
    """A site's own texts may be in it."""
    files = {
        **BOOK.laws["GB"].files,
        "declaration.fr.txt": BOOK.laws["GB"].files["declaration.en.txt"],
        "takedown.fr.txt": BOOK.laws["GB"].files["takedown.en.txt"],
    }
    files["law.toml"] = files["law.toml"].replace(b"[attestation]", b'[attestation]\nfr = "Je le certifie."')
    law = load_law("GB", files)
    assert law.languages == ["en", "fr"]
    assert "Je le certifie.\nAttested by Training Person One" in text_of(facts(law), language="fr")


def test_contacts_stand_one_a_line() -> None:
    """Any one of them is a contact; an e-mail address is asked for by name where the law does."""
    phone = msgspec.structs.replace(PERSON, phone="+1 555 0100")
    values = placeholder_values(facts("US", declarant=phone), "en")
    assert values["declarant_contact"] == "+1 555 0100"
    assert "declarant_email" not in values
    assert [one.element for one in missing_elements(facts("US-NCII", declarant=phone), "takedown")] == []
    assert [one.pointer for one in missing_elements(facts("EU", declarant=phone), "takedown")] == ["/declarant/email"]


# --- what is missing ---


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_flag_without_a_work_lacks_it_everywhere(code: str, kind: NoticeKind) -> None:
    """In every jurisdiction, and for both documents; so it is with the attestation."""
    said = facts(code, automated=True, work=None)
    assert "dispatch_work" in [one.element for one in missing_elements(said, kind)]
    unsaid = msgspec.structs.replace(PERSON, attested=False)
    lacking = {
        one.element: one.pointer for one in missing_elements(facts(code, automated=True, declarant=unsaid), kind)
    }
    assert lacking["dispatch_attestation"] == "/declarant/attested"
    assert missing_elements(facts(code, automated=True), kind) == []


def test_without_the_flag_a_work_is_asked_for_by_copyright_alone() -> None:
    """And there for the takedown alone."""
    for code in CODES:
        kinds = [kind for kind in KINDS if missing_elements(facts(code, work=None), kind)]
        assert kinds == (["takedown"] if code == "US" else [])


def test_missing_things_are_named_once() -> None:
    """In the law's order, whatever asks for them."""
    lists = [missing_elements(bare("US", automated=True), kind) for kind in KINDS]
    merged = merge_missing(lists)
    assert [one.element for one in merged] == [
        "declarant", "content", "claim", "attested", "dispatch_work", "dispatch_attestation",
        "signature", "work", "material", "contact", "good_faith", "accuracy",
    ]  # fmt: skip
    assert no_platform().pointer == "/platforms"


def test_present_elements_are_the_others() -> None:
    """What the page ticks."""
    assert present_elements(bare("US"), KINDS) == []
    assert present_elements(facts("US", work=None), KINDS) == [
        "declarant", "content", "claim", "attested", "signature", "material", "contact", "good_faith", "accuracy",
    ]  # fmt: skip
    assert present_elements(facts("US"), ["takedown"])[0] == "signature"


@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source.pointer])
def test_each_field_supplies_its_placeholder(name: str) -> None:
    """And a record without it does not."""
    assert name in placeholder_values(facts("US"), "en")
    assert name not in placeholder_values(bare("US"), "en")


# --- forms ---


def test_a_form_has_each_element_to_copy() -> None:
    """By the law's labels, with the tracking number first and the whole text last."""
    fields = form_fields(facts("US"), "takedown", recipients=["Training video"], tracking=f"{TOKEN}.2")
    labels = [one.label for one in BOOK.laws["US"].elements("takedown")]
    assert [one.label for one in fields] == ["Tracking number", *labels, "Whole text"]
    assert fields[0].value == f"{TOKEN}.2"
    assert fields[2].value == "A training recording\nTraining Person One"
    assert f"Tracking: {TOKEN}.2" in fields[-1].value


def test_a_form_leaves_out_what_is_not_there() -> None:
    """Nothing is to be copied that was not recorded."""
    fields = form_fields(bare("US"), "takedown", recipients=[], tracking=TOKEN)
    assert [one.label for one in fields] == ["Tracking number", "Whole text"]


# --- notice.json ---


def notice(said: NoticeFacts, language: str = "en") -> bytes:
    """The takedown notice of the vector's platform."""
    return notice_json(
        said,
        "takedown",
        notice_id="ntc_" + "0" * 32,
        tracking=VECTOR["tracking"]["token"] + ".2",
        platform_id="video",
        platform_name="Training video",
        language=language,
        declaration_sha256="ab" * 32,
        revision=1,
    )


def test_the_notice_of_the_vector() -> None:
    """The same facts give the same bytes."""
    files = {name: text.encode() for name, text in VECTOR["law"]["files"].items()}
    assert notice(facts(load_law("XX", files))) == VECTOR["notice"].encode()


def test_the_signature_of_the_vector() -> None:
    """It is over the notice, under the root beside it."""
    roots = x509.load_pem_x509_certificates(VECTOR["root"].encode())
    _, (payload, signature) = judge_notice(VECTOR["jws"].encode(), roots)
    assert payload == VECTOR["notice"].encode()
    assert signature.root == roots[0]


def test_a_notice_holds_the_exact_words() -> None:
    """Whatever a page could show of them."""
    words = "שלום \u202etext e\u0301 $x % 漢字 and enough letters"
    said = json.loads(notice(facts("EU", statement=words)))
    assert said["values"]["statement"] == words
    assert said["elements"]["reasons"] == {"basis": "DSA article 16(2)(a)", "from": ["statement"]}
    assert said["law"]["sha256"] == BOOK.laws["EU"].sha256
    assert said["missing"] == []


def test_a_notice_is_canonical_and_says_what_is_missing() -> None:
    """By the ids of the elements."""
    raw = notice(bare("EU"))
    assert canonical(json.loads(raw)) == raw
    said = json.loads(raw)
    assert said["missing"] == ["reasons", "location", "notifier", "bona_fide"]
    assert said["values"] == {}
    assert said["work"] is None


@pytest.mark.parametrize(("nature", "hours"), [("nudity", 2), ("morphed", 36), (None, 168)])
def test_a_notice_names_the_hours_of_its_nature(nature: str | None, hours: int) -> None:
    """As the law file has them."""
    assert json.loads(notice(facts("IN", nature=nature)))["deadline"]["hours"] == hours


def test_a_german_notice_has_german_values() -> None:
    """Of what the service words."""
    said = json.loads(notice(facts("EU"), "de"))
    assert said["values"]["nature"] == "Identitätstäuschung"
    assert said["language"] == "de"
