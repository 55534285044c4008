-- How many orders reach each status in each hour, and how long after they were placed: the charts of the console. Triggers write
-- changes, which are rows of their own: no two writers wait for each other. Readers add them to the hours
-- (src/orders/reading/order-stages.ts).
CREATE TABLE order_stages (
  hour     timestamptz NOT NULL,
  status   text NOT NULL,
  orders   bigint NOT NULL,
  -- Sum of the times since the orders were placed.
  seconds  double precision NOT NULL,
  PRIMARY KEY (hour, status)
) WITH (fillfactor = 50);

CREATE TABLE order_stage_changes (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hour     timestamptz NOT NULL,
  status   text NOT NULL,
  orders   int NOT NULL,
  seconds  double precision NOT NULL
-- The table is short, but its rows come and go.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The counts of orders by status cover all statuses: counting the ended ones cost as much as there are orders. No order is
-- written between the count below and the first change that the new functions count.
LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE;

CREATE OR REPLACE FUNCTION is_counted_order(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT true
$$;
INSERT INTO kept_counts (name, key, total)
SELECT 'orders', fulfillment_status, count(*) FROM orders
WHERE fulfillment_status NOT IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold')
GROUP BY 2;

CREATE OR REPLACE FUNCTION orders_counted_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', fulfillment_status, count(*) FROM added WHERE is_counted_order(fulfillment_status) GROUP BY 2;
  INSERT INTO order_stage_changes (hour, status, orders, seconds)
  SELECT date_trunc('hour', now(), 'UTC'), fulfillment_status, count(*), 0
  FROM added WHERE fulfillment_status = 'created' GROUP BY 2;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION order_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', status, change
  FROM (VALUES (OLD.fulfillment_status, -1), (NEW.fulfillment_status, 1)) AS moved (status, change)
  WHERE is_counted_order(status);
  -- An order that returns from `on_hold` to a stage has reached it before.
  IF OLD.fulfillment_status <> 'on_hold'
    OR NEW.fulfillment_status IN ('shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled')
  THEN
    INSERT INTO order_stage_changes (hour, status, orders, seconds)
    VALUES (date_trunc('hour', now(), 'UTC'), NEW.fulfillment_status, 1,
      greatest(0, extract(epoch FROM now() - coalesce(NEW.ordered_at, NEW.created_at))));
  END IF;
  RETURN NULL;
END $$;
