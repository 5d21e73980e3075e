"""What every page works with: the client of the moment, live data, preferences, actions, toasts, navigation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from app.console.clock import ServiceClock
from app.console.diagnostics.stall import FrameTimes, StallWatch
from app.console.failures import Failure, NotConnected, failure_of
from app.console.language import tr
from app.console.mutes import Mutes
from app.console.permissions import Permissions
from app.console.shown_time import ShownTime
from app.console.tasks import Tasks

if TYPE_CHECKING:
    import asyncio

    from app.client import Client
    from app.console.actions import ActionTable
    from app.console.desk_state import DeskOperator
    from app.console.devices.microphone import SoundDevices
    from app.console.names import OperatorNames
    from app.console.people_names import PersonNames
    from app.console.preferences import PreferenceStore
    from app.console.telemetry.door_feed import DoorFeed
    from app.console.telemetry.live import Live
    from app.console.telemetry.older_hour import HourAnswer
    from app.console.telemetry.past_frames import PastFrames
    from app.console.telemetry.site_events import PastEvents


class CallTimes:
    """Durations of the last 512 API calls, for the status bar's p99."""

    def __init__(self) -> None:
        self._ms: deque[float] = deque(maxlen=512)

    def add(self, milliseconds: float) -> None:
        """Note the duration of one call, ms."""
        self._ms.append(milliseconds)

    def percentile(self, share: float) -> float | None:
        """Nearest-rank percentile, ms; None without a sample. ``share`` 0..1."""
        if not self._ms:
            return None
        ordered = sorted(self._ms)
        return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


class MessageWay(NamedTuple):
    """Where a message leads, and how what it tells of is taken back. ``page`` empty: it leads nowhere. ``undo`` starts
    the change that takes it back; None: nothing does."""

    page: str = ""
    arguments: Mapping[str, str] = MappingProxyType({})
    undo: Callable[[], None] | None = None


class WindowSession(QObject):
    """One for each window. Pages are entered only while a service is connected, so ``client`` is there for them."""

    connected = Signal()
    """A service answered and accepted the key; emitted again after the service was started anew."""
    disconnected = Signal(str)
    """The service is gone; the sentence says why."""
    changed = Signal(object)
    """An ``operations.Change``: views of its kinds refresh."""
    toast = Signal(str, str, str, str, object)
    """Text, kind (info, ok, warn, bad), copyable reference (empty = none), subject."""
    toast_over = Signal(str)
    """What was said of that subject no longer holds."""

    def __init__(
        self, *, profile: str, preferences: PreferenceStore, actions: ActionTable, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.profile = profile
        """``training`` or ``production``; empty until a service elsewhere has stated it. No page is made before."""
        self.preferences = preferences
        self.actions = actions
        self.clock = ServiceClock()
        self.mutes = Mutes()
        self.calls = CallTimes()
        self.tasks = Tasks(self._task_failed)
        self.frames = FrameTimes()
        self.stalls = StallWatch(parent=self)
        self.base_url = ""
        self.clearance = ""
        self.operator: DeskOperator | None = None
        """Who is signed in; None: nobody, or the site has no operators (``app.console.operators.desk``)."""
        self.permissions = Permissions(lambda: None if self.operator is None else self.operator.roles)
        actions.set_judge(self.permissions.judge)
        self.shown_time = ShownTime(self._now, self)
        self.shown_time.changed.connect(lambda: actions.set_past(self.shown_time.refusal))
        self.resting = False
        """Nobody is signed in where somebody must be: the window is locked."""
        self.service_pid = 0
        """Process id of the service when it is our child, else 0."""
        self.service_starts = 0
        self.live: Live
        """Set by the console before any page is made."""
        self._client: Client | None = None
        self._up: asyncio.Event | None = None
        self._navigate: Callable[[str, dict[str, str]], None] = lambda _page, _arguments: None

    def _now(self) -> float:
        """Unix time by the service's clock."""
        return self.live.now()

    @property
    def training(self) -> bool:
        """True on a training site."""
        return self.profile == "training"

    @cached_property
    def names(self) -> OperatorNames:
        """The names of operators, wherever it is shown who did something."""
        # As ``doors``: a table stands behind it.
        from app.console.names import OperatorNames

        return OperatorNames(self)

    @cached_property
    def people(self) -> PersonNames:
        """The names of people, wherever the id of a node is shown."""
        from app.console.people_names import PersonNames

        return PersonNames(self)

    @cached_property
    def doors(self) -> DoorFeed:
        """The cards at doors that this window knows."""
        # Imported where a page first asks: its messages are not needed before the first paint.
        from app.console.telemetry.door_feed import DoorFeed

        return DoorFeed(self)

    @cached_property
    def older_frames(self) -> HourAnswer[PastFrames]:
        """How the frames answered in the hour around an older moment that is shown."""
        from app.console.telemetry.older_hour import HourAnswer
        from app.console.telemetry.past_frames import read_older

        return HourAnswer(self, lambda start, end: read_older(self, start, end), "frames of an older hour")

    @cached_property
    def older_events(self) -> HourAnswer[PastEvents]:
        """What happened in the hour around an older moment that is shown."""
        from app.console.telemetry.older_hour import HourAnswer
        from app.console.telemetry.site_events import read_events

        return HourAnswer(self, lambda start, end: read_events(self, start, end), "events of an older hour")

    @cached_property
    def sounds(self) -> SoundDevices:
        """Microphones and loudspeakers of this machine, on a training site with drawn voices before them."""
        # numpy is not needed before the first paint.
        from app.console.devices.microphone import SoundDevices
        from app.console.devices.training_voice import TrainingVoice

        return SoundDevices(training=TrainingVoice if self.training else None)

    @property
    def client(self) -> Client:
        """The client of the connected service. Read it for each call and do not keep it: the service may be started
        anew. Raises NotConnected."""
        if self._client is None:
            raise NotConnected
        return self._client

    @property
    def is_connected(self) -> bool:
        """Whether a service is connected."""
        return self._client is not None

    def attach(self, client: Client, base_url: str, clearance: str) -> None:
        """Take ``client`` as the connected one and announce it."""
        self._client, self.base_url, self.clearance = client, base_url, clearance
        if self._up is not None:
            self._up.set()
        self.connected.emit()

    def detach(self, reason: str) -> None:
        """Forget the client and announce why, if there was one."""
        had, self._client = self._client, None
        if self._up is not None:
            self._up.clear()
        if had is not None:
            self.disconnected.emit(reason)

    async def wait_connected(self) -> None:
        """Return when a service is connected; at once if one is."""
        if self._client is not None:
            return
        import asyncio

        if self._up is None:
            self._up = asyncio.Event()
        await self._up.wait()

    def set_navigator(self, navigate: Callable[[str, dict[str, str]], None]) -> None:
        """Take the function that opens pages from the shell."""
        self._navigate = navigate

    def navigate(self, page: str, **arguments: str) -> None:
        """Open a page and hand it ``arguments`` (``node_id=...``)."""
        self._navigate(page, arguments)

    def notify(
        self, text: str, kind: str = "ok", reference: str = "", *, subject: str = "", way: MessageWay | None = None
    ) -> None:
        """Show a toast for something that happened in the background. It takes the place of what was said before of the
        same ``subject``: a node, a file, a list. Without one it stands by itself. ``way``: where it leads."""
        self.toast.emit(self.names.in_text(text), kind, reference, subject or text, way)

    def withdraw(self, subject: str) -> None:
        """What a toast said of that subject no longer holds: it goes."""
        self.toast_over.emit(subject)

    def notify_failure(self, title: str, failure: Failure) -> None:
        """Show a toast for a failure that no page is there to show."""
        words = " ".join(part for part in (f"{title}: {failure.sentence}", failure.next_step) if part)
        self.notify(words, "warn" if failure.unknown else "bad", failure.request_id, subject=title)

    def _task_failed(self, error: BaseException) -> None:
        self.notify_failure(tr("Background work"), failure_of(error))
