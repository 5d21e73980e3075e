"""The rows that decide, stated by the audit log: what is covered, how rows are summed, and how they are judged."""
