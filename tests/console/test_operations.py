"""The one way to change anything."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from PySide6.QtCore import QObject

from app.client import ApiError, Unreachable
from app.console import operations
from app.console.failures import Failure
from app.console.operations import Change, Operation, OperationPhase, OperationProgress
from app.console.session import WindowSession
from app.console.shown_time import PAST_SHOWN
from tests.console.conftest import until


class Peer:
    """Stands where the client stands; operations hand it to their request and never look into it."""


def lost() -> Unreachable:
    """The answer was lost on the way."""
    error = Unreachable("The connection to the service broke.")
    error.__cause__ = httpx.ReadError("reset")
    return error


def unsent() -> Unreachable:
    """Nobody listened, so nothing was sent."""
    error = Unreachable("Nobody listens.")
    error.__cause__ = httpx.ConnectError("refused")
    return error


def attach(session: WindowSession) -> None:
    """A service is there."""
    session.attach(Peer(), "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]


def test_a_lost_answer_is_asked_for_with_the_same_key(session: WindowSession, run: Any, monkeypatch: Any) -> None:
    """Nobody knows what became of the first request, so the very same one is sent until somebody does."""
    monkeypatch.setattr(operations, "FIRST_WAIT_S", 0.001)
    keys: list[str] = []
    phases: list[OperationProgress] = []
    answers: list[Any] = [lost(), unsent(), "burned"]

    async def request(_client: Any, key: str) -> str:
        keys.append(key)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    async def scene() -> str | None:
        attach(session)
        return await Operation(request, title="Burn", asks=True).progress(phases.append).run(session)

    assert run(scene()) == "burned"
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert [step.phase for step in phases] == [OperationPhase.RUNNING, OperationPhase.ASKING, OperationPhase.ASKING]
    assert phases[1].words == "unknown, asking"


def test_asking_waits_for_the_next_service(session: WindowSession, run: Any, monkeypatch: Any) -> None:
    """The service died with the question: the new one is asked, with the new client."""
    monkeypatch.setattr(operations, "FIRST_WAIT_S", 0.001)
    seen: list[Any] = []

    async def request(client: Any, _key: str) -> str:
        seen.append(client)
        if len(seen) == 1:
            session.detach("The service ended.")
            raise lost()
        return "burned"

    async def scene() -> str | None:
        attach(session)
        task = Operation(request, title="Burn", asks=True).run(session)
        await until(lambda: not session.is_connected)
        await asyncio.sleep(0.02)
        assert len(seen) == 1
        attach(session)
        return await task

    assert run(scene()) == "burned"
    assert seen[0] is not seen[1]


def test_a_lost_answer_that_may_not_be_repeated_is_unknown(session: WindowSession, run: Any) -> None:
    """Without ``asks`` the person is told that nobody knows."""
    failures: list[Failure] = []

    async def request(_client: Any, _key: str) -> str:
        raise lost()

    async def scene() -> None:
        attach(session)
        await Operation(request, title="Write").failure(failures.append).run(session)

    run(scene())
    assert [failure.unknown for failure in failures] == [True]


def test_a_request_that_was_never_sent_is_no_riddle(session: WindowSession, run: Any) -> None:
    """Nobody listened: the change was certainly not made."""
    failures: list[Failure] = []

    async def request(_client: Any, _key: str) -> str:
        raise unsent()

    async def scene() -> None:
        attach(session)
        await Operation(request, title="Burn", asks=True).failure(failures.append).run(session)

    run(scene())
    assert [failure.unknown for failure in failures] == [False]


def test_a_refusal_is_told_with_its_request_id(session: WindowSession, run: Any) -> None:
    """Code, sentence and id reach the page."""
    failures: list[Failure] = []

    async def request(_client: Any, _key: str) -> str:
        raise ApiError("state_conflict", "It is another node's card.", "req_1", 409)

    async def scene() -> None:
        attach(session)
        await Operation(request, title="Write").failure(failures.append).run(session)

    run(scene())
    assert (failures[0].code, failures[0].request_id) == ("state_conflict", "req_1")


def test_what_changed_is_told_to_the_views(session: WindowSession, run: Any) -> None:
    """Kinds come from the reply; the initiator is named."""
    changes: list[Change] = []
    session.changed.connect(changes.append)
    initiator = object()

    async def request(_client: Any, _key: str) -> list[str]:
        return ["nodes"]

    async def scene() -> None:
        attach(session)
        await Operation(request, title="Register", changes=lambda reply: reply).run(session, initiator)

    run(scene())
    assert changes[0].kinds == frozenset({"nodes"})
    assert changes[0].initiator is initiator


def test_a_view_that_is_gone_is_not_called(session: WindowSession, run: Any) -> None:
    """Its page was left and deleted: the result is a toast."""
    told: list[str] = []
    toasts: list[str] = []
    session.toast.connect(lambda text, _kind, _reference: toasts.append(text))

    async def request(_client: Any, _key: str) -> str:
        return "done"

    async def scene() -> None:
        import shiboken6

        attach(session)
        view = QObject()
        task = Operation(request, title="Burn").success(told.append).run(session, view)
        shiboken6.delete(view)
        await task

    run(scene())
    assert told == []
    assert toasts == ["Burn: done"]


def test_nothing_is_sent_while_the_past_is_shown(session: WindowSession, run: Any) -> None:
    """However it was begun: the failure says how to go on, and the change is possible again in live."""
    sent: list[str] = []
    failures: list[Failure] = []

    async def request(_client: Any, _key: str) -> str:
        sent.append("sent")
        return "done"

    async def scene() -> list[str | None]:
        attach(session)
        session.shown_time.go_to(1_772_000_000.0)
        refused = await Operation(request, title="Grant").failure(failures.append).run(session)
        session.shown_time.go_live()
        return [refused, await Operation(request, title="Grant").run(session)]

    assert run(scene()) == [None, "done"]
    assert sent == ["sent"]
    assert [one.code for one in failures] == [PAST_SHOWN]
    assert "Press Esc for live" in failures[0].sentence


def test_a_refused_change_without_a_view_is_a_message(session: WindowSession, run: Any) -> None:
    """Nobody believes that it was done."""
    said: list[tuple[str, ...]] = []
    session.toast.connect(lambda *words: said.append(words))

    async def request(_client: Any, _key: str) -> None:
        raise AssertionError

    async def scene() -> None:
        attach(session)
        session.shown_time.go_to(1_772_000_000.0)
        await Operation(request, title="Grant").run(session)

    run(scene())
    assert [(words[0].startswith("Grant: nothing was sent."), words[1]) for words in said] == [(True, "warn")]


def test_what_was_begun_before_the_past_goes_on(session: WindowSession, run: Any, monkeypatch: Any) -> None:
    """A burn whose answer was lost is asked for, whatever the window shows meanwhile."""
    monkeypatch.setattr(operations, "FIRST_WAIT_S", 0.001)
    answers: list[Any] = [lost(), "burned"]

    async def request(_client: Any, _key: str) -> str:
        session.shown_time.go_to(1_772_000_000.0)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    async def scene() -> str | None:
        attach(session)
        return await Operation(request, title="Burn", asks=True).run(session)

    assert run(scene()) == "burned"
