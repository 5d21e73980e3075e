"""The single-file verifier, ``resources/arc_verify.py``, as a module.

It goes into every bundle: what this console calls verified, any Python verifies. It is pure Python and takes
milliseconds for each signature, so none of its checks runs on the GUI thread.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from typing import Any

from app.console.theme.resources import ROOT


@functools.cache
def verifier() -> Any:
    """The module, loaded once from the very file that bundles carry."""
    spec = importlib.util.spec_from_file_location("arc_verify", ROOT / "arc_verify.py")
    if spec is None or spec.loader is None:
        raise ImportError("resources/arc_verify.py is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
