-- Shipping orders can be canceled: `canceling` while the carrier is asked to void the labels, then `canceled`.
ALTER TABLE shipping_orders DROP CONSTRAINT shipping_orders_status_check;
ALTER TABLE shipping_orders ADD CONSTRAINT shipping_orders_status_check
  CHECK (status IN ('buying', 'bought', 'refused', 'canceling', 'canceled'));
ALTER TABLE shipping_orders ADD COLUMN canceled_at timestamptz;

-- An account's shipping orders by reference (refused ones too), and newest first.
CREATE INDEX shipping_orders_by_reference ON shipping_orders (account_id, order_reference_id, created_at DESC);
CREATE INDEX shipping_orders_newest ON shipping_orders (account_id, created_at DESC, id DESC);
CREATE INDEX shipping_orders_all_newest ON shipping_orders (created_at DESC, id DESC);
