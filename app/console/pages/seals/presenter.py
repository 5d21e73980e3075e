"""Brings the seals page to life: reads the list and the witnesses, pins the policy, seals, withdraws, verifies."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.capabilities.provenance.messages import KnotListQuery, KnotSeal, KnotSealBody, KnotSummary, WithdrawBody
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import Freshness, date_time
from app.console.failures import Failure, failure_of
from app.console.files import FileKeeper
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.seals.forms import SealForm, WithdrawForm
from app.console.pages.seals.view import LOGS, SealsView
from app.console.pages.seals.words import ENDED
from app.console.pinning import Pin, PinDamaged, pins_of, seen_policy, service_name
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.console.verifying import CosignedBy, VerifiedCheckpoint, checked_head, cosigners, knot_file, verify_knot
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.confirm import ConfirmDialog

PAGE = 200
EVERY_S = 15.0
"""Seconds between two readings: witnesses cosign and others seal without an event that tells of it."""
MOST_PEOPLE = 20
KIND = "seals"
"""What an operation of this page changes."""


class SealsPresenter(Presenter):
    """Reads, shows, verifies by itself, and changes by ``Operation`` alone."""

    view: SealsView

    def __init__(self, session: WindowSession, view: SealsView) -> None:
        super().__init__(session, view)
        self.pin: Pin | None = None
        self.knot: KnotSeal | None = None
        self._rows: dict[str, KnotSummary] = {}
        self._next: str | None = None
        self._pending = 0
        self._node = ""
        self._seal = ""
        self._chosen = ""
        self._growing = False
        self._generation = 0
        self.files = FileKeeper(view, session)
        self._fresh = Freshness(EVERY_S)
        self._pins = pins_of(session)
        self._heads: dict[str, tuple[str, VerifiedCheckpoint | None, str]] = {}
        self._wake: asyncio.Event | None = None
        view.chosen.connect(self._choose)
        view.leaf_chosen.connect(self._leaf_chosen)
        view.more.connect(self._grow)
        view.sought.connect(self._sought)
        view.node.searched.connect(lambda text: self._suggest(view.node, text))
        view.node.chosen.connect(lambda choice: self._only(choice.id))
        view.node.cleared.connect(lambda: self._only(""))

    def actions(self) -> Sequence[Action]:
        here, view = "seals", self.view

        def chosen() -> bool:
            return self.knot is not None

        def proven() -> bool:
            leaf = view.leaf
            return leaf is not None and leaf.seal_proof is not None

        def open_knot() -> bool:
            return self.knot is not None and self.knot.leaves[-1].standing not in ENDED

        return [
            Action(
                "seals.seal", "Seal a consent", self._ask_seal, "plus", ("Ctrl+N",), here, effect=Effect.CHANGE,
                hint="Who agreed to what, until when. It becomes a leaf that nobody can change.",
            ),
            Action(
                "seals.verify", "Verify now", self._verify, "shield-check", ("Ctrl+Return", "Ctrl+Enter"), here,
                when=lambda: self.knot is not None and self.pin is not None,
                hint="Checks every statement on this machine, by the pinned policy, without asking the service.",
            ),
            Action(
                "seals.withdraw", "Withdraw the consent", self._ask_withdraw, "circle-x", ("F7",), here,
                when=open_knot, effect=Effect.CHANGE, hint="Asks first. The consent ends by a new leaf.",
            ),
            Action(
                "seals.save_proof", "Save the proof", self._ask_proof, "download", ("Ctrl+S",), here,
                when=lambda: proven() and not self.files.saving,
                hint="The statement's C2SP tlog-proof file: place, path, checkpoint, witnesses.",
            ),
            Action(
                "seals.save_knot", "Save the seal as JSON", self._ask_knot, "file-text", ("Ctrl+Shift+S",), here,
                when=lambda: chosen() and not self.files.saving, hint="For arc_verify.py, or arc-console verify.",
            ),
            Action(
                "seals.save_bundle", "Save the evidence bundle", self._ask_bundle, "package", ("Ctrl+B",), here,
                when=lambda: chosen() and not self.files.saving,
                hint="One signed zip: the seal, its parts, the verifier, and how to verify.",
            ),
            Action(
                "seals.copy", "Copy the consensus seal", self._copy, "copy", ("Ctrl+Shift+C",), here, when=proven,
            ),
            Action(
                "seals.open_audit", "Find it in the audit log", self._open_audit, "scroll-text", ("Ctrl+I",), here,
                when=chosen,
            ),
            Action(
                "seals.trust", "Trust the new policy", self._ask_trust, "shield-alert", ("F8",), here,
                when=lambda: self.pin is not None and self.pin.changed, effect=Effect.CHANGE,
                hint="Asks first. Only after somebody you know has confirmed the change.",
            ),
            Action("seals.table", "Go to the consents", view.table.setFocus, "table-2", ("Alt+1",), here),
            Action("seals.leaves", "Go to the statements", view.leaves.setFocus, "history", ("Alt+2",), here),
            Action("seals.witnesses", "Go to the witnesses", view.witness_table.setFocus, "users", ("Alt+3",), here),
            Action("seals.find", "Find a consensus seal", view.seal.setFocus, "hash", ("Alt+4",), here),
        ]  # fmt: skip

    def filter_field(self) -> QWidget | None:
        return self.view.node

    def first_control(self) -> QWidget:
        return self.view.table

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wake = asyncio.Event()
        if arguments.get("node_id"):
            self.view.node.choose(Choice(arguments["node_id"], arguments["node_id"]))
        if arguments.get("knot_id"):
            self._chosen = arguments["knot_id"]
        if not self.session.live.stale:
            self._fresh.resume()
        failing = False
        while True:
            try:
                await self._see_policy()
                await self._read()
                await self._read_witnesses()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.show_failure(_told(error))
            else:
                if failing:
                    failing = False
                    self.view.banner.clear()
                self._show()
            await woken(self._wake, EVERY_S)

    async def _see_policy(self) -> None:
        """Whom the service says to believe, against whom we do."""
        try:
            self.pin = await seen_policy(self.session, self._pins)
        except ApiError as error:
            if error.code not in ("not_found", "dependency_unavailable"):
                raise
            self.view.show_trust(error.detail, changed=False)
            return
        self._show_trust(self.pin)

    def _show_trust(self, pin: Pin) -> None:
        since = date_time(pin.since)
        if pin.changed:
            said = f"The service gives another policy than the one pinned on {since} ({pin.difference})."
            self.view.show_trust(f"POLICY CHANGED. {said} Seals are still verified by the pinned one.", changed=True)
            self.show_failure(
                Failure(
                    "policy_changed",
                    f"{said} Whoever exchanges a service would do just that.",
                    "Ask the site's operator over another way before you trust it (F8). The pinned one stays in force.",
                )
            )
        else:
            first = " at first sight" if pin.first_sight else ""
            self.view.show_trust(f"Verified by the policy that this console pinned{first} on {since}.", changed=False)
        self.session.actions.refresh()

    async def _read(self) -> None:
        """Everything that was loaded, anew."""
        self._generation += 1
        asked = (self._node, self._seal)
        loaded = max(PAGE, len(self._rows))
        rows: dict[str, KnotSummary] = {}
        cursor: str | None = None
        while True:
            page = await self.session.client.provenance_list(query=self._query(cursor))
            if asked != (self._node, self._seal):
                return  # whoever changed what is asked for has also woken this
            rows |= {row.knot_id: row for row in page.items}
            cursor = page.next
            if cursor is None or len(rows) >= loaded:
                break
        self._rows, self._next, self._pending = rows, cursor, page.pending
        self._fresh.touch()

    def _query(self, cursor: str | None) -> KnotListQuery:
        return KnotListQuery(node_id=self._node or None, consensus_seal=self._seal or None, limit=PAGE, cursor=cursor)

    def _grow(self) -> None:
        if self._next is not None and not self._growing and self.session.is_connected:
            self._growing = True
            self.spawn(self._read_more(), name="more seals")

    async def _read_more(self) -> None:
        generation, cursor = self._generation, self._next
        try:
            page = await self.session.client.provenance_list(query=self._query(cursor))
        finally:
            self._growing = False
        if generation == self._generation and cursor == self._next:
            self._rows |= {row.knot_id: row for row in page.items}
            self._next = page.next
            self._show()

    async def _read_witnesses(self) -> None:
        client = self.session.client
        self.view.show_witnesses(await client.log_witnesses(), "")
        for name, _ in LOGS:
            try:
                note = (await client.log_checkpoint(name)).decode()
            except ApiError as error:
                if error.code != "not_found":
                    raise
                self._heads[name] = "", None, error.detail
                continue
            if self.pin is None or self._heads.get(name, ("",))[0] == note:
                continue
            try:
                self._heads[name] = note, await asyncio.to_thread(checked_head, note, self.pin.policy), ""
            except ValueError as error:
                self._heads[name] = note, None, f"Its signatures do not hold: {error}"

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def take_change(self, change: Change) -> None:
        if change.kinds & {KIND, "burns", "cards"}:
            self._read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        stale = self._fresh.words()
        self.view.mark.setVisible(bool(stale))
        if stale:
            self.view.mark.set(Meaning.IDLE, stale)
        now = self.session.live.now()
        for name, (_, head, trouble) in self._heads.items():
            self.view.show_head(name, head, trouble, now)

    def _show(self) -> None:
        rows = list(self._rows.values())
        wanted = self._chosen if self._chosen in self._rows else rows[0].knot_id if rows else ""
        self.view.show_rows(
            rows,
            wanted,
            narrowed=bool(self._node or self._seal),
            complete=self._next is None,
            pending=self._pending,
        )
        if not rows:
            self._chosen, self.knot = "", None
            self.view.show_knot(None)
        elif self._chosen:
            self.spawn(self._read_knot(self._chosen), name="chosen seal")
        self.session.actions.refresh()
        self.repaint()
        self.view.near_end()

    def _choose(self, knot_id: str) -> None:
        if knot_id and knot_id != self._chosen:
            self._chosen, self.knot = knot_id, None
            self.view.show_knot(None)
            if self.session.is_connected:
                self.spawn(self._read_knot(knot_id), name="chosen seal")
        self.session.actions.refresh()

    async def _read_knot(self, knot_id: str) -> None:
        knot = await self.session.client.provenance_get(knot_id)
        if knot_id != self._chosen:
            return
        if self.knot != knot:
            self.knot = knot
            self.view.checks.forget()
            self.view.show_knot(knot)
            self._leaf_chosen()
        self.session.actions.refresh()

    def _leaf_chosen(self) -> None:
        leaf = self.view.leaf
        if leaf is None:
            return
        self.view.show_leaf(leaf, None, ())
        if leaf.seal_proof is not None and self.pin is not None and self.session.is_connected:
            self.spawn(self._look_at(leaf.log_index, leaf.seal_proof, self.pin.policy), name="who cosigned")
        self.session.actions.refresh()

    async def _look_at(self, index: int, proof: str, policy: bytes) -> None:
        def look() -> tuple[VerifiedCheckpoint | None, list[CosignedBy]]:
            with contextlib.suppress(ValueError):  # what is wrong with it, Verify now tells line by line
                return checked_head(proof.partition("\n\n")[2], policy), cosigners(proof, policy)
            return None, []

        tree, by = await asyncio.to_thread(look)
        leaf = self.view.leaf
        if leaf is not None and leaf.log_index == index:
            self.view.show_leaf(leaf, tree, by)

    # --- what is looked for ------------------------------------------------------------------------------------------

    def _suggest(self, field: ChoiceField, text: str) -> None:
        async def search() -> None:
            query = ListQuery(q=text or None, limit=MOST_PEOPLE)
            page = await self.session.client.registry_list_nodes(query=query)
            field.offer([Choice(node.node_id, node.display_name, node.node_id) for node in page.items])

        if self.session.is_connected:
            self.spawn(search(), name="people of the seals")

    def _only(self, node_id: str) -> None:
        if node_id != self._node:
            self._node = node_id
            self._begin_anew()

    def _sought(self, text: str) -> None:
        if text.upper().startswith("KNOT-"):
            self.spawn(self._find_knot(text.upper()), name="find a knot")
            return
        seal = text.lower()
        if seal and not seal.startswith("0x"):
            seal = f"0x{seal}"
        if seal and (len(seal) != 66 or set(seal[2:]) - set("0123456789abcdef")):
            self.show_failure(Failure("not_found", "A consensus seal is 0x and 64 hexadecimal digits."))
            return
        if seal != self._seal:
            self._seal = seal
            self._begin_anew()

    async def _find_knot(self, knot_id: str) -> None:
        knot = await self.session.client.provenance_get(knot_id)
        self._chosen = knot_id
        self._seal = ""
        self.view.node.choose(Choice(knot.node_id, knot.node_id))
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._rows, self._next = {}, None
        self.view.banner.clear()
        self.view.table.scrollToTop()
        self._read_now()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _ask_seal(self) -> None:
        form = SealForm(self.view.window(), self.session.live.now)
        form.node.searched.connect(lambda text: self._suggest(form.node, text))
        if (choice := self.view.node.choice) is not None:
            form.node.choose(choice)

        def asked(body: KnotSealBody) -> None:
            operation: Operation[KnotSeal] = Operation(
                lambda client, key: client.provenance_issue(body, idempotency_key=key),
                title="Seal a consent",
                changes=(KIND,),
                asks=True,
            )
            operation.success(sealed).failure(form.show_failure).run(self.session, form)

        def sealed(knot: KnotSeal) -> None:
            self._chosen, self.knot = knot.knot_id, None
            form.accept()
            pending = knot.seal_proof is None
            words = "is in the log and waits for the quorum" if pending else "is sealed"
            self.session.notify(f"The consent of {knot.node_id} {words}: {knot.knot_id}.", "info" if pending else "ok")

        form.asked.connect(asked)
        form.open()

    def _ask_withdraw(self) -> None:
        knot = self.knot
        if knot is None:
            return
        form = WithdrawForm(self.view.window(), knot.knot_id, knot.node_id)

        def asked(reason: str) -> None:
            body = WithdrawBody(reason=reason or None)
            operation: Operation[KnotSeal] = Operation(
                lambda client, key: client.provenance_withdraw(knot.knot_id, body, idempotency_key=key),
                title="Withdraw a consent",
                changes=(KIND,),
                asks=True,
            )
            operation.success(withdrawn).failure(form.show_failure).run(self.session, form)

        def withdrawn(now: KnotSeal) -> None:
            form.accept()
            self.session.notify(f"The consent of {now.node_id} is withdrawn: {now.knot_id}.")

        form.asked.connect(asked)
        form.open()

    def _verify(self) -> None:
        if self.knot is not None and self.pin is not None:
            self.spawn(self._judge(self.knot, self.pin), name="verify a seal")

    async def _judge(self, knot: KnotSeal, pin: Pin) -> None:
        judgement = await asyncio.to_thread(verify_knot, knot, pin.policy)
        if self.knot is not knot:
            return
        note = f"Checked on this machine by the policy pinned on {date_time(pin.since)}; the service was not asked."
        if pin.changed:
            note += " The service gives another policy now."
        self.view.checks.show_judgement(judgement, note)
        self.view.area.verticalScrollBar().setValue(0)

    def _ask_trust(self) -> None:
        pin = self.pin
        if pin is None or not pin.changed:
            return

        async def take() -> None:
            name = service_name(self.session)
            self.pin = await asyncio.to_thread(self._pins.accept, name, pin.offered, self.session.live.now())
            self._heads.clear()
            self.view.banner.clear()
            self.view.checks.forget()
            self._show_trust(self.pin)
            self._leaf_chosen()
            self._read_now()

        ConfirmDialog(
            self.view.window(),
            "Trust the new policy?",
            f"What changed: {pin.difference}. From now on signatures by the new policy count, and those by the old one "
            "alone do not. The old one stays in the console's files.",
            "Trust it",
            lambda: self.spawn(take(), name="trust a policy"),
        ).open()

    def _copy(self) -> None:
        leaf = self.view.leaf
        if leaf is not None and leaf.consensus_seal is not None:
            QGuiApplication.clipboard().setText(leaf.consensus_seal)
            self.session.notify("The consensus seal is on the clipboard.")

    def _open_audit(self) -> None:
        if self.knot is not None:
            self.session.navigate("audit", text=self.knot.knot_id)

    # --- files -------------------------------------------------------------------------------------------------------

    def _ask_proof(self) -> None:
        leaf, knot = self.view.leaf, self.knot
        if leaf is not None and knot is not None and (proof := leaf.seal_proof) is not None:
            name = f"{knot.knot_id}-{leaf.log_index}.tlog-proof"
            self.files.ask("Save the proof", name, lambda path: self.files.keep(path, "The proof", proof.encode()))

    def _ask_knot(self) -> None:
        knot = self.knot
        if knot is not None:
            data = knot_file(knot)
            self.files.ask(
                "Save the seal", f"{knot.knot_id}.json", lambda path: self.files.keep(path, "The seal", data)
            )

    def _ask_bundle(self) -> None:
        knot = self.knot
        if knot is not None:
            name = f"{knot.knot_id}.zip"
            self.files.ask("Save the evidence bundle", name, lambda path: self.save_bundle(path, knot.knot_id))

    def save_bundle(self, path: Path, knot_id: str) -> None:
        """Keep the signed bundle of a knot as a file."""
        self.files.keep_made(path, "The bundle", lambda: self.session.client.provenance_bundle(knot_id))


def _told(error: Exception) -> Failure:
    if isinstance(error, PinDamaged):
        return Failure("policy_damaged", str(error))
    return failure_of(error)
