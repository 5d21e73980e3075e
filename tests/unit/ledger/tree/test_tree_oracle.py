"""Roots and paths against pymerkle, which shares no line with our tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from pymerkle import InmemoryTree

from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import Node, Tree, consistency_path, inclusion_path, root_at, tile_nodes, verify_consistency

SIZE = 1_024
ENTRIES = [b"entry %d" % number for number in range(SIZE)]


@pytest.fixture(scope="module")
def theirs() -> InmemoryTree:
    """pymerkle's tree of all entries, which can tell of each smaller one."""
    tree = InmemoryTree()
    tree.append_entries(ENTRIES)
    return tree


def sizes() -> Iterable[tuple[int, Tree, Node]]:
    """Each size with our tree and its nodes, as a reader has them: from full tiles and open ones."""
    tree, tiles = Tree(), {}
    for size, entry in enumerate(ENTRIES, 1):
        tree.append(leaf_hash(entry))
        tiles.update({(level, index): hashes for level, index, hashes in tree.take_full()})
        yield size, tree, tile_nodes(lambda level, index: tiles[level, index], size, tree.open_tiles())


def compare(theirs: InmemoryTree, places: Callable[[int], Iterable[int]]) -> None:
    """Roots at every size, and the paths of ``places(size)``, leaves and older sizes, both 0 to size - 1."""
    for size, tree, node in sizes():
        root = theirs.get_root(size)
        assert tree.root() == root_at(node, size) == root
        for place in places(size):
            # Theirs counts leaves from one and begins with the leaf itself.
            assert inclusion_path(node, place, size) == theirs.prove_inclusion(place + 1, size).path[1:]
            # Theirs writes consistency in another form than RFC 6962, so that only its roots can be compared.
            old_root = theirs.get_root(place)
            assert verify_consistency(place, size, consistency_path(node, place, size), old_root, root)


def test_paths_of_every_size_are_pymerkles(theirs: InmemoryTree) -> None:
    """At every size to 1,024: the root, and the paths of its ends, its middle and a leaf that wanders."""
    compare(theirs, lambda size: {0, size // 2, size * size // 3 % size, size - 1})


@pytest.mark.campaign
def test_every_path_of_every_size_is_pymerkles(theirs: InmemoryTree) -> None:
    """At every size to 1,024: the path of every leaf, and from every older size."""
    compare(theirs, range)
