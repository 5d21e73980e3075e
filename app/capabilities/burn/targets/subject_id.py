"""How a person is named to systems elsewhere: Subject Identifiers for Security Event Tokens (RFC 9493)."""

from __future__ import annotations

from app.capabilities.burn.targets.connector import AttemptSubject
from app.registry.directories import DirectoryRow


def subject_id(where: DirectoryRow, who: AttemptSubject) -> dict[str, str]:
    """The identifier that the directory is most likely to know: an account with an ``@`` as ``email``, another as
    ``iss_sub`` under the registered ``audience`` of an authorization server, else ``opaque``; without an account the
    person's address, employee number or node id."""
    if who.account is not None:
        if "@" in who.account:
            return {"format": "email", "email": who.account}
        if where.kind == "oauth" and where.audience is not None:
            return {"format": "iss_sub", "iss": where.audience, "sub": who.account}
        return {"format": "opaque", "id": who.account}
    if who.email is not None:
        return {"format": "email", "email": who.email}
    return {"format": "opaque", "id": who.employee_id or who.node_id}
