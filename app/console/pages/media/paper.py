"""A scan on paper, for people: what the signed bundle says, its pictures, and how the bundle is checked (PDF, A4).

The paper proves nothing itself: it names the bundle by its SHA-256 and repeats what lies in it.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

import msgspec

from app.capabilities.media.messages import Scan
from app.console.language import tr
from app.console.pages.media.origin import ORIGIN
from app.console.pages.media.shown import ShownScan
from app.console.pages.media.words import scan_words
from app.delivery.paper import LinePaper, sheet

PICTURE_MM = 62.0
REPORT = "scan.json"
MOST_FILES = 100
MOST_BYTES = 256 << 20
"""Of a bundle."""


class BundleRefused(ValueError):
    """The bytes are no bundle of a scan; the text is a sentence."""


@dataclass(frozen=True)
class BundledScan:
    """What lies in a bundle: the scan, its layers as PNG by name, and the SHA-256 (hexadecimal) of the bundle."""

    scan: Scan
    layers: Mapping[str, bytes]
    sha256: str


def read_bundle(data: bytes) -> BundledScan:
    """The scan and the layers of a bundle (a zip without compression). Whether the site signed it is not judged here.
    Raises BundleRefused."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as bundle:
            entries = bundle.infolist()
            if len(entries) > MOST_FILES or sum(one.file_size for one in entries) > MOST_BYTES:
                raise BundleRefused(tr("The bundle is larger than those of a scan."))
            files = {one.filename: bundle.read(one) for one in entries}
        scan = msgspec.json.decode(files[REPORT], type=Scan)
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BundleRefused(tr("The bundle is no zip with the report of a scan.")) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BundleRefused(tr("The report in the bundle is none that this console knows.")) from error
    layers = {
        name.removeprefix("layers/").removesuffix(".png"): content
        for name, content in files.items()
        if name.startswith("layers/") and name.endswith(".png")
    }
    return BundledScan(scan, layers, hashlib.sha256(data).hexdigest())


def scan_paper(content: BundledScan, shown: Mapping[str, bytes], made: datetime) -> bytes:
    """The paper of a bundle. ``shown``: title and PNG or JPEG of the pictures that are printed. Blocks for some hundred
    milliseconds."""
    words = scan_words(content.scan)
    training = [tr("TRAINING - the work of a training site.")] if content.scan.training else []
    mark = "   ".join(["ARC Console", *training])
    paper = LinePaper(sheet(tr("Media scan {scan_id}", scan_id=words.scan_id), made), mark)
    _write_verdict(paper, content.scan, words)
    if shown:
        paper.pictures(list(shown.items()), PICTURE_MM)
    _write_found(paper, words)
    _write_origin(paper, words)
    _write_proof(paper, content)
    return bytes(paper.page.output())


def _write_verdict(paper: LinePaper, scan: Scan, words: ShownScan) -> None:
    """Which file, what came of it, and what that is worth."""
    verdict = words.verdict
    paper.line(tr("Media scan"), size=16, bold=True, height=10)
    paper.fact(tr("Scan"), scan.scan_id)
    paper.fact(tr("File"), f"{words.title}: {words.facts}")
    paper.fact("SHA-256", scan.media.sha256 or tr("not known: nothing was read"))
    paper.fact(tr("Asked for"), scan.created_at)
    paper.fact(tr("Ended"), scan.finished_at or tr("not yet"))
    paper.title(verdict.word)
    paper.text(f"{verdict.sentence} {verdict.detail}".strip())
    if words.rate is not None:
        paper.text(words.rate.words)
    if words.trust:
        paper.text(words.trust)


def _write_found(paper: LinePaper, words: ShownScan) -> None:
    """Each place with its evidence, each detector with its answer."""
    found = [one for one in words.places if not one.face]
    paper.title(tr("Places ({count})", count=len(found)))
    for place in words.places:
        paper.line(f"{place.mark.tag}  {place.title}", bold=True)
        paper.text(f"{place.evidence} {place.chance}", inset=6)
    if not found:
        paper.line(tr("No place is marked."))
    paper.title(tr("Detectors ({count})", count=len(words.findings)))
    for finding in words.findings:
        paper.line(f"{finding.name} ({finding.about}): {finding.word}", bold=finding.fired)
        paper.text(" ".join(filter(None, (finding.explanation, finding.chance))), inset=6)
    if words.spans:
        paper.title(tr("In its time"))
        for span in words.spans:
            paper.text(span.words)


def _write_origin(paper: LinePaper, words: ShownScan) -> None:
    """What the file says of its own past."""
    paper.title(tr("Where it comes from, as the file says"))
    origin = dict(words.origin)
    for key, title, _ in ORIGIN:
        if origin.get(key) and key != "sha256":
            paper.fact(title, origin[key])


def _write_proof(paper: LinePaper, content: BundledScan) -> None:
    """Which bytes prove it, and how they are checked."""
    paper.title(tr("What proves it"))
    paper.text(tr("This paper proves nothing: it repeats the signed bundle of the scan, a zip whose SHA-256 is"))
    paper.line(content.sha256, inset=6)
    for step in (
        tr(
            "1. Check the bundle without asking the site: arc-console verify BUNDLE.zip --trust DIR. It "
            "judges whether the site signed it and whether report and pictures are those that were signed. "
            "HOW-TO-VERIFY.txt in the bundle says where DIR comes from, and how other programs check it."
        ),
        tr(
            "2. Compare the SHA-256 of the media above with that of the file that you have: the result is of "
            "these bytes alone. The media are not in the bundle."
        ),
        tr("3. Whether the verdict is right, no signature tells: judge its false-alarm rate and its evidence."),
    ):
        paper.text(step)
    paper.line(tr("Pictures in the bundle, by SHA-256:"))
    for name, data in sorted(content.layers.items()):
        paper.line(f"{name:<20}{hashlib.sha256(data).hexdigest()}", inset=6)
