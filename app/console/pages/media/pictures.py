"""The pictures of scans: asked for once, decoded on a thread, and kept while somebody looks at them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QImage

from app.capabilities.media.messages import HeatmapQuery, Scan, ScanLayer
from app.client import ApiError
from app.console.session import WindowSession
from app.console.widgets.orientation import Box, upright
from app.console.widgets.picture_layers import (
    LayerRefused,
    grey_image,
    heat_image,
    index_map,
    read_layer,
    unjudged_image,
    values_of,
)

RELIABLE = 0
"""Index of the reliability layer for what can be read; every other one is a reason why not."""
KEPT = 48
"""Layers as PNG, at most some MB together."""
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class ScanPictures:
    """What lies in the two views, upright. ``cover``: where the maps lie (left, top, width, height), in shares of the
    picture; ``missing``: why there is no picture."""

    source: QImage | None = None
    grey: QImage | None = None
    heat: QImage | None = None
    unjudged: QImage | None = None
    cover: Box = WHOLE
    missing: str = ""


class PictureReader:
    """Reads layers of scans. A picture that is kept no longer, or damaged, is told and not raised."""

    def __init__(self, session: WindowSession) -> None:
        self._session = session
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    async def png(self, scan_id: str, layer: str) -> bytes:
        """The bytes of a layer. Raises what the client raises."""
        key = (scan_id, layer)
        if key not in self._kept:
            query = HeatmapQuery(layer=layer)
            self._kept[key] = await self._session.client.media_heatmap(scan_id, query=query)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    async def read(self, scan: Scan, layer: str) -> ScanPictures:
        """The picture of a scan with one of its layers. Raises what the client raises, except that they are gone."""
        layers = layers_of(scan)
        wanted = ["preview", *(name for name in (layer, "reliability") if name in layers)]
        found = {}
        try:
            for name in wanted:
                found[name] = await self.png(scan.scan_id, name)
        except ApiError as error:
            if error.code not in ("gone", "not_found", "state_conflict"):
                raise
            return ScanPictures(missing=error.detail)
        try:
            return await asyncio.to_thread(decode_layers, scan, found, layer)
        except LayerRefused as error:
            return ScanPictures(missing=str(error))


def layers_of(scan: Scan) -> dict[str, ScanLayer]:
    """Every layer that a report lists, by name."""
    return {one.name: one for one in (scan.heatmap, *scan.layers, scan.reliability_map) if one is not None}


def decode_layers(scan: Scan, found: Mapping[str, bytes], layer: str) -> ScanPictures:
    """The images of those PNGs, turned as the file's EXIF says: the source, the map ``layer`` on it, and what was not
    judged. KeyError without a ``preview``; raises LayerRefused. Blocks."""
    layers = layers_of(scan)
    source = read_layer(found["preview"])
    heat = unjudged = None
    judged = None
    cover, turn = WHOLE, upright(scan.media.orientation)
    if "reliability" in found and "reliability" in layers:
        judged = index_map(read_layer(found["reliability"])) == RELIABLE
        cover = _cover(scan, layers["reliability"])
    if layer in found and layer in layers:
        values, known = values_of(index_map(read_layer(found[layer])), _legend(layers[layer]))
        heat, cover = turn.image(heat_image(values)), _cover(scan, layers[layer])
        judged = known > 0 if judged is None or judged.shape != known.shape else judged & (known > 0)
    if judged is not None:
        unjudged = turn.image(unjudged_image(judged))
    source = turn.image(source)
    return ScanPictures(source, grey_image(source), heat, unjudged, turn.box(cover))


def _cover(scan: Scan, layer: ScanLayer) -> Box:
    """Where a layer lies on the picture as it is stored: its last cells may end before the edge or beyond."""
    if not (layer.grid_px and scan.media.width and scan.media.height):
        return WHOLE
    width, height = layer.width * layer.grid_px, layer.height * layer.grid_px
    return 0.0, 0.0, width / scan.media.width, height / scan.media.height


def _legend(layer: ScanLayer) -> list[tuple[int, float | None]]:
    return [(entry.index, entry.value) for entry in layer.legend]
