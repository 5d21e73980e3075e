"""The steps of a personalization and their journal: each step is announced before it is sent, and its answer recorded.

Every command that changes a card goes through `Steps.change`: a step that the journal does not know could not be
resumed.
"""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Final, Protocol, TypeVar

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardLocked, StatusWordError
from hardware.cards.piv import PivSession, PublicKey, Slot, spki

T = TypeVar("T")

STEPS: Final = (
    "identify",
    "authenticate",
    "chuid",
    "ccc",
    "printed",
    "9A.generate",
    "pin",
    "puk",
    "9A.certificate",
    *(f"{slot.label}.{part}" for slot in tuple(Slot)[1:] for part in ("generate", "certificate")),
    "security_object",
    "management_key",
    "verify",
)
"""The steps of a plain card in their order, as they appear in the journal, the trace and the errors; see `steps`.

PIN and PUK are set after the first key, which the gate judges, and before the first certificate: no half card that has
a certificate works with the factory's PIN. `management_key` comes before `chuid`, first of all writes, on a card of
which only this write can tell whether it takes the key."""

KEEP_ALIVE_S: Final = 2.0
"""Windows resets a card that was idle for five seconds inside a transaction: a command is sent well before that."""

DEFAULT_KEEP_ALIVE_S: Final = KEEP_ALIVE_S if sys.platform == "win32" else None
"""`KEEP_ALIVE_S` where it is needed, else None: never."""

_SECRET_STEPS: Final = ("pin", "puk", "management_key")

RESTORE_KEY: Final = "management_key.restore"
"""The step that puts the old 9B back on a card that was refused after the new one had been tried first."""


def steps(*, approved_first: bool = False, key_history: bool = False) -> tuple[str, ...]:
    """All steps in their order for this kind of card: `STEPS`, with the secrets early (`approved_first`) and the key
    history before the security object that covers it."""
    names = [name for name in STEPS if not (approved_first and name in _SECRET_STEPS)]
    if approved_first:
        at = names.index("chuid") + 1
        names[at:at] = _SECRET_STEPS
    if key_history:
        names.insert(names.index("security_object"), "key_history")
    return tuple(names)


DRAWS: Final = 3
"""A new PIN or PUK that the card refuses as too simple is drawn anew: it is sent so many values at most."""


def draw_name(step: str, draw: int) -> str:
    """The step's name in the journal for the value of this draw, counted from 1: `puk`, `puk.2`, `puk.3`."""
    return step if draw == 1 else f"{step}.{draw}"


def draw_names(step: str) -> tuple[str, ...]:
    """All names that the step has in the journal, those of the first draw first."""
    return tuple(draw_name(step, draw) for draw in range(1, DRAWS + 1))


def draw_of(name: str, step: str) -> int | None:
    """The draw that `name` stands for; None where it is no name of this step."""
    names = draw_names(step)
    return names.index(name) + 1 if name in names else None


BLOCKED: Final = 0x6983
"""Status word in the journal of a step that a blocked PIN or PUK refused."""


class Journal(Protocol):
    """The durable journal of one personalization. An error that it raises stops the personalization before the step is
    sent."""

    def before(self, step: str, digest: bytes | None) -> None:
        """`step` is about to change the card; `digest` is the SHA-256 of what will be written, None if not known."""

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """The card answered `step`. For a generation `digest` is the SHA-256 of the new SubjectPublicKeyInfo.

        Not called when the answer was lost.
        """


class NoJournal:
    """Records nothing: for cards that may be lost (tests, benchmarks)."""

    def before(self, step: str, digest: bytes | None) -> None:
        """Does nothing."""

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """Does nothing."""


class Resume(Protocol):
    """What the card acknowledged in earlier attempts. Not to be used after `CardUnproven`."""

    def content(self, step: str) -> bytes | None:
        """The digest of the last `Journal.after` of `step` with 9000: SHA-256 of the written content, or of a generated
        key's SubjectPublicKeyInfo; None if the step was never acknowledged.
        """


class Steps:
    """The steps of one card in work. `step` is the one under way, `touched` says whether anything was sent that changes
    the card. `on_step` and `keep_alive_s`: see `hardware.cards.personalize.Personalizer`.
    """

    def __init__(
        self,
        channel: ApduChannel,
        journal: Journal,
        on_step: Callable[[str], None] | None = None,
        keep_alive_s: float | None = None,
    ) -> None:
        self._channel = channel
        self._piv = PivSession(channel)
        self._journal = journal
        self._on_step = on_step
        self._keep_alive_s = keep_alive_s
        self.step = STEPS[0]
        self.touched = False

    def begin(self, step: str) -> None:
        """`step` begins: journal rows, trace entries and errors carry its name from now on."""
        self.step = self._channel.stage = step
        if self._on_step is not None:
            self._on_step(step)

    def change(self, digest: bytes | None, send: Callable[[], T], draw: int = 1) -> T:
        """Send one changing command between its two journal entries; a refusal is recorded too. `draw`: which of the
        values that are drawn for this step is sent; the journal knows it before the card does."""
        name = draw_name(self.step, draw)
        self.while_host_works(lambda: self._journal.before(name, digest))
        self.touched = True
        try:
            value = send()
        except StatusWordError as error:
            self._journal.after(name, error.sw, None)
            raise
        except CardLocked:
            # The card has answered: the step is not in doubt.
            self._journal.after(name, BLOCKED, None)
            raise
        if digest is None and isinstance(value, PublicKey):
            digest = sha256(spki(value)).digest()
        self._journal.after(name, 0x9000, digest)
        return value

    def while_host_works(self, work: Callable[[], T]) -> T:
        """Run `work`; while it takes long, the card gets harmless commands so that it is not reset."""
        period = self._keep_alive_s
        if period is None:
            return work()
        with ThreadPoolExecutor(1, "card host work") as pool:
            future = pool.submit(work)
            while True:
                try:
                    return future.result(period)
                except TimeoutError:
                    if future.done():  # in this very moment, or the timeout is the work's own
                        return future.result()
                    self._keep_alive()

    def _keep_alive(self) -> None:
        stage, self._channel.stage = self._channel.stage, "keep_alive"
        try:
            # Without data VERIFY only tells the tries: no security state changes, on no card.
            self._piv.pin_tries()
        finally:
            self._channel.stage = stage
