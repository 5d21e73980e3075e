"""Proves sound entries of the audit log sound in the least time.

Nearly every entry is sound, and the bytes of a sound one follow from its columns and its payload. So its bytes are
compared instead of read: words, the fixed text of a header and their search tokens are made once, and so are those of a
detail that occurs again. An entry that is not proved here is judged by itself, field by field (``rows.AuditRun``): that
is the plain implementation, and both must find the same faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from app.ledger.query.search import TOKEN_BYTES, TOKEN_LIMIT, Fingerprint, TokenSum, tokens_of
from app.ledger.tables import OUTCOMES
from app.ledger.tree import leaf as leaves

_KEPT: Final = 50_000
"""Most entries of each cache; a full one begins anew, so that memory does not grow with the store."""
_KEPT_BYTES: Final = 256
"""Longest detail that is cached: a longer one hardly occurs again."""

Row = tuple[Any, ...]
"""``seq, header, ts, action, outcome, actor, node, unit, salt, payload`` of an entry."""


class _KeyCache(dict[Any, Any]):
    """Caches what ``make`` makes of a key, as long as there is room."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        if len(self) >= _KEPT:
            self.clear()
        made = self[key] = self._make(key)
        return made


class SoundEntries:
    """Proves entries sound, and counts their words for the comparison with the search index."""

    def __init__(self, word: Callable[[int | None], str | None], search: Fingerprint, *, alone: frozenset[str]) -> None:
        """``word`` gives a word by its number. Entries with an action of ``alone`` are never proved here."""
        self.last_ts = 0
        """Time of the last entry."""
        self._word = word
        self._search = search
        self._alone = alone
        self._headings = _KeyCache(self._heading)
        self._names = _KeyCache(self._name)
        # Plain tuples: Python takes them apart faster than named ones.
        self._details = _KeyCache(lambda raw: (*_detail_tokens(raw),))

    def doubtful(self, rows: Sequence[Row]) -> Iterator[tuple[Row, int]]:
        """Those of ``rows``, which are numbered without a gap, that are not proved sound; each with the time of the
        entry before it."""
        # One loop with local names alone: over ten million entries each call or attribute costs a second.
        headings, names, details = self._headings, self._names, self._details
        read, ascii_tokens = leaves.read_opened, TOKEN_BYTES
        last_ts, sums = self.last_ts, 0
        for row, weight in zip(rows, self._search.weights(rows[0][0], len(rows)), strict=True):
            seq, raw, ts, action, outcome, actor, node, unit, salt, payload = row
            before_ts = last_ts
            try:
                in_order = ts >= before_ts
                last_ts = ts
                before, between, at_node, total, placed = headings[action, outcome, actor]
                body = sha256(salt + payload).hexdigest()
                # The header that the columns and the payload give, to the byte: one comparison for all of them.
                if f'{before}{body}{between}{seq},"ts":{ts},"v":1}}'.encode() == raw and in_order:
                    opened = read(payload)
                    node_id, node_tokens, node_total, node_placed = names[node]
                    unit_id, unit_tokens, unit_total, unit_placed = names[unit]
                    if opened.node_id == node_id and opened.unit_id == unit_id and len(payload) <= TOKEN_LIMIT:
                        # Each part's places are counted from its own first token.
                        at_unit = at_node + node_tokens
                        place = at_unit + unit_tokens
                        total += node_total + unit_total
                        placed += node_placed + at_node * node_total + unit_placed + at_unit * unit_total
                        request = opened.request_id
                        if request is not None:
                            # Every request id is two tokens: a word and a number.
                            first, second = map(hash, request.encode("ascii").translate(ascii_tokens).split())
                            total += first + second
                            placed += place * (first + second) + second
                            place += 2
                        detail = bytes(opened.detail)
                        _, detail_total, detail_placed = (
                            details[detail] if len(detail) <= _KEPT_BYTES else _detail_tokens(detail)
                        )
                        sums += weight * (total + detail_total) + placed + detail_placed + place * detail_total
                        continue
            except (TypeError, AttributeError, ValueError, msgspec.MsgspecError):
                # No text, no such word, no payload, a value of another type: ``rows.AuditRun`` says what is wrong.
                pass
            yield row, before_ts
        self.last_ts = last_ts
        self._search.add_sum(sums)

    def _heading(self, key: tuple[int, int, int]) -> tuple[str, str, int, int, int] | None:
        """The header's text before ``body`` and between that and ``seq``; the tokens of action and actor."""
        action, outcome, actor = key
        action_text, actor_text = self._word(action), self._word(actor)
        if action_text is None or actor_text is None or action_text in self._alone or not 0 <= outcome < len(OUTCOMES):
            return None
        tokens = tokens_of(f"{action_text} {actor_text}")
        frame = leaves.header_frame(action_text, actor_text, OUTCOMES[outcome].value)
        return None if tokens is None else (*frame, *tokens)

    def _name(self, number: int | None) -> tuple[str | None, int, int, int] | None:
        """The text of a word, and its tokens."""
        if number is None:
            return None, 0, 0, 0
        text = self._word(number)
        tokens = None if text is None else tokens_of(text)
        return None if tokens is None else (text, *tokens)


def _detail_tokens(raw: bytes) -> TokenSum:
    tokens = tokens_of(leaves.detail_words(leaves.read_detail(raw)) if raw else "")
    if tokens is None:
        raise ValueError("FTS5 alone can split it")
    return tokens
