"""What the palette finds beyond commands: people by name, and ids of anything in the audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.api.wire import ListQuery
from app.console.failures import failure_of
from app.console.language import tr
from app.console.session import WindowSession
from app.console.shell.palette_entries import Entry, Search
from app.console.standing import standing_word

MOST_PEOPLE = 20
_PERSON_PAGES = (
    ("people", tr("Open"), "user"),
    ("write_card", tr("Write card"), "id-card"),
    ("burn", tr("Burn"), "flame"),
)
"""Pages that a person opens on, with what is done there. What only looks comes first: Enter must not lead to a burn."""
TRACKING = "ARC-ST-"
"""Begins the tracking token of every strike."""


def people(session: WindowSession, pages: Sequence[str]) -> Search:
    """Searches nodes by name or id. The first line of a person opens their profile; the next ones write a card or burn,
    filled in, on the pages that exist."""

    def search(text: str, answer: Callable[[Sequence[Entry]], None]) -> None:
        async def ask() -> None:
            try:
                page = await session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=MOST_PEOPLE))
            except Exception as error:  # shown in place of the answer
                answer([Entry(failure_of(error).sentence, "", "triangle-alert", _nothing, enabled=False)])
                return
            found = []
            for node in page.items:
                for target, verb, icon in _PERSON_PAGES:
                    if target in pages:
                        found.append(
                            Entry(
                                f"{verb}: {node.display_name}",
                                node.node_id,
                                icon,
                                _opener(session, target, node.node_id),
                                note=standing_word(node.standing),
                            )
                        )
            answer(found)

        session.tasks.spawn(ask(), name="palette people")

    return search


def ids(session: WindowSession) -> Search:
    """Takes any id (burn, node, request) and opens the audit log filtered by it; the tracking token of a strike opens
    that strike, too."""

    def search(text: str, answer: Callable[[Sequence[Entry]], None]) -> None:
        if not text:
            answer([])
            return
        found = [Entry(tr("Find {id} in the audit log", id=text), text, "scroll-text", _finder(session, text))]
        if text.upper().startswith(TRACKING):
            found.insert(0, Entry(tr("Open the strike {id}", id=text), text, "scale", _strike_opener(session, text)))
        answer(found)

    return search


def _nothing() -> None:
    return None


def _opener(session: WindowSession, page: str, node_id: str) -> Callable[[], None]:
    return lambda: session.navigate(page, node_id=node_id)


def _finder(session: WindowSession, text: str) -> Callable[[], None]:
    return lambda: session.navigate("audit", text=text)


def _strike_opener(session: WindowSession, token: str) -> Callable[[], None]:
    return lambda: session.navigate("enforcement", strike=token)
