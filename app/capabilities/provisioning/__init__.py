"""Secure element provisioning (specification 4.10): a person's root validation profile on a card."""
