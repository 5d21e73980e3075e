"""Everything that can go wrong between a caller and a door reader.

::

    DoorReaderError
     ├─ UnknownDoorReader    no reader with this id is configured
     ├─ ReaderOffline        no Secure Channel to the reader now; the command was not sent, or was lost with the channel
     ├─ ReaderTimeout        the reader did not answer within its deadline; it may still have acted
     ├─ ReaderRefused        the reader answered with a NAK, or lacks the capability
     ├─ NotSimulated         only a simulated reader can be presented with a card, unplugged or plugged
     └─ FleetStopped         the fleet is not running
"""

from __future__ import annotations


class DoorReaderError(Exception):
    """Base of all errors about door readers; the message names the reader and is fit for an operator."""


class UnknownDoorReader(DoorReaderError):
    """No reader with this id is configured."""


class ReaderOffline(DoorReaderError):
    """There is no Secure Channel to the reader, or it was lost before the reader acknowledged."""


class ReaderTimeout(DoorReaderError):
    """The reader did not acknowledge within its deadline; it may still have acted."""


class ReaderRefused(DoorReaderError):
    """The reader answered with a NAK, or does not report the capability."""


class NotSimulated(DoorReaderError):
    """The reader is a real one: only a person can present a card to it or unplug it."""


class FleetStopped(DoorReaderError):
    """The fleet has not been started or was stopped."""
