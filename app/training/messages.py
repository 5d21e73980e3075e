"""Messages of ``/v1/training/cards`` and ``/v1/training/palm``."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request
from app.capabilities.palm.messages import Intent

SOFTWARE_TERMINALS: Final = ("palm-lobby", "palm-vault")
"""Ids of the palm terminals in software. Synthetic palms can be laid on these alone."""
PASSPHRASE: Final = "training passphrase"  # noqa: S105 -- of training sites alone, and no secret
"""Of all operators of a training site."""
ACTOR: Final = "training"
"""Who wrote what a training site brings along, in the log and on its cards."""
TRAINING_TAG: Final = "training"
"""Of an operator whom everybody may be."""


class TrainingCardBody(Request, kw_only=True):
    """POST ``/v1/training/cards``: puts a simulated card into a reader or pulls it (training sites only). Without
    ``card`` the next blank one."""

    reader: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    action: Literal["insert", "remove"]
    card: Annotated[str, msgspec.Meta(max_length=64)] | None = None


class TrainingCardReply(Reply, kw_only=True):
    """The reader as it is now, and the cards in the drawer."""

    reader: str
    card: str | None
    drawer: list[str]


class TrainingPalmBody(Request, kw_only=True):
    """POST ``/v1/training/palm``: lays the node's synthetic palm on a software terminal (training sites only)."""

    terminal_id: RegistryId
    node_id: NodeId
    intent: Intent = "ACCESS_ENTRY"


class TrainingEnrolBody(Request, kw_only=True):
    """POST ``/v1/training/palm/enrol``: enrols five shots of the node's synthetic palm (training sites only)."""

    terminal_id: RegistryId
    node_id: NodeId
