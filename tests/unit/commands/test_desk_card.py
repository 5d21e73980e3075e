"""The process that lets the operator's card sign: what it tells of readers, and how it answers each order."""

from __future__ import annotations

import base64
import json
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st

from app.commands.desk_card import DeskCardAgent
from hardware.cards.piv import Algorithm
from tests.hardware.cards.card_site import PIN
from tests.hardware.cards.test_statement import STATEMENT, written


class Orders:
    """A stdin that blocks until a line comes; ``end`` closes it."""

    def __init__(self) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue()

    def readline(self, _limit: int = -1) -> bytes:
        """The next line."""
        return self._lines.get()

    def give(self, line: bytes) -> None:
        """One more line."""
        self._lines.put(line + b"\n")

    def end(self) -> None:
        """No more lines."""
        self._lines.put(b"")


class Desk:
    """A console's end of the agent."""

    def __init__(self) -> None:
        self.backend = written(Algorithm.P256)
        self.orders = Orders()
        self.told: queue.Queue[dict[str, Any]] = queue.Queue()
        agent = DeskCardAgent(self.backend, lambda line: self.told.put(json.loads(line)))
        self._thread = threading.Thread(target=agent.run, args=(self.orders,))
        self._thread.start()
        self.reader = self.next("readers")["readers"][0]

    def close(self) -> None:
        """Stdin ends, and so does the agent."""
        self.orders.end()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def next(self, kind: str, fits: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next message of that kind."""
        while True:
            message = self.told.get(timeout=20)
            if kind in message and fits(message):
                return message

    def ask(self, **changes: object) -> dict[str, Any]:
        """Order a signature; the answer."""
        order = {"id": "1", "reader": "R", "changes": self.reader["changes"], "statement": STATEMENT.decode()}
        self.orders.give(json.dumps({**order, "pin": PIN, **changes}).encode())
        while True:
            message = self.told.get(timeout=20)
            if "readers" not in message:
                return message


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """An agent with one reader and one card."""
    made = Desk()
    yield made
    made.close()


def test_the_readers_are_told_at_once(desk: Desk) -> None:
    assert (desk.reader["reader"], desk.reader["card"]) == ("R", True)


def test_the_card_signs_the_very_statement(desk: Desk) -> None:
    signed = desk.ask()["signed"]
    key = x509.load_der_x509_certificate(base64.b64decode(signed["certificate"])).public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    key.verify(base64.b64decode(signed["signature"]), STATEMENT, ec.ECDSA(hashes.SHA256()))


def test_a_wrong_pin_is_told_with_its_tries(desk: Desk) -> None:
    failed = desk.ask(pin="999999")["failed"]
    assert failed["sentence"] == "The PIN is wrong."
    assert failed["tries"] > 0


@pytest.mark.parametrize("changes", [{"changes": 10_000}, {"reader": "Another"}])
def test_a_card_that_the_holder_did_not_see_is_not_asked(desk: Desk, changes: dict[str, object]) -> None:
    failed = desk.ask(**changes, pin="999999")["failed"]
    assert failed["sentence"].startswith("Another card is in the reader")
    assert failed["tries"] is None


def test_a_card_that_is_pulled_is_told() -> None:
    made = Desk()
    try:
        made.backend.remove("R")
        gone = made.next("readers", lambda message: not message["readers"][0]["card"])
        assert gone["readers"][0]["changes"] > made.reader["changes"]
    finally:
        made.close()


@given(st.binary(max_size=200).filter(lambda line: b"\n" not in line and line))
@settings(max_examples=40)
def test_no_line_ends_it_and_none_is_repeated(desk: Desk, line: bytes) -> None:
    desk.orders.give(line)
    failed = desk.next("failed")["failed"]
    assert failed["id"] == ""
    assert "read" in failed["sentence"]
