"""Registry: the nodes, readers, peers and units that the other capabilities speak of (contract.md, section 3)."""
