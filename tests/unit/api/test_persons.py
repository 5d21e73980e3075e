"""The names of operators among actors of every kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, create_engine, insert

from app.api.persons import name_and_id, names_of
from app.api.tables import operator
from app.store.tables import metadata


@pytest.fixture
def connection() -> Iterator[Connection]:
    """Two operators."""
    engine = create_engine("sqlite+pysqlite://")
    with engine.connect() as made:
        metadata.create_all(made, tables=[operator])
        for number in (1, 2):
            words = dict.fromkeys(("roles", "methods", "state", "tags", "search"), "x")
            made.execute(
                insert(operator).values(
                    operator_id=f"op_{number}", display_name=f"Name {number}", created_us=1, changed_us=1, **words
                )
            )
        yield made


def test_operators_have_names_and_others_none(connection: Connection) -> None:
    """Keys, sources, commands, nobody, and an operator that there is not."""
    actors = ["op_2", "key_1", None, "op_2", "service", "op_9", "hr:source"]
    assert names_of(connection, actors) == {"op_2": "Name 2"}
    assert names_of(connection, ["op_1", "op_2"]) == {"op_1": "Name 1", "op_2": "Name 2"}


def test_on_paper_an_operator_has_name_and_id() -> None:
    """Two operators may have one name; what is no operator is its id."""
    assert name_and_id("op_1", {"op_1": "Name 1"}) == "Name 1 (op_1)"
    assert name_and_id("key_1", {"op_1": "Name 1"}) == "key_1"


def test_without_operators_nothing_is_read() -> None:
    """The most common page names keys alone: it costs no query."""
    assert names_of(None, ["key_1", None, "service"]) == {}  # type: ignore[arg-type]
