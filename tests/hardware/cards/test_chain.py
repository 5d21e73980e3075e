"""Which certificates lead to an authority."""

import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from hardware.cards.chain import directly_issued, issued_by
from tests.hardware.cards.card_site import TestSite, name

SITE = TestSite()
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
END = datetime.datetime(2026, 12, 31, tzinfo=datetime.UTC)
NOW = datetime.datetime(2026, 6, 1, tzinfo=datetime.UTC)
SECOND = datetime.timedelta(seconds=1)
KEYS = {who: ec.generate_private_key(ec.SECP256R1()) for who in ("Root", "First", "Second", "Leaf")}


def certificate(
    subject: str,
    issuer: str,
    *,
    ca: bool = True,
    start: datetime.datetime = START,
    end: datetime.datetime = END,
) -> x509.Certificate:
    """A certificate of KEYS, marked as a CA or not."""
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(KEYS[subject].public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .sign(KEYS[issuer], hashes.SHA256())
    )


ROOT = certificate("Root", "Root")
FIRST = certificate("First", "Root")
SECOND_CA = certificate("Second", "First")
LEAF = certificate("Leaf", "Second", ca=False)


def test_certificate_of_another_authority_does_not_lead_to_ours() -> None:
    """Same names, other keys: not issued by us."""
    assert issued_by(TestSite().content_signer.certificate, SITE.authorities) is False


def test_certificate_of_ours_leads_to_the_root() -> None:
    """The content signer leads to the root that issued it."""
    assert issued_by(SITE.content_signer.certificate, SITE.authorities) is True


def test_expired_certificate_leads_nowhere() -> None:
    """After its end a certificate is not accepted, also one that was accepted before."""
    assert issued_by(SITE.content_signer.certificate, SITE.authorities)
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=20 * 365)
    assert issued_by(SITE.content_signer.certificate, SITE.authorities, later) is False


def test_no_certificate_leads_to_an_authority_that_is_none() -> None:
    """A certificate that is not marked as a CA issues nothing."""
    assert issued_by(SITE.content_signer.certificate, [SITE.content_signer.certificate]) is False
    assert directly_issued(SITE.content_signer.certificate, SITE.content_signer.certificate) is False


def test_a_chain_is_followed_through_every_authority_to_the_root() -> None:
    """In any order; a chain that lacks one authority, or ends below a root, leads nowhere."""
    assert issued_by(LEAF, [ROOT, SECOND_CA, FIRST], NOW) is True
    assert issued_by(LEAF, [ROOT, SECOND_CA], NOW) is False
    assert issued_by(LEAF, [SECOND_CA, FIRST], NOW) is False
    assert issued_by(LEAF, [], NOW) is False


def test_authorities_that_issue_each_other_lead_nowhere() -> None:
    """A circle without a root ends in a refusal."""
    assert issued_by(LEAF, [SECOND_CA, certificate("First", "Second")], NOW) is False


@pytest.mark.parametrize(
    ("at", "valid"),
    [(START - SECOND, False), (START, True), (END, True), (END + SECOND, False)],
)
@pytest.mark.parametrize("narrow", ["leaf", "authority", "root"])
def test_every_certificate_is_valid_from_its_first_second_through_its_last(
    narrow: str, at: datetime.datetime, valid: bool
) -> None:
    """RFC 5280, 4.1.2.5: both ends are included, for each certificate on the way."""
    start, end = START - datetime.timedelta(days=9), END + datetime.timedelta(days=9)
    root = ROOT if narrow == "root" else certificate("Root", "Root", start=start, end=end)
    authority = FIRST if narrow == "authority" else certificate("First", "Root", start=start, end=end)
    if narrow == "leaf":
        start, end = START, END
    leaf = certificate("Leaf", "First", ca=False, start=start, end=end)
    assert issued_by(leaf, [authority, root], at) is valid
