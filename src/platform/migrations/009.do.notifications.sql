-- Notifications: webhook endpoints of clients and operators, deliveries to them, and what was notified last.

CREATE TABLE webhook_endpoints (
  id                     uuid PRIMARY KEY,
  client_id              uuid NOT NULL REFERENCES accounts,
  url                    text NOT NULL,
  description            text NOT NULL DEFAULT '',
  events                 text[] NOT NULL,
  enabled                boolean NOT NULL DEFAULT true,
  -- Why it was disabled: `gone` (the receiver responded with 410), `key_revoked` (an operator ended what a revoked key had set
  -- up). Null when a user disabled it.
  disabled_reason        text,
  -- True from a failed attempt until a success, which makes the waiting deliveries due.
  is_failing             boolean NOT NULL DEFAULT false,
  -- Not hashed: every delivery is signed with it.
  secret                 text NOT NULL,
  previous_secret        text,
  previous_secret_until  timestamptz,
  -- The key that gave the endpoint its address. Null: a session did.
  set_by_key             uuid,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoints_client ON webhook_endpoints (client_id, created_at);
CREATE INDEX webhook_endpoints_key ON webhook_endpoints (set_by_key) WHERE set_by_key IS NOT NULL;

-- One notification to one endpoint: the message as sent, its attempts, and its outcome. Partitioned by id, which begins
-- with the time.
CREATE TABLE webhook_deliveries (
  id               uuid PRIMARY KEY,
  endpoint_id      uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  -- The same for every endpoint and every attempt: receivers recognize a repeated message by it.
  message_id       uuid NOT NULL,
  event            text NOT NULL,
  order_id         uuid,
  body             text NOT NULL,
  state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  -- The latest attempts, oldest first: [{at, status, durationMs, error, response}].
  attempts         jsonb NOT NULL DEFAULT '[]',
  next_attempt_at  timestamptz DEFAULT now(),
  created_at       timestamptz NOT NULL DEFAULT now(),
  settled_at       timestamptz,
  -- The order's personal data was erased: attempts that end later keep no response.
  is_erased        boolean NOT NULL DEFAULT false
) PARTITION BY RANGE (id);
CREATE TABLE webhook_deliveries_default PARTITION OF webhook_deliveries DEFAULT WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (endpoint_id, id DESC) WHERE state = 'dead';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (order_id) WHERE order_id IS NOT NULL;

-- For each order of a client with webhook endpoints: the snapshot that its last notification was made from.
CREATE TABLE notified_states (
  order_id  uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  snapshot  jsonb NOT NULL
) WITH (fillfactor = 70);

-- The latest messages to operators' endpoints, by event and reason. Everything raised before `covered_until` was in a
-- message.
CREATE TABLE operator_digests (
  event          text NOT NULL,
  reason         text NOT NULL,
  covered_until  timestamptz NOT NULL,
  sent_at        timestamptz NOT NULL,
  PRIMARY KEY (event, reason)
);
