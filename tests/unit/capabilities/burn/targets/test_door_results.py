"""What a door's answer, a terminal's bundles and a signed revocation list prove of a burn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.biometrics.handed_bundles import Handed
from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.holder import _proof_result
from app.capabilities.burn.targets.reader import _result
from app.capabilities.burn.targets.terminal import _judge
from app.pki.crl import NodeRevocation, RevocationList
from app.pki.revocation import NodeCertificate
from hardware.readers.errors import DoorReaderError
from hardware.readers.reader import Ack

FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 5, "lost", 0, training=False)
HOUR = 3_600_000_000


@pytest.mark.parametrize("onboard", [False, True])
@pytest.mark.parametrize(
    ("delta", "channel", "states", "words"),
    [
        (True, True, ("revoked", "revoked"), ("acknowledged over secure channel",) * 2),
        (True, False, ("revoked", "revoked"), ("acknowledged over secure channel",) * 2),
        (
            False,
            True,
            ("revoked", "pending_offline"),
            ("the reader is online and does not note epochs itself", "the reader's own list is not reached yet"),
        ),
        (
            None,
            True,
            ("revoked", "pending_offline"),
            ("the reader is online and does not note epochs itself", "the reader's own list is not reached yet"),
        ),
        (
            None,
            False,
            ("revoked", "pending_offline"),
            ("the reader is offline, nothing is granted through it", "the reader's own list is not reached yet"),
        ),
    ],
)
def test_what_a_door_proves(
    onboard: bool, delta: bool | None, channel: bool, states: Sequence[TargetState], words: Sequence[str]
) -> None:
    """The controller denies for a reader without a list; one with a list of its own has to say so itself."""
    found = _result("reader:r1", onboard, Ack("r1", 7, delta, 1.0, 2.0, channel))
    assert (found.target_id, found.state) == ("reader:r1", states[onboard])
    assert found.evidence == f"controller at epoch 7; {words[onboard]}"


@pytest.mark.parametrize("onboard", [False, True])
def test_a_door_that_is_not_driven_waits(onboard: bool) -> None:
    """In the driver's words."""
    found = _result("reader:r1", onboard, DoorReaderError("the thread has ended"))
    assert (found.target_id, found.state, found.evidence) == ("reader:r1", "pending_offline", "the thread has ended")


def handed(issue: int, epoch: int, ends_us: int | None, taken_us: int | None = None) -> Handed:
    """A bundle that a terminal may have."""
    return Handed("p1", issue, "key", b"head", "r", 1, epoch, 1, 0, ends_us, taken_us)


ALONE = "it may decide alone until 1970-01-01T02:00:00.000000Z"


@pytest.mark.parametrize(
    ("given", "state", "words"),
    [
        ([], "revoked", "what it was given to decide by has ended"),
        ([handed(1, 4, HOUR)], "revoked", "what it was given to decide by has ended"),
        ([handed(1, 4, None)], "revoked", "what it was given to decide by has ended"),
        ([handed(1, 4, HOUR), handed(2, 5, 9 * HOUR)], "revoked", "what it was given to decide by has ended"),
        ([handed(2, 5, 9 * HOUR, 1)], "revoked", "it acknowledged bundle 2, made after the burn"),
        (
            [handed(2, 5, 9 * HOUR, 1), handed(3, 6, 9 * HOUR, 0), handed(4, 6, 9 * HOUR)],
            "revoked",
            "it acknowledged bundle 3, made after the burn",
        ),
        (
            [handed(1, 4, 2 * HOUR)],
            "pending_offline",
            f"{ALONE}, or until it has taken a bundle made after the burn and says so",
        ),
        (
            [handed(1, 3, 2 * HOUR), handed(2, 4, HOUR + 1), handed(3, 5, 9 * HOUR), handed(4, 6, 9 * HOUR)],
            "pending_offline",
            "bundle 4, made after the burn, was fetched and is not acknowledged: "
            f"{ALONE}, or until it says that it took it",
        ),
        (
            [handed(1, 4, 2 * HOUR), handed(2, 5, 9 * HOUR, 1), handed(3, 5, 9 * HOUR)],
            "pending_offline",
            f"it or a device before {ALONE}, by a bundle of an earlier key",
        ),
    ],
)
def test_what_a_terminal_proves(given: Sequence[Handed], state: TargetState, words: str) -> None:
    """An acknowledged bundle made after the burn, or that all earlier ones have ended. One that ends now has ended."""
    assert _judge(given, 5, HOUR) == (state, words)


def listed(card: str, ref: str) -> NodeCertificate:
    """A certificate of the node."""
    return NodeCertificate(serial=1, card=card, revoked_us=1, ref=ref)


@pytest.mark.parametrize(
    ("certificates", "state", "words"),
    [
        ([], "revoked", "no certificate of the node's cards is left that has not ended"),
        (
            [listed("c1", "burn_0")],
            "already",
            "all revoked before, in revocation list 3, good until 1970-01-01T01:00:00.000000Z",
        ),
        (
            [listed("c1", "burn_1"), listed("c1", "burn_1"), listed("c2", "burn_0")],
            "revoked",
            "2 certificates of 1 card are in revocation list 3, good until 1970-01-01T01:00:00.000000Z",
        ),
        (
            [listed("c1", "burn_1"), listed("c1", "burn_1"), listed("c2", "burn_1")],
            "revoked",
            "3 certificates of 2 cards are in revocation list 3, good until 1970-01-01T01:00:00.000000Z",
        ),
    ],
)
def test_what_a_revocation_list_proves(certificates: Sequence[NodeCertificate], state: TargetState, words: str) -> None:
    """Of the certificates that this burn revoked; those of an earlier burn were revoked already."""
    by = RevocationList(3, 0, HOUR, "", b"")
    assert _proof_result(FACTS, NodeRevocation(by, certificates)) == (state, words)
