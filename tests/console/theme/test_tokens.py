"""The contrast of the colours, recomputed."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from app.console.theme.tokens import DARK, LIGHT, Meaning, ThemeTokens, state_of

# Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
PROTAN = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTAN = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
TRITAN = ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))
NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

README = (Path(__file__).parents[3] / "app/console/README.md").read_text(encoding="utf-8")
TOKENS = [name for name in ThemeTokens._fields if name != "name"]
CONTRAST = {
    ("dark", "text"): (15.7, 14.5, 13.1),
    ("dark", "dim"): (7.7, 7.1, 6.5),
    ("dark", "border"): (3.9, 3.6, 3.3),
    ("dark", "accent"): (8.2, 7.6, 6.9),
    ("dark", "ok"): (14.3, 13.2, 11.9),
    ("dark", "work"): (12.7, 11.8, 10.7),
    ("dark", "warn"): (14.0, 13.0, 11.8),
    ("dark", "bad"): (5.7, 5.3, 4.8),
    ("dark", "crit"): (5.8, 5.4, 4.9),
    ("dark", "idle"): (5.9, 5.5, 5.0),
    ("light", "text"): (16.3, 17.5, 15.3),
    ("light", "dim"): (6.0, 6.4, 5.6),
    ("light", "border"): (3.4, 3.6, 3.2),
    ("light", "accent"): (5.5, 5.9, 5.2),
    ("light", "ok"): (5.0, 5.4, 4.7),
    ("light", "work"): (7.1, 7.6, 6.7),
    ("light", "warn"): (9.9, 10.6, 9.3),
    ("light", "bad"): (4.5, 4.8, 4.2),
    ("light", "crit"): (7.8, 8.4, 7.3),
    ("light", "idle"): (5.2, 5.6, 4.9),
}
"""On bg, panel, raised."""


def linear(colour: str) -> tuple[float, float, float]:
    """Linear RGB of ``#RRGGBB`` (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, vision: tuple[tuple[float, float, float], ...]) -> tuple[float, float, float]:
    """CIE Lab (D65) of a colour as somebody with that vision sees it."""
    rgb = linear(colour)
    seen = [min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True)))) for row in vision]
    x = 0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]
    y = 0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]
    z = 0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]

    def bent(value: float) -> float:
        return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116

    fx, fy, fz = bent(x / 0.95047), bent(y), bent(z / 1.08883)
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def smallest_difference(tokens: ThemeTokens) -> float:
    """Smallest dE76 between two states over normal, protan, deutan and tritan vision."""
    found = []
    for vision in (NORMAL, PROTAN, DEUTAN, TRITAN):
        seen = [lab(tokens.state(state), vision) for state in Meaning]
        for one, other in itertools.combinations(seen, 2):
            found.append(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5)
    return min(found)


@pytest.mark.parametrize(("theme", "token"), CONTRAST)
def test_contrast_is_the_table_s(theme: str, token: str) -> None:
    """Every ink has the contrast of the table above on the three grounds."""
    tokens = DARK if theme == "dark" else LIGHT
    found = [contrast(getattr(tokens, token), ground) for ground in (tokens.bg, tokens.panel, tokens.raised)]
    assert found == pytest.approx(CONTRAST[theme, token], abs=0.06)


@pytest.mark.parametrize(("tokens", "least"), [(DARK, 26.2), (LIGHT, 20.5)])
def test_no_two_states_look_alike(tokens: ThemeTokens, least: float) -> None:
    """The smallest colour difference between two states is the one stated here."""
    assert smallest_difference(tokens) == pytest.approx(least, abs=0.15)


def test_the_ground_of_a_warning_is_told_from_every_other_state() -> None:
    """Its outline has 6.5 on it; the TRAINING band has the same colours in both themes, and 13 between them."""
    assert contrast(LIGHT.warn, LIGHT.warn_fill) == pytest.approx(6.5, abs=0.06)
    others = [LIGHT.state(state) for state in Meaning if state is not Meaning.WARN]
    for vision in (NORMAL, PROTAN, DEUTAN, TRITAN):
        fill = lab(LIGHT.warn_fill, vision)
        seen = [lab(other, vision) for other in others]
        assert min(sum((a - b) ** 2 for a, b in zip(fill, one, strict=True)) ** 0.5 for one in seen) >= 38.7
    assert (DARK.band, DARK.stripe) == (LIGHT.band, LIGHT.stripe)
    assert contrast(DARK.band, DARK.stripe) == pytest.approx(13.0, abs=0.06)


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
def test_ink_on_fills_is_legible(tokens: ThemeTokens) -> None:
    """Text on a fill of accent or crit has at least 4.5."""
    assert min(contrast(tokens.on_fill, fill) for fill in (tokens.accent, tokens.crit)) >= 4.5


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
def test_work_is_no_accent(tokens: ThemeTokens) -> None:
    """What is chosen and what is being done are told apart, by everybody; and text on it is legible as a state is."""
    for vision in (NORMAL, PROTAN, DEUTAN, TRITAN):
        pair = zip(lab(tokens.work, vision), lab(tokens.accent, vision), strict=True)
        assert sum((one - other) ** 2 for one, other in pair) ** 0.5 > 15
    assert min(contrast(tokens.work, ground) for ground in (tokens.bg, tokens.panel, tokens.raised)) >= 4.5


def test_what_runs_is_work_and_warns_of_nothing() -> None:
    """The word of the API for normal work."""
    assert state_of("running") is Meaning.WORK


def test_an_unknown_word_is_never_green() -> None:
    """A word of a later service is idle, not operational."""
    assert state_of("SOMETHING_NEW") is Meaning.IDLE


def test_the_readme_says_what_each_token_means() -> None:
    """A token without a meaning is used as everyone likes."""
    said = re.findall(r"^\| `(\w+)` \| [^|]+ \|$", README, re.MULTILINE)
    assert [name for name in said if name in TOKENS] == TOKENS


@pytest.mark.parametrize("token", sorted({token for _, token in CONTRAST}))
def test_the_readme_states_the_contrast(token: str) -> None:
    """The figures of the table are those that are recomputed above."""
    dark, light = (" / ".join(map(str, CONTRAST[theme, token])) for theme in ("dark", "light"))
    assert f"| `{token}` | {dark} | {light} |" in README
