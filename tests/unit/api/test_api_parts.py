"""Router, keys, logs and figures on their own."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api import keys, logs
from app.api.metrics import Metrics
from app.api.operation import Clearance
from app.api.router import Router
from app.service.assembly import TABLE


def test_literal_wins_over_parameter() -> None:
    """A literal segment is tried first, and the parameter where the literal leads nowhere."""
    router: Router[str] = Router()
    router.add("GET", "/burn/{id}", "one")
    router.add("GET", "/burn/preview", "preview")
    router.add("GET", "/burn/{id}/targets/{target}", "target")
    assert router.find(b"/burn/preview") == ({"GET": "preview"}, [])
    assert router.find(b"/burn/x") == ({"GET": "one"}, [b"x"])
    assert router.find(b"/burn/preview/targets/t") == ({"GET": "target"}, [b"preview", b"t"])
    assert router.find(b"/burn/") is None
    assert router.find(b"/burn/x/targets") is None
    assert router.find(b"/") is None


def test_row_declared_twice() -> None:
    """Two rows for one method and path are refused at the start."""
    router: Router[str] = Router()
    router.add("GET", "/a/{x}", "first")
    with pytest.raises(ValueError, match="twice"):
        router.add("GET", "/a/{y}", "second")


def test_a_row_names_its_service_or_is_served_by_its_capability() -> None:
    """A row that another room serves keeps its capability's name, and so its operation id."""
    row = next(row for row in TABLE if row.name == "registry.renew_template_registry")
    assert (row.capability, row.served_by) == ("registry", "biometrics")
    assert next(row for row in TABLE if row.name == "registry.get_node").served_by == "registry"


def test_the_rest_of_a_path_is_one_parameter() -> None:
    """A last parameter with dots takes what no other row takes, one segment or more, none of them empty."""
    router: Router[str] = Router()
    router.add("GET", "/tile/{level}/{index...}", "tile")
    router.add("GET", "/tile/entries/{index...}", "entries")
    router.add("GET", "/tile/{level}/info", "info")
    assert router.find(b"/tile/0/x001/234.p/5") == ({"GET": "tile"}, [b"0", b"x001/234.p/5"])
    assert router.find(b"/tile/0/000") == ({"GET": "tile"}, [b"0", b"000"])
    assert router.find(b"/tile/entries/x001/234") == ({"GET": "entries"}, [b"x001/234"])
    assert router.find(b"/tile/0/info") == ({"GET": "info"}, [b"0"])
    for path in (b"/tile/0", b"/tile/0/", b"/tile/0/x001/", b"/tile/0//234", b"/tile//000"):
        assert router.find(path) is None
    with pytest.raises(ValueError, match="twice"):
        router.add("GET", "/tile/{n}/{rest...}", "again")


@given(st.binary(max_size=60).map(lambda raw: b"/" + raw))
def test_any_path_is_routed_or_not(path: bytes) -> None:
    """No path breaks the router, and parameters are never empty."""
    router: Router[str] = Router()
    router.add("GET", "/{a}/{b}", "two")
    router.add("GET", "/{a}/{b}/{c...}", "three")
    found = router.find(path)
    assert found is None or all(found[1])


@given(st.sampled_from([Clearance.CITADEL, Clearance.SOVEREIGN]), st.integers(0, 45), st.characters())
def test_check_characters_find_every_single_typo(clearance: Clearance, at: int, typo: str) -> None:
    """A key with one other character is no key, without asking the store."""
    key = keys.make_key(clearance)
    assert re.fullmatch("arc_(cit|sov)_[0-9A-Za-z]{38}", key)
    assert keys.key_clearance(key) is clearance
    changed = key[:at] + typo + key[at + 1 :]
    assert (keys.key_clearance(changed) is None) == (changed != key)


@pytest.mark.parametrize(
    "secret",
    [
        "arc_cit_" + "aB3" * 12 + "aB",
        "whsec_b6mN08VCV4hWBDZT1Da96/zdkk0Mfs0xmr2ThH5LlR4=",
        "Bearer abc.def-ghi",
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln",
        'pin="123456"',
        "'pin': '123456'",
        "card_pin=123456",
        "puk: 12345678",
        "password=hunter2",
        "client_secret: hunter2,",
        '"audio_stream_vector": "QUJD"',
        "enclave_sig=QUJD",
        "A" * 400,
        "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
    ],
)
def test_secrets_leave_the_log(secret: str) -> None:
    """Keys, tokens, PINs, passwords and vectors are redacted from message and trace alike."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        raise ValueError(f"bad {secret} here")
    except ValueError:
        logger.exception("failed with %s today", secret, extra={"request_id": "req_1"})
    line = json.loads(stream.getvalue())
    core = re.sub(r"^.*?(=|: |BEGIN PRIVATE KEY-----|Bearer |_(?=[a-zA-Z0-9]{6}))", "", secret, count=1).strip(
        "\"', \n"
    )
    assert core[:24] not in stream.getvalue().replace("\\n", "\n").replace('\\"', '"')
    assert "today" in line["message"]
    assert line["request_id"] == "req_1"


def test_log_keeps_what_is_no_secret() -> None:
    """Identifiers, paths, hashes and figures stay readable."""
    text = "burn brn_12 of ARC-7F3K at reader east-1: 3 targets, 41.2 ms, sha256 " + "ab" * 32
    assert logs.redact(text) == text


@given(st.text(max_size=300))
def test_any_text_makes_one_line(text: str) -> None:
    """Whatever is logged is one line of JSON."""
    line = logs.JsonFormatter().format(logging.LogRecord("n", logging.INFO, "f", 1, "%s", (text,), None))
    assert "\n" not in line
    assert isinstance(json.loads(line)["message"], str)


def test_metrics_text() -> None:
    """Histograms add up, a broken gauge is left out, labels are escaped."""
    metrics = Metrics()
    for seconds in (0.0005, 0.02, 40.0):
        metrics.request("a.b", 200, seconds)
    metrics.gauge("good", "Works.", lambda: {'x"y\n': 1.5})
    metrics.gauge("broken", "Breaks.", lambda: 1 / 0)
    text = metrics.text()
    assert 'arc_request_seconds_bucket{operation="a.b",le="0.001"} 1\n' in text
    assert 'arc_request_seconds_bucket{operation="a.b",le="30.0"} 2\n' in text
    assert 'arc_request_seconds_bucket{operation="a.b",le="+Inf"} 3\n' in text
    assert 'arc_request_seconds_count{operation="a.b"} 3\n' in text
    assert 'arc_good{of="x\\"y\\n"} 1.5\n' in text
    assert "broken" not in text
    with pytest.raises(ValueError, match="taken"):
        metrics.gauge("good", "Again.", lambda: 0)
