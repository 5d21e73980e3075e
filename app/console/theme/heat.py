"""The colour scale of heat maps: from "as the rest" to "different".

One scale for both themes, for it lies on a grey picture and not on the theme's ground. Its lightness (CIE L*) rises
evenly, so that it is read without colours too, and no stop is a state's colour. The first stop is transparent where it
is laid over a picture.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

STOPS: tuple[str, ...] = ("#1B1034", "#4F1B6B", "#952C80", "#D9506B", "#F8925A", "#FBE9A0")
"""``#RRGGBB`` at equal steps of 0..1."""
STEPS = 256


def heat_table() -> npt.NDArray[np.uint32]:
    """Premultiplied ARGB (``0xAARRGGBB``) of the values 0..255: the alpha rises from 0 to 1 over the lower half."""
    stops = np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for stop in STOPS], dtype=np.float64)
    at = np.linspace(0.0, 1.0, STEPS)
    places = np.linspace(0.0, 1.0, len(STOPS))
    alpha = np.clip(at / 0.5, 0.0, 1.0)
    rgb = np.stack([np.interp(at, places, stops[:, channel]) for channel in range(3)], axis=1) * alpha[:, None]
    red, green, blue = (np.rint(rgb[:, channel]).astype(np.uint32) for channel in range(3))
    solid = np.rint(alpha * 255).astype(np.uint32)
    return ((solid << 24) | (red << 16) | (green << 8) | blue).astype(np.uint32)
