"""Action permits: minted for a unit, decided on once (specification 4.12)."""
