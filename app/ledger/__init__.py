"""The site's two logs, audit and seal: Merkle trees (RFC 6962) with signed checkpoints (C2SP), and the proofs made from
them. Knows no table of any capability.

The formats are final: leaf and canonical JSON (``tree/leaf.py``), tables (``tables.py``), tiles (``tree/tree.py``),
notes (``c2sp/note.py``). ``README.md`` describes all of them byte by byte, for readers and for verifiers of other
makers."""
