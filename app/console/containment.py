"""A person is denied at this site for a while: the orders, and what is told of them. The pages Burn, People and HR
share it."""

from __future__ import annotations

from app.capabilities.burn.messages import Containment, ContainmentBody
from app.console.clock import clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation

CHANGES = ("containments", "nodes", "grants", "hr")
"""Kinds of what either order changes; what HR holds is contained, too."""


def containment(body: ContainmentBody, name: str) -> Operation[Containment]:
    """The order that denies. ``name``: of the person, or their id. A lost answer is asked for again: the service gives
    a repeat the first answer."""
    return Operation(
        lambda client, key: client.containments_contain(body, idempotency_key=key),
        title=tr("Contain {name}", name=name),
        changes=CHANGES,
        asks=True,
    )


def release(one: Containment, name: str) -> Operation[Containment]:
    """The order that ends a containment. ``name``: of the person, or their id."""
    return Operation(
        lambda client, _key: client.containments_release(one.containment_id),
        title=tr("Release {name}", name=name),
        changes=CHANGES,
        asks=True,
    )


def contained_words(one: Containment, name: str) -> str:
    """What is told of somebody who is denied now."""
    if one.until is None:
        return tr("{name} is denied at this site. Ctrl+U releases.", name=name)
    until = clock_time(parse_time(one.until))
    return tr("{name} is denied at this site until {until}. Ctrl+U releases.", name=name, until=until)


def released_words(name: str) -> str:
    """What is told of somebody who is let in again."""
    return tr("{name} is released.", name=name)


def subject_of(node_id: str) -> str:
    """What messages about it are about: a later one, of any page, takes the place of an earlier one."""
    return tr("Containment of {person}", person=node_id)
