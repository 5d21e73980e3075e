"""The APDU flight recorder: every APDU of a write beside the last good one of the same kind of card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.capabilities.provisioning.messages import Trace, TraceEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import STEP_WORDS, milliseconds
from app.console.language import number, tr
from app.console.pages.write_card.apdu_words import instruction_words, status_words
from app.console.pages.write_card.tlv_words import element_lines, object_words
from app.console.pages.write_card.trace_diff import ApduDifference, TraceLine, keys_of
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label

_STATES = {
    ApduDifference.MISSING: Meaning.BAD,
    ApduDifference.EXTRA: Meaning.WARN,
    ApduDifference.STATUS: Meaning.BAD,
    ApduDifference.SLOW: Meaning.WARN,
}
_DIFFERENCES = {
    ApduDifference.NONE: "",
    ApduDifference.MISSING: tr("Missing"),
    ApduDifference.EXTRA: tr("Extra"),
    ApduDifference.STATUS: tr("Other SW"),
    ApduDifference.SLOW: tr("Slow"),
}
DETAIL_LINES = 5


class TraceView(QWidget):
    """``show_trace`` gives it a comparison; the selected line is taken apart below the table."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        self._lines: Sequence[TraceLine] = ()
        self._tags: dict[int, str] = {}
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Every APDU; secrets appear as their length"), padding=12)
        outer.addWidget(panel)
        self.words = label("", "small")
        panel.head.addWidget(self.words)
        self._bar = QWidget()
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.verdict = StateMark()
        row.addWidget(self.verdict)
        row.addStretch(1)
        self.only = QCheckBox(tr("Only differences"))
        self.only.setToolTip("Alt+D")
        self.only.toggled.connect(lambda _on: self._fill())
        row.addWidget(self.only)
        row.addWidget(ActionButton(table, "write_card.trace_copy", text=tr("Copy"), role="quiet"))
        row.addWidget(ActionButton(table, "write_card.trace_save", text=tr("Save"), role="quiet"))
        panel.body.addWidget(self._bar)
        self.against = ElidedLabel("", "small")
        panel.body.addWidget(self.against)
        columns: list[Column[TraceLine]] = [
            Column("#", _number, 44, right=True, dim=True),
            Column(tr("STAGE"), lambda line: STEP_WORDS.get(line.shown.stage, line.shown.stage), 150, spare=5),
            Column(tr("DIFFERENCE"), difference_words, 104, state=lambda line: _STATES.get(line.difference)),
            Column(tr("HEADER"), lambda line: line.shown.header.upper(), 80, mono=True, spare=1),
            Column(tr("INSTRUCTION"), self._instruction, least=150),
            Column(tr("SENT"), lambda line: sent_words(line.shown), 92, spare=2),
            Column(tr("ANSWER"), lambda line: answer_words(line.shown), 92, spare=3),
            Column(tr("STATUS WORD"), answered_words, 206, state=answered_state),
            Column(tr("MS"), lambda line: number(line.shown.ms, ".2f") if line.entry else "–", 62, right=True),
            Column(
                tr("GOOD MS"),
                lambda line: number(line.golden.ms, ".2f") if line.golden else "–",
                72,
                right=True,
                dim=True,
                spare=4,
            ),
        ]
        self.rows = RowsModel(columns, lambda line: f"{_number(line)}/{line.golden.index if line.golden else ''}")
        self.table = DataTable(self.rows, name=tr("APDUs of this provisioning"))
        keep_lengths(self.table, lambda one: one.setMinimumHeight(height_of(5)))
        self.table.selected.connect(self._take_apart)
        panel.body.addWidget(self.table, 1)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setTabChangesFocus(True)
        self.detail.setAccessibleName(tr("The selected APDU, taken apart"))
        self.detail.setPlaceholderText(tr("Select an APDU: what was sent and answered, element by element."))
        self.detail.setFont(theme.mono(12))
        keep_lengths(self.detail, lambda one: one.setFixedHeight(theme.px(18 * DETAIL_LINES)))
        panel.body.addWidget(self.detail)
        self.empty = EmptyState(
            "cpu",
            tr("No APDU to show."),
            tr("Each APDU of a finished or torn write appears here: stage, status word, time."),
        )
        panel.body.addWidget(self.empty, 1)
        self.show_trace(None, (), "")

    def show_trace(self, trace: Trace | None, lines: Sequence[TraceLine], against: str) -> None:
        """A trace and its comparison; ``against`` says with what, and is empty when there is nothing to compare."""
        self._lines = lines
        self._tags = {}
        if trace is not None:
            tags = (tag for _, tag in keys_of(trace.entries))
            self._tags = {id(entry): tag for entry, tag in zip(trace.entries, tags, strict=True)}
        filled = bool(lines)
        for widget in (self._bar, self.against, self.table, self.detail):
            widget.setVisible(filled)
        self.empty.setVisible(not filled)
        total = sum(line.entry.ms for line in lines if line.entry is not None)
        count = sum(line.entry is not None for line in lines)
        model = f"{trace.model}: " if trace is not None and trace.model and against else ""
        self.words.setText(
            tr(
                "{model}{count} APDUs, {span} in the card",
                model=model,
                count=count,
                span=milliseconds(total),
            )
            if filled
            else ""
        )
        counts = Counter(line.difference for line in lines if line.difference is not ApduDifference.NONE)
        if not against:
            first = trace.model if trace is not None else None
            self.verdict.set(Meaning.IDLE, tr("Nothing to compare"))
            self.against.setText(
                tr("It is the first good {model} at this site.", model=first) if first else tr("No card has answered.")
            )
        elif counts:
            self.verdict.set(Meaning.WARN, ", ".join(_difference_count(kind, many) for kind, many in counts.items()))
            self.against.setText(against)
        else:
            self.verdict.set(Meaning.OK, tr("No differences"))
            self.against.setText(against)
        self.only.setEnabled(bool(against))
        self._fill()

    @property
    def shown(self) -> list[TraceLine]:
        """The lines in the table."""
        return self.rows.rows

    def _fill(self) -> None:
        only = self.only.isChecked() and self.only.isEnabled()
        self.rows.set_rows([line for line in self._lines if not only or line.difference is not ApduDifference.NONE])
        self._take_apart(-1)

    def _instruction(self, line: TraceLine) -> str:
        tag = self._tags.get(id(line.shown), "") or keys_of([line.shown])[0][1]
        return " ".join(part for part in (instruction_words(line.shown.header), object_words(tag)) if part)

    def _take_apart(self, row: int) -> None:
        line = self.shown[row] if 0 <= row < len(self.shown) else None
        self.detail.setPlainText("" if line is None else "\n".join(detail_lines(line)))


def difference_words(line: TraceLine) -> str:
    """How the line differs, ``Slow ×3.1`` with how much."""
    if line.difference is ApduDifference.SLOW and line.golden is not None and line.golden.ms > 0:
        return tr("Slow ×{factor:.1f}", factor=line.shown.ms / line.golden.ms)
    return _DIFFERENCES[line.difference]


def _difference_count(kind: ApduDifference, count: int) -> str:
    """How many APDUs differ in this way."""
    match kind:
        case ApduDifference.MISSING:
            return tr("{count} missing", count=count)
        case ApduDifference.EXTRA:
            return tr("{count} extra", count=count)
        case ApduDifference.STATUS:
            return tr("{count} other SW", count=count)
        case _:
            return tr("{count} slow", count=count)


def sent_words(entry: TraceEntry) -> str:
    """What was sent, by length: a secret shows nothing else."""
    if not entry.lc:
        return "–"
    return f"{entry.lc} B" if entry.data is not None else tr("{count} B secret", count=entry.lc)


def answer_words(entry: TraceEntry) -> str:
    """What came back, by length."""
    if not entry.response_length:
        return "–"
    return (
        f"{entry.response_length} B"
        if entry.response is not None
        else tr("{count} B secret", count=entry.response_length)
    )


def answered_words(line: TraceLine) -> str:
    """The status word with its meaning, and the golden one where it was another."""
    if line.difference is ApduDifference.MISSING:
        return tr("never sent")
    words = status_words(line.shown.sw)
    if line.difference is ApduDifference.STATUS and line.golden is not None:
        return tr("{words} (good: {sw})", words=words, sw=line.golden.sw or tr("none", "status word"))
    return words


def answered_state(line: TraceLine) -> Meaning | None:
    """Done, a refusal, or no answer. A refusal that the golden trace has, too, is part of the course: an object that is
    not there is asked for, and tries are counted."""
    if line.entry is None:
        return None
    if line.entry.sw[:2] in ("90", "61"):
        return Meaning.OK
    if line.entry.sw and line.golden is not None and line.golden.sw == line.entry.sw:
        return Meaning.IDLE
    return Meaning.WARN if line.entry.sw else Meaning.BAD


def detail_lines(line: TraceLine) -> list[str]:
    """The APDU of a line, taken apart, as text."""
    entry = line.shown
    stage = STEP_WORDS.get(entry.stage, entry.stage)
    head = f"{entry.header.upper()} {instruction_words(entry.header)}, {stage}: {answered_words(line)}"
    if line.entry is not None:
        head += tr(", {ms:.2f} ms", ms=entry.ms)
    if line.golden is not None and line.entry is not None:
        head += tr(" (good: {ms:.2f} ms)", ms=line.golden.ms)
    tag = keys_of([entry])[0][1]
    parts = [head]
    for title, data, length in (
        (tr("Sent"), entry.data, sent_words(entry)),
        (tr("Answer"), entry.response, answer_words(entry)),
    ):
        if data:
            parts += [f"{title}, {len(data) // 2} B", *(f"  {text}" for text in element_lines(data, tag))]
        elif length != "–":
            parts.append(f"{title}, {length}")
    return parts


def as_text(lines: Sequence[TraceLine]) -> str:
    """The lines as a table of text, tab separated."""
    head = "\t".join(
        (
            "#",
            tr("STAGE"),
            tr("DIFFERENCE"),
            tr("HEADER"),
            tr("INSTRUCTION"),
            tr("SENT"),
            tr("ANSWER"),
            tr("STATUS WORD"),
            tr("MS"),
            tr("GOOD MS"),
        )
    )
    rows = [
        "\t".join(
            (
                _number(line),
                line.shown.stage,
                difference_words(line),
                line.shown.header.upper(),
                f"{instruction_words(line.shown.header)} {object_words(keys_of([line.shown])[0][1])}".strip(),
                sent_words(line.shown),
                answer_words(line.shown),
                answered_words(line),
                number(line.shown.ms, ".2f") if line.entry else "",
                number(line.golden.ms, ".2f") if line.golden else "",
            )
        )
        for line in lines
    ]
    return "\n".join((head, *rows, ""))


def _number(line: TraceLine) -> str:
    return str(line.shown.index) if line.entry is not None else "–"
