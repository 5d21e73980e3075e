"""Every dialog of the console, filled as a site fills it: with long names, several rows, all that can be set."""

from __future__ import annotations

import base64
import importlib
import json
import pkgutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtWidgets import QDialog

import app.console
from app.capabilities.enforcement.messages import FormField, NoticeDraft, StrikePreview
from app.capabilities.provisioning.messages import Receipt
from app.capabilities.provisioning.stock.messages import ELEMENT_COLUMNS, CardMakerItem, Element
from app.console.devices.sounds import Speaker
from app.console.file_dialog import Asked, FileDialog
from app.console.frames.goal import GoalDialog
from app.console.pages.batch.people import PeopleDialog
from app.console.pages.burn.two_keys_view import ListForm
from app.console.pages.enforcement.forms import FormHelper, OutcomeForm, WithdrawStrikeForm
from app.console.pages.enforcement.platforms import PlatformsDialog
from app.console.pages.enforcement.preview import DraftPapers, PreviewDialog
from app.console.pages.hr.forms import CloseForm, NextSecretForm, SecretForm, SourceForm
from app.console.pages.infrastructure.form import PeerForm
from app.console.pages.people.card_lost_dialog import CardLostDialog
from app.console.pages.people.doors_dialog import DoorsDialog
from app.console.pages.people.person_form import PersonForm
from app.console.pages.readers.editor import ClusterEditor
from app.console.pages.seals.forms import SealForm, WithdrawForm
from app.console.pages.settings.directory_form import DirectoryForm
from app.console.pages.settings.key_forms import KeyForm, RotateKeyForm
from app.console.pages.settings.operator_form import OperatorForm, PassphraseForm
from app.console.pages.settings.platform_form import PlatformForm
from app.console.pages.stock.forms import ElementForm, QuarantineForm, ReceiptRangeForm, TransportForm
from app.console.pages.stock.import_dialog import ImportDialog
from app.console.pages.stock.lines import read_elements
from app.console.pages.stock.makers_dialog import MakerForm, MakersDialog
from app.console.pages.stock.receipt_dialog import ReceiptDialog
from app.console.pages.verify.code_view import FullCode
from app.console.pages.verify.terminal_form import RegistryForm, TakenForm, TerminalForm
from app.console.reason_form import ReasonForm
from app.console.report.dialog import ReportDialog
from app.console.shell.alarm_list import AlarmDialog
from app.console.shell.alarm_watch import AlarmWatch
from app.console.shell.cheatsheet import CheatSheet
from app.console.shell.key_dialog import KeyDialog
from app.console.shell.message_history import MessageHistory
from app.console.shell.tray import Tray
from app.console.shell.window import MainWindow
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.dialog import Dialog
from app.console.widgets.form import FormDialog
from app.console.widgets.rotating_code import RotatingCode
from app.console.widgets.secret import Secret, SecretDialog
from app.console.widgets.text_dialog import TextDialog
from app.delivery.messages import Alarm
from app.registry.messages.clusters import ReaderCluster
from app.registry.messages.directories import Directory
from app.registry.messages.hr_sources import HrSource
from app.registry.messages.nodes import Node, NodeCredential
from app.registry.messages.peers import Peer
from app.registry.messages.terminals import Terminal
from tests.console.operator_rows import of_operator
from tests.console.pages.strike_samples import evidence, notice, platform, strike

AT = "2026-03-01T10:00:00.000000Z"
NODE, PERSON = "ARC-T0041", "Maximiliane Freifrau von Hohenstein-Wartenberg"
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
UID = "4790502A03A2102E00005F3B"
SENTENCE = (
    "The doors take it at once; one that is offline takes it when it is back, and until then it decides by what it has."
)


def _rows(count: int, row: type[Any], **fields: Any) -> list[Any]:
    """So many of them; ``{n}`` in a text becomes the number."""
    return [
        msgspec.convert({k: v.replace("{n}", str(n)) if isinstance(v, str) else v for k, v in fields.items()}, row)
        for n in range(1, count + 1)
    ]


def people(count: int) -> list[Node]:
    """Of the registry."""
    return _rows(
        count, Node, node_id="ARC-T{n}", display_name=PERSON, employee_id="E-{n}", email="m@training.example", notes="",
        directory_accounts=[], tags=[], standing="UNVERIFIED", verified_at=None, credentials=[], live_checks=[],
        templates=[], created_at=AT, changed_at=AT,
    )  # fmt: skip


def _element() -> Element:
    return _rows(
        1, Element, hardware_uid=UID, product="Smart card with a long name, revision 4.2", location="Safe 3, drawer 12",
        state="in_stock", validation={"standard": "FIPS 140-3", "certificate": "5291", "level": 2},
        transport={"set": True, "changed_at": AT}, provision_id=None, node_id=None, written_at=None, detail=None,
        created_at=AT, changed_at=AT,
    )[0]  # fmt: skip


def _cluster() -> ReaderCluster:
    reader = {
        "channel": "simulated:", "address": 1, "baud": 115200, "onboard_list": False, "online": True,
        "secure_channel": True, "firmware": "1.0", "epoch": 4, "since": AT, "enrolled": True, "key_changed_at": AT,
        "key_pending": None,
    }  # fmt: skip
    return msgspec.convert(
        {
            "cluster_id": "data-hall", "display_name": "Data hall of the northern building", "schedule": None,
            "tags": ["north"], "created_at": AT, "changed_at": AT,
            "readers": [{**reader, "reader_id": f"data-hall-{n:02}", "address": n} for n in range(1, 9)],
        },
        ReaderCluster,
    )  # fmt: skip


def _terminal() -> Terminal:
    return _rows(
        1, Terminal, terminal_id="palm-north-01", kind="palm", display_name="Palm terminal at the northern gate",
        public_key=None, thumbprint=None, encryption_key=None, registry_id="palms", cluster="data-hall",
        liveness_min=60, offline=True, slow_link=False, legacy=False, tags=[], created_at=AT, changed_at=AT,
        bundle=None,
    )[0]  # fmt: skip


def _peer() -> Peer:
    return _rows(
        1, Peer, peer_id="frame-north-01", node_id="FRAME-NORTH-01", url="https://frame.north.training.example:8443",
        ca_sha256=["ab" * 32], certificate_sha256="cd" * 32, level="citadel", maintenance=False, tags=["north"],
        created_at=AT, changed_at=AT,
    )[0]  # fmt: skip


def _source() -> HrSource:
    return _rows(
        1, HrSource, hr_source_id="hris", scheme="standard-webhooks", display_name="HR of the whole group",
        secret={"set": True, "changed_at": AT}, next_secret={"set": False}, max_discharges_per_minute=20, tags=[],
        created_at=AT, changed_at=AT,
    )[0]  # fmt: skip


def _directory() -> Directory:
    return _rows(
        1, Directory, directory_id="hq-ldap", kind="ldap", display_name="Directory of the headquarters",
        url="ldaps://ldap.training.example:636", secret={"set": True, "changed_at": AT},
        bind_dn="cn=arc,ou=services,dc=training,dc=example", base_dn="ou=people,dc=training,dc=example", dialect=None,
        audience=None, ca_sha256=["ab" * 32], timeout_ms=4000, tags=[], created_at=AT, changed_at=AT,
    )[0]  # fmt: skip


def _receipt() -> Receipt:
    claims = {
        "issued_at": AT, "site": "site-" + "7" * 32, "training": True, "operator": "badge-office-01",
        "approver": "citadel-second-key", "journal_sha256": "ab" * 32, "audit": {"index": 184213, "log": "events"},
        "provision": {
            "node_id": NODE, "hardware_uid": UID, "hardware_uid_now": UID, "card_guid": GUID,
            "fips": {"required": "FIPS 140-3 Level 2", "verdict": "MET", "evidence": "attested"},
            "verification": {"chuid_signature": True, "proof_of_possession": True}, "weak_management_key": True,
            "slots": [{"slot": slot, "algorithm": "ECCP256"} for slot in ("9A", "9C", "9D", "9E")],
            "management_algorithm": "AES-256",
        },
    }  # fmt: skip
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return Receipt(payload=payload, protected="e30", signature="AA")


def _makers() -> list[CardMakerItem]:
    certificate = {"subject": "CN=Attestation root of the maker, O=Maker", "sha256": "ab" * 32, "not_after": AT}
    return _rows(
        4, CardMakerItem, maker_id="maker-{n}", maker="Maker of cards {n}", products="Cards of series {n} and later",
        source="https://maker.training.example/roots", checked_on="2026-02-01", pinned=False,
        certificates=[certificate, certificate],
    )  # fmt: skip


def _preview() -> StrikePreview:
    draft = NoticeDraft(
        platform="training-a", platform_name="Training platform A", kind="takedown", channel="mail", held=True,
        missing=[], text="We ask you to remove what is named below.\n" * 40,
    )  # fmt: skip
    return StrikePreview(
        law=strike().law, evidence=evidence(), present=["sender"], missing=[], warnings=[], notices=[draft],
        attestation="I believe", pdf=base64.b64encode(b"%PDF").decode(),
    )  # fmt: skip


def _form_fields() -> list[FormField]:
    long = "The voice of the person was cloned and used to deceive a member of the public. " * 4
    return [
        FormField(label=f"Field {n} of the platform's form", value=long if n % 3 == 0 else "short") for n in range(1, 9)
    ]


def watched_alarms(window: MainWindow) -> AlarmWatch:
    """Two that wait and one that has an owner, and one of each of ten more kinds."""
    tray = Tray(window.actions_, window.windowTitle(), window)
    watch = AlarmWatch(window.session, window, Speaker(window.session.preferences, parent=window), tray)
    watch.alarms = _rows(
        2, Alarm, alarm_id="alm_{n}", kind="burn.presented", since=AT, node_id=NODE, ref="data-hall-0{n}",
        text=f"The burned badge of node {NODE} was presented at door data-hall-0{{n}} of the northern building.",
    ) + _rows(
        1, Alarm, alarm_id="alm_9", kind="frame.red", since=AT, node_id=None, ref="frame-north-01",
        text="Frame frame-north-01 does not answer.", taken_by="desk-north", taken_by_name="Desk of the north",
        taken_at=AT, note="A guard is on the way and calls back within ten minutes.",
    ) + [
        _rows(1, Alarm, alarm_id=f"alm_{kind}", kind=kind, since=AT, node_id=None, ref=None, text="A fact.")[0]
        for kind in (
            "burn.unknown_node", "burn.not_durable", "voice.synthetic", "palm.copy", "lifecycle.brake", "store.full",
            "approval.requested", "makers.changed", "keystone.replayed", "witness.late",
        )
    ]  # fmt: skip
    # Read just now, and known for as long as the test looks.
    watch._answered, watch._fresh.interval_s = True, 3600.0
    watch._fresh.touch()
    return watch


def _history(window: MainWindow) -> QDialog:
    for n in range(12):
        window.toasts.show_message(f"{PERSON} is burned: {n} of 14 doors have proven it.", "warn", f"req_{n:032}")
    return MessageHistory(window, window.toasts)


def _found_people(window: MainWindow) -> QDialog:
    dialog = PeopleDialog(window)
    dialog.offer(people(40), more=True)
    return dialog


def _card_lost(window: MainWindow) -> QDialog:
    cards = _rows(2, NodeCredential, profile="FIPS 201-3", format="piv-guid", card_guid=GUID, state="active")
    return CardLostDialog(window, PERSON, cards, {GUID: UID})


def _full_code(window: MainWindow) -> QDialog:
    dialog = FullCode(window, RotatingCode())
    dialog.tell("Terminal gate-north-01 has the session for 42 s more.")
    return dialog


def _refused_import(window: MainWindow) -> QDialog:
    lines = [";".join(ELEMENT_COLUMNS), *(f"{UID}{n};;Safe;lost;FIPS 140-3;9" for n in range(40))]
    return ImportDialog(window, "elements of the northern office.csv", read_elements("\r\n".join(lines).encode()))


def _brought_import(window: MainWindow) -> QDialog:
    lines = [";".join(ELEMENT_COLUMNS), *(f"{UID}{n};Smart card {n};Safe 3" for n in range(40))]
    return ImportDialog(window, "elements of the northern office.csv", read_elements("\r\n".join(lines).encode()))


def _nothing(*_anything: object) -> None:
    return None


def _saving(window: MainWindow) -> QDialog:
    dialog = FileDialog(window, "Save the receipt", Path.home(), Asked.SAVE, kinds=("JSON (*.json)", "All (*)"))
    dialog.select_file("receipt.json")
    return dialog


DIALOGS: dict[str, Callable[[MainWindow], QDialog]] = {
    "FileDialog save": _saving,
    "FileDialog open": lambda window: FileDialog(
        window, "Open a list of elements", Path.home(), Asked.OPEN, kinds=("Tables (*.csv)",), several=True
    ),
    "ReasonForm": lambda window: ReasonForm(
        window, f"Re-issue for {PERSON}", SENTENCE, _nothing, example="What happened, for the second key"
    ),
    "GoalDialog": lambda window: GoalDialog(window, window.session.preferences),
    "ReportDialog": lambda window: ReportDialog(window, window.session),
    "AlarmDialog": lambda window: AlarmDialog(window, window.session, watched_alarms(window)),
    "MessageHistory": _history,
    "CheatSheet": lambda window: CheatSheet(window, window.actions_, "Dashboard"),
    "KeyDialog": lambda window: KeyDialog(
        window, "https://arc.training.example:8443", "The service refused the key: it has expired.", _nothing
    ),
    "PreviewDialog": lambda window: PreviewDialog(window, _preview(), DraftPapers(window.session), window.session),
    "PlatformsDialog": lambda window: PlatformsDialog(
        window, [platform(letter) for letter in "ABCDEFGHIJKLMNO"], ["training-a"], "EU"
    ),
    "OutcomeForm": lambda window: OutcomeForm(window, notice()),
    "WithdrawStrikeForm": lambda window: WithdrawStrikeForm(window, "ARC-ST-" + "7" * 32, 3),
    "FormHelper": lambda window: FormHelper(window, notice(channel="form", form=_form_fields())),
    "PeerForm new": PeerForm,
    "PeerForm": lambda window: PeerForm(window, _peer()),
    "SourceForm new": SourceForm,
    "SourceForm": lambda window: SourceForm(window, _source()),
    "SecretForm": lambda window: SecretForm(window, "Replace the secret of hris", SENTENCE, "Replace it"),
    "NextSecretForm": lambda window: NextSecretForm(window, _source()),
    "CloseForm": lambda window: CloseForm(window, "hre_" + "7" * 32, 12, "hris"),
    "ListForm": lambda window: ListForm(window, [one.node_id for one in people(30)], "Token leak", _nothing),
    "ClusterEditor new": lambda window: ClusterEditor(window, None, _nothing, training=True),
    "ClusterEditor": lambda window: ClusterEditor(window, _cluster(), _nothing, training=True),
    "KeyForm": lambda window: KeyForm(window, time.time()),
    "RotateKeyForm": lambda window: RotateKeyForm(window, "Gateway of the northern building"),
    "PlatformForm new": PlatformForm,
    "PlatformForm": lambda window: PlatformForm(window, platform("A")),
    "OperatorForm new": lambda window: OperatorForm(window, "desk-north", None),
    "OperatorForm": lambda window: OperatorForm(window, "desk-north", of_operator("desk-north", PERSON)),
    "PassphraseForm": lambda window: PassphraseForm(window, PERSON),
    "DirectoryForm new": DirectoryForm,
    "DirectoryForm": lambda window: DirectoryForm(window, _directory()),
    "SealForm": lambda window: SealForm(window, time.time),
    "WithdrawForm": lambda window: WithdrawForm(window, "knot_" + "7" * 32, NODE),
    "TerminalForm new": lambda window: TerminalForm(window, ["palms", "palms-north"]),
    "TerminalForm": lambda window: TerminalForm(window, ["palms", "palms-north"], _terminal()),
    "TakenForm": lambda window: TakenForm(window, "palm-north-01", SENTENCE),
    "RegistryForm": RegistryForm,
    "FullCode": _full_code,
    "PeopleDialog": _found_people,
    "ReceiptDialog": lambda window: ReceiptDialog(window, _receipt(), lambda name: name),
    "MakersDialog": lambda window: MakersDialog(window, _makers(), time.time(), may_write=True),
    "MakerForm": lambda window: MakerForm(window, time.time(), {}),
    "ImportDialog refused": _refused_import,
    "ImportDialog": _brought_import,
    "ElementForm new": ElementForm,
    "ElementForm": lambda window: ElementForm(window, _element()),
    "TransportForm": lambda window: TransportForm(window, _element()),
    "QuarantineForm": lambda window: QuarantineForm(window, _element()),
    "ReceiptRangeForm": ReceiptRangeForm,
    "PersonForm new": PersonForm,
    "PersonForm": lambda window: PersonForm(window, people(1)[0], ["hq-ldap", "hq-scim"]),
    "CardLostDialog": _card_lost,
    "DoorsDialog": lambda window: DoorsDialog(
        window, PERSON, [("FIPS 201-3", "data-hall", "Data hall of the northern building, by the card FIPS 201-3")]
    ),
    "ConfirmDialog": lambda window: ConfirmDialog(
        window, f"Delete the operator {PERSON}?", SENTENCE, "Delete the operator", _nothing
    ),
    "SecretDialog": lambda window: SecretDialog(
        window, "Key of the northern gateway", SENTENCE, [Secret("API key", "arc_sov_" + "x" * 38)]
    ),
    "TextDialog": lambda window: TextDialog(window, "Digital Services Act, art. 16", SENTENCE, "A source.\n" * 80),
}
"""By the class, and the case where there are several."""


def kinds_of_dialog() -> set[str]:
    """Names of all dialogs that the console can open: a kind that only others build on is none."""
    for module in pkgutil.walk_packages(app.console.__path__, "app.console."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(kind: type[QDialog]) -> set[type[QDialog]]:
        kinds = kind.__subclasses__()
        return {one for one in kinds if one.__module__.startswith("app.console.")}.union(*map(below, kinds))

    return {kind.__name__ for kind in below(QDialog) if kind not in (Dialog, FormDialog)}
