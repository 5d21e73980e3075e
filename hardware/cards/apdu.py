"""The APDU pipeline: command -> secure messaging -> format -> chain -> transport -> response chain -> unwrap ->
`ResponseApdu`, with a trace of all of it.

Sources: ISO/IEC 7816-4 (5.1 to 5.3), SP 800-73-5 part 2. What a card can do is probed once and remembered, never
inferred from a version it claims.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from hardware.cards.backend import CardConnection, CardRemoved, ProtocolError, StatusWordError, TransportError

ANY: Final = 0x10000
"""`le` of a command whose answer may be of any length."""

MAX_EXTENDED: Final = 1300
"""Longest whole APDU in bytes sent in extended form, longer ones chain. An independent card took 1336, refused 1416."""

MAX_ANSWER: Final = 64 * 1024
"""Most bytes of one answer, all rounds together."""

MAX_ROUNDS: Final = 300
"""Most GET RESPONSE rounds for one answer."""

SELECT: Final = 0xA4
GET_RESPONSE: Final = 0xC0

# What cards without extended length make of the zero behind the header: a wrong length, or a command without data.
_REFUSES_EXTENDED: Final = frozenset({0x6700, 0x6A80, 0x6A86, 0x6B00, 0x6D00, 0x6E00, 0x6F00})

# Instructions whose data may be shown in a trace. Everything else (20, 24, 2C PIN; 87 keys and PIN-gated results; FF
# management key; D8 keys; any later one) is kept as a length only: a new secret instruction is masked by default.
_SHOWN: Final = frozenset({0xA4, 0xCA, 0xCB, 0xDB, 0x47, 0xF7, 0xF8, 0xF9, 0xFD})
_SECURED: Final = 0x04
_FOR_READER: Final = 0xFF  # class of pseudo-APDUs that the reader answers itself (PC/SC part 3)
_READ_ONLY: Final = frozenset({0xA4, 0xCA, 0xCB})
_NO_DIAGNOSIS: Final = 0x6F00  # of a read it may be a passing fault: it is asked once more


@dataclass(frozen=True, slots=True)
class CommandApdu:
    """One command before its form is chosen; its data may have any length.

    `cla`, `ins`, `p1`, `p2`: 0 to 255. `le`: most bytes expected, `ANY` for no bound, None only for commands that never
    return data (without Le some cards answer 61xx with no data for ever).
    """

    cla: int
    ins: int
    p1: int
    p2: int
    data: bytes = b""
    le: int | None = None

    def encode_short(self) -> bytes:
        """The short form; `data` must be at most 255 bytes."""
        apdu = bytes((self.cla, self.ins, self.p1, self.p2))
        if self.data:
            apdu += bytes((len(self.data),)) + self.data
        if self.le is not None:
            apdu += bytes((0 if self.le >= 256 else self.le,))
        return apdu

    def encode_extended(self) -> bytes:
        """The extended form; `data` must be at most 65535 bytes."""
        apdu = bytes((self.cla, self.ins, self.p1, self.p2, 0))
        if self.data:
            apdu += len(self.data).to_bytes(2, "big") + self.data
        if self.le is not None:
            apdu += (0 if self.le >= ANY else self.le).to_bytes(2, "big")
        return apdu

    @property
    def secured(self) -> bool:
        """Whether the class byte marks it as protected by a secure channel."""
        return self.cla != _FOR_READER and bool(self.cla & _SECURED)

    @property
    def wants_extended(self) -> bool:
        """Whether the extended form saves an exchange."""
        return len(self.data) > 255 or (self.le is not None and self.le > 256)


@dataclass(frozen=True, slots=True)
class ResponseApdu:
    """The whole answer of a card: the data of all GET RESPONSE rounds, and the last status word."""

    data: bytes
    sw: int

    @property
    def ok(self) -> bool:
        """Whether the status word is 9000."""
        return self.sw == 0x9000


class TracedApdu(NamedTuple):
    """One APDU as it went over the wire. `data` and `answer` are None where they must not be kept."""

    stage: str
    header: str
    lc: int
    le: int | None
    sw: int | None
    ms: float
    answer_length: int
    data: bytes | None
    answer: bytes | None


@dataclass(slots=True)
class ApduTrace:
    """What was sent, in order. `apdus` is the number of APDUs, `ms` the time spent waiting for the card."""

    entries: list[TracedApdu] = field(default_factory=list)
    apdus: int = 0
    ms: float = 0.0

    def add(self, entry: TracedApdu) -> None:
        """Append one entry."""
        self.entries.append(entry)
        self.apdus += 1
        self.ms += entry.ms


class FormatMemory:
    """Which kinds of card take extended APDUs, by (ATR, property template). One may be shared by all channels."""

    def __init__(self) -> None:
        self._extended: dict[tuple[bytes, bytes], bool] = {}

    def get(self, atr: bytes, template: bytes) -> bool | None:
        """True, False, or None as long as it was never tried."""
        return self._extended.get((atr, template))

    def put(self, atr: bytes, template: bytes, extended: bool) -> None:
        """Remember whether this kind of card takes extended APDUs."""
        self._extended[atr, template] = extended


class SecureMessaging(Protocol):
    """The host's end of a secure channel: see `hardware.cards.scp03`."""

    def wrap(self, command: CommandApdu) -> CommandApdu:
        """`command` as it goes over the wire, its class byte marked."""

    def unwrap(self, reply: ResponseApdu) -> ResponseApdu:
        """The plain answer to the last wrapped command. Raises `ProtocolError` if it is not the card's."""


class ApduChannel:
    """Sends commands of any length over a connection and brings back whole answers.

    Raises only `CardError`: `TransportError` where the path breaks, `ProtocolError` where the card's bytes make no
    sense. `stage` is a free label that later trace entries carry. `secure` is the open secure channel; any SELECT and
    any loss of power ends it.
    """

    def __init__(
        self,
        connection: CardConnection,
        memory: FormatMemory | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.connection = connection
        self.trace = ApduTrace()
        self.stage = ""
        self.secure: SecureMessaging | None = None
        self._memory = memory or FormatMemory()
        self._clock = clock
        self._template = b""
        self._selected: CommandApdu | None = None
        # None until tried. What a broken transmit taught stays in this channel: a card that was pulled at that moment
        # must not make all its kind slow.
        self._extended: bool | None = None

    def select(self, aid: bytes) -> ResponseApdu:
        """SELECT an application by name; its answer is the property template that the extended probe is kept under."""
        command = CommandApdu(0x00, SELECT, 0x04, 0x00, aid, 256)
        self._selected = command
        reply = self.send(command)
        if reply.ok:
            self._template = reply.data
            if self._extended is not False:
                self._extended = self._memory.get(self.connection.atr, self._template)
        return reply

    def send(self, command: CommandApdu) -> ResponseApdu:
        """Send `command`, in one APDU or a chain, and collect its answer, with any status word."""
        if command.ins == SELECT:
            self.secure = None
        if self.secure is None or command.cla == _FOR_READER:
            reply = self._send(command)
            if reply.sw == _NO_DIAGNOSIS and command.ins in _READ_ONLY:
                reply = self._send(command)
            return reply
        # Wrapped once, before any form is chosen: a chain and an extended APDU carry the same bytes and the same MAC.
        return self.secure.unwrap(self._send(self.secure.wrap(command)))

    def _send(self, command: CommandApdu) -> ResponseApdu:
        """Send in extended form where that helps and the card takes it, else in short form; learn which it takes."""
        if self._extended is False or not command.wants_extended:
            return self._send_short(command)
        apdu = command.encode_extended()
        if len(apdu) > MAX_EXTENDED:
            return self._send_short(command)
        try:
            data, sw = self._exchange(command, command, apdu, ANY)
        except CardRemoved:
            raise
        except TransportError:
            # Some readers cannot carry an extended APDU at all. Only a command that changes nothing is tried again.
            repeatable = command.ins in _READ_ONLY and not command.secured
            if self._extended is not None or not repeatable or self._selected is None:
                raise
            self._extended = False
            self.connection.reconnect_fresh()
            self._send_short(self._selected)
            return self._send_short(command)
        if self._extended is None and sw in _REFUSES_EXTENDED:
            reply = self._send_short(command)
            if reply.sw != sw:  # else the card refuses the command, not its form
                self._learn(False)
            return reply
        if sw == 0x6700 and len(command.data) > 255:  # this command is too long for the card, others may not be
            return self._send_short(command)
        if self._extended is None:
            self._learn(True)
        return self._collect(command, command, data, sw)

    def check(self, command: CommandApdu) -> bytes:
        """`send`, and the data; raises `StatusWordError` for everything but 9000."""
        reply = self.send(command)
        if not reply.ok:
            raise StatusWordError(reply.sw, command.ins)
        return reply.data

    def reconnect_fresh(self) -> None:
        """Power the card off and on; nothing is selected afterwards."""
        self._selected = None
        self.secure = None
        self.connection.reconnect_fresh()

    def _learn(self, extended: bool) -> None:
        self._extended = extended
        self._memory.put(self.connection.atr, self._template, extended)

    def _send_short(self, command: CommandApdu) -> ResponseApdu:
        rest = command.data
        while len(rest) > 255:
            link = replace(command, cla=command.cla | 0x10, data=rest[:255], le=None)
            data, sw = self._exchange(command, link, link.encode_short(), 256)
            if sw != 0x9000:
                return ResponseApdu(data, sw)
            rest = rest[255:]
        last = command if rest is command.data else replace(command, data=rest)
        data, sw = self._exchange(command, last, last.encode_short(), 256)
        return self._collect(command, last, data, sw)

    def _collect(self, command: CommandApdu, last: CommandApdu, data: bytes, sw: int) -> ResponseApdu:
        """Follow 6Cxx once and 61xx as long as every round brings bytes; `last` is what 6Cxx repeats."""
        if sw >> 8 == 0x6C:
            repeated = replace(last, le=sw & 0xFF or 256)
            if len(repeated.data) > 255:
                data, sw = self._exchange(command, repeated, repeated.encode_extended(), ANY)
            else:
                data, sw = self._exchange(command, repeated, repeated.encode_short(), 256)
        if sw >> 8 != 0x61 and sw >> 8 != 0x6C:
            return ResponseApdu(data, sw)
        answer = bytearray(data)
        rounds = 0
        while sw >> 8 == 0x61:
            rounds += 1
            if rounds > MAX_ROUNDS:
                raise ProtocolError(f"the card promises more data after {MAX_ROUNDS} rounds")
            # GET RESPONSE is not part of a chain and not secured: its answers are parts of one protected answer.
            cla = 0x00 if command.secured else command.cla & 0xEF
            get = CommandApdu(cla, GET_RESPONSE, 0, 0, b"", sw & 0xFF or 256)
            data, sw = self._exchange(command, get, get.encode_short(), 256)
            if sw >> 8 == 0x6C:
                get = replace(get, le=sw & 0xFF or 256)
                data, sw = self._exchange(command, get, get.encode_short(), 256)
            if not data and sw >> 8 == 0x61:
                raise ProtocolError("the card promises more data and sends none")
            answer += data
            if len(answer) > MAX_ANSWER:
                raise ProtocolError(f"the card's answer exceeds {MAX_ANSWER} bytes")
        if sw >> 8 == 0x6C:
            raise ProtocolError("the card corrects Le twice")
        return ResponseApdu(bytes(answer), sw)

    def _exchange(self, command: CommandApdu, sent: CommandApdu, apdu: bytes, most: int) -> tuple[bytes, int]:
        """`apdu`, which is `sent` in a form whose Le is at most `most`, over the wire and into the trace. `sent` is a
        part of `command`, which decides what the trace may keep.
        """
        started = self._clock()
        answer = b""
        try:
            answer = self.connection.transmit(apdu)
        finally:
            ms = (self._clock() - started) * 1000
            shown = command.ins in _SHOWN and not command.secured
            whole = len(answer) >= 2
            body = answer[:-2]
            sw = answer[-2] << 8 | answer[-1] if whole else None
            self.trace.add(
                TracedApdu(
                    stage=self.stage,
                    header=apdu[:4].hex(),
                    lc=len(sent.data),
                    le=None if sent.le is None else min(sent.le, most),
                    sw=sw,
                    ms=ms,
                    answer_length=len(body),
                    data=sent.data if shown else None,
                    answer=body if shown and whole else None,
                )
            )
        if sw is None:
            raise ProtocolError("the card's answer has no status word")
        if len(body) > MAX_ANSWER + 2:
            raise ProtocolError(f"the card's answer exceeds {MAX_ANSWER} bytes")
        return body, sw
