"""Merkle tree of RFC 6962 with C2SP tiles: an append costs two hashes on average, paths are read from full tiles.

A *node* ``(height, index)`` is the root of the perfect subtree over leaves ``[index << height,
(index + 1) << height)``.
A *tile* ``(level, index)`` holds the 256 nodes of height ``8 * level`` from ``index * 256`` on, 8,192 bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

HASH: Final = 32
WIDTH: Final = 256
"""Hashes of a full tile."""
TILE: Final = HASH * WIDTH
EMPTY: Final = hashlib.sha256(b"").digest()
"""Root of the tree of size 0."""

_NODE: Final = hashlib.sha256(b"\x01")

Node = Callable[[int, int], bytes]
"""``node(height, index)``: the hash of a complete node."""


def node_hash(left: bytes, right: bytes) -> bytes:
    """RFC 6962 section 2.1."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def fold(hashes: bytes) -> bytes:
    """Root over ``hashes``, which are 2^k hashes joined."""
    # ``node_hash`` of each pair. Two children already lie side by side, and copying a started hash is cheaper than
    # starting one.
    begun = _NODE.copy
    while len(hashes) > HASH:
        row = []
        for at in range(0, len(hashes), 2 * HASH):
            node = begun()
            node.update(hashes[at : at + 2 * HASH])
            row.append(node.digest())
        hashes = b"".join(row)
    return hashes


class Tree:
    """The growing end of the tree: the roots of its perfect subtrees, and the open tile of each level.

    Full tiles leave through ``take_full``. ``mark`` and ``restore`` undo the appends of a commit that failed.
    """

    __slots__ = ("_full", "_open", "_stack", "size")

    def __init__(self) -> None:
        self.size = 0
        # One hash per set bit of size, the largest subtree first.
        self._stack: list[bytes] = []
        self._open: list[bytearray] = [bytearray()]
        self._full: list[tuple[int, int, bytes]] = []

    @classmethod
    def rebuild(cls, size: int, open_tiles: Sequence[bytes]) -> Tree:
        """The tree of ``size`` leaves from its open tiles, level 0 first; ``ValueError`` if they do not fit."""
        tree = cls()
        tree.size = size
        tree._open = [bytearray(tile) for tile in open_tiles] or [bytearray()]
        levels = levels_of(size)
        if len(open_tiles) != levels or any(
            len(tile) != HASH * (size >> (8 * level) & 0xFF) for level, tile in enumerate(open_tiles)
        ):
            raise ValueError("open tiles do not fit the size of the tree")
        for level in reversed(range(levels)):
            tile, at = bytes(open_tiles[level]), 0
            for bit in reversed(range(8)):
                if size >> (8 * level + bit) & 1:
                    end = at + (HASH << bit)
                    tree._stack.append(fold(tile[at:end]))
                    at = end
        return tree

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash."""
        entry, size, height = leaf, self.size, 0
        self._keep(0, entry)
        while size & 1:
            entry = node_hash(self._stack.pop(), entry)
            size >>= 1
            height += 1
            if height & 7 == 0:
                self._keep(height >> 3, entry)
        self._stack.append(entry)
        self.size += 1

    def _keep(self, level: int, entry: bytes) -> None:
        if level == len(self._open):
            self._open.append(bytearray())
        tile = self._open[level]
        tile += entry
        if len(tile) == TILE:
            self._full.append((level, self.size >> (8 * level + 8), bytes(tile)))
            tile.clear()

    def root(self) -> bytes:
        """Root of the whole tree."""
        if not self._stack:
            return EMPTY
        root = self._stack[-1]
        for left in reversed(self._stack[:-1]):
            root = node_hash(left, root)
        return root

    def take_full(self) -> list[tuple[int, int, bytes]]:
        """The tiles ``(level, index, hashes)`` that became full since the last call."""
        full, self._full = self._full, []
        return full

    def open_tiles(self) -> tuple[bytes, ...]:
        """Copies of the open tiles, level 0 first."""
        return tuple(bytes(tile) for tile in self._open)

    def mark(self) -> tuple[int, list[bytes], tuple[bytes, ...]]:
        """The state for ``restore``; valid while no full tile waits for ``take_full``."""
        return self.size, self._stack.copy(), self.open_tiles()

    def restore(self, mark: tuple[int, list[bytes], tuple[bytes, ...]]) -> None:
        """Undo everything since ``mark``."""
        self.size, stack, tiles = mark
        self._stack = stack.copy()
        self._open = [bytearray(tile) for tile in tiles]
        self._full = []


def levels_of(size: int) -> int:
    """The number of levels of tiles in a tree of ``size`` leaves, at least one."""
    levels = 1
    while size >> (8 * levels):
        levels += 1
    return levels


def range_root(node: Node, low: int, high: int) -> bytes:
    """Root over leaves ``[low, high)``, ``low`` a multiple of the smallest power of two >= ``high - low``."""
    parts = []
    at = low
    for height in reversed(range((high - low).bit_length())):
        if (high - low) >> height & 1:
            parts.append(node(height, at >> height))
            at += 1 << height
    root = parts.pop()
    while parts:
        root = node_hash(parts.pop(), root)
    return root


def tile_nodes(read: Callable[[int, int], bytes], size: int, open_tiles: Sequence[bytes]) -> Node:
    """Complete nodes of the tree of ``size``, from its full tiles, ``read(level, index)``, and its open ones, level 0
    first. Each tile is read and folded once, and cached as long as the function lives."""
    tiles: dict[tuple[int, int], bytes] = {}
    folded: dict[tuple[int, int], bytes] = {}

    def node(height: int, index: int) -> bytes:
        found = folded.get((height, index))
        if found is None:
            level, shift = height >> 3, height & 7
            first = index << shift
            where = (level, first // WIDTH)
            tile = tiles.get(where)
            if tile is None:
                full = where[1] < size >> (8 * level + 8)
                tile = tiles[where] = read(*where) if full else open_tiles[level]
            at = HASH * (first % WIDTH)
            found = folded[(height, index)] = fold(tile[at : at + (HASH << shift)])
        return found

    return node


def root_at(node: Node, size: int) -> bytes:
    """Root of the first ``size`` leaves."""
    return range_root(node, 0, size) if size else EMPTY


def inclusion_path(node: Node, index: int, size: int) -> list[bytes]:
    """RFC 6962 section 2.1.1: PATH(index, D[size]), from leaf to root. ``ValueError`` outside the tree."""
    if not 0 <= index < size:
        raise ValueError("no such leaf in a tree of that size")
    path = []
    low, high = 0, size
    while high - low > 1:
        half = 1 << ((high - low - 1).bit_length() - 1)
        if index < low + half:
            path.append(range_root(node, low + half, high))
            high = low + half
        else:
            path.append(range_root(node, low, low + half))
            low += half
    path.reverse()
    return path


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """RFC 9162 section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    fn, sn, found = index, size - 1, leaf
    for step in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            found = node_hash(step, found)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            found = node_hash(found, step)
        fn >>= 1
        sn >>= 1
    return sn == 0 and found == root


def consistency_path(node: Node, old: int, size: int) -> list[bytes]:
    """RFC 6962 section 2.1.2: PROOF(old, D[size]); empty for ``old`` 0 or equal sizes. ``ValueError`` if ``old`` is
    larger than ``size``."""
    if not 0 <= old <= size:
        raise ValueError("no such older size of that tree")
    path: list[bytes] = []
    if old in (0, size):
        return path
    low, high, whole = 0, size, True
    while old != high - low:
        half = 1 << ((high - low - 1).bit_length() - 1)
        if old <= half:
            path.append(range_root(node, low + half, high))
            high = low + half
        else:
            path.append(range_root(node, low, low + half))
            low, old, whole = low + half, old - half, False
    if not whole:
        path.append(range_root(node, low, high))
    path.reverse()
    return path


def verify_consistency(old: int, size: int, path: Sequence[bytes], old_root: bytes, root: bytes) -> bool:
    """RFC 9162 section 2.1.4.2, with the two cases that it leaves out: every tree continues the empty one, and equal
    sizes must have equal roots."""
    if not 0 <= old <= size:
        return False
    if old == size:
        return not path and old_root == root
    if old == 0:
        return not path and old_root == EMPTY
    steps = list(path)
    if old & (old - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    fn, sn = old - 1, size - 1
    while fn & 1:
        fn >>= 1
        sn >>= 1
    was = now = steps[0]
    for step in steps[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            was, now = node_hash(step, was), node_hash(step, now)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            now = node_hash(now, step)
        fn >>= 1
        sn >>= 1
    return sn == 0 and was == old_root and now == root
