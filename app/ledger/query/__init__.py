"""The audit query: times, criteria and words to a page of entries."""
