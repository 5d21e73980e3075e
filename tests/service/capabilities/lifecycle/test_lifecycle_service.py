"""What signed calls of an HR system do to a real site, and what they can never do."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from app.api.operation import Unsigned
from app.api.problems import Problem
from app.capabilities.lifecycle.inbox import BRAKE_ALARM, RECEIVED, REVIEW_ALARM
from app.capabilities.lifecycle.messages import HrCloseBody, HrEventQuery, HrNotice, HrReply
from app.capabilities.lifecycle.tables import hr_event, hr_period
from app.capabilities.lifecycle.verdict import UNREADABLE
from app.registry.messages.nodes import NodeBody
from app.registry.tables import node
from tests.door_site import ACTOR, until
from tests.hr_sender import SECRET, bamboohr, basic, event, signed
from tests.hr_site import SOURCE, HrSite, hr_site

WORD = "a-word-of-the-hr-system"
HOUR_US = 3600 * 1_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[HrSite]:
    """The source ``hris``, and E1 with two nodes."""
    with hr_site(tmp_path / "site") as made:
        made.source()
        made.people(["E1"], 2)
        yield made


def together(site: HrSite, bodies: list[bytes]) -> list[HrReply]:
    """All calls at the same time."""

    async def all_() -> list[HrReply]:
        async with site.running():
            calls = [site.call(body, call_id=f"msg_{number}") for number, body in enumerate(bodies)]
            return await asyncio.gather(*calls)

    return asyncio.run(all_())


def later(site: HrSite, by_us: int) -> None:
    """As if everything that was taken had come so much earlier."""
    values = {"received_us": hr_event.c.received_us - by_us}
    site.doors.write(lambda tx: tx.connection.execute(update(hr_event).values(values)))


def rehire(site: HrSite) -> None:
    """E1 gets a new node."""
    body = NodeBody(display_name="Training Person 1", employee_id="E1")
    site.doors.write(lambda tx: site.doors.registry.nodes.put_in(tx, "ARC-NEW", body, ACTOR))


# --- a discharge -----------------------------------------------------------------------------------------------------


def test_a_discharge_burns_every_node_of_the_employee(site: HrSite) -> None:
    """Everywhere, each once; the answer names the burns."""
    site.people(["E2"])
    (reply,) = site.run(event("E1"))
    assert (reply.received, reply.action, reply.reason, len(reply.burn_ids)) == (True, "burn", None, 2)
    assert reply.burn_id == reply.burn_ids[0]
    assert site.burned() == site.denied("burn") == {"ARC-E1-0", "ARC-E1-1"}
    assert site.alarms() == []


def test_what_was_done_is_one_leaf_and_one_event(site: HrSite) -> None:
    """The audit log and the telemetry stream both tell; the stream names no employee."""
    site.run(event("E1"))
    notices = [found.body for found in site.doors.events if found.kind == "hr"]
    assert site.doors.actions().count(RECEIVED) == len(notices) == 1
    assert isinstance(notices[0], HrNotice)
    assert notices[0].nodes == ["ARC-E1-0", "ARC-E1-1"]


def test_a_call_that_was_seen_gets_its_first_answer(site: HrSite) -> None:
    """For ever, no matter what its body says the second time. Nothing is done again; each other body is a leaf."""

    async def twice() -> list[HrReply]:
        async with site.running():
            first = await site.call(event("E1"))
            return [first, await site.call(event("E1")), await site.call(b"no json"), await site.call(event("E2"))]

    site.people(["E2"])
    assert len({reply.event_id for reply in asyncio.run(twice())}) == 1
    assert site.burned() == {"ARC-E1-0", "ARC-E1-1"}
    assert site.doors.actions().count(RECEIVED) == 3


def test_the_first_answer_outlives_the_process(tmp_path: Path) -> None:
    """The inbox is on the disk."""
    with hr_site(tmp_path / "site") as first:
        first.source()
        first.people(["E1"])
        before = first.run(event("E1"))
    with hr_site(tmp_path / "site") as second:
        assert second.run(event("E1")) == before
        assert second.doors.actions().count(RECEIVED) == 1


def test_calls_at_the_same_time_are_one_call(site: HrSite) -> None:
    """A sender that does not wait for its answer burns once, too."""

    async def many() -> list[HrReply]:
        async with site.running():
            return await asyncio.gather(*(site.call(event("E1")) for _ in range(8)))

    assert len({reply.event_id for reply in asyncio.run(many())}) == 1
    assert site.doors.actions().count(RECEIVED) == 1


def test_an_unknown_employee_is_an_alarm(site: HrSite) -> None:
    """HR knows somebody whom we do not: a person must look."""
    (reply,) = site.run(event("E404"))
    assert (reply.action, reply.reason, reply.burn_id) == ("operator_review", "unknown_employee", None)
    assert (site.alarms(), site.burned()) == ([REVIEW_ALARM], set())


@pytest.mark.parametrize("name", ["employee_discharge", "EMPLOYEE_DISCHARGE ", "EMPLOYEE_DISCHARGED", "PAY_RISE"])
def test_every_other_event_is_ignored_and_logged(site: HrSite, name: str) -> None:
    """Only the exact word acts."""
    (reply,) = site.run(event("E1", name))
    assert (reply.action, site.burned(), site.alarms()) == ("ignored", set(), [])
    assert site.doors.actions().count(RECEIVED) == 1


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"event": "EMPLOYEE_DISCHARGE"}', event("")])
def test_a_body_that_is_none_leaves_nothing(site: HrSite, body: bytes) -> None:
    """It is refused, and the sender may correct it under the same id. (A body that is no text cannot be signed.)"""
    headers = {"authorization": f"Bearer {WORD}", "webhook-id": "msg_1"}

    async def both() -> HrReply:
        async with site.running():
            with pytest.raises(Problem) as refused:
                await site.call(body, headers)
            assert refused.value.status in (400, 422)
            return await site.call(event("E1"), headers)

    site.source("plain", scheme="header", secret=WORD)
    assert asyncio.run(both()).action == "burn"


def test_extra_fields_are_the_senders_own(site: HrSite) -> None:
    """A discharge is not lost over them."""
    (reply,) = site.run(event("E1", tenant="north", data={"grade": 4}))
    assert reply.action == "burn"


# --- who signs -------------------------------------------------------------------------------------------------------


def test_any_source_is_found_and_a_named_one_alone(site: HrSite) -> None:
    """By the path without a source, or with it."""
    site.source("bamboo", scheme="bamboohr", secret=WORD)
    body = event("E9", "PAY_RISE")

    async def calls() -> None:
        await site.call(body, bamboohr(body, WORD))
        await site.call(body, bamboohr(body, WORD), path={"source": "bamboo"})
        with pytest.raises(Unsigned):
            await site.call(body, bamboohr(body, WORD), path={"source": SOURCE})
        with pytest.raises(Unsigned):
            await site.call(body, bamboohr(body, WORD), path={"source": "nothing"})

    asyncio.run(calls())


def test_a_rotation_lets_both_secrets_in_and_then_one(site: HrSite) -> None:
    """What the registry says holds at once."""
    following = SECRET.replace("AAEC", "AAED")
    body = event("E9", "PAY_RISE")

    def opens(secret: str) -> bool:
        try:
            asyncio.run(site.call(body, signed(body, secret=secret)))
        except Unsigned:
            return False
        return True

    assert (opens(SECRET), opens(following)) == (True, False)
    site.source(next_secret=following)
    assert (opens(SECRET), opens(following)) == (True, True)
    site.source(secret=following, next_secret=None)
    assert (opens(SECRET), opens(following)) == (False, True)


def test_a_deleted_source_is_not_believed(site: HrSite) -> None:
    """At once."""
    asyncio.run(site.doors.registry.hr_sources.delete(SOURCE, actor=ACTOR))
    with pytest.raises(Unsigned):
        asyncio.run(site.call(event("E1")))


# --- replay and rehire -----------------------------------------------------------------------------------------------


def test_a_discharge_older_than_a_rehire_burns_nobody(site: HrSite) -> None:
    """Sent anew, under a new id and with a fresh signature: it is about the former employment."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 3600))
    first = event("E1", timestamp=when)

    async def calls() -> list[HrReply]:
        async with site.running():
            # Before the rehire it is about the nodes that were there: they are older than it.
            return [await site.call(first, call_id="one"), await site.call(event("E1"), call_id="two")]

    site.doors.write(lambda tx: tx.connection.exec_driver_sql("UPDATE hr_period SET started_us = 1"))
    site.doors.write(lambda tx: tx.connection.execute(update(node).values(created_us=1)))
    assert [reply.action for reply in asyncio.run(calls())] == ["burn", "burn"]
    rehire(site)
    again = asyncio.run(replayed(site, first, "three"))
    assert (again.action, again.reason) == ("operator_review", "older_than_rehire")
    assert (site.burned(), site.alarms()) == ({"ARC-E1-0", "ARC-E1-1"}, [REVIEW_ALARM])


async def replayed(site: HrSite, body: bytes, call_id: str) -> HrReply:
    """The call, on the running site."""
    async with site.running():
        return await site.call(body, call_id=call_id)


def test_a_replay_after_a_rehire_burns_nobody(site: HrSite) -> None:
    """The very same bytes get the first answer."""
    headers = signed(event("E1"))

    async def twice() -> list[HrReply]:
        async with site.running():
            first = await site.call(event("E1"), headers)
            rehire(site)
            return [first, await site.call(event("E1"), headers)]

    first, second = asyncio.run(twice())
    assert first == second
    assert site.burned() == {"ARC-E1-0", "ARC-E1-1"}


def test_a_sender_without_id_and_time_cannot_hit_the_rehired(site: HrSite) -> None:
    """Its repeat is the same call until the rehire; afterwards nobody can tell, and a person decides. Once."""
    headers = basic("hr:a-password-of-theirs")
    site.source("plain", scheme="basic", secret="hr:a-password-of-theirs")

    async def calls() -> list[HrReply]:
        async with site.running():
            replies = [await site.call(event("E1"), headers), await site.call(event("E1"), headers)]
            rehire(site)
            return [*replies, await site.call(event("E1"), headers), await site.call(event("E1"), headers)]

    first, repeat, after, once_more = asyncio.run(calls())
    assert first == repeat
    assert first.action == "burn"
    assert (after.action, after.reason) == ("operator_review", "replay_after_rehire")
    assert after == once_more
    assert site.burned() == {"ARC-E1-0", "ARC-E1-1"}


def test_a_hire_event_begins_a_period(site: HrSite) -> None:
    """It is ignored as an act, and a discharge from before it burns nobody."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    site.doors.write(lambda tx: tx.connection.exec_driver_sql("UPDATE hr_period SET started_us = 1"))
    hired, old, fresh = site.run(event("E1", "EMPLOYEE_REHIRE"), event("E1", timestamp=when), event("E1"))
    assert (hired.action, old.reason, fresh.action) == ("ignored", "older_than_rehire", "burn")


def test_a_node_that_comes_back_begins_a_period(site: HrSite) -> None:
    """What two people lifted is not undone by an old discharge."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    standing = site.doors.registry.standing
    site.doors.write(lambda tx: tx.connection.exec_driver_sql("UPDATE hr_period SET started_us = 1"))
    site.doors.write(lambda tx: standing.change(tx, "ARC-E1-0", "REVOKED", actor=ACTOR, ref="burn_1"))
    site.doors.write(lambda tx: standing.change(tx, "ARC-E1-0", "UNVERIFIED", actor=ACTOR, ref="lift_1"))
    (reply,) = site.run(event("E1", timestamp=when))
    assert (reply.reason, site.burned()) == ("older_than_rehire", set())


@pytest.mark.parametrize("when", ["yesterday", "2026-01-01T00:00:00", "99999999"])
def test_a_time_that_cannot_be_read_is_for_people(site: HrSite, when: str) -> None:
    """Nobody guesses which employment it is about."""
    (reply,) = site.run(event("E1", timestamp=when))
    assert (reply.reason, site.burned(), site.alarms()) == ("unreadable_time", set(), [REVIEW_ALARM])


# --- the brake -------------------------------------------------------------------------------------------------------


def test_a_hundred_discharges_in_a_minute_burn_ten(site: HrSite) -> None:
    """At the same time, on a large site: ten burned, forty contained, fifty only listed, whoever comes first."""
    site.people([f"P{number}" for number in range(100)])
    site.crowd(2100)
    replies = together(site, [event(f"P{number}") for number in range(100)])
    assert Counter(reply.reason or reply.action for reply in replies) == {"burn": 10, "contained": 40, "queued": 50}
    assert (len(site.burned()), len(site.denied("brake"))) == (10, 40)
    assert site.alarms().count(BRAKE_ALARM) == 1


def test_on_a_small_site_an_hour_s_share_is_enough(site: HrSite) -> None:
    """Above ten and 5 % of all nodes nobody is even contained."""
    site.people([f"P{number}" for number in range(100)])
    replies = together(site, [event(f"P{number}") for number in range(30)])
    assert Counter(reply.reason or reply.action for reply in replies) == {"burn": 10, "queued": 20}
    assert (len(site.burned()), site.denied("brake")) == (10, set())


def test_the_brake_remembers_over_a_restart(tmp_path: Path) -> None:
    """It counts the inbox, not the process's memory; after an hour it lets go."""
    with hr_site(tmp_path / "site") as first:
        first.source()
        first.people([f"P{number}" for number in range(100)])
        assert {reply.action for reply in first.run(*(event(f"P{n}") for n in range(10)))} == {"burn"}
    with hr_site(tmp_path / "site") as second:
        held = asyncio.run(replayed(second, event("P50"), "next"))
        assert (held.action, held.reason) == ("operator_review", "queued")
        later(second, HOUR_US)
        assert asyncio.run(replayed(second, event("P51"), "much-later")).action == "burn"


def test_one_source_s_brake_is_not_another_s(site: HrSite) -> None:
    """A stolen secret does not stop the others' discharges."""
    site.people([f"P{number}" for number in range(100)])
    site.source("plain", scheme="header", secret=WORD)

    async def calls() -> list[HrReply]:
        async with site.running():
            for number in range(12):
                last = await site.call(event(f"P{number}"), call_id=f"msg_{number}")
            other = await site.call(event("P60"), {"authorization": WORD})
            return [last, other]

    held, other = asyncio.run(calls())
    assert (held.action, other.action) == ("operator_review", "burn")


def test_one_discharge_weighs_as_many_as_its_nodes(site: HrSite) -> None:
    """An employee id that many nodes share by mistake burns none of them."""
    site.people(["SHARED"], 12)
    (reply,) = site.run(event("SHARED"))
    assert (reply.reason, site.burned()) == ("queued", set())


def test_the_limit_is_the_sources_own(site: HrSite) -> None:
    """``max_discharges_per_minute``."""
    site.people([f"P{number}" for number in range(100)])
    site.crowd(400)
    site.source(max_discharges_per_minute=2)
    replies = site.run(*(event(f"P{number}") for number in range(4)))
    assert [reply.reason for reply in replies] == [None, None, "contained", "contained"]


# --- operators -------------------------------------------------------------------------------------------------------


def test_a_person_closes_what_waits(site: HrSite) -> None:
    """The list empties and the alarm ends."""
    (reply,) = site.run(event("E404"))
    waiting = site.hr.page(HrEventQuery(open=True))
    assert [item.event_id for item in waiting.items] == [reply.event_id]
    body = HrCloseBody(event_ids=[reply.event_id], reason="left before we came")
    assert asyncio.run(site.hr.close(body, actor=ACTOR)).closed == [reply.event_id]
    assert (site.hr.page(HrEventQuery(open=True)).items, site.alarms()) == ([], [])
    assert asyncio.run(site.hr.close(body, actor=ACTOR)).closed == []


def test_the_brakes_alarm_lasts_until_all_it_held_is_closed(site: HrSite) -> None:
    """Not only the first."""
    site.people([f"P{number}" for number in range(60)])
    replies = site.run(*(event(f"P{number}") for number in range(12)))
    for reply, left in zip(replies[10:], ([BRAKE_ALARM], []), strict=True):
        asyncio.run(site.hr.close(HrCloseBody(event_ids=[reply.event_id], reason="asked HR"), actor=ACTOR))
        assert site.alarms() == left


@pytest.mark.parametrize(("action", "code"), [("none", "not_found"), ("burn", "state_conflict")])
def test_only_what_waits_is_closed(site: HrSite, action: str, code: str) -> None:
    """Neither what is not there nor what was done."""
    (reply,) = site.run(event("E1"))
    event_id = reply.event_id if action == "burn" else "hr_" + "0" * 20
    with pytest.raises(Problem) as refused:
        asyncio.run(site.hr.close(HrCloseBody(event_ids=[event_id], reason="why"), actor=ACTOR))
    assert refused.value.code == code


def test_pages_give_every_event_once(site: HrSite) -> None:
    """Newest first, through cursors."""
    replies = site.run(*(event("E1", f"EVENT_{number}") for number in range(5)))
    found, cursor = [], None
    while True:
        page = site.hr.page(HrEventQuery(limit=2, cursor=cursor))
        found += [item.event_id for item in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert found == [reply.event_id for reply in replies[::-1]]


def test_a_discharge_that_cannot_be_finished_stands_in_nobodys_way(
    site: HrSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One node's burn fails for ever, another's once: the other one is finished all the same."""
    site.source()
    site.people(["E-1", "E-2"], per_employee=2)
    burn_with, failed = site.doors.burns.burn_with, []

    async def failing(node_id: str, *arguments: Any, **named: Any) -> str:
        if node_id == "ARC-E-1-1" or (node_id == "ARC-E-2-1" and node_id not in failed):
            failed.append(node_id)
            raise OSError("in a test")
        return await burn_with(node_id, *arguments, **named)

    async def run() -> None:
        async with site.running():
            monkeypatch.setattr(site.doors.burns, "burn_with", failing)
            for number, employee in enumerate(("E-1", "E-2")):
                with pytest.raises(OSError, match="in a test"):
                    await site.call(event(employee), call_id=f"msg_{number}")
            await until(lambda: "ARC-E-2-1" in site.burned())

    asyncio.run(run())
    assert site.burned() == {"ARC-E-1-0", "ARC-E-2-0", "ARC-E-2-1"}


def waiting(site: HrSite) -> list[tuple[str, str | None, str | None]]:
    """Event, employee and reason of what waits for an operator."""
    items = site.hr.page(HrEventQuery(open=True)).items
    return [(item.event, item.employee_id, item.reason) for item in items]


def test_an_id_that_is_used_again_for_another_discharge_is_not_lost(site: HrSite) -> None:
    """The first answer stays, and an operator must look at the second call; the third is the second again, also after a
    restart."""
    site.people(["E2"])

    async def script() -> list[HrReply]:
        async with site.running():
            return [await site.call(event(who), call_id="msg_same") for who in ("E1", "E2", "E2", "E1")]

    replies = asyncio.run(script())
    assert [reply.event_id for reply in replies] == [replies[0].event_id] * 4
    assert replies[0].action == "burn"
    assert waiting(site) == [("EMPLOYEE_DISCHARGE", "E2", "id_reused")]
    (alarm,) = [one for one in site.doors.alarms.open() if one.kind == REVIEW_ALARM]
    assert "two different calls under one id" in alarm.text
    assert asyncio.run(script())[1].event_id == replies[0].event_id
    assert len(waiting(site)) == 1
    with site.doors.store.read() as connection:
        rows = connection.execute(select(hr_event.c.event_id, hr_event.c.digest, hr_event.c.weight)).all()
        payloads = connection.exec_driver_sql(
            "SELECT payload FROM audit_entry WHERE CAST(payload AS TEXT) LIKE '%id_reused%'"
        ).scalars()
        leaves = [json.loads(payload)["detail"] for payload in payloads if b"event_id" in payload]
    assert [leaf["employee_id"] for leaf in leaves] == ["E2"]
    assert (leaves[0]["event_id"], leaves[0]["body_sha256"]) in {(row.event_id, row.digest) for row in rows}
    assert {row.weight for row in rows} == {1}
    (item,) = site.hr.page(HrEventQuery(open=True)).items
    asyncio.run(site.hr.close(HrCloseBody(event_ids=[item.event_id], reason="asked HR"), actor=ACTOR))
    assert waiting(site) == []
    assert [one for one in site.doors.alarms.open() if one.kind == REVIEW_ALARM] == []


def test_both_bodies_of_one_id_at_the_same_time(site: HrSite) -> None:
    """One is the first; the other one waits for an operator."""
    site.people(["E2"])

    async def script() -> list[HrReply]:
        async with site.running():
            return list(await asyncio.gather(*(site.call(event(who), call_id="msg_same") for who in ("E1", "E2"))))

    replies = asyncio.run(script())
    assert len({reply.event_id for reply in replies}) == 1
    assert [reason for _, _, reason in waiting(site)] == ["id_reused"]


def test_a_hire_under_a_used_id_begins_no_period(site: HrSite) -> None:
    """It is looked at like a discharge, and counts for no brake."""

    async def script() -> None:
        async with site.running():
            await site.call(event("E1", "EMPLOYEE_UPDATE"), call_id="msg_same")
            await site.call(event("E1", "EMPLOYEE_REHIRE"), call_id="msg_same")
            for _ in range(3):
                await site.call(b"[]", call_id="msg_same")

    asyncio.run(script())
    assert waiting(site) == [(UNREADABLE, None, "id_reused"), ("EMPLOYEE_REHIRE", "E1", "id_reused")]
    with site.doors.store.read() as connection:
        assert connection.scalars(select(hr_event.c.weight)).all() == [0, 0, 0]
        assert connection.scalars(select(hr_period.c.cause).where(hr_period.c.cause == "hire")).all() == []


def test_a_call_of_an_earlier_version_has_no_body_to_compare(site: HrSite) -> None:
    """Its repeat gets the first answer and no alarm."""
    site.run(event("E1", "EMPLOYEE_UPDATE"))
    site.doors.write(lambda tx: tx.connection.execute(update(hr_event).values(digest=None)))
    site.run(event("E1"))
    assert waiting(site) == []


def test_a_member_that_stands_twice_is_refused(site: HrSite) -> None:
    """Two readers of a call could burn two different persons."""
    body = b'{"event":"EMPLOYEE_DISCHARGE","employee_id":"E2","employee_id":"E1"}'
    with pytest.raises(Problem) as refused:
        site.run(body)
    assert refused.value.code == "malformed_json"
    assert site.hr.page(HrEventQuery()).items == []
