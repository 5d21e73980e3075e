"""What the tour did and saw, as written to ``tour.json``."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

FORMAT = 1


@dataclass
class Picture:
    """A picture and its judgement. ``seen`` is what assistive technology reads at that moment."""

    file: str
    shows: str
    width: int
    height: int
    theme: str
    text_scale: int
    judgement: dict[str, object]
    seen: list[dict[str, str]]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong with it."""
        return bool(self.judgement.get("ok"))


@dataclass
class TourStep:
    """One step: what was done by keys, what was read from the window, and whether it worked."""

    name: str
    did: list[str] = field(default_factory=list)
    read: dict[str, object] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)
    ok: bool = False
    reason: str = ""
    seconds: float = 0.0


@dataclass
class Report:
    """The whole tour."""

    started: str
    platform: str
    steps: list[TourStep] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    """Errors outside the steps: an exception in the console, a child that did not end."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Every step worked, every picture is well, nothing else went wrong."""
        whole = bool(self.steps) and not self.trouble
        return whole and all(step.ok and all(picture.ok for picture in step.pictures) for step in self.steps)

    def problems(self) -> list[str]:
        """What should be looked at, one line each."""
        found = list(self.trouble)
        for step in self.steps:
            if not step.ok:
                found.append(f"{step.name}: {step.reason}")
            for picture in step.pictures:
                told = picture.judgement.get("problems")
                found += [f"{picture.file}: {problem}" for problem in told] if isinstance(told, list) else []
        return found

    def write(self, out: Path) -> None:
        """Write ``tour.json`` by rename. Raises OSError."""
        told = {
            "format": FORMAT,
            "training": True,
            "ok": self.ok,
            "problems": self.problems(),
            "started": self.started,
            "seconds": round(self.seconds, 1),
            "platform": self.platform,
            "steps": [asdict(step) for step in self.steps],
            "trouble": self.trouble,
        }
        part = out / ".tour.json.part"
        part.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, out / "tour.json")
