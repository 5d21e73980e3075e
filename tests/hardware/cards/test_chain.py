"""Which certificates lead to an authority."""

import datetime

from hardware.cards.chain import issued_by
from tests.hardware.cards.card_site import TestSite

SITE = TestSite()


def test_certificate_of_another_authority_does_not_lead_to_ours() -> None:
    """Same names, other keys: not issued by us."""
    assert not issued_by(TestSite().content_signer.certificate, SITE.authorities)


def test_certificate_of_ours_leads_to_the_root() -> None:
    """The content signer leads to the root that issued it."""
    assert issued_by(SITE.content_signer.certificate, SITE.authorities)


def test_expired_certificate_leads_nowhere() -> None:
    """After its end a certificate is not accepted, also one that was accepted before."""
    assert issued_by(SITE.content_signer.certificate, SITE.authorities)
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=20 * 365)
    assert not issued_by(SITE.content_signer.certificate, SITE.authorities, later)


def test_no_certificate_leads_to_an_authority_that_is_none() -> None:
    """A certificate that is not marked as a CA issues nothing."""
    assert not issued_by(SITE.content_signer.certificate, [SITE.content_signer.certificate])
