"""The result of checking something: single checks, and the judgement over all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SealCheck:
    """One check. ``good`` None: nothing can be judged yet, and the sentence says why."""

    title: str
    good: bool | None
    sentence: str


@dataclass(frozen=True)
class SealJudgement:
    """All checks of one seal or entry, in their order."""

    checks: tuple[SealCheck, ...]

    @property
    def good(self) -> bool | None:
        """True if every check holds; False if one does not; None if none fails and one could not be made yet."""
        verdicts = {check.good for check in self.checks}
        return False if False in verdicts else None if None in verdicts or not verdicts else True
