"""The media page's view of a scan: what is chosen in one place is chosen in all, in every state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.capabilities.media.messages import FaceMeasures, ScanFace, ScanRegion, TimelineEntry
from app.capabilities.media.verdict.layers import value_layer
from app.console import theme
from app.console.pages.media import MediaPresenter, make
from app.console.pages.media.pictures import ScanPictures, decode_layers
from app.console.pages.media.scan_list import ScanRow
from app.console.pages.media.scan_queue import QueueStage
from app.console.pages.media.words import scan_words
from app.console.session import WindowSession
from app.console.theme.heat import STOPS
from app.console.theme.tokens import DARK, LIGHT, Meaning
from tests.console.pages.conftest import on_screen
from tests.console.pages.media_scans import layers, manipulated, without_result
from tests.console.theme.test_tokens import contrast


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> MediaPresenter:
    """The page with the manipulated picture in front."""
    session.clearance = "citadel"
    presenter = make(session)
    on_screen(presenter, "media", session, qtbot)
    scan = manipulated()
    presenter.scan.view.show_scan(scan_words(scan), "r1")
    presenter.scan.view.show_pictures(decode_layers(scan, layers(), "fused"))
    return presenter


def test_a_click_on_a_place_gives_its_evidence(page: MediaPresenter, qtbot: Any) -> None:
    """In the heatmap: the list of places goes to it, both pictures mark it."""
    view = page.scan.view
    page.scan.take_scan(manipulated())
    frame = view.heat._frame()
    point = QPoint(int(frame.left() + 0.1 * frame.width()), int(frame.top() + 0.9 * frame.height()))
    qtbot.mouseClick(view.heat, Qt.MouseButton.LeftButton, pos=point)
    assert view.places.currentIndex().row() == 1
    assert "Seen by: Noise" in view.places.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.keyClick(view.heat, Qt.Key.Key_PageUp)
    assert view.places.currentIndex().row() == 0


def test_a_place_is_chosen_by_the_keyboard_alone(page: MediaPresenter, qtbot: Any) -> None:
    """Alt+L goes to the list, an arrow to the place."""
    view = page.scan.view
    page.scan.take_scan(manipulated())
    page.session.actions.trigger("media.places")
    qtbot.keyClick(view.places, Qt.Key.Key_Down)
    assert page.scan.place == "r2"


def test_every_detector_stands_with_its_answer(page: MediaPresenter) -> None:
    """FIRED, ERROR, QUIET and NOT_APPLICABLE in words, with the reason below."""
    view = page.scan.view
    assert [one.word for one in view.findings.rows] == ["Fired", "Error", "Quiet", "Not applicable"]
    assert view.found_tabs.tabText(1) == "Detectors (1 of 4)"
    view.findings_table.selectRow(3)
    assert "The picture is no JPEG." in view.finding_words.text()


def test_the_sign_is_hot_and_the_edge_was_not_judged(page: MediaPresenter) -> None:
    """At full opacity the place has the scale's upper colours; what was not judged is no heat at all."""
    view = page.scan.view
    view.opacity.setValue(100)
    view.heat.set_places((), "")
    image = view.heat.grab().toImage()
    frame = view.heat._frame()

    def at(x: float, y: float) -> QColor:
        return QColor(image.pixelColor(int(frame.left() + x * frame.width()), int(frame.top() + y * frame.height())))

    hot, cold, unjudged = at(0.66, 0.58), at(0.3, 0.58), at(0.31, 0.07)
    assert abs(hot.red() - QColor(STOPS[-2]).red()) < 20
    assert hot.red() > hot.blue() + 40
    assert cold.red() == cold.blue()
    assert unjudged != cold


def test_a_picture_stands_upright_with_all_that_lies_on_it(page: MediaPresenter) -> None:
    """Turned as EXIF says, the sign is as hot at its new place, and the places lie there too; the page says so."""
    view, scan = page.scan.view, manipulated()
    scan.media.orientation = 6
    view.show_scan(scan_words(scan), "r1")
    view.show_pictures(decode_layers(scan, layers(), "fused"))
    view.opacity.setValue(100)
    assert "96 x 144 pixels" in view.heat.accessibleDescription()
    frame = view.heat._frame()
    # The middle of the sign, (0.667, 0.583) as it is stored.
    point = QPointF(frame.left() + (1 - 0.583) * frame.width(), frame.top() + 0.667 * frame.height())
    assert view.heat.place_at(point) == "r1"
    view.heat.set_places((), "")
    hot = QColor(view.heat.grab().toImage().pixelColor(point.toPoint()))
    assert abs(hot.red() - QColor(STOPS[-2]).red()) < 20
    assert view.source_words.text() == "shown turned by 90 degrees to the right"
    assert "it was judged as it is stored" in view.trust_words.text()


def test_nothing_of_another_scan_stays(page: MediaPresenter) -> None:
    """Neither its picture below the name of the next one, nor its zoom and places where there is no scan any more."""
    view = page.scan.view
    view.show_scan(scan_words(manipulated(scan_id="scan_" + "3" * 20)), "r1")
    assert (view.source.percent, view.heat.percent) == (None, None)
    view.show_scan(None)
    assert (view.zoom.text(), view.source_words.text(), view.found_tabs.tabText(0)) == ("", "", "Places")
    assert view.places_stack.currentWidget() is view.no_places


def test_a_face_is_marked_and_told_apart_from_places(page: MediaPresenter, qtbot: Any) -> None:
    """It stands below the places with what sets it apart from its ring, and is chosen as they are."""
    measures = FaceMeasures(noise=2.06, sharpness=-0.5, ghost=None)
    scan = manipulated(faces=[ScanFace(id="f1", bbox=[72, 32, 48, 48], inside_vs_ring=measures)])
    scan.regions[0].face_id = "f1"
    page.scan.take_scan(scan)
    view = page.scan.view
    assert view.found_tabs.tabText(0) == "Places (2)"
    assert "It covers the face F1." in view.places.places[0].evidence
    face = view.places.places[2]
    assert face.title == "Face, right of the middle"
    assert face.evidence == (
        "Inside against around it, in deviations: noise +2.1, sharpness -0.5. It is covered by place 1."
    )
    assert "face F1, right of the middle" in view.source.accessibleDescription()
    qtbot.keyClick(view.heat, Qt.Key.Key_PageUp)
    assert page.scan.place == "f1"
    view.show_scan(scan_words(manipulated(regions=[], faces=scan.faces)), "")
    assert view.found_tabs.tabText(0) == "Faces (1)"


def test_the_rate_is_told_with_what_it_was_measured_on(page: MediaPresenter) -> None:
    """Point, interval, number of pictures and their kind."""
    view = page.scan.view
    assert view.rate.accessibleName() == "False-alarm rate: 4 %, between 3 % and 6 %"
    assert "1,200 untouched pictures" in view.rate_words.text()
    assert "jpeg high" in view.rate_words.text()
    assert view.trust_words.text() == "Model m1-abc."


def test_a_recording_shows_its_strip(page: MediaPresenter, qtbot: Any) -> None:
    """An arrow chooses what was found; its words stand below."""
    view = page.scan.view
    entry = TimelineEntry(t0=2.0, t1=4.0, kind="finding", explanation="A piece was put in.")
    view.show_scan(scan_words(manipulated(timeline=[entry])), "")
    qtbot.keyClick(view.strip, Qt.Key.Key_Right)
    assert view.span_words.text() == "0:02 to 0:04: A piece was put in."
    view.show_scan(scan_words(manipulated(scan_id="scan_" + "1" * 20)), "")
    assert view.strip.isHidden()


def test_a_scan_without_result_shows_why(page: MediaPresenter) -> None:
    """Nothing of the scan before it stays: no place, no rate, no report to save."""
    view = page.scan.view
    view.show_scan(scan_words(without_result(scan_id="scan_" + "2" * 20), 3.0))
    view.show_pictures(ScanPictures(missing="It stands here when it has been judged."))
    assert (view.hero.state, view.hero.words[0]) == (Meaning.WORK, "Scanning")
    assert view.places_stack.currentWidget() is view.no_places
    assert view.rate.accessibleName().endswith("no rate is known")
    assert view.source.accessibleDescription() == "It stands here when it has been judged."
    assert not view.layer.isEnabled()


def test_a_scan_that_is_over_waits_for_its_picture(page: MediaPresenter, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was judged: what is still to come is the picture."""
    monkeypatch.setattr(type(page.session), "is_connected", True)
    monkeypatch.setattr(page.scan, "host", replace(page.scan.host, spawn=lambda work, **_: work.close()))
    tab = page.scan
    tab.take_scan(without_result(scan_id="scan_" + "4" * 20))
    tab.paint_all()
    assert tab.view.source.accessibleDescription() == "The picture stands here when it has been judged."
    tab.take_scan(manipulated(scan_id="scan_" + "4" * 20))
    tab.paint_all()
    assert tab.view.source.accessibleDescription() == "The picture stands here once it is read."


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda one: one.name)
def test_numbers_on_places_are_read_in_both_themes(
    page: MediaPresenter, application: QApplication, tokens: theme.ThemeTokens
) -> None:
    """The chosen one in the theme's accent, the others on dark: both by far above 4.5."""
    theme.apply(application, tokens)
    image = page.scan.view.source.grab().toImage()
    seen = {QColor(image.pixel(x, y)).name() for x in range(image.width()) for y in range(image.height())}
    assert {tokens.accent.lower(), DARK.bg.lower()} <= seen
    assert contrast(tokens.accent, tokens.on_fill) > 4.5
    assert contrast(DARK.bg, DARK.text) > 4.5


def test_larger_text_makes_larger_parts(page: MediaPresenter, application: QApplication) -> None:
    """Lengths follow the scale while the page is open."""
    before = page.scan.view.opacity.width()
    theme.apply(application, DARK, scale=1.25)
    assert page.scan.view.opacity.width() == round(before * 1.25)
    theme.apply(application, DARK)


def test_the_last_scans_stand_beside_the_scan(page: MediaPresenter, application: QApplication) -> None:
    """As high as the page, by Alt+5; the row under the cursor stays under it in a smaller window."""
    view = page.scan.view
    rows = [ScanRow(f"s{at}", f"picture-{at}.png", Meaning.IDLE, "Nothing found", "–", "10:00", "") for at in range(9)]
    page.view.resize(1724, 980)
    view.list.show_rows(rows, "s4")
    application.processEvents()
    assert view.third.beside
    assert view.list.height() > 700
    assert page.session.actions.trigger("media.scans")
    assert view.focusWidget() is view.list.table
    page.view.resize(1284, 820)
    application.processEvents()
    assert (view.third.beside, view.list.height()) == (False, 244)
    assert view.focusWidget() is view.list.table
    assert view.list.table.currentIndex().row() == 4


def many_places(count: int) -> list[ScanRegion]:
    """Places of falling score, behind the one that chance explains least."""
    first = manipulated().regions[:1]
    return first + [
        ScanRegion(
            id=f"r{at}", kind="anomaly", bbox=[at * 6, 8, 8, 8], polygon=[[at * 6, 8], [at * 6 + 8, 8], [at * 6, 16]],
            area=64, score=0.9 - at / 100, detectors=["noise"],
        )
        for at in range(2, count + 1)
    ]  # fmt: skip


def test_the_strongest_places_alone_are_numbered(page: MediaPresenter, qtbot: Any) -> None:
    """Of many the numbers would hide the picture: the rest has an outline, and a button that lists it, too."""
    view = page.scan.view
    page.scan.take_scan(manipulated(regions=many_places(9)))
    assert [one.mark.tag for one in view.places.places] == ["1", "2", "3", "4", "5", "6"]
    assert [one.tag for one in view.source._places] == ["1", "2", "3", "4", "5", "6", "", "", ""]
    assert list(view.source._tags()) == ["r1", "r2", "r3", "r4", "r5", "r6"]
    assert view.weaker.text() == "Show 3 weaker places"
    qtbot.mouseClick(view.weaker, Qt.MouseButton.LeftButton)
    assert len(view.places.places) == 9
    assert all(one.tag for one in view.source._places)
    page.scan._choose_place("r9")
    qtbot.mouseClick(view.weaker, Qt.MouseButton.LeftButton)
    assert (page.scan.place, len(view.places.places)) == ("r1", 6)


def test_a_weaker_place_that_is_pointed_at_is_listed(page: MediaPresenter) -> None:
    """Its evidence stands in front, as that of every other."""
    page.scan.take_scan(manipulated(regions=many_places(9)))
    page.scan._choose_place("r8")
    view = page.scan.view
    assert view.places.currentIndex().row() == 7
    assert not view.weaker.isHidden()


def test_weaker_places_have_a_key(page: MediaPresenter) -> None:
    """Where there are any."""
    page.scan.take_scan(manipulated())
    assert not page.session.actions.trigger("media.weaker")
    page.scan.take_scan(manipulated(scan_id="scan_" + "5" * 20, regions=many_places(9)))
    assert page.session.actions.trigger("media.weaker")
    assert len(page.scan.view.places.places) == 9


def test_few_places_have_no_weaker_ones(page: MediaPresenter) -> None:
    """All are numbered."""
    page.scan.take_scan(manipulated())
    assert page.scan.view.weaker.isHidden()
    assert [one.tag for one in page.scan.view.source._places] == ["1", "2"]


def test_what_was_not_found_is_told_below_the_places(page: MediaPresenter) -> None:
    """And what could not be looked for, and how much of the picture was judged."""
    assert page.scan.view.looked.text().splitlines() == [
        "Not found: noise.",
        "Could not look: double quantization, faces. 83 % of the area was judged.",
    ]


def test_only_what_a_file_tells_has_a_line(page: MediaPresenter) -> None:
    """Dashes would say nothing; before a scan a sentence says what stands there."""
    view = page.scan.view
    shown = [key for key, value in view.origin.values.items() if not value.isHidden()]
    assert shown == ["c2pa", "maker", "software", "thumbnail", "tables", "sha256", "url"]
    assert view.no_origin.isHidden()
    view.show_scan(None)
    assert not view.no_origin.isHidden()
    assert all(value.isHidden() for value in view.origin.values.values())


def test_the_address_stands_beside_the_tabs(page: MediaPresenter, application: QApplication) -> None:
    """Of the scan alone: other tabs have fields of their own. It leaves the tabs their room."""
    ask = page.scan.view.ask
    application.processEvents()
    bar = page.view.tabs.tabBar()
    assert bar.mapTo(page.view, bar.rect().topRight()).x() < ask.mapTo(page.view, QPoint(0, 0)).x()
    assert ask.isVisible()
    page.show_section("feeds")
    assert not ask.isVisible()
    page.show_section("scan")
    assert ask.isVisible()


def test_the_chosen_map_is_named_beside_the_picture(page: MediaPresenter) -> None:
    """By its own name, not by that of another one."""
    view = page.scan.view
    noise, _ = value_layer("noise", np.zeros((12, 18), np.float32), np.ones((12, 18), bool))
    scan = scan_words(manipulated(layers=[noise]))
    view.show_scan(scan, "")
    named = {}
    for at in range(view.layer.count()):
        view.layer.setCurrentIndex(at)
        view._tell_zoom()
        named[view.layer_id] = view.layer_words.text()
    assert named == {one.id: one.note for one in scan.layers}
    assert len(set(named.values())) == 2


def test_cancel_ends_the_marked_entry_alone(page: MediaPresenter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else of the batch is given up."""
    monkeypatch.setattr(page.batch._runner, "work", lambda: None)
    added, _ = page.batch._runner.add([f"https://media.example/{name}.png" for name in "abc"])
    page.batch.paint_all()
    page.batch.view.table.selectRow(1)
    page.batch._cancel()
    assert [one.stage for one in added] == [QueueStage.WAITS, QueueStage.CANCELLED, QueueStage.WAITS]
