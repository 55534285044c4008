-- True when a carrier follows the partner's own tracking code (tracking_code).
ALTER TABLE planned_shipments ADD COLUMN tracking_followed boolean NOT NULL DEFAULT false;

-- When the run of a shipped order ended because nobody follows its parcels. Null for all other orders.
ALTER TABLE orders ADD COLUMN tracking_ended_at timestamptz;
