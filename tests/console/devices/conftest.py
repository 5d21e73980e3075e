"""A session bus for a test alone."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.console.conftest import apart


@pytest.fixture
def address() -> Iterator[str]:
    """Of a bus that nobody else is on."""
    with ExitStack() as stack:
        command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
        bus = stack.enter_context(apart(subprocess.Popen, command, stdout=subprocess.PIPE, text=True))
        stack.callback(bus.terminate)
        assert bus.stdout is not None
        yield bus.stdout.readline().strip()
