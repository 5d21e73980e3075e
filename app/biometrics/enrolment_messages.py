"""What crosses the wire of enrolments: palm and stylized send and get the same."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import Base64, NodeId, RegistryId, Reply, Request, Timestamp

SAMPLES_MAX = 25
Encoding = Literal["frame", "roi128", "i8x512", "f32x512"]


class TemplateSamples(Request, kw_only=True):
    """PUT ``/v1/registry/nodes/{id}/palm`` or ``/stylized``. Each sample: a frame signed for the intent ENROL, a grey
    picture of 128 x 128, 512 signed bytes, or 512 float32; without ``encoding`` its size tells."""

    samples: Annotated[list[Base64], msgspec.Meta(min_length=1, max_length=SAMPLES_MAX)]
    registry_id: RegistryId = "default"
    encoding: Encoding | None = None


class EnrolledTemplates(Reply, kw_only=True):
    """What is stored now. ``samples``: how many were used; ``discarded``: positions of those that are too unlike the
    others. ``quality``: 100 times the lowest likeness of a sample to the one that they are aligned to."""

    node_id: NodeId
    samples: int
    discarded: list[int]
    quality: int
    registry_id: str
    key_epoch: int


class ErasedTemplates(Reply, kw_only=True):
    """Nothing of the node's templates of this kind is left; ``rows`` were."""

    node_id: NodeId
    rows: int
    erased_at: Timestamp
