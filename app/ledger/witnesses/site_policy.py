"""The site's own policy: which witnesses must cosign its two logs (C2SP tlog-policy, a file in the data directory).

The first start writes it: two of the three local witnesses, each with either of its keys. From then on the file belongs
to the operator: the witnesses that it names are asked, and a seal needs the quorum that it demands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from app.ledger.c2sp.cosignature import CosignerKey
from app.ledger.c2sp.policy import (
    NO_QUORUM,
    POLICY_LIMIT,
    GroupRow,
    LogRow,
    PolicyError,
    WitnessPolicy,
    WitnessRow,
    parse_policy,
)
from app.ledger.log.keys import LogKey, LogRing
from app.site.private_files import write_private

_ENOUGH: Final = 2
_KINDS: Final = {0x04: "ed25519", 0x06: "mldsa44"}
_QUORUM: Final = "witnesses"


def read_policy(path: Path, logs: Sequence[LogKey]) -> WitnessPolicy | None:
    """The policy at ``path``; ``None`` if there is none yet. ``PolicyError``, with a sentence for people, if it cannot
    be used for the logs with the keys ``logs``."""
    try:
        if path.stat().st_size > POLICY_LIMIT:
            raise PolicyError(f"{path} is too long for a policy.")
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror}. Make it readable for the service.") from error
    try:
        policy = parse_policy(data)
    except PolicyError as error:
        raise PolicyError(f"{path}: {error} Correct it and start the service again.") from None
    if policy.quorum == NO_QUORUM:
        raise PolicyError(f"{path} has the quorum none: a seal that nobody witnessed proves nothing. Name a quorum.")
    named = {row.key.vkey for row in policy.logs}
    for origin in dict.fromkeys(key.name for key in logs):
        if not any(key.vkey in named for key in logs if key.name == origin):
            raise PolicyError(f"{path} does not name this site's log {origin}: add its log lines (GET /v1/log/policy).")
    return policy


def counted_twice(policy: WitnessPolicy) -> tuple[str, str] | None:
    """A witness and a group that counts each of the witness's keys as a member of its own: then one witness could be a
    quorum of two. ``None`` if there is none. A group that needs one member, or all of them, counts nobody twice."""
    names = {row.name: row.key.name for row in policy.witnesses}
    for group in policy.groups:
        members = [names[member] for member in group.members if member in names]
        if 1 < group.threshold < len(group.members):
            for name in members:
                if members.count(name) > 1:
                    return name, group.name
    return None


def follow_keys(path: Path, rings: Sequence[LogRing]) -> None:
    """Add to the policy at ``path`` the keys that replaced those which it names, each behind the one of its kind. The
    earlier keys stay: proofs of their time need them. Alone they are worth nothing, because every proof needs witnesses
    too, and these no longer accept the earlier keys. ``PolicyError`` if the file cannot be read or written."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror}. Make it readable for the service.") from error
    lines = text.split("\n")
    named = {words[1]: at for at, line in enumerate(lines) if (words := line.split())[:1] == ["log"] and words[1:]}
    added: dict[int, list[str]] = {}
    for ring in rings:
        for kind in range(2):
            vkeys = [pair.keys[kind].vkey for pair in ring.pairs if len(pair.keys) > kind]
            at = next((named[vkey] for vkey in reversed(vkeys) if vkey in named), None)
            if at is not None:
                known = max(number for number, vkey in enumerate(vkeys) if vkey in named)
                added[at] = [f"log {vkey}" for vkey in vkeys[known + 1 :]]
    if any(added.values()):
        after = [one for at, line in enumerate(lines) for one in (line, *added.get(at, ()))]
        try:
            write_private(path, "\n".join(after).encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise PolicyError(
                f"{path} cannot be written: {error.strerror}. Make room and start the service again."
            ) from error


def make_policy(path: Path, logs: Sequence[LogKey], witnesses: Mapping[str, Sequence[CosignerKey]]) -> WitnessPolicy:
    """Write the default policy: two of ``witnesses`` (keys by short name), each by any of its keys."""
    rows = [WitnessRow(f"{name}-{_KINDS[key.kind]}", key) for name, keys in sorted(witnesses.items()) for key in keys]
    groups = [
        GroupRow(name, 1, tuple(f"{name}-{_KINDS[key.kind]}" for key in keys))
        for name, keys in sorted(witnesses.items())
    ]
    groups.append(GroupRow(_QUORUM, min(_ENOUGH, len(witnesses)), tuple(sorted(witnesses))))
    policy = WitnessPolicy(tuple(LogRow(key) for key in logs), tuple(rows), tuple(groups), _QUORUM)
    text = (
        "# Whose cosignatures this site's logs need (C2SP tlog-policy). The witnesses without a URL are local ones:\n"
        "# they run on this machine and prove order alone. To add an independent one, write a witness line for each\n"
        "# of its vkeys, with its URL; put them into a group of any, as w1 is, so that it counts once; put that group\n"
        "# into the quorum's; and start the service again.\n"
        f"{policy.text()}"
    )
    write_private(path, text.encode())
    return policy
