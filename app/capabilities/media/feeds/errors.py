"""Why a feed's bytes are not taken.

::

    FeedBroken
    +-- FeedUnsupported   a protocol that is not read: another try is of no use
    +-- FeedUnreached     no connection, or no complete answer in time
    +-- FeedTooLarge      an answer beyond its bound
    +-- FeedStalled       nothing new for too long
    +-- FeedUnreadable    pictures that the decoder does not take, one after the other
"""

from __future__ import annotations

from typing import ClassVar


class FeedBroken(Exception):
    """What the source sends is no feed of its kind, or goes beyond a bound; the message is a sentence for people.
    ``code`` never changes."""

    code: ClassVar[str] = "feed_broken"


class FeedUnsupported(FeedBroken):
    """A protocol that this service does not read."""

    code = "feed_unsupported"


class FeedUnreached(FeedBroken):
    """The address could not be fetched; the message is the same for every cause."""

    code = "fetch_refused"

    def __init__(self) -> None:
        super().__init__("The address could not be fetched.")


class FeedTooLarge(FeedBroken):
    """An answer that is longer than one of its kind may be."""

    code = "feed_too_large"


class FeedStalled(FeedBroken):
    """The source sent nothing new for too long."""

    code = "feed_stalled"


class FeedUnreadable(FeedBroken):
    """Pictures came, and none of several in a row could be decoded."""

    code = "feed_undecodable"
