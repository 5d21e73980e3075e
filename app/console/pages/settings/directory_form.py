"""The form of one directory. What the service refuses is shown at the field that it names."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.console.language import tr
from app.console.widgets.form import FormDialog
from app.console.widgets.text import label
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryKind
from app.registry.messages.shared import DRILL_TAG

KINDS: tuple[tuple[DirectoryKind, str, str], ...] = (
    ("scim", "SCIM 2.0", "https://idp.example/scim/v2"),
    ("ldap", "LDAP", "ldaps://ldap.example:636"),
    ("ssf", tr("Shared signals"), "https://receiver.example/events"),
    ("oauth", tr("OAuth revocation"), "https://idp.example/global-token-revocation"),
    ("webhook", tr("Webhook"), "https://system.example/burned"),
    ("peer", tr("Another site"), "https://other-site.example:8443"),
)
"""Kind, its word, an address of that kind."""
SECRETS: dict[DirectoryKind, str] = {
    "scim": tr("the bearer token"),
    "ldap": tr("the bind password"),
    "ssf": tr("the bearer token"),
    "oauth": tr("the bearer token"),
    "webhook": tr("the signing secret"),
    "peer": tr("its Citadel key"),
}
DIALECTS = (("openldap", "OpenLDAP"), ("ad", "Active Directory"), ("389ds", "389 Directory Server, FreeIPA"))
EMAIL_MATCHES = (("link", tr("Fails until somebody links it")), ("lock", tr("Is locked")))
ONLY: dict[str, tuple[DirectoryKind, ...]] = {
    "bind_dn": ("ldap",),
    "base_dn": ("ldap",),
    "dialect": ("ldap",),
    "audience": ("ssf", "oauth"),
    "email_match": ("scim", "ldap"),
}
"""Fields that mean something for these kinds alone."""
SHAPES = {
    "id": tr("1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit."),
    "url": tr("An address with its scheme, such as https://idp.example/scim/v2 or ldaps://ldap.example:636."),
    "display_name": tr("At most 200 characters."),
    "secret": tr("1 to 4000 characters."),
    "timeout_ms": tr("A number from 100 to 30000, or nothing."),
    "ca": tr("PEM certificates, at most 20000 characters."),
    "bind_dn": tr("A distinguished name, such as cn=arc,dc=example,dc=org."),
    "base_dn": tr("A distinguished name, such as dc=example,dc=org."),
    "audience": tr("1 to 500 characters."),
}
_LEAST_MS, _MOST_MS = 100, 30_000


class DirectoryForm(FormDialog):
    """Emits ``asked`` with the id, a ``DirectoryBody`` and whether it is to be tried; stays open until the presenter
    accepts it.

    A PUT replaces the whole row and the service shows certificates by their SHA-256 only: a directory with a CA of its
    own needs it pasted again, or dropped on purpose.
    """

    asked = Signal(str, object, bool)

    def __init__(self, window: QWidget, directory: Directory | None = None) -> None:
        super().__init__(
            window,
            tr("Register a directory") if directory is None else tr("Change {name}", name=directory.directory_id),
            tr(
                "A global burn locks the person's account there, or ends the sessions. Where that can be "
                "read back it is."
            ),
            tr("Register") if directory is None else tr("Save"),
            shapes=SHAPES,
        )
        self._directory = directory
        self.kind = QComboBox()
        for value, word, _ in KINDS:
            self.kind.addItem(word, value)
        self.directory_id = self.line("id", tr("Directory id"), "staff-directory")
        self.name = self.line("display_name", tr("Name"), tr("Staff directory"))
        self.add("kind", tr("Kind"), self.kind)
        self.url = self.line("url", tr("Address"))
        self.secret = self.line("secret", tr("Secret"))
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.bind_dn = self.line("bind_dn", tr("Bind DN"), "cn=arc,dc=example,dc=org")
        self.base_dn = self.line("base_dn", tr("Base DN"), "dc=example,dc=org")
        self.dialect = QComboBox()
        for dialect, word in DIALECTS:
            self.dialect.addItem(word, dialect)
        self.add("dialect", tr("Dialect"), self.dialect)
        self.audience = self.line("audience", tr("Audience or tenant"))
        self.email_match = QComboBox()
        for match, word in EMAIL_MATCHES:
            self.email_match.addItem(word, match)
        self.add("email_match", tr("Found by e-mail alone"), self.email_match)
        self.timeout = self.line("timeout_ms", tr("Time-out (ms)"), tr("Empty: as the site has it"))
        self.ca = self.text("ca", tr("Its CA (PEM)"), tr("Empty: certificates that this machine trusts"), height=56)
        self.drop_secret = QCheckBox(tr("Drop the secret that is stored"))
        self.drop_ca = QCheckBox(tr("Drop the CA that is stored"))
        self.drill = QCheckBox(tr("Drill target: a drill reaches it, too"))
        self.trial = QCheckBox(tr("Try it when it is saved: reads, and changes nothing"))
        self.trial.setChecked(True)
        self.hint = label("", "small", wrap=True)
        for part in (self.drop_secret, self.drop_ca, self.drill, self.trial, self.hint):
            self.body.addWidget(part)
        self.kind.currentIndexChanged.connect(self._follow)
        self._fill(directory)
        self._follow()

    def _fill(self, directory: Directory | None) -> None:
        """Show the directory that is changed; secrets and certificates are not given out."""
        self.drop_secret.setVisible(directory is not None and directory.secret.set)
        self.drop_ca.setVisible(directory is not None and bool(directory.ca_sha256))
        if directory is None:
            self.directory_id.setFocus()
            return
        self.directory_id.setText(directory.directory_id)
        self.directory_id.setEnabled(False)
        self.name.setText(directory.display_name or "")
        self.kind.setCurrentIndex(self.kind.findData(directory.kind))
        self.url.setText(directory.url)
        self.bind_dn.setText(directory.bind_dn or "")
        self.base_dn.setText(directory.base_dn or "")
        self.dialect.setCurrentIndex(max(0, self.dialect.findData(directory.dialect)))
        self.audience.setText(directory.audience or "")
        self.email_match.setCurrentIndex(self.email_match.findData(directory.email_match))
        self.timeout.setText("" if directory.timeout_ms is None else str(directory.timeout_ms))
        if directory.secret.set:
            self.secret.setPlaceholderText(tr("Empty: the stored one stays"))
        if directory.ca_sha256:
            self.ca.setPlaceholderText(tr("Paste it again: SHA-256 {digests}", digests=", ".join(directory.ca_sha256)))
        self.drill.setChecked(DRILL_TAG in directory.tags)
        self.name.setFocus()

    def _follow(self) -> None:
        """Show the fields of the kind, an address of it, and what its secret is."""
        kind: DirectoryKind = self.kind.currentData()
        for key, kinds in ONLY.items():
            self.show_field(key, kind in kinds)
        self.url.setPlaceholderText(next(example for one, _, example in KINDS if one == kind))
        self.hint.setText(
            tr(
                "Secret: {secret}. It is never shown again, and goes to this address only: "
                "with another address it must be given again.",
                secret=SECRETS[kind],
            )
        )
        self.adjustSize()

    def ask(self) -> bool:
        kind: DirectoryKind = self.kind.currentData()
        directory_id, url, wait = self.directory_id.text().strip(), self.url.text().strip(), self.timeout.text().strip()
        self.mark_id("id", directory_id)
        if not url:
            self.mark("url", SHAPES["url"])
        timeout_ms = int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 6 else None
        if wait and (timeout_ms is None or not _LEAST_MS <= timeout_ms <= _MOST_MS):
            self.mark("timeout_ms", SHAPES["timeout_ms"])
        known = self._directory
        ca = self.ca.toPlainText().strip() or None
        if known is not None and known.ca_sha256 and ca is None and not self.drop_ca.isChecked():
            self.mark("ca", tr("Paste the CA again, or say below that it is dropped: a save must not lose it."))
        if self.marked:
            return False
        secret: str | msgspec.UnsetType | None = self.secret.text() or msgspec.UNSET
        if self.drop_secret.isChecked() and secret is msgspec.UNSET:
            secret = None
        tags = [tag for tag in (known.tags if known else []) if tag != DRILL_TAG]
        body = DirectoryBody(
            kind=kind,
            url=url,
            display_name=self.name.text().strip() or None,
            secret=secret,
            bind_dn=self._text("bind_dn", self.bind_dn, kind),
            base_dn=self._text("base_dn", self.base_dn, kind),
            dialect=self.dialect.currentData() if kind in ONLY["dialect"] else None,
            audience=self._text("audience", self.audience, kind),
            email_match=self.email_match.currentData() if kind in ONLY["email_match"] else "link",
            ca=ca,
            timeout_ms=timeout_ms,
            tags=[*tags, DRILL_TAG] if self.drill.isChecked() else tags,
        )
        self.asked.emit(directory_id, body, self.trial.isChecked())
        return True

    @staticmethod
    def _text(key: str, field: QLineEdit, kind: DirectoryKind) -> str | None:
        return (field.text().strip() or None) if kind in ONLY[key] else None
