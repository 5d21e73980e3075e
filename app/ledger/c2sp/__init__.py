"""The C2SP text formats that others read, to the byte: notes, cosignatures, policies, proofs."""
