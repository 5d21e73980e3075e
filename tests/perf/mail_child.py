"""A mail server in a process of its own: ``python -m tests.perf.mail_child MS``.

Prints its port, serves until its input ends, and takes so many milliseconds for each message, as a relay does that
writes it to its disk and looks into it.
"""

from __future__ import annotations

import sys

from tests.mail_receiver import MailReceiver


def main() -> None:
    """Keeps nothing of what it takes beyond the connection's life."""
    receiver = MailReceiver(busy_s=int(sys.argv[1]) / 1000)
    receiver.taken = lambda _mail: receiver.mails.clear()
    with receiver.listening():
        print(receiver.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
