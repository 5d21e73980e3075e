"""Finds whom the burn page is about: by what is typed, by an id from another page, or a drill identity."""

from __future__ import annotations

import re

from app.api.wire import ListQuery
from app.client import ApiError
from app.console.failures import Failure
from app.console.language import tr
from app.console.pages.burn.drill import mark_drill
from app.console.part import Host
from app.console.widgets.choice import Choice, ChoiceField
from app.registry.messages.shared import DRILL_TAG

SUGGESTIONS = 20
UNREGISTERED, UNSEEN = tr("not registered"), tr("cannot be looked up now")
_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{2,63}\Z")


class SubjectSearch:
    """Offers and chooses people in the field of the subject, which says by its signals who was chosen."""

    def __init__(self, host: Host, field: ChoiceField) -> None:
        self._host = host
        self._session = host.session
        self._field = field
        field.searched.connect(lambda text: host.spawn(self._suggest(text), name="burn suggestions"))
        field.returnPressed.connect(lambda: host.spawn(self._take_typed(), name="burn subject"))

    async def find(self, text: str) -> list[Choice]:
        """People whom ``text`` finds, and the id itself where it may be one: it can be burned without being
        registered. The id alone where the service looks nobody up now. Raises what the client raises."""
        try:
            page = await self._session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=SUGGESTIONS))
        except ApiError as error:
            # A service without room looks nobody up, and burns all the same: the id that was typed is what it needs.
            if error.code != "dependency_unavailable" or not _NODE_ID.match(text):
                raise
            return [Choice(text, text, UNSEEN)]
        found = [
            Choice(node.node_id, node.display_name, mark_drill(node.node_id, DRILL_TAG in node.tags))
            for node in page.items
        ]
        if _NODE_ID.match(text) and all(choice.id != text for choice in found):
            found.append(Choice(text, text, UNREGISTERED))
        return found

    async def _suggest(self, text: str) -> None:
        found = await self.find(text)
        if self._field.text().strip() == text:
            self._field.offer(found)

    async def _take_typed(self) -> None:
        """Enter: choose the node whose id or name was typed whole, or the only one that is found."""
        field = self._field
        text = field.text().strip()
        if field.choice is not None or not text:
            return
        found = await self.find(text)
        if field.choice is not None or field.text().strip() != text:
            return
        registered = [choice for choice in found if choice.detail not in (UNREGISTERED, UNSEEN)]
        exact = [choice for choice in registered if text in (choice.id, choice.title)]
        take = exact or (registered if len(registered) == 1 else [] if registered else found)
        if take:
            field.choose(take[0])
        else:
            field.offer(found)

    async def choose_id(self, node_id: str) -> None:
        """Choose the node with that id."""
        found = [choice for choice in await self.find(node_id) if choice.id == node_id]
        if found:
            self._field.choose(found[0])

    async def choose_drill(self) -> None:
        """Choose the first identity that is registered for drills."""
        cursor: str | None = None
        while True:
            page = await self._session.client.registry_list_nodes(query=ListQuery(limit=500, cursor=cursor))
            for node in page.items:
                if DRILL_TAG in node.tags:
                    self._field.choose(Choice(node.node_id, node.display_name, mark_drill(node.node_id, True)))
                    return
            cursor = page.next
            if cursor is None:
                break
        self._host.show_failure(
            Failure(
                "not_found",
                tr("No identity is registered for drills."),
                tr("Give one the tag drill (Settings, People), and the doors and directories that a drill may reach."),
            )
        )
