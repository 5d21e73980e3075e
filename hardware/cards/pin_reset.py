"""Gives an issued card a new PIN by its PUK (RESET RETRY COUNTER, SP 800-73-5 part 2, 3.2.3), and proves it.

The PUK is sent once, and only to a card that has proven to be the one it belongs to: a wrong PUK costs one try. The old
PIN is not needed, so the reset opens a blocked PIN, and repeating it costs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from cryptography import x509

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import (
    CardError,
    CardLocked,
    CardRefused,
    CardTorn,
    CardUnproven,
    ProtocolError,
    StatusWordError,
    TransportError,
    WrongCard,
)
from hardware.cards.objects import parse_chuid
from hardware.cards.piv import Algorithm, PivObject, PivSession, Slot
from hardware.cards.proof import signs
from hardware.cards.reference_data import Draws
from hardware.cards.scp03 import KeySource, open_channel
from hardware.cards.steps import DEFAULT_KEEP_ALIVE_S, Journal, Steps

RESET: Final = "pin_reset"
RESET_STEPS: Final = ("identify", RESET, "verify")
"""The steps in their order; only `RESET` changes the card."""

_WRONG_UNCOUNTED: Final = 0x6300
"""Verification failed; the number of tries left is not given (ISO/IEC 7816-4, table 6)."""


@dataclass(frozen=True, repr=False)
class IssuedCard:
    """The card as its record describes it: GUID, certificate and algorithm of its 9E key, PUK. `channel`: the keys of
    the secure channel for all commands; None for no such channel. `repr` shows nothing.
    """

    guid: UUID
    certificate: x509.Certificate
    algorithm: Algorithm
    puk: str
    channel: KeySource | None = None

    def __repr__(self) -> str:
        return "IssuedCard(...)"


def reset_pin(
    channel: ApduChannel,
    card: IssuedCard,
    pins: Sequence[str],
    journal: Journal,
    on_step: Callable[[str], None] | None = None,
    keep_alive_s: float | None = DEFAULT_KEEP_ALIVE_S,
) -> str:
    """Give the card behind `channel` (exclusively held) the first of `pins` that it does not refuse as too simple, and
    prove it by one VERIFY in a fresh session. Returns that PIN.

    Raises, besides the errors of `journal`:

    * `WrongCard`, and `TransportError` while nothing was sent that changes it: the PIN is the old one;
    * `CardLocked` (PUK) and `CardRefused`: the card refused, the PIN is the old one; a wrong PUK has cost one try;
    * `CardTorn`, `CardUnproven`: the PIN may be the old or the new one until the same reset is repeated.
    """
    piv = PivSession(channel)
    steps = Steps(channel, journal, on_step, keep_alive_s)
    new = Draws(1, pins[0], pins[1:])

    def send(pin: str, draw: int) -> bool:
        steps.change(None, lambda: piv.reset_pin(card.puk, pin), draw)
        return True

    def select() -> None:
        piv.select()
        if card.channel is not None:
            open_channel(channel, card.channel)

    try:
        steps.begin("identify")
        select()
        _require_same(piv, card)
        steps.begin(RESET)
        try:
            new.offer(send)
        except StatusWordError as error:
            if error.tries is None and error.sw != _WRONG_UNCOUNTED:
                raise
            left = "" if error.tries is None else f", {error.tries} tries left"
            raise CardLocked("PUK", f"not the one of this card{left}; none more is risked") from error
        steps.begin("verify")
        _prove(channel, piv, select, new.value)
        return new.value
    except (TransportError, ProtocolError) as error:
        if steps.touched:
            raise CardTorn(steps.step) from error
        raise
    except StatusWordError as error:
        raise CardRefused(steps.step, error.sw) from error


def _require_same(piv: PivSession, card: IssuedCard) -> None:
    """Raise `WrongCard` unless GUID and 9E key are the card's: a GUID can be copied, the key (which needs no PIN)
    cannot."""
    content = piv.get_object(PivObject.CHUID)
    if content is None or parse_chuid(content).guid != card.guid:
        raise WrongCard("the card in the reader has another GUID")
    try:
        same = signs(piv, Slot.CARD_AUTHENTICATION, card.algorithm, card.certificate.public_key())
    except StatusWordError as error:
        raise WrongCard(f"the card in the reader does not use its key 9E ({error})") from error
    if not same:
        raise WrongCard("the card in the reader has the GUID, but not the key of the card that was issued")


def _prove(channel: ApduChannel, piv: PivSession, select: Callable[[], None], pin: str) -> None:
    channel.reconnect_fresh()
    try:
        select()
        piv.verify(pin)
    except (TransportError, ProtocolError):
        raise
    except CardError as error:
        raise CardUnproven((f"the card does not take its new PIN ({error})",)) from error
