"""Which site answers is believed by its signature alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.health_messages import SignedStatement
from app.console.connection.statement import KnownSite, StatementRefused, judged_statement
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority
from app.pki.site_statement import TYPE, introduction_of
from app.site.site import Site
from tests.door_site import DoorSite, door_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorSite]:
    """A training site with its keys."""
    with door_site(tmp_path_factory.mktemp("statement") / "site") as made:
        yield made


@pytest.fixture(scope="module")
def documents(site: DoorSite) -> DocumentSigner:
    """What signs the site's documents."""
    return DocumentSigner.open(site.store, site.keys, open_authority(site.site, site.store, site.keys)[0])


def signed(documents: DocumentSigner, payload: Any, kind: str = TYPE) -> SignedStatement:
    """Any document of the site's."""
    return msgspec.json.decode(documents.sign(json.dumps(payload).encode(), kind), type=SignedStatement)


def test_a_site_states_itself(site: DoorSite, documents: DocumentSigner) -> None:
    """As the service does; the plain form says the same, and each answer has its own time."""
    introduce = introduction_of(site.site, documents)
    said, statement = introduce()
    known = judged_statement(statement)
    assert (known.profile, known.site_id, known.version) == (said.profile, said.site_id, said.version)
    assert (said.profile, said.site_id) == ("training", site.site.site_id)
    assert introduce()[0].at > said.at
    assert known.same_site(judged_statement(introduce()[1]))


def _changed(statement: SignedStatement, member: str, change: Callable[[dict[str, Any]], None]) -> SignedStatement:
    """The statement with another content in a member, as a forger would write it."""
    text = getattr(statement, member)
    content = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    change(content)
    coded = base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()
    return msgspec.structs.replace(statement, **{member: coded})


def test_a_forged_statement_is_refused(site: DoorSite, documents: DocumentSigner) -> None:
    """Another profile, another signature, another algorithm, another issuer, a document of another kind."""
    statement = introduction_of(site.site, documents)()[1]
    other = {"profile": "production", "site_id": "0" * 16, "version": "1"}
    with pytest.raises(StatementRefused, match="not signed"):
        judged_statement(_changed(statement, "payload", lambda said: said.update(profile="production")))
    with pytest.raises(StatementRefused, match="not signed"):
        judged_statement(_changed(statement, "protected", lambda header: header.update(more=1)))
    for bad in (
        msgspec.structs.replace(statement, signature="AAAA"),
        msgspec.structs.replace(statement, signature="é"),
        msgspec.structs.replace(statement, protected="e30"),
        msgspec.structs.replace(statement, protected="!"),
        _changed(statement, "protected", lambda header: header.update(alg="none")),
        _changed(statement, "protected", lambda header: header.update(x5c=header["x5c"][:1])),
        _changed(statement, "protected", lambda header: header.update(x5c=header["x5c"][::-1])),
        signed(documents, other, "arc-receipt"),
        signed(documents, {**other, "profile": "pretend"}),
        signed(documents, {"profile": "training"}),
        signed(documents, ["training"]),
    ):
        with pytest.raises(StatementRefused):
            judged_statement(bad)
    assert judged_statement(signed(documents, other)).profile == "production"


def test_a_site_is_the_same_by_id_profile_and_root() -> None:
    """A newer program is the same site."""
    known = KnownSite("training", "a", "1", "root")
    assert known.same_site(KnownSite("training", "a", "2", "root"))
    for other in (("production", "a", "1", "root"), ("training", "b", "1", "root"), ("training", "a", "1", "other")):
        assert not known.same_site(KnownSite(*other))


def test_the_profile_of_a_directory_is_read(tmp_path: Path) -> None:
    """None where there is no site yet."""
    assert Site.kept_profile(tmp_path / "new") is None
    Site.open(tmp_path / "made", "production")
    assert Site.kept_profile(tmp_path / "made") == "production"
