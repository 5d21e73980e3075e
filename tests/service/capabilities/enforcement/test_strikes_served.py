"""The chain for real: a served strike, its PDF under pdfsig, its bundle under ``arc-console verify`` and the standalone
verifier, and what one flipped byte does to them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from app.evidence.checks import EvidenceError, Findings, PinnedTrust
from app.evidence.judge import examine
from app.evidence.strikes import examine_strike
from app.ledger.bundle import EvidenceBundle, EvidenceBundleError, read_bundle, unpack
from app.ledger.c2sp.policy import parse_policy
from app.pki.authority import make_root
from tests.nss_database import NssDatabase
from tests.served_site import ServedSite
from tests.service.capabilities.enforcement.strike_site import NODE, WHOLE

PATH = "/v1/citadel/action/strike"
ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A running training site with a platform, a node and its mandate."""
    site = ServedSite.laid_out(tmp_path_factory.mktemp("served") / "site")
    with site.running():
        body = {"display_name": "Training video", "channel": "form", "address": "https://video.example/report"}
        assert site.put("/v1/registry/platforms/video", body).status_code == 201
        assert site.put(f"/v1/registry/nodes/{NODE}", {"display_name": "Training Person One"}).status_code == 201
        yield site


@pytest.fixture(scope="module")
def sealed(served: ServedSite) -> dict[str, Any]:
    """A knot seal of the node whose consent names the mandate."""
    consent = {
        "purpose": ["enforcement.mandate"],
        "controller": "TRAINING site",
        "scope": ["likeness"],
        "given_at": "2026-11-25T00:00:00Z",
    }
    answer = served.post("/v1/citadel/provenance/knot-seal", {"node_id": NODE, "consent": consent})
    assert answer.status_code in (200, 202), answer.text
    knot_id = answer.json()["knot_id"]

    def done() -> Any:
        found = served.get(f"/v1/citadel/provenance/knot-seal/{knot_id}")
        return found if found["consensus_seal"] else None

    found: dict[str, Any] = served.wait(done)
    return found


@pytest.fixture(scope="module")
def struck(served: ServedSite, sealed: dict[str, Any]) -> dict[str, Any]:
    """A whole strike over that seal."""
    body = {
        "target_compromise_signature": sealed["consensus_seal"],
        "enforcement_jurisdiction": "DE",
        "automated_dmca_dispatch": True,
        "node_id": NODE,
        "platforms": ["video"],
        **WHOLE,
    }
    answer = served.post(PATH, body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture(scope="module")
def trust(served: ServedSite) -> PinnedTrust:
    """What an auditor pins: the site's own policy and root, as it gives them."""

    def made() -> Any:
        answer = served.client.get("/v1/log/policy")
        return answer.content if answer.status_code == 200 else None

    roots = x509.load_pem_x509_certificates(served.client.get("/v1/log/roots").content)
    return PinnedTrust(parse_policy(served.wait(made)), roots)


@pytest.fixture(scope="module")
def bundle(served: ServedSite, struck: dict[str, Any]) -> bytes:
    """The strike's bundle, once its entries are proven."""

    def ready() -> Any:
        answer = served.client.get(f"{PATH}/{struck['tracking_token']}/bundle")
        return answer.content if answer.status_code == 200 else None

    found: bytes = served.wait(ready)
    return found


@pytest.fixture(scope="module")
def pdf(served: ServedSite, struck: dict[str, Any]) -> bytes:
    """The declaration as it is downloaded."""
    answer = served.client.get(struck["declaration"]["pdf_url"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    return answer.content


def test_the_three_fields_of_the_specification_suffice(served: ServedSite) -> None:
    """201, then 200 with the same; a GET by the token gives it again."""
    body = {
        "target_compromise_signature": "0x" + "ab" * 32,
        "enforcement_jurisdiction": "US",
        "automated_dmca_dispatch": True,
    }
    answer = served.post(PATH, body)
    assert answer.status_code == 201, answer.text
    found = answer.json()
    assert found["state"] == "AWAITING_DETAILS"
    assert found["missing"]
    again = served.post(PATH, body)
    assert (again.status_code, again.json()) == (200, found)
    assert served.get(f"{PATH}/{found['tracking_token']}") == found
    answers = served.get("/v1/openapi.json")["paths"][PATH]["post"]["responses"]
    assert {code for code in answers if code.startswith("2")} == {"200", "201"}


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"enforcement_jurisdiction": "XX"}, "/enforcement_jurisdiction"),
        ({"enforcement_jurisdiction": "US-NO-FAKES"}, "/enforcement_jurisdiction"),
        ({"platforms": ["unknown"]}, "/platforms/0"),
        ({"content_urls": ["ftp://video.example/"]}, "/content_urls/0"),
        ({"content_urls": ["https://user:pass@video.example/"]}, "/content_urls/0"),
        ({"declarant": {"name": "A\r\nBcc: x@y.invalid", "capacity": "agent"}}, "/declarant/name"),
        ({"declarant": {"name": "A \u202eB", "capacity": "agent"}}, "/declarant/name"),
        ({"statement": "too short"}, "/statement"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(served: ServedSite, changes: dict[str, Any], pointer: str) -> None:
    """422."""
    body = {
        "target_compromise_signature": "case 9",
        "enforcement_jurisdiction": "US",
        "automated_dmca_dispatch": False,
    }
    answer = served.post(PATH, {**body, **changes})
    assert answer.status_code == 422, answer.text
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


def test_every_field_that_cannot_be_is_named_at_once(served: ServedSite) -> None:
    """Wrong, missing and unknown ones, in one answer."""
    body = {
        "target_compromise_signature": "",
        "enforcement_jurisdiction": "EU",
        "content_urls": ["https://video.example/ok", "ftp://video.example/", "https://one@video.example/"],
        "statement": "too short",
        "declarant": {"name": "T", "email": "no address"},
        "work": {"title": "A training recording", "owner": ""},
        "more": 1,
    }
    for method, path in (("POST", PATH), ("POST", f"{PATH}/preview")):
        answer = served.client.request(method, path, json=body)
        assert answer.status_code == 422
        assert [one["pointer"] for one in answer.json()["errors"]] == [
            "/target_compromise_signature",
            "/automated_dmca_dispatch",
            "/content_urls/1",
            "/content_urls/2",
            "/statement",
            "/declarant/name",
            "/declarant/capacity",
            "/declarant/email",
            "/work/owner",
            "/more",
        ]


def test_a_statement_may_have_several_lines(served: ServedSite) -> None:
    """It is text for people; its lines stay."""
    body = {
        "target_compromise_signature": "case 10",
        "enforcement_jurisdiction": "US",
        "automated_dmca_dispatch": False,
        "statement": "First line of the statement,\nand a second one.",
    }
    assert served.post(PATH, body).json()["statement"] == body["statement"]


def test_a_patch_supplies_over_the_wire(served: ServedSite) -> None:
    """The same token, a new revision."""
    body = {
        "target_compromise_signature": "case 11",
        "enforcement_jurisdiction": "GB",
        "automated_dmca_dispatch": False,
        "platforms": ["video"],
    }
    token = served.post(PATH, body).json()["tracking_token"]
    answer = served.client.patch(f"{PATH}/{token}", json=WHOLE)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["state"], answer.json()["declaration"]["revision"]) == ("ISSUED", 2)
    answer = served.post(f"{PATH}/{token}/withdraw", {"reason": "a mistake of ours"})
    assert answer.json()["state"] == "WITHDRAWN"


def test_the_seal_and_the_mandate_are_named(struck: dict[str, Any], sealed: dict[str, Any]) -> None:
    """What the signature names is found here, and the consent authorizes."""
    assert struck["evidence"]["kind"] == "seal"
    assert struck["evidence"]["known"] is True
    assert sealed["knot_id"] in struck["evidence"]["title"]
    assert struck["evidence"]["proofs"] == [f"evidence/{sealed['knot_id']}.zip"]
    assert struck["mandate"] == sealed["knot_id"]


def test_pdfsig_trusts_the_declaration(pdf: bytes, trust: PinnedTrust, tmp_path: Path) -> None:
    """Valid, trusted under the site's root, the whole document signed."""
    found = NssDatabase(tmp_path, trust.roots[0].public_bytes(Encoding.PEM)).pdfsig(pdf)
    assert "Signature is Valid." in found
    assert "Certificate is Trusted." in found
    assert "Total document signed" in found


def test_the_declaration_says_what_it_must(pdf: bytes, struck: dict[str, Any], tmp_path: Path) -> None:
    """As poppler reads it."""
    (tmp_path / "a.pdf").write_bytes(pdf)
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True)
    said = text.stdout
    for words in (
        "TRAINING",
        struck["tracking_token"],
        struck["law"]["sha256"],
        "https://video.example/v/88121",
        "Training Person One",
        struck["mandate"],
        "member state DE",
    ):
        assert words in said


def test_verify_finds_everything_good(bundle: bytes, pdf: bytes, trust: PinnedTrust) -> None:
    """Bundle, declaration, and each notice by itself."""
    findings = examine(bundle, trust)
    assert findings.good, [one for one in findings.checks if not one.good]
    names = {one.name for one in findings.checks}
    assert {
        "manifest",
        "signature",
        "declaration",
        "notice 1",
        "notice 2",
        "statement",
        "law",
        "parts",
        "training",
    } <= names
    assert examine(pdf, trust).good
    files = unpack(bundle)
    assert files["declaration.pdf"] == pdf
    for name in ("notices/1.jws", "notices/2.jws"):
        judged = examine(files[name], trust)
        assert (judged.kind, judged.good) == ("notice", True)
    evidence = [data for name, data in files.items() if name.startswith("evidence/")]
    assert [examine(data, trust).good for data in evidence] == [True]


def test_the_command_verifies_against_the_site(bundle: bytes, pdf: bytes, served: ServedSite, tmp_path: Path) -> None:
    """``arc-console verify``: exit code 0, and 1 for a flipped byte."""
    flipped = bytearray(pdf)
    flipped[len(pdf) // 2] ^= 1
    for name, data, code in (("b.zip", bundle, 0), ("d.pdf", pdf, 0), ("e.pdf", bytes(flipped), 1)):
        (tmp_path / name).write_bytes(data)
        command = [sys.executable, "-m", "app", "verify", str(tmp_path / name), "--data-dir", str(served.data_dir)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == code, done.stdout + done.stderr


def test_the_standalone_verifier_finds_it_good(bundle: bytes, served: ServedSite, tmp_path: Path) -> None:
    """The one that is in the bundle, with the policy alone; an edited bundle is not verified."""
    files = unpack(bundle)
    (tmp_path / "arc_verify.py").write_bytes(files["arc_verify.py"])
    (tmp_path / "policy").write_bytes(served.client.get("/v1/log/policy").content)
    edited = bytearray(bundle)
    edited[bundle.index(b"%PDF-") + 2_000] ^= 1
    for name, data, code in (("good.zip", bundle, 0), ("bad.zip", bytes(edited), 1)):
        (tmp_path / name).write_bytes(data)
        command = [sys.executable, str(tmp_path / "arc_verify.py"), name, "--policy", "policy"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == code, done.stdout + done.stderr


def judged(found: EvidenceBundle, files: dict[str, bytes], trust: PinnedTrust) -> set[str]:
    """Names of the checks that refuse these files; whoever could sign the manifest anew is assumed."""
    findings = Findings("bundle")
    examine_strike(findings, trust, EvidenceBundle(found.manifest, files))
    return {one.name for one in findings.checks if not one.good}


def said(files: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """``strike.json`` with other members."""
    proof = {**json.loads(files["strike.json"]), **changes}
    return {**files, "strike.json": json.dumps(proof).encode()}


def changed_notice(files: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """``strike.json`` with another first notice."""
    first, *others = json.loads(files["strike.json"])["notices"]
    return said(files, notices=[{**first, **changes}, *others])


EDITS: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], set[str]]] = {
    "nothing": (lambda f: f, set()),
    "no strike": (lambda f: {n: d for n, d in f.items() if n != "strike.json"}, {"shape"}),
    "no declaration": (lambda f: {n: d for n, d in f.items() if n != "declaration.pdf"}, {"shape"}),
    "no notice": (lambda f: {n: d for n, d in f.items() if n != "notices/2.json"}, {"shape"}),
    "no leaves": (lambda f: said(f, leaves=[]), {"shape"}),
    "more is said": (lambda f: said(f, verdict="guilty"), {"shape"}),
    "a number twice": (lambda f: changed_notice(f, number=2), {"shape"}),
    "another strike": (lambda f: said(f, strike_id="str_1"), {"notice 1", "notice 2", "statement"}),
    "another token": (lambda f: said(f, tracking_token="ARC-ST-X"), {"notice 1", "notice 2"}),
    "another law": (lambda f: said(f, law="US"), {"notice 1", "notice 2", "statement"}),
    "another law file": (lambda f: said(f, law_sha256="ab" * 32), {"notice 1", "notice 2", "statement", "law"}),
    "another revision": (lambda f: said(f, revision=2), {"notice 1", "notice 2", "statement"}),
    "another digest": (lambda f: said(f, declaration_sha256="ab" * 32), {"notice 1", "notice 2", "statement"}),
    "real": (lambda f: said(f, training=False), {"notice 1", "notice 2", "statement", "training"}),
    "another log": (lambda f: said(f, log_origin="other"), {"quorum 1", "training"}),
    "another state": (lambda f: changed_notice(f, state="actioned"), {"statement"}),
    "another platform": (lambda f: changed_notice(f, platform="audio"), {"notice 1", "statement"}),
    "another kind": (lambda f: changed_notice(f, kind="takedown"), {"notice 1", "statement"}),
    "another notice": (lambda f: changed_notice(f, notice_id="ntc_1"), {"notice 1", "statement"}),
    "another notice's digest": (lambda f: changed_notice(f, sha256="ab" * 32), {"notice 1", "statement"}),
    "notices exchanged": (lambda f: {**f, "notices/1.json": f["notices/2.json"]}, {"notice 1"}),
    "signatures exchanged": (lambda f: {**f, "notices/1.jws": f["notices/2.jws"]}, {"notice 1"}),
    "a law text": (lambda f: {**f, "law/takedown.en.txt": b"pay"}, {"statement", "law"}),
    "one more law text": (lambda f: {**f, "law/takedown.fr.txt": b"payez"}, {"statement", "law"}),
    "no evidence": (lambda f: {n: d for n, d in f.items() if not n.startswith("evidence/")}, {"statement"}),
    "one more evidence": (lambda f: {**f, "evidence/more.zip": b"x"}, {"statement"}),
    "one more file": (lambda f: {**f, "letter.txt": b"x"}, {"parts"}),
    "one more notice": (lambda f: {**f, "notices/3.json": b"{}"}, {"parts"}),
    "no proof": (lambda f: {n: d for n, d in f.items() if not n.endswith(".tst")}, {"parts"}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_bundle_is_refused_by_the_right_check(bundle: bytes, trust: PinnedTrust, edit: str) -> None:
    """Even where the manifest is signed anew."""
    found = read_bundle(bundle)
    change, names = EDITS[edit]
    assert judged(found, change(dict(found.files)), trust) == names


def test_a_bundle_of_training_proves_nothing_to_production(bundle: bytes, trust: PinnedTrust) -> None:
    """Where a root of production is pinned, too."""
    key = ec.generate_private_key(ec.SECP256R1())
    real = make_root(key, training=False, site="site.invalid", now=datetime.now(UTC))
    found = read_bundle(bundle)
    assert judged(found, dict(found.files), PinnedTrust(None, [*trust.roots, real])) >= {"training"}


def test_history_is_part_of_the_bundle(served: ServedSite, trust: PinnedTrust) -> None:
    """Revisions, platforms that were taken out, what was sent, and a withdrawal: all of it is judged."""
    place = {"display_name": "Training audio", "channel": "form", "address": "https://audio.example/report"}
    served.put("/v1/registry/platforms/audio", place)
    body = {
        "target_compromise_signature": "case 12",
        "enforcement_jurisdiction": "GB",
        "automated_dmca_dispatch": False,
        "platforms": ["audio"],
    }
    token = served.post(PATH, body).json()["tracking_token"]
    found = served.client.patch(f"{PATH}/{token}", json={**WHOLE, "platforms": ["video"]}).json()
    sent = next(one for one in found["notices"] if one["state"] == "operator_action")
    answer = served.post(f"/v1/deliveries/{sent['notice_id']}/outcome", {"state": "sent", "reference": "CASE-1"})
    assert answer.status_code == 200, answer.text
    served.post(f"{PATH}/{token}/withdraw", {"reason": "a mistake of ours"})

    def ready() -> Any:
        answer = served.client.get(f"{PATH}/{token}/bundle")
        return answer.content if answer.status_code == 200 else None

    data = served.wait(ready)
    findings = examine(data, trust)
    assert findings.good, [one for one in findings.checks if not one.good]
    proof = json.loads(unpack(data)["strike.json"])
    assert [(one["platform"], one["state"]) for one in proof["notices"]] == [("video", "sent"), ("video", "withdrawn")]
    assert len(proof["leaves"]) > 4


def test_what_was_supplied_after_the_declaration_left_is_part_of_the_bundle(
    served: ServedSite, trust: PinnedTrust
) -> None:
    """The declaration as it was sent, and the takedown notice as it is now, both stated by one leaf."""
    body = {
        "target_compromise_signature": "case 13",
        "enforcement_jurisdiction": "US",
        "automated_dmca_dispatch": False,
        "platforms": ["video"],
        **{name: value for name, value in WHOLE.items() if name != "work"},
    }
    found = served.post(PATH, body).json()
    token, (declaration, takedown) = found["tracking_token"], found["notices"]
    answer = served.post(f"/v1/deliveries/{declaration['notice_id']}/outcome", {"state": "sent"})
    assert answer.status_code == 200, answer.text
    details = {name: WHOLE[name] for name in ("work", "declarant")}
    assert served.client.patch(f"{PATH}/{token}", json=details).status_code == 200
    assert served.post(f"/v1/deliveries/{takedown['notice_id']}/send", {}).status_code == 200

    def ready() -> Any:
        answer = served.client.get(f"{PATH}/{token}/bundle")
        return answer.content if answer.status_code == 200 else None

    data = served.wait(ready)
    findings = examine(data, trust)
    assert findings.good, [one for one in findings.checks if not one.good]
    proof = json.loads(unpack(data)["strike.json"])
    assert [one["state"] for one in proof["notices"]] == ["sent", "operator_action"]
    assert (proof["declaration_sha256"], proof["revision"]) == (found["declaration"]["sha256"], 1)


def missed(data: bytes, trust: PinnedTrust, seed: int, count: int) -> int:
    """Of ``count`` copies with one byte changed, how many are judged good."""
    draw = random.Random(seed)
    taken = 0
    for _ in range(count):
        copy = bytearray(data)
        copy[draw.randrange(len(data))] ^= draw.randrange(1, 256)
        try:
            taken += examine(bytes(copy), trust).good
        except (EvidenceError, EvidenceBundleError):
            continue
    return taken


def test_no_flipped_byte_of_a_bundle_passes(bundle: bytes, trust: PinnedTrust) -> None:
    """Wherever it is."""
    assert missed(bundle, trust, 21, 40) == 0


def test_no_flipped_byte_of_a_notice_passes(bundle: bytes, trust: PinnedTrust) -> None:
    """By itself."""
    assert missed(unpack(bundle)["notices/2.jws"], trust, 22, 200) == 0


@pytest.mark.campaign
def test_of_a_thousand_flipped_bytes_none_passes(bundle: bytes, pdf: bytes, trust: PinnedTrust) -> None:
    """Of the declaration, of a notice, of the bundle."""
    assert missed(pdf, trust, 31, 1_000) == 0
    assert missed(unpack(bundle)["notices/2.jws"], trust, 32, 1_000) == 0
    assert missed(bundle, trust, 33, 1_000) == 0


def test_a_killed_service_has_whole_strikes_or_none(served: ServedSite, tmp_path: Path) -> None:
    """SIGKILL while calls are under way: what was answered is there with all its notices, and fsck finds no fault."""
    del served
    site = ServedSite.laid_out(tmp_path / "killed")
    site.start()
    body = {"display_name": "Training video", "channel": "form", "address": "https://video.example/report"}
    site.put("/v1/registry/platforms/video", body)
    answered = []
    for number in range(6):
        strike = {
            "target_compromise_signature": f"case {number}",
            "enforcement_jurisdiction": "EU",
            "automated_dmca_dispatch": False,
            "platforms": ["video"],
        }
        answered.append(site.post(PATH, strike).json())
    site.kill()
    with site.running():
        for one in answered:
            assert site.get(f"{PATH}/{one['tracking_token']}") == one
    command = [sys.executable, "-m", "app", "fsck", "--data-dir", str(site.data_dir)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lists_are_served(served: ServedSite, struck: dict[str, Any]) -> None:
    """Strikes, the board of notices, the laws."""
    strikes = served.get(PATH, node_id=NODE)
    assert [one["strike_id"] for one in strikes["items"]] == [struck["strike_id"]]
    board = served.get("/v1/citadel/action/notices", platform="video")
    assert {one["notice"]["notice_id"] for one in board["items"]} >= {one["notice_id"] for one in struck["notices"]}
    laws = served.get("/v1/citadel/action/jurisdictions")
    assert len(laws["items"]) == 10
    assert json.dumps(laws["watch"]).count('"code"') == 3


def test_a_preview_is_served(served: ServedSite) -> None:
    """200, and nothing is listed that was only previewed."""
    body = {
        "target_compromise_signature": "only looked at",
        "enforcement_jurisdiction": "IN",
        "automated_dmca_dispatch": False,
        "platforms": ["video"],
    }
    answer = served.post(f"{PATH}/preview", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["missing"]
    listed = served.get(PATH)["items"]
    assert "only looked at" not in [one["target_compromise_signature"] for one in listed]


def test_a_forged_token_is_not_found(served: ServedSite, struck: dict[str, Any]) -> None:
    """404 with every call."""
    token = struck["tracking_token"]
    forged = token[:-2] + ("00" if token[-2:] != "00" else "11")
    for path in ("", "/declaration.pdf", "/bundle"):
        assert served.client.get(f"{PATH}/{forged}{path}").status_code == 404
    assert served.client.patch(f"{PATH}/{forged}", json={}).status_code == 404
    assert served.post(f"{PATH}/{forged}/withdraw", {"reason": "forged"}).status_code == 404
