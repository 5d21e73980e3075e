"""A notice as the wire has it: what its row says, and what the outbox knows of its way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.capabilities.enforcement.messages import StrikeNotice
from app.capabilities.enforcement.records import notice_message
from app.delivery.notices import NoticeProgress

ROW: dict[str, Any] = {
    "notice_id": "ntc_1",
    "number": 2,
    "platform": "video",
    "platform_name": "Training video",
    "kind": "takedown",
    "channel": "mail",
    "state": "queued",
    "address": "https://video.example/report",
    "deadline_us": None,
    "deadline_basis": None,
    "deadline_about": 0,
    "follow_up_us": None,
    "sent_us": None,
    "reference": None,
    "decision": None,
    "missing": "[]",
}


def notice(progress: NoticeProgress | None = None, **row: Any) -> StrikeNotice:
    """The message of a row with these differences."""
    return notice_message(SimpleNamespace(**{**ROW, **row}), "ARC-ST-X", progress)  # type: ignore[arg-type]


def progress(**known: Any) -> NoticeProgress:
    """What the outbox knows after a second attempt that nobody answered."""
    as_it_was: dict[str, Any] = {
        "attempts": 2, "sending": False, "next_us": 1_700_000_000_000_000, "fault": "no_answer", "answer": None
    }  # fmt: skip
    return NoticeProgress(**{**as_it_was, **known})


def test_what_the_outbox_does_not_know_was_never_tried() -> None:
    made = notice()
    assert (made.state, made.attempts, made.next_attempt_at, made.fault) == ("queued", 0, None, None)


def test_a_notice_on_its_way_tells_its_attempts_and_the_next() -> None:
    made = notice(progress())
    assert (made.state, made.attempts) == ("queued", 2)
    assert made.next_attempt_at == "2023-11-14T22:13:20.000000Z"


def test_a_notice_is_sending_while_an_attempt_has_it() -> None:
    assert notice(progress(sending=True)).state == "sending"


@pytest.mark.parametrize("state", ["sent", "bounced", "withdrawn", "held"])
def test_a_notice_that_is_not_queued_is_not_on_its_way(state: str) -> None:
    """Whatever the outbox still remembers."""
    made = notice(progress(sending=True), state=state)
    assert (made.state, made.next_attempt_at) == (state, None)
    assert made.attempts == 2


@pytest.mark.parametrize(
    ("fault", "answer", "said"),
    [
        ("no_answer", None, "No connection, or no answer in time."),
        ("bounced", "550 no such box", "The mail server refused it for good. It said: 550 no such box"),
        ("crowded", None, "crowded"),
        (None, "250 taken", None),
        (None, None, None),
    ],
)
def test_why_an_attempt_failed_is_told_in_words(fault: Any, answer: str | None, said: str | None) -> None:
    """With what the other side said; an answer without a fault is none."""
    assert notice(progress(fault=fault, answer=answer)).fault == said


@pytest.mark.parametrize(("channel", "url"), [("form", "https://video.example/report"), ("mail", None), ("call", None)])
def test_a_form_alone_has_an_address_to_open(channel: str, url: str | None) -> None:
    """Where mail goes is no page."""
    assert notice(channel=channel).form_url == url


@pytest.mark.parametrize("field", ["deadline", "follow_up", "sent"])
def test_a_time_that_is_not_there_is_null_and_the_first_second_is_not(field: str) -> None:
    """Unix time 0 is a time."""
    wire = {"deadline": "deadline", "follow_up": "follow_up_at", "sent": "sent_at"}[field]
    assert getattr(notice(), wire) is None
    assert getattr(notice(**{f"{field}_us": 0}), wire) == "1970-01-01T00:00:00.000000Z"
