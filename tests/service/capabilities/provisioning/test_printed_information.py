"""What a provisioning tells of the card's printed information, against the card."""

import asyncio

from app.capabilities.provisioning.paper.pin_mailers import PIN_PURPOSE, pin_context
from hardware.cards.apdu import ApduChannel
from hardware.cards.objects import parse_printed
from hardware.cards.piv import PivObject, PivSession
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import READER, Desk


def test_the_reply_says_what_the_card_says(desk: Desk) -> None:
    """Affiliation, date, serial and issuer, read back from container 5FC109."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=140)}) as table:
            reply = await table.done(node, "140")
            sealed = desk.rows(reply.provision_id).pin
            pin = desk.store.sealer.open(PIN_PURPOSE, sealed, pin_context(reply.provision_id)).decode()
            with table.backend.open(READER) as connection:
                piv = PivSession(ApduChannel(connection))
                piv.select()
                piv.verify(pin)
                content = piv.get_object(PivObject.PRINTED)
            assert content is not None
            card = parse_printed(content)
            told = reply.printed
            assert told is not None
            assert card.expires is not None
            assert (told.affiliation, told.expires, told.serial, told.issuer) == (
                card.affiliation,
                card.expires.isoformat(),
                card.serial,
                card.issuer,
            )

    asyncio.run(main())
