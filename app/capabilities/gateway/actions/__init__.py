"""Action permits: minted for a unit, decided once (specification 4.12)."""
