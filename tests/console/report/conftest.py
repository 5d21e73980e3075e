"""The training site of the tests of pages, for the report."""

from tests.console.pages.conftest import connect, no_dialog_left, settings, training_service

__all__ = ["connect", "no_dialog_left", "settings", "training_service"]
