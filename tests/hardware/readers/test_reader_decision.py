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


# --- the edges of what a door decides by ---


@pytest.mark.parametrize(("bits", "size"), [(1, 1), (8, 1), (9, 2), (512, 64)])
def test_a_credential_has_1_to_512_bits(bits: int, size: int) -> None:
    """libosdp carries 64 bytes at most; the bytes are as many as the bits need."""
    assert Credential("raw", bits, b"\xff" * size).bits == bits
    for wrong in (size - 1, size + 1):
        with pytest.raises(ValueError, match="bytes"):
            Credential("raw", bits, b"\xff" * wrong)


@pytest.mark.parametrize(("bits", "size"), [(0, 0), (-1, 0), (513, 65)])
def test_a_credential_of_other_size_is_none(bits: int, size: int) -> None:
    """Nothing, or more than a reader can send."""
    with pytest.raises(ValueError, match="1 to 512 bits"):
        Credential("raw", bits, b"\xff" * size)


def test_a_format_that_no_reader_sends_is_refused() -> None:
    """Raw bits (0) and Wiegand (1) of OSDP 2.2, 7.10: the same bits in another format are another credential."""
    with pytest.raises(ValueError, match="raw or wiegand"):
        Credential("ascii", 8, b"a")  # type: ignore[arg-type]
    read = [Credential.from_event({"format": code, "length": 8, "data": b"a"}) for code in (0, 1)]
    assert read == [Credential("raw", 8, b"a"), Credential("wiegand", 8, b"a")]
    assert [one.to_event() for one in read] == [{"format": code, "length": 8, "data": b"a"} for code in (0, 1)]
    for code in (-1, 2):
        with pytest.raises(ValueError, match="not supported"):
            Credential.from_event({"format": code, "length": 8, "data": b"a"})


@pytest.mark.parametrize("field", ["format", "length", "data"])
def test_a_card_event_without_one_of_its_fields_is_refused(field: str) -> None:
    """Each of the three, missing or of another type."""
    whole: dict[str, object] = {"format": 0, "length": 8, "data": b"a"}
    for broken in ({key: value for key, value in whole.items() if key != field}, {**whole, field: "8"}):
        with pytest.raises(ValueError, match="lacks format, length or data"):
            Credential.from_event(broken)


def test_bits_beyond_the_last_are_nothing() -> None:
    """26 bits end in the second bit of their fourth byte."""
    assert Credential("wiegand", 26, b"\x12\x34\x56\x7f") == Credential("wiegand", 26, b"\x12\x34\x56\x40")
    assert Credential("wiegand", 32, b"\x12\x34\x56\x7f").value == b"\x12\x34\x56\x7f"


@pytest.mark.parametrize(
    "window", [(-1, 0, 60), (7, 0, 60), (0, -1, 60), (0, 1440, 60), (0, 0, 1441), (0, 60, 0), (0, 60, 60), (0, 60, -1)]
)
def test_a_window_that_no_week_has_is_refused(window: tuple[int, int, int]) -> None:
    """Days 0 to 6, a start of 0 to 1439, an end of 1 to 1440; never a start that is the end."""
    with pytest.raises(ValueError, match="not within"):
        Window(*window)


@pytest.mark.parametrize(
    ("window", "inside", "outside"),
    [
        ((0, 0, 1440), [(0, 0), (0, 1439)], [(6, 1439), (1, 0)]),
        ((6, 1439, 1), [(6, 1439), (0, 0)], [(6, 1438), (0, 1), (6, 0), (1, 0)]),
        ((2, 540, 541), [(2, 540)], [(2, 539), (2, 541), (1, 540), (3, 540)]),
        ((3, 0, 1), [(3, 0)], [(3, 1), (4, 0)]),
    ],
)
def test_a_window_holds_its_first_minute_and_not_its_end(
    window: tuple[int, int, int], inside: list[tuple[int, int]], outside: list[tuple[int, int]]
) -> None:
    """On its own day; over midnight on the next one, Monday after Sunday."""
    assert [Window(*window).contains(*at) for at in inside] == [True] * len(inside)
    assert [Window(*window).contains(*at) for at in outside] == [False] * len(outside)


def test_open_time_ends_at_the_first_full_minute_that_is_closed() -> None:
    """Or at the horizon, where that comes first; at once where it is closed already."""
    nine = datetime(2026, 7, 1, 9, tzinfo=UTC).timestamp()  # a Wednesday
    schedule = Schedule("UTC", (Window(2, 540, 542),))
    assert schedule.open_until(nine + 1.5, nine + 3600) == nine + 120
    assert schedule.open_until(nine, nine + 90) == nine + 90
    assert schedule.open_until(nine + 120, nine + 3600) == nine + 120
    assert schedule.open_until(nine - 1, nine + 3600) == nine - 1
    assert schedule.open_until(nine + 30, nine + 30) == nine + 30


def test_a_schedule_without_a_window_never_holds() -> None:
    """Nothing was allowed; any of several windows suffices."""
    nine = datetime(2026, 7, 1, 9, tzinfo=UTC).timestamp()
    assert Schedule("UTC", ()).allows(nine) is False
    assert Schedule("UTC", (Window(1, 0, 60), Window(2, 540, 541))).allows(nine) is True


@pytest.mark.parametrize("endless", [float("inf"), float("nan"), float("-inf")])
@pytest.mark.parametrize("clock", ["not_after", "deadline"])
def test_a_grant_without_an_end_on_either_clock_is_refused(clock: str, endless: float) -> None:
    """One finite clock is not enough: the other may be turned back."""
    with pytest.raises(ValueError, match="finite end on both clocks"):
        grant(**{clock: endless})


@pytest.mark.parametrize(
    ("at", "expired"),
    [((99.9, 9.9), False), ((100.0, 9.9), True), ((99.9, 10.0), True), ((100.0, 10.0), True), ((0.0, 11.0), True)],
)
def test_a_grant_ends_by_the_clock_that_reaches_its_end_first(at: tuple[float, float], expired: bool) -> None:
    """The end itself is too late on both."""
    assert grant(not_after=100.0, deadline=10.0).has_expired(Moment(*at)) is expired


def test_the_table_counts_credentials_and_keeps_each_grant_once() -> None:
    """Two profiles of one node on one badge, one of which names it twice."""
    found = GrantTable([grant(credentials=(BADGE, BADGE)), grant(credentials=(BADGE, OTHER))])
    assert (len(found), len(found.find(BADGE)), len(found.find(OTHER)), len(GrantTable())) == (2, 2, 1, 0)
    assert found.find(Credential("raw", 8, b"a")) == ()


def test_a_credential_of_a_third_nodes_grant_is_refused_by_name() -> None:
    """Both holders are named, whichever grant comes second."""
    with pytest.raises(ValueError, match="nodes node-0 and node-1 hold the same credential"):
        GrantTable([grant(), grant(), grant(node_id="node-1")])


@pytest.mark.parametrize(
    ("node", "badge", "reason", "reference"),
    [
        (BURN, None, "burned", "burn-1"),
        (None, BURN, "burned", "burn-1"),
        (CONTAINMENT, None, "contained", "contain-1"),
        (None, CONTAINMENT, "contained", "contain-1"),
        (BURN, CONTAINMENT, "burned", "burn-1"),
        (CONTAINMENT, BURN, "burned", "burn-1"),
        (DenyEntry("brake", "brake-1", 9), None, "contained", "brake-1"),
        (CONTAINMENT, DenyEntry("brake", "brake-1", 9), "contained", "brake-1"),
    ],
)
def test_a_burn_of_either_key_rules(
    node: DenyEntry | None, badge: DenyEntry | None, reason: str, reference: str
) -> None:
    """A burn before a containment, else the credential's own entry; the decision names the entry and the node."""
    deny = DenySet()
    if node is not None:
        deny.nodes["node-0"] = node
    if badge is not None:
        deny.credentials[BADGE] = badge
    found = decide(AT_NORTH, deny, GrantTable([grant()]), now())
    assert (found.grant, found.reason, found.node_id) == (False, reason, "node-0")
    assert found.deny is not None
    assert found.deny.reference == reference


def test_the_reason_is_that_of_the_grant_that_came_nearest() -> None:
    """Expired before outside its hours before another cluster, in whichever order the profiles stand."""
    moment = Moment(datetime(2026, 3, 3, 12, tzinfo=UTC).timestamp(), 0.0)  # a Tuesday
    live: dict[str, object] = {"not_after": moment.wall + 60, "deadline": 60.0}
    away = grant(clusters=frozenset({"south"}), **live)
    shut = grant(schedule=Schedule("UTC", (ALWAYS,)), **live)
    over = grant(not_after=moment.wall, deadline=60.0)
    good = grant(**live)
    for reason, grants in (
        ("wrong_cluster", [away]),
        ("outside_schedule", [away, shut]),
        ("outside_schedule", [shut, away]),
        ("expired", [over, shut, away]),
        ("expired", [away, shut, over]),
        ("granted", [over, shut, away, good]),
    ):
        found = decide(AT_NORTH, DenySet(), GrantTable(grants), moment)
        assert (found.reason, found.grant, found.node_id, found.deny) == (reason, reason == "granted", "node-0", None)
        assert found.latency_us == 0.0
