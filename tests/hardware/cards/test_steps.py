"""A step that changes a card stands in the journal before it is sent and after its answer."""

from hashlib import sha256

import pytest

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardError, CardLocked, StatusWordError
from hardware.cards.piv import Algorithm, PivSession, Slot, spki
from hardware.cards.steps import Steps, draw_name, draw_names, draw_of, steps
from tests.hardware.cards.card_site import PIN, PUK, ScriptedConnection

CONTENT = sha256(b"content").digest()


class Rows:
    """A journal in memory."""

    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = []

    def before(self, step: str, digest: bytes | None) -> None:
        """`step` is about to change the card."""
        self.rows.append(("before", step, digest))

    def after(self, step: str, sw: int, digest: bytes | None) -> None:
        """The card answered."""
        self.rows.append(("after", step, sw, digest))


def begun(step: str, answer: str | Exception) -> tuple[Rows, Steps, PivSession]:
    """The step `step` under way at a card with this answer."""
    rows, channel = Rows(), ApduChannel(ScriptedConnection.of(answer))
    under_way = Steps(channel, rows)
    under_way.begin(step)
    return rows, under_way, PivSession(channel)


@pytest.mark.parametrize(
    ("answer", "sw", "error"),
    [("6983", 0x6983, CardLocked), ("63C0", 0x6983, CardLocked), ("63C2", 0x63C2, StatusWordError)],
)
def test_a_refused_secret_stands_in_the_journal_with_the_cards_answer(
    answer: str, sw: int, error: type[CardError]
) -> None:
    """SP 800-73-4, part 2, 3.2.2: 6983 is a reference that is blocked, 63CX a wrong one with X tries left."""
    rows, under_way, piv = begun("puk", answer)
    with pytest.raises(error):
        under_way.change(CONTENT, lambda: piv.reset_pin(PUK, PIN))
    assert rows.rows == [("before", "puk", CONTENT), ("after", "puk", sw, None)]
    assert under_way.touched is True


def test_an_accepted_step_stands_in_the_journal_with_9000() -> None:
    """9000 is the card's word for done; the row carries what was written."""
    rows, under_way, piv = begun("puk", "9000")
    under_way.change(CONTENT, lambda: piv.reset_pin(PUK, PIN), draw=2)
    assert rows.rows == [("before", "puk.2", CONTENT), ("after", "puk.2", 0x9000, CONTENT)]


def test_a_generated_key_stands_in_the_journal_by_its_digest() -> None:
    """What was not known before the card made it: SHA-256 of the SubjectPublicKeyInfo."""
    point = (
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    rows, under_way, piv = begun("9A.generate", "7f49438641" + point + "9000")
    key = under_way.change(None, lambda: piv.generate(Slot.AUTHENTICATION, Algorithm.P256))
    assert rows.rows == [
        ("before", "9A.generate", None),
        ("after", "9A.generate", 0x9000, sha256(spki(key)).digest()),
    ]


def test_a_lost_answer_leaves_the_step_open_in_the_journal() -> None:
    """The card may have done it or not: only what it answered is recorded."""
    rows, under_way, piv = begun("puk", CardError("the card was pulled"))
    with pytest.raises(CardError, match="pulled"):
        under_way.change(CONTENT, lambda: piv.reset_pin(PUK, PIN))
    assert rows.rows == [("before", "puk", CONTENT)]


def test_each_draw_of_a_secret_has_a_name_of_its_own() -> None:
    """Three draws at most; a name of another step or of a fourth draw is none of this step."""
    assert draw_names("puk") == ("puk", "puk.2", "puk.3")
    assert [draw_name("pin", draw) for draw in (1, 3)] == ["pin", "pin.3"]
    assert [draw_of(name, "puk") for name in ("puk", "puk.2", "puk.3", "puk.4", "pin")] == [1, 2, 3, None, None]


@pytest.mark.parametrize(
    ("approved_first", "key_history", "order"),
    [
        (False, False, "authenticate chuid ccc printed 9A.generate pin puk 9A.certificate"),
        (True, False, "authenticate chuid pin puk management_key ccc printed 9A.generate 9A.certificate"),
    ],
)
def test_secrets_are_set_before_the_first_certificate(approved_first: bool, key_history: bool, order: str) -> None:
    """No half card that has a certificate works with the factory's PIN."""
    names = steps(approved_first=approved_first, key_history=key_history)
    assert " ".join(names).startswith("identify " + order)
    assert len(names) == len(set(names))


def test_the_key_history_stands_before_the_security_object_that_covers_it() -> None:
    """One step more, at its place."""
    names = steps(key_history=True)
    assert names[names.index("key_history") + 1] == "security_object"
    assert "key_history" not in steps()
