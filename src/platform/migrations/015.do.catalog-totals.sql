-- Writers of one slot of the totals take turns, from their first count to the end of their transaction. The order of rows
-- within a statement is not enough: a change of customers counts out of some totals and then into others, and two
-- changes in opposite directions waited for each other until one of them was refused.
CREATE OR REPLACE FUNCTION count_customer_products(viewers text[], listings boolean[], models text[], changes int[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM unnest(viewers, listings, models, changes) AS counted (viewer, listed, model, change)
    GROUP BY viewer, listed, model HAVING sum(change) <> 0
  ) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock('customer_product_totals'::regclass::oid::int, pg_backend_pid() % 8);
  INSERT INTO customer_product_totals AS totals (viewer, listed, product_model_id, slot, total)
  SELECT viewer, listed, coalesce(model, ''), pg_backend_pid() % 8, sum(change)
  FROM unnest(viewers, listings, models, changes) AS counted (viewer, listed, model, change)
  GROUP BY GROUPING SETS ((viewer, listed, model), (viewer, listed))
  HAVING sum(change) <> 0
  ORDER BY 1, 2, 3
  ON CONFLICT (viewer, listed, product_model_id, slot) DO UPDATE SET total = totals.total + excluded.total;
END $$;
