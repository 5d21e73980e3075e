"""What this person likes on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import OFFERED, tr
from app.console.session import WindowSession
from app.console.widgets.scroller import scroller
from app.console.widgets.text import TitledPanel, label


class PreferencesView(QWidget):
    """Emits ``preferred`` with a preference's name and its new value."""

    preferred = Signal(str, object)

    def __init__(self, session: WindowSession, pages: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        value = session.preferences.value
        self.theme_box = self._choices(
            tr("Theme"),
            (("system", tr("As the system")), ("dark", tr("Dark")), ("light", tr("Light"))),
            value.theme,
            "theme",
        )
        self.density_box = self._choices(
            tr("Density"),
            (("compact", tr("Compact, 24 px rows")), ("comfortable", tr("Comfortable, 32 px rows"))),
            value.density.value,
            "density",
        )
        self.scale_box = self._choices(
            tr("Text size"), [(size, f"{size} %") for size in (100, 125, 150, 175, 200)], value.text_scale, "text_scale"
        )
        self.home_box = self._choices(
            tr("First page"), [("", tr("The one that was shown last")), *pages], value.home, "home"
        )
        self.closing_box = self._choices(
            tr("When the window is closed"),
            [("tray", tr("Stay in the tray, call for alarms")), ("quit", tr("Quit: no alarm calls here then"))],
            value.closing,
            "closing",
        )
        self.motion_box = self._choices(
            tr("Motion"),
            (("system", tr("As the system")), ("reduced", tr("No animations")), ("full", tr("Animations"))),
            value.motion,
            "motion",
        )
        languages = [("system", tr("As the system")), *OFFERED.items()]
        self.language_box = self._choices(tr("Language"), languages, value.language, "language")
        self.language_box.setToolTip(tr("Another language is spoken from the next start on."))
        self.sounds = QCheckBox(tr("A sound for each card of a batch"))
        self.sounds.setAccessibleName(tr("Sounds: one for each card of a batch"))
        self.sounds.setChecked(value.sounds)
        self.sounds.toggled.connect(lambda on: self.preferred.emit("sounds", on))
        self.alarm_sounds = QCheckBox(tr("A sound until somebody has taken an alarm"))
        self.alarm_sounds.setAccessibleName(tr("Alarms: a sound until somebody has taken one"))
        self.alarm_sounds.setChecked(value.alarm_sounds)
        self.alarm_sounds.toggled.connect(lambda on: self.preferred.emit("alarm_sounds", on))
        self._panel = panel = TitledPanel(tr("This person on this machine"))
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        self._names = []
        for title, field in (
            (tr("Theme"), self.theme_box),
            (tr("Density"), self.density_box),
            (tr("Text size"), self.scale_box),
            (tr("First page"), self.home_box),
            (tr("When the window is closed"), self.closing_box),
            (tr("Motion"), self.motion_box),
            # One language alone is no choice.
            *([(tr("Language, from the next start on"), self.language_box)] if len(OFFERED) > 1 else []),
            (tr("Sounds"), self.sounds),
            (tr("Alarms"), self.alarm_sounds),
        ):
            name = label(title, "dim")
            name.setBuddy(field)
            self._names.append(name)
            form.addRow(name, field)
        panel.body.addLayout(form)
        kept = tr("Kept on this machine for your user alone. The site is configured by its service, not here.")
        panel.body.addWidget(label(kept, "small", wrap=True))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)
        column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroller(inside))
        self._fit()

    def _fit(self) -> None:
        """Lengths that follow the text scale."""
        self._panel.setMaximumWidth(theme.px(720))
        for name in self._names:
            name.setMinimumHeight(theme.px(32))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_panel"):
            self._fit()
        super().changeEvent(event)

    def _choices(self, name: str, choices: Sequence[tuple[object, str]], current: object, preference: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for value, text in choices:
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(current)))
        box.activated.connect(lambda at: self.preferred.emit(preference, box.itemData(at)))
        return box

    def show_preferences(self, session: WindowSession) -> None:
        """Show values that were changed elsewhere (a shortcut)."""
        value = session.preferences.value
        for box, current in (
            (self.theme_box, value.theme),
            (self.density_box, value.density.value),
            (self.scale_box, value.text_scale),
            (self.home_box, value.home),
            (self.closing_box, value.closing),
            (self.motion_box, value.motion),
            (self.language_box, value.language),
        ):
            box.setCurrentIndex(max(0, box.findData(current)))
        self.sounds.setChecked(value.sounds)
        self.alarm_sounds.setChecked(value.alarm_sounds)
