"""The audit log as a Merkle tree (RFC 6962) with signed checkpoints (C2SP). Knows no table of any capability.

Leaf format, tables, tiles and canonical JSON are final: ``tree/leaf.py``, ``tables.py``, ``tree/tree.py``,
``c2sp/note.py``.
"""
