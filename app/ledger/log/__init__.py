"""The logs: numbered leaves, signed heads, the keys that sign them."""
