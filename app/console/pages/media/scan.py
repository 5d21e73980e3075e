"""The scan tab: reads the list and the chosen scan, shows its pictures, asks for others, keeps reports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.capabilities.media.messages import RadarBody, Scan, ScanListQuery, ScanPage, ScanSummary
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.failures import Failure
from app.console.files import HOW_TO_VERIFY, FileKeeper
from app.console.growing import Growing
from app.console.language import tr
from app.console.moments import moment, parse_time
from app.console.operations import Operation
from app.console.pages.media.pictures import PictureReader, ScanPictures, decode_layers
from app.console.pages.media.scan_list import ScanRow
from app.console.pages.media.scan_view import READING, ScanView
from app.console.pages.media.words import KIND, OVER, PAGE, name_of, row_words, scan_words, strongest, with_advice
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.widgets.orientation import Box
from app.console.widgets.picture_layers import png_bytes
from app.console.widgets.rate_scale import percent_words

LISTED = 100
FUSED = "fused"


class ScanTab(Part):
    """Shows one scan, and the list that it is of."""

    every_s = 5.0
    ticks_a_paint = 5
    kinds = frozenset({KIND})

    view: ScanView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = ScanView(host.session.actions, self.mark)
        self._list: Growing[ScanSummary] = Growing(self._page, lambda one: one.scan_id, page=LISTED)
        self._pictures = PictureReader(host.session)
        self._keeper = FileKeeper(self.view, host.session)
        self._wanted = ""
        self._place = ""
        self._scan: Scan | None = None
        self._painted: tuple[str, str, str] = ("", "", "")
        self._asking = False
        self._newest_model = ("", "")
        self.view.row_chosen.connect(self.open_scan)
        self.view.place_chosen.connect(self._choose_place)
        self.view.layer_chosen.connect(lambda _layer: self._load_pictures())
        self.view.more.connect(self._grow)

    @property
    def scan(self) -> Scan | None:
        """The scan that is shown."""
        return self._scan

    @property
    def place(self) -> str:
        """Id of the place that is pointed at; empty for none."""
        return self._place

    def take_scan(self, scan: Scan) -> None:
        """Show this scan, as it was just read."""
        self._wanted, self._scan = scan.scan_id, scan
        if scan.model_version and (scan.finished_at or "") >= self._newest_model[0]:
            self._newest_model = (scan.finished_at or "", scan.model_version)
        self._paint_scan()

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        view = self.view

        def is_over() -> bool:
            return self.host.shown() and self._scan is not None and self._scan.status in OVER

        def has_result() -> bool:
            return is_over() and self._scan is not None and self._scan.verdict is not None and not self._keeper.saving

        def runs() -> bool:
            return self.host.shown() and self._scan is not None and self._scan.status not in OVER

        return [
            Action(
                "media.ask", tr("Scan the address"), self._ask, "search", ("Ctrl+Return", "Ctrl+Enter"), PAGE,
                when=lambda: self.host.may_write and not self._asking and bool(view.address.text().strip()),
                effect=Effect.CHANGE, hint=tr("The service fetches it; nothing of it is kept but the result."),
                calls=("media_scan",),
            ),
            Action(
                "media.again", tr("Scan it again"), self._again, "refresh-cw", ("Ctrl+R",), PAGE,
                when=lambda: is_over() and not self._is_upload(), effect=Effect.CHANGE,
                hint=tr("With the newest model; a result is never changed."),
                calls=("media_scan",),
            ),
            Action("media.stop_shown", tr("Stop this scan"), self._stop, "square", ("Ctrl+.",), PAGE, when=runs,
                   effect=Effect.CHANGE, calls=("media_stop",)),
            Action(
                "media.paper", tr("Save the report as PDF"), self._save_paper, "file-text", ("Ctrl+S",), PAGE,
                when=has_result,
                hint=tr("For people. The signed bundle beside it is what proves it."),
            ),
            Action(
                "media.bundle", tr("Save the signed bundle"), self._save_bundle, "download", (), PAGE,
                when=has_result,
                hint=tr("The result under the site's signature, to be checked without this site."),
            ),
            Action(
                "media.enforce", tr("Enforce with this scan"), self._enforce, "scale", ("Ctrl+Shift+E",), PAGE,
                when=lambda: has_result() and self.host.may_write,
                hint=tr("Begins a declaration to platforms that names this scan. Nothing leaves before it is issued."),
            ),
            Action("media.pictures", tr("Go to the pictures"), view.heat.setFocus, "eye", ("Alt+P",), PAGE,
                   when=self.host.shown),
            Action("media.places", tr("Go to the places"), self._go_to_places, "list", ("Alt+L",), PAGE,
                   when=self.host.shown),
            Action("media.weaker", tr("Show or hide the weaker places"), view.turn_weaker, "eye", ("Alt+W",), PAGE,
                   when=lambda: self.host.shown() and view.has_weaker),
            Action("media.detectors", tr("Go to the detectors"), self._go_to_detectors, "gauge", ("Alt+D",), PAGE,
                   when=self.host.shown),
            Action("media.scans", tr("Go to the list of scans"), view.list.table.setFocus, "list", ("Alt+5",), PAGE,
                   when=self.host.shown),
            Action("media.whole", tr("Show the whole picture"), view.aim.reset, "rotate-ccw", ("Alt+0",), PAGE,
                   when=self.host.shown),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.address

    def _go_to_places(self) -> None:
        self.view.found_tabs.setCurrentIndex(0)
        self.view.places.setFocus()

    def _go_to_detectors(self) -> None:
        self.view.found_tabs.setCurrentIndex(1)
        self.view.findings_table.setFocus()

    def _is_upload(self) -> bool:
        return self._scan is not None and not self._scan.media.url.startswith("http")

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("scan_id"):
            self.open_scan(arguments["scan_id"])

    def listeners(self) -> Mapping[str, Listener]:
        return {"scan": self._take_events}

    def _take_events(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    def open_scan(self, scan_id: str) -> None:
        """Show this scan."""
        if scan_id != self._wanted:
            self._wanted, self._place = scan_id, ""
            self.read_now()

    async def _page(self, cursor: str | None, limit: int) -> ScanPage:
        return await self.session.client.media_list(query=ScanListQuery(limit=limit, cursor=cursor))

    async def read(self) -> None:
        await self._list.read()
        wanted = self._wanted or next(iter(self._list.rows), "")
        if not wanted:
            self._scan = None
            return
        try:
            scan = await self.session.client.media_get(wanted)
        except ApiError as error:
            if error.code != "not_found":
                raise
            self._wanted, self._scan = "", None
            self.read_now()
            return
        if self._wanted in ("", wanted):
            self.take_scan(scan)

    def _grow(self) -> None:
        if self._list.can_grow and self.session.is_connected:
            self.host.spawn(self._read_on(), name="more scans")

    async def _read_on(self) -> None:
        if await self._list.grow():
            self._paint_rows()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._paint_rows()
        self._paint_scan()
        self._load_pictures()

    def _paint_rows(self) -> None:
        now = self.session.live.now()
        self.view.list.show_rows([_row(one, now) for one in self._list.rows.values()], self._wanted)

    def _paint_scan(self) -> None:
        """Show the scan as it is now: of one that runs the time goes on."""
        scan, view = self._scan, self.view
        if scan is None:
            view.show_scan(None)
            return
        elapsed = max(0.0, self.session.live.now() - parse_time(scan.created_at))
        if self._place not in (*(one.id for one in scan.regions), *(one.id for one in scan.faces)):
            self._place = next((one.id for one in strongest(scan.regions)), "")
        view.show_scan(scan_words(scan, elapsed, newest_model=self._newest_model[1]), self._place)
        view.stop.setVisible(scan.status not in OVER)
        view.again.setVisible(scan.status in OVER and not self._is_upload())

    def paint(self) -> None:
        super().paint()
        if self._scan is not None and self._scan.status not in OVER:
            self._paint_scan()

    def _choose_place(self, place: str) -> None:
        """A place was pointed at: it is marked everywhere, and its evidence stands in front."""
        self._place = place
        self.view.found_tabs.setCurrentIndex(0)
        self.view.show_chosen(place)

    def _load_pictures(self) -> None:
        """Read the pictures of what is shown, unless they are there."""
        scan = self._scan
        if scan is None:
            self._painted = ("", "", "")
            return
        wanted = (scan.scan_id, self.view.layer_id or FUSED, scan.status)
        if wanted != self._painted and (self.session.is_connected or scan.status != "COMPLETED"):
            self._painted = wanted
            if scan.status != "COMPLETED":
                self.view.show_pictures(ScanPictures(missing=_missing_words(scan)))
            else:
                if self.view.source.percent is None:
                    self.view.show_pictures(ScanPictures(missing=READING))
                self.host.spawn(self._read_pictures(scan, wanted), name="pictures of the scan")

    async def _read_pictures(self, scan: Scan, wanted: tuple[str, str, str]) -> None:
        try:
            found = await self._pictures.read(scan, wanted[1])
        except Exception:
            self._painted = ("", "", "")  # asked again at the next reading
            raise
        if wanted == self._painted:
            self.view.show_pictures(found)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self._scan_address(self.view.address.text().strip())

    def _again(self) -> None:
        if self._scan is not None:
            if "?" in self._scan.media.url:
                # The query is not kept: the operator must give the whole address again.
                self.view.address.setText(self._scan.media.url.partition("?")[0])
                self.view.address.setFocus()
                return
            self._scan_address(self._scan.media.url)

    def _scan_address(self, address: str) -> None:
        """Ask for a scan of what is there; it is shown as soon as the service has taken it."""
        self._asking = True

        def take(scan: Scan) -> None:
            self._asking = False
            self.view.address.clear()
            self.open_scan(scan.scan_id)

        def refuse(failure: Failure) -> None:
            self._asking = False
            self.host.show_failure(with_advice(failure))
            self.session.actions.refresh()

        operation: Operation[Scan] = Operation(
            lambda client, key: client.media_scan(RadarBody(media_target_url=address), idempotency_key=key),
            title=tr("Scan {name}", name=name_of(address)),
            changes=(KIND,),
            asks=True,
        )
        operation.success(take).failure(refuse).run(self.session, self.view)

    def _stop(self) -> None:
        if self._scan is not None:
            scan_id = self._scan.scan_id
            operation = Operation(
                lambda client, _key: client.media_stop(scan_id), title=tr("Stop the scan"), changes=(KIND,), asks=True
            )
            operation.success(lambda _done: None).failure(self.host.show_failure).run(self.session, self.view)

    # --- reports -----------------------------------------------------------------------------------------------------

    def _save_bundle(self) -> None:
        if (scan := self._scan) is not None:
            self._keeper.ask(
                tr("Save the signed bundle"),
                f"{scan.scan_id}.zip",
                lambda path: self._keeper.keep_made(
                    path, tr("The signed bundle"), lambda: self._bundle(scan), HOW_TO_VERIFY
                ),
            )

    def _save_paper(self) -> None:
        if (scan := self._scan) is not None:
            self._keeper.ask(tr("Save the report"), f"{scan.scan_id}.pdf", lambda path: self._keep_paper(path, scan))

    def _keep_paper(self, path: Path, scan: Scan) -> None:
        self._keeper.keep_made(path, tr("The report"), lambda: self._paper(scan), tr("Keep the signed bundle with it."))

    def _enforce(self) -> None:
        if self._scan is not None:
            self.session.navigate("enforcement", signature=self._scan.scan_id)

    async def _bundle(self, scan: Scan) -> bytes:
        return await self.session.client.media_bundle(scan.scan_id)

    async def _paper(self, scan: Scan) -> bytes:
        """The report on paper, of the bundle as the site signs it."""
        return await asyncio.to_thread(_paper_of, await self._bundle(scan))


def _paper_of(bundle: bytes) -> bytes:
    """The paper of a bundle, with its source and its heatmap. Raises BundleRefused and LayerRefused. Blocks."""
    # Imported here: what makes PDFs is needed for this alone.
    from app.console.pages.media.paper import read_bundle, scan_paper

    content = read_bundle(bundle)
    shown: dict[str, bytes] = {}
    if "preview" in content.layers:
        shown[tr("Source")] = content.layers["preview"]
        found = decode_layers(content.scan, content.layers, FUSED)
        if found.grey is not None and found.heat is not None:
            shown[tr("Heatmap over the source")] = _map_on_picture(found.grey, found.heat, found.cover)
    return scan_paper(content, shown, datetime.now(UTC))


def _map_on_picture(grey: QImage, heat: QImage, cover: Box) -> bytes:
    """The heatmap on the grey picture as a PNG."""
    made = grey.convertToFormat(QImage.Format.Format_RGB32)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setOpacity(0.8)
    left, top, width, height = cover
    wide, high = made.width(), made.height()
    painter.drawImage(QRectF(left * wide, top * high, width * wide, height * high), heat)
    painter.end()
    return png_bytes(made)


def _missing_words(scan: Scan) -> str:
    """Why a scan shows no picture."""
    if scan.status not in OVER:
        return tr("The picture stands here when it has been judged.")
    return tr("There is no picture, for the scan failed.") if scan.status == "FAILED" else tr("There is no picture.")


def _row(scan: ScanSummary, now: float) -> ScanRow:
    """A scan in the list."""
    state, word = row_words(scan)
    asked = parse_time(scan.created_at)
    worth = "–" if scan.far is None else percent_words(scan.far)
    place = tr("{url}\nasked for {time}", url=scan.url, time=date_time(asked))
    return ScanRow(scan.scan_id, name_of(scan.url), state, word, worth, moment(asked, now), place)
