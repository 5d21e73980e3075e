"""The published logs: checkpoints, tiles, entries, policy, keys, roots and witnesses, as C2SP tlog-tiles has them."""
