"""Badges and labels of finished cards as PDF: ``badge_of`` a provisioning, then ``badge_pdf`` or ``label_pdf``.

::

    badge = badge_of(provision, node, photo=photo_of(data))       # ImageRefused says why it is no photo
    warnings = unprintable([badge])                                # letters that no font here has
    document = await asyncio.to_thread(badge_pdf, [badge])         # or label_pdf; some ms a badge

Everything stays in memory: nothing here writes a file, and a photo lives as long as its ``Badge``. Any thread; the
application's fonts must have been loaded (``app.console.theme.fonts``).
"""

from __future__ import annotations

from app.console.badge.model import Badge, badge_of
from app.console.badge.photo import photo_of
from app.console.badge.sheets import CARD_MM, LABEL_MM, badge_pdf, label_pdf, unprintable

__all__ = [
    "CARD_MM",
    "LABEL_MM",
    "Badge",
    "badge_of",
    "badge_pdf",
    "label_pdf",
    "photo_of",
    "unprintable",
]
