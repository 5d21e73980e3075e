"""The stylized tab of the Verify page against a real training service, with templates in files."""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console.file_dialog import FileDialog
from app.console.pages import verify
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.pages.verify.stylized import StylizedTab
from app.console.pages.verify.template_file import (
    FEATURE_BYTES,
    SIZES,
    TEMPLATE_BYTES,
    BadTemplate,
    Template,
    kind_of,
    read_template,
)
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.console.wiped_body import WipedBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

NODE = "ARC-T0044"
RANDOM = np.random.default_rng(44)
CENTRE = RANDOM.standard_normal(512)


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(verify, session)
    on_screen(presenter, "verify", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(page: VerifyPresenter, connect: Connect) -> AsyncIterator[StylizedTab]:
    """The tab after its first reading, with the person who is enrolled chosen."""
    tab = page.tabs["stylized"]
    assert isinstance(tab, StylizedTab)
    async with connect(page):
        page.enter({"section": "stylized"})
        await until(tab.view.registry.count, "the registries")
        tab.view.person.choose(Choice(NODE, "Training Person 44", NODE))
        yield tab


def of(path: Path, centre: Any) -> Path:
    """A file with the template of another shot of the same, cosine about 0.9."""
    shot = centre + 0.4 * RANDOM.standard_normal(512)
    path.write_bytes(np.clip(np.rint(shot * 724.0773 / np.linalg.norm(shot)), -127, 127).astype(np.int8).tobytes())
    return path


async def compared(tab: StylizedTab, path: Path) -> str:
    """The verdict on a file, by the keys of the page."""
    tab.view.verdict.set(Meaning.IDLE, "")
    tab.take_template([path])
    await until(lambda: tab._template is not None, "the template")
    assert tab.session.actions.trigger("verify.stylized_compare")
    await until(lambda: tab.view.verdict.word, "the verdict")
    assert tab._template is None
    return tab.view.verdict.word


def test_a_person_is_enrolled_matched_and_erased(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three files enrol; another shot matches with all that 4.8 says, a stranger's does not, and after the erasure
    nobody does. What was read, and its base64, is overwritten once it was sent."""
    calls: list[WipedBody] = []

    def kept(parts: Any) -> WipedBody:
        calls.append(WipedBody(parts))
        return calls[-1]

    monkeypatch.setattr("app.console.pages.verify.stylized.WipedBody", kept)

    async def work() -> None:
        async with opened(page, connect) as tab:
            view, actions = tab.view, tab.session.actions
            tab.take_samples([of(tmp_path / f"shot-{at}.bin", CENTRE) for at in range(3)])
            await until(lambda: len(tab._samples) == 3, "the samples")
            assert actions.trigger("verify.stylized_enrol")
            await until(lambda: view.enrolled.values["samples"].text() == "3", "the enrolment")
            assert [row.word for row in view.rows.rows] == ["Enrolled"] * 3
            assert not any(any(row.template.data) for row in tab._samples)
            assert not actions.is_enabled("verify.stylized_enrol")

            assert await compared(tab, of(tmp_path / "again.bin", CENTRE)) == "Match"
            assert float(view.facts.values["confidence"].text()) > 0.9
            assert view.facts.values["standing"].text() == "Unverified"
            assert not actions.is_enabled("verify.stylized_seal")
            assert await compared(tab, of(tmp_path / "other.bin", RANDOM.standard_normal(512))) == "No match"
            assert view.facts.values["confidence"].text() == "0.0000"

            assert actions.trigger("verify.stylized_erase")
            dialogs = view.window().findChildren(ConfirmDialog)
            QTest.keyClick(dialogs[-1].do, Qt.Key.Key_Space)
            await until(lambda: "erased" in view.enrolled.values["samples"].text(), "the erasure")
            assert await compared(tab, of(tmp_path / "gone.bin", CENTRE)) == "No match"
            texts = [raw for sent in calls for raw in sent.raws]
            assert len(texts) == 3 + 3
            await until(lambda: not any(any(bytes(raw)) for raw in texts), "zeros")

    run(work())


def test_files_are_refused_in_words(page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Another size, features that only an enrolment takes, a sample too many: each says what would be right, and
    nothing is asked of the service."""

    def words(said: str) -> bool:
        return said in page.view.banner.text

    async def work() -> None:
        async with opened(page, connect) as tab:
            features = tmp_path / "features.bin"
            features.write_bytes(struct.pack("<512f", *CENTRE))
            short = tmp_path / "short.bin"
            short.write_bytes(bytes(100))
            for path, said in ((short, SIZES), (features, "can be enrolled"), (tmp_path / "none", "cannot be read")):
                tab.take_template([path])
                await until(partial(words, said), said)
                assert not tab.session.actions.is_enabled("verify.stylized_compare")
            tab.take_samples([features] * 27)
            await until(partial(words, "2 files were left out"), "what was left out")
            assert [row.template.kind for row in tab._samples] == ["f32x512"] * 25
            held = [row.template for row in tab._samples]
            page.show_section("palm")
            await until(lambda: not tab._samples, "nothing is kept")
            assert not any(any(one.data) for one in held)

    run(work())


def test_samples_are_of_the_person_they_were_read_for(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else is chosen: those that are there and the one that is still read are zeros, and of nobody."""
    go, read = threading.Event(), list[Template]()

    def slow(path: Path) -> Template:
        read.append(read_template(path))
        if path.name == "late.bin":
            go.wait()
        return read[-1]

    monkeypatch.setattr("app.console.pages.verify.stylized.read_template", slow)

    async def work() -> None:
        async with opened(page, connect) as tab:
            tab.take_samples([of(tmp_path / f"{name}.bin", CENTRE) for name in ("first", "late")])
            await until(lambda: len(tab._samples) == 1 and len(read) == 2, "the first of them")
            tab.view.person.choose(Choice("ARC-T0043", "Training Person 43"))
            assert not tab._samples
            go.set()
            await until(lambda: not any(any(one.data) for one in read), "zeros")
            assert not tab._samples
            tab.view.person.choose(None)
            assert not tab.session.actions.is_enabled("verify.stylized_samples")

    run(work())


def test_a_file_is_chosen_by_keys(page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """The action opens a dialog, which takes a typed path."""

    async def work() -> None:
        async with opened(page, connect) as tab:
            path = of(tmp_path / "typed.bin", CENTRE)
            assert tab.session.actions.trigger("verify.stylized_file")
            (dialog,) = tab.view.findChildren(FileDialog)
            dialog.select_file(str(path))
            QTest.keyClick(dialog.name, Qt.Key.Key_Return)
            await until(lambda: "typed.bin" in tab.view.file.text(), "the file")

    run(work())


@given(st.binary(min_size=1, max_size=16), st.sampled_from([0, 1, 511, 512, 513, 2047, 2048, 2049]))
@example(b"\0", 512)
@example(b"\0\0\0\x80", 2048)
@example(struct.pack("<f", float("nan")), 2048)
def test_whatever_a_file_holds_has_a_kind_or_a_sentence(pattern: bytes, size: int) -> None:
    """By its size alone, if its values have a direction: finite, and not all zero."""
    data = (pattern * size)[:size]
    kinds = {TEMPLATE_BYTES: ("i8x512", "512b"), FEATURE_BYTES: ("f32x512", "<512f")}
    kind, form = kinds.get(size, ("", f"{size}x"))
    values = struct.unpack(form, data)
    good = any(values) and all(-math.inf < value < math.inf for value in values)
    if good:
        assert kind_of(data) == kind
    else:
        with pytest.raises(BadTemplate, match=r"\.$"):
            kind_of(data)
