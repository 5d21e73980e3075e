"""Secure elements: PC/SC transport, APDU pipeline, PIV, and our own software PIV card (specification part 4.10)."""
