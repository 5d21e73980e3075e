"""Media scan (specification 4.2): what was changed in an image, where, and how sure that is."""
