"""What the service answers to one administrator who may not do something alone, and how another is asked."""

from __future__ import annotations

from collections.abc import Callable

from app.approvals.messages import Approval, ApprovalBody
from app.console.approvals import request_approval
from app.console.failures import Failure
from app.console.language import tr
from app.console.reason_form import ReasonForm
from app.console.session import WindowSession
from app.console.widgets.form import FormDialog

ASK = tr("Ask another administrator")


def asks_second(failure: Failure) -> ApprovalBody | None:
    """What to ask another administrator for, without a reason, where that is why the service refused; else None."""
    kind, subjects = failure.extra.get("approval_kind"), failure.extra.get("approval_subjects")
    if failure.code != "state_conflict" or kind not in ("operator", "citadel_key") or not isinstance(subjects, list):
        return None
    return ApprovalBody(kind=kind, subjects=[str(one) for one in subjects], reason="")


def offer(session: WindowSession, form: FormDialog, failure: Failure, show: Callable[[str], None]) -> None:
    """Show why a form's change was refused; where it takes a second administrator, close the form, ask for one, and
    have ``show`` show the request, by its id."""
    body = asks_second(failure)
    if body is None or session.permissions.refusal(("approvals_request",), body.kind):
        form.show_failure(failure)
        return
    window = form.window().parentWidget() or form
    form.accept()

    def ask(reason: str) -> None:
        wanted = ApprovalBody(kind=body.kind, subjects=body.subjects, reason=reason)
        request_approval(session, asking, wanted, title=ASK, on_made=take)

    def take(made: Approval) -> None:
        asking.accept()
        show(made.approval_id)

    asking = ReasonForm(
        window,
        tr("This takes a second administrator"),
        tr(
            "This site has had two administrators, so an administrator or a Citadel key is made and changed "
            "by two: you ask, another one approves under Settings, Operators, and then either of you carries "
            "it out there. Nothing is changed until then."
        ),
        ask,
        example=tr("Replaces the night shift's administrator"),
        verb=ASK,
    )
    asking.open()
