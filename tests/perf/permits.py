"""Permits judged a second, against joserfc alone on the same token and key: what our own checks cost on top.

Ours reads the header, finds the key, verifies and checks every claim; the peer verifies the signature and decodes the
claims. CPU time of one thread. ``python -m tests.perf.permits`` prints the row.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from joserfc import jwt
from joserfc.jwk import ECKey

from app.capabilities.gateway.actions.token import PermitTokens
from app.store.keys import Kek, Keys
from tests.perf.report import Row, run

ROUNDS, TOKENS = 10, 500


def verify() -> Row:
    """The median round of each, turn about."""
    with tempfile.TemporaryDirectory() as scratch:
        keys = Keys(Path(scratch) / "keys.db", Kek(b"k" * 32))
        tokens, key = PermitTokens(keys, "perf.site.invalid/audit"), ECKey.import_key(keys.p256("permit"))
        now = int(time.time())
        facts = {"unit_id": "door-7", "action": "door.open", "resource": "gate 3", "node_id": "ARC-1"}
        made = [tokens.sign(tokens.claims(**facts, jti=f"{n:022}", iat=now, ttl_s=300)) for n in range(TOKENS)]

        def ours(text: str) -> object:
            return tokens.verify(text, unit_id="door-7", now_s=now)

        def peer(text: str) -> object:
            return jwt.decode(text, key, algorithms=["ES256"]).claims

        costs: dict[Callable[[str], object], list[float]] = {ours: [], peer: []}
        for _ in range(ROUNDS):
            for judge, spent in costs.items():
                began = time.thread_time()
                for text in made:
                    judge(text)
                spent.append(time.thread_time() - began)
        keys.close()
    rates = [TOKENS / sorted(spent)[ROUNDS // 2] for spent in costs.values()]
    return Row(
        name=f"permit verified, {len(made[0])} characters",
        unit="/s",
        ours=rates[0],
        peer=rates[1],
        ratio=rates[0] / rates[1],
        goal="told (5,700/s)",
        against="joserfc's jwt.decode alone",
    )


ROWS = (verify,)

if __name__ == "__main__":
    run(ROWS)
