"""Pages of the audit table by the real query of a real log: bursts, years of sleep, one microsecond for hundreds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import unix_us
from app.capabilities.gateway.audit.messages import AuditEntry, AuditPage, AuditQuery, AuditRange
from app.console.evidence.entries import is_signed
from app.console.pages.audit.filtered_log import FilteredLog
from app.console.pages.audit.question import DAY_US, PAGE, YEAR_US, Filter, LogLost, checkpoint_size
from app.console.pages.audit.whole_log import Anchors, WholeLog
from app.ledger.log.append import AuditLog
from app.ledger.query.query import AuditIndex as Query
from app.ledger.query.query import EntryCriteria
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.writer import ActOutcome, Leaf, Transaction

NOW = 1_790_000_000_000_000


class NoKeys:
    """The log seals nothing."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        raise KeyError(purpose)

    def known_data_key(self, purpose: str) -> tuple[int, bytes]:
        raise KeyError(purpose)


@dataclass
class Log:
    """A log and the one call that the source makes, answered by the ledger's own query."""

    log: AuditLog
    store: Store
    query: Query
    asked: int = 0
    confirmed: bool = True

    async def gateway_audit_log_query(self, body: AuditQuery, *, idempotency_key: str | None = None) -> AuditPage:
        """As the gateway answers it."""
        del idempotency_key
        self.asked += 1
        assert isinstance(body.range, AuditRange)
        asked = body.criteria
        assert asked is not None
        assert not isinstance(asked, str)
        criteria = EntryCriteria(
            actor=asked.actor, action=asked.action, node_id=asked.node_id, text=asked.text, order=asked.order,
            outcome=ActOutcome(asked.outcome) if asked.outcome else None, limit=asked.limit, cursor=asked.cursor,
        )  # fmt: skip
        page = self.query.page(unix_us(body.range.from_), unix_us(body.range.to), criteria)
        return AuditPage(
            entries=[
                AuditEntry(
                    seq=entry.seq, timestamp=entry.timestamp, actor=entry.actor, action=entry.action,
                    node_id=entry.node_id, outcome=entry.outcome.value, detail=dict(entry.detail),
                    leaf_hash=entry.leaf_hash,
                )
                for entry in page.entries
            ],
            next=page.next,
            log_ahead_s=page.ahead_us / 1e6,
            checkpoint=page.checkpoint if self.confirmed else page.checkpoint.partition("\n\n")[0] + "\n",
        )  # fmt: skip

    def add(
        self, times: list[int], action: str = "test.added", *, clocks: list[int] | None = None, fails: int = 0
    ) -> None:
        """One leaf at each of these times; ``clocks``: when each came, where the log's time was ahead; ``fails``: of so
        many one failed, where it was not denied."""

        def outcome(number: int) -> ActOutcome:
            if number % 50 == 0:
                return ActOutcome.DENIED
            return ActOutcome.FAILED if fails and number % fails == 0 else ActOutcome.ACCEPTED

        leaves = [
            Leaf(
                action=action, actor="tester", outcome=outcome(number),
                ts_us=at, clock_us=None if clocks is None else clocks[number], node_id=f"ARC-{number % 7}",
                unit_id=None, request_id=None, detail={"number": number},
            )
            for number, at in enumerate(times)
        ]  # fmt: skip

        def job(_tx: Transaction) -> None:
            for leaf in leaves:
                self.log.append(leaf)

        self.store.writer.submit(job).result(60)


def opened(path: Path) -> Log:
    """An empty log."""
    log = AuditLog("training-0123456789abcdef.site.invalid/audit", Ed25519PrivateKey.from_private_bytes(b"\x07" * 32))
    store = Store.open(path, log, sealer=FieldSealer(NoKeys()))
    return Log(log, store, Query(store, log, Cursors(b"c" * 32)))


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Log]:
    """A log of the test's own."""
    made = opened(tmp_path / "store.db")
    yield made
    made.store.close()


TIMES = [
    *[NOW - 3 * YEAR_US + k * 1_000_000 for k in range(700)],  # one a second, then the site slept for two years
    *[NOW - 200 * DAY_US + k * 3_600_000_000 for k in range(1_500)],  # one an hour
    *[NOW - 100 * DAY_US] * 900,  # one and the same microsecond
    *[NOW - 90 * DAY_US + k * 50 for k in range(6_000)],  # a burst
    *[NOW - DAY_US + k * 20_000_000 for k in range(3_050)],
]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """12,150 entries, as uneven as a log can be; read only."""
    made = opened(tmp_path_factory.mktemp("log") / "store.db")
    made.add(sorted(TIMES))
    yield made
    made.store.close()


async def whole(log: Log) -> WholeLog:
    """The opened log."""
    made = WholeLog()
    await made.open(log, NOW)
    return made


def test_every_page_of_an_uneven_log_is_found(uneven: Log) -> None:
    """Bursts, sleep and equal times must not shift a row."""

    async def script() -> list[int]:
        log = await whole(uneven)
        wrong = []
        # From the middle outwards, so that each page is found with what few neighbours are known by then.
        pages = range((log.size + PAGE - 1) // PAGE)
        for number in sorted(pages, key=lambda number: (number * 37) % len(pages)):
            found = [entry.seq for entry in await log.page(uneven, number)]
            if found != list(range(number * PAGE, min((number + 1) * PAGE, log.size))):
                wrong.append(number)
        return wrong

    assert asyncio.run(script()) == []


def test_a_jump_takes_few_calls(uneven: Log) -> None:
    """On average three at most, although the log is uneven."""

    async def script() -> float:
        log = await whole(uneven)
        before, pages = log.calls, (log.size + PAGE - 1) // PAGE
        for number in range(pages):
            await log.page(uneven, (number * 37) % pages)
        return (log.calls - before) / pages

    assert asyncio.run(script()) <= 3.0


def test_a_log_that_slept_for_years_is_opened(empty: Log) -> None:
    """The last entry lies before the range that is asked first."""
    empty.add([NOW - 4 * YEAR_US + k for k in range(10)])

    async def script() -> int:
        return (await whole(empty)).size

    assert asyncio.run(script()) == 10


def test_a_log_from_a_clock_that_was_ahead_is_opened(empty: Log) -> None:
    """Its newest entries lie in our future, because time never falls in a log."""
    empty.add([NOW + 400 * DAY_US + k for k in range(10)])

    async def script() -> int:
        return (await whole(empty)).size

    assert asyncio.run(script()) == 10


def test_an_empty_log_has_no_rows(empty: Log) -> None:
    """The first minute of a site."""

    async def script() -> int:
        return (await whole(empty)).size

    assert asyncio.run(script()) == 0


def test_growth_is_heard_of_before_it_is_shown(empty: Log) -> None:
    """The rows stay where they are until a person wants the new ones."""
    empty.add([NOW - 1000 + k for k in range(10)])

    async def script() -> tuple[bool, int, int, int]:
        log = await whole(empty)
        empty.add([NOW + k for k in range(3)])
        heard = await log.look(empty, NOW)
        return heard, log.size, log.grow(), log.size

    assert asyncio.run(script()) == (True, 10, 3, 13)


def test_a_signature_that_came_late_is_shown(empty: Log) -> None:
    """The service was asked before its witnesses had confirmed the store; the log has not grown since."""
    empty.add([NOW - 1000 + k for k in range(10)])
    empty.confirmed = False

    async def script() -> tuple[bool, bool, str]:
        log = await whole(empty)
        before, empty.confirmed = is_signed(log.checkpoint), True
        return before, await log.look(empty, NOW), log.checkpoint

    before, grown, checkpoint = asyncio.run(script())
    assert (before, grown, is_signed(checkpoint)) == (False, False, True)


def test_the_last_page_grows(empty: Log) -> None:
    """It was not full when it was first read."""
    empty.add([NOW - 1000 + k for k in range(10)])

    async def script() -> list[int]:
        log = await whole(empty)
        await log.page(empty, 0)
        empty.add([NOW + k for k in range(3)])
        await log.look(empty, NOW)
        log.grow()
        return [entry.seq for entry in await log.page(empty, 0)]

    assert asyncio.run(script()) == list(range(13))


def test_a_shorter_log_is_never_taken_for_the_same(empty: Log) -> None:
    """A store that was restored from a backup."""
    empty.add([NOW - 1000 + k for k in range(10)])

    async def script() -> None:
        log = await whole(empty)
        log.newest = 11
        await log.look(empty, NOW)

    with pytest.raises(LogLost):
        asyncio.run(script())


@pytest.mark.parametrize(
    ("at", "seq"),
    [
        (NOW - 4 * YEAR_US, 0),
        (NOW - 3 * YEAR_US + 5_500_000, 5),
        (NOW - 100 * DAY_US, 700 + 1_500 + 900 - 1 - 0),
        (NOW + DAY_US, len(TIMES) - 1),
    ],
)
def test_a_time_leads_to_the_newest_entry_before_it(uneven: Log, at: int, seq: int) -> None:
    """Before the first entry: to the first."""
    expected = seq if seq != 700 + 1_500 + 900 - 1 else max(k for k, t in enumerate(sorted(TIMES)) if t <= at)

    async def script() -> int | None:
        return await (await whole(uneven)).at_time(uneven, at)

    assert asyncio.run(script()) == expected


async def listed(log: Log, wanted: Filter) -> tuple[FilteredLog, list[int]]:
    """All matches."""
    source = await whole(log)
    listing = FilteredLog(wanted, until_us=NOW + 1, floor_us=source.anchors.around(0)[0][1])
    found: list[int] = []
    while not listing.done:
        found += [entry.seq for entry in await listing.extend(log)]
    return listing, found


def test_what_was_refused_and_what_failed_are_one_list(empty: Log) -> None:
    """The API takes one outcome a call: two searches are merged, no row is missing or twice, and a page that was
    forgotten is the same when it is read again. It does not matter which of the two is rare."""
    times = [NOW - 400 * DAY_US + k * 10_000_000 for k in range(6_000)]
    empty.add([*times, *[NOW - 2 * DAY_US] * 3_000], fails=7)
    empty.add([NOW - DAY_US + k * 1_000 for k in range(1_200)], fails=600)

    async def script() -> tuple[list[int], list[list[int]], tuple[int, bool]]:
        listing, found = await listed(empty, Filter(in_vain=True))
        again = [[entry.seq for entry in await listing.page(empty, number)] for number in range(listing.pages)]
        empty.add([NOW + 10, NOW + 20], fails=1)
        return found, again, await listing.newer(empty, NOW + 100)

    found, again, newer = asyncio.run(script())
    first = [k for k in range(9_000) if k % 50 == 0 or k % 7 == 0]
    second = [9_000 + k for k in range(1_200) if k % 50 == 0 or k % 600 == 0]
    assert found == [*reversed(first + second)]
    assert [seq for page in again for seq in page] == found
    assert newer == (2, False)


def test_a_filter_finds_every_match_over_years(uneven: Log) -> None:
    """The query knows 366 days; the listing goes on to the first entry."""

    async def script() -> list[int]:
        return (await listed(uneven, Filter(node_id="ARC-3")))[1]

    assert asyncio.run(script()) == [k for k in range(len(TIMES) - 1, -1, -1) if k % 7 == 3]


def test_a_page_of_a_filter_is_had_again(uneven: Log) -> None:
    """It was forgotten because only 64 are kept."""

    async def script() -> bool:
        listing, found = await listed(uneven, Filter(node_id="ARC-3"))
        again = [[entry.seq for entry in await listing.page(uneven, number)] for number in range(listing.pages)]
        return [seq for page in again for seq in page] == found

    assert asyncio.run(script())


def test_a_range_is_half_open(uneven: Log) -> None:
    """An entry at the end of the range is not in it."""
    start = NOW - 3 * YEAR_US

    async def script() -> list[int]:
        return (await listed(uneven, Filter(since_us=start, until_us=start + 2_000_000)))[1]

    assert asyncio.run(script()) == [1, 0]


def test_new_matches_are_counted(empty: Log) -> None:
    """Only those that fulfil the filter, and only those that are not shown."""
    empty.add([NOW - 1000 + k for k in range(20)])

    async def script() -> tuple[int, bool]:
        listing, _ = await listed(empty, Filter(action="test.added"))
        empty.add([NOW + k for k in range(3)], action="test.other")
        empty.add([NOW + 10 + k for k in range(2)])
        return await listing.newer(empty, NOW)

    assert asyncio.run(script()) == (2, False)


@given(st.lists(st.integers(0, 10**6), min_size=2, unique=True), st.data())
def test_anchors_enclose_every_number_between_them(seqs: list[int], data: st.DataObject) -> None:
    """However many were forgotten."""
    anchors = Anchors(most=16)
    for seq in seqs:
        anchors.learn(seq, seq * 10)
    wanted = data.draw(st.integers(min(seqs), max(seqs)))
    (low, low_at), (high, high_at) = anchors.around(wanted)
    assert low <= wanted <= max(high, low)
    assert (low_at, high_at) == (low * 10, high * 10)


@given(st.text(max_size=200))
def test_any_text_is_a_checkpoint_or_refused(text: str) -> None:
    """Never another error."""
    with contextlib.suppress(LogLost):
        assert checkpoint_size(text) >= 0


def test_a_log_whose_clock_was_ahead_for_a_moment_is_shown_whole(empty: Log) -> None:
    """Entries that came later have the time of the jump, and are found by both times: each row is shown once, where it
    belongs, and the last hour holds those that came in it."""
    far = NOW + 400 * DAY_US
    empty.add([NOW - 50 * 60_000_000 + k for k in range(10)])
    empty.add([far])
    empty.add([far] * 8, clocks=[NOW - 40 * 60_000_000 + k for k in range(8)])

    async def script() -> tuple[list[int], list[int], list[int], float]:
        log = await whole(empty)
        rows = [entry.seq for entry in await log.page(empty, 0)]
        everything = FilteredLog(Filter(actor="tester"), until_us=far + 1, floor_us=0)
        hour = FilteredLog(Filter(actor="tester", since_us=NOW - 3_600_000_000), until_us=NOW, floor_us=0)
        found: list[list[int]] = []
        for listing in (everything, hour):
            seqs: list[int] = []
            while not listing.done:
                seqs += [entry.seq for entry in await listing.extend(empty)]
            found.append(seqs)
        return rows, found[0], found[1], log.ahead_s

    rows, everything, hour, ahead_s = asyncio.run(script())
    assert rows == list(range(19))
    assert everything == list(range(18, -1, -1))
    assert hour == [*range(18, 10, -1), *range(9, -1, -1)]
    assert ahead_s >= 0
