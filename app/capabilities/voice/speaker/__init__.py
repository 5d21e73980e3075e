"""The speaker score: one pass of a GE2E network, two back ends, a calibrated likelihood ratio."""
