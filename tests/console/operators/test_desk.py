"""Who sits at a window, against a real training service: by passphrase, by browser, by card; locked, burned, idle."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from PySide6.QtCore import QUrl

from app.api.roles import Role
from app.api.wire import FieldError
from app.client import ApiError
from app.console.connection.client import ConsoleClient, UnitStream
from app.console.connection.supervisor import own_command
from app.console.connection.unit_key import UnitKeyPair
from app.console.desk_state import DeskState
from app.console.failures import NobodySignedIn
from app.console.operators.cards import CardRefusal, DeskCards
from app.console.operators.desk import CUT_OFF, FAREWELL_S, NobodyFits, OperatorDesk
from app.console.session import WindowSession
from app.registry.messages.nodes import NodeBody
from app.running_clock import running_s
from hardware.cards.software import SoftwareCard
from tests.conftest import READERS, PcscService
from tests.console.conftest import Run, apart, until
from tests.openid_provider import CLIENT, Provider, openid_provider
from tests.operator_desk import PASSPHRASE, CardHolder, make_operator
from tests.served_site import ServedSite

UNIT_KEY = UnitKeyPair.generate()
UNIT = "console-of-the-desk"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """The organization's OpenID provider."""
    with openid_provider() as made:
        yield made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[ServedSite]:
    """A training site with that provider."""
    openid = {"issuer": provider.issuer, "client_id": CLIENT, "roles": {"arc-desk": "desk"}, "roles_claim": "roles"}
    made = ServedSite.laid_out(tmp_path_factory.mktemp("desk") / "site", openid=openid)
    with made.running():
        yield made


Opened = Callable[..., Any]


@pytest.fixture
def opened(session: WindowSession, site: ServedSite) -> Opened:
    """Begins a desk as the console does, as on a training site or as on any other; ends it."""

    @asynccontextmanager
    async def desk_of(*, training: bool = False, visit: Callable[[QUrl], bool] = lambda _: True) -> AsyncIterator[Any]:
        session.profile = "training" if training else "production"
        key = site.client.headers["Authorization"].removeprefix("Bearer ")
        own = ConsoleClient(site.base_url, key, session.calls.add)
        await UnitStream(own, UNIT_KEY, UNIT, "Console of the desk", time.time).register()
        desk = OperatorDesk(session, DeskCards(own_command("desk-card"), session), session, visit)
        await desk.begin(own, UNIT)
        try:
            yield desk
        finally:
            await desk.close()
            await session.tasks.close()
            session.detach("the test ends")
            await own.aclose()

    return desk_of


def test_a_training_site_has_somebody_at_the_desk_at_once(opened: Opened, session: WindowSession, run: Run) -> None:
    async def script() -> None:
        async with opened(training=True) as desk:
            assert desk.state is DeskState.SIGNED_IN
            assert session.operator is not None
            assert (session.operator.display_name, session.operator.roles) == ("Training desk", {Role.DESK})
            me = await session.client.operators_who_am_i()
            assert me.actor == session.operator.operator_id

    run(script())


def test_where_nobody_is_signed_in_pages_only_read(opened: Opened, session: WindowSession, run: Run) -> None:
    async def script() -> None:
        async with opened() as desk:
            assert (desk.state, session.operator, session.resting) == (DeskState.SIGNED_OUT, None, True)
            assert (await session.client.gateway_alarms()).items is not None
            with pytest.raises(NobodySignedIn):
                await session.client.registry_put_node("ARC-NEW", NodeBody(display_name="New"))

    run(script())


def refusal(pointer: str) -> Callable[..., Any]:
    """A call that a service answers which is not ready: ``pointer`` names its trouble."""
    wrong = FieldError(pointer=pointer, detail="No room.")

    async def refuse(*_arguments: object, **_options: object) -> Any:
        raise ApiError("dependency_unavailable", "No room.", "req_1", 503, errors=[wrong])

    return refuse


@pytest.mark.parametrize(
    ("pointer", "state"), [("/checks/room", DeskState.KEY_ALONE), ("/checks/store", DeskState.UNKNOWN)]
)
def test_burns_do_not_wait_for_room_on_the_disk(
    session: WindowSession,
    site: ServedSite,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    pointer: str,
    state: DeskState,
) -> None:
    """A service that knows nobody because it cannot write is one where the console's own key burns; one that is in any
    other trouble lets nobody in."""
    refuse = refusal(pointer)

    async def script() -> None:
        own = ConsoleClient(site.base_url, "arc_cit_x", session.calls.add)
        monkeypatch.setattr(own, "registry_list_operators", refuse)
        monkeypatch.setattr(own, "health_ready", refuse)
        desk = OperatorDesk(session, DeskCards(own_command("desk-card"), session), session)
        if state is DeskState.KEY_ALONE:
            await desk.begin(own, UNIT)
            assert (session.resting, session.client) == (False, own)
        else:
            with pytest.raises(ApiError, match="No room"):
                await desk.begin(own, UNIT)
        assert desk.state is state
        await desk.close()
        await own.aclose()

    run(script())


def test_with_room_again_somebody_must_sign_in(
    session: WindowSession, site: ServedSite, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The console's own key acts no longer than the service knows nobody: a full disk is no way around the desk."""
    apart(make_operator, site, Role.DESK)
    refuse = refusal("/checks/room")

    async def script() -> None:
        session.profile = "production"
        key = site.client.headers["Authorization"].removeprefix("Bearer ")
        own = ConsoleClient(site.base_url, key, session.calls.add)
        desk = OperatorDesk(session, DeskCards(own_command("desk-card"), session), session)
        with monkeypatch.context() as full:
            full.setattr(own, "registry_list_operators", refuse)
            full.setattr(own, "health_ready", refuse)
            await desk.begin(own, UNIT)
            assert desk.state is DeskState.KEY_ALONE
        await until(lambda: desk.state is DeskState.SIGNED_OUT, "the desk without anybody")
        assert session.resting
        await desk.close()
        await own.aclose()

    run(script())


def test_a_name_and_its_passphrase_sign_in(opened: Opened, session: WindowSession, site: ServedSite, run: Run) -> None:
    operator_id = apart(make_operator, site, Role.BADGE, name="Grace Clerk")

    async def script() -> None:
        async with opened() as desk:
            await desk.sign_in_by_passphrase("grace clerk ", PASSPHRASE)
            assert session.operator is not None
            assert session.operator.operator_id == operator_id
            assert not session.resting

    run(script())


def test_a_wrong_passphrase_and_a_wrong_name_are_answered_alike(opened: Opened, site: ServedSite, run: Run) -> None:
    apart(make_operator, site, Role.DESK, name="Known Desk")

    async def script() -> list[tuple[str, str]]:
        async with opened() as desk:
            answers = []
            for name in ("Known Desk", "Nobody Known"):
                with pytest.raises(ApiError) as refused:
                    await desk.sign_in_by_passphrase(name, "not the passphrase")
                answers.append((refused.value.code, refused.value.detail))
            return answers

    one, two = run(script())
    assert one == two


def test_two_of_one_name_are_asked_for_more(opened: Opened, site: ServedSite, run: Run) -> None:
    ids = [apart(make_operator, site, Role.DESK, name="Same Name") for _ in range(2)]

    async def script() -> str:
        async with opened() as desk:
            with pytest.raises(NobodyFits):
                await desk.sign_in_by_passphrase("Same Name", PASSPHRASE)
            await desk.sign_in_by_passphrase(ids[1], PASSPHRASE)
            return str(desk.operator.operator_id)

    assert run(script()) == ids[1]


def test_a_lock_ends_the_session_and_pages_only_read(
    opened: Opened, session: WindowSession, site: ServedSite, run: Run
) -> None:
    async def script() -> None:
        async with opened(training=True) as desk:
            key = session.client.key  # type: ignore[attr-defined]
            desk.lock()
            assert (desk.state, session.resting, session.operator) == (DeskState.LOCKED, True, None)
            with pytest.raises(NobodySignedIn):
                await session.client.burn_retry_target("burn_1", "local")
            own = {"Authorization": f"Bearer {key}"}
            loop = asyncio.get_running_loop()

            async def is_out() -> bool:
                call = lambda: site.client.get("/v1/operators/session", headers=own)  # noqa: E731
                return (await loop.run_in_executor(None, call)).status_code == 401

            for _ in range(200):
                if await is_out():
                    break
                await asyncio.sleep(0.05)
            else:
                pytest.fail("the session stands after the lock")

    run(script())


def test_a_lock_in_the_turn_of_the_close_still_ends_the_session(
    opened: Opened, session: WindowSession, site: ServedSite, run: Run
) -> None:
    """The service is told, and the connection of the session is closed: nothing of it waits for a turn that never
    comes."""

    async def script() -> tuple[int, bool]:
        async with opened(training=True) as desk:
            client = session.client
            desk.lock()
        own = {"Authorization": f"Bearer {client.key}"}  # type: ignore[attr-defined]
        answer = await asyncio.to_thread(site.client.get, "/v1/operators/session", headers=own)
        return answer.status_code, client._http.is_closed  # type: ignore[attr-defined]

    assert run(script()) == (401, True)


def test_a_service_that_hangs_does_not_keep_the_desk(opened: Opened, site: ServedSite, run: Run) -> None:
    """Another service can be taken, and the window closes."""

    async def script() -> None:
        async with opened(training=True) as desk:
            os.kill(site.pid, signal.SIGSTOP)
            try:
                await asyncio.wait_for(desk.end(), 10 * FAREWELL_S)
            finally:
                os.kill(site.pid, signal.SIGCONT)
            assert desk.state is DeskState.UNKNOWN

    run(script())


def test_a_burned_holder_is_locked_out(opened: Opened, session: WindowSession, site: ServedSite, run: Run) -> None:
    apart(make_operator, site, Role.DESK, name="Burned Holder", node_id="ARC-T0031")

    async def script() -> tuple[DeskState, str]:
        async with opened() as desk:
            await desk.sign_in_by_passphrase("Burned Holder", PASSPHRASE)
            order = {"node_id": "ARC-T0031", "scope": "GLOBAL_REVOCATION", "reason": "leaked"}
            burn = await asyncio.to_thread(site.post, "/v1/citadel/uac/burn", order)
            assert burn.status_code in (200, 202)
            await until(lambda: session.resting, "the lock")
            return desk.state, desk.why

    assert run(script()) == (DeskState.LOCKED, CUT_OFF)


def test_a_desk_that_nobody_touches_locks(opened: Opened, session: WindowSession, run: Run) -> None:
    async def script() -> str:
        async with opened(training=True) as desk:
            desk._beat()
            assert not session.resting
            desk.presence.touched_at = running_s() - desk._idle_limit_s
            await until(lambda: session.resting, "the lock")
            return str(desk.why)

    assert run(script()) == "Nobody touched this desk for 15 min."


def test_a_switch_ends_the_session_of_the_one_before(opened: Opened, session: WindowSession, run: Run) -> None:
    async def script() -> tuple[bool, str]:
        async with opened(training=True) as desk:
            before = (await session.client.operators_who_am_i()).session
            assert before is not None
            await desk.sign_in_training(desk.training_operators[1].operator_id)
            sessions = (await desk._connection.operators_list_sessions()).items
            return before.session_id in {one.session_id for one in sessions}, sessions[-1].display_name

    assert run(script()) == (False, "Training badge office")


def test_after_a_restart_the_training_operator_is_the_same(opened: Opened, session: WindowSession, run: Run) -> None:
    async def script() -> str:
        async with opened(training=True) as desk:
            await desk.sign_in_training(desk.training_operators[2].operator_id)
            await desk.begin(desk._connection, UNIT)
            return str(desk.operator.display_name)

    assert run(script()) == "Training manager"


def test_the_browser_signs_in(
    opened: Opened, session: WindowSession, site: ServedSite, provider: Provider, run: Run
) -> None:
    body = {"display_name": "Browser Desk", "roles": ["desk"], "methods": ["oidc"], "subject": provider.subject}
    assert apart(site.put, "/v1/registry/operators/op_" + "5" * 16, body).status_code == 201

    def visit(address: QUrl) -> bool:
        def go() -> None:
            httpx.get(address.toString(), trust_env=False, follow_redirects=True, timeout=20)

        threading.Thread(target=go, daemon=True).start()
        return True

    async def script() -> str:
        async with opened(visit=visit) as desk:
            await desk.sign_in_by_browser()
            return str(desk.operator.display_name)

    assert run(script()) == "Browser Desk"


def test_the_card_signs_in_and_pulling_it_locks(
    opened: Opened, session: WindowSession, site: ServedSite, pcscd: PcscService, run: Run
) -> None:
    """The person's own card, over PC/SC; within a second after it is out."""
    apart(make_operator, site, Role.DESK, name="Card Desk", node_id="ARC-T0033", methods=("card",), passphrase=None)
    holder = apart(CardHolder, site, "ARC-T0033")
    out = threading.Event()
    gone: list[float] = []

    def hold() -> None:
        with pcscd.inserted(SoftwareCard(holder._card)):
            out.wait(60)
        gone.append(time.monotonic())

    async def script() -> tuple[str, str, float]:
        async with opened() as desk:
            card = threading.Thread(target=hold)
            card.start()
            try:
                await until(lambda: any(one.card for one in desk.cards.readers), "the card in its reader")
                (reader,) = [one for one in desk.cards.readers if one.card]
                with pytest.raises(CardRefusal) as refused:
                    await desk.sign_in_by_card(reader, "999999" if holder.pin != "999999" else "888888")
                assert refused.value.tries is not None
                await desk.sign_in_by_card(reader, holder.pin)
                name = str(desk.operator.display_name)
                assert desk.operator.reader == READERS[0]
                began = time.monotonic()
                out.set()
                await until(lambda: session.resting, "the lock")
                return name, str(desk.why), time.monotonic() - began
            finally:
                out.set()
                await asyncio.to_thread(card.join)

    name, why, seconds = run(script())
    assert (name, why) == ("Card Desk", "The card was taken out of the reader.")
    print(f"locked {seconds:.2f} s after the card was taken out")
