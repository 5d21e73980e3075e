"""The Merkle tree against the definition of RFC 6962 and Certificate Transparency's own vectors."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import (
    HASH,
    TILE,
    Node,
    Tree,
    consistency_path,
    fold,
    inclusion_path,
    levels_of,
    node_hash,
    root_at,
    verify_consistency,
    verify_inclusion,
)

# Inputs and roots of Certificate Transparency's test suite.
CT_LEAVES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")] + [
    bytes.fromhex("606162636465666768696a6b6c6d6e6f")
]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def some_leaves(count: int) -> list[bytes]:
    """``count`` different leaf hashes."""
    return [hashlib.sha256(b"leaf %d" % number).digest() for number in range(count)]


def grown(leaves: list[bytes]) -> Tree:
    """A tree of ``leaves``."""
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree


def nodes_of(leaves: list[bytes]) -> Node:
    """Nodes straight from the leaves."""
    return lambda height, index: fold(b"".join(leaves[index << height : (index + 1) << height]))


def test_certificate_transparency_roots() -> None:
    """The eight roots of the published vectors."""
    tree, roots = Tree(), []
    for entry in CT_LEAVES:
        tree.append(leaf_hash(entry))
        roots.append(tree.root().hex())
    assert roots == CT_ROOTS


def test_empty_root() -> None:
    """The empty tree's root is the hash of nothing."""
    assert Tree().root() == hashlib.sha256(b"").digest()


def test_every_root_to_600(oracle: Any) -> None:
    """Growing leaf by leaf over two tiles, every root is the definition's."""
    leaves, tree = some_leaves(600), Tree()
    for size, leaf in enumerate(leaves, 1):
        tree.append(leaf)
        if size % 7 == 0 or size in (255, 256, 257, 511, 512, 513):
            assert tree.root() == oracle[0](leaves[:size])


def test_every_path_to_40(oracle: Any) -> None:
    """Every path of every small tree is the definition's, and verifies."""
    leaves = some_leaves(40)
    node = nodes_of(leaves)
    for size in range(1, 41):
        root = root_at(node, size)
        for index in range(size):
            path = inclusion_path(node, index, size)
            assert path == oracle[1](index, leaves[:size])
            assert verify_inclusion(leaves[index], index, size, path, root)


@given(st.data())
def test_wrong_path_does_not_verify(data: st.DataObject) -> None:
    """A path with one bit changed, one hash more or less, or of another place, is refused."""
    size = data.draw(st.integers(2, 70))
    leaves = some_leaves(size)
    node = nodes_of(leaves)
    index = data.draw(st.integers(0, size - 1))
    path, root = inclusion_path(node, index, size), root_at(node, size)
    match data.draw(st.sampled_from(["bit", "more", "less", "place"])):
        case "bit":
            at, bit = data.draw(st.integers(0, len(path) - 1)), data.draw(st.integers(0, 255))
            path[at] = (int.from_bytes(path[at]) ^ 1 << bit).to_bytes(HASH)
        case "more":
            path.insert(data.draw(st.integers(0, len(path))), b"\x00" * HASH)
        case "less":
            path.pop(data.draw(st.integers(0, len(path) - 1)))
        case "place":
            other = data.draw(st.integers(0, size - 1).filter(lambda other: other != index))
            assert not verify_inclusion(leaves[index], other, size, path, root)
            return
    assert not verify_inclusion(leaves[index], index, size, path, root)


@pytest.mark.parametrize("index", [-1, 8, 9])
def test_leaf_outside_the_tree(index: int) -> None:
    """There is no path to a leaf that the tree does not have."""
    with pytest.raises(ValueError, match="no such leaf"):
        inclusion_path(nodes_of(some_leaves(8)), index, 8)


def test_full_tiles_hold_the_nodes() -> None:
    """Over 65,536 leaves each full tile of level 0 and 1 holds exactly the nodes of its height."""
    leaves = some_leaves(65_536 + 300)
    tree = grown(leaves)
    full = {(level, index): hashes for level, index, hashes in tree.take_full()}
    assert sorted(full) == [(0, index) for index in range(257)] + [(1, 0)]
    assert all(len(hashes) == TILE for hashes in full.values())
    assert full[(0, 256)] == b"".join(leaves[65_536 : 65_536 + 256])
    assert full[(1, 0)] == b"".join([fold(full[(0, index)]) for index in range(256)])
    assert [len(tile) // HASH for tile in tree.open_tiles()] == [44, 1, 1]


@given(st.integers(0, 1_200))
@settings(max_examples=60)
def test_rebuilt_tree_goes_on_alike(size: int) -> None:
    """A tree rebuilt from its open tiles has the same root, now and after more leaves."""
    leaves = some_leaves(size + 300)
    tree = grown(leaves[:size])
    again = Tree.rebuild(size, tree.open_tiles())
    assert again.root() == tree.root()
    tree.take_full()
    for leaf in leaves[size:]:
        tree.append(leaf)
        again.append(leaf)
    assert (again.root(), again.open_tiles(), again.take_full()) == (tree.root(), tree.open_tiles(), tree.take_full())


def test_rebuild_refuses_what_does_not_fit() -> None:
    """Open tiles of another size are refused."""
    with pytest.raises(ValueError, match="do not fit"):
        Tree.rebuild(5, [b"\x00" * HASH * 4])


@given(st.integers(0, 600), st.integers(1, 600))
@settings(max_examples=40)
def test_restored_tree_forgets(before: int, lost: int) -> None:
    """After ``restore`` the tree grows as if the lost leaves had never been."""
    leaves = some_leaves(before + lost)
    tree = grown(leaves[:before])
    tree.take_full()
    mark = tree.mark()
    for leaf in leaves[before:]:
        tree.append(leaf)
    tree.restore(mark)
    assert (tree.size, tree.take_full()) == (before, [])
    tree.append(b"\x01" * HASH)
    assert tree.root() == grown([*leaves[:before], b"\x01" * HASH]).root()


@pytest.mark.parametrize(("size", "levels"), [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3)])
def test_levels(size: int, levels: int) -> None:
    """A level begins with its first node."""
    assert levels_of(size) == levels


def test_node_is_not_a_leaf() -> None:
    """Leaves and nodes are hashed apart, so that none can pass for the other."""
    left, right = some_leaves(2)
    assert node_hash(left, right) != leaf_hash(left + right)


@pytest.mark.parametrize("size", range(1, 34))
def test_consistency_of_every_size(size: int) -> None:
    """Each older size is proven, and its root is needed for it."""
    nodes = nodes_of(some_leaves(size))
    root = root_at(nodes, size)
    for old in range(size + 1):
        path = consistency_path(nodes, old, size)
        assert verify_consistency(old, size, path, root_at(nodes, old), root)
        assert not verify_consistency(old, size, path, b"\0" * HASH, root)
        assert not verify_consistency(old, size, [*path, b"\0" * HASH], root_at(nodes, old), root)
        assert not path or not verify_consistency(old, size, path[1:], root_at(nodes, old), root)


def test_a_fork_is_not_consistent() -> None:
    """A changed older leaf is found in every later size."""
    leaves = some_leaves(21)
    forked = [*leaves]
    forked[2] = b"\1" * HASH
    for size in range(8, 22):
        path = consistency_path(nodes_of(forked), 7, size)
        old_root = root_at(nodes_of(leaves), 7)
        assert not verify_consistency(7, size, path, old_root, root_at(nodes_of(forked), size))


def test_a_larger_older_size_has_no_path() -> None:
    """Logs do not shrink."""
    with pytest.raises(ValueError, match="older size"):
        consistency_path(nodes_of(some_leaves(3)), 4, 3)


@given(st.integers(-1, 40), st.integers(-1, 40), st.lists(st.binary(min_size=32, max_size=32), max_size=8))
def test_any_consistency_path_is_judged(old: int, size: int, path: list[bytes]) -> None:
    """Paths from outside never raise, and prove nothing by chance."""
    assert verify_consistency(old, size, path, b"\2" * HASH, b"\3" * HASH) is False
