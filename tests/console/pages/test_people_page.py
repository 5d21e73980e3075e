"""One person on one page, against a real training service: what is known, what happened, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.api.keys_messages import CreateKey
from app.capabilities.burn.messages import BurnBody, ContainmentBody, ContainmentListQuery
from app.capabilities.credentials.messages import PresentBody
from app.client import ApiError
from app.console.connection.client import ConsoleClient
from app.console.moments import parse_time
from app.console.pages.people import make
from app.console.pages.people.card_lost_dialog import CardLostDialog
from app.console.pages.people.doors_dialog import DoorsDialog
from app.console.pages.people.presenter import PeoplePresenter
from app.console.pages.people.profile_view import HIDDEN_WORDS
from app.console.pages.people.words import Line
from app.console.session import WindowSession
from app.console.shell.palette_entries import Entry
from app.console.shell.search import people
from app.console.theme.tokens import Meaning
from app.registry.messages.nodes import NodeBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, dialog_of, on_screen

HOLDER, LOSER, BURNED, NEWCOMER = "ARC-T0002", "ARC-T0003", "ARC-T0004", "ARC-T0014"
PAST_ONE, PAST_TWO, PAST_THREE = "ARC-T0021", "ARC-T0022", "ARC-T0023"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> PeoplePresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "people", session, qtbot)
    return presenter


@pytest.fixture
def gone(session: WindowSession) -> list[tuple[str, dict[str, str]]]:
    """Where the page sends to."""
    seen: list[tuple[str, dict[str, str]]] = []
    session.set_navigator(lambda name, arguments: seen.append((name, arguments)))
    return seen


async def shown(page: PeoplePresenter, node_id: str) -> None:
    """The person's page, read."""
    page.enter({"node_id": node_id})
    await until(lambda: page.profile.node is not None and page.view.profile.head.about.text(), "the person")
    await until(lambda: page.history.fresh.since is not None, "the history")


def told(page: PeoplePresenter) -> list[str]:
    """The sentences of the history, newest first."""
    return [one.text for one in page.view.profile.history.rows.rows]


def words(lines: Sequence[Line]) -> list[tuple[str, Meaning | None]]:
    return [(line.word, line.state) for line in lines]


def test_enter_in_the_list_opens_the_person(page: PeoplePresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """By keys alone: the name found, Enter, the profile with its timeline under the hands; Alt+1's action goes back to
    the list where it was left."""

    async def main() -> None:
        async with connect(page):
            page.view.window().activateWindow()
            await until(page.view.window().isActiveWindow, "the keys")
            page.enter({"text": HOLDER})
            listed = page.view.everybody
            await until(lambda: [one.node_id for one in listed.rows.rows] == [HOLDER], "the person in the list")
            listed.table.setFocus()
            qtbot.keyClick(listed.table, Qt.Key.Key_Return)
            await until(lambda: page.profile.node is not None, "the profile")
            head = page.view.profile.head
            await until(lambda: head.standing.word == "Verified digital human", "the standing")
            assert (head.name.text(), head.node_id.text()) == ("Training Person 02", HOLDER)
            assert head.standing.state is Meaning.OK
            await until(page.view.profile.history.table.hasFocus, "the hands at the timeline")
            page.session.actions.trigger("people.list")
            assert not page.view.shows_profile
            assert listed.filter.text() == HOLDER

    run(main())


def test_doors_cards_and_identity_are_those_of_the_person(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Who holds a card and a grant sees the doors open; who holds neither sees none, and is no longer under the name
    of the one before."""

    async def main() -> None:
        async with connect(page) as client:
            await shown(page, HOLDER)
            view = page.view.profile
            access = await client.credentials_access(HOLDER)
            await until(lambda: len(view.doors.lines) == len(access.clusters) > 0, "the doors")
            assert {line.state for line in view.doors.lines} == {Meaning.OK}
            assert view.doors.figure.text() == f"{access.open_doors} of {access.doors}"
            assert words(view.cards.lines) == [("In use", Meaning.OK)]
            assert view.burn.isVisible()
            assert view.touches.text().startswith("A burn would touch ")
            assert any(text.startswith("Card ") and " written by " in text for text in told(page))
            page.open_person(NEWCOMER)
            assert (view.cards.lines, view.doors.lines) == ((), ())
            assert told(page) == []
            await shown(page, NEWCOMER)
            assert view.cards.foot.text() == "No card was written for this person."
            assert view.head.standing.word == "Unverified"
            assert [line.word for line in view.identity.lines] == ["Not enrolled", "Not enrolled", "Not given"]

    run(main())


def test_a_badge_at_a_door_is_told_at_once(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """By the stream, not by the next look: where the person was let in, and the sentence at the top; its line leads to
    the door."""

    async def main() -> None:
        page.profile._poll.every_s = page.history._poll.every_s = 600.0
        async with connect(page) as client:
            await until(lambda: page.session.live.state == "live", "the stream")
            await shown(page, HOLDER)
            await client.credentials_present(PresentBody(reader_id="data-hall-01", node_id=HOLDER))
            await until(lambda: told(page)[:1] == ["Let in at data-hall-01"], "the sentence")
            await until(lambda: page.view.profile.place.text() == "data-hall-01", "the place")
            panel = page.view.profile.history
            panel.lanes.setCurrentIndex(2)
            assert all(one.lane == "Card" for one in panel.rows.rows)
            panel.lanes.setCurrentIndex(1)
            seen: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: seen.append((name, arguments)))
            panel.opened.emit(panel.rows.rows[0])
            assert seen == [("readers", {"reader_id": "data-hall-01"})]

    run(main())


def test_contain_and_release_by_their_keys(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """The head, the doors and the history say so; the button that has no meaning is not there."""

    async def main() -> None:
        async with connect(page):
            await shown(page, HOLDER)
            view, actions = page.view.profile, page.session.actions
            contain, release = (view.head.buttons[f"people.{verb}"] for verb in ("contain", "release"))
            assert (contain.isVisible(), release.isVisible()) == (True, False)
            actions.trigger("people.contain")
            await until(lambda: view.head.standing.word == "Contained", "the containment")
            assert view.head.standing.state is Meaning.WARN
            assert view.head.since.text().startswith("until ")
            assert (contain.isVisible(), release.isVisible()) == (False, True)
            await until(lambda: {line.word for line in view.doors.lines} == {"Contained"}, "the doors")
            await until(lambda: told(page)[0].startswith("Contained by "), "the sentence")
            assert "Now suspended" not in " ".join(told(page))
            assert not actions.is_enabled("people.contain")
            actions.trigger("people.release")
            await until(lambda: view.head.standing.word == "Verified digital human", "the release")
            await until(lambda: told(page)[0].startswith("Released by "), "the sentence")

    run(main())


def test_one_lost_card_ends_and_the_person_stays(page: PeoplePresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Another word revokes nothing; the card's does. The card is revoked, its doors are shut, the person stands."""

    async def main() -> None:
        async with connect(page) as client:
            await shown(page, LOSER)
            before = page.profile.node
            assert before is not None
            page.session.actions.trigger("people.card_lost")
            dialog: CardLostDialog = await dialog_of(page, CardLostDialog)
            assert dialog.cards.currentText().startswith("710000")
            typed = dialog.confirm.typed
            qtbot.keyClicks(typed, "another")
            qtbot.keyClick(typed, Qt.Key.Key_Return)
            assert dialog.said.text() == f"That is not {dialog.chosen[:8]}. Nothing was revoked."
            typed.clear()
            qtbot.keyClicks(typed, dialog.chosen[:8])
            qtbot.keyClick(typed, Qt.Key.Key_Return)
            view = page.view.profile
            await until(lambda: words(view.cards.lines) == [("Revoked", Meaning.CRIT)], "the end of the card")
            await until(lambda: "No grant" in {line.word for line in view.doors.lines}, "the doors")
            await until(lambda: any("revoked by itself" in text for text in told(page)), "the sentence")
            assert not page.session.actions.is_enabled("people.card_lost")
            after = await client.registry_get_node(LOSER)
            assert after.standing == before.standing
            assert [burn.node_id for burn in (await client.burn_list()).items if burn.node_id == LOSER] == []

    run(main())


def test_doors_are_opened_for_a_while(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """The doors that a profile of the person names, for the time that is chosen."""

    async def main() -> None:
        async with connect(page):
            await shown(page, HOLDER)
            page.session.actions.trigger("people.open_doors")
            dialog: DoorsDialog = await dialog_of(page, DoorsDialog)
            dialog.cluster.setCurrentIndex(dialog.cluster.findText("Garage"))
            dialog.lifetime.setCurrentIndex(0)
            dialog.save.click()
            await until(lambda: any(text.startswith("Garage opened by ") for text in told(page)), "the sentence")
            garage = next(line for line in page.view.profile.doors.lines if line.title == "Garage")
            assert garage.state is Meaning.OK

    run(main())


@pytest.mark.parametrize(
    ("action", "target"),
    [
        ("people.write_card", "write_card"),
        ("people.burn", "burn"),
        ("people.look", "burn"),
        ("people.audit", "audit"),
    ],
)
def test_other_pages_open_filled_in(
    page: PeoplePresenter, connect: Connect, run: Run, gone: list[tuple[str, dict[str, str]]], action: str, target: str
) -> None:
    """With the person in front."""

    async def main() -> None:
        async with connect(page):
            await shown(page, HOLDER)
            page.session.actions.trigger(action)
            assert gone == [(target, {"node_id": HOLDER})]

    run(main())


def test_a_burned_person_can_only_be_looked_at(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """The head says Burned, no door is open, and nothing is offered that could give anything back."""

    async def main() -> None:
        async with connect(page) as client:
            await client.burn_execute(BurnBody(node_id=BURNED, scope="LOCAL_ONLY", reason="left"))
            await shown(page, BURNED)
            view = page.view.profile
            await until(lambda: view.head.standing.word == "Burned", "the burn")
            assert view.head.standing.state is Meaning.CRIT
            assert Meaning.OK not in {line.state for line in view.doors.lines}
            await until(lambda: any(text.startswith("Burned here alone") for text in told(page)), "the sentence")
            offered = ("write_card", "open_doors", "contain", "card_lost")
            assert [name for name in offered if page.session.actions.is_enabled(f"people.{name}")] == []

    run(main())


def test_what_may_not_be_seen_is_said_and_the_rest_stands(
    page: PeoplePresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """A key without the clearance sees neither where anybody was nor what a burn would touch."""

    async def main() -> None:
        async with connect(page) as client:
            made = await client.keys_create(CreateKey(label="reads", clearance="sovereign"))
            other = ConsoleClient(training_service.base_url, made.key, page.session.calls.add)
            page.session.attach(other, training_service.base_url, "sovereign")
            try:
                await shown(page, HOLDER)
                view = page.view.profile
                await until(lambda: view.let_in.text() == HIDDEN_WORDS, "the place")
                assert view.lasts.text() == HIDDEN_WORDS
                assert view.head.standing.word == "Verified digital human"
                assert "Card" in {one.lane for one in view.history.rows.rows}
                assert view.history.count.text().endswith("What doors decided is not shown to your roles.")
                assert page.view.banner.text == ""
            finally:
                page.session.attach(client, training_service.base_url, client.clearance)
                await other.aclose()
                await client.keys_revoke(made.kid)

    run(main())


def test_the_palette_opens_the_person_first(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Enter on a name leads to the profile, never to a burn."""

    async def main() -> None:
        async with connect(page):
            answers: list[Sequence[Entry]] = []
            people(page.session, ["people", "burn", "write_card"])(HOLDER, answers.append)
            await until(lambda: answers, "the answer")
            titles = [entry.title for entry in answers[0]]
            assert titles == [f"{verb}: Training Person 02" for verb in ("Open", "Write card", "Burn")]

    run(main())


def test_nobody_of_that_id_is_said_at_the_head(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """An id that is not registered is no empty profile."""

    async def main() -> None:
        async with connect(page) as client:
            with pytest.raises(ApiError):
                await client.registry_get_node("ARC-NOBODY")
            page.enter({"node_id": "ARC-NOBODY"})
            await until(lambda: page.view.banner.text, "the refusal")
            assert "ARC-NOBODY" in page.view.banner.text
            assert page.view.profile.head.standing.word == "Being read"

    run(main())


# --- the past ---------------------------------------------------------------------------------------------------------


async def at_moments(page: PeoplePresenter, client: ConsoleClient, node_id: str) -> tuple[float, float, float]:
    """Contains and burns a person; Unix times before it, between both, and after it."""
    live = page.session.live
    before = live.now()
    made = await client.containments_contain(ContainmentBody(node_id=node_id, seconds=600))
    held = parse_time(made.since)
    burn = await client.burn_execute(BurnBody(node_id=node_id, scope="LOCAL_ONLY", reason="the test"))
    return before, held, parse_time(burn.timestamp)


def test_the_profile_shows_how_the_person_stood(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Before, while contained, and after the burn; live is as the registry says."""

    async def main() -> None:
        async with connect(page) as client:
            before, held, _burned = await at_moments(page, client, PAST_ONE)
            await shown(page, PAST_ONE)
            head = page.view.profile.head
            words = []
            for at in (before, held):
                page.session.shown_time.go_to(at)
                await until(lambda: head.standing.word not in ("Burned", "Not known", "Asking"), "the standing of then")
                words.append(head.standing.word)
            assert words == ["Unverified", "Contained"]
            assert "says leaf" in head.since.text()
            page.session.shown_time.go_live()
            assert head.standing.word == "Burned"

    run(main())


def test_what_happened_later_is_not_in_the_history_of_then(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """It ends at the moment, and is whole again when live."""

    async def main() -> None:
        async with connect(page) as client:
            await at_moments(page, client, PAST_TWO)
            await shown(page, PAST_TWO)
            await until(lambda: any("Burned" in one for one in told(page)), "the burn")
            listed = await client.containments_list(query=ContainmentListQuery(node_id=PAST_TWO, state="burned"))
            page.session.shown_time.go_to(parse_time(listed.items[0].since))
            assert told(page)[0].startswith("Contained")
            assert not any("Burned" in one for one in told(page))
            page.session.shown_time.go_live()
            assert any("Burned" in one for one in told(page))

    run(main())


def test_what_is_of_now_is_named_so_in_the_past(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Doors, cards, identity and what a burn would touch are not known of then."""

    async def main() -> None:
        async with connect(page):
            await shown(page, HOLDER)
            view = page.view.profile
            panels = (view.where, view.doors, view.cards, view.identity)
            page.session.shown_time.go_to(page.session.live.now() - 5.0)
            assert {one.title.text().split()[-1] for one in panels} == {"now"}
            assert view._touches_now.isVisible()
            page.session.shown_time.go_live()
            assert [one.title.text() for one in panels] == ["Where", "Doors open now", "Cards", "Identity"]
            assert not view._touches_now.isVisible()

    run(main())


def test_a_moment_before_the_person_was_registered_is_not_known(
    page: PeoplePresenter, connect: Connect, run: Run
) -> None:
    """Nothing is said of it but that."""

    async def main() -> None:
        async with connect(page) as client:
            node = await client.registry_put_node("ARC-PAST-NEW", NodeBody(display_name="New Person"))
            await shown_as(page, node.node_id)
            page.session.shown_time.go_to(parse_time(node.created_at) - 5.0)
            head = page.view.profile.head
            assert (head.standing.word, head.standing.state) == ("Not known", Meaning.IDLE)
            assert head.since.text().startswith("Registered ")
            assert head.about.text() == "name of now"

    run(main())


def test_the_list_shows_how_people_stood(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Those who changed since and those who did not; what opens now has no value."""

    async def main() -> None:
        async with connect(page) as client:
            before, held, _burned = await at_moments(page, client, PAST_THREE)
            page.enter({})
            rows, columns = page.view.everybody.rows, page.view.everybody.rows.columns
            named = {column.title: column for column in columns}

            def told_of(node_id: str, column: str) -> str:
                return named[column].text(rows.rows[rows.row_of(node_id)])

            await until(lambda: rows.row_of(PAST_THREE) >= 0, "the list")
            assert told_of(PAST_THREE, "STANDING") == "Revoked"
            for at, word in ((before, "Unverified"), (held, "Suspended")):
                page.session.shown_time.go_to(at)
                await until(lambda word=word: told_of(PAST_THREE, "STANDING") == word, word)
                assert told_of(HOLDER, "STANDING") == "Verified digital human"
                assert told_of(HOLDER, "OPEN") == "–"
            page.session.shown_time.go_live()
            assert told_of(PAST_THREE, "STANDING") == "Revoked"

    run(main())


async def shown_as(page: PeoplePresenter, node_id: str) -> None:
    """The person's page, read; the registry may know no more than the name."""
    page.enter({"node_id": node_id})
    await until(lambda: page.profile.node is not None, "the person")


def test_enter_in_the_list_beside_opens_the_next_person(
    page: PeoplePresenter, connect: Connect, run: Run, qtbot: Any
) -> None:
    """The cursor stands on the person in front, Alt+3's action goes there, and the hands stay in the list."""

    async def main() -> None:
        async with connect(page):
            page.view.resize(3644, 2060)
            await shown(page, PAST_ONE)
            listed = page.view.everybody
            await until(lambda: listed.chosen is not None and listed.chosen.node_id == PAST_ONE, "the cursor")
            assert page.session.actions.trigger("people.beside")
            assert page.view.focusWidget() is listed.table
            qtbot.keyClick(listed.table, Qt.Key.Key_Down)
            qtbot.keyClick(listed.table, Qt.Key.Key_Return)
            await until(lambda: page.profile.node is not None and page.profile.node.node_id == PAST_TWO, "the next")
            assert page.view.focusWidget() is listed.table

    run(main())


def test_beside_a_person_the_list_changes_nobody(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """What can be done is about the person in front: who is under the cursor of the list cannot be deleted."""

    async def main() -> None:
        async with connect(page):
            page.view.resize(3644, 2060)
            await shown(page, PAST_ONE)
            await until(lambda: page.view.everybody.chosen is not None, "the list")
            assert not page.session.actions.is_enabled("people.delete")
            page.show_everybody()
            await until(lambda: page.session.actions.is_enabled("people.delete"), "the list alone")

    run(main())
