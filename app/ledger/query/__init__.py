"""The audit query: from times, criteria and words to a page of entries."""
