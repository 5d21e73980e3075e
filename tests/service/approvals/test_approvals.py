"""Approvals on a real store: one key asks, another agrees, one act uses it up; time ends what nobody used."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, update

from app.api.problems import Problem
from app.api.wire import unix_us
from app.approvals.messages import Approval, ApprovalBody, ApprovalListQuery
from app.approvals.service import ALARM, Approvals, ApprovalSubject
from app.approvals.tables import approval
from app.ledger.tables import audit_entry
from app.registry.service import now_us
from app.store.cursor import Cursors
from app.store.errors import BadCursor
from app.store.writer import Transaction
from tests.door_site import DoorSite, door_site, until
from tests.unrelated_keys import UnrelatedKeys

ONE, TWO, THREE = "key_one", "key_two", "key_three"
CARD = "prv_00000000000000aa"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site; no reader is driven."""
    with door_site(tmp_path / "site") as made:
        yield made


def subject(_connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
    """What a capability says of a request: every provisioning is there but one."""
    (provision_id,) = subjects
    if provision_id == "prv_none":
        raise Problem("not_found", "There is no such provisioning.")
    return ApprovalSubject(provision_id, "ARC-1", "guid-of-it", f"Re-issue of the card of {provision_id}")


@pytest.fixture
def approvals(site: DoorSite) -> Approvals:
    """The approvals of the site, with two kinds."""
    made = Approvals(site.store, Cursors(bytes(32)), site.alarms, ttl_s=3600, lines=UnrelatedKeys)
    made.add_kind("reissue", subject)
    made.add_kind("pin_reset", subject)
    return made


def ask(kind: Any = "reissue", provision_id: str = CARD) -> ApprovalBody:
    """A request."""
    return ApprovalBody(kind=kind, provision_id=provision_id, reason="badge handed back")


def made(approvals: Approvals, kind: Any = "reissue", provision_id: str = CARD, actor: str = ONE) -> Approval:
    """A request that was made."""
    return asyncio.run(approvals.request(ask(kind, provision_id), actor=actor))[0]


def refused(call: Callable[[], Coroutine[Any, Any, object]]) -> Problem:
    """The problem of a call that must be refused."""
    with pytest.raises(Problem) as caught:
        asyncio.run(call())
    return caught.value


def use(site: DoorSite, approvals: Approvals, approval_id: str) -> str:
    """The act, by the third key."""
    job = site.store.writer.submit(lambda tx: approvals.use(tx, approval_id, "reissue", CARD, actor=THREE))
    return job.result()


def overdue(site: DoorSite, approval_id: str) -> None:
    """Lets the approval's time be over."""
    of_it = update(approval).where(approval.c.approval_id == approval_id).values(expires_us=1)
    site.write(lambda tx: tx.connection.execute(of_it))


def test_a_request_waits_for_another_key(site: DoorSite, approvals: Approvals) -> None:
    """PENDING, with what it is about, who asks and until when; a person is called by an alarm."""
    one = made(approvals)
    assert (one.state, one.kind, one.provision_id, one.node_id) == ("PENDING", "reissue", CARD, "ARC-1")
    assert (one.card_guid, one.reason, one.requested_by) == ("guid-of-it", "badge handed back", ONE)
    assert one.expires_at > one.requested_at
    assert [(alarm.kind, alarm.ref, alarm.node_id) for alarm in site.alarms.open()] == [
        (ALARM, one.approval_id, "ARC-1")
    ]
    assert "badge handed back" in site.alarms.open()[0].text
    assert approvals.get(one.approval_id, now_us(), actor=ONE) == one


def test_what_is_open_is_not_asked_twice(approvals: Approvals) -> None:
    """The same request again, by whomever, is the same approval; another kind or card is another one."""

    async def main() -> None:
        first, made_first = await approvals.request(ask(), actor=ONE)
        again, made_again = await approvals.request(ask(), actor=TWO)
        assert (made_first, made_again) == (True, False)
        assert msgspec.structs.replace(again, yours=True, barred=first.barred) == first
        assert (first.yours, again.yours, again.barred) == (True, False, None)
        assert "asked for the approval itself" in (first.barred or "")
        await approvals.approve(first.approval_id, actor=TWO)
        approved, _ = await approvals.request(ask(), actor=ONE)
        assert (approved.approval_id, approved.state) == (first.approval_id, "APPROVED")
        others = [await approvals.request(body, actor=ONE) for body in (ask("pin_reset"), ask(provision_id="prv_2"))]
        assert len({first.approval_id, *(other.approval_id for other, _ in others)}) == 3

    asyncio.run(main())


def test_concurrent_requests_are_one(approvals: Approvals) -> None:
    """Ten requests at once for one card make one approval."""

    async def main() -> list[tuple[Approval, bool]]:
        return await asyncio.gather(*(approvals.request(ask(), actor=f"key_{n}") for n in range(10)))

    found = asyncio.run(main())
    assert len({one.approval_id for one, _ in found}) == 1
    assert [was_made for _, was_made in found].count(True) == 1


def test_a_senseless_request_leaves_nothing(site: DoorSite, approvals: Approvals) -> None:
    """What the capability refuses is refused, without a row, a leaf or an alarm."""
    before = site.actions()
    assert refused(lambda: approvals.request(ask(provision_id="prv_none"), actor=ONE)).code == "not_found"
    assert site.actions() == before
    assert approvals.page(ApprovalListQuery(), now_us(), actor=ONE).items == []


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_the_requester_decides_nothing(site: DoorSite, approvals: Approvals, verb: str) -> None:
    """409 for the requester's own key, and the attempt is in the log as denied."""
    one = made(approvals)
    problem = refused(lambda: getattr(approvals, verb)(one.approval_id, actor=ONE))
    assert (problem.code, problem.status) == ("state_conflict", 409)
    assert "another Citadel key" in problem.detail
    assert approvals.get(one.approval_id, now_us(), actor=ONE).state == "PENDING"
    assert site.actions()[-1] == f"approvals.{verb}"
    with site.store.read() as connection:
        header = connection.execute(audit_entry.select().order_by(audit_entry.c.seq.desc()).limit(1)).one().header
    assert b"DENIED" in header


def test_another_key_approves_and_one_act_uses_it(site: DoorSite, approvals: Approvals) -> None:
    """APPROVED by the other key, USED by the act, each step with its leaf; the alarm goes with the decision."""
    one = made(approvals)
    approved = asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    assert (approved.state, approved.approved_by) == ("APPROVED", TWO)
    assert approved.approved_at is not None
    assert site.alarms.open() == []
    assert use(site, approvals, one.approval_id) == TWO
    used = approvals.get(one.approval_id, now_us(), actor=ONE)
    assert (used.state, used.used_by, used.approved_by) == ("USED", THREE, TWO)
    with pytest.raises(Problem, match="was used"):
        use(site, approvals, one.approval_id)
    steps = [action for action in site.actions() if action.startswith("approvals.")]
    assert steps == ["approvals.request", "approvals.approve", "approvals.use"]
    assert made(approvals).approval_id != one.approval_id


def test_a_decision_again_is_the_same(site: DoorSite, approvals: Approvals) -> None:
    """The same key's same decision again changes nothing and leaves no leaf."""
    one = made(approvals)
    first = asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    before = site.actions()
    assert asyncio.run(approvals.approve(one.approval_id, actor=TWO)) == first
    assert site.actions() == before


def test_of_two_racing_approvals_one_wins(approvals: Approvals) -> None:
    """Two other keys at once: one approves, the other is told that it was."""
    one = made(approvals)

    async def main() -> list[object]:
        calls = [approvals.approve(one.approval_id, actor=actor) for actor in (TWO, THREE)]
        return list(await asyncio.gather(*calls, return_exceptions=True))

    found = asyncio.run(main())
    assert sorted(type(answer).__name__ for answer in found) == ["Approval", "Problem"]


def test_of_two_racing_uses_one_wins(site: DoorSite, approvals: Approvals) -> None:
    """Twenty acts at once on one approval: one is done, all others are refused and change nothing."""
    one = made(approvals)
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))

    def act(tx: Transaction) -> str:
        return approvals.use(tx, one.approval_id, "reissue", CARD, actor=THREE)

    async def main() -> list[object]:
        return list(await asyncio.gather(*(site.store.writer.run(act) for _ in range(20)), return_exceptions=True))

    found = asyncio.run(main())
    assert found.count(TWO) == 1
    assert len([answer for answer in found if isinstance(answer, Problem)]) == 19
    assert site.actions().count("approvals.use") == 1


def test_what_is_not_approved_is_not_used(site: DoorSite, approvals: Approvals) -> None:
    """PENDING, for another kind or another card: 409; of an unknown id: 404."""
    one = made(approvals)
    with site.store.read() as connection:
        assert approvals.find_approved(connection, "reissue", CARD, now_us()) is None
        with pytest.raises(Problem, match="not approved yet"):
            approvals.require(connection, one.approval_id, "reissue", CARD, now_us())
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    with site.store.read() as connection:
        granted = approvals.find_approved(connection, "reissue", CARD, now_us())
        assert granted is not None
        assert granted.approval_id == one.approval_id
        for kind, card in (("pin_reset", CARD), ("reissue", "prv_2")):
            with pytest.raises(Problem, match="something else"):
                approvals.require(connection, one.approval_id, kind, card, now_us())  # type: ignore[arg-type]
        with pytest.raises(Problem) as caught:
            approvals.require(connection, "apr_0", "reissue", CARD, now_us())
    assert caught.value.code == "not_found"


def test_what_it_was_asked_for_is_told_of_its_own_kind_alone(site: DoorSite, approvals: Approvals) -> None:
    """An approval of one kind names no subjects for an act of another; of an unknown id: 404."""
    one = made(approvals)
    with site.store.read() as connection:
        assert approvals.subjects(connection, one.approval_id, "reissue") == [CARD]
        with pytest.raises(Problem, match="something else"):
            approvals.subjects(connection, one.approval_id, "pin_reset")
        with pytest.raises(Problem) as caught:
            approvals.subjects(connection, "apr_0", "reissue")
    assert caught.value.code == "not_found"


def test_a_rejected_request_is_over(site: DoorSite, approvals: Approvals) -> None:
    """Rejected by another key it can be neither approved nor used, and may be asked for anew."""
    one = made(approvals)
    rejected = asyncio.run(approvals.reject(one.approval_id, actor=TWO))
    assert (rejected.state, rejected.rejected_by, rejected.approved_by) == ("REJECTED", TWO, None)
    assert site.alarms.open() == []
    assert "was rejected" in refused(lambda: approvals.approve(one.approval_id, actor=THREE)).detail
    with pytest.raises(Problem, match="was rejected"):
        use(site, approvals, one.approval_id)
    assert made(approvals).approval_id != one.approval_id


def test_an_approval_is_taken_back_while_it_is_not_used(site: DoorSite, approvals: Approvals) -> None:
    """Whoever approved may reject later; after its use nobody can."""
    one = made(approvals)
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    assert asyncio.run(approvals.reject(one.approval_id, actor=TWO)).state == "REJECTED"
    other = made(approvals)
    asyncio.run(approvals.approve(other.approval_id, actor=TWO))
    use(site, approvals, other.approval_id)
    assert "was used" in refused(lambda: approvals.reject(other.approval_id, actor=TWO)).detail


@pytest.mark.parametrize(("after_us", "state"), [(-1, "PENDING"), (0, "EXPIRED"), (1, "EXPIRED")])
def test_an_approval_ends_at_its_last_microsecond(approvals: Approvals, after_us: int, state: str) -> None:
    """Its end itself is too late, for the one that is asked for and for the lists alike."""
    one = made(approvals)
    at_us = unix_us(one.expires_at) + after_us
    assert approvals.get(one.approval_id, at_us, actor=ONE).state == state
    for listed in ("PENDING", "EXPIRED"):
        items = approvals.page(ApprovalListQuery(state=listed), at_us, actor=ONE).items
        assert [(item.approval_id, item.state) for item in items] == [(one.approval_id, state)] * (listed == state)


def test_time_ends_an_approval_before_the_sweep(site: DoorSite, approvals: Approvals) -> None:
    """After its end it is shown as EXPIRED and holds for nothing, even though no leaf says so yet."""
    one, other = made(approvals), made(approvals, "pin_reset")
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    for item in (one, other):
        overdue(site, item.approval_id)
    assert approvals.get(one.approval_id, now_us(), actor=ONE).state == "EXPIRED"
    with pytest.raises(Problem, match="has expired"):
        use(site, approvals, one.approval_id)
    assert "has expired" in refused(lambda: approvals.approve(other.approval_id, actor=TWO)).detail
    with site.store.read() as connection:
        assert approvals.find_approved(connection, "reissue", CARD, now_us()) is None
    ids = [item.approval_id for item in approvals.page(ApprovalListQuery(state="EXPIRED"), now_us(), actor=ONE).items]
    assert ids == [other.approval_id, one.approval_id]
    assert approvals.page(ApprovalListQuery(state="APPROVED"), now_us(), actor=ONE).items == []
    assert "approvals.expire" not in site.actions()
    assert made(approvals).approval_id != one.approval_id
    assert site.actions().count("approvals.expire") == 1


def test_the_sweep_records_what_has_expired(site: DoorSite, approvals: Approvals) -> None:
    """EXPIRED with its leaf, the alarm is closed, and nothing is left to do."""
    one = made(approvals)
    overdue(site, one.approval_id)
    assert site.store.writer.submit(approvals.expire).result() == 1
    assert site.store.writer.submit(approvals.expire).result() == 0
    assert site.alarms.open() == []
    assert site.actions()[-2:] == ["approvals.expire", "alarm.cleared"]


def test_the_registry_sweeps_approvals(site: DoorSite, approvals: Approvals) -> None:
    """What is added to the registry's sweep is recorded by the running site itself."""
    one = made(approvals)
    overdue(site, one.approval_id)
    site.registry.add_sweep(approvals.expire)

    async def main() -> None:
        await site.registry.start()
        await until(lambda: "approvals.expire" in site.actions())
        await site.registry.stop()

    asyncio.run(main())


def test_pages_are_newest_first_and_filtered(approvals: Approvals) -> None:
    """A page has so many, its cursor goes on in the same list only; state and card filter."""
    ids = [made(approvals, provision_id=f"prv_{n}").approval_id for n in range(5)]
    asyncio.run(approvals.reject(ids[1], actor=TWO))
    found, cursor = [], None
    while True:
        page = approvals.page(ApprovalListQuery(limit=2, cursor=cursor), now_us(), actor=ONE)
        found += [item.approval_id for item in page.items]
        cursor = page.next
        if cursor is None:
            break
        with pytest.raises(BadCursor):
            approvals.page(ApprovalListQuery(limit=2, cursor=cursor, state="PENDING"), now_us(), actor=ONE)
    assert found == ids[::-1]
    assert [
        one.approval_id for one in approvals.page(ApprovalListQuery(state="REJECTED"), now_us(), actor=ONE).items
    ] == [ids[1]]
    assert len(approvals.page(ApprovalListQuery(state="PENDING"), now_us(), actor=ONE).items) == 4
    of_card = approvals.page(ApprovalListQuery(provision_id="prv_3"), now_us(), actor=ONE).items
    assert [one.approval_id for one in of_card] == [ids[3]]


def leaf_times(site: DoorSite, approval_id: str) -> tuple[int, int]:
    """When the approval was asked for, and when it ends."""
    with site.store.read() as connection:
        row = connection.execute(approval.select().where(approval.c.approval_id == approval_id)).one()
    return row.requested_us, row.expires_us


class AllOfOneLine(UnrelatedKeys):
    """No two keys are two persons."""

    def bar(self, asker: str, approver: str, asked_us: int) -> str | None:
        """Always."""
        return f"{approver} comes from {asker}."


def test_a_kind_has_its_own_time_or_that_of_the_site(site: DoorSite, approvals: Approvals) -> None:
    """In seconds from the request; its name has 64 bits."""
    approvals.add_kind("erase", subject, ttl_s=0.5)
    for kind, lasts_us in (("reissue", 3_600_000_000), ("erase", 500_000)):
        one = made(approvals, kind)
        asked_us, ends_us = leaf_times(site, one.approval_id)
        assert ends_us - asked_us == lasts_us
        assert (unix_us(one.requested_at), unix_us(one.expires_at)) == (asked_us, ends_us)
        assert re.fullmatch("apr_[0-9a-f]{16}", one.approval_id)
        assert one.provision_id == (CARD if kind == "reissue" else None)


def test_a_request_names_what_it_is_about(site: DoorSite, approvals: Approvals) -> None:
    """Once, in one of two places, and no more of it than the kind takes: one, where it says nothing else."""
    asked: list[list[str]] = []

    def noted(_connection: Connection, subjects: Sequence[str]) -> ApprovalSubject:
        asked.append(list(subjects))
        return ApprovalSubject("+".join(subjects), None, None, "Nodes")

    approvals.add_kind("mass_burn", noted, most=3)
    approvals.add_kind("lift", noted)

    def request(kind: Any, subjects: list[str], provision_id: str | None = None) -> Approval:
        body = ApprovalBody(kind=kind, subjects=subjects, provision_id=provision_id, reason="x")
        return asyncio.run(approvals.request(body, actor=ONE))[0]

    for kind, subjects, provision_id, said in (
        ("lift", [], None, "Name what it is about."),
        ("lift", ["a", "b"], None, "This kind takes at most 1 of them."),
        ("mass_burn", ["a", "b", "c", "d"], None, "This kind takes at most 3 of them."),
        ("lift", ["a"], "b", "Name the provisioning in subjects or in provision_id, not in both."),
        ("lift", ["a", "b"], "a", "Name the provisioning in subjects or in provision_id, not in both."),
    ):
        with pytest.raises(Problem) as caught:
            request(kind, subjects, provision_id)
        assert caught.value.detail == said
        assert caught.value.code == ("parameter_conflict" if provision_id else "invalid_body")
        assert [error.pointer for error in caught.value.errors or []] == ([] if provision_id else ["/subjects"])
    found = [
        request("mass_burn", ["a", "b", "c"]),
        request("mass_burn", ["d", "d", "e", "d", "e"]),
        request("lift", ["a"], "a"),
        request("lift", [], "b"),
        request("lift", ["c"]),
    ]
    assert asked == [["a", "b", "c"], ["d", "e"], ["a"], ["b"], ["c"]]
    assert [one.subjects for one in found] == asked
    assert {one.provision_id for one in found} == {None}


def test_an_open_request_is_given_back_until_its_last_microsecond(
    site: DoorSite, approvals: Approvals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for again at its end it is another one, and the sweep of that moment finds nothing more to end."""
    writer, ends_after_us = site.store.writer, 0

    def at_the_end(job: Callable[[Transaction], Any]) -> Callable[[Transaction], Any]:
        def act(tx: Transaction) -> Any:
            of_it = update(approval).where(approval.c.state == "PENDING")
            tx.connection.execute(of_it.values(expires_us=tx.now_us + ends_after_us))
            return job(tx)

        return act

    first = made(approvals)
    run = writer.run
    monkeypatch.setattr(writer, "run", lambda job: run(at_the_end(job)))
    ends_after_us = 1
    assert made(approvals).approval_id == first.approval_id
    assert writer.submit(at_the_end(approvals.expire)).result() == 0
    ends_after_us = 0
    second = made(approvals)
    assert second.approval_id != first.approval_id
    assert writer.submit(at_the_end(approvals.expire)).result() == 1


def test_a_key_of_the_same_line_may_only_reject(site: DoorSite) -> None:
    """To approve takes a second person; to reject opens nothing, so that the asker's own key alone may not."""
    approvals = Approvals(site.store, Cursors(bytes(32)), site.alarms, ttl_s=3600, lines=AllOfOneLine)
    approvals.add_kind("reissue", subject)
    one = made(approvals)
    assert approvals.get(one.approval_id, now_us(), actor=TWO).barred == f"{TWO} comes from {ONE}."
    for call, actor in ((approvals.approve, TWO), (approvals.reject, ONE)):
        problem = refused(functools.partial(call, one.approval_id, actor=actor))
        assert (problem.code, problem.detail) == ("state_conflict", f"{actor} comes from {ONE}.")
    rejected = asyncio.run(approvals.reject(one.approval_id, actor=TWO))
    assert (rejected.state, rejected.rejected_by, rejected.barred) == ("REJECTED", TWO, None)


def test_another_keys_decision_again_is_refused(approvals: Approvals) -> None:
    """It says that it was made; the key that made it may repeat it, before and after a restart."""
    one, other = made(approvals), made(approvals, provision_id="prv_2")
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))
    asyncio.run(approvals.reject(other.approval_id, actor=TWO))
    assert refused(lambda: approvals.approve(one.approval_id, actor=THREE)).detail.endswith("is approved already.")
    assert refused(lambda: approvals.reject(other.approval_id, actor=THREE)).detail.endswith("was rejected; ask again.")
    again = asyncio.run(approvals.reject(other.approval_id, actor=TWO))
    assert (again.state, again.rejected_by) == ("REJECTED", TWO)
    assert again.rejected_at is not None
    assert (again.approved_at, again.used_at) == (None, None)
    assert refused(lambda: approvals.approve("apr_none", actor=TWO)).code == "not_found"


def test_what_a_reason_says_of_a_person_goes_when_it_is_over(site: DoorSite, approvals: Approvals) -> None:
    """Counted, erased once, and told apart from what is still open, was erased, or is of another person."""

    def held() -> list[int]:
        with site.store.read() as connection:
            return [approvals.held_records(connection, node_id).rows for node_id in ("ARC-1", "ARC-2")]

    def forget(node_id: str) -> int:
        return site.store.writer.submit(lambda tx: approvals.forget(tx, node_id)).result()

    used, rejected, still = (made(approvals, provision_id=card).approval_id for card in (CARD, "prv_2", "prv_3"))
    assert held() == [0, 0]
    asyncio.run(approvals.approve(used, actor=TWO))
    asyncio.run(approvals.reject(rejected, actor=TWO))
    assert held() == [1, 0]
    use(site, approvals, used)
    assert held() == [2, 0]
    assert [forget("ARC-2"), forget("ARC-1"), forget("ARC-1")] == [0, 2, 0]
    assert held() == [0, 0]
    reasons = {one.approval_id: one.reason for one in approvals.page(ApprovalListQuery(), now_us(), actor=ONE).items}
    assert reasons == {used: "(erased)", rejected: "(erased)", still: "badge handed back"}


def test_an_act_may_forget_what_it_was_about(site: DoorSite, approvals: Approvals) -> None:
    """Subjects and reason go with its use, and the subject alone is left; its leaf names who asked and who approved."""
    one = made(approvals)
    asyncio.run(approvals.approve(one.approval_id, actor=TWO))

    def act(tx: Transaction) -> str:
        return approvals.use(tx, one.approval_id, "reissue", CARD, actor=THREE, forget=True)

    assert site.store.writer.submit(act).result() == TWO
    found = approvals.get(one.approval_id, now_us(), actor=THREE)
    assert (found.reason, found.subjects, found.used_by, found.yours) == ("(erased)", [CARD], THREE, False)
    assert found.used_at is not None
    with site.store.read() as connection:
        assert approvals.subjects(connection, one.approval_id, "reissue") == []
