"""What is read of other systems' answers: any bytes, any header, one sentence."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import bearer, retry_after_s, unsuccessful
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.oauth import OAuth
from app.capabilities.burn.targets.peer import PeerConnector
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.targets.ssf import Ssf
from app.capabilities.burn.targets.webhook import Webhook
from app.delivery.outbound import OutboundAnswer, OutboundError
from app.registry.directories import DirectoryRow
from app.store.keys import Kek, Keys

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmM="
FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 1_767_225_600_000_000, training=False)
KINDS = (Scim, Ssf, OAuth, Webhook, PeerConnector)
WHO = AttemptSubject("ARC-1", "t1", None, "E-1")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "totalResults": st.integers(-1, 3) | JSON,
        "Resources": st.lists(st.fixed_dictionaries({"id": st.just("1") | JSON, "externalId": st.just("t1") | JSON})),
        "id": st.just("1") | JSON,
        "active": st.booleans() | JSON,
        "err": JSON,
        "burn_id": st.text(max_size=8),
        "node_id": st.just("ARC-1") | JSON,
        "scope": st.just("LOCAL_ONLY") | JSON,
        "state": st.sampled_from(["COMPLETE", "PARTIAL"]) | JSON,
        "epoch": JSON,
        "targets": JSON,
        "log": JSON,
    },
)
BODIES = st.binary(max_size=60) | (JSON | SHAPED).map(msgspec.json.encode) | st.just(b"[" * 100_000)
ANSWERS = st.builds(
    OutboundAnswer,
    st.integers(100, 599),
    st.dictionaries(st.just("retry-after"), st.text(max_size=12) | st.just("5"), max_size=1),
    BODIES,
)


class Scripted:
    """Answers from a list, the last one for ever."""

    def __init__(self, answers: list[OutboundAnswer]) -> None:
        self.answers = answers

    async def call(self, *_: object, **__: object) -> OutboundAnswer:
        """The next one."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """A site's keys."""
    return Keys(tmp_path_factory.mktemp("keys") / "keys.db", Kek(bytes(32)))


@given(answers=st.lists(ANSWERS, min_size=1, max_size=4), number=st.integers(0, len(KINDS) - 1))
def test_no_answer_breaks_a_connector(keys: Keys, answers: list[OutboundAnswer], number: int) -> None:
    """Whatever comes back is an outcome of a known state in words without the secret, or what a connector may raise."""
    http = Scripted(list(answers))
    connector = KINDS[number](Tools(http, keys, "site", training=False))  # type: ignore[arg-type]
    url = "https://directory.invalid/"
    row = DirectoryRow("d", connector.kind, "D", url, SECRET, None, None, None, None, None, None, ())
    try:
        outcome = asyncio.run(connector.revoke(row, WHO, FACTS, 30.0))
    except (OutboundError, Refusal) as error:
        outcome = AttemptOutcome("failed", str(error))
    assert outcome.state in get_args(TargetState)
    assert outcome.state != "closed"
    assert 0 < len(outcome.evidence) < 1000
    assert SECRET not in outcome.evidence


@given(answer=ANSWERS)
def test_no_answer_that_is_no_success_proves_anything(answer: OutboundAnswer) -> None:
    """It is refused or it may come later."""
    assert unsuccessful(answer).state in ("failed", "pending_offline")


@given(text=st.none() | st.text(max_size=40) | st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_any_retry_after_is_seconds(text: str | None) -> None:
    """Never below nothing, never an error."""
    assert retry_after_s(text, NOW) >= 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        (format_datetime(NOW.replace(minute=2), usegmt=True), 120.0),
        (format_datetime(NOW.replace(year=2025), usegmt=True), 0.0),
        ("-5", 0.0),
        ("soon", 0.0),
        (None, 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(text: str | None, seconds: float) -> None:
    """RFC 9110, 10.2.3."""
    assert retry_after_s(text, NOW) == seconds


@pytest.mark.parametrize("secret", [None, "two\r\nlines", "kø"])
def test_a_secret_that_is_no_token_is_not_sent(secret: str | None) -> None:
    """It would become another header, or none."""
    with pytest.raises(Refusal):
        bearer(secret)
