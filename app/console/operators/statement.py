"""What the operator's card is asked to sign, read before it signs. Without Qt."""

from __future__ import annotations

from app.console.failures import SignInRefused
from app.console.language import tr

_FIRST = "arc-operator-sign-in/v1"


class StatementMismatch(SignInRefused):
    """The statement is not of the service that this console calls, or not of this console. A sentence for people."""


def check_statement(statement: str, *, origin: str, unit_id: str) -> None:
    """Raise StatementMismatch unless the four lines name the address that is called and this console's unit: a service
    in between could pass another one's statement on, and be signed in there."""
    lines = statement.split("\n")
    if len(lines) != 5 or lines[0] != _FIRST or lines[4] or not lines[3].startswith("nonce "):
        raise StatementMismatch(tr("The service asks the card for something else than a sign-in. Nothing was signed."))
    if lines[1] != f"origin {origin}":
        raise StatementMismatch(
            tr("The service asks for a sign-in to another address than its own. Nothing was signed.")
        )
    if lines[2] != f"unit {unit_id}":
        raise StatementMismatch(tr("The service asks for a sign-in at another console. Nothing was signed."))
