"""The accounts of the training directory: users and groups in one file, searched and patched as SCIM says (RFC 7644).

Every name in the file says TRAINING, and what is changed is durable before it is answered. A filter is one ``eq``
comparison; users and groups are patched, and neither made nor deleted.

Filters and patches are read by hand. scim2-models would bring pydantic, lark and an e-mail validator into the shipped
program (9 MB, 1.5 s of every start of the process) to replace a hundred lines, and the tests would lose it as the
independent judge of what is answered here.
"""

from __future__ import annotations

import copy
import re
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from app.site.private_files import write_private

BASE: Final = "/scim/v2"
FILE: Final = "training-directory.json"
URN: Final = "urn:ietf:params:scim:"
_USER: Final = f"{URN}schemas:core:2.0:User"
_GROUP: Final = f"{URN}schemas:core:2.0:Group"
_PATCH_OP: Final = f"{URN}api:messages:2.0:PatchOp"
_FILTER: Final = re.compile(r'\s*([A-Za-z.]{1,40})\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*', re.IGNORECASE)
_MEMBER: Final = re.compile(r'members\[\s*value\s+eq\s+("(?:[^"\\]|\\.)*")\s*\]', re.IGNORECASE)
_WRITABLE: Final = {"active": bool, "displayname": str, "externalid": str}

Resource = dict[str, Any]


@dataclass(frozen=True)
class Person:
    """A person who gets an account; ``external_id`` as in the registry."""

    external_id: str
    user_name: str
    display_name: str


class _AccountsFile(msgspec.Struct, kw_only=True):
    """The file. ``training`` comes first, so that it is not taken for a real directory's."""

    training: Literal["TRAINING"] = "TRAINING"
    token: str
    users: dict[str, Resource]
    groups: dict[str, Resource]


class ScimError(Exception):
    """A refusal (RFC 7644, 3.12)."""

    def __init__(self, status: HTTPStatus, detail: str, scim_type: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.scim_type = scim_type


class Accounts:
    """Users and groups. Safe on any thread; a change is durable when the call returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = msgspec.json.decode(path.read_bytes(), type=_AccountsFile)
        self._lock = threading.Lock()

    @property
    def token(self) -> str:
        """The bearer token that a caller must send."""
        return self._file.token

    def _of(self, kind: str) -> dict[str, Resource]:
        found = {"Users": self._file.users, "Groups": self._file.groups}.get(kind)
        if found is None:
            raise ScimError(HTTPStatus.NOT_FOUND, "There are Users and Groups here.")
        return found

    def one(self, kind: str, item_id: str) -> Resource:
        """One resource; 404."""
        with self._lock:
            return self._resource(kind, item_id)

    def _resource(self, kind: str, item_id: str) -> Resource:
        found = self._of(kind).get(item_id)
        if found is None:
            raise ScimError(HTTPStatus.NOT_FOUND, f"No resource {item_id} is in {kind}.")
        return found

    def search(self, kind: str, wanted: str | None) -> list[Resource]:
        """The resources that the filter ``wanted`` selects, by ascending id. 400 ``invalidFilter`` for a filter that is
        not understood: ignoring it would select everybody."""
        with self._lock:
            rows = [row for _, row in sorted(self._of(kind).items())]
        if wanted is None:
            return rows
        parts = _FILTER.fullmatch(wanted)
        if parts is None:
            raise ScimError(HTTPStatus.BAD_REQUEST, 'Filters here are one attribute eq "value".', "invalidFilter")
        attribute, value = parts[1].lower(), _literal(parts[2])
        return [row for row in rows if _bears(row, attribute, value)]

    def patch(self, kind: str, item_id: str, body: object, if_match: str | None) -> Resource:
        """Applies every operation, or none (RFC 7644, 3.5.2); durable when it returns."""
        operations = _operations(body)
        with self._lock:
            before = self._resource(kind, item_id)
            if if_match is not None and if_match not in ("*", before["meta"]["version"]):
                raise ScimError(HTTPStatus.PRECONDITION_FAILED, "It was changed meanwhile; read it again.")
            after: Resource = copy.deepcopy(before)
            for operation in operations:
                if kind == "Groups":
                    self._patch_group(after, *operation)
                else:
                    _patch_user(after, *operation)
            if after == before:
                return before
            number = int(re.sub(r"\D", "", before["meta"]["version"])) + 1
            after["meta"] = {**before["meta"], "version": f'W/"{number}"'}
            rows = {**self._of(kind), item_id: after}
            file = msgspec.structs.replace(self._file, **{kind.lower(): rows})
            write_private(self._path, msgspec.json.encode(file))
            self._file = file
            return after

    def _patch_group(self, group: Resource, op: str, path: str | None, value: object) -> None:
        """Applies one operation to a group: its members or its ``displayName``."""
        if path is None and isinstance(value, dict) and op != "remove":
            for name, one in value.items():
                self._patch_group(group, op, name, one)
            return
        named = None if path is None else _MEMBER.fullmatch(path)
        if op == "remove" and named is not None:
            gone = {_literal(named[1])}
        elif op == "remove" and path == "members" and value is None:
            gone = {member["value"] for member in group["members"]}
        elif path == "members":
            members = _members(value)
            if op != "remove" and (unknown := members - self._file.users.keys()):
                raise ScimError(HTTPStatus.BAD_REQUEST, f"No user {min(unknown)} is here.", "invalidValue")
            kept = set() if op == "replace" else {member["value"] for member in group["members"]}
            wanted = kept - members if op == "remove" else kept | members
            group["members"] = [{"value": one, "type": "User"} for one in sorted(wanted)]
            return
        elif path is not None and path.lower() == "displayname" and op != "remove" and isinstance(value, str):
            group["displayName"] = value
            return
        else:
            raise ScimError(HTTPStatus.BAD_REQUEST, "A group has members and displayName.", "invalidPath")
        group["members"] = [member for member in group["members"] if member["value"] not in gone]


def _patch_user(user: Resource, op: str, path: str | None, value: object) -> None:
    if path is None and isinstance(value, dict) and op != "remove":
        for name, one in value.items():
            _patch_user(user, op, name, one)
        return
    of = _WRITABLE.get((path or "").lower())
    if of is None or op == "remove":
        names = "active, displayName and externalId"
        raise ScimError(HTTPStatus.BAD_REQUEST, f"Of a user only {names} are changed here.", "mutability")
    if not isinstance(value, of):
        raise ScimError(HTTPStatus.BAD_REQUEST, f"{path} is no {of.__name__}.", "invalidValue")
    user[next(name for name in user if name.lower() == (path or "").lower())] = value


def _operations(body: object) -> list[tuple[str, str | None, object]]:
    """The operations of a PatchOp as (op, path, value); 400 for any other body."""
    shape = ScimError(HTTPStatus.BAD_REQUEST, f"Send a {_PATCH_OP} with Operations.", "invalidSyntax")
    if not isinstance(body, dict) or body.get("schemas") != [_PATCH_OP] or not isinstance(body.get("Operations"), list):
        raise shape
    found = []
    for one in body["Operations"]:
        if not isinstance(one, dict) or not isinstance(one.get("op"), str):
            raise shape
        op, path = one["op"].lower(), one.get("path")
        if op not in ("add", "replace", "remove") or not (path is None or isinstance(path, str)):
            raise shape
        found.append((op, path, one.get("value")))
    return found


def _members(value: object) -> set[str]:
    rows = value if isinstance(value, list) else [value]
    found = {row.get("value") for row in rows if isinstance(row, dict)}
    if len(found) != len(rows) or not all(isinstance(one, str) for one in found):
        raise ScimError(HTTPStatus.BAD_REQUEST, "members is a list of objects with value.", "invalidValue")
    return {str(one) for one in found}


def _literal(text: str) -> object:
    try:
        return msgspec.json.decode(text if text.startswith('"') else text.lower())
    except msgspec.DecodeError:
        raise ScimError(HTTPStatus.BAD_REQUEST, "A value of a filter is written as in JSON.", "invalidFilter") from None


def _bears(row: Resource, attribute: str, value: object) -> bool:
    """Whether the attribute has this value. ``userName`` and ``displayName`` are compared without regard to case, ids
    and ``externalId`` exactly (RFC 7643)."""
    if attribute == "members.value":
        return any(member["value"] == value for member in row.get("members", ()))
    found = next((row[name] for name in row if name.lower() == attribute), None)
    if attribute in ("username", "displayname") and isinstance(found, str) and isinstance(value, str):
        return found.casefold() == value.casefold()
    return found == value and type(found) is type(value)


def first_accounts(people: Sequence[Person]) -> bytes:
    """The file of a new directory: every account active, in one group or two."""

    def meta(kind: str, item_id: str) -> dict[str, str]:
        return {"resourceType": kind, "version": 'W/"1"', "location": f"{BASE}/{kind}s/{item_id}"}

    users: dict[str, Resource] = {}
    for number, person in enumerate(people, 1):
        item_id = f"training-user-{number:02}"
        users[item_id] = {
            "schemas": [_USER],
            "id": item_id,
            "externalId": person.external_id,
            "userName": person.user_name,
            "displayName": person.display_name,
            "active": True,
            "meta": meta("User", item_id),
        }
    groups: dict[str, Resource] = {}
    for item_id, name, members in (
        ("training-group-1", "TRAINING staff", list(users)),
        ("training-group-2", "TRAINING administrators", list(users)[::2]),
    ):
        groups[item_id] = {
            "schemas": [_GROUP],
            "id": item_id,
            "displayName": name,
            "members": [{"value": one, "type": "User"} for one in members],
            "meta": meta("Group", item_id),
        }
    return msgspec.json.encode(_AccountsFile(token=secrets.token_urlsafe(32), users=users, groups=groups))
