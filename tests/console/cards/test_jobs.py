"""What becomes of a card that is written, without a window or a service."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.messages import ProvisionEvent, Stage
from app.console.cards.jobs import STAGES, STEP_WORDS, JobPhase, group_stages, torn_of
from app.console.widgets import stepper
from hardware.cards.steps import STEPS
from tests.console.cards.samples import card, job, provision


def test_every_step_of_the_service_stands_in_one_stage() -> None:
    """A step that the stepper does not know would never be shown."""
    assert [step for _, steps in STAGES for step in steps] == list(STEPS)


def test_every_step_has_words() -> None:
    """The raw name of a step never reaches the operator."""
    assert set(STEP_WORDS) == set(STEPS)


def test_an_overtaken_reply_does_not_reopen_a_finished_job() -> None:
    """The answer "runs" that arrives after the end would leave the page at "Writing" for ever."""
    ended = job(JobPhase.RUNNING)
    ended.take_reply(provision("COMPLETE"))
    ended.take_reply(provision("RUNNING"))
    assert ended.phase is JobPhase.COMPLETE
    assert ended.provision is not None
    assert ended.provision.state == "COMPLETE"


def test_a_torn_card_finds_its_provisioning() -> None:
    """After a restart of the console the person is known again."""
    assert torn_of(card("torn"), [provision()]) is not None


def test_a_reader_s_name_is_no_name_of_its_card() -> None:
    """Two blank cards in the same reader are not the same card."""
    assert job(JobPhase.TORN).same_card(card(uid="70000002")) is False


@pytest.mark.parametrize("hardware_uid", ["70000001", "reader:Reader 1"])
def test_the_next_blank_card_is_not_the_one_that_was_written(hardware_uid: str) -> None:
    """Nobody here saw the first card: the service's name of it tells them apart, or that it was pulled out."""
    made = job(JobPhase.COMPLETE)
    made.names = frozenset()
    made.take_reply(msgspec.structs.replace(provision("COMPLETE"), hardware_uid=hardware_uid))
    if hardware_uid.startswith("reader:"):
        assert made.same_card(card(uid="70000002")) is None
        made.pulled = True
    assert made.same_card(card(uid="70000002")) is False


def test_a_card_is_not_called_another_before_its_new_guid_is_heard() -> None:
    """The card's own event may come before the reply that names it."""
    made = job(JobPhase.COMPLETE)
    made.names = frozenset({"22222222-2222-4222-8222-222222222222"})
    written = card("provisioned", uid="11111111-1111-4111-8111-111111111111")
    assert made.same_card(written) is None
    made.take_reply(provision("COMPLETE"))
    assert made.same_card(written) is True


def test_events_that_the_reply_overtook_change_nothing() -> None:
    """The stream hands events out each 100 ms; the reply of a fast card comes first."""
    made = job(JobPhase.RUNNING)
    made.take_reply(provision("COMPLETE"))
    late = Stage(step="identify", state="running", apdus=0, ms=None)
    made.take_event(ProvisionEvent(provision_id="prv_1", node_id="", reader="", state="RUNNING", stage=late))
    assert made.phase is JobPhase.COMPLETE
    assert not made.stages


def test_a_stage_after_the_told_end_is_of_another_attempt() -> None:
    """Another console took the torn card up again: it is seen here."""
    made = job(JobPhase.RUNNING)
    made.ours = False
    event = {"provision_id": "prv_1", "node_id": "", "reader": ""}
    made.take_event(ProvisionEvent(**event, state="TORN", stage=None))
    stage = Stage(step="identify", state="running", apdus=0, ms=None)
    made.take_event(ProvisionEvent(**event, state="RUNNING", stage=stage))
    assert made.phase is JobPhase.RUNNING


def test_a_stage_shows_its_apdus_and_its_time() -> None:
    """Sums of the steps in it."""
    stages = {
        "9C.generate": Stage(step="9C.generate", state="done", apdus=1, ms=5.0),
        "9C.certificate": Stage(step="9C.certificate", state="done", apdus=2, ms=7.0),
    }
    assert group_stages(stages)[4] == (stepper.StageState.DONE, "3 · 12 ms")


def test_a_failed_step_fails_its_stage() -> None:
    """Where it broke is seen at once."""
    assert group_stages({"pin": Stage(step="pin", state="failed", apdus=1, ms=1.0)})[3][0] is stepper.StageState.FAILED
