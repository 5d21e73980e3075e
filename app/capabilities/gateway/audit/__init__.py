"""The audit log as others read it: the query, the published logs, erasures (specification 4.12)."""
