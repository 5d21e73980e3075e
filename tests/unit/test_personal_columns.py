"""Every column that can hold text or bytes says what becomes of a person in it.

A column stands under the keeper whose ``forget`` empties it in an erasure, under another path that takes it out, or
under the reason why it may stay. A new column that stands nowhere is named here in red: its author decides. (The search
index ``audit_text`` is no table of the metadata; the eraser takes an entry's words out of it with the entry.)
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import LargeBinary, Table, Text, func, insert, select

import app.service.assembly
from app.api.tables import operator, operator_passphrase
from app.approvals.service import Approvals
from app.approvals.tables import approval
from app.biometrics.tables import template
from app.biometrics.templates import Templates
from app.capabilities.burn.personal_data import BurnRecords
from app.capabilities.burn.tables import burn, burn_subject, containment
from app.capabilities.credentials.decisions import DoorDecisions
from app.capabilities.credentials.tables import door_decision
from app.capabilities.enforcement.personal_data import StrikeContent
from app.capabilities.enforcement.tables import strike, strike_file, strike_notice
from app.capabilities.gateway.audit.erasures.service import Erasures
from app.capabilities.lifecycle.personal_data import HrRecords
from app.capabilities.lifecycle.tables import hr_event, hr_measure
from app.capabilities.voice.signatures import VocalSignatures
from app.capabilities.voice.tables import voice_probe, voice_signature
from app.delivery.alarms import AlarmBook
from app.delivery.delivery_rows import DeliveryRows
from app.delivery.events import PersonRecords
from app.delivery.notice_rows import NoticeRows
from app.delivery.notices import Notices
from app.delivery.site_mail import SiteMail
from app.delivery.tables import alarm, delivery, notice_content
from app.operators.register import OperatorRecords
from app.registry.tables import credential_profile, live_check, node, profile_cluster, profile_credential
from app.service.assembly import assemble
from app.site.site import Site
from app.store.tables import metadata
from tests.door_site import ACTOR, DoorSite, door_site

assert app.service.assembly.TABLE  # Imported for its tables: the service's import declares all of them.

Fate = type[Any] | str

# --- what takes personal data out: keepers (classes) are proven below ---

ERASER = "Erasure: app.ledger.erase takes the content out of the leaf, and a word that no entry names any more"
REPLIES = "Erasure: app.api.idempotency.forget_replies empties kept replies that name the node; all go after a day"
ITS_ROW = (
    "app.ledger.state.book: it goes with the row whose key it is, and becomes another one when that row is emptied"
)
NODE = "Deleting the node in the registry deletes the row"
PROFILE = "Deleting the credential profile, which comes before deleting its node, deletes the row"
LAST_NODE = "app.capabilities.lifecycle.periods: the past periods go with the employee's last node"

# --- why it may stay ---

PASSING = "The row goes by itself: when its fact is over, or when it is too old to be used"
PSEUDONYM = "A node's id: without the registry's row, which is deleted, and the logs, which are erased, it names nobody"
EVIDENCE = "Proof that access was ended (app.capabilities.burn.personal_data): what a burn did, to which accounts"
DENIAL = "A denial stays in force: a credential that was burned must stay known, and it is kept as digest and sealed"
FIRST_ANSWER = "Names a signed call for ever, so that a repeat gets the first answer and never acts again"
NAME = "An identifier that the service, an operator or a maker gave to a thing or to an act, not to a person"
WORD = "One word of a fixed list, a list of such words, or a version"
ACTOR_KEY = "The API key or source that acted (its identifier), not who held it"
THING = "Of a machine, a site, a card or a list: its operator describes a thing"
SERVICE_WORDS = "Sentences of the service about a thing: a step, a reader, a card, and identifiers"
MATERIAL = "Keys, secrets, digests, signatures, proofs and measurements of machines; nothing of a person is in them"

# --- what should not be so ---

UNREACHED = "PERSONAL DATA THAT NO ERASURE TAKES OUT"

COLUMNS: Mapping[str, Mapping[Fate, str]] = {
    # The registry.
    "node": {NODE: "node_id display_name employee_id email notes directory_accounts tags search standing"},
    "live_check": {NODE: "node_id kind ref"},
    "credential_profile": {PROFILE: "profile_id node_id schedule tags search"},
    "profile_credential": {PROFILE: "profile_id format card_guid sealed digest"},
    "profile_cluster": {PROFILE: "profile_id cluster_id"},
    "deny": {PSEUDONYM: "node_id", WORD: "cause", NAME: "ref"},
    "deny_credential": {DENIAL: "digest sealed", PSEUDONYM: "node_id", WORD: "cause", NAME: "ref"},
    "access_epoch": {},
    "reader_cluster": {NAME: "cluster_id", THING: "display_name schedule tags search"},
    "reader": {NAME: "reader_id cluster_id", THING: "channel", MATERIAL: "key_sealed pending_sealed"},
    "unit": {NAME: "unit_id", MATERIAL: "public_key thumbprint", WORD: "actions", THING: "display_name tags search"},
    "terminal": {
        NAME: "terminal_id registry_id cluster_id",
        WORD: "kind",
        THING: "display_name tags search",
        MATERIAL: "public_key thumbprint encryption_key",
    },
    "peer": {NAME: "peer_id node_id", THING: "url tags search", MATERIAL: "ca certificate", WORD: "level"},
    "directory": {
        NAME: "directory_id",
        WORD: "kind dialect email_match",
        THING: "display_name url bind_dn base_dn audience tags search",
        MATERIAL: "secret_sealed ca",
    },
    "hr_source": {
        NAME: "hr_source_id",
        WORD: "scheme",
        THING: "display_name tags search",
        MATERIAL: "secret_sealed next_secret_sealed",
    },
    "media_source": {
        NAME: "media_source_id",
        THING: "display_name cidrs ports hosts tags search",
        MATERIAL: "secret_sealed",
    },
    "platform": {
        NAME: "platform_id",
        WORD: "channel",
        THING: "display_name address framework_contacts domains languages tags search",
        MATERIAL: "secret_sealed ca",
    },
    # Operators.
    "operator": {
        OperatorRecords: "display_name subject search",
        PSEUDONYM: "node_id",
        NAME: "operator_id",
        WORD: "roles methods state tags",
    },
    "operator_hand": {NAME: "operator_id", ACTOR_KEY: "hand"},
    "operator_passphrase": {OperatorRecords: "sealed", NAME: "operator_id"},
    # Media. A scan names no node; a caller erases it (DELETE with ``erase``), and all go after the days of a setting.
    "media_scan": {
        PASSING: "url url_sealed callback_sealed media report feed",
        NAME: "scan_id request_id",
        WORD: "source state kind verdict code",
        ACTOR_KEY: "operator",
        SERVICE_WORDS: "detail",
        MATERIAL: "pictures",
    },
    "media_picture": {PASSING: "png", NAME: "scan_id", WORD: "layer"},
    # Enforcement. A strike that is over gives up its content; one that names no node is reached by no erasure.
    "strike": {
        StrikeContent: "target details evidence declaration warnings",
        PSEUDONYM: "node_id",
        NAME: "strike_id track mandate",
        WORD: "law law_state language",
        THING: "law_used",
        ACTOR_KEY: "actor",
        MATERIAL: "same sha256",
    },
    "strike_notice": {
        StrikeContent: "notice jws reference",
        NAME: "notice_id strike_id platform",
        THING: "platform_name address",
        WORD: "kind channel language state decision",
        SERVICE_WORDS: "missing deadline_basis",
        MATERIAL: "notice_sha256",
    },
    "strike_event": {NAME: "notice_id", WORD: "state", ACTOR_KEY: "actor", SERVICE_WORDS: "detail"},
    "strike_file": {StrikeContent: "data", NAME: "strike_id name", MATERIAL: "sha256"},
    # Biometrics. A template's seal is the person: the row goes as a whole.
    "template_registry": {NAME: "template_registry_id", THING: "tags search", MATERIAL: "generation"},
    "template": {Templates: "node_id sealed", NAME: "registry_id"},
    "terminal_bundle": {NAME: "terminal_id registry_id", MATERIAL: "sealed_to head_sha256"},
    "terminal_counter": {MATERIAL: "thumbprint"},
    "terminal_nonce": {PASSING: "nonce", MATERIAL: "thumbprint"},
    "probe_seen": {PASSING: "digest"},
    "voice_signature": {
        VocalSignatures: "node_id sealed",
        NAME: "serial model_id model_sha256",
        MATERIAL: "seed_sealed",
    },
    "voice_probe": {VocalSignatures: "node_id", PASSING: "digest marks"},
    # The API, alarms and approvals.
    "api_key": {
        NAME: "kid made_by",
        # It says whose key it is, and a revoked key keeps its row.
        UNREACHED: "label",
        WORD: "clearance",
        MATERIAL: "webhook_secret",
    },
    "api_key_secret": {NAME: "kid made_by", MATERIAL: "digest"},
    "api_reply": {REPLIES: "body", MATERIAL: "slot fingerprint", WORD: "media_type"},
    "alarm": {
        PASSING: "node_id text",
        AlarmBook: "note",
        NAME: "alarm_id key ref",
        WORD: "kind",
        ACTOR_KEY: "taken_by",
    },
    "delivery": {
        # What a receiver is told of a scan, and where; over, it goes after 30 days, a dead letter once it is seen to.
        PASSING: "url_sealed shown_url target body reference note",
        # Of notices: what a server said, with reference and note, goes when their strike is erased (``Notices.erase``).
        StrikeContent: "answer",
        NAME: "delivery_id subject platform_id",
        WORD: "type state fault outcome channel decision",
        ACTOR_KEY: "kid outcome_by",
        MATERIAL: "content_sha256",
    },
    "notice_content": {StrikeContent: "content", NAME: "delivery_id"},
    "delivery_gone": {ACTOR_KEY: "kid", MATERIAL: "target"},
    "approval": {
        # Of one node. The reason of an approval about several nodes is not reached: its ``node_id`` is NULL.
        Approvals: "reason",
        PSEUDONYM: "node_id subject subjects",
        NAME: "approval_id card_guid",
        WORD: "kind state",
        ACTOR_KEY: "requested_by approved_by rejected_by used_by",
    },
    # Burns and containments.
    "burn": {
        EVIDENCE: "reason",
        PSEUDONYM: "node_id",
        NAME: "burn_id",
        WORD: "scope",
        ACTOR_KEY: "actor lifted_by",
    },
    "burn_target": {EVIDENCE: "display_name evidence", NAME: "burn_id target_id", WORD: "kind state told"},
    "burn_subject": {BurnRecords: "account email employee_id", NAME: "burn_id target_id directory_id"},
    "burn_segment": {EVIDENCE: "body", NAME: "burn_id open", MATERIAL: "sha256 manifest"},
    "containment": {
        BurnRecords: "message",
        PSEUDONYM: "node_id",
        NAME: "containment_id burn_id",
        WORD: "cause state",
        ACTOR_KEY: "actor ended_by",
    },
    "mass_burn": {EVIDENCE: "reason", NAME: "approval_id request_id", ACTOR_KEY: "actor"},
    "mass_burn_node": {PSEUDONYM: "node_id", NAME: "approval_id burn_id"},
    # HR.
    "hr_event": {
        HrRecords: "employee_id digest closed_reason",
        FIRST_ANSWER: "key",
        NAME: "event_id source",
        WORD: "event action reason",
        ACTOR_KEY: "closed_by",
    },
    "hr_measure": {PSEUDONYM: "node_id", WORD: "measure", NAME: "ref"},
    "hr_period": {LAST_NODE: "employee_id", WORD: "cause"},
    "hr_roster": {ACTOR_KEY: "actor"},
    # The next roster replaces it; where none comes any more, it stays.
    "hr_difference": {UNREACHED: "employee_id", PSEUDONYM: "node_id", WORD: "kind"},
    # Doors and permits.
    "reader_grant": {PSEUDONYM: "node_id", NAME: "profile_id cluster_id sync_id", WORD: "ended_why"},
    "sync": {PASSING: "node_id", NAME: "sync_id profile_id cluster_id", WORD: "standing"},
    "sync_reader": {NAME: "sync_id reader_id", WORD: "state firmware", SERVICE_WORDS: "detail"},
    "door_decision": {
        DoorDecisions: "node_id",
        NAME: "reader_id cluster_id ref",
        WORD: "decision reason",
    },
    "permit": {PASSING: "node_id resource", NAME: "jti unit_id burn_id decision_id", WORD: "action decision"},
    "proof_used": {PASSING: "digest"},
    # Cards.
    "provision": {
        PSEUDONYM: "node_id",
        # What was sent to the card, as hexadecimal digits: the certificates and the name printed in them too.
        UNREACHED: "trace",
        NAME: "provision_id hardware_uid hardware_uid_now aliases reader card_guid former_guid batch_id",
        WORD: "state fips verification stages",
        ACTOR_KEY: "operator approver",
        SERVICE_WORDS: "warnings detail",
        MATERIAL: "slots pin receipt",
    },
    "card_name": {NAME: "name provision_id"},
    "refused_key": {NAME: "provision_id", MATERIAL: "mark"},
    "provision_step": {NAME: "provision_id", WORD: "step", MATERIAL: "digest"},
    "pin_reset": {
        NAME: "approval_id provision_id reader",
        WORD: "state stages code",
        ACTOR_KEY: "operator",
        SERVICE_WORDS: "detail",
        MATERIAL: "pin",
    },
    "card_certificate": {
        # Its subject is the display name of the node.
        UNREACHED: "certificate",
        PSEUDONYM: "node_id",
        NAME: "sha256 provision_id burn_id serial",
        WORD: "slot reason",
    },
    "revocation_list": {NAME: "entries_sha256 sha256", MATERIAL: "crl"},
    "element": {
        NAME: "element_id provision_id",
        THING: "product location detail search",
        WORD: "state",
        MATERIAL: "validation transport",
    },
    "batch": {NAME: "batch_id readers", THING: "label", WORD: "fips_standard state", ACTOR_KEY: "operator"},
    "batch_row": {
        PSEUDONYM: "node_id",
        NAME: "batch_id hardware_uid reader provision_id",
        WORD: "state code",
        SERVICE_WORDS: "detail",
    },
    "site_certificate": {NAME: "name", MATERIAL: "certificate"},
    # Frames.
    "frame_last": {NAME: "peer_id", WORD: "cipher group_name protocol"},
    "frame_span": {NAME: "peer_id", MATERIAL: "sketch"},
    # Logs and seals. A header names nobody (the leaf's format); what was agreed is in the payload.
    "knot": {PSEUDONYM: "node_id", NAME: "knot_id", WORD: "standing", MATERIAL: "consensus_seal"},
    "audit_entry": {ERASER: "salt payload", MATERIAL: "header"},
    "seal_entry": {ERASER: "salt payload", NAME: "knot_id", MATERIAL: "header"},
    "log_word": {ERASER: "text"},
    "log_anchor": {NAME: "authority", MATERIAL: "token"},
    "log_cosigned": {MATERIAL: "note token"},
    "log_head": {MATERIAL: "root note"},
    "log_key": {MATERIAL: "ed25519 mldsa44"},
    "log_late": {NAME: "key_id", MATERIAL: "line"},
    "log_tile": {MATERIAL: "h"},
    "state_sum": {NAME: "name columns", MATERIAL: "sum"},
    "state_row": {NAME: "name", ITS_ROW: "key digest"},
}

KEEPERS = (
    AlarmBook,
    Approvals,
    BurnRecords,
    DoorDecisions,
    HrRecords,
    OperatorRecords,
    StrikeContent,
    Templates,
    VocalSignatures,
)
PERSON = "ARC-PERSON"
"""Id of the node, and what stands in every column that an erasure must empty."""


def listed(fate: Fate | None = None) -> list[str]:
    """``table.column`` of each column of the mapping, or of those with this fate."""
    return [
        f"{name}.{column}"
        for name, fates in COLUMNS.items()
        for why, columns in fates.items()
        for column in columns.split()
        if fate in (None, why)
    ]


def test_every_column_of_text_or_bytes_says_what_becomes_of_a_person_in_it() -> None:
    """Each stands in the mapping once. Tables of tests do not count."""
    declared = {
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        if not table.name.startswith("test_")
        for column in table.columns
        if isinstance(column.type, Text | LargeBinary)
    }
    assert sorted(declared - set(listed())) == [], "say what an erasure does with these"
    assert sorted(set(listed()) - declared) == [], "these columns are gone"
    assert len(listed()) == len(set(listed())), "a column stands there twice"


def test_what_no_erasure_takes_out_is_known() -> None:
    """Nothing joins these without a decision."""
    assert sorted(listed(UNREACHED)) == [
        "api_key.label",
        "card_certificate.certificate",
        "hr_difference.employee_id",
        "provision.trace",
    ]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A real store with one row of everything that an erasure must empty, as old as it must be for that."""
    with door_site(tmp_path / "site") as made:
        for row in (
            full(alarm, node_id=PERSON),
            full(approval, node_id=PERSON, state="USED"),
            full(burn, node_id=PERSON, burn_id="brn_1"),
            full(burn_subject, burn_id="brn_1"),
            full(containment, node_id=PERSON),
            full(door_decision, node_id=PERSON),
            full(hr_event, number=1, closed_us=1),
            full(hr_measure, number=1, node_id=PERSON),
            full(operator, node_id=PERSON, operator_id="op_1"),
            full(operator_passphrase, operator_id="op_1"),
            full(template, registry_id="default"),
            full(voice_signature),
            full(voice_probe),
            full(strike, node_id=PERSON),
            full(strike_notice),
            full(strike_file, name="evidence/report.zip"),
            full(delivery, channel="mail"),
            full(notice_content),
        ):
            made.write(lambda tx, row=row: tx.connection.execute(row))
        yield made


def full(table: Table, **values: object) -> Any:
    """INSERT of a row of which every column says something: ``PERSON`` where an erasure must empty it."""
    emptied = {name for keeper in KEEPERS for name in listed(keeper)}
    row: dict[str, object] = {}
    for column in table.columns:
        said = PERSON if f"{table.name}.{column.name}" in emptied else "x"
        kinds: dict[type, object] = {int: 1, float: 1.0, str: said, bytes: said.encode()}
        row[column.name] = kinds[column.type.python_type]
    return insert(table).values({**row, **values})


def notices_of(site: DoorSite) -> Notices:
    """What keeps the content of notices; nothing of it is sent."""
    rows = NoticeRows(site.store, DeliveryRows(site.store, bytes(32), site.alarms), site.alarms)
    return Notices(rows, enter=lambda _: None, mail=SiteMail(None, site.keys, training=True))


def naming(site: DoorSite, columns: list[str]) -> list[str]:
    """Those of the columns in which the person stands."""
    with site.store.read() as connection:
        return [
            name
            for name in columns
            for table, column in [name.split(".")]
            if connection.scalars(select(metadata.tables[table].c[column])).first() in (PERSON, PERSON.encode())
        ]


@pytest.mark.parametrize("keeper", KEEPERS)
def test_a_keeper_forgets_what_stands_under_it(site: DoorSite, keeper: type) -> None:
    """``forget`` leaves the person in none of its columns, and what others keep to them."""
    made: dict[type, PersonRecords] = {
        AlarmBook: site.alarms,
        Approvals: site.approvals,
        BurnRecords: BurnRecords(),
        DoorDecisions: site.decisions,
        HrRecords: HrRecords(),
        StrikeContent: StrikeContent(notices_of(site)),
        OperatorRecords: OperatorRecords(),
        Templates: site.biometrics.templates,
        VocalSignatures: VocalSignatures(site.store),
    }
    mine, others = listed(keeper), [name for other in KEEPERS if other is not keeper for name in listed(other)]
    assert naming(site, mine) == mine
    site.write(lambda tx: made[keeper].forget(tx, PERSON))
    assert naming(site, mine) == []
    assert naming(site, others) == others


def test_deleting_profile_and_node_deletes_their_rows(tmp_path: Path) -> None:
    """Whom an id names is in the registry alone, so nothing of its rows may stay."""
    tables = (node, live_check, credential_profile, profile_credential, profile_cluster)
    assert {name.split(".")[0] for name in listed(NODE) + listed(PROFILE)} == {table.name for table in tables}
    with door_site(tmp_path / "site") as site:

        def rows() -> list[int]:
            with site.store.read() as connection:
                return [connection.scalar(select(func.count()).select_from(table)) or 0 for table in tables]

        site.cluster("lab", 1)
        site.person(PERSON, clusters=["lab"])
        assert min(rows()) > 0
        asyncio.run(site.registry.profiles.delete(f"badge-{PERSON}", actor=ACTOR))
        asyncio.run(site.registry.nodes.delete(PERSON, actor=ACTOR))
        assert rows() == [0] * len(tables)


def test_every_keeper_is_asked(tmp_path: Path) -> None:
    """An erasure of a running site asks each of them: one that no wiring hands over would keep what it has."""
    with contextlib.ExitStack() as claims:
        site = Site.open(tmp_path / "site", "training")
        erasures = assemble(site, pcsc="off", claims=claims).services["erasures"]
        assert isinstance(erasures, Erasures)
        assert {type(keeper) for keeper in erasures._records} >= set(KEEPERS)
