-- How a print order is to travel: chosen in preparation, again when the address or method changes.
CREATE TABLE planned_shipments (
  id                         uuid PRIMARY KEY,
  order_id                   uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  print_order_id             bigint NOT NULL UNIQUE REFERENCES print_orders ON DELETE CASCADE,
  carrier_uid                text NOT NULL,
  shipment_method_uid        text NOT NULL,
  shipment_method_name       text NOT NULL,
  service_type               text NOT NULL,
  is_cheapest                boolean NOT NULL,
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
  -- Tracking data that a partner sent with a postback, when dispatch was not used.
  tracking_code              text,
  tracking_link              text
);
CREATE INDEX planned_shipments_order ON planned_shipments (order_id);

-- Changes of address or method as asked for; the run applies each once.
CREATE TABLE shipping_changes (
  id                   uuid PRIMARY KEY,
  order_id             uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  shipping_address     jsonb,
  shipment_method_uid  text,
  -- Revision it became; null while it is not applied.
  revision             int,
  created_at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shipping_changes_order ON shipping_changes (order_id);
