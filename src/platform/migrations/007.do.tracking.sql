-- Tracking of parcels: those with labels of ours, and those whose tracking codes print partners send.

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
