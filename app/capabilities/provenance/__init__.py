"""Provenance seals (specification 4.3): a consent with a time marker that outsiders can verify."""
