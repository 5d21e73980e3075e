"""A screen saver as desktops have it, by GLib's D-Bus: for the system's Python, in which Debian has GLib.

Says ``ready``, then ``held NAME REASON`` for each inhibition, and ``free`` when its caller has left the bus.
"""

from __future__ import annotations

from gi.repository import Gio, GLib

NAME = "org.freedesktop.ScreenSaver"
NODE = Gio.DBusNodeInfo.new_for_xml(f"""<node><interface name="{NAME}"><method name="Inhibit">
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="u" direction="out"/></method>
</interface></node>""")


def main() -> None:
    """Serve until it is ended."""

    def gone(_bus, _name) -> None:
        print("free", flush=True)

    def answer(bus, who, _path, _interface, _method, arguments, invocation) -> None:
        Gio.bus_watch_name_on_connection(bus, who, Gio.BusNameWatcherFlags.NONE, None, gone)
        invocation.return_value(GLib.Variant("(u)", (7,)))
        print("held", *arguments.unpack(), flush=True)

    def serve(bus, _name) -> None:
        bus.register_object("/org/freedesktop/ScreenSaver", NODE.interfaces[0], answer, None, None)

    def named(_bus, _name) -> None:
        print("ready", flush=True)

    Gio.bus_own_name(Gio.BusType.SESSION, NAME, 0, serve, named, None)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
