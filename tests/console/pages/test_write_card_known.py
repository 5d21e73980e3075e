"""What stands below the name on Write card: the card in the reader, until when it holds, the person's other cards; and
what stages take usually. Without a window."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.messages import Provision, SlotReply, Stage
from app.console.cards.jobs import STAGES, usual_ms
from app.console.cards.words import CardHolder
from app.console.pages.write_card.known import hero_facts
from app.registry.messages.nodes import NodeCredential
from tests.console.cards.samples import card, node, provision

GUID = "11111111-1111-4111-8111-111111111111"


def slot(name: str, until: str) -> SlotReply:
    """A key of a card."""
    return SlotReply(
        slot=name, algorithm="P-256", public_key_sha256="00" * 32, certificate_sha256="00" * 32,
        not_after=f"{until}T00:00:00.000000Z",
    )  # fmt: skip


def credential(guid: str, state: str = "active", until: str | None = "2029-01-02") -> NodeCredential:
    """A card of a person."""
    return NodeCredential(
        profile=None, format="piv-guid", card_guid=guid, state=state,  # type: ignore[arg-type]
        not_after=None if until is None else f"{until}T00:00:00.000000Z",
    )  # fmt: skip


def test_of_an_empty_reader_and_nobody_nothing_is_said() -> None:
    """What is not known is left out, never a dash."""
    assert hero_facts(card(None, present=False), None, None, {}) == {}
    assert hero_facts(None, None, None, {}) == {}


def test_the_card_in_the_reader_is_told_by_its_number_and_state() -> None:
    """A written one by its holder."""
    assert hero_facts(card(), None, None, {})["card"] == "70000001, Blank"
    holders = {"ARC-T0002": CardHolder("Training Person 02", "UNVERIFIED")}
    assert hero_facts(card("provisioned"), None, None, holders)["card"] == "70000001, of Training Person 02"


def test_a_card_holds_until_its_first_certificate_ends() -> None:
    """Not the last one."""
    written = msgspec.structs.replace(provision("COMPLETE"), slots=[slot("9A", "2029-11-27"), slot("9C", "2028-01-01")])
    assert hero_facts(card("provisioned"), node(), written, {})["until"] == "2028-01-01"


WRITTEN = msgspec.structs.replace(provision("COMPLETE"), slots=[slot("9A", "2029-11-27")])


@pytest.mark.parametrize(
    "shown",
    [
        msgspec.structs.replace(WRITTEN, state="TORN"),
        msgspec.structs.replace(WRITTEN, hardware_uid="70000009", card_guid=None),
        msgspec.structs.replace(WRITTEN, node_id="ARC-T0099"),
    ],
    ids=["torn", "another card", "another person"],
)
def test_the_end_of_another_card_is_not_told(shown: Provision) -> None:
    """What is shown below may be of another card, or of another person."""
    assert "until" not in hero_facts(card("provisioned"), node(), shown, {})


def test_the_other_cards_of_the_person_are_told_without_the_one_here() -> None:
    """Those that are valid, with their ends; none is a fact, too."""
    person = msgspec.structs.replace(
        node(), credentials=[credential(GUID), credential("22222222-2"), credential("33333333-3", "revoked")]
    )
    here = msgspec.structs.replace(card("provisioned"), card_guid=GUID)
    assert hero_facts(here, person, None, {})["old"] == "22222222, valid until 2029-01-02"
    assert hero_facts(here, node(), None, {})["old"] == "none"


def test_the_usual_time_of_a_stage_is_the_median_of_finished_cards() -> None:
    """Steps of a stage add up; torn cards do not count, and a stage that was never measured has none."""

    def written(*ms: float, state: str = "COMPLETE") -> Provision:
        steps = ("chuid", "ccc", "printed")
        stages = [Stage(step=step, state="done", apdus=1, ms=one) for step, one in zip(steps, ms, strict=False)]
        return msgspec.structs.replace(provision(state), stages=stages)

    usual = usual_ms([written(1.0, 2.0), written(10.0, 20.0), written(4.0), written(900.0, state="TORN")])
    assert usual[2] == 4.0
    assert [at for at, one in enumerate(usual) if one is not None] == [2]
    assert len(usual) == len(STAGES)
