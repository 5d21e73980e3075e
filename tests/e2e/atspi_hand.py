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
from gi.repository import Atspi, Gio, GLib  # noqa: E402  the version is chosen before the import

PATIENCE_S = 30.0
CALL_MS = 10_000
"""A console that draws its first pages on a loaded machine answers late."""
MOST_CHILDREN = 400
ROOT = "/org/a11y/atspi/accessible/root"
REGISTRY = "org.a11y.atspi.Registry"
ACCESSIBLE, ACTION = "org.a11y.atspi.Accessible", "org.a11y.atspi.Action"
COMPONENT, EDITABLE = "org.a11y.atspi.Component", "org.a11y.atspi.EditableText"


class Part:
    """One accessible object, by its bus name and its path.

    Its children are asked for all at once (``GetChildren``), and then one past the end: a screen reader asks one by
    one, and meanwhile the last may have gone. Qt's own answer reads behind its list for scroll areas, and the program
    dies.
    """

    bus: Gio.DBusConnection

    def __init__(self, owner: str, path: str) -> None:
        self._owner, self._path = owner, path

    def call(self, interface: str, method: str, arguments: GLib.Variant | None = None):
        """What the method answers; ``GLib.Error`` when it does not."""
        flags = Gio.DBusCallFlags.NONE
        answer = self.bus.call_sync(
            self._owner, self._path, interface, method, arguments, None, flags, CALL_MS, None
        ).unpack()
        return answer[0] if len(answer) == 1 else answer

    def get(self, interface: str, name: str):
        """A property."""
        asked = GLib.Variant("(ss)", (interface, name))
        return self.call("org.freedesktop.DBus.Properties", "Get", asked)

    def name(self) -> str:
        """What it is called."""
        return self.get(ACCESSIBLE, "Name")

    def description(self) -> str:
        """What is said of it."""
        return self.get(ACCESSIBLE, "Description")

    def role(self) -> str:
        """``push button``, ``check box``, ``text``…"""
        return Atspi.role_get_name(Atspi.Role(self.call(ACCESSIBLE, "GetRole")))

    def has(self, state: Atspi.StateType) -> bool:
        """Whether it is in the state."""
        low, high = self.call(ACCESSIBLE, "GetState")
        return bool((high << 32 | low) >> int(state) & 1)

    def children(self) -> list[Part]:
        """Its children, as many as are looked at."""
        found = self.call(ACCESSIBLE, "GetChildren")
        self.call(ACCESSIBLE, "GetChildAtIndex", GLib.Variant("(i)", (len(found),)))
        return [Part(*one) for one in found[:MOST_CHILDREN]]

    def actions(self) -> list[str]:
        """What can be done with it, by their names; none where nothing can."""
        try:
            count = self.get(ACTION, "NActions")
            return [self.call(ACTION, "GetName", GLib.Variant("(i)", (at,))) for at in range(count)]
        except GLib.Error:
            return []


def connect() -> None:
    """To the bus of accessible programs."""
    session = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    asked = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None)
    (address,) = session.call_sync(*asked, Gio.DBusCallFlags.NONE, CALL_MS, None).unpack()
    flags = Gio.DBusConnectionFlags
    Part.bus = Gio.DBusConnection.new_for_address_sync(
        address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None
    )


def programs() -> dict[str, Part]:
    """The programs on this desktop by their names; one that does not answer is left out."""
    found = {}
    for one in Part(REGISTRY, ROOT).children():
        try:
            found[one.name()] = one
        except GLib.Error:
            continue
    return found


def shown(part: Part, depth: int = 0):
    """The part and all in it that is on the screen, windows first. What goes while one looks is left out."""
    try:
        if depth > 1 and not part.has(Atspi.StateType.SHOWING):
            return
        yield part
        for child in part.children():
            yield from shown(child, depth + 1)
    except GLib.Error:
        return


def find(program: str, fits, patience_s: float = PATIENCE_S) -> Part:
    """The first shown part that fits; ``LookupError`` after the patience."""
    end = time.monotonic() + patience_s
    while True:
        begun = time.monotonic()
        found = programs().get(program)
        parts = [] if found is None else list(shown(found))
        for part in parts:
            try:
                if fits(part):
                    return part
            except GLib.Error:
                continue
        now = time.monotonic()
        if now > end:
            raise LookupError(f"not shown; shown are {names_of(parts)[-60:]} of {list(programs())}")
        # The program answers on the thread that it works on: half of the time is its own.
        time.sleep(max(0.1, now - begun))


def names_of(parts: list[Part]) -> list[str]:
    """Of those that are still there."""
    names = []
    for part in parts:
        try:
            names.append(part.name())
        except GLib.Error:
            continue
    return [name for name in names if name]


def press(program: str, name: str, role: str) -> str:
    """Do what a click does, when the button can be pressed."""

    def fits(one: Part) -> bool:
        return one.name() == name and role in ("", one.role()) and "Press" in one.actions()

    part = find(program, fits)
    part.call(ACTION, "DoAction", GLib.Variant("(i)", (part.actions().index("Press"),)))
    return name


def put(program: str, name: str, text: str) -> str:
    """Write into a field, which has the focus from then on."""

    def takes(one: Part) -> bool:
        return one.name() == name and one.role() == "text" and one.has(Atspi.StateType.ENABLED)

    part = find(program, takes)
    part.call(COMPONENT, "GrabFocus")
    find(program, lambda one: one.name() == name and one.has(Atspi.StateType.FOCUSED))
    part.call(EDITABLE, "SetTextContents", GLib.Variant("(s)", (text,)))
    return text


def hear(program: str, pattern: str, seconds: float) -> str:
    """The first name or description that has the pattern."""
    heard = []

    def has(part: Part) -> bool:
        heard[:] = [text for text in (part.name(), part.description()) if re.search(pattern, text or "")]
        return bool(heard)

    find(program, has, seconds)
    return heard[0]


def main() -> None:
    """Answer calls until the input ends."""
    program = sys.argv[1]
    Atspi.init()
    connect()
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
