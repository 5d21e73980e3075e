"""What a file says of its own past, in the page's words."""

from __future__ import annotations

from collections.abc import Mapping

from app.capabilities.media.messages import MediaProvenance, ScannedMedia
from app.console.language import tr

UPLOAD = "upload:"
"""What the address of a file that was sent begins with; its name follows."""
_SOURCES: Mapping[str, str] = {
    "none": tr("no manifest"),
    "valid_untrusted": tr("holds, signed by nobody this site trusts"),
    "trusted": tr("holds, and its signer is trusted"),
    "invalid": tr("broken"),
}
ORIGIN = (
    ("c2pa", "C2PA", False),
    ("maker", tr("Made by"), False),
    ("declared", tr("Declared as"), False),
    ("actions", tr("Edits told"), False),
    ("software", tr("Software"), False),
    ("thumbnail", tr("Thumbnail"), False),
    ("tables", tr("Quantisation"), False),
    ("sha256", "SHA-256", True),
    ("url", tr("Address"), True),
)
"""Key, title and fixed pitch of each line."""


def origin_of(media: ScannedMedia, provenance: MediaProvenance | None) -> tuple[tuple[str, str], ...]:
    """What the file says of its own past; a missing value is not told."""
    lines = {"sha256": media.sha256 or "", "url": media.final_url or media.url}
    if media.url.startswith(UPLOAD):
        lines["url"] = tr("sent as a file")
    if provenance is not None:
        c2pa, exif = provenance.c2pa, provenance.exif
        codes = f" ({', '.join(c2pa.codes[:3])})" if c2pa.codes and c2pa.state != "none" else ""
        mismatch = exif.thumbnail_mismatch
        lines |= {
            "c2pa": _SOURCES[c2pa.state] + codes,
            "maker": c2pa.claim_generator or "",
            "declared": (c2pa.digital_source_type or "").rpartition("/")[2],
            "actions": ", ".join(one.removeprefix("c2pa.") for one in c2pa.actions),
            "software": exif.software or "",
            "thumbnail": tr("none")
            if mismatch is None
            else tr("shows something else")
            if mismatch
            else tr("shows the same"),
            "tables": exif.quant_table_origin or "",
        }
    return tuple((key, lines.get(key, "")) for key, _, _ in ORIGIN)
