"""The page in one line: what is so at the chosen reader, and the next step of the operator."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.capabilities.provisioning.messages import Card, Provision
from app.console.cards.jobs import OPEN, STEP_WORDS, CardJob, JobPhase
from app.console.cards.words import (
    BARRED,
    NO_HOLDERS,
    SILENT_S,
    CardWords,
    Holders,
    barred_by_holder,
    card_words,
    holder_name,
)
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.registry.messages.nodes import Node


@dataclass(frozen=True)
class NextStep:
    """The page in one line: a state, a headline, what to do next, and whether Write may be pressed."""

    state: Meaning
    headline: str
    sentence: str
    can_write: bool = False


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
        return NextStep(Meaning.IDLE, stale, tr("The service does not tell what lies in the readers."))
    if card is None and wanted:
        sentence = tr("{reader} is chosen again as soon as it is back. Or choose another reader.", reader=wanted)
        return NextStep(Meaning.WARN, tr("The reader is gone"), sentence)
    if card is None:
        return NextStep(Meaning.IDLE, tr("No card reader"), tr("Plug a reader in: it appears at the left by itself."))
    found = _at_reader(card, job, node, torn, holders, reissues)
    barred = None if node is None else BARRED.get(node.standing) or barred_by_holder(node.node_id, holders)
    return found if node is None or barred is None else _of_barred(found, barred, card, job, node)


def _of_barred(found: NextStep, barred: CardWords, card: Card, job: CardJob | None, node: Node) -> NextStep:
    """The standing of the chosen person before anything that is so at the reader: nothing good stands above it. A write
    that still runs is told first."""
    if found.state is Meaning.WORK or (job is not None and job.phase in OPEN):
        return found
    written = job is not None and job.phase is JobPhase.COMPLETE and job.node_id == node.node_id
    if card.present and (written or (card.node_id == node.node_id and card.state in ("provisioned", "revoked"))):
        return NextStep(barred.state, tr("{word}: this card opens nothing", word=barred.word), barred.remedy)
    if found.state is Meaning.CRIT:
        return found
    headline = (
        tr("{person} is burned", person=node.display_name)
        if barred is BARRED["REVOKED"]
        else tr("{person} is contained", person=node.display_name)
    )
    # What is wrong at the reader is told all the same.
    return NextStep(
        barred.state, headline, found.sentence if found.state is Meaning.BAD else tr("No card is written for them.")
    )


def _at_reader(
    card: Card,
    job: CardJob | None,
    node: Node | None,
    torn: Provision | None,
    holders: Holders,
    reissues: Collection[str],
) -> NextStep:
    """What is so at the chosen reader; the first that applies."""
    if card.silent_s >= SILENT_S:
        words = card_words(card, holders)
        return NextStep(words.state, words.word, words.remedy)
    if job is not None:
        found = _of_job(card, job, node, holders)
        if found is not None:
            return found
    words = card_words(card, holders)
    if not card.present:
        return NextStep(
            Meaning.IDLE,
            tr("Put in a blank card"),
            tr("Put a blank card into {reader}.", reader=card.reader),
        )
    holder = holder_name(card.node_id, holders)
    if card.state == "provisioned" or (card.state == "revoked" and not words.writable):
        if words.state is Meaning.CRIT and card.card_guid not in reissues:
            return NextStep(words.state, tr("{word}: card of {holder}", word=words.word, holder=holder), words.remedy)
        if card.state == "provisioned" and node is not None and node.node_id == card.node_id:
            return NextStep(
                Meaning.OK,
                tr("Written before"),
                tr("This person's card. Write shows its proof; nothing is written."),
                True,
            )
        if card.card_guid in reissues and (node is None or node.standing not in BARRED):
            if node is None:
                return NextStep(
                    Meaning.WARN, tr("Re-issue approved"), tr("Choose who shall hold this card from now on.")
                )
            sentence = tr(
                "Write takes this card from {holder} and makes it for {person}.",
                holder=holder,
                person=node.display_name,
            )
            return NextStep(Meaning.WARN, tr("Re-issue approved"), sentence, True)
        return NextStep(words.state, tr("Card of {holder}", holder=holder), words.remedy)
    if not words.writable:
        return NextStep(words.state, words.word, words.remedy)
    if node is None:
        if torn is not None:
            who = torn.display_name or torn.node_id
            return NextStep(
                Meaning.BAD,
                tr("Torn card"),
                tr("It was being written for {person}. Choose them, then Write.", person=who),
            )
        return NextStep(Meaning.IDLE, tr("Who holds this card?"), tr("Type a name or an id, Enter chooses."))
    uid = card.hardware_uid or card.reader
    if words.remedy and card.state != "torn":
        return NextStep(words.state, words.word, words.remedy, True)
    if card.state == "torn":
        return NextStep(Meaning.WARN, tr("Finish this card"), tr("Write goes on where {uid} was torn.", uid=uid), True)
    return NextStep(
        Meaning.OK,
        tr("Ready"),
        tr("Write makes the keys on card {uid} for {person}.", uid=uid, person=node.display_name),
        True,
    )


def _of_job(card: Card, job: CardJob, node: Node | None, holders: Holders) -> NextStep | None:
    """What the job of the reader asks for; None when the card in it is another matter."""
    who = job.person or job.node_id
    # Whose name stands there in large letters needs no other mention.
    chosen = node is not None and node.node_id == job.node_id
    barred = barred_by_holder(job.node_id, holders)
    if job.phase in OPEN:
        if job.phase is JobPhase.ASKING:
            return NextStep(
                Meaning.WARN, tr("Unknown, asking"), tr("The answer was lost; the same call is made again.")
            )
        step = STEP_WORDS.get(job.step, tr("Begin"))
        if chosen:
            return NextStep(Meaning.WORK, tr("Writing, leave the card in {reader}", reader=card.reader), f"{step}.")
        return NextStep(
            Meaning.WORK,
            tr("Writing for {person}", person=who),
            tr("{step}. Leave the card in {reader}.", step=step, reader=card.reader),
        )
    if job.phase is JobPhase.TORN:
        uid = job.uid
        if barred is not None:
            words = tr("Card {uid} is not finished. Set it aside and destroy it.", uid=uid)
            return NextStep(Meaning.CRIT, f"{barred.word}: {who}", words)
        if not card.present:
            return NextStep(
                Meaning.BAD,
                tr("Pulled out: put the SAME card back"),
                tr(
                    "Card {uid}, into {reader}. What was written is kept; the write goes on by itself.",
                    uid=uid,
                    reader=card.reader,
                ),
            )
        same = job.same_card(card)
        if same is False:
            named = card.hardware_uid is not None and card.uid_source != "reader"
            other = card.hardware_uid if named else tr("one without a name of its own")
            return NextStep(
                Meaning.BAD,
                tr("This is another card"),
                tr(
                    "In the reader: {other}. Torn: {uid}. Put the torn one back, or set it aside.", other=other, uid=uid
                ),
            )
        if card.hardware_uid is None:
            return NextStep(Meaning.WORK, tr("Reading the card"), tr("The card is being identified."))
        where = STEP_WORDS.get(job.step, "")
        why = tr("The card was lost at: {step}.", step=where) if where else tr("The write stopped in the middle.")
        return NextStep(Meaning.WARN, tr("Finish this card"), tr("{why} Write goes on from there.", why=why), True)
    if not card.present:
        return None
    if job.same_card(card) is False:
        return None
    if job.phase is JobPhase.COMPLETE:
        if barred is not None:
            return NextStep(barred.state, tr("{word}: card of {holder}", word=barred.word, holder=who), barred.remedy)
        return NextStep(
            Meaning.OK,
            tr("Written and proven") if chosen else tr("Written and proven for {person}", person=who),
            tr("Next: give out the PIN, then open doors."),
        )
    sentence = job.failure.sentence if job.failure is not None else tr("The card was refused.")
    return NextStep(Meaning.BAD, tr("Refused"), sentence, card_words(card).writable)
