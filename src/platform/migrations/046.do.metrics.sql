-- Gauges that are read from tables. One row, shared by all processes: the first scrape after ten seconds reads the tables again.
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

-- Since when an order has each of its attention reasons: {reason: time}. A trigger keeps it, so that every writer of `attention` does.
ALTER TABLE orders ADD COLUMN attention_since jsonb;

CREATE FUNCTION keep_attention_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.attention_since := (
    SELECT jsonb_object_agg(reason, coalesce(OLD.attention_since -> reason, to_jsonb(now())))
    FROM unnest(NEW.attention) AS reason);
  RETURN NEW;
END $$;

CREATE TRIGGER orders_attention_since BEFORE UPDATE OF attention ON orders
  FOR EACH ROW WHEN (OLD.attention IS DISTINCT FROM NEW.attention) EXECUTE FUNCTION keep_attention_since();
