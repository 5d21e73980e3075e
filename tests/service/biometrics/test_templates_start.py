"""A site with many templates starts from its cache, and from the rows whenever that is not of the same state."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.biometrics import template_cache
from app.biometrics.templates import Templates
from tests.palm_site import REGISTRY, PalmSite


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than three templates are many."""
    monkeypatch.setattr(template_cache.TemplateCache.__init__, "__kwdefaults__", {"least_rows": 3})


def start(path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch) -> PalmSite:
    """A site on this directory; ``read`` gets the registries that were read row by row."""

    def noted(self: Templates, connection: object, registry_id: str, count: int, by_rows: object = Templates._read):
        read.append(registry_id)
        return by_rows(self, connection, registry_id, count)  # type: ignore[operator]

    with monkeypatch.context() as patched:
        patched.setattr(Templates, "_read", noted)
        return PalmSite(path)


def stop(site: PalmSite) -> None:
    asyncio.run(site.biometrics.stop())
    site.close()


@pytest.mark.usefixtures("few")
def test_a_start_is_from_the_cache_of_the_same_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a clean end; after a change that was not kept the rows are read, and then kept again; erased is erased."""
    read: list[str] = []
    site = start(tmp_path / "site", read, monkeypatch)
    node_ids = asyncio.run(site.people(6))
    gallery = site.biometrics.templates.gallery(REGISTRY)
    kept = {node_id: gallery.templates(node_id).tobytes() for node_id in node_ids}
    stop(site)
    assert read == [REGISTRY]

    site = start(tmp_path / "site", read, monkeypatch)
    assert read == [REGISTRY]
    gallery = site.biometrics.templates.gallery(REGISTRY)
    assert {node_id: gallery.templates(node_id).tobytes() for node_id in node_ids} == kept
    (file,) = (tmp_path / "site" / "template-cache").iterdir()
    before = file.read_bytes()
    site.do(lambda tx: site.biometrics.templates.erase(tx, node_ids[0], actor="tester"))
    # As after kill -9: the file is of the state before, with the person in it.
    site.close()
    assert file.read_bytes() == before

    site = start(tmp_path / "site", read, monkeypatch)
    assert read == [REGISTRY, REGISTRY]
    assert node_ids[0] not in site.biometrics.templates.gallery(REGISTRY)
    assert file.read_bytes() != before
    site.close()

    site = start(tmp_path / "site", read, monkeypatch)
    assert read == [REGISTRY, REGISTRY]
    assert sorted(node_ids[1:]) == sorted(name for name, _ in site.biometrics.templates.gallery(REGISTRY).counts())
    asyncio.run(site.biometrics.template_registries.renew(REGISTRY, actor="tester"))
    renewed = site.biometrics.templates.gallery(REGISTRY).templates(node_ids[1]).tobytes()
    stop(site)
    file.write_bytes(before)

    site = start(tmp_path / "site", read, monkeypatch)
    assert read == [REGISTRY, REGISTRY, REGISTRY]
    assert site.biometrics.templates.gallery(REGISTRY).templates(node_ids[1]).tobytes() == renewed != kept[node_ids[1]]
    site.close()
