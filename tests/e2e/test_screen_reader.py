"""The three main flows as a person does them who hears the console: by AT-SPI, from a foreign program, no mouse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.heard_console import Reader, heard_console


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """On a training console."""
    with heard_console(tmp_path_factory.mktemp("reader")) as made:
        yield made


def burn(reader: Reader, node_id: str) -> None:
    """By the desk: the subject, a reason, and the id typed once more in the place of a hold."""
    reader.become("Training desk")
    reader.front()
    reader.press("Burn", "check box")
    reader.enter("Whom to burn", node_id)
    reader.hear(f"^{node_id}$")
    reader.press("Token leak")
    reader.enter("Type the node id and press Enter instead of holding", node_id)
    reader.hear(r"^Every door refuses$")


def test_a_person_is_burned(reader: Reader) -> None:
    """And the time to the last door is heard."""
    burn(reader, "ARC-T0003")
    assert reader.hear(r"^Time to last door: \d")
    assert reader.hear(r"^Revoked$")


def test_an_alarm_is_taken(reader: Reader) -> None:
    """A burned badge at a door calls; the desk takes the alarm with a note, and hears who has it."""
    burn(reader, "ARC-T0004")
    reader.enter("Door that the badge is presented at", "data-hall-01")
    reader.press("Present the badge")
    reader.press(reader.hear(r"^Alarms: \d+ needs? you"))
    reader.hear(r"burned badge of node ARC-T0004")
    reader.front("Alarms")
    reader.write("Note of the owner", "A guard is on the way")
    reader.press("Take")
    reader.hear(r"^0 wait for an owner, 1 taken")
    reader.press("Back")


def test_a_card_is_written(reader: Reader) -> None:
    """By the badge office, on the blank card in the first reader, proven by what is read back."""
    reader.become("Training badge office")
    reader.front()
    reader.press("Write card", "check box")
    reader.hear(r"^Training Reader 1, Blank, ")
    reader.write("Person who holds the card", "ARC-T0005")
    reader.hear(r"^1 found: Training Person 05 ARC-T0005")
    reader.key()
    reader.press("Write card", "push button")
    assert reader.hear(r"^Written and proven$")
    assert reader.hear(r"^Training Reader 1, Written, \S+, Holder Training Person 05$")
