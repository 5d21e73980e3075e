"""The child service: started, watched, started anew, given up."""

from __future__ import annotations

import json
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.console.connection import supervisor as module
from app.console.connection.supervisor import (
    ServiceState,
    StartRefusal,
    Supervisor,
    base62,
    new_citadel_key,
    ready_url,
    refusal_of,
    service_command,
)
from app.console.diagnostics.process import alive

FAKE = Path(__file__).parents[1] / "fake_service.py"
Make = Callable[[str], tuple[Supervisor, Path]]


@pytest.fixture
def make(application: QApplication, tmp_path: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """A supervisor of the fake child in a mode, and the file in which the child records what it was given."""
    monkeypatch.setattr(module, "FIRST_BACKOFF_MS", 5)
    made: list[Supervisor] = []

    def create(mode: str) -> tuple[Supervisor, Path]:
        record = tmp_path / "record"
        made.append(Supervisor([sys.executable, str(FAKE), mode, str(record)]))
        return made[-1], record

    yield create
    for supervisor in made:
        if supervisor.state is not ServiceState.STOPPED:
            supervisor.stop()
            qtbot.waitUntil(lambda supervisor=supervisor: supervisor.state is ServiceState.STOPPED, timeout=10000)


def ready(supervisor: Supervisor, qtbot: Any) -> tuple[str, str]:
    """Start it and wait for the ready line: base_url and key."""
    with qtbot.waitSignal(supervisor.ready, timeout=10000) as heard:
        if supervisor.state is ServiceState.STOPPED:
            supervisor.start()
    return heard.args[0], heard.args[1]


def records(path: Path) -> list[dict[str, Any]]:
    """What each child was given."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_ready_line_is_found_among_noise(make: Make, qtbot: Any) -> None:
    """Half lines, JSON that says something else and plain text are passed over."""
    supervisor, _ = make("serve")
    assert ready(supervisor, qtbot)[0] == "http://127.0.0.1:65000"


def test_the_key_goes_over_standard_input_alone(make: Make, qtbot: Any) -> None:
    """It is in no argument and in no variable of the child."""
    supervisor, record = make("serve")
    key = ready(supervisor, qtbot)[1]
    child = records(record)[0]
    assert child["key"] == key
    assert key not in json.dumps([child["argv"], child["environment"]])


def test_the_log_s_tail_never_shows_the_key(make: Make, qtbot: Any) -> None:
    """A careless line of the child is redacted before anybody can copy it."""
    supervisor, _ = make("serve")
    key = ready(supervisor, qtbot)[1]
    assert any("[key]" in line for line in supervisor.tail)
    assert key not in "\n".join(supervisor.tail)


def test_a_killed_child_is_started_with_another_key(make: Make, qtbot: Any) -> None:
    """SIGKILL: the next one is ready, and what the old key opened is closed."""
    supervisor, record = make("serve")
    ready(supervisor, qtbot)
    os.kill(supervisor.pid, signal.SIGKILL)
    ready(supervisor, qtbot)
    first, second = records(record)
    assert first["key"] != second["key"]


def test_five_deaths_in_a_minute_are_given_up(make: Make, qtbot: Any) -> None:
    """The tail holds the last words of the child, and nothing is started any more."""
    supervisor, record = make("die")
    supervisor.start()
    qtbot.waitUntil(lambda: supervisor.state is ServiceState.GIVEN_UP, timeout=15000)
    assert len(records(record)) == 5
    assert "the disk is on fire" in supervisor.tail


@pytest.mark.parametrize(
    ("mode", "refusal"),
    [
        ("refuse", StartRefusal("No place for the key.", "/site/passphrase")),
        ("misused", StartRefusal("Port 1 is taken.", "")),
    ],
)
def test_a_child_that_cannot_start_is_not_tried_again(make: Make, qtbot: Any, mode: str, refusal: StartRefusal) -> None:
    """It says what is missing; it is started again when a person wants it, and not before."""
    supervisor, record = make(mode)
    said: list[str] = []
    supervisor.died.connect(said.append)
    for starts in (1, 2, 3):
        (supervisor.start if starts < 3 else supervisor.restart)()
        qtbot.waitUntil(lambda: supervisor.state is ServiceState.REFUSED, timeout=10000)
        assert supervisor.refusal == refusal
        assert not supervisor._restart.isActive()
        assert len(records(record)) == supervisor.starts == starts
        assert said == [refusal.sentence] * starts


def test_a_child_that_ends_later_with_that_code_is_started_again(make: Make, qtbot: Any, monkeypatch: Any) -> None:
    """Configuration is what stops a start; a service that was up died."""
    # The child of the test lives on: it must not be started beside itself before the test is over.
    monkeypatch.setattr(module, "FIRST_BACKOFF_MS", 60_000)
    supervisor, _ = make("serve")
    ready(supervisor, qtbot)
    supervisor._take_end(2, module.QProcess.ExitStatus.NormalExit)
    assert supervisor.state is ServiceState.WAITING


@given(
    st.one_of(
        st.text(),
        st.sampled_from(['{"ready":false}', '{"ready":true,"refused":"x"}', "[]", '{"ready":false,"refused":1}']),
    )
)
def test_no_other_line_is_a_refusal(text: str) -> None:
    """Noise of any kind is noise."""
    assert refusal_of(text) is None


def test_a_refusal_is_read() -> None:
    """A file that is no text is no file."""
    assert refusal_of('{"ready":false,"refused":"x","passphrase_file":null}') == StartRefusal("x", "")
    assert refusal_of('{"ready":false,"refused":"x","passphrase_file":"/p"}') == StartRefusal("x", "/p")


def test_a_program_that_is_not_there_is_given_up_too(application: QApplication, qtbot: Any, monkeypatch: Any) -> None:
    """The sentence says what the system said."""
    monkeypatch.setattr(module, "FIRST_BACKOFF_MS", 1)
    supervisor = Supervisor(["/no/such/program"])
    sentences: list[str] = []
    supervisor.died.connect(sentences.append)
    supervisor.start()
    qtbot.waitUntil(lambda: supervisor.state is ServiceState.GIVEN_UP, timeout=5000)
    assert "could not be started" in sentences[0]


def test_the_end_of_its_input_stops_the_child(make: Make, qtbot: Any) -> None:
    """No signal is needed, and no process is left."""
    supervisor, _ = make("serve")
    ready(supervisor, qtbot)
    pid = supervisor.pid
    with qtbot.waitSignal(supervisor.state_changed, timeout=5000, check_params_cb=lambda s: s is ServiceState.STOPPED):
        supervisor.stop()
    assert not alive(pid)


def test_a_deaf_child_is_killed(make: Make, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The console ends even if the service does not want to."""
    monkeypatch.setattr(module, "STOP_WITHIN_MS", 50)
    supervisor, _ = make("deaf")
    ready(supervisor, qtbot)
    pid = supervisor.pid
    supervisor.stop()
    qtbot.waitUntil(lambda: supervisor.state is ServiceState.STOPPED, timeout=5000)
    assert not alive(pid)


def test_a_child_that_never_gets_ready_is_killed(make: Make, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for ever is no answer; it counts as a death."""
    monkeypatch.setattr(module, "READY_WITHIN_MS", 300)
    supervisor, _ = make("silent")
    with qtbot.waitSignal(supervisor.died, timeout=10000):
        supervisor.start()


def test_connecting_again_is_no_death(make: Make, qtbot: Any) -> None:
    """F5 six times is a person at work, not a broken service."""
    supervisor, record = make("serve")
    ready(supervisor, qtbot)
    for _ in range(6):
        with qtbot.waitSignal(supervisor.ready, timeout=10000):
            supervisor.restart()
    assert supervisor.state is ServiceState.READY
    assert len(records(record)) == 7


def test_a_key_has_the_contract_s_form() -> None:
    """Prefix, 32 letters and digits, and the CRC-32 of all before in 6."""
    key = new_citadel_key()
    assert key.startswith("arc_cit_")
    assert len(key) == 46
    assert base62(zlib.crc32(key[:40].encode()), 6) == key[40:]


def test_the_command_names_no_key() -> None:
    """Whoever lists processes learns the site and nothing else."""
    command = service_command(Path("/site"), "training")
    assert command[-6:] == ["serve", "--supervised", "--data-dir", "/site", "--profile", "training"]


@given(st.text(max_size=300))
def test_any_line_is_ready_or_not(text: str) -> None:
    """No line of the child raises."""
    assert ready_url(text) is None or text.lstrip().startswith("{")


@pytest.mark.parametrize(
    "line",
    [
        '{"ready":true,"base_url":"http://evil.example:80"}',
        '{"ready":true,"base_url":"https://127.0.0.1:1"}',
        '{"ready":"true","base_url":"http://127.0.0.1:1"}',
        '{"ready":true}',
        "[" * 100_000,
    ],
)
def test_only_loopback_is_believed(line: str) -> None:
    """The key would go to whatever the line names."""
    assert ready_url(line) is None
