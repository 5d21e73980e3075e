"""What comes after the write: the PIN is given out, doors are opened, one of them is tried."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.capabilities.credentials.messages import SyncReply
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import milliseconds
from app.console.cards.words import CardWords
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.scroller import scroller
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.wrap_row import WrapRow
from app.registry.messages.clusters import ReaderCluster

LIFETIMES = (
    (3600, tr("for 1 hour")),
    (28800, tr("for 8 hours")),
    (86400, tr("for 1 day")),
    (604800, tr("for 7 days")),
)
_INDENT = 32
"""Px from a step's number to its title."""
_CLUSTERS = 236
"""Px at 100 % text: more clusters than this scroll."""


@dataclass(frozen=True)
class GrantLine:
    """How far a cluster is with a grant."""

    state: Meaning
    words: str


def grant_line(reply: SyncReply) -> GrantLine:
    """A sync in a few words: doors that have it, doors that wait."""
    total = len(reply.readers)
    applied = sum(reader.state == "applied" for reader in reply.readers)
    failed = sum(reader.state == "failed" for reader in reply.readers)
    if applied == total:
        slowest = max((reader.latency_ms or 0.0 for reader in reply.readers), default=0.0)
        return GrantLine(
            Meaning.OK,
            tr("{count} of {total} doors in {span}", count=total, total=total, span=milliseconds(slowest)),
        )
    state = Meaning.BAD if failed else Meaning.WARN
    waiting = sum(reader.state == "pending_offline" for reader in reply.readers)
    parts = [tr("{count} of {total} doors", count=applied, total=total)]
    if waiting:
        parts.append(tr("{count} offline", count=waiting))
    if failed:
        parts.append(tr("{count} failed", count=failed))
    return GrantLine(state, ", ".join(parts))


class ThenStep(QWidget):
    """One step with its number, how far it is, and why; controls are added to ``body``."""

    def __init__(self, number: int, title: str) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(4)
        row = QHBoxLayout()
        outer.addLayout(row)
        row.setSpacing(8)
        self.number = label(str(number), "key")
        self.number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.number.setFixedWidth(theme.px(24))
        row.addWidget(self.number)
        self.title = label(title, "heading")
        row.addWidget(self.title)
        row.addStretch(1)
        inside = QHBoxLayout()
        outer.addLayout(inside)
        inside.addSpacing(_INDENT)
        self.body = QVBoxLayout()
        inside.addLayout(self.body, 1)
        self.body.setSpacing(4)
        self.mark = StateMark()
        self.mark.hide()
        self.body.addWidget(self.mark)
        self.why: QLabel = label("", "small", wrap=True)
        self.body.addWidget(self.why)
        outer.addStretch(1)

    def tell(self, possible: bool, why: str, mark: GrantLine | None) -> None:
        """Whether it can be taken now, why it cannot or what it does, and how far it is."""
        theme.set_property(self.title, "dim", not possible)
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.mark.setVisible(mark is not None)
        if mark is not None:
            self.mark.set(mark.state, mark.words)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "number"):
            self.number.setFixedWidth(theme.px(24))
        super().changeEvent(event)


class ThenView(TitledPanel):
    """Emits nothing but ``clusters_changed``; everything else is an action of the table."""

    clusters_changed = Signal()

    def __init__(self, table: ActionTable, *, can_present: bool, can_burn: bool) -> None:
        super().__init__(tr("Then"), padding=12)
        self._boxes: dict[str, QCheckBox] = {}
        self._lines: dict[str, StateMark] = {}
        self._doors: dict[str, QLabel] = {}
        self.whose = ElidedLabel("", "small")
        self.whose.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.head.addWidget(self.whose, 100)
        self.barred = StateMark()
        self.barred.hide()
        self.body.addWidget(self.barred)
        self.barred_words = label("", wrap=True)
        self.barred_words.hide()
        self.body.addWidget(self.barred_words)
        self._steps = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._steps)
        self._steps.setSpacing(20)
        self.pin = ThenStep(1, tr("Give out the PIN"))
        self.doors = ThenStep(2, tr("Open doors"))
        self.door = ThenStep(3, tr("Try one door"))
        for one in (self.pin, self.doors, self.door):
            self._steps.addWidget(one)
        row = WrapRow()
        self.pin.body.addLayout(row)
        row.addWidget(ActionButton(table, "write_card.mailer", text=tr("Save")))
        row.addWidget(ActionButton(table, "write_card.print_mailer", text=tr("Print"), role="quiet"))
        self._fill_doors(table)
        row = WrapRow()
        self.door.body.addLayout(row)
        if can_present:
            row.addWidget(ActionButton(table, "write_card.present", text=tr("Present")))
        if can_burn:
            row.addWidget(ActionButton(table, "write_card.burn", text=tr("Burn"), role="quiet"))
        self.door.setVisible(can_present or can_burn)
        self.body.addStretch(1)

    def _fill_doors(self, table: ActionTable) -> None:
        """The clusters that can be chosen, for how long, and the button that grants them."""
        inside = QWidget()
        self._clusters = QGridLayout(inside)
        self._clusters.setContentsMargins(0, 0, 0, 0)
        self._clusters.setHorizontalSpacing(8)
        self._clusters.setVerticalSpacing(0)
        self._clusters.setColumnStretch(1, 1)
        self._inside = inside
        self._area = scroller(inside)
        self.doors.body.addWidget(self._area)
        self.grant_error = label("", "error", wrap=True)
        self.grant_error.hide()
        self.doors.body.addWidget(self.grant_error)
        self.lifetime = QComboBox()
        self.lifetime.setAccessibleName(tr("How long the doors may open before the grant is renewed"))
        for seconds, words in LIFETIMES:
            self.lifetime.addItem(words, seconds)
        self.lifetime.setCurrentIndex(1)
        row = WrapRow()
        self.doors.body.addLayout(row)
        row.addWidget(self.lifetime)
        row.addWidget(ActionButton(table, "write_card.grant", text=tr("Grant")))
        self._fit()

    def lie(self, flat: bool) -> None:
        """Have the steps beside each other, in a row of its own, or below each other in a column."""
        lay(self._steps, across=flat)
        for one, share in ((self.pin, 3), (self.doors, 4), (self.door, 3)):
            self._steps.setStretchFactor(one, share if flat else 0)

    def _fit(self) -> None:
        """Give the clusters the height of their rows, up to a limit."""
        self._area.setFixedHeight(min(self._inside.sizeHint().height(), theme.px(_CLUSTERS)))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_area"):
            self._fit()
        super().changeEvent(event)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_whose(self, words: str) -> None:
        """Whom the steps are for, or when they can be taken."""
        self.whose.setText(words)

    def show_mailer(self, state: Meaning, word: str, words: str) -> None:
        """Whether the PIN was given out."""
        self.pin.tell(True, words, GrantLine(state, word))

    def show_barred(self, who: str, words: CardWords | None) -> None:
        """The holder is burned or contained: neither PIN nor doors; None: they are not."""
        for one in (self.barred, self.barred_words):
            one.setVisible(words is not None)
        for step in (self.pin, self.doors):
            step.setVisible(words is None)
        if words is not None:
            self.barred.set(words.state, f"{words.word}: {who}")
            self.barred_words.setText(words.remedy)

    def offer_clusters(self, clusters: Sequence[ReaderCluster]) -> None:
        """The clusters that a card may be granted at."""
        if [cluster.cluster_id for cluster in clusters] == list(self._boxes):
            return
        chosen = set(self.chosen_clusters)
        take_away(self._clusters, (*self._boxes.values(), *self._lines.values(), *self._doors.values()))
        self._boxes, self._lines, self._doors = {}, {}, {}
        for at, cluster in enumerate(clusters):
            count = tr("{count} doors", count=len(cluster.readers))
            box = QCheckBox(cluster.display_name.replace("&", "&&"))
            box.setAccessibleName(f"{cluster.display_name}, {count}")
            box.setToolTip(cluster.cluster_id)
            box.setChecked(cluster.cluster_id in chosen)
            box.toggled.connect(lambda _on: self.clusters_changed.emit())
            doors = label(count, "small")
            mark = StateMark()
            mark.hide()
            self._clusters.addWidget(box, 2 * at, 0)
            self._clusters.addWidget(doors, 2 * at, 1)
            self._clusters.addWidget(mark, 2 * at + 1, 0, 1, 2)
            self._boxes[cluster.cluster_id] = box
            self._lines[cluster.cluster_id] = mark
            self._doors[cluster.cluster_id] = doors
        self._fit()

    @property
    def chosen_clusters(self) -> list[str]:
        """Ids of the clusters that are ticked."""
        return [cluster_id for cluster_id, box in self._boxes.items() if box.isChecked()]

    def tick(self, clusters: Collection[str]) -> None:
        """Tick these and no others; nothing is told of it."""
        for cluster_id, box in self._boxes.items():
            box.blockSignals(True)
            box.setChecked(cluster_id in clusters)
            box.blockSignals(False)
            box.update()

    @property
    def ttl_s(self) -> int:
        """Seconds that the grant holds."""
        return int(self.lifetime.currentData())

    def show_grants(self, lines: Mapping[str, GrantLine]) -> None:
        """How far each cluster is; clusters without a line show none."""
        for cluster_id, mark in self._lines.items():
            line = lines.get(cluster_id)
            mark.setVisible(line is not None)
            if line is not None:
                mark.set(line.state, line.words)
        self._fit()

    def show_grant_error(self, sentence: str) -> None:
        """Why it was not granted; the empty text takes it away."""
        self.grant_error.setText(sentence)
        self.grant_error.setVisible(bool(sentence))

    def focus_clusters(self) -> None:
        """Put the focus where the grant begins."""
        for box in self._boxes.values():
            box.setFocus(Qt.FocusReason.OtherFocusReason)
            return


def grants_line(lines: Mapping[str, GrantLine]) -> GrantLine:
    """All clusters of a card in one word."""
    if not lines:
        return GrantLine(Meaning.IDLE, tr("Not granted here"))
    if all(line.state is Meaning.OK for line in lines.values()):
        return GrantLine(Meaning.OK, tr("Granted"))
    if any(line.state is Meaning.WORK for line in lines.values()):
        return GrantLine(Meaning.WORK, tr("Being granted"))
    worst = Meaning.BAD if any(line.state is Meaning.BAD for line in lines.values()) else Meaning.WARN
    return GrantLine(worst, tr("Not at every door yet"))
