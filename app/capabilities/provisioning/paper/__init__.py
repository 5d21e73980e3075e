"""What a write leaves on paper or for others to keep: mailer, receipt, printed information."""
