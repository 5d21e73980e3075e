"""The site's own certificates: its authority, what it revoked, and the keys that sign its documents, time stamps and
manifests."""
