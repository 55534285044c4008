-- Renames told_orders. It holds, for each order of a client with webhook endpoints, the snapshot that its last notification was made from.
ALTER TABLE told_orders RENAME TO notified_states;
ALTER TABLE notified_states RENAME COLUMN view TO snapshot;
-- Processes of the previous version write under the old names until they are replaced (docs/upgrades.md).
CREATE VIEW told_orders AS SELECT order_id, snapshot AS view FROM notified_states;
