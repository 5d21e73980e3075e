"""Strikes on a real store: what a call issues, what it holds back, and what becomes of it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.problems import Problem
from app.api.wire import unix_us
from app.capabilities.enforcement.jurisdictions import SHIPPED
from app.capabilities.enforcement.messages import NoticeQuery, Strike, StrikeQuery
from app.evidence.strikes import judge_declaration, judge_notice
from app.store.clock import system_clock_us
from tests.service.capabilities.enforcement.strike_site import (
    ACTOR,
    DECLARANT,
    NODE,
    STATEMENT,
    URLS,
    WHOLE,
    WORK,
    StrikeSite,
    strike_body,
    strike_site,
)
from tests.unit.capabilities.enforcement.notice_facts import CODES


@pytest.fixture
def site(tmp_path: Path) -> Iterator[StrikeSite]:
    """A training site with one platform by form."""
    with strike_site(tmp_path / "site") as made:
        made.platform()
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StrikeSite]:
    """One that several tests strike on, each under a signature of its own."""
    with strike_site(tmp_path_factory.mktemp("shared") / "site") as made:
        made.platform()
        yield made


def run(work: Any) -> Any:
    """On a loop of its own."""
    return asyncio.run(work)


def states(found: Strike) -> list[tuple[str, str]]:
    """Kind and state of each notice."""
    return [(one.kind, one.state) for one in found.notices]


def without(*names: str) -> dict[str, Any]:
    """All details but these."""
    return {name: value for name, value in WHOLE.items() if name not in names}


def last_detail(site: StrikeSite, action: str) -> dict[str, Any]:
    """What the newest leaf of this action states."""
    with site.store.read() as connection:
        payload = connection.exec_driver_sql(
            "SELECT e.payload FROM audit_entry e JOIN log_word w ON w.id = e.action WHERE w.text = ? "
            "ORDER BY e.seq DESC LIMIT 1",
            (action,),
        ).scalar_one()
    found: dict[str, Any] = json.loads(payload)["detail"]
    return found


def lacking(found: Strike) -> list[str]:
    """What the strike lacks."""
    return [one.element for one in found.missing]


# --- the call ---


def test_three_fields_alone_issue_a_signed_declaration(site: StrikeSite) -> None:
    """201 with a token; what is missing is named with field and basis, and nothing may leave."""
    found, made = run(site.call("US", platforms=["video"]))
    assert made
    assert found.state == "AWAITING_DETAILS"
    assert re.fullmatch("ARC-ST-[0-9A-Z]{32}", found.tracking_token)
    assert re.fullmatch("str_[0-9a-f]{20}", found.strike_id)
    assert states(found) == [("declaration", "held"), ("takedown", "held")]
    assert {one.pointer for one in found.missing} >= {"/content_urls", "/statement", "/work/title", "/declarant/name"}
    assert all(one.basis and one.detail for one in found.missing)
    pdf = site.strikes.records.declaration(found.tracking_token)
    judge_declaration(pdf, [site.strikes._signer.chain[1]])
    assert found.declaration.revision == 1
    with site.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM notice_content").scalar_one() == 0


def test_three_fields_alone_suffice_on_a_site_without_platforms(tmp_path: Path) -> None:
    """What is missing is somebody to send to."""
    with strike_site(tmp_path / "bare", "production") as bare:
        found = run(bare.issue("GB"))
        assert (found.state, found.notices, lacking(found)) == ("AWAITING_DETAILS", [], ["platforms"])
        bare.platform()
        supplied = run(bare.supply(found, platforms=["video"]))
        assert [one.platform for one in supplied.notices] == ["video", "video"]
        assert "platforms" not in lacking(supplied)


def test_platforms_that_nobody_named_are_the_default_ones(site: StrikeSite) -> None:
    """In the order of their ids."""
    for name in ("zz-b", "zz-a"):
        site.platform(name, default=True)
    found = [one.platform for one in run(site.issue()).notices]
    assert found == sorted(found)
    assert found[-4:] == ["zz-a", "zz-a", "zz-b", "zz-b"]
    assert "video" not in found


def test_a_strike_states_its_documents_in_one_leaf(site: StrikeSite) -> None:
    """By their digests, with the law and the attestation."""
    found = run(site.issue(**WHOLE, platforms=["video"]))
    assert site.actions()[-1] == "strike.issued"
    with site.store.read() as connection:
        payload = connection.exec_driver_sql("SELECT payload FROM audit_entry ORDER BY seq DESC LIMIT 1").scalar_one()
    detail = json.loads(payload)["detail"]
    assert detail["declaration_sha256"] == found.declaration.sha256
    assert detail["law_sha256"] == found.law.sha256
    assert (detail["attested"], detail["attested_by"]) == (True, ACTOR)
    assert [one["notice_id"] for one in detail["notices"]] == [one.notice_id for one in found.notices]
    assert "Training Person" not in json.dumps(detail)


def test_the_same_call_again_is_the_same_strike(site: StrikeSite) -> None:
    """Whatever else it says; nothing is written."""
    first = run(site.issue("US", platforms=["video"]))
    before = site.counts()
    again, made = run(site.call("usa", platforms=["video"], **WHOLE))
    assert (again, made) == (first, False)
    assert site.counts() == before


@pytest.mark.parametrize(
    "other",
    [
        {"code": "US-TN"},
        {"code": "US", "target_compromise_signature": "case 8 of the training desk"},
        {"code": "US", "platforms": ["video", "audio"]},
    ],
)
def test_another_signature_law_or_platform_is_another_strike(site: StrikeSite, other: dict[str, Any]) -> None:
    """Each of the three counts."""
    site.platform("audio")
    first = run(site.issue("US", platforms=["video"]))
    second, made = run(site.call(**{"platforms": ["video"], **other}))
    assert made
    assert second.strike_id != first.strike_id


def test_the_member_state_counts_and_the_order_of_platforms_does_not(site: StrikeSite) -> None:
    """DE and FR are two strikes under one law."""
    site.platform("audio")
    german = run(site.issue("DE", platforms=["video", "audio"]))
    assert (german.law.code, german.law.state) == ("EU", "DE")
    assert run(site.issue("FR", platforms=["video", "audio"])).strike_id != german.strike_id
    assert run(site.call("de", platforms=["audio", "video"]))[1] is False


def test_the_same_call_in_parallel_is_one_strike(site: StrikeSite) -> None:
    """One is made, the others are answered with it."""

    async def all_at_once() -> list[tuple[Strike, bool]]:
        return await asyncio.gather(*(site.call("US", platforms=["video"]) for _ in range(6)))

    found = run(all_at_once())
    assert len({one.strike_id for one, _ in found}) == 1
    assert sum(made for _, made in found) == 1
    assert site.counts()[:2] == [1, 2]
    assert site.actions().count("strike.issued") == 1


def test_a_withdrawn_strike_is_no_longer_the_same(site: StrikeSite) -> None:
    """The same call makes a new one."""
    first = run(site.issue("US", platforms=["video"]))
    run(site.strikes.withdraw(first.tracking_token, "issued by mistake", actor=ACTOR))
    second, made = run(site.call("US", platforms=["video"]))
    assert (made, second.strike_id != first.strike_id) == (True, True)


def test_an_unknown_node_is_refused(site: StrikeSite) -> None:
    """404; nothing is written."""
    before = site.counts()
    with pytest.raises(Problem) as refused:
        run(site.issue(node_id=NODE))
    assert refused.value.status == 404
    assert site.counts() == before


@pytest.mark.parametrize(
    ("code", "said"), [("FR-75", "There is no law file FR-75"), ("NO_FAKES_ACT", "is a bill, not law")]
)
def test_what_is_no_law_is_refused_before_anything_else(site: StrikeSite, code: str, said: str) -> None:
    """422 at the field, also where other fields are wrong."""
    before = site.counts()
    with pytest.raises(Problem, match=said) as refused:
        run(site.issue(code, platforms=["unknown"], node_id="ARC-UNKNOWN"))
    assert (refused.value.status, refused.value.errors[0].pointer) == (422, "/enforcement_jurisdiction")
    assert site.counts() == before


def test_every_fault_of_a_body_is_told_at_once(site: StrikeSite) -> None:
    """Each with its pointer."""
    with pytest.raises(Problem) as refused:
        run(
            site.issue(
                platforms=["video", "unknown", "video"],
                content_urls=["https://video.example/ok", "https://[::1", "https://video.example:99999/"],
            )
        )
    assert [one.pointer for one in refused.value.errors] == [
        "/content_urls/1",
        "/content_urls/2",
        "/platforms/1",
        "/platforms/2",
    ]


def test_urls_are_kept_as_they_were_given(site: StrikeSite) -> None:
    """In every script, up to 2,048 characters, and a hundred of them."""
    urls = [f"https://vidéo.example/ü?q={number}" for number in range(99)]
    urls.append("https://video.example/" + "x" * (2_048 - 22))
    found = run(site.issue(platforms=["video"], **{**WHOLE, "content_urls": urls}))
    assert found.content_urls == urls
    assert found.declaration.pages > 1
    with site.store.read() as connection:
        notice, jws = connection.exec_driver_sql("SELECT notice, jws FROM strike_notice ORDER BY number").first() or ()
    assert json.loads(notice)["content_urls"] == urls
    assert judge_notice(jws.encode(), [site.strikes._signer.chain[1]])[1][0] == notice


# --- what leaves, and what does not ---


@pytest.mark.parametrize("code", CODES)
def test_without_the_flag_declarations_leave_and_takedowns_wait(shared: StrikeSite, code: str) -> None:
    """Under every law."""
    target = f"without {code}"
    found = run(shared.issue(code, platforms=["video"], target_compromise_signature=target, **WHOLE))
    assert states(found) == [("declaration", "operator_action"), ("takedown", "held")]
    assert found.missing == []
    assert found.state == "ISSUED"


@pytest.mark.parametrize("code", CODES)
def test_with_the_flag_both_leave(shared: StrikeSite, code: str) -> None:
    """Once work and attestation are recorded."""
    target = f"with {code}"
    found = run(shared.issue(code, automated=True, platforms=["video"], target_compromise_signature=target, **WHOLE))
    assert states(found) == [("declaration", "operator_action"), ("takedown", "operator_action")]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("gone", ["work", "attestation"])
def test_the_flag_without_work_or_attestation_sends_nothing(shared: StrikeSite, code: str, gone: str) -> None:
    """Under every law: both documents are held, and it is named. A person cannot release them either."""
    details = dict(WHOLE)
    if gone == "work":
        del details["work"]
    else:
        details["declarant"] = {**DECLARANT, "attested": False}
    found = run(
        shared.issue(
            code,
            automated=True,
            platforms=["video"],
            target_compromise_signature=f"{gone} {code}",
            **details,
        )
    )
    assert states(found) == [("declaration", "held"), ("takedown", "held")]
    assert f"dispatch_{gone}" in lacking(found)
    for one in found.notices:
        with pytest.raises(Problem, match="lacks") as refused:
            run(shared.deliveries.send(one.notice_id, actor=ACTOR, request_id="req_1"))
        assert refused.value.status == 409
    assert states(shared.read(found)) == states(found)


def test_with_the_flag_nothing_leaves_before_all_is_there(site: StrikeSite) -> None:
    """The declaration lacks nothing, the takedown an e-mail address: both wait, so that it can still be supplied."""
    nameless = {name: value for name, value in DECLARANT.items() if name != "email"}
    found = run(site.issue("US", automated=True, platforms=["video"], **{**WHOLE, "declarant": nameless}))
    declaration, takedown = found.notices
    assert (declaration.missing, [one.pointer for one in takedown.missing]) == ([], ["/declarant/email"])
    assert states(found) == [("declaration", "held"), ("takedown", "held")]
    assert declaration.history[-1].detail == "Held: it leaves with the takedown notice, which lacks something."
    supplied = run(site.supply(found, declarant=DECLARANT))
    assert states(supplied) == [("declaration", "operator_action"), ("takedown", "operator_action")]


def test_a_dmca_takedown_without_a_work_never_leaves(site: StrikeSite) -> None:
    """Without the flag the demand goes, and the notice stays."""
    details = {name: value for name, value in WHOLE.items() if name != "work"}
    found = run(site.issue("US", platforms=["video"], **details))
    assert states(found) == [("declaration", "operator_action"), ("takedown", "held")]
    assert [one.element for one in found.notices[1].missing] == ["work"]
    assert any("cites no statute" in one for one in found.warnings)
    with pytest.raises(Problem, match="Name the copyrighted work"):
        run(site.deliveries.send(found.notices[1].notice_id, actor=ACTOR, request_id="req_1"))


def test_a_person_releases_a_held_takedown(site: StrikeSite) -> None:
    """With a leaf, and a line in its history."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    run(site.deliveries.send(found.notices[1].notice_id, actor="key-operator", request_id="req_1"))
    after = site.read(found)
    assert states(after)[1] == ("takedown", "operator_action")
    last = after.notices[1].history[-1]
    assert (last.state, last.actor) == ("operator_action", "key-operator")
    assert site.actions()[-1] == "strike.notice"


def test_a_platform_by_call_is_queued_with_fixed_bytes(site: StrikeSite) -> None:
    """What leaves is stored in the strike's own transaction."""
    site.platform("desk", "https", address="https://desk.example/notices")
    found = run(site.issue("EU", platforms=["desk"], **WHOLE))
    assert states(found) == [("declaration", "queued"), ("takedown", "held")]
    with site.store.read() as connection:
        contents = connection.exec_driver_sql("SELECT count(*) FROM notice_content").scalar_one()
    assert contents == 2


def test_a_channel_that_is_not_there_holds(site: StrikeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mail relay nothing is queued by mail; nothing is missing in the notice, and its history says why."""
    monkeypatch.setattr(site.strikes._notices, "hindrance", lambda _: "This site has no mail relay.")
    site.platform("post", "mail")
    found = run(site.issue("EU", platforms=["post"], **WHOLE))
    assert states(found)[0] == ("declaration", "held")
    assert found.missing == []
    assert found.notices[0].history[0].detail == "Held: This site has no mail relay."


def test_too_many_default_platforms_are_not_guessed_among(tmp_path: Path) -> None:
    """422 that says so; nobody knows which of them were meant."""
    with strike_site(tmp_path / "many", "production") as many:
        for number in range(21):
            many.platform(f"p{number:02}", default=True)
        with pytest.raises(Problem, match="21 platforms are marked as default") as refused:
            run(many.issue())
        assert refused.value.errors[0].pointer == "/platforms"
        assert len(run(many.issue(platforms=[f"p{number:02}" for number in range(20)])).notices) == 40


def test_the_most_exact_address_of_a_platform_is_taken(site: StrikeSite) -> None:
    """Of the member state, then of the law, then its own."""
    site.platform(
        "desk",
        framework_contacts={
            "EU": {"channel": "https", "address": "https://desk.example/dsa"},
            "DE": {"channel": "form", "address": "https://desk.example/de"},
            "US": {"channel": "form", "address": "https://desk.example/us"},
        },
    )

    def address(code: str) -> tuple[str, str | None]:
        found = run(site.issue(code, platforms=["desk"]))
        return found.notices[0].channel, found.notices[0].form_url

    assert address("DE") == ("form", "https://desk.example/de")
    assert address("FR") == ("https", None)
    assert address("US-NCII") == ("form", "https://desk.example/us")
    assert address("GB") == ("form", "https://video.example/report")


def test_a_platform_is_written_to_in_its_language(site: StrikeSite) -> None:
    """As far as the law has it; the one declaration is in it where all have the same."""
    site.platform("tube", languages=["de", "en"])
    site.platform("clip", languages=["fr"])
    preview = run(site.strikes.preview(strike_body("EU", platforms=["tube", "clip"], **WHOLE), actor=ACTOR))
    texts = {(one.platform, one.kind): one.text.splitlines()[0] for one in preview.notices}
    assert texts["tube", "takedown"] == "MELDUNG RECHTSWIDRIGER INHALTE"
    assert texts["clip", "takedown"] == "NOTICE OF ILLEGAL CONTENT"


def test_a_form_is_helped_with_what_to_copy(site: StrikeSite) -> None:
    """As long as there is something to do."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    form = {one.label: one.value for one in found.notices[0].form}
    assert form["Tracking number"] == f"{found.tracking_token}.1"
    assert form["The exact electronic location: URLs"] == "\n".join(URLS)
    assert found.target_compromise_signature in form["Whole text"]
    run(site.strikes.withdraw(found.tracking_token, "a mistake of ours", actor=ACTOR))
    assert site.read(found).notices[0].form == []


# --- PATCH ---


def test_what_is_supplied_lets_go_what_may_leave(site: StrikeSite) -> None:
    """A new revision of the declaration; the token stays."""
    first = run(site.issue("EU", platforms=["video"]))
    found = run(site.supply(first, **WHOLE))
    assert (found.state, found.missing, found.declaration.revision) == ("ISSUED", [], 2)
    assert found.tracking_token == first.tracking_token
    assert found.declaration.sha256 != first.declaration.sha256
    assert states(found) == [("declaration", "operator_action"), ("takedown", "held")]
    assert [one.state for one in found.notices[0].history] == ["held", "operator_action"]
    judge_declaration(site.strikes.records.declaration(found.tracking_token), [site.strikes._signer.chain[1]])


def test_what_is_left_out_stays(site: StrikeSite) -> None:
    """Details come one after the other; the attestation comes last."""
    found = run(site.issue("EU", platforms=["video"], content_urls=URLS))
    found = run(site.supply(found, statement=STATEMENT))
    assert (found.content_urls, found.statement) == (URLS, STATEMENT)
    assert lacking(found) == ["notifier", "bona_fide"]
    whole = run(site.supply(found, declarant=DECLARANT))
    assert lacking(whole) == []
    assert [one.detail for one in whole.notices[1].history] == [
        "Held: 3 missing.",
        "Held: 2 missing.",
        "Held: a person releases it.",
    ]


def test_who_changes_what_was_attested_attests_anew(site: StrikeSite) -> None:
    """The attestation was given for other words; saying the same again takes nothing back."""
    found = run(site.issue("EU", automated=True, platforms=["video"], declarant=DECLARANT, statement=STATEMENT))
    assert found.declarant is not None
    assert found.declarant.attested_by == ACTOR
    same = run(site.supply(found, statement=STATEMENT))
    assert same.declarant is not None
    assert same.declarant.attested
    changed = run(site.supply(found, statement="Quite another statement, which nobody has read."))
    assert changed.declarant is not None
    assert (changed.declarant.attested, changed.declarant.attested_at, changed.declarant.attested_by) == (
        False,
        None,
        None,
    )
    assert "bona_fide" in lacking(changed)
    again = run(site.supply(found, declarant=DECLARANT))
    assert "bona_fide" not in lacking(again)


def test_platforms_may_be_replaced_while_nothing_has_left(site: StrikeSite) -> None:
    """Notices to those that go are withdrawn, and do not come back; numbers go on."""
    site.platform("audio")
    first = run(site.issue("EU", platforms=["video"]))
    found = run(site.supply(first, platforms=["audio"]))
    assert [(one.platform, one.state, one.tracking[-1]) for one in found.notices] == [
        ("video", "withdrawn", "1"),
        ("video", "withdrawn", "2"),
        ("audio", "held", "3"),
        ("audio", "held", "4"),
    ]
    with pytest.raises(Problem, match="taken out") as refused:
        run(site.supply(found, platforms=["audio", "video", "unknown"], content_urls=["https://[::1"]))
    assert sorted(one.pointer for one in refused.value.errors) == ["/content_urls/0", "/platforms/1", "/platforms/2"]


def test_nothing_is_replaced_once_a_notice_has_left(site: StrikeSite) -> None:
    """409: what was said stays said."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    with pytest.raises(Problem, match="what was sent stays as it is") as refused:
        run(site.supply(found, statement="Quite another statement, which nobody has read."))
    assert refused.value.status == 409
    assert site.read(found) == found


def test_what_the_takedown_alone_lacks_is_supplied_after_the_declaration_left(site: StrikeSite) -> None:
    """The declaration that left stays byte for byte; the takedown notice names it, and waits for a person."""
    found = run(site.issue("US", platforms=["video"], **without("work")))
    run(site.outcome(found.notices[0].notice_id, "sent", reference="CASE-1"))
    before = site.read(found)
    pdf = site.strikes.records.declaration(found.tracking_token)
    supplied = run(site.supply(found, work=WORK, declarant=DECLARANT))
    assert states(supplied) == [("declaration", "sent"), ("takedown", "held")]
    assert (supplied.missing, supplied.state) == ([], "PARTIAL")
    assert supplied.declaration == before.declaration
    assert site.strikes.records.declaration(found.tracking_token) == pdf
    assert supplied.notices[0] == before.notices[0]
    assert [one.detail for one in supplied.notices[1].history] == ["Held: 1 missing.", "Held: a person releases it."]
    with site.store.read() as connection:
        said = json.loads(connection.exec_driver_sql("SELECT notice FROM strike_notice WHERE number = 2").scalar_one())
    assert said["declaration"] == {"sha256": found.declaration.sha256, "revision": 1}
    assert (said["work"]["title"], said["missing"]) == (WORK["title"], [])
    run(site.deliveries.send(found.notices[1].notice_id, actor=ACTOR, request_id="req_1"))
    assert states(site.read(found))[1] == ("takedown", "operator_action")


def test_what_is_supplied_later_is_stated_with_what_has_left(site: StrikeSite) -> None:
    """One leaf has all documents as they stand, under the law and with the files that were pinned."""
    found = run(site.issue("US", platforms=["video"], **without("work")))
    run(site.outcome(found.notices[0].notice_id, "sent"))
    first = last_detail(site, "strike.issued")
    run(site.supply(found, work=WORK, declarant=DECLARANT))
    second = last_detail(site, "strike.revised")
    same = ("declaration_sha256", "revision", "law_sha256", "files")
    assert [second[name] for name in same] == [first[name] for name in same]
    assert [one["state"] for one in second["notices"]] == ["sent", "held"]
    assert second["notices"][0]["sha256"] == first["notices"][0]["sha256"]
    assert second["notices"][1]["sha256"] != first["notices"][1]["sha256"]


@pytest.mark.parametrize(
    ("said", "pointers"),
    [
        ({"statement": "Quite another statement, which nobody has read."}, ["/statement"]),
        ({"content_urls": URLS[:1]}, ["/content_urls"]),
        ({"nature": "nudity"}, ["/nature"]),
        ({"platforms": ["video", "audio"]}, ["/platforms"]),
        ({"node_id": NODE}, ["/node_id"]),
        ({"declarant": {**DECLARANT, "name": "Training Person Two", "phone": "+49 30 000"}}, ["/declarant/name"]),
        ({"declarant": {**DECLARANT, "email": "two@training.invalid"}}, ["/declarant/email"]),
        ({"declarant": {**DECLARANT, "attested": False}}, ["/declarant/attested"]),
        ({"work": WORK}, ["/declarant/attested"]),
        (
            {"content_urls": URLS[:1], "declarant": {**DECLARANT, "capacity": "their agent"}},
            ["/content_urls", "/declarant/capacity"],
        ),
    ],
)
def test_what_has_left_is_not_said_otherwise_later(
    shared: StrikeSite, said: dict[str, Any], pointers: list[str]
) -> None:
    """409 with each field that would say something else than the declaration, or that was attested and is not now."""
    shared.node()
    shared.platform("audio")
    found = run(shared.issue("US", platforms=["video"], target_compromise_signature=f"{said}", **without("work")))
    before = shared.counts()
    with pytest.raises(Problem, match="what was sent stays as it is") as refused:
        run(shared.supply(found, **said))
    assert refused.value.status == 409
    assert [one.pointer for one in refused.value.errors] == pointers
    assert shared.counts() == before
    assert shared.read(found) == found


def test_what_is_said_again_as_it_was_sent_is_no_change(site: StrikeSite) -> None:
    """The draft of the console sends all of its fields."""
    found = run(site.issue("US", platforms=["video"], **without("work")))
    supplied = run(site.supply(found, platforms=["video"], **WHOLE))
    assert supplied.missing == []
    assert supplied.declaration == found.declaration


def test_two_that_supply_after_the_declaration_left_do_not_mix(site: StrikeSite) -> None:
    """One of them is told to read again."""
    found = run(site.issue("US", platforms=["video"], **without("work")))

    async def both() -> list[Any]:
        works = ({**WORK, "title": f"Training recording {number}"} for number in range(2))
        calls = (site.supply(found, work=work, declarant=DECLARANT) for work in works)
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [one.status for one in run(both()) if isinstance(one, Problem)] == [409]


def test_after_the_declaration_left_the_law_is_the_pinned_one(site: StrikeSite) -> None:
    """A file that the site changed since is no part of the strike."""
    found = run(site.issue("US", platforms=["video"], **without("work")))
    own = site.site.data_dir / "notices" / "US"
    shutil.copytree(SHIPPED / "US", own)
    law = own / "law.toml"
    law.write_text(law.read_text() + "\n# of this site\n")
    assert next(one for one in site.strikes.jurisdictions().items if one.code == "US").sha256 != found.law.sha256
    supplied = run(site.supply(found, work=WORK, declarant=DECLARANT))
    assert (supplied.law.sha256, supplied.missing) == (found.law.sha256, [])


def test_a_platform_that_was_deleted_keeps_its_notices(site: StrikeSite) -> None:
    """The strike goes on with the address that it had."""
    found = run(site.issue("EU", platforms=["video"]))
    run(site.registry.platforms.delete("video", actor=ACTOR))
    supplied = run(site.supply(found, **WHOLE))
    assert states(supplied) == [("declaration", "operator_action"), ("takedown", "held")]
    assert supplied.notices[0].form_url == "https://video.example/report"


def test_a_platform_that_moved_is_written_to_where_the_notice_was_made_for(site: StrikeSite) -> None:
    """Row and delivery stay one; the name that people read is the new one."""
    found = run(site.issue("EU", platforms=["video"]))
    site.platform("video", "https", address="https://elsewhere.example/notices", display_name="Training moved")
    supplied = run(site.supply(found, **WHOLE))
    assert [(one.platform_name, one.channel, one.form_url) for one in supplied.notices] == [
        ("Training moved", "form", "https://video.example/report"),
        ("Training moved", "form", "https://video.example/report"),
    ]
    with site.store.read() as connection:
        channels = connection.exec_driver_sql("SELECT DISTINCT channel FROM delivery WHERE platform_id = 'video'").all()
    assert [row[0] for row in channels] == ["form"]


def test_two_patches_at_a_time_do_not_mix(site: StrikeSite) -> None:
    """One of them is told to read again."""
    found = run(site.issue("EU", platforms=["video"]))

    async def both() -> list[Any]:
        calls = (site.supply(found, content_urls=[f"https://video.example/{number}"]) for number in range(2))
        return await asyncio.gather(*calls, return_exceptions=True)

    results = run(both())
    refused = [one for one in results if isinstance(one, Problem)]
    assert [one.status for one in refused] == [409]
    assert site.read(found).declaration.revision == 2


def test_a_strike_that_becomes_another_open_one_is_refused(site: StrikeSite) -> None:
    """Two open strikes are never the same."""
    site.platform("audio")
    run(site.issue("EU", platforms=["audio"]))
    second = run(site.issue("EU", platforms=["video"]))
    with pytest.raises(Problem, match="is open for the same") as refused:
        run(site.supply(second, platforms=["audio"]))
    assert refused.value.status == 409


def test_a_strike_that_is_over_takes_no_details(site: StrikeSite) -> None:
    """Withdrawn, or every notice at its end."""
    found = run(site.issue("EU", platforms=["video"]))
    run(site.strikes.withdraw(found.tracking_token, "a mistake of ours", actor=ACTOR))
    with pytest.raises(Problem, match="is over"):
        run(site.supply(found, statement=STATEMENT))


# --- preview ---


def test_a_preview_writes_nothing(site: StrikeSite) -> None:
    """And shows what a strike would be, marked DRAFT."""
    run(site.issue("GB", platforms=["video"]))
    before = site.counts()
    body = strike_body("EU", platforms=["video"], content_urls=URLS, statement=STATEMENT)
    found = run(site.strikes.preview(body, actor=ACTOR))
    assert site.counts() == before
    assert (found.present, [one.element for one in found.missing]) == (
        ["reasons", "location"],
        ["notifier", "bona_fide"],
    )
    assert [(one.kind, one.held) for one in found.notices] == [("declaration", False), ("takedown", True)]
    assert found.attestation.startswith("I have the bona fide belief")
    assert base64.b64decode(found.pdf).startswith(b"%PDF-")
    assert b"/ByteRange" not in base64.b64decode(found.pdf)


def test_a_preview_says_that_the_flag_holds_all(site: StrikeSite) -> None:
    """With the flag the declaration waits for what the takedown notice lacks; without it, it leaves."""
    nameless = {name: value for name, value in DECLARANT.items() if name != "email"}
    for automated in (True, False):
        body = strike_body("US", automated=automated, platforms=["video"], **{**WHOLE, "declarant": nameless})
        declaration, takedown = run(site.strikes.preview(body, actor=ACTOR)).notices
        assert (declaration.missing, declaration.held) == ([], automated)
        assert (len(takedown.missing), takedown.held) == (1, True)
    whole = run(site.strikes.preview(strike_body("US", automated=True, platforms=["video"], **WHOLE), actor=ACTOR))
    assert [one.held for one in whole.notices] == [False, False]


def test_a_preview_refuses_what_a_strike_refuses(site: StrikeSite) -> None:
    """With the same words."""
    body = strike_body("EU", platforms=["unknown"])
    with pytest.raises(Problem) as previewed:
        run(site.strikes.preview(body, actor=ACTOR))
    with pytest.raises(Problem) as issued:
        run(site.strikes.issue(body, actor=ACTOR))
    assert previewed.value.errors == issued.value.errors


def test_a_law_that_changes_between_preview_and_call_is_seen(site: StrikeSite) -> None:
    """The strike pins the file as it was at the call, and says which."""
    body = strike_body("GB", platforms=["video"], **WHOLE)
    previewed = run(site.strikes.preview(body, actor=ACTOR))
    own = site.site.data_dir / "notices" / "GB"
    shutil.copytree(SHIPPED / "GB", own)
    text = (own / "takedown.en.txt").read_text()
    (own / "takedown.en.txt").write_text(text.replace("Please take", "Please do take"))
    found, _ = run(site.strikes.issue(body, actor=ACTOR))
    assert found.law.sha256 != previewed.law.sha256
    with site.store.read() as connection:
        pinned = connection.exec_driver_sql(
            "SELECT data FROM strike_file WHERE name = 'law/takedown.en.txt'"
        ).scalar_one()
    assert b"Please do take" in pinned
    (item,) = [one for one in site.strikes.jurisdictions().items if one.code == "GB"]
    assert item.overridden
    assert "+Please do take" in item.difference


# --- withdraw, look up, list ---


def test_what_has_not_left_never_leaves_a_withdrawn_strike(site: StrikeSite) -> None:
    """Every notice is withdrawn with a leaf; again changes nothing."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    after = run(site.strikes.withdraw(found.tracking_token, "issued by mistake", actor=ACTOR))
    assert after.state == "WITHDRAWN"
    assert states(after) == [("declaration", "withdrawn"), ("takedown", "withdrawn")]
    before = site.counts()
    assert run(site.strikes.withdraw(found.tracking_token, "once more", actor=ACTOR)) == after
    assert site.counts() == before
    with pytest.raises(Problem) as refused:
        run(site.deliveries.send(found.notices[1].notice_id, actor=ACTOR, request_id="req_1"))
    assert refused.value.status == 409


def test_what_was_sent_stays_sent_in_a_withdrawn_strike(site: StrikeSite) -> None:
    """The platform has it."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    run(site.outcome(found.notices[0].notice_id, "sent", reference="CASE-1"))
    after = run(site.strikes.withdraw(found.tracking_token, "issued by mistake", actor=ACTOR))
    assert states(after) == [("declaration", "sent"), ("takedown", "withdrawn")]


@pytest.mark.parametrize("call", ["get", "declaration", "bundle", "supply", "withdraw"])
def test_a_forged_token_is_refused_before_the_store_is_asked(
    site: StrikeSite, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """404 by its MAC alone: no reader is opened, and nothing is queued for the writer."""
    found = run(site.issue("EU", platforms=["video"]))
    forged = found.tracking_token[:-1] + ("0" if found.tracking_token[-1] != "0" else "1")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the store was asked")

    monkeypatch.setattr(site.store, "read", refuse)
    monkeypatch.setattr(site.store.writer, "run", refuse)
    records = site.strikes.records
    calls: dict[str, Any] = {
        "get": lambda: records.get(forged),
        "declaration": lambda: records.declaration(forged),
        "bundle": lambda: site.strikes.bundles.bundle(forged),
        "supply": lambda: run(site.supply(msgspec.structs.replace(found, tracking_token=forged))),
        "withdraw": lambda: run(site.strikes.withdraw(forged, "a mistake", actor=ACTOR)),
    }
    with pytest.raises(Problem) as refused:
        calls[call]()
    assert refused.value.status == 404


def test_a_token_of_this_site_that_no_strike_has_is_unknown(site: StrikeSite) -> None:
    """Its MAC is good, and it was never issued."""
    with pytest.raises(Problem) as refused:
        site.strikes.records.get(site.strikes._tokens.token(bytes(12)))
    assert refused.value.status == 404


def test_a_token_is_read_in_any_writing(site: StrikeSite) -> None:
    """As people copy it."""
    found = run(site.issue("EU", platforms=["video"]))
    assert site.strikes.records.get(found.tracking_token.lower()) == found


def test_strikes_are_listed_newest_first(site: StrikeSite) -> None:
    """By node and by jurisdiction, page by page."""
    site.node()
    mine = run(site.issue("DE", platforms=["video"], node_id=NODE))
    others = [run(site.issue(code, platforms=["video"])) for code in ("US", "GB")]
    page = site.strikes.records.page(StrikeQuery(limit=2))
    assert [one.strike_id for one in page.items] == [one.strike_id for one in reversed(others)]
    rest = site.strikes.records.page(StrikeQuery(limit=2, cursor=page.next))
    assert [one.strike_id for one in rest.items] == [mine.strike_id]
    assert rest.next is None
    for query in (StrikeQuery(node_id=NODE), StrikeQuery(jurisdiction="de"), StrikeQuery(jurisdiction="EU")):
        (row,) = site.strikes.records.page(query).items
        assert (row.strike_id, row.state, row.notices, row.open_notices) == (mine.strike_id, "AWAITING_DETAILS", 2, 2)
    assert mine.node_id == NODE


def test_the_board_has_the_most_urgent_first(site: StrikeSite) -> None:
    """What waits since long, then by the end of the law's time; the others apart."""
    first = run(site.issue("US-NCII", platforms=["video"], **WHOLE))
    second = run(site.issue("IN", platforms=["video"], **WHOLE))
    run(site.outcome(first.notices[0].notice_id, "sent"))
    run(site.outcome(second.notices[0].notice_id, "sent"))
    board = site.strikes.records.board(NoticeQuery())
    assert [(one.enforcement_jurisdiction, one.notice.kind) for one in board.items] == [
        ("US-NCII", "takedown"),
        ("IN", "takedown"),
        ("IN", "declaration"),
        ("US-NCII", "declaration"),
    ]
    run(site.outcome(first.notices[0].notice_id, "actioned", decision="DECISION_VISIBILITY_CONTENT_REMOVED"))
    assert len(site.strikes.records.board(NoticeQuery()).items) == 3
    (over,) = site.strikes.records.board(NoticeQuery(open=False)).items
    assert (over.notice.state, over.notice.decision) == ("actioned", "DECISION_VISIBILITY_CONTENT_REMOVED")
    assert site.strikes.records.board(NoticeQuery(platform="audio")).items == []
    page = site.strikes.records.board(NoticeQuery(limit=2))
    assert len(site.strikes.records.board(NoticeQuery(limit=2, cursor=page.next)).items) == 1


def test_jurisdictions_are_listed_with_what_is_watched(site: StrikeSite) -> None:
    """Ten laws, three bills."""
    found = site.strikes.jurisdictions()
    assert [one.code for one in found.items] == list(CODES)
    assert [one.code for one in found.watch] == ["US-NO-FAKES", "DK-65A", "GB-CPA-2026"]


# --- warnings, evidence, mandate ---


def test_warnings_refuse_nothing(site: StrikeSite) -> None:
    """A URL outside the platform's domains, one that stands in an open strike, a law's own words."""
    site.platform("video", domains=["video.example"])
    first = run(site.issue("EU", platforms=["video"], content_urls=URLS))
    body = {"content_urls": [URLS[0], "https://elsewhere.example/a", "https://cdn.video.example/b"]}
    found = run(site.issue("GB", platforms=["video"], **body))
    assert "elsewhere.example is outside the domains of Training video." in found.warnings
    assert f"{URLS[0]} stands in the open strike {first.strike_id} already." in found.warnings
    assert not any("cdn.video.example" in one for one in found.warnings)
    assert any("48 hours are a goal" in one for one in found.warnings)
    assert any("nothing under the signature" in one for one in found.warnings)


def test_a_domain_in_another_script_is_the_same_domain(site: StrikeSite) -> None:
    """As the domain name system has it."""
    site.platform("video", domains=["xn--vido-dpa.example"])
    found = run(
        site.issue("EU", platforms=["video"], content_urls=["https://vidéo.example/1", "https://VIDÉO.example/2"])
    )
    assert not any("outside" in one for one in found.warnings)


def test_a_law_past_its_review_warns_and_is_used(site: StrikeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """In training; in production it holds everything."""
    own = site.site.data_dir / "notices" / "GB"
    shutil.copytree(SHIPPED / "GB", own)
    law = (own / "law.toml").read_text()
    (own / "law.toml").write_text(law.replace('"2026-11-21"', '"2026-05-01"').replace('"2027-05-20"', '"2026-10-01"'))
    found = run(site.issue("GB", platforms=["video"], **WHOLE))
    assert any("was due on 2026-10-01" in one for one in found.warnings)
    assert states(found)[0] == ("declaration", "operator_action")


def test_a_law_file_that_is_not_used_is_an_alarm(site: StrikeSite) -> None:
    """Until it can be used again; told once."""
    own = site.site.data_dir / "notices" / "GB"
    shutil.copytree(SHIPPED / "GB", own)
    (own / "law.toml").write_text("code =")

    def open_ones() -> list[str]:
        sweep(site)
        with site.store.read() as connection:
            wanted = "SELECT text FROM alarm WHERE kind = 'law.refused' AND key = 'GB'"
            return [str(row[0]) for row in connection.exec_driver_sql(wanted)]

    (said,) = open_ones()
    assert said.startswith("GB is not used: law.toml cannot be read")
    before = site.counts()
    assert len(open_ones()) == 1
    assert site.counts() == before
    shutil.rmtree(own)
    assert open_ones() == []


# --- clocks ---


def sweep(site: StrikeSite) -> None:
    """What the service does each minute."""
    for one in site.registry._sweeps:
        site.write(lambda tx, one=one: one(tx))


def alarms(site: StrikeSite) -> dict[str, str]:
    """Open alarms of clocks: notice by kind."""
    with site.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT kind, key FROM alarm WHERE kind LIKE 'strike.%'").all()
    return {row[0]: row[1] for row in rows}


def shift(site: StrikeSite, notice_id: str, hours: float) -> None:
    """As if so many hours had gone by since the notice was sent."""
    us = int(hours * 3_600_000_000)
    site.write(
        lambda tx: [
            tx.connection.exec_driver_sql(
                f"UPDATE strike_notice SET {column} = {column} - {us} WHERE notice_id = '{notice_id}'"
            )
            for column in ("sent_us", "deadline_us", "follow_up_us", "warn_us")
        ]
    )


def test_the_clock_starts_when_it_was_sent(site: StrikeSite) -> None:
    """By the law's hours for content of this nature; held ones have no clock."""
    found = run(site.issue("IN", platforms=["video"], **WHOLE))
    assert found.notices[0].deadline is None
    run(site.outcome(found.notices[0].notice_id, "sent", reference="CASE-1"))
    after = site.read(found).notices
    assert after[0].deadline is not None
    assert after[0].sent_at is not None
    assert unix_us(after[0].deadline) - unix_us(after[0].sent_at) == 2 * 3_600_000_000
    assert (after[0].reference, after[0].follow_up_at) == ("CASE-1", None)
    assert after[0].deadline_basis is not None
    assert after[1].deadline is None


def test_an_alarm_at_three_quarters_then_expired(site: StrikeSite) -> None:
    """Once each; an outcome closes them."""
    found = run(site.issue("US-NCII", platforms=["video"], **WHOLE))
    notice_id = found.notices[0].notice_id
    run(site.outcome(notice_id, "sent"))
    sweep(site)
    assert alarms(site) == {}
    shift(site, notice_id, 36.01)
    sweep(site)
    assert alarms(site) == {"strike.deadline": notice_id}
    before = site.counts()
    sweep(site)
    assert site.counts() == before
    shift(site, notice_id, 12)
    sweep(site)
    assert alarms(site) == {"strike.expired": notice_id}
    assert site.read(found).notices[0].state == "expired"
    run(site.outcome(notice_id, "acknowledged"))
    assert site.read(found).notices[0].state == "expired"
    run(site.outcome(notice_id, "actioned", decision="DECISION_VISIBILITY_CONTENT_REMOVED"))
    after = site.read(found).notices[0]
    assert (after.state, [one.state for one in after.history]) == (
        "actioned",
        ["operator_action", "sent", "expired", "expired", "actioned"],
    )
    assert alarms(site) == {}


def test_a_law_without_hours_asks_again(site: StrikeSite) -> None:
    """After 72 hours; it never expires."""
    found = run(site.issue("EU", platforms=["video"], **WHOLE))
    notice_id = found.notices[0].notice_id
    run(site.outcome(notice_id, "sent"))
    shift(site, notice_id, 72.01)
    sweep(site)
    assert alarms(site) == {"strike.follow_up": notice_id}
    shift(site, notice_id, 1_000)
    sweep(site)
    assert site.read(found).notices[0].state == "sent"


def test_a_counter_notice_stops_automation_and_starts_business_days(site: StrikeSite) -> None:
    """A person decides: it does not expire."""
    found = run(site.issue("US", automated=True, platforms=["video"], **WHOLE))
    notice_id = found.notices[1].notice_id
    run(site.outcome(notice_id, "sent"))
    run(site.outcome(notice_id, "countered", note="the uploader answered"))
    after = site.read(found).notices[1]
    assert (after.state, after.deadline_about) == ("countered", True)
    assert after.deadline is not None
    shift(site, notice_id, 24 * 30)
    sweep(site)
    assert site.read(found).notices[1].state == "countered"
    assert alarms(site) == {"strike.deadline": notice_id}


def test_a_strike_whose_pinned_law_is_gone_still_takes_outcomes(site: StrikeSite) -> None:
    """Somebody deleted it, which fsck tells: there is no clock then, and no form to copy from."""
    found = run(site.issue("US-NCII", platforms=["video"], **WHOLE))
    site.write(lambda tx: tx.connection.exec_driver_sql("DELETE FROM strike_file"))
    assert site.read(found).notices[0].form == []
    run(site.outcome(found.notices[0].notice_id, "sent"))
    after = site.read(found).notices[0]
    assert (after.state, after.deadline, after.follow_up_at) == ("sent", None, None)


def test_nothing_is_signed_by_a_clock_that_is_far_off(site: StrikeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 that says so; nothing is written."""
    before = site.counts()
    monkeypatch.setattr(site.strikes, "_clock", lambda: system_clock_us() + 30 * 365 * 86_400_000_000)
    with pytest.raises(Problem, match="No declaration can be signed now") as refused:
        run(site.issue("EU", platforms=["video"]))
    assert refused.value.status == 503
    assert site.counts() == before


def test_a_clock_that_is_set_back_moves_no_end(site: StrikeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are dated by the store's time, which never falls; ends stand in the rows."""
    found = run(site.issue("US-NCII", platforms=["video"], **WHOLE))
    run(site.outcome(found.notices[0].notice_id, "sent"))
    before = site.read(found).notices[0].deadline
    monkeypatch.setattr(site.strikes, "_clock", lambda: system_clock_us() - 3_600_000_000)
    second = run(site.issue("GB", platforms=["video"], **WHOLE))
    assert second.timestamp >= found.timestamp
    sweep(site)
    assert site.read(found).notices[0].deadline == before
    assert site.read(found).notices[0].state == "sent"


def test_a_strike_whose_notices_are_over_is_resolved(site: StrikeSite) -> None:
    """And the same call makes a new one then."""
    found = run(site.issue("EU", automated=True, platforms=["video"], **WHOLE))
    for one in found.notices:
        run(site.outcome(one.notice_id, "sent"))
    assert site.read(found).state == "DISPATCHED"
    run(site.outcome(found.notices[0].notice_id, "actioned"))
    assert site.read(found).state == "DISPATCHED"
    run(site.outcome(found.notices[1].notice_id, "rejected", decision="DECISION_NONE"))
    assert site.read(found).state == "RESOLVED"
    assert run(site.call("EU", automated=True, platforms=["video"], **WHOLE))[1]


# --- production ---


@pytest.fixture
def production(tmp_path: Path) -> Iterator[StrikeSite]:
    """A production site."""
    with strike_site(tmp_path / "production", "production") as made:
        made.platform()
        yield made


def test_in_production_a_law_without_sign_off_holds_everything(production: StrikeSite) -> None:
    """Whatever is recorded; a person cannot release it, and nothing says TRAINING."""
    found = run(production.issue("EU", automated=True, platforms=["video"], **WHOLE))
    assert states(found) == [("declaration", "held"), ("takedown", "held")]
    assert (found.missing, found.training, found.law.signed_off) == ([], False, False)
    assert any("signed off" in one for one in found.warnings)
    with pytest.raises(Problem, match="signed off the law file EU"):
        run(production.deliveries.send(found.notices[0].notice_id, actor=ACTOR, request_id="req_1"))


def test_in_production_a_signed_off_law_lets_go(production: StrikeSite) -> None:
    """Signed off by name in the site's own folder; no longer once that file is another one."""
    own = production.site.data_dir / "notices" / "EU"
    shutil.copytree(SHIPPED / "EU", own)
    law = (own / "law.toml").read_text()
    signed = 'reviewed_by = "A Training Lawyer"\nreviewed_on = "2026-11-21"\nrecipient = "'
    (own / "law.toml").write_text(law.replace('recipient = "', signed))
    found = run(production.issue("EU", platforms=["video"], **WHOLE))
    assert (found.law.signed_off, found.law.reviewed_by) == (True, "A Training Lawyer")
    assert states(found) == [("declaration", "operator_action"), ("takedown", "held")]
    (own / "takedown.en.txt").write_text((own / "takedown.en.txt").read_text() + "\n")
    with pytest.raises(Problem, match="as this strike used it"):
        run(production.deliveries.send(found.notices[1].notice_id, actor=ACTOR, request_id="req_1"))
