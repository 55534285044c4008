-- Changes of orders' statuses name the order and their time: the console's stream reads them before they are added to the hours.
-- `orders` is 0 for a change that the hours do not count. `order_id` is null for orders that are inserted: the stream finds those by
-- their creation.
ALTER TABLE order_stage_changes
  ADD COLUMN order_id uuid,
  ADD COLUMN at timestamptz NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION order_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- An order that returns from `on_hold` to a stage has reached it before.
  is_reached boolean := OLD.fulfillment_status <> 'on_hold'
    OR NEW.fulfillment_status IN ('shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled');
BEGIN
  INSERT INTO kept_count_changes (name, key, change)
  SELECT 'orders', status, change
  FROM (VALUES (OLD.fulfillment_status, -1), (NEW.fulfillment_status, 1)) AS moved (status, change)
  WHERE is_counted_order(status);
  INSERT INTO order_stage_changes (hour, status, orders, seconds, order_id)
  VALUES (date_trunc('hour', now(), 'UTC'), NEW.fulfillment_status, is_reached::int,
    CASE WHEN is_reached THEN greatest(0, extract(epoch FROM now() - coalesce(NEW.ordered_at, NEW.created_at))) ELSE 0 END,
    NEW.id);
  RETURN NULL;
END $$;
