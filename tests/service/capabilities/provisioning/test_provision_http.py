"""Provisioning as a partner meets it: the endpoints behind the real server, problems as documents, the PIN once."""

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from app.capabilities.provisioning.readers.card_readers import ReaderFamily
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import StatusWordError
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.piv import PivSession
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import FIPS, READER, SECOND, Desk, GatedCard

ANSWER_S = 0.4


T = TypeVar("T")


def wait(found: Callable[[], T | None]) -> T:
    """What ``found`` gives once it is true; fails after 20 s."""
    end, pause = time.monotonic() + 20, threading.Event()
    while not (value := found()):
        assert time.monotonic() < end
        pause.wait(0.01)
    return value


@dataclass
class Partner:
    """A client of a served desk."""

    desk: Desk
    backend: InProcessBackend
    http: httpx.Client
    serial: int = 0
    cards: dict[str, GatedCard] = field(default_factory=dict)

    def put_in(self, reader: str = READER) -> str:
        """A new blank card in the (emptied) reader; its name."""
        self.take_out(reader)
        self.serial += 1
        self.cards[reader] = GatedCard(SoftwareCard(serial=self.serial))
        self.backend.insert(reader, self.cards[reader])
        wait(lambda: any(card["hardware_uid"] == str(self.serial) for card in self.listed()))
        return str(self.serial)

    def listed(self) -> list[dict[str, Any]]:
        """The readers."""
        items: list[dict[str, Any]] = self.get("/v1/hardware/cards")["items"]
        return items

    def finish(self, node_id: str, uid: str) -> httpx.Response:
        """The call, again as long as it is 202."""
        return wait(lambda: answer if (answer := self.provision(node_id, uid)).status_code != 202 else None)

    def take_out(self, reader: str) -> None:
        """An empty reader."""
        if self.cards.pop(reader, None) is not None:
            self.backend.remove(reader)

    def get(self, path: str, **query: Any) -> Any:
        """The body of a 200."""
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        """POST with exactly ``application/json``."""
        content = json.dumps(body).encode()
        return self.http.post(path, content=content, headers={"Content-Type": "application/json", **headers})

    def provision(self, node_id: str, uid: str, fips: str = FIPS) -> httpx.Response:
        """The call with exactly the specification's fields."""
        body = {"node_id": node_id, "hardware_uid": uid, "fips_standard": fips}
        return self.post("/v1/hardware/se/provision", body)


@pytest.fixture(scope="module")
def partner(desk: Desk) -> Iterator[Partner]:
    """A served site with two in-process readers; a write that takes longer than 0.4 s is answered 202."""
    backend = InProcessBackend([READER, SECOND])
    service = desk.provisioning(ReaderFamily(backend, simulated=True, service=False), answer_s=ANSWER_S)
    with desk.served(service) as http:
        yield Partner(desk, backend, http)


@pytest.fixture(scope="module")
def written(partner: Partner) -> dict[str, Any]:
    """A finished provisioning whose card stays in the second reader."""
    node = partner.desk.node()
    uid = partner.put_in(SECOND)
    answer = partner.finish(node, uid)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def problem_of(answer: httpx.Response) -> dict[str, Any]:
    """The problem document."""
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["status"] == answer.status_code
    assert document["type"] == f"urn:arc:problem:{document['code']}"
    return document


def test_the_reply_has_the_fields_of_the_contract(written: dict[str, Any]) -> None:
    """Names and shapes that the specification gives."""
    assert re.fullmatch(r"prv_[0-9a-f]{16}", written["provision_id"])
    assert written["state"] == "COMPLETE"
    assert set(written) >= {
        "node_id",
        "hardware_uid",
        "hardware_uid_now",
        "card_guid",
        "apdu_count",
        "duration_ms",
        "receipt_url",
        "standing",
        "timestamp",
    }
    assert set(written["fips"]) >= {"required", "verdict", "evidence", "module", "certificate"}
    assert written["verification"] == {
        "read_back": True,
        "proof_of_possession": True,
        "chuid_signature": True,
        "security_object": True,
    }
    for slot in written["slots"]:
        assert set(slot) == {"slot", "algorithm", "certificate_sha256", "public_key_sha256", "not_after"}
        assert re.fullmatch(r"[0-9a-f]{64}", slot["public_key_sha256"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", slot["not_after"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", written["timestamp"])


def test_get_and_list_give_the_same_record(partner: Partner, written: dict[str, Any]) -> None:
    """One record, three ways to it."""
    assert partner.get(f"/v1/hardware/se/provisions/{written['provision_id']}") == written
    assert partner.get("/v1/hardware/se/provisions", node_id=written["node_id"])["items"] == [written]


def test_the_card_is_listed_as_the_nodes(partner: Partner, written: dict[str, Any]) -> None:
    """GET cards names reader, state, node and GUID of the finished card."""
    cards = {card["reader"]: card for card in partner.get("/v1/hardware/cards")["items"]}
    seen = cards[SECOND]
    assert (seen["state"], seen["node_id"], seen["card_guid"]) == (
        "provisioned",
        written["node_id"],
        written["card_guid"],
    )
    assert (seen["pin_tries"], seen["simulated"]) == (3, True)


def test_the_trace_is_given(partner: Partner, written: dict[str, Any]) -> None:
    """As many entries as the record counts, from SELECT on."""
    entries = partner.get(f"/v1/hardware/se/provisions/{written['provision_id']}/trace")["entries"]
    assert len(entries) == written["apdu_count"]
    assert (entries[0]["header"], entries[0]["stage"], entries[0]["sw"]) == ("00a40400", "identify", "9000")


@pytest.mark.parametrize("tail", ["", "/trace"])
def test_an_unknown_provisioning_is_404(partner: Partner, tail: str) -> None:
    """A problem that says where to look."""
    answer = partner.http.get(f"/v1/hardware/se/provisions/prv_0000000000000000{tail}")
    assert problem_of(answer)["code"] == "not_found"


def test_a_bad_standard_is_422_with_the_forms(partner: Partner) -> None:
    """The pointer names the field, the detail the forms."""
    document = problem_of(partner.provision(partner.desk.node(), partner.put_in(), "FIPS 9000"))
    assert (document["code"], document["errors"][0]["pointer"]) == ("invalid_body", "/fips_standard")
    assert "FIPS 140-2" in document["errors"][0]["detail"]


@pytest.mark.parametrize(
    "change", [{"pin": "1"}, {"node_id": 7}, {"hardware_uid": ""}, {"fips_standard": None}, {"node_id": "a b"}]
)
def test_a_body_that_is_not_of_the_shape_is_422(partner: Partner, change: dict[str, object]) -> None:
    """Extra fields, wrong types and empty names are refused before anything."""
    body = {"node_id": "ARC-X001", "hardware_uid": "1", "fips_standard": FIPS, **change}
    assert problem_of(partner.post("/v1/hardware/se/provision", body))["code"] == "invalid_body"


def test_a_slow_write_is_202_with_retry_after(partner: Partner) -> None:
    """202, the time to come again, the provisioning; the same call then gives 200 with the same one."""
    node, uid = partner.desk.node(), partner.put_in()
    card = partner.cards[READER]
    card.arm(16)
    first = partner.provision(node, uid)
    assert (first.status_code, first.headers["retry-after"], first.json()["state"]) == (202, "2", "RUNNING")
    card.open.set()
    answer = partner.finish(node, uid)
    assert (answer.status_code, answer.json()["provision_id"]) == (200, first.json()["provision_id"])


def test_calls_of_many_clients_at_once_are_one(partner: Partner) -> None:
    """Four connections, one card, one provisioning."""
    node, uid = partner.desk.node(), partner.put_in()
    before, found = partner.desk.count(), []

    def call() -> None:
        found.append(partner.finish(node, uid).json()["provision_id"])

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert len(set(found)) == 1
    assert partner.desk.count() == before + 1


def test_a_torn_card_is_409_with_its_provisioning(partner: Partner) -> None:
    """The problem carries the id, GET shows TORN, the same call resumes it."""
    node, uid = partner.desk.node(), partner.put_in()
    card = partner.cards[READER]
    card.arm(16)
    assert partner.provision(node, uid).status_code == 202
    partner.backend.remove(READER)
    card.open.set()
    answer = partner.provision(node, uid)
    document = problem_of(answer)
    assert (answer.status_code, document["code"]) == (409, "state_conflict")
    assert partner.get(f"/v1/hardware/se/provisions/{document['provision_id']}")["state"] == "TORN"
    partner.backend.insert(READER, card)
    wait(lambda: partner.listed()[0]["present"])
    answer = partner.finish(node, uid)
    assert (answer.status_code, answer.json()["provision_id"]) == (200, document["provision_id"])


def test_a_changed_cursor_is_refused(partner: Partner, written: dict[str, Any]) -> None:
    """A cursor with one character changed names no page."""
    partner.provision(partner.desk.node(), "no-such")
    page = partner.get("/v1/hardware/se/provisions", limit=1)
    cursor = page["next"]
    assert cursor
    changed = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    assert partner.http.get("/v1/hardware/se/provisions", params={"cursor": changed}).status_code in (404, 422)


@pytest.fixture(scope="module")
def mailer(partner: Partner, written: dict[str, Any]) -> httpx.Response:
    """The PIN mailer, asked for with an Idempotency-Key."""
    path = f"/v1/hardware/se/provisions/{written['provision_id']}/pin-mailer"
    return partner.http.post(path, headers={"Idempotency-Key": "mailer-1"})


def text_of(answer: httpx.Response, directory: Path) -> str:
    """What another program reads in the PDF."""
    path = directory / "mailer.pdf"
    path.write_bytes(answer.content)
    return subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout


def pin_of(answer: httpx.Response, directory: Path) -> str:
    """The PIN on the page."""
    found = re.search(r"PIN (\d{8})\b", text_of(answer, directory))
    assert found is not None
    return found[1]


def test_the_mailer_is_a_page_with_the_pin(mailer: httpx.Response, written: dict[str, Any], tmp_path: Path) -> None:
    """A PDF that is stored nowhere: whose card, which card, marked TRAINING, and eight digits."""
    assert (mailer.status_code, mailer.headers["content-type"]) == (200, "application/pdf")
    assert mailer.headers["cache-control"] == "no-store"
    text = text_of(mailer, tmp_path)
    assert written["node_id"] in text
    assert written["card_guid"] in text
    assert "TRAINING" in text
    assert pin_of(mailer, tmp_path)


def test_the_mailers_pin_opens_the_card(mailer: httpx.Response, partner: Partner, tmp_path: Path) -> None:
    """The PIN on the page is the card's, and the factory's is not any more."""
    with partner.backend.open(SECOND) as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        with pytest.raises(StatusWordError):
            piv.verify("123456")
        piv.verify(pin_of(mailer, tmp_path))


@pytest.mark.parametrize("key", [None, "mailer-1", "mailer-2"])
def test_the_mailer_is_given_once(
    mailer: httpx.Response, partner: Partner, written: dict[str, Any], key: str | None
) -> None:
    """A second call is 410, with the first one's Idempotency-Key too: no reply with a secret is kept."""
    path = f"/v1/hardware/se/provisions/{written['provision_id']}/pin-mailer"
    answer = partner.http.post(path, headers={} if key is None else {"Idempotency-Key": key})
    assert (answer.status_code, problem_of(answer)["code"]) == (410, "gone")
    assert partner.get(f"/v1/hardware/se/provisions/{written['provision_id']}")["mailer_printed"]


def test_a_mailer_for_two_callers_at_once_is_given_to_one(partner: Partner) -> None:
    """Whoever comes first has the page, the other 410."""
    node, uid = partner.desk.node(), partner.put_in()
    answer = partner.finish(node, uid)
    path = f"/v1/hardware/se/provisions/{answer.json()['provision_id']}/pin-mailer"
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(partner.http.post(path).status_code)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(found) == [200, 410, 410, 410]


def test_no_mailer_before_the_card_is_finished(partner: Partner) -> None:
    """The PIN of a card that is being written is nobody's yet."""
    node, uid = partner.desk.node(), partner.put_in()
    card = partner.cards[READER]
    card.arm(16)
    running = partner.provision(node, uid).json()
    answer = partner.http.post(f"/v1/hardware/se/provisions/{running['provision_id']}/pin-mailer")
    assert problem_of(answer)["code"] == "state_conflict"
    card.open.set()
    assert partner.finish(node, uid).status_code == 200


def test_the_pin_is_nowhere_afterwards(
    mailer: httpx.Response,
    partner: Partner,
    written: dict[str, Any],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No file of the site holds the PIN, before or after a checkpoint; the search finds what is there (the GUID)."""
    pin = pin_of(mailer, tmp_path)
    needles = [pin.encode(), pin.encode().hex().encode(), pin.encode() + b"\xff", bytes(int(d) for d in pin)]
    partner.desk.node()
    store = partner.desk.store.path
    held = b"".join(path.read_bytes() for path in store.parent.rglob("*") if path.is_file())
    assert written["card_guid"].encode() in held
    assert not [needle for needle in needles if needle in held]
    assert pin not in caplog.text
