"""The store: engine, tables, migrations, the group-commit writer, sealed fields and keys.

It knows the ledger only through ``writer.LogAppender`` and no table of any capability.
"""
