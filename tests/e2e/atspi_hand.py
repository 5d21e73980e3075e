"""The hands and ears of a screen reader: drives a program by AT-SPI, in the system's Python, where Debian has it.

    /usr/bin/python3 atspi_hand.py APPLICATION

Takes a call as JSON from each line of its input and answers each by a line: ``{"said": ...}`` or ``{"error": ...}``.
Calls: ``["press", NAME, ROLE]``; ``["type", NAME, TEXT]``, which puts the text into the field with the focus;
``["key", KEYSYM]``; ``["hear", PATTERN, SECONDS]``, which waits until something is shown whose name or description has
that pattern, and says it. An empty role is any.
"""

from __future__ import annotations

import json
import re
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402  the version is chosen before the import

PATIENCE_S = 30.0
CALL_MS = 10_000
"""A console that draws its first pages on a loaded machine answers late. One that took longer is held for hung, and
is never asked again until its answer to a ping was read."""
MOST_CHILDREN = 400


def programs() -> dict[str, Atspi.Accessible]:
    """The programs on this desktop by their names; one that does not answer has none."""
    desktop = Atspi.get_desktop(0)
    children = (desktop.get_child_at_index(at) for at in range(desktop.get_child_count()))
    return {one.get_name() or "": one for one in children if one is not None}


def shown(part: Atspi.Accessible, depth: int = 0):
    """The part and all in it that is on the screen, windows first. What goes while one looks is left out."""
    try:
        if depth > 1 and not part.get_state_set().contains(Atspi.StateType.SHOWING):
            return
        yield part
        for at in range(min(part.get_child_count(), MOST_CHILDREN)):
            child = part.get_child_at_index(at)
            if child is not None:
                yield from shown(child, depth + 1)
    except GLib.Error:
        return


def find(program: str, fits, patience_s: float = PATIENCE_S) -> Atspi.Accessible:
    """The first shown part that fits; ``LookupError`` after the patience."""
    end = time.monotonic() + patience_s
    names: list[str] = []
    while True:
        found = programs().get(program)
        parts = [] if found is None else list(shown(found))
        for part in parts:
            try:
                if fits(part):
                    return part
            except GLib.Error:
                continue
        if time.monotonic() > end:
            names = [part.get_name() for part in parts if part.get_name()]
            raise LookupError(f"not shown; shown are {names[-60:]} of {list(programs())}")
        # Answers that came late, and programs that came and went, are read by the main loop alone.
        GLib.timeout_add(100, lambda: GLib.SOURCE_REMOVE)
        GLib.MainContext.default().iteration(True)


def press(program: str, name: str, role: str) -> str:
    """Do what a click does, when the button can be pressed."""

    def at_press(part: Atspi.Accessible) -> int:
        return next((at for at in range(part.get_n_actions()) if part.get_action_name(at) == "Press"), -1)

    part = find(
        program, lambda one: one.get_name() == name and role in ("", one.get_role_name()) and at_press(one) >= 0
    )
    part.do_action(at_press(part))
    return name


def put(program: str, name: str, text: str) -> str:
    """Write into a field, which has the focus from then on."""

    def takes(one: Atspi.Accessible) -> bool:
        told = one.get_name() == name and one.get_role_name() == "text"
        return told and one.get_state_set().contains(Atspi.StateType.ENABLED)

    part = find(program, takes)
    part.grab_focus()
    find(program, lambda one: one.get_name() == name and one.get_state_set().contains(Atspi.StateType.FOCUSED))
    part.set_text_contents(text)
    return text


def hear(program: str, pattern: str, seconds: float) -> str:
    """The first name or description that has the pattern."""
    heard = []

    def has(part: Atspi.Accessible) -> bool:
        heard[:] = [text for text in (part.get_name(), part.get_description()) if re.search(pattern, text or "")]
        return bool(heard)

    find(program, has, seconds)
    return heard[0]


def main() -> None:
    """Answer calls until the input ends."""
    program = sys.argv[1]
    Atspi.init()
    Atspi.set_timeout(CALL_MS, CALL_MS)
    for line in sys.stdin:
        call, *rest = json.loads(line)
        try:
            if call == "press":
                said = press(program, *rest)
            elif call == "type":
                said = put(program, *rest)
            elif call == "key":
                Atspi.generate_keyboard_event(rest[0], None, Atspi.KeySynthType.SYM)
                said = ""
            else:
                said = hear(program, *rest)
            answer = {"said": said}
        except (LookupError, GLib.Error) as error:
            answer = {"error": f"{call} {rest}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
