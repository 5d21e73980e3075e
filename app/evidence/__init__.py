"""Evidence judged offline, against pinned keys: no store, no network (``arc-console verify``).

``judge.examine`` takes any file; ``checks`` has what an auditor pins (``PinnedTrust``) and what comes back
(``Findings``). ``README.md`` in ``app/ledger`` has the formats.
"""
