"""From what was measured to what is said: regions, findings in words, a verdict with its reasons, pictures."""
