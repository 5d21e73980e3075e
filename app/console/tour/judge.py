"""A picture judged by its structure: cut texts, values that are missing, legible states, stale marks, the focus."""

from __future__ import annotations

from app.console.tour.layout import Layout
from app.console.tour.pixels import Pixels, contrast, near, part_of

TEXT_CONTRAST, SHAPE_CONTRAST = 4.5, 3.0
"""WCAG 2.2: 1.4.3 for text, 1.4.11 for shapes that carry a meaning."""
FOCUS_PIXELS = 12


def judge_picture(layout: Layout, pixels: Pixels, ratio: float) -> dict[str, object]:
    """The judgement of a picture, as ``tour.json`` has it; ``ok`` when nothing is wrong. ``ratio``: pixels for each
    logical one."""
    lowest, faint = None, []
    for mark in layout.marks:
        text, shape = part_of(pixels, mark.text, ratio), part_of(pixels, mark.shape, ratio)
        if not text.size or not shape.size:
            continue
        written, painted = contrast(text), contrast(shape)
        lowest = written if lowest is None else min(lowest, written)
        if written < TEXT_CONTRAST:
            faint.append(f"{mark.word!r} is written with a contrast of {written:.1f}")
        if painted < SHAPE_CONTRAST:
            faint.append(f"the shape of {mark.word!r} has a contrast of {painted:.1f}")
        if int(near(shape, mark.colour).sum()) < 3:
            faint.append(f"the shape of {mark.word!r} is not in the colour of {mark.state}")
    seen = True
    if layout.focus:
        around = part_of(pixels, layout.focus_box, ratio)
        seen = any(int(near(around, ink, 12.0).sum()) >= FOCUS_PIXELS for ink in layout.focus_inks)
    # "Refreshing" hides nothing: a page that was just entered says it while it asks, also beside work that runs.
    stale = [words for words in layout.stale if not words.lower().startswith("refreshing")] if layout.live else []
    spread = float(pixels[::8, ::8].std())
    problems = [
        *layout.cut,
        *layout.bare,
        *(f"no value: {told}" for told in layout.missing),
        *faint,
        *(f"stale while the stream is live: {told}" for told in stale),
        *([] if seen else [f"the focus on {layout.focus!r} cannot be seen"]),
        *([] if spread > 4 else ["the picture is blank"]),
    ]
    return {
        "ok": not problems,
        "problems": problems,
        "labels_checked": layout.labels,
        "states_checked": len(layout.marks),
        "lowest_state_contrast": None if lowest is None else round(lowest, 2),
        "cells_checked": layout.cells,
        "cells_shortened": len(layout.cut_cells),
        "cells_shortened_examples": sorted(set(layout.cut_cells))[:8],
        "stream_live": layout.live,
        "focus": layout.focus,
        "focus_seen": seen and bool(layout.focus),
    }
