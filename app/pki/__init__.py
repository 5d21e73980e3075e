"""The site's own certificates: its authority, and the keys that sign its documents, time stamps and manifests."""
