-- Built-in carriers' own books ----------------------------------------------------------------------
-- Serial numbers of tracking numbers; never handed out twice.
CREATE SEQUENCE s10_serials MINVALUE 0 START WITH 10000000;
CREATE SEQUENCE sscc_serials MINVALUE 0 START WITH 100000000;

-- One purchase a key, however often it is asked for; a voided key can never buy.
CREATE TABLE carrier_purchases (
  idempotency_key  text PRIMARY KEY,
  carrier_uid      text NOT NULL,
  method_uid       text,
  tracking_number  text UNIQUE,
  price_minor      bigint,
  currency         text,
  bought_at        timestamptz NOT NULL DEFAULT now(),
  voided_at        timestamptz,
  CHECK (tracking_number IS NOT NULL OR voided_at IS NOT NULL)
);

-- Shipping orders: the shipping group of the interface -----------------------------------------------
CREATE TABLE shipping_orders (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES accounts,
  order_reference_id  text NOT NULL,
  -- Hash of the request: only the same content may take up an order whose answer was lost.
  fingerprint         bytea NOT NULL,
  -- In the engine's units.
  consignment         jsonb NOT NULL,
  method_uid          text NOT NULL,
  label               jsonb NOT NULL,
  status              text NOT NULL DEFAULT 'buying' CHECK (status IN ('buying', 'bought', 'refused')),
  refusal             jsonb,
  -- Until then a request waits for the outcome.
  waiting_until       timestamptz NOT NULL,
  answered_at         timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now()
);
-- A refused request leaves its reference free for the next try.
CREATE UNIQUE INDEX shipping_orders_reference ON shipping_orders (account_id, order_reference_id)
  WHERE status <> 'refused';

-- Shipments: labels bought for a consignment ----------------------------------------------------------
CREATE TABLE shipments (
  id                 uuid PRIMARY KEY,
  idempotency_key    text NOT NULL UNIQUE,
  order_id           uuid REFERENCES orders,
  print_order_id     bigint REFERENCES print_orders,
  shipping_order_id  uuid REFERENCES shipping_orders,
  status             text NOT NULL DEFAULT 'buying' CHECK (status IN ('buying', 'bought', 'refused', 'voided')),
  -- Raised when a refused purchase is tried again, so that it asks the carrier under new keys.
  attempt            int NOT NULL DEFAULT 1,
  consignment        jsonb NOT NULL,
  carrier_uid        text,
  carrier_name       text,
  method_uid         text NOT NULL,
  method_name        text,
  refusal            jsonb,
  -- Also the date on the labels, so that a repeated attempt makes the same ones.
  started_at         timestamptz NOT NULL DEFAULT now(),
  bought_at          timestamptz,
  voided_at          timestamptz,
  CHECK (num_nonnulls(print_order_id, shipping_order_id) = 1)
);
CREATE INDEX shipments_order ON shipments (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX shipments_print_order ON shipments (print_order_id) WHERE print_order_id IS NOT NULL;
CREATE INDEX shipments_shipping_order ON shipments (shipping_order_id) WHERE shipping_order_id IS NOT NULL;
-- Purchases that a crash may have left half done.
CREATE INDEX shipments_buying ON shipments (started_at) WHERE status = 'buying';

CREATE TABLE shipment_packages (
  shipment_id           uuid NOT NULL REFERENCES shipments ON DELETE CASCADE,
  position              int NOT NULL,
  package_reference_id  text NOT NULL,
  tracking_number       text NOT NULL UNIQUE,
  tracking_url          text NOT NULL,
  cost_minor            bigint NOT NULL,
  currency              text NOT NULL,
  weight_grams          numeric(12, 3) NOT NULL,
  PRIMARY KEY (shipment_id, position)
);

CREATE TABLE shipment_documents (
  id                uuid PRIMARY KEY,
  shipment_id       uuid NOT NULL REFERENCES shipments ON DELETE CASCADE,
  -- Null: the document is for all packages.
  package_position  int,
  type              text NOT NULL CHECK (type IN ('label', 'invoice', 'customs_form', 'packing_slip')),
  -- What it is called to clients: label, commercial_invoice, cn22, cn23, invoice.
  document_type     text NOT NULL,
  content_type      text NOT NULL,
  format            text NOT NULL,
  object_key        text NOT NULL UNIQUE,
  file_name         text NOT NULL,
  size_bytes        bigint NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- The object was deleted after retention; the row tells that there was one.
  deleted_at        timestamptz
);
CREATE INDEX shipment_documents_shipment ON shipment_documents (shipment_id);
CREATE INDEX shipment_documents_age ON shipment_documents (created_at) WHERE deleted_at IS NULL;

-- Tracking --------------------------------------------------------------------------------------------
CREATE TABLE trackings (
  tracking_number         text PRIMARY KEY,
  -- Short handle of the tracking, as the interface's `shortUid`.
  short_uid               text NOT NULL UNIQUE,
  shipment_id             uuid NOT NULL REFERENCES shipments ON DELETE CASCADE,
  carrier_uid             text NOT NULL,
  status_uid              text NOT NULL DEFAULT 'registered',
  expected_delivery_date  date,
  -- When the carrier is to be asked again; null: it tells us by itself, or there is nothing more to ask.
  next_check_at           timestamptz,
  checked_at              timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  updated_at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX trackings_due ON trackings (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX trackings_shipment ON trackings (shipment_id);

CREATE TABLE tracking_checkpoints (
  id                      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tracking_number         text NOT NULL REFERENCES trackings ON DELETE CASCADE,
  -- The carrier's id of the event, or a hash of what it says: the same event is one checkpoint.
  event_key               text NOT NULL,
  status_uid              text NOT NULL,
  message                 text NOT NULL,
  description             text,
  location                text,
  expected_delivery_date  date,
  signed_by               text NOT NULL,
  occurred_at             timestamptz NOT NULL,
  received_at             timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tracking_number, event_key)
);
CREATE INDEX tracking_checkpoints_newest ON tracking_checkpoints (tracking_number, occurred_at DESC, id DESC);
