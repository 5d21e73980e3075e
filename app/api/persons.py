"""The names of operators, where an actor is shown to people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from app.api.operator_id import is_operator
from app.api.tables import operator


def names_of(connection: Connection, actors: Iterable[str | None]) -> Mapping[str, str]:
    """The present name of each operator among these actors. Keys, sources and commands have none. A name is read when
    it is shown: what is stored and signed has the id alone, so that an erasure takes the name everywhere."""
    ids = sorted({actor for actor in actors if actor is not None and is_operator(actor)})
    if not ids:
        return {}
    rows = connection.execute(
        select(operator.c.operator_id, operator.c.display_name).where(operator.c.operator_id.in_(ids))
    )
    return {row.operator_id: row.display_name for row in rows}


def name_and_id(actor: str, names: Mapping[str, str]) -> str:
    """An actor on paper: an operator by name and id, as two may have one name; anybody else by the id."""
    return f"{names[actor]} ({actor})" if actor in names else actor
