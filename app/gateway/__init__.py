"""Gateway (specification 4.12): telemetry stream and audit log query; action permits come in their own issue."""
