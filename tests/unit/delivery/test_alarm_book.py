"""Alarms: one fact, one alarm, open until the fact has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.biometrics.enrolments import TWICE_ALARM
from app.capabilities.burn.nobody import ALARM as NOBODY
from app.capabilities.keystone.service import REPLAYED
from app.capabilities.palm.service import COPY_ALARM as PALM_COPY
from app.capabilities.provisioning.stock.makers import CHANGED
from app.capabilities.stylized.service import COPY_ALARM as STYLIZED_COPY
from app.delivery import alarms
from app.delivery.alarms import AlarmBook
from app.delivery.messages import HAPPENED, Alarm, AlarmEvent
from app.operators.service import GUESSED
from app.service.platform import CLOCK_ALARM, JUMP_ALARM
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction
from tests.service.capabilities.infrastructure.watch_site import WatchSite


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WatchSite]:
    """A store, a log, a bus and their book."""
    made = WatchSite(tmp_path / "site")
    yield made
    made.close()


def raised(
    site: WatchSite, key: str = "k", text: str = "A fact needs a person.", kind: str = "test.fact"
) -> str | None:
    """Opens an alarm in a transaction of its own."""
    return site.store.writer.submit(lambda tx: site.alarms.raise_alarm(tx, kind, key, text, node_id="N-1")).result(10)


def cleared(site: WatchSite, key: str = "k", kind: str = "test.fact") -> bool:
    """Closes it."""
    return site.store.writer.submit(lambda tx: site.alarms.clear(tx, kind, key)).result(10)


def test_raised_is_open_leaf_and_event(site: WatchSite) -> None:
    """An alarm is in the list, in the log and on the bus."""
    alarm_id = raised(site)
    (found,) = site.alarms.open()
    assert (found.alarm_id, found.kind, found.node_id) == (alarm_id, "test.fact", "N-1")
    assert [leaf.node_id for leaf in site.leaves(action=alarms.RAISED)] == ["N-1"]
    assert site.bodies("alarm") == [AlarmEvent(state="raised", alarm=found)]


def test_same_fact_is_one_alarm(site: WatchSite) -> None:
    """A fact that is raised again keeps its alarm, its first text and its one leaf."""
    assert raised(site) == raised(site, text="Another text.")
    assert [alarm.text for alarm in site.alarms.open()] == ["A fact needs a person."]
    assert len(site.leaves(action=alarms.RAISED)) == 1


def test_a_person_closes_what_has_happened_alone(site: WatchSite) -> None:
    """With a leaf that names him; what closes with its fact stays, and what is not open is 404."""

    def close(alarm_id: str | None) -> str:
        try:
            return asyncio.run(site.alarms.acknowledge(alarm_id or "", actor="key_1")).kind
        except Problem as problem:
            return problem.code

    happened, lasts = raised(site, kind="palm.copy"), raised(site)
    assert [close(happened), close(happened), close(lasts)] == ["palm.copy", "not_found", "state_conflict"]
    assert [alarm.alarm_id for alarm in site.alarms.open()] == [lasts]
    assert [leaf.actor for leaf in site.leaves(action=alarms.CLEARED)] == ["key_1"]


def test_cleared_is_gone_with_a_leaf(site: WatchSite) -> None:
    """A cleared alarm leaves the list; leaf and event say so."""
    raised(site)
    assert cleared(site)
    assert site.alarms.open() == []
    assert len(site.leaves(action=alarms.CLEARED)) == 1
    assert [body.state for body in site.bodies("alarm")] == ["raised", "cleared"]


def test_clearing_nothing_says_nothing(site: WatchSite) -> None:
    """Clearing a fact that has no alarm writes no leaf and no event."""
    assert not cleared(site)
    assert site.leaves(action=alarms.CLEARED) == []
    assert site.bodies("alarm") == []


def test_open_alarms_survive_a_restart(site: WatchSite, tmp_path: Path) -> None:
    """The list is the store's, not the process's."""
    raised(site)
    site.close()
    again = WatchSite(tmp_path / "site")
    try:
        assert again.alarms.keys("test.fact") == {"k"}
    finally:
        again.close()


def test_failed_transaction_raises_nothing(site: WatchSite) -> None:
    """An alarm of a job that fails is neither listed nor published."""

    def job(tx: Transaction) -> None:
        site.alarms.raise_alarm(tx, "test.fact", "k", "Text.")
        raise RuntimeError("the job fails")

    with pytest.raises(RuntimeError, match="the job fails"):
        site.store.writer.submit(job).result(10)
    assert site.alarms.open() == []
    assert site.bodies("alarm") == []


def test_flood_is_one_more_alarm(site: WatchSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its bound a kind opens nothing but the one alarm that says so."""
    monkeypatch.setattr(alarms, "OPEN_PER_KIND", 3)
    ids = [raised(site, key=str(number)) for number in range(6)]
    assert ids[3:] == [None, None, None]
    assert [alarm.kind for alarm in site.alarms.open()] == ["test.fact"] * 3 + [alarms.FLOOD]


def test_flood_ends_with_room(site: WatchSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flood alarm closes when the kind has room again."""
    monkeypatch.setattr(alarms, "OPEN_PER_KIND", 2)
    for number in range(3):
        raised(site, key=str(number))
    cleared(site, key="0")
    assert [alarm.kind for alarm in site.alarms.open()] == ["test.fact"]


def test_long_text_is_cut(site: WatchSite) -> None:
    """A text longer than the bound is kept up to it."""
    raised(site, text="x" * 10_000)
    (found,) = AlarmBook(site.store, site.bus).open()
    assert len(found.text) == alarms.TEXT_MAX


def test_settling_leaves_exactly_the_facts(site: WatchSite) -> None:
    """Of the kinds named: what is no fact any more is cleared, what is new is raised, what stays keeps its alarm."""
    stays = raised(site, "stays", kind="test.watched")
    raised(site, "goes", kind="test.watched")
    other = raised(site, "other", kind="test.other")
    facts = {("test.watched", "stays"): "Another text.", ("test.watched", "comes"): "A new fact."}
    site.store.writer.submit(lambda tx: site.alarms.settle(tx, ["test.watched"], facts)).result(10)
    found = {alarm.alarm_id: alarm.text for alarm in site.alarms.open()}
    assert set(found.values()) == {"A fact needs a person.", "A new fact."}
    assert {stays, other} < set(found)
    assert len(site.leaves(action=alarms.CLEARED)) == 1


def test_a_renewed_alarm_takes_the_newest_text(site: WatchSite) -> None:
    """One alarm of the fact still; another text is a leaf and an event, the same text is neither."""
    first = raised(site)
    for text in ("It still needs one.", "It still needs one."):
        job = site.store.writer.submit(
            lambda tx, text=text: site.alarms.raise_alarm(tx, "test.fact", "k", text, renew=True)  # type: ignore[misc]
        )
        assert job.result(10) == first
    assert [(alarm.alarm_id, alarm.text) for alarm in site.alarms.open()] == [(first, "It still needs one.")]
    assert len(site.leaves(action=alarms.RAISED)) == 2
    assert [body.alarm.text for body in site.bodies("alarm")] == ["A fact needs a person.", "It still needs one."]


def test_what_a_person_closes_is_named_by_those_who_raise_it() -> None:
    """The list that console and service share is that of the kinds as they are raised."""
    assert {
        CHANGED,
        CLOCK_ALARM,
        GUESSED,
        JUMP_ALARM,
        NOBODY,
        PALM_COPY,
        REPLAYED,
        STYLIZED_COPY,
        TWICE_ALARM,
    } == HAPPENED


# --- owners ---


def took(site: WatchSite, alarm_id: str | None, note: str | None = None, actor: str = "key_1") -> Alarm:
    """Takes the alarm."""
    return asyncio.run(site.alarms.take(alarm_id or "", note, actor=actor))


def test_an_alarm_that_was_taken_says_by_whom_when_and_why(site: WatchSite, tmp_path: Path) -> None:
    """In the list, in the log and on the bus; after a restart too. It stays open."""
    alarm_id = raised(site)
    assert site.alarms.open()[0].taken_by is None
    taken = took(site, alarm_id, "I call the plumber.")
    assert (taken.taken_by, taken.note) == ("key_1", "I call the plumber.")
    assert taken.taken_at is not None
    assert taken.taken_at >= taken.since
    assert site.alarms.open() == [taken]
    (leaf,) = site.leaves(action=alarms.TAKEN)
    assert (leaf.actor, leaf.node_id) == ("key_1", "N-1")
    assert site.bodies("alarm")[1:] == [AlarmEvent(state="taken", alarm=taken)]
    site.close()
    again = WatchSite(tmp_path / "site")
    try:
        assert again.alarms.open() == [taken]
    finally:
        again.close()


def test_taking_again_changes_nothing_but_the_note(site: WatchSite) -> None:
    """A repeat is the same answer without leaf and event; another note of the same owner is a change."""
    alarm_id = raised(site)
    first = took(site, alarm_id, "One.")
    assert took(site, alarm_id, "One.") == took(site, alarm_id) == first
    assert len(site.leaves(action=alarms.TAKEN)) == 1
    assert len(site.bodies("alarm")) == 2
    second = took(site, alarm_id, "Two.")
    assert (second.taken_by, second.note) == ("key_1", "Two.")
    assert len(site.leaves(action=alarms.TAKEN)) == 2


def test_another_key_takes_it_over_without_the_note_of_the_first(site: WatchSite) -> None:
    """A shift ends: who comes owns the alarm, and the leaf says whom that one relieves."""
    alarm_id = raised(site)
    took(site, alarm_id, "Mine.", actor="key_1")
    relieved = took(site, alarm_id, actor="key_2")
    assert (relieved.taken_by, relieved.note) == ("key_2", None)
    assert site.alarms.open() == [relieved]
    assert [leaf.detail.get("before") for leaf in site.leaves(action=alarms.TAKEN)] == [None, "key_1"]


def test_what_is_not_open_cannot_be_taken(site: WatchSite) -> None:
    """404, and nothing is written."""
    raised(site)
    with pytest.raises(Problem) as refused:
        took(site, "alm_0")
    assert refused.value.code == "not_found"
    assert site.leaves(action=alarms.TAKEN) == []


def test_an_owner_stays_when_the_alarm_says_something_new(site: WatchSite) -> None:
    """A reminder changes the words, not whose it is; the event tells both."""
    alarm_id = raised(site)
    took(site, alarm_id, "Mine.")
    site.store.writer.submit(
        lambda tx: site.alarms.raise_alarm(tx, "test.fact", "k", "It lasts.", node_id="N-1", renew=True)
    ).result(10)
    (found,) = site.alarms.open()
    assert (found.text, found.taken_by, found.note) == ("It lasts.", "key_1", "Mine.")
    assert site.bodies("alarm")[-1] == AlarmEvent(state="raised", alarm=found)


def test_an_alarm_of_memory_is_taken_in_memory_and_the_row_keeps_its_owner(site: WatchSite) -> None:
    """No leaf while memory alone has it; the transaction that makes it a row tells who took it, and when that was."""
    site.alarms.raise_now("test.fact", "k", "The disk is full.", node_id="N-1")
    (found,) = site.alarms.open()
    taken = took(site, found.alarm_id, "I make room.")
    assert took(site, found.alarm_id, "I make room.") == taken
    assert (taken.taken_by, taken.note) == ("key_1", "I make room.")
    assert site.alarms.open() == [taken]
    assert [body.state for body in site.bodies("alarm")] == ["raised", "taken"]
    assert site.leaves(action=alarms.TAKEN) == []
    site.alarms.raise_now("test.fact", "k", "The disk is still full.", node_id="N-1")
    assert [(one.taken_by, one.taken_at, one.note) for one in site.alarms.open()] == [
        ("key_1", taken.taken_at, "I make room.")
    ]
    assert raised(site) == found.alarm_id
    (stored,) = site.alarms.open()
    assert (stored.taken_by, stored.taken_at, stored.note) == ("key_1", taken.taken_at, "I make room.")
    (leaf,) = site.leaves(action=alarms.TAKEN)
    assert (leaf.actor, leaf.detail["taken_at"], leaf.detail["note"]) == ("key_1", taken.taken_at, "I make room.")


def test_an_alarm_of_memory_is_taken_while_the_store_takes_nothing(tmp_path: Path) -> None:
    """A row cannot change then: that one is refused, and has no owner afterwards."""
    site = WatchSite(tmp_path / "site")
    row_id = raised(site, key="row")
    site.alarms.raise_now("test.fact", "now", "The disk is full.")
    now_id = next(one.alarm_id for one in site.alarms.open() if one.alarm_id != row_id)
    site.store.writer.close()
    try:
        assert took(site, now_id).taken_by == "key_1"
        with pytest.raises(StoreUnavailable):
            took(site, row_id)
        assert {one.alarm_id: one.taken_by for one in site.alarms.open()} == {row_id: None, now_id: "key_1"}
    finally:
        site.close()


def test_an_alarm_of_memory_lasts_until_its_fact_has_changed(site: WatchSite) -> None:
    """Nobody closes it by hand; it is open, so closing it is no 404."""
    site.alarms.raise_now("test.fact", "k", "The disk is full.")
    with pytest.raises(Problem) as refused:
        asyncio.run(site.alarms.acknowledge(site.alarms.open()[0].alarm_id, actor="key_1"))
    assert refused.value.code == "state_conflict"


def test_an_erasure_takes_the_notes_on_alarms_about_its_node(site: WatchSite) -> None:
    """Of rows and of memory; who took them stays, and so do other nodes' notes."""
    mine = raised(site)
    other = site.store.writer.submit(
        lambda tx: site.alarms.raise_alarm(tx, "test.fact", "other", "Another one.", node_id="N-2")
    ).result(10)
    site.alarms.raise_now("test.fact", "now", "The disk is full.", node_id="N-1")
    in_memory = site.alarms.open()[-1].alarm_id
    for alarm_id in (mine, other, in_memory):
        took(site, alarm_id, "Ann is ill.")
    with site.store.read() as connection:
        assert site.alarms.held_records(connection, "N-1").rows == 1
    assert site.store.writer.submit(lambda tx: site.alarms.forget(tx, "N-1")).result(10) == 1
    notes = {one.alarm_id: (one.taken_by, one.note) for one in site.alarms.open()}
    assert notes == {mine: ("key_1", None), other: ("key_1", "Ann is ill."), in_memory: ("key_1", None)}
    with site.store.read() as connection:
        assert site.alarms.held_records(connection, "N-1").rows == 0


def test_owners_over_the_wire(site: WatchSite) -> None:
    """The note may be missing and the body too; a key that only reads takes nothing; bad notes are named."""
    alarm_id = raised(site)
    path = f"/v1/citadel/alarms/{alarm_id}/take"
    with site.running():
        hands, eyes = site.make_key("citadel"), site.make_key()
        with site.client(hands.key) as client, site.client(eyes.key) as reader:
            assert reader.post(path).status_code == 403
            assert client.post(path).json()["note"] is None
            assert client.post(path, json={"note": "Mine."}).json()["note"] == "Mine."
            for note in ("", "x" * 1001, 7):
                answer = client.post(path, json={"note": note})
                assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
            assert client.post("/v1/citadel/alarms/alm_0/take").status_code == 404
            (listed,) = reader.get("/v1/alarms").json()["items"]
            assert (listed["taken_by"], listed["note"]) == (hands.kid, "Mine.")
