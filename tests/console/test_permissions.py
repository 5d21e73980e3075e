"""What a role may not do is not offered: actions, the calls that they make, and the roles of the operation table."""

from __future__ import annotations

import ast
import csv
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from app.api.roles import ANY_ROLE, Role
from app.approvals.messages import KIND_ROLES
from app.client.calls import CALL_ROLES, Calls
from app.console import theme
from app.console.actions import Action, ActionTable, Effect
from app.console.application import make_application
from app.console.desk_state import DeskOperator
from app.console.pages import PAGES
from app.console.permissions import Permissions
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.cheatsheet import CheatSheet
from app.console.shell.palette import Palette
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK
from app.console.widgets.buttons import ActionButton
from tests.console.built import built

CONSOLE = Path(__file__).parents[2] / "app/console"
MATRIX = Path(__file__).parents[1] / "service/operators/roles.csv"
OWN_KEY = {"connection/client.py"}
"""Calls that a console makes by its own key, whoever is at the desk: it registers itself as a unit."""
HERE = {
    "hr.source_test", "media.cancel", "media.clear", "media.pause", "seals.trust", "stock.makers",
    "verify.voice_drop", "verify.voice_mode", "verify.voice_replay", "verify.voice_reset", "verify.voice_speak",
}  # fmt: skip
"""What changes this console alone, or asks by itself in a dialog; a signed HR event is no operator's call."""
FOR_SOME = {call for call, roles in CALL_ROLES.items() if roles != ANY_ROLE}
"""Calls that some role may not make."""


def matrix() -> dict[str, set[Role]]:
    """The checked-in matrix, which is compared with a running service: who may make each call."""
    with MATRIX.open() as file:
        return {
            line["operation"].replace(".", "_"): {role for role in Role if line[role]} for line in csv.DictReader(file)
        }


def calls_in(text: str) -> tuple[set[str], set[str]]:
    """The calls for some roles that this source names as the client's methods, and those that it asks about."""
    tree = ast.parse(text)
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    made = {node.attr for node in attributes if ast.unparse(node.value).endswith("client")} & FOR_SOME
    asked = {
        word.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("may", "refusal")
        for word in ast.walk(node)
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    }
    return made, asked


def sit_down(session: WindowSession, *roles: Role) -> None:
    """An operator with these roles is at the desk."""
    session.operator = DeskOperator("op_0000000000000001", "Somebody", frozenset(roles))
    session.actions.refresh()


def of_roles(*roles: Role) -> Permissions:
    """What an operator with these roles may do."""
    return Permissions(lambda: frozenset(roles))


@dataclass(frozen=True)
class Desk:
    """A window's session, and the actions of each page."""

    session: WindowSession
    pages: Mapping[str, Sequence[Action]]

    @property
    def actions(self) -> list[Action]:
        """Those of all pages."""
        return [action for some in self.pages.values() for action in some]


@pytest.fixture(scope="module")
def desk(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """All pages of the console, made once."""
    theme.apply(make_application(), DARK)
    owner = QWidget()
    preferences = PreferenceStore(tmp_path_factory.mktemp("permissions") / "preferences.json")
    session = WindowSession(profile="training", preferences=preferences, actions=ActionTable(owner), parent=owner)
    session.live = Live(session.clock, owner)
    pages = {row.id: built(importlib.import_module(f"app.console.pages.{row.id}"), session).actions() for row in PAGES}
    made = Desk(session, pages)
    session.actions.add(made.actions)
    yield made
    owner.deleteLater()


@pytest.mark.parametrize("role", Role)
def test_what_is_offered_may_be_called(role: Role, desk: Desk) -> None:
    """By an operator of each single role: the calls of an action that is offered are that role's in the matrix, and one
    that is not offered has a call that is not."""
    wanted = matrix()
    sit_down(desk.session, role)
    offered = {action.id for action in desk.session.actions.permitted_actions()}
    for action in desk.actions:
        calls = all(role in wanted[call] for call in action.calls)
        kind = not action.approval or role in KIND_ROLES[action.approval]
        assert (action.id in offered) == (calls and kind), action.id
        assert bool(desk.session.actions.refusal(action.id)) == (action.id not in offered)
    assert 0 < len(offered) < len(desk.actions)


def test_a_key_is_judged_by_its_clearance(desk: Desk) -> None:
    """While no operator has signed in nothing is withheld by role, and again after one has left."""
    table = desk.session.actions
    sit_down(desk.session, Role.MANAGER)
    assert len(table.permitted_actions()) < len(desk.actions)
    desk.session.operator = None
    assert len(table.permitted_actions()) == len(desk.actions)


def test_the_calls_of_an_action_are_the_client_s(desk: Desk) -> None:
    """A call that is misspelled would be nobody's."""
    for action in desk.actions:
        assert all(hasattr(Calls, call) for call in action.calls), action.id
        assert action.approval in (*KIND_ROLES, ""), action.id


@pytest.mark.parametrize("page", [row.id for row in PAGES])
def test_no_page_makes_a_call_that_no_action_declares(page: str, desk: Desk) -> None:
    """A call that is not for everybody stands at an action of the page, or the page asks before it makes it; and what
    an action declares is called there, or in a room that pages share."""
    made: set[str] = set()
    asked: set[str] = set()
    for file in (CONSOLE / "pages" / page).rglob("*.py"):
        some, others = calls_in(file.read_text())
        made |= some
        asked |= others
    declared = {call for action in desk.pages[page] for call in action.calls}
    assert made - declared - asked == set()
    shared = {call for file in CONSOLE.glob("*.py") for call in calls_in(file.read_text())[0]}
    assert (declared & FOR_SOME) - made - shared == set()


def test_the_shell_asks_before_it_calls() -> None:
    """Dialogs and feeds beside the pages, which have no action of their own."""
    for file in CONSOLE.rglob("*.py"):
        name = str(file.relative_to(CONSOLE))
        if not name.startswith("pages/") and name not in OWN_KEY and file.parent != CONSOLE:
            made, asked = calls_in(file.read_text())
            assert made <= asked, name


def test_a_change_at_the_service_declares_its_calls(desk: Desk) -> None:
    """An action that changes something says by which call, unless it changes this console alone."""
    changing = [action for action in desk.actions if action.effect is not Effect.NONE]
    assert {action.id for action in changing if not action.calls} == HERE


def test_several_roles_are_more_than_each() -> None:
    """An operator of two roles may do what each of them may, also both within one action."""
    both = ("burn_execute", "registry_put_peer")
    assert of_roles(Role.DESK).refusal(both)
    assert of_roles(Role.ADMIN).refusal(both)
    assert of_roles(Role.DESK, Role.ADMIN).refusal(both) == ""


def test_a_refusal_names_the_role_that_it_takes() -> None:
    """And who one is, so that the next step is clear."""
    permissions = of_roles(Role.MANAGER)
    said = "This is for the role desk; you are signed in as manager."
    assert permissions.refusal(("burn_execute",)) == said
    assert permissions.refusal((), "reissue") == "This is for the role badge or admin; you are signed in as manager."
    assert not permissions.may("burn_execute")
    assert not permissions.may_approve("reissue")
    assert of_roles(Role.BADGE).may_approve("reissue")


@pytest.fixture
def table(application: QApplication, qtbot: Any) -> ActionTable:
    """One action for the desk, one for everybody, and a manager at the desk."""
    owner = QWidget()
    qtbot.addWidget(owner)
    made = ActionTable(owner)
    heard: list[str] = []
    made.add(
        [
            Action(
                "a.burn", "Burn", lambda: heard.append("burn"), keys=("Ctrl+B",), calls=("burn_execute",), hint="H."
            ),
            Action("a.look", "Look", lambda: heard.append("look"), keys=("Ctrl+L",)),
        ]
    )
    made.set_judge(of_roles(Role.MANAGER).judge)
    made.setProperty("heard", heard)
    return made


def test_a_button_says_for_whom_it_is(table: ActionTable, qtbot: Any) -> None:
    """It is off, and its tooltip and description say which role it takes; for the desk it says what it is for."""
    button = ActionButton(table, "a.burn")
    qtbot.addWidget(button)
    assert not button.isEnabled()
    said = "This is for the role desk; you are signed in as manager."
    assert said in button.toolTip()
    assert said in button.accessibleDescription()
    table.set_judge(lambda _action: "")
    assert button.isEnabled()
    assert "H." in button.toolTip()
    assert said not in button.toolTip()


def test_the_keys_of_what_is_not_offered_say_for_whom_it_is(table: ActionTable) -> None:
    """Somebody who works by keyboard alone sees no tooltip: pressing the keys tells, and does nothing."""
    said: list[str] = []
    table.refused.connect(said.append)
    assert table.answers("Ctrl+B")
    assert not table.trigger("a.burn")
    assert said == ["This is for the role desk; you are signed in as manager."]
    assert table.property("heard") == []
    assert table.trigger("a.look")


def test_palette_and_cheat_sheet_leave_it_out(table: ActionTable, qtbot: Any) -> None:
    """Neither offers what is not for the operator."""
    window = QWidget()
    qtbot.addWidget(window)
    palette = Palette(window, table, lambda _page: None)
    palette.open("")
    assert [entry.title for entry in palette.entries] == ["Look"]
    assert [action.id for action in table.here()] == ["a.look"]
    sheet = CheatSheet(window, table, "")
    assert sheet is not None
