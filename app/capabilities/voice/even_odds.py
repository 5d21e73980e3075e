"""What a likelihood ratio says to a person."""

from __future__ import annotations

import math


def at_even_odds(llr: float) -> float:
    """The probability of what a log likelihood ratio (nats) speaks for, if both hypotheses were as likely before: the
    logistic function, without overflow."""
    return 1.0 / (1.0 + math.exp(-llr)) if llr >= 0.0 else 1.0 - 1.0 / (1.0 + math.exp(llr))
