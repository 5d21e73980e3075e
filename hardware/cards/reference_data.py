"""A card's own secrets: PIN and PUK (reference data, SP 800-73-5 part 2, 3.2) and the management key 9B.

Each may be set repeatedly: after a tear it is unknown whether the old or the new one is on the card. A PIN or PUK that
the card refuses as too simple is drawn anew, `hardware.cards.steps.DRAWS` values at most; no try is lost by that.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from hardware.cards.backend import CardError, CardLocked, CardRefused, StatusWordError
from hardware.cards.piv import (
    FACTORY_PUK,
    PUK_REFERENCE,
    ManagementAlgorithm,
    ManagementCommand,
    ManagementKey,
    PivSession,
)
from hardware.cards.profile import Secrets
from hardware.cards.steps import DRAWS, RESTORE_KEY, Steps

_NO_RESET = frozenset({0x6881, 0x6882, 0x6982, 0x6985, 0x6986})
_WRONG_UNCOUNTED = 0x6300
TOO_SIMPLE: Final = frozenset({0x6A80, 0x6985})
"""Refusals of a new PIN or PUK for its own sake: 6A80 (SP 800-73-5 part 2, 3.2.2 and 3.2.3), 6985 (Yubico's PIN
complexity, as ykman reads it). The old one was not judged, or right: neither costs a try."""


class Draws:
    """The values of one new PIN or PUK, of which the card takes one. `first` is the draw of `value`; behind the
    last draw comes the first."""

    def __init__(self, first: int, value: str, later: Sequence[str]) -> None:
        self._first = first
        self._values = (value, *later)
        self._at = 0

    @property
    def value(self) -> str:
        """The value under way, which the card has in the end."""
        return self._values[self._at]

    @property
    def draw(self) -> int:
        """Its number, 1 to `DRAWS`."""
        return (self._first + self._at - 1) % DRAWS + 1

    def restart(self) -> None:
        """Go back to the first value, for another command."""
        self._at = 0

    def offer(self, send: Callable[[str, int], bool]) -> bool:
        """`send` each value (with its draw) until the card does not call it too simple; what it answered for that one.
        Raises the card's refusal of the last value."""
        while True:
            try:
                return send(self.value, self.draw)
            except StatusWordError as error:
                if error.sw not in TOO_SIMPLE or self._at + 1 == len(self._values):
                    raise
                self._at += 1


class ReferenceData:
    """The secrets of one card. `warnings` are sentences for people; `pin` tells which PIN the card has; `command` is
    how the card takes its management key."""

    def __init__(self, piv: PivSession, steps: Steps, new: Secrets) -> None:
        self._piv = piv
        self._steps = steps
        self._new = new
        self.warnings: list[str] = []
        self.command = ManagementCommand.SET_MANAGEMENT_KEY
        self.pin = Draws(new.pin_draw, new.pin, new.later_pins)
        self._puk = Draws(new.puk_draw, new.puk, new.later_puks)
        self._guessed_blindly = False

    def take_metadata(self) -> None:
        """Ask the card whether its PUK is the factory's, and drop what cannot be its PUK. Raises `CardLocked` where
        none is left, or the PUK is blocked: nothing was written then, and no try was used."""
        new = self._new
        if FACTORY_PUK not in new.old_puks:
            return
        told = self._piv.metadata(PUK_REFERENCE)
        if told is None:
            return
        if told.tries == 0:
            raise CardLocked("PUK", "blocked, as the card says", tried=False)
        kept = [at for at, puk in enumerate(new.old_puks) if (puk == FACTORY_PUK) is told.factory]
        if not kept:
            raise CardLocked("PUK", "not the factory's, as the card says; no try was used", tried=False)
        self._new = replace(
            new,
            old_puks=[new.old_puks[at] for at in kept],
            puk_marks=[new.puk_marks[at] for at in kept if at < len(new.puk_marks)],
        )

    def set_pin_and_puk(self) -> None:
        """Set the PIN, then the PUK. Raises `CardLocked` where no old secret opens the card."""
        new = self._new
        self._steps.begin("pin")
        puk = self._reset_pin()
        self._steps.begin("puk")
        for old in [puk] if puk is not None else list(new.old_puks):
            if self._opens_by_puk(old, self._puk, partial(self._piv.change_puk, old)):
                return
        raise CardLocked("PUK", "none of the known PUKs fits")

    def _reset_pin(self) -> str | None:
        """Set the PIN. Returns the PUK that opened it, or None where the card has no reset and the old PIN opened
        it."""
        new = self._new
        try:
            for puk in new.old_puks:
                if self._opens_by_puk(puk, self.pin, partial(self._piv.reset_pin, puk)):
                    return puk
            raise CardLocked("PUK", "none of the known PUKs fits")
        except StatusWordError as error:
            if not error.absent and error.sw not in _NO_RESET:
                raise
        self.pin.restart()
        marks = dict(zip(new.old_pins, new.pin_marks, strict=False))
        for pin in new.old_pins:
            if self._opens("PIN", self.pin, partial(self._piv.change_pin, pin), marks.get(pin)):
                return None
        raise CardLocked("PIN", "none of the known PINs fits")

    def _opens_by_puk(self, puk: str, new: Draws, send: Callable[[str], None]) -> bool:
        puks = list(self._new.old_puks)
        mark = dict(zip(puks, self._new.puk_marks, strict=False)).get(puk)
        return self._opens("PUK", new, send, mark, next_is_right=self._new.puk_known and puks[-2:-1] == [puk])

    def _opens(
        self,
        what: str,
        new: Draws,
        send: Callable[[str], None],
        mark: bytes | None = None,
        *,
        next_is_right: bool = False,
    ) -> bool:
        """Try one old secret, and set the `new` one; False if the old one is wrong and another may be tried without
        risking the last try."""
        return new.offer(lambda value, draw: self._try(what, partial(send, value), mark, draw, next_is_right))

    def _try(self, what: str, send: Callable[[], None], mark: bytes | None, draw: int, next_is_right: bool) -> bool:
        """Send one old secret with one new value."""
        try:
            self._steps.change(mark, send, draw)
        except StatusWordError as error:
            if error.sw == _WRONG_UNCOUNTED and not self._guessed_blindly:
                self._guessed_blindly = True
                return False
            if error.tries is None:
                raise
            if error.tries < (1 if next_is_right else 2):
                left = "1 try" if error.tries == 1 else f"{error.tries} tries"
                raise CardLocked(what, f"wrong, {left} left; this call tries no other") from error
            return False
        return True

    def set_management_key(self) -> ManagementKey:
        """Set the first of the new management keys whose cipher the card takes; returns it. Raises `CardRefused` where
        it takes none."""
        self._steps.begin("management_key")
        refusal: StatusWordError | None = None
        for key in self._new.management:
            try:
                self._steps.change(None, partial(self._piv.set_management_key, key, self.command))
            except StatusWordError as error:
                refusal = error
                continue
            if key.algorithm is ManagementAlgorithm.TDES:
                self.warnings.append("the card takes a 3DES management key only: weak_management_key")
            return key
        raise CardRefused("management_key", refusal.sw if refusal is not None else 0x6A81)

    def restore_management_key(self, old: ManagementKey) -> None:
        """Put the old management key back, and keep quiet if the card does not take it: the journal knows both keys."""
        self._steps.begin(RESTORE_KEY)
        with suppress(CardError):
            self._steps.change(None, partial(self._piv.set_management_key, old, self.command))
