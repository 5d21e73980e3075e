"""How the simulated site joins a training site: its persons, doors, cards, frames, directory, palms and platforms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from app.capabilities.credentials.service import CredentialService
from app.capabilities.palm.service import Palm
from app.capabilities.provisioning.service import Provisioning
from app.operators.service import OperatorService
from app.training.cards import CardDrawer
from app.training.directory.process import TrainingDirectory
from app.training.frames import TrainingFrames
from app.training.operators import add_operators
from app.training.palms import TrainingPalms
from app.training.platforms import TrainingPlatforms
from app.training.world import TrainingSite
from app.wiring.parts import Parts
from app.wiring.wired import Life, Wired

T = TypeVar("T")


def wire(parts: Parts, services: Mapping[str, object]) -> Wired:
    """The simulated edge, over the very services that a partner would call. Fills the site at its first start."""
    if parts.simulated_cards is None:
        raise ValueError("a production site has no simulated parts")
    provisioning = _service(services, "provisioning", Provisioning)
    drawer = CardDrawer(parts.site.data_dir / "cards", parts.simulated_cards, provisioning.readers)
    world = TrainingSite(
        parts.store,
        parts.registry,
        _service(services, "credentials", CredentialService),
        provisioning,
        drawer,
        TrainingFrames(parts.authority, training=True),
        TrainingDirectory(parts.site.data_dir, training=True),
    )
    world.fill()
    platforms = TrainingPlatforms(parts.registry.platforms, parts.site_mail, parts.outbox, training=True)
    add_operators(parts.store, _service(services, "operators", OperatorService).register)
    palms = TrainingPalms(_service(services, "palm", Palm), parts.site.data_dir / "terminals", parts.bus)
    return Wired(
        services={"drawer": drawer, "training_palms": palms},
        lives=[
            Life(platforms.start, platforms.stop),
            Life(world.start, world.stop),
            Life(palms.start, palms.stop),
        ],
    )


def _service(services: Mapping[str, object], name: str, kind: type[T]) -> T:
    found = services[name]
    if not isinstance(found, kind):
        raise TypeError(f"{name} is no {kind.__name__}")
    return found
