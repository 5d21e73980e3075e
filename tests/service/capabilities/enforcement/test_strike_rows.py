"""What fsck judges of strikes, and what an erasure takes out of them."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.enforcement.fsck import check_strikes
from app.capabilities.enforcement.messages import Strike
from app.capabilities.enforcement.personal_data import StrikeContent
from app.ledger.check.fsck import CheckedLog
from tests.service.capabilities.enforcement.strike_site import ACTOR, DECLARANT, NODE, WHOLE, StrikeSite, strike_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[StrikeSite]:
    """A platform by form, and a node."""
    with strike_site(tmp_path / "site") as made:
        made.platform()
        made.node()
        yield made


@pytest.fixture
def struck(site: StrikeSite) -> Strike:
    """A whole strike of the node."""
    return asyncio.run(site.issue("EU", platforms=["video"], node_id=NODE, **WHOLE))


def faults(site: StrikeSite) -> list[str]:
    """What the check of strikes says of the store as it is."""
    log = CheckedLog(0, lambda: (_ for _ in ()).throw(LookupError()))  # type: ignore[arg-type,return-value]
    with contextlib.closing(sqlite3.connect(site.site.store_path)) as connection:
        return [f"{one.where}: {one.what}" for one in check_strikes(connection, log)]


def edit(site: StrikeSite, statement: str) -> None:
    """As somebody with the file would."""
    site.write(lambda tx: tx.connection.exec_driver_sql(statement))


# --- fsck ---


def test_strikes_as_they_were_written_have_no_fault(site: StrikeSite, struck: Strike) -> None:
    """Also once their notices have moved, and after a revision."""
    assert faults(site) == []
    asyncio.run(site.outcome(struck.notices[0].notice_id, "sent"))
    second = asyncio.run(site.issue("GB", platforms=["video"]))
    asyncio.run(site.supply(second, **WHOLE))
    assert faults(site) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE strike SET declaration = x'00'", "the declaration of {id} is not the one that it states"),
        ("UPDATE strike SET sha256 = 'ab'", "the declaration of {id} is not the one that it states"),
        ("UPDATE strike_notice SET notice = x'7b7d' WHERE number = 2", "is not the notice that it states"),
        ("UPDATE strike_notice SET jws = 'a.b.c' WHERE number = 1", "is over another notice"),
        ("UPDATE strike_notice SET jws = NULL WHERE number = 1", "is over another notice"),
        ("UPDATE strike_file SET data = x'00' WHERE name = 'law/law.toml'", "law/law.toml of {id} is not the file"),
        ("DELETE FROM strike_file WHERE name = 'law/law.toml'", "{id} pins no law"),
    ],
)
def test_an_edit_is_found(site: StrikeSite, struck: Strike, statement: str, said: str) -> None:
    """By what was changed."""
    edit(site, statement)
    found = faults(site)
    assert any(said.format(id=struck.strike_id) in one for one in found), found
    assert all(one.startswith("strike: ") for one in found)


# --- erasure ---


def erase(site: StrikeSite, node_id: str = NODE) -> tuple[int, int, list[str]]:
    """What the preview counts, what the erasure does, what stays."""
    content = StrikeContent(site.strikes._notices)
    with site.store.read() as connection:
        held = content.held_records(connection, node_id)
    return held.rows, site.write(lambda tx: content.forget(tx, node_id)), list(held.kept)


def everything(site: StrikeSite) -> bytes:
    """All rows of strikes and deliveries, in one."""
    tables = ("strike", "strike_notice", "strike_event", "strike_file", "delivery", "notice_content")
    with site.store.read() as connection:
        return repr([connection.exec_driver_sql(f"SELECT * FROM {name}").all() for name in tables]).encode()


def test_an_open_strike_stays_whole(site: StrikeSite, struck: Strike) -> None:
    """It is pursued; the reply says so."""
    rows, done, kept = erase(site)
    assert (rows, done) == (0, 0)
    assert kept == [
        "1 strike of the node that is open: declaration, notices and who declared them. Erase again when they are "
        "over, or withdraw them."
    ]
    assert site.read(struck) == struck


def test_a_strike_that_is_over_gives_up_its_content(site: StrikeSite, struck: Strike) -> None:
    """Nobody who declared, nothing that was stated, no document; states, times and digests stay."""
    asyncio.run(site.strikes.withdraw(struck.tracking_token, "a mistake of ours", actor=ACTOR))
    assert DECLARANT["name"].encode() in everything(site)
    rows, done, kept = erase(site)
    assert (rows, done) == (1, 1)
    assert kept == ["What was sent to platforms is with them; digests, states and times of the notices stay."]
    left = everything(site)
    for word in (DECLARANT["name"], DECLARANT["email"], "made by a machine", "88121", "case 7", "%PDF"):
        assert str(word).encode() not in left, word
    after = site.read(struck)
    assert (after.state, after.declarant, after.statement, after.content_urls) == ("WITHDRAWN", None, None, [])
    assert after.target_compromise_signature == after.evidence.title == "[erased]"
    assert after.declaration.sha256 == site.read(struck).declaration.sha256
    assert [one.state for one in after.notices] == ["withdrawn", "withdrawn"]
    for call in (site.strikes.records.declaration, site.strikes.bundles.bundle):
        with pytest.raises(Problem) as refused:
            call(struck.tracking_token)
        assert refused.value.status == 410
    assert faults(site) == []
    assert erase(site) == (0, 0, [])


def test_strikes_of_others_stay(site: StrikeSite, struck: Strike) -> None:
    """And an unknown node has none."""
    asyncio.run(site.strikes.withdraw(struck.tracking_token, "a mistake of ours", actor=ACTOR))
    before = site.read(struck)
    assert erase(site, "ARC-SOMEBODY-ELSE") == (0, 0, [])
    assert site.read(struck) == before


def test_a_resolved_strike_is_over(site: StrikeSite) -> None:
    """Its notices have come to their end."""
    found = asyncio.run(site.issue("GB", automated=True, platforms=["video"], node_id=NODE, **WHOLE))
    for one in found.notices:
        asyncio.run(site.outcome(one.notice_id, "sent", reference="CASE-99"))
        asyncio.run(site.outcome(one.notice_id, "actioned"))
    assert erase(site)[:2] == (1, 1)
    assert b"CASE-99" not in everything(site)
