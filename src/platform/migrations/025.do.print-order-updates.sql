-- Order updates: after a change of address or method, a partner gets the whole print order again.

ALTER TABLE partners ADD COLUMN order_update_url text;

-- The order's shipping revision that the first delivery's body has. Null for bodies that older versions stored.
ALTER TABLE print_orders ADD COLUMN body_shipping_revision int;

CREATE TABLE print_order_updates (
  print_order_id bigint NOT NULL REFERENCES print_orders ON DELETE CASCADE,
  -- In the message. The first delivery counts as 1.
  revision int NOT NULL CHECK (revision >= 2),
  -- The order's shipping revision that the body has.
  shipping_revision int NOT NULL,
  -- webhook-id of every delivery of this update.
  message_id text NOT NULL UNIQUE,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  accepted_at timestamptz,
  PRIMARY KEY (print_order_id, revision),
  UNIQUE (print_order_id, shipping_revision)
);
