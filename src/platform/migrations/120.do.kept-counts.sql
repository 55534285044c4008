-- Counts that are read every few seconds: open orders by status, and the units that each partner has still to print. Counting
-- the rows cost as much as there are open orders. Triggers write changes, which are rows of their own: no two
-- writers wait for each other. Readers add the changes to the totals (src/platform/kept-counts.ts).
CREATE TABLE kept_counts (
  name   text NOT NULL,
  key    text NOT NULL,
  total  bigint NOT NULL,
  PRIMARY KEY (name, key)
) WITH (fillfactor = 50);

CREATE TABLE kept_count_changes (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    text NOT NULL,
  key     text NOT NULL,
  change  bigint NOT NULL
-- The table is short, but its rows come and go.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Orders by status. Statuses at which orders end are not counted.
CREATE FUNCTION is_counted_order(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold')
$$;

CREATE FUNCTION orders_counted_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', fulfillment_status, count(*) FROM added WHERE is_counted_order(fulfillment_status) GROUP BY 2;
  RETURN NULL;
END $$;
CREATE FUNCTION orders_counted_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', fulfillment_status, -count(*) FROM removed WHERE is_counted_order(fulfillment_status) GROUP BY 2;
  RETURN NULL;
END $$;
CREATE FUNCTION order_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', status, change
  FROM (VALUES (OLD.fulfillment_status, -1), (NEW.fulfillment_status, 1)) AS moved (status, change)
  WHERE is_counted_order(status);
  RETURN NULL;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON orders
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION orders_counted_in();
CREATE TRIGGER counted_out AFTER DELETE ON orders
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION orders_counted_out();
CREATE TRIGGER recounted AFTER UPDATE OF fulfillment_status ON orders
  FOR EACH ROW WHEN (OLD.fulfillment_status <> NEW.fulfillment_status) EXECUTE FUNCTION order_recounted();

-- Units to print, by partner.
CREATE FUNCTION units_to_print(status text, quantity int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN status IN ('planned', 'passed', 'in_production') THEN quantity ELSE 0 END
$$;

CREATE FUNCTION print_jobs_counted_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'open_units', o.partner_id::text, sum(units_to_print(j.status, j.quantity))
  FROM added j JOIN print_orders o ON o.id = j.print_order_id
  GROUP BY 2 HAVING sum(units_to_print(j.status, j.quantity)) <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION print_jobs_counted_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'open_units', o.partner_id::text, -sum(units_to_print(j.status, j.quantity))
  FROM removed j JOIN print_orders o ON o.id = j.print_order_id
  GROUP BY 2 HAVING sum(units_to_print(j.status, j.quantity)) <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION print_job_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'open_units', o.partner_id::text,
    units_to_print(NEW.status, NEW.quantity) - units_to_print(OLD.status, OLD.quantity)
  FROM print_orders o WHERE o.id = NEW.print_order_id;
  RETURN NULL;
END $$;
-- The jobs of a deleted print order are deleted after it, when its partner is not known any more.
CREATE FUNCTION print_order_counted_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Locked, so that a job that another transaction is changing is read as that one leaves it.
  WITH jobs AS (SELECT status, quantity FROM print_jobs WHERE print_order_id = OLD.id FOR UPDATE)
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'open_units', OLD.partner_id::text, -sum(units_to_print(status, quantity))
  FROM jobs HAVING sum(units_to_print(status, quantity)) <> 0;
  RETURN OLD;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON print_jobs
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION print_jobs_counted_in();
CREATE TRIGGER counted_out AFTER DELETE ON print_jobs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION print_jobs_counted_out();
CREATE TRIGGER recounted AFTER UPDATE OF status, quantity ON print_jobs
  FOR EACH ROW
  WHEN (units_to_print(OLD.status, OLD.quantity) <> units_to_print(NEW.status, NEW.quantity))
  EXECUTE FUNCTION print_job_recounted();
CREATE TRIGGER counted_out BEFORE DELETE ON print_orders
  FOR EACH ROW EXECUTE FUNCTION print_order_counted_out();

INSERT INTO kept_counts (name, key, total)
SELECT 'orders', fulfillment_status, count(*) FROM orders WHERE is_counted_order(fulfillment_status) GROUP BY 2;
INSERT INTO kept_counts (name, key, total)
SELECT 'open_units', o.partner_id::text, sum(j.quantity)
FROM print_jobs j JOIN print_orders o ON o.id = j.print_order_id
WHERE j.status IN ('planned', 'passed', 'in_production') GROUP BY 2;
