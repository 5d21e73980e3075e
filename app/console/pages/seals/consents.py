"""The consents of the seals page: reads their list, finds one, seals another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.provenance.messages import KnotListQuery, KnotPage, KnotSeal, KnotSealBody, KnotSummary
from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.growing import Growing
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.seals.forms import SealForm
from app.console.pages.seals.knot import ChosenKnot
from app.console.pages.seals.view import SealsView
from app.console.pages.seals.words import KIND
from app.console.part import Host, Part
from app.console.widgets.choice import Choice

PAGE = 200


class Consents(Part):
    """The list is read each 15 s: others seal without an event that says so. ``knot`` shows the chosen one."""

    every_s = 15.0
    kinds = frozenset({KIND, "burns", "cards"})

    def __init__(self, host: Host, view: SealsView, knot: ChosenKnot) -> None:
        super().__init__(host, view.mark)
        self.view: QWidget = view.consents
        self._page = view
        self._panel = view.consents
        self._knot = knot
        self._node = ""
        self._seal = ""
        self._pending = 0
        self.knots: Growing[KnotSummary] = Growing(self._ask, lambda row: row.knot_id, page=PAGE)
        view.consents.chosen.connect(knot.choose)
        view.consents.more.connect(self._grow)
        view.sought.connect(self._seek)
        view.node.searched.connect(lambda text: host.suggest(view.node, text))
        view.node.chosen.connect(lambda choice: self._only(choice.id))
        view.node.cleared.connect(lambda: self._only(""))

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "seals.seal", tr("Seal a consent"), self._ask_seal, "plus", ("Ctrl+N",), "seals", effect=Effect.CHANGE,
                hint=tr("Who agreed to what, until when. It becomes a leaf that nobody can change."),
                calls=("provenance_issue",),
            ),
        ]  # fmt: skip

    def filter_field(self) -> QWidget:
        return self._page.node

    def first_control(self) -> QWidget:
        return self._panel.table

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("node_id"):
            self._page.node.choose(Choice(arguments["node_id"], arguments["node_id"]))
        if arguments.get("knot_id"):
            self._knot.chosen = arguments["knot_id"]
        if arguments.get("seal"):
            self._page.seal.setText(arguments["seal"])
            self._seek(arguments["seal"])

    async def read(self) -> None:
        await self.knots.read()

    async def _ask(self, cursor: str | None, limit: int) -> KnotPage:
        query = KnotListQuery(node_id=self._node or None, consensus_seal=self._seal or None, limit=limit, cursor=cursor)
        page = await self.session.client.provenance_list(query=query)
        self._pending = page.pending
        return page

    def _grow(self) -> None:
        if self.knots.can_grow and self.session.is_connected:
            self.host.spawn(self._read_more(), name="more seals")

    async def _read_more(self) -> None:
        if await self.knots.grow():
            self.show_answer()

    def paint_all(self) -> None:
        rows, knot = self.knots.rows, self._knot
        wanted = knot.chosen if knot.chosen in rows else next(iter(rows), "")
        self._panel.show_rows(
            list(rows.values()),
            wanted,
            narrowed=bool(self._node or self._seal),
            complete=self.knots.complete,
            pending=self._pending,
            typing=self._page.typing,
        )
        if rows:
            knot.read_again()
        else:
            knot.clear()
        self._panel.near_end()

    # --- what is looked for ------------------------------------------------------------------------------------------

    def _only(self, node_id: str) -> None:
        if node_id != self._node:
            self._node = node_id
            self._begin_anew()

    def _seek(self, text: str) -> None:
        """Look for a knot by its name, or for a consensus seal; the empty text: for any."""
        if text.upper().startswith("KNOT-"):
            self.host.spawn(self._find_knot(text.upper()), name="find a knot")
            return
        seal = text.lower()
        if seal and not seal.startswith("0x"):
            seal = f"0x{seal}"
        if seal and (len(seal) != 66 or set(seal[2:]) - set("0123456789abcdef")):
            self.host.show_failure(Failure("not_found", tr("A consensus seal is 0x and 64 hexadecimal digits.")))
            return
        if seal != self._seal:
            self._seal = seal
            self._begin_anew()

    async def _find_knot(self, knot_id: str) -> None:
        knot = await self.session.client.provenance_get(knot_id)
        self._knot.chosen = knot_id
        self._seal = ""
        self._page.node.choose(Choice(knot.node_id, knot.node_id))
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.knots.forget()
        self.host.banner.clear()
        self._panel.table.scrollToTop()
        self.read_now()

    # --- sealing -----------------------------------------------------------------------------------------------------

    def _ask_seal(self) -> None:
        """Open the form of a consent; it stays open until the service has sealed it."""
        form = SealForm(self._panel.window(), self.session.live.now)
        form.node.searched.connect(lambda text: self.host.suggest(form.node, text))
        if (choice := self._page.node.choice) is not None:
            form.node.choose(choice)

        def seal(body: KnotSealBody) -> None:
            operation: Operation[KnotSeal] = Operation(
                lambda client, key: client.provenance_issue(body, idempotency_key=key),
                title=tr("Seal a consent"),
                changes=(KIND,),
                asks=True,
            )
            operation.success(finish).failure(form.show_failure).run(self.session, form)

        def finish(knot: KnotSeal) -> None:
            self._knot.want(knot.knot_id)
            form.accept()
            pending = knot.seal_proof is None
            names = {"person": knot.node_id, "knot": knot.knot_id}
            words = (
                tr("The consent of {person} is in the log and waits for the quorum: {knot}.", **names)
                if pending
                else tr("The consent of {person} is sealed: {knot}.", **names)
            )
            self.session.notify(words, "info" if pending else "ok")

        form.asked.connect(seal)
        form.open()
