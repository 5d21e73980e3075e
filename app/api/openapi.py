"""The OpenAPI 3.1 document, made from the operation table: what it promises is what the server checks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from app.api import decode
from app.api.guard import VERSION
from app.api.idempotency import KEY_PATTERN
from app.api.operation import Clearance, Endpoint
from app.api.problems import STATUS_OF
from app.api.roles import ANY_ROLE, Role
from app.api.wire import ProblemBody

Json = dict[str, Any]

_SEGMENT = Annotated[str, msgspec.Meta(pattern=decode.PATH_SEGMENT)]
_REF = "#/components/schemas/{name}"
_LOOSE = re.compile(r"(?<!\\)\$(?!\))\Z|\\[dwsDWS]")

_FORMED = frozenset({"enum", "const", "format", "contentEncoding"})
"""Keywords of a text that has a form of its own."""

_EVERY = ("malformed_request", "host_refused", "origin_refused", "invalid_body", "rate_limited", "head_too_large")
_EVERY_END = ("request_timeout", "internal_error", "dependency_unavailable")

_STATUS_TEXT = {
    200: "Done.",
    201: "Made.",
    202: "Accepted; the work goes on.",
    204: "Done; there is nothing to say.",
    304: "Not changed.",
    400: "Not well-formed.",
    401: "No valid key.",
    403: "Not allowed.",
    404: "No such thing.",
    408: "The request did not arrive in time.",
    409: "In conflict with the present state.",
    410: "No longer there.",
    413: "Too large.",
    415: "Not application/json.",
    421: "Not this service's address.",
    422: "Well-formed and wrong.",
    423: "The card is locked.",
    429: "Too many calls.",
    431: "The head is too large.",
    500: "Something failed here.",
    503: "Something that this call needs is not there now.",
}


def document(table: Sequence[Endpoint]) -> bytes:
    """The document of ``table`` as JSON."""
    return msgspec.json.encode(describe(table), order="deterministic")


def problem_codes(row: Endpoint) -> list[str]:
    """Every problem that ``row`` may answer, in order of status."""
    codes = {*_EVERY, *_EVERY_END, *row.problems}
    if row.clearance is not Clearance.OPEN or row.sender is not None:
        codes.add("unauthenticated")
    if row.clearance is Clearance.CITADEL or row.roles != ANY_ROLE:
        codes.add("insufficient_clearance")
    if "{" in row.path or _pages(row):
        codes.add("not_found")
    if row.request is not None:
        codes |= {"malformed_json", "body_too_large", "unsupported_media_type"}
    if row.body_type:
        codes |= {"body_too_large", "unsupported_media_type"}
    if row.takes_key:
        codes |= {"idempotency_key_reused", "request_in_progress", "gone"}
    return sorted(codes, key=lambda code: (STATUS_OF[code], code))


def _pages(row: Endpoint) -> bool:
    """Whether the caller may send a cursor, in the query or anywhere in the body."""
    types = [t for t in (row.request, row.query) if t is not None]
    return any("cursor" in schema.get("properties", ()) for schema in _components(types)[1].values())


def loose_patterns(table: Sequence[Endpoint]) -> list[str]:
    """Patterns of requests that Python reads otherwise than the document says: a final ``$`` lets a line break
    through, ``\\\\d``, ``\\\\w`` and ``\\\\s`` take every script's characters. Empty when all is well."""
    types = [t for row in table for t in (row.request, row.query) if t is not None]
    _, components = _components(types)
    found: list[str] = []

    def walk(name: str, schema: Any) -> None:
        if isinstance(schema, Mapping):
            pattern = schema.get("pattern")
            if isinstance(pattern, str) and _LOOSE.search(pattern):
                found.append(f"{name}: {pattern}")
            for part in schema.values():
                walk(name, part)
        elif isinstance(schema, list):
            for part in schema:
                walk(name, part)

    for name, schema in components.items():
        walk(name, schema)
    return found


def describe(table: Sequence[Endpoint]) -> Json:
    """The document of ``table`` as plain data."""
    types: list[type[msgspec.Struct]] = [ProblemBody]
    for row in table:
        types += [t for t in (row.request, row.query, row.response) if t is not None]
    references, components = _components(list(dict.fromkeys(types)))
    queries = {row.query for row in table if row.query is not None}
    parts = {shape: components[_name(references[shape])] for shape in queries}
    problem = components[_name(references[ProblemBody])]
    problem["properties"]["code"] = {"type": "string", "enum": sorted(STATUS_OF)}
    # A problem may hold further members (RFC 9457, 3.2).
    paths: dict[str, Json] = {}
    for row in table:
        # What may hold slashes is one parameter to the document; a client that encodes them is understood, too.
        paths.setdefault(row.path.replace("...}", "}"), {})[row.method.lower()] = _operation(
            row, table, references, parts
        )
    bodies = {t for row in table for t in (row.request, row.response) if t is not None}
    used = _reachable(components, [references[t] for t in (*bodies, ProblemBody)])
    # What another system signed is taken with every character.
    read = {row.request for row in table if row.request is not None and row.sender is None}
    for name in _reachable(components, [references[t] for t in read]):
        components[name] = _bar_unseen(components[name])
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Identity Verification and Access Control Service",
            "version": VERSION,
            "description": "Every refusal is application/problem+json (RFC 9457) with a code of a fixed vocabulary.",
        },
        "paths": paths,
        "components": {
            "schemas": {name: _ecma(schema) for name, schema in sorted(components.items()) if name in used},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "arc_(cit|sov|ses)_[0-9A-Za-z]{38}",
                    "description": "An API key of clearance Citadel or Sovereign, or that of an operator's session.",
                }
            },
            "headers": _HEADERS,
        },
    }


def _operation(
    row: Endpoint, table: Sequence[Endpoint], references: Mapping[Any, Json], queries: Mapping[Any, Json]
) -> Json:
    """One operation object of the document."""
    found: Json = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": [row.capability],
        "responses": _responses(row, references, _links(row, table)),
        "x-clearance": row.clearance.value,
        "x-roles": [role.value for role in Role if role in row.roles],
        "x-rate-class": row.rate.value,
    }
    if row.takes_key:
        # No parameter of the operation: generated values of a parameter repeat, and with another body that is an error.
        found["x-idempotency-key"] = {
            "header": "Idempotency-Key",
            "pattern": _ecma_pattern(KEY_PATTERN),
            "kept_hours": 24,
            "reply": row.idempotency.value,
            "description": "The same key and request within 24 h give the first reply; another request is 422.",
        }
    if row.clearance is not Clearance.OPEN:
        found["security"] = [{"key": []}]
    parameters = _parameters(row, queries)
    if parameters:
        found["parameters"] = parameters
    if row.request is not None:
        found["requestBody"] = {
            "required": not row.optional_body,
            "content": {"application/json": {"schema": references[row.request]}},
        }
    elif row.body_type:
        found["requestBody"] = {"required": True, "content": {row.body_type: {}}}
    return found


def _parameters(row: Endpoint, queries: Mapping[Any, Json]) -> list[Json]:
    """Path, query and header parameters of a row, in that order."""
    found: list[Json] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _ecma(msgspec.json.schema(row.path_types.get(name, _SEGMENT))),
        }
        for name in row.parameters
    ]
    if row.query is not None:
        shape = queries[row.query]
        required = set(shape.get("required", ()))
        for name, schema in shape.get("properties", {}).items():
            parameter: Json = {"name": name, "in": "query", "required": name in required}
            plain = _ecma(_bar_unseen(_never_null(schema), name))
            if "description" in plain:
                parameter["description"] = plain.pop("description")
            parameter["schema"] = plain
            found.append(parameter)
    for header in row.headers:
        if header.lower() == "authorization":
            # OpenAPI says it by the security scheme and lets parameters of this name be ignored.
            continue
        found.append({"name": header, "in": "header", "required": False, "schema": {"type": "string"}})
    return found


def _links(row: Endpoint, table: Sequence[Endpoint]) -> Json:
    """Where a success leads: calls on the same thing (the path goes on from this one's), and calls on what the reply
    names (its field has the name of their path parameter)."""
    if row.method == "DELETE":
        return {}
    fields = set() if row.response is None else {field.encode_name for field in msgspec.structs.fields(row.response)}
    found: Json = {}
    for other in table:
        names = other.parameters
        if other is row or not names:
            continue
        same = other.path == row.path or other.path.startswith(row.path + "/")
        sources = {}
        for name in names:
            if same and name in row.parameters:
                sources[name] = f"$request.path.{name}"
            elif name in fields and name != "id":
                sources[name] = f"$response.body#/{name}"
        if len(sources) == len(names):
            found[other.name] = {"operationId": other.name, "parameters": sources}
    return found


def _responses(row: Endpoint, references: Mapping[Any, Json], links: Json) -> Json:
    """Its success codes with their schemas, then every problem that it may answer, by status."""
    found: Json = {}
    for status in row.statuses:
        response: Json = {"description": _STATUS_TEXT.get(status, "Done."), "headers": _headers(row, status)}
        if status not in (204, 304):
            media_type = row.media_type.split(";")[0]
            schema: Json = {}
            if row.response is not None:
                schema = references[row.response]
            elif media_type.startswith("text/") or "openmetrics" in media_type:
                schema = {"type": "string"}
            response["content"] = {media_type: {"schema": schema} if schema else {}}
        if links:
            response["links"] = links
        found[str(status)] = response
    by_status: dict[int, list[str]] = {}
    for code in problem_codes(row):
        by_status.setdefault(STATUS_OF[code], []).append(code)
    for status, codes in by_status.items():
        found[str(status)] = {
            "description": f"{_STATUS_TEXT[status]} Codes: {', '.join(codes)}.",
            "headers": _headers(row, status),
            "content": {"application/problem+json": {"schema": references[ProblemBody]}},
        }
    return found


def _text_header(description: str, pattern: str | None = None) -> Json:
    schema: Json = {"type": "string"}
    if pattern is not None:
        schema["pattern"] = pattern
    return {"description": description, "required": True, "schema": schema}


_HEADERS: Json = {
    "Arc-Version": _text_header("Version of the interface.", f"^{re.escape(VERSION)}$"),
    "X-Request-Id": _text_header("Names this request in the reply, the log and the audit log.", "^req_[0-9a-f]{24}$"),
    "WWW-Authenticate": _text_header("How to authenticate."),
    "Retry-After": _text_header("Seconds to wait.", "^[0-9]{1,6}$"),
    "RateLimit": {**_text_header("What is left of this key's bucket."), "required": False},
    "RateLimit-Policy": {**_text_header("The bucket's size and window."), "required": False},
    "Idempotency-Replayed": {**_text_header("The reply is the first one, given again."), "required": False},
}


def _headers(row: Endpoint, status: int) -> Json:
    names = ["Arc-Version", "X-Request-Id"]
    if status == 401:
        names.append("WWW-Authenticate")
    if status in (429, 503):
        names.append("Retry-After")
    if status < 400 or status == 429:
        names += ["RateLimit", "RateLimit-Policy"]
    if row.takes_key:
        names.append("Idempotency-Replayed")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


# Schemas


def _components(types: Sequence[type[msgspec.Struct]]) -> tuple[dict[Any, Json], dict[str, Json]]:
    schemas, components = msgspec.json.schema_components(types, schema_hook=lambda _type: {}, ref_template=_REF)
    return dict(zip(types, schemas, strict=True)), dict(components)


def _name(reference: Json) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[1]


def _never_null(schema: Json) -> Json:
    """A parameter of a query is there or not; it cannot be null."""
    options = schema.get("anyOf")
    schema = {key: value for key, value in schema.items() if key != "default" or value is not None}
    if not isinstance(options, list):
        return schema
    options = [option for option in options if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**options[0], **rest} if len(options) == 1 else {**rest, "anyOf": options}


def _bar_unseen(schema: Json, name: str = "") -> Json:
    """The same schema, whose texts have no unseen characters, as ``decode`` reads them. ``name``: of the member that
    has this schema, or whose list has."""
    if schema.get("type") == "string":
        if "pattern" in schema:
            # A form that leaves out the control characters of ASCII leaves out the others, too.
            return {**schema, "pattern": schema["pattern"].replace(r"\x7f]", f"{decode.OTHER_UNSEEN}]")}
        return schema if _FORMED & schema.keys() else {**schema, "pattern": _seen_pattern(name)}
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {key: _bar_unseen(part, key) for key, part in schema["properties"].items()}
    if "anyOf" in schema:
        found["anyOf"] = [_bar_unseen(part, name) for part in schema["anyOf"]]
    if isinstance(schema.get("items"), Mapping):
        found["items"] = _bar_unseen(schema["items"], name)
    return found


def _seen_pattern(name: str) -> str:
    return decode.SEEN_LINES if name in decode.LINES else decode.SEEN


def _ecma_pattern(pattern: str) -> str:
    return pattern.replace(r"\Z", "$")


def _ecma(schema: Any) -> Any:
    """The same schema with patterns as ECMA-262 writes them, which is what JSON Schema asks for."""
    if isinstance(schema, Mapping):
        return {
            key: _ecma_pattern(value) if key == "pattern" and isinstance(value, str) else _ecma(value)
            for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [_ecma(part) for part in schema]
    return schema


def _reachable(components: Mapping[str, Json], roots: Sequence[Json]) -> set[str]:
    """Components that the document mentions: a query's struct is written out as parameters and named nowhere."""
    seen: set[str] = set()
    todo: list[Any] = list(roots)
    while todo:
        part = todo.pop()
        if isinstance(part, Mapping):
            reference = part.get("$ref")
            if isinstance(reference, str):
                name = reference.rsplit("/", 1)[1]
                if name not in seen:
                    seen.add(name)
                    todo.append(components[name])
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)
    # Parameters of queries may mention components of their own.
    return seen
