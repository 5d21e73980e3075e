"""Certificates for a logon to computers: of the site's settings and the holder's record, as others read them."""

import subprocess
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from asn1crypto import x509 as asn1
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from app.capabilities.provisioning.issuer.logon_claims import logon_claims
from app.pki.authority import NO_LOGON, Issued, LogonClaims, Root, SiteAuthority, Slot, make_root
from app.site.settings import CardLogon, Settings
from hardware.cards.identify import certificate_claims

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
GUID = uuid.UUID("00112233-4455-4677-8899-aabbccddeeff")
NODE, MAIL, SID = "ARC-T0001", "alice@corp.example", "S-1-5-21-1111111111-2222222222-3333333333-1104"
ALL = LogonClaims(
    smart_card=True, principal_name=MAIL, email=MAIL, sid=SID, policies=("2.25.99.1", "1.3.6.1.4.1.99999.7")
)
POLICY = CardLogon(upn_suffix="corp.example", email=True)


@pytest.fixture(scope="module")
def authority() -> SiteAuthority:
    """A training authority at a fixed time."""
    key = ec.generate_private_key(ec.SECP256R1())
    root = Root(make_root(key, training=True, site="training-0.site.invalid", now=NOW), key)
    return SiteAuthority(root, training=True, clock=lambda: NOW)


def issue(authority: SiteAuthority, slot: Slot, logon: LogonClaims) -> Issued:
    """A certificate for a fresh key."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    end = NOW + timedelta(days=365)
    return authority.card_certificate(
        slot, key, node_id=NODE, display_name="Alice", guid=GUID, not_after=end, logon=logon
    )


def as_text(issued: Issued) -> str:
    """What ``openssl x509 -text`` shows."""
    command = ["openssl", "x509", "-inform", "DER", "-noout", "-text"]
    return subprocess.run(command, input=issued.der, capture_output=True, check=True).stdout.decode()


def extension(issued: Issued, oid: str) -> asn1.Extension | None:
    """An extension as asn1crypto reads it."""
    found = asn1.Certificate.load(issued.der)["tbs_certificate"]["extensions"]
    return next((one for one in found if one["extn_id"].dotted == oid), None)


def test_the_logon_key_says_all_that_the_site_wants(authority: SiteAuthority) -> None:
    """OpenSSL shows purpose, principal name, e-mail and policies of 9A, beside what it said before."""
    text = as_text(issue(authority, "9A", ALL))
    assert "TLS Web Client Authentication, Microsoft Smartcard Login\n" in text
    assert f"UPN:{MAIL}" in text.replace("::", ":")
    assert f"email:{MAIL}" in text
    assert "Policy: 2.25.99.1\n" in text
    assert "Policy: 1.3.6.1.4.1.99999.7\n" in text
    assert f"URI:urn:arc-node:{NODE}, URI:urn:uuid:{GUID}" in text


def test_the_sid_is_the_domain_controllers_form(authority: SiteAuthority) -> None:
    """The extension is [MS-WCCE]'s, to the byte: GeneralNames of one otherName with an OCTET STRING; not critical."""
    found = extension(issue(authority, "9A", ALL), "1.3.6.1.4.1.311.25.2")
    assert found is not None
    assert not found["critical"].native
    (name,) = asn1.GeneralNames.load(bytes(found["extn_value"]))
    assert name.name == "other_name"
    assert name.chosen["type_id"].dotted == "1.3.6.1.4.1.311.25.2.1"
    assert name.chosen["value"].parsed.native == SID.encode()
    assert bytes(found["extn_value"]).startswith(bytes.fromhex("3040A03E060A2B060104018237190201A030042E532D"))


def test_the_principal_name_is_a_utf8_string(authority: SiteAuthority) -> None:
    """A principal name in any letters; asn1crypto reads the same one."""
    found = extension(issue(authority, "9A", LogonClaims(principal_name="jürgen@corp.example")), "2.5.29.17")
    assert found is not None
    other = [one for one in asn1.GeneralNames.load(bytes(found["extn_value"])) if one.name == "other_name"]
    assert [one.chosen["type_id"].dotted for one in other] == ["1.3.6.1.4.1.311.20.2.3"]
    value = other[0].chosen["value"].parsed
    assert (value.tag, value.native) == (12, "jürgen@corp.example")


@pytest.mark.parametrize("slot", ["9C", "9D"])
def test_keys_of_mail_name_the_mail_and_never_log_on(authority: SiteAuthority, slot: Slot) -> None:
    """9C and 9D serve S/MIME: e-mail and policies, and nothing that a logon takes."""
    issued = issue(authority, slot, ALL)
    text = as_text(issued)
    assert f"email:{MAIL}" in text
    assert "Policy: 2.25.99.1\n" in text
    assert "Smartcard" not in text
    assert "UPN" not in text
    assert extension(issued, "1.3.6.1.4.1.311.25.2") is None


def test_the_key_for_every_reader_says_nothing_of_it(authority: SiteAuthority) -> None:
    """9E is the same with and without a policy of the site."""

    def shape(logon: LogonClaims) -> list[tuple[str, bytes]]:
        found = asn1.Certificate.load(issue(authority, "9E", logon).der)["tbs_certificate"]["extensions"]
        # The key's own identifier alone differs.
        return [
            (one["extn_id"].dotted, bytes(one["extn_value"])) for one in found if one["extn_id"].dotted != "2.5.29.14"
        ]

    assert shape(ALL) == shape(NO_LOGON)


@pytest.mark.parametrize("slot", ["9A", "9C", "9D"])
def test_without_a_policy_nothing_is_new(authority: SiteAuthority, slot: Slot) -> None:
    """The certificates of a site that sets nothing have the extensions of before."""
    text = as_text(issue(authority, slot, NO_LOGON))
    for word in ("Smartcard", "UPN", "email:", "Policies", "1.3.6.1.4.1.311"):
        assert word not in text


def test_readers_find_node_and_card_among_the_names(authority: SiteAuthority) -> None:
    """More names hide neither of the two that this program reads, on new cards and on old ones."""
    for logon in (ALL, NO_LOGON):
        claims = certificate_claims(issue(authority, "9A", logon).certificate)
        assert (claims.node_id, claims.guid) == (NODE, GUID)


def test_openssl_takes_the_policy_of_the_chain(authority: SiteAuthority, tmp_path: Path) -> None:
    """A verifier that demands the policy accepts the card with it, and refuses the one without."""
    (tmp_path / "root.pem").write_bytes(authority.root_pem())
    codes = []
    for logon in (ALL, NO_LOGON):
        leaf = tmp_path / "leaf.pem"
        leaf.write_bytes(issue(authority, "9A", logon).certificate.public_bytes(serialization.Encoding.PEM))
        command = ["openssl", "verify", "-x509_strict", "-attime", str(int(NOW.timestamp()) + 60)]
        command += ["-purpose", "sslclient", "-policy", "2.25.99.1", "-explicit_policy"]
        command += ["-CAfile", str(tmp_path / "root.pem"), str(leaf)]
        codes.append(subprocess.run(command, capture_output=True, check=False).returncode)
    assert codes == [0, 2]


# -- what the record gives


def test_a_site_without_a_policy_claims_nothing() -> None:
    """The default."""
    assert logon_claims(Settings().card_logon, NODE, MAIL, [("ad", "alice")]) == NO_LOGON


def test_the_settings_are_the_claims() -> None:
    """Purpose, policies and the node's own SID; another node's stays away."""
    wanted = CardLogon(smart_card=True, policies=("2.25.1",), security_identifiers={NODE: SID})
    assert logon_claims(wanted, NODE, MAIL, []) == LogonClaims(smart_card=True, sid=SID, policies=("2.25.1",))
    assert logon_claims(wanted, "ARC-T0002", MAIL, []).sid is None


@pytest.mark.parametrize(
    ("email", "principal_name", "named"),
    [
        (MAIL, MAIL, MAIL),
        ("alice@CORP.example", MAIL, "alice@CORP.example"),
        ("alice@evil.example", None, "alice@evil.example"),
        ("alice@corp.example.evil.example", None, "alice@corp.example.evil.example"),
        ("jürgen@corp.example", "jürgen@corp.example", None),
        ("a,b@corp.example", None, None),
        ('"a"@corp.example', None, None),
        ("a..b@corp.example", "a..b@corp.example", None),
        ("alice@corp.example>", None, None),
        (None, None, None),
    ],
)
def test_the_names_of_an_email(email: str | None, principal_name: str | None, named: str | None) -> None:
    """Only an e-mail of the suffix's own domain is a principal name: alice of another house is somebody else. An
    address that rfc822Name cannot hold is left out."""
    claims = logon_claims(POLICY, NODE, email, [("ad", "bob")])
    assert (claims.principal_name, claims.email) == (principal_name, named)


@pytest.mark.parametrize(
    ("accounts", "expected"),
    [
        ([("ad", "asmith")], "asmith@corp.example"),
        ([("ad", "asmith@Corp.Example")], "asmith@corp.example"),
        ([("ad", "asmith@other.example")], None),
        ([("ad", "asmith@")], None),
        ([("ad", "CORP\\asmith")], None),
        ([("ad", "a" * 65)], None),
        ([("ldap", "asmith")], None),
        ([("ldap", "other"), ("ad", "asmith")], "asmith@corp.example"),
        ([("ad", "asmith"), ("ad", "root")], None),
        ([], None),
    ],
)
def test_the_name_of_an_account(accounts: list[tuple[str, str]], expected: str | None) -> None:
    """The account in the named directory, if there is one alone and it is a name; never the e-mail in its place."""
    wanted = CardLogon(upn_suffix="corp.example", account_directory="ad")
    claims = logon_claims(wanted, NODE, MAIL, accounts)
    assert (claims.principal_name, claims.email) == (expected, None)


def test_every_address_that_is_named_can_be_written(authority: SiteAuthority) -> None:
    """An odd but sound address gives a certificate; it never tears a write."""
    for email in ("o'hara+x@a-b.example", "a/b=c?d@x", "{~}@1.2"):
        claims = logon_claims(CardLogon(email=True), NODE, email, [])
        assert claims.email == email
        assert f"email:{email}" in as_text(issue(authority, "9C", claims))


@pytest.mark.parametrize(
    "bad",
    [
        {"policies": ["2.16.840.1.101.3.2.1.3.7"]},
        {"policies": ["3.1.2"]},
        {"policies": ["1.40.2"]},
        {"policies": ["1.2"]},
        {"policies": ["1.2.03"]},
        {"policies": ["2.25.1\n"]},
        {"policies": ["2.25." + "9" * 60]},
        {"policies": ["2.25.1"] * 9},
        {"upn_suffix": "corp example"},
        {"upn_suffix": "a@b"},
        {"security_identifiers": {NODE: "S-1-5-21-x"}},
        {"security_identifiers": {NODE: "S-2-5-21"}},
        {"smart_card": "yes"},
        {"suffix": "corp.example"},
    ],
)
def test_a_wrong_setting_is_refused_at_the_start(bad: dict[str, object]) -> None:
    """Not by the first card. The federal arc is not for a site to assert."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"card_logon": bad}, Settings)


def test_policies_of_every_allowed_form_can_be_written(authority: SiteAuthority) -> None:
    """The longest and oddest identifiers that the settings take."""
    wanted = ["0.0.1", "1.39.0", "2.999.3", "2.25." + "9" * 30, "1.3" + ".6" * 30, "2.16.840.1.101.3.2.2.1"]
    read = msgspec.convert({"card_logon": {"policies": wanted}}, Settings).card_logon
    text = as_text(issue(authority, "9D", logon_claims(read, NODE, None, [])))
    assert [line.split("Policy: ")[1] for line in text.splitlines() if "Policy: " in line] == wanted
