-- How far an order's run had come in its history when it wrote the rows. A step that a server or worker lost before it
-- was in the history is taken again, and may go another way: the later position then overrules what the lost try wrote.
ALTER TABLE orders ADD COLUMN run_position bigint NOT NULL DEFAULT 0;

-- Which step wrote a line; null for lines that no run wrote. Lines of lost tries go when the next step is written.
ALTER TABLE order_events
  ADD COLUMN run_position bigint,
  ADD COLUMN run_version  bigint;
