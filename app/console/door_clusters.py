"""The clusters of the site's doors, as pages and the locked window read them: all of them, readers included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.console.growing import page_query, read_all
from app.registry.messages.clusters import Reader, ReaderCluster

if TYPE_CHECKING:
    from app.client import Client


async def read_clusters(client: Client) -> list[ReaderCluster]:
    """Every cluster with its readers, by id. Raises what the client raises."""
    return await read_all(lambda cursor: client.registry_list_reader_clusters(query=page_query(cursor)))


async def read_readers(client: Client) -> list[Reader]:
    """Every reader of the site. Raises what the client raises."""
    return [reader for cluster in await read_clusters(client) for reader in cluster.readers]
