"""Enforcement (specification 4.4): signed declarations, notices by the law that applies, dispatch and tracking."""
