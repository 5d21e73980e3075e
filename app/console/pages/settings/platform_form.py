"""The form of one platform. What the service refuses is shown at the field that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.console.language import tr
from app.console.theme.resources import ROOT
from app.console.widgets.form import FormDialog
from app.console.widgets.text import label
from app.registry.messages.platforms import FrameworkContact, NoticePlatform, PlatformBody, PlatformChannel

CHANNELS: Final[tuple[tuple[PlatformChannel, str, str], ...]] = (
    ("mail", tr("Mail"), "abuse@platform.example"),
    ("https", tr("Call (JSON over https)"), "https://platform.example/notices"),
    ("form", tr("Form, filled in by a person"), "https://platform.example/report"),
)
"""Channel, its word, an address of that channel."""
SHAPES: Final = {
    "id": tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "display_name": tr("1 to 200 characters."),
    "address": tr("A mail address, or a URL that begins with https://."),
    "framework_contacts": tr("A line for each law: code, channel (mail, https or form), address."),
    "domains": tr("Domains in lower case, such as video.example, with blanks between them."),
    "languages": tr("Two letters each, best first, with blanks between them: de en."),
    "secret": tr("1 to 4000 characters, of a platform that is called."),
    "ca": tr("PEM certificates, at most 20000 characters."),
}
_SUGGESTIONS: Final = ROOT / "platforms" / "suggestions.json"


class PlatformSuggestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A platform's public form, as the program ships it. ``source``: the page that says so, read on ``as_of``."""

    platform_id: str
    display_name: str
    address: str
    domains: list[str]
    note: str
    source: str
    as_of: str


def load_suggestions() -> list[PlatformSuggestion]:
    """What ships with the program. Blocks on the disk."""
    return msgspec.json.decode(_SUGGESTIONS.read_bytes(), type=list[PlatformSuggestion])


class PlatformForm(FormDialog):
    """Emits ``asked`` with the id and a ``PlatformBody``; stays open until the presenter accepts it.

    A PUT replaces the whole row and the service shows certificates by their SHA-256 only: a platform with a CA of its
    own needs it pasted again, or dropped on purpose.
    """

    asked = Signal(str, object)

    def __init__(
        self,
        window: QWidget,
        platform: NoticePlatform | None = None,
        suggestions: Sequence[PlatformSuggestion] = (),
    ) -> None:
        super().__init__(
            window,
            tr("Register a platform") if platform is None else tr("Change {name}", name=platform.platform_id),
            tr(
                "Declarations and notices of a strike go to this address. A law with another one gets a line "
                "of its own."
            ),
            tr("Register") if platform is None else tr("Save"),
            shapes=SHAPES,
        )
        self._platform = platform
        self.start = QComboBox()
        self.start.addItem(tr("An empty form"), None)
        for suggestion in suggestions:
            self.start.addItem(tr("{platform}: its public form", platform=suggestion.display_name), suggestion)
        self.add("start", tr("Start from"), self.start)
        self.platform_id = self.line("id", tr("Platform id"), "video-platform")
        self.name = self.line("display_name", tr("Name"), tr("Video platform"))
        self.channel = QComboBox()
        for value, word, _ in CHANNELS:
            self.channel.addItem(word, value)
        self.add("channel", tr("Channel"), self.channel)
        self.address = self.line("address", tr("Address"))
        example = "EU mail dsa@platform.example"
        self.contacts = self.text("framework_contacts", tr("Other addresses by law"), example, height=56)
        self.domains = self.line("domains", tr("Its domains"), "video.example")
        self.languages = self.line("languages", tr("Languages"), tr("Empty: as the law file has it"))
        self.secret = self.line("secret", tr("Bearer token"))
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.ca = self.text("ca", tr("Its CA (PEM)"), tr("Empty: certificates that this machine trusts"), height=56)
        self.default = QCheckBox(tr("Named by a strike that names no platform"))
        self.drop_secret = QCheckBox(tr("Drop the token that is stored"))
        self.drop_ca = QCheckBox(tr("Drop the CA that is stored"))
        self.hint = label("", "small", wrap=True)
        for part in (self.default, self.drop_secret, self.drop_ca, self.hint):
            self.body.addWidget(part)
        self.channel.currentIndexChanged.connect(self._follow)
        self.start.currentIndexChanged.connect(self._suggest)
        self._fill(platform, bool(suggestions))
        self._follow()

    def _fill(self, platform: NoticePlatform | None, suggested: bool) -> None:
        """Show the platform that is changed; secrets and certificates are not given out."""
        self.show_field("start", platform is None and suggested)
        self.drop_secret.setVisible(platform is not None and platform.secret.set)
        self.drop_ca.setVisible(platform is not None and bool(platform.ca_sha256))
        if platform is None:
            self.platform_id.setFocus()
            return
        self.platform_id.setText(platform.platform_id)
        self.platform_id.setEnabled(False)
        self.name.setText(platform.display_name)
        self.channel.setCurrentIndex(self.channel.findData(platform.channel))
        self.address.setText(platform.address)
        lines = [f"{code} {one.channel} {one.address}" for code, one in sorted(platform.framework_contacts.items())]
        self.contacts.setPlainText("\n".join(lines))
        self.domains.setText(" ".join(platform.domains))
        self.languages.setText(" ".join(platform.languages))
        self.default.setChecked(platform.default)
        if platform.secret.set:
            self.secret.setPlaceholderText(tr("Empty: the stored one stays"))
        if platform.ca_sha256:
            self.ca.setPlaceholderText(tr("Paste it again: SHA-256 {digests}", digests=", ".join(platform.ca_sha256)))
        self.name.setFocus()

    def _suggest(self) -> None:
        """Begin with a public form; everything can still be changed."""
        chosen: PlatformSuggestion | None = self.start.currentData()
        if chosen is not None:
            self.platform_id.setText(chosen.platform_id)
            self.name.setText(chosen.display_name)
            self.channel.setCurrentIndex(self.channel.findData("form"))
            self.address.setText(chosen.address)
            self.domains.setText(" ".join(chosen.domains))
        self._follow()

    def _follow(self) -> None:
        """Show an address of the channel, and where a suggestion comes from."""
        channel: PlatformChannel = self.channel.currentData()
        self.address.setPlaceholderText(next(example for one, _, example in CHANNELS if one == channel))
        chosen: PlatformSuggestion | None = self.start.currentData()
        if chosen is not None:
            told = tr(
                "Read on {day} at {source}: check it before you rely on it.", day=chosen.as_of, source=chosen.source
            )
            self.hint.setText(f"{chosen.note} {told}")
        else:
            self.hint.setText(
                tr(
                    "The token is never shown again, and goes to a registered address only: with another "
                    "address it must be given again."
                )
            )
        self.adjustSize()

    def ask(self) -> bool:
        platform_id, address = self.platform_id.text().strip(), self.address.text().strip()
        self.mark_id("id", platform_id)
        if not self.name.text().strip():
            self.mark("display_name", SHAPES["display_name"])
        if not address:
            self.mark("address", SHAPES["address"])
        contacts = self._read_contacts()
        known = self._platform
        ca = self.ca.toPlainText().strip() or None
        if known is not None and known.ca_sha256 and ca is None and not self.drop_ca.isChecked():
            self.mark("ca", tr("Paste the CA again, or say below that it is dropped: a save must not lose it."))
        if self.marked:
            return False
        secret: str | msgspec.UnsetType | None = self.secret.text() or msgspec.UNSET
        if self.drop_secret.isChecked() and secret is msgspec.UNSET:
            secret = None
        body = PlatformBody(
            display_name=self.name.text().strip(),
            channel=self.channel.currentData(),
            address=address,
            framework_contacts=contacts,
            domains=self.domains.text().split(),
            default=self.default.isChecked(),
            languages=self.languages.text().split(),
            secret=secret,
            ca=ca,
            tags=[] if known is None else known.tags,
        )
        self.asked.emit(platform_id, body)
        return True

    def _read_contacts(self) -> dict[str, FrameworkContact]:
        """The lines by code; a line that is none is marked."""
        found: dict[str, FrameworkContact] = {}
        for line in filter(None, map(str.strip, self.contacts.toPlainText().splitlines())):
            words = line.split()
            channel = next((one for one, _, _ in CHANNELS if len(words) == 3 and words[1].lower() == one), None)
            if channel is None or words[0].upper() in found:
                self.mark(
                    "framework_contacts",
                    tr("{shape} This is none: {line}", shape=SHAPES["framework_contacts"], line=line[:80]),
                )
                return {}
            found[words[0].upper()] = FrameworkContact(channel=channel, address=words[2])
        return found
