"""The stylized tab: templates from files compared with a registry, enrolled and erased (specification 4.8)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.biometrics.messages import SAMPLES_MAX, EnrolledTemplates, ErasedTemplates, TemplateSamples
from app.capabilities.stylized.messages import StylizedBody, StylizedMatch
from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.files import ask_open
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.verify.samples import ALONE
from app.console.pages.verify.stylized_view import SampleRow, StylizedView
from app.console.pages.verify.template_file import BadTemplate, Template, read_template
from app.console.pages.verify.words import PAGE
from app.console.part import Host, Part, person
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import ChoiceField
from app.console.widgets.confirm import ConfirmDialog
from app.console.wiped_body import WipedBody

KIND = "templates"
"""What an operation of this tab changes."""
CHOSEN, ENROLLED, UNLIKE = (Meaning.IDLE, tr("Chosen")), (Meaning.OK, tr("Enrolled")), (Meaning.WARN, tr("Unlike"))
ONLY_ENROLLED = tr(
    "These are 512 float32 features from before the registry's rotation: they can be enrolled. To be "
    "compared, a template has 512 signed bytes, made under the registry's key by a party that has it."
)


class StylizedTab(Part):
    """What files hold stays here until it is sent or the tab is left, and is then overwritten. Samples are of
    the person who is chosen, and go when another one is."""

    kinds = frozenset({KIND, "registries"})

    view: StylizedView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = StylizedView(host.session.actions, self.mark)
        self._epochs: dict[str, int] = {}
        self._template: Template | None = None
        self._samples: list[SampleRow] = []
        self._person = ""
        self._round = 0
        """Counts changes of the person and leavings of the tab: what is read across one is overwritten."""
        self._match: StylizedMatch | None = None
        self._busy = False
        view, refresh = self.view, host.session.actions.refresh
        for field in (view.claimed, view.person):
            field.searched.connect(lambda text, field=field: host.suggest(field, text))
        view.claimed.chosen.connect(lambda _choice: refresh())
        view.claimed.cleared.connect(refresh)
        view.person.chosen.connect(lambda _choice: self._person_changed())
        view.person.cleared.connect(self._person_changed)
        view.picked.connect(refresh)

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        shown, view = self.host.shown, self.view

        def idle() -> bool:
            return shown() and not self._busy and self.session.is_connected

        def is_chosen() -> bool:
            return idle() and self.host.may_write and view.person.choice is not None

        return [
            Action(
                "verify.stylized_file", tr("Choose a template to compare"),
                lambda: ask_open(self.view, tr("A stylized template"), self.take_template),
                "upload", ("Ctrl+Shift+O",), PAGE, when=shown,
                hint=tr("512 signed bytes, made under the registry's key."),
            ),
            Action(
                "verify.stylized_compare", tr("Compare the template"), self._compare, "fingerprint", ("Ctrl+Shift+V",),
                PAGE, when=lambda: idle() and self._template is not None and bool(self._epochs), effect=Effect.CHANGE,
                hint=tr(
                    "With everybody in the registry, or with the person who is claimed. Once: a copy is an alarm."),
                calls=("stylized_verify",),
            ),
            Action(
                "verify.stylized_log", tr("Find the comparisons in the audit log"),
                lambda: self.session.navigate("audit", action="stylized.verify"), "scroll-text", (), PAGE,
                when=lambda: shown() and self._match is not None,
                hint=tr("With the cause of each refusal, which is told nowhere else."),
            ),
            Action(
                "verify.stylized_seal", tr("Open the seal of the match"), self._seal, "file-check", (), PAGE,
                when=lambda: shown() and self._match is not None and bool(self._match.knot_id),
            ),
            Action(
                "verify.stylized_samples", tr("Add samples of an enrolment"),
                self._ask_samples, "plus", ("Ctrl+Shift+N",), PAGE,
                when=lambda: shown() and view.person.choice is not None and len(self._samples) < SAMPLES_MAX,
                hint=tr("1 to 25 files: 512 signed bytes or 512 float32 features each."),
            ),
            Action(
                "verify.stylized_drop", tr("Remove the sample under the cursor"), self._drop, "minus", (), PAGE,
                when=lambda: shown() and self._picked >= 0,
            ),
            Action(
                "verify.stylized_enrol", tr("Enrol the samples"), self._enrol, "user-check", ("Ctrl+Shift+U",), PAGE,
                when=lambda: is_chosen() and self._fresh_samples, effect=Effect.CHANGE,
                hint=tr("In place of what the person had, palm or stylized. Needs Citadel clearance."),
                calls=("stylized_enrol",),
            ),
            Action(
                "verify.stylized_erase", tr("Erase the person's templates"), self._ask_erase, "trash-2", (), PAGE,
                when=is_chosen, effect=Effect.CHANGE,
                hint=tr("Asks first. Palm and stylized alike. Needs Citadel clearance."),
                calls=("stylized_erase",),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget | None:
        return self.view.registry

    def take(self, arguments: Mapping[str, str]) -> None:
        if node_id := arguments.get("node_id", ""):
            self.host.spawn(self._take_person(node_id))

    async def _take_person(self, node_id: str) -> None:
        node = await self.session.client.registry_get_node(node_id)
        self.view.person.choose(person(node))
        self.view.claimed.choose(person(node))

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        try:
            await super().run(arguments)
        finally:
            # A service that is lost leaves the page as it is; going elsewhere leaves nothing of a person behind.
            if self.session.is_connected:
                self._round += 1
                self._forget_template()
                self._forget_samples()

    def _person_changed(self) -> None:
        choice = self.view.person.choice
        before, self._person = self._person, "" if choice is None else choice.id
        if before != self._person:
            self._round += 1
            if self._fresh_samples:
                self.session.notify(tr("Samples that were not sent are overwritten in this console's memory."), "info")
            self._forget_samples()
        self.session.actions.refresh()

    async def read(self) -> None:
        client = self.session.client
        found = await read_all(lambda cursor: client.registry_list_template_registries(query=page_query(cursor)))
        self._epochs = {row.registry_id: row.key_epoch for row in found}

    def paint_all(self) -> None:
        self.view.show_registries(list(self._epochs.items()))

    # --- files -------------------------------------------------------------------------------------------------------

    def _ask_samples(self) -> None:
        begun = self._round

        def take(paths: Sequence[Path]) -> None:
            if begun == self._round:
                self.take_samples(paths)

        ask_open(self.view, tr("Samples of one person"), take, several=True)

    def take_template(self, paths: Sequence[Path]) -> None:
        """The file that is compared next."""
        self.host.spawn(self._take_template(paths[0]))

    async def _take_template(self, path: Path) -> None:
        """Read the file and keep its template for the comparison."""
        template = await self._read(path)
        if template is None:
            return
        if template.kind != "i8x512":
            template.wipe()
            self._refuse(f"{path.name}: {ONLY_ENROLLED}")
            return
        self._forget_template()
        self._template = template
        self.view.show_template(template)
        self.host.banner.clear()
        self.session.actions.refresh()

    def take_samples(self, paths: Sequence[Path]) -> None:
        """Files of the person who is chosen, which are enrolled next."""
        self.host.spawn(self._take_samples(paths, self._round))

    async def _take_samples(self, paths: Sequence[Path], begun: int) -> None:
        """Read the files and add their samples, as long as the person stays the same."""
        if not self._fresh_samples:
            self._forget_samples()
        room = SAMPLES_MAX - len(self._samples)
        self.host.banner.clear()
        for path in paths[:room]:
            template = await self._read(path)
            if begun != self._round:
                if template is not None:
                    template.wipe()
                return
            if template is not None:
                row = SampleRow(len(self._samples) + 1, template, *CHOSEN)
                self._samples = [*self._samples, row]
        self._show_samples(len(self._samples) - 1)
        if len(paths) > room:
            self._refuse(
                tr(
                    "An enrolment takes {most} samples: {count} files were left out.",
                    most=SAMPLES_MAX,
                    count=len(paths) - room,
                )
            )

    async def _read(self, path: Path) -> Template | None:
        try:
            return await asyncio.to_thread(read_template, path)
        except BadTemplate as wrong:
            self._refuse(str(wrong))
            return None

    def _refuse(self, sentence: str) -> None:
        self.host.show_failure(Failure("file_unreadable", sentence, tr("Choose another file.")))

    def _forget_template(self) -> None:
        if self._template is not None:
            self._template.wipe()
            self._template = None
            self.view.show_template(None)

    def _forget_samples(self) -> None:
        for row in self._samples:
            row.template.wipe()
        self._samples = []
        self.view.show_samples((), -1)

    @property
    def _fresh_samples(self) -> bool:
        """Whether there are samples, and none of them was sent and overwritten."""
        return bool(self._samples) and all((row.state, row.word) == CHOSEN for row in self._samples)

    @property
    def _picked(self) -> int:
        at = self.view.table.currentIndex().row()
        return at if at < len(self._samples) else -1

    def _drop(self) -> None:
        at = self._picked
        self._samples[at].template.wipe()
        left = self._samples[:at] + self._samples[at + 1 :]
        self._samples = [SampleRow(n, row.template, row.state, row.word) for n, row in enumerate(left, start=1)]
        self._show_samples(at)

    def _show_samples(self, wanted: int) -> None:
        self.view.show_samples(self._samples, wanted)
        self.session.actions.refresh()

    # --- comparing ---------------------------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Send the template once; its bytes are wiped after the call."""
        template, claimed = self._template, self.view.claimed
        if template is None or self._unclear(claimed):
            return
        registry = str(self.view.registry.currentData())
        node_id = None if claimed.choice is None else claimed.choice.id
        sent = WipedBody([template.data])
        body = StylizedBody(
            stylized_template=sent.raws[0],
            registry_id=registry,
            key_epoch=self._epochs[registry],
            node_id=node_id,
        )
        compared = (
            tr("everybody in {registry}, epoch {epoch}", registry=registry, epoch=body.key_epoch)
            if node_id is None
            else tr("{person} in {registry}, epoch {epoch}", person=node_id, registry=registry, epoch=body.key_epoch)
        )
        name = template.name
        self._forget_template()

        def show_match(found: StylizedMatch) -> None:
            self._match = found
            self.view.show_match(found, compared, name)
            self._end()

        # Never asked again: the same values a second time are a copy.
        operation: Operation[StylizedMatch] = Operation(
            lambda client, key: client.stylized_verify(body, idempotency_key=key), title=tr("Compare a template")
        )
        sent.wipe_after(operation.success(show_match).failure(self._take_failure).run(self.session, self.view))
        self._begin()

    def _seal(self) -> None:
        if self._match is not None:
            self.session.navigate("seals", knot_id=self._match.knot_id)

    # --- enrolment ---------------------------------------------------------------------------------------------------

    def _enrol(self) -> None:
        """Send the samples; their bytes are wiped after the call."""
        chosen, rows = self.view.person.choice, list(self._samples)
        if chosen is None:
            return
        sent = WipedBody(row.template.data for row in rows)
        body = TemplateSamples(samples=sent.raws, registry_id=str(self.view.registry.currentData()))

        def show_enrolment(found: EnrolledTemplates) -> None:
            self.view.show_enrolled(found)
            if self._samples == rows:
                for row in rows:
                    row.template.wipe()
                self._samples = [
                    SampleRow(row.number, row.template, *(UNLIKE if at in found.discarded else ENROLLED))
                    for at, row in enumerate(rows)
                ]
                self._show_samples(0)
            self.session.notify(
                tr("{person} is enrolled with {count} samples.", person=found.node_id, count=found.samples)
            )
            self._end()

        operation: Operation[EnrolledTemplates] = Operation(
            lambda client, _key: client.stylized_enrol(chosen.id, body),
            title=tr("Enrol {person}", person=chosen.id),
            changes=(KIND, "nodes"),
            asks=True,
        )
        operation.success(show_enrolment).failure(lambda failure: self._take_failure(by_sample(failure)))
        sent.wipe_after(operation.run(self.session, self.view))
        self._begin()

    def _ask_erase(self) -> None:
        """Ask whether all templates of the person may go, and erase them then."""
        chosen = self.view.person.choice
        if chosen is None:
            return
        ConfirmDialog(
            self.view.window(),
            tr("Erase the templates of {person}?", person=chosen.title),
            tr(
                "Every template of this person goes, palm and stylized, in every registry. To be matched "
                "again they are enrolled anew. {alone}",
                alone=ALONE,
            ),
            tr("Erase them"),
            lambda: self._erase(chosen.id),
        ).open()

    def _erase(self, node_id: str) -> None:
        """Erase the person's templates, palm and stylized."""

        def show_erased(found: ErasedTemplates) -> None:
            self.view.show_erased(found.node_id, found.rows)
            self._end()

        operation: Operation[ErasedTemplates] = Operation(
            lambda client, _key: client.stylized_erase(node_id),
            title=tr("Erase the templates of {person}", person=node_id),
            changes=(KIND, "nodes"),
            asks=True,
        )
        operation.success(show_erased).failure(self._take_failure).run(self.session, self.view)
        self._begin()

    def _unclear(self, field: ChoiceField) -> bool:
        """Whether a text is typed that names nobody: comparing with everybody instead would answer another question."""
        if field.choice is None and field.text().strip():
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
        return False

    def _begin(self) -> None:
        self._busy = True
        self.host.banner.clear()
        self.session.actions.refresh()

    def _end(self) -> None:
        self._busy = False
        self.session.actions.refresh()

    def _take_failure(self, failure: Failure) -> None:
        self._end()
        self.host.show_failure(failure)


def by_sample(failure: Failure) -> Failure:
    """The failure with the numbers of the list instead of the places in the call."""
    sentences = []
    for pointer, sentence in failure.fields:
        parts = pointer.strip("/").split("/")
        if len(parts) == 2 and parts[0] == "samples" and parts[1].isdecimal():
            sentences.append(tr("Sample {number}: {sentence}", number=int(parts[1]) + 1, sentence=sentence))
    return failure._replace(sentence=" ".join(sentences)) if sentences else failure
