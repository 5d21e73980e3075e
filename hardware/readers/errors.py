"""Everything that can go wrong between a caller and a door reader.

::

    ReaderError
     ├─ UnknownReader        no reader with this id is configured
     ├─ ReaderOffline        no secure channel to the reader now; the command was not sent, or was lost with the channel
     ├─ ReaderTimeout        the reader did not answer within its deadline; it may still have acted
     ├─ ReaderRefused        the reader answered with a NAK, or lacks the capability
     ├─ NotSimulated         only a simulated reader can be presented with a card, unplugged or plugged
     └─ FleetStopped         the fleet is not running
"""

from __future__ import annotations


class ReaderError(Exception):
    """Base of all errors about readers; the text names the reader and is fit for an operator."""


class UnknownReader(ReaderError):
    """No reader with this id is configured."""


class ReaderOffline(ReaderError):
    """There is no secure channel to the reader, or it was lost before the reader acknowledged."""


class ReaderTimeout(ReaderError):
    """The reader did not acknowledge within its deadline; it may still have acted."""


class ReaderRefused(ReaderError):
    """The reader answered with a NAK, or does not report the capability."""


class NotSimulated(ReaderError):
    """The reader is a real one: nobody but a person can present a card to it or unplug it."""


class FleetStopped(ReaderError):
    """The fleet has not been started or was stopped."""
