"""What is measured of a waveform or of its magnitudes: speech, quality, resonance, and the numbers that tell a living
voice from a made one. numpy alone."""
