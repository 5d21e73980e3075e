"""Licences of all that ships: the gate, the texts, and the list that the console shows.

    python packaging/notices.py check             the gate: exit 1 with a line for each fault
    python packaging/notices.py list [FILE]       writes resources/licences.json, which is checked in, or a bundle's own
    python packaging/notices.py write DIR         the gate, then every text into the new directory DIR, with NOTICE.txt

What ships is ``requirements.lock``; what is known of it is the metadata of the environment that runs this, which was
installed from that lock; what metadata leaves open was decided in ``licences/reviewed.toml``. A licence that is neither
permissive nor weak copyleft by that file fails the gate, with the part's name, unless the file gives a reason for it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "packaging" / "requirements.lock"
REVIEWED: Final = ROOT / "packaging" / "licences" / "reviewed.toml"
LIST: Final = ROOT / "resources" / "licences.json"
DEBIAN: Final = Path("/usr/share/doc")

_PINNED: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
_TEXT_NAME: Final = re.compile(r"licen[cs]e|copying|notice|authors|third.?party", re.IGNORECASE)
_TOKEN: Final = re.compile(r"\(|\)|[^\s()]+")

Kind = Literal["permissive", "weak copyleft", "strong copyleft", "unknown"]
_WORST: Final[Sequence[Kind]] = ("permissive", "weak copyleft", "strong copyleft", "unknown")


@dataclass(frozen=True)
class Licensed:
    """Something that ships. ``package``: the distribution that it is, or that it is in; ``texts``: its licence files;
    ``reason``: why it may ship though its licence alone would keep it out."""

    name: str
    version: str
    licence: str
    package: str | None = None
    texts: tuple[Path, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Fault:
    """Why the gate is closed. ``name``: of the part."""

    name: str
    sentence: str


class Review:
    """``reviewed.toml``."""

    def __init__(self, path: Path = REVIEWED) -> None:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        self._kinds: dict[str, Kind] = {
            **dict.fromkeys(found["permissive"], "permissive"),
            **dict.fromkeys(found["weak_copyleft"], "weak copyleft"),
        }
        self._exceptions = frozenset(found["exceptions"])
        self.names: Mapping[str, str] = found["names"]
        self.packages: Mapping[str, Mapping[str, Any]] = found["packages"]
        self.within: Sequence[Mapping[str, str]] = found["within"]
        self.shipped: Sequence[Mapping[str, str]] = found["shipped"]
        self.bundled: Sequence[Mapping[str, str]] = found["bundled"]
        self.texts = path.parent / "texts"

    def kind(self, licence: str) -> Kind:
        """What an SPDX expression comes to: of parts joined by AND the worst, of alternatives the best."""
        try:
            tokens = _TOKEN.findall(canonicalize_license_expression(licence))
        except InvalidLicenseExpression:
            return "unknown"
        kind, rest = self._alternatives(tokens)
        return "unknown" if rest else kind

    def _alternatives(self, tokens: list[str]) -> tuple[Kind, list[str]]:
        """The kind of parts joined by OR at the front of ``tokens``, and what follows them."""
        kind, rest = self._all(tokens)
        while rest[:1] == ["OR"]:
            other, rest = self._all(rest[1:])
            kind = min(kind, other, key=_WORST.index)
        return kind, rest

    def _all(self, tokens: list[str]) -> tuple[Kind, list[str]]:
        """The same of parts joined by AND."""
        kind, rest = self._one(tokens)
        while rest[:1] == ["AND"]:
            other, rest = self._one(rest[1:])
            kind = max(kind, other, key=_WORST.index)
        return kind, rest

    def _one(self, tokens: list[str]) -> tuple[Kind, list[str]]:
        """The same of one licence, with its exception, or of what stands in parentheses."""
        first, *rest = tokens
        if first == "(":
            kind, rest = self._alternatives(rest)
            return kind, rest[1:]
        if rest[:1] == ["WITH"]:
            exception, rest = rest[1], rest[2:]
            if exception in self._exceptions:
                return "permissive", rest
        if first in self._kinds:
            return self._kinds[first], rest
        return ("strong copyleft" if first.startswith(("GPL-", "AGPL-")) else "unknown"), rest


def locked(text: str) -> dict[str, str]:
    """Names, as the index spells them, and versions of what a lock pins."""
    return {canonicalize_name(name): version for name, version in _PINNED.findall(text)}


def installed(lock: Mapping[str, str]) -> Iterator[tuple[str, metadata.Distribution]]:
    """The distributions of the lock. ``LookupError`` for one that is not there in the version that is locked: what is
    said of another says nothing of what ships."""
    for name, version in lock.items():
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise LookupError(f"{name} is not installed: run packaging/setup.sh's environment") from None
        if found.version != version:
            raise LookupError(f"{name} is {found.version} here, and {version} in the lock")
        yield name, found


def licence_of(found: metadata.Distribution, name: str, review: Review) -> str:
    """The SPDX expression of a distribution: as decided, or as its metadata says; empty where neither says one."""
    decided = review.packages.get(name, {}).get("licence")
    if decided is not None:
        return str(decided)
    about = found.metadata
    said = [about.get("License-Expression"), about.get("License")]
    classifiers = [text for text in about.get_all("Classifier") or () if text.startswith("License ::")]
    said += [text.rsplit(" :: ", 1)[-1] for text in reversed(classifiers)]
    for text in said:
        if not text:
            continue
        text = review.names.get(text, text)
        try:
            return canonicalize_license_expression(text)
        except InvalidLicenseExpression:
            continue
    return ""


def texts_of(found: metadata.Distribution, name: str, review: Review) -> tuple[Path, ...]:
    """The files with the licence of a distribution: its own, or those that were put down for it."""
    own = [
        Path(str(found.locate_file(file)))
        for file in found.files or ()
        if ("licenses" in file.parts or _TEXT_NAME.search(file.name)) and file.suffix not in (".py", ".pyc", ".so")
    ]
    given = [review.texts / text for text in review.packages.get(name, {}).get("texts", ())]
    return tuple(sorted(path for path in own if path.is_file())) + tuple(given)


def holds(found: metadata.Distribution, beginning: str) -> bool:
    """Whether a file of a distribution, as it is installed here, has a name that begins so."""
    return any(file.name.startswith(beginning) for file in found.files or ())


def parts(review: Review, lock: Mapping[str, str]) -> list[Licensed]:
    """All that ships, packages first, each with what is inside it under other terms."""
    found = []
    for name, distribution in installed(lock):
        licence = licence_of(distribution, name, review)
        title = distribution.metadata["Name"]
        found.append(Licensed(title, distribution.version, licence, name, texts_of(distribution, name, review)))
        found += [
            Licensed(one["name"], "", one["licence"], name, (), one.get("reason"))
            for one in review.within
            if one["package"] == name and holds(distribution, one.get("file", ""))
        ]
    found += [Licensed(one["name"], "", one["licence"], None, (ROOT / one["text"],)) for one in review.shipped]
    return found


def bundled(review: Review) -> list[Licensed]:
    """What a bundle holds beside: what was built for it, and parts of Debian packages of this machine."""
    return [
        Licensed(one["name"], one.get("version", ""), one["licence"], None, (_text_of_bundled(one),), one.get("reason"))
        for one in review.bundled
    ]


def _text_of_bundled(one: Mapping[str, str]) -> Path:
    return ROOT / one["text"] if "text" in one else DEBIAN / one["debian"] / "copyright"


def faults(found: Sequence[Licensed], review: Review) -> list[Fault]:
    """Why the gate is closed: an unknown licence, strong copyleft without a reason, a part without its text, and a
    decision about what does not ship."""
    closed = []
    for part in found:
        kind = review.kind(part.licence)
        inside = part.package is not None and not part.version
        name = f"{part.name} (in {part.package})" if inside else part.name
        if kind in ("unknown", "strong copyleft") and part.reason is None:
            said = part.licence or "none that its metadata names"
            closed.append(Fault(part.package or part.name, f"{name}: {kind} licence: {said}"))
        if not inside and not part.texts:
            closed.append(Fault(part.package or part.name, f"{name}: no licence text"))
        closed += [Fault(part.name, f"{name}: there is no {path}") for path in part.texts if not path.is_file()]
    names = {part.package for part in found}
    decided = [*review.packages, *(one["package"] for one in review.within)]
    closed += [Fault(name, f"{name}: decided about, and not in the lock") for name in decided if name not in names]
    return closed


def encode_list(found: Sequence[Licensed]) -> bytes:
    """``resources/licences.json``: what the console shows; ``text`` is a file of ``resources/``."""
    rows = [
        {
            "name": part.name,
            "version": part.version,
            "licence": part.licence,
            "within": part.package if part.package is not None and not part.version else None,
            "text": str(part.texts[0].relative_to(LIST.parent)) if part.package is None else None,
        }
        for part in sorted(found, key=lambda part: (part.package is not None, (part.package or part.name).lower()))
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n"


def collect(found: Sequence[Licensed], out: Path, review: Review) -> None:
    """Every text into the new directory ``out``, one folder a part, and ``NOTICE.txt`` over all of them."""
    out.mkdir(parents=True)
    lines = [
        "Parts of this program that others made, and their licences. The texts lie in the folders beside this file.",
        "Of parts marked (replaceable) the files lie apart, unchanged, and may be replaced by versions of your own.",
        "",
    ]
    for part in sorted(found, key=lambda part: (part.package or part.name).lower()):
        mark = "  (replaceable)" if review.kind(part.licence) == "weak copyleft" else ""
        inside = f"  in {part.package}" if part.package is not None and not part.version else ""
        lines.append(f"{part.name} {part.version}".strip() + f"{inside}: {part.licence}{mark}")
        if part.reason is not None:
            lines.append(f"    {part.reason}")
        if part.texts:
            _copy(part, out / re.sub(r"[^A-Za-z0-9.]+", "-", f"{part.name} {part.version}".strip()))
    (out / "NOTICE.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _copy(part: Licensed, folder: Path) -> None:
    """The texts of one part; two of one name in one package are told apart by a number."""
    folder.mkdir()
    for path in part.texts:
        name, number = path.name, 2
        while (folder / name).exists():
            name, number = f"{path.stem}-{number}{path.suffix}", number + 1
        shutil.copyfile(path, folder / name)


def main(arguments: Sequence[str] | None = None) -> int:
    """One of ``check``, ``list`` and ``write``; the exit code."""
    parser = argparse.ArgumentParser(description="licences of all that ships")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="the gate")
    listing = commands.add_parser("list", help="write the list that the console shows")
    listing.add_argument("file", type=Path, nargs="?", default=LIST)
    write = commands.add_parser("write", help="the gate, then all texts")
    write.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    review = Review()
    found = parts(review, locked(LOCK.read_text(encoding="utf-8")))
    if options.command == "list":
        options.file.write_bytes(encode_list(found))
        return 0
    if options.command == "write":
        found += bundled(review)
    closed = faults(found, review)
    for fault in closed:
        print(fault.sentence, file=sys.stderr)
    if closed:
        return 1
    if options.command == "write":
        collect(found, options.out, review)
    return 0


if __name__ == "__main__":
    sys.exit(main())
