"""An entry of the audit log as one whole sentence, with the names of the people, doors and cards in it.

``audit_sentences`` has the shorter words for a place that is about one person already; what has no sentence here is
told by those, with the person before them. Who did it stands beside the sentence, in a column of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.api.operator_id import is_operator
from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.audit_sentences import (
    ACTORS,
    KINDS,
    count_of,
    has_sentence,
    in_quotes,
    saying,
    standing_of,
    text_of,
)
from app.console.clock import age
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.revocation import SHORT
from app.console.theme.tokens import Meaning, sentence_case, state_of

OPEN, SHUT = "\u2068", "\u2069"
"""Stand around a name in a sentence: Unicode's isolates for text that is put into another, which are not seen."""
_PARTS = re.compile(f"[{OPEN}{SHUT}]")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_AT_READER = re.compile(r"\bat reader (\S+?)[ .]")
_RANK = (Meaning.IDLE, Meaning.OK, Meaning.WARN, Meaning.BAD, Meaning.CRIT)
"""The later one says more."""


class LineNames(NamedTuple):
    """What people call ids: each gives the id itself where no name is known."""

    person: Callable[[str], str]
    operator: Callable[[str, str | None], str]
    cluster: Callable[[str], str]


@dataclass(frozen=True)
class LogLine:
    """``marked``: the sentence without a full stop, each name between ``OPEN`` and ``SHUT``."""

    state: Meaning
    marked: str

    @property
    def text(self) -> str:
        """The sentence as it is read and copied."""
        return _PARTS.sub("", self.marked)

    @property
    def runs(self) -> list[tuple[str, bool]]:
        """The sentence in parts, and whether each is a name."""
        return [(part, at % 2 == 1) for at, part in enumerate(_PARTS.split(self.marked)) if part]


def who_did(entry: AuditEntry, names: LineNames) -> str:
    """Who did it, as people call them; the program itself is the service."""
    actor = entry.actor
    if is_operator(actor) or entry.actor_name:
        return names.operator(actor, entry.actor_name)
    if actor == "service":
        return tr("the service")
    if actor.startswith("hr:"):
        return tr("HR system {source}", source=actor.removeprefix("hr:"))
    return ACTORS.get(actor, actor)


def action_words(action: str) -> str:
    """An action by its own words: ``Burn: executed``."""
    room, _, verb = action.partition(".")
    return f"{sentence_case(room)}: {verb.replace('_', ' ')}" if verb else sentence_case(room)


def log_line(entry: AuditEntry, names: LineNames) -> LogLine:
    """What the entry says, whole. Nothing is left out: an action that has no sentence is told by its own words."""
    said = saying(entry, {})
    state = max(said.state, state_of(entry.outcome), key=lambda one: _RANK.index(one) if one in _RANK else 0)
    if entry.erased:
        return LogLine(Meaning.IDLE, tr("Erased on a legal basis; the leaf stays in the log"))
    told = _Told(entry, names)
    say = _LINES.get(entry.action)
    text = _other(told) if say is None else say(told)
    if entry.outcome != "ACCEPTED" and entry.action not in _TELL_OUTCOME:
        word = tr("refused") if entry.outcome == "DENIED" else tr("failed")
        cause = told.text("cause") or told.text("reason") or told.text("code")
        text += f": {word}" + (f", {cause.replace('_', ' ')}" if cause else "")
    if entry.action == "alarm.raised" and told.text("kind") == "burn.tripwire":
        state = Meaning.CRIT
    return LogLine(state, text)


def name(text: str) -> str:
    """A name within a sentence."""
    return f"{OPEN}{text}{SHUT}"


@dataclass(frozen=True)
class _Told:
    """An entry, and what its sentence needs of it."""

    entry: AuditEntry
    names: LineNames

    @property
    def whom(self) -> str:
        node_id = self.entry.node_id
        return name(self.names.person(node_id)) if node_id else tr("somebody")

    @property
    def by(self) -> str:
        """The operator; empty for a key, a source and the program."""
        return name(who_did(self.entry, self.names)) if is_operator(self.entry.actor) else ""

    @property
    def card(self) -> str:
        guid = self.text("card_guid")
        return tr("Card {guid}", guid=name(guid[:SHORT])) if guid else tr("A card")

    @property
    def drill(self) -> str:
        return tr("DRILL: ") if self.entry.detail.get("drill") else ""

    def text(self, key: str) -> str:
        return text_of(self.entry, key)

    def count(self, key: str) -> int:
        return count_of(self.entry, key)

    def quote(self, key: str) -> str:
        """``: “left”``; empty where nothing was said."""
        return f": {in_quotes(self.text(key))}" if self.text(key) else ""

    def until(self, key: str) -> str:
        """``, until 18:00`` on the day of the entry, else the day; empty without a time. In UTC, as the time beside the
        sentence."""
        at = self.text(key)
        if not _TIME.match(at):
            return ""
        return tr(", until {time}", time=at[11:16] if at[:10] == self.entry.timestamp[:10] else at[:10])


def _say_containment(told: _Told) -> str:
    """Who held whom, for how long and why; the brake holds by itself."""
    if told.text("cause") == "brake":
        return tr("The brake on discharges holds {person}", person=told.whom)
    by = told.by
    try:
        span = age(parse_time(told.text("until")) - parse_time(told.entry.timestamp))
    except ValueError:
        span = ""
    quoted = told.quote("message")
    if by and span:
        return tr("{actor} contained {person} for {span}{why}", actor=by, person=told.whom, span=span, why=quoted)
    if by:
        return tr("{actor} contained {person}{why}", actor=by, person=told.whom, why=quoted)
    return tr("{person} contained{until}{why}", person=told.whom, until=told.until("until"), why=quoted)


def _say_release(told: _Told) -> str:
    if told.by:
        return tr("{actor} released {person} from containment", actor=told.by, person=told.whom)
    return tr("{person} released from containment", person=told.whom)


def _say_burn(told: _Told) -> str:
    if told.text("scope") == "LOCAL_ONLY":
        said = tr("{person} burned here alone{why}", person=told.whom, why=told.quote("reason"))
    else:
        said = tr("{person} burned everywhere{why}", person=told.whom, why=told.quote("reason"))
    return told.drill + said


def _burn_complete(told: _Told) -> str:
    seconds = number(told.count("elapsed_ms") / 1000, ".3f")
    return told.drill + tr("Burn of {person}, complete in {seconds} s", person=told.whom, seconds=seconds)


def _burn_confirmed(told: _Told) -> str:
    proven, left = told.count("revoked") + told.count("already"), told.count("open")
    if not proven:
        said = tr("Burn of {person}: nothing new is proven, {open} still open", person=told.whom, open=left)
    elif proven == 1:
        said = tr("Burn of {person}: 1 target proven, {open} still open", person=told.whom, open=left)
    else:
        said = tr(
            "Burn of {person}: {count} targets proven, {open} still open", person=told.whom, count=proven, open=left
        )
    return told.drill + said


def _tripwire(told: _Told) -> str:
    at = told.text("reader_id")
    if at:
        return told.drill + tr("{reader} refused the burned badge of {person}", reader=name(at), person=told.whom)
    return told.drill + tr("A door refused the burned badge of {person}", person=told.whom)


def _alarm(told: _Told) -> str:
    """The alarm's own sentence, with the person's name in place of the id."""
    text = told.text("text")
    if told.text("kind") == "burn.tripwire":
        drill = tr("DRILL: ") if text.startswith("DRILL") else ""
        at = _AT_READER.search(text)
        if at is not None:
            return drill + tr("Alarm: burned badge of {person} shown at {reader}", person=told.whom, reader=name(at[1]))
        return drill + tr("Alarm: burned badge of {person} shown", person=told.whom)
    if told.entry.node_id:
        text = text.replace(f"node {told.entry.node_id}", told.whom).replace(told.entry.node_id, told.whom)
    return tr("Alarm: {text}", text=text.rstrip(".")) if text else tr("An alarm was raised")


def _alarm_taken(told: _Told) -> str:
    note = told.quote("note")
    if told.by and told.entry.node_id:
        return tr("{actor} took the alarm about {person}{note}", actor=told.by, person=told.whom, note=note)
    if told.by:
        return tr("{actor} took the alarm{note}", actor=told.by, note=note)
    return tr("The alarm was taken{note}", note=note)


def _alarm_cleared(told: _Told) -> str:
    if told.entry.node_id:
        return tr("The alarm about {person} was closed", person=told.whom)
    return tr("The alarm was closed")


def _sync(told: _Told) -> str:
    cluster = name(told.names.cluster(told.text("cluster")))
    doors, until = told.count("readers"), told.until("not_after")
    if doors > 1:
        return tr(
            "{person} may open {cluster}, {doors} doors{until}",
            person=told.whom, cluster=cluster, doors=doors, until=until,
        )  # fmt: skip
    return tr("{person} may open {cluster}{until}", person=told.whom, cluster=cluster, until=until)


def _grants_ended(told: _Told) -> str:
    count, why = told.count("grants"), standing_of(told.entry, "why")
    if count == 1:
        return tr("1 door grant of {person} ended: {standing}", person=told.whom, standing=why)
    return tr("{count} door grants of {person} ended: {standing}", person=told.whom, count=count, standing=why)


def _live_check(told: _Told) -> str:
    kind = KINDS.get(told.text("kind"), tr("a live check"))
    return tr("{person} proven to be there by {kind}", person=told.whom, kind=kind)


def _standing(told: _Told) -> str:
    before, now = standing_of(told.entry, "before"), standing_of(told.entry, "standing")
    return tr("{person} is now {standing}, before {before}", person=told.whom, standing=now, before=before)


def _check(kind: str) -> Callable[[_Told], str]:
    def say(told: _Told) -> str:
        at = told.text("terminal_id")
        where = tr(" at {terminal}", terminal=name(at)) if at else ""
        if told.entry.outcome == "ACCEPTED":
            return tr("{kind} of {person} matched{where}", kind=kind, person=told.whom, where=where)
        cause = told.text("cause").replace("_", " ")
        return tr("{kind} not matched{where}", kind=kind, where=where) + (f": {cause}" if cause else "")

    return say


def _of_person(sentence: Callable[[str], str]) -> Callable[[_Told], str]:
    """A sentence that needs the person alone."""
    return lambda told: sentence(told.whom)


def _of_card(sentence: Callable[[str, str], str]) -> Callable[[_Told], str]:
    """A sentence about a card of a person."""
    return lambda told: sentence(told.card, told.whom)


def _card_written(told: _Told) -> str:
    return tr(
        "{card} written for {person}, proven, {apdus} APDUs",
        card=told.card, person=told.whom, apdus=told.count("apdus"),
    )  # fmt: skip


def _card_begun(told: _Told) -> str:
    reader = told.text("reader")
    if reader:
        return tr("{card} begun for {person} in {reader}", card=told.card, person=told.whom, reader=name(reader))
    return tr("{card} begun for {person}", card=told.card, person=told.whom)


def _cards_revoked(told: _Told) -> str:
    certificates = told.entry.detail.get("certificates")
    count = len(certificates) if isinstance(certificates, list) else 0
    if count == 1:
        return tr("1 certificate of {person} revoked by the burn", person=told.whom)
    return tr("{count} certificates of {person} revoked by the burn", person=told.whom, count=count)


def _templates(one: Callable[[str], str], several: Callable[[int, str], str]) -> Callable[[_Told], str]:
    def say(told: _Told) -> str:
        count = told.count("templates")
        return one(told.whom) if count == 1 else several(count, told.whom)

    return say


def _put(what: str) -> Callable[[_Told], str]:
    """A thing of the registry was made or changed: which fields."""

    def say(told: _Told) -> str:
        thing = _thing(told, what)
        if told.entry.detail.get("made"):
            return tr("{thing} registered", thing=thing)
        fields = told.entry.detail.get("changed")
        words = ", ".join(str(one).replace("_", " ") for one in fields) if isinstance(fields, list) else ""
        said = tr("{thing} changed", thing=thing)
        return f"{said}: {words}" if words else said

    return say


def _say_removal(what: str) -> Callable[[_Told], str]:
    """A thing of the registry was taken out."""

    return lambda told: tr("{thing} taken out of the registry", thing=_thing(told, what))


def _thing(told: _Told, what: str) -> str:
    """What it is and its name; a person is known by the name alone."""
    item = told.text("id")
    if not what or not item:
        return told.whom if told.entry.node_id else what
    shown = told.names.operator(item, None) if is_operator(item) else told.names.cluster(item)
    return f"{what} {name(shown)}"


def _store_changed(told: _Told) -> str:
    rows = told.entry.detail.get("rows")
    tables = ", ".join(f"{table} {count}" for table, count in rows.items()) if isinstance(rows, dict) else ""
    return tr("Rows of the store changed: {tables}", tables=tables) if tables else tr("Rows of the store changed")


def _signed_in(told: _Told) -> str:
    method = _METHODS.get(told.text("method"), told.text("method"))
    if told.entry.outcome != "ACCEPTED" or not is_operator(told.entry.actor):
        return tr("Sign-in by {method}", method=method) if method else tr("Sign-in")
    return tr("{operator} signed in by {method}", operator=told.by, method=method or tr("an unknown way"))


def _operator_act(sentence: Callable[[str], str]) -> Callable[[_Told], str]:
    return lambda told: sentence(name(told.names.operator(told.text("id"), None)))


def _other(told: _Told) -> str:
    """The action by its own words, or by the words for a page about one person, and before them whom it is about."""
    entry = told.entry
    if has_sentence(entry.action):
        said = saying(entry, {})
        text = f"{said.text}: {said.detail}" if said.detail else said.text
    else:
        text = action_words(entry.action)
    about = entry.node_id or ""
    if about:
        return tr("{person}: {text}", person=told.whom, text=text)
    if entry.unit_id:
        return tr("{person}: {text}", person=name(entry.unit_id), text=text)
    return text


_METHODS: Mapping[str, str] = {
    "passphrase": tr("passphrase"), "card": tr("card", "sign-in"), "openid": tr("single sign-on"),
}  # fmt: skip
_TELL_OUTCOME = frozenset({"palm.verify", "voice.check", "stylized.verify", "burn.tripwire", "provisioning.refuse",
                           "provisioning.torn"})  # fmt: skip
"""Actions whose sentence says by itself what was refused or failed."""
_THINGS: Mapping[str, str] = {
    "registry.node": "", "registry.profile": tr("Badge profile"), "registry.cluster": tr("Door cluster"),
    "registry.unit": tr("Unit"), "registry.terminal": tr("Terminal"), "registry.directory": tr("Directory"),
    "registry.peer": tr("Peer"), "registry.platform": tr("Platform"), "registry.hr_source": tr("HR system"),
    "registry.media_source": tr("Media source"), "registry.template_registry": tr("Template registry"),
    "operators.operator": tr("Operator"),
}  # fmt: skip
"""Things that are registered, by the action without its verb; nothing before the name of a person."""
_LINES: Mapping[str, Callable[[_Told], str]] = {
    **{f"{thing}_put": _put(what) for thing, what in _THINGS.items()},
    **{f"{thing}_delete": _say_removal(what) for thing, what in _THINGS.items()},
    "alarm.raised": _alarm,
    "alarm.taken": _alarm_taken,
    "alarm.cleared": _alarm_cleared,
    "burn.executed": _say_burn,
    "burn.complete": _burn_complete,
    "burn.confirmed": _burn_confirmed,
    "burn.sealed": _of_person(lambda person: tr("Evidence of the burn of {person} sealed", person=person)),
    "burn.lifted": _of_person(lambda person: tr("The burn of {person} was taken back", person=person)),
    "burn.tripwire": _tripwire,
    "containment.contained": _say_containment,
    "containment.extended": lambda told: tr(
        "Containment of {person} made longer{until}", person=told.whom, until=told.until("until")),
    "containment.released": _say_release,
    "containment.expired": _of_person(lambda person: tr("Containment of {person} ended by itself", person=person)),
    "containment.burned": _of_person(lambda person: tr("Containment of {person} became a burn", person=person)),
    "credentials.sync": _sync,
    "credentials.grants_ended": _grants_ended,
    "gateway.telemetry_open": lambda told: tr(
        "Unit {unit} follows the events of the site", unit=name(told.entry.unit_id or "–")),
    "log.quorum": lambda _told: tr("The quorum of the log's witnesses was recorded"),
    "operators.sign_in": _signed_in,
    "operators.passphrase_set": _operator_act(lambda who: tr("Passphrase of {operator} set", operator=who)),
    "palm.enrol": _of_person(lambda person: tr("Palm of {person} enrolled", person=person)),
    "palm.verify": _check(tr("Palm")),
    "pki.crl_signed": lambda told: tr(
        "List of revoked certificates signed, {count} in it", count=told.count("entries")),
    "provisioning.authority_made": lambda told: tr(
        "Certificate authority {name} made", name=name(told.text("name"))),
    "provisioning.begin": _card_begun,
    "provisioning.complete": _card_written,
    "provisioning.torn": _of_card(
        lambda card, person: tr("{card} for {person} torn while it was written", card=card, person=person)),
    "provisioning.refuse": lambda told: tr(
        "{card} for {person} refused{why}", card=told.card, person=told.whom, why=told.quote("reason")),
    "provisioning.revoke": _cards_revoked,
    "provisioning.revoke_card": lambda told: tr(
        "{card} of {person} revoked by itself{why}", card=told.card, person=told.whom, why=told.quote("reason")),
    "provisioning.release": _of_card(
        lambda card, person: tr("{card} of {person} taken back for a re-issue", card=card, person=person)),
    "provisioning.mailer_printed": _of_card(
        lambda card, person: tr("PIN letter of {person} printed: {card}", card=card, person=person)),
    "provisioning.pin_reset": _of_card(
        lambda card, person: tr("{card} of {person}: PIN set anew, proven by the card", card=card, person=person)),
    "provenance.seal": _of_person(lambda person: tr("A consent of {person} was sealed", person=person)),
    "provenance.withdraw": _of_person(lambda person: tr("A consent of {person} was withdrawn", person=person)),
    "provenance.expire": _of_person(lambda person: tr("A consent of {person} ended", person=person)),
    "provenance.revoke": _of_person(lambda person: tr("A consent of {person} ended with the burn", person=person)),
    "registry.live_check": _live_check,
    "registry.standing_change": _standing,
    "registry.templates_enrol": _templates(
        lambda person: tr("1 template of {person} enrolled", person=person),
        lambda count, person: tr("{count} templates of {person} enrolled", count=count, person=person)),
    "registry.templates_erase": _templates(
        lambda person: tr("1 template of {person} erased", person=person),
        lambda count, person: tr("{count} templates of {person} erased", count=count, person=person)),
    "state.changed": _store_changed,
    "stylized.enrol": _of_person(lambda person: tr("Stylized template of {person} enrolled", person=person)),
    "stylized.verify": _check(tr("Stylized template")),
    "voice.check": _check(tr("Voice")),
    "voice.enrol": _of_person(lambda person: tr("Voice of {person} enrolled", person=person)),
    "voice.erase": _of_person(lambda person: tr("Voice of {person} erased", person=person)),
}  # fmt: skip
