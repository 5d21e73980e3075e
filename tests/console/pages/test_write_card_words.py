"""What the operator of Write card is told: pure words and states, without a window or a service."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.provisioning.messages import Card, CardList, FipsVerdict, Provision, ProvisionEvent, Stage
from app.console.cards.jobs import STAGES, STEP_WORDS, CardJob, JobPhase, group_stages, torn_of
from app.console.cards.mailer_file import MailerFile
from app.console.cards.words import card_words, service_words
from app.console.failures import Failure
from app.console.pages.write_card.apdu_words import instruction_words, status_words
from app.console.pages.write_card.next_step import situation
from app.console.theme.tokens import Meaning
from app.console.widgets import stepper
from app.registry.messages import Node
from hardware.cards.steps import STEPS

AT = "2026-03-01T10:00:00.000000Z"


def card(
    state: str | None = "blank", *, uid: str = "70000001", present: bool = True, detail: str | None = None
) -> Card:
    """A card in a reader."""
    return Card(
        reader="Reader 1",
        atr="3B00",
        hardware_uid=uid if present else None,
        uid_source="reader" if uid.startswith("reader:") else "serial",
        aliases=["reader:Reader 1"],
        card_guid=None,
        node_id="ARC-T0002" if state == "provisioned" else None,
        state=state,  # type: ignore[arg-type]
        present=present,
        detail=detail,
    )


def node(standing: str = "UNVERIFIED") -> Node:
    """A person."""
    return Node(
        node_id="ARC-T0020", display_name="Training Person 20", employee_id=None, email=None, notes=None,
        directory_accounts=[], tags=[], standing=standing, verified_at=None, credentials=[], live_checks=[],  # type: ignore[arg-type]
        templates=[], created_at=AT, changed_at=AT,
    )  # fmt: skip


def provision(state: str = "TORN") -> Provision:
    """A provisioning of card 70000001."""
    return Provision(
        provision_id="prv_1", node_id="ARC-T0020", hardware_uid="70000001", hardware_uid_now=None, state=state,  # type: ignore[arg-type]
        card_guid="11111111-1111-4111-8111-111111111111", slots=[],
        fips=FipsVerdict(required="FIPS 201-3", verdict="UNKNOWN", evidence="none", module=None, certificate=None),
        verification=None, apdu_count=0, duration_ms=0.0, receipt_url=None, standing="UNVERIFIED", timestamp=AT,
    )  # fmt: skip


def job(phase: JobPhase) -> CardJob:
    """A job of card 70000001."""
    made = CardJob(
        "Reader 1", "ARC-T0020", "FIPS 201-3", "70000001", frozenset({"70000001"}), person="Training Person 20"
    )
    made.phase = phase
    if phase is JobPhase.TORN:
        made.provision = provision()
    return made


def test_every_step_of_the_service_stands_in_one_stage() -> None:
    """A step that the stepper does not know would never be shown."""
    assert [step for _, steps in STAGES for step in steps] == list(STEPS)


def test_every_step_has_words() -> None:
    """The raw name of a step never reaches the operator."""
    assert set(STEP_WORDS) == set(STEPS)


@pytest.mark.parametrize("state", ["provisioned", "foreign", "locked", "busy", "not_piv"])
def test_a_card_that_is_not_written_says_why_and_what_to_do(state: str) -> None:
    """A refusal without a remedy leaves the operator alone."""
    words = card_words(card(state))
    assert not words.writable
    assert words.remedy.endswith(".")


def test_a_reader_service_that_is_away_names_the_remedy() -> None:
    """PC/SC down: the command that starts it."""
    state, word, remedy = service_words(CardList(items=[], service="down", detail="no service"), training=False)
    assert (state, word) == (Meaning.BAD, "PC/SC down")
    assert "pcscd" in remedy


def test_simulated_readers_need_no_reader_service() -> None:
    """A training site without pcscd: nothing is wrong, and the note says what there is."""
    simulated = msgspec.structs.replace(card(), simulated=True)
    state, word, note = service_words(CardList(items=[simulated], service="down", detail="away"), training=True)
    assert (state, word) == (Meaning.IDLE, "Simulated readers")
    assert note == "No PC/SC service: simulated readers only."


@pytest.mark.parametrize("standing", ["REVOKED", "SUSPENDED"])
def test_a_written_card_is_worth_no_more_than_its_holder(standing: str) -> None:
    """No green and nothing to write for a card whose holder is burned or contained; what to do with it is said."""
    standings = {"ARC-T0002": standing}
    words = card_words(card("provisioned"), standings)
    assert (words.state, words.writable) == (Meaning.CRIT, False)
    told = situation(card("provisioned"), None, None, None, "", standings)
    assert (told.state, told.can_write, told.sentence) == (Meaning.CRIT, False, words.remedy)


def test_an_overtaken_reply_does_not_reopen_a_finished_job() -> None:
    """The answer "runs" that arrives after the end would leave the page at "Writing" for ever."""
    ended = job(JobPhase.RUNNING)
    ended.take_reply(provision("COMPLETE"))
    ended.take_reply(provision("RUNNING"))
    assert ended.phase is JobPhase.COMPLETE
    assert ended.provision is not None
    assert ended.provision.state == "COMPLETE"


def test_after_a_burn_the_written_card_has_no_next_step() -> None:
    """ "Next: grant access" for a burned holder would be a lie."""
    told = situation(card("provisioned"), job(JobPhase.COMPLETE), node(), None, "", {"ARC-T0020": "REVOKED"})
    assert told.state is Meaning.CRIT
    assert "destroy it" in told.sentence


def test_write_waits_for_the_person() -> None:
    """A blank card alone is no order."""
    told = situation(card(), None, None, None, "")
    assert not told.can_write
    assert told.headline == "Who holds this card?"


def test_a_blank_card_and_a_person_are_ready() -> None:
    """The order is complete."""
    assert situation(card(), None, node(), None, "").can_write


@pytest.mark.parametrize("standing", ["REVOKED", "SUSPENDED"])
def test_nobody_burned_or_contained_gets_a_card(standing: str) -> None:
    """The service refuses it too; here it is said before."""
    told = situation(card(), None, node(standing), None, "")
    assert (told.can_write, told.state) == (False, Meaning.CRIT)


def test_a_card_pulled_out_is_a_state_that_asks_for_the_same_card() -> None:
    """Red, with the card's name, and no error box."""
    told = situation(card(None, present=False), job(JobPhase.TORN), node(), None, "")
    assert told.state is Meaning.BAD
    assert "SAME" in told.headline
    assert "70000001" in told.sentence


def test_another_card_is_refused_with_both_names() -> None:
    """The operator sees which card lies there and which is awaited."""
    told = situation(card(uid="70000002"), job(JobPhase.TORN), node(), None, "")
    assert not told.can_write
    assert "70000002" in told.sentence
    assert "70000001" in told.sentence


def test_the_same_card_may_be_finished() -> None:
    """The same call resumes."""
    assert situation(card("torn"), job(JobPhase.TORN), node(), None, "").can_write


def test_a_lost_answer_is_unknown_and_asked_again() -> None:
    """Neither success nor failure is claimed."""
    assert situation(card("busy"), job(JobPhase.ASKING), node(), None, "").headline == "Unknown, asking"


def test_stale_readers_leave_no_green() -> None:
    """A silent service: the idle ring and since when."""
    told = situation(card(), None, node(), None, "STALE since 10:00:00")
    assert (told.state, told.can_write) == (Meaning.IDLE, False)


def test_a_refusal_is_told_in_the_service_s_words() -> None:
    """The sentence of the problem document."""
    refused = job(JobPhase.REFUSED)
    refused.failure = Failure("card_locked", "The PUK of this card is blocked; use another card.")
    assert situation(card("locked"), refused, node(), None, "").sentence == refused.failure.sentence


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
        "9A.generate": Stage(step="9A.generate", state="done", apdus=1, ms=5.0),
        "9A.certificate": Stage(step="9A.certificate", state="done", apdus=2, ms=7.0),
    }
    assert group_stages(stages)[3] == (stepper.StageState.DONE, "3 · 12 ms")


def test_a_failed_step_fails_its_stage() -> None:
    """Where it broke is seen at once."""
    assert group_stages({"pin": Stage(step="pin", state="failed", apdus=1, ms=1.0)})[8][0] is stepper.StageState.FAILED


@pytest.mark.parametrize(
    ("word", "words"),
    [("9000", "9000 done"), ("63C2", "63C2 2 tries left"), ("6110", "6110 16 bytes follow"), ("", "no answer")],
)
def test_status_words_are_told_in_words(word: str, words: str) -> None:
    """ISO/IEC 7816-4."""
    assert status_words(word) == words


@given(st.text(max_size=12))
def test_no_trace_breaks_the_words(text: str) -> None:
    """Whatever a trace holds is shown, never raised."""
    assert isinstance(status_words(text), str)
    assert isinstance(instruction_words(text), str)


def test_the_mailer_s_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    """The PIN stands in it."""
    file = MailerFile(tmp_path / "pin.pdf")
    file.reserve()
    file.fill(b"%PDF-1")
    assert file.path.read_bytes() == b"%PDF-1"
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_a_taken_name_is_not_overwritten(tmp_path: Path) -> None:
    """Another person's mailer may lie there."""
    (tmp_path / "pin.pdf").write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        MailerFile(tmp_path / "pin.pdf").reserve()
    assert (tmp_path / "pin.pdf").read_bytes() == b"kept"


def test_a_full_disk_is_known_before_the_pin_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The room is taken first; nothing is left of it when it cannot be had."""

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        MailerFile(tmp_path / "pin.pdf").reserve()
    assert not list(tmp_path.iterdir())
