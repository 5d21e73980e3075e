"""The stylized template match: exactly four fields, 1:N and 1:1, and what is refused (specification 4.8)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import update

from app.api.problems import Problem
from app.biometrics.tables import template_registry
from app.capabilities.stylized.messages import StylizedBody, StylizedMatch
from tests.palm_site import KNOT, REGISTRY, PalmSite, base64_of

NOBODY = StylizedMatch(match=False, confidence=0.0, knot_id="", standing="UNVERIFIED")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PalmSite]:
    """Thirty people, and ``ARC-S01`` with three templates near one direction."""
    made = PalmSite(tmp_path_factory.mktemp("stylized"))
    asyncio.run(made.people(30))
    made.add_node("ARC-S01")
    samples = [base64_of(near(CENTRE).tobytes()) for _ in range(3)]
    reply = asyncio.run(made.put("ARC-S01", samples, "stylized"))
    assert (reply.samples, reply.discarded) == (3, [])
    yield made
    made.close()


RANDOM = np.random.default_rng(11)
CENTRE = RANDOM.standard_normal(512)


def near(centre: NDArray[np.float64]) -> NDArray[np.int8]:
    """A template of another shot of the same, cosine about 0.9."""
    found = centre + 0.4 * RANDOM.standard_normal(512)
    return np.clip(np.rint(found * 724.0773439350247 / np.linalg.norm(found)), -127, 127).astype(np.int8)


def match(
    site: PalmSite, raw: bytes, *, epoch: int = 1, registry: str = REGISTRY, node_id: str | None = None
) -> StylizedMatch:
    body = StylizedBody(stylized_template=base64_of(raw), registry_id=registry, key_epoch=epoch, node_id=node_id)
    return asyncio.run(site.stylized.verify(body, actor="tester", request_id="req_3"))


def code(site: PalmSite, raw: bytes, *, epoch: int = 1, registry: str = REGISTRY) -> str:
    with pytest.raises(Problem) as caught:
        match(site, raw, epoch=epoch, registry=registry)
    return caught.value.code


@pytest.mark.parametrize("node_id", [None, "ARC-S01"])
def test_the_person_is_found(site: PalmSite, node_id: str | None) -> None:
    """Among all and as the one that is claimed: the seal, the standing, never a live check."""
    found = match(site, near(CENTRE).tobytes(), node_id=node_id)
    assert (found.match, found.knot_id, found.standing) == (True, KNOT, "UNVERIFIED")
    assert 0.9 < found.confidence <= 1.0
    assert set(msgspec.to_builtins(found)) == {"match", "confidence", "knot_id", "standing"}
    assert site.leaves("stylized.verify")[-1]["node_id"] == "ARC-S01"


@pytest.mark.parametrize("node_id", [None, "ARC-S01", "ARC-R001", "ARC-UNKNOWN"])
def test_a_stranger_is_nobody(site: PalmSite, node_id: str | None) -> None:
    """Confidence exactly 0.0 and an empty seal, for a claimed node that is not enrolled too."""
    stranger = near(RANDOM.standard_normal(512))
    assert match(site, stranger.tobytes(), node_id=node_id) == NOBODY


def test_another_claimed_node_is_no_match(site: PalmSite) -> None:
    """The right template under a wrong name."""
    assert match(site, near(CENTRE).tobytes(), node_id="ARC-R001") == NOBODY


@pytest.mark.parametrize("size", [0, 1, 511, 513, 2048])
def test_any_other_size_is_refused(site: PalmSite, size: int) -> None:
    """512 signed bytes or 422."""
    assert code(site, os.urandom(size)) == "invalid_body"


def test_what_is_no_template_is_refused(site: PalmSite) -> None:
    """All zero, and -128, which no projection gives."""
    assert code(site, bytes(512)) == "invalid_body"
    assert code(site, b"\x80" + bytes(511)) == "invalid_body"


def test_a_stale_epoch_and_an_unknown_registry(site: PalmSite) -> None:
    """409 for any epoch but the present one, 404 for a registry that is not there."""
    raw = near(CENTRE).tobytes()
    assert code(site, raw, epoch=0) == code(site, raw, epoch=2) == "state_conflict"
    assert code(site, raw, registry="nowhere") == "not_found"


def test_a_renewal_during_the_search_is_no_stranger(site: PalmSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """409, where the epoch that the template was made by ended before the decision."""
    search = site.stylized._search

    def renewed(epoch: int) -> None:
        mine = template_registry.c.template_registry_id == REGISTRY
        site.do(lambda tx: tx.connection.execute(update(template_registry).where(mine).values(key_epoch=epoch)))

    def searching(*asked: Any) -> Any:
        renewed(2)
        return search(*asked)

    monkeypatch.setattr(site.stylized, "_search", searching)
    assert code(site, near(CENTRE).tobytes()) == "state_conflict"
    renewed(1)


def test_sent_again_is_a_copy(site: PalmSite) -> None:
    """4.8 has no nonce: an equal template matches once, and an alarm says that it came again."""
    raw = near(CENTRE).tobytes()
    assert match(site, raw).match
    assert match(site, raw) == NOBODY
    assert site.leaves("stylized.verify")[-1]["cause"] == "replayed"
    assert [alarm for alarm in site.alarms.open() if alarm.kind == "stylized.copy"]


def test_a_burned_node_is_not_matched_by_the_next_query(site: PalmSite) -> None:
    """Among all and as the one that is claimed."""
    site.add_node("ARC-S02")
    centre = RANDOM.standard_normal(512)
    asyncio.run(site.put("ARC-S02", [base64_of(near(centre).tobytes())], "stylized"))
    assert match(site, near(centre).tobytes()).match
    site.registry.deny.deny("ARC-S02", "burn", "ref-s")
    assert match(site, near(centre).tobytes()) == NOBODY
    assert match(site, near(centre).tobytes(), node_id="ARC-S02") == NOBODY
