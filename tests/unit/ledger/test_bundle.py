"""Bundles: their bytes follow from their files; everything else is refused."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.bundle import EvidenceBundleError, pack, proof_parts, read_bundle, unpack, write_bundle
from resources import arc_verify
from tests.unit.ledger.c2sp.note_strategies import cosigned

PARTS = {"seal.json": b"{}", "seal/7.leaf": b"leaf", "notes/a/b.txt": b""}


def sign(manifest: bytes) -> bytes:
    """A signature that can be told from any other manifest's."""
    return b"over " + manifest


def bundle() -> bytes:
    """A good one."""
    return write_bundle("knot-seal", PARTS, training=True, sign=sign)


def test_it_reads_back() -> None:
    """Kind, mark, parts, signature, the verifier and how to use it."""
    found = read_bundle(bundle())
    assert (found.manifest.kind, found.manifest.training) == ("knot-seal", True)
    assert {name: found.files[name] for name in PARTS} == PARTS
    assert found.signature == sign(found.files["manifest.json"])
    assert found.files["arc_verify.py"].startswith(b"#!/usr/bin/env python3")
    assert b"--policy policy" in found.files["HOW-TO-VERIFY.txt"]


def test_the_same_parts_are_the_same_bytes() -> None:
    """Whatever the clock says and in whatever order they come."""
    turned = dict(reversed(PARTS.items()))
    assert write_bundle("knot-seal", turned, training=True, sign=sign) == bundle()


def test_any_reader_of_zips_reads_it() -> None:
    """Python's own reader finds the same files, checksums included."""
    with zipfile.ZipFile(io.BytesIO(bundle())) as found:
        assert found.testzip() is None
        assert found.namelist() == sorted(found.namelist())
        assert {name: found.read(name) for name in PARTS} == PARTS


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../up", "a/../b", "a//b", ".hidden", "a/.b", "C:\\x", "", "a" * 65, "ä"]
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    """When it is written, and when a foreign zip holds it."""
    with pytest.raises(EvidenceBundleError, match="is no name"):
        write_bundle("knot-seal", {name: b""}, training=True, sign=sign)
    foreign = io.BytesIO()
    with zipfile.ZipFile(foreign, "w") as zipped:
        zipped.writestr(zipfile.ZipInfo(name or "/"), b"")
    for read in (unpack, arc_verify.unpack_zip):
        with pytest.raises((EvidenceBundleError, arc_verify.Bad)):
            read(foreign.getvalue())


@pytest.mark.parametrize("name", ["manifest.json", "manifest.jws", "arc_verify.py", "HOW-TO-VERIFY.txt"])
def test_a_part_cannot_take_the_place_of_the_bundles_own_file(name: str) -> None:
    """Those names are taken."""
    with pytest.raises(EvidenceBundleError, match="own files"):
        write_bundle("knot-seal", {name: b""}, training=True, sign=sign)


def test_what_another_program_packed_is_refused() -> None:
    """Compressed (a bomb is nothing else), commented, appended to, prepended to, twice the same name."""
    files = unpack(bundle())
    foreign = io.BytesIO()
    with zipfile.ZipFile(foreign, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in files.items():
            zipped.writestr(zipfile.ZipInfo(name), data)
    good = pack(files)
    double = good.replace(b"seal.json", b"seal/7.leaf"[:9])
    for bad in (foreign.getvalue(), good + b"x", b"x" + good, good[:-1], double, good[:-2] + b"\1\0c", b""):
        with pytest.raises(EvidenceBundleError):
            unpack(bad)


def test_too_many_files_are_refused() -> None:
    """The count is bounded, as is the size."""
    with pytest.raises(EvidenceBundleError, match="too large"):
        pack({f"f{number}": b"" for number in range(4_097)})


def edited(name: str, data: bytes | None) -> bytes:
    """The bundle packed again by our own packer, one file changed or gone."""
    files = {**unpack(bundle()), name: data}
    return pack({name: data for name, data in files.items() if data is not None})


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("seal.json", b"{} "),
        ("seal.json", None),
        ("arc_verify.py", b"print('VERIFIED')"),
        ("one-more.txt", b""),
        ("manifest.json", None),
        ("manifest.jws", None),
        ("manifest.txt", b""),
    ],
)
def test_a_changed_file_is_found(name: str, data: bytes | None) -> None:
    """Changed, gone or added: the manifest tells."""
    with pytest.raises(EvidenceBundleError, match=r"is not the file that was signed|has no manifest"):
        read_bundle(edited(name, data))
    with pytest.raises(arc_verify.Bad, match=r"is not the file that was signed|has no manifest"):
        arc_verify.manifest_of(unpack(edited(name, data)))


@pytest.mark.parametrize("change", [{"v": 2}, {"kind": "Knot"}, {"training": 1}, {"files": []}, {"more": 1}])
def test_a_manifest_of_another_form_is_refused(change: dict[str, object]) -> None:
    """Another version, kind, type, or a member more; and the same one in another text."""
    manifest = json.loads(unpack(bundle())["manifest.json"])
    for text in (json.dumps({**manifest, **change}), json.dumps(manifest)):
        with pytest.raises(EvidenceBundleError, match="another form"):
            read_bundle(edited("manifest.json", text.encode()))
        with pytest.raises(arc_verify.Bad):
            arc_verify.manifest_of(unpack(edited("manifest.json", text.encode())))


def test_the_parts_of_a_leaf_are_what_other_verifiers_take() -> None:
    """Leaf, proof, the checkpoint's text that the stamp is over, the token; without a proof the leaf alone."""
    note = cosigned({0: 1, 1: 1})
    proof = f"c2sp.org/tlog-proof@v1\nindex 4\n\n{note}".encode()
    assert proof_parts("seal", 4, b"leaf", proof, b"token") == {
        "seal/4.leaf": b"leaf",
        "seal/4.tlog-proof": proof,
        "seal/4.checkpoint": note.partition("\n\n")[0].encode() + b"\n",
        "seal/4.tst": b"token",
    }
    assert proof_parts("seal", 4, b"leaf", None, None) == {"seal/4.leaf": b"leaf"}


segment = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,12}", fullmatch=True)
names = st.lists(segment, min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(names, st.binary(max_size=200), min_size=1, max_size=8))
def test_files_survive(files: dict[str, bytes]) -> None:
    """Both packers make the same zip of any files, and both readers find them again."""
    data = pack(files)
    assert data == arc_verify.pack(files)
    assert unpack(data) == files == arc_verify.unpack_zip(data)[1]


GOOD = bundle()


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=4), st.booleans())
def test_no_edit_survives(at: int, patch: bytes, insert: bool) -> None:
    """Bytes put over or into a bundle anywhere: refused, or nothing was changed; never another error."""
    data = GOOD[:at] + patch + GOOD[at + (0 if insert else len(patch)) :]
    if data != GOOD:
        with pytest.raises(EvidenceBundleError):
            read_bundle(data)
        with pytest.raises(arc_verify.Bad):
            arc_verify.manifest_of(arc_verify.unpack_zip(data)[1])


@given(st.binary(max_size=400) | st.binary(max_size=400).map(b"PK\3\4".__add__))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    """Never an error of another kind, whatever comes."""
    with contextlib.suppress(EvidenceBundleError):
        read_bundle(data)
        raise AssertionError("a bundle by chance")
    with contextlib.suppress(arc_verify.Bad):
        arc_verify.unpack_zip(data)
        raise AssertionError("a bundle by chance")
