"""Refusals by their codes."""

from __future__ import annotations

from typing import get_args

from app.capabilities.media.worker.protocol import RefusalCode, WorkerRefusal
from app.capabilities.media.worker.refusals import MediaRefused, from_message


def test_every_code_has_a_class_of_its_own() -> None:
    """What a worker refuses becomes the class with that code, with the same sentence."""
    made = [from_message(WorkerRefusal(code=code, reason="It is so.")) for code in get_args(RefusalCode)]
    assert [refusal.code for refusal in made] == list(get_args(RefusalCode))
    assert {str(refusal) for refusal in made} == {"It is so."}
    assert {type(refusal) for refusal in made} == set(MediaRefused.__subclasses__())
