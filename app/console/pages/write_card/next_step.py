"""The page in one line: what is so at the chosen reader, and the next step of the operator."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.capabilities.provisioning.messages import Card, Provision
from app.console.cards.jobs import OPEN, STEP_WORDS, CardJob, JobPhase
from app.console.cards.words import BARRED, NO_HOLDERS, SILENT_S, Holders, barred_by_holder, card_words, holder_name
from app.console.theme.tokens import Meaning
from app.registry.messages.nodes import Node


@dataclass(frozen=True)
class NextStep:
    """The page in one line: a state, a headline, what to do next, and whether Write may be pressed."""

    state: Meaning
    headline: str
    sentence: str
    can_write: bool = False
    stands: bool = True
    """False while no card is in question: the headline asks for one."""


def next_step(
    card: Card | None,
    job: CardJob | None,
    node: Node | None,
    torn: Provision | None,
    stale: str,
    holders: Holders = NO_HOLDERS,
    reissues: Collection[str] = (),
    wanted: str = "",
) -> NextStep:
    """What is so, and what to do next; the first that applies. ``wanted``: the reader that was chosen, perhaps gone."""
    if stale:
        return NextStep(Meaning.IDLE, stale, "The service does not tell what lies in the readers.")
    if card is None and wanted:
        sentence = f"{wanted} is chosen again as soon as it is back. Or choose another reader."
        return NextStep(Meaning.WARN, "The reader is gone", sentence, stands=False)
    if card is None:
        return NextStep(
            Meaning.IDLE, "No card reader", "Plug a reader in: it appears at the left by itself.", stands=False
        )
    if card.silent_s >= SILENT_S:
        words = card_words(card, holders)
        return NextStep(words.state, words.word, words.remedy)
    if job is not None:
        found = _of_job(card, job, holders)
        if found is not None:
            return found
    words = card_words(card, holders)
    if not card.present:
        return NextStep(Meaning.IDLE, "Insert a card", f"Put a blank card into {card.reader}.", stands=False)
    holder = holder_name(card.node_id, holders)
    if card.state == "provisioned" or (card.state == "revoked" and not words.writable):
        if words.state is Meaning.CRIT and card.card_guid not in reissues:
            return NextStep(words.state, f"{words.word}: card of {holder}", words.remedy)
        if card.state == "provisioned" and node is not None and node.node_id == card.node_id:
            return NextStep(
                Meaning.OK, "Written before", "This person's card. Write shows its proof; nothing is written.", True
            )
        if card.card_guid in reissues and (node is None or node.standing not in BARRED):
            if node is None:
                return NextStep(Meaning.WARN, "Re-issue approved", "Choose who shall hold this card from now on.")
            sentence = f"Write takes this card from {holder} and makes it for {node.display_name}."
            return NextStep(Meaning.WARN, "Re-issue approved", sentence, True)
        return NextStep(words.state, f"Card of {holder}", words.remedy)
    if not words.writable:
        return NextStep(words.state, words.word, words.remedy)
    if node is None:
        if torn is not None:
            who = torn.display_name or torn.node_id
            return NextStep(Meaning.BAD, "Torn card", f"It was being written for {who}. Choose them, then Write.")
        return NextStep(Meaning.IDLE, "Who holds this card?", "Type a name or an id, Enter chooses.")
    if node.standing in ("REVOKED", "SUSPENDED"):
        word = "burned" if node.standing == "REVOKED" else "contained"
        return NextStep(Meaning.CRIT, f"{node.display_name} is {word}", "No card is written for them.")
    uid = card.hardware_uid or card.reader
    if words.remedy and card.state != "torn":
        return NextStep(words.state, words.word, words.remedy, True)
    if card.state == "torn":
        return NextStep(Meaning.WARN, "Finish this card", f"Write goes on where {uid} was torn.", True)
    return NextStep(Meaning.OK, "Ready", f"Write makes the keys on card {uid} for {node.display_name}.", True)


def _of_job(card: Card, job: CardJob, holders: Holders) -> NextStep | None:
    """What the job of the reader asks for; None when the card in it is another matter."""
    who = job.person or job.node_id
    barred = barred_by_holder(job.node_id, holders)
    if job.phase in OPEN:
        if job.phase is JobPhase.ASKING:
            return NextStep(Meaning.WARN, "Unknown, asking", "The answer was lost; the same call is made again.")
        step = STEP_WORDS.get(job.step, "Begin")
        return NextStep(Meaning.WORK, f"Writing for {who}", f"{step}. Leave the card in {card.reader}.")
    if job.phase is JobPhase.TORN:
        uid = job.uid
        if not card.present:
            return NextStep(
                Meaning.BAD,
                "Pulled out: put the SAME card back",
                f"Card {uid}, into {card.reader}. What was written is kept; the write goes on by itself.",
            )
        same = job.same_card(card)
        if same is False:
            named = card.hardware_uid is not None and card.uid_source != "reader"
            other = card.hardware_uid if named else "one without a name of its own"
            return NextStep(
                Meaning.BAD,
                "This is another card",
                f"In the reader: {other}. Torn: {uid}. Put the torn one back, or set it aside.",
            )
        if card.hardware_uid is None:
            return NextStep(Meaning.WORK, "Reading the card", "The card is being identified.")
        if barred is not None:
            return NextStep(
                Meaning.CRIT, f"{barred.word}: {who}", "This card is not finished. Set it aside and destroy it."
            )
        where = STEP_WORDS.get(job.step, "")
        why = f"The card was lost at: {where}." if where else "The write stopped in the middle."
        return NextStep(Meaning.WARN, "Finish this card", f"{why} Write goes on from there.", True)
    if not card.present:
        return None
    if job.same_card(card) is False:
        return None
    if job.phase is JobPhase.COMPLETE:
        if barred is not None:
            return NextStep(barred.state, f"{barred.word}: card of {who}", barred.remedy)
        return NextStep(Meaning.OK, f"Written and proven for {who}", "Next: the PIN mailer, then grant access.")
    sentence = job.failure.sentence if job.failure is not None else "The card was refused."
    return NextStep(Meaning.BAD, "Refused", sentence, card_words(card).writable)
