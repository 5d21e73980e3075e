"""TRAINING: the simulated site: its persons, directory, server frames, palms and drawer of cards."""
