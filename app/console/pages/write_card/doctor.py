"""The reader doctor: what is the matter with each reader and with the card service, and one sentence of what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.capabilities.provisioning.messages import Card, CardList, Provision
from app.console.cards.jobs import torn_of
from app.console.cards.words import BARRED, SILENT_S, Holders, card_words, holder_name, is_being_written
from app.console.clock import clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning

FEW_TRIES = 1

_SERVICE = {
    "missing": (
        tr("The card service is not installed"),
        tr("Ask the administrator of this computer to install pcscd: sudo apt-get install pcscd."),
    ),
    "stopped": (
        tr("The card service does not run"),
        tr("Ask the administrator of this computer to start it: sudo systemctl start pcscd.socket."),
    ),
    "no_access": (
        tr("The card service lets nobody in from here"),
        tr("Ask the administrator of this computer to allow the service's user in polkit (org.debian.pcsc-lite)."),
    ),
}


@dataclass(frozen=True)
class ReaderFinding:
    """One line of the doctor: where, what is so, what to do (empty: nothing)."""

    where: str
    state: Meaning
    found: str
    remedy: str = ""


def examine(
    cards: CardList, torn: Iterable[Provision], holders: Holders, *, training: bool, silent: str = ""
) -> list[ReaderFinding]:
    """The card service first, then each reader. ``silent``: since when the service tells nothing; then nothing else is
    known either."""
    if silent:
        sentence = tr("The console waits for the service and connects by itself; F5 does it now.")
        return [ReaderFinding(tr("Service"), Meaning.IDLE, silent, sentence)]
    return [
        *_service(cards, training=training),
        *(one for card in cards.items for one in _reader(card, torn, holders)),
    ]


def _service(cards: CardList, *, training: bool) -> Iterator[ReaderFinding]:
    """What is so of the service of the readers."""
    where = tr("Card service")
    if cards.service == "up":
        yield ReaderFinding(where, Meaning.OK, tr("Runs"))
        if not cards.items:
            yield ReaderFinding(
                where, Meaning.WARN, tr("Sees no reader"), tr("Plug a reader in; it appears here by itself.")
            )
    elif cards.service == "off":
        if training:
            yield ReaderFinding(where, Meaning.IDLE, tr("Not used: this site has simulated readers"))
        else:
            sentence = tr("Ask the administrator of the service to start it without --no-pcsc.")
            yield ReaderFinding(where, Meaning.BAD, tr("Switched off"), sentence)
    else:
        found, remedy = _SERVICE[cards.trouble or "stopped"]
        simulated = training and any(card.simulated for card in cards.items)
        # A training site works with its simulated readers: what is missing is told, and is no alarm.
        yield ReaderFinding(where, Meaning.IDLE if simulated else Meaning.BAD, found, remedy)
    if cards.restarts:
        found = (
            tr("Was away and came back once")
            if cards.restarts == 1
            else tr("Was away and came back {count} times", count=cards.restarts)
        )
        sentence = tr("Nothing is lost: cards were looked at again. If it goes on, change the reader's cable or port.")
        yield ReaderFinding(where, Meaning.WARN, found, sentence)


def _reader(card: Card, torn: Iterable[Provision], holders: Holders) -> Iterator[ReaderFinding]:
    """What is found of a reader: its card, few tries of its PIN, its last error."""
    where = card.reader
    yield _card(card, torn, holders)
    if card.present and card.pin_tries is not None and 0 < card.pin_tries <= FEW_TRIES:
        sentence = tr("Do not try PINs with other programs: after the last try the card is blocked.")
        yield ReaderFinding(where, Meaning.WARN, tr("{count} PIN try left", count=card.pin_tries), sentence)
    if card.last_error:
        found = (
            tr(
                "Last trouble at {time}: {trouble}",
                time=clock_time(parse_time(card.last_error_at)),
                trouble=card.last_error,
            )
            if card.last_error_at
            else tr("Last trouble: {trouble}", trouble=card.last_error)
        )
        over = card.state is not None and card.state != "busy" and not card.detail
        sentence = tr("It is over.") if over or not card.present else ""
        yield ReaderFinding(where, Meaning.IDLE, found, sentence)


def _card(card: Card, torn: Iterable[Provision], holders: Holders) -> ReaderFinding:
    """What is so of one reader and its card."""
    where = card.reader
    if card.silent_s >= SILENT_S:
        sentence = tr("Pull the card out. If the reader stays silent, unplug it and plug it in again.")
        return ReaderFinding(
            where,
            Meaning.BAD,
            tr("The card does not answer"),
            tr("For {seconds:.0f} s now. {sentence}", seconds=card.silent_s, sentence=sentence),
        )
    if not card.present:
        return ReaderFinding(where, Meaning.OK, tr("Empty and ready"))
    words = card_words(card, holders)
    match card.state:
        case "torn":
            found = torn_of(card, torn)
            if found is None:
                return ReaderFinding(
                    where, Meaning.BAD, tr("Half written"), tr("No record here knows it: set this card apart.")
                )
            who = found.display_name or found.node_id
            sentence = tr(
                "Leave this card in, choose {person} and press Write: it is finished, not begun anew.", person=who
            )
            return ReaderFinding(
                where,
                Meaning.BAD,
                tr("Half written: {provision}, for {person}", provision=found.provision_id, person=who),
                sentence,
            )
        case "busy" if is_being_written(card):
            return ReaderFinding(
                where, Meaning.WORK, tr("A card is being written"), tr("Leave it in until the write has ended.")
            )
        case "busy":
            held = (card.detail or "").removeprefix(f"{card.reader}: ") or tr("the card is held by another program")
            sentence = tr("Close that program (often a browser, a mail program or a PIN agent), then Try again.")
            return ReaderFinding(where, Meaning.WARN, held[:1].upper() + held[1:], sentence)
        case "not_piv":
            sentence = tr("Take a PIV card. If it is one, it may lie upside down or be another maker's special model.")
            return ReaderFinding(
                where, Meaning.WARN, tr("Not a PIV card (ATR {atr})", atr=card.atr or tr("none", "ATR")), sentence
            )
        case "locked":
            return ReaderFinding(where, Meaning.BAD, tr("Its PIN is blocked"), words.remedy)
        case "refused" | "revoked":
            return ReaderFinding(where, words.state, words.word, words.remedy)
        case "blank" if card.node_id:
            return ReaderFinding(where, words.state, words.word, words.remedy)
        case "foreign":
            return ReaderFinding(
                where, Meaning.WARN, tr("Holds another issuer's certificates"), tr("Take a blank card.")
            )
        case None if card.detail:
            sentence = tr("Take the card out, wipe its contacts, put it in again, chip first; then Try again.")
            return ReaderFinding(
                where,
                Meaning.BAD,
                tr("Cannot be read (ATR {atr}): {detail}", atr=card.atr or tr("none", "ATR"), detail=card.detail),
                sentence,
            )
        case None:
            return ReaderFinding(where, Meaning.WORK, tr("The card is being looked at"))
        case "provisioned" if words.state is BARRED["REVOKED"].state:
            return ReaderFinding(
                where,
                words.state,
                tr("{word}: card of {holder}", word=words.word, holder=holder_name(card.node_id, holders)),
                words.remedy,
            )
        case _:
            return ReaderFinding(where, Meaning.OK, tr("Readable") + _card_words(card, holders))


def _card_words(card: Card, holders: Holders) -> str:
    parts: Mapping[str, str] = {
        "blank": tr(", blank"),
        "provisioned": tr(", card of {holder}", holder=holder_name(card.node_id, holders)),
    }
    tries = "" if card.pin_tries is None else tr(", {count} PIN tries", count=card.pin_tries)
    return parts.get(card.state or "", "") + tries
