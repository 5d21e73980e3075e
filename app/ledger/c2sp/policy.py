"""C2SP tlog-policy files: which logs and witnesses a reader believes.

A policy lists logs, witnesses, groups of witnesses, and the quorum. A checkpoint is good when one of the logs signed it
and enough witnesses cosigned it. Two keys of one witness are two witness lines in a group of ``any``, so that they
count once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.ledger.c2sp.cosignature import CosignerKey, parse_vkey
from app.ledger.c2sp.note import Note, NoteError, Verifier, parse_checkpoint

POLICY_LIMIT: Final = 262_144
"""Bytes of the longest policy that is parsed at all."""
_ROWS: Final = 256
"""Most lines of each kind (logs, witnesses, groups): eight times what the standard demands of an implementation."""
NO_QUORUM: Final = "none"


class PolicyError(ValueError):
    """The file is no policy; the sentence names the line."""


@dataclass(frozen=True)
class LogRow:
    """A log whose checkpoints count. Its key's name is its origin."""

    key: Verifier | CosignerKey
    url: str | None = None


@dataclass(frozen=True)
class WitnessRow:
    """A witness key under its name in the policy."""

    name: str
    key: CosignerKey
    url: str | None = None


@dataclass(frozen=True)
class GroupRow:
    """Met when ``threshold`` of its members are."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class WitnessPolicy:
    """A parsed policy. ``quorum`` is the name of a witness or group, or ``none``."""

    logs: tuple[LogRow, ...]
    witnesses: tuple[WitnessRow, ...]
    groups: tuple[GroupRow, ...]
    quorum: str

    def check(self, note: Note) -> int:
        """When the quorum was met, Unix seconds (0 for ``quorum none``); ``NoteError`` unless one of the logs signed
        ``note`` and the witnesses suffice."""
        self.check_log(note)
        met_at = self.met_at(self.times(note))
        if met_at is None:
            raise NoteError("too few of the policy's witnesses have cosigned the checkpoint")
        return met_at

    def check_log(self, note: Note) -> None:
        """``NoteError`` unless a log of the policy signed the checkpoint under its own origin, and no line of
        its keys is wrong."""
        origin = parse_checkpoint(note.text).origin
        keys = [row.key for row in self.logs if row.key.name == origin]
        if not keys:
            raise NoteError(f"the policy names no log {origin}")
        signed = {(line.name, line.key_id) for line in note.signatures}
        own = [key for key in keys if (key.name, key.key_id) in signed]
        if not own:
            raise NoteError(f"the note is not signed by {origin}")
        for key in own:
            if isinstance(key, Verifier):
                key.verify(note)
            else:
                key.time_of(note)

    def check_form(self, note: Note) -> None:
        """``NoteError`` unless the signature lines are those that a frozen note has, in its order: the log's, then the
        witnesses' in the policy's order, no key twice, nobody else. A signature proves nothing about the lines beside
        it, and the same checkpoint would have many consensus seals.

        A policy need not name every key: beside each line of a named one may stand another of the same name, of the
        other kind of key or of the log's next pair. Not so for a witness of which the policy names both kinds."""
        origin = parse_checkpoint(note.text).origin
        places = {(row.key.name, row.key.key_id): 0 for row in self.logs if row.key.name == origin}
        places |= {(row.key.name, row.key.key_id): at for at, row in enumerate(self.witnesses, 1)}
        known = Counter(line.name for line in note.signatures if (line.name, line.key_id) in places)
        pinned = Counter(row.key.name for row in self.witnesses)
        room = {name: 0 if pinned[name] > 1 else count for name, count in known.items()}
        of_name = {name: place for (name, _), place in places.items()}
        last, seen = 0, set()
        for line in note.signatures:
            key = (line.name, line.key_id)
            if key not in places:
                room[line.name] = room.get(line.name, 0) - 1
                if room[line.name] < 0:
                    raise NoteError(f"the note has a signature line of nobody in the policy ({line.name})")
            place = places.get(key, of_name[line.name])
            if key in seen or place < last:
                raise NoteError("the note's signature lines are not in their order, or one is there twice")
            seen.add(key)
            last = place

    def times(self, note: Note) -> dict[str, int]:
        """When each witness of the policy cosigned ``note``, Unix seconds, by its name in the policy. ``NoteError``
        where a line of one of its keys is wrong, as signed-note demands."""
        signed = {(line.name, line.key_id) for line in note.signatures}
        return {row.name: row.key.time_of(note) for row in self.witnesses if (row.key.name, row.key.key_id) in signed}

    def met_at(self, times: Mapping[str, int]) -> int | None:
        """The least time T at which the cosignatures up to T meet the quorum; ``None`` if all of them do not."""
        if self.quorum == NO_QUORUM:
            return 0
        met: dict[str, int] = dict(times)
        # A group stands after its members, so one pass in the file's order is enough.
        for group in self.groups:
            own = sorted(met[name] for name in group.members if name in met)
            if len(own) >= group.threshold:
                met[group.name] = own[group.threshold - 1]
        return met.get(self.quorum)

    def text(self) -> str:
        """The policy as a file."""
        lines = [f"log {row.key.vkey}{f' {row.url}' if row.url else ''}" for row in self.logs]
        lines += [f"witness {row.name} {row.key.vkey}{f' {row.url}' if row.url else ''}" for row in self.witnesses]
        lines += [f"group {row.name} {_threshold(row)} {' '.join(row.members)}" for row in self.groups]
        lines.append(f"quorum {self.quorum}")
        return "\n".join(lines) + "\n"


def parse_policy(data: bytes) -> WitnessPolicy:
    """Parse a policy's file; ``PolicyError`` names the line that does not fit."""
    return _Reader().read(data)


class _Reader:
    """Reads a policy line by line; a name must be defined before the line that uses it."""

    def __init__(self) -> None:
        self.logs: list[LogRow] = []
        self.witnesses: list[WitnessRow] = []
        self.groups: list[GroupRow] = []
        self.quorum: str | None = None
        self._names: set[str] = set()
        self._grouped: set[str] = set()
        self._log_keys: set[tuple[int, bytes]] = set()
        self._witness_keys: set[tuple[int, bytes]] = set()

    def read(self, data: bytes) -> WitnessPolicy:
        if len(data) > POLICY_LIMIT:
            raise PolicyError("The policy is too long.")
        if any((byte < 0x20 and byte not in b"\t\n") or byte == 0x7F for byte in data):
            raise PolicyError("The policy has control characters.")
        if data and not data.endswith(b"\n"):
            raise PolicyError("The policy does not end in a newline.")
        # Octets above 0x7F are opaque to the standard: they must come back as they were.
        for number, line in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), 1):
            words = line.replace("\t", " ").split(" ")
            words = [word for word in words if word]
            if not words or words[0].startswith("#"):
                continue
            try:
                self._take(words)
            except (PolicyError, NoteError) as error:
                raise PolicyError(f"Line {number} of the policy: {str(error).rstrip('.')}.") from None
        if self.quorum is None:
            raise PolicyError("The policy has no quorum line.")
        return WitnessPolicy(tuple(self.logs), tuple(self.witnesses), tuple(self.groups), self.quorum)

    def _take(self, words: list[str]) -> None:
        """One line that is neither empty nor a comment."""
        match words:
            case ["log", vkey, *url] if len(url) <= 1:
                self._log(vkey, url[0] if url else None)
            case ["witness", name, vkey, *url] if len(url) <= 1:
                self._witness(name, vkey, url[0] if url else None)
            case ["group", name, threshold, *members] if members:
                self._group(name, threshold, members)
            case ["quorum", name]:
                if self.quorum is not None:
                    raise PolicyError("there is a second quorum line.")
                if name != NO_QUORUM and name not in self._names:
                    raise PolicyError("the quorum's name is not defined before it.")
                self.quorum = name
            case _:
                raise PolicyError("no log, witness, group or quorum line.")

    def _log(self, vkey: str, url: str | None) -> None:
        key = parse_vkey(vkey)
        _once(self._log_keys, _public(key))
        if len(self.logs) == _ROWS:
            raise PolicyError("too many logs.")
        self.logs.append(LogRow(key, url))

    def _witness(self, name: str, vkey: str, url: str | None) -> None:
        key = parse_vkey(vkey)
        if isinstance(key, Verifier):
            raise PolicyError("a witness needs a cosignature key (type 0x04 or 0x06).")
        _once(self._witness_keys, _public(key))
        self._define(name, len(self.witnesses))
        self.witnesses.append(WitnessRow(name, key, url))

    def _group(self, name: str, threshold: str, members: list[str]) -> None:
        """A group line: its members exist and belong to no other group."""
        for member in members:
            if member not in self._names:
                raise PolicyError("a group's member is not defined before it.")
            if member in self._grouped:
                raise PolicyError("a name is the member of two groups, or twice of one.")
            self._grouped.add(member)
        count = len(members)
        if threshold in ("any", "all"):
            needed = 1 if threshold == "any" else count
        elif threshold.isascii() and threshold.isdigit() and len(threshold) <= 3 and threshold[0] != "0":
            needed = int(threshold)
        else:
            raise PolicyError("a group's threshold is any, all or a number.")
        if not 1 <= needed <= count:
            raise PolicyError("a group's threshold is beyond its members.")
        self._define(name, len(self.groups))
        self.groups.append(GroupRow(name, needed, tuple(members)))

    def _define(self, name: str, rows: int) -> None:
        if name == NO_QUORUM or name in self._names:
            raise PolicyError("a name is defined twice, or is none.")
        if rows == _ROWS:
            raise PolicyError("too many lines of one kind.")
        self._names.add(name)


def _public(key: Verifier | CosignerKey) -> tuple[int, bytes]:
    # Types 0x01 and 0x04 are both Ed25519: the same key under both types is a duplicate.
    if isinstance(key, Verifier):
        return 32, key.key.public_bytes_raw()
    return len(key.public), key.public


def _once(seen: set[tuple[int, bytes]], key: tuple[int, bytes]) -> None:
    if key in seen:
        raise PolicyError("the same public key stands in two lines.")
    seen.add(key)


def _threshold(row: GroupRow) -> str:
    if row.threshold == len(row.members):
        return "all"
    return "any" if row.threshold == 1 else str(row.threshold)
