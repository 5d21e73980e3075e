"""What a bundle is told of its pictures: their size by the header, and where they lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.bundles import layer_file, layers_of, place_layers, png_size
from app.capabilities.media.messages import ReliabilityLayer, ScanLayer, ScanReport
from tests.media_files import encoded

PNG = encoded(np.zeros((3, 7), np.uint8), "PNG")
"""7 x 3 px."""


def _layer(name: str) -> ScanLayer:
    return ScanLayer(name=name, png_url=f"heatmap.png?layer={name}", grid_px=8, width=7, height=3)


def _report() -> ScanReport:
    """With all kinds of layers."""
    shown = vars_of(_layer("reliability"))
    return ScanReport(
        heatmap=_layer("fused"),
        reliability_map=ReliabilityLayer(**shown, share=0.5),
        layers=[_layer("ela"), _layer("preview")],
    )


def vars_of(layer: ScanLayer) -> dict[str, object]:
    """Its fields."""
    return {name: getattr(layer, name) for name in layer.__struct_fields__}


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (7, 3)),
        (PNG[:24], (7, 3)),
        (PNG[:23], None),
        (PNG[:16], None),
        (b"", None),
        (b"\xff" + PNG[1:], None),
        (PNG[:12] + b"IDAT" + PNG[16:], None),
    ],
)
def test_a_size_is_that_of_the_header(data: bytes, size: tuple[int, int] | None) -> None:
    """Signature and first chunk are whole, or there is none."""
    assert png_size(data) == size


@given(st.binary(max_size=40) | st.binary(max_size=20).map(PNG[:16].__add__))
def test_any_bytes_have_a_size_or_none(data: bytes) -> None:
    """Nothing is raised; what has a size begins as a PNG does."""
    assert png_size(data) is None or data.startswith(PNG[:16])


def test_layers_are_told_in_their_order() -> None:
    """The heatmap, what may be read of it, then the others; an empty report has none."""
    assert [layer.name for layer in layers_of(_report())] == ["fused", "reliability", "ela", "preview"]
    assert layers_of(ScanReport()) == []


def test_a_layer_lies_below_its_scan() -> None:
    """By its address as by its file."""
    report = _report()
    place_layers(report, "/v1/scan_1")
    names = ("fused", "reliability", "ela", "preview")
    assert [layer.png_url for layer in layers_of(report)] == [f"/v1/scan_1/heatmap.png?layer={one}" for one in names]
    assert layer_file("ela") == "layers/ela.png"
