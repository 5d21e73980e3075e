"""What the fork server of ``tests.loaded_program`` imports as it starts: this loads the program there."""

from tests.loaded_program import load

load()
