"""What the console checks itself, without asking the service, and the policy that it pinned."""
