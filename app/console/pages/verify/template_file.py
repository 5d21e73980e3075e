"""A stylized template in a file: 512 signed bytes, or 512 float32 features that only an enrolment takes."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.console.language import number, tr

POINTS = 512
TEMPLATE_BYTES, FEATURE_BYTES = POINTS, 4 * POINTS
SIZES = tr(
    "A stylized template has {signed} bytes (512 signed bytes), or {features:,} bytes (512 "
    "float32 features, little-endian)",
    signed=TEMPLATE_BYTES,
    features=FEATURE_BYTES,
)
Kind = Literal["i8x512", "f32x512"]
KINDS: dict[Kind, str] = {"i8x512": tr("512 signed bytes"), "f32x512": tr("512 float32 features")}


class BadTemplate(ValueError):
    """What is in the file is no template; the text says why, in a sentence."""


@dataclass(eq=False)
class Template:
    """One file's content until it is wiped."""

    name: str
    kind: Kind
    data: bytearray = field(repr=False)

    def wipe(self) -> None:
        """Overwrite it."""
        self.data[:] = bytes(len(self.data))


def read_template(path: Path) -> Template:
    """The template in a file. Raises BadTemplate, also for a file that cannot be read. Blocks on the disk."""
    try:
        with path.open("rb") as file:
            data = bytearray(file.read(FEATURE_BYTES + 1))
    except OSError as error:
        raise BadTemplate(
            tr("{file} cannot be read: {why}.", file=path.name, why=error.strerror or tr("it is no file"))
        ) from None
    try:
        return Template(path.name, kind_of(data), data)
    except BadTemplate as wrong:
        data[:] = bytes(len(data))
        raise BadTemplate(f"{path.name}: {wrong}") from None


def kind_of(data: bytes | bytearray) -> Kind:
    """The kind of a template, by its size. Raises BadTemplate for another size, and for values without a direction."""
    if len(data) == TEMPLATE_BYTES:
        if not any(data):
            raise BadTemplate(tr("all of its values are zero."))
        return "i8x512"
    if len(data) == FEATURE_BYTES:
        values = struct.unpack(f"<{POINTS}f", data)
        if not all(map(math.isfinite, values)):
            raise BadTemplate(tr("one of its values is no number."))
        if not any(values):
            raise BadTemplate(tr("all of its values are zero."))
        return "f32x512"
    has = tr("more than {count:,}", count=FEATURE_BYTES) if len(data) > FEATURE_BYTES else number(len(data), ",")
    raise BadTemplate(tr("{sizes}; this one has {has}.", sizes=SIZES, has=has))
