"""What an audit entry says to a person."""

from __future__ import annotations

import json

import msgspec

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.language import tr


def detail_lines(detail: object, prefix: str = "") -> list[tuple[str, str]]:
    """A payload as key and value, one line each; nested keys joined by dots. Long lists are counted."""
    if isinstance(detail, dict):
        lines: list[tuple[str, str]] = []
        for key, value in detail.items():
            lines += detail_lines(value, f"{prefix}.{key}" if prefix else str(key))
        return lines or ([(prefix, "{}")] if prefix else [])
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        lines = []
        for at, item in enumerate(detail):
            lines += detail_lines(item, f"{prefix}[{at}]")
        return lines
    if isinstance(detail, list):
        return [(prefix, "\n".join(scalar(item) for item in detail) or tr("none"))]
    return [(prefix, scalar(detail))]


def scalar(value: object) -> str:
    """A JSON scalar as people read it."""
    if isinstance(value, str):
        return value
    if value is None:
        return tr("none")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return msgspec.json.encode(value).decode()


def summary(detail: dict[str, object]) -> str:
    """A payload on one line: ``reason=routine  attempt=3``."""
    parts = []
    for key, value in detail.items():
        if isinstance(value, dict | list):
            parts.append(f"{key}: {len(value)}")
        else:
            parts.append(f"{key}={scalar(value)}")
    return "  ".join(parts)


def breakable(text: str) -> str:
    """The text with zero-width spaces in long words, so that hashes and keys wrap instead of widening the page."""
    return "\n".join(
        " ".join(
            "\u200b".join(word[at : at + 16] for at in range(0, len(word), 16)) or word for word in line.split(" ")
        )
        for line in text.split("\n")
    )


def entry_json(entry: AuditEntry) -> str:
    """An entry for the clipboard."""
    return json.dumps(msgspec.to_builtins(entry), indent=2, ensure_ascii=False)


def burn_of(entry: AuditEntry) -> str:
    """The burn that the entry belongs to; empty for one of none."""
    named = (entry.detail.get("burn_id"), entry.detail.get("ref"))
    return next((one for one in named if isinstance(one, str) and one.startswith("burn_")), "")
