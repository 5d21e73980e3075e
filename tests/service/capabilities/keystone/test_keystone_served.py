"""Rotating codes of a real service in a process of its own: over HTTP, with burns, repeats and kills."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.capabilities.keystone.messages import CodeSession, boot_ns, step_at
from tests.served_site import ServedSite

ROTATE, VERIFY = "/v1/hardware/keystone/qr-rotate", "/v1/hardware/keystone/qr-verify"
SCREEN, NODE = "gate-screen", "ARC-T0047"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    """A training site, whose own terminal is used."""
    made = ServedSite.laid_out(tmp_path_factory.mktemp("keystone") / "site")
    with made.running():
        yield made


class Screen:
    """A terminal: it counts from the receipt, by its own clock."""

    def __init__(self, site: ServedSite, body: dict[str, Any], **headers: str) -> None:
        answer = site.post(ROTATE, body, **headers)
        assert answer.status_code == 200, answer.text
        self.reply: dict[str, Any] = answer.json()
        self.since = boot_ns()
        self.site = site
        self.session = CodeSession.of_reply(
            self.reply["session_token"], self.reply["seed_nonce"], self.reply["terminal_id"]
        )

    def code(self) -> str:
        """What it shows now."""
        return self.session.payload(step_at(boot_ns() - self.since))

    def sent(self, payload: str) -> tuple[int, Any]:
        """Status and ``accepted`` or the problem's code."""
        answer = self.site.post(VERIFY, {"payload": payload, "terminal_id": self.reply["terminal_id"]})
        found = answer.json()
        return answer.status_code, found["accepted"] if answer.status_code == 200 else found["code"]

    def accepted(self) -> str:
        """A code that was accepted: on a machine that is held up for a second a code may come too late."""
        for _ in range(20):
            payload = self.code()
            if self.sent(payload) == (200, True):
                return payload
        raise AssertionError("no code was accepted")


def test_no_body_is_an_empty_one(site: ServedSite) -> None:
    """The code is the API key's own, as with an empty object; a body of another type is still refused."""
    bare = site.client.post(ROTATE)
    assert bare.status_code == 200, bare.text
    assert bare.json()["terminal_id"] == site.post(ROTATE, {}).json()["terminal_id"]
    assert site.client.post(ROTATE, content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415


def test_what_the_terminal_shows_is_accepted_once(site: ServedSite) -> None:
    """By two clocks of two processes; the same code again is 409 and an alarm, which a person closes."""
    screen = Screen(site, {"terminal_id": SCREEN, "node_id": NODE, "intent": "ACCESS_ENTRY"})
    payload = screen.accepted()
    assert screen.sent(payload) == (409, "replayed")
    alarms = {alarm["kind"]: alarm for alarm in site.get("/v1/alarms")["items"]}
    one = f"/v1/citadel/alarms/{alarms['keystone.replayed']['alarm_id']}"
    assert site.client.delete(one).json() == alarms["keystone.replayed"]
    assert "keystone.replayed" not in [alarm["kind"] for alarm in site.get("/v1/alarms")["items"]]
    assert site.client.delete(one).status_code == 404


def test_a_call_with_the_fields_of_the_specification_works(site: ServedSite) -> None:
    """All three, and none: they are answered, whatever was sent of them."""
    named = {"session_token": "unknown", "rotation_interval_ms": 1000, "seed_nonce": "0x00"}
    for body in (named, {}):
        screen = Screen(site, body)
        assert screen.reply["rotation_interval_ms"] == 400
        assert screen.reply["terminal_id"].startswith("key:")
        screen.accepted()


def test_verifications_that_race_accept_once(site: ServedSite) -> None:
    """Eight calls at once with one code over eight connections."""
    screen = Screen(site, {"terminal_id": SCREEN})
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            found = sorted(map(str, pool.map(screen.sent, [screen.code()] * 8)))
            assert found.count("(200, True)") <= 1
            if "(200, True)" in found:
                assert found.count("(409, 'replayed')") == 7
                return
    raise AssertionError("no code was accepted")


def test_a_repeat_gives_the_session_again_until_the_process_ends(site: ServedSite) -> None:
    """The reply comes out of memory: after a kill it is 410, and no code of before counts."""
    again = {"Idempotency-Key": "screen-1"}
    first = Screen(site, {"terminal_id": SCREEN}, **again)
    assert Screen(site, {"terminal_id": SCREEN}, **again).reply == first.reply
    first.accepted()
    site.kill()
    site.start()
    answer = site.post(ROTATE, {"terminal_id": SCREEN}, **again)
    assert (answer.status_code, answer.json()["code"]) == (410, "gone")
    assert first.sent(first.code()) == (200, False)


def test_a_burn_ends_what_is_shown(site: ServedSite) -> None:
    """The preview names it, the burn proves it, and neither code nor renewal counts after."""
    screen = Screen(site, {"terminal_id": SCREEN, "node_id": NODE})
    screen.accepted()
    body = {"node_id": NODE, "scope": "LOCAL_ONLY"}
    preview = site.post("/v1/citadel/uac/burn/preview", body).json()
    assert "session" in [target["kind"] for target in preview["targets"]]
    burn = site.post("/v1/citadel/uac/burn", {**body, "reason": "seen on a film"}).json()
    (target,) = [target for target in burn["targets"] if target["kind"] == "session"]
    assert (target["state"], target["evidence"]) == ("revoked", "1 session ended")
    assert screen.sent(screen.code()) == (200, False)
    answer = site.post(ROTATE, {"terminal_id": SCREEN, "node_id": NODE})
    assert (answer.status_code, answer.json()["code"]) == (409, "state_conflict")


def test_a_revoked_key_ends_what_it_shows(site: ServedSite) -> None:
    """A partner's key that leaked: its code is refused by the next call after the revocation."""
    made = site.post("/v1/keys", {"label": "screen", "clearance": "sovereign"}).json()
    bearer = {"Authorization": f"Bearer {made['key']}"}
    screen = Screen(site, {"terminal_id": SCREEN}, **bearer)
    screen.accepted()
    assert site.client.delete(f"/v1/keys/{made['kid']}").status_code == 204
    assert screen.sent(screen.code()) == (200, False)


@pytest.mark.parametrize("payload", ["", "KQ1:", "https://site.invalid/", "kq1:" + "0" * 53, "KQ1:" + "0" * 54])
def test_another_text_is_no_payload(site: ServedSite, payload: str) -> None:
    """422 that names the field."""
    answer = site.post(VERIFY, {"payload": payload, "terminal_id": SCREEN})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/payload")


def test_no_token_is_written_down(site: ServedSite) -> None:
    """Neither in the data directory nor in the log."""
    screen = Screen(site, {"terminal_id": SCREEN}, **{"Idempotency-Key": "screen-2"})
    screen.accepted()
    files = [site.log, *(path for path in site.data_dir.rglob("*") if path.is_file())]
    held = b"".join(path.read_bytes() for path in files)
    assert screen.reply["sid"].encode() in held
    for secret in (screen.reply["session_token"], screen.reply["seed_nonce"][2:]):
        assert secret.encode() not in held
