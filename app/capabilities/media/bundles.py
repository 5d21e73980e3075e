"""A scan's report as an evidence bundle (``app/ledger/bundle.py``): the report and its pictures, without the media."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from app.capabilities.media.messages import Scan, ScanLayer, ScanReport
from app.ledger.bundle import write_bundle

KIND: Final = "media-scan"
REPORT: Final = "scan.json"
_PNG: Final = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_SIZE: Final = struct.Struct("!2I")


def scan_bundle(scan: Scan, layers: Mapping[str, bytes], sign: Callable[[bytes], bytes]) -> bytes:
    """The bundle of a scan that has a result: the same bytes for the same report. ``layers``: PNG by name, those that
    the report lists; KeyError where one of them is missing. ``sign``: as for ``write_bundle``."""
    text = msgspec.json.format(msgspec.json.encode(scan), indent=2) + b"\n"
    pictures = {layer_file(layer.name): layers[layer.name] for layer in layers_of(scan)}
    return write_bundle(KIND, {REPORT: text, **pictures}, training=scan.training, sign=sign)


def layers_of(report: ScanReport) -> list[ScanLayer]:
    """Every layer that a report lists."""
    own = [layer for layer in (report.heatmap, report.reliability_map) if layer is not None]
    return [*own, *report.layers]


def place_layers(report: ScanReport, status_url: str) -> None:
    """Puts the scan's path before the path of each layer: in place, once."""
    for layer in layers_of(report):
        layer.png_url = f"{status_url}/{layer.png_url}"


def layer_file(name: str) -> str:
    """A layer's name in the bundle."""
    return f"layers/{name}.png"


def png_size(data: bytes) -> tuple[int, int] | None:
    """Width and height by a PNG's header (ISO/IEC 15948, 11.2.2), None where there is none."""
    if not data.startswith(_PNG) or len(data) < len(_PNG) + _SIZE.size:
        return None
    width, height = _SIZE.unpack_from(data, len(_PNG))
    return width, height
