"""Outside time-stamp authorities over a site's checkpoints: OpenSSL's own, and what they may answer."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509

from app.delivery.outbound import Outbound
from app.ledger.c2sp.note import parse_note
from app.ledger.check.fsck import fsck
from app.ledger.cosigned import inflate
from app.ledger.stamps.anchoring import Anchoring, AuthorityAway, OutsideAuthority, authorities_of
from app.ledger.stamps.anchors import ANCHORED
from app.service.platform import asking
from app.site.errors import SiteRefused
from app.site.settings import Settings, TimeStampAuthority
from app.site.site import Site
from app.store.engine import driver
from app.store.errors import StoreUnavailable
from tests.door_site import until
from tests.openssl_authority import OTHER_POLICY, POLICY, Manner, OpensslAuthority
from tests.service.ledger.check.checked_site import CheckedSite


def on_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run it."""

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpensslAuthority, OpensslAuthority]]:
    """Two, each under a root of its own."""
    with contextlib.ExitStack() as running:
        made = [OpensslAuthority(tmp_path_factory.mktemp("authority")) for _ in range(2)]
        for one in made:
            running.enter_context(one.running())
        yield made[0], made[1]


@pytest.fixture
def authority(authorities: tuple[OpensslAuthority, OpensslAuthority]) -> OpensslAuthority:
    """One that answers well."""
    for one in authorities:
        one.manner = "good"
        one.released.clear()
    return authorities[0]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[CheckedSite]:
    """A site with one cosigned checkpoint of each log."""
    made = CheckedSite(tmp_path)
    made.audit(20)
    made.seal(7)
    made.cosign(made.site.ledger.audit)
    made.cosign(made.site.ledger.seal)
    yield made
    made.close()


class Asking:
    """Anchoring of ``site`` by ``rows``, with the alarms that it opened and closed."""

    def __init__(self, site: CheckedSite, *rows: OutsideAuthority, **options: Any) -> None:
        self.alarms: dict[str, str] = {}
        self.told: list[tuple[str, bool]] = []
        self.outbound = Outbound()
        options = {"interval_s": 0.02, "away_s": 0.0, "first_backoff_s": 0.02, "ready": lambda: True, **options}
        self.anchoring = Anchoring(
            site.site.store, site.site.ledger, rows, ask=asking(self.outbound), alarm=self._tell, **options
        )

    async def _tell(self, url: str, sentence: str | None) -> None:
        self.told.append((url, sentence is not None))
        self.alarms.pop(url, None)
        if sentence is not None:
            self.alarms[url] = sentence

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Asking]:
        """Ask until the end."""
        await self.anchoring.start()
        try:
            yield self
        finally:
            await self.anchoring.stop()
            await self.outbound.close()


def row(authority: OpensslAuthority, **other: Any) -> OutsideAuthority:
    """As the settings would name it."""
    roots = x509.load_pem_x509_certificates(authority.roots.encode())
    return OutsideAuthority(**{"url": authority.url, "roots": roots, **other})


def kept(site: CheckedSite, authority: OpensslAuthority) -> list[tuple[int, int, bytes, bytes]]:
    """Log, size, checkpoint's text and token of what ``authority`` stamped."""
    with site.site.store.read() as connection:
        rows = driver(connection).execute(
            "SELECT a.log, a.size, a.token, arc.note FROM log_anchor AS a JOIN log_cosigned AS arc "
            "ON arc.log = a.log AND arc.size = a.size WHERE a.authority = ? ORDER BY a.log, a.size",
            (authority.url,),
        )
        return [(log, size, parse_note(inflate(note).encode()).text.encode(), token) for log, size, token, note in rows]


def told(site: CheckedSite) -> int:
    """Leaves that tell of a stamp."""
    with site.site.store.read() as connection:
        (count,) = (
            driver(connection)
            .execute(
                "SELECT count(*) FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?)", (ANCHORED,)
            )
            .fetchone()
        )
        return int(count)


def faults(site: CheckedSite, *authorities: OpensslAuthority) -> list[str]:
    """What fsck finds."""
    against = site.against()
    named = {one.url: row(one).roots for one in authorities}
    against = dataclasses.replace(against, anchor_roots={**against.anchor_roots, **named})
    return [finding.what for finding in fsck(site.store_path, against)]


@on_a_loop
async def test_checkpoints_are_stamped(site: CheckedSite, authority: OpensslAuthority) -> None:
    """Both logs', by tokens that OpenSSL accepts, each told by a leaf; fsck judges them by the authority's roots."""
    before = told(site)
    async with Asking(site, row(authority, policy=POLICY)).running():
        await until(lambda: len(kept(site, authority)) == 2)
    found = kept(site, authority)
    assert [(log, size) for log, size, _, _ in found] == [(0, 7), (1, 20)]
    assert all(authority.accepts(token, text) for _, _, text, token in found)
    assert told(site) == before + 2
    assert faults(site, authority) == []
    assert any("settings do not name" in fault for fault in faults(site))


@on_a_loop
async def test_a_stamp_asks_for_no_stamp(site: CheckedSite, authority: OpensslAuthority) -> None:
    """A leaf about a stamp alone is nothing to stamp, so a quiet log stays quiet; any other entry is."""
    async with Asking(site, row(authority)).running():
        await until(lambda: len(kept(site, authority)) == 2)
        site.cosign(site.site.ledger.audit)
    asked = authority.asked
    asked_by = Asking(site, row(authority))
    async with asked_by.running():
        # It tells that nobody waits once it has looked at both logs.
        await until(lambda: (authority.url, False) in asked_by.told)
        assert authority.asked == asked
        site.audit(1)
        site.cosign(site.site.ledger.audit)
        await until(lambda: len(kept(site, authority)) == 3)
    assert authority.asked == asked + 1


@pytest.mark.parametrize("manner", ["error", "rejection", "other nonce", "other data", "garbage", "long", "redirect"])
@on_a_loop
async def test_a_wrong_answer_is_not_kept(site: CheckedSite, authority: OpensslAuthority, manner: Manner) -> None:
    """Whatever it is, it is asked again, and an alarm until a good answer comes."""
    authority.manner = manner
    asked = authority.asked
    asked_by = Asking(site, row(authority))
    async with asked_by.running():
        await until(lambda: authority.asked >= asked + 3 and bool(asked_by.alarms))
        assert kept(site, authority) == []
        assert authority.url in asked_by.alarms[authority.url]
        authority.manner = "good"
        await until(lambda: len(kept(site, authority)) == 2 and not asked_by.alarms)
    assert faults(site, authority) == []


@pytest.mark.parametrize("fault", ["another root", "another policy", "our clock"])
@on_a_loop
async def test_a_stamp_of_another_kind_is_not_kept(
    site: CheckedSite, authorities: tuple[OpensslAuthority, OpensslAuthority], authority: OpensslAuthority, fault: str
) -> None:
    """A foreign chain, a policy that was not asked for, and a time far from ours."""
    options: dict[str, Any] = {}
    named = row(authority)
    if fault == "another root":
        named = row(authority, roots=row(authorities[1]).roots)
    elif fault == "another policy":
        named = row(authority, policy="1.2.3.4")
    else:
        options["clock"] = lambda: 4_000_000_000.0
    asked = authority.asked
    asked_by = Asking(site, named, **options)
    async with asked_by.running():
        await until(lambda: authority.asked >= asked + 2 and bool(asked_by.alarms))
    assert kept(site, authority) == []


@on_a_loop
async def test_the_policy_asked_for(site: CheckedSite, authority: OpensslAuthority) -> None:
    """An authority with several stamps under the one that the settings name."""
    async with Asking(site, row(authority, policy=OTHER_POLICY)).running():
        await until(lambda: len(kept(site, authority)) == 2)
    assert faults(site, authority) == []


@on_a_loop
async def test_one_that_hangs(
    site: CheckedSite, authorities: tuple[OpensslAuthority, OpensslAuthority], authority: OpensslAuthority
) -> None:
    """Neither another authority nor an entry nor the end of the service waits for it."""
    hanging = authorities[1]
    hanging.manner = "hangs"
    asked = hanging.asked
    async with Asking(site, row(hanging), row(authority)).running():
        await until(lambda: hanging.asked > asked and len(kept(site, authority)) == 2)
        site.audit(1)
    assert kept(site, hanging) == []


@on_a_loop
async def test_nothing_leaves_before_the_store_is_confirmed(site: CheckedSite, authority: OpensslAuthority) -> None:
    """Not even a hash of a checkpoint that may be of an old copy."""
    asked, confirmed = authority.asked, False
    looks = 0

    def ready() -> bool:
        nonlocal looks
        looks += 1
        return confirmed

    async with Asking(site, row(authority), ready=ready).running():
        await until(lambda: looks > 3)
        assert authority.asked == asked
        confirmed = True
        await until(lambda: len(kept(site, authority)) == 2)


@on_a_loop
async def test_one_that_is_no_longer_asked_is_not_away(site: CheckedSite) -> None:
    """Its alarm is closed at the next start."""
    asked_by = Asking(site, alarmed=["https://gone.invalid"])
    async with asked_by.running():
        assert asked_by.told == [("https://gone.invalid", False)]


@on_a_loop
async def test_a_store_that_takes_burns_alone_starts_all_the_same(site: CheckedSite) -> None:
    """The alarm of one that is no longer asked stays open then; the service starts, for it must burn."""

    async def refused(_url: str, _sentence: str | None) -> None:
        raise StoreUnavailable("This store is an old copy.")

    async def ask(_authority: OutsideAuthority, _request: bytes) -> bytes:
        raise AuthorityAway("nobody is asked here")

    anchoring = Anchoring(
        site.site.store, site.site.ledger, [], ask=ask, ready=lambda: True, alarm=refused,
        alarmed=["https://gone.invalid"], interval_s=1.0, away_s=0.0,
    )  # fmt: skip
    await anchoring.start()
    await anchoring.stop()


def test_settings(tmp_path: Path, authority: OpensslAuthority) -> None:
    """Who is given up is not asked, but known; roots must be certificates, and a URL stands once."""
    site = Site.open(tmp_path / "site", "training")

    def named(*rows: TimeStampAuthority) -> Site:
        return dataclasses.replace(site, settings=msgspec.structs.replace(Settings(), time_stamp_authorities=rows))

    good = TimeStampAuthority(url=authority.url, roots=authority.roots, ask=False)
    assert authorities_of(named(good)) == []
    assert [one.url for one in authorities_of(named(good), all_of_them=True)] == [authority.url]
    with pytest.raises(SiteRefused, match="no PEM"):
        authorities_of(named(TimeStampAuthority(url=authority.url, roots="no certificate")))
    with pytest.raises(SiteRefused, match="twice"):
        authorities_of(named(good, good))
