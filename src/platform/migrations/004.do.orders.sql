-- Orders with their items, files, packing slips and events, and what operators add to them: notes and bulk repairs.

CREATE TABLE orders (
  id                      uuid PRIMARY KEY,
  client_id               uuid NOT NULL REFERENCES accounts,
  order_reference_id      text NOT NULL,
  customer_reference_id   text,
  order_type              text NOT NULL CHECK (order_type IN ('order', 'draft')),
  channel                 text NOT NULL DEFAULT 'api',
  fulfillment_status      text NOT NULL,
  financial_status        text NOT NULL,
  currency                text NOT NULL,
  retail_currency         text,
  retail_shipping_price   numeric,
  shipment_method_uid     text,
  shipping_address        jsonb NOT NULL,
  -- Id of the shipping address whose findings an operator has accepted. A changed address has another id.
  accepted_address_id     uuid,
  -- What carriers and the plan found in the address, with its id.
  address_findings        jsonb,
  return_address          jsonb,
  packaging_instructions  jsonb NOT NULL DEFAULT '[]',
  metadata                jsonb NOT NULL DEFAULT '[]',
  refusal_reason          text,
  refusal_reason_code     text,
  refusal_reason_details  jsonb,
  -- Why print files are not fetched yet, the attempts, and when the next one is made. Of the latest transient failure.
  file_delay              jsonb,
  comment                 text,
  -- The failed or canceled order that this one replaces under the same reference. An order is replaced once. No foreign
  -- key, like reprint_of: the other order may be in the archive.
  replaces_id             uuid,
  -- The reasons why the order needs attention. Null: none.
  attention               text[],
  -- Since when the order has each of its attention reasons: {reason: time}. A trigger keeps it, so that every writer of
  -- `attention` does.
  attention_since         jsonb,
  -- Raised by every change of address or method. Dispatch makes its label for one revision.
  shipping_revision       int NOT NULL DEFAULT 0,
  -- Number of replacements of print files.
  files_revision          int NOT NULL DEFAULT 0,
  -- Version of the run's lifecycle state that these rows show. Older writes are ignored.
  run_version             bigint NOT NULL DEFAULT 0,
  -- Length of the run's history when it wrote the rows. A step that a server or worker lost before it was in the
  -- history is taken again, and may lead elsewhere: the later position then replaces what the lost attempt wrote.
  run_position            bigint NOT NULL DEFAULT 0,
  -- The run that wrote the rows last: a reset, continued or restarted order workflow has another run id. Null before
  -- the first record.
  run_id                  text,
  -- The financial status that the order's workflow wrote last. A record of the workflow repeats its status; it replaces
  -- the order's only when it has changed, so that payments and receipts of shipping changes keep theirs. Null: the
  -- workflow wrote the order's status.
  run_financial_status    text,
  -- When the run of a shipped order ended because nobody follows its parcels. Null for all other orders.
  tracking_ended_at       timestamptz,
  -- The order that this one makes again. Null for all other orders.
  reprint_of              uuid,
  -- False for a reprint that costs its client nothing.
  charged                 boolean NOT NULL DEFAULT true,
  request_id              text,
  -- Trace context (W3C traceparent) of the request that submitted the order. Null without tracing.
  traceparent             text,
  created_at              timestamptz NOT NULL DEFAULT now(),
  ordered_at              timestamptz,
  updated_at              timestamptz NOT NULL DEFAULT now(),
  -- When its personal data was erased (docs/personal-data.md).
  erased_at               timestamptz,
  CONSTRAINT orders_attention_not_empty CHECK (cardinality(attention) > 0)
);
CREATE INDEX orders_reference ON orders (order_reference_id, client_id, created_at DESC);
-- Operators search by the beginning of a reference or of a name, in any case.
CREATE INDEX orders_reference_start ON orders (lower(order_reference_id) text_pattern_ops);
CREATE INDEX orders_recipient_name ON orders
  (lower((shipping_address ->> 'lastName') || ' ' || (shipping_address ->> 'firstName')) text_pattern_ops);
CREATE UNIQUE INDEX orders_replaces ON orders (replaces_id) WHERE replaces_id IS NOT NULL;
CREATE INDEX orders_reprints ON orders (reprint_of) WHERE reprint_of IS NOT NULL;
CREATE INDEX orders_newest ON orders (client_id, created_at DESC, id DESC);
-- Pages of what changed since a time, with which a client reconciles its orders.
CREATE INDEX orders_updated ON orders (client_id, updated_at DESC, id DESC);
-- Operators' pages over all clients.
CREATE INDEX orders_created ON orders (created_at DESC, id DESC);
-- Pages of one status, which may be one order in a million. The client is the last column: other clients' orders of the
-- status are skipped in the index, without reading their rows.
CREATE INDEX orders_status ON orders (fulfillment_status, created_at DESC, id DESC, client_id);
-- Orders that need attention: few at any time, listed newest first.
CREATE INDEX orders_attention ON orders (created_at DESC, id DESC) WHERE attention IS NOT NULL;
-- Open orders, read by reconciliation in the order of their ids. Shipped orders whose tracking has ended stay `shipped`
-- for ever; they are not open and would fill the index.
CREATE INDEX orders_running ON orders (id)
  WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold')
    AND tracking_ended_at IS NULL;

CREATE FUNCTION keep_attention_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.attention_since := (
    SELECT jsonb_object_agg(reason, coalesce(OLD.attention_since -> reason, to_jsonb(now())))
    FROM unnest(NEW.attention) AS reason);
  RETURN NEW;
END $$;
CREATE TRIGGER orders_attention_since BEFORE UPDATE OF attention ON orders
  FOR EACH ROW WHEN (OLD.attention IS DISTINCT FROM NEW.attention) EXECUTE FUNCTION keep_attention_since();

-- What a new run of an order needs to continue a lost one. Each record of a run replaces it, and the last one deletes it.
CREATE TABLE run_snapshots (
  order_id        uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  -- State, deadlines and pending steps. It holds texts of partners. Null: erased.
  snapshot        jsonb
) WITH (fillfactor = 60);

CREATE TABLE order_items (
  id                  bigint GENERATED ALWAYS AS IDENTITY (START WITH 10001) PRIMARY KEY,
  order_id            uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  position            int NOT NULL,
  item_reference_id   text NOT NULL,
  product_uid         text,
  product_name        text,
  product_variant     jsonb,
  quantity            int NOT NULL CHECK (quantity > 0),
  retail_price        numeric,
  custom_trim         jsonb,
  metadata            jsonb NOT NULL DEFAULT '[]',
  fulfillment_status  text NOT NULL,
  -- The product as resolved when the order was accepted. Later changes of the catalog do not change running orders.
  product             jsonb,
  price_minor         bigint,
  page_count          int,
  dpi                 int,
  UNIQUE (order_id, item_reference_id)
);
CREATE INDEX order_items_order ON order_items (order_id, position);
-- A customer product that an order item was resolved from cannot be deleted.
CREATE INDEX order_items_customer_product ON order_items ((product ->> 'customerProductId'))
  WHERE product ? 'customerProductId';

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
  -- Resolution of an image at the size of its print area.
  dpi            int,
  previews       jsonb NOT NULL DEFAULT '[]',
  -- What the inspection measured (packages/file-reader/facts.ts). Null before the file is fetched.
  facts          jsonb,
  fetched_at     timestamptz,
  -- The order's files_revision with which the file got its URL. 0: as submitted.
  revision       int NOT NULL DEFAULT 0,
  -- What the product cannot be printed from well, as a list of findings.
  checks         jsonb NOT NULL DEFAULT '[]',
  -- True when an operator has accepted the file with its findings.
  checks_accepted boolean NOT NULL DEFAULT false,
  -- Number of inspections of the file that have started. A file that ends every process that opens it is refused after
  -- some.
  inspections    int NOT NULL DEFAULT 0,
  -- A file that was sent for another one when a partner had the order: it is checked, sent to the partner, or refused.
  -- `former`: another file has taken its place. Null: the file that is printed.
  replacement    text CHECK (replacement IN ('checking', 'sending', 'refused', 'former')),
  -- Why a replacement was refused.
  replacement_message text
);
CREATE INDEX order_files_item ON order_files (order_item_id, position);
-- Stored files by age, for retention.
CREATE INDEX order_files_kept ON order_files (fetched_at) WHERE object_key IS NOT NULL;

-- Files that are checked without an order, or before it. Deleted after a day.
CREATE TABLE preflights (
  id             uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES accounts,
  -- The file of a draft that gets the findings too, or a file that replaces another one when it passes.
  order_file_id  uuid REFERENCES order_files ON DELETE SET NULL,
  -- Null when it has ended: a URL can contain credentials.
  url            text,
  -- What decides on the needs of the file: type, types of the item's other files, product, trim.
  subject        jsonb NOT NULL,
  -- Null while it runs.
  report         jsonb,
  created_at     timestamptz NOT NULL DEFAULT now(),
  ended_at       timestamptz
);
-- Preflights under way of an account.
CREATE INDEX preflights_running ON preflights (account_id) WHERE ended_at IS NULL;
CREATE INDEX preflights_age ON preflights (created_at);
CREATE INDEX preflights_file ON preflights (order_file_id) WHERE order_file_id IS NOT NULL;

-- Files that operators have uploaded for an order, until it has fetched them. Their objects are `uploads/<id>`.
CREATE TABLE uploads (
  id          uuid PRIMARY KEY,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX uploads_age ON uploads (created_at);

CREATE TABLE packing_slips (
  id             uuid PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  package_index  int NOT NULL,
  url            text NOT NULL,
  object_key     text,
  size_bytes     bigint,
  inspections    int NOT NULL DEFAULT 0,
  UNIQUE (order_id, package_index)
);
CREATE INDEX packing_slips_kept ON packing_slips (id) WHERE object_key IS NOT NULL;

-- Partitioned by the id of the order, which begins with its time: all events of an order are in one partition.
CREATE TABLE order_events (
  id              bigint GENERATED ALWAYS AS IDENTITY,
  order_id        uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  order_item_id   bigint,
  print_order_id  bigint,
  type            text NOT NULL,
  data            jsonb NOT NULL DEFAULT '{}',
  at              timestamptz NOT NULL DEFAULT now(),
  -- The step that wrote the event; null for events that no run wrote. The next record of the run deletes events of lost
  -- attempts.
  run_position    bigint,
  run_version     bigint,
  PRIMARY KEY (id, order_id)
) PARTITION BY RANGE (order_id);
CREATE TABLE order_events_default PARTITION OF order_events DEFAULT;
CREATE INDEX order_events_order ON order_events (order_id, id);
-- Few rows: steps that were lost with the process of their worker.
CREATE INDEX order_events_lost ON order_events (at) WHERE type = 'step_lost';

-- Notes of operators on orders. Clients and partners do not see them.
CREATE TABLE order_notes (
  -- Ordered by time.
  id           uuid PRIMARY KEY,
  order_id     uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  author_id    uuid NOT NULL,
  author_name  text NOT NULL,
  text         text NOT NULL CHECK (char_length(text) <= 2000),
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_notes_order ON order_notes (order_id, id DESC);

-- Units that arrived damaged, wrong or not at all, as a client or an operator has reported them.
CREATE TABLE claims (
  -- Ordered by time.
  id             uuid PRIMARY KEY,
  order_id       uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  reason         text NOT NULL CHECK (reason IN ('parcel_lost', 'damaged', 'wrong_item')),
  status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'refunded', 'replaced', 'refused')),
  -- [{"itemId", "itemReferenceId", "quantity", "outcome"}]. Outcome: null, `replacing` while the order run is asked,
  -- `replaced`, `refunded`.
  items          jsonb NOT NULL,
  note           text,
  pictures       jsonb NOT NULL DEFAULT '[]',
  -- `client`, or `operator` and a name.
  made_by        text NOT NULL,
  -- Who made and who carried the units.
  partner_id     uuid,
  carrier_uid    text,
  -- Who has to pay, as an operator has decided.
  liable         text CHECK (liable IN ('carrier', 'partner', 'shop')),
  -- What the operator tells the client.
  message        text,
  -- The order that replaces the units of an order without a run.
  replacement_id uuid,
  created_at     timestamptz NOT NULL DEFAULT now(),
  decided_at     timestamptz
);
CREATE INDEX claims_order ON claims (order_id, id);

-- One repair of many orders. A workflow carries it out.
CREATE TABLE bulk_repairs (
  -- Ordered by time.
  id                   uuid PRIMARY KEY,
  action               text NOT NULL,
  reason               text NOT NULL,
  -- Of a reroute or a reproduce: the new partner. Null: routing chooses.
  partner_id           uuid,
  requested_by         uuid NOT NULL,
  requested_by_name    text NOT NULL,
  created_at           timestamptz NOT NULL DEFAULT now(),
  cancel_requested_at  timestamptz,
  ended_at             timestamptz
);

CREATE TABLE bulk_repair_orders (
  bulk_repair_id  uuid NOT NULL REFERENCES bulk_repairs ON DELETE CASCADE,
  order_id        uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  -- Decided before the first request is sent, so that a retry sends the same ones.
  requests        jsonb,
  attempts        int NOT NULL DEFAULT 0,
  -- Null while the order is not finished.
  outcome         text CHECK (outcome IN ('done', 'refused', 'failed', 'canceled')),
  message         text,
  PRIMARY KEY (bulk_repair_id, order_id)
);
CREATE INDEX bulk_repair_orders_left ON bulk_repair_orders (bulk_repair_id, order_id) WHERE outcome IS NULL;
CREATE INDEX bulk_repair_orders_order ON bulk_repair_orders (order_id);
