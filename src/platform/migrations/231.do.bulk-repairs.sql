-- One repair of many orders. A workflow carries it out.
CREATE TABLE bulk_repairs (
  -- Ordered by time.
  id                   uuid PRIMARY KEY,
  action               text NOT NULL,
  reason               text NOT NULL,
  -- Of a reroute or a reproduce: the partner that takes over. Null: routing chooses.
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
  -- Null while the order is left.
  outcome         text CHECK (outcome IN ('done', 'refused', 'failed', 'canceled')),
  message         text,
  PRIMARY KEY (bulk_repair_id, order_id)
);
CREATE INDEX bulk_repair_orders_left ON bulk_repair_orders (bulk_repair_id, order_id) WHERE outcome IS NULL;
CREATE INDEX bulk_repair_orders_order ON bulk_repair_orders (order_id);
