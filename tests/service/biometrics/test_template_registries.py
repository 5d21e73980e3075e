"""Templates on a real store: sealed rows, what a burn erases, what a renewal makes, what a start takes in."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.api.problems import Problem
from app.biometrics.messages import TemplateRegistryBody
from app.biometrics.tables import template, terminal_bundle
from app.biometrics.template_codes import NORM, Int8
from app.biometrics.templates import DEFAULT
from app.registry.service import now_us
from app.store.errors import KeysUnavailable, SealBroken
from app.store.writer import Transaction
from hardware.terminals.projection import unit
from tests.door_site import ACTOR, DoorSite, door_site

FEATURES = unit(np.random.default_rng(3).standard_normal((40, 512)))


def drawn(count: int, seed: int = 4) -> Int8:
    """Templates of strangers."""
    directions = unit(np.random.default_rng(seed).standard_normal((count, 512)))
    return np.clip(np.rint(directions * NORM), -127, 127).astype(np.int8)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site; no reader is driven."""
    with door_site(tmp_path / "site") as made:
        yield made


def enrol(site: DoorSite, node_id: str, rows: Int8, registry_id: str = DEFAULT, epoch: int = 1) -> None:
    """Registers the node and keeps its templates."""
    site.person(node_id, verified=False)
    site.write(
        lambda tx: site.biometrics.templates.enrol(tx, node_id, rows, registry_id=registry_id, epoch=epoch, actor=ACTOR)
    )


def best(site: DoorSite, probe: Int8, registry_id: str = DEFAULT) -> tuple[str, float]:
    """The nearest node."""
    found = site.biometrics.templates.gallery(registry_id).search(probe).best
    return found[0] if found else ("", 0.0)


def epoch(site: DoorSite, registry_id: str = DEFAULT) -> int:
    """The registry's key epoch."""
    return site.biometrics.template_registries.get(registry_id, now_us()).key_epoch


def key_file(site: DoorSite) -> Path:
    """Where the registry keys lie."""
    return site.site.registry_keys_path


def test_the_default_registry_is_there(site: DoorSite) -> None:
    """A fresh site has the registry ``default`` at epoch 1, with no leaf and no key file for it; it stays."""
    item = site.biometrics.template_registries.get(DEFAULT, now_us())
    assert (item.alg, item.key_epoch, item.nodes, item.templates, item.renewed_at) == (1, 1, 0, 0, None)
    assert (site.actions(), key_file(site).exists()) == ([], False)
    with pytest.raises(Problem) as caught:
        asyncio.run(site.biometrics.template_registries.delete(DEFAULT, actor=ACTOR))
    assert caught.value.status == 409


def test_what_is_enrolled_is_found_and_counted(site: DoorSite) -> None:
    """Templates match once their transaction is durable; enrolling again replaces them."""
    rows = drawn(4)
    enrol(site, "ARC-1", rows[:3])
    enrol(site, "ARC-2", rows[3:])
    item = site.biometrics.template_registries.get(DEFAULT, now_us())
    assert (item.nodes, item.templates) == (2, 4)
    assert best(site, rows[1]) == ("ARC-1", pytest.approx(1.0))
    enrol(site, "ARC-1", drawn(1, seed=8))
    assert best(site, rows[1])[1] < 0.5


def test_rows_are_sealed_to_their_place(site: DoorSite) -> None:
    """No template lies in the store in the clear, and a row under another node's name does not open."""
    rows = drawn(1)
    enrol(site, "ARC-1", rows)
    with site.store.read() as connection:
        row = connection.execute(template.select()).one()
    assert rows.tobytes() not in row.sealed
    templates = site.biometrics.templates
    assert np.array_equal(templates.open_row(DEFAULT, 1, "ARC-1", 0, row.sealed), rows[0])
    for place in (
        ("other", 1, "ARC-1", 0),
        (DEFAULT, 2, "ARC-1", 0),
        (DEFAULT, 1, "ARC-2", 0),
        (DEFAULT, 1, "ARC-1", 1),
    ):
        with pytest.raises(SealBroken):
            templates.open_row(*place, row.sealed)


@pytest.mark.parametrize(
    ("node_id", "registry_id", "epoch", "rows", "status"),
    [
        ("ARC-NOBODY", DEFAULT, 1, drawn(1), 404),
        ("ARC-1", "unknown", 1, drawn(1), 404),
        ("ARC-1", DEFAULT, 2, drawn(1), 409),
        ("ARC-1", DEFAULT, 1, np.zeros((1, 512), np.int8), 422),
        ("ARC-1", DEFAULT, 1, drawn(27), 422),
    ],
    ids=["node", "registry", "epoch", "zeros", "too many"],
)
def test_what_cannot_be_enrolled(
    site: DoorSite, node_id: str, registry_id: str, epoch: int, rows: Int8, status: int
) -> None:
    """Unknown names, a stale epoch and what is no template are refused, and nothing is kept."""
    site.person("ARC-1", verified=False)
    with pytest.raises(Problem) as caught:
        site.write(
            lambda tx: site.biometrics.templates.enrol(
                tx, node_id, rows, registry_id=registry_id, epoch=epoch, actor=ACTOR
            )
        )
    assert (caught.value.status, site.biometrics.templates.gallery(DEFAULT).rows) == (status, 0)


def test_a_burned_node_is_not_found_by_the_next_search(site: DoorSite) -> None:
    """The burn's transaction erases its rows; once it is answered no gallery has them, and none can be enrolled."""
    rows = drawn(3)
    asyncio.run(site.biometrics.template_registries.put("annex", TemplateRegistryBody(alg=1), actor=ACTOR))
    enrol(site, "ARC-1", rows[:2])
    enrol(site, "ARC-1", rows[:1], "annex")
    enrol(site, "ARC-2", rows[2:])
    assert [one.count for one in site.biometrics.templates.holdings("ARC-1")] == [3]
    site.registry.deny.deny("ARC-1", "burn", "brn-1")
    evidence = []
    site.write(lambda tx: evidence.extend(site.biometrics.templates.revoke(tx, "ARC-1", "brn-1")))
    assert [(one.kind, one.count) for one in evidence] == [("template", 3)]
    assert (best(site, rows[0])[0], best(site, rows[0], "annex")[0]) == ("ARC-2", "")
    with site.store.read() as connection:
        assert {row.node_id for row in connection.execute(template.select())} == {"ARC-2"}
    with pytest.raises(Problem) as caught:
        enrol(site, "ARC-1", rows[:1])
    assert caught.value.status == 409


def test_a_burn_that_is_not_durable_erases_nothing(site: DoorSite) -> None:
    """When the transaction fails the rows and the gallery stay as they were."""
    enrol(site, "ARC-1", drawn(1))

    def failing(tx: object) -> None:
        site.biometrics.templates.revoke(tx, "ARC-1", "brn-1")  # type: ignore[arg-type]
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        site.write(failing)
    assert best(site, drawn(1)[0])[0] == "ARC-1"


def test_a_node_with_templates_is_not_deleted(site: DoorSite) -> None:
    """Its templates would be nobody's: 409, and after they are erased it goes."""
    enrol(site, "ARC-1", drawn(1))
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.nodes.delete("ARC-1", actor=ACTOR))
    assert caught.value.status == 409
    site.write(lambda tx: site.biometrics.templates.erase(tx, "ARC-1", actor=ACTOR))
    asyncio.run(site.registry.nodes.delete("ARC-1", actor=ACTOR))


def test_a_node_that_is_enrolled_in_the_same_commit_is_not_deleted(site: DoorSite) -> None:
    """Nobody's templates would be left, and whoever is registered under that id next would be matched by them."""
    site.person("ARC-1", verified=False)
    writer, templates = site.store.writer, site.biometrics.templates
    running, go = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        del tx
        running.set()
        go.wait(60)

    async def together() -> list[object]:
        """Both are asked for while another job runs: they share the next commit."""
        held = asyncio.create_task(writer.run(hold))
        await asyncio.to_thread(running.wait, 60)
        enrolled = asyncio.create_task(
            writer.run(lambda tx: templates.enrol(tx, "ARC-1", drawn(1), epoch=1, actor=ACTOR))
        )
        deleted = asyncio.create_task(site.registry.nodes.delete("ARC-1", actor=ACTOR))
        await asyncio.sleep(0)
        assert writer.waiting >= 2
        go.set()
        return list(await asyncio.gather(held, enrolled, deleted, return_exceptions=True))

    refused = asyncio.run(together())[2]
    assert isinstance(refused, Problem)
    assert refused.code == "state_conflict"
    assert site.registry.nodes.get("ARC-1", now_us()).templates[0].templates == 1


def test_a_start_takes_every_template_in(tmp_path: Path) -> None:
    """What was enrolled before the service stopped is found after it; a row that was altered matches nobody."""
    rows = drawn(6)
    with door_site(tmp_path / "site") as first:
        for number, row in enumerate(rows):
            enrol(first, f"ARC-{number}", row[None])
        first.write(
            lambda tx: tx.connection.execute(
                template.update().where(template.c.node_id == "ARC-5").values(sealed=b"\x01" * 600)
            )
        )
    with door_site(tmp_path / "site") as second:
        assert [best(second, row)[0] for row in rows[:5]] == [f"ARC-{number}" for number in range(5)]
        assert "ARC-5" not in second.biometrics.templates.gallery(DEFAULT)


def test_a_renewal_keeps_who_is_found_and_links_nothing(site: DoorSite) -> None:
    """Under the next key a fresh capture finds its node, the old templates are a stranger's, the old key is gone."""
    old, first = site.biometrics.template_registries.projection(DEFAULT)
    kept = old.template(FEATURES)
    for number, row in enumerate(kept):
        enrol(site, f"ARC-{number:02}", row[None])
    item = asyncio.run(site.biometrics.template_registries.renew(DEFAULT, actor=ACTOR))
    assert (first, item.key_epoch, item.nodes, epoch(site)) == (1, 2, 40, 2)
    new, second = site.biometrics.template_registries.projection(DEFAULT)
    assert second == 2
    for number, fresh in enumerate(new.template(FEATURES)):
        assert best(site, fresh) == (f"ARC-{number:02}", pytest.approx(1.0, abs=0.002))
        assert best(site, kept[number])[1] < 0.3
    with sqlite3.connect(key_file(site)) as file:
        assert file.execute("SELECT registry_id, epoch FROM registry_key").fetchall() == [(DEFAULT, 2)]
    file.close()
    assert site.actions()[-1] == "registry.template_registry_renew"


def test_a_renewal_says_what_it_does_not_end(site: DoorSite) -> None:
    """From two templates on, the sets of both epochs can be linked: the reply says so, and with one it says nothing."""
    old, _ = site.biometrics.template_registries.projection(DEFAULT)
    cautions = []
    for number, row in enumerate(old.template(FEATURES)[:2]):
        enrol(site, f"ARC-{number:02}", row[None], epoch=number + 1)
        cautions.append(asyncio.run(site.biometrics.template_registries.renew(DEFAULT, actor=ACTOR)).caution)
    assert cautions[0] == ""
    assert "all templates of two epochs" in cautions[1]


def test_a_row_that_comes_during_a_renewal_is_renewed_too(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was enrolled under the old key after the renewal had read the rows is turned in its transaction; what was
    made of a template that is no more is overwritten with the rest."""
    registries = site.biometrics.template_registries
    old, _ = registries.projection(DEFAULT)
    enrol(site, "ARC-1", old.template(FEATURES[:1]))
    prepared, made = registries._prepare, []

    def late(*arguments: object) -> object:
        ready = prepared(*arguments)  # type: ignore[arg-type]
        made.extend(clear for _, clear, _ in ready.values())
        assert any(made[0])
        enrol(site, "ARC-1", old.template(FEATURES[2:3]))
        enrol(site, "ARC-2", old.template(FEATURES[1:2]))
        return ready

    monkeypatch.setattr(registries, "_prepare", late)
    # The projection is wiped by the renewal: this one is another object of the same key.
    asyncio.run(registries.renew(DEFAULT, actor=ACTOR))
    new, _ = registries.projection(DEFAULT)
    assert [best(site, row)[0] for row in new.template(FEATURES[1:3])] == ["ARC-2", "ARC-1"]
    assert not any(made[0])


def test_without_its_key_a_registry_is_not_renewed(site: DoorSite) -> None:
    """Where the key file was lost its templates still match; a renewal says which file is missing, and no new key
    takes the old one's place."""
    old, _ = site.biometrics.template_registries.projection(DEFAULT)
    enrol(site, "ARC-1", old.template(FEATURES[:1]))
    key_file(site).unlink()
    with pytest.raises(Problem) as caught:
        asyncio.run(site.biometrics.template_registries.renew(DEFAULT, actor=ACTOR))
    assert (caught.value.status, epoch(site)) == (503, 1)
    assert str(key_file(site)) in str(caught.value.detail)
    assert "by a key that this site never had, nothing can renew them: erase the templates" in str(caught.value.detail)
    with pytest.raises(KeysUnavailable):
        site.biometrics.template_registries.projection(DEFAULT)
    assert best(site, old.template(FEATURES[:1])[0])[0] == "ARC-1"


def test_a_registry_has_its_key_from_the_beginning(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn with the registry, so that one without a key has lost it. Where the disk of the keys is away, the
    registry is made all the same, and its key is drawn before its first template."""
    registries = site.biometrics.template_registries

    def put(name: str) -> bool:
        return asyncio.run(registries.put(name, TemplateRegistryBody(alg=1), actor=ACTOR))[1]

    assert put("annex")
    assert registries._keys.has("annex", 1)
    key = registries.seed("annex")[0]
    assert not put("annex")
    assert registries.seed("annex")[0] == key

    def away(_registry_id: str, _epoch: int) -> None:
        raise KeysUnavailable("the disk is away")

    with monkeypatch.context() as patch:
        patch.setattr(registries._keys, "draw", away)
        assert put("later")
    assert not registries._keys.has("later", 1)
    site.biometrics.probes.ensure_key("later")
    assert registries._keys.has("later", 1)


def test_a_deleted_registry_takes_its_key_along(site: DoorSite) -> None:
    """Its key is destroyed, and a registry of the same name begins after every epoch that a terminal was given."""
    registries = site.biometrics.template_registries

    def make() -> int:
        return asyncio.run(registries.put("annex", TemplateRegistryBody(alg=1), actor=ACTOR))[0].key_epoch

    assert make() == 1
    registries.projection("annex")
    handed = {"issue": 1, "sealed_to": "", "access_epoch": 0, "nodes": 0, "issued_us": 0}
    site.write(
        lambda tx: tx.connection.execute(
            terminal_bundle.insert().values(terminal_id="T-1", registry_id="annex", key_epoch=3, **handed)
        )
    )
    asyncio.run(registries.delete("annex", actor=ACTOR))
    assert not registries._keys.has("annex", 1)
    assert make() == 4


def test_another_sites_key_file_is_no_key(tmp_path: Path) -> None:
    """A file that does not open is told as one that is missing; its registry is renewed once it is empty; and not even
    a broken file keeps the site from starting."""
    with door_site(tmp_path / "other") as other:
        other.biometrics.template_registries.projection(DEFAULT)
        foreign = key_file(other)
    with door_site(tmp_path / "site") as site:
        registries = site.biometrics.template_registries

        def keyless() -> list[str]:
            with site.store.read() as connection:
                return registries.keyless(connection)

        enrol(site, "ARC-1", registries.projection(DEFAULT)[0].template(FEATURES[:1]))
        assert keyless() == []
        key_file(site).unlink()
        assert keyless() == [DEFAULT]
        foreign.rename(key_file(site))
        with pytest.raises(KeysUnavailable, match="does not open"):
            registries.projection(DEFAULT)
        assert keyless() == [DEFAULT]
        site.write(lambda tx: site.biometrics.templates.erase(tx, "ARC-1", actor=ACTOR))
        assert asyncio.run(registries.renew(DEFAULT, actor=ACTOR)).key_epoch == 2
        enrol(site, "ARC-1", registries.projection(DEFAULT)[0].template(FEATURES[:1]), epoch=2)
        key_file(site).write_bytes(b"no database" * 500)
    with door_site(tmp_path / "site") as started:
        assert started.biometrics.templates.gallery(DEFAULT).rows == 1


def test_a_start_destroys_what_a_killed_renewal_left(tmp_path: Path) -> None:
    """A key of an epoch that is over, and one of a registry that is gone, are deleted at the next start; one of a later
    epoch stays, which may be of a newer copy of this site."""
    with door_site(tmp_path / "site") as first:
        first.biometrics.template_registries.projection(DEFAULT)
        first.biometrics.template_registries._keys.draw(DEFAULT, 0)
        first.biometrics.template_registries._keys.draw(DEFAULT, 2)
        first.biometrics.template_registries._keys.draw("gone", 1)
        path = key_file(first)
    with door_site(tmp_path / "site"):
        file = sqlite3.connect(path)
        assert file.execute("SELECT registry_id, epoch FROM registry_key").fetchall() == [(DEFAULT, 1), (DEFAULT, 2)]
        file.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent != tmp_path / "site"
