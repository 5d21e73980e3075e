"""What every endpoint shares: operation table, authentication, problems, idempotency, limits, guard, OpenAPI."""
