"""How a person is named to systems elsewhere, and what attempts at several accounts come to."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject
from app.capabilities.burn.targets.person import LINK, MATCHES, combine, sum_up
from app.capabilities.burn.targets.subject_id import subject_id
from app.registry.directories import DirectoryRow

OAUTH = DirectoryRow(
    "d", "oauth", "D", "https://d.invalid", None, None, None, None, "https://as.invalid", None, None, ()
)
SSF = replace(OAUTH, kind="ssf")
NAMELESS = AttemptSubject("ARC-1", None, "t1@x.invalid", "E-1")


@pytest.mark.parametrize(
    ("where", "who", "named"),
    [
        (OAUTH, replace(NAMELESS, account="a@y"), {"format": "email", "email": "a@y"}),
        (SSF, replace(NAMELESS, account="a@y"), {"format": "email", "email": "a@y"}),
        (OAUTH, replace(NAMELESS, account="a"), {"format": "iss_sub", "iss": "https://as.invalid", "sub": "a"}),
        (SSF, replace(NAMELESS, account="a"), {"format": "opaque", "id": "a"}),
        (replace(OAUTH, audience=None), replace(NAMELESS, account="a"), {"format": "opaque", "id": "a"}),
        (OAUTH, NAMELESS, {"format": "email", "email": "t1@x.invalid"}),
        (OAUTH, replace(NAMELESS, email=None), {"format": "opaque", "id": "E-1"}),
        (OAUTH, replace(NAMELESS, email=None, employee_id=None), {"format": "opaque", "id": "ARC-1"}),
    ],
)
def test_a_person_is_named_as_the_directory_knows_them(
    where: DirectoryRow, who: AttemptSubject, named: dict[str, str]
) -> None:
    """RFC 9493, 3.2."""
    assert subject_id(where, who) == named


LEAST_FIRST: tuple[TargetState, ...] = (
    "pending_offline",
    "failed",
    "unsupported",
    "delivered",
    "revoked",
    "already",
)


@pytest.mark.parametrize(("worse", "better"), list(pairwise(LEAST_FIRST)))
def test_what_is_least_known_is_the_whole(worse: TargetState, better: TargetState) -> None:
    """In either order; all evidence is told, in its order."""
    first, second = AttemptOutcome(better, "one", answered=False), AttemptOutcome(worse, "two", pause_s=2.0)
    assert combine([first, second]) == AttemptOutcome(worse, "one; two", pause_s=2.0)
    assert combine([second, first]) == AttemptOutcome(worse, "two; one", pause_s=2.0)
    assert combine([first]) == first


def test_a_search_that_found_nobody_counts_alone_only() -> None:
    """Beside accounts that were locked it says nothing."""
    nobody, locked = AttemptOutcome("unlinked", "nobody"), AttemptOutcome("revoked", "locked")
    assert combine([nobody, locked]) == combine([locked, nobody]) == locked
    assert combine([nobody, AttemptOutcome("unlinked", "nobody again")]) == nobody


def test_what_a_search_comes_to() -> None:
    """Nobody is unlinked; one that was left is a failure beside all that was done."""
    locked = AttemptOutcome("revoked", "locked")
    left = f"t1, t2 bears the e-mail address alone: {LINK}"
    assert sum_up([], [], "uid 1") == AttemptOutcome("unlinked", "no account there has the uid 1; none was named")
    assert sum_up([locked], [], "uid 1") == locked
    assert sum_up([], ["t1", "t2"], "uid 1") == AttemptOutcome("failed", left)
    assert sum_up([locked], ["t1", "t2"], "uid 1") == AttemptOutcome("failed", f"locked; {left}")
    assert MATCHES == 10
