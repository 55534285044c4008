-- Accounts and their keys ---------------------------------------------------------------------------
CREATE TABLE accounts (
  id          uuid PRIMARY KEY,
  name        text NOT NULL,
  role        text NOT NULL CHECK (role IN ('client', 'partner', 'operator')),
  settings    jsonb NOT NULL DEFAULT '{}',
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_role_name ON accounts (role, name);

CREATE TABLE api_keys (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  key_hash     bytea NOT NULL UNIQUE,
  secret_hash  bytea NOT NULL,
  key_hint     text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE idempotency_keys (
  account_id    uuid NOT NULL REFERENCES accounts,
  key           text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  operation_id  text NOT NULL,
  fingerprint   bytea NOT NULL,
  locked_until  timestamptz,
  status        int,
  body          jsonb,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, operation_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- What leaves the database --------------------------------------------------------------------------
CREATE TABLE outbox (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL,
  -- Workflow id or endpoint id: what one slow receiver may hold up is its own rows only.
  target        text NOT NULL,
  payload       jsonb NOT NULL,
  attempts      int NOT NULL DEFAULT 0,
  available_at  timestamptz NOT NULL DEFAULT now(),
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_error    text,
  dead_at       timestamptz
) WITH (fillfactor = 70);
CREATE INDEX outbox_due ON outbox (kind, available_at) WHERE dead_at IS NULL;
CREATE INDEX outbox_due_by_target ON outbox (kind, target, available_at) WHERE dead_at IS NULL;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at IS NOT NULL;

-- Orders --------------------------------------------------------------------------------------------
CREATE TABLE orders (
  id                     uuid PRIMARY KEY,
  client_id              uuid NOT NULL REFERENCES accounts,
  order_reference_id     text NOT NULL,
  customer_reference_id  text,
  order_type             text NOT NULL CHECK (order_type IN ('order', 'draft')),
  channel                text NOT NULL DEFAULT 'api',
  fulfillment_status     text NOT NULL,
  financial_status       text NOT NULL,
  currency               text NOT NULL,
  retail_currency        text,
  retail_shipping_price  numeric(16, 4),
  shipment_method_uid    text,
  shipping_address       jsonb NOT NULL,
  return_address         jsonb,
  packaging_instructions jsonb NOT NULL DEFAULT '[]',
  metadata               jsonb NOT NULL DEFAULT '[]',
  refusal_reason         text,
  refusal_reason_code    text,
  refusal_reason_details jsonb,
  comment                text,
  attention              text,
  -- Raised by every change of address or method: dispatch makes its label for one revision.
  shipping_revision      int NOT NULL DEFAULT 0,
  -- Version of the run's lifecycle state that these rows show; older writes are passed over.
  run_version            bigint NOT NULL DEFAULT 0,
  request_id             text,
  created_at             timestamptz NOT NULL DEFAULT now(),
  ordered_at             timestamptz,
  updated_at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX orders_reference ON orders (order_reference_id, client_id, created_at DESC);
CREATE INDEX orders_newest ON orders (client_id, created_at DESC, id DESC);

CREATE TABLE order_items (
  id                  bigint GENERATED ALWAYS AS IDENTITY (START WITH 10001) PRIMARY KEY,
  order_id            uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  position            int NOT NULL,
  item_reference_id   text NOT NULL,
  product_uid         text,
  product_name        text,
  product_variant     jsonb,
  quantity            int NOT NULL CHECK (quantity > 0),
  retail_price        numeric(16, 4),
  custom_trim         jsonb,
  metadata            jsonb NOT NULL DEFAULT '[]',
  fulfillment_status  text NOT NULL,
  -- The product as resolved when the order was taken (catalog changes do not reach running orders).
  product             jsonb,
  price_minor         bigint,
  page_count          int,
  dpi                 int,
  UNIQUE (order_id, item_reference_id)
);
CREATE INDEX order_items_order ON order_items (order_id, position);

CREATE TABLE order_files (
  id             uuid PRIMARY KEY,
  order_item_id  bigint NOT NULL REFERENCES order_items ON DELETE CASCADE,
  position       int NOT NULL,
  type           text NOT NULL,
  url            text NOT NULL,
  metadata       jsonb NOT NULL DEFAULT '[]',
  object_key     text,
  mime_type      text,
  size_bytes     bigint,
  page_count     int,
  width_px       int,
  height_px      int,
  previews       jsonb NOT NULL DEFAULT '[]',
  fetched_at     timestamptz
);
CREATE INDEX order_files_item ON order_files (order_item_id, position);

CREATE TABLE packing_slips (
  id             uuid PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  package_index  int NOT NULL,
  url            text NOT NULL,
  object_key     text,
  size_bytes     bigint,
  UNIQUE (order_id, package_index)
);

CREATE TABLE order_events (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  order_item_id  bigint,
  print_order_id bigint,
  type           text NOT NULL,
  data           jsonb NOT NULL DEFAULT '{}',
  at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_events_order ON order_events (order_id, id);

CREATE TABLE receipts (
  id          uuid PRIMARY KEY,
  order_id    uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  type        text NOT NULL,
  number      bigint GENERATED ALWAYS AS IDENTITY (START WITH 100001),
  -- The step of the run that made it: written once, however often the step is tried.
  step        text NOT NULL,
  currency    text NOT NULL,
  -- Lines and totals in integer minor units.
  body        jsonb NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (order_id, step)
);

-- Partners ------------------------------------------------------------------------------------------
CREATE TABLE partners (
  account_id                uuid PRIMARY KEY REFERENCES accounts,
  uid                       text NOT NULL UNIQUE,
  name                      text NOT NULL,
  country                   text NOT NULL,
  state_province            text,
  currency                  text NOT NULL,
  enabled                   boolean NOT NULL DEFAULT true,
  print_house_uid           text,
  sender_address            jsonb NOT NULL,
  -- Product kinds and models, countries served, working days, cut-off, capacity, lead time, prices.
  capabilities              jsonb NOT NULL,
  order_submit_url          text,
  apparel_order_submit_url  text,
  order_cancel_url          text,
  inventory_url             text,
  print_order_version       text NOT NULL DEFAULT '1.1' CHECK (print_order_version IN ('1.0', '1.1')),
  signing_secret            text,
  subscribed_at             timestamptz,
  created_at                timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE print_orders (
  id             bigint GENERATED ALWAYS AS IDENTITY (START WITH 500001) PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  partner_id     uuid NOT NULL REFERENCES partners,
  -- The step of the run that made it (`handoff:0`, `reproduce:2`): one print order a step, however often it is tried.
  step           text NOT NULL,
  kind           text NOT NULL CHECK (kind IN ('print', 'apparel', 'mounted')),
  version        text NOT NULL,
  status         text NOT NULL DEFAULT 'planned',
  reproduces_id  bigint REFERENCES print_orders,
  -- The message exactly as first sent: redeliveries repeat it byte for byte.
  message_id     text NOT NULL UNIQUE,
  body           text,
  dispatch_date  date NOT NULL,
  accepted_at    timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (order_id, step)
);
CREATE INDEX print_orders_partner ON print_orders (partner_id, created_at DESC);

-- A print job: one order item (or a quantity of it) at one partner.
CREATE TABLE print_jobs (
  id              bigint GENERATED ALWAYS AS IDENTITY (START WITH 700001) PRIMARY KEY,
  print_order_id  bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  order_item_id   bigint NOT NULL REFERENCES order_items ON DELETE CASCADE,
  quantity        int NOT NULL CHECK (quantity > 0),
  status          text NOT NULL DEFAULT 'planned',
  UNIQUE (print_order_id, order_item_id)
);
CREATE INDEX print_jobs_item ON print_jobs (order_item_id);

-- Inbox: stored before the answer, told to the run afterwards.
CREATE TABLE postbacks (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partner_id      uuid NOT NULL REFERENCES partners,
  print_order_id  bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  -- Hash of what the postback says: an equal one is a duplicate.
  fingerprint     bytea NOT NULL,
  body            jsonb NOT NULL,
  received_at     timestamptz NOT NULL DEFAULT now(),
  handled_at      timestamptz,
  UNIQUE (print_order_id, fingerprint)
);
CREATE INDEX postbacks_unhandled ON postbacks (received_at) WHERE handled_at IS NULL;
