"""Readers of the system's PC/SC service, through `smartcard.scard` only.

pyscard's own monitors and connections are not used: they die silently with pcscd. Every connection and every watch has
a context of its own, because a context belongs to one thread and becomes useless when the service restarts.
"""

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from smartcard import scard

from hardware.cards.backend import (
    CardBusy,
    CardConnection,
    CardError,
    CardRemoved,
    NoCard,
    NoReaderService,
    NoSuchReader,
    ReaderSnapshot,
    TransportError,
)

BUSY_PATIENCE: Final = 3.0
"""Seconds for which a sharing violation is retried before `CardBusy`: other programs open a new card for a moment."""

_SELECT_DEFAULT: Final = bytes.fromhex("00A4040000")
_RETRY_PAUSE: Final = 0.1
_WRONG_LENGTH: Final = b"\x67\x00"
_PNP: Final = r"\\?PnP?\Notification"
_PROTOCOLS: Final = scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1

_NO_SERVICE: Final = frozenset({0x8010001D, 0x8010001E, 0x80100003, 0x80100006, 0x80100013})
_NO_READERS: Final = frozenset({0x8010002E})
_NO_SUCH_READER: Final = frozenset({0x80100009, 0x80100017})
_NO_CARD: Final = frozenset({0x8010000C, 0x80100066, 0x80100067, 0x8010000F, 0x80100010})
_BUSY: Final = 0x8010000B
_REMOVED: Final = frozenset({0x80100069, 0x8010000C, 0x80100017, 0x80100009})
_TIMEOUT: Final = 0x8010000A
_CANCELLED: Final = 0x80100002


def _call(function: Callable[..., Any], *args: Any) -> tuple[int, list[Any]]:
    """Call one scard function; its return code as an unsigned 32-bit number and its other results.

    A dead handle makes some of pyscard's wrappers raise SystemError or its own error instead of returning a code.
    """
    try:
        result = function(*args)
    except (SystemError, scard.error) as error:
        raise TransportError(f"PC/SC call failed: {error}") from error
    if isinstance(result, int):
        return result & 0xFFFFFFFF, []
    code, *rest = result
    return code & 0xFFFFFFFF, rest


def _failure(code: int, reader: str) -> CardError:
    """The error for a return code of `SCardConnect` or of a listing."""
    text = f"{reader}: PC/SC error {code:08X}"
    if code in _NO_SERVICE:
        return NoReaderService(text)
    if code in _NO_SUCH_READER or code in _NO_READERS:
        return NoSuchReader(text)
    if code in _NO_CARD:
        return NoCard(text)
    return TransportError(text)


def _establish() -> int:
    try:
        code, rest = _call(scard.SCardEstablishContext, scard.SCARD_SCOPE_USER)
    except TransportError as error:
        raise NoReaderService(str(error)) from error
    if code:
        raise NoReaderService(f"PC/SC service: error {code:08X}")
    context: int = rest[0]
    return context


def _release(context: int) -> None:
    with contextlib.suppress(TransportError):  # the service may be gone, and with it all it held
        _call(scard.SCardReleaseContext, context)


def _tpdu(apdu: bytes) -> bytes | None:
    """`apdu` as a card with protocol T=0 takes it (ISO/IEC 7816-3, 12.2): never without P3, never Lc and Le together;
    None for the extended form, which that protocol does not carry.
    """
    body = apdu[4:]
    if not body:
        return apdu + b"\0"
    if len(body) == 1:
        return apdu
    if not body[0]:
        return None
    return apdu[: 5 + body[0]]


def _list(context: int) -> list[str]:
    try:
        code, rest = _call(scard.SCardListReaders, context, [])
    except TransportError as error:
        raise NoReaderService(str(error)) from error
    if code in _NO_READERS:
        return []
    if code:
        raise NoReaderService(f"PC/SC service: error {code:08X}")
    return list(rest[0])


def _other_users() -> str | None:
    """Programs of this machine that have PC/SC loaded, as far as this user may see; None if none is visible.

    No system tells who holds a card. These are the candidates (in practice a PIN agent or a browser); several are named
    as `one of ...`.
    """
    names: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            name = (entry / "comm").read_text().strip()
            if name != "pcscd" and "libpcsclite" in (entry / "maps").read_text(errors="replace"):
                names.append(f"{name} (process {entry.name})")
    return f"one of {', '.join(sorted(names))}" if len(names) > 1 else names[0] if names else None


class PcscBackend:
    """The system's PC/SC service. Holds nothing between calls, so a restart of the service needs no care here."""

    def readers(self) -> list[str]:
        """See `CardBackend.readers`."""
        context = _establish()
        try:
            return _list(context)
        finally:
            _release(context)

    def open(self, reader: str) -> CardConnection:
        """See `CardBackend.open`: exclusive connect and a transaction, on a context of its own."""
        context = _establish()
        try:
            deadline = time.monotonic() + BUSY_PATIENCE
            while True:
                code, rest = _call(scard.SCardConnect, context, reader, scard.SCARD_SHARE_EXCLUSIVE, _PROTOCOLS)
                if code != _BUSY:
                    break
                if time.monotonic() > deadline:
                    raise CardBusy(reader, _other_users())
                time.sleep(_RETRY_PAUSE)
            if code:
                raise _failure(code, reader)
            connection = _PcscConnection(reader, context, rest[0], rest[1])
        except BaseException:
            _release(context)
            raise
        try:
            connection.begin()
        except BaseException:
            connection.close()
            raise
        return connection

    def watch(self) -> "_PcscWatch":
        """See `CardBackend.watch`."""
        return _PcscWatch(_establish())


class _PcscConnection:
    def __init__(self, reader: str, context: int, card: int, protocol: int) -> None:
        self._reader = reader
        self._context = context
        self._card = card
        self._protocol = protocol
        self._atr = b""
        self._open = True
        self._broken = False

    @property
    def reader(self) -> str:
        return self._reader

    @property
    def atr(self) -> bytes:
        return self._atr

    def begin(self) -> None:
        self._check(*_call(scard.SCardBeginTransaction, self._card))
        self._atr = bytes(self._check(*_call(scard.SCardStatus, self._card))[3])

    def transmit(self, apdu: bytes) -> bytes:
        if not self._open:
            raise TransportError(f"{self._reader}: the connection is closed")
        pci = scard.SCARD_PCI_T1
        if self._protocol == scard.SCARD_PROTOCOL_T0:
            pci, tpdu = scard.SCARD_PCI_T0, _tpdu(apdu)
            if tpdu is None:
                return _WRONG_LENGTH
            apdu = tpdu
        answer = bytes(self._check(*_call(scard.SCardTransmit, self._card, pci, list(apdu)))[0])
        if len(answer) < 2:  # some drivers call a card pulled out during the command a success without status word
            self._broken = True
            raise CardRemoved(f"{self._reader}: the card did not answer")
        return answer

    def reconnect_fresh(self) -> None:
        self.transmit(_SELECT_DEFAULT)  # power must not be taken from a card that is gone: see `close`
        # SCardReconnect keeps the exclusive hold; close and open would let another program in between.
        code, rest = _call(
            scard.SCardReconnect, self._card, scard.SCARD_SHARE_EXCLUSIVE, _PROTOCOLS, scard.SCARD_UNPOWER_CARD
        )
        self._protocol = self._check(code, rest)[0]
        self._atr = bytes(self._check(*_call(scard.SCardStatus, self._card))[3])
        self._broken = False

    def close(self) -> None:
        if not self._open:
            return
        # The reset makes sure that no other program finds a verified PIN or an open management key. It must not be sent
        # to a card that is gone: pcscd 1.9.9 then never sees the next card in that reader (with vpcd, on reset as on
        # unpower).
        disposition = scard.SCARD_RESET_CARD if self._answers() else scard.SCARD_LEAVE_CARD
        self._open = False
        for function, *args in (
            (scard.SCardEndTransaction, self._card, scard.SCARD_LEAVE_CARD),
            (scard.SCardDisconnect, self._card, disposition),
        ):
            with contextlib.suppress(TransportError):
                _call(function, *args)
        _release(self._context)

    def _answers(self) -> bool:
        """Whether the card is still there. Only an APDU tells: pcscd's own view is up to 0.4 s old."""
        if self._broken:
            return False
        try:
            self.transmit(_SELECT_DEFAULT)
        except TransportError:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _check(self, code: int, rest: list[Any]) -> list[Any]:
        if not code:
            return rest
        self._broken = True
        if code in _REMOVED:
            raise CardRemoved(f"{self._reader}: the card was taken out ({code:08X})")
        # A service that died in the middle is a broken path, not a missing service: the card may be half written.
        raise TransportError(f"{self._reader}: PC/SC error {code:08X}")


@dataclass(frozen=True, slots=True)
class _PcscSnapshot:
    reader: str
    atr: bytes
    present: bool
    events: int


class _PcscWatch:
    def __init__(self, context: int) -> None:
        self._context = context
        self._known: dict[str, int] = {}
        self._first = True

    def wait(self, timeout: float) -> list[ReaderSnapshot]:
        names = _list(self._context)
        states: list[tuple[str, int]] = [(name, self._known.get(name, scard.SCARD_STATE_UNAWARE)) for name in names]
        # The notice of new readers does not exist on macOS; there the listing above finds them within `timeout`.
        states.append((_PNP, self._known.get(_PNP, scard.SCARD_STATE_UNAWARE)))
        wait_ms = 0 if self._first or set(names) != self._known.keys() - {_PNP} else max(0, int(timeout * 1000))
        code, rest = self._status(wait_ms, states)
        if code in _NO_SUCH_READER:  # a reader left between listing and waiting; or no PnP notice on this system
            code, rest = self._status(wait_ms, states[:-1])
        if code in _NO_SUCH_READER:
            self._known.clear()
            return []
        if code not in (0, _TIMEOUT, _CANCELLED):
            raise NoReaderService(f"PC/SC service: error {code:08X}")
        self._first = False
        found: list[ReaderSnapshot] = []
        known: dict[str, int] = {}
        for name, state, atr in rest[0] if rest else []:
            state &= 0xFFFFFFFF
            known[name] = state & ~scard.SCARD_STATE_CHANGED
            if name == _PNP:
                continue
            present = bool(state & scard.SCARD_STATE_PRESENT) and not state & scard.SCARD_STATE_MUTE
            found.append(_PcscSnapshot(name, bytes(atr) if present else b"", present, state >> 16))
        self._known = known
        return found

    def _status(self, wait_ms: int, states: list[tuple[str, int]]) -> tuple[int, list[Any]]:
        if not states:
            return 0, [[]]
        try:
            return _call(scard.SCardGetStatusChange, self._context, wait_ms, states)
        except TransportError as error:
            raise NoReaderService(str(error)) from error

    def cancel(self) -> None:
        with contextlib.suppress(TransportError):
            _call(scard.SCardCancel, self._context)

    def close(self) -> None:
        _release(self._context)
