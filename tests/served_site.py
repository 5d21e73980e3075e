"""A real service in a process of its own: what a console, a partner and a killer of processes meet."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import fcntl
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec

from app.api.keys import make_key
from app.api.keys_messages import KeyClearance
from app.api.operation import Clearance
from app.service.assembly import create_key
from app.site.settings import Settings
from app.site.site import Site
from tests.loaded_program import ForkedProgram
from tests.small_disk import SmallDisk

ROOT = Path(__file__).parents[1]
START_S = 120.0
SELDOM_S = 20.0
"""Between two looks at a frame where no test is about frames: 52 handshakes a second take a third of a core."""


@functools.cache
def _laid_out() -> Path:
    """The directory of a training site as its first start leaves it, once a test run: its workers share it. The last
    process that used it takes it away."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"process-{os.getpid()}")
    place = Path(tempfile.gettempdir()) / f"arc-laid-out-{run}"
    used = _shared(place)
    site = place / "site"
    with (place / "making").open("w") as making:
        fcntl.flock(making, fcntl.LOCK_EX)
        if not (place / "whole").exists():
            shutil.rmtree(site, ignore_errors=True)
            Site.open(site, "training", settings=Settings(probe_interval_s=SELDOM_S))
            served = ServedSite(site, "--no-pcsc", "--profile", "training")
            served.anew = True
            with served.running():
                served.wait_for_doors()
            (place / "whole").touch()
    atexit.register(_leave, place, used)
    return site


def _shared(place: Path) -> int:
    """Makes the directory and locks it beside others; gives the lock. One that its last user took away meanwhile is
    made anew."""
    while True:
        place.mkdir(mode=0o700, exist_ok=True)
        try:
            lock = os.open(place, os.O_RDONLY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_SH)
        if os.fstat(lock).st_nlink:
            return lock
        os.close(lock)


def _leave(place: Path, lock: int) -> None:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(place)


class ServedSite:
    """``arc-console serve --supervised`` on a data directory. The launch key is a Citadel key of each start."""

    def __init__(self, data_dir: Path, *options: str, prefix: Sequence[str] = (), log: Path | None = None) -> None:
        """``prefix``: what makes the command run elsewhere (``SmallDisk.prefix``); then ``log`` lies here."""
        self.data_dir = data_dir
        self.base_url = ""
        self.log = log or data_dir.with_name(data_dir.name + ".log")
        self._prefix = list(prefix)
        self.files: int | None = None
        """The hard limit of its descriptors; None: that of this process."""
        self._options = options
        self.anew = False
        """Whether a new interpreter runs it, as on every machine of a user, and not a fork of a loaded one."""
        self._process: subprocess.Popen[bytes] | ForkedProgram | None = None
        self._client: httpx.Client | None = None

    @classmethod
    def laid_out(cls, data_dir: Path, *options: str, **settings: Any) -> ServedSite:
        """A training site whose first start is over: its people, cards and doors are there. All of a run are copies
        of one, with its name and its keys: two of them may never know each other. ``settings`` are its own; without
        them it looks at its frames every ``SELDOM_S``."""
        shutil.copytree(_laid_out(), data_dir)
        if settings:
            site = Site.existing(data_dir)
            changed = msgspec.structs.replace(site.settings, **settings)
            (data_dir / "site.json").write_bytes(dataclasses.replace(site, settings=changed).encode())
        return cls(data_dir, *options)

    @classmethod
    def laid_out_on(cls, disk: SmallDisk, log: Path) -> ServedSite:
        """As ``laid_out``, on a file system that can be full."""
        shutil.copytree(_laid_out(), disk.outside / "site")
        return cls(disk.inside / "site", prefix=disk.prefix, log=log)

    @property
    def pid(self) -> int:
        """Of the service."""
        assert self._process is not None
        return self._process.pid

    @property
    def client(self) -> httpx.Client:
        """Calls with the launch key."""
        assert self._client is not None
        return self._client

    def start(self) -> None:
        """Starts the service and waits for its ready line."""
        key = make_key(Clearance.CITADEL)
        arguments = ["serve", "--supervised", "--data-dir", str(self.data_dir), *(self._options or ("--no-pcsc",))]
        if self.anew or self._prefix or self.files is not None:
            self._process = self._interpreter(arguments)
        else:
            self._process = ForkedProgram(arguments, self.log)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(key.encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self.log.read_text()[-4000:]
        self.base_url = json.loads(line)["base_url"]
        self._client = httpx.Client(
            base_url=self.base_url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=60.0,
            trust_env=False,
            verify=False,
        )

    def _interpreter(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        limited = [] if self.files is None else ["prlimit", f"--nofile={self.files}:{self.files}"]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self._prefix, *limited, sys.executable, "-m", "app", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
            )

    def stop(self) -> int:
        """Ends the service's stdin, as a console that closes does; its exit code."""
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        code = self._process.wait(60.0)
        self._release()
        return code

    def kill(self) -> None:
        """SIGKILL: what a power cut leaves of a process."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(60.0)
        self._release()

    def _release(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self.client.close()
        self._process = self._client = None

    def key_of_another(self, clearance: KeyClearance = "citadel") -> str:
        """The secret of a new key of another person, as the command line makes it beside the service."""
        return create_key(Site.existing(self.data_dir), clearance=clearance, label="of another person")

    @contextlib.contextmanager
    def running(self) -> Iterator[ServedSite]:
        """Started here, stopped at the end."""
        self.start()
        try:
            yield self
        finally:
            if self._process is not None:
                self.stop()

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        """POST with exactly ``application/json``."""
        content = json.dumps(body).encode()
        return self.client.post(path, content=content, headers={"Content-Type": "application/json", **headers})

    def put(self, path: str, body: object) -> httpx.Response:
        """PUT with exactly ``application/json``."""
        content = json.dumps(body).encode()
        return self.client.put(path, content=content, headers={"Content-Type": "application/json"})

    def get(self, path: str, **query: str) -> Any:
        """The decoded body of a 200."""
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def wait(self, done: Callable[[], Any], seconds: float = 30.0, every: float = 0.02) -> Any:
        """What ``done`` gives once it is true, asked ``every`` so many seconds; fails after ``seconds``."""
        end = time.monotonic() + seconds
        while True:
            if found := done():
                return found
            assert time.monotonic() < end, f"not so after {seconds} s"
            time.sleep(every)

    def wait_for_doors(self) -> None:
        """Every simulated reader is on its secure channel, and the site's own cards are handed out."""
        # Seldom: to list a hundred readers costs the service more than to bring one up.
        self.wait(lambda: all(r["secure_channel"] for c in self._clusters() for r in c["readers"]), START_S, 0.25)
        # The second reader's card is the last thing that a training site lays out.
        self.wait(lambda: self.get("/v1/hardware/cards")["items"][1]["present"], START_S, 0.1)

    def _clusters(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.get("/v1/registry/reader-clusters")["items"]
        return items
