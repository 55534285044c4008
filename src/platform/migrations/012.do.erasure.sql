-- Erasure of personal data (docs/personal-data.md): requests, and the indexes that find a recipient's orders.

-- Requests of operators. A request by e-mail stores the orders that it found, not the address.
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
