"""Evidence judged offline, against pinned keys: no store, no network (``arc-console verify``)."""
