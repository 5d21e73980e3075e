"""What is read of other systems' answers: any bytes, any header, one sentence."""

from __future__ import annotations

import asyncio
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import (
    Unsuccessful,
    bearer,
    outlives,
    probing,
    successful,
    unsuccessful,
)
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal, Tools
from app.capabilities.burn.targets.oauth import OAuth
from app.capabilities.burn.targets.peer import PeerConnector
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.targets.ssf import Ssf
from app.capabilities.burn.targets.webhook import Webhook
from app.delivery.outbound import OutboundAnswer, OutboundError, SystemUnreachable
from app.registry.directories import DirectoryRow
from app.store.keys import Kek, Keys

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


@pytest.mark.parametrize("secret", [None, "two\r\nlines", "kø"])
def test_a_secret_that_is_no_token_is_not_sent(secret: str | None) -> None:
    """It would become another header, or none."""
    with pytest.raises(Refusal):
        bearer(secret)


def answered(status: int, **headers: str) -> OutboundAnswer:
    """An answer without a body."""
    return OutboundAnswer(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


@pytest.mark.parametrize("status", [408, 425, 429, 500, 501, 502, 503, 504, 505, 599])
def test_what_may_work_later_is_pending(status: int) -> None:
    """A server's error, and what asks for patience; behind a gateway nobody is known to be there (RFC 9110, 15.6), but
    one that says when to come back speaks for somebody."""
    gateway = status in (502, 503, 504)
    assert unsuccessful(answered(status)) == AttemptOutcome(
        "pending_offline", f"answered {status}", answered=not gateway, pause_s=0.0
    )
    assert unsuccessful(answered(status, retry_after="1")) == AttemptOutcome(
        "pending_offline", f"answered {status}, again in 1 s", answered=True, pause_s=1.0
    )


@pytest.mark.parametrize(
    ("status", "words", "told"),
    [
        (300, None, "answered 300: it points elsewhere, and the secret goes to its own address only"),
        (399, "ours", "answered 399: it points elsewhere, and the secret goes to its own address only"),
        (400, None, "answered 400"),
        (400, "ours", "answered 400: ours"),
        (401, None, "answered 401: it does not take our secret"),
        (403, None, "answered 403: our secret does not allow this there"),
        (404, None, "answered 404: nothing is there"),
        (405, None, "answered 405: it does not take this call"),
        (410, None, "answered 410: it is gone for good"),
        (413, None, "answered 413: it calls our request too large"),
        (413, "ours", "answered 413: ours"),
        (499, None, "answered 499"),
        (201, None, "answered 201"),
        (299, None, "answered 299"),
    ],
)
def test_a_refusal_is_told_in_words(status: int, words: str | None, told: str) -> None:
    """The connector's own words before those of the status; an address elsewhere gets no secret."""
    assert unsuccessful(answered(status), words) == AttemptOutcome("failed", told)


def test_success_is_what_the_call_promises() -> None:
    """200 and 204 where nothing else is named; else those alone."""
    for status in (200, 204):
        assert successful(answered(status)).status == status
    assert successful(answered(202), 202).status == 202
    for answer, statuses in ((answered(201), ()), (answered(202), ()), (answered(200), (202,))):
        with pytest.raises(Unsuccessful, match=f"answered {answer.status}: ours") as caught:
            successful(answer, *statuses, words="ours")
        assert caught.value.outcome.state == "failed"


def test_a_trial_tells_a_refusal_from_silence() -> None:
    """What may work later is a directory that is not reached; what is refused is for the operator."""
    for status, error in ((503, SystemUnreachable), (429, SystemUnreachable), (401, Refusal)):
        with pytest.raises(error, match=f"answered {status}"), probing():
            successful(answered(status))
    with probing():
        successful(answered(200))


def test_a_token_is_sent_as_it_is_registered() -> None:
    """RFC 6750; without one the operator is told."""
    assert bearer("abc~") == {"Authorization": "Bearer abc~"}
    with pytest.raises(Refusal, match="no secret is registered"):
        bearer(None)
    with pytest.raises(Refusal, match="no token has"):
        bearer("two\nlines")


@pytest.mark.parametrize(
    ("state", "left"),
    [
        ("unlinked", "D: an account of the person that does not bear what was looked for"),
        ("revoked", "D: tokens"),
        ("already", "D: tokens"),
        ("delivered", "D: tokens"),
        ("failed", "D: everything the account may do, until it is reached"),
        ("pending_offline", "D: everything the account may do, until it is reached"),
        ("unsupported", "D: everything the account may do, until it is reached"),
    ],
)
def test_what_outlives_a_burn_there(state: TargetState, left: str) -> None:
    """As much as is not proven."""
    assert outlives("D", state, "tokens") == left
