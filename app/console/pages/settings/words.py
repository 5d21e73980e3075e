"""What the tabs of the page have in common."""

from __future__ import annotations

PAGE = "settings"
CHANGES = frozenset({"keys", "nodes", "cards", "grants", "directories", "platforms"})
"""Kinds of changes that have the tab in front read again."""
