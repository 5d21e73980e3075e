"""The one style sheet, made from the tokens. A widget chooses a look by the dynamic property ``role``, never by a sheet
of its own: a second sheet would not follow a change of theme."""

from __future__ import annotations

from collections.abc import Callable
from string import Template

from PySide6.QtGui import QColor, QPalette

from app.console.theme.resources import ROOT
from app.console.theme.tokens import ThemeTokens

_SHEET = Template("""
* { outline: none; }
QWidget { color: $text; font-size: ${f13}px; }
QDialog, QWidget[role="ground"] { background: $bg; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: ${p4}px ${p8}px;
  font-size: ${f12}px; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${f18}px; font-weight: 600; }
QLabel[role="heading"] { font-size: ${f15}px; font-weight: 600; }
QLabel[role="paneltitle"] { font-size: ${f13}px; font-weight: 600; color: $text; }
QLabel[role="section"] { font-size: ${f12}px; font-weight: 600; color: $dim; }
QLabel[role="dim"], QLabel[dim="true"] { color: $dim; }
QLabel[role="small"] { color: $dim; font-size: ${f12}px; }
QWidget[role="foot"] { font-size: ${f12}px; }
QLabel[role="kpi"] { font-size: ${f28}px; font-weight: 600; }
QLabel[role="hero"] { font-size: ${f32}px; font-weight: 600; }
QLabel[role="wall-state"] { font-size: ${f58}px; font-weight: 600; }
QLabel[role="wall-figure"] { font-size: ${f45}px; font-weight: 600; }
QLabel[role="wall-sentence"] { font-size: ${f24}px; font-weight: 600; }
QLabel[role="wall-text"] { font-size: ${f21}px; }
QLabel[role="wall-dim"] { font-size: ${f21}px; color: $dim; }
QLabel[role="mono"] { font-size: ${f12}px; }
QLabel[role="error"] { color: $bad; font-size: ${f12}px; font-weight: 500; }
QLabel[role="railcaption"] { color: $dim; font-size: ${f11}px; padding: 6px 0 0 16px; }
QLabel[role="key"] { font-size: ${f11}px; color: $dim; background: $raised;
  border: 1px solid $line; border-radius: 4px; padding: 1px ${p6}px; }

QFrame[role="panel"] { background: $panel; border: 1px solid $line; border-radius: 8px; }
QFrame[role="panel"][look="chosen"] { border-color: $accent; }
QFrame[role="panel"][look="held"] { border: 2px solid $accent; }
QFrame[role="raised"] { background: $raised; border: 1px solid $line; border-radius: 8px; }
QFrame[role="order"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame[role="order"][acts="true"] { border-color: $accent; }
QFrame[role="rail"] { background: $panel; border: none; border-right: 1px solid $line; }
QFrame[role="topbar"] { background: $panel; border: none; border-bottom: 1px solid $line; }
QFrame[role="statusbar"] { background: $panel; border: none; border-top: 1px solid $line; }
QFrame[role="separator"] { background: $line; border: none; }
QWidget[role="training"] { color: $stripe; }
QWidget[role="production"] { color: $dim; }
QFrame[role="popup"] { background: $panel; border: 1px solid $border; border-radius: 8px; }

QPushButton { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 0 ${p12}px; min-height: ${h32}px; font-weight: 500; }
QPushButton:hover { border-color: $accent; }
QPushButton:pressed { background: $line; }
QPushButton:focus { border: 2px solid $accent; padding: 0 ${p11}px; min-height: ${h30}px; }
QPushButton:disabled { color: $idle; border-color: $line; background: $panel; }
QPushButton[role="primary"] { background: $accent; color: $on_fill; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus { border: 2px solid $text; }
QPushButton[role="primary"]:disabled { background: $raised; color: $idle; border-color: $line; }
QPushButton[role="quiet"] { background: transparent; border-color: transparent; }
QPushButton[role="quiet"]:hover { background: $raised; border-color: $line; }
QPushButton[role="quiet"]:focus { border: 2px solid $accent; }
QPushButton[role="quiet"]:disabled { color: $idle; }
QPushButton[role="choice"], QPushButton[role="chip"] { background: transparent; padding: 0 ${p10}px;
  min-height: ${h24}px; }
QPushButton[role="choice"] { border-color: transparent; color: $dim; }
QPushButton[role="choice"]:hover, QPushButton[role="chip"]:hover { border-color: $dim; }
QPushButton[role="choice"]:checked, QPushButton[role="chip"]:checked { background: $raised; border-color: $accent;
  color: $text; }
QPushButton[role="choice"]:focus, QPushButton[role="chip"]:focus { border: 2px solid $accent; padding: 0 ${p9}px;
  min-height: ${h22}px; }
QPushButton[role="danger"] { background: transparent; border-color: $crit; }
QPushButton[role="danger"]:hover { border-color: $text; }
QPushButton[role="danger"]:focus { border: 2px solid $accent; }
QPushButton[role="danger"]:disabled { border-color: $line; }
QPushButton[role="rail"] { background: transparent; border: none; border-left: 3px solid transparent;
  border-radius: 0;
  text-align: left; padding: 0 ${p12}px 0 ${p13}px; min-height: ${h32}px; color: $dim; font-weight: 500; }
QPushButton[role="rail"][narrow="true"] { min-height: ${h36}px; }
QPushButton[role="rail"]:hover { background: $raised; color: $text; }
QPushButton[role="rail"]:checked { background: $raised; color: $text; border-left: 3px solid $accent;
  font-weight: 600; }
QPushButton[role="rail"]:focus { border: 2px solid $accent; border-left: 3px solid $accent;
  padding: 0 ${p10}px 0 ${p13}px;
  min-height: ${h28}px; }
QPushButton[role="rail"][narrow="true"]:focus { min-height: ${h32}px; }
QPushButton[role="search"] { background: $bg; color: $dim; text-align: left; border: 1px solid $border;
  font-weight: 400; }
QPushButton[role="search"]:focus { border: 2px solid $accent; }
QPushButton[role="field"] { background: $bg; text-align: left; border: 1px solid $border; font-weight: 400;
  padding: 0 ${p8}px; min-height: ${h30}px; }
QPushButton[role="field"]:focus { border: 2px solid $accent; padding: 0 ${p7}px; min-height: ${h28}px; }
QPushButton[role="cell"] { background: transparent; border: none; border-radius: 4px; color: $dim;
  font-size: ${f12}px;
  font-weight: 400; padding: 0 ${p8}px; min-height: ${h24}px; }
QPushButton[role="cell"]:hover { color: $text; background: $raised; }
QPushButton[role="cell"]:focus { border: 2px solid $accent; padding: 0 ${p6}px; min-height: ${h20}px; }
QPushButton[role="cell"][over="true"] { color: $warn; font-weight: 600; }
QPushButton[role="cell"][link="true"] { color: $accent; }
QPushButton[role="cell"][urgent="true"] { color: $text; font-weight: 600; border: 1px solid $crit; border-radius: 6px;
  min-height: ${h30}px; padding: 0 ${p12}px; }
QPushButton[role="cell"][urgent="true"]:focus { border: 2px solid $accent; min-height: ${h28}px; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDateTimeEdit, QComboBox { background: $bg; color: $text;
  border: 1px solid $border; border-radius: 6px; padding: 0 ${p8}px; selection-background-color: $accent;
  selection-color: $on_fill; }
QLineEdit, QSpinBox, QDateTimeEdit, QComboBox { min-height: ${h30}px; max-width: ${widest}px; }
QPlainTextEdit, QTextEdit { padding: ${p4}px ${p8}px; max-width: ${widest}px; }
QLineEdit:hover, QComboBox:hover, QSpinBox:hover, QPlainTextEdit:hover { border-color: $dim; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDateTimeEdit:focus, QComboBox:focus {
  border: 2px solid $accent; padding: 0 ${p7}px; }
QLineEdit:focus, QSpinBox:focus, QDateTimeEdit:focus, QComboBox:focus { min-height: ${h28}px; }
QPlainTextEdit:focus, QTextEdit:focus { padding: ${p3}px ${p7}px; }
QLineEdit:disabled, QComboBox:disabled, QPlainTextEdit:disabled { color: $idle; border-color: $line;
  background: $panel; }
QLineEdit[role="hero"] { background: transparent; border: 2px solid transparent; padding: 0 ${p6}px;
  min-height: ${h40}px; font-weight: 600; font-size: ${f32}px; }
QLineEdit[role="hero"][name="long"] { font-size: ${f21}px; }
QLineEdit[role="hero"][name="longest"] { font-size: ${f15}px; }
QLineEdit[role="hero"][name="none"] { border: 2px solid $border; font-size: ${f21}px; }
QLineEdit[role="hero"]:hover { border-color: $border; }
QLineEdit[role="hero"]:focus { border: 2px solid $accent; padding: 0 ${p6}px; min-height: ${h40}px; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"], QComboBox[invalid="true"] { border: 2px solid $bad; }
QLineEdit[role="bare"] { background: transparent; border: none; font-size: ${f15}px; min-height: ${h36}px; }
QLineEdit[role="bare"]:focus { border: none; padding: 0 ${p8}px; min-height: ${h36}px; }
QSpinBox::up-button, QSpinBox::down-button, QDateTimeEdit::up-button, QDateTimeEdit::down-button { border: none;
  width: 0; }
QComboBox::drop-down { border: none; width: ${h28}px; }
QComboBox::down-arrow { image: url("$chevron"); width: ${h14}px; height: ${h14}px; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $border; border-radius: 6px; padding: ${p4}px;
  selection-background-color: $raised; selection-color: $text; }
QComboBox QAbstractItemView::item { min-height: ${h28}px; padding: 0 ${p8}px; border-radius: 4px; }

QCheckBox, QRadioButton { spacing: ${p8}px; min-height: ${h32}px; background: transparent; border-radius: 4px;
  border: 2px solid transparent; }
QCheckBox:focus, QRadioButton:focus { border: 2px solid $accent; }
QCheckBox::indicator, QAbstractItemView::indicator { width: ${h16}px; height: ${h16}px; border: 1px solid $border;
  border-radius: 4px; background: $bg; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent; border-color: $accent;
  image: url("$tick"); }
QRadioButton::indicator { width: ${h14}px; height: ${h14}px; border: 1px solid $border; border-radius: ${round}px;
  background: $bg; }
QRadioButton::indicator:checked { background: $accent; border: 4px solid $bg; border-radius: ${round}px;
  width: ${dot}px; height: ${dot}px; }

QTableView, QListView, QTreeView { background: $panel; alternate-background-color: $panel;
  border: 2px solid transparent; border-radius: 6px; gridline-color: $line;
  selection-background-color: $raised; selection-color: $text; }
QTableView::item { padding: 0 ${p8}px; border: none; border-bottom: 1px solid $line; }
QTableView::item:selected { background: $raised; color: $text; }
QTableView:focus, QListView:focus, QTreeView:focus { border: 2px solid $accent; }
QListView::item { padding: 0 ${p8}px; min-height: ${h32}px; border-radius: 4px; }
QListView::item:selected { background: $raised; color: $text; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section { background: $panel; color: $dim; border: none; border-bottom: 1px solid $border;
  padding: 0 8px; font-size: ${f12}px; font-weight: 500; min-height: ${h24}px; }
QHeaderView::section:hover { color: $text; }
QTableCornerButton::section { background: $panel; border: none; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollArea[role="reads"] { border: 2px solid transparent; border-radius: 6px; }
QScrollArea[role="reads"]:focus { border: 2px solid $accent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none;
  border: none;
  width: 0; height: 0; }

QMenu { background: $panel; border: 1px solid $border; border-radius: 6px; padding: ${p4}px; }
QMenu::item { padding: ${p6}px ${p24}px ${p6}px ${p12}px; border-radius: 4px; }
QMenu::item:selected { background: $raised; }
QMenu::item:disabled { color: $idle; }
QMenu::separator { height: 1px; background: $line; margin: ${p4}px ${p8}px; }
QTabBar::tab { background: transparent; color: $dim; padding: 0 ${p12}px; min-height: ${h32}px; border: none;
  border-bottom: 2px solid transparent; font-weight: 500; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:focus { color: $accent; }
QTabWidget::pane { border: none; }
QSlider { background: transparent; border: 2px solid transparent; border-radius: 6px; min-height: ${h24}px; }
QSlider:focus { border: 2px solid $accent; }
QSlider::groove:horizontal { background: $border; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $text; width: ${h14}px; height: ${h14}px; margin: -5px 0; border-radius: 7px; }
QProgressBar { background: $raised; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
""")


def style_sheet(tokens: ThemeTokens, px: Callable[[float], int], row_height: int) -> str:
    """The whole sheet. ``px`` scales a length with the text; ``row_height`` is that of tables, px."""
    values: dict[str, str | int] = tokens._asdict()
    values |= {f"f{size}": px(size) for size in (11, 12, 13, 15, 18, 21, 24, 28, 32, 45, 58)}
    values |= {f"h{size}": px(size) for size in (14, 16, 20, 22, 24, 28, 30, 32, 36, 40)}
    # Paddings follow half of the text scale: at 200 % text, full paddings would push controls off a small screen.
    half = (1 + px(100) / 100) / 2
    values |= {f"p{size}": round(size * half) for size in (3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 24)}
    # With its frame a radio button is as large chosen as not. A radius over half of its side would make a square of it.
    values |= {"round": (px(14) + 2) // 2, "dot": px(14) + 2 - 8}
    values["row"] = row_height
    # A field is no wider than a line of text, its frame and padding aside.
    values["widest"] = px(720) - 2 * (round(8 * half) + 1)
    values["chevron"] = (ROOT / "style" / f"chevron-{tokens.name}.svg").as_posix()
    values["tick"] = (ROOT / "style" / f"tick-{tokens.name}.svg").as_posix()
    return _SHEET.substitute(values)


def palette_of(tokens: ThemeTokens) -> QPalette:
    """Palette for what the sheet does not reach (item delegates, text documents, native popups)."""
    palette = QPalette()
    for role, colour in (
        (QPalette.ColorRole.Window, tokens.bg),
        (QPalette.ColorRole.WindowText, tokens.text),
        (QPalette.ColorRole.Base, tokens.panel),
        (QPalette.ColorRole.AlternateBase, tokens.raised),
        (QPalette.ColorRole.Text, tokens.text),
        (QPalette.ColorRole.PlaceholderText, tokens.dim),
        (QPalette.ColorRole.Button, tokens.raised),
        (QPalette.ColorRole.ButtonText, tokens.text),
        (QPalette.ColorRole.Highlight, tokens.raised),
        (QPalette.ColorRole.HighlightedText, tokens.text),
        (QPalette.ColorRole.ToolTipBase, tokens.raised),
        (QPalette.ColorRole.ToolTipText, tokens.text),
        (QPalette.ColorRole.Link, tokens.accent),
    ):
        palette.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.idle))
    return palette
