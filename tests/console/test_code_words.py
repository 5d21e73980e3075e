"""Words for the codes of the API."""

from __future__ import annotations

import pytest

from app.console.code_words import _WORDS, code_word
from app.console.theme.tokens import sentence_case


def test_each_word_is_its_code_in_english() -> None:
    """A word that is not what the service says would be another fact. Abbreviations are in capitals."""
    assert [code for code, word in _WORDS.items() if word.casefold() != sentence_case(code).casefold()] == []


@pytest.mark.parametrize(
    ("code", "word"),
    [("VERIFIED_DIGITAL_HUMAN", "Verified digital human"), ("not_yet_known", "Not yet known"), ("", "")],
)
def test_a_code_is_said_in_words(code: str, word: str) -> None:
    """One that this console does not know, too."""
    assert code_word(code) == word
