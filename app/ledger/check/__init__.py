"""Whether the logs are what was signed: fsck, the nightly check, the check at start."""
