"""The access decision."""

from __future__ import annotations

import random
import threading
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.readers.decision import (
    CardRead,
    Credential,
    DenyEntry,
    Grant,
    GrantTable,
    Moment,
    Schedule,
    Window,
    decide,
)
from tests.hardware.readers.reader_site import BADGE, DenySet, table

OTHER = Credential("wiegand", 26, b"\x01\x02\x03\x80")
AT_NORTH = CardRead("reader-0", "north", BADGE)
BURN = DenyEntry("burn", "burn-1", 7)
CONTAINMENT = DenyEntry("containment", "contain-1", 8)
ALWAYS = Window(0, 0, 1440)


def now() -> Moment:
    return Moment(time.time(), time.monotonic())


def grant(**changes: object) -> Grant:
    fields: dict[str, object] = {
        "node_id": "node-0",
        "credentials": (BADGE,),
        "clusters": frozenset({"north"}),
        "schedule": None,
        "not_after": time.time() + 60,
        "deadline": time.monotonic() + 60,
    }
    return Grant(**{**fields, **changes})  # type: ignore[arg-type]


def test_registered_badge_is_granted() -> None:
    """A known credential at a reader of its cluster opens."""
    decision = decide(AT_NORTH, DenySet(), table(BADGE), now())
    assert (decision.grant, decision.reason, decision.node_id) == (True, "granted", "node-0")


def test_empty_table_denies() -> None:
    """Before any grant is loaded nobody comes in."""
    assert decide(AT_NORTH, DenySet(), GrantTable(), now()).reason == "unknown_credential"


def test_burned_node_is_denied_with_its_entry() -> None:
    """A burned node's badge is denied and the burn is named for the tripwire."""
    deny = DenySet()
    deny.nodes["node-0"] = BURN
    decision = decide(AT_NORTH, deny, table(BADGE), now())
    assert (decision.grant, decision.reason, decision.deny) == (False, "burned", BURN)


def test_burned_credential_without_grant_is_still_burned() -> None:
    """A badge whose grant is gone already still trips the wire."""
    deny = DenySet()
    deny.credentials[BADGE] = BURN
    assert decide(AT_NORTH, deny, GrantTable(), now()).reason == "burned"


def test_containment_has_its_own_reason() -> None:
    """A containment denies as contained."""
    deny = DenySet()
    deny.nodes["node-0"] = CONTAINMENT
    assert decide(AT_NORTH, deny, table(BADGE), now()).reason == "contained"


def test_burn_wins_over_containment() -> None:
    """A contained credential of a burned node is burned."""
    deny = DenySet()
    deny.credentials[BADGE] = CONTAINMENT
    deny.nodes["node-0"] = BURN
    assert decide(AT_NORTH, deny, table(BADGE), now()).deny is BURN


def test_deny_set_comes_before_cluster() -> None:
    """A burned badge at a foreign cluster is reported as burned, not as lost."""
    deny = DenySet()
    deny.nodes["node-0"] = BURN
    assert decide(CardRead("reader-9", "south", BADGE), deny, table(BADGE), now()).reason == "burned"


def test_foreign_cluster_is_denied() -> None:
    """A profile opens its own clusters only."""
    assert decide(CardRead("reader-9", "south", BADGE), DenySet(), table(BADGE), now()).reason == "wrong_cluster"


def test_second_profile_of_the_node_opens_its_cluster() -> None:
    """Two profiles on one credential add up."""
    grants = GrantTable([grant(), grant(clusters=frozenset({"south"}))])
    assert decide(CardRead("reader-9", "south", BADGE), DenySet(), grants, now()).grant


@pytest.mark.parametrize("end", [{"not_after": 0.0}, {"deadline": 0.0}])
def test_earlier_clock_ends_a_grant(end: dict[str, float]) -> None:
    """Wall clock and monotonic clock each end a grant by themselves."""
    assert decide(AT_NORTH, DenySet(), GrantTable([grant(**end)]), now()).reason == "expired"


def test_grant_ends_at_its_very_last_moment() -> None:
    """`not_after` itself is too late."""
    table_ = GrantTable([grant(not_after=1000.0, deadline=50.0)])
    assert decide(AT_NORTH, DenySet(), table_, Moment(1000.0, 0.0)).reason == "expired"


def test_outside_schedule_is_denied() -> None:
    """A grant holds in its windows only."""
    moment = Moment(datetime(2026, 3, 3, 12, tzinfo=UTC).timestamp(), time.monotonic())  # a Tuesday
    grants = GrantTable([grant(schedule=Schedule("UTC", (ALWAYS,)), not_after=moment.wall + 60)])
    assert decide(AT_NORTH, DenySet(), grants, moment).reason == "outside_schedule"


@pytest.mark.parametrize(("hour", "minute", "allowed"), [(6, 59, False), (7, 0, True), (15, 59, True), (16, 0, False)])
def test_schedule_follows_the_site_clock_in_summer(hour: int, minute: int, allowed: bool) -> None:
    """09:00 to 18:00 in Berlin is 07:00 to 16:00 UTC in July."""
    schedule = Schedule("Europe/Berlin", (Window(2, 9 * 60, 18 * 60),))
    assert schedule.allows(datetime(2026, 7, 1, hour, minute, tzinfo=UTC).timestamp()) is allowed


@pytest.mark.parametrize(("day", "hour", "allowed"), [(6, 23, True), (0, 5, True), (0, 6, False), (6, 5, False)])
def test_window_over_midnight_and_week_end(day: int, hour: int, allowed: bool) -> None:
    """A night shift from Sunday 22:00 ends on Monday 06:00."""
    assert Window(6, 22 * 60, 6 * 60).contains(day, hour * 60) is allowed


def test_unknown_time_zone_fails_when_registered() -> None:
    """A schedule that no door could evaluate is refused at once."""
    with pytest.raises(ValueError, match="time zone"):
        Schedule("Mars/Olympus", ())


def test_credential_of_two_nodes_is_refused() -> None:
    """Nobody could say who came in."""
    with pytest.raises(ValueError, match="same credential"):
        GrantTable([grant(), grant(node_id="node-1")])


def test_credential_hides_its_bits() -> None:
    """Card numbers do not get into logs by way of repr."""
    assert "value" not in repr(BADGE)
    assert repr(BADGE) == repr(OTHER)


def test_no_grant_after_local_deny_in_10_000_racing_presentations() -> None:
    """A decision that begins after its node's deny was written never grants."""
    badges = [Credential("wiegand", 32, n.to_bytes(4, "big")) for n in range(100)]
    grants, deny = table(*badges), DenySet()
    denied_at: dict[str, int] = {}
    decided: list[tuple[int, bool, str | None]] = []
    finished = threading.Event()

    def burn() -> None:
        order = [f"node-{n}" for n in range(100)]
        random.Random(1).shuffle(order)
        for node in order:
            deny.nodes[node] = DenyEntry("burn", "b", 1)
            denied_at[node] = time.perf_counter_ns()
            finished.wait(0.001)

    def present(seed: int) -> None:
        chooser = random.Random(seed)
        for _ in range(5000):
            card = CardRead("r", "north", chooser.choice(badges))
            began = time.perf_counter_ns()
            result = decide(card, deny, grants, now())
            decided.append((began, result.grant, result.node_id or "node-?"))

    threads = [threading.Thread(target=burn), *(threading.Thread(target=present, args=(n,)) for n in (2, 3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(decided) == 10_000
    assert any(granted for _, granted, _ in decided)
    late = [node for began, granted, node in decided if granted and node in denied_at and began > denied_at[node]]
    assert late == []


card_events = st.fixed_dictionaries(
    {},
    optional={
        "format": st.one_of(st.integers(-1, 4), st.text(), st.none()),
        "length": st.one_of(st.integers(-1, 600), st.none()),
        "data": st.one_of(st.binary(max_size=80), st.text(), st.none()),
    },
)


@given(card_events)
def test_card_events_parse_or_are_refused(event: dict[str, object]) -> None:
    """Whatever a reader sends is a credential or a ValueError."""
    try:
        credential = Credential.from_event(event)
    except ValueError:
        return
    assert len(credential.value) == (credential.bits + 7) // 8


@st.composite
def credentials(draw: st.DrawFn) -> Credential:
    bits = draw(st.integers(1, 512))
    size = (bits + 7) // 8
    return Credential(draw(st.sampled_from(["raw", "wiegand"])), bits, draw(st.binary(min_size=size, max_size=size)))


@given(credentials())
def test_credential_survives_the_wire_form(credential: Credential) -> None:
    """to_event and from_event are inverses."""
    assert Credential.from_event(credential.to_event()) == credential


@given(credentials(), st.integers(0, 127))
def test_rubbish_in_padding_names_the_same_credential(credential: Credential, rubbish: int) -> None:
    """A denied badge cannot slip through by other bits after its last one."""
    surplus = -credential.bits % 8
    data = credential.value[:-1] + bytes([credential.value[-1] | (rubbish & ((1 << surplus) - 1))])
    assert Credential(credential.format, credential.bits, data) == credential


@given(st.integers(0, 6), st.integers(0, 1439), st.integers(1, 1440), st.integers(0, 6), st.integers(0, 1439))
def test_window_agrees_with_minutes_of_the_week(day: int, start: int, end: int, at_day: int, at: int) -> None:
    """Windows agree with counting minutes round the week."""
    if start == end:
        return
    length = end - start if end > start else end - start + 1440
    assert Window(day, start, end).contains(at_day, at) is (
        (at_day * 1440 + at - day * 1440 - start) % (7 * 1440) < length
    )
