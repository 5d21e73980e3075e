"""The first steps on a site: what they are, and what the service knows of each. Nothing is ticked by hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.api.wire import ListQuery
from app.capabilities.burn.messages import Burn, BurnListQuery
from app.capabilities.provisioning.messages import Provision, ProvisionListQuery
from app.client import Client
from app.console.door_clusters import read_readers
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.registry.messages.directories import Directory
from app.registry.messages.shared import DRILL_TAG
from app.training.messages import ACTOR

_LOOKED_AT = 50
"""Burns and people that are looked through: on a new site the first of them is among the first."""


@dataclass(frozen=True)
class FirstStep:
    """A step: its words, about how many minutes it takes, the id of its action, and the call of the client that it
    comes to on another page."""

    key: str
    title: str
    sentence: str
    minutes: int
    action: str
    call: str


TRAINING_STEPS = (
    FirstStep(
        "burn",
        tr("See it burn"),
        tr(
            "Take the rights of a training person away and watch the doors refuse, each with its own time. "
            "Then read the sealed proof."
        ),
        1,
        "dashboard.first_burn",
        "burn_execute",
    ),
    FirstStep(
        "card",
        tr("Write your first card"),
        tr("Use a card in a reader, or the training drawer when you have none. Ten stages, read back and proven."),
        2,
        "dashboard.first_card",
        "provisioning_provision",
    ),
    FirstStep(
        "directory",
        tr("Connect your directory"),
        tr("LDAP, SCIM, OAuth or a webhook. It is tried when you save it; a burn then ends the accounts there too."),
        5,
        "dashboard.first_directory",
        "registry_put_directory",
    ),
)
SITE_STEPS = (
    FirstStep(
        "operators",
        tr("Add a second administrator"),
        tr("From then on keys and administrators are made by two persons, and a desk is not lost with one card."),
        2,
        "dashboard.first_operator",
        "registry_put_operator",
    ),
    FirstStep(
        "readers",
        tr("Pair your first reader"),
        tr("Serial line or network, over an encrypted channel. The door answers on this page as soon as it is paired."),
        5,
        "dashboard.first_reader",
        "registry_put_reader_cluster",
    ),
    TRAINING_STEPS[2],
)


def steps_of(training: bool) -> tuple[FirstStep, ...]:
    """The steps of a training site, or of a real one."""
    return TRAINING_STEPS if training else SITE_STEPS


async def read_results(client: Client, training: bool) -> dict[str, str]:
    """What is done, by the key of its step, as a sentence about the newest such fact; what is not done is left out.
    Raises what the client raises."""
    readings = (
        {"burn": _find_burn, "card": _find_card, "directory": _find_directory}
        if training
        else {"operators": _count_admins, "readers": _count_readers, "directory": _find_directory}
    )
    words = await asyncio.gather(*(read(client) for read in readings.values()))
    return {key: said for key, said in zip(readings, words, strict=True) if said}


async def _find_burn(client: Client) -> str:
    """The newest burn that was no drill."""
    page = await client.burn_list(query=BurnListQuery(limit=_LOOKED_AT))
    burn = next((one for one in page.items if not one.drill), None)
    return "" if burn is None else burn_words(burn)


def burn_words(burn: Burn) -> str:
    """How far a burn is proven, by its targets."""
    proven = sum(burn.counts.get(state, 0) for state in ("revoked", "already"))
    total = sum(burn.counts.values())
    return tr("{node}: {proven} of {total} targets proven", node=burn.node_id, proven=proven, total=total)


async def _find_card(client: Client) -> str:
    """The newest card that a person wrote and that was read back; those that the training site brings are no step."""
    page = await client.provisioning_list_provisions(query=ProvisionListQuery(limit=_LOOKED_AT, state="COMPLETE"))
    card = next((one for one in page.items if one.operator != ACTOR), None)
    return "" if card is None else provision_words(card)


def provision_words(card: Provision) -> str:
    """Whose card was written, in how long."""
    return tr(
        "Card of {person}, {seconds:.1f} s",
        person=card.display_name or card.node_id,
        seconds=card.duration_ms / 1000,
    )


async def _find_directory(client: Client) -> str:
    """The directories but the one that a training site brings along."""
    found = await read_all(lambda cursor: client.registry_list_directories(query=page_query(cursor)))
    return directory_words([one for one in found if DRILL_TAG not in one.tags])


def directory_words(own: list[Directory]) -> str:
    """The newest directory by its name, and how many there are besides; empty without one."""
    if not own:
        return ""
    newest = max(own, key=lambda one: one.created_at)
    more = tr(" and {count} more", count=len(own) - 1) if len(own) > 1 else ""
    return tr("{name}{more} registered", name=newest.display_name or newest.directory_id, more=more)


async def _count_admins(client: Client) -> str:
    """Two administrators who can sign in, or more."""
    found = await read_all(lambda cursor: client.registry_list_operators(query=page_query(cursor)))
    admins = [one for one in found if "admin" in one.roles and one.state == "active"]
    return tr("{count} administrators", count=len(admins)) if len(admins) > 1 else ""


async def _count_readers(client: Client) -> str:
    """A reader that is online."""
    readers = await read_readers(client)
    online = sum(reader.online for reader in readers)
    return tr("{count} of {total} readers online", count=online, total=len(readers)) if online else ""


async def first_to_burn(client: Client) -> str:
    """The id of a person of the training site who has a card and was not burned; empty when there is none."""
    cards, burns, people = await asyncio.gather(
        client.provisioning_list_provisions(query=ProvisionListQuery(limit=_LOOKED_AT, state="COMPLETE")),
        client.burn_list(query=BurnListQuery(limit=_LOOKED_AT)),
        client.registry_list_nodes(query=ListQuery(limit=_LOOKED_AT)),
    )
    holders = {one.node_id for one in cards.items} - {one.node_id for one in burns.items}
    return next((one.node_id for one in people.items if one.node_id in holders and DRILL_TAG not in one.tags), "")
