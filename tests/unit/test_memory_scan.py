"""The scan for residue finds what it is said to find: in this very process, in every form."""

from __future__ import annotations

import base64
import os

import numpy as np

from tests.memory_scan import Needles


def test_every_form_is_found_and_nothing_else() -> None:
    """Raw, base64, hex and float64 of a value that is here; none of one that is not."""
    value = os.urandom(3_000)
    needles = Needles.of(value)
    forms = {
        "raw": b"xyz" + value,
        "base64": b"q" + base64.b64encode(value),
        "hex": value.hex().encode(),
        "float64": np.frombuffer(value, np.int8).astype(np.float64).tobytes(),
    }
    for form, data in forms.items():
        found = needles.in_bytes(data)
        assert len(found) == 3, form
        assert {name.split()[0] for name in found} == {form}
    kept = bytes(forms["float64"])
    assert {name.split()[0] for name in needles.in_process(os.getpid())} >= {"raw", "base64", "hex", "float64"}
    assert kept
    assert Needles.of(os.urandom(3_000)).in_bytes(b"".join(forms.values())) == set()
