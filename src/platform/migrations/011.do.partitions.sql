-- Partitions by time. Tables that grow with orders are divided into ranges of time, and a range is dropped as a whole.
-- `migrate` writes the rows of partitioned_tables from src/platform/schema/partitioned-tables.ts. The application's role
-- owns no table: it creates and drops partitions through the functions of this file, which run with the rights of the
-- owner and take no other table.
CREATE TABLE partitioned_tables (
  name           text PRIMARY KEY,
  -- Of type timestamptz, or a version 7 UUID.
  key_column     text NOT NULL,
  width_days     int NOT NULL CHECK (width_days > 0),
  -- Shortest time that rows are kept.
  kept_days      int NOT NULL CHECK (kept_days > 0),
  -- True: a partition is dropped only when it has no rows.
  when_empty     boolean NOT NULL,
  -- Storage parameters of each partition.
  storage        text NOT NULL
);

-- The least version 7 UUID of a time.
CREATE FUNCTION least_uuid_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Begin of the partition that holds a time. Days and weeks begin at midnight in UTC, weeks on a Monday.
CREATE FUNCTION partition_start(at timestamptz, width_days int) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin(make_interval(days => width_days), at, timestamptz '2024-01-01 00:00:00+00')
$$;

-- A time as a bound of the partitions of a table.
CREATE FUNCTION partition_bound(table_name text, key_column text, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT quote_literal(CASE a.atttypid WHEN 'uuid'::regtype THEN least_uuid_at(at)::text
    ELSE to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END)
  FROM pg_attribute a WHERE a.attrelid = table_name::regclass AND a.attname = key_column
$$;

-- The partitions of a table with their ranges, without the default partition.
CREATE FUNCTION partitions_of(table_name text)
RETURNS TABLE (name text, starts timestamptz, ends timestamptz) LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, s.at, s.at + make_interval(days => t.width_days)
  FROM partitioned_tables t
  JOIN pg_inherits i ON i.inhparent = t.name::regclass
  JOIN pg_class c ON c.oid = i.inhrelid AND c.relname ~ ('^' || t.name || '_\d{8}$'),
  LATERAL (SELECT to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' AS at) s
  WHERE t.name = table_name
$$;

-- Creates the partition of a table that holds a time, and moves its rows out of the default partition. Returns false
-- when the partition exists.
-- All locks are taken before the work, and waited for less than deadlock_timeout (1 s). When two transactions wait for
-- each other, this one therefore gives up, and its caller tries again; no transaction of the application is aborted.
CREATE FUNCTION create_partition(table_name text, at timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  t partitioned_tables;
  starts timestamptz;
  partition text;
  rest text := table_name || '_default';
  referenced regclass;
  keys text;
BEGIN
  SELECT * INTO STRICT t FROM partitioned_tables WHERE name = table_name;
  starts := partition_start(at, t.width_days);
  partition := t.name || '_' || to_char(starts AT TIME ZONE 'UTC', 'YYYYMMDD');
  IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', t.name);
  -- Another process was faster.
  IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
  -- As ATTACH PARTITION locks them.
  FOR referenced IN SELECT DISTINCT confrelid FROM pg_constraint WHERE conrelid = t.name::regclass AND contype = 'f' LOOP
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', referenced);
  END LOOP;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY) WITH (%s)', partition, t.name, t.storage);
  keys := format('%I >= %2$s AND %1$I < %3$s', t.key_column, partition_bound(t.name, t.key_column, starts),
    partition_bound(t.name, t.key_column, starts + make_interval(days => t.width_days)));
  -- Rows of the audit log refuse to be deleted.
  EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %s RETURNING *) INSERT INTO %I SELECT * FROM moved', rest, keys, partition);
  EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', t.name, partition,
    partition_bound(t.name, t.key_column, starts),
    partition_bound(t.name, t.key_column, starts + make_interval(days => t.width_days)));
  RETURN true;
END $$;

-- Drops the oldest partition of a table whose rows are all older than `kept`, and than the shortest time of the table.
-- Returns its name, or null when there is none to drop. Statements on the table queue behind the lock for at most
-- two seconds. DETACH CONCURRENTLY would block none, but it runs in no function, and with no default partition.
CREATE FUNCTION drop_oldest_partition(table_name text, kept interval) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  t partitioned_tables;
  oldest text;
  has_rows boolean := false;
BEGIN
  SELECT * INTO STRICT t FROM partitioned_tables WHERE name = table_name;
  FOR oldest IN SELECT name FROM partitions_of(t.name)
    WHERE ends <= now() - greatest(kept, make_interval(days => t.kept_days)) ORDER BY starts LOOP
    IF t.when_empty THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', oldest) INTO has_rows;
      CONTINUE WHEN has_rows;
      EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', t.name);
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', oldest) INTO has_rows;
    END IF;
    IF NOT has_rows THEN
      EXECUTE format('DROP TABLE %I', oldest);
      RETURN oldest;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

-- Deletes the rows of the default partition that have expired: they came late, or with a wrong time. Returns their number.
CREATE FUNCTION delete_late_rows(table_name text, kept interval) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  t partitioned_tables;
  rest text := table_name || '_default';
  condition text;
  found boolean;
  deleted bigint;
BEGIN
  SELECT * INTO STRICT t FROM partitioned_tables WHERE name = table_name;
  IF t.when_empty THEN RETURN 0; END IF;
  condition := format('%I < %s', t.key_column,
    partition_bound(t.name, t.key_column, now() - greatest(kept, make_interval(days => t.kept_days))));
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %s)', rest, condition) INTO found;
  IF NOT found THEN RETURN 0; END IF;
  EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest);
  EXECUTE format('DELETE FROM %I WHERE %s', rest, condition);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest);
  RETURN deleted;
END $$;

REVOKE EXECUTE ON FUNCTION create_partition, drop_oldest_partition, delete_late_rows FROM PUBLIC;
