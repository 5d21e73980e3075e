"""What is known of a door reader: how to talk to it, its state, what it reports of itself and acknowledges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from hardware.readers.binding import osdp_sys
from hardware.readers.channels import check_uri
from hardware.readers.decision import DenyEntry, Reason
from hardware.readers.errors import DoorReaderError
from hardware.readers.keys import check_scbk
from hardware.readers.listblob import ListTrust


class LedColor(IntEnum):
    """Colours of a reader's LED (OSDP 2.2 table 20)."""

    OFF = osdp_sys.LED_COLOR_NONE
    RED = osdp_sys.LED_COLOR_RED
    GREEN = osdp_sys.LED_COLOR_GREEN
    AMBER = osdp_sys.LED_COLOR_AMBER
    BLUE = osdp_sys.LED_COLOR_BLUE


@dataclass(frozen=True, slots=True)
class Setup:
    """What a reader and its panel must agree on to talk.

    `address`: 0 to 126. `baud`: speed of a serial line. `scbk`: the reader's Secure Channel base key, 16 bytes.
    """

    address: int
    baud: int
    scbk: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.address <= 126:
            raise ValueError(f"OSDP address {self.address} is not within 0 to 126")
        check_scbk(self.scbk)


@dataclass(frozen=True, slots=True)
class DoorReaderConfig:
    """One reader as registered.

    `channel`: `serial:<device>`, `tcp://<numeric address>:<port>` or `simulated:`; one reader per line. `address`,
    `baud`, `scbk`: as in `Setup`. `doubts`: other setups that the reader may have been left with (a key or a speed was
    being changed when the service ended); all are tried in turn, `doubts` first. A change of these four does not
    disturb a running reader that is set up in one of them. `install`: the enrolment window, in which a reader that has
    no key yet is given this one over the published default key; never leave it on. `delta`: the reader understands our
    MFG delta. `trust`: the reader keeps a list of its own, and takes lists of this trust. `strike`: how long a grant
    holds the door's output, in units of 100 ms, 1 to 255. `acked_epoch`: the last epoch that the reader is known to
    have acknowledged.
    """

    reader_id: str
    cluster_id: str
    channel: str
    address: int = field(compare=False)
    scbk: bytes = field(repr=False, compare=False)
    baud: int = field(default=9600, compare=False)
    install: bool = False
    delta: bool = True
    strike: int = 30
    acked_epoch: int = field(default=0, compare=False)
    doubts: tuple[Setup, ...] = field(default=(), compare=False)
    trust: ListTrust | None = None

    def __post_init__(self) -> None:
        if not self.reader_id or not self.cluster_id:
            raise ValueError("a reader needs an id and a cluster")
        if not 1 <= self.strike <= 255:
            raise ValueError(f"a strike of {self.strike} tenths of a second is not within 1 to 255")
        check_uri(self.channel)
        Setup(self.address, self.baud, self.scbk)

    @property
    def setups(self) -> tuple[Setup, ...]:
        """Every setup to try, in order; the last is the registered one."""
        registered = Setup(self.address, self.baud, self.scbk)
        return (*(doubt for doubt in self.doubts if doubt != registered), registered)


@dataclass(frozen=True, slots=True)
class DoorReaderState:
    """The present state of one reader. Replaced as a whole on every change.

    `online`: the reader answers. `secure_channel`: it does so over a Secure Channel with its own key; only then is it
    served. `firmware`: as reported, "" before the first contact. `epoch`: the reader has acknowledged every delta up to
    it. `since`: Unix seconds of the last change of the first two. `setup`: with which it is, or last was, reached.
    """

    reader_id: str
    online: bool
    secure_channel: bool
    firmware: str
    epoch: int
    since: float
    setup: Setup | None = None


@dataclass(frozen=True, slots=True)
class DoorReaderIdentity:
    """What the reader reported of itself when its channel came up (replies to osdp_ID and osdp_CAP).

    `capabilities`: name -> compliance level, those above 0 only.
    """

    reader_id: str
    vendor_code: int
    model: int
    version: int
    serial_number: int
    firmware: str
    capabilities: dict[str, int]


@dataclass(frozen=True, slots=True)
class DecidedPresentation:
    """A decided presentation. It holds no card bits.

    A grant is reported when its output pulse is handed to the line, a denial at once. `at`: Unix seconds. `latency_us`:
    from the card event on the loop thread to the decision. `epoch`: that of the loop thread at that moment.
    """

    reader_id: str
    cluster_id: str
    node_id: str | None
    grant: bool
    reason: Reason
    deny: DenyEntry | None
    at: float
    latency_us: float
    epoch: int


@dataclass(frozen=True, slots=True)
class Ack:
    """Answer of one reader to `announce`.

    `thread_epoch_acked`: the loop thread's epoch, at least the announced one; from then on no output pulse that was
    decided on an older deny set reaches this reader. `delta_acked`: True if the reader acknowledged the delta over the
    Secure Channel, False if it refused or did not answer in time, None if the delta was not sent (the reader is
    offline, or takes no deltas). An unacknowledged delta is sent again when the channel comes up. `thread_latency_us`,
    `latency_us`: from the call to the thread's acknowledgement, and to this answer.
    """

    reader_id: str
    thread_epoch_acked: int
    delta_acked: bool | None
    thread_latency_us: float
    latency_us: float
    secure_channel: bool


AckCallback = Callable[[Ack | DoorReaderError], None]
"""Called once, on the loop thread, with the outcome of an announcement."""
