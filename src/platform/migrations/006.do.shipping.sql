-- Shipping: planned shipments and changes of orders, shipping orders of clients, purchased shipments with their
-- packages and documents, the records of the built-in carriers, and the tracking of parcels.

-- How a print order is to travel: chosen in preparation, and again when the address or method changes.
CREATE TABLE planned_shipments (
  id                         uuid PRIMARY KEY,
  order_id                   uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  print_order_id             bigint NOT NULL UNIQUE REFERENCES print_orders ON DELETE CASCADE,
  carrier_uid                text NOT NULL,
  shipment_method_uid        text NOT NULL,
  shipment_method_name       text NOT NULL,
  service_type               text NOT NULL,
  is_cheapest                boolean NOT NULL,
  -- 'shared' or 'apart': how units that no packaging instruction names are packed.
  packing                    text NOT NULL DEFAULT 'apart',
  parcels                    jsonb NOT NULL DEFAULT '[]',
  package_count              int NOT NULL,
  total_weight_grams         bigint NOT NULL,
  price_minor                bigint NOT NULL,
  currency                   text NOT NULL,
  min_delivery_days          int NOT NULL,
  max_delivery_days          int NOT NULL,
  min_delivery_date          date NOT NULL,
  max_delivery_date          date NOT NULL,
  initial_min_delivery_date  date NOT NULL,
  initial_max_delivery_date  date NOT NULL,
  fulfillment_country        text NOT NULL,
  fulfillment_state          text,
  fulfillment_facility_id    text NOT NULL,
  -- True when a carrier follows a tracking code of the partner's own (partner_parcels).
  tracking_followed          boolean NOT NULL DEFAULT false
);
CREATE INDEX planned_shipments_order ON planned_shipments (order_id);

-- Requested changes of address or method. The run applies each once.
CREATE TABLE shipping_changes (
  id                   uuid PRIMARY KEY,
  order_id             uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  shipping_address     jsonb,
  shipment_method_uid  text,
  -- The shipping revision that the change made; null while it is not applied.
  revision             int,
  -- The receiver whom the change replaced. Messages and documents from before the change still name this receiver.
  replaced_email       text,
  created_at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shipping_changes_order ON shipping_changes (order_id);

-- Shipping orders --------------------------------------------------------------------------------------
CREATE TABLE shipping_orders (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES accounts,
  order_reference_id  text NOT NULL,
  -- Hash of the request: a repeated request continues the order only with the same content.
  fingerprint         bytea NOT NULL,
  -- In the engine's units.
  consignment         jsonb NOT NULL,
  method_uid          text NOT NULL,
  label               jsonb NOT NULL,
  -- `canceling` while the carrier is asked to void the labels.
  status              text NOT NULL DEFAULT 'buying'
                      CHECK (status IN ('buying', 'bought', 'refused', 'canceling', 'canceled')),
  refusal             jsonb,
  -- Until then a request waits for the outcome.
  waiting_until       timestamptz NOT NULL,
  responded_at        timestamptz,
  canceled_at         timestamptz,
  created_at          timestamptz NOT NULL DEFAULT now(),
  erased_at           timestamptz
);
-- A refused request leaves its reference free for the next attempt.
CREATE UNIQUE INDEX shipping_orders_reference ON shipping_orders (account_id, order_reference_id)
  WHERE status <> 'refused';
-- An account's shipping orders by reference (refused ones too), and newest first.
CREATE INDEX shipping_orders_by_reference ON shipping_orders (account_id, order_reference_id, created_at DESC);
CREATE INDEX shipping_orders_newest ON shipping_orders (account_id, created_at DESC, id DESC);
-- Operators' lists, over all accounts: newest first, by status, and by reference.
CREATE INDEX shipping_orders_all_newest ON shipping_orders (created_at DESC, id DESC);
CREATE INDEX shipping_orders_by_status ON shipping_orders (status, created_at DESC, id DESC);
CREATE INDEX shipping_orders_named ON shipping_orders (order_reference_id, created_at DESC);

-- Shipments: labels bought for a consignment -----------------------------------------------------------
CREATE TABLE shipments (
  id                 uuid PRIMARY KEY,
  idempotency_key    text NOT NULL UNIQUE,
  order_id           uuid REFERENCES orders,
  print_order_id     bigint REFERENCES print_orders,
  shipping_order_id  uuid REFERENCES shipping_orders,
  status             text NOT NULL DEFAULT 'buying' CHECK (status IN ('buying', 'bought', 'refused', 'voided')),
  -- Raised when a refused purchase is tried again, so that it uses new keys at the carrier.
  attempt            int NOT NULL DEFAULT 1,
  -- Who may call the carrier for the shipment, and until when (src/shipping/purchase-lease.ts).
  lease_holder       uuid,
  lease_until        timestamptz NOT NULL DEFAULT '-infinity',
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
  -- The contents of packages have changed since invoice, customs forms and packing lists were made.
  documents_outdated boolean NOT NULL DEFAULT false,
  -- The labels that are being replaced, [{"position", "parts"}]. Stored before the purchase: what voids the shipment finds it.
  replacing          jsonb NOT NULL DEFAULT '[]',
  CHECK (num_nonnulls(print_order_id, shipping_order_id) = 1)
);
CREATE INDEX shipments_order ON shipments (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX shipments_print_order ON shipments (print_order_id) WHERE print_order_id IS NOT NULL;
CREATE INDEX shipments_shipping_order ON shipments (shipping_order_id) WHERE shipping_order_id IS NOT NULL;
-- Purchases that a crash may have left half done.
CREATE INDEX shipments_buying ON shipments (started_at) WHERE status = 'buying';
CREATE INDEX shipments_replacing ON shipments (id) WHERE replacing <> '[]';

-- Set for a print job that left before a change of address or method. Null without a label of ours.
ALTER TABLE print_jobs ADD COLUMN departed_shipment_id uuid REFERENCES shipments;
CREATE INDEX print_jobs_departed ON print_jobs (departed_shipment_id) WHERE departed_shipment_id IS NOT NULL;

CREATE TABLE shipment_packages (
  shipment_id           uuid NOT NULL REFERENCES shipments ON DELETE CASCADE,
  position              int NOT NULL,
  package_reference_id  text NOT NULL,
  tracking_number       text NOT NULL,
  tracking_url          text NOT NULL,
  cost_minor            bigint NOT NULL,
  currency              text NOT NULL,
  weight_grams          numeric(12, 3) NOT NULL,
  -- When a part of a print order has left and the rest gets new labels, the labels of the rest in the old shipment are
  -- void.
  left_out_at           timestamptz,
  -- What is in the package: [{"itemReferenceId", "quantity"}].
  items                 jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (shipment_id, position)
);
CREATE INDEX shipment_packages_number ON shipment_packages (tracking_number);

CREATE TABLE shipment_documents (
  id                uuid PRIMARY KEY,
  shipment_id       uuid NOT NULL REFERENCES shipments ON DELETE CASCADE,
  -- Null: the sheets with the labels of all packages of a shipping order.
  package_position  int,
  document_type     text NOT NULL CHECK (document_type IN
                    ('label', 'invoice', 'commercial_invoice', 'cn22', 'cn23', 'packing_slip', 'packing_list', 'delivery_note')),
  content_type      text NOT NULL,
  format            text NOT NULL,
  object_key        text NOT NULL UNIQUE,
  file_name         text NOT NULL,
  size_bytes        bigint NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- When retention deleted the object. The row stays.
  deleted_at        timestamptz
);
CREATE INDEX shipment_documents_shipment ON shipment_documents (shipment_id);
CREATE INDEX shipment_documents_age ON shipment_documents (created_at) WHERE deleted_at IS NULL;

-- Built-in carriers ------------------------------------------------------------------------------------
-- Serial numbers of tracking numbers. None is used twice.
CREATE SEQUENCE s10_serials MINVALUE 0 START WITH 10000000;
CREATE SEQUENCE sscc_serials MINVALUE 0 START WITH 100000000;

-- One purchase per key, however often it is requested. A voided key can never buy.
CREATE TABLE carrier_purchases (
  idempotency_key  text PRIMARY KEY,
  carrier_uid      text NOT NULL,
  method_uid       text,
  tracking_number  text,
  -- Random part of the address of the tracking page: numbers can be guessed.
  page_token       text,
  price_minor      bigint,
  currency         text,
  bought_at        timestamptz NOT NULL DEFAULT now(),
  voided_at        timestamptz,
  CHECK (num_nonnulls(tracking_number, page_token) = 2 OR voided_at IS NOT NULL)
);
CREATE INDEX carrier_purchases_number ON carrier_purchases (carrier_uid, tracking_number);
-- For the deletion of old ones. Purchases are stored in the order of their time, so that ranges of pages are enough.
CREATE INDEX carrier_purchases_age ON carrier_purchases USING brin (bought_at);

-- Trackings of parcels: those with labels of ours, and those whose tracking codes print partners send.
CREATE TABLE trackings (
  tracking_number         text NOT NULL,
  -- Carriers use tracking numbers again, and two carriers can use the same one. Each use of a number is a tracking of
  -- its own.
  generation              int NOT NULL DEFAULT 0,
  -- Id of the tracking, random: `shortUid` in responses and in the addresses of our tracking pages.
  short_uid               text NOT NULL UNIQUE,
  shipment_id             uuid REFERENCES shipments ON DELETE CASCADE,
  -- Of a partner's tracking code.
  print_order_id          bigint REFERENCES print_orders ON DELETE CASCADE,
  -- Null while no carrier is known for the code. The tracking sweep searches the adapters.
  carrier_uid             text,
  carrier_name            text,
  -- Uid of the carrier adapter that is polled.
  adapter_uid             text,
  -- The partner's own tracking page.
  tracking_url            text,
  status_uid              text NOT NULL DEFAULT 'registered',
  expected_delivery_date  date,
  -- When the carrier is polled next. Null: the carrier sends events, or there is nothing more to ask.
  next_check_at           timestamptz,
  checked_at              timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  updated_at              timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tracking_number, generation),
  CONSTRAINT trackings_owner CHECK (num_nonnulls(shipment_id, print_order_id) = 1)
);
CREATE INDEX trackings_shipment ON trackings (shipment_id);
CREATE INDEX trackings_print_order ON trackings (print_order_id) WHERE print_order_id IS NOT NULL;
-- The tracking sweep reads carriers concurrently: each reads its own packages that are due. Partners' codes whose
-- carrier is not known have no adapter.
CREATE INDEX trackings_due_by_adapter ON trackings (adapter_uid, next_check_at) WHERE next_check_at IS NOT NULL;
-- Operators' lists of parcels: by status, newest first, so that problems come first.
CREATE INDEX trackings_by_status ON trackings (status_uid, created_at DESC, short_uid DESC);

-- Partitioned by the time of the tracking, which does not change: all checkpoints of a tracking are in one partition.
CREATE TABLE tracking_checkpoints (
  id                      bigint GENERATED ALWAYS AS IDENTITY,
  tracking_number         text NOT NULL,
  generation              int NOT NULL DEFAULT 0,
  -- `created_at` of the tracking.
  tracked_since           timestamptz NOT NULL,
  -- The carrier's id of the event, or a hash of its content: the same event is one checkpoint.
  event_key               text NOT NULL,
  status_uid              text NOT NULL,
  message                 text NOT NULL,
  description             text,
  location                text,
  expected_delivery_date  date,
  signed_by               text NOT NULL,
  occurred_at             timestamptz NOT NULL,
  received_at             timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id, tracked_since),
  CONSTRAINT tracking_checkpoints_event_unique UNIQUE (tracking_number, generation, event_key, tracked_since),
  CONSTRAINT tracking_checkpoints_tracking FOREIGN KEY (tracking_number, generation) REFERENCES trackings ON DELETE CASCADE
) PARTITION BY RANGE (tracked_since);
CREATE TABLE tracking_checkpoints_default PARTITION OF tracking_checkpoints DEFAULT;
CREATE INDEX tracking_checkpoints_latest
  ON tracking_checkpoints (tracking_number, generation, occurred_at DESC, id DESC);
