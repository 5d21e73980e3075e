"""Requests that need a second key: how every page that lists them shows them and decides on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

from app.api.operator_id import is_operator
from app.approvals.messages import Approval, ApprovalBody
from app.console.code_words import code_word
from app.console.failures import Failure
from app.console.language import tr
from app.console.names import OperatorNames, who
from app.console.operations import Operation
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.form import FormDialog
from app.console.widgets.table import Column

if TYPE_CHECKING:
    from app.client import Client

LONGEST_REASON: Final = 4000
OPEN: Final = ("PENDING", "APPROVED")
STATES: Final = {
    "PENDING": Meaning.WARN,
    "APPROVED": Meaning.OK,
    "USED": Meaning.IDLE,
    "REJECTED": Meaning.BAD,
    "EXPIRED": Meaning.IDLE,
}


def state_words(one: Approval, until: str) -> str:
    """The request's state; for an open one also until when it holds."""
    if one.state == "PENDING":
        if not one.barred:
            return tr("Pending until {until}", until=until)
        if _second(one) == "key":
            return tr("Another key until {until}", until=until)
        return tr("Another person until {until}", until=until)
    return tr("Approved until {until}", until=until) if one.state == "APPROVED" else code_word(one.state)


def _second(one: Approval) -> str:
    """Who must agree: what an operator asked for takes another person, what a key asked for another key."""
    return "person" if is_operator(one.requested_by) else "key"


def verdict_of(requests: Sequence[Approval], stale: str) -> tuple[Meaning, str]:
    """State and words for the whole list: what its requests wait for. ``stale`` says since when the list is old; empty
    while it is current."""
    waiting = [one for one in requests if one.state == "PENDING"]
    if stale:
        return Meaning.IDLE, stale
    if not waiting:
        return Meaning.OK, tr("Nothing waits")
    others = {_second(one) for one in waiting}
    another = tr("another Citadel key") if others == {"key"} else tr("another person")
    whom = another if all(one.barred for one in waiting) else tr("a decision")
    if len(waiting) == 1:
        return Meaning.WARN, tr("1 waits for {whom}", whom=whom)
    return Meaning.WARN, tr("{count} wait for {whom}", count=len(waiting), whom=whom)


def reason_of(one: Approval) -> str:
    """The request's reason as a sentence."""
    return one.reason if one.reason.endswith((".", "!", "?")) else f"{one.reason}."


def asker_column(names: OperatorNames, width: int) -> Column[Approval]:
    """The column of a list of requests that says who asks."""
    return who(names, tr("BY"), lambda one: one.requested_by, width, known=lambda one: one.requested_by_name, spare=1)


def pending_words(session: WindowSession, one: Approval) -> str:
    """Who can decide a pending request, and how; why this key, or the operator at the desk, may not approve it."""
    names = session.names
    if one.yours and _second(one) == "person":
        return tr("You asked for it: it waits for another operator, of another node and another line.")
    if refusal := session.permissions.refusal((), one.kind):
        return refusal
    if one.yours:
        return tr("Asked for with this key: it waits for another Citadel key, on another console.")
    if one.barred:
        return tr("{why} To reject it is open to this key (Alt+X).", why=names.in_text(one.barred))
    asker = names.of(one.requested_by, one.requested_by_name)
    return tr("Asked by {asker}: approve (Alt+A) or reject (Alt+X).", asker=asker)


def decidable(session: WindowSession, one: Approval | None, *, approve: bool) -> bool:
    """Whether this console's key, or the operator at the desk, may approve or reject the request as it was last
    read."""
    if one is None or one.yours or not session.permissions.may_approve(one.kind):
        return False
    return one.state == "PENDING" and not one.barred if approve else one.state in OPEN


def request_approval(
    session: WindowSession, form: FormDialog, body: ApprovalBody, *, title: str, on_made: Callable[[Approval], None]
) -> None:
    """Ask for a second key or person. ``form`` shows a failure, ``on_made`` gets the request."""
    operation: Operation[Approval] = Operation(
        lambda client, key: client.approvals_request(body, idempotency_key=key),
        title=title,
        changes=("approvals",),
        asks=True,
    )
    operation.success(on_made).failure(form.show_failure).run(session, form)


def decide(
    session: WindowSession,
    initiator: object,
    one: Approval,
    *,
    approve: bool,
    on_failure: Callable[[Failure], None],
    on_end: Callable[[], None],
) -> None:
    """Approve or reject. ``on_failure`` gets a failure, ``on_end`` is called either way."""
    approval_id = one.approval_id

    def request(client: Client, key: str) -> Awaitable[Approval]:
        call = client.approvals_approve if approve else client.approvals_reject
        return call(approval_id, idempotency_key=key)

    def take_failure(failure: Failure) -> None:
        on_failure(failure)
        on_end()

    operation: Operation[Approval] = Operation(
        request, title=tr("Approve") if approve else tr("Reject"), changes=("approvals",), asks=True
    )
    operation.success(lambda _reply: on_end()).failure(take_failure).run(session, initiator)
