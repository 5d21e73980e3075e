"""What the roles of the operator at the desk allow: asked by the action table, and by what is no action.

The service judges each call by the roles of its row of the operation table. The console offers what those rows allow
(``app.client.calls.CALL_ROLES``), and nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from app.api.roles import Role, Roles
from app.console.actions import Action
from app.console.language import tr

ROLE_WORDS: Final[Mapping[str, str]] = {
    Role.DESK: tr("desk", "role"),
    Role.BADGE: tr("badge", "role"),
    Role.MANAGER: tr("manager", "role"),
    Role.AUDITOR: tr("auditor", "role"),
    Role.ADMIN: tr("admin", "role"),
}


class Permissions:
    """Of one window. ``roles`` gives those of the operator who is signed in; None: an API key, which is judged by its
    clearance alone."""

    def __init__(self, roles: Callable[[], Roles | None]) -> None:
        self._roles = roles

    def may(self, call: str) -> bool:
        """Whether the operator may make the call, by the name of the client's method. KeyError: there is none."""
        return not self.refusal((call,))

    def may_approve(self, kind: str) -> bool:
        """Whether the operator may ask for an approval of the kind, and decide about one."""
        return not self.refusal((), kind)

    def refusal(self, calls: Iterable[str], kind: str = "") -> str:
        """Why this is not for the operator, and for whom it is, a sentence; empty: it is. ``calls``: methods of the
        client, all of which are needed; ``kind``: of an approval; empty: it is about none."""
        roles = self._roles()
        if roles is None:
            return ""
        return _refusal(roles, tuple(calls), kind)

    def judge(self, action: Action) -> str:
        """As ``refusal``, for an action."""
        return self.refusal(action.calls, action.approval)


@functools.cache
def _refusal(roles: Roles, calls: tuple[str, ...], kind: str) -> str:
    """As ``Permissions.refusal``, for these roles. Kept: each action is judged anew whenever something has changed."""
    # Imported here: the table of actions is made before the first paint, the client after it.
    from app.approvals.messages import KIND_ROLES
    from app.client.calls import CALL_ROLES

    needed = [CALL_ROLES[call] for call in calls]
    if kind:
        needed.append(KIND_ROLES[kind])
    missing = [one for one in needed if not roles & one]
    if not missing:
        return ""
    return tr(
        "This is for the role {needed}; you are signed in as {held}.",
        needed=_alternatives(missing[0]),
        held=_alternatives(roles),
    )


def _alternatives(roles: Roles) -> str:
    """The roles for people, in the order of ``Role``: ``desk or admin``."""
    return tr(" or ").join(ROLE_WORDS[role] for role in Role if role in roles)
