"""What a site is: its profile, its data directory, its settings. Nothing else reads configuration."""
