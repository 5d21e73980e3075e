"""Everything that speaks to devices: cards, OSDP readers, terminals. Imports nothing of `app`."""
