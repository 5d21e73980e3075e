"""The first schema, as it left the house: later changes are revisions of their own, never edits of this one."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE api_key (
        kid TEXT NOT NULL,
        label TEXT NOT NULL,
        clearance TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        expires_us INTEGER,
        revoked_us INTEGER,
        last_used_us INTEGER,
        webhook_secret BLOB NOT NULL,
        CONSTRAINT api_key_key PRIMARY KEY (kid)
    )
     STRICT
    """,
    """
    CREATE INDEX api_key_by_created_us_kid ON api_key (created_us, kid)
    """,
    """
    CREATE TABLE api_reply (
        slot BLOB NOT NULL,
        fingerprint BLOB NOT NULL,
        status INTEGER NOT NULL,
        media_type TEXT NOT NULL,
        body BLOB,
        created_us INTEGER NOT NULL,
        CONSTRAINT api_reply_key PRIMARY KEY (slot)
    )
     STRICT
    """,
    """
    CREATE INDEX api_reply_by_created_us ON api_reply (created_us)
    """,
    """
    CREATE TABLE burn (
        number INTEGER NOT NULL,
        burn_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        reason TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        local_deny_us REAL NOT NULL,
        leaf INTEGER NOT NULL,
        actor TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        completed_us INTEGER,
        lifted_us INTEGER,
        CONSTRAINT burn_key PRIMARY KEY (number),
        CONSTRAINT burn_one_burn_id UNIQUE (burn_id)
    )
     STRICT
    """,
    """
    CREATE UNIQUE INDEX burn_once ON burn (node_id, scope) WHERE lifted_us IS NULL
    """,
    """
    CREATE INDEX burn_open ON burn (number) WHERE completed_us IS NULL
    """,
    """
    CREATE TABLE alarm (
        alarm_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        "key" TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        node_id TEXT,
        ref TEXT,
        text TEXT NOT NULL,
        CONSTRAINT alarm_key PRIMARY KEY (alarm_id)
    )
     STRICT
    """,
    """
    CREATE UNIQUE INDEX alarm_of_a_fact ON alarm (kind, "key")
    """,
    """
    CREATE TABLE node (
        node_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        employee_id TEXT,
        email TEXT,
        notes TEXT,
        directory_accounts TEXT NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        standing TEXT NOT NULL,
        verified_us INTEGER,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT node_key PRIMARY KEY (node_id)
    )
     STRICT
    """,
    """
    CREATE INDEX node_by_search ON node (node_id, search)
    """,
    """
    CREATE INDEX node_by_employee ON node (employee_id)
    """,
    """
    CREATE INDEX node_by_standing ON node (standing, verified_us)
    """,
    """
    CREATE TABLE deny (
        node_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        ref TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT deny_key PRIMARY KEY (node_id, cause, ref)
    )
     STRICT
    """,
    """
    CREATE TABLE deny_credential (
        digest BLOB NOT NULL,
        ref TEXT NOT NULL,
        node_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        sealed BLOB NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT deny_credential_key PRIMARY KEY (digest, ref)
    )
     STRICT
    """,
    """
    CREATE INDEX deny_credential_by_ref ON deny_credential (ref)
    """,
    """
    CREATE TABLE access_epoch (
        access_epoch_id INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        CONSTRAINT access_epoch_key PRIMARY KEY (access_epoch_id)
    )
     STRICT
    """,
    """
    CREATE TABLE reader_cluster (
        cluster_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        schedule TEXT,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT reader_cluster_key PRIMARY KEY (cluster_id)
    )
     STRICT
    """,
    """
    CREATE INDEX reader_cluster_by_search ON reader_cluster (cluster_id, search)
    """,
    """
    CREATE TABLE unit (
        unit_id TEXT NOT NULL,
        public_key TEXT NOT NULL,
        thumbprint TEXT NOT NULL,
        actions TEXT NOT NULL,
        display_name TEXT,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT unit_key PRIMARY KEY (unit_id),
        CONSTRAINT unit_key_is_used_once UNIQUE (thumbprint)
    )
     STRICT
    """,
    """
    CREATE INDEX unit_by_search ON unit (unit_id, search)
    """,
    """
    CREATE TABLE peer (
        peer_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        url TEXT NOT NULL,
        ca TEXT,
        certificate TEXT,
        level TEXT NOT NULL,
        maintenance INTEGER NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT peer_key PRIMARY KEY (peer_id),
        CONSTRAINT peer_node_is_one_frame UNIQUE (node_id)
    )
     STRICT
    """,
    """
    CREATE INDEX peer_by_search ON peer (peer_id, search)
    """,
    """
    CREATE TABLE log_word (
        id INTEGER NOT NULL,
        text TEXT NOT NULL,
        CONSTRAINT log_word_key PRIMARY KEY (id),
        CONSTRAINT log_word_one_text UNIQUE (text)
    )
     STRICT
    """,
    """
    CREATE TABLE audit_entry (
        seq INTEGER NOT NULL,
        ts INTEGER NOT NULL,
        action INTEGER NOT NULL,
        outcome INTEGER NOT NULL,
        actor INTEGER NOT NULL,
        node INTEGER,
        unit INTEGER,
        header BLOB NOT NULL,
        salt BLOB,
        payload BLOB,
        CONSTRAINT audit_entry_key PRIMARY KEY (seq)
    )
     STRICT
    """,
    """
    CREATE INDEX audit_by_node ON audit_entry (node, seq, actor, action, outcome) WHERE node IS NOT NULL
    """,
    """
    CREATE INDEX audit_by_unit ON audit_entry (unit, seq, actor, action, outcome) WHERE unit IS NOT NULL
    """,
    """
    CREATE INDEX audit_by_actor ON audit_entry (actor, seq, action, outcome)
    """,
    """
    CREATE INDEX audit_by_action ON audit_entry (action, outcome, seq)
    """,
    """
    CREATE INDEX audit_by_outcome ON audit_entry (outcome, seq) WHERE outcome != 0
    """,
    """
    CREATE TABLE log_tile (
        id INTEGER NOT NULL,
        h BLOB NOT NULL,
        CONSTRAINT log_tile_key PRIMARY KEY (id)
    )
     STRICT
    """,
    """
    CREATE TABLE log_head (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        root BLOB NOT NULL,
        note BLOB NOT NULL,
        CONSTRAINT log_head_key PRIMARY KEY (log)
    )
     STRICT
    """,
    """
    CREATE TABLE reader_grant (
        profile_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        not_after_us INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        sync_id TEXT NOT NULL,
        ended_us INTEGER,
        ended_why TEXT,
        CONSTRAINT reader_grant_key PRIMARY KEY (profile_id, cluster_id)
    )
     STRICT
    """,
    """
    CREATE INDEX reader_grant_by_node ON reader_grant (node_id)
    """,
    """
    CREATE TABLE sync (
        sync_id TEXT NOT NULL,
        profile_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        not_after_us INTEGER NOT NULL,
        standing TEXT NOT NULL,
        verified_us INTEGER,
        created_us INTEGER NOT NULL,
        CONSTRAINT sync_key PRIMARY KEY (sync_id)
    )
     STRICT
    """,
    """
    CREATE INDEX sync_by_node ON sync (node_id)
    """,
    """
    CREATE INDEX sync_by_time ON sync (created_us)
    """,
    """
    CREATE TABLE proof_used (
        digest BLOB NOT NULL,
        until_us INTEGER NOT NULL,
        CONSTRAINT proof_used_key PRIMARY KEY (digest)
    )
     STRICT
    """,
    """
    CREATE INDEX proof_used_by_age ON proof_used (until_us)
    """,
    """
    CREATE TABLE frame_span (
        peer_id TEXT NOT NULL,
        span_s INTEGER NOT NULL,
        start_s INTEGER NOT NULL,
        missed INTEGER NOT NULL,
        sketch BLOB NOT NULL,
        CONSTRAINT frame_span_key PRIMARY KEY (peer_id, span_s, start_s)
    )
     STRICT
    """,
    """
    CREATE INDEX frame_span_by_age ON frame_span (span_s, start_s)
    """,
    """
    CREATE TABLE frame_last (
        peer_id TEXT NOT NULL,
        at_us INTEGER NOT NULL,
        resolve_ms REAL NOT NULL,
        connect_ms REAL NOT NULL,
        first_byte_ms REAL NOT NULL,
        handshake_ms REAL NOT NULL,
        cipher TEXT NOT NULL,
        group_name TEXT,
        protocol TEXT NOT NULL,
        not_after_us INTEGER,
        CONSTRAINT frame_last_key PRIMARY KEY (peer_id)
    )
     STRICT
    """,
    """
    CREATE TABLE site_certificate (
        name TEXT NOT NULL,
        certificate BLOB NOT NULL,
        made_us INTEGER NOT NULL,
        CONSTRAINT site_certificate_key PRIMARY KEY (name)
    )
     STRICT
    """,
    """
    CREATE TABLE provision (
        provision_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        hardware_uid TEXT NOT NULL,
        hardware_uid_now TEXT,
        aliases TEXT NOT NULL,
        reader TEXT NOT NULL,
        state TEXT NOT NULL,
        card_guid TEXT NOT NULL,
        former_guid TEXT,
        fips TEXT NOT NULL,
        operator TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        started_us INTEGER NOT NULL,
        finished_us INTEGER,
        apdu_count INTEGER NOT NULL,
        duration_ms REAL NOT NULL,
        slots TEXT NOT NULL,
        verification TEXT,
        stages TEXT NOT NULL,
        warnings TEXT NOT NULL,
        weak_management_key INTEGER NOT NULL,
        pin BLOB,
        mailer_us INTEGER,
        trace BLOB,
        detail TEXT,
        batch_id TEXT,
        receipt BLOB,
        unproven INTEGER DEFAULT '0' NOT NULL,
        approver TEXT,
        released_us INTEGER,
        CONSTRAINT provision_key PRIMARY KEY (provision_id)
    )
     STRICT
    """,
    """
    CREATE INDEX provision_by_guid ON provision (card_guid)
    """,
    """
    CREATE INDEX provision_by_batch ON provision (batch_id)
    """,
    """
    CREATE INDEX provision_by_node ON provision (node_id, started_us)
    """,
    """
    CREATE INDEX provision_by_finish ON provision (finished_us, provision_id)
    """,
    """
    CREATE INDEX provision_by_start ON provision (started_us, provision_id)
    """,
    """
    CREATE TABLE element (
        element_id TEXT NOT NULL,
        product TEXT NOT NULL,
        location TEXT,
        state TEXT NOT NULL,
        validation TEXT,
        transport BLOB,
        transport_us INTEGER,
        provision_id TEXT,
        detail TEXT,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT element_key PRIMARY KEY (element_id)
    )
     STRICT
    """,
    """
    CREATE TABLE batch (
        batch_id TEXT NOT NULL,
        label TEXT NOT NULL,
        fips_standard TEXT NOT NULL,
        state TEXT NOT NULL,
        readers TEXT NOT NULL,
        operator TEXT NOT NULL,
        made_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        finished_us INTEGER,
        CONSTRAINT batch_key PRIMARY KEY (batch_id)
    )
     STRICT
    """,
    """
    CREATE INDEX batch_by_start ON batch (made_us, batch_id)
    """,
    """
    CREATE TABLE api_key_secret (
        digest BLOB NOT NULL,
        kid TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        not_after_us INTEGER,
        CONSTRAINT api_key_secret_key PRIMARY KEY (digest),
        CONSTRAINT api_key_secret_of_kid FOREIGN KEY(kid) REFERENCES api_key (kid)
    )
     STRICT
    """,
    """
    CREATE INDEX api_key_secret_by_kid ON api_key_secret (kid)
    """,
    """
    CREATE TABLE burn_target (
        burn_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        display_name TEXT,
        state TEXT NOT NULL,
        attempts INTEGER DEFAULT 0 NOT NULL,
        latency_us INTEGER,
        evidence TEXT,
        changed_us INTEGER NOT NULL,
        CONSTRAINT burn_target_key PRIMARY KEY (burn_id, target_id),
        CONSTRAINT burn_target_of_burn_id FOREIGN KEY(burn_id) REFERENCES burn (burn_id)
    )
     STRICT
    """,
    """
    CREATE TABLE live_check (
        live_check_id INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        at_us INTEGER NOT NULL,
        ref TEXT NOT NULL,
        success INTEGER NOT NULL,
        CONSTRAINT live_check_key PRIMARY KEY (live_check_id),
        CONSTRAINT live_check_of_node_id FOREIGN KEY(node_id) REFERENCES node (node_id)
    )
     STRICT
    """,
    """
    CREATE INDEX live_check_by_node ON live_check (node_id, live_check_id)
    """,
    """
    CREATE TABLE reader (
        reader_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        channel TEXT NOT NULL,
        address INTEGER NOT NULL,
        baud INTEGER NOT NULL,
        onboard_list INTEGER NOT NULL,
        key_sealed BLOB NOT NULL,
        key_changed_us INTEGER NOT NULL,
        enrolled_us INTEGER,
        CONSTRAINT reader_key PRIMARY KEY (reader_id),
        CONSTRAINT reader_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    """,
    """
    CREATE INDEX reader_by_channel ON reader (channel, address)
    """,
    """
    CREATE INDEX reader_by_cluster ON reader (cluster_id, position)
    """,
    """
    CREATE TABLE credential_profile (
        profile_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        schedule TEXT,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT credential_profile_key PRIMARY KEY (profile_id),
        CONSTRAINT credential_profile_of_node_id FOREIGN KEY(node_id) REFERENCES node (node_id)
    )
     STRICT
    """,
    """
    CREATE INDEX credential_profile_by_node ON credential_profile (node_id)
    """,
    """
    CREATE INDEX credential_profile_by_search ON credential_profile (profile_id, search)
    """,
    """
    CREATE TABLE sync_reader (
        sync_id TEXT NOT NULL,
        reader_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        state TEXT NOT NULL,
        secure_channel INTEGER NOT NULL,
        firmware TEXT,
        latency_ms REAL,
        detail TEXT,
        CONSTRAINT sync_reader_key PRIMARY KEY (sync_id, reader_id),
        CONSTRAINT sync_reader_of_sync_id FOREIGN KEY(sync_id) REFERENCES sync (sync_id)
    )
     STRICT
    """,
    """
    CREATE INDEX sync_reader_by_state ON sync_reader (state, reader_id)
    """,
    """
    CREATE TABLE provision_step (
        provision_id TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        n INTEGER NOT NULL,
        step TEXT NOT NULL,
        digest BLOB,
        sw INTEGER,
        at_us INTEGER NOT NULL,
        CONSTRAINT provision_step_key PRIMARY KEY (provision_id, attempt, n),
        CONSTRAINT provision_step_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    """,
    """
    CREATE TABLE card_certificate (
        sha256 TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        slot TEXT NOT NULL,
        certificate BLOB NOT NULL,
        not_after_us INTEGER NOT NULL,
        revoked_us INTEGER,
        burn_id TEXT,
        CONSTRAINT card_certificate_key PRIMARY KEY (sha256),
        CONSTRAINT card_certificate_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    """,
    """
    CREATE INDEX card_certificate_by_provision ON card_certificate (provision_id)
    """,
    """
    CREATE INDEX card_certificate_by_node ON card_certificate (node_id)
    """,
    """
    CREATE TABLE batch_row (
        batch_id TEXT NOT NULL,
        n INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        hardware_uid TEXT,
        state TEXT NOT NULL,
        reader TEXT,
        provision_id TEXT,
        attempts INTEGER NOT NULL,
        code TEXT,
        detail TEXT,
        begun_us INTEGER,
        ended_us INTEGER,
        CONSTRAINT batch_row_key PRIMARY KEY (batch_id, n),
        CONSTRAINT batch_row_of_batch_id FOREIGN KEY(batch_id) REFERENCES batch (batch_id)
    )
     STRICT
    """,
    """
    CREATE TABLE profile_credential (
        profile_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        format TEXT NOT NULL,
        card_guid TEXT,
        sealed BLOB NOT NULL,
        digest BLOB NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT profile_credential_key PRIMARY KEY (profile_id, position),
        CONSTRAINT profile_credential_of_profile_id FOREIGN KEY(profile_id) REFERENCES credential_profile (profile_id)
    )
     STRICT
    """,
    """
    CREATE INDEX profile_credential_by_digest ON profile_credential (digest)
    """,
    """
    CREATE TABLE profile_cluster (
        profile_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        CONSTRAINT profile_cluster_key PRIMARY KEY (profile_id, cluster_id),
        CONSTRAINT profile_cluster_of_profile_id FOREIGN KEY(profile_id) REFERENCES credential_profile (profile_id),
        CONSTRAINT profile_cluster_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    """,
    """
    CREATE INDEX profile_cluster_by_cluster ON profile_cluster (cluster_id)
    """,
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS audit_text USING fts5(words, content='', columnsize=0,
    tokenize='unicode61 remove_diacritics 2')
    """,
)


def upgrade() -> None:
    """Create every table and index."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """A store never goes back: an older version refuses it."""
    raise RuntimeError("a store cannot go back to an older version; restore a backup")
