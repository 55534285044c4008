-- Print partners, the routing of orders to them, and print orders with their jobs, updates, requests and postbacks.

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
  order_update_url          text,
  order_cancel_url          text,
  inventory_url             text,
  -- Null: the default version of each product kind.
  print_order_version       text CHECK (print_order_version IN ('1.0', '1.1')),
  -- `all`: dispatch responses name packing slips and customs forms by their own types. Null: `label` and `invoice` only.
  document_types            text CHECK (document_types = 'all'),
  signing_secret            text,
  -- Subscribing again makes a new secret. Calls are signed with the old one too until the partner has had time to load
  -- it.
  previous_signing_secret   text,
  previous_secret_until     timestamptz,
  subscribed_at             timestamptz,
  created_at                timestamptz NOT NULL DEFAULT now()
);

-- Stock as partners report it, polled or pushed: the latest report of each sku.
CREATE TABLE partner_stock_levels (
  partner_id          uuid NOT NULL REFERENCES partners,
  partner_sku         text NOT NULL CHECK (partner_sku <> ''),
  status              text NOT NULL CHECK (status IN ('in-stock', 'out-of-stock')),
  -- Null: in stock, and the partner gives no number.
  amount              bigint CHECK (amount >= 0),
  replenishment_date  date,
  reported_at         timestamptz NOT NULL,
  -- Sku first: routing reads every partner for one sku.
  PRIMARY KEY (partner_sku, partner_id)
) WITH (fillfactor = 80);
CREATE INDEX partner_stock_levels_list ON partner_stock_levels (partner_id, partner_sku);

-- Which partner makes what, and why no other: one decision per step of the run, shown to operators.
CREATE TABLE routing_decisions (
  order_id    uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  step        text NOT NULL,
  routed      boolean NOT NULL,
  decision    jsonb NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (order_id, step)
);

CREATE TABLE print_orders (
  id                      bigint GENERATED ALWAYS AS IDENTITY (START WITH 500001) PRIMARY KEY,
  order_id                uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  partner_id              uuid NOT NULL REFERENCES partners,
  -- The step of the run that made it (`handoff:0`, `reproduce:2`): one print order per step, however often it is tried.
  step                    text NOT NULL,
  kind                    text NOT NULL CHECK (kind IN ('print', 'apparel', 'mounted')),
  version                 text NOT NULL,
  status                  text NOT NULL DEFAULT 'planned',
  reproduces_id           bigint REFERENCES print_orders,
  -- The message as first sent: redeliveries repeat it byte for byte.
  message_id              text NOT NULL UNIQUE,
  body                    text,
  -- The order's shipping revision that the body has. Null without a body.
  body_shipping_revision  int,
  -- Ids of print jobs that were cancelled before the body was made. The partner never gets them.
  withdrawn_jobs          bigint[] NOT NULL DEFAULT '{}',
  dispatch_date           date NOT NULL,
  -- What the dispatch date was calculated from: the earliest day of production, and working days from its start to dispatch.
  production_from         date NOT NULL DEFAULT current_date,
  lead_days               int NOT NULL DEFAULT 0,
  accepted_at             timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  UNIQUE (order_id, step)
);
CREATE INDEX print_orders_reproduces ON print_orders (reproduces_id) WHERE reproduces_id IS NOT NULL;
CREATE INDEX print_orders_partner ON print_orders (partner_id, created_at DESC);
-- Promises that a day off of the partner can break.
CREATE INDEX print_orders_promised ON print_orders (partner_id, dispatch_date) INCLUDE (production_from, lead_days);
-- Lists of a partner's print orders, newest first.
CREATE INDEX print_orders_sent ON print_orders (partner_id, id DESC) WHERE body IS NOT NULL;
CREATE INDEX print_orders_cancelled ON print_orders (partner_id, id DESC) WHERE status = 'cancelled';

-- A print job: one order item (or a quantity of it) at one partner.
CREATE TABLE print_jobs (
  id                    bigint GENERATED ALWAYS AS IDENTITY (START WITH 700001) PRIMARY KEY,
  print_order_id        bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  order_item_id         bigint NOT NULL REFERENCES order_items ON DELETE CASCADE,
  quantity              int NOT NULL CHECK (quantity > 0),
  -- Units that the partner has cancelled and no operator has handled yet.
  cancelled_quantity    int NOT NULL DEFAULT 0,
  status                text NOT NULL DEFAULT 'planned',
  -- Ids of the parts of a mounted product in the print order, except services: the first is the job's id, the others
  -- come from the same sequence, so that no id is used twice. Empty for other products.
  part_ids              bigint[] NOT NULL DEFAULT '{}',
  -- Set for a job that left before a change of address or method.
  departed_method_uid   text,
  departed_method_name  text,
  UNIQUE (print_order_id, order_item_id)
);
CREATE INDEX print_jobs_item ON print_jobs (order_item_id);
-- Print orders that are not finished.
CREATE INDEX print_jobs_open ON print_jobs (print_order_id)
  WHERE status IN ('planned', 'passed', 'in_production', 'printed', 'manual_handling');

-- Parcels that partners ship with tracking codes of their own.
CREATE TABLE partner_parcels (
  print_order_id  bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  tracking_code   text NOT NULL,
  -- The partner's tracking page.
  tracking_link   text,
  -- The print jobs for which the partner has named the code. Null: all of the print order that are in no other parcel.
  job_ids         bigint[],
  -- The code came before the parcel left. A code with `shipped` for the same jobs takes its place.
  announced       boolean NOT NULL,
  PRIMARY KEY (print_order_id, tracking_code)
);
CREATE INDEX partner_parcels_code ON partner_parcels (tracking_code);

-- Order updates: after a change of address, method, units or files, a partner gets the whole print order again.
CREATE TABLE print_order_updates (
  print_order_id     bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  -- In the message. The first delivery counts as 1.
  revision           int NOT NULL CHECK (revision >= 2),
  -- Hash of the order's shipping revision, and of the units and the replaced files that the body has.
  content_key        text NOT NULL,
  -- webhook-id of every delivery of this update.
  message_id         text NOT NULL UNIQUE,
  body               text NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now(),
  accepted_at        timestamptz,
  PRIMARY KEY (print_order_id, revision)
);

-- Requests that Pressline sent to print partners, one row for each attempt.
CREATE TABLE partner_requests (
  id              bigint GENERATED ALWAYS AS IDENTITY,
  partner_id      uuid NOT NULL,
  -- Null: a test ping.
  print_order_id  bigint REFERENCES print_orders ON DELETE CASCADE,
  kind            text NOT NULL CHECK (kind IN ('print_order', 'order_update', 'cancellation', 'ping')),
  -- Revision of an order update, as in its message.
  revision        int,
  at              timestamptz NOT NULL,
  duration_ms     int NOT NULL,
  -- HTTP status. Null when there was no response.
  status          int,
  outcome         text NOT NULL CHECK (outcome IN ('accepted', 'retry', 'refused')),
  -- Beginning of the response, or why there was none.
  response        text,
  PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE TABLE partner_requests_default PARTITION OF partner_requests DEFAULT;
CREATE INDEX partner_requests_print_order ON partner_requests (print_order_id, id) WHERE print_order_id IS NOT NULL;
CREATE INDEX partner_requests_partner ON partner_requests (partner_id, id DESC);

-- Postbacks: stored before Pressline responds, and signaled to the run afterwards.
CREATE TABLE postbacks (
  id              bigint GENERATED ALWAYS AS IDENTITY,
  partner_id      uuid NOT NULL REFERENCES partners,
  -- Of the print order. The partitions are by order, so that equal postbacks are in one partition.
  order_id        uuid NOT NULL,
  print_order_id  bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  -- Hash of the content: an equal one is a duplicate.
  fingerprint     bytea NOT NULL,
  body            jsonb NOT NULL,
  received_at     timestamptz NOT NULL DEFAULT now(),
  -- Equal postbacks after this one.
  repetitions     int NOT NULL DEFAULT 0,
  handled_at      timestamptz,
  -- The step that handled the postback. Null while it is unhandled.
  run_position    bigint,
  run_version     bigint,
  PRIMARY KEY (id, order_id),
  CONSTRAINT postbacks_content_unique UNIQUE (print_order_id, fingerprint, order_id)
) PARTITION BY RANGE (order_id);
CREATE TABLE postbacks_default PARTITION OF postbacks DEFAULT;
CREATE INDEX postbacks_unhandled ON postbacks (received_at) WHERE handled_at IS NULL;
-- Operators read the postbacks of a partner, newest first.
CREATE INDEX postbacks_partner ON postbacks (partner_id, id DESC);
