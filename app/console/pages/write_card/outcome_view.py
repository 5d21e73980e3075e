"""A provisioning as it ended: proof, keys, figures; and what is demanded and known of the card in the reader."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.capabilities.provisioning.messages import Card, Provision, SlotReply
from app.console import theme
from app.console.cards.jobs import milliseconds
from app.console.cards.words import BARRED, DEMANDS, EVIDENCE, CardWords, as_sentence
from app.console.clock import date_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label

PROOFS = (
    ("read_back", tr("Read back"), tr("Every object was read again in a fresh session and is equal.")),
    ("proof_of_possession", tr("Possession"), tr("Each key answered a challenge that its certificate verifies.")),
    ("chuid_signature", tr("CHUID signature"), tr("The card's name is signed by the site.")),
    ("security_object", tr("Security object"), tr("Hashes of all objects, signed; the card may lack it.")),
)
_SOURCES = {
    "serial": tr("vendor serial"),
    "cplc": "CPLC",
    "guid": "GUID",
    "uid": tr("contactless UID"),
    "reader": tr("named by its reader"),
}
PROVISION_STATES = {"COMPLETE": Meaning.OK, "RUNNING": Meaning.WORK, "TORN": Meaning.BAD, "REFUSED": Meaning.BAD}
_VERDICTS = {"MET": Meaning.OK, "HISTORICAL": Meaning.WARN, "NOT_MET": Meaning.BAD, "UNKNOWN": Meaning.IDLE}


class OutcomeView(QWidget):
    """``show_provision`` fills the proof, ``show_card`` what the card in the reader tells."""

    def __init__(self) -> None:
        super().__init__()
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 12, 0, 0)
        columns.setSpacing(12)
        self._stack = QStackedWidget()
        columns.addWidget(self._stack, 56)
        self._empty = EmptyState(
            "id-card",
            tr("No card has been written here yet."),
            tr("After the write: the proof read back from the card, and its keys."),
        )
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._proof())
        columns.addLayout(self._card(), 44)

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
                ("uid", tr("Chip number"), True),
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
        keep_lengths(self.slot_table, lambda one: one.setMinimumHeight(height_of(4)))
        self.proof.body.addWidget(self.slot_table, 1)
        return self.proof

    # --- the card in the reader --------------------------------------------------------------------------------------

    def _card(self) -> QVBoxLayout:
        """What is demanded of the card, and what the one in the chosen reader tells of itself."""
        column = QVBoxLayout()
        panel = TitledPanel(tr("FIPS demand"), padding=12)
        column.addWidget(panel)
        self.demand = QComboBox()
        self.demand.setEditable(True)
        self.demand.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.demand.addItems(list(DEMANDS))
        self.demand.setAccessibleName(tr("FIPS demand"))
        self.demand.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.demand.setToolTip(
            tr("FIPS 140-2 or 140-3 [Level 1..4] [physical 1..4]; FIPS 201-2 or 201-3 [/ PIV]; GSA APL and a number.")
        )
        panel.body.addWidget(self.demand)
        self.demand_error = label("", "error", wrap=True)
        self.demand_error.hide()
        panel.body.addWidget(self.demand_error)
        self.card_panel = TitledPanel(tr("Card"), padding=12)
        column.addWidget(self.card_panel)
        self.card_mark = StateMark()
        self.card_panel.head.addWidget(self.card_mark)
        self.card_facts = Facts(
            (
                ("uid", tr("Chip number"), True),
                ("holder", tr("Holder"), False),
                ("tries", tr("PIN tries"), False),
                ("guid", "GUID", True),
                ("source", tr("Read from"), False),
                ("atr", "ATR", True),
            )
        )
        self.card_panel.body.addWidget(self.card_facts)
        self.card_remedy = label("", "small", wrap=True)
        self.card_panel.body.addWidget(self.card_remedy)
        column.addStretch(1)
        return column

    def show_card(self, card: Card | None, words: CardWords | None, holder: str) -> None:
        """The card in the chosen reader, whose it is, and what is to be said of it."""
        if card is None or words is None or not card.present:
            self.card_facts.clear()
            self.card_mark.set(Meaning.IDLE, tr("No card"))
            self.card_remedy.setText(
                tr("{reader} is empty.", reader=card.reader) if card is not None else tr("No reader is chosen.")
            )
            return
        self.card_mark.set(words.state, words.word)
        self.card_facts.set("atr", card.atr or "")
        self.card_facts.set("uid", card.hardware_uid or "")
        self.card_facts.set("source", _SOURCES.get(card.uid_source or "", ""))
        self.card_facts.set("guid", card.card_guid or "")
        self.card_facts.set("holder", holder)
        self.card_facts.set("tries", "" if card.pin_tries is None else str(card.pin_tries))
        self.card_remedy.setText(words.remedy or tr("May be written."))

    def show_demand_error(self, sentence: str) -> None:
        """Mark the demand that the service refused; the empty text takes the mark away."""
        self.demand_error.setText(sentence)
        self.demand_error.setVisible(bool(sentence))
        theme.mark_invalid(self.demand, bool(sentence))

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_provision(self, found: Provision) -> None:
        """Show one."""
        self._stack.setCurrentIndex(1)
        self.proof.title.setText(tr("Proof (TRAINING)") if found.training else tr("Proof"))
        barred = BARRED.get(found.standing)
        if barred is not None:
            self.state.set(barred.state, barred.word)
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
