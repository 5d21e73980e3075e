"""What a burn would touch, without Qt: the targets of a preview in groups, and how long the last door takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.capabilities.burn.messages import Preview, PreviewTarget
from app.console.blast_radius import DOOR
from app.console.clock import age, date_time
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.pages.burn.words import local_times
from app.console.theme.tokens import Meaning


@dataclass(frozen=True)
class System:
    """One line of the blast radius: all targets of one kind (doors: of one cluster).

    ``online`` counts the targets that answer now, None where nobody asks them; ``expected_ms`` the slowest p95;
    ``readable`` False: what it does with a burn cannot be read.
    """

    key: str
    name: str
    kind: str
    total: int
    online: int | None
    reversible: bool
    expected_ms: float | None
    detail: str
    readable: bool = True

    @property
    def state(self) -> Meaning:
        """Whether all of it can be reached now."""
        if self.online is None:
            return Meaning.IDLE
        if self.online and not self.readable:
            return Meaning.IDLE
        return Meaning.OK if self.online == self.total else Meaning.WARN if self.online else Meaning.BAD

    @property
    def reach(self) -> str:
        """How many of its targets can be reached, for people."""
        if self.online is None:
            return tr("Not asked")
        if not self.readable:
            return tr("Takes it, unread") if self.online else tr("Offline")
        if self.total == 1:
            return tr("Reachable") if self.online else tr("Offline")
        return tr("{online} of {total} online", online=self.online, total=self.total)


def systems_of(preview: Preview) -> list[System]:
    """The targets of a preview in groups: doors by their cluster, everything else by itself. Clusters keep the order
    of the API; systems come before doors, because a card or a directory is what people forget."""
    doors: dict[str, list[PreviewTarget]] = {}
    made: list[System] = []
    for target in preview.targets:
        if target.kind == DOOR:
            cluster = target.display_name.partition(" · ")[2] or tr("Doors")
            doors.setdefault(cluster, []).append(target)
        else:
            made.append(_system(target.id, target.display_name, target.kind, [target]))
    return made + [_system(f"doors:{name}", f"{name}: {len(group)}", DOOR, group) for name, group in doors.items()]


def _system(key: str, name: str, kind: str, group: Sequence[PreviewTarget]) -> System:
    """Targets of one kind as one line: the slowest of them, and what any of them says."""
    asked = [target.reachable for target in group if target.reachable is not None]
    expected = [target.expected_ms for target in group if target.expected_ms is not None]
    details = {target.detail for target in group if target.detail}
    if not all(target.readable for target in group):
        details.add(tr("a burn is only delivered there: its effect cannot be read"))
    return System(
        key=key,
        name=name,
        kind=kind,
        total=len(group),
        online=sum(asked) if asked else None,
        reversible=all(target.reversible for target in group),
        expected_ms=max(expected) if expected else None,
        detail=local_times("; ".join(sorted(details))),
        readable=all(target.readable for target in group),
    )


def inside(preview: Preview, now: float) -> tuple[str, str]:
    """Whether the person may be inside at ``now`` (Unix seconds by the service's clock), and what is known: doors let
    people in and do not report when they leave. Without an entry it is said how far back that is known."""
    if preview.last_access is None:
        if preview.last_access_since is None:
            return tr("No trace"), tr("no entry seen")
        return tr("No trace"), tr("since {time}", time=moment(parse_time(preview.last_access_since), now))
    at = parse_time(preview.last_access)
    return tr("Maybe"), tr("let in {age} ago", age=age(max(0.0, now - at)))


def until_words(until: str | None, now: float) -> str:
    """When an exposure ends, as short as it can be told apart."""
    return tr("no end known") if until is None else tr("until {time}", time=date_or_time(parse_time(until), now))


def date_or_time(at: float, now: float) -> str:
    """``17:21:07`` of today, ``2029-11-21`` of another day."""
    shown = date_time(at)
    return shown[11:] if shown[:10] == date_time(now)[:10] else shown[:10]


def ending(until: str | None, now: float) -> str:
    """How an exposure ends, a line for people."""
    if until is None:
        return tr("Nobody here knows when it ends: end it there.")
    at = parse_time(until)
    return tr("Ends by itself in {age}.", age=age(at - now)) if at > now else tr("It is over.")
