"""What every page that writes cards shares: the jobs of a write, words about a card, the files of PIN mailers."""

CARDS_EVERY_S = 3.0
"""Seconds between two readings of the card readers: events show a change at once, a reading proves that nobody is
frozen."""
