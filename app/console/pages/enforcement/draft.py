"""The draft: reads laws and platforms, has the service check what is typed, issues a strike or supplies its details."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import msgspec
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.capabilities.enforcement.messages import Jurisdiction, Strike, StrikeBody, StrikePreview, WatchedBill
from app.console.actions import Action, Effect
from app.console.failures import Failure, failure_of
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.enforcement.draft_values import (
    DraftValues,
    field_words,
    fixed_fields,
    made_body,
    made_details,
    supplement,
    values_of,
)
from app.console.pages.enforcement.draft_view import DraftPanel
from app.console.pages.enforcement.law_view import LawPanel
from app.console.pages.enforcement.law_words import CHECKING, NOT_CHECKED, ShownElement, law_elements, law_paper
from app.console.pages.enforcement.platforms import PlatformsDialog
from app.console.pages.enforcement.preview import DraftPapers, PreviewDialog
from app.console.pages.enforcement.words import KIND, PAGE, has_left
from app.console.part import Host, Part
from app.console.session import MessageWay
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.text_dialog import TextDialog
from app.registry.messages.platforms import NoticePlatform

CHECKED_AFTER_MS = 400
"""After the last key the draft is checked by the service."""


class DraftPart(Part):
    """``issued`` hears of every strike that was made or completed here. Nothing that is typed is stored before that."""

    every_s = 60.0
    ticks_a_paint = 10
    kinds = frozenset({"platforms"})

    view: DraftPanel

    def __init__(self, host: Host, view: DraftPanel, law: LawPanel, issued: Callable[[Strike], None]) -> None:
        super().__init__(host, law.mark)
        self.view = view
        self.law_view = law
        self._issued = issued
        self._laws: dict[str, Jurisdiction] = {}
        self._watch: list[WatchedBill] = []
        self._platforms: dict[str, NoticePlatform] = {}
        self._named: tuple[str, ...] = ()
        self._supplies: Strike | None = None
        self._preview: StrikePreview | None = None
        self._checked: StrikeBody | None = None
        self._faults: Mapping[str, str] = {}
        self._busy = False
        self._papers = DraftPapers(host.session)
        self._wait = QTimer(view)
        self._wait.setSingleShot(True)
        self._wait.setInterval(CHECKED_AFTER_MS)
        self._wait.timeout.connect(self._check_soon)
        view.edited.connect(self._take_edit)
        law.edited.connect(self._take_edit)
        view.searched.connect(lambda text: host.suggest(view.node, text))
        law.elements.wanted.connect(view.go_to)

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "enforcement.issue", tr("Issue the declaration"), self._ask_issue, "send", ("Ctrl+Return",
                    "Ctrl+Enter"),
                PAGE, when=self._can_issue, effect=Effect.IRREVERSIBLE,
                hint=tr("Signs it. What is complete leaves at once; what is not waits for its details."),
                calls=("enforcement_strike", "enforcement_supply"),
            ),
            Action(
                "enforcement.preview", tr("Preview the document"), self._show_preview, "eye", ("Ctrl+P",), PAGE,
                when=lambda: self._preview is not None and self._is_checked,
                hint=tr("As it would be signed, marked DRAFT."),
                calls=("enforcement_preview",),
            ),
            Action("enforcement.new", tr("New draft"), self._ask_new, "plus", ("Ctrl+N",), PAGE, when=self._can_empty,
                   hint=tr("Empties the fields. Drafts are not kept: they name people.")),
            Action("enforcement.platforms", tr("Choose platforms"), self._ask_platforms, "list", ("Ctrl+G",), PAGE,
                   when=lambda: self.host.may_write and self.view.platforms.isEnabled()),
            Action("enforcement.law", tr("About this law"), self._show_law, "scale", ("Ctrl+Shift+L",), PAGE,
                   when=lambda: self.law is not None, hint=tr("Sources, dates, sign-off, and what this site changed.")),
            Action(
                "enforcement.evidence", tr("Open what the signature names"), self._open_evidence, "search", ("Ctrl+I",),
                PAGE, when=lambda: bool(self._evidence_page()),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.law

    @property
    def law(self) -> Jurisdiction | None:
        """The law that is chosen."""
        return self._laws.get(str(self.view.law.currentData() or ""))

    def warnings_of(self, code: str) -> list[str]:
        """What the file of a law warns of, in every strike under it."""
        return self._laws[code].warnings if code in self._laws else []

    @property
    def values(self) -> DraftValues:
        """What stands in the draft."""
        return self.view.values(platforms=self._named, dispatch=self.law_view.dispatch.isChecked())

    @property
    def elements(self) -> tuple[ShownElement, ...]:
        """What the law asks for, as it is shown."""
        return self.law_view.elements.elements

    @property
    def _is_checked(self) -> bool:
        """Whether the service has seen the draft as it stands."""
        return self._checked is not None and self._checked == self._body()

    def _can_issue(self) -> bool:
        ready = self.host.may_write and not self._busy and not self._faults and bool(self._platforms)
        return ready and self._body() is not None

    def _can_empty(self) -> bool:
        return self._supplies is not None or not self.values.empty

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if signature := arguments.get("signature"):
            self._leave_supply()
            self.host.show()
            self.view.signature.setText(signature)

    async def read(self) -> None:
        found = await self.session.client.enforcement_jurisdictions()
        rows = await read_all(lambda cursor: self.session.client.registry_list_platforms(query=page_query(cursor)))
        self._laws, self._watch = {one.code: one for one in found.items}, found.watch
        self._platforms = {one.platform_id: one for one in rows}

    def paint_all(self) -> None:
        self.view.show_laws(tuple(self._laws.values()))
        self._named = tuple(one for one in self._named if one in self._platforms)
        self._take_edit()

    # --- checking ----------------------------------------------------------------------------------------------------

    def _body(self) -> StrikeBody | None:
        """The body that would be sent now."""
        body = made_body(self.values).body
        if body is not None and self._supplies is not None:
            return msgspec.structs.replace(body, enforcement_jurisdiction=self._supplies.enforcement_jurisdiction)
        return body

    def _take_edit(self) -> None:
        """Something was typed: its faults stand at once, and the service is asked as soon as the hands rest."""
        values = self.values
        self.view.show_law(self.law, dispatch=values.dispatch)
        values = self.values
        self._faults = made_body(values).faults
        if self._body() is None:
            self._preview, self._checked = None, None
            self._wait.stop()
        elif not self._is_checked:
            self._wait.start()
        self._paint_draft(values)

    def _paint_draft(self, values: DraftValues) -> None:
        """Show faults, elements and buttons as they are now."""
        view, law, preview = self.view, self.law, self._preview
        view.show_faults(self._faults)
        view.show_typed(attested=values.attested, fault=self._faults.get("/declarant/attested", ""))
        named = self._checked is not None and self._checked.target_compromise_signature == values.signature.strip()
        view.show_evidence(preview.evidence if preview is not None and named else None)
        view.platforms.say(self._platform_names(), self._no_platform())
        self.law_view.show_law(law, values.nature, training=self.session.training)
        evidence = preview.evidence.title if preview is not None and named else ""
        elements = law_elements(law, preview, field_words(values, evidence)) if law is not None else ()
        self.law_view.show_warnings(self._warnings(law))
        self.law_view.show_elements(elements, checked=self._check_word())
        self.law_view.issue.setText(f" {self._issue_words()}")
        self.session.actions.refresh()

    def _warnings(self, law: Jurisdiction | None) -> list[str]:
        """What the service warns of in this draft: not what it warns of in every one under the law, and not that the
        strike whose details are supplied is open."""
        said = law.warnings if law is not None else ()
        warnings = self._preview.warnings if self._preview is not None else ()
        own = self._supplies.strike_id if self._supplies is not None else None
        return [one for one in warnings if one not in said and (own is None or own not in one)]

    def _check_word(self) -> str:
        if self._body() is None or self._is_checked:
            return ""
        return CHECKING if self._wait.isActive() else NOT_CHECKED

    def _issue_words(self) -> str:
        """What the button does now."""
        count = len(self._named) or sum(one.default for one in self._platforms.values())
        if self._supplies is not None:
            return tr("Supply the details")
        if not count:
            return tr("Issue")
        return tr("Issue to 1 platform") if count == 1 else tr("Issue to {count} platforms", count=count)

    def _platform_names(self) -> list[str]:
        """Those that are chosen, else those that are marked as default."""
        rows = self._platforms.values()
        chosen = [one for one in rows if one.platform_id in self._named] or [one for one in rows if one.default]
        return [one.display_name for one in chosen]

    def _no_platform(self) -> str:
        if not self._platforms:
            return tr("No platform is registered") if self.fresh.since is not None else tr("Loading")
        return tr("Choose platforms: none is marked as default")

    def _check_soon(self) -> None:
        body = self._body()
        if body is not None and self.session.is_connected and self.host.may("enforcement_preview"):
            self.host.spawn(self._check(body), name="check the draft")

    async def _check(self, body: StrikeBody) -> None:
        """Have the service say what the draft has and what it lacks."""
        try:
            preview = await self.session.client.enforcement_preview(body)
        except Exception as error:  # told at the fields that it names, else at the head of the page
            failure = failure_of(error)
            if body == self._body():
                self._refuse(failure)
            return
        if body == self._body():
            self._preview, self._checked = preview, body
            self._paint_draft(self.values)

    def _refuse(self, failure: Failure) -> None:
        """The service does not take the draft: its faults stand at their fields, the rest at the head of the page."""
        self._preview, self._checked = None, None
        self._paint_draft(self.values)
        if failure.code == "not_found" and self.values.node_id:
            failure = failure._replace(fields=(("/node_id", failure.sentence),))
        if failure.fields:
            self.view.show_faults({**self._faults, **dict(failure.fields)})
        if not any(self.view.fault(pointer) for pointer, _ in failure.fields):
            self.host.show_failure(failure)

    # --- issuing -----------------------------------------------------------------------------------------------------

    def _ask_issue(self) -> None:
        """Issue what is complete; what is not is asked about first, by what it lacks."""
        lacks = [one.title for one in self.elements if not one.there] if self._is_checked else []
        if not lacks or self._supplies is not None:
            self._issue()
            return
        ConfirmDialog(
            self.view.window(),
            tr("Issue it, though 1 is missing?")
            if len(lacks) == 1
            else tr("Issue it, though {count} are missing?", count=len(lacks)),
            tr(
                "Missing: {names}. It is signed and gets its tracking token now; {rest}",
                names=", ".join(lacks),
                rest=self._leaves_words(),
            ),
            tr("Issue and hold") if not self._leaves else tr("Issue it"),
            self._issue,
        ).open()

    @property
    def _leaves(self) -> bool:
        """Whether a document of the draft leaves at once, as it was checked."""
        notices = self._preview.notices if self._preview is not None else ()
        return any(not one.held and not one.missing for one in notices)

    def _leaves_words(self) -> str:
        """What leaves of a draft that lacks something."""
        if self._leaves:
            return tr("the declaration leaves, and the takedown notices wait until they are supplied.")
        return tr("nothing leaves before they are supplied.")

    def _issue(self) -> None:
        """Issue a new strike, or supply the details of the one that the draft is of."""
        body, strike = self._body(), self._supplies
        if body is None or self._busy:
            return
        self._busy = True
        self.session.actions.refresh()
        if strike is None:
            operation: Operation[Strike] = Operation(
                lambda client, key: client.enforcement_strike(body, idempotency_key=key),
                title=tr("Issue a declaration"),
                changes=(KIND,),
                asks=True,
            )
        else:
            details = supplement(made_details(self.values)[0], strike)
            operation = Operation(
                lambda client, _key: client.enforcement_supply(strike.tracking_token, details),
                title=tr("Supply details of {token}", token=strike.tracking_token),
                changes=(KIND,),
                asks=True,
            )
        operation.success(self._finish).failure(self._fail).run(self.session, self.view)

    def _finish(self, strike: Strike) -> None:
        self._busy = False
        self._empty()
        token = strike.tracking_token
        way = MessageWay("enforcement", {"strike": token})
        self.session.notify(tr("{token} is signed.", token=token), subject=token, way=way)
        self._issued(strike)

    def _fail(self, failure: Failure) -> None:
        self._busy = False
        if failure.fields:
            self.view.show_faults({**self._faults, **dict(failure.fields)})
        self.host.show_failure(failure)
        self.session.actions.refresh()

    # --- another draft -----------------------------------------------------------------------------------------------

    def supply(self, strike: Strike) -> None:
        """Fill in what a strike has, so that what is missing can be supplied."""

        def begin() -> None:
            self._supplies = strike
            self.view.show_supply(strike.tracking_token, fixed_fields(strike), left=has_left(strike))
            self.law_view.dispatch.setEnabled(False)
            self._fill(values_of(strike))
            missing = strike.missing[0].pointer if strike.missing else "/content_urls"
            self.view.go_to(missing)

        self._replace(begin)

    def renew(self, strike: Strike) -> None:
        """Fill in a strike once more, for a second notice."""

        def begin() -> None:
            self._leave_supply()
            self._fill(values_of(strike))
            self.view.statement.setFocus()

        self._replace(begin)

    def _replace(self, begin: Callable[[], None]) -> None:
        """Begin another draft; what stands there is asked about first."""
        self.host.show()
        if self.values.empty or self._supplies is not None:
            begin()
            return
        ConfirmDialog(
            self.view.window(), tr("Replace the draft?"), tr("What stands in its fields is lost: drafts are not kept."),
            tr("Replace it"), begin,
        ).open()  # fmt: skip

    def _fill(self, values: DraftValues) -> None:
        self._named = tuple(one for one in values.platforms if one in self._platforms)
        self.law_view.dispatch.setChecked(values.dispatch)
        self.view.fill(values)

    def _ask_new(self) -> None:
        if self._supplies is not None:
            self._empty()
            return
        ConfirmDialog(
            self.view.window(), tr("Empty the draft?"), tr("What stands in its fields is lost: drafts are not kept."),
            tr("Empty it"), self._empty,
        ).open()  # fmt: skip

    def _empty(self) -> None:
        """Empty all fields but the law and the platforms: the next one is often like it."""
        law = str(self.view.law.currentData() or "")
        self._leave_supply()
        self.law_view.dispatch.setChecked(False)
        self.view.fill(replace(DraftValues(), law=law))

    def _leave_supply(self) -> None:
        if self._supplies is not None:
            self._supplies = None
            self.view.show_supply("")
            self.law_view.dispatch.setEnabled(True)
            self.view.fill(DraftValues(law=str(self.view.law.currentData() or "")))

    # --- platforms, papers, evidence ---------------------------------------------------------------------------------

    def _ask_platforms(self) -> None:
        """Ask which platforms the strike goes to; the settings register others."""
        chosen = self._named or tuple(one.platform_id for one in self._platforms.values() if one.default)
        law = self.law
        dialog = PlatformsDialog(
            self.view.window(), tuple(self._platforms.values()), chosen, law.code if law is not None else ""
        )

        def take(ids: tuple[str, ...]) -> None:
            self._named = ids
            self._take_edit()

        dialog.chosen.connect(take)
        dialog.register.connect(lambda: self.session.navigate("settings", section="platforms"))
        dialog.open()

    def _show_law(self) -> None:
        if (law := self.law) is not None:
            watch = [
                (one.code, one.title, tr("{note} (as of {date})", note=one.note, date=one.as_of)) for one in self._watch
            ]
            sentence = tr("Engineering data with a date, no legal advice: a lawyer signs it off for this site.")
            TextDialog(self.view.window(), law.title, sentence, law_paper(law, watch)).open()

    def _show_preview(self) -> None:
        if self._preview is not None:
            PreviewDialog(self.view.window(), self._preview, self._papers, self.session).open()

    def _evidence_page(self) -> str:
        """The page that shows what the signature names; empty: none does."""
        preview = self._preview
        if preview is None or not preview.evidence.known:
            return ""
        return {"scan": "media", "seal": "seals"}.get(preview.evidence.kind, "")

    def _open_evidence(self) -> None:
        page, ref = self._evidence_page(), self.values.signature.strip()
        if page == "media":
            self.session.navigate(page, scan_id=ref)
        elif page:
            self.session.navigate(page, seal=ref)

    def forget_papers(self) -> None:
        """Take away the previews that were opened."""
        self._papers.remove()
