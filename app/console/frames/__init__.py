"""Server frames as pages show them: their state, their measurements, the panel of one frame."""
