"""The names of people, wherever the console shows the id of a node."""

from __future__ import annotations

from typing import Any

import pytest

from app.client import ApiError
from app.console.operations import Change
from app.console.session import WindowSession
from app.registry.messages.nodes import Node, NodePage
from tests.console.conftest import Run, until
from tests.console.dialogs import people

KNOWN, FAR, NOBODY = "ARC-T1", "ARC-T900", "ARC-T999"


class Registry:
    """A client that has two people on its first page and one behind it, and counts what is read."""

    def __init__(self) -> None:
        self.name = "Anna"
        self.pages = 0
        self.asked: list[str] = []

    async def registry_list_nodes(self, *, query: object) -> NodePage:
        """The first page."""
        del query
        self.pages += 1
        first = people(2)
        first[0].display_name = self.name
        return NodePage(items=first, next="more")

    async def registry_get_node(self, node_id: str) -> Node:
        """One person."""
        self.asked.append(node_id)
        if node_id != FAR:
            raise ApiError(404, "not_found", "There is no such node.")
        return people(1)[0]


@pytest.fixture
def registry() -> Any:
    """Fresh for each test."""
    return Registry()


def test_a_person_of_the_first_page_costs_one_call(session: WindowSession, registry: Any, run: Run) -> None:
    """Whoever asks, and however often."""

    async def work() -> None:
        session.attach(registry, "http://127.0.0.1:1", "citadel")
        assert [session.people.of(one) for one in (KNOWN, "ARC-T2", KNOWN)] == ["", "", ""]
        await until(lambda: session.people.of(KNOWN), "the name")
        assert session.people.of("ARC-T2") != ""
        assert (registry.pages, registry.asked) == (1, [])

    run(work())


def test_a_person_further_on_is_read_by_id(session: WindowSession, registry: Any, run: Run) -> None:
    """And who does not exist is asked for once."""

    async def work() -> None:
        session.attach(registry, "http://127.0.0.1:1", "citadel")
        for one in (NOBODY, FAR):
            session.people.of(one)
        await until(lambda: session.people.of(FAR), "the name")
        assert session.people.of(NOBODY) == ""
        assert registry.asked == [NOBODY, FAR]

    run(work())


def test_what_is_no_id_is_not_asked_for(session: WindowSession, registry: Any, run: Run) -> None:
    """A dash stands where nobody is meant."""

    async def work() -> None:
        session.attach(registry, "http://127.0.0.1:1", "citadel")
        assert session.people.of("–") == session.people.of(None) == session.people.of("") == ""
        assert registry.pages == 0

    run(work())


def test_a_desk_that_rests_names_nobody_else(session: WindowSession, registry: Any, run: Run) -> None:
    """Names that it has read before stay with it."""

    async def work() -> None:
        session.attach(registry, "http://127.0.0.1:1", "citadel")
        session.people.of(KNOWN)
        await until(lambda: session.people.of(KNOWN), "the name")
        session.resting = True
        assert session.people.of(KNOWN) == ""

    run(work())


def test_a_new_name_is_read_after_a_change(session: WindowSession, registry: Any, run: Run) -> None:
    """The old one stands until then."""

    async def work() -> None:
        session.attach(registry, "http://127.0.0.1:1", "citadel")
        session.people.of(KNOWN)
        await until(lambda: session.people.of(KNOWN) == "Anna", "the name")
        registry.name = "Anna Berg"
        session.changed.emit(Change(frozenset({"nodes"}), None, None))
        assert session.people.of(KNOWN) == "Anna"
        await until(lambda: session.people.of(KNOWN) == "Anna Berg", "the new name")

    run(work())
