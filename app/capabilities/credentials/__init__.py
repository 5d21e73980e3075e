"""Credential sync (specification 4.5): who may pass where, until when, on every reader."""
