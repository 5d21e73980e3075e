"""Gateway (specification 4.12): telemetry stream, audit log query, action permits."""
