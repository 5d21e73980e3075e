"""Fixtures of the reader tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.hardware.readers.reader_site import BADGE, IndependentReader, Site, simulated, table


@pytest.fixture
def site() -> Iterator[Site]:
    """A fleet that allows simulation, not started."""
    made = Site()
    yield made
    made.fleet.stop()


@pytest.fixture
def running(site: Site) -> Site:
    """Four simulated readers, all secure, that grant BADGE to node-0."""
    site.configs = simulated(4)
    site.fleet.configure(site.configs)
    site.fleet.replace_grants(table(BADGE))
    site.fleet.start()
    site.await_secure()
    return site


@pytest.fixture
def independent_reader() -> Iterator[Callable[..., IndependentReader]]:
    """A maker of independent readers; all are ended with the test."""
    made: list[IndependentReader] = []

    def make(**how: Any) -> IndependentReader:
        made.append(IndependentReader(**how))
        return made[-1]

    yield make
    for reader in made:
        reader.close()
