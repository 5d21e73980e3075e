"""The FIPS preflight: judges an element's claim before anything is written, and again with each key that it makes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from app.capabilities.provisioning.messages import FipsVerdict
from app.capabilities.provisioning.readers.card_readers import CardReader, CardReaders
from app.capabilities.provisioning.stock import policy
from app.capabilities.provisioning.stock.policy import FipsNotMet, FipsPolicy
from app.capabilities.provisioning.stock.service import Stock
from app.capabilities.provisioning.write.lookup import own_names
from app.site.site import Site
from app.store.engine import Store
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardConnection
from hardware.cards.device import DeviceReport, read_device_report
from hardware.cards.fips import FipsDemand, Module
from hardware.cards.identify import CardIdentity
from hardware.cards.piv import PivSession
from hardware.cards.profile import Gate, KeyProof


@dataclass
class ClaimJudgement:
    """The judgement of the element's claim; ``verdict`` is replaced when its first keys have proved more."""

    verdict: FipsVerdict
    element: Row[Any] | None
    module: Module | None

    @property
    def approved_first(self) -> bool:
        """Whether the element makes no keys before its secrets were changed."""
        return self.module is not None and self.module.approved_first


class Preflight:
    """Judges elements by the site's policy."""

    def __init__(self, site: Site, store: Store, stock: Stock, fips: FipsPolicy, readers: CardReaders) -> None:
        self._site = site
        self._store = store
        self._stock = stock
        self._fips = fips
        self._readers = readers

    async def judge(self, card_reader: CardReader, identity: CardIdentity, demand: FipsDemand) -> ClaimJudgement:
        """Judges the element before anything is written; ``FipsNotMet`` if its keys could not prove more either."""
        with self._store.read() as connection:
            element = self._stock.of(connection, own_names(identity))
        report, may_attest = None, False
        if not self._site.training:
            # A training site accepts unproven claims; a production site asks the card itself, and writes nothing.

            def ask(connection: CardConnection) -> tuple[DeviceReport | None, bool]:
                channel = ApduChannel(connection, self._readers.memory)
                found = read_device_report(channel)
                session = PivSession(channel)
                session.select()
                return found, self._fips.may_attest(session)

            report, may_attest = await asyncio.wrap_future(self._readers.ask(card_reader, ask))
        verdict, finding = self._fips.judge(demand, identity, element, report=report, before_write=True)
        # An attestation can be had of the card's first key only, before it gets a certificate or a secret.
        if not verdict.accepted and not (may_attest and verdict.verdict == "UNKNOWN"):
            raise FipsNotMet(policy.reply(demand, verdict), self._fips.remedy(verdict))
        return ClaimJudgement(policy.reply(demand, verdict), element, finding.module)

    def gate(self, judged: ClaimJudgement, identity: CardIdentity, demand: FipsDemand) -> Gate | None:
        """Judges each key that the card makes, 9A first, and keeps the verdict in ``judged``. None on a training site
        without pinned makers: a gate costs APDUs, and could not change the verdict there."""
        if self._site.training and self._fips.makers is None:
            return None

        def judge_key(proof: KeyProof) -> None:
            verdict, _ = self._fips.judge(
                demand,
                identity,
                judged.element,
                attestation=proof.attestation,
                report=proof.report,
                before_write=False,
            )
            judged.verdict = policy.reply(demand, verdict)
            if not verdict.accepted:
                raise FipsNotMet(judged.verdict, self._fips.remedy(verdict))

        return judge_key
