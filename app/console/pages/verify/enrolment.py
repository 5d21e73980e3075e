"""The enrolment tab: a person's palm, by the training terminal or from pictures, and its erasure."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidget

from app.biometrics.messages import EnrolledTemplates, ErasedTemplates, TemplateSamples
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.failures import Failure
from app.console.files import ask_open
from app.console.formats.image_file import ImageRefused
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.verify.enrolment_view import EnrolmentView
from app.console.pages.verify.known import BARRED, Known, look_up, twice_words
from app.console.pages.verify.roi import cut, read_palm, wipe
from app.console.pages.verify.samples import ALONE, LEAST, Samples, likeness_words
from app.console.pages.verify.words import PAGE
from app.console.part import Host, Part, person
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.console.wiped_body import WipedBody
from app.training.messages import SOFTWARE_TERMINALS, TrainingEnrolBody

CHANGES = ("templates", "nodes", "alarms")
LOOK = tr("Choose a person: whether somebody is enrolled, and since when, appears here.")
READY = tr("Five samples of the same hand make one template.")


class EnrolmentTab(Part):
    """Takes samples, enrols and erases by ``Operation``. Squares and pictures are of the person who is chosen, and live
    while that person is and the tab is shown."""

    kinds = frozenset({"templates", "nodes", "burns", "alarms", "terminals"})

    view: EnrolmentView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = EnrolmentView(host.session.actions, self.mark, training=host.session.training)
        self.samples = Samples()
        self._known: Known | None = None
        self._terminals: list[str] = []
        self._files: list[Path] = []
        self._name = ""
        self._person = ""
        self._round = 0
        """Counts how often everything was forgotten: what a thread brings of an earlier round is overwritten."""
        self._taking = False
        self._busy = False
        view = self.view
        view.person.searched.connect(lambda text: host.suggest(view.person, text))
        view.person.chosen.connect(lambda _choice: self._person_changed())
        view.person.cleared.connect(self._person_changed)
        view.marker.moved.connect(self._show_marks)
        view.marker.taken.connect(lambda: host.session.actions.trigger("verify.enrol_take"))
        view.table.selected.connect(lambda _row: host.session.actions.refresh())
        view.show_picture(None, "")
        self._show_samples()
        self._show_known()
        view.show_outcome(Meaning.IDLE, tr("Nothing yet"), READY)

    # --- what can be done --------------------------------------------------------------------------------------------

    def _can(self) -> bool:
        return self.host.shown() and not self._busy

    def actions(self) -> Sequence[Action]:
        def is_chosen() -> bool:
            return self._can() and self.view.person.choice is not None

        def open_to() -> bool:
            return is_chosen() and (self._known is None or self._known.node.standing not in BARRED)

        def is_marked() -> bool:
            marker = self.view.marker
            return self._can() and not self._taking and marker.image is not None and bool(self.samples.free)

        def picture() -> bool:
            return self._can() and self.view.marker.image is not None

        def is_taken() -> bool:
            sample = self.view.sample
            return self._can() and sample is not None and sample.state != "missing"

        made = [
            Action(
                "verify.enrol", tr("Enrol these samples"), self._enrol, "user-check", ("Ctrl+Return", "Ctrl+Enter"),
                PAGE, when=lambda: open_to() and self.host.may_write and len(self.samples.kept) >= LEAST,
                effect=Effect.CHANGE, hint=tr("Needs Citadel clearance. In place of what the person had."),
                calls=("palm_enrol",),
            ),
            Action(
                "verify.enrol_files", tr("Open pictures of a palm"), self._ask_files, "upload", ("Ctrl+O",), PAGE,
                when=lambda: is_chosen() and bool(self.samples.free),
                hint=tr("Of the person who is chosen: JPEG or PNG, several at once."),
            ),
            Action(
                "verify.enrol_take", tr("Take the square"), self._take, "check", ("Ctrl+Shift+Return",), PAGE,
                when=lambda: is_marked() and not self.view.marker.trouble, hint=tr("Enter does it in the picture."),
            ),
            Action(
                "verify.enrol_swap", tr("Swap the marks"), self.view.marker.swap, "refresh-cw",
                ("Ctrl+Shift+X",), PAGE, when=picture, hint=tr("Turns the square to the other side of the valleys."),
            ),
            Action(
                "verify.enrol_skip", tr("Leave the picture out"), self._next, "x", ("Ctrl+Shift+K",), PAGE,
                when=picture,
                hint=tr("Its copy in memory is overwritten, the file stays; the next one is opened."),
            ),
            Action(
                "verify.enrol_drop", tr("Remove the sample"), self._drop, "trash-2", ("Ctrl+Shift+Backspace",), PAGE,
                when=is_taken, hint=tr("Its square is overwritten in memory."),
            ),
            Action(
                "verify.enrol_other", tr("See the other person"), self._other, "users", ("Ctrl+Shift+G",), PAGE,
                when=lambda: self._can() and self._known is not None and self._known.alarm is not None,
                hint=tr("As whom this person is enrolled, too."),
            ),
            Action(
                "verify.erase", tr("Erase the templates"), self._ask_erase, "trash-2", ("Ctrl+Shift+Del",), PAGE,
                when=lambda: is_chosen() and self.host.may_write, effect=Effect.CHANGE,
                hint=tr("Asks first. Palm and stylized, from every registry, whenever it was enrolled."),
                calls=("palm_erase",),
            ),
        ]  # fmt: skip
        if self.session.training:
            made.append(
                Action(
                    "verify.enrol_terminal", tr("Enrol by the training terminal"), self._enrol_terminal, "fingerprint",
                    ("Ctrl+Shift+E",), PAGE, when=lambda: open_to() and bool(self.view.terminal.currentText()),
                    effect=Effect.CHANGE, hint=tr("TRAINING: the person's drawn palm is laid down five times."),
                    calls=("training_palms_enrol",),
                )
            )  # fmt: skip
        return made

    def first_control(self) -> QWidget:
        return self.view.person

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("node_id"):
            self.host.spawn(self._take_person(arguments["node_id"]))

    async def _take_person(self, node_id: str) -> None:
        self.view.person.choose(person(await self.session.client.registry_get_node(node_id)))

    async def run(self, arguments: Mapping[str, str]) -> None:
        try:
            await super().run(arguments)
        finally:
            self._forget()

    def _forget(self) -> None:
        """Overwrite every picture and square: nothing of a palm stays when nobody looks at it."""
        self._round += 1
        self._files.clear()
        pictures = self.view.marker.image is not None
        self.view.show_picture(None, "")
        if self.samples.forget() or pictures:
            self.session.notify(
                tr("Pictures and samples that were not sent are overwritten in this console's memory."), "info"
            )
        self._show_samples()

    async def read(self) -> None:
        client = self.session.client
        found = await read_all(lambda cursor: client.registry_list_terminals(query=page_query(cursor)))
        self._terminals = [one.terminal_id for one in found if one.terminal_id in SOFTWARE_TERMINALS]
        choice = self.view.person.choice
        known = None if choice is None else await look_up(self.session, choice.id)
        now = self.view.person.choice
        if (now.id if now else "") == (choice.id if choice else ""):
            self._known = known

    def paint_all(self) -> None:
        self.view.show_terminals(self._terminals)
        self._show_known()

    def _show_known(self) -> None:
        """The facts beside the person."""
        facts, known = self.view.facts, self._known
        facts.clear()
        if known is None:
            chosen = self.view.person.choice is not None
            self.view.state.set(Meaning.IDLE, tr("Not known yet") if chosen else tr("Nobody is chosen"))
            self.view.show_note("" if chosen else LOOK)
            return
        self.view.show_note(known.note)
        entry, made = known.entry, known.quality
        if known.alarm is not None:
            self.view.state.set(Meaning.CRIT, tr("Enrolled as another, too"))
            self.view.show_outcome(Meaning.CRIT, tr("Alarm"), twice_words(known.alarm))
        elif known.kept is not None:
            word = {"palm.enrol": tr("Palm enrolled"), "stylized.enrol": tr("Stylized enrolled")}
            self.view.state.set(Meaning.OK, tr("Enrolled") if made is None else word[made.action])
        else:
            self.view.state.set(Meaning.IDLE, tr("Not enrolled") if entry is None else tr("Erased"))
        facts.set("standing", standing_word(known.node.standing))
        if known.kept is not None:
            facts.set("at", date_time(parse_time(known.kept.enrolled_at)))
            facts.set("registry", ", ".join(one.registry_id for one in known.node.templates))
        elif entry is not None:
            facts.set("at", tr("No: erased {at}", at=date_time(parse_time(entry.timestamp))))
            facts.set("registry", str(entry.detail.get("registry_id", "")))
        if entry is not None:
            facts.set("by", self.session.names.of(entry.actor, entry.actor_name))
        if made is not None:
            quality = made.detail.get("quality")
            facts.set(
                "samples",
                tr("{count}, likeness {quality} of 100 or more", count=made.detail.get("samples"), quality=quality),
            )

    def _person_changed(self) -> None:
        choice = self.view.person.choice
        before, self._person = self._person, "" if choice is None else choice.id
        if before != self._person:
            self._known = None
            # What was taken of one person never goes over to the next one, looked up or not.
            self._forget()
            self.view.show_outcome(Meaning.IDLE, tr("Nothing yet"), READY)
        self._show_known()
        self.read_now()
        self.session.actions.refresh()

    # --- pictures ----------------------------------------------------------------------------------------------------

    def _ask_files(self) -> None:
        begun = self._round

        def take(paths: list[Path]) -> None:
            if begun == self._round:
                self.take_files(paths)

        kinds = [tr("Pictures (*.jpg *.jpeg *.png)")]
        ask_open(self.view, tr("Pictures of one palm"), take, kinds=kinds, pictures=True, several=True)

    def take_files(self, paths: Sequence[Path]) -> None:
        """Open these one after the other, as many as samples are missing."""
        self._files = list(paths)[: len(self.samples.free)]
        self._next()

    def _next(self) -> None:
        self.view.show_picture(None, "")
        if self._files:
            self.host.spawn(self._open(self._files.pop(0)))
        self.session.actions.refresh()

    async def _open(self, path: Path) -> None:
        """Read a picture and show it to be marked."""
        begun = self._round
        try:
            image = await asyncio.to_thread(read_palm, path)
        except (ImageRefused, OSError) as error:
            if begun == self._round:
                why = error.strerror if isinstance(error, OSError) else error
                self.session.notify(tr("{name} is no picture of a palm. {why}", name=path.name, why=why), "bad")
                self._next()
            return
        if begun != self._round:
            wipe(image)
            return
        self._name = path.name
        self.view.show_picture(image, path.name)
        self._show_marks()
        self.view.marker.setFocus(Qt.FocusReason.TabFocusReason)
        self.session.actions.refresh()

    def _show_marks(self) -> None:
        marker = self.view.marker
        if marker.image is None:
            self.view.show_square(None, "")
        elif marker.trouble:
            self.view.show_square(None, marker.trouble)
        else:
            roi = cut(marker.image, *marker.marks, finest=1)
            self.view.show_square(roi, "")
            roi[:] = bytes(len(roi))
        self.session.actions.refresh()

    def _take(self) -> None:
        self._taking = True
        self.host.spawn(self._take_square(*self.view.marker.marks))

    async def _take_square(self, first: QPointF, second: QPointF) -> None:
        """Cut the square that the marks give, and keep it as a sample."""
        image, name, begun = self.view.marker.image, self._name, self._round
        try:
            if image is None:
                return
            # A copy for the thread: the picture may be left, and overwritten, meanwhile.
            mine = image.copy()
            roi = await asyncio.to_thread(cut, mine, first, second)
            wipe(mine)
        finally:
            self._taking = False
        if begun != self._round:
            roi[:] = bytes(len(roi))
            return
        row = self.samples.take(name, roi)
        self._show_samples()
        if row is not None:
            self.view.table.selectRow(row.number - 1)
        self._next()
        if self.view.marker.image is None and not self._files:
            self.view.table.setFocus()

    def _drop(self) -> None:
        if (sample := self.view.sample) is not None:
            self.samples.drop(sample.number)
            self._show_samples()

    def _show_samples(self) -> None:
        self.view.show_samples(self.samples.rows, self.samples.progress)
        self.session.actions.refresh()

    # --- enrolling ---------------------------------------------------------------------------------------------------

    def _enrol(self) -> None:
        """Send the samples; their bytes are wiped after the call."""
        choice = self.view.person.choice
        if choice is None:
            return
        sent = WipedBody(sample.roi for sample in self.samples.kept if sample.roi is not None)
        body = TemplateSamples(samples=sent.raws, encoding="roi128")

        def take(reply: EnrolledTemplates) -> None:
            self.samples.take_enrolment(reply.discarded)
            self._take_enrolment(reply)

        def refuse(failure: Failure) -> None:
            self.samples.take_refusal(failure.fields)
            self._take_failure(choice.id, failure)

        self._begin(tr("Working out the template"))
        operation: Operation[EnrolledTemplates] = Operation(
            lambda client, _key: client.palm_enrol(choice.id, body),
            title=tr("Enrol {person}", person=choice.id),
            changes=CHANGES,
        )
        sent.wipe_after(operation.success(take).failure(refuse).run(self.session, self.view))

    def _enrol_terminal(self) -> None:
        """Have the training terminal take five samples of the person's drawn palm."""
        choice, terminal = self.view.person.choice, self.view.terminal.currentText()
        if choice is None or not terminal:
            return
        body = TrainingEnrolBody(terminal_id=terminal, node_id=choice.id)
        self._begin(tr("TRAINING: five shots at {terminal}", terminal=terminal))
        Operation(
            lambda client, key: client.training_palms_enrol(body, idempotency_key=key),
            title=tr("Enrol {person} at {terminal}", person=choice.id, terminal=terminal),
            changes=CHANGES,
        ).success(self._take_enrolment).failure(lambda failure: self._take_failure(choice.id, failure)).run(
            self.session, self.view
        )

    def _begin(self, words: str) -> None:
        self._busy = True
        self.view.show_outcome(Meaning.IDLE, "…", words)
        self.session.actions.refresh()

    def _take_enrolment(self, reply: EnrolledTemplates) -> None:
        """Show what the service made of the samples."""
        self._busy = False
        if reply.node_id != self._person:
            self.session.notify(
                tr("{person} is enrolled with {count} samples.", person=reply.node_id, count=reply.samples)
            )
            self.session.actions.refresh()
            return
        said = tr(
            "{count} samples, {likeness}. Registry {registry}, key epoch {epoch}.",
            count=reply.samples,
            likeness=likeness_words(reply.quality),
            registry=reply.registry_id,
            epoch=reply.key_epoch,
        )
        if reply.discarded:
            said += tr(
                " Samples that are unlike the others were not used: take them again and enrol anew, or leave it."
            )
        self.view.show_outcome(Meaning.WARN if reply.discarded else Meaning.OK, tr("Enrolled"), said)
        self._show_samples()

    def _take_failure(self, node_id: str, failure: Failure) -> None:
        """Show why nothing was enrolled; the person may have been changed meanwhile."""
        self._busy = False
        if node_id != self._person:
            self.session.notify_failure(tr("Enrol {person}", person=node_id), failure)
            self.session.actions.refresh()
            return
        known = failure.code == "state_conflict" and "another node" in failure.sentence
        said = f"{failure.sentence} {failure.next_step}".strip()
        self.view.show_outcome(
            Meaning.CRIT if known else Meaning.BAD, tr("Alarm") if known else tr("Not enrolled"), said
        )
        self._show_samples()
        if known:
            self.read_now()

    def _other(self) -> None:
        if self._known is not None and self._known.alarm is not None and self._known.alarm.ref:
            self.host.spawn(self._take_person(self._known.alarm.ref))

    def _ask_erase(self) -> None:
        """Ask, then erase the person's templates from every registry."""
        choice = self.view.person.choice
        if choice is None:
            return

        def show_erased(reply: ErasedTemplates) -> None:
            said = (
                tr("1 template of {person} erased from every registry.", person=reply.node_id)
                if reply.rows == 1
                else tr(
                    "{count} templates of {person} erased from every registry.", count=reply.rows, person=reply.node_id
                )
            )
            self.view.show_outcome(Meaning.OK, tr("Erased"), said)

        def erase() -> None:
            Operation(
                lambda client, _key: client.palm_erase(choice.id),
                title=tr("Erase the templates of {person}", person=choice.id),
                changes=CHANGES,
                asks=True,
            ).success(show_erased).failure(self.host.show_failure).run(self.session, self.view)

        ConfirmDialog(
            self.view.window(),
            tr("Erase the templates of {person}?", person=choice.title),
            tr(
                "Here {person} is matched no more, by palm or stylized template, until enrolled anew. {alone} "
                "Cards and grants stay as they are. What the audit log says of it stays.",
                person=choice.id,
                alone=ALONE,
            ),
            tr("Erase them"),
            erase,
        ).open()
