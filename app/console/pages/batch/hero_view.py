"""Who is next, in letters that are read from across the desk, with the one thing that the hands do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout

from app.console import theme
from app.console.language import tr
from app.console.pages.batch.orders import Lead, Order
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.hero import paint_bar
from app.console.widgets.marks import StateShape
from app.console.widgets.portrait import Portrait
from app.console.widgets.text import ElidedLabel, label

_SIZES = (("hero", 32), ("title", 18))
_FACE, _SMALL_FACE = (160, 204), (96, 122)
_ICON = 20


class HeroName(ElidedLabel):
    """A long name becomes smaller before it is cut."""

    def __init__(self) -> None:
        super().__init__("", "hero")

    def setText(self, text: str) -> None:
        super().setText(text)
        self._fit_name()

    def _fit_name(self) -> None:
        fitting = ""
        for fitting, size in _SIZES:  # noqa: B007  # the last one stays
            wide = QFontMetrics(theme.ui(size, QFont.Weight.DemiBold)).horizontalAdvance(self.text())
            if wide <= self.contentsRect().width():
                break
        theme.set_property(self, "role", fitting)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()


class AfterNames(ElidedLabel):
    """As many of the names as are whole in one line; the first one in any case."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()

    def show_names(self, names: tuple[str, ...]) -> None:
        """Show other names."""
        self._names = names
        self._fit_names()

    def _fit_names(self) -> None:
        room, text = self.contentsRect().width(), ""
        for count in range(len(self._names), 0, -1):
            text = "  ·  ".join(self._names[:count])
            if self.fontMetrics().horizontalAdvance(text) <= room:
                break
        if text != self.text():
            self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()


class OrderBox(QFrame):
    """One ``Order``, framed in the accent while the hands are asked."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "order")
        self._order: Order | None = None
        self._stale = False
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(12)
        self._icon = label()
        self.words = label("", "title", wrap=True)
        row.addWidget(self._icon)
        row.addWidget(self.words, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def show_order(self, order: Order | None, *, stale: bool) -> None:
        """Show another order; ``stale``: it may not be true any more, and asks nobody."""
        self.setVisible(order is not None)
        if order is None or (order, stale) == (self._order, self._stale):
            return
        self._order, self._stale = order, stale
        words = tr("Not heard of now, was: {words}", words=order.words) if stale else order.words
        self.words.setText(words)
        self.setAccessibleName(words)
        acts = order.acts and not stale
        theme.set_property(self, "acts", acts)
        self._dress()

    def _dress(self) -> None:
        if self._order is not None:
            tokens = theme.current()
            ink = tokens.accent if self.property("acts") else tokens.dim
            pixmap = icons.pixmap(self._order.icon, ink, theme.px(_ICON), self.devicePixelRatioF())
            self._icon.setPixmap(pixmap)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_icon"):
            self._dress()
        super().changeEvent(event)


class NextHero(QFrame):
    """Shows a ``Lead``. While nothing is heard of the service, nothing of it looks as if it were known."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._lead: Lead | None = None
        self._stale = ""
        self._profile = ""
        self._row = QHBoxLayout(self)
        self.portrait = Portrait(*_FACE)
        self._row.addWidget(self.portrait)
        self._shape = StateShape(30)
        column = QVBoxLayout()
        self._row.addLayout(column, 1)
        column.setSpacing(2)
        self.caption = ElidedLabel("", "heading")
        self.caption.setProperty("dim", True)
        self.name = HeroName()
        who = QHBoxLayout()
        self.node = label("", "mono")
        self.node.setProperty("dim", True)
        self.known = ElidedLabel("", "dim")
        self.order = OrderBox()
        after = QHBoxLayout()
        column.addStretch(1)
        column.addWidget(self.caption)
        named = QHBoxLayout()
        column.addLayout(named)
        named.setSpacing(12)
        named.addWidget(self._shape)
        named.addWidget(self.name, 1)
        column.addLayout(who)
        who.setSpacing(6)
        who.addWidget(self.node)
        who.addWidget(self.known, 1)
        column.addSpacing(12)
        column.addWidget(self.order)
        column.addSpacing(8)
        column.addLayout(after)
        after.setSpacing(8)
        self._after_title = label(tr("After:"), "dim")
        self.after = AfterNames()
        after.addWidget(self._after_title)
        after.addWidget(self.after, 1)
        column.addStretch(1)
        self.become_low(False)

    def become_low(self, low: bool) -> None:
        """Take less room, because there is little."""
        self.portrait.become(*(_SMALL_FACE if low else _FACE))
        self._row.setContentsMargins(24, 12 if low else 16, 20, 12 if low else 16)
        self._row.setSpacing(16 if low else 24)

    @property
    def lead(self) -> Lead | None:
        """What is shown; None: nothing yet."""
        return self._lead

    def show_lead(self, lead: Lead, profile: str, *, stale: str) -> None:
        """``profile``: what the registry knows of the person; ``stale``: since when nothing is heard, empty: it is."""
        if (lead, profile, stale) == (self._lead, self._profile, self._stale):
            return
        self._lead, self._profile, self._stale = lead, profile, stale
        self.caption.setText(" · ".join(part for part in (lead.caption, stale) if part))
        self.name.setText(lead.name)
        person = lead.row is not None
        self.portrait.setVisible(person)
        self._shape.setVisible(not person)
        self._shape.set(Meaning.IDLE if stale or lead.state is None else lead.state, lead.name)
        self.node.setText("" if lead.row is None else lead.row.node_id)
        self.node.setVisible(person)
        known = lead.known or (f"· {profile}" if profile else "")
        self.known.setText(known)
        self.known.setVisible(person or bool(known))
        self.order.show_order(lead.order, stale=bool(stale))
        self.after.show_names(lead.after)
        for one in (self._after_title, self.after):
            one.setVisible(bool(lead.after))
        self.setAccessibleName(lead.words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._lead is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), Meaning.IDLE if self._stale else self._lead.state)
