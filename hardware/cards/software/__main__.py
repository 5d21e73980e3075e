"""`python -m hardware.cards.software --vpcd PORT --state FILE`: the software card, inserted until stopped."""

import argparse
import logging
import secrets
import signal
import sys
from pathlib import Path

from hardware.cards.software.card import SoftwareCard
from hardware.cards.software.state import StateError
from hardware.cards.software.vpcd import VpcdLink


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise ValueError(text)
    return port


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0 after SIGTERM or SIGINT, 2 if the state file cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m hardware.cards.software",
        description="Software PIV card in the virtual reader of pcscd (vpcd) on this machine.",
    )
    parser.add_argument("--vpcd", type=_port, required=True, metavar="PORT", help="35963 or 35964 on Debian")
    parser.add_argument("--state", type=Path, required=True, metavar="FILE", help="the card; made blank if missing")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        card = SoftwareCard(options.state, serial=10_000_000 + secrets.randbelow(89_999_999))
    except (OSError, StateError) as error:
        logging.error("%s", error)
        return 2
    link = VpcdLink(card, options.vpcd)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: link.stop())
    link.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
