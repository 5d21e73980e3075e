"""One file a detector: each makes maps of traces on the grid of 8 px blocks."""
