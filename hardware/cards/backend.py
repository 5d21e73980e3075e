"""What every path to a card looks like, and everything that can go wrong on it.

    CardError
    ├── NoReaderService           no PC/SC service answers
    ├── NoSuchReader              no reader of that name
    ├── NoCard                    the reader is empty
    ├── CardBusy                  another program holds the card (`.holder` where the system tells)
    ├── TransportError            the path broke while the card was in use; what the last command did is unknown
    │   └── CardRemoved           the card was taken out
    ├── ProtocolError             the card's bytes break the standard (endless chaining, malformed TLV, short answer)
    ├── StatusWordError           the card refused a command (`.sw`, `.ins`)
    ├── CardLocked                PIN, PUK or management key are blocked, or no known secret opens them (`.what`)
    ├── CardRefused               a step the card cannot do without was refused (`.step`, `.sw`)
    ├── CardTorn                  the path broke after the first write (`.step`): the card is half written
    ├── CardUnproven              everything was written, but the fresh session does not prove it (`.reasons`)
    └── WrongCard                 another card than the one asked for is in the reader

Nothing in `hardware.cards` raises anything else because of what a card, a reader or the PC/SC service did.
"""

from collections.abc import Mapping
from typing import Final, Protocol, Self


class CardError(Exception):
    """Base of the tree above. `remedy()` tells an operator what to do next."""

    REMEDY = "Take the card out, put it in again and repeat."

    def remedy(self) -> str:
        """One sentence for the person at the reader."""
        return self.REMEDY


class NoReaderService(CardError):
    """No PC/SC service can be reached."""

    REMEDY = "Start the PC/SC service (pcscd) and connect a reader."


class NoSuchReader(CardError):
    """The named reader is not connected."""

    REMEDY = "Connect the reader again."


class NoCard(CardError):
    """The reader holds no card, or one that does not answer the reset."""

    REMEDY = "Put a card into the reader, chip first."


class CardBusy(CardError):
    """Another program holds the card. `holder` names it as far as the operating system tells, else None."""

    REMEDY = "Close the program that uses the card, or wait until it has finished."

    def __init__(self, reader: str, holder: str | None = None) -> None:
        super().__init__(f"{reader}: the card is held by {holder or 'another program'}")
        self.holder = holder


class TransportError(CardError):
    """The path to the card broke; whether the card executed the last command is unknown."""

    REMEDY = "Check the reader's cable, leave the same card in and repeat."


class CardRemoved(TransportError):
    """The card left the reader; whether it executed the last command is unknown."""

    REMEDY = "Put the SAME card back and repeat."


class ProtocolError(CardError):
    """The card's answer breaks ISO/IEC 7816-4 or SP 800-73-5."""

    REMEDY = "The card does not speak PIV correctly: use another one."


STATUS_WORDS: Final[Mapping[int, str]] = {
    0x6281: "part of the answer may be corrupted",
    0x6300: "authentication failed",
    0x6581: "memory failure",
    0x6700: "wrong length",
    0x6881: "logical channel not supported",
    0x6882: "secure messaging not supported",
    0x6883: "last command of a chain expected",
    0x6884: "command chaining not supported",
    0x6982: "security condition not satisfied",
    0x6983: "authentication method blocked",
    0x6985: "conditions of use not satisfied",
    0x6986: "command not allowed",
    0x6987: "secure messaging data missing",
    0x6988: "secure messaging data incorrect",
    0x6A80: "incorrect data in the command",
    0x6A81: "function not supported",
    0x6A82: "object or application not found",
    0x6A84: "no space left on the card",
    0x6A86: "incorrect parameters P1-P2",
    0x6A88: "referenced key or data not found",
    0x6D00: "instruction not supported",
    0x6E00: "class not supported",
    0x6F00: "no precise diagnosis",
    0x9000: "done",
}
"""ISO/IEC 7816-4 table 6 and SP 800-73-5 part 2 table 1, in words."""


def explain(sw: int) -> str:
    """The status word in words, e.g. `0x63C2` -> `wrong secret, 2 tries left`."""
    if sw & 0xFFF0 == 0x63C0:
        return f"wrong secret, {sw & 0x0F} tries left"
    return STATUS_WORDS.get(sw, "not assigned by the standard")


class StatusWordError(CardError):
    """The card answered `sw` (16 bits) to instruction `ins` (8 bits)."""

    REMEDY = "The card refused a command it should know: use another card."

    def __init__(self, sw: int, ins: int) -> None:
        super().__init__(f"instruction {ins:02X} answered {sw:04X} ({explain(sw)})")
        self.sw = sw
        self.ins = ins

    @property
    def tries(self) -> int | None:
        """Tries left if this is a refused PIN, PUK or key (63Cx, 6983), else None."""
        if self.sw & 0xFFF0 == 0x63C0:
            return self.sw & 0x0F
        return 0 if self.sw == 0x6983 else None

    @property
    def absent(self) -> bool:
        """Whether the card says it does not have the thing asked for, which is an answer and no failure."""
        return self.sw in (0x6A81, 0x6A82, 0x6A86, 0x6A88, 0x6D00, 0x6E00)


class CardLocked(CardError):
    """`what` (PIN, PUK or 9B) is blocked, or none of the known secrets opens it and no further try is risked."""

    REMEDY = "Unblock or reset the card, or use another one."

    def __init__(self, what: str, reason: str, *, tried: bool = True) -> None:
        super().__init__(f"{what}: {reason}")
        self.what = what
        self.tried = tried
        """Whether a secret was sent and refused; False: the card said so by itself, or the site remembers it."""


class CardRefused(CardError):
    """The card refused `step` with `sw`; nothing after that step was sent."""

    REMEDY = "This card cannot be personalized: use another one."

    def __init__(self, step: str, sw: int) -> None:
        super().__init__(f"the card refused {step}: {sw:04X} ({explain(sw)})")
        self.step = step
        self.sw = sw


class CardTorn(CardError):
    """The path broke during `step`, after the card had been written to: it is half written until the step is redone."""

    REMEDY = "Put the SAME card back and repeat: the call takes up where it stopped."

    def __init__(self, step: str) -> None:
        super().__init__(f"the path to the card broke during {step}")
        self.step = step


class CardUnproven(CardError):
    """All was written but the fresh session does not prove it; `reasons` name what differs."""

    REMEDY = "Do not hand this card out. Repeat the personalization, or use another card."

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("the written card is not proven: " + "; ".join(reasons))
        self.reasons = reasons


class WrongCard(CardError):
    """The card in the reader is not the one asked for."""

    REMEDY = "Another card is in the reader: put the right one in."


class CardConnection(Protocol):
    """An exclusive hold on one card. Used by ONE thread; every method may raise `CardError`."""

    @property
    def reader(self) -> str:
        """Name of the reader."""

    @property
    def atr(self) -> bytes:
        """Answer to reset, 2 to 33 bytes (ISO/IEC 7816-3)."""

    def transmit(self, apdu: bytes) -> bytes:
        """Send one command APDU; the answer's bytes as they came (data, then SW1 SW2)."""

    def reconnect_fresh(self) -> None:
        """Take the card's power away and give it back without letting go of it: PIN and key states are lost."""

    def close(self) -> None:
        """Let go of the card. Never raises; may be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class ReaderSnapshot(Protocol):
    """One reader as its backend sees it now."""

    @property
    def reader(self) -> str: ...

    @property
    def atr(self) -> bytes: ...

    @property
    def present(self) -> bool: ...

    @property
    def events(self) -> int:
        """The backend's own count of insertions and removals; any difference means the card may be another one."""


class ReaderWatch(Protocol):
    """A wait for changes at a backend's readers. Used by one thread, except `cancel`."""

    def wait(self, timeout: float) -> list[ReaderSnapshot]:
        """All readers now, after a change or after at most `timeout` seconds. The first call returns at once."""

    def cancel(self) -> None:
        """Make a running `wait` return soon; safe from any thread."""

    def close(self) -> None:
        """Release what the watch holds. Never raises."""


class CardBackend(Protocol):
    """A family of readers. `readers` and `open` may be called from any thread."""

    def readers(self) -> list[str]:
        """Names of the connected readers; empty if there are none. Raises `NoReaderService`."""

    def open(self, reader: str) -> CardConnection:
        """Hold the card in `reader` exclusively.

        Raises `NoReaderService`, `NoSuchReader`, `NoCard`, `CardBusy` (after waiting a few seconds), `TransportError`.
        """

    def watch(self) -> ReaderWatch:
        """Start watching the readers. Raises `NoReaderService`."""
