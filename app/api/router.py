"""Exact routing of the operation table: literal segments win over parameters; nothing is redirected or guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

RowT = TypeVar("RowT")


@dataclass
class _Node(Generic[RowT]):
    literals: dict[bytes, _Node[RowT]] = field(default_factory=dict)
    parameter: _Node[RowT] | None = None
    rest: dict[str, RowT] = field(default_factory=dict)
    """Rows whose last parameter takes all that follows."""
    rows: dict[str, RowT] = field(default_factory=dict)


class Router(Generic[RowT]):
    """Finds the rows of a raw (still percent-encoded) path. ``add`` refuses two rows for one method and path."""

    def __init__(self) -> None:
        self._root: _Node[RowT] = _Node()
        self._plain: dict[bytes, dict[str, RowT]] = {}

    def add(self, method: str, path: str, row: RowT) -> None:
        """Serve ``path`` (``/v1/keys/{kid}``) by ``row``. A last ``{name...}`` takes one segment or more."""
        if not path.startswith("/") or path.endswith("/"):
            raise ValueError(f"a path begins with a slash and does not end in one: {path}")
        node = self._root
        parameters = False
        segments = path[1:].split("/")
        takes_rest = segments[-1].endswith("...}")
        for segment in segments[:-1] if takes_rest else segments:
            if segment.startswith("{") and segment.endswith("}"):
                parameters = True
                if node.parameter is None:
                    node.parameter = _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment.encode("ascii"), _Node())
        rows = node.rest if takes_rest else node.rows
        if method in rows:
            raise ValueError(f"declared twice: {method} {path}")
        rows[method] = row
        if not parameters and not takes_rest:
            self._plain[path.encode("ascii")] = rows

    def find(self, raw_path: bytes) -> tuple[dict[str, RowT], list[bytes]] | None:
        """The rows of a path by method, and the segments that stand for parameters; None if there is no such path."""
        rows = self._plain.get(raw_path)
        if rows is not None:
            return rows, []
        return self._walk(self._root, raw_path[1:].split(b"/"), 0, [])

    def _walk(
        self, node: _Node[RowT], segments: Sequence[bytes], at: int, taken: list[bytes]
    ) -> tuple[dict[str, RowT], list[bytes]] | None:
        """Try the literal segment first, then the parameter, then the rest of the path."""
        # The depth of this recursion is bounded by the table's deepest path, not by the caller's.
        if at == len(segments):
            return (node.rows, taken) if node.rows else None
        literal = node.literals.get(segments[at])
        if literal is not None:
            found = self._walk(literal, segments, at + 1, taken)
            if found is not None:
                return found
        if node.parameter is not None and segments[at]:
            found = self._walk(node.parameter, segments, at + 1, [*taken, segments[at]])
            if found is not None:
                return found
        if node.rest and all(segments[at:]):
            return node.rest, [*taken, b"/".join(segments[at:])]
        return None
