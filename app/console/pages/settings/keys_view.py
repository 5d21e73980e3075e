"""API keys: who may call this service, since when, until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.api.keys_messages import KeyRow
from app.console.clock import age, date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

LAUNCH = "key_launch"
"""The key of a console that runs its own service, as the service names it."""
LAUNCHED = tr("the console that runs the service")
SHOWN_OF_LINE = 8
CLOSED = (
    tr("Keys need Citadel clearance."),
    tr("This console is connected with a Sovereign key: it can neither see nor change API keys."),
)
SOON_S = 14 * 86400.0
"""An expiry nearer than this is told as something to do."""


@dataclass(frozen=True)
class ListedKey:
    """A key as the table has it; ``now`` is the moment by the service's clock for which its words are true."""

    row: KeyRow
    now: float

    @property
    def live(self) -> bool:
        """Whether it opens anything now."""
        return self.row.revoked_at is None and not self._past(self.row.expires_at)

    def _past(self, moment: str | None) -> bool:
        return moment is not None and parse_time(moment) <= self.now

    @property
    def state(self) -> Meaning:
        """How its word is painted."""
        if not self.live:
            return Meaning.IDLE
        ends = self.row.expires_at
        return Meaning.WARN if ends is not None and parse_time(ends) - self.now < SOON_S else Meaning.OK

    @property
    def word(self) -> str:
        """Its state in words."""
        if self.row.revoked_at is not None:
            return tr("Revoked")
        if not self.live:
            return tr("Expired")
        if self.state is Meaning.WARN:
            return tr("Expires soon")
        return tr("Rotating") if self.row.previous_valid_until is not None else tr("Active")

    @property
    def hint(self) -> str:
        """What there is to know of the state beyond its word."""
        if self.row.revoked_at is not None:
            return tr(
                "Revoked at {time}: it opens nothing any more.",
                time=date_time(parse_time(self.row.revoked_at)),
            )
        if self.row.previous_valid_until is not None:
            until = date_time(parse_time(self.row.previous_valid_until))
            return tr("The secret before the last rotation still opens until {time}.", time=until)
        return tr("It opens what its clearance allows.") if self.live else tr("It opens nothing any more.")

    @property
    def used_at(self) -> float | None:
        """When it was used last, Unix seconds; None: never."""
        return None if self.row.last_used_at is None else parse_time(self.row.last_used_at)

    @property
    def last_use(self) -> str:
        """The same as an age."""
        return tr("never") if self.used_at is None else tr("{age} ago", age=age(max(0.0, self.now - self.used_at)))

    @property
    def expires(self) -> str:
        """When it ends."""
        return tr("never") if self.row.expires_at is None else date_time(parse_time(self.row.expires_at))

    def maker(self, names: OperatorNames) -> str:
        """Which key or operator made it."""
        made_by = self.row.made_by
        return {None: tr("command line"), LAUNCH: tr("a console")}.get(made_by) or names.of(made_by)

    def line(self, names: OperatorNames) -> str:
        """Which keys and operators could have its secret, and what follows."""
        if not self.row.line:
            return tr("Nobody else could have its secret: it approves what others ask for.")
        others = line_names(names, self.row.line[:SHOWN_OF_LINE])
        more = len(self.row.line) - SHOWN_OF_LINE
        rest = tr(" and {count} more", count=more) if more > 0 else ""
        return tr(
            "Could have its secret, since they made it, rotated it, or made or rotated a key that did: "
            "{others}{rest}. It approves nothing that one of these, or a key of their making, asks for.",
            others=others,
            rest=rest,
        )


def line_names(names: OperatorNames, line: Sequence[str]) -> str:
    """Who they are that could act as a key or an operator."""
    return ", ".join(LAUNCHED if one == LAUNCH else names.of(one) for one in line)


def line_count(line: Sequence[str]) -> str:
    """How many others could act as a key or an operator."""
    if not line:
        return tr("own", "lineage")
    return tr("1 other") if len(line) == 1 else tr("{count} others", count=len(line))


def _utc(moment: str | None, otherwise: str) -> str:
    return otherwise if moment is None else utc_time(parse_time(moment))


class KeysView(QWidget):
    """The list with its actions, or why there is none."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        table, names = session.actions, session.names
        self._names, self._ours = names, ""
        columns: list[Column[ListedKey]] = [
            Column(tr("LABEL"), lambda key: key.row.label, least=180),
            Column(tr("CLEARANCE"), lambda key: key.row.clearance.capitalize(), 110),
            Column(tr("STATE"), lambda key: key.word, 140, state=lambda key: key.state, hint=lambda key: key.hint),
            Column(tr("LAST USE"), lambda key: key.last_use, 110, order=lambda key: key.used_at,
                   hint=lambda key: _utc(key.row.last_used_at, tr("Written down once a minute."))),
            Column(tr("EXPIRES"), lambda key: key.expires, 165,
                   hint=lambda key: _utc(key.row.expires_at, tr("Never."))),
            Column(tr("MADE"), lambda key: date_time(parse_time(key.row.created_at)), 165, dim=True, spare=2,
                   hint=lambda key: _utc(key.row.created_at, "")),
            Column(tr("MADE BY"), lambda key: key.maker(names), 170, dim=True, spare=1,
                   hint=lambda key: key.row.made_by or "", copied=lambda key: names.full(key.row.made_by)),
            Column(tr("LINE", "lineage"), lambda key: line_count(key.row.line), 90, dim=True, spare=2,
                   hint=lambda key: key.line(names)),
            Column(tr("KEY ID"), lambda key: key.row.kid, 190, mono=True, dim=True, spare=3),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda key: key.row.kid)
        self.table = DataTable(self.rows, name=tr("API keys"), sorts=True)
        self.none = EmptyState(
            "key-round",
            tr("Nobody else has a key yet."),
            tr(
                "A partner's system, an HR system or a script calls this service with a key of its own, so "
                "that what it did can be told apart and ended alone."
            ),
            table=table,
            action="settings.key_new",
        )
        self.closed = EmptyState("lock", *CLOSED)
        self.away = EmptyState(
            "unplug", tr("No service is connected."), tr("The keys are listed as soon as one answers.")
        )
        panel = TitledPanel(tr("API keys"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        panel.head.addWidget(self.mark)
        for action in ("settings.keys_revoked", "settings.key_revoke", "settings.key_rotate"):
            panel.head.addWidget(ActionButton(table, action, role="quiet"))
        # Where there is no key yet, the empty list offers it.
        self.new = ActionButton(table, "settings.key_new", role="primary")
        panel.head.addWidget(self.new)
        self.stack = Stack(200)
        for part in (self.away, self.table, self.none, self.closed):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        self.table.selected.connect(lambda _row: self._tell())
        names.changed.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)

    @property
    def chosen(self) -> ListedKey | None:
        """The key under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_keys(self, keys: Sequence[ListedKey], wanted: str) -> None:
        """Show the list; ``wanted`` is the id of the key to put the cursor on."""
        self.rows.set_rows(keys)
        self.stack.setCurrentWidget(self.table if keys else self.none)
        self.new.setVisible(bool(keys))
        at = self.rows.row_of(wanted)
        if keys and (at >= 0 or not self.table.currentIndex().isValid()):
            self.table.selectRow(max(at, 0))
        self._tell()

    def show_note(self, ours: str) -> None:
        """Say what holds of this console's own key, below the line of the chosen one."""
        self._ours = ours
        self._tell()

    def _tell(self) -> None:
        key = self.chosen
        line = "" if key is None else f"{key.row.label}: {key.line(self._names)}"
        self.note.setText("\n".join(part for part in (line, self._ours) if part))
