-- Where clients want to be told, and what became of it ------------------------------------------------
CREATE TABLE webhook_endpoints (
  id                     uuid PRIMARY KEY,
  client_id              uuid NOT NULL REFERENCES accounts,
  url                    text NOT NULL,
  description            text NOT NULL DEFAULT '',
  events                 text[] NOT NULL,
  enabled                boolean NOT NULL DEFAULT true,
  -- Why it was disabled when nobody asked for that: `gone` (the receiver answered 410).
  disabled_reason        text,
  -- Kept readable: every delivery is signed with it.
  secret                 text NOT NULL,
  previous_secret        text,
  previous_secret_until  timestamptz,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoints_client ON webhook_endpoints (client_id, created_at);

-- One notification to one endpoint: the message as sent, its attempts, what it came to.
CREATE TABLE webhook_deliveries (
  id               uuid PRIMARY KEY,
  endpoint_id      uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  -- The same for every endpoint and every attempt: receivers know a repeated message by it.
  message_id       uuid NOT NULL,
  event            text NOT NULL,
  order_id         uuid,
  body             text NOT NULL,
  state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  -- The latest attempts, oldest first: [{at, status, durationMs, error, response}].
  attempts         jsonb NOT NULL DEFAULT '[]',
  next_attempt_at  timestamptz DEFAULT now(),
  created_at       timestamptz NOT NULL DEFAULT now(),
  settled_at       timestamptz
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (endpoint_id, id DESC) WHERE state = 'dead';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (order_id) WHERE order_id IS NOT NULL;
-- Rows come in order of time: a few pages say which are old.
CREATE INDEX webhook_deliveries_age ON webhook_deliveries USING brin (created_at);

-- What a client was last told of an order; only orders of clients with endpoints have a row.
CREATE TABLE told_orders (
  order_id  uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  view      jsonb NOT NULL
) WITH (fillfactor = 70);

-- Files that are kept, by age: what retention looks for.
CREATE INDEX order_files_kept ON order_files (fetched_at) WHERE object_key IS NOT NULL;
CREATE INDEX packing_slips_kept ON packing_slips (id) WHERE object_key IS NOT NULL;
