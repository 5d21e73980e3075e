"""What the service answers to one administrator who may not do something alone, and the form that asks for another."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.approvals.messages import Approval, ApprovalBody
from app.console.approvals import LONGEST_REASON
from app.console.failures import Failure
from app.console.operations import Operation
from app.console.session import WindowSession
from app.console.widgets.form import FormDialog


def asks_second(failure: Failure) -> ApprovalBody | None:
    """What to ask another administrator for, without a reason, where that is why the service refused; else None."""
    kind, subjects = failure.extra.get("approval_kind"), failure.extra.get("approval_subjects")
    if failure.code != "state_conflict" or kind not in ("operator", "citadel_key") or not isinstance(subjects, list):
        return None
    return ApprovalBody(kind=kind, subjects=[str(one) for one in subjects], reason="")


class AskSecondForm(FormDialog):
    """Why another administrator should agree. ``asked`` gets the reason."""

    def __init__(self, window: QWidget, asked: Callable[[str], None]) -> None:
        super().__init__(
            window,
            "This takes a second administrator",
            "This site has had two administrators, so an administrator or a Citadel key is made and changed by two: "
            "you ask, another one approves under Settings, Operators, and then either of you carries it out there. "
            "Nothing is changed until then.",
            "Ask another administrator",
        )
        self._asked = asked
        self.reason = self.text("reason", "Reason", "Replaces the night shift's administrator")
        self.reason.setFocus()

    def ask(self) -> bool:
        reason = self.reason.toPlainText().strip()
        if not reason:
            self.mark("reason", "Say why: whoever agrees reads this.")
            return False
        self._asked(reason[:LONGEST_REASON])
        return True


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
        operation: Operation[Approval] = Operation(
            lambda client, key: client.approvals_request(wanted, idempotency_key=key),
            title="Ask another administrator",
            changes=("approvals",),
            asks=True,
        )
        operation.success(take).failure(asking.show_failure).run(session, asking)

    def take(made: Approval) -> None:
        asking.accept()
        show(made.approval_id)

    asking = AskSecondForm(window, ask)
    asking.open()
