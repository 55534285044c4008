--! no-transaction
-- Operators' lists of parcels and shipping orders: by status, newest first, so that problems come first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trackings_by_status ON trackings (status_uid, created_at DESC, short_uid DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipping_orders_by_status ON shipping_orders (status, created_at DESC, id DESC);
-- Shipping orders of every account by reference.
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipping_orders_named ON shipping_orders (order_reference_id, created_at DESC);
