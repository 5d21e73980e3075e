"""Judges the report of a media scan offline: that it is what the site signed, whole and at one with itself.

Whether the verdict is right, no signature can tell: the report holds its evidence, and names the file by its SHA-256.
"""

from __future__ import annotations

from typing import Any, Final

from app.capabilities.media.bundles import REPORT, layer_file, layers_of, png_size
from app.capabilities.media.messages import Scan
from app.evidence.checks import Findings, PinnedTrust, exactly, judge_training, need, strict_object
from app.ledger import bundle

_OWN: Final = frozenset((bundle.MANIFEST, bundle.SIGNATURE, "arc_verify.py", "HOW-TO-VERIFY.txt", REPORT))
_ENDED: Final = ("COMPLETED", "STOPPED")


def examine_scan(findings: Findings, trust: PinnedTrust, found: bundle.EvidenceBundle) -> Scan | None:
    """Makes every check of a scan's bundle whose manifest was judged; the scan."""
    check = findings.check

    # 1. The bundle holds a report with a result: all its members, and none that is unknown.
    scan = check("content", _content, found)
    if scan is None:
        return None
    # 2. Its pictures are those that it lists, in the size that it says.
    check("layers", _layers, found, scan)
    # 3. What it names is there, and lies in the image.
    check("regions", _regions, scan)
    # 4. Report and manifest agree on whether this is training, which never passes for real.
    check("training", _training, found, scan, trust)
    return scan


def _content(found: bundle.EvidenceBundle) -> tuple[str, Scan]:
    need(REPORT in found.files, "The bundle holds no report of a scan.")
    value: dict[str, Any] = strict_object(found.files[REPORT])
    scan = exactly(value, Scan, "report of a scan")
    need(scan.status in _ENDED and scan.verdict is not None, "The scan has no result.")
    of = f"of a file with SHA-256 {scan.media.sha256}" if scan.media.sha256 is not None else "of a feed"
    return f"Scan {scan.scan_id} of {scan.created_at}, {of}: {scan.verdict}.", scan


def _layers(found: bundle.EvidenceBundle, scan: Scan) -> tuple[str, int]:
    layers = layers_of(scan)
    sizes = {layer_file(layer.name): (layer.width, layer.height) for layer in layers}
    need(len(sizes) == len(layers), "The report lists a layer twice.")
    beside = {name: png_size(data) for name, data in found.files.items() if name not in _OWN}
    need(beside.keys() == sizes.keys(), "The files beside the report are not its layers.")
    need(beside == sizes, "A layer has another size than the report says.")
    return f"{len(layers)} layers are those of the report.", len(layers)


def _regions(scan: Scan) -> tuple[str, int]:
    """Names of regions and faces, and where they lie."""
    ids = {region.id for region in scan.regions}
    need(len(ids) == len(scan.regions), "Two regions have one name.")
    named = {one for finding in scan.findings for one in finding.region_ids}
    named.update(one for entry in scan.timeline for one in entry.region_ids)
    named.update(region.partner_id for region in scan.regions if region.partner_id is not None)
    need(named <= ids, "The report names a region that it does not tell of.")
    faces = {face.id for face in scan.faces}
    need(
        {region.face_id for region in scan.regions} <= {*faces, None},
        "The report names a face that it does not tell of.",
    )
    if scan.media.width is not None and scan.media.height is not None:
        boxes = [*(region.bbox for region in scan.regions), *(face.bbox for face in scan.faces)]
        inside = all(box[0] + box[2] <= scan.media.width and box[1] + box[3] <= scan.media.height for box in boxes)
        need(inside, "A region or a face lies outside the image.")
    return (
        f"In the image lie: {len(ids)} region{'s' * (len(ids) != 1)}, {len(faces)} face{'s' * (len(faces) != 1)}.",
        len(ids),
    )


def _training(found: bundle.EvidenceBundle, scan: Scan, trust: PinnedTrust) -> tuple[str, bool]:
    need(scan.training is found.manifest.training, "Report and manifest differ on whether this is TRAINING.")
    return judge_training("report", scan.training, trust)
