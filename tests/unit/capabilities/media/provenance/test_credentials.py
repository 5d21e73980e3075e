"""Content credentials, signed by the library that others sign with."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from io import BytesIO

import c2pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.provenance import credentials
from app.capabilities.media.provenance.credentials import ContentCredentials, printable, read_credentials
from tests.media_files import encoded, mutated, photo
from tests.unit.capabilities.media.provenance.signed_files import AI, CAMERA, ContentSigner

MIME = "image/jpeg"
PLAIN = encoded(photo(64, 48), "JPEG")
KEYS = ("manifests", "active_manifest", "assertions", "label", "data", "actions", "action", "code", "a")
SIGNED_ONCE = [ContentSigner().sign(encoded(photo(16, 16), "JPEG"), MIME)]


@pytest.fixture(scope="module")
def signer() -> ContentSigner:
    """One for all."""
    return ContentSigner()


@pytest.fixture(scope="module")
def signed(signer: ContentSigner) -> bytes:
    """A photo with credentials."""
    return signer.sign(PLAIN, MIME)


def test_a_file_without_credentials_has_none() -> None:
    """Nothing is said of it."""
    assert read_credentials(PLAIN, MIME) == ContentCredentials("none")


def test_a_self_made_chain_is_valid_and_not_trusted(signed: bytes) -> None:
    """All that the manifest states is told, and that nobody vouches for it."""
    assert read_credentials(signed, MIME) == ContentCredentials(
        "valid_untrusted",
        ("signingCredential.untrusted",),
        "Test Camera 7.1",
        ("c2pa.created", "c2pa.color_adjustments"),
        CAMERA,
    )


def test_under_a_trusted_root_it_is_trusted(signer: ContentSigner, signed: bytes) -> None:
    """Under its own root, and not under another of the same name."""
    found = read_credentials(signed, MIME, [ContentSigner().root, signer.root])
    assert (found.state, found.codes) == ("trusted", ())
    assert read_credentials(signed, MIME, [ContentSigner().root]).state == "valid_untrusted"


def test_one_byte_changed_is_invalid(signed: bytes) -> None:
    """A byte of the picture does not have the hash that was signed."""
    changed = bytearray(signed)
    changed[-40] ^= 1
    found = read_credentials(bytes(changed), MIME)
    assert found.state == "invalid"
    assert "assertion.dataHash.mismatch" in found.codes


def test_stripped_credentials_are_none(signed: bytes) -> None:
    """A program that stores the picture anew leaves nothing behind."""
    from PIL import Image

    assert read_credentials(encoded(Image.open(BytesIO(signed)), "JPEG"), MIME) == ContentCredentials("none")


def test_credentials_that_are_cut_off_are_invalid(signed: bytes) -> None:
    """They are there, and nobody can read them."""
    assert read_credentials(signed[:3000], MIME) == ContentCredentials("invalid", ("manifest.unreadable",))


def test_generated_media_is_told(signer: ContentSigner) -> None:
    """The term that the generator declared."""
    assert read_credentials(signer.sign(PLAIN, MIME, AI), MIME).digital_source_type == AI


@pytest.mark.parametrize(("name", "mime"), [("PNG", "image/png"), ("WEBP", "image/webp")])
def test_other_images_carry_credentials(name: str, mime: str, signer: ContentSigner) -> None:
    """In their own chunks."""
    file = signer.sign(encoded(photo(20, 16), name), mime)
    assert read_credentials(file, mime, [signer.root]).state == "trusted"


def test_other_media_types_are_not_looked_into(signed: bytes) -> None:
    """The library guesses a type that it is not told."""
    assert read_credentials(signed, "video/webm") == ContentCredentials("none")
    assert read_credentials(signed, "") == ContentCredentials("none")


class Listener:
    """Somebody who waits for visits, counts them and tells nothing."""

    def __init__(self) -> None:
        self.visits = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/a.c2pa"
        self._thread = threading.Thread(target=self._wait)
        self._thread.start()

    def _wait(self) -> None:
        while True:
            visitor, _ = self._socket.accept()
            first = visitor.recv(1)
            visitor.close()
            if first == b"!":
                return
            self.visits += 1

    def close(self) -> None:
        """Ends it behind all who came before."""
        with socket.create_connection(self._socket.getsockname()) as last:
            last.sendall(b"!")
            self._thread.join()
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    """One for each test."""
    made = Listener()
    yield made
    if made._thread.is_alive():
        made.close()


def test_a_manifest_elsewhere_is_not_fetched(signer: ContentSigner, listener: Listener) -> None:
    """The file's maker would learn who looks at it."""
    file = signer.sign(PLAIN, MIME, remote=listener.address)
    assert read_credentials(file, MIME) == ContentCredentials("none", ("manifest.inaccessible",))
    listener.close()
    assert listener.visits == 0


def test_the_library_would_fetch_it(signer: ContentSigner, listener: Listener) -> None:
    """Without our settings the same file makes the library call."""
    file = signer.sign(PLAIN, MIME, remote=listener.address)
    settings = c2pa.Settings.from_dict({"version": 1, "verify": {"remote_manifest_fetch": True}})
    with pytest.raises(c2pa.C2paError):
        c2pa.Reader(MIME, BytesIO(file), context=c2pa.Context(settings))
    listener.close()
    assert listener.visits > 0


def test_no_authority_is_asked_for_a_certificates_standing(listener: Listener) -> None:
    """The certificate names an OCSP service here, and nobody calls it."""
    signer = ContentSigner(ocsp=listener.address)
    file = signer.sign(PLAIN, MIME)
    assert read_credentials(file, MIME, [signer.root]).state == "trusted"
    listener.close()
    assert listener.visits == 0


@given(st.integers(0, 2**32), st.sampled_from(sorted(credentials.CARRIERS)))
def test_no_bytes_raise(seed: int, mime: str) -> None:
    """Changed files end in a state, and what they say is bounded and printable."""
    found = read_credentials(mutated(SIGNED_ONCE[0], seed), mime)
    assert found.state in ("none", "valid_untrusted", "invalid")
    assert len(found.codes) <= 32
    texts = (*found.codes, *found.actions, found.claim_generator or "a", found.digital_source_type or "a")
    assert all(0 < len(text) <= 200 and text.isprintable() for text in texts)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
        max_leaves=6,
    )
)
def test_a_report_of_any_shape_is_read(report: object) -> None:
    """The library's report is made from the file's words."""
    assert credentials._read_report("invalid", report).state == "invalid"


@given(st.text(max_size=300))
def test_texts_are_printable_and_short(text: str) -> None:
    """Or there is none."""
    shown = printable(text)
    assert shown is None or (shown.isprintable() and 0 < len(shown) <= 200 and shown == shown.strip())
