"""Pictures as the service sends them."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image


def png_of(values: npt.NDArray[np.uint8]) -> bytes:
    """A grey PNG of those values."""
    file = io.BytesIO()
    Image.fromarray(values).save(file, "PNG")
    return file.getvalue()
