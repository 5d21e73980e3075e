"""The drawer of a training site remembers over a restart which card lies in which reader."""

from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.provisioning.readers.card_readers import CardReaders
from app.training.cards import READERS, CardDrawer
from hardware.cards.inprocess import InProcessBackend

EMPTY = CardReaders((), (), lambda _: None)


def drawer_of(directory: Path) -> CardDrawer:
    """The drawer as a start of the service opens it."""
    return CardDrawer(directory / "cards", InProcessBackend([]), EMPTY)


def test_cards_lie_where_they_lay(tmp_path: Path) -> None:
    """Two cards in readers, one of them moved, one taken out: the next start finds them so, and the one after it."""
    drawer = drawer_of(tmp_path)
    assert not drawer.restore()
    drawer.insert(READERS[0], "blank-1")
    drawer.insert(READERS[1], "blank-2")
    drawer.insert(READERS[3], "blank-6")
    drawer.remove(READERS[1])
    drawer.remove(READERS[0])
    drawer.insert(READERS[2], "blank-1")
    for _ in range(2):
        again = drawer_of(tmp_path)
        assert again.restore()
        assert again._where == {"blank-6": READERS[3], "blank-1": READERS[2]}
        with pytest.raises(Problem, match=r"state_conflict"):
            again.insert(READERS[0], "blank-1")


def test_empty_readers_stay_empty(tmp_path: Path) -> None:
    """A person who took all cards out finds none in a reader."""
    drawer = drawer_of(tmp_path)
    drawer.insert(READERS[0], "blank-1")
    drawer.remove(READERS[0])
    again = drawer_of(tmp_path)
    assert again.restore()
    assert again._where == {}


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b'{"blank-1": "No such reader"}', b'{"no such card": "Training Reader 1"}']
)
def test_a_memory_that_makes_no_sense_is_no_obstacle(tmp_path: Path, kept: bytes) -> None:
    """A cut file, or names of another version: the site starts."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "in-readers.json").write_bytes(kept)
    drawer = drawer_of(tmp_path)
    drawer.restore()
    assert drawer._where == {}
    assert drawer.insert(READERS[0], "blank-1").card == "blank-1"
