"""What ``serve`` says when it does not start."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import keyring
import keyring.backends.fail
import pytest

from app.commands import serve
from app.console.connection.supervisor import StartRefusal, refusal_of
from app.store.errors import KeysUnavailable


def test_a_supervisor_reads_why_and_what_would_help() -> None:
    """The console's reader takes the line as the command writes it."""
    line = serve.refusal_line(KeysUnavailable("No place for the key: ß.", Path("/site/passphrase")))
    assert refusal_of(line) == StartRefusal("No place for the key: ß.", "/site/passphrase")
    assert refusal_of(serve.refusal_line(KeysUnavailable("The keyring refused."))) == StartRefusal(
        "The keyring refused."
    )
    assert json.loads(serve.refusal_line(ValueError("x")))["passphrase_file"] is None


@pytest.mark.parametrize("supervised", [True, False])
def test_a_production_site_without_a_keyring_is_refused_at_once(
    supervised: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2; the reason is for a person on stderr, for a supervisor on stdout. Twice: nothing was made that
    a third start would trip over."""
    keyring.set_keyring(keyring.backends.fail.Keyring())
    monkeypatch.setattr("app.service.serving.read_launch_key", lambda _stdin: None)
    options = argparse.Namespace(
        data_dir=tmp_path / "site", profile="production", port=0, supervised=supervised, pcsc=False
    )
    for _ in range(2):
        assert serve.run(options) == 2
        said = capfd.readouterr()
        assert "arc-console: This production site has no place for its key" in said.err
        refusal = refusal_of(said.out.splitlines()[-1]) if supervised else None
        assert (said.out == "") is not supervised
        assert (refusal is not None) is supervised
        if refusal is not None:
            assert refusal.passphrase_file == str(tmp_path / "site" / "passphrase")
