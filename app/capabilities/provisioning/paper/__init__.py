"""What a write gives to people: the PIN mailer, the signed receipt, the card's printed information."""
