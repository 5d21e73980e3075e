"""The telemetry stream and the proof of possession that opens it (specification 4.12)."""
