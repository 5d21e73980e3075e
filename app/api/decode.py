"""Strict reading of what a caller sends: bodies, queries, paths. Every refusal names the place, never the value."""

from __future__ import annotations

import json
import re
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from urllib.parse import unquote_to_bytes

import msgspec

from app.api.problems import Problem
from app.api.wire import FieldError

PATH_SEGMENT = r"^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}\Z"
"""What a path parameter may be; nothing that does not fit can exist, so it is 404."""

QUERY_FIELDS_MAX = 32

LINES = frozenset({"ca", "certificate", "notes", "postal_address", "statement"})
"""Members whose texts may have several lines: certificates in PEM, notes for people, what a declarant states."""

FAULTS_MAX = 20
"""So many faults of a body are named in one refusal."""

OTHER_UNSEEN = (
    r"\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # as they are: ECMA-262 and Python escape them in different ways
)
_UNSEEN = re.compile(rf"[\x00-\x1f{OTHER_UNSEEN}]")
"""Control and format characters (Unicode Cc, Cf, Zl, Zp), which end lines in logs, move a terminal's cursor, or turn
the order of what a person reads. The two joiners, which names of several scripts are written with, are none of them."""
SEEN = rf"^[^\x00-\x1f{OTHER_UNSEEN}]*\Z"
"""A text of one line without unseen characters, as the document says it."""
SEEN_LINES = rf"^[^\x00-\x08\x0b\x0c\x0e-\x1f{OTHER_UNSEEN}]*\Z"
"""As ``SEEN``, of the members ``LINES``."""
_NO_SUCH_FIELD = "There is no such field: leave it out."
_REQUIRED = "This field is required."
_UNSEEN_WORDS = "a control or format character, which nobody could see: leave it out."
_ESCAPED = re.compile(rb"\\[bfnrtu]")

_BEGIN, _END = b"{}"

_SECRET_POINTER_MAX = 64
"""Characters: a longer name is no field of any body, but perhaps a value in the wrong place."""

_PATH_SEGMENT = re.compile(PATH_SEGMENT)
_AT = re.compile(r" - at `(?:key in )?\$([^`]*)`\Z")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")
_UNKNOWN = re.compile(r"unknown field `(.*)`\Z", re.DOTALL)
_MISSING = re.compile(r"missing required field `(.*)`\Z", re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"(\s*+:)?|[{}]', re.DOTALL)
"""Of well-formed JSON: its texts, with the colon behind those that are names, and where objects begin and end."""
_ESCAPES = str.maketrans({"~": "~0", "/": "~1"})


def field_error(error: msgspec.ValidationError, root: str = "") -> FieldError:
    """Where (JSON pointer) and what. msgspec repeats wrong enum values and those may be secrets: they are left out."""
    text = str(error)
    pointer = root
    at = _AT.search(text)
    if at is not None:
        text = text[: at.start()]
        for name, index in _STEP.findall(at.group(1)):
            # A key of a mapping is the caller's own text, which msgspec does not tell: the pointer ends at its holder.
            if not name and not index:
                break
            pointer += "/" + (name.translate(_ESCAPES) or index)
    for pattern, detail in ((_UNKNOWN, _NO_SUCH_FIELD), (_MISSING, _REQUIRED)):
        named = pattern.search(text)
        if named is not None:
            return FieldError(pointer=f"{pointer}/{named.group(1)[:100].translate(_ESCAPES)}", detail=detail)
    if text.startswith("Invalid "):
        text = "Not one of the allowed values"
    return FieldError(pointer=pointer, detail=text.replace("`", "") + ".")


def body(decoder: msgspec.json.Decoder[Any], raw: bytes) -> Any:
    """Decode a JSON body; 400 ``malformed_json`` if it is no JSON, 422 ``invalid_body`` if it is another shape or a
    text has control or format characters."""
    found = signed_body(decoder, raw)
    _refuse_unseen(raw, decoder.type)
    return found


def signed_body(decoder: msgspec.json.Decoder[Any], raw: bytes) -> Any:
    """As ``body``, of what another system signed: no text is refused for its characters, since that system cannot be
    told how to write, and what it tells must not be lost."""
    try:
        found = decoder.decode(raw)
    except msgspec.ValidationError as error:
        return _second_reading(decoder.type, raw, error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _malformed_json() from None
    _must_name_once(raw)
    return found


def _refuse_unseen(raw: bytes, shape: Any) -> None:
    """422 for texts with control or format characters, at their places. ``raw`` is well-formed JSON; the values of the
    members of ``shape``, a Struct, that may be anything at all are not looked at: nobody reads them."""
    if _ESCAPED.search(raw) is None and _UNSEEN.search(raw.decode()) is None:
        return
    ignored = {one.encode_name for one in msgspec.structs.fields(shape) if one.type is Any}
    wrong: list[FieldError] = []
    waiting: list[tuple[str, str, Any]] = [("", "", msgspec.json.decode(raw))]
    while waiting and len(wrong) < FAULTS_MAX:
        pointer, name, value = waiting.pop()
        if isinstance(value, dict):
            if any(_UNSEEN.search(key) for key in value):
                wrong.append(FieldError(pointer=pointer, detail=f"A name in it has {_UNSEEN_WORDS}"))
            waiting += [
                (f"{pointer}/{key[:100].translate(_ESCAPES)}", key, part)
                for key, part in value.items()
                if pointer or key not in ignored
            ]
        elif isinstance(value, list):
            waiting += [(f"{pointer}/{at}", name, part) for at, part in enumerate(value)]
        elif isinstance(value, str):
            for unseen in _UNSEEN.finditer(value):
                if name not in LINES or unseen.group() not in "\t\n\r":
                    wrong.append(FieldError(pointer=pointer, detail=f"The text has {_UNSEEN_WORDS}"))
                    break
    if wrong:
        raise Problem("invalid_body", "Correct the fields named in errors and send again.", errors=wrong)


def repeats_member(raw: bytes | memoryview) -> bool:
    """Whether an object in ``raw``, well-formed JSON, has a member twice. Two readers could each take another of the
    two, and msgspec takes the last without a word. Of a ``memoryview``, which may hold secrets, names alone are copied,
    never a value."""
    if not isinstance(raw, memoryview):
        # Seven times as quick, which counts for a roster of megabytes: the loop serves doors as well.
        try:
            json.loads(raw, object_pairs_hook=_name_once)
        except _NamedTwice:
            return True
        except (ValueError, RecursionError):
            pass  # deeper, or with longer numbers, than this reader takes
        else:
            return False
    return _repeats_unread(raw)


class _NamedTwice(Exception):
    """An object has a member twice."""


def _name_once(members: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in members}) < len(members):
        raise _NamedTwice


def _repeats_unread(raw: bytes | memoryview) -> bool:
    """As ``repeats_member``, token by token."""
    names: list[set[bytes] | None] = []
    for token in _TOKEN.finditer(raw):
        begin = token.start()
        if raw[begin] == _BEGIN:
            # Most objects of a body that somebody made deep on purpose have no names.
            names.append(None)
        elif raw[begin] == _END:
            names.pop()
        elif token.end(1) >= 0:
            name = bytes(raw[begin : token.start(1)])
            if b"\\" in name:
                name = msgspec.json.encode(msgspec.json.decode(name))
            mine = names[-1]
            if mine is None:
                names[-1] = {name}
            elif name in mine:
                return True
            else:
                mine.add(name)
    return False


def _must_name_once(raw: bytes | memoryview) -> None:
    if repeats_member(raw):
        raise Problem("malformed_json", "An object in the body has a member twice: leave one of them out.")


def secret_body(decoder: msgspec.json.Decoder[Any], raw: memoryview) -> Any:
    """As ``body``, of a body whose values must not be copied: nothing is read twice, and neither a field that nobody
    asked for nor what an unknown one is called is repeated."""
    try:
        found = decoder.decode(raw)
    except msgspec.ValidationError as error:
        wrong = field_error(error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _malformed_json() from None
    else:
        _must_name_once(raw)
        return found
    try:
        # As a whole and unread: only whether it is JSON at all.
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        raise _malformed_json() from None
    _must_name_once(raw)
    if len(wrong.pointer) > _SECRET_POINTER_MAX:
        wrong = FieldError(pointer="", detail=wrong.detail)
    raise Problem("invalid_body", "Correct the fields named in errors and send again.", errors=[wrong])


def _second_reading(shape: Any, raw: bytes, error: msgspec.ValidationError) -> Any:
    """What did not fit at first. It may be no JSON at all, since a wrong shape is found before the text's end; and it
    may write a whole number as ``84.0``, which JSON Schema calls an integer and msgspec does not. Every fault is named:
    msgspec stops at the first."""
    try:
        plain = _whole(msgspec.json.decode(raw))
        _must_name_once(raw)
        if "got `float`" in str(error):
            return msgspec.convert(plain, shape)
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _malformed_json() from None
    # What is refused for something that only its bytes tell has one fault.
    faults = _faults(shape, plain) or [field_error(error)]
    raise Problem("invalid_body", "Correct the fields named in errors and send again.", errors=faults) from None


def _faults(shape: Any, value: Any, pointer: str = "") -> list[FieldError]:
    """What keeps ``value`` from being of this shape, each fault at its place, ``FAULTS_MAX`` at most."""
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        inner, own = _inner(shape), field_error(error, pointer)
        found: list[FieldError] = []
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            found = _member_faults(inner, value, pointer)
        elif isinstance(value, list) and get_origin(inner) is list:
            # The length of the list is a fault of its own.
            found = [own] if own.pointer == pointer else []
            for at, part in enumerate(value):
                found += _faults(get_args(inner)[0], part, f"{pointer}/{at}")
                if len(found) >= FAULTS_MAX:
                    break
        return found[:FAULTS_MAX] or [own]
    return []


def _member_faults(shape: type[msgspec.Struct], members: dict[str, Any], pointer: str) -> list[FieldError]:
    """As ``_faults``, of an object: members that are wrong, missing, or none of its own."""
    found = []
    fields = {one.encode_name: one for one in msgspec.structs.fields(shape)}
    for name, field in fields.items():
        place = f"{pointer}/{name.translate(_ESCAPES)}"
        if name in members:
            found += _faults(field.type, members[name], place)
        elif field.required:
            found.append(FieldError(pointer=place, detail=_REQUIRED))
    if shape.__struct_config__.forbid_unknown_fields:
        found += [
            FieldError(pointer=f"{pointer}/{name[:100].translate(_ESCAPES)}", detail=_NO_SUCH_FIELD)
            for name in members
            if name not in fields
        ]
    return found


def _inner(shape: Any) -> Any:
    """The type under its bounds, and under the choice of being left out; of another choice the choice itself."""
    while True:
        kinds = [one for one in get_args(shape) if one is not type(None)]
        if get_origin(shape) is Annotated or (get_origin(shape) in (Union, UnionType) and len(kinds) == 1):
            shape = kinds[0]
        else:
            return shape


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return value


def _malformed_json() -> Problem:
    return Problem("malformed_json", "The body is not well-formed JSON in UTF-8: correct it.")


def query(shape: type[msgspec.Struct] | None, raw: bytes) -> Any:
    """Decode a query string; a repeated parameter is 400, an unknown one or a wrong value 422."""
    values: dict[str, str] = {}
    if raw:
        parts = raw.split(b"&")
        if len(parts) > QUERY_FIELDS_MAX:
            raise Problem("malformed_request", f"Send at most {QUERY_FIELDS_MAX} query parameters.")
        for part in parts:
            name_raw, _, value_raw = part.partition(b"=")
            try:
                name = unquote_to_bytes(name_raw.replace(b"+", b" ")).decode()
                value = unquote_to_bytes(value_raw.replace(b"+", b" ")).decode()
            except UnicodeDecodeError:
                raise Problem("malformed_request", "The query is not percent-encoded UTF-8.") from None
            if name in values:
                raise Problem("malformed_request", "Send each query parameter once.")
            if _UNSEEN.search(name + value) is not None:
                pointer = "/query" if _UNSEEN.search(name) else "/query/" + name[:100].translate(_ESCAPES)
                raise Problem(
                    "invalid_body",
                    "Correct the query parameters named in errors and send again.",
                    errors=[FieldError(pointer=pointer, detail=f"It has {_UNSEEN_WORDS}")],
                )
            values[name] = value
    if shape is None:
        if values:
            unknown = next(iter(values))
            raise Problem(
                "invalid_body",
                "This call takes no query parameters: leave them out.",
                errors=[FieldError(pointer="/query/" + unknown[:100].translate(_ESCAPES), detail="No such parameter.")],
            )
        return None
    try:
        found = msgspec.convert(values, shape, strict=False)
    except msgspec.ValidationError as error:
        wrong = field_error(error, "/query")
    else:
        # Loose conversion takes the word "null" for nothing; a parameter that is there has a value.
        nulls = [
            field.encode_name
            for field in msgspec.structs.fields(found)
            if field.encode_name in values and getattr(found, field.name) is None
        ]
        if not nulls:
            return found
        wrong = FieldError(pointer=f"/query/{nulls[0]}", detail="Not one of the allowed values.")
    raise Problem("invalid_body", "Correct the query parameters named in errors and send again.", errors=[wrong])


def path_values(segments: list[bytes], *, rest: bool = False, pattern: str = "") -> list[str] | None:
    """The path parameters as text; None if one cannot be an identifier. ``rest``: the last one may be several, joined
    by slashes, however those are written: the document knows no parameter of many segments. ``pattern``: what that one
    must be as a whole where it is no identifiers."""
    found = []
    for at, segment in enumerate(segments, 1):
        try:
            value = unquote_to_bytes(segment).decode() if b"%" in segment else segment.decode("ascii")
        except UnicodeDecodeError:
            return None
        last = rest and at == len(segments)
        if last and pattern:
            if re.fullmatch(pattern, value) is None:
                return None
            found.append(value)
            continue
        parts = value.split("/") if last else (value,)
        if any(_PATH_SEGMENT.match(part) is None for part in parts):
            return None
        found.append(value)
    return found
