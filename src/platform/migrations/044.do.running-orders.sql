--! no-transaction
-- Open orders, read by reconciliation in the order of their ids. Shipped orders whose tracking has ended stay `shipped` for
-- ever; they are not open and would fill the index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_running ON orders (id)
  WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold')
    AND tracking_ended_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS orders_open;
