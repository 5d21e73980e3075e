"""A strike from the call to the mailbox: a served site, a mail server that takes, greylists and bounces, and peers that
judge what arrived: pdfsig the declaration, dkimpy and OpenDKIM the mail."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import dkim

from app.commands.mail import records
from app.site.settings import MailRelay
from app.site.site import Site
from tests.mail_receiver import MailReceiver
from tests.nss_database import NssDatabase
from tests.opendkim import complaint
from tests.served_site import ServedSite
from tests.service.capabilities.enforcement.strike_site import WHOLE

PATH = "/v1/citadel/action/strike"
PLATFORMS = ("bounce", "greylist", "take")


def test_a_strike_arrives_and_every_peer_believes_it(tmp_path: Path) -> None:
    """Declarations and takedowns go to three platforms. Each ends where its server put it, with its reason; greylisted
    ones arrive when a person has them tried again. What arrived is valid and trusted, and is refused edited."""
    first: set[str] = set()

    def recipient(address: str) -> str | None:
        if address.startswith("bounce@"):
            return "550 5.1.1 no such mailbox"
        if address.startswith("greylist@") and len(first) < 2:
            first.add(f"{address} {len(first)}")
            return "451 4.7.1 greylisted"
        return None

    receiver = MailReceiver(recipient=recipient)
    with receiver.listening():
        relay = MailRelay(
            host="127.0.0.1",
            port=receiver.port,
            tls="none",
            from_address="notices@site.invalid",
            domain="site.invalid",
        )
        served = ServedSite.laid_out(tmp_path / "site", mail=relay)
        with served.running():
            for name in PLATFORMS:
                body = {"display_name": f"TRAINING {name}", "channel": "mail", "address": f"{name}@platform.invalid"}
                assert served.put(f"/v1/registry/platforms/{name}", body).status_code == 201
            answer = served.post(
                PATH,
                {
                    "target_compromise_signature": "0x" + "ab" * 32,
                    "enforcement_jurisdiction": "US",
                    "automated_dmca_dispatch": True,
                    "platforms": list(PLATFORMS),
                    **WHOLE,
                },
            )
            assert answer.status_code == 201, answer.text
            token = answer.json()["tracking_token"]

            def states() -> dict[str, Counter[str]]:
                found: dict[str, Counter[str]] = {name: Counter() for name in PLATFORMS}
                for notice in served.get(f"{PATH}/{token}")["notices"]:
                    found[notice["platform"]][notice["state"]] += 1
                return found

            both = {"take": {"sent": 2}, "bounce": {"bounced": 2}, "greylist": {"queued": 2}}
            served.wait(lambda: states() == both and len(first) == 2)
            waiting = served.get("/v1/deliveries", platform="greylist")["items"]
            served.wait(
                lambda: all(one["attempts"] for one in served.get("/v1/deliveries", platform="greylist")["items"])
            )
            for one in waiting:
                assert served.post(f"/v1/deliveries/{one['delivery_id']}/send", {}).status_code == 200
            served.wait(lambda: states() == {**both, "greylist": {"sent": 2}})
            bounced = served.get("/v1/deliveries", platform="bounce")["items"]
            assert {(one["status"], one["fault"], one["answer"]) for one in bounced} == {
                (550, "bounced", "5.1.1 no such mailbox")
            }
            assert [one["ref"] for one in served.get("/v1/alarms")["items"] if one["kind"] == "notice.undelivered"] == [
                "bounce"
            ]
            roots = served.client.get("/v1/log/roots").content
        _, record = records(Site.existing(served.data_dir))
        judge_mails(receiver, record, roots, tmp_path)


def judge_mails(receiver: MailReceiver, record: str, roots: bytes, scratch: Path) -> None:
    """Four mails, each once, by the peers."""
    name, text = record.partition(". IN TXT ")[0], "".join(record.partition(" IN TXT ")[2].split('"')[1::2])
    assert len({mail.message_id for mail in receiver.mails}) == len(receiver.mails) == 4

    def dns(*_: Any, **__: Any) -> bytes:
        return text.encode()

    nss = NssDatabase(scratch, roots)
    for mail in receiver.mails:
        assert dkim.verify(mail.raw, dnsfunc=dns)
        pdf = next(
            part.get_payload(decode=True)
            for part in mail.message.iter_attachments()
            if part.get_filename() == "declaration.pdf"
        )
        assert isinstance(pdf, bytes)
        said = nss.pdfsig(pdf)
        assert "Signature is Valid." in said
        assert "Certificate is Trusted." in said
    one = receiver.mails[0].raw
    edited = one.replace(b"notice.json", b"notice.jsom", 1)
    assert complaint(one, name, text, scratch) == ""
    assert "Bad signature" in complaint(edited, name, text, scratch)
    assert not dkim.verify(edited, dnsfunc=dns)
