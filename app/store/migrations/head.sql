-- The schema at HEAD, as the revisions make it. Generated: python -m app.store.migrations.head_writer
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE api_key (
        kid TEXT NOT NULL,
        label TEXT NOT NULL,
        clearance TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        expires_us INTEGER,
        revoked_us INTEGER,
        last_used_us INTEGER,
        webhook_secret BLOB NOT NULL, made_by TEXT,
        CONSTRAINT api_key_key PRIMARY KEY (kid)
    )
     STRICT
    ;
CREATE INDEX api_key_by_created_us_kid ON api_key (created_us, kid)
    ;
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
    ;
CREATE INDEX api_reply_by_created_us ON api_reply (created_us)
    ;
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
        lifted_us INTEGER, drill INTEGER DEFAULT 0 NOT NULL, lifted_by TEXT, known INTEGER DEFAULT 1 NOT NULL, received_us INTEGER,
        CONSTRAINT burn_key PRIMARY KEY (number),
        CONSTRAINT burn_one_burn_id UNIQUE (burn_id)
    )
     STRICT
    ;
CREATE UNIQUE INDEX burn_once ON burn (node_id, scope) WHERE lifted_us IS NULL
    ;
CREATE INDEX burn_open ON burn (number) WHERE completed_us IS NULL
    ;
CREATE TABLE alarm (
        alarm_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        "key" TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        node_id TEXT,
        ref TEXT,
        text TEXT NOT NULL, taken_by TEXT, taken_us INTEGER, note TEXT,
        CONSTRAINT alarm_key PRIMARY KEY (alarm_id)
    )
     STRICT
    ;
CREATE UNIQUE INDEX alarm_of_a_fact ON alarm (kind, "key")
    ;
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
    ;
CREATE INDEX node_by_search ON node (node_id, search)
    ;
CREATE INDEX node_by_employee ON node (employee_id)
    ;
CREATE INDEX node_by_standing ON node (standing, verified_us)
    ;
CREATE TABLE deny (
        node_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        ref TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT deny_key PRIMARY KEY (node_id, cause, ref)
    )
     STRICT
    ;
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
    ;
CREATE INDEX deny_credential_by_ref ON deny_credential (ref)
    ;
CREATE TABLE access_epoch (
        access_epoch_id INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        CONSTRAINT access_epoch_key PRIMARY KEY (access_epoch_id)
    )
     STRICT
    ;
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
    ;
CREATE INDEX reader_cluster_by_search ON reader_cluster (cluster_id, search)
    ;
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
    ;
CREATE INDEX unit_by_search ON unit (unit_id, search)
    ;
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
    ;
CREATE INDEX peer_by_search ON peer (peer_id, search)
    ;
CREATE TABLE log_word (
        id INTEGER NOT NULL,
        text TEXT NOT NULL,
        CONSTRAINT log_word_key PRIMARY KEY (id),
        CONSTRAINT log_word_one_text UNIQUE (text)
    )
     STRICT
    ;
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
    ;
CREATE INDEX audit_by_node ON audit_entry (node, seq, actor, action, outcome) WHERE node IS NOT NULL
    ;
CREATE INDEX audit_by_unit ON audit_entry (unit, seq, actor, action, outcome) WHERE unit IS NOT NULL
    ;
CREATE INDEX audit_by_actor ON audit_entry (actor, seq, action, outcome)
    ;
CREATE INDEX audit_by_action ON audit_entry (action, outcome, seq)
    ;
CREATE INDEX audit_by_outcome ON audit_entry (outcome, seq) WHERE outcome != 0
    ;
CREATE TABLE log_tile (
        id INTEGER NOT NULL,
        h BLOB NOT NULL,
        CONSTRAINT log_tile_key PRIMARY KEY (id)
    )
     STRICT
    ;
CREATE TABLE log_head (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        root BLOB NOT NULL,
        note BLOB NOT NULL,
        CONSTRAINT log_head_key PRIMARY KEY (log)
    )
     STRICT
    ;
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
    ;
CREATE INDEX reader_grant_by_node ON reader_grant (node_id)
    ;
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
    ;
CREATE INDEX sync_by_node ON sync (node_id)
    ;
CREATE INDEX sync_by_time ON sync (created_us)
    ;
CREATE TABLE proof_used (
        digest BLOB NOT NULL,
        until_us INTEGER NOT NULL,
        CONSTRAINT proof_used_key PRIMARY KEY (digest)
    )
     STRICT
    ;
CREATE INDEX proof_used_by_age ON proof_used (until_us)
    ;
CREATE TABLE frame_span (
        peer_id TEXT NOT NULL,
        span_s INTEGER NOT NULL,
        start_s INTEGER NOT NULL,
        missed INTEGER NOT NULL,
        sketch BLOB NOT NULL,
        CONSTRAINT frame_span_key PRIMARY KEY (peer_id, span_s, start_s)
    )
     STRICT
    ;
CREATE INDEX frame_span_by_age ON frame_span (span_s, start_s)
    ;
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
    ;
CREATE TABLE site_certificate (
        name TEXT NOT NULL,
        certificate BLOB NOT NULL,
        made_us INTEGER NOT NULL,
        CONSTRAINT site_certificate_key PRIMARY KEY (name)
    )
     STRICT
    ;
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
    ;
CREATE INDEX provision_by_guid ON provision (card_guid)
    ;
CREATE INDEX provision_by_batch ON provision (batch_id)
    ;
CREATE INDEX provision_by_node ON provision (node_id, started_us)
    ;
CREATE INDEX provision_by_finish ON provision (finished_us, provision_id)
    ;
CREATE INDEX provision_by_start ON provision (started_us, provision_id)
    ;
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
    ;
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
    ;
CREATE INDEX batch_by_start ON batch (made_us, batch_id)
    ;
CREATE TABLE api_key_secret (
        digest BLOB NOT NULL,
        kid TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        not_after_us INTEGER, made_by TEXT,
        CONSTRAINT api_key_secret_key PRIMARY KEY (digest),
        CONSTRAINT api_key_secret_of_kid FOREIGN KEY(kid) REFERENCES api_key (kid)
    )
     STRICT
    ;
CREATE INDEX api_key_secret_by_kid ON api_key_secret (kid)
    ;
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
        changed_us INTEGER NOT NULL, told TEXT,
        CONSTRAINT burn_target_key PRIMARY KEY (burn_id, target_id),
        CONSTRAINT burn_target_of_burn_id FOREIGN KEY(burn_id) REFERENCES burn (burn_id)
    )
     STRICT
    ;
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
    ;
CREATE INDEX live_check_by_node ON live_check (node_id, live_check_id)
    ;
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
        enrolled_us INTEGER, pending_sealed BLOB, pending_since_us INTEGER, wire_address INTEGER, wire_baud INTEGER,
        CONSTRAINT reader_key PRIMARY KEY (reader_id),
        CONSTRAINT reader_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    ;
CREATE INDEX reader_by_channel ON reader (channel, address)
    ;
CREATE INDEX reader_by_cluster ON reader (cluster_id, position)
    ;
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
    ;
CREATE INDEX credential_profile_by_node ON credential_profile (node_id)
    ;
CREATE INDEX credential_profile_by_search ON credential_profile (profile_id, search)
    ;
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
    ;
CREATE INDEX sync_reader_by_state ON sync_reader (state, reader_id)
    ;
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
    ;
CREATE TABLE card_certificate (
        sha256 TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        slot TEXT NOT NULL,
        certificate BLOB NOT NULL,
        not_after_us INTEGER NOT NULL,
        revoked_us INTEGER,
        burn_id TEXT, serial TEXT, reason TEXT,
        CONSTRAINT card_certificate_key PRIMARY KEY (sha256),
        CONSTRAINT card_certificate_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    ;
CREATE INDEX card_certificate_by_provision ON card_certificate (provision_id)
    ;
CREATE INDEX card_certificate_by_node ON card_certificate (node_id)
    ;
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
    ;
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
    ;
CREATE INDEX profile_credential_by_digest ON profile_credential (digest)
    ;
CREATE TABLE profile_cluster (
        profile_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        CONSTRAINT profile_cluster_key PRIMARY KEY (profile_id, cluster_id),
        CONSTRAINT profile_cluster_of_profile_id FOREIGN KEY(profile_id) REFERENCES credential_profile (profile_id),
        CONSTRAINT profile_cluster_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    ;
CREATE INDEX profile_cluster_by_cluster ON profile_cluster (cluster_id)
    ;
CREATE VIRTUAL TABLE audit_text USING fts5(words, content='', columnsize=0,
    tokenize='unicode61 remove_diacritics 2');
CREATE TABLE pin_reset (
        approval_id TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        reader TEXT NOT NULL,
        state TEXT NOT NULL,
        pin BLOB,
        operator TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        stages TEXT NOT NULL,
        started_us INTEGER NOT NULL,
        finished_us INTEGER,
        code TEXT,
        detail TEXT,
        CONSTRAINT pin_reset_key PRIMARY KEY (approval_id),
        CONSTRAINT pin_reset_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    ;
CREATE INDEX pin_reset_by_provision ON pin_reset (provision_id)
    ;
CREATE TABLE seal_entry (
        seq INTEGER NOT NULL,
        ts INTEGER NOT NULL,
        knot_id TEXT NOT NULL,
        header BLOB NOT NULL,
        salt BLOB,
        payload BLOB,
        CONSTRAINT seal_entry_key PRIMARY KEY (seq)
    )
     STRICT
    ;
CREATE INDEX seal_by_knot ON seal_entry (knot_id, seq)
    ;
CREATE TABLE log_cosigned (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        note BLOB NOT NULL,
        quorum_at INTEGER NOT NULL,
        token BLOB,
        CONSTRAINT log_cosigned_key PRIMARY KEY (log, size)
    )
     STRICT
    ;
CREATE TABLE log_late (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        key_id TEXT NOT NULL,
        line TEXT NOT NULL,
        CONSTRAINT log_late_key PRIMARY KEY (log, size, key_id)
    )
     STRICT
    ;
CREATE TABLE log_anchor (
        log INTEGER NOT NULL,
        size INTEGER NOT NULL,
        authority TEXT NOT NULL,
        at_us INTEGER NOT NULL,
        token BLOB NOT NULL,
        CONSTRAINT log_anchor_key PRIMARY KEY (log, size, authority)
    )
     STRICT
    ;
CREATE TABLE knot (
        knot_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        standing TEXT NOT NULL,
        expires_us INTEGER,
        consensus_seal TEXT,
        CONSTRAINT knot_key PRIMARY KEY (knot_id),
        CONSTRAINT knot_one_seq UNIQUE (seq),
        CONSTRAINT knot_one_consensus_seal UNIQUE (consensus_seal)
    )
     STRICT
    ;
CREATE INDEX knot_by_node ON knot (node_id, seq)
    ;
CREATE INDEX knot_by_end ON knot (standing, expires_us)
    ;
CREATE TABLE permit (
        jti TEXT NOT NULL,
        unit_id TEXT NOT NULL,
        action TEXT NOT NULL,
        resource TEXT NOT NULL,
        node_id TEXT,
        expires_us INTEGER NOT NULL,
        burn_id TEXT,
        decision TEXT,
        decision_id TEXT,
        CONSTRAINT permit_key PRIMARY KEY (jti)
    )
     STRICT
    ;
CREATE INDEX permit_by_end ON permit (expires_us)
    ;
CREATE INDEX permit_by_node ON permit (node_id)
    ;
CREATE TABLE directory (
        directory_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        display_name TEXT,
        url TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        bind_dn TEXT,
        base_dn TEXT,
        dialect TEXT,
        audience TEXT,
        ca TEXT,
        timeout_ms INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL, email_match TEXT DEFAULT 'link' NOT NULL,
        CONSTRAINT directory_key PRIMARY KEY (directory_id)
    )
     STRICT
    ;
CREATE INDEX directory_by_search ON directory (directory_id, search)
    ;
CREATE TABLE burn_subject (
        burn_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        directory_id TEXT NOT NULL,
        account TEXT,
        email TEXT,
        employee_id TEXT,
        CONSTRAINT burn_subject_key PRIMARY KEY (burn_id, target_id)
    )
     STRICT
    ;
CREATE TABLE burn_segment (
        number INTEGER NOT NULL,
        burn_id TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        body BLOB NOT NULL,
        sha256 TEXT NOT NULL,
        open TEXT NOT NULL,
        manifest BLOB,
        made_us INTEGER NOT NULL,
        CONSTRAINT burn_segment_key PRIMARY KEY (number),
        CONSTRAINT burn_segment_one_leaf UNIQUE (leaf)
    )
     STRICT
    ;
CREATE INDEX burn_segment_of ON burn_segment (burn_id, number)
    ;
CREATE INDEX burn_segment_unsigned ON burn_segment (number) WHERE manifest IS NULL
    ;
CREATE TABLE containment (
        number INTEGER NOT NULL,
        containment_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT,
        actor TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        until_us INTEGER,
        ended_us INTEGER,
        ended_by TEXT,
        burn_id TEXT,
        CONSTRAINT containment_key PRIMARY KEY (number),
        CONSTRAINT containment_one_containment_id UNIQUE (containment_id)
    )
     STRICT
    ;
CREATE UNIQUE INDEX containment_once ON containment (node_id, cause) WHERE ended_us IS NULL
    ;
CREATE INDEX containment_due ON containment (until_us) WHERE ended_us IS NULL
    ;
CREATE TABLE approval (
        approval_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        subjects TEXT DEFAULT '[]' NOT NULL,
        node_id TEXT,
        card_guid TEXT,
        reason TEXT NOT NULL,
        state TEXT NOT NULL,
        requested_by TEXT NOT NULL,
        requested_us INTEGER NOT NULL,
        expires_us INTEGER NOT NULL,
        approved_by TEXT,
        approved_us INTEGER,
        rejected_by TEXT,
        rejected_us INTEGER,
        used_by TEXT,
        used_us INTEGER,
        CONSTRAINT approval_key PRIMARY KEY (approval_id)
) STRICT;
CREATE INDEX approval_by_request ON approval (requested_us, approval_id)
    ;
CREATE INDEX approval_by_subject ON approval (subject)
    ;
CREATE UNIQUE INDEX approval_open ON approval (kind, subject) WHERE state IN ('PENDING', 'APPROVED')
    ;
CREATE TABLE log_key (
        log INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        ed25519 BLOB NOT NULL,
        mldsa44 BLOB NOT NULL,
        until_us INTEGER NOT NULL,
        CONSTRAINT log_key_key PRIMARY KEY (log, seq)
    )
     STRICT
    ;
CREATE TABLE mass_burn (
        approval_id TEXT NOT NULL,
        reason TEXT NOT NULL,
        actor TEXT NOT NULL,
        request_id TEXT,
        created_us INTEGER NOT NULL,
        CONSTRAINT mass_burn_key PRIMARY KEY (approval_id)
    )
     STRICT
    ;
CREATE TABLE mass_burn_node (
        approval_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        burn_id TEXT NOT NULL,
        done_us INTEGER,
        CONSTRAINT mass_burn_node_key PRIMARY KEY (approval_id, position),
        CONSTRAINT mass_burn_node_of_approval_id FOREIGN KEY(approval_id) REFERENCES mass_burn (approval_id)
    )
     STRICT
    ;
CREATE INDEX mass_burn_node_open ON mass_burn_node (approval_id) WHERE done_us IS NULL
    ;
CREATE TABLE hr_source (
        hr_source_id TEXT NOT NULL,
        scheme TEXT NOT NULL,
        display_name TEXT,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        next_secret_sealed BLOB,
        next_secret_changed_us INTEGER,
        max_discharges_per_minute INTEGER NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT hr_source_key PRIMARY KEY (hr_source_id)
    )
     STRICT
    ;
CREATE INDEX hr_source_by_search ON hr_source (hr_source_id, search)
    ;
CREATE TABLE hr_event (
        number INTEGER NOT NULL,
        event_id TEXT NOT NULL,
        source TEXT NOT NULL,
        "key" TEXT NOT NULL,
        received_us INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        event TEXT NOT NULL,
        employee_id TEXT,
        action TEXT NOT NULL,
        reason TEXT,
        weight INTEGER NOT NULL,
        closed_us INTEGER,
        closed_by TEXT,
        closed_reason TEXT, digest TEXT,
        CONSTRAINT hr_event_key PRIMARY KEY (number),
        CONSTRAINT hr_event_is_taken_once UNIQUE (source, "key"),
        CONSTRAINT hr_event_one_event_id UNIQUE (event_id)
    )
     STRICT
    ;
CREATE INDEX hr_event_by_time ON hr_event (source, received_us, weight) WHERE weight > 0
    ;
CREATE INDEX hr_event_open ON hr_event (number) WHERE action = 'operator_review' AND closed_us IS NULL
    ;
CREATE TABLE hr_measure (
        number INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        measure TEXT NOT NULL,
        ref TEXT,
        CONSTRAINT hr_measure_key PRIMARY KEY (number, node_id),
        CONSTRAINT hr_measure_of_number FOREIGN KEY(number) REFERENCES hr_event (number)
    )
     STRICT
    ;
CREATE INDEX hr_measure_due ON hr_measure (number) WHERE ref IS NULL
    ;
CREATE TABLE hr_period (
        employee_id TEXT NOT NULL,
        started_us INTEGER NOT NULL,
        cause TEXT NOT NULL,
        CONSTRAINT hr_period_key PRIMARY KEY (employee_id, started_us)
    )
     STRICT
    ;
CREATE TABLE hr_roster (
        number INTEGER NOT NULL,
        actor TEXT NOT NULL,
        posted_us INTEGER NOT NULL,
        employees INTEGER NOT NULL,
        employed INTEGER NOT NULL,
        unlinked INTEGER NOT NULL,
        differences INTEGER NOT NULL,
        CONSTRAINT hr_roster_key PRIMARY KEY (number)
    )
     STRICT
    ;
CREATE TABLE hr_difference (
        kind TEXT NOT NULL,
        employee_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT hr_difference_key PRIMARY KEY (kind, employee_id, node_id)
    )
     STRICT
    ;
CREATE TABLE terminal (
        terminal_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        display_name TEXT,
        public_key TEXT,
        thumbprint TEXT,
        encryption_key TEXT,
        registry_id TEXT NOT NULL,
        cluster_id TEXT,
        liveness_min INTEGER NOT NULL,
        offline INTEGER NOT NULL,
        slow_link INTEGER NOT NULL,
        legacy INTEGER NOT NULL,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT terminal_key PRIMARY KEY (terminal_id),
        CONSTRAINT terminal_key_is_used_once UNIQUE (thumbprint),
        CONSTRAINT terminal_of_cluster_id FOREIGN KEY(cluster_id) REFERENCES reader_cluster (cluster_id)
    )
     STRICT
    ;
CREATE INDEX terminal_by_cluster ON terminal (cluster_id)
    ;
CREATE INDEX terminal_by_search ON terminal (terminal_id, search)
    ;
CREATE TABLE template_registry (
        template_registry_id TEXT NOT NULL,
        alg INTEGER NOT NULL,
        key_epoch INTEGER NOT NULL,
        renewed_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL, generation BLOB,
        CONSTRAINT template_registry_key PRIMARY KEY (template_registry_id)
    )
     STRICT
    ;
CREATE INDEX template_registry_by_search ON template_registry (template_registry_id, search)
    ;
CREATE TABLE template (
        registry_id TEXT NOT NULL,
        node_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        enrolled_us INTEGER NOT NULL,
        CONSTRAINT template_key PRIMARY KEY (registry_id, node_id, position),
        CONSTRAINT template_of_registry_id FOREIGN KEY(registry_id)
        REFERENCES template_registry (template_registry_id)
    )
     STRICT
    ;
CREATE INDEX template_by_node ON template (node_id)
    ;
CREATE TABLE terminal_counter (
        thumbprint TEXT NOT NULL,
        counter INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT terminal_counter_key PRIMARY KEY (thumbprint)
    )
     STRICT
    ;
CREATE TABLE terminal_nonce (
        thumbprint TEXT NOT NULL,
        nonce BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT terminal_nonce_key PRIMARY KEY (thumbprint, nonce)
    )
     STRICT
    ;
CREATE INDEX terminal_nonce_by_time ON terminal_nonce (at_us)
    ;
CREATE TABLE probe_seen (
        digest BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT probe_seen_key PRIMARY KEY (digest)
    )
     STRICT
    ;
CREATE INDEX probe_seen_by_time ON probe_seen (at_us)
    ;
CREATE TABLE terminal_bundle (
        terminal_id TEXT NOT NULL,
        issue INTEGER NOT NULL,
        sealed_to TEXT NOT NULL,
        head_sha256 BLOB,
        registry_id TEXT NOT NULL,
        key_epoch INTEGER NOT NULL,
        access_epoch INTEGER NOT NULL,
        nodes INTEGER NOT NULL,
        issued_us INTEGER NOT NULL,
        not_after_us INTEGER,
        taken_us INTEGER,
        CONSTRAINT terminal_bundle_key PRIMARY KEY (terminal_id, issue)
    )
     STRICT
    ;
CREATE INDEX audit_by_clock ON audit_entry (CAST(CAST(substr(payload, 10, 16) AS TEXT) AS INTEGER), seq) WHERE substr(payload, 1, 9) = CAST('{"clock":' AS BLOB);
CREATE INDEX card_certificate_by_serial ON card_certificate (serial);
CREATE INDEX card_certificate_by_revocation ON card_certificate (revoked_us, not_after_us);
CREATE TABLE revocation_list (
	number INTEGER NOT NULL, 
	made_us INTEGER NOT NULL, 
	this_us INTEGER NOT NULL, 
	next_us INTEGER NOT NULL, 
	entries_sha256 TEXT NOT NULL, 
	entries INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	crl BLOB NOT NULL, 
	CONSTRAINT revocation_list_key PRIMARY KEY (number)
)

 STRICT;
CREATE TABLE proof_horizon (
            one INTEGER NOT NULL,
            iat INTEGER NOT NULL,
            CONSTRAINT proof_horizon_key PRIMARY KEY (one)
        )
         STRICT
        ;
CREATE TABLE refused_key (
        provision_id TEXT NOT NULL,
        mark TEXT NOT NULL,
        CONSTRAINT refused_key_key PRIMARY KEY (provision_id, mark),
        CONSTRAINT refused_key_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    ;
CREATE TABLE card_name (
        name TEXT NOT NULL,
        provision_id TEXT NOT NULL,
        CONSTRAINT card_name_key PRIMARY KEY (name, provision_id),
        CONSTRAINT card_name_of_provision_id FOREIGN KEY(provision_id) REFERENCES provision (provision_id)
    )
     STRICT
    ;
CREATE INDEX node_by_skeleton ON node (replace(replace(replace(lower(node_id), 'o', '0'), 'i', '1'), 'l', '1'));
CREATE INDEX deny_by_skeleton ON deny (replace(replace(replace(lower(node_id), 'o', '0'), 'i', '1'), 'l', '1'));
CREATE TABLE state_sum (
        name TEXT NOT NULL,
        columns TEXT NOT NULL,
        rows INTEGER NOT NULL,
        sum BLOB NOT NULL,
        CONSTRAINT state_sum_key PRIMARY KEY (name)
    )
     STRICT
    ;
CREATE TABLE state_row (
        name TEXT NOT NULL,
        "key" TEXT NOT NULL,
        digest BLOB NOT NULL,
        CONSTRAINT state_row_key PRIMARY KEY (name, "key")
    )
     STRICT
    ;
CREATE TABLE door_decision (
        number INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        node_id TEXT,
        reader_id TEXT NOT NULL,
        cluster_id TEXT NOT NULL,
        decision TEXT NOT NULL,
        reason TEXT NOT NULL,
        ref TEXT,
        latency_ms REAL NOT NULL,
        epoch INTEGER NOT NULL,
        CONSTRAINT door_decision_key PRIMARY KEY (number)
    )
     STRICT
    ;
CREATE INDEX door_decision_by_node ON door_decision (node_id, decision, number)
    ;
CREATE INDEX door_decision_by_time ON door_decision (at_us)
    ;
CREATE TABLE delivery (
        delivery_id TEXT NOT NULL,
        kid TEXT NOT NULL,
        type TEXT NOT NULL,
        subject TEXT,
        url_sealed BLOB NOT NULL,
        shown_url TEXT NOT NULL,
        target BLOB NOT NULL,
        body BLOB NOT NULL,
        created_us INTEGER NOT NULL,
        state TEXT NOT NULL,
        ended_us INTEGER,
        attempts INTEGER NOT NULL,
        step INTEGER NOT NULL,
        next_us INTEGER,
        tried_us INTEGER,
        status INTEGER,
        fault TEXT,
        outcome TEXT,
        reference TEXT,
        note TEXT,
        outcome_by TEXT,
        outcome_us INTEGER, channel TEXT DEFAULT 'callback' NOT NULL, platform_id TEXT, content_sha256 TEXT, content_bytes INTEGER, lease_us INTEGER, answer TEXT, decision TEXT,
        CONSTRAINT delivery_key PRIMARY KEY (delivery_id)
    )
     STRICT
    ;
CREATE INDEX delivery_by_state ON delivery (state, ended_us)
    ;
CREATE INDEX delivery_by_time ON delivery (created_us, delivery_id)
    ;
CREATE INDEX delivery_of_a_key ON delivery (kid, state)
    ;
CREATE INDEX delivery_of_a_subject ON delivery (subject)
    ;
CREATE TABLE delivery_gone (
        kid TEXT NOT NULL,
        target BLOB NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT delivery_gone_key PRIMARY KEY (kid, target)
    )
     STRICT
    ;
CREATE TABLE media_source (
        media_source_id TEXT NOT NULL,
        display_name TEXT,
        cidrs TEXT NOT NULL,
        ports TEXT NOT NULL,
        hosts TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT media_source_key PRIMARY KEY (media_source_id)
    )
     STRICT
    ;
CREATE INDEX media_source_by_search ON media_source (media_source_id, search)
    ;
CREATE TABLE media_scan (
        scan_id TEXT NOT NULL,
        source TEXT NOT NULL,
        state TEXT NOT NULL,
        operator TEXT NOT NULL,
        request_id TEXT NOT NULL,
        url TEXT NOT NULL,
        url_sealed BLOB,
        callback_sealed BLOB,
        continuous INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        kills INTEGER NOT NULL,
        made_us INTEGER NOT NULL,
        started_us INTEGER,
        finished_us INTEGER,
        code TEXT,
        detail TEXT,
        kind TEXT,
        verdict TEXT,
        score REAL,
        far REAL,
        media TEXT,
        report TEXT,
        pictures TEXT,
        feed TEXT,
        CONSTRAINT media_scan_key PRIMARY KEY (scan_id)
    )
     STRICT
    ;
CREATE INDEX media_scan_by_start ON media_scan (made_us, scan_id)
    ;
CREATE INDEX media_scan_by_state ON media_scan (state, made_us)
    ;
CREATE TABLE media_picture (
        scan_id TEXT NOT NULL,
        layer TEXT NOT NULL,
        size INTEGER NOT NULL,
        png BLOB NOT NULL,
        CONSTRAINT media_picture_key PRIMARY KEY (scan_id, layer),
        CONSTRAINT media_picture_of_scan_id FOREIGN KEY(scan_id) REFERENCES media_scan (scan_id)
    )
     STRICT
    ;
CREATE TABLE voice_signature (
        node_id TEXT NOT NULL,
        serial TEXT NOT NULL,
        sealed BLOB NOT NULL,
        seed_sealed BLOB NOT NULL,
        model_id TEXT NOT NULL,
        model_sha256 TEXT NOT NULL,
        takes INTEGER NOT NULL,
        quality INTEGER NOT NULL,
        speech_s REAL NOT NULL,
        gate_llr REAL NOT NULL,
        consent_us INTEGER,
        enrolled_us INTEGER NOT NULL,
        CONSTRAINT voice_signature_key PRIMARY KEY (node_id)
    )
     STRICT
    ;
CREATE UNIQUE INDEX voice_signature_one_serial ON voice_signature (serial)
    ;
CREATE TABLE voice_probe (
        number INTEGER NOT NULL,
        node_id TEXT NOT NULL,
        digest BLOB NOT NULL,
        marks BLOB NOT NULL,
        synthetic INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        CONSTRAINT voice_probe_key PRIMARY KEY (number)
    )
     STRICT
    ;
CREATE INDEX voice_probe_by_digest ON voice_probe (digest)
    ;
CREATE INDEX voice_probe_by_node ON voice_probe (node_id, number)
    ;
CREATE INDEX voice_probe_by_time ON voice_probe (at_us)
    ;
CREATE TABLE strike (
        strike_id TEXT NOT NULL,
        track BLOB NOT NULL,
        same BLOB,
        node_id TEXT,
        target TEXT,
        automated INTEGER NOT NULL,
        law TEXT NOT NULL,
        law_state TEXT,
        law_used TEXT NOT NULL,
        language TEXT NOT NULL,
        details TEXT,
        evidence TEXT,
        mandate TEXT,
        warnings TEXT NOT NULL,
        declaration BLOB,
        sha256 TEXT NOT NULL,
        pages INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        actor TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        withdrawn_us INTEGER,
        ended_us INTEGER,
        CONSTRAINT strike_key PRIMARY KEY (strike_id),
        CONSTRAINT strike_one_track UNIQUE (track),
        CONSTRAINT strike_one_same UNIQUE (same)
    )
     STRICT
    ;
CREATE INDEX strike_by_time ON strike (created_us, strike_id)
    ;
CREATE INDEX strike_of_a_law ON strike (law, created_us)
    ;
CREATE INDEX strike_of_a_node ON strike (node_id, created_us)
    ;
CREATE TABLE strike_notice (
        notice_id TEXT NOT NULL,
        strike_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        platform TEXT NOT NULL,
        platform_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        channel TEXT NOT NULL,
        address TEXT NOT NULL,
        language TEXT NOT NULL,
        state TEXT NOT NULL,
        missing TEXT NOT NULL,
        notice BLOB,
        notice_sha256 TEXT NOT NULL,
        jws TEXT,
        sent_us INTEGER,
        deadline_us INTEGER,
        deadline_basis TEXT,
        deadline_about INTEGER NOT NULL,
        follow_up_us INTEGER,
        due_us INTEGER NOT NULL,
        warn_us INTEGER,
        reference TEXT,
        decision TEXT,
        CONSTRAINT strike_notice_key PRIMARY KEY (notice_id),
        CONSTRAINT strike_notice_one_strike_id_platform_kind UNIQUE (strike_id, platform, kind),
        CONSTRAINT strike_notice_of_strike_id FOREIGN KEY(strike_id) REFERENCES strike (strike_id)
    )
     STRICT
    ;
CREATE INDEX strike_notice_by_clock ON strike_notice (state, deadline_us)
    ;
CREATE INDEX strike_notice_by_warning ON strike_notice (warn_us)
    ;
CREATE INDEX strike_notice_by_urgency ON strike_notice (due_us, notice_id)
    ;
CREATE TABLE strike_event (
        notice_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        state TEXT NOT NULL,
        actor TEXT NOT NULL,
        detail TEXT NOT NULL,
        leaf INTEGER NOT NULL,
        CONSTRAINT strike_event_key PRIMARY KEY (notice_id, number),
        CONSTRAINT strike_event_of_notice_id FOREIGN KEY(notice_id) REFERENCES strike_notice (notice_id)
    )
     STRICT
    ;
CREATE TABLE strike_file (
        strike_id TEXT NOT NULL,
        name TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        data BLOB,
        CONSTRAINT strike_file_key PRIMARY KEY (strike_id, name),
        CONSTRAINT strike_file_of_strike_id FOREIGN KEY(strike_id) REFERENCES strike (strike_id)
    )
     STRICT
    ;
CREATE INDEX delivery_of_a_platform ON delivery (platform_id, state)
    ;
CREATE TABLE notice_content (
        delivery_id TEXT NOT NULL,
        content BLOB NOT NULL,
        CONSTRAINT notice_content_key PRIMARY KEY (delivery_id),
        CONSTRAINT notice_content_of_delivery_id FOREIGN KEY(delivery_id) REFERENCES delivery (delivery_id)
    )
     STRICT
    ;
CREATE TABLE platform (
        platform_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        channel TEXT NOT NULL,
        address TEXT NOT NULL,
        framework_contacts TEXT NOT NULL,
        domains TEXT NOT NULL,
        default_named INTEGER NOT NULL,
        languages TEXT NOT NULL,
        secret_sealed BLOB,
        secret_changed_us INTEGER,
        ca TEXT,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT platform_key PRIMARY KEY (platform_id)
    )
     STRICT
    ;
CREATE INDEX platform_by_search ON platform (platform_id, search)
    ;
CREATE TABLE operator (
        operator_id TEXT NOT NULL,
        display_name TEXT NOT NULL,
        node_id TEXT,
        roles TEXT NOT NULL,
        methods TEXT NOT NULL,
        subject TEXT,
        state TEXT NOT NULL,
        admin_us INTEGER,
        tags TEXT NOT NULL,
        search TEXT NOT NULL,
        created_us INTEGER NOT NULL,
        changed_us INTEGER NOT NULL,
        CONSTRAINT operator_key PRIMARY KEY (operator_id)
    )
     STRICT
    ;
CREATE INDEX operator_by_node_id ON operator (node_id)
    ;
CREATE INDEX operator_by_search_operator_id ON operator (search, operator_id)
    ;
CREATE TABLE operator_hand (
        operator_id TEXT NOT NULL,
        hand TEXT NOT NULL,
        since_us INTEGER NOT NULL,
        CONSTRAINT operator_hand_key PRIMARY KEY (operator_id, hand),
        CONSTRAINT operator_hand_of_operator_id FOREIGN KEY(operator_id) REFERENCES operator (operator_id)
    )
     STRICT
    ;
CREATE TABLE operator_passphrase (
        operator_id TEXT NOT NULL,
        sealed BLOB NOT NULL,
        set_us INTEGER NOT NULL,
        CONSTRAINT operator_passphrase_key PRIMARY KEY (operator_id),
        CONSTRAINT operator_passphrase_of_operator_id FOREIGN KEY(operator_id) REFERENCES operator (operator_id)
    )
     STRICT
    ;
INSERT INTO "alembic_version" VALUES ('0036');
INSERT INTO "template_registry" VALUES ('default', 1, 1, NULL, '[]', 'default
', CAST(strftime('%s', 'now') AS INTEGER) * 1000000, CAST(strftime('%s', 'now') AS INTEGER) * 1000000, NULL);
