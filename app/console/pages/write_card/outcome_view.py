"""A provisioning as it ended: proof, keys, figures; and what comes next: PIN mailer, access, the door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.credentials.messages import SyncReply
from app.capabilities.provisioning.messages import Provision, SlotReply
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import milliseconds
from app.console.cards.words import BARRED, EVIDENCE, as_sentence
from app.console.clock import date_time, parse_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import TitledPanel, label
from app.registry.messages.clusters import ReaderCluster

PROOFS = (
    ("read_back", tr("Read back"), tr("Every object was read again in a fresh session and is equal.")),
    ("proof_of_possession", tr("Possession"), tr("Each key answered a challenge that its certificate verifies.")),
    ("chuid_signature", tr("CHUID signature"), tr("The card's name is signed by the site.")),
    ("security_object", tr("Security object"), tr("Hashes of all objects, signed; the card may lack it.")),
)
LIFETIMES = (
    (3600, tr("for 1 hour")),
    (28800, tr("for 8 hours")),
    (86400, tr("for 1 day")),
    (604800, tr("for 7 days")),
)
PROVISION_STATES = {"COMPLETE": Meaning.OK, "RUNNING": Meaning.WORK, "TORN": Meaning.BAD, "REFUSED": Meaning.BAD}
_VERDICTS = {"MET": Meaning.OK, "HISTORICAL": Meaning.WARN, "NOT_MET": Meaning.BAD, "UNKNOWN": Meaning.IDLE}


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


class OutcomeView(QWidget):
    """Emits nothing but ``clusters_changed``; everything else is an action of the table."""

    clusters_changed = Signal()

    def __init__(self, table: ActionTable, *, can_present: bool, can_burn: bool) -> None:
        super().__init__()
        self._boxes: dict[str, QCheckBox] = {}
        self._lines: dict[str, StateMark] = {}
        self._door_number: QLabel | None = None
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 8, 0, 0)
        self._stack = QStackedWidget()
        whole.addWidget(self._stack)
        self._empty = EmptyState(
            "id-card",
            tr("No card has been written here yet."),
            tr(
                "After the write: the proof read back from the card, its keys, the PIN mailer, and the doors "
                "it may open."
            ),
        )
        self._stack.addWidget(self._empty)
        shown = QWidget()
        columns = QHBoxLayout(shown)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(12)
        columns.addWidget(self._proof(), 56)
        columns.addWidget(self._next(table, can_present, can_burn), 44)
        self._stack.addWidget(shown)

    # --- proof -------------------------------------------------------------------------------------------------------

    def _proof(self) -> TitledPanel:
        """What was proven of the card, and its keys."""
        self.proof = TitledPanel(tr("Proof"), padding=12)
        self.state = StateMark()
        self.proof.head.addWidget(self.state)
        marks = QGridLayout()
        marks.setHorizontalSpacing(16)
        marks.setVerticalSpacing(4)
        self.proofs: dict[str, StateMark] = {}
        for at, (key, title, hint) in enumerate(PROOFS):
            mark = StateMark(Meaning.IDLE, title)
            mark.setToolTip(hint)
            self.proofs[key] = mark
            marks.addWidget(mark, at // 2, at % 2)
        marks.setColumnStretch(2, 1)
        self.proof.body.addLayout(marks)
        self.facts = Facts(
            (
                ("person", tr("Person"), False),
                ("guid", tr("Card GUID"), True),
                ("uid", "hardware_uid", True),
                ("figures", tr("Write"), False),
                ("at", tr("Finished"), False),
            )
        )
        self.proof.body.addSpacing(4)
        self.proof.body.addWidget(self.facts)
        # Below each other: side by side they would be wider than the page at larger text.
        verdict = QVBoxLayout()
        verdict.setSpacing(4)
        self.standing = StateMark()
        self.fips = StateMark()
        verdict.addWidget(self.standing)
        verdict.addWidget(self.fips)
        self.proof.body.addLayout(verdict)
        self.fips_detail = label("", "small", wrap=True)
        self.proof.body.addWidget(self.fips_detail)
        self.warnings = label("", "small", wrap=True)
        self.warnings.hide()
        self.proof.body.addWidget(self.warnings)
        columns: list[Column[SlotReply]] = [
            Column(tr("KEY"), lambda slot: slot.slot, 48, mono=True),
            Column(tr("TYPE"), lambda slot: slot.algorithm, 84),
            Column(
                tr("CERT"),
                lambda slot: slot.certificate_sha256,
                mono=True,
                hint=lambda slot: f"SHA-256 {slot.certificate_sha256}",
            ),
            Column(
                tr("PUBLIC"),
                lambda slot: slot.public_key_sha256,
                mono=True,
                hint=lambda slot: f"SHA-256 {slot.public_key_sha256}",
                spare=1,
            ),
            Column(tr("UNTIL"), lambda slot: slot.not_after[:10], 100),
        ]
        self.slots = RowsModel(columns, lambda slot: slot.slot)
        self.slot_table = DataTable(
            self.slots, name=tr("Keys of the card, with the SHA-256 of certificate and public key")
        )
        self.slot_table.setMinimumHeight(theme.px(28) + 4 * theme.row_height() + 4)
        self.proof.body.addWidget(self.slot_table, 1)
        return self.proof

    # --- what comes next ---------------------------------------------------------------------------------------------

    def _next(self, table: ActionTable, can_present: bool, can_burn: bool) -> TitledPanel:
        """What comes next: PIN mailer, access, the door."""
        panel = TitledPanel(tr("Next"), padding=12)
        self.barred = QWidget()
        inside = QVBoxLayout(self.barred)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(6)
        self.barred_mark = StateMark()
        self.barred_words = label("", wrap=True)
        inside.addWidget(self.barred_mark)
        inside.addWidget(self.barred_words)
        self.barred.hide()
        panel.body.addWidget(self.barred)
        self.steps = QWidget()
        steps = QVBoxLayout(self.steps)
        steps.setContentsMargins(0, 0, 0, 0)
        steps.setSpacing(6)
        panel.body.addWidget(self.steps)
        self.mailer_mark = StateMark()
        steps.addLayout(self._step(label("1", "key"), tr("Give out the PIN, once"), self.mailer_mark))
        self.mailer_words = label("", "small", wrap=True)
        steps.addWidget(self.mailer_words)
        row = QHBoxLayout()
        row.addWidget(ActionButton(table, "write_card.mailer", with_key=True))
        row.addWidget(ActionButton(table, "write_card.print_mailer", text=tr("Print"), role="quiet"))
        row.addStretch(1)
        steps.addLayout(row)
        steps.addSpacing(4)
        self.grant_mark = StateMark()
        steps.addLayout(self._step(label("2", "key"), tr("Grant access"), self.grant_mark))
        self._clusters = QGridLayout()
        self._clusters.setHorizontalSpacing(8)
        self._clusters.setVerticalSpacing(0)
        self._clusters.setColumnStretch(1, 1)
        steps.addLayout(self._clusters)
        self.grant_error = label("", "error", wrap=True)
        self.grant_error.hide()
        steps.addWidget(self.grant_error)
        row = QHBoxLayout()
        self.lifetime = QComboBox()
        self.lifetime.setAccessibleName(tr("How long the doors may open before the grant is renewed"))
        for seconds, words in LIFETIMES:
            self.lifetime.addItem(words, seconds)
        self.lifetime.setCurrentIndex(1)
        row.addWidget(self.lifetime)
        row.addWidget(ActionButton(table, "write_card.grant", with_key=True))
        row.addStretch(1)
        steps.addLayout(row)
        panel.body.addSpacing(4)
        row = QHBoxLayout()
        if can_present:
            self._door_number = label("3", "key")
            panel.body.addLayout(self._step(self._door_number, tr("See the door decide"), None))
            row.addWidget(ActionButton(table, "write_card.present", text=tr("Present"), with_key=True))
        if can_burn:
            row.addWidget(ActionButton(table, "write_card.burn", text=tr("Burn"), role="quiet", with_key=True))
        row.addStretch(1)
        panel.body.addLayout(row)
        panel.body.addStretch(1)
        return panel

    @staticmethod
    def _step(key: QLabel, title: str, mark: StateMark | None) -> QHBoxLayout:
        """The heading of a step: its key, its title, how far it is."""
        row = QHBoxLayout()
        row.setSpacing(8)
        key.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row.addWidget(key)
        heading: QLabel = label(title)
        heading.setFont(theme.ui(13))
        heading.setProperty("role", "strong")
        row.addWidget(heading)
        row.addStretch(1)
        if mark is not None:
            row.addWidget(mark)
        return row

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_nothing(self) -> None:
        """No provisioning is chosen."""
        self._stack.setCurrentIndex(0)

    def show_provision(self, found: Provision) -> None:
        """Show one."""
        self._stack.setCurrentIndex(1)
        self.proof.title.setText(tr("Proof (TRAINING)") if found.training else tr("Proof"))
        barred = BARRED.get(found.standing)
        self.barred.setVisible(barred is not None)
        self.steps.setVisible(barred is None)
        if self._door_number is not None:
            self._door_number.setVisible(barred is None)
        if barred is not None:
            self.state.set(barred.state, barred.word)
            self.barred_mark.set(barred.state, f"{barred.word}: {found.display_name or found.node_id}")
            self.barred_words.setText(barred.remedy)
        else:
            self.state.set(PROVISION_STATES[found.state], code_word(found.state))
        verification = found.verification
        for key, title, _ in PROOFS:
            if verification is None:
                self.proofs[key].set(Meaning.IDLE, tr("{title}: none yet", title=title))
            elif getattr(verification, key):
                self.proofs[key].set(Meaning.OK, title)
            else:
                self.proofs[key].set(Meaning.WARN, tr("{title}: not on this card", title=title))
        self.facts.set("person", f"{found.display_name or ''}  {found.node_id}".strip())
        self.facts.set("guid", found.card_guid or "")
        self.facts.set("uid", found.hardware_uid_now or found.hardware_uid)
        per = (
            tr(
                "{count} APDUs in {span}",
                count=found.apdu_count,
                span=milliseconds(found.duration_ms),
            )
            if found.duration_ms
            else ""
        )
        self.facts.set("figures", per or (tr("{count} APDUs", count=found.apdu_count) if found.apdu_count else ""))
        self.facts.set("at", f"{date_time(parse_time(found.timestamp))}  {found.provision_id}")
        self.standing.set(state_of(found.standing), code_word(found.standing))
        verdict = found.fips
        self.fips.set(_VERDICTS[verdict.verdict], f"{verdict.required}: {code_word(verdict.verdict)}")
        module = " ".join(part for part in (verdict.module, verdict.certificate) if part)
        evidence = (
            tr("nothing proves the module")
            if verdict.evidence == "none"
            else EVIDENCE.get(verdict.evidence, verdict.evidence)
        )
        parts = [tr("Evidence: {evidence}.", evidence=evidence), f"{module}." if module else "", verdict.detail or ""]
        self.fips_detail.setText(" ".join(part for part in parts if part))
        warnings = list(found.warnings)
        if found.weak_management_key:
            warnings.append(tr("The card takes only a 3DES management key."))
        if found.detail:
            warnings.append(found.detail)
        self.warnings.setText(" ".join(as_sentence(text) for text in warnings))
        self.warnings.setVisible(bool(warnings))
        self.slots.set_rows(found.slots)

    def show_mailer(self, state: Meaning, word: str, words: str) -> None:
        """Whether the PIN was given out."""
        self.mailer_mark.set(state, word)
        self.mailer_words.setText(words)

    # --- clusters ----------------------------------------------------------------------------------------------------

    def offer_clusters(self, clusters: Sequence[ReaderCluster]) -> None:
        """The clusters that a card may be granted at."""
        if [cluster.cluster_id for cluster in clusters] == list(self._boxes):
            return
        chosen = set(self.chosen_clusters)
        take_away(self._clusters, (*self._boxes.values(), *self._lines.values()))
        self._boxes, self._lines = {}, {}
        for at, cluster in enumerate(clusters):
            doors = tr("{count} doors", count=len(cluster.readers))
            box = QCheckBox(f"{cluster.display_name} · {doors}".replace("&", "&&"))
            box.setAccessibleName(f"{cluster.display_name}, {doors}")
            box.setToolTip(cluster.cluster_id)
            box.setChecked(cluster.cluster_id in chosen)
            box.toggled.connect(lambda _on: self.clusters_changed.emit())
            mark = StateMark()
            mark.hide()
            self._clusters.addWidget(box, at, 0)
            self._clusters.addWidget(mark, at, 2)
            self._boxes[cluster.cluster_id] = box
            self._lines[cluster.cluster_id] = mark

    @property
    def chosen_clusters(self) -> list[str]:
        """Ids of the clusters that are ticked."""
        return [cluster_id for cluster_id, box in self._boxes.items() if box.isChecked()]

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
        if not lines:
            self.grant_mark.set(Meaning.IDLE, tr("Not granted here"))
        elif all(line.state is Meaning.OK for line in lines.values()):
            self.grant_mark.set(Meaning.OK, tr("Granted"))
        elif any(line.state is Meaning.WORK for line in lines.values()):
            self.grant_mark.set(Meaning.WORK, tr("Being granted"))
        else:
            worst = Meaning.BAD if any(line.state is Meaning.BAD for line in lines.values()) else Meaning.WARN
            self.grant_mark.set(worst, tr("Not at every door yet"))

    def show_grant_error(self, sentence: str) -> None:
        """Why it was not granted; the empty text takes it away."""
        self.grant_error.setText(sentence)
        self.grant_error.setVisible(bool(sentence))

    def focus_clusters(self) -> None:
        """Put the focus where the grant begins."""
        for box in self._boxes.values():
            box.setFocus(Qt.FocusReason.OtherFocusReason)
            return
