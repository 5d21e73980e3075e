"""What crosses the wire of biometrics: template registries, the bundles of terminals, and enrolments.

Palm and stylized enrol by the same messages.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import Base64, NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.shared import Tags


class TemplateRegistryBody(Request, kw_only=True):
    """PUT ``/v1/registry/template-registries/{id}``. ``alg``: how features become templates; 1 is the crease map."""

    alg: Literal[1]
    tags: Tags = []


class TemplateRegistry(Reply, kw_only=True):
    """A set of biometric templates under one secret key. ``key_epoch`` counts its keys; templates of an earlier one
    match nobody. ``nodes`` persons have ``templates`` in it."""

    registry_id: RegistryId
    alg: int
    key_epoch: int
    nodes: int
    templates: int
    renewed_at: Timestamp | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class RenewedTemplateRegistry(TemplateRegistry, kw_only=True):
    """The registry after its renewal. ``caution``: what the renewal did not end; empty with fewer than two
    templates."""

    caution: str


class TemplateRegistryPage(Reply, kw_only=True):
    """A page of template registries."""

    items: list[TemplateRegistry]
    next: str | None


Signature = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{85}[AQgw]\Z")]
"""64 bytes in base64url without padding; the last character's four spare bits are zero, so that each signature has one
writing."""


class BundleTakenBody(Request, kw_only=True):
    """POST ``/v1/registry/terminals/{id}/bundle/taken``: the terminal opened, checked and kept the bundle ``issue``.
    ``signature``: by its registered key, over what ``hardware/terminals/bundle_ack.py`` lays out byte for byte."""

    issue: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    signature: Signature


class BundleTaken(Reply, kw_only=True):
    """The acknowledgement as recorded. ``access_epoch``: of who may pass, in that bundle; ``not_after``: the terminal
    decides by this bundle until then (null: never)."""

    terminal_id: RegistryId
    issue: int
    access_epoch: int
    not_after: Timestamp | None
    taken_at: Timestamp


SAMPLES_MAX = 25
Encoding = Literal["frame", "roi128", "i8x512", "f32x512"]


class TemplateSamples(Request, kw_only=True):
    """PUT ``/v1/registry/nodes/{id}/palm`` or ``/stylized``. Each sample: a frame signed for the intent ENROL, a grey
    picture of 128 x 128, 512 signed bytes, or 512 float32; without ``encoding`` the size of a sample tells which."""

    samples: Annotated[list[Base64], msgspec.Meta(min_length=1, max_length=SAMPLES_MAX)]
    registry_id: RegistryId = "default"
    encoding: Encoding | None = None


class EnrolledTemplates(Reply, kw_only=True):
    """What is stored now. ``samples``: how many were used; ``discarded``: positions of those that are too unlike the
    others. ``quality``: 100 times the lowest similarity of a sample to the one that they are aligned to."""

    node_id: NodeId
    samples: int
    discarded: list[int]
    quality: int
    registry_id: str
    key_epoch: int


class ErasedTemplates(Reply, kw_only=True):
    """The node's templates are erased; ``rows`` says how many there were."""

    node_id: NodeId
    rows: int
    erased_at: Timestamp
