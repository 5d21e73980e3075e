"""The one door to `osdp_sys` (libosdp 3.2.9's C binding). Import it from here, never directly.

The binding has three faults that long-running panels meet. Each is worked around here, once:

* Its device side drops one reference of None for each command. Python < 3.12 counts those and aborts after a few
  thousand commands, so None gets a reserve before the binding is imported.
* Its panel side keeps one reference of each event dictionary for ever. `release_event` gives it back.
* It prints to stderr. The log is set to emergencies only; everything that matters arrives as an event.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

if sys.version_info < (3, 12):
    # Must stay above the import of osdp_sys. 2**40 references outlast any process; None is never freed anyway.
    ctypes.c_ssize_t.from_address(id(None)).value += 1 << 40

import osdp_sys

osdp_sys.set_loglevel(osdp_sys.LOG_EMERG)

MAX_DEVICES_PER_PANEL = 32
"""Above 32 devices the library's status masks overflow (crashes were met at 99, 100 and 126)."""

_decref = ctypes.pythonapi.Py_DecRef
_decref.argtypes = [ctypes.py_object]
_decref.restype = None


def release_event(events: list[dict[str, Any]]) -> None:
    """Empty `events`, and give back the reference of each that the binding has leaked.

    Call it only after `refresh()` has returned: until then the binding may use the event. A count above ours can then
    only be the leak, so this does no harm to a binding that has been repaired.
    """
    while events:
        event = events.pop()
        if sys.getrefcount(event) > 2:  # the local name and the call's argument
            _decref(event)


__all__ = ["MAX_DEVICES_PER_PANEL", "osdp_sys", "release_event"]
