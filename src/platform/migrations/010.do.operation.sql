-- Operation: counts and hourly figures that triggers keep, gauges, the last runs of periodic jobs, reconciliation, and the
-- erasure of personal data.

-- Counts that are read every few seconds: orders by status, and the units that each partner still has to print.
-- Counting the rows would cost as much as there are orders. Triggers insert a row for each change, so that no two
-- writers wait for each other. Readers add the changes to the totals.
CREATE TABLE running_totals (
  name   text NOT NULL,
  key    text NOT NULL,
  total  bigint NOT NULL,
  PRIMARY KEY (name, key)
) WITH (fillfactor = 50);

CREATE TABLE running_total_changes (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    text NOT NULL,
  key     text NOT NULL,
  change  bigint NOT NULL
-- The table is short, but its rows come and go.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- How many orders reach each status in each hour, and how long after they were placed: the charts of the console.
-- Triggers insert changes, and readers add them to the hours.
CREATE TABLE order_stages (
  hour     timestamptz NOT NULL,
  status   text NOT NULL,
  orders   bigint NOT NULL,
  -- Sum of the times since the orders were placed.
  seconds  double precision NOT NULL,
  PRIMARY KEY (hour, status)
) WITH (fillfactor = 50);

-- Changes name the order and their time: the console's stream reads them before they are added to the hours.
CREATE TABLE order_stage_changes (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hour     timestamptz NOT NULL,
  status   text NOT NULL,
  -- 0 for a change that the hours do not count.
  orders   int NOT NULL,
  seconds  double precision NOT NULL,
  -- Null for orders that are inserted: the stream finds those by their creation.
  order_id  uuid,
  at        timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The quota of its client that an order counts for. Null: none.
CREATE FUNCTION quota_of(status text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN status = 'draft' THEN 'drafts'
    WHEN status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'on_hold') THEN 'ordersUnderWay' END
$$;

-- Orders by status, and by client and quota.
CREATE FUNCTION orders_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO running_total_changes (name, key, change)
  SELECT 'orders', fulfillment_status, change * count(*) FROM changed GROUP BY 2
  UNION ALL
  SELECT client_id::text, quota_of(fulfillment_status), change * count(*) FROM changed
  WHERE quota_of(fulfillment_status) IS NOT NULL GROUP BY 1, 2;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO order_stage_changes (hour, status, orders, seconds)
    SELECT date_trunc('hour', now(), 'UTC'), fulfillment_status, count(*), 0
    FROM changed WHERE fulfillment_status = 'created' GROUP BY 2;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION order_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- An order that returns from `on_hold` to a stage has reached it before.
  is_reached boolean := OLD.fulfillment_status <> 'on_hold'
    OR NEW.fulfillment_status IN ('shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled');
BEGIN
  INSERT INTO running_total_changes (name, key, change)
  VALUES ('orders', OLD.fulfillment_status, -1), ('orders', NEW.fulfillment_status, 1);
  IF quota_of(OLD.fulfillment_status) IS DISTINCT FROM quota_of(NEW.fulfillment_status) THEN
    INSERT INTO running_total_changes (name, key, change)
    SELECT NEW.client_id::text, key, change
    FROM (VALUES (quota_of(OLD.fulfillment_status), -1), (quota_of(NEW.fulfillment_status), 1)) AS c (key, change)
    WHERE key IS NOT NULL;
  END IF;
  INSERT INTO order_stage_changes (hour, status, orders, seconds, order_id)
  VALUES (date_trunc('hour', now(), 'UTC'), NEW.fulfillment_status, is_reached::int,
    CASE WHEN is_reached THEN greatest(0, extract(epoch FROM now() - coalesce(NEW.ordered_at, NEW.created_at))) ELSE 0 END,
    NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON orders
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION orders_counted();
CREATE TRIGGER counted_out AFTER DELETE ON orders
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION orders_counted();
CREATE TRIGGER recounted AFTER UPDATE OF fulfillment_status ON orders
  FOR EACH ROW WHEN (OLD.fulfillment_status <> NEW.fulfillment_status) EXECUTE FUNCTION order_recounted();

-- Bytes of stored files, by client. Only orders without stored files are deleted: drafts, and orders that move to the
-- archive.
CREATE FUNCTION stored_bytes_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_order uuid := CASE TG_TABLE_NAME WHEN 'packing_slips' THEN to_jsonb(NEW) ->> 'order_id'
    ELSE (SELECT order_id::text FROM order_items WHERE id = (to_jsonb(NEW) ->> 'order_item_id')::bigint) END;
BEGIN
  INSERT INTO running_total_changes (name, key, change)
  SELECT client_id::text, 'fileBytes',
    coalesce(CASE WHEN NEW.object_key IS NOT NULL THEN NEW.size_bytes END, 0)
      - coalesce(CASE WHEN OLD.object_key IS NOT NULL THEN OLD.size_bytes END, 0)
  FROM orders WHERE id = of_order;
  RETURN NULL;
END $$;
CREATE TRIGGER stored_bytes AFTER UPDATE OF object_key ON order_files
  FOR EACH ROW WHEN (OLD.object_key IS DISTINCT FROM NEW.object_key) EXECUTE FUNCTION stored_bytes_counted();
CREATE TRIGGER stored_bytes AFTER UPDATE OF object_key ON packing_slips
  FOR EACH ROW WHEN (OLD.object_key IS DISTINCT FROM NEW.object_key) EXECUTE FUNCTION stored_bytes_counted();

-- Units to print, by partner.
CREATE FUNCTION units_to_print(status text, quantity int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN status IN ('planned', 'passed', 'in_production') THEN quantity ELSE 0 END
$$;

CREATE FUNCTION print_jobs_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO running_total_changes (name, key, change)
  SELECT 'open_units', o.partner_id::text, change * sum(units_to_print(j.status, j.quantity))
  FROM changed j JOIN print_orders o ON o.id = j.print_order_id
  GROUP BY 2 HAVING sum(units_to_print(j.status, j.quantity)) <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION print_job_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO running_total_changes (name, key, change)
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
  INSERT INTO running_total_changes (name, key, change)
  SELECT 'open_units', OLD.partner_id::text, -sum(units_to_print(status, quantity))
  FROM jobs HAVING sum(units_to_print(status, quantity)) <> 0;
  RETURN OLD;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON print_jobs
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION print_jobs_counted();
CREATE TRIGGER counted_out AFTER DELETE ON print_jobs
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION print_jobs_counted();
CREATE TRIGGER recounted AFTER UPDATE OF status, quantity ON print_jobs
  FOR EACH ROW
  WHEN (units_to_print(OLD.status, OLD.quantity) <> units_to_print(NEW.status, NEW.quantity))
  EXECUTE FUNCTION print_job_recounted();
CREATE TRIGGER counted_out BEFORE DELETE ON print_orders
  FOR EACH ROW EXECUTE FUNCTION print_order_counted_out();

-- Gauges that are read from tables. All processes share one row: the first scrape after ten seconds reads the tables
-- again.
CREATE TABLE gauge_snapshot (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  points    jsonb NOT NULL,
  read_at   timestamptz NOT NULL
);
INSERT INTO gauge_snapshot (points, read_at) VALUES ('[]', '-infinity');

-- The last run of each periodic job.
CREATE TABLE job_runs (
  job              text PRIMARY KEY,
  last_ended_at    timestamptz NOT NULL,
  last_seconds     double precision NOT NULL,
  last_error       text,
  last_success_at  timestamptz
);

-- Counts reconciliations. Temporal stores the count too: a database with a lower count was restored from a backup.
CREATE TABLE reconciliation (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  mark       bigint NOT NULL,
  marked_at  timestamptz NOT NULL,
  -- What the last reconciliation found: {finding: number}. Null before the first one has ended.
  counts     jsonb
);

-- The servers that the workers know. A Temporal namespace with another id holds no workflow of these orders, so no
-- workflow starts before an operator has confirmed it.
CREATE TABLE known_servers (
  only_row           boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  namespace_id       text NOT NULL,
  failover_version   bigint NOT NULL,
  system_identifier  text NOT NULL,
  timeline           int NOT NULL,
  -- Why no workflow starts, and since when. Null: workflows start.
  hold               text CHECK (hold IN ('other_namespace', 'outdated_postgres')),
  held_at            timestamptz,
  -- Orders that were accepted before this time are flagged, not started, when they have no workflow.
  restarts_from      timestamptz
);

-- Ids after a failover -----------------------------------------------------------------------------------
-- A standby that replaces its primary may not have received the last values of sequences. Partners and clients know
-- objects by these numbers, so that none may be issued twice. A promotion begins a new timeline.
CREATE TABLE issued_ids (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  timeline  int NOT NULL
);

CREATE FUNCTION current_timeline() RETURNS int LANGUAGE sql AS $$
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
$$;
INSERT INTO issued_ids (timeline) VALUES (current_timeline());

-- Advances every sequence far beyond what a lost primary can have issued.
CREATE FUNCTION advance_sequences() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value) + 1000000)
  FROM pg_sequences WHERE schemaname = current_schema()
$$;
REVOKE EXECUTE ON FUNCTION advance_sequences() FROM PUBLIC;

CREATE FUNCTION advance_sequences_after_failover() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM issued_ids WHERE timeline = current_timeline();
  IF FOUND THEN RETURN; END IF;
  -- Concurrent transactions wait, then find the new timeline.
  PERFORM FROM issued_ids FOR UPDATE;
  PERFORM FROM issued_ids WHERE timeline = current_timeline();
  IF FOUND THEN RETURN; END IF;
  PERFORM advance_sequences();
  UPDATE issued_ids SET timeline = current_timeline();
END $$;

-- Returns the next value of a sequence that no table owns.
CREATE FUNCTION next_serial(sequence regclass) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM advance_sequences_after_failover();
  RETURN nextval(sequence);
END $$;

CREATE FUNCTION ids_are_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM advance_sequences_after_failover();
  RETURN NULL;
END $$;
CREATE TRIGGER order_items_ids BEFORE INSERT ON order_items EXECUTE FUNCTION ids_are_new();
CREATE TRIGGER print_orders_ids BEFORE INSERT ON print_orders EXECUTE FUNCTION ids_are_new();
CREATE TRIGGER receipts_ids BEFORE INSERT ON receipts EXECUTE FUNCTION ids_are_new();
CREATE TRIGGER statements_ids BEFORE INSERT ON statements EXECUTE FUNCTION ids_are_new();
CREATE TRIGGER procurement_orders_ids BEFORE INSERT ON procurement_orders EXECUTE FUNCTION ids_are_new();

-- Erasure of personal data (docs/personal-data.md): requests of operators, and the indexes that find a recipient's orders.
-- A request by e-mail stores the orders that it found, not the address.
CREATE TABLE erasures (
  id            uuid PRIMARY KEY,
  requested_by  uuid NOT NULL REFERENCES accounts,
  requested_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE erasure_targets (
  erasure_id    uuid NOT NULL REFERENCES erasures ON DELETE CASCADE,
  -- Id of an order or of a shipping order.
  subject_id    uuid NOT NULL,
  subject_kind  text NOT NULL CHECK (subject_kind IN ('order', 'shipping_order')),
  -- Null while the order is running.
  erased_at     timestamptz,
  PRIMARY KEY (erasure_id, subject_id)
);
CREATE INDEX erasure_targets_waiting ON erasure_targets (subject_id) WHERE erased_at IS NULL;

-- Replaces every text of a JSON value by a placeholder, except the values of the given members. Numbers and booleans
-- stay.
CREATE FUNCTION erased_json(value jsonb, kept text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  CASE jsonb_typeof(value)
    WHEN 'object' THEN
      RETURN (SELECT coalesce(jsonb_object_agg(m.key, CASE
          WHEN m.key = ANY (kept) THEN m.value
          -- Addresses are validated where they are read.
          WHEN m.key = 'email' AND jsonb_typeof(m.value) = 'string' THEN '"erased@erased.invalid"'
          ELSE erased_json(m.value, kept) END), '{}')
        FROM jsonb_each(value) AS m);
    WHEN 'array' THEN
      RETURN (SELECT coalesce(jsonb_agg(erased_json(e.value, kept) ORDER BY e.position), '[]')
        FROM jsonb_array_elements(value) WITH ORDINALITY AS e (value, position));
    WHEN 'string' THEN
      RETURN CASE WHEN value #>> '{}' ~ '^https?://' THEN '"https://erased.invalid/"'::jsonb ELSE '"erased"'::jsonb END;
    ELSE
      RETURN value;
  END CASE;
END $$;

-- Orders and shipping orders of a recipient.
CREATE INDEX orders_recipient ON orders (lower(shipping_address ->> 'email'));
CREATE INDEX shipping_changes_recipient ON shipping_changes (lower(replaced_email)) WHERE replaced_email IS NOT NULL;
CREATE INDEX shipping_orders_recipient ON shipping_orders (lower(consignment -> 'receiver' ->> 'email'));
-- Ended orders whose personal data is stored. Their number is bounded by the retention time.
CREATE INDEX orders_not_erased ON orders (id)
  WHERE erased_at IS NULL AND (fulfillment_status IN ('delivered', 'returned', 'failed', 'canceled') OR tracking_ended_at IS NOT NULL);
CREATE INDEX shipping_orders_not_erased ON shipping_orders (id) WHERE erased_at IS NULL;
