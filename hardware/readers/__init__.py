"""OSDP door readers: control panels with Secure Channel, access decisions, simulated readers (IEC 60839-11-5, SIA OSDP
2.2).

`fleet.ReaderFleet` is the public face; `decision` is pure and stands alone; the rest serves the fleet. ``README.md``
describes the threads, the order of things and the wire formats.
"""
