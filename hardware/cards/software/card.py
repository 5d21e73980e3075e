"""The software card itself: power, application selection, chaining in both directions, quirks and tears."""

import secrets
import threading
from pathlib import Path
from typing import Final

from hardware.cards.scp03 import EXTERNAL_AUTHENTICATE, INITIALIZE_UPDATE, SECURED
from hardware.cards.software.attestation import TrainingMaker
from hardware.cards.software.command import (
    CHAINING,
    EXTENDED_MAX,
    GET_DATA,
    GET_DATA_EVEN,
    GET_RESPONSE,
    SELECT,
    SHORT_MAX,
    ReceivedApdu,
    StatusWord,
    Sw,
    parse_command,
)
from hardware.cards.software.domain import SecurityDomain, make_cplc
from hardware.cards.software.piv import CHUID, PivApplication, factory_chuid
from hardware.cards.software.quirks import SHORT_COMMAND, Quirks, Tear, TearPoint
from hardware.cards.software.secure import SecureEnd
from hardware.cards.software.state import (
    FACTORY_PIN,
    FACTORY_PUK,
    TRANSPORT_PUK,
    Reference,
    SoftwareCardState,
    factory_management_key,
    load,
    save,
    transport_management_key,
)

ATR: Final = bytes.fromhex("3BF71100008131FE654152432D53494DE7")
"""T=1, historical bytes "eARC-SIM"; unknown to OpenSC's tables, so that drivers look at the application instead."""

_CHAIN_MOST: Final = 8192
"""Most bytes gathered from a command chain; no PIV object is longer."""


class CardAbsent(Exception):
    """The card is not in the reader: a tear switch pulled it out, or it has no power. Nothing was answered."""


def _blank(quirks: Quirks, serial: int | None, maker: TrainingMaker | None) -> SoftwareCardState:
    """A card as it leaves the factory."""
    state = SoftwareCardState(
        quirks=quirks,
        serial=serial,
        cplc=make_cplc(secrets.token_bytes(4)),
        pin=Reference.of(FACTORY_PIN, quirks.pin_tries, default=True),
        puk=Reference.of(
            TRANSPORT_PUK if quirks.transport_puk else FACTORY_PUK, quirks.pin_tries, default=not quirks.transport_puk
        ),
        management=(transport_management_key if quirks.transport_management else factory_management_key)(
            quirks.factory_management
        ),
        attestation=(maker or TrainingMaker.create()).equip(quirks.attestation),
    )
    if quirks.factory_chuid:
        state.objects[CHUID] = factory_chuid()
    return state


class SoftwareCard:
    """A PIV card in software; the code that drives it acts as its reader.

    Safe for several threads: a loss of power waits for the command that runs, so that no two ever touch the state.

    `path` is the file that holds the card; without one it lives in memory only. If the file exists the card is that
    card, and `serial` and `maker` are of no effect. `quirks` of None are those of the file, or of a plain card.
    `serial` (0 to 2^32 - 1) is answered by instruction F8; None = the card has no serial number. `maker` signs its
    attestation key; None = a new root of its own, which no site pins.

    Raises `StateError` if the file is no card, `OSError` if it cannot be read or made.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        quirks: Quirks | None = None,
        serial: int | None = None,
        maker: TrainingMaker | None = None,
    ) -> None:
        if serial is not None and not 0 <= serial < 2**32:
            raise ValueError("serial is a number of 32 bits")
        self._path = path
        self._turn = threading.RLock()
        state = load(path) if path is not None else None
        if state is None:
            state = _blank(quirks or Quirks(), serial, maker)
        elif quirks is not None:
            state.quirks = quirks
        self._state = state
        self._powered = True
        self._tear: Tear | None = None
        self._count = 0
        self._start_applications()
        if path is not None and not path.exists():
            self._save()

    @property
    def atr(self) -> bytes:
        """Answer to reset; the same for all software cards."""
        return ATR

    @property
    def quirks(self) -> Quirks:
        """The switches this card was made or opened with."""
        return self._state.quirks

    def arm(self, tear: Tear | None) -> None:
        """Set the tear switch (None: off) and count APDUs from 1 again; it goes off once."""
        with self._turn:
            self._tear = tear
            self._count = 0

    def power(self, on: bool) -> None:
        """Put the card in and power it, or take the power away; either way every session is lost."""
        with self._turn:
            self._powered = on
            self._forget()

    def reset(self) -> None:
        """Warm reset: sessions and half commands are lost, the security domain is selected."""
        with self._turn:
            self._forget()

    def transmit(self, apdu: bytes) -> bytes:
        """Answer one command APDU with data and status word; raises `CardAbsent` if the card is not in, or tears
        now."""
        with self._turn:
            return self._transmit(apdu)

    def _transmit(self, apdu: bytes) -> bytes:
        """Answer one command, and pull the card out where the tear switch says so. The caller has the turn."""
        if not self._powered:
            raise CardAbsent("no card")
        self._count += 1
        tear = self._tear
        due = tear is not None and self._count >= tear.apdu
        if tear is not None and due and tear.point is TearPoint.BEFORE:
            self._pull()
        if tear is not None and due and tear.point is TearPoint.BETWEEN and self._chain is not None:
            self._selected_piv_chain_torn(self._chain)
            self._pull()
        answer = self._answer(apdu)
        if tear is not None and due and tear.point is TearPoint.AFTER:
            self._pull()
        return answer

    def _pull(self) -> None:
        self._tear = None
        self.power(False)
        raise CardAbsent("pulled out")

    def _selected_piv_chain_torn(self, chain: ReceivedApdu) -> None:
        if isinstance(self._selected, PivApplication):
            self._selected.chain_torn(chain)

    def _start_applications(self) -> None:
        self._secure = SecureEnd(self._state)
        self._domain = SecurityDomain(self._state)
        self._piv = PivApplication(self._state, self._save, lambda: self._secure.is_open)
        self._selected: SecurityDomain | PivApplication = self._domain
        self._forget()

    def _forget(self) -> None:
        self._secure.close()
        self._domain.deselect()
        self._piv.deselect()
        self._selected = self._domain
        self._chain: ReceivedApdu | None = None
        self._rest = b""
        self._starved = 0

    def _save(self) -> None:
        if self._path is not None:
            save(self._path, self._state)

    def _answer(self, apdu: bytes) -> bytes:
        """Answer one command; a state that cannot be stored is rolled back."""
        try:
            return self._run(apdu)
        except StatusWord as refusal:
            return refusal.status.to_bytes(2, "big")
        except OSError:
            # A change that could not be stored never happened: go back to the state in the file, as after a power loss.
            stored = load(self._path) if self._path is not None else None
            if stored is not None:
                stored.quirks = self._state.quirks
                self._state = stored
            self._start_applications()
            return Sw.MEMORY_FAILURE.to_bytes(2, "big")

    def _run(self, apdu: bytes) -> bytes:
        """Check the command's form, join it with its chain, and let the selected application answer it."""
        quirks = self._state.quirks
        if len(apdu) > quirks.longest_command:
            self._chain = None
            raise StatusWord(quirks.too_long_status)
        command = parse_command(apdu)
        if command.extended and quirks.longest_command <= SHORT_COMMAND:
            self._chain = None
            raise StatusWord(quirks.too_long_status)
        if command.cla == 0xFF:
            if command.ins == GET_DATA_EVEN and quirks.empty_contactless_uid:
                return Sw.OK.to_bytes(2, "big")
            raise StatusWord(Sw.UNKNOWN_CLASS)
        if command.ins == GET_RESPONSE:
            return self._next_part(command)
        self._rest = b""
        self._starved = 0
        if command.cla & CHAINING:
            self._gather(command)
            return Sw.OK.to_bytes(2, "big")
        chain, self._chain = self._chain, None
        if chain is not None and chain.header == command.header:
            if len(chain.data) + len(command.data) > _CHAIN_MOST:
                raise StatusWord(Sw.WRONG_LENGTH)
            data = chain.data + command.data
            command = ReceivedApdu(*command.header, data, command.expected, command.extended)
        elif chain is None and isinstance(self._selected, PivApplication):
            self._selected.first_block(command)
        if command.ins == SELECT and command.cla == 0:
            return self._deliver(command, self._select(command))
        if quirks.secure_channel and (answer := self._handshake(command)) is not None:
            return self._deliver(command, answer)
        if command.cla & SECURED:
            return self._process_secured(command)
        if self._secure.is_open:
            raise StatusWord(Sw.SECURITY_STATUS)
        return self._deliver(command, self._selected.process(command))

    def _handshake(self, command: ReceivedApdu) -> bytes | None:
        """Either step of opening a secure channel with the selected application; None for any other command."""
        if (command.cla, command.ins) == (0x80, INITIALIZE_UPDATE):
            return self._secure.initialize(command)
        if (command.cla, command.ins) == (0x80 | SECURED, EXTERNAL_AUTHENTICATE):
            self._secure.authenticate(command)
            return b""
        return None

    def _process_secured(self, command: ReceivedApdu) -> bytes:
        """A protected command; 63xx is a warning and protected like success, errors are bare (Amendment D, 6.2.5)."""
        if not self._state.quirks.secure_channel:
            raise StatusWord(Sw.SECURE_MESSAGING_NOT_SUPPORTED)
        plain = self._secure.unwrap(command)
        try:
            return self._deliver(command, self._secure.wrap(self._selected.process(plain), Sw.OK))
        except StatusWord as refusal:
            if refusal.status >> 8 != 0x63:
                raise
            return self._secure.wrap(b"", refusal.status) + refusal.status.to_bytes(2, "big")

    def _gather(self, command: ReceivedApdu) -> None:
        """Keep one block of a chain; a block of another command starts anew (ISO/IEC 7816-4, 5.3.3)."""
        chain, self._chain = self._chain, None
        if chain is None or chain.header != command.header:
            if isinstance(self._selected, PivApplication):
                self._selected.first_block(command)
            chain = ReceivedApdu(*command.header)
        if len(chain.data) + len(command.data) > _CHAIN_MOST:
            raise StatusWord(Sw.WRONG_LENGTH)
        self._chain = ReceivedApdu(*chain.header, chain.data + command.data)

    def _select(self, command: ReceivedApdu) -> bytes:
        """Select an application by its whole name or the beginning of it (5 bytes at least)."""
        self._secure.close()
        if command.cla or command.p1 != 0x04 or command.p2:
            raise StatusWord(Sw.WRONG_P1_P2)
        name = command.data
        found: SecurityDomain | PivApplication | None = None
        for application in (self._domain, self._piv):
            if len(name) >= 5 and application.aid.startswith(name):
                found = application
        if not name:
            found = self._domain
        if found is None:
            raise StatusWord(self._state.quirks.unknown_select_status)
        if found is not self._selected:  # selecting PIV again keeps its security states (part 2, 3.1.1)
            self._selected.deselect()
            self._selected = found
        return found.select()

    def _deliver(self, command: ReceivedApdu, data: bytes) -> bytes:
        """Answer as much of `data` as the command's Le allows; a missing Le allows the most of its form."""
        quirks = self._state.quirks
        if quirks.starves_without_le and command.ins == GET_DATA and command.expected is None and data:
            self._starved = min(len(data), 0xFF)
            return (Sw.MORE | self._starved).to_bytes(2, "big")
        plain = not command.cla & SECURED  # a protected command cannot be repeated with another Le
        if quirks.exact_le and command.ins == GET_DATA and plain and not command.extended and len(data) < SHORT_MAX:
            if command.expected != len(data):
                raise StatusWord(Sw.EXACT_LENGTH | len(data))
        elif quirks.whole_responses:
            return data + Sw.OK.to_bytes(2, "big")
        room = command.expected or (EXTENDED_MAX if command.extended else SHORT_MAX)
        part, self._rest = data[:room], data[room:]
        if not self._rest:
            return part + Sw.OK.to_bytes(2, "big")
        left = len(self._rest) + (2 if quirks.remaining_counts_status else 0)
        return part + (Sw.MORE | (left if left < SHORT_MAX else 0)).to_bytes(2, "big")

    def _next_part(self, command: ReceivedApdu) -> bytes:
        if self._starved:
            return (Sw.MORE | self._starved).to_bytes(2, "big")
        if not self._rest:
            raise StatusWord(Sw.CONDITIONS_OF_USE)
        return self._deliver(command, self._rest)
