"""``arc-console operator``: a passphrase from stdin or the terminal alone, and what is refused in a sentence."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from app.__main__ import main
from app.api.operator_id import is_operator_id
from app.commands.options import EXIT_OK, EXIT_REFUSED
from app.operators.passphrases import matches
from app.site.site import Site
from tests.memory_scan import Needles

ROOT = Path(__file__).parents[3]
PASSPHRASE = "correct horse battery staple"


def create(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: bytes, *options: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of ``operator create`` with this on stdin."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    code = main(["operator", "create", "--name", "Anna Admin", *options])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.parametrize("line", [PASSPHRASE + "\n", PASSPHRASE + "\r\nmore\n", PASSPHRASE])
def test_the_first_line_of_stdin_is_the_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    """The id alone is printed; the passphrase opens, and lies in no file of the site."""
    code, out, err = create(monkeypatch, capsys, line.encode(), "--admin", "--data-dir", str(tmp_path / "site"))
    assert (code, err) == (EXIT_OK, "")
    assert is_operator_id(out.strip())
    assert _opens(tmp_path / "site", out.strip(), PASSPHRASE)
    assert Needles.of(PASSPHRASE.encode()).in_files(tmp_path / "site") == set()


def _opens(directory: Path, operator_id: str, passphrase: str) -> bool:
    """Whether the passphrase is the operator's, as the service would judge it."""
    import contextlib

    from app.operators.register import OperatorRegister
    from app.registry.service import Registry
    from app.service.platform import open_service_store
    from app.store.cursor import Cursors

    site = Site.existing(directory)
    with contextlib.ExitStack() as claims:
        keys, _, store = open_service_store(site, claims)
        cursors = Cursors.of(keys)
        register = OperatorRegister(store, cursors, Registry(site, store, keys, cursors).nodes, lambda *_: "")
        with store.read() as connection:
            return matches(memoryview(passphrase.encode()), register.verifier(connection, operator_id))


def test_a_composed_letter_is_one_for_every_keyboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Normalization form C: a decomposed one opens by its composed form."""
    typed = "Zu\N{COMBINING DIAERESIS}rich am See\n".encode()
    code, out, _ = create(monkeypatch, capsys, typed, "--role", "desk", "--data-dir", str(tmp_path / "site"))
    assert code == EXIT_OK
    assert _opens(tmp_path / "site", out.strip(), "Z\N{LATIN SMALL LETTER U WITH DIAERESIS}rich am See")


@pytest.mark.parametrize(
    ("typed", "options", "words"),
    [
        (b"", ["--admin"], "first line of stdin"),
        (b"elevenchars\n", ["--admin"], "12 characters"),
        (b"\xff" * 20 + b"\n", ["--admin"], "UTF-8"),
        (b"correct horse battery staple\n", [], "--admin or --role"),
        (b"correct horse battery staple\n", ["--admin", "--node", "ARC-GONE"], "ARC-GONE"),
        (b"correct horse battery staple\n", ["--admin", "--node", "no node"], "--role"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: bytes,
    options: list[str],
    words: str,
) -> None:
    """Exit code 2, nothing on stdout, and the passphrase in no message."""
    code, out, err = create(monkeypatch, capsys, typed, *options, "--data-dir", str(tmp_path / "site"))
    assert (code, out) == (EXIT_REFUSED, "")
    assert words in err
    assert "battery" not in err


def test_another_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``operator passphrase`` replaces it; for an unknown operator it refuses."""
    site = str(tmp_path / "site")
    _, out, _ = create(monkeypatch, capsys, PASSPHRASE.encode(), "--admin", "--data-dir", site)
    operator_id = out.strip()
    for wanted, code in ((operator_id, EXIT_OK), ("op_" + "0" * 16, EXIT_REFUSED)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"another long passphrase\n")))
        assert main(["operator", "passphrase", wanted, "--data-dir", site]) == code
    assert _opens(tmp_path / "site", operator_id, "another long passphrase")
    assert not _opens(tmp_path / "site", operator_id, PASSPHRASE)


@pytest.mark.parametrize(("second", "code"), [(PASSPHRASE, EXIT_OK), ("something else typed", EXIT_REFUSED)])
def test_a_terminal_is_asked_twice_and_shows_nothing(tmp_path: Path, second: str, code: int) -> None:
    """At a real terminal the passphrase is not echoed, and two different ones make nothing."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "app", "operator", "create", "--name", "Anna", "--admin"]
    child = subprocess.Popen(
        [*command, "--data-dir", str(tmp_path / "site")],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    for prompt, typed in ((b"Passphrase: ", PASSPHRASE), (b"Once more: ", second)):
        while prompt not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, typed.encode() + b"\n")
    while child.poll() is None or b"\n" not in shown.partition(b"Once more: ")[2].strip(b"\r\n"):
        try:
            shown += os.read(ours, 1000)
        except OSError:
            break
    os.close(ours)
    assert child.wait(60) == code, shown
    assert PASSPHRASE.encode() not in shown
    assert (b"op_" in shown) == (code == EXIT_OK)
