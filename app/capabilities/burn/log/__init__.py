"""The revocation log: segments, manifests, evidence bundles."""
