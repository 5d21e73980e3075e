"""Where files that ship with the program lie."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3] / "resources"
"""Beside the package ``app``: the same in a checkout, an installed wheel and a bundled program."""
