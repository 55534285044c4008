--! no-transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS trackings_number ON trackings (tracking_number, generation);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS tracking_checkpoints_event ON tracking_checkpoints (tracking_number, generation, event_key);
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_checkpoints_latest ON tracking_checkpoints (tracking_number, generation, occurred_at DESC, id DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipment_packages_number ON shipment_packages (tracking_number);
CREATE INDEX CONCURRENTLY IF NOT EXISTS carrier_purchases_number ON carrier_purchases (carrier_uid, tracking_number);
DROP INDEX CONCURRENTLY IF EXISTS tracking_checkpoints_newest;
