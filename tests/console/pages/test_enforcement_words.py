"""What the enforcement page says of laws, notices and clocks, of every state."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from app.capabilities.enforcement.messages import DeclarantShown, NoticeRow, StrikeEvidence, StrikePreview, StrikeState
from app.console import theme
from app.console.pages.enforcement.fitted import without_last_parts
from app.console.pages.enforcement.law_words import clock_words, evidence_words, law_elements, law_paper, sign_off_note
from app.console.pages.enforcement.words import (
    ANSWERED,
    STATE_HINTS,
    STATES,
    STRIKE_STATES,
    appeal_words,
    board_rows,
    elapsed_share,
    ends_words,
    kind_and_law,
    moves,
    next_step,
    notice_clock,
    notice_state,
    span,
    strike_facts,
)
from app.console.theme.tokens import Meaning
from app.delivery.messages import NoticeState
from tests.console.pages.strike_samples import (
    HOUR,
    NOW,
    TOKEN,
    at,
    copyright_law,
    ended_notices,
    every_notice,
    evidence,
    indian_law,
    law,
    missing,
    notice,
    strike,
)


def row(one: object) -> NoticeRow:
    """That notice on the board."""
    return NoticeRow(
        strike_id="str_1", tracking_token=TOKEN, enforcement_jurisdiction="EU", created_at=at(-3), notice=one,  # type: ignore[arg-type]
    )  # fmt: skip


def preview(**changes: object) -> StrikePreview:
    """A preview of the DSA's draft in which the exact location is missing."""
    values: dict[str, object] = {
        "law": strike().law, "evidence": evidence(), "present": ["reasons", "sender", "good_faith"],
        "missing": [missing()], "warnings": [], "notices": [], "attestation": "I believe", "pdf": "",
    }  # fmt: skip
    return StrikePreview(**(values | changes))  # type: ignore[arg-type]


def test_every_state_of_the_contract_has_a_word_and_a_sentence() -> None:
    """A state without one would fail on the board of somebody at night."""
    assert set(STATES) == set(STATE_HINTS) == set(get_args(NoticeState))
    assert set(STRIKE_STATES) == set(get_args(StrikeState))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (30, "less than 1 min"),
        (59 * 60, "59 min"),
        (11 * HOUR + 31 * 60, "11 h 31 min"),
        (36 * HOUR + 60, "36 h"),
        (56 * HOUR, "56 h"),
        (76 * HOUR, "3 d 4 h"),
        (168 * HOUR, "7 d"),
    ],
)
def test_times_are_said_in_two_units_at_most(seconds: float, said: str) -> None:
    """As people say them, rounded down: no time is promised that is not there."""
    assert span(seconds) == said


def test_a_clock_warns_from_three_quarters_on() -> None:
    """The bar, the sign and the word change together, and the word says how much is left."""
    calm = notice(sent_at=at(-35), deadline=at(13), follow_up_at=None)
    near = notice(sent_at=at(-36), deadline=at(12), follow_up_at=None)
    assert notice_clock(calm, NOW).state is Meaning.WORK
    assert notice_state(calm, NOW) == (Meaning.IDLE, "Sent, waits")
    clock = notice_clock(near, NOW)
    assert (clock.share, clock.state) == (0.75, Meaning.WARN)
    assert (clock.words, clock.until) == ("12 h 0 min left".replace(" 0 min", ""), "until 2026-11-26 04:00")
    assert notice_state(near, NOW) == (Meaning.WARN, "12 h left")


def test_a_deadline_that_passed_is_told_with_its_moment() -> None:
    """Also before the service has marked the notice as expired."""
    over = notice(sent_at=at(-50), deadline=at(-1.2), follow_up_at=None)
    assert notice_state(over, NOW) == (Meaning.BAD, "Overdue")
    clock = notice_clock(over, NOW)
    assert (clock.words, clock.until, clock.share) == ("over by 1 h 12 min", "since 2026-11-25 14:48", 1.0)


def test_without_hours_in_the_law_the_next_question_is_the_clock() -> None:
    """It counts up to the moment at which the platform is asked again, and says that this is it."""
    clock = notice_clock(notice(sent_at=at(-16), follow_up_at=at(56)), NOW)
    assert (clock.words, clock.state) == ("asked again in 56 h", Meaning.WORK)
    assert clock.share == pytest.approx(16 / 72)
    assert notice_clock(notice(follow_up_at=at(-1)), NOW).words == "to be asked again now"


def test_business_days_are_said_to_be_about() -> None:
    """Holidays are not counted, and the clock says so."""
    clock = notice_clock(notice(deadline=at(100), deadline_about=True, follow_up_at=None), NOW)
    assert clock.words.startswith("about ")


def test_no_clock_yet_says_why() -> None:
    """Held for what is missing, held for a release, a form to fill in, a refusal, an attempt to come."""
    said = {one.notice_id[-2:]: notice_clock(one, NOW).words for one in every_notice()}
    assert said["03"] == "no clock yet: mailbox unknown, 550"
    assert said["05"] == "no clock yet: a person fills in the platform's form"
    assert said["06"] == "no clock yet: 1 missing"
    assert said["07"] == "no clock yet: waits for your release"
    assert said["08"] == "no clock yet: the relay does not answer, again at 16:12:00"
    assert said["0c"] == "no clock yet: it is being sent"


def test_each_state_offers_the_step_that_is_possible() -> None:
    """What goes on by itself or has ended offers none."""
    steps = {one.notice_id[-2:]: (step.word if (step := next_step(one)) else "") for one in every_notice()}
    assert list(steps.values()) == [
        "Second notice…", "Record outcome…", "Send again…", "Send again…", "Open helper…", "Supply details…",
        "Release…", "", "Record outcome…", "Appeal…", "Appeal…", "",
    ]  # fmt: skip
    assert [next_step(one) for one in ended_notices()] == [None, None, None]


@pytest.mark.parametrize("state", sorted(set(STATES) - ANSWERED))
def test_a_clock_runs_only_where_an_answer_is_awaited(state: NoticeState) -> None:
    """A notice that has not left, or has ended, has none, whatever its times say."""
    assert elapsed_share(notice(state=state, deadline=at(1)), NOW) is None


def test_a_platform_that_acted_is_told_by_what_it_did() -> None:
    """Green is what was done, never that something was sent."""
    removed, labelled, withdrawn = ended_notices()
    assert notice_state(removed, NOW) == (Meaning.OK, "Removed")
    assert notice_state(labelled, NOW) == (Meaning.OK, "Labelled")
    assert notice_state(withdrawn, NOW) == (Meaning.IDLE, "Withdrawn")
    assert [one for one in every_notice() if notice_state(one, NOW)[0] is Meaning.OK] == []
    assert ends_words([row(one) for one in ended_notices()]) == "1 removed, 1 labelled, 1 withdrawn"


def test_an_attempt_that_failed_is_no_normal_work() -> None:
    """A queue that tries again is looked at; one that begins is not."""
    by_id = {one.notice_id[-2:]: notice_state(one, NOW) for one in every_notice()}
    assert by_id["08"] == (Meaning.WARN, "Sent again soon")
    assert by_id["0c"] == (Meaning.WORK, "Queued")


def test_the_board_keeps_the_order_of_the_service() -> None:
    """It knows what is urgent; the page sorts nothing."""
    rows = [row(one) for one in every_notice()]
    assert [one.notice.notice_id for one in board_rows(rows, NOW)] == [one.notice.notice_id for one in rows]


def test_kind_law_and_time_stand_together() -> None:
    """The time is that which the law gave from the sending; about business days there is none in hours."""
    assert kind_and_law(row(notice(kind="takedown", sent_at=at(-1), deadline=at(47)))) == "Takedown · EU, 48 h"
    assert kind_and_law(row(notice())) == "Declaration · EU"
    assert kind_and_law(row(notice(deadline=at(90), deadline_about=True))) == "Declaration · EU"


# --- laws -------------------------------------------------------------------------------------------------------------


def test_an_element_that_is_there_says_what_is_there() -> None:
    """One that is missing says what to supply, in the service's words, and which field does."""
    said = {"/statement": "180 characters", "/declarant/name": "Training Person 33", "/declarant/email": "a@b.example"}
    found = {one.id: one for one in law_elements(law(), preview(), said)}
    assert [one.there for one in found.values()] == [True, False, True, True]
    assert found["reasons"].detail == "180 characters"
    assert found["sender"].detail == "Training Person 33; a@b.example"
    assert found["good_faith"].detail == "It is there"
    assert (found["location"].detail, found["location"].pointer) == (missing().detail, "/content_urls")


def test_before_the_first_check_nothing_is_there() -> None:
    """Each element names the fields that it waits for."""
    found = law_elements(law(), None, {"/statement": "180 characters"})
    assert not any(one.there for one in found)
    assert found[2].detail == "Waits for: declared by, e-mail"


def test_what_is_missing_beyond_the_law_stands_below_it() -> None:
    """The work that automatic dispatch asks for in every jurisdiction has no element of its own."""
    extra = missing("dispatch_work", "/work")
    found = law_elements(law(), preview(missing=[extra], present=[one.id for one in law().elements]), {})
    assert [one.there for one in found] == [True, True, True, True, False]
    assert (found[-1].title, found[-1].pointer) == ("Copyrighted work", "/work")


def test_an_element_both_present_and_missing_is_missing() -> None:
    """Of two words of the service the careful one holds."""
    found = law_elements(law(), preview(present=[one.id for one in law().elements]), {})
    assert [one.there for one in found] == [True, False, True, True]


def test_the_clock_of_a_law_follows_the_nature() -> None:
    """Before it is chosen all times are named; without hours the next question is."""
    assert clock_words(indian_law(), "morphed") == "36 h from sending"
    assert clock_words(indian_law(), "other") == "7 d from sending"
    assert clock_words(indian_law(), None) == (
        "2 h for nudity and impersonation; 36 h for morphed picture; 7 d for every other"
    )
    assert clock_words(law(), None) == "no hours in the law; asked again after 72 h"
    assert "the goal is 48 h" in clock_words(law(goal_hours=48), None)


def test_a_file_past_its_review_is_told_in_red() -> None:
    """Whoever signed it; without a sign-off it is a warning; with one that holds there is none."""
    assert sign_off_note(copyright_law(signed_off=True), training=False)[0] is Meaning.BAD
    state, sentence, detail = sign_off_note(law(), training=False)
    assert (state, sentence) == (Meaning.WARN, "No lawyer has signed this file off.")
    assert detail == "Everything under it is held."
    assert "this machine alone" in sign_off_note(law(), training=True)[2]
    assert sign_off_note(indian_law(), training=False)[1] == ""


def test_the_paper_of_a_law_has_sources_bills_and_what_the_site_changed() -> None:
    """The page hides nothing that the file says of itself."""
    paper = law_paper(law(overridden=True, difference="-old\n+new"), [("NO-FAKES", "NO FAKES Act", "a bill")])
    for part in ("Regulation (EU) 2022/2065, art. 16", "nobody yet", "NO-FAKES", "+new", "CSAM", "72 h"):
        assert part in paper


# --- letters and facts ------------------------------------------------------------------------------------------------


def test_words_for_an_appeal_are_facts_of_the_strike() -> None:
    """Reference, moment of sending, what became of it, addresses, hash; nothing that the strike does not say."""
    refused = notice(state="rejected", reference="B-1")
    said = appeal_words(strike(), refused, NOW)
    for part in (
        f"{TOKEN}.1",
        "yours: B-1",
        "2026-11-25 14:00:00 UTC",
        "refused",
        "https://a.training.example/v/88121",
    ):
        assert part in said
    over = notice(state="expired", deadline=at(-1), deadline_basis="rule 3(2)(b)")
    assert "(rule 3(2)(b)) ended on 2026-11-25 15:00:00 UTC" in appeal_words(strike(), over, NOW)
    assert "objected" in appeal_words(strike(), notice(state="countered"), NOW)


@pytest.mark.parametrize(
    ("by", "said"), [("op_1", "UTC, by op_1"), ("key_1", "with the key key_1"), (None, "with the key of the site")]
)
def test_who_attested_is_a_person_or_a_key(by: str | None, said: str) -> None:
    """An operator's id is replaced by the name where it is shown."""
    shown = DeclarantShown(
        name="Training Person",
        capacity="the person shown",
        attested=True,
        attested_at="2026-03-01T10:00:00.000000Z",
        attested_by=by,
    )
    assert strike_facts(strike(declarant=shown))["attested"].endswith(said)


def test_every_fact_of_a_strike_has_words() -> None:
    """A dash would leave open whether there is none or nobody knows."""
    bare = strike(content_urls=[], statement=None, declarant=None, work=None, mandate=None)
    assert all(strike_facts(bare).values())
    assert all(strike_facts(strike()).values())


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (10_000, "EU · Digital Services Act, Regulation (EU) 2022/2065, article 16"),
        (300, "EU · Digital Services Act, Regulation (EU) 2022/2065"),
        (200, "EU · Digital Services Act"),
    ],
)
def test_a_law_loses_whole_parts_before_a_word_is_cut(room: int, shown: str, application: QApplication) -> None:
    """Its name is what people know; the number of the regulation is in the tooltip."""
    metrics = QFontMetrics(theme.ui())
    whole = "EU · Digital Services Act, Regulation (EU) 2022/2065, article 16"
    scale = metrics.horizontalAdvance("EU · Digital Services Act, Regulation (EU) 2022/2065") / 290
    assert without_last_parts(whole, metrics, round(room * scale)) == shown
    assert without_last_parts(whole, metrics, round(60 * scale)).endswith("…")


def test_evidence_is_told_without_its_id() -> None:
    """That stands in the field; of a scan what was judged is told, of a seal there is no verdict."""
    scan = StrikeEvidence(
        kind="scan", ref="scan_1", known=True, title="Media scan scan_1 of this site",
        facts=["Scanned at noon, state COMPLETED.", "Verdict MANIPULATED, score 0.993."],
    )  # fmt: skip
    assert evidence_words(scan) == "Media scan, Manipulated"
    assert evidence_words(StrikeEvidence(kind="seal", ref="K", known=True, title="Seal K")) == "Seal"


def test_an_attempt_without_a_reason_says_that_it_failed() -> None:
    """No reason is made up."""
    again = notice(state="queued", sent_at=None, follow_up_at=None, attempts=2, fault=None, next_attempt_at=at(0.2))
    assert notice_clock(again, NOW).words.startswith("no clock yet: the last attempt failed, again at ")


@pytest.mark.parametrize(
    ("changes", "soon"),
    [
        ({"state": "sending"}, True),
        ({"state": "queued"}, True),
        ({"state": "queued", "next_attempt_at": at(-1)}, True),
        ({"state": "queued", "next_attempt_at": at(5)}, False),
        ({"state": "sent"}, False),
    ],
)
def test_what_is_on_its_way_is_looked_at_again_soon(changes: dict[str, str], soon: bool) -> None:
    """An attempt that is hours away is not."""
    assert moves(notice(**changes), NOW) is soon
