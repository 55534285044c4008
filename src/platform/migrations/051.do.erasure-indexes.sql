--! no-transaction
-- Orders and shipping orders of a recipient.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_recipient ON orders (lower(shipping_address ->> 'email'));
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipping_changes_recipient ON shipping_changes (lower(replaced_email))
  WHERE replaced_email IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipping_orders_recipient ON shipping_orders (lower(consignment -> 'receiver' ->> 'email'));
-- Ended orders whose personal data is stored. Their number is bounded by the retention time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_not_erased ON orders (id)
  WHERE erased_at IS NULL AND (fulfillment_status IN ('delivered', 'returned', 'failed', 'canceled') OR tracking_ended_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipping_orders_not_erased ON shipping_orders (id) WHERE erased_at IS NULL;
