"""How requests are judged, decoded and answered."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from app.api.guard import VERSION
from app.api.health import Health
from app.api.metrics import Metrics
from app.api.problems import Problem
from app.api.wire import FieldError
from tests.service.api.api_site import ApiSite

ECHO = "/v1/sample/echo"


def code(response: httpx.Response) -> str:
    """The problem code; the body must be a whole problem document."""
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    assert body["type"] == f"urn:arc:problem:{body['code']}"
    assert body["request_id"] == response.headers["x-request-id"]
    assert body["request_id"] in body["instance"]
    assert body["title"]
    assert body["detail"].endswith(".")
    return str(body["code"])


def test_good_call(shared: ApiSite) -> None:
    """A call with a valid body gets its reply, the version, a request id and no caching."""
    with shared.client() as client:
        response = client.post(ECHO, json={"node_id": "ARC-1", "count": 3, "kind": "green", "tags": ["a"]})
    assert response.status_code == 200
    assert response.json() | {"run": 0} == {
        "node_id": "ARC-1",
        "count": 3,
        "kind": "green",
        "tags": ["a"],
        "run": 0,
        "caller": shared.citadel.kid,
    }
    assert response.headers["arc-version"] == VERSION == "1.3"
    assert response.headers["cache-control"] == "no-store"
    assert re.fullmatch("req_[0-9a-f]{24}", response.headers["x-request-id"])


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"node_id": "ARC-1", "count": "3"}, "/count"),
        ({"node_id": "ARC-1", "count": 1001}, "/count"),
        ({"node_id": "ARC-1", "count": True}, "/count"),
        ({"node_id": "ARC-1", "count": 1.5}, "/count"),
        ({"node_id": "ARC-1", "count": 1e300}, "/count"),
        ({"node_id": "x"}, "/node_id"),
        ({"node_id": "ARC-1\n"}, "/node_id"),
        ({"count": 1}, "/node_id"),
        ({"node_id": "ARC-1", "a/b~c": 1}, "/a~1b~0c"),
        ({"node_id": "ARC-1", "tags": ["a", 2]}, "/tags/1"),
        ([], ""),
        (None, ""),
    ],
)
def test_wrong_shape(shared: ApiSite, body: object, pointer: str) -> None:
    """Well-formed JSON of another shape is 422 with a JSON pointer to the place."""
    with shared.client() as client:
        response = client.post(ECHO, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert code(response) == "invalid_body"
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"{} x", b'{"node_id":"\xff"}', b"\xef\xbb\xbf{}", b'{"node_id":"\\ud800"}', b"[" * 200_000, b"NaN"],
)
def test_malformed_json(shared: ApiSite, body: bytes) -> None:
    """What is no JSON in UTF-8 is 400 malformed_json, whatever else is wrong with it."""
    with shared.client() as client:
        response = client.post(ECHO, content=body, headers={"Content-Type": "application/json"})
    assert code(response) == "malformed_json"


def test_whole_number_with_a_point(shared: ApiSite) -> None:
    """84.0 is an integer in JSON Schema, so it is one here."""
    with shared.client() as client:
        assert client.post(ECHO, json={"node_id": "ARC-1", "count": 84.0}).json()["count"] == 84


def test_cursor_of_nothing(shared: ApiSite) -> None:
    """A cursor that is not ours names no page: 404."""
    with shared.client() as client:
        assert code(client.get("/v1/keys?cursor=abc")) == "not_found"


def test_wrong_enum_value_is_not_repeated(shared: ApiSite) -> None:
    """A refused value never comes back in the problem."""
    with shared.client() as client:
        response = client.post("/v1/keys", json={"label": "x", "clearance": "hunter2-secret"})
    assert code(response) == "invalid_body"
    assert "hunter2" not in response.text


@pytest.mark.parametrize("media_type", ["text/plain", "application/json; charset=utf-8", "application/jsonx", ""])
def test_media_type(shared: ApiSite, media_type: str) -> None:
    """Anything but exactly application/json is 415."""
    with shared.client() as client:
        response = client.post(ECHO, content=b'{"node_id":"ARC-1"}', headers={"Content-Type": media_type})
    assert code(response) == "unsupported_media_type"
    assert response.status_code == 415


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "limit=", "nope=1", "q=" + "a" * 201])
def test_wrong_query(shared: ApiSite, query: str) -> None:
    """A wrong or unknown query parameter is 422 and named."""
    with shared.client() as client:
        response = client.get(f"/v1/sample?{query}")
    assert code(response) == "invalid_body"
    assert response.json()["errors"][0]["pointer"] == "/query/" + query.split("=", maxsplit=1)[0]


@pytest.mark.parametrize("query", ["limit=1&limit=1", "q=%ff", "&".join(f"a{i}=1" for i in range(40))])
def test_malformed_query(shared: ApiSite, query: str) -> None:
    """A repeated parameter, bad UTF-8 or a flood of parameters is 400."""
    with shared.client() as client:
        response = client.get(f"/v1/sample?{query}")
    assert code(response) == "malformed_request"


def test_query_values_are_decoded(shared: ApiSite) -> None:
    """Plus signs and percent escapes of a query mean what they mean everywhere."""
    with shared.client() as client:
        response = client.get("/v1/sample?q=a+b%2Bc%C3%A9&limit=7")
    assert response.json()["q"] == "a b+cé"
    assert response.json()["limit"] == 7


def test_path_parameter(shared: ApiSite) -> None:
    """A path parameter reaches the handler decoded."""
    with shared.client() as client:
        assert client.get("/v1/sample/ARC%3a1").json()["name"] == "ARC:1"


@pytest.mark.parametrize("segment", ["%2F", "a%2fb", "%ff", "a%0a", "a" * 129, "-a", "%00"])
def test_impossible_path_parameter(shared: ApiSite, segment: str) -> None:
    """What cannot be an identifier is 404, also when it hides a slash."""
    with shared.client() as client:
        response = client.get(f"/v1/sample/{segment}")
    assert code(response) == "not_found"


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/sample/", "/v1/sample/a/b", "/V1/sample", "/v1//sample"])
def test_unknown_path(shared: ApiSite, path: str) -> None:
    """Nothing is redirected, completed or guessed: 404."""
    with shared.client() as client:
        assert code(client.get(path)) == "not_found"


def test_a_path_that_nobody_serves_is_told_to_those_with_a_key(shared: ApiSite) -> None:
    """404 with a sentence; without a key it is as any other path."""
    with shared.client() as client:
        response = client.get("/v1/citadel/actions/strike")
        assert code(response) == "not_found"
        assert "nothing at this path" in response.json()["detail"]
        nobody = client.get("/v1/citadel/actions/strike", headers={"Authorization": ""})
    assert code(nobody) == "unauthenticated"


@pytest.mark.parametrize("path", ["/v1/sample", "/nothing", "/metrics", "/v1/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_no_key_learns_nothing(shared: ApiSite, path: str, method: str) -> None:
    """Without a key every path and method but /healthz is the same 401."""
    response = httpx.request(method, shared.base_url + path, trust_env=False)
    assert code(response) == "unauthenticated"
    assert response.headers["www-authenticate"] == 'Bearer realm="arc"'


def test_healthz_is_open(shared: ApiSite) -> None:
    """/healthz answers without a key."""
    response = httpx.get(shared.base_url + "/healthz", trust_env=False)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PATCH", "TRACE"])
def test_method_not_allowed(shared: ApiSite, method: str) -> None:
    """A method that is not in the table is 405 with Allow; HEAD is not offered."""
    with shared.client() as client:
        response = client.request(method, "/v1/sample/abc")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, PUT"


def test_method_of_an_open_path(shared: ApiSite) -> None:
    """A wrong method on an open path needs no key to be told so."""
    response = httpx.post(shared.base_url + "/healthz", trust_env=False)
    assert (code(response), response.headers["allow"]) == ("method_not_allowed", "GET")


def test_sovereign_is_kept_out(shared: ApiSite) -> None:
    """A Sovereign key is 403 on a Citadel row."""
    with shared.client(shared.sovereign.key) as client:
        response = client.get("/v1/citadel/sample")
        assert code(response) == "insufficient_clearance"
        assert response.status_code == 403
        assert client.get("/v1/sample").status_code == 200


def test_citadel_may_do_everything(shared: ApiSite) -> None:
    """A Citadel key passes Sovereign and Citadel rows."""
    with shared.client() as client:
        assert client.get("/v1/citadel/sample").status_code == 200


def test_internal_error_says_nothing(shared: ApiSite, caplog: pytest.LogCaptureFixture) -> None:
    """A handler that breaks is 500 without detail; the log has the trace under the same request id."""
    with shared.client() as client:
        response = client.get("/v1/sample/boom")
    assert code(response) == "internal_error"
    assert "secret thing" not in response.text
    records = [r for r in caplog.records if getattr(r, "request_id", "") == response.json()["request_id"]]
    assert len(records) == 1
    assert records[0].exc_info is not None


def test_body_on_a_call_without_one(shared: ApiSite) -> None:
    """A GET with a body is refused: nobody would read it."""
    with shared.client() as client:
        assert code(client.request("GET", "/v1/sample", json={})) == "malformed_request"


def test_optional_body_may_be_left_out(shared: ApiSite) -> None:
    """A row with an optional body takes none for the empty object."""
    with shared.client() as client:
        made = client.post("/v1/keys", json={"label": "x", "clearance": "sovereign"}).json()
        assert client.post(f"/v1/keys/{made['kid']}/rotate").status_code == 200


@pytest.mark.parametrize("call", [("POST", "/v1/sample/late"), ("GET", "/v1/sample/latefetch")])
def test_handler_past_its_time(fresh: ApiSite, call: tuple[str, str]) -> None:
    """A change past its time limit, also one that a GET makes, is answered 503 and goes on to its end."""
    with fresh.running(), fresh.client() as client:
        response = client.request(*call)
        assert code(response) == "dependency_unavailable"
        assert int(response.headers["retry-after"]) > 0
        assert not fresh.sample.finished.is_set()
        fresh.sample.release.set()
        assert fresh.sample.finished.wait(60)


def test_read_past_its_time(fresh: ApiSite) -> None:
    """A read past its time limit is answered 503."""
    with fresh.running(), fresh.client() as client:
        assert code(client.get("/v1/sample/lateread")) == "dependency_unavailable"


def test_store_failure_is_503(fresh: ApiSite) -> None:
    """A store that cannot write is 503 with what to do, and Retry-After."""
    fresh.sample.release.set()
    with fresh.running(), fresh.client() as client:
        response = client.post("/v1/sample/slow?end=disk_full")
    assert code(response) == "dependency_unavailable"
    assert "Free some space" in response.json()["detail"]
    assert response.headers["retry-after"] == "2"


def test_ready_says_which_site_it_is_to_anybody(shared: ApiSite) -> None:
    """Without a key: profile, id, version, and the signed form of them."""
    with shared.client() as client:
        said = client.get("/readyz", headers={"Authorization": ""}).json()
    assert (said["ready"], said["profile"], said["site_id"], said["version"]) == (True, "training", "0" * 16, "1")
    assert said["statement"]["signature"] == "s"


def test_not_ready_says_why(fresh: ApiSite) -> None:
    """/readyz is 503 and names the failed check with its remedy."""
    fresh.context.health.check("reader", lambda: "The reader is unplugged: plug it in.")
    with fresh.running(), fresh.client() as client:
        response = client.get("/readyz", headers={"Authorization": ""})
    assert code(response) == "dependency_unavailable"
    assert response.json()["statement"] == {"payload": "p", "protected": "h", "signature": "s"}
    assert response.json()["errors"] == [
        {"pointer": "/checks/reader", "detail": "The reader is unplugged: plug it in."}
    ]


def test_not_ready_says_why_before_the_site_can_sign() -> None:
    """A first start that was cut short has no statement: the 503 names what is wrong all the same."""
    health = Health(Metrics())
    health.check("room", lambda: "The disk is full.")
    with pytest.raises(Problem) as raised:
        health.ready()
    assert raised.value.errors == [FieldError(pointer="/checks/room", detail="The disk is full.")]
    assert "statement" not in raised.value.extra


def test_metrics(shared: ApiSite) -> None:
    """/metrics is OpenMetrics text with counts by operation, and ends as it must."""
    with shared.client() as client:
        client.get("/v1/sample")
        response = client.get("/metrics")
    assert response.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert re.search(r'^arc_requests_total\{operation="sample.list",status="200"\} \d+$', response.text, re.MULTILINE)
    assert response.text.endswith("# EOF\n")


def test_stream_flows_and_ends_with_its_reader(fresh: ApiSite) -> None:
    """A stream's chunks arrive as they are made, and the generator is closed when the reader leaves."""
    with fresh.running():
        with fresh.client() as client, client.stream("GET", "/v1/sample/stream") as response:
            assert response.headers["content-type"] == "text/event-stream"
            lines = response.iter_lines()
            assert [next(lines) for _ in range(4)] == ["id: 1", "event: status", "data: {}", ""]
            assert fresh.sample.streams == 1
        with fresh.client() as client:
            while fresh.sample.streams:
                client.get("/healthz")


def test_stream_ends_when_the_service_stops(fresh: ApiSite) -> None:
    """A graceful stop ends an open stream with a whole body."""
    with fresh.client() as client:
        with fresh.running():
            client.base_url = httpx.URL(fresh.base_url)
            context = client.stream("GET", "/v1/sample/stream")
            response = context.__enter__()
            lines = response.iter_lines()
            assert next(lines) == "id: 1"
        assert "event: status" in list(lines)
        context.__exit__(None, None, None)


def test_stop_waits_for_the_request_in_flight(fresh: ApiSite) -> None:
    """A request in flight is answered although the service has been told to stop."""
    import threading

    answers: list[int] = []
    with fresh.running():
        client = fresh.client()
        thread = threading.Thread(target=lambda: answers.append(client.post("/v1/sample/slow").status_code))
        thread.start()
        assert fresh.sample.begun.wait(5)
    thread.join(10)
    client.close()
    assert answers == [200]
