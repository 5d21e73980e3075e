"""What a check says: its title, whether it holds, one sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SealCheck:
    """One check. ``good`` None: there is nothing to judge yet, and the sentence says why."""

    title: str
    good: bool | None
    sentence: str


@dataclass(frozen=True)
class SealJudgement:
    """All checks of one seal or entry, in their order."""

    checks: tuple[SealCheck, ...]

    @property
    def good(self) -> bool | None:
        """True if every check is; False if one is not; None if none is bad and one could not be made yet."""
        verdicts = {check.good for check in self.checks}
        return False if False in verdicts else None if None in verdicts or not verdicts else True
