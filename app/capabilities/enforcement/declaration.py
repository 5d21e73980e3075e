"""The declaration as a PDF, and the site's signature over it and over notices (``README.md``, sections 3 and 4).

The same lines at the same time give the same bytes. A character that the font cannot show, or that nobody could see,
is printed by its number (``U+202E``): the exact text stands in ``notice.json``.
"""

from __future__ import annotations

import base64
import threading
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from app.ledger.stamps.timestamp import StampAuthority
from app.pki.authority import SiteAuthority
from app.pki.site_certificates import ensure_site_certificate
from app.store.engine import Store
from app.store.keys import Keys

if TYPE_CHECKING:
    from app.capabilities.enforcement.pades import PadesSigner

CERTIFICATE: Final = "declaration"
"""Name of the key (P-256) and of its certificate, for life. The ledger never signs with it."""
NOTICE_TYPE: Final = "arc-notice+jws"
"""``typ`` of a signed notice: nothing else that the site signs can pass for one."""
TRAINING_MARK: Final = "TRAINING - this declaration is an exercise and demands nothing of anybody."
DRAFT_MARK: Final = "DRAFT - not signed, not issued."

_LEFT, _TOP, _BOTTOM, _WIDTH = 18.0, 22.0, 272.0, 174.0
_SIZE: Final = 9.0
_LINE: Final = 4.6
_FOOT: Final = 280.0
_LETTERS: Final = 91
"""Of a line: the font gives every letter 0.6 of its size."""
_LINES: Final = int((_BOTTOM - _TOP) / _LINE)


@dataclass(frozen=True)
class DocumentLine:
    """One line of a document as its text has it; the page may break it. ``heading``: it stands over what follows."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class Sheet:
    """What a declaration prints beside its lines: ``at`` is its date, ``foot`` stands below each page, ``marks`` above
    it. ``title`` is the document's own."""

    title: str
    at: datetime
    foot: Sequence[str]
    marks: Sequence[str] = ()


def render_pdf(lines: Sequence[DocumentLine], sheet: Sheet) -> tuple[bytes, int]:
    """The PDF (A4), and how many pages it has. Some 100 ms of CPU; takes any text."""
    # Imported here: the PDF library would cost every start a quarter of a second.
    from app.delivery.paper import FONT, letters_of
    from app.delivery.paper import sheet as new_sheet

    page = new_sheet(sheet.title, sheet.at)
    known = letters_of(page)
    printed = [one for line in lines for one in _break_line(line, known)]
    pages = max(1, -(-len(printed) // _LINES))
    for number in range(pages):
        page.add_page()
        page.set_font(FONT, "B", 9)
        for row, mark in enumerate(sheet.marks):
            page.set_xy(_LEFT, 9 + row * 4.5)
            page.cell(_WIDTH, 4, mark)
        for row, line in enumerate(printed[number * _LINES : (number + 1) * _LINES]):
            page.set_font(FONT, "B" if line.heading else "", _SIZE)
            page.set_xy(_LEFT, _TOP + row * _LINE)
            page.cell(_WIDTH, _LINE, line.text)
        page.set_font(FONT, "", 6.5)
        for row, words in enumerate([*sheet.foot, f"Page {number + 1} of {pages}"]):
            page.set_xy(_LEFT, _FOOT + row * 3.2)
            page.cell(_WIDTH, 3, words)
    return bytes(page.output()), pages


def show(text: str, known: Set[int]) -> str:
    """``text`` with each character that is not among ``known``, or that nobody could see, by its number."""
    return "".join(
        letter
        if letter == " " or (ord(letter) in known and unicodedata.category(letter)[0] not in "CZ")
        else f"U+{ord(letter):04X}"
        for letter in unicodedata.normalize("NFC", text)
    )


def _break_line(line: DocumentLine, known: Set[int]) -> Iterator[DocumentLine]:
    """The line as the page has it: broken at spaces, and within a word that is longer than a line."""
    rest = show(line.text.replace("\t", " "), known)
    while len(rest) > _LETTERS:
        cut = rest.rfind(" ", 1, _LETTERS + 1)
        cut = cut if cut > _LETTERS // 2 else _LETTERS
        yield DocumentLine(rest[:cut].rstrip(" "), line.heading)
        rest = rest[cut:].lstrip(" ")
    yield DocumentLine(rest, line.heading)


class DeclarationSigner:
    """The site's key for declarations and notices. Safe on any thread; signatures of documents wait for each other."""

    def __init__(
        self, key: ec.EllipticCurvePrivateKey, chain: Sequence[x509.Certificate], stamps: StampAuthority
    ) -> None:
        """``chain``: the certificate of ``key``, then the site's root."""
        self._key = key
        self.chain = tuple(chain)
        self._stamps = stamps
        self._lock = threading.Lock()
        self._pades: PadesSigner | None = None

    @classmethod
    def open(cls, store: Store, keys: Keys, authority: SiteAuthority, stamps: StampAuthority) -> DeclarationSigner:
        """The site's signer; its certificate is issued at the first start with a key. Blocks on the disk."""
        key = keys.p256(CERTIFICATE)
        public = key.public_key()
        certificate = ensure_site_certificate(store, CERTIFICATE, public, lambda: authority.declaration_signer(public))
        return cls(key, [certificate, authority.root.certificate], stamps)

    def sign_pdf(self, pdf: bytes, at: datetime) -> bytes:
        """``pdf`` with a PAdES B-T signature, stamped at ``at``. Some 15 ms of CPU; the first call loads the library,
        which takes seconds. ``StampError`` for a time at which the site's certificates are not valid."""
        with self._lock:
            if self._pades is None:
                from app.capabilities.enforcement.pades import PadesSigner

                self._pades = PadesSigner(self._key, self.chain, self._stamps)
            return self._pades.sign(pdf, at.astimezone(UTC))

    def sign_notice(self, notice: bytes) -> str:
        """``notice`` (its bytes are the payload) as a compact JWS (RFC 7515, 7.1): ES256, ``x5c`` leads to the root."""
        from joserfc import jws
        from joserfc.jwk import ECKey

        x5c = [base64.b64encode(one.public_bytes(Encoding.DER)).decode() for one in self.chain]
        header = {"alg": "ES256", "typ": NOTICE_TYPE, "x5c": x5c}
        return jws.serialize_compact(header, notice, ECKey.import_key(self._key))
