"""The tab of platforms: systems elsewhere that declarations and notices go to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.settings.platform_form import PlatformForm, PlatformSuggestion, load_suggestions
from app.console.pages.settings.platforms_view import PlatformsView
from app.console.pages.settings.words import CHANGES
from app.console.part import Host, Part
from app.registry.messages.platforms import NoticePlatform, PlatformBody


class PlatformsTab(Part):
    """Reads the platforms; registers, changes and deletes them by ``Operation``."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = CHANGES

    view: PlatformsView

    def __init__(self, host: Host) -> None:
        self.view = PlatformsView(host.session)
        super().__init__(host, self.view.mark)
        self._platforms: list[NoticePlatform] = []
        self._suggestions: list[PlatformSuggestion] | None = None
        self._wanted = ""
        self.view.table.selected.connect(lambda _row: host.session.actions.refresh())
        self.view.table.opened.connect(lambda _row: host.session.actions.trigger("settings.platform_change"))

    def actions(self) -> Sequence[Action]:
        host = self.host

        def is_chosen() -> bool:
            return host.shown() and host.may_write and self.view.chosen is not None

        def new() -> None:
            host.show()
            host.spawn(self._new())

        return [
            Action(
                "settings.platform_new", tr("Register a platform"), new, "plus", ("Ctrl+N",), "settings",
                when=lambda: host.may_write, effect=Effect.CHANGE, hint=tr("A system that notices go to."),
                calls=("registry_put_platform",),
            ),
            Action(
                "settings.platform_change", tr("Change the platform"), self._change, "pencil", ("F2",), "settings",
                when=is_chosen, effect=Effect.CHANGE,
                calls=("registry_put_platform",),
            ),
            Action(
                "settings.platform_delete", tr("Delete the platform"), self._delete, "trash-2", ("Shift+F2",),
                "settings", when=is_chosen, effect=Effect.CHANGE, hint=tr("Asks first."),
                calls=("registry_delete_platform",),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        client = self.session.client
        self._platforms = await read_all(lambda cursor: client.registry_list_platforms(query=page_query(cursor)))

    def paint_all(self) -> None:
        self.view.show_platforms(self._platforms, self._wanted)
        if self.view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""

    def paint(self) -> None:
        """Show how old the list is, or why there is none."""
        if self.fresh.since is None:
            self.view.stack.setCurrentWidget(self.view.away)
        else:
            super().paint()

    # --- changing ----------------------------------------------------------------------------------------------------

    async def _new(self) -> None:
        if self._suggestions is None:
            self._suggestions = await asyncio.to_thread(load_suggestions)
        self._open(PlatformForm(self.view.window(), None, self._suggestions), None)

    def _open(self, form: PlatformForm, known: NoticePlatform | None) -> None:
        form.asked.connect(lambda platform_id, body: self.host.spawn(self._save(form, platform_id, body, known)))
        form.open()

    def _change(self) -> None:
        chosen = self.view.chosen
        if chosen is not None and self.host.may_write:
            self.host.spawn(self._fetch(chosen.platform_id))

    async def _fetch(self, platform_id: str) -> None:
        # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
        known = await self.session.client.registry_get_platform(platform_id)
        self._open(PlatformForm(self.view.window(), known), known)

    async def _save(
        self, form: PlatformForm, platform_id: str, body: PlatformBody, known: NoticePlatform | None
    ) -> None:
        """Put the platform; a new one must not stand there already."""
        if (
            known is None
            and await form.find_existing(self.session.client.registry_get_platform(platform_id)) is not None
        ):
            form.mark("id", tr("A platform of this id is there already."))
            return

        def show(platform: NoticePlatform) -> None:
            self._wanted = platform.platform_id
            form.accept()
            name = platform.platform_id
            self.session.notify(
                tr("{name} is registered.", name=name) if known is None else tr("{name} is changed.", name=name)
            )

        operation = Operation(
            lambda client, _key: client.registry_put_platform(platform_id, body),
            title=tr("Platform {name}", name=platform_id),
            changes=("platforms",),
            asks=True,
        )
        operation.success(show).failure(form.show_failure).run(self.session, form)

    def _delete(self) -> None:
        """Ask, then delete the platform."""
        platform = self.view.chosen
        if platform is None:
            return
        Deletion(
            platform.platform_id,
            lambda client: client.registry_delete_platform(platform.platform_id),
            ("platforms",),
            tr(
                "No strike names it from then on. Notices by mail that are on their way still go; calls to "
                "it end as failed, since its token goes with it."
            ),
            tr("Delete the platform"),
        ).ask(self.session, self.view, self.host.show_failure)
