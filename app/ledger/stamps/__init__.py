"""Time stamps over checkpoints (RFC 3161): the embedded authority's and outside ones."""
