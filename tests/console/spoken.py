"""Plugin of pytest: ``-p tests.console.spoken --speak LANGUAGE`` runs console tests in another language. A language is
chosen once a process and before the first word, so before any ``conftest`` is read."""

from __future__ import annotations

import pytest

from app.console.application import speak


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    parser.addoption("--speak", default="en", help="language of the console, as application.speak takes it")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before the first module with words."""
    speak(early_config.known_args_namespace.speak)
