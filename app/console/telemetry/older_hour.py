"""What the service answers of the hour around an older moment: asked once for each hour, in the background.

While the answer is awaited, and where there is none, it says so: nothing of another hour stands in its place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.console.failures import failure_of
from app.console.language import tr
from app.console.theme.tokens import Meaning

if TYPE_CHECKING:
    import asyncio

    from app.console.session import WindowSession

RESTS_MS = 250
"""An hour on which the hands rest so long is asked for; those that they pass are not."""
AGAIN_MS = 5000
"""Before a service that did not answer is asked again."""
AnswerT = TypeVar("AnswerT")


class HourAnswer(QObject, Generic[AnswerT]):
    """One for each window and question, for the window's whole life."""

    changed = Signal()
    """Another hour is asked for, or there is an answer to it, or there will be none for a while."""

    def __init__(self, session: WindowSession, ask: Callable[[float, float], Awaitable[AnswerT]], name: str) -> None:
        """``ask``: for the hour between two Unix times; it raises what the client raises. ``name``: of the task."""
        super().__init__(session)
        self._answer: AnswerT | None = None
        self.trouble = ""
        """Why there is no answer, one sentence; it is asked again."""
        self._session = session
        self._ask = ask
        self._name = name
        self._hour: tuple[float, float] | None = None
        self._task: asyncio.Task[None] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._begin)
        session.shown_time.changed.connect(self._take_moment)
        session.connected.connect(self._take_service)
        session.disconnected.connect(self._take_service)
        self._take_moment()

    @property
    def answer(self) -> AnswerT | None:
        """Of the hour that ``session.shown_time`` names; None: it is awaited, or no hour is named."""
        return self._answer if self._hour == self._session.shown_time.hour else None

    @property
    def asking(self) -> bool:
        """Whether an answer is awaited of a service that is heard."""
        return self._hour is not None and self.answer is None and not self.trouble and not self._session.live.stale

    @property
    def lacks(self) -> tuple[Meaning, str]:
        """Why there is no answer yet, a state and a sentence; without a sentence there is one."""
        if self._hour is None or self.answer is not None:
            return Meaning.OK, ""
        if self.asking:
            return Meaning.WORK, tr("The service is asked for that hour.")
        return Meaning.IDLE, self.trouble or tr("The service was asked for that hour and is silent.")

    @property
    def word(self) -> str:
        """Of the state of ``lacks``, where there is no answer."""
        return tr("Asking") if self.asking else tr("Unknown")

    def _take_moment(self) -> None:
        """Another moment is shown, or now: an answer of another hour is dropped, and one that comes later, too."""
        hour = self._session.shown_time.hour
        if hour == self._hour:
            return
        self._hour, self._answer, self.trouble = hour, None, ""
        self._stop()
        if hour is not None:
            self._rest.start(RESTS_MS)
        self.changed.emit()

    def _take_service(self, _reason: str = "") -> None:
        """A service answers, or none does any more: what was asked of the one before is not answered."""
        if self._hour is not None and self.answer is None:
            self._stop()
            self.trouble = ""
            self._begin()
            self.changed.emit()

    def _stop(self) -> None:
        self._rest.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _begin(self) -> None:
        if self._hour is not None:
            self._task = self._session.tasks.spawn(self._read(self._hour), name=self._name)

    async def _read(self, hour: tuple[float, float]) -> None:
        try:
            answer = await self._ask(*hour)
        except Exception as error:  # it is said where the answer would stand, and asked again
            if hour == self._hour:
                self.trouble = failure_of(error).sentence
                self._rest.start(AGAIN_MS)
                self.changed.emit()
            return
        if hour == self._hour:
            self._answer, self.trouble = answer, ""
            self.changed.emit()
