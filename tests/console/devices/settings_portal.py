"""A settings portal as desktops have it, by GLib's D-Bus: for the system's Python, in which Debian has GLib.

    /usr/bin/python3 settings_portal.py NAMESPACE KEY VARIANT

Serves that setting under the portal's name on the session bus, says ``ready`` and then takes a new value, a variant in
GLib's text form, from each line of its input.
"""

from __future__ import annotations

import sys
import threading

from gi.repository import Gio, GLib

INTERFACE = "org.freedesktop.portal.Settings"
PATH = "/org/freedesktop/portal/desktop"
NODE = Gio.DBusNodeInfo.new_for_xml(f"""<node><interface name="{INTERFACE}">
<method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal></interface></node>""")


def main() -> None:
    """Serve until the input ends."""
    namespace, key, value = sys.argv[1:]
    values = {(namespace, key): GLib.Variant.parse(None, value, None, None)}
    loop = GLib.MainLoop()

    def answer(_bus, _who, _path, _interface, _method, arguments, invocation) -> None:
        found = values.get(arguments.unpack())
        if found is None:
            invocation.return_dbus_error("org.freedesktop.portal.Error.NotFound", "Requested setting not found")
        else:
            # Read wraps its answer once more, as the portal's documentation says.
            invocation.return_value(GLib.Variant("(v)", (GLib.Variant("v", found),)))

    def serve(bus, _name) -> None:
        bus.register_object(PATH, NODE.interfaces[0], answer, None, None)

        def change(text: str) -> bool:
            values[namespace, key] = found = GLib.Variant.parse(None, text, None, None)
            told = GLib.Variant("(ssv)", (namespace, key, found))
            bus.emit_signal(None, PATH, INTERFACE, "SettingChanged", told)
            return False

        def listen() -> None:
            for line in sys.stdin:
                GLib.idle_add(change, line.strip())
            GLib.idle_add(loop.quit)

        threading.Thread(target=listen, daemon=True).start()

    def named(_bus, _name) -> None:
        print("ready", flush=True)

    Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.portal.Desktop", 0, serve, named, None)
    loop.run()


if __name__ == "__main__":
    main()
