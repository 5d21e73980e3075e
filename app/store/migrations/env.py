"""alembic's entry: runs the revisions on the connection that ``migrate`` hands over."""

from __future__ import annotations

from alembic import context

config = context.config
context.configure(
    connection=config.attributes["connection"],
    target_metadata=config.attributes["metadata"],
    render_as_batch=True,
    transactional_ddl=True,
)
# ``migrate`` has opened the transaction and ends it.
context.run_migrations()
