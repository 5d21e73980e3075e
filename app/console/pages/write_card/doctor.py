"""The reader doctor: what is the matter with each reader and with the card service, and one sentence of what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.capabilities.provisioning.messages import Card, CardList, Provision
from app.console.cards.jobs import torn_of
from app.console.cards.words import BARRED, SILENT_S, Holders, card_words, holder_name, is_being_written
from app.console.clock import clock_time, parse_time
from app.console.theme.tokens import Meaning

FEW_TRIES = 1

_SERVICE = {
    "missing": (
        "The card service is not installed",
        "Ask the administrator of this computer to install pcscd: sudo apt-get install pcscd.",
    ),
    "stopped": (
        "The card service does not run",
        "Ask the administrator of this computer to start it: sudo systemctl start pcscd.socket.",
    ),
    "no_access": (
        "The card service lets nobody in from here",
        "Ask the administrator of this computer to allow the service's user in polkit (org.debian.pcsc-lite).",
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
        sentence = "The console waits for the service and connects by itself; F5 does it now."
        return [ReaderFinding("Service", Meaning.IDLE, silent, sentence)]
    return [
        *_service(cards, training=training),
        *(one for card in cards.items for one in _reader(card, torn, holders)),
    ]


def _service(cards: CardList, *, training: bool) -> Iterator[ReaderFinding]:
    """What is so of the service of the readers."""
    where = "Card service"
    if cards.service == "up":
        yield ReaderFinding(where, Meaning.OK, "Runs")
        if not cards.items:
            yield ReaderFinding(where, Meaning.WARN, "Sees no reader", "Plug a reader in; it appears here by itself.")
    elif cards.service == "off":
        if training:
            yield ReaderFinding(where, Meaning.IDLE, "Not used: this site has simulated readers")
        else:
            sentence = "Ask the administrator of the service to start it without --no-pcsc."
            yield ReaderFinding(where, Meaning.BAD, "Switched off", sentence)
    else:
        found, remedy = _SERVICE[cards.trouble or "stopped"]
        simulated = training and any(card.simulated for card in cards.items)
        # A training site works with its simulated readers: what is missing is told, and is no alarm.
        yield ReaderFinding(where, Meaning.IDLE if simulated else Meaning.BAD, found, remedy)
    if cards.restarts:
        times = "once" if cards.restarts == 1 else f"{cards.restarts} times"
        sentence = "Nothing is lost: cards were looked at again. If it goes on, change the reader's cable or port."
        yield ReaderFinding(where, Meaning.WARN, f"Was away and came back {times}", sentence)


def _reader(card: Card, torn: Iterable[Provision], holders: Holders) -> Iterator[ReaderFinding]:
    where = card.reader
    yield _card(card, torn, holders)
    if card.present and card.pin_tries is not None and 0 < card.pin_tries <= FEW_TRIES:
        sentence = "Do not try PINs with other programs: after the last try the card is blocked."
        yield ReaderFinding(where, Meaning.WARN, f"{card.pin_tries} PIN try left", sentence)
    if card.last_error:
        at = f" at {clock_time(parse_time(card.last_error_at))}" if card.last_error_at else ""
        over = card.state is not None and card.state != "busy" and not card.detail
        sentence = "It is over." if over or not card.present else ""
        yield ReaderFinding(where, Meaning.IDLE, f"Last trouble{at}: {card.last_error}", sentence)


def _card(card: Card, torn: Iterable[Provision], holders: Holders) -> ReaderFinding:
    """What is so of one reader and its card."""
    where = card.reader
    if card.silent_s >= SILENT_S:
        sentence = "Pull the card out. If the reader stays silent, unplug it and plug it in again."
        return ReaderFinding(
            where, Meaning.BAD, "The card does not answer", f"For {card.silent_s:.0f} s now. {sentence}"
        )
    if not card.present:
        return ReaderFinding(where, Meaning.OK, "Empty and ready")
    words = card_words(card, holders)
    match card.state:
        case "torn":
            found = torn_of(card, torn)
            if found is None:
                return ReaderFinding(
                    where, Meaning.BAD, "Half written", "No record here knows it: set this card apart."
                )
            who = found.display_name or found.node_id
            sentence = f"Leave this card in, choose {who} and press Write: it is finished, not begun anew."
            return ReaderFinding(where, Meaning.BAD, f"Half written: {found.provision_id}, for {who}", sentence)
        case "busy" if is_being_written(card):
            return ReaderFinding(
                where, Meaning.WORK, "A card is being written", "Leave it in until the write has ended."
            )
        case "busy":
            held = (card.detail or "").removeprefix(f"{card.reader}: ") or "the card is held by another program"
            sentence = "Close that program (often a browser, a mail program or a PIN agent), then Try again."
            return ReaderFinding(where, Meaning.WARN, held[:1].upper() + held[1:], sentence)
        case "not_piv":
            sentence = "Take a PIV card. If it is one, it may lie upside down or be another maker's special model."
            return ReaderFinding(where, Meaning.WARN, f"Not a PIV card (ATR {card.atr or 'none'})", sentence)
        case "locked":
            return ReaderFinding(where, Meaning.BAD, "Its PIN is blocked", words.remedy)
        case "refused" | "revoked":
            return ReaderFinding(where, words.state, words.word, words.remedy)
        case "blank" if card.node_id:
            return ReaderFinding(where, words.state, words.word, words.remedy)
        case "foreign":
            return ReaderFinding(where, Meaning.WARN, "Holds another issuer's certificates", "Take a blank card.")
        case None if card.detail:
            sentence = "Take the card out, wipe its contacts, put it in again, chip first; then Try again."
            return ReaderFinding(
                where, Meaning.BAD, f"Cannot be read (ATR {card.atr or 'none'}): {card.detail}", sentence
            )
        case None:
            return ReaderFinding(where, Meaning.WORK, "The card is being looked at")
        case "provisioned" if words.state is BARRED["REVOKED"].state:
            return ReaderFinding(
                where, words.state, f"{words.word}: card of {holder_name(card.node_id, holders)}", words.remedy
            )
        case _:
            return ReaderFinding(where, Meaning.OK, "Readable" + _card_words(card, holders))


def _card_words(card: Card, holders: Holders) -> str:
    parts: Mapping[str, str] = {"blank": ", blank", "provisioned": f", card of {holder_name(card.node_id, holders)}"}
    tries = "" if card.pin_tries is None else f", {card.pin_tries} PIN tries"
    return parts.get(card.state or "", "") + tries
