"""The declaration as a PDF: what it shows, its signature, and that no byte of it is free."""

from __future__ import annotations

import asyncio
import io
import random
import re
import socket
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from asn1crypto import x509 as asn1_x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import async_validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from app.capabilities.enforcement.declaration import DeclarationSigner, DocumentLine, Sheet, render_pdf, show
from app.capabilities.enforcement.notice import render_text
from app.delivery.paper import letters_of, sheet
from app.evidence.checks import EvidenceRefused, Findings, PinnedTrust
from app.evidence.judge import examine
from app.evidence.strikes import judge_declaration, judge_notice
from app.ledger.stamps.timestamp import StampError
from app.pki.authority import Root, SiteAuthority, make_root
from tests.nss_database import NssDatabase
from tests.unit.capabilities.enforcement.notice_facts import TOKEN, TestAuthority, facts

AT = datetime(2026, 11, 25, 12, tzinfo=UTC)


def letters() -> frozenset[int]:
    """What the font of declarations can show."""
    page = sheet("letters", AT)
    page.add_page()
    known = frozenset(letters_of(page))
    page.output()
    return known


KNOWN = letters()


@pytest.fixture(scope="module")
def site() -> TestAuthority:
    """Root and signer of a training site."""
    return TestAuthority()


@pytest.fixture(scope="module")
def signed(site: TestAuthority) -> bytes:
    """A signed declaration."""
    lines = render_text(facts("EU"), "declaration", "en", recipients=["Training video"], tracking=TOKEN)
    return site.signer.sign_pdf(render_pdf(lines, paper())[0], site.now)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, site: TestAuthority) -> NssDatabase:
    """What pdfsig trusts: the site's root."""
    return NssDatabase(tmp_path_factory.mktemp("nss"), site.authority.root_pem())


def paper(*marks: str) -> Sheet:
    """A sheet with a foot of two lines."""
    return Sheet("A declaration", AT, ["foot one", "foot two"], marks)


def words_of(pdf: bytes, path: Path) -> str:
    """What poppler reads of the pages, a form feed after each."""
    path.write_bytes(pdf)
    return subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout


# --- the page ---


def test_equal_lines_give_equal_bytes() -> None:
    """At the same time; at another one they differ."""
    lines = [DocumentLine("A title", True), DocumentLine("Grüße, Γειά, Привет")]
    assert render_pdf(lines, paper()) == render_pdf(lines, paper())
    later = Sheet("A declaration", AT + timedelta(seconds=1), ["foot one", "foot two"])
    assert render_pdf(lines, later)[0] != render_pdf(lines, paper())[0]


def test_every_script_of_europe_is_printed(tmp_path: Path) -> None:
    """Latin, Greek, Cyrillic, with their accents."""
    lines = [DocumentLine("Grüße aus Łódź"), DocumentLine("Γειά σου"), DocumentLine("Привет, Київ")]
    text = words_of(render_pdf(lines, paper())[0], tmp_path / "a.pdf")
    assert [line.strip() for line in text.splitlines() if line.strip()][:3] == [
        "Grüße aus Łódź",
        "Γειά σου",
        "Привет, Київ",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "aU+202Eb"),
        ("שלום", "U+05E9U+05DCU+05D5U+05DD"),
        ("漢", "U+6F22"),
        ("😀", "U+1F600"),
        ("e\u0301", "é"),
        ("x\u0301\u0302", None),
        ("a\u00a0b", "aU+00A0b"),
        ("a\u200bb", "aU+200Bb"),
        ("plain words", "plain words"),
    ],
)
def test_what_cannot_be_seen_is_printed_by_its_number(text: str, shown: str | None) -> None:
    """Right to left, other scripts, invisible signs; combined letters where the font has them."""
    found = show(text, KNOWN)
    if shown is not None:
        assert found == shown
    assert all(ord(letter) in KNOWN or letter == " " for letter in found)


@given(st.text(max_size=200))
def test_any_text_is_shown_by_letters_of_the_font(text: str) -> None:
    """Nothing is left to a viewer's own fonts, and nothing turns the line around."""
    assert all(letter == " " or ord(letter) in KNOWN for letter in show(text, KNOWN))


@given(st.lists(st.text(max_size=400), max_size=5))
def test_any_text_can_be_printed(texts: list[str]) -> None:
    """Without an error, on as many pages as it takes."""
    pdf, pages = render_pdf([DocumentLine(text) for text in texts], paper())
    assert pdf.startswith(b"%PDF-")
    assert pages >= 1


def test_a_hundred_long_urls_stand_whole_on_several_pages(tmp_path: Path) -> None:
    """Each letter of each, broken where the line ends; foot and mark on every page."""
    urls = [f"https://video.example/{number:03}/" + "x" * 2_000 for number in range(100)]
    pdf, pages = render_pdf([DocumentLine(url) for url in urls], paper("TRAINING mark"))
    text = words_of(pdf, tmp_path / "a.pdf")
    sheets = text.split("\f")[:-1]
    assert len(sheets) == pages > 20
    body = [line.strip() for page in sheets for line in page.splitlines()]
    assert "".join(line for line in body if line and not re.match("TRAINING mark|foot|Page ", line)) == "".join(urls)
    assert all("TRAINING mark" in page and "foot two" in page for page in sheets)
    assert [f"Page {number} of {pages}" in page for number, page in enumerate(sheets, 1)] == [True] * pages


def test_a_long_paragraph_breaks_at_spaces(tmp_path: Path) -> None:
    """No word is cut, and none is lost."""
    words = " ".join(f"word{number:03}" for number in range(200))
    text = words_of(render_pdf([DocumentLine(words)], paper())[0], tmp_path / "a.pdf")
    assert " ".join(" ".join(text.split("foot one")[0].split()).split()) == words


def test_no_lines_are_one_empty_page() -> None:
    """A PDF has a page."""
    assert render_pdf([], paper())[1] == 1


# --- the signature ---


def test_pdfsig_finds_it_valid_and_trusted(signed: bytes, database: NssDatabase) -> None:
    """Under the site's root, over the whole file."""
    found = database.pdfsig(signed)
    assert "Signature is Valid." in found
    assert "Certificate is Trusted." in found
    assert "Total document signed" in found
    assert "ETSI.CAdES.detached" in found


def test_pdfsig_trusts_no_other_root(signed: bytes, tmp_path: Path) -> None:
    """Valid, and of nobody that it knows."""
    found = NssDatabase(tmp_path, TestAuthority().authority.root_pem()).pdfsig(signed)
    assert "Signature is Valid." in found
    assert "Certificate is Trusted." not in found


async def _validate(signed: bytes, site: TestAuthority) -> tuple[bool, bool, object]:
    """As pyHanko's own validator judges it, without any look-up."""
    root = asn1_x509.Certificate.load(site.root.public_bytes(Encoding.DER))
    context = ValidationContext(trust_roots=[root], allow_fetching=False)
    embedded = PdfFileReader(io.BytesIO(signed)).embedded_signatures[0]
    status = await async_validate_pdf_signature(embedded, context, context)
    return status.bottom_line, status.trusted, status.timestamp_validity


def test_pyhanko_finds_it_trusted_with_its_time_stamp(signed: bytes, site: TestAuthority) -> None:
    """Its validator asks for contentCommitment, and judges the token."""
    good, trusted, stamp = asyncio.run(_validate(signed, site))
    assert (good, trusted, getattr(stamp, "valid", None)) == (True, True, True)


def test_our_judge_finds_it_good(signed: bytes, site: TestAuthority) -> None:
    """And says when it was stamped."""
    _, found = judge_declaration(signed, [site.root])
    assert found.root == site.root
    assert found.stamped == site.now.replace(microsecond=0)
    findings = examine(signed, PinnedTrust(None, [site.root]))
    assert (findings.kind, findings.good, [one.name for one in findings.checks]) == (
        "declaration",
        True,
        ["signature", "training"],
    )


def test_another_root_is_refused(signed: bytes) -> None:
    """By our judge too."""
    with pytest.raises(EvidenceRefused, match="leads to no root that you trust"):
        judge_declaration(signed, [TestAuthority().root])


def test_a_training_declaration_proves_nothing_to_production(signed: bytes, site: TestAuthority) -> None:
    """Where a root of production is pinned beside it."""
    other = make_root(TestAuthority().key, training=False, site="site.invalid", now=site.now)
    findings = examine(signed, PinnedTrust(None, [site.root, other]))
    assert [one.name for one in findings.checks if not one.good] == ["training"]


def flipped(data: bytes, places: range | list[int], seed: int, count: int) -> list[bytes]:
    """``count`` copies, each with one byte changed at a place that is drawn."""
    draw = random.Random(seed)
    copies = []
    for _ in range(count):
        copy = bytearray(data)
        copy[draw.choice(places)] ^= draw.randrange(1, 256)
        copies.append(bytes(copy))
    return copies


def place_of(signed: bytes) -> tuple[int, int]:
    """Where the signature begins and ends in the file."""
    found = re.search(rb"/ByteRange \[0 ([0-9]+) ([0-9]+) ", signed)
    assert found is not None
    return int(found[1]), int(found[2])


def missed(copies: list[bytes], site: TestAuthority) -> int:
    """How many of them our judge takes."""
    trust = PinnedTrust(None, [site.root])
    taken = 0
    for copy in copies:
        findings = Findings("declaration")
        findings.check("signature", judge_declaration, copy, trust.roots)
        taken += findings.good
    return taken


def test_no_flipped_byte_passes_our_judge(signed: bytes, site: TestAuthority) -> None:
    """Neither anywhere in the file, nor in the place of the signature, of which its digest says nothing."""
    first, second = place_of(signed)
    assert missed(flipped(signed, range(len(signed)), 7, 150), site) == 0
    assert missed(flipped(signed, range(first, second), 8, 150), site) == 0


def test_no_flipped_byte_that_is_signed_passes_pdfsig(signed: bytes, database: NssDatabase) -> None:
    """It calls none of them valid."""
    first, second = place_of(signed)
    covered = [*range(first), *range(second, len(signed))]
    assert sum("Signature is Valid." in database.pdfsig(copy) for copy in flipped(signed, covered, 9, 25)) == 0


@pytest.mark.campaign
def test_of_a_thousand_flipped_bytes_none_passes(signed: bytes, site: TestAuthority, database: NssDatabase) -> None:
    """Our judge: anywhere; pdfsig: anywhere but the place of the signature, which it pads and does not compare."""
    first, second = place_of(signed)
    covered = [*range(first), *range(second, len(signed))]
    assert missed(flipped(signed, range(len(signed)), 17, 1_000), site) == 0
    assert missed(flipped(signed, range(first, second), 18, 1_000), site) == 0
    assert sum("Signature is Valid." in database.pdfsig(copy) for copy in flipped(signed, covered, 19, 1_000)) == 0


@pytest.mark.parametrize(
    "more", [b"\n", b"%%EOF\n", b"\n/ByteRange [0 1 2 3]\n", b"\n1 0 obj\n<</Type/Catalog>>\nendobj\n"]
)
def test_nothing_may_be_appended(signed: bytes, site: TestAuthority, more: bytes) -> None:
    """A later revision is not covered."""
    with pytest.raises(EvidenceRefused):
        judge_declaration(signed + more, [site.root])


def test_the_place_of_the_signature_has_one_form(signed: bytes, site: TestAuthority) -> None:
    """Small digits say the same number and are refused; so is anything in the padding."""
    first, second = place_of(signed)
    small = signed[:first] + signed[first:second].lower() + signed[second:]
    padded = bytearray(signed)
    padded[second - 2] = ord("1")
    for copy in (small, bytes(padded)):
        with pytest.raises(EvidenceRefused, match="holds more than the signature"):
            judge_declaration(copy, [site.root])


@given(st.binary(max_size=400), st.booleans())
def test_bytes_that_are_no_declaration_are_refused(data: bytes, headed: bool) -> None:
    """With a reason, never with another error."""
    with pytest.raises(EvidenceRefused):
        judge_declaration(b"%PDF-" + data if headed else data, [])


@given(st.binary(min_size=1, max_size=300))
def test_a_place_of_other_bytes_is_refused(raw: bytes) -> None:
    """Whatever stands where the signature should."""
    place = b"<" + raw.hex().upper().encode() + b">"
    head = b"%PDF-1.3\n"
    frame = b"/ByteRange [0 %d %d %d]"
    line = frame % (99, 99 + len(place), 5)
    body = (head + line).ljust(99, b" ") + place + b"%%EOF"
    with pytest.raises(EvidenceRefused):
        judge_declaration(body, [])


def test_signing_reaches_for_no_network(site: TestAuthority, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library could fetch time stamps and revocation lists: it connects to nobody and asks for no name."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was reached for")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    pdf = render_pdf([DocumentLine("x")], paper())[0]
    judge_declaration(site.signer.sign_pdf(pdf, site.now), [site.root])


def test_a_time_outside_the_certificates_signs_nothing(site: TestAuthority) -> None:
    """The clock is wrong: nobody would take the stamp."""
    pdf = render_pdf([DocumentLine("x")], paper())[0]
    with pytest.raises(StampError):
        site.signer.sign_pdf(pdf, site.now - timedelta(days=1))


def test_a_signature_outside_the_certificates_term_is_refused(site: TestAuthority) -> None:
    """The time stamp says when; here the root begins later."""
    key = ec.generate_private_key(ec.SECP256R1())
    late = make_root(key, training=True, site="training.invalid", now=site.now + timedelta(days=2))
    authority = SiteAuthority(Root(late, key), training=True, clock=lambda: site.now)
    other = TestAuthority()
    certificate = authority.declaration_signer(other.key.public_key()).certificate
    signer = DeclarationSigner(other.key, [certificate, late], other.stamps)
    pdf = signer.sign_pdf(render_pdf([DocumentLine("x")], paper())[0], other.now)
    with pytest.raises(EvidenceRefused, match="outside the certificate's term"):
        judge_declaration(pdf, [late, other.root])


# --- notices ---


def test_a_notice_is_signed_by_the_same_key(site: TestAuthority) -> None:
    """A compact JWS whose payload is the notice."""
    jws = site.signer.sign_notice(b'{"v":1}')
    _, (payload, found) = judge_notice(jws.encode(), [site.root])
    assert (payload, found.signer) == (b'{"v":1}', site.certificate)


def test_no_flipped_byte_of_a_notice_passes(site: TestAuthority) -> None:
    """Nor any other sign in its place."""
    jws = site.signer.sign_notice(b'{"kind":"takedown","training":true,"v":1}').encode()
    for copy in flipped(jws, range(len(jws)), 11, 400):
        with pytest.raises((EvidenceRefused, ValueError)):
            judge_notice(copy, [site.root])


@given(st.text(max_size=300))
def test_texts_that_are_no_notice_are_refused(text: str) -> None:
    """With a reason."""
    with pytest.raises(EvidenceRefused):
        judge_notice(text.encode(errors="replace"), [])
