"""Registry: the nodes, readers, peers and units that the other capabilities speak of."""
