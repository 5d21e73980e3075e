"""What is printed on a badge."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from app.console.language import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from app.capabilities.provisioning.messages import Provision
    from app.registry.messages.nodes import Node


@dataclass(frozen=True)
class Badge:
    """One card's badge. ``affiliation`` (may be empty), ``issuer``, ``serial`` and ``expires`` (the last day, UTC) as
    in its printed information, container 5FC109; ``display_name`` in its own script, which that ASCII object cannot
    hold; ``card_guid`` with hyphens; ``photo`` as ``photo_of`` gives it, None for a neutral frame."""

    display_name: str
    node_id: str
    affiliation: str
    issuer: str
    serial: str
    card_guid: str
    issued: date
    expires: date
    training: bool
    photo: QImage | None = field(default=None, repr=False, compare=False)


def badge_of(provision: Provision, node: Node | None = None, photo: QImage | None = None) -> Badge:
    """The badge of a finished card; ``node`` gives its holder's name where the provisioning's is older. Raises
    ValueError with a sentence when the card is not finished, or belongs to another node."""
    if provision.state != "COMPLETE" or provision.printed is None or provision.card_guid is None:
        raise ValueError(tr("The card is not finished; its badge is printed when it is."))
    if node is not None and node.node_id != provision.node_id:
        raise ValueError(tr("The card is of {holder}, not of {other}.", holder=provision.node_id, other=node.node_id))
    name = node.display_name if node is not None else provision.display_name
    return Badge(
        display_name=name or provision.node_id,
        node_id=provision.node_id,
        affiliation=provision.printed.affiliation,
        issuer=provision.printed.issuer,
        serial=provision.printed.serial,
        card_guid=provision.card_guid,
        issued=date.fromisoformat(provision.timestamp[:10]),
        expires=date.fromisoformat(provision.printed.expires),
        training=provision.training,
        photo=photo,
    )
