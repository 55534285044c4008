-- The archive of ended orders (docs/decisions/008-archive.md): what stays in Postgres of orders whose rows are in Parquet files
-- of the object store.

-- One set of Parquet files: orders of one day, by the time of their ids.
CREATE TABLE archive_parts (
  -- Part of the names of the files.
  id          uuid PRIMARY KEY,
  day         date NOT NULL,
  -- `writing`: the files are written and verified. `complete`: they hold the only rows of their orders. `discarded`: the
  -- files are deleted.
  state       text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'complete', 'discarded')),
  -- Rows by file, and sums of amounts and quantities: what the files had when they were verified.
  totals      jsonb,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX archive_parts_day ON archive_parts (day);
CREATE INDEX archive_parts_unfinished ON archive_parts (state) WHERE state <> 'complete';

-- Sums of the orders of a day, for reports.
CREATE TABLE report_days (
  day        date NOT NULL,
  -- Where the orders are: in the archive, or in the tables.
  place      text NOT NULL CHECK (place IN ('archive', 'tables')),
  -- The parts that the day had, in their order. Sums are valid while it has no others.
  part_ids   uuid[] NOT NULL,
  -- A Parquet file (src/orders/reading/report-sums.ts).
  sums       bytea NOT NULL,
  -- When the orders were read. Those in the tables may have changed since.
  summed_at  timestamptz NOT NULL,
  PRIMARY KEY (day, place)
);

CREATE TABLE archived_orders (
  id                   uuid PRIMARY KEY,
  client_id            uuid NOT NULL REFERENCES accounts,
  order_reference_id   text NOT NULL,
  replaces_id          uuid,
  channel              text NOT NULL,
  fulfillment_status   text NOT NULL,
  financial_status     text NOT NULL,
  refusal_reason_code  text,
  currency             text NOT NULL,
  country              text,
  item_count           int NOT NULL,
  -- In minor units. Null: the order was never priced.
  total_incl_vat       bigint,
  created_at           timestamptz NOT NULL,
  ordered_at           timestamptz,
  updated_at           timestamptz NOT NULL,
  part_id              uuid NOT NULL REFERENCES archive_parts,
  -- Number of its row in the file of records, from 0.
  part_row             int NOT NULL,
  -- E-mail addresses of its receivers, in lower case. Null: none, or erased.
  emails               text[],
  -- Key of the personal data in the file of records. An erasure deletes it.
  record_key           bytea CHECK (length(record_key) = 32),
  erased_at            timestamptz,
  CHECK ((record_key IS NULL) <= (erased_at IS NOT NULL))
);
CREATE INDEX archived_orders_reference ON archived_orders (order_reference_id, client_id, created_at DESC);
CREATE INDEX archived_orders_newest ON archived_orders (client_id, created_at DESC, id DESC);
CREATE INDEX archived_orders_created ON archived_orders (created_at DESC, id DESC);
CREATE INDEX archived_orders_part ON archived_orders (part_id);
CREATE INDEX archived_orders_recipient ON archived_orders USING gin (emails) WHERE emails IS NOT NULL;
-- Orders whose personal data is stored. Their number is bounded by the retention time.
CREATE INDEX archived_orders_not_erased ON archived_orders (id) WHERE erased_at IS NULL;

-- Tracking numbers of archived orders.
CREATE TABLE archived_parcels (
  tracking_number  text NOT NULL,
  order_id         uuid NOT NULL REFERENCES archived_orders ON DELETE CASCADE,
  PRIMARY KEY (tracking_number, order_id)
);
CREATE INDEX archived_parcels_order ON archived_parcels (order_id);
