"""OpenDKIM's ``opendkim-testmsg`` as a second judge of DKIM signatures, with a name server that knows one record.

The program asks the resolver of its machine, so it runs in namespaces of its own, where 127.0.0.1 is the only server.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import dns.flags
import dns.message
import dns.rdatatype
import dns.rrset

ROOT = Path(__file__).parents[1]


def complaint(raw: bytes, name: str, text: str, scratch: Path) -> str:
    """What OpenDKIM has to say against the message when ``name`` has the TXT record ``text``; empty: it verifies."""
    missing = [program for program in ("opendkim-testmsg", "unshare", "ip") if shutil.which(program) is None]
    if missing or os.geteuid() != 0:
        raise RuntimeError("as root: apt-get install opendkim-tools util-linux iproute2")
    message, resolver = scratch / "message", scratch / "resolv.conf"
    message.write_bytes(raw)
    resolver.write_text("nameserver 127.0.0.1\noptions timeout:5 attempts:2\n")
    script = f'ip link set lo up && mount --bind "{resolver}" /etc/resolv.conf && exec "$@"'
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", script, "-", sys.executable, __file__, name, text, str(message)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    said = (done.stdout + done.stderr).decode().strip()
    return said or ("" if done.returncode == 0 else f"it ended with {done.returncode}")


def _answer(question: bytes, name: str, text: str) -> bytes:
    """The record, or that there is no such name."""
    asked = dns.message.from_wire(question)
    reply = dns.message.make_response(asked)
    reply.flags |= dns.flags.AA | dns.flags.RA
    (wanted,) = asked.question
    if wanted.rdtype == dns.rdatatype.TXT and wanted.name.to_text().rstrip(".").lower() == name.lower():
        parts = " ".join(f'"{text[start : start + 200]}"' for start in range(0, len(text), 200))
        reply.answer.append(dns.rrset.from_text(wanted.name, 60, "IN", "TXT", parts))
    else:
        reply.set_rcode(dns.rcode.NXDOMAIN)
    return reply.to_wire()


def _serve(server: socket.socket, name: str, text: str) -> None:
    while True:
        question, peer = server.recvfrom(4096)
        server.sendto(_answer(question, name, text), peer)


def main(name: str, text: str, message: str) -> int:
    """Inside the namespaces: the name server, then the judge."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    threading.Thread(target=_serve, args=(server, name, text), daemon=True).start()
    # CRLF as it came over SMTP would be read as CR CRLF: the program reads a file of this system.
    content = Path(message).read_bytes().replace(b"\r\n", b"\n")
    return subprocess.run(["opendkim-testmsg"], input=content, timeout=30, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
