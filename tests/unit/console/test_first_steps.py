"""The words of what is done on a new site, and the steps that each kind of site has."""

from __future__ import annotations

import msgspec
import pytest

from app.api.wire import SecretState
from app.capabilities.burn.messages import Burn, BurnLog
from app.console.pages.dashboard.first_steps import burn_words, directory_words, provision_words, steps_of
from app.registry.messages.directories import Directory
from tests.console.cards.samples import provision

WHEN, LATER = "2026-03-01T10:00:00.000000Z", "2026-03-02T10:00:00.000000Z"


def directory(directory_id: str, name: str | None, created_at: str = WHEN) -> Directory:
    return Directory(
        directory_id=directory_id,
        kind="scim",
        display_name=name,
        url="https://directory.example",
        secret=SecretState(set=True, changed_at=WHEN),
        bind_dn=None,
        base_dn=None,
        dialect=None,
        audience=None,
        ca_sha256=[],
        timeout_ms=None,
        tags=[],
        created_at=created_at,
        changed_at=created_at,
    )


def test_a_burn_is_told_by_what_is_proven() -> None:
    """What a system only took, or has no account of, is not proven."""
    burn = Burn(
        burn_id="brn_1",
        node_id="ARC-1",
        scope="GLOBAL_ALL_SYSTEMS",
        reason="",
        epoch=1,
        state="PARTIAL",
        local_deny_us=1.0,
        targets=[],
        residual_exposure=[],
        log=BurnLog(index=None, sha256=None, manifest_url=None),
        timestamp=WHEN,
        counts={"revoked": 4, "already": 1, "delivered": 2, "unlinked": 1, "pending_offline": 1},
    )
    assert burn_words(burn) == "ARC-1: 5 of 9 targets proven"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([], ""),
        ([directory("one", "Main")], "Main registered"),
        ([directory("one", None)], "one registered"),
        (
            [directory("one", "Main"), directory("two", "New", LATER)],
            "New and 1 more registered",
        ),
    ],
)
def test_the_newest_directory_is_named(own: list[Directory], said: str) -> None:
    assert directory_words(own) == said


@pytest.mark.parametrize("training", [True, False])
def test_each_step_has_a_key_and_an_action_of_its_own(training: bool) -> None:
    steps = steps_of(training)
    assert len({one.key for one in steps}) == len({one.action for one in steps}) == len(steps) == 3


@pytest.mark.parametrize(
    ("name", "said"), [("Grace Clerk", "Card of Grace Clerk, 4.2 s"), (None, "Card of ARC-T0020, 4.2 s")]
)
def test_a_card_is_told_by_the_name_of_its_person(name: str | None, said: str) -> None:
    """By the node id where nobody has given it a name."""
    card = msgspec.structs.replace(provision("COMPLETE"), display_name=name, duration_ms=4_200.0)
    assert provision_words(card) == said
