"""Law files: what the law of a jurisdiction asks of a notice, with sources and a date. Engineering data, no legal
advice.

A law is a folder ``<CODE>/`` with ``law.toml`` and the texts ``declaration.<lang>.txt`` and ``takedown.<lang>.txt``.
The program ships ``resources/notices``; a folder of the same name in the site's own directory stands in its place as a
whole. The loader refuses a law that is not in force, an element that no text says, and a placeholder that no field of
a strike supplies (``README.md``, section 1). A law that is refused is not used: a call for it is told why.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import msgspec

from app.api.problems import Problem, invalid_field
from app.capabilities.enforcement.messages import Jurisdiction, LawElement, LawUsed, NoticeKind, WatchedBill

SHIPPED: Final = Path(__file__).parents[3] / "resources" / "notices"
OWN: Final = "notices"
"""The site's own law files, in its data directory."""
LAW: Final = "law.toml"
WATCH: Final = "watch.toml"
REVIEW: Final = timedelta(days=180)
"""A law file is reviewed at most so long after its date."""
NOT_VERIFIED: Final = "not verified"
FILE_LIMIT: Final = 65_536
"""Bytes of the longest file of a law."""
KINDS: Final[tuple[NoticeKind, ...]] = ("declaration", "takedown")
FIRST_LANGUAGE: Final = "en"
"""Every law has its texts in this one."""

_TEXT: Final = re.compile(r"(declaration|takedown)\.([a-z]{2})\.txt")
_DAY: Final = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"

Day = Annotated[str, msgspec.Meta(pattern=rf"^{_DAY}\Z")]
Hours = Annotated[int, msgspec.Meta(ge=1, le=8760)]
Code = Annotated[str, msgspec.Meta(pattern=r"^[A-Z][A-Z0-9-]{1,15}\Z")]


@dataclass(frozen=True)
class PlaceholderSource:
    """Where the value of a placeholder comes from: the field at ``pointer``, empty where the service has it by itself.
    ``detail``: what to supply, a sentence."""

    pointer: str
    detail: str


SOURCES: Final[Mapping[str, PlaceholderSource]] = {
    "declarant_name": PlaceholderSource("/declarant/name", "Name the person who declares."),
    "declarant_capacity": PlaceholderSource(
        "/declarant/capacity", "Say in which capacity the declarant acts: the person shown, their agent, the owner."
    ),
    "declarant_contact": PlaceholderSource(
        "/declarant/email", "Give an e-mail address, a postal address or a telephone number of the declarant."
    ),
    "declarant_email": PlaceholderSource("/declarant/email", "Give an e-mail address of the declarant."),
    "attestation": PlaceholderSource(
        "/declarant/attested", "The declarant reads the attestation of this law and attests it."
    ),
    "content_urls": PlaceholderSource("/content_urls", "Give the exact URLs of the content."),
    "statement": PlaceholderSource("/statement", "State in your own words what the content is and why it is unlawful."),
    "work_title": PlaceholderSource("/work/title", "Name the copyrighted work."),
    "work_owner": PlaceholderSource("/work/owner", "Name the owner of the copyright."),
    "nature": PlaceholderSource(
        "/nature", "Say which nature the content has: nudity, impersonation, morphed or other."
    ),
    # The service has these by itself, or prints that there is none.
    "work_details": PlaceholderSource("", ""),
    "reference": PlaceholderSource("", ""),
    "evidence": PlaceholderSource("", ""),
    "authority": PlaceholderSource("", ""),
    "recipients": PlaceholderSource("", ""),
    "tracking": PlaceholderSource("", ""),
    "date": PlaceholderSource("", ""),
    "state": PlaceholderSource("", ""),
}
"""Every placeholder that a text may have."""


class LawRefused(ValueError):
    """A law file that is not used; a sentence for people that names it."""


class ElementFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename={"placeholders": "from"}):
    """One element that the law asks for. ``placeholders``: which values say it, every one of them in every text of
    ``kinds``."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z_]{0,31}\Z")]
    label: str
    basis: str
    placeholders: Annotated[list[str], msgspec.Meta(min_length=1)]
    kinds: Annotated[list[NoticeKind], msgspec.Meta(min_length=1)]


class DeadlineFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The clock from ``sent``: hours by the nature of the content (``""``: every other), none where the law has none.
    ``goal_hours`` are no duty."""

    hours: dict[Annotated[str, msgspec.Meta(pattern=r"^(|nudity|impersonation|morphed|other)\Z")], Hours] = {}
    basis: str | None = None
    goal_hours: Hours | None = None

    def hours_for(self, nature: str | None) -> int | None:
        """Hours for content of this nature; None where the law has none."""
        return self.hours.get(nature or "", self.hours.get(""))


class CounterFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """After a counter-notice the platform puts the content back between these business days."""

    first_day: Annotated[int, msgspec.Meta(ge=1, le=365)]
    last_day: Annotated[int, msgspec.Meta(ge=1, le=365)]
    basis: str


class LawFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``law.toml``. ``in_force_from``: a day, or ``not verified``. ``reviewed_by``, ``reviewed_on``: who signed the
    file off for this site."""

    code: Code
    title: str
    status: str
    in_force_from: Annotated[str, msgspec.Meta(pattern=rf"^({_DAY}|{NOT_VERIFIED})\Z")]
    as_of: Day
    review_due: Day
    recipient: str
    sources: Annotated[list[str], msgspec.Meta(min_length=1)]
    attestation: dict[str, str]
    elements: Annotated[list[ElementFile], msgspec.Meta(min_length=1)]
    aliases: list[Code] = []
    member_states: list[Code] = []
    reviewed_by: Annotated[str, msgspec.Meta(min_length=2, max_length=200)] | None = None
    reviewed_on: Day | None = None
    copyright_only: bool = False
    follow_up_hours: Hours = 72
    deadline: DeadlineFile = msgspec.field(default_factory=DeadlineFile)
    counter: CounterFile | None = None
    warnings: list[str] = []


class BillFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One entry of ``watch.toml``. ``names``: words by which a text would cite it."""

    code: Code
    title: str
    names: Annotated[list[str], msgspec.Meta(min_length=1)]
    note: str
    as_of: str
    aliases: list[Code] = []


class WatchFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``watch.toml``: what is no law."""

    bills: list[BillFile]


@dataclass(frozen=True)
class Law:
    """A law file that may be used. ``files``: the folder as it was read; ``sha256``: of the folder; ``shipped``: the
    folder that the program ships, where the site's own stands in its place."""

    file: LawFile
    files: Mapping[str, bytes]
    sha256: str
    shipped: Mapping[str, bytes] | None = None

    @property
    def code(self) -> str:
        """``US-NCII``."""
        return self.file.code

    @property
    def languages(self) -> list[str]:
        """Those in which both texts are there, ``en`` first."""
        found = {match[2] for name in self.files if (match := _TEXT.fullmatch(name))}
        return sorted(found, key=lambda language: (language != FIRST_LANGUAGE, language))

    def text(self, kind: NoticeKind, language: str) -> str:
        """The text with its placeholders; KeyError for a language that the law does not have."""
        return self.files[f"{kind}.{language}.txt"].decode()

    def elements(self, kind: NoticeKind) -> list[ElementFile]:
        """What the law asks of documents of this kind."""
        return [element for element in self.file.elements if kind in element.kinds]

    def is_signed_off(self, today: date) -> bool:
        """Whether a named person's sign-off holds on this day."""
        file = self.file
        if file.reviewed_by is None or file.reviewed_on is None:
            return False
        return date.fromisoformat(file.as_of) <= date.fromisoformat(file.reviewed_on) <= today and not self.is_past(
            today
        )

    def is_past(self, today: date) -> bool:
        """Whether the file's review is due."""
        return today >= date.fromisoformat(self.file.review_due)

    def law_used(self, state: str | None, today: date) -> LawUsed:
        """As a strike names it. ``state``: the member state that was asked for."""
        file = self.file
        return LawUsed(
            code=file.code,
            title=file.title,
            as_of=file.as_of,
            review_due=file.review_due,
            reviewed_by=file.reviewed_by,
            signed_off=self.is_signed_off(today),
            sha256=self.sha256,
            state=state,
        )

    def message(self, today: date) -> Jurisdiction:
        """As the list of jurisdictions has it."""
        file = self.file
        return Jurisdiction(
            code=file.code,
            title=file.title,
            aliases=[*file.aliases, *file.member_states],
            languages=self.languages,
            in_force_from=file.in_force_from,
            as_of=file.as_of,
            review_due=file.review_due,
            past_review=self.is_past(today),
            reviewed_by=file.reviewed_by,
            reviewed_on=file.reviewed_on,
            signed_off=self.is_signed_off(today),
            sources=file.sources,
            recipient=file.recipient,
            elements=[
                LawElement(
                    id=element.id,
                    label=element.label,
                    basis=element.basis,
                    pointers=[SOURCES[name].pointer for name in element.placeholders],
                    kinds=element.kinds,
                )
                for element in file.elements
            ],
            attestation=file.attestation[FIRST_LANGUAGE],
            hours=dict(file.deadline.hours),
            deadline_basis=file.deadline.basis,
            goal_hours=file.deadline.goal_hours,
            follow_up_hours=file.follow_up_hours,
            copyright_only=file.copyright_only,
            warnings=file.warnings,
            sha256=self.sha256,
            overridden=self.shipped is not None,
            difference="" if self.shipped is None else difference_of(self.shipped, self.files),
        )


@dataclass(frozen=True)
class LawBook:
    """All laws by code, what is watched, and why some were refused (sentence by code)."""

    laws: Mapping[str, Law]
    bills: Sequence[BillFile]
    refused: Mapping[str, str] = field(default_factory=dict)

    def find(self, asked: str) -> tuple[Law, str | None]:
        """The law that a caller's ``enforcement_jurisdiction`` means, and the member state where it names one. 422 for
        a bill and for an unknown code, 503 for a law whose file was refused."""
        code = asked.upper().replace("_", "-")
        law, state = self._look_up(code)
        if law is not None:
            return law, state
        if code in self.refused:
            why = f"The law file {code} is not used: {self.refused[code]}"
            raise Problem("dependency_unavailable", why, headers={"Retry-After": "3600"})
        for bill in self.bills:
            if code in (bill.code, *bill.aliases):
                raise invalid_field(
                    "/enforcement_jurisdiction",
                    f"{code} is a bill, not law ({bill.title}): {bill.note} {self._known_codes()}",
                )
        raise invalid_field("/enforcement_jurisdiction", f"There is no law file {code}. {self._known_codes()}")

    def _look_up(self, code: str) -> tuple[Law | None, str | None]:
        """By code, alias or member state, in this order."""
        if code in self.laws:
            return self.laws[code], None
        for law in self.laws.values():
            if code in law.file.aliases:
                return law, None
            if code in law.file.member_states:
                return law, code
        return None, None

    def _known_codes(self) -> str:
        return f"Use one of: {', '.join(sorted(self.laws))}."

    def watch_list(self) -> list[WatchedBill]:
        """The watch list for people."""
        return [WatchedBill(code=one.code, title=one.title, note=one.note, as_of=one.as_of) for one in self.bills]


class LawShelf:
    """The laws of a site, read again when a file of them has changed. Any thread that may block."""

    def __init__(self, own: Path | None, *, shipped: Path = SHIPPED) -> None:
        """``own``: the site's own directory of law files, which need not exist."""
        self._folders = [shipped] if own is None else [shipped, own]
        self._read: tuple[tuple[object, ...], LawBook] | None = None

    def book(self) -> LawBook:
        """The laws as their files are now."""
        stamp = (today(), *self._stamp())
        if self._read is None or self._read[0] != stamp:
            own = self._folders[1] if len(self._folders) > 1 else None
            self._read = stamp, load_laws(self._folders[0], own)
        return self._read[1]

    def _stamp(self) -> Iterable[object]:
        for folder in self._folders:
            for path in sorted(folder.glob("*/*")) if folder.is_dir() else ():
                about = path.stat()
                yield (str(path), about.st_mtime_ns, about.st_size, about.st_ino)


def today() -> date:
    """The day in UTC."""
    return datetime.now(UTC).date()


def load_laws(shipped: Path, own: Path | None = None) -> LawBook:
    """The laws of ``shipped``, each replaced as a whole by a folder of its name in ``own``. A law that cannot be used
    is among ``refused``. OSError or ``LawRefused`` where the watch list cannot be read."""
    bills = _read_watch(shipped / WATCH).bills
    folders = {path.name: path for path in shipped.iterdir() if path.is_dir()}
    theirs = {path.name: path for path in own.iterdir() if path.is_dir()} if own is not None and own.is_dir() else {}
    laws: dict[str, Law] = {}
    refused: dict[str, str] = {}
    known = {code for bill in bills for code in (bill.code, *bill.aliases)}
    # The site's own come last: one of them that takes a code of the program's is refused, never the program's.
    for code in [*sorted(folders.keys() - theirs.keys()), *sorted(theirs)]:
        try:
            under = read_folder(folders[code]) if code in folders else {}
            law = load_law(code, read_folder(theirs[code]), shipped=under) if code in theirs else load_law(code, under)
            codes = [code, *law.file.aliases, *law.file.member_states]
            if twice := sorted(one for one in codes if one in known or codes.count(one) > 1):
                raise LawRefused(f"Its codes mean something else already: {', '.join(twice)}.")
        except (LawRefused, OSError) as error:
            refused[code] = str(error)
        else:
            known.update(codes)
            laws[code] = law
    return LawBook(laws, bills, refused)


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a law by name. ``LawRefused`` for what does not belong there."""
    files: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        if path.name != LAW and _TEXT.fullmatch(path.name) is None:
            raise LawRefused(f"{path.name} does not belong into a law's folder.")
        if path.stat().st_size > FILE_LIMIT:
            raise LawRefused(f"{path.name} is longer than {FILE_LIMIT} bytes.")
        files[path.name] = path.read_bytes()
    return files


def folder_sha256(files: Mapping[str, bytes]) -> str:
    """What pins a law's folder: hexadecimal SHA-256 of one line ``<sha256> <name>`` for each file, by name, each ended
    by a line feed."""
    lines = "".join(f"{hashlib.sha256(data).hexdigest()} {name}\n" for name, data in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def load_law(code: str, files: Mapping[str, bytes], *, shipped: Mapping[str, bytes] | None = None) -> Law:
    """The law of a folder; ``LawRefused`` with everything that section 1 of ``README.md`` demands and it lacks."""
    if LAW not in files:
        raise LawRefused(f"There is no {LAW}.")
    try:
        file = msgspec.toml.decode(files[LAW], type=LawFile)
        days = [file.as_of, file.review_due, *(day for day in (file.reviewed_on,) if day is not None)]
        as_of, due, *_ = (date.fromisoformat(day) for day in days)
        since = None if file.in_force_from == NOT_VERIFIED else date.fromisoformat(file.in_force_from)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LawRefused(f"{LAW} cannot be read: {error}.") from error
    if file.code != code:
        raise LawRefused(f"{LAW} is of {file.code}, and its folder of {code}.")
    if file.status != "in_force":
        raise LawRefused(f"Its status is {file.status}: only a law in force is cited.")
    if since is not None and since > today():
        raise LawRefused(f"It is in force from {since} on, not yet.")
    if due - as_of > REVIEW:
        raise LawRefused(f"Its review is due more than {REVIEW.days} days after its date.")
    if (file.reviewed_by is None) is not (file.reviewed_on is None):
        raise LawRefused("A sign-off has both: reviewed_by and reviewed_on.")
    law = Law(file, dict(files), folder_sha256(files), shipped)
    _check_texts(law)
    return law


def _check_texts(law: Law) -> None:
    """Every element is said in every text of its kinds, every placeholder has a source, every language is whole."""
    names = [element.id for element in law.file.elements]
    if len(set(names)) != len(names):
        raise LawRefused("Two elements have one id.")
    if FIRST_LANGUAGE not in law.languages:
        raise LawRefused(f"Its texts are not there in {FIRST_LANGUAGE}.")
    for element in law.file.elements:
        for name in element.placeholders:
            if name not in SOURCES or not SOURCES[name].pointer:
                raise LawRefused(f"The element {element.id} is from {name}, which no field supplies.")
    for language in law.languages:
        if not law.file.attestation.get(language, "").strip():
            raise LawRefused(f"There is no attestation in {language}.")
        for kind in KINDS:
            if f"{kind}.{language}.txt" not in law.files:
                raise LawRefused(f"{kind}.{language}.txt is missing.")
            _check_text(law, kind, language)


def _check_text(law: Law, kind: NoticeKind, language: str) -> None:
    """One text: its placeholders have sources, and it says every element of its kind."""
    name = f"{kind}.{language}.txt"
    try:
        template = string.Template(law.text(kind, language))
    except UnicodeDecodeError:
        raise LawRefused(f"{name} is not UTF-8.") from None
    if not template.is_valid():
        raise LawRefused(f"{name} has a $ that begins no placeholder; write $$ for the sign.")
    there = set(template.get_identifiers())
    for unknown in sorted(there - SOURCES.keys()):
        raise LawRefused(f"{name} has the placeholder {unknown}, which nothing supplies.")
    for element in law.elements(kind):
        for placeholder in element.placeholders:
            if placeholder not in there:
                raise LawRefused(f"{name} does not say the element {element.id}: ${placeholder} is missing.")
    if not law.elements(kind):
        raise LawRefused(f"No element is asked of a {kind}.")


def _read_watch(path: Path) -> WatchFile:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=WatchFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LawRefused(f"{path.name} cannot be read: {error}.") from error


def difference_of(shipped: Mapping[str, bytes], own: Mapping[str, bytes]) -> str:
    """A unified diff from the shipped files of a law to the site's own."""
    lines: list[str] = []
    for name in sorted({*shipped, *own}):
        before, after = (
            files.get(name, b"").decode(errors="replace").splitlines(keepends=True) for files in (shipped, own)
        )
        lines += difflib.unified_diff(before, after, f"shipped/{name}", f"site/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
