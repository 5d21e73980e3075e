"""Writes ``app/client/calls.py``, the client's typed methods, from the operation table.

``python -m app.api.client_writer [module:attribute] [file]``; the table is ``app.service.assembly:TABLE`` unless
named. Needs ruff, which lays the text out. The file is checked in, and a test compares it with what this writes.
"""

from __future__ import annotations

import importlib
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.api.operation import Endpoint
from app.api.roles import ANY_ROLE, Role
from app.program import executable

DEFAULT_TABLE = "app.service.assembly:TABLE"
TARGET = Path(__file__).parent.parent / "client" / "calls.py"
STREAM = "text/event-stream"

_HEAD = '''"""Calls of the API, one method for each row of the operation table.

Generated: change the rows, then run ``python -m app.api.client_writer``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec
'''

_BASE = '''
if TYPE_CHECKING:
    from app.client.events import ServerEvent


class Calls(ABC):
    """What a client can call; ``app.client.Client`` carries the requests."""

    @abstractmethod
    async def _call(
        self,
        method: str,
        path: str,
        reply: Any,
        *,
        body: msgspec.Struct | None = None,
        content: bytes | None = None,
        content_type: str = "application/json",
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """One request and its decoded reply."""

    @abstractmethod
    def _events(
        self,
        path: str,
        *,
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> AsyncIterator[ServerEvent]:
        """One stream of events."""
'''


def write(table: Sequence[Endpoint]) -> str:
    """The module's text. ValueError if a row's messages come from a module that holds more than messages."""
    imports: dict[str, set[str]] = {}
    # A body that is no JSON and changes nothing comes from programs of others, which speak a protocol of their own.
    spoken = [row for row in table if not row.body_type or row.body_changes]
    methods = [_method(row, imports) for row in sorted(spoken, key=lambda row: row.name)]
    imports["app.api.roles"] = {"ADMIN", "ANY_ROLE", "AUDITOR", "BADGE", "DESK", "MANAGER", "Roles"}
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    text = "\n".join([_HEAD, *lines, _BASE, *methods, *_roles(spoken)])
    laid_out = subprocess.run(
        [executable(), "-m", "ruff", "format", "--config", "line-length=120", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return laid_out.stdout


def _roles(rows: Sequence[Endpoint]) -> list[str]:
    """The text of the table that says who may make each call."""
    lines = []
    for row in sorted(rows, key=lambda row: row.name):
        roles = "ANY_ROLE" if row.roles == ANY_ROLE else " | ".join(one.name for one in Role if one in row.roles)
        lines.append(f'    "{method_name(row)}": {roles},')
    said = '"""Operators that may make each call, by the name of its method."""'
    return ["CALL_ROLES: Final[Mapping[str, Roles]] = {", *lines, "}", said]


def method_name(row: Endpoint) -> str:
    """``keys.create`` is ``keys_create``."""
    name = row.name.replace(".", "_").replace("-", "_")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{row.name} makes no method name")
    return name


def _message(row: Endpoint, shape: type[msgspec.Struct], imports: dict[str, set[str]]) -> str:
    module = shape.__module__
    of_messages = any(part.endswith("messages") for part in module.split("."))
    if not (of_messages or module == "app.api.wire") or "<" in shape.__qualname__:
        raise ValueError(f"{row.name}: {shape.__qualname__} is not in a module of messages")
    imports.setdefault(module, set()).add(shape.__name__)
    return shape.__name__


def _method(row: Endpoint, imports: dict[str, set[str]]) -> str:
    """The text of one row's method: its signature, docstring and call."""
    positional = ["self"]
    options: list[str] = []
    given: list[str] = []
    path = ""
    for part in row.path[1:].split("/"):
        if part.startswith("{"):
            name = part[1:-1].removesuffix("...")
            positional.append(f"{name}: str")
            path += f"/{{quote({name}, safe='{'/' if part.endswith('...}') else ''}')}}"
        else:
            path += "/" + part
    written = f'f"{path}"' if "{" in path else f'"{path}"'
    if row.request is not None:
        shape = _message(row, row.request, imports)
        positional.append(f"body: {shape} | None = None" if row.optional_body else f"body: {shape}")
        given.append("body=body")
    if row.body_type:
        positional.append("content: bytes")
        given += ["content=content", f'content_type="{row.body_type}"']
    if row.query is not None:
        shape = _message(row, row.query, imports)
        # A query that cannot be left out has fields without a default.
        needed = any(field.required for field in msgspec.structs.fields(row.query))
        options.append(f"query: {shape}" if needed else f"query: {shape} | None = None")
        given.append("query=query")
    named = [*row.headers, *(("Idempotency-Key",) if row.method == "POST" else ())]
    # The client sends the key by itself.
    headers = {name: name.lower().replace("-", "_") for name in named if name.lower() != "authorization"}
    options += [f"{argument}: str | None = None" for argument in headers.values()]
    if headers:
        given.append("headers={" + ", ".join(f'"{name}": {argument}' for name, argument in headers.items()) + "}")
    signature = ", ".join([*positional, *(["*", *options] if options else [])])
    said = f"{row.summary.rstrip('.')}. {row.method} ``{row.path}``."
    doc = "\n        ".join(textwrap.wrap(f'"""{said}', 108, break_long_words=False, break_on_hyphens=False)) + '"""'
    if row.media_type == STREAM:
        return (
            f"    def {method_name(row)}({signature}) -> AsyncIterator[ServerEvent]:\n"
            f"        {doc}\n        return self._events({', '.join([written, *given])})\n"
        )
    if row.response is not None:
        result = _message(row, row.response, imports)
    else:
        result = "None" if set(row.statuses) == {204} else "bytes"
    call = f"await self._call({', '.join([repr(row.method), written, result, *given])})"
    work = f"        {call}\n" if result == "None" else f"        found: {result} = {call}\n        return found\n"
    return f"    async def {method_name(row)}({signature}) -> {result}:\n        {doc}\n{work}"


def main(arguments: Sequence[str]) -> int:
    """Write the file; the process's exit code."""
    module, _, attribute = (arguments[0] if arguments else DEFAULT_TABLE).partition(":")
    table: Sequence[Endpoint] = getattr(importlib.import_module(module), attribute)
    target = Path(arguments[1]) if len(arguments) > 1 else TARGET
    target.write_text(write(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
