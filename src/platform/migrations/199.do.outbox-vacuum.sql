-- Rows become due when they are written, not when their transaction begins: claims begin shortly before the time that the last
-- one reached, and a row of a long transaction would be due before that.
ALTER TABLE outbox ALTER COLUMN available_at SET DEFAULT clock_timestamp();

-- Every delivered row leaves two dead versions. By default, vacuum waits for a fifth of the largest size that the table
-- had. Truncating the empty end of the table takes an exclusive lock, for which claims would queue.
ALTER TABLE outbox SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000,
  vacuum_truncate = off
);
