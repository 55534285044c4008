-- Orders that still have something to come, in the order of their ids: reconciliation walks through them a stretch at
-- a time. Orders at their end, nearly all, are not in the index.
CREATE INDEX orders_open ON orders (id)
  WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold');

-- Counts reconciliations. Temporal remembers the count too: a database that knows fewer was restored from a backup.
CREATE TABLE reconciliation (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  mark       bigint NOT NULL,
  marked_at  timestamptz NOT NULL
);
