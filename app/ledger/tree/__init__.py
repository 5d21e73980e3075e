"""The Merkle tree itself and its leaves, to the byte (RFC 6962, C2SP tlog-tiles)."""
