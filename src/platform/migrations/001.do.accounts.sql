-- Accounts of clients, partners and operators: their keys and sign-ins, the limits on their requests, and the audit
-- log.

CREATE TABLE accounts (
  id             uuid PRIMARY KEY,
  name           text NOT NULL,
  role           text NOT NULL CHECK (role IN ('client', 'partner', 'operator')),
  operator_role  text CHECK (operator_role IN ('viewer', 'operator', 'admin')),
  settings       jsonb NOT NULL DEFAULT '{}',
  created_at     timestamptz NOT NULL DEFAULT now(),
  revoked_at     timestamptz,
  CONSTRAINT accounts_operator_role CHECK ((role = 'operator') = (operator_role IS NOT NULL))
);
CREATE UNIQUE INDEX accounts_role_name ON accounts (role, name);

CREATE TABLE api_keys (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES accounts,
  name          text,
  key_hash      bytea NOT NULL UNIQUE,
  secret_hash   bytea NOT NULL,
  key_hint      text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  first_used_at timestamptz,
  -- Written at most once a minute per key.
  last_used_at  timestamptz,
  expires_at    timestamptz,
  revoked_at    timestamptz
);
CREATE INDEX api_keys_account ON api_keys (account_id);

-- Calls with each key, by day (UTC) and operation, and the addresses that they came from. API processes write the sums of some
-- seconds together: a row for each call would cost more than many calls.
CREATE TABLE key_uses (
  key_id        uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  day           date NOT NULL,
  operation_id  text NOT NULL,
  calls         bigint NOT NULL,
  PRIMARY KEY (key_id, day, operation_id)
) WITH (fillfactor = 70);
CREATE INDEX key_uses_day ON key_uses (day);

CREATE TABLE key_addresses (
  key_id    uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  address   inet NOT NULL,
  calls     bigint NOT NULL,
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, address)
) WITH (fillfactor = 70);
CREATE INDEX key_addresses_age ON key_addresses (last_at);

-- Requests -------------------------------------------------------------------------------------------
-- Partitions by time are described in 011.do.partitions.sql. Each partitioned table is created with a default partition.
CREATE TABLE idempotency_keys (
  account_id    uuid NOT NULL REFERENCES accounts,
  key           text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  operation_id  text NOT NULL,
  fingerprint   bytea NOT NULL,
  locked_until  timestamptz,
  status        int,
  body          jsonb,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- The time is in it because the key of a partitioned table has the column of its partitions. Writers lock a key
  -- (claim_idempotency_keys), so that it has one row that has not expired.
  PRIMARY KEY (account_id, operation_id, key, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE idempotency_keys_default PARTITION OF idempotency_keys DEFAULT;

-- Claims keys for requests, in a transaction of the caller. An element of `requests` has account_id, operation_id, key,
-- fingerprint (hexadecimal), and either status and body, the stored response, or locked_until, the lease of an attempt.
-- A key belongs to an earlier request while that one's row is younger than `kept`, unless it is an abandoned attempt of
-- the same request. Returns the keys that now belong to these requests.
-- Each statement of the function has a snapshot of its own. The one after the locks therefore reads what every earlier
-- holder of a lock has committed, in whichever partition. One plan for all calls: planning for the values at hand took
-- two thirds of 1.2 ms. Few statements for all keys: each one opens every partition.
CREATE FUNCTION claim_idempotency_keys(requests jsonb, kept interval)
RETURNS TABLE (account_id uuid, operation_id text, key text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  r record;
  claimed bigint[];
BEGIN
  -- In one order, so that concurrent callers cannot deadlock.
  PERFORM pg_advisory_xact_lock(name) FROM (
    SELECT hashtextextended(x.account_id || ' ' || x.operation_id || ' ' || x.key, 0) AS name
    FROM jsonb_to_recordset(requests) AS x (account_id uuid, operation_id text, key text) ORDER BY 1) AS names;
  FOR r IN
    SELECT x.account_id, x.operation_id, x.key, x.position, stored.created_at
    FROM ROWS FROM (jsonb_to_recordset(requests) AS (account_id uuid, operation_id text, key text, fingerprint text))
      WITH ORDINALITY AS x (account_id, operation_id, key, fingerprint, position)
    -- The limit makes it a look-up for each key, whatever the planner knows of the partitions.
    LEFT JOIN LATERAL (
      SELECT s.created_at, (s.status IS NULL AND s.locked_until < now() AND s.fingerprint = decode(x.fingerprint, 'hex'))
        IS TRUE AS is_abandoned
      FROM idempotency_keys s
      WHERE s.account_id = x.account_id AND s.operation_id = x.operation_id AND s.key = x.key AND s.created_at >= now() - kept
      LIMIT 1) AS stored ON true
    WHERE stored.is_abandoned IS NOT FALSE
  LOOP
    claimed := claimed || r.position;
    CONTINUE WHEN r.created_at IS NULL;
    DELETE FROM idempotency_keys s
    WHERE s.account_id = r.account_id AND s.operation_id = r.operation_id AND s.key = r.key AND s.created_at = r.created_at;
  END LOOP;
  RETURN QUERY
  INSERT INTO idempotency_keys (account_id, operation_id, key, fingerprint, locked_until, status, body)
  SELECT x.account_id, x.operation_id, x.key, decode(x.fingerprint, 'hex'), x.locked_until, x.status, x.body
  FROM ROWS FROM (jsonb_to_recordset(requests) AS (
      account_id uuid, operation_id text, key text, fingerprint text, locked_until timestamptz, status int, body jsonb))
    WITH ORDINALITY AS x (account_id, operation_id, key, fingerprint, locked_until, status, body, position)
  WHERE x.position = ANY(claimed)
  RETURNING account_id, operation_id, key;
END $$;
-- Stored responses with a free text, which an erasure finds by the id of their note or bulk repair.
CREATE INDEX idempotency_keys_texts ON idempotency_keys ((body ->> 'id'))
  WHERE operation_id IN ('addOrderNote', 'startBulkRepair');

-- Requests per key and second, for all API processes (RATE_LIMIT_STORE=postgres). rate-limiter-flexible defines the
-- columns. Unlogged: the counts of a second need not survive a crash. Half of each page stays free, so that the update
-- of a row stays on its page and needs no index entry.
CREATE UNLOGGED TABLE request_rates (
  key     varchar(255) PRIMARY KEY,
  points  integer NOT NULL DEFAULT 0,
  expire  bigint
) WITH (fillfactor = 50);

-- Operators in the console -----------------------------------------------------------------------------
-- Sessions. The cookie is stored as a hash.
CREATE TABLE operator_sessions (
  token_hash    bytea PRIMARY KEY,
  id            uuid NOT NULL UNIQUE,
  account_id    uuid NOT NULL REFERENCES accounts,
  -- The key that the operator signed in with; the session ends with it. Null for OpenID Connect and one-time links.
  key_id        uuid REFERENCES api_keys,
  method        text NOT NULL CHECK (method IN ('api_key', 'one_time_link', 'openid_connect')),
  address       inet,
  user_agent    text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- Written at most once a minute per session.
  last_used_at  timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL
);
CREATE INDEX operator_sessions_account ON operator_sessions (account_id, id);
CREATE INDEX operator_sessions_expiry ON operator_sessions (expires_at);

-- Operators that sign in by OpenID Connect, by the identifier of the user at the provider.
CREATE TABLE operator_identities (
  issuer      text NOT NULL,
  subject     text NOT NULL,
  account_id  uuid NOT NULL UNIQUE REFERENCES accounts,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);

-- Hashes of the `state` values of sign-ins that came back from the provider, so that each is used once.
CREATE TABLE used_sign_in_states (
  state_hash  bytea PRIMARY KEY,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX used_sign_in_states_expiry ON used_sign_in_states (expires_at);

-- Links that sign an operator in once. The token of the link is stored as a hash.
CREATE TABLE one_time_sign_ins (
  token_hash  bytea PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX one_time_sign_ins_expiry ON one_time_sign_ins (expires_at);

-- Audit log --------------------------------------------------------------------------------------------
-- Actions that change accounts, catalog, stock set-up, rates and orders. The names of actions are in
-- src/accounts/audit-actions.ts.
CREATE TABLE audit_log (
  id           bigint GENERATED ALWAYS AS IDENTITY,
  at           timestamptz NOT NULL DEFAULT now(),
  -- No reference: the row outlives what it names. Null for actions on the command line.
  actor_id     uuid,
  actor_name   text NOT NULL,
  actor_role   text NOT NULL CHECK (actor_role IN ('viewer', 'operator', 'admin', 'client', 'partner', 'system', 'unknown')),
  action       text NOT NULL,
  object_type  text NOT NULL,
  object_id    text NOT NULL,
  -- Without secrets and without personal data of recipients, because rows cannot be changed later.
  before       jsonb,
  after        jsonb,
  request_id   text,
  -- The key of the call. Null: a session, the command line, or a call without credentials.
  key_id       uuid,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
CREATE INDEX audit_log_key ON audit_log (key_id, at, id) WHERE key_id IS NOT NULL;
CREATE INDEX audit_log_actor_id ON audit_log (actor_id, at, id);
CREATE INDEX audit_log_actor_name ON audit_log (actor_name, at, id);
CREATE INDEX audit_log_action ON audit_log (action, at, id);
CREATE INDEX audit_log_object ON audit_log (object_id, at, id);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
-- Partitions have the triggers of rows only.
CREATE TRIGGER audit_log_append_only_rows BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

-- IP addresses of the callers in the audit log. Their retention is shorter than that of the log.
CREATE TABLE audit_addresses (
  entry_id  bigint PRIMARY KEY,
  at        timestamptz NOT NULL,
  address   inet NOT NULL
);
CREATE INDEX audit_addresses_at ON audit_addresses (at);

-- Changes of a client or partner beyond the rows that its day has in the audit log. The log gets their number when the day
-- has ended.
CREATE TABLE audit_summaries (
  actor_id    uuid NOT NULL,
  actor_name  text NOT NULL,
  actor_role  text NOT NULL,
  action      text NOT NULL,
  day         date NOT NULL,
  changes     integer NOT NULL,
  PRIMARY KEY (actor_id, action, day)
);

-- Acts that have begun and have no entry in the audit log yet: calls of workflows and other systems, which no transaction
-- covers. What is left when its request has failed becomes an entry without a known outcome.
CREATE TABLE audit_intents (
  id     uuid PRIMARY KEY,
  at     timestamptz NOT NULL DEFAULT now(),
  entry  jsonb NOT NULL
);
