"""The training site's SCIM directory: its accounts, its server, and the process that runs it beside the service."""
