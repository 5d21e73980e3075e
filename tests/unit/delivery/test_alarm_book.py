"""Alarms: one fact, one alarm, open until the fact has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.biometrics.enrolments import TWICE_ALARM
from app.capabilities.keystone.service import REPLAYED
from app.capabilities.palm.service import COPY_ALARM as PALM_COPY
from app.capabilities.stylized.service import COPY_ALARM as STYLIZED_COPY
from app.delivery import alarms
from app.delivery.alarms import AlarmBook
from app.delivery.messages import HAPPENED, AlarmEvent
from app.service.platform import CLOCK_ALARM
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
    assert {CLOCK_ALARM, PALM_COPY, REPLAYED, STYLIZED_COPY, TWICE_ALARM} == HAPPENED
