"""A real pcscd with the virtual reader driver, private to this test run.

vpcd listens on every address of its machine without asking who dials in, so it runs in a network namespace of its own;
pcscd's socket lies in a directory of this run, bound over /run/pcscd in a mount namespace. Nothing is shared with the
machine's own pcscd or with another test run.
"""

import atexit
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import HealthCheck, settings
from smartcard import scard

from hardware.cards.software import CardAbsent, SoftwareCard
from hardware.cards.software.vpcd import VpcdLink

# As the service does, and before numpy is loaded: matrix products of parallel tests fight for the cores otherwise.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How quick the machine is decides no test: on a busy one the same example takes ten times as long.
# On CI the same commit gets the same examples, and so the same verdict; elsewhere each run looks for new ones.
settings.register_profile(
    "untimed",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")

READERS = ("Virtual PCD 00 00", "Virtual PCD 00 01")
PORTS = (35963, 35964)
_CLONE_NEWNET = 0x40000000
_PATIENCE = 20.0  # seconds until a peer that does not come up is a failure

# libpcsclite reads the variable once in a process, so it must be set before any test touches PC/SC
_SOCKET_DIRECTORY = Path(tempfile.mkdtemp(prefix="arc-pcscd-"))
atexit.register(shutil.rmtree, _SOCKET_DIRECTORY, ignore_errors=True)
os.environ["PCSCLITE_CSOCK_NAME"] = str(_SOCKET_DIRECTORY / "pcscd.comm")


def _present(context: int, slot: int) -> bool:
    """Does pcscd see a card in the virtual reader `slot`?"""
    code, states = scard.SCardGetStatusChange(context, 0, [(READERS[slot], scard.SCARD_STATE_UNAWARE)])
    return code == scard.SCARD_S_SUCCESS and bool(states[0][1] & scard.SCARD_STATE_PRESENT)


class PcscService:
    """A pcscd of this test run with the readers "Virtual PCD 00 00" (port 35963) and "00 01" (35964)."""

    def __init__(self) -> None:
        """Make the namespaces; they outlive every restart of pcscd, so that a card finds its reader again."""
        missing = [name for name in ("pcscd", "unshare", "nsenter", "ip") if shutil.which(name) is None]
        if missing or not Path("/etc/reader.conf.d/vpcd").exists():
            pytest.fail("card tests need: apt-get install pcscd vsmartcard-vpcd util-linux iproute2")
        if os.geteuid() != 0:
            pytest.fail("card tests keep vpcd in a private network namespace: run them as root")
        Path("/run/pcscd").mkdir(exist_ok=True)
        script = f'ip link set lo up && mount --bind "{_SOCKET_DIRECTORY}" /run/pcscd && echo made && exec cat'
        # cat ends with this process at the latest: its standard input closes
        self._namespaces = subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._namespaces.stdout is not None
        if self._namespaces.stdout.readline() != b"made\n":
            pytest.fail("no private network and mount namespace here: unshare --net --mount must be allowed")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start pcscd and wait for its readers."""
        self._process = subprocess.Popen(
            [*self._inside, "--mount", "pcscd", "--foreground"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_for(self._has_readers, "pcscd came up without the virtual reader: is vsmartcard-vpcd whole?")

    def stop(self) -> None:
        """End pcscd, as a stop of the service would."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(_PATIENCE)
            self._process = None

    def restart(self) -> None:
        """Stop and start: clients lose their contexts, cards lose their reader."""
        self.stop()
        self.start()

    def close(self) -> None:
        """End pcscd and its namespaces."""
        self.stop()
        self._namespaces.communicate(timeout=_PATIENCE)

    @contextlib.contextmanager
    def inserted(self, card: SoftwareCard, slot: int = 0) -> Iterator[VpcdLink]:
        """Put `card` into the empty reader `slot`; inside the block it is there, afterwards it is out.

        A card that a tear switch pulls out is out before the end of the block.
        """
        self.wait_for_card(False, slot)
        link = VpcdLink(card, PORTS[slot])
        failures: SimpleQueue[BaseException] = SimpleQueue()

        def serve() -> None:
            try:
                self._enter_network()
                with contextlib.suppress(CardAbsent):
                    link.run()
            except BaseException as error:
                failures.put(error)

        thread = threading.Thread(target=serve, name="software-card")
        thread.start()
        try:
            self.wait_for_card(True, slot)
            yield link
        finally:
            link.stop()
            thread.join(_PATIENCE)
            if not failures.empty():
                raise failures.get()
        self.wait_for_card(False, slot)

    @contextlib.contextmanager
    def command(self, state: Path) -> Iterator[subprocess.Popen[str]]:
        """The same by the command line: `python -m hardware.cards.software` in a process of its own, slot 0."""
        arguments = [sys.executable, "-m", "hardware.cards.software", "--vpcd", str(PORTS[0]), "--state", str(state)]
        process = subprocess.Popen(
            [*self._inside, *arguments],
            cwd=Path(__file__).parents[1],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            self.wait_for_card(True)
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=_PATIENCE)
        self.wait_for_card(False)

    def wait_for_card(self, present: bool, slot: int = 0) -> None:
        """Wait until pcscd says that a card is in the reader `slot`, or none is."""
        code, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_SYSTEM)
        assert code == scard.SCARD_S_SUCCESS
        try:
            complaint = f"{READERS[slot]} never {'held a card' if present else 'became empty'}"
            self._wait_for(lambda: _present(context, slot) is present, complaint)
        finally:
            scard.SCardReleaseContext(context)

    @property
    def _inside(self) -> list[str]:
        return ["nsenter", "--target", str(self._namespaces.pid), "--net"]

    def _enter_network(self) -> None:
        """Move the calling thread, and no other, into the network namespace."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/proc/{self._namespaces.pid}/ns/net", "rb") as namespace:
            if libc.setns(namespace.fileno(), _CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    @staticmethod
    def _has_readers() -> bool:
        code, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_SYSTEM)
        if code != scard.SCARD_S_SUCCESS:
            return False
        try:
            code, readers = scard.SCardListReaders(context, [])
            return code == scard.SCARD_S_SUCCESS and set(READERS) <= set(readers)
        finally:
            scard.SCardReleaseContext(context)

    @staticmethod
    def _wait_for(condition: Callable[[], bool], complaint: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition():
            if time.monotonic() > end:
                pytest.fail(complaint)
            time.sleep(0.02)


@pytest.fixture(scope="session")
def pcscd() -> Iterator[PcscService]:
    """The run's pcscd. Tests that stop it must start it again."""
    service = PcscService()
    service.start()
    try:
        yield service
    finally:
        service.close()
