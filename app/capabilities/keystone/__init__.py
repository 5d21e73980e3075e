"""Keystone: the rotating QR code of a terminal, and its verification (specification 4.9)."""
