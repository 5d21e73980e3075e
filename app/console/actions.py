"""The one action table: menus, palette, buttons, tooltips, the cheat sheet and the tests all read it.

An action is declared once, where its page is; a button is made from it by ``app.console.widgets.buttons``. Keys are
unique within a section of a page and against the actions that are everywhere.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol
from weakref import WeakSet

import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


class Effect(enum.StrEnum):
    """What an action does to the world. The palette never runs an ``IRREVERSIBLE`` one: it opens its page instead."""

    NONE = "none"
    CHANGE = "change"
    IRREVERSIBLE = "irreversible"


WHILE_LOCKED = frozenset({"console.larger", "console.smaller", "console.theme", "console.wall", "console.quit"})
"""What a window that is locked still does: nothing of the site is shown or changed by it."""
COPY_ROW, SORT_NEXT, SORT_TURN, EVIDENCE = "Ctrl+C", "Alt+S", "Alt+Shift+S", "Ctrl+E"
"""Keys of every table: copy the chosen row, sort by the next column, turn the order around, save evidence of the rows.
Qt's portable spelling."""


def always() -> bool:
    """The ``when`` of an action that is always possible."""
    return True


class Action(NamedTuple):
    """One action. ``id`` is ``<page>.<verb>`` or ``console.<verb>``; ``keys`` in Qt's portable spelling
    (``Ctrl+Shift+1``); ``page`` None: it works everywhere; ``when`` says whether it is possible now (cheap, no side
    effect); ``hint`` is one sentence for the tooltip, above all why it matters; ``hidden`` keeps bare keys (Esc, F6)
    out of the palette; ``shown``: its section of the page is in front, else its keys do not answer (the palette and its
    buttons do). ``calls``: the methods of the client that it is for, and ``approval`` the kind of approval that it asks
    for: an operator who may not do all of these is not offered it (``permissions.py``). ``ends_past``: it is too urgent
    to be refused because the window shows the past; the window then goes back to live first, and says so. Only for what
    changes nothing by itself: it opens, or leads to, what is then done by hand. ``goes_to``: the name of the page that
    it opens; who types the name finds it before titles that begin with the same word."""

    id: str
    title: str
    run: Callable[[], object]
    icon: str = ""
    keys: tuple[str, ...] = ()
    page: str | None = None
    when: Callable[[], bool] = always
    effect: Effect = Effect.NONE
    hint: str = ""
    hidden: bool = False
    shown: Callable[[], bool] = always
    calls: tuple[str, ...] = ()
    approval: str = ""
    ends_past: bool = False
    goes_to: str = ""


def permit_all(_action: Action) -> str:
    """The judgement while nobody has signed in: a key is judged by its clearance, by each ``when``."""
    return ""


def of_section(shown: Callable[[], bool], actions: Iterable[Action]) -> list[Action]:
    """The actions of a section. Keys that change something answer only while it is ``shown``: a key that was meant for
    the list in front must not change another one."""
    return [one if one.effect is Effect.NONE else one._replace(shown=shown) for one in actions]


class Follower(Protocol):
    """A widget that shows whether an action can be run."""

    def follow_action(self) -> None:
        """The action may have changed: show how it stands."""


class KeyTaken(ValueError):
    """Two actions of one page would answer to the same key."""


class ActionTable(QObject):
    """The actions of one window. Shortcuts live on ``owner`` (the main window)."""

    changed = Signal()
    """Something may have become possible or impossible. Buttons ``follow`` their action instead."""

    ran = Signal(str)
    """An action was run, with its id."""

    refused = Signal(str)
    """Somebody pressed the keys of what the own roles do not allow (the sentence says which roles do), or of a change
    while the window shows the past."""

    live_wanted = Signal(str)
    """An action with ``ends_past`` is about to run while the window shows the past; its title. Who hears it brings the
    window back to live."""

    def __init__(self, owner: QWidget, *, listens: bool = True) -> None:
        super().__init__(owner)
        self._listens = listens
        self._judge: Callable[[Action], str] = permit_all
        self._owner = owner
        self._actions: dict[str, Action] = {}
        self._shortcuts: dict[str, QAction] = {}
        self._page = ""
        self._locked = False
        self._past = ""
        self._here: dict[str, None] = {}
        """Ids of what was in front at the last ``refresh``: all else is off, and stays so until it is in front."""
        self._followers: dict[str, WeakSet[Follower]] = {}

    def add(self, actions: Iterable[Action]) -> None:
        """Declare actions. Raises KeyTaken, or ValueError for an id that is declared already."""
        for action in actions:
            if action.id in self._actions:
                raise ValueError(f"action {action.id} is declared twice")
            for key in map(_portable, action.keys):
                for other in self._actions.values():
                    shared = other.page in (None, action.page) or action.page is None
                    shared = shared and (other.shown is action.shown or always in (other.shown, action.shown))
                    if shared and key in map(_portable, other.keys):
                        raise KeyTaken(f"{key} is taken by {other.id}; {action.id} cannot have it")
            self._actions[action.id] = action
            if self._listens:
                self._bind(action)
            self._tell(action.id)
        self.refresh()

    def listen(self) -> None:
        """From now on the owner answers to the keys, if it does not yet."""
        if not self._listens:
            self._listens = True
            for action in self._actions.values():
                self._bind(action)
            self.refresh()

    def _bind(self, action: Action) -> None:
        if action.keys:
            shortcut = QAction(action.title, self._owner)
            shortcut.setShortcuts([QKeySequence(key) for key in action.keys])
            shortcut.setAutoRepeat(False)
            shortcut.setEnabled(False)
            shortcut.triggered.connect(lambda _checked=False, name=action.id: self.trigger(name))
            self._owner.addAction(shortcut)
            self._shortcuts[action.id] = shortcut

    def follow(self, name: str, follower: Follower) -> None:
        """Tell ``follower``, a widget, of each change of that action: when it is declared, and at each
        ``refresh`` while it is in front or has just been."""
        self._followers.setdefault(name, WeakSet()).add(follower)
        follower.follow_action()

    def _tell(self, name: str) -> None:
        for follower in tuple(self._followers.get(name, ())):
            # Qt may have deleted the widget while somebody still holds what Python knows it by.
            if shiboken6.isValid(follower):
                follower.follow_action()

    def set_page(self, page: str) -> None:
        """Name the page that is shown: only its actions and those that are everywhere answer to keys."""
        self._page = page
        self.refresh()

    def set_locked(self, locked: bool) -> None:
        """While it is locked, no action can be run but those that show and change nothing of the site."""
        self._locked = locked
        self.refresh()

    def set_past(self, refusal: str) -> None:
        """While the window shows the past, everything that changes something is off, and ``refusal`` says why; empty:
        it shows now."""
        if refusal != self._past:
            self._past = refusal
            self.refresh()

    def refresh(self) -> None:
        """Compute every ``when`` of what is in front again. Pages call it when what they show has changed."""
        before = self._here
        # Most actions of the window are of pages that are not in front: nothing is asked of them.
        here = self._here = dict.fromkeys(name for name, action in self._actions.items() if self.is_here(action))
        for name, shortcut in self._shortcuts.items():
            action = self._actions[name]
            # The keys of what is not for the operator answer, too: they say for whom it is.
            answers = name in here and action.shown() and (bool(self.refusal(name)) or action.when())
            # Each of them: the keys of a page that is gone would take those of the one in front.
            if shortcut.isEnabled() != answers:
                shortcut.setEnabled(answers)
        for name in before | here:
            self._tell(name)
        self.changed.emit()

    def set_judge(self, judge: Callable[[Action], str]) -> None:
        """Take what says why an action is not for the operator at the desk, in a sentence; empty: it is. Who
        changes what it judges by calls ``refresh``."""
        self._judge = judge
        self.refresh()

    def refusal(self, name: str) -> str:
        """Why the action is not for the operator at the desk, or not while the past is shown, a sentence; empty: it
        is."""
        action = self._actions[name]
        return self._judge(action) or self._past_refusal(action)

    def _past_refusal(self, action: Action) -> str:
        return "" if action.effect is Effect.NONE or action.ends_past else self._past

    def permitted_actions(self) -> list[Action]:
        """The actions that are for the operator at the desk, in the order of declaration."""
        return [action for action in self._actions.values() if not self._judge(action)]

    def get(self, name: str) -> Action:
        """The action of that id. Raises KeyError."""
        return self._actions[name]

    def all(self) -> list[Action]:
        """Every action, in the order of declaration."""
        return list(self._actions.values())

    def here(self) -> list[Action]:
        """Actions of the page that is shown and those that are everywhere, if they are for the operator."""
        return [action for action in self.permitted_actions() if action.page in (None, self._page)]

    def is_enabled(self, name: str) -> bool:
        """Whether the action can be run now."""
        action = self._actions[name]
        return self.is_here(action) and not self.refusal(name) and action.when()

    def is_here(self, action: Action) -> bool:
        """Whether the page in front has it, and the lock does not stand before it."""
        return action.page in (None, self._page) and (not self._locked or action.id in WHILE_LOCKED)

    def answers(self, keys: str) -> bool:
        """Whether an action would be run by that key now."""
        wanted = QKeySequence(keys)
        return any(one.isEnabled() and wanted in one.shortcuts() for one in self._shortcuts.values())

    def trigger(self, name: str) -> bool:
        """Run the action if that is possible now; returns whether it was."""
        if not self.is_enabled(name):
            if not self._locked and (refusal := self.refusal(name)):
                self.refused.emit(refusal)
            return False
        action = self._actions[name]
        if self._past and action.ends_past:
            self.live_wanted.emit(action.title)
        action.run()
        self.ran.emit(name)
        self.refresh()
        return True


@functools.cache
def _portable(keys: str) -> str:
    """One spelling for ``ctrl+k`` and ``Ctrl+K``."""
    return QKeySequence(keys).toString()


def key_words(keys: str) -> str:
    """Keys as this platform and the chosen language write them: ``Ctrl+K``, ``Strg+K``. None are empty."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def keys_text(action: Action) -> str:
    """The first keys of an action; empty when there are none."""
    return key_words(action.keys[0]) if action.keys else ""
