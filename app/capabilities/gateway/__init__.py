"""Gateway (specification 4.12) in three rooms: ``actions`` (permits), ``telemetry`` (the stream), ``audit`` (the logs
as others read them: query, published logs, erasures). ``README.md`` has the formats of permits and proofs."""
