"""The bounds of deliveries at their own numbers: what is within is kept, what is beyond is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, insert, select, update

from app.api.problems import Problem
from app.delivery.delivery_rows import DISABLED, Attempted
from app.delivery.tables import delivery, delivery_gone
from app.store.writer import Transaction
from tests.service.delivery.outbox_site import TYPE, OutboxSite

URL = "https://receiver.invalid/hook"
DAY_US = 86_400 * 1_000_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutboxSite]:
    """One whose outbox does not send: each test has keys of its own."""
    made = OutboxSite(tmp_path_factory.mktemp("bounds") / "site")
    yield made
    made.close()


def put(site: OutboxSite, tx: Transaction, kid: str, **more: Any) -> str:
    """A delivery of this key; its id."""
    how = {"url": URL, "event_type": TYPE, "data": {}, "subject": None, **more}
    return site.rows.put(tx, kid=kid, **how)[0]


def copied(tx: Transaction, delivery_id: str, count: int, **values: Any) -> list[str]:
    """So many rows more that are as this one, but for an id of their own and these values; their ids."""
    row = tx.connection.execute(select(delivery).where(delivery.c.delivery_id == delivery_id)).one()._mapping
    ids = [f"{delivery_id[:-6]}{number:06x}" for number in range(count)]
    tx.connection.execute(insert(delivery), [{**row, "delivery_id": one, **values} for one in ids])
    return ids


def count(tx: Transaction, kid: str, *where: Any) -> int:
    """Rows of the key."""
    return tx.connection.scalar(select(func.count()).where(delivery.c.kid == kid, *where)) or 0


def state_of(tx: Transaction, delivery_id: str) -> tuple[str, str | None]:
    """State and fault of a row."""
    c = delivery.c
    row = tx.connection.execute(select(c.state, c.fault).where(c.delivery_id == delivery_id)).one()
    return row.state, row.fault


def taken_back(site: OutboxSite, job: Any) -> None:
    """Runs a job whose rows no other test sees."""

    class Enough(Exception):
        """Takes the transaction back."""

    def judged(tx: Transaction) -> None:
        job(tx)
        raise Enough

    with pytest.raises(Enough):
        site.write(judged)


def test_a_thousand_of_a_key_may_wait(site: OutboxSite) -> None:
    """The next is a dead letter at once, also one that a person sends again; other keys are not held up."""
    key, other = site.key(), site.key()

    def job(tx: Transaction) -> None:
        first = put(site, tx, key.kid)
        copied(tx, first, 998)
        assert state_of(tx, put(site, tx, key.kid)) == ("queued", None)
        assert count(tx, key.kid, delivery.c.state == "queued") == 1000
        beyond = put(site, tx, key.kid)
        assert state_of(tx, beyond) == ("dead_letter", "crowded")
        assert state_of(tx, put(site, tx, other.kid)) == ("queued", None)
        with pytest.raises(Problem) as refused:
            site.rows.send_again(tx, beyond, actor="tester", request_id="req_t")
        assert refused.value.code == "state_conflict"
        site.rows.record(tx, first, Attempted(204, None))
        assert site.rows.send_again(tx, beyond, actor="tester", request_id="req_t")[1] is not None

    taken_back(site, job)


@pytest.mark.parametrize(("rows", "left"), [(5000, 5000), (5001, 5000), (5400, 5000), (5600, 5100)])
def test_a_sweep_leaves_five_thousand_of_a_key(site: OutboxSite, rows: int, left: int) -> None:
    """The oldest that are over go first, five hundred in one transaction; another key keeps its own."""
    key, other = site.key(), site.key()

    def job(tx: Transaction) -> None:
        waits = put(site, tx, key.kid)
        ended = {"state": "delivered", "next_us": None}
        made = copied(tx, waits, rows - 1, **ended, ended_us=tx.now_us)
        for place, one in enumerate(made[-700:]):
            when = update(delivery).where(delivery.c.delivery_id == one)
            tx.connection.execute(when.values(ended_us=tx.now_us - 1000 + place))
        put(site, tx, other.kid)
        assert site.rows.sweep(tx) == rows - left
        assert (count(tx, key.kid), count(tx, other.kid)) == (left, 1)
        assert state_of(tx, waits) == ("queued", None)
        oldest = made[-700 : -700 + rows - left]
        assert count(tx, key.kid, delivery.c.delivery_id.in_(oldest)) == 0

    taken_back(site, job)


def test_what_is_over_is_kept_for_thirty_days(site: OutboxSite) -> None:
    """To the microsecond; five hundred of them go in one transaction."""
    key = site.key()

    def job(tx: Transaction) -> None:
        first = put(site, tx, key.kid)
        over = {"state": "delivered", "next_us": None}
        (kept,) = copied(tx, first, 1, **over, ended_us=tx.now_us - 30 * DAY_US)
        assert site.rows.sweep(tx) == 0
        one = update(delivery).where(delivery.c.delivery_id == kept)
        tx.connection.execute(one.values(ended_us=tx.now_us - 30 * DAY_US - 1))
        assert site.rows.sweep(tx) == 1
        copied(tx, first, 501, **over, ended_us=0)
        assert [site.rows.sweep(tx) for _ in range(3)] == [500, 1, 0]
        assert state_of(tx, first) == ("queued", None)

    taken_back(site, job)


def test_a_thousand_urls_of_a_key_are_known_to_be_gone(site: OutboxSite) -> None:
    """The one that was gone first is forgotten, of this key alone."""
    key, other = site.key(), site.key()
    gone = delivery_gone.c

    def job(tx: Transaction) -> None:
        known = [{"kid": key.kid, "target": b"%032d" % number, "at_us": number} for number in range(999)]
        tx.connection.execute(insert(delivery_gone), [*known, {"kid": other.kid, "target": b"%032d" % 0, "at_us": 0}])
        for number, left in ((0, 0), (1, 1)):
            site.rows.record(tx, put(site, tx, key.kid, url=f"{URL}/{number}"), Attempted(410, "gone"))
            kept = tx.connection.scalars(select(gone.at_us).where(gone.kid == key.kid).order_by(gone.at_us)).all()
            assert (len(kept), kept[0]) == (1000, left)
        assert tx.connection.scalar(select(func.count()).where(gone.kid == other.kid)) == 1

    taken_back(site, job)


def test_a_url_that_is_gone_ends_all_that_waits_for_it(site: OutboxSite) -> None:
    """Each by itself and with the fault; the leaf tells how many others there were; another URL is not touched."""
    key = site.key()

    def job(tx: Transaction) -> list[str]:
        asked, *others = (put(site, tx, key.kid) for _ in range(3))
        elsewhere = put(site, tx, key.kid, url=URL + "2")
        site.rows.record(tx, asked, Attempted(410, "gone"))
        assert [state_of(tx, one) for one in (asked, *others)] == [("disabled", "gone")] * 3
        assert state_of(tx, elsewhere) == ("queued", None)
        ended = select(delivery.c.ended_us).where(delivery.c.delivery_id.in_(others))
        assert set(tx.connection.scalars(ended)) == {tx.now_us}
        site.rows.record(tx, elsewhere, Attempted(204, None))
        return [asked]

    (asked,) = site.write(job)
    (leaf,) = site.leaves(DISABLED, asked)
    assert (leaf.detail["others"], leaf.detail["fault"], leaf.detail["attempts"]) == (2, "gone", 1)


@pytest.mark.parametrize(("beyond", "fits"), [(0, True), (1, False)])
def test_a_body_has_sixty_four_kibibytes_at_most(site: OutboxSite, beyond: int, fits: bool) -> None:
    """All of it together: type, time and data."""
    key = site.key()

    def job(tx: Transaction) -> None:
        empty = put(site, tx, key.kid, data="")
        written = select(func.length(delivery.c.body)).where(delivery.c.delivery_id == empty)
        room = 65_536 - (tx.connection.scalar(written) or 0)
        if fits:
            put(site, tx, key.kid, data="x" * (room + beyond))
        else:
            with pytest.raises(ValueError, match="a body of more than 65536 bytes"):
                put(site, tx, key.kid, data="x" * (room + beyond))

    taken_back(site, job)


@pytest.mark.parametrize(("length", "fits"), [(2048, True), (2049, False)])
def test_a_url_has_2048_characters_at_most(site: OutboxSite, length: int, fits: bool) -> None:
    """As the guard takes it."""
    key = site.key()

    def job(tx: Transaction) -> None:
        url = URL + "a" * (length - len(URL))
        if fits:
            put(site, tx, key.kid, url=url)
        else:
            with pytest.raises(ValueError, match="a URL of more than 2048 characters"):
                put(site, tx, key.kid, url=url)

    taken_back(site, job)


@pytest.mark.parametrize(("name", "fits"), [("a", True), ("a" * 64, True), ("a" * 65, False), ("1a", False)])
def test_a_type_has_sixty_four_characters_at_most(site: OutboxSite, name: str, fits: bool) -> None:
    """And begins with a letter."""
    key = site.key()

    def job(tx: Transaction) -> None:
        if fits:
            put(site, tx, key.kid, event_type=name)
        else:
            with pytest.raises(ValueError, match="no type of an event"):
                put(site, tx, key.kid, event_type=name)

    taken_back(site, job)
