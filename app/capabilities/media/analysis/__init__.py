"""From a decoded image to a judgement: all detectors in one pass, what a network makes of their maps, and its score."""
