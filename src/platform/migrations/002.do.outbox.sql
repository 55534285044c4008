-- The outbox: what leaves the database, written in the transaction that causes it.

CREATE TABLE outbox (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL,
  -- Workflow id or endpoint id: a slow receiver delays only its own rows.
  target        text NOT NULL,
  payload       jsonb NOT NULL,
  -- Trace context (W3C traceparent) of the code that wrote the row. Null without tracing.
  traceparent   text,
  attempts      int NOT NULL DEFAULT 0,
  -- The time of the statement, not of the transaction: claims begin shortly before the time that the last claim
  -- reached, and a row of a long transaction would be due before that.
  available_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_error    text,
  dead_at       timestamptz
) WITH (
  fillfactor = 70,
  -- Every delivered row leaves two dead versions. By default, vacuum waits for a fifth of the largest size that the
  -- table had. Truncating the empty end of the table takes an exclusive lock, for which claims would queue.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000,
  vacuum_truncate = off
);
CREATE INDEX outbox_due ON outbox (kind, available_at) WHERE dead_at IS NULL;
CREATE INDEX outbox_due_by_target ON outbox (kind, target, available_at) WHERE dead_at IS NULL;
-- The starts of orders by client. The other workflows have no client.
CREATE INDEX outbox_starts_by_client ON outbox (coalesce(payload ->> 'fairnessKey', ''), available_at)
  WHERE kind = 'start_workflow' AND dead_at IS NULL;
-- Notifications by client, then endpoint.
CREATE INDEX outbox_notifications_by_client
  ON outbox ((coalesce(payload ->> 'clientId', '') || '/' || target), available_at)
  WHERE kind = 'notification' AND dead_at IS NULL;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at IS NOT NULL;
