"""What the palette finds beyond commands."""

from __future__ import annotations

from app.console.session import WindowSession
from app.console.shell.palette_entries import Entry
from app.console.shell.search import ids


def entries(session: WindowSession, text: str) -> list[Entry]:
    """What is offered for an id."""
    found: list[Entry] = []
    ids(session)(text, found.extend)
    return found


def test_a_tracking_token_leads_to_its_strike(session: WindowSession) -> None:
    """However its letters are written; the audit log stays the other answer."""
    led: list[tuple[str, dict[str, str]]] = []

    def lead(page: str, arguments: dict[str, str]) -> None:
        led.append((page, arguments))

    session.set_navigator(lead)
    strike, log = entries(session, "arc-st-7X")
    strike.run()
    log.run()
    assert led == [("enforcement", {"strike": "arc-st-7X"}), ("audit", {"text": "arc-st-7X"})]


def test_any_other_id_leads_to_the_audit_log(session: WindowSession) -> None:
    """One answer; nothing typed, none."""
    assert len(entries(session, "burn_1")) == 1
    assert entries(session, "") == []
