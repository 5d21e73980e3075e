"""Words of enforcement: what a state, a clock, an element of a law and a next step say to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.api.operator_id import is_operator
from app.capabilities.enforcement.messages import (
    DeclarantShown,
    NoticeRow,
    Strike,
    StrikeNotice,
)
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning
from app.console.widgets.clock_cells import ALARM_SHARE, DeadlineClock
from app.delivery.messages import NoticeState

PAGE = "enforcement"
KIND = "strikes"
"""What an operation of this page changes."""

STATES: Mapping[NoticeState, tuple[Meaning, str]] = {
    "held": (Meaning.WARN, tr("Held")),
    "operator_action": (Meaning.IDLE, tr("For you to fill in")),
    "queued": (Meaning.WORK, tr("Queued")),
    "sending": (Meaning.WORK, tr("Sending")),
    "sent": (Meaning.IDLE, tr("Sent, waits")),
    "delivered": (Meaning.IDLE, tr("Delivered, waits")),
    "acknowledged": (Meaning.IDLE, tr("Acknowledged")),
    "actioned": (Meaning.OK, tr("Actioned")),
    "rejected": (Meaning.WARN, tr("Refused")),
    "countered": (Meaning.WARN, tr("Countered")),
    "bounced": (Meaning.BAD, tr("Bounced")),
    "failed": (Meaning.BAD, tr("Dead letter")),
    "expired": (Meaning.BAD, tr("Expired")),
    "withdrawn": (Meaning.IDLE, tr("Withdrawn")),
}
STATE_HINTS: Mapping[NoticeState, str] = {
    "held": tr("Nothing leaves until a person releases it, or supplies what is missing."),
    "operator_action": tr("The platform has a form alone: a person fills it in and notes the confirmation number."),
    "queued": tr("It is sent, or sent again, by itself."),
    "sending": tr("It is on its way."),
    "sent": tr("The platform's server took it; what the platform does is not known yet."),
    "delivered": tr("A report says that it reached the mailbox."),
    "acknowledged": tr("The platform confirmed that it has it."),
    "actioned": tr("The platform acted."),
    "rejected": tr("The platform refused; it may be appealed."),
    "countered": tr("The uploader objected: from here on a person decides."),
    "bounced": tr("The mailbox refused it for good."),
    "failed": tr("It was tried in vain until the schedule ended."),
    "expired": tr("The deadline passed without an answer; the platform may still act."),
    "withdrawn": tr("It was taken back."),
}
STRIKE_STATES = {
    "AWAITING_DETAILS": (Meaning.WARN, tr("Details are missing")),
    "ISSUED": (Meaning.WORK, tr("Issued")),
    "DISPATCHED": (Meaning.IDLE, tr("Dispatched, waits")),
    "PARTIAL": (Meaning.WARN, tr("Partly dispatched")),
    "RESOLVED": (Meaning.OK, tr("Resolved")),
    "WITHDRAWN": (Meaning.IDLE, tr("Withdrawn")),
}
DECISIONS = {
    "DECISION_VISIBILITY_CONTENT_REMOVED": tr("Removed"),
    "DECISION_VISIBILITY_CONTENT_DISABLED": tr("Disabled"),
    "DECISION_VISIBILITY_CONTENT_DEMOTED": tr("Demoted"),
    "DECISION_VISIBILITY_CONTENT_LABELLED": tr("Labelled"),
    "DECISION_NONE": tr("Left as it was"),
}
KINDS = {"declaration": tr("Declaration"), "takedown": tr("Takedown")}
KINDS_WITHIN = {"declaration": tr("declaration"), "takedown": tr("takedown")}
"""Within a sentence."""
CHANNELS = {"mail": tr("mail"), "https": "https", "form": tr("form")}
_ENDS: Mapping[str, str] = {
    "DECISION_VISIBILITY_CONTENT_REMOVED": tr("removed"),
    "DECISION_VISIBILITY_CONTENT_DISABLED": tr("disabled"),
    "DECISION_VISIBILITY_CONTENT_DEMOTED": tr("demoted"),
    "DECISION_VISIBILITY_CONTENT_LABELLED": tr("labelled"),
    "DECISION_NONE": tr("left as it was"),
    "actioned": tr("actioned"),
    "rejected": tr("refused"),
    "withdrawn": tr("withdrawn"),
}
"""What became of a notice, after the number of those."""


# --- times ------------------------------------------------------------------------------------------------------------


def span(seconds: float) -> str:
    """A time to a deadline as people say it, two units at most: ``11 h 31 min``, ``56 h``, ``3 d 4 h``."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return tr("less than 1 min")
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 72:
        return f"{hours} h {minutes} min" if minutes and hours < 24 else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def utc_minute(unix: float) -> str:
    """``2026-11-23 03:35``, in UTC: deadlines are the same everywhere."""
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%d %H:%M")


def utc_second(text: str | None) -> str:
    """An API's time to the second, in UTC; empty for none."""
    return "" if text is None else datetime.fromtimestamp(parse_time(text), UTC).strftime("%Y-%m-%d %H:%M:%S")


# --- notices ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoticeStep:
    """What a person can do about a notice: the action of the page, and its word on the button."""

    action: str
    word: str


SUPPLY = NoticeStep("enforcement.supply", tr("Supply details…"))
RELEASE = NoticeStep("enforcement.send", tr("Release…"))
SEND_AGAIN = NoticeStep("enforcement.send", tr("Send again…"))
HELPER = NoticeStep("enforcement.helper", tr("Open helper…"))
OUTCOME = NoticeStep("enforcement.outcome", tr("Record outcome…"))
APPEAL = NoticeStep("enforcement.appeal", tr("Appeal…"))
SECOND = NoticeStep("enforcement.appeal", tr("Second notice…"))
SOON_AGAIN_S = 1.0
"""Between two looks at notices that are on their way in this moment."""
SOON_S = 3.0
"""So near an attempt is as good as under way."""
ANSWERED = frozenset({"sent", "delivered", "acknowledged", "expired", "rejected", "countered"})
"""States in which a platform's answer can be recorded."""


@dataclass(frozen=True)
class ShownNotice:
    """A notice of the board, as its table takes it."""

    row: NoticeRow
    state: Meaning
    word: str
    clock: DeadlineClock
    step: NoticeStep | None

    @property
    def notice(self) -> StrikeNotice:
        """The notice itself."""
        return self.row.notice


def moves(notice: StrikeNotice, now: float) -> bool:
    """Whether it is on its way in this moment: what becomes of it is looked at again soon."""
    if notice.state == "queued":
        again = notice.next_attempt_at
        return again is None or parse_time(again) <= now + SOON_S
    return notice.state == "sending"


def next_step(notice: StrikeNotice) -> NoticeStep | None:
    """What a person can do about it now; None: nothing, it goes on by itself or has come to its end."""
    match notice.state:
        case "held":
            return SUPPLY if notice.missing else RELEASE
        case "operator_action":
            return HELPER
        case "bounced" | "failed":
            return SEND_AGAIN
        case "sent" | "delivered" | "acknowledged":
            return OUTCOME
        case "expired":
            return SECOND
        case "rejected" | "countered":
            return APPEAL
        case _:
            return None


def elapsed_share(notice: StrikeNotice, now: float) -> float | None:
    """How much of the time to the deadline, or to the next question, is over; None: no clock runs."""
    end = notice.deadline or notice.follow_up_at
    if notice.sent_at is None or end is None or notice.state not in ANSWERED:
        return None
    begin, ends = parse_time(notice.sent_at), parse_time(end)
    return 1.0 if ends <= begin else (now - begin) / (ends - begin)


def notice_state(notice: StrikeNotice, now: float) -> tuple[Meaning, str]:
    """Its sign and word; of one whose deadline is near, how much time is left."""
    if notice.state == "actioned" and notice.decision is not None:
        return Meaning.OK, DECISIONS[notice.decision]
    if notice.state == "queued" and notice.attempts:
        return Meaning.WARN, tr("Sent again soon")
    share = elapsed_share(notice, now)
    if notice.state in ("sent", "delivered", "acknowledged") and share is not None and notice.deadline is not None:
        left = parse_time(notice.deadline) - now
        if left <= 0:
            return Meaning.BAD, tr("Overdue")
        if share >= ALARM_SHARE:
            about = f"{round(left / 3600)} h" if left >= 3600 else span(left)
            return Meaning.WARN, tr("{time} left", time=about)
    return STATES[notice.state]


def notice_clock(notice: StrikeNotice, now: float) -> DeadlineClock:
    """The clock of a notice; where none runs, why not."""
    share = elapsed_share(notice, now)
    if share is None:
        return DeadlineClock(_no_clock(notice))
    about = tr("about ") if notice.deadline_about else ""
    if notice.deadline is None:
        end = parse_time(notice.follow_up_at or "")
        if end <= now:
            return DeadlineClock(
                tr("to be asked again now"), tr("since {time}", time=utc_minute(end)), 1.0, Meaning.WARN
            )
        return DeadlineClock(tr("asked again in {span}", span=span(end - now)), utc_minute(end), share, Meaning.WORK)
    end = parse_time(notice.deadline)
    if end <= now:
        return DeadlineClock(
            tr("over by {about}{span}", about=about, span=span(now - end)),
            tr("since {time}", time=utc_minute(end)),
            1.0,
            Meaning.BAD,
        )
    state = Meaning.WARN if share >= ALARM_SHARE else Meaning.WORK
    return DeadlineClock(
        tr("{about}{span} left", about=about, span=span(end - now)),
        tr("until {time}", time=utc_minute(end)),
        share,
        state,
    )


def _no_clock(notice: StrikeNotice) -> str:
    """Why no clock runs."""
    match notice.state:
        case "held":
            count = len(notice.missing)
            return (
                tr("no clock yet: {count} missing", count=count)
                if count
                else tr("no clock yet: waits for your release")
            )
        case "operator_action":
            return tr("no clock yet: a person fills in the platform's form")
        case "queued" | "sending" if notice.attempts and notice.next_attempt_at is not None:
            again = utc_second(notice.next_attempt_at)[11:]
            return tr("no clock yet: {fault}, again at {again}", fault=_fault(notice), again=again)
        case "queued" | "sending":
            return tr("no clock yet: it is being sent")
        case "bounced" | "failed":
            return tr("no clock yet: {fault}", fault=_fault(notice))
        case "sent" | "delivered" | "acknowledged" | "expired":
            return tr("no clock: the law names no time")
        case _:
            return tr("no clock: it has come to its end")


def _fault(notice: StrikeNotice) -> str:
    """Why the last attempt failed, as the end of a sentence."""
    if notice.fault is None:
        return tr("the last attempt failed")
    said = notice.fault.rstrip(".")
    return said[0].lower() + said[1:] if said[1:2].islower() else said


def board_rows(rows: Iterable[NoticeRow], now: float) -> list[ShownNotice]:
    """Rows of the board, in the order that the service gave them: the most urgent first."""
    return [
        ShownNotice(row, *notice_state(row.notice, now), notice_clock(row.notice, now), next_step(row.notice))
        for row in rows
    ]


def notice_number(notice: StrikeNotice) -> str:
    """The number that its tracking ends with: it tells the notices of one strike apart."""
    return notice.tracking.rpartition(".")[2]


def kind_and_law(row: NoticeRow) -> str:
    """``Takedown · US-NCII, 48 h``: what it is, under which law, with which time."""
    notice = row.notice
    words = f"{KINDS[notice.kind]} · {row.enforcement_jurisdiction}"
    if notice.sent_at is not None and notice.deadline is not None and not notice.deadline_about:
        hours = round((parse_time(notice.deadline) - parse_time(notice.sent_at)) / 3600)
        words += f", {hours} h"
    return words


def ends_words(rows: Sequence[NoticeRow]) -> str:
    """What became of notices that came to their end: ``7 removed, 1 labelled, 1 refused``."""
    counted: dict[str, int] = {}
    for row in rows:
        notice = row.notice
        word = _ENDS[notice.decision or notice.state]
        counted[word] = counted.get(word, 0) + 1
    return ", ".join(f"{count} {word}" for word, count in counted.items())


# --- letters ----------------------------------------------------------------------------------------------------------


def appeal_words(strike: Strike, notice: StrikeNotice, now: float) -> str:
    """Words for an appeal against a refusal, or for a second notice after a deadline that passed. Facts of the strike
    alone; what to argue is the sender's. In English, as the signed declaration is, in every language of the desk:
    the platform reads it."""
    sent = utc_second(notice.sent_at)
    named = f"{notice.kind} {notice.tracking} under {strike.law.title}"
    lines = [
        f"Reference: {notice.tracking}" + (f" (yours: {notice.reference})" if notice.reference else ""),
        f"To: {notice.platform_name}",
        "",
        f"On {sent} UTC the {named} reached you." if sent else f"The {named} was made out to you.",
    ]
    if notice.state == "rejected":
        lines.append("You refused to act on it. We ask you to look at it again, by a person, and to give your reasons.")
    elif notice.state == "countered":
        lines.append("The uploader has objected. Our answer to the objection follows.")
    elif notice.deadline is not None and parse_time(notice.deadline) <= now:
        over, basis = utc_second(notice.deadline), f" ({notice.deadline_basis})" if notice.deadline_basis else ""
        lines.append(f"The time that you had{basis} ended on {over} UTC. We have no answer from you.")
    else:
        lines.append("We have no answer from you.")
    lines += ["", "It concerns:", *(f"  {url}" for url in strike.content_urls or ["the content named in the notice"])]
    if strike.statement:
        lines += ["", strike.statement]
    lines += [
        "",
        f"The signed declaration has the SHA-256 {strike.declaration.sha256}.",
        f"Evidence: {strike.evidence.title}.",
    ]
    if strike.declarant is not None:
        lines += ["", f"{strike.declarant.name}, {strike.declarant.capacity}"]
    return "\n".join(lines)


# --- strikes ----------------------------------------------------------------------------------------------------------


def strike_facts(strike: Strike) -> dict[str, str]:
    """What was declared, by the keys of the view's facts."""
    law, evidence, declarant, work = strike.law, strike.evidence, strike.declarant, strike.work
    state = tr(", printed for {state}", state=law.state) if law.state is not None else ""
    known = "" if evidence.known or evidence.title else tr(" (not known on this site)")
    signed = tr("signed off") if law.signed_off else tr("not signed off")
    document = strike.declaration
    pages = tr("1 page") if document.pages == 1 else tr("{count} pages", count=document.pages)
    return {
        "law": tr("{law}{state}; as of {date}, {signed}", law=law.title, state=state, date=law.as_of, signed=signed),
        "evidence": "; ".join(one.rstrip(".") for one in (f"{evidence.title or evidence.ref}{known}", *evidence.facts)),
        "addresses": " ".join(strike.content_urls) or tr("none given"),
        "statement": strike.statement or tr("not said yet"),
        "declared": f"{declarant.name}, {declarant.capacity}" if declarant is not None else tr("nobody yet"),
        "attested": _attestation_words(declarant),
        "work": tr("{title}, owned by {owner}", title=work.title, owner=work.owner)
        if work is not None
        else tr("none named"),
        "mandate": strike.mandate or tr("none on record"),
        "issued": f"{utc_second(strike.timestamp)} UTC",
        "document": tr("revision {revision}, {pages}", revision=document.revision, pages=pages)
        + (", TRAINING" if strike.training else ""),
        "sha256": document.sha256,
    }


def _attestation_words(declarant: DeclarantShown | None) -> str:
    """When, and by whom it was typed: an operator, or the key of a program."""
    if declarant is None or not declarant.attested or declarant.attested_at is None:
        return tr("not yet")
    by = declarant.attested_by or ""
    if is_operator(by):
        how = tr("by {person}", person=by)
    elif by:
        how = tr("with the key {key}", key=by)
    else:
        how = tr("with the key of the site")
    return f"{utc_second(declarant.attested_at)} UTC, {how}"


def takes_details(strike: Strike) -> bool:
    """Whether details can still be supplied: nothing of it has left or something still lacks them, and it is not
    over."""
    takes = not has_left(strike) or any(one.state == "held" and one.missing for one in strike.notices)
    return takes and strike.state not in ("RESOLVED", "WITHDRAWN")


def has_left(strike: Strike) -> bool:
    """Whether a notice of it was released: from then on the declaration stays as it is."""
    return any(one.state not in ("held", "withdrawn") for one in strike.notices)
