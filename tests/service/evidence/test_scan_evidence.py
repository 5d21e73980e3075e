"""The bundle of a media scan: judged offline, by the command too, and refused when a byte of it is another."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from app.capabilities.media.bundles import REPORT, scan_bundle
from app.capabilities.media.messages import Scan, ScannedMedia
from app.capabilities.media.verdict.report import scan_report
from app.commands.verify import pinned_trust, run_verify
from app.evidence.checks import Findings, PinnedTrust
from app.evidence.judge import examine
from app.ledger.bundle import unpack, write_bundle
from resources import arc_verify
from tests.service.capabilities.provenance.sealed_knots import Issuer
from tests.unit.capabilities.media.verdict.judgements import copied, judgement, picture

ISSUER = Issuer.stranger()
TRUST = PinnedTrust(None, [ISSUER.root])


def scan() -> tuple[Scan, dict[str, bytes]]:
    """A finished scan with two regions, and its layers."""
    image = picture()
    report, layers = scan_report(judgement(copies=(copied(40),)), image, None, None)
    made = Scan(
        **{name: getattr(report, name) for name in report.__struct_fields__},
        scan_id="scan_00000000000000000001",
        status="COMPLETED",
        status_url="/v1/citadel/defense/radar/scan_00000000000000000001",
        continuous_feed_scan=False,
        media=ScannedMedia(
            url="https://media.example/a.jpg", sha256="5" * 64, width=image.rgb.shape[1], height=image.rgb.shape[0]
        ),
        created_at="2026-11-23T19:00:00.000000Z",
        training=True,
    )
    return made, layers


def bundle(change: Callable[[Scan], None] = lambda _: None) -> bytes:
    """The bundle, of a scan that was changed before the site signed it."""
    made, layers = scan()
    change(made)
    return scan_bundle(made, layers, ISSUER.receipts.sign_bundle)


def bad(findings: Findings) -> dict[str, str]:
    """Sentences of the checks that failed."""
    return {check.name: check.sentence for check in findings.checks if not check.good}


def test_a_signed_report_is_accepted(tmp_path: Path) -> None:
    """All its checks are there, and the command says the verdict and the file."""
    findings = examine(bundle(), TRUST)
    assert bad(findings) == {}
    assert [check.name for check in findings.checks] == [
        *("manifest", "signature", "content", "layers", "regions", "training")
    ]
    (tmp_path / "scan.zip").write_bytes(bundle())
    (tmp_path / "roots").write_bytes(ISSUER.root.public_bytes(Encoding.PEM))
    out = io.StringIO()
    assert run_verify(tmp_path / "scan.zip", pinned_trust(tmp_path), out, as_json=False) == 0
    assert "MANIPULATED" in out.getvalue()
    assert "5" * 64 in out.getvalue()


@pytest.mark.parametrize("name", [REPORT, "layers/fused.png", "manifest.json", "manifest.jws"])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.98])
def test_a_changed_byte_is_refused(name: str, part: float) -> None:
    """In the report, a picture, the manifest and its signature, at its begin, in the middle and at its end."""
    good = bundle()
    content = unpack(good)[name]
    place = good.index(content) + int(part * len(content))
    assert not examine(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :], TRUST).good


def test_a_report_that_was_packed_and_signed_by_another_is_refused() -> None:
    """A whole bundle under a root that is not pinned."""
    made, layers = scan()
    forged = scan_bundle(made, layers, Issuer.stranger().receipts.sign_bundle)
    assert bad(examine(forged, TRUST)).keys() == {"signature"}


def test_the_verifier_in_one_file_says_that_it_cannot_tell_the_signer() -> None:
    """No log binds the report, so that without certificates nothing is proven."""
    checks = arc_verify.Report()
    arc_verify.verify_bundle(bundle(), None, checks)
    assert {name for name, good, _ in checks.checks if not good} == {"signer"}


def _outside(made: Scan) -> None:
    made.media.width = 100


def _nameless(made: Scan) -> None:
    made.findings[0].region_ids = ["r9"]


def _other_size(made: Scan) -> None:
    assert made.heatmap is not None
    made.heatmap.width += 1


def _open(made: Scan) -> None:
    made.status = "RUNNING"


@pytest.mark.parametrize(
    ("change", "check"),
    [(_outside, "regions"), (_nameless, "regions"), (_other_size, "layers"), (_open, "content")],
)
def test_a_report_that_is_not_at_one_with_itself_is_refused(change: Callable[[Scan], None], check: str) -> None:
    """Even one that the site signed."""
    assert bad(examine(bundle(change), TRUST)).keys() == {check}


def test_a_picture_that_the_report_does_not_list_is_refused() -> None:
    """A file beside it that was signed with it."""
    made, layers = scan()
    parts = {"layers/fused.png": layers["fused"], "layers/reliability.png": layers["reliability"]}
    more = {REPORT: msgspec.json.encode(made), **parts, "layers/other.png": layers["fused"]}
    forged = write_bundle("media-scan", more, training=True, sign=ISSUER.receipts.sign_bundle)
    assert bad(examine(forged, TRUST)).keys() == {"layers"}


def test_a_report_says_nothing_beyond_its_members() -> None:
    """A member that is unknown is refused."""
    made, layers = scan()
    text = json.dumps({**json.loads(msgspec.json.encode(made)), "fake": 0.87}).encode()
    parts = {REPORT: text, "layers/fused.png": layers["fused"], "layers/reliability.png": layers["reliability"]}
    forged = write_bundle("media-scan", parts, training=True, sign=ISSUER.receipts.sign_bundle)
    assert bad(examine(forged, TRUST)).keys() == {"content"}
