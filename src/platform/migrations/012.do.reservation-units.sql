-- Units of its print job that a reservation is for: a partner may make fewer of them, and then uses that much less stock.
-- Null: reserved before units were kept; it is settled whole.
ALTER TABLE stock_reservations ADD COLUMN units int CHECK (units > 0);

-- Reservations on the consumption list, by day (UTC) and kept by trigger: counting a million of them took 120 ms, and
-- reaching the last page as long; the days are read in under one. Each total is spread over eight slots, so that
-- writers rarely wait for each other.
CREATE TABLE stock_reservation_totals (
  partner_id  uuid NOT NULL REFERENCES partners,
  day         date NOT NULL,
  slot        int NOT NULL,
  total       bigint NOT NULL,
  PRIMARY KEY (partner_id, day, slot)
) WITH (fillfactor = 70);

INSERT INTO stock_reservation_totals (partner_id, day, slot, total)
SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, 0, count(*) FROM stock_reservations
WHERE state <> 'released' GROUP BY 1, 2;

-- Rows are locked in one order, so that two writers with the same days cannot block each other.
CREATE FUNCTION count_stock_reservations(partners uuid[], moments timestamptz[], changes int[])
RETURNS void LANGUAGE sql AS $$
  INSERT INTO stock_reservation_totals AS totals (partner_id, day, slot, total)
  SELECT partner_id, (moment AT TIME ZONE 'UTC')::date, pg_backend_pid() % 8, sum(change)
  FROM unnest(partners, moments, changes) AS counted (partner_id, moment, change)
  GROUP BY 1, 2 HAVING sum(change) <> 0 ORDER BY 1, 2
  ON CONFLICT (partner_id, day, slot) DO UPDATE SET total = totals.total + excluded.total
$$;

CREATE FUNCTION stock_reservations_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_stock_reservations(array_agg(partner_id), array_agg(created_at), array_agg(change))
  FROM (
    SELECT partner_id, created_at, 1 AS change FROM changed WHERE state <> 'released'
    UNION ALL SELECT partner_id, created_at, -1 FROM before WHERE state <> 'released'
  ) AS moved;
  RETURN NULL;
END $$;

CREATE FUNCTION stock_reservations_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_stock_reservations(array_agg(partner_id), array_agg(created_at),
                                   array_agg(CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END))
  FROM changed WHERE state <> 'released';
  RETURN NULL;
END $$;

CREATE TRIGGER counted_in AFTER INSERT ON stock_reservations
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stock_reservations_counted();
CREATE TRIGGER counted_out AFTER DELETE ON stock_reservations
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stock_reservations_counted();
CREATE TRIGGER moved AFTER UPDATE ON stock_reservations
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION stock_reservations_moved();
