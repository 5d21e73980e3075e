"""The text formats that others read, byte-exact C2SP: notes, cosignatures, policies, proofs."""
