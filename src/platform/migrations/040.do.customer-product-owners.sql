-- A customer product belongs to the account that made it. A client's product is seen and ordered by that client alone,
-- and customer_ids name the client's own customers. An operator's product is for the client accounts in customer_ids.

-- The products that other clients could order before, and the change of each.
CREATE TABLE customer_product_owner_changes (
  customer_product_id  uuid PRIMARY KEY,
  owner_id             uuid NOT NULL,
  name                 text NOT NULL,
  customer_ids_before  text[] NOT NULL,
  customer_ids_after   text[] NOT NULL,
  changed_at           timestamptz NOT NULL DEFAULT now()
);

-- Listings and totals are derived from customer_products. They are dropped here and built again below.
DROP TRIGGER inserted ON customer_products;
DROP TRIGGER updated ON customer_products;
DROP TRIGGER deleted ON customer_products;
DROP TABLE customer_product_listings;
DROP TABLE customer_product_totals;
DROP FUNCTION customer_products_inserted;
DROP FUNCTION customer_products_updated;
DROP FUNCTION customer_products_deleted;
DROP FUNCTION customer_product_listings_counted;
DROP FUNCTION count_customer_products;
DROP FUNCTION customer_product_viewers;

-- Ids of other accounts are no customers of the client. A product that names nobody else is for the owner itself.
INSERT INTO customer_product_owner_changes (customer_product_id, owner_id, name, customer_ids_before, customer_ids_after)
SELECT product.id, product.owner_id, product.name, product.customer_ids, kept.customer_ids
FROM customer_products AS product
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(named.customer ORDER BY named.position), ARRAY[product.owner_id::text]) AS customer_ids
  FROM unnest(product.customer_ids) WITH ORDINALITY AS named (customer, position)
  WHERE named.customer = product.owner_id::text
     OR NOT EXISTS (
       SELECT FROM accounts
       WHERE id = CASE WHEN named.customer ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN named.customer::uuid END)
) AS kept
WHERE product.owner_id IS NOT NULL
  AND (product.customer_ids @> ARRAY['*'] OR kept.customer_ids <> product.customer_ids);

UPDATE customer_products AS product
SET customer_ids = change.customer_ids_after
FROM customer_product_owner_changes AS change
WHERE change.customer_product_id = product.id AND product.customer_ids <> change.customer_ids_after;

DO $$
DECLARE change record;
BEGIN
  FOR change IN SELECT * FROM customer_product_owner_changes ORDER BY customer_product_id LOOP
    RAISE WARNING 'Customer product % ("%") is now only for its owner %. Its customerIds were % and are %.',
      change.customer_product_id, change.name, change.owner_id, change.customer_ids_before, change.customer_ids_after;
  END LOOP;
END $$;

ALTER TABLE customer_products ADD CONSTRAINT customer_products_state CHECK (state IN ('published', 'archived'));
DROP INDEX customer_products_model;
DROP INDEX customer_products_owner;
-- Lists of operators, by state and product model, newest first.
CREATE INDEX customer_products_list ON customer_products (state, id);
CREATE INDEX customer_products_model ON customer_products (state, product_model_id, id);
-- A client's products: the quota, and lists by customer.
CREATE INDEX customer_products_owner ON customer_products (owner_id, id) WHERE owner_id IS NOT NULL;
CREATE INDEX customer_products_customers ON customer_products USING gin (customer_ids);

-- One row for each viewer of a customer product: '*' (every client) or the id of one client. A list, a search and a
-- look-up by name of a client read the ranges of '*' and of its own id, so that their cost follows the page.
CREATE TABLE customer_product_listings (
  viewer               text NOT NULL,
  state                text NOT NULL,
  customer_product_id  uuid NOT NULL REFERENCES customer_products ON DELETE CASCADE,
  product_model_id     text NOT NULL,
  name                 text NOT NULL
);

-- Totals of lists, kept by trigger. Each total is spread over eight slots, so that writers rarely wait for each other.
CREATE TABLE customer_product_totals (
  -- '' counts all products, for operators.
  viewer            text NOT NULL,
  state             text NOT NULL,
  -- '' counts all product models.
  product_model_id  text NOT NULL,
  slot              int NOT NULL,
  total             bigint NOT NULL,
  PRIMARY KEY (viewer, state, product_model_id, slot)
) WITH (fillfactor = 70);

CREATE FUNCTION customer_product_viewers(customer_ids text[], owner_id uuid)
RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT owner_id::text WHERE owner_id IS NOT NULL
  UNION ALL
  SELECT '*' WHERE owner_id IS NULL AND customer_ids @> ARRAY['*']
  UNION ALL
  SELECT DISTINCT customer FROM unnest(customer_ids) AS customer
  WHERE owner_id IS NULL AND customer <> '' AND NOT customer_ids @> ARRAY['*']
$$;

INSERT INTO customer_product_listings (viewer, state, customer_product_id, product_model_id, name)
SELECT viewer, state, id, product_model_id, name
FROM customer_products CROSS JOIN LATERAL customer_product_viewers(customer_ids, owner_id) AS viewer;

INSERT INTO customer_product_totals (viewer, state, product_model_id, slot, total)
SELECT viewer, state, coalesce(product_model_id, ''), 0, count(*)
FROM (
  SELECT viewer, state, product_model_id FROM customer_product_listings
  UNION ALL
  SELECT '', state, product_model_id FROM customer_products
) AS listed
GROUP BY GROUPING SETS ((viewer, state, product_model_id), (viewer, state));

-- With the name, so that a search for a common text is an index-only scan.
ALTER TABLE customer_product_listings ADD PRIMARY KEY (viewer, state, customer_product_id) INCLUDE (name);
CREATE INDEX customer_product_listings_product ON customer_product_listings (customer_product_id);
CREATE INDEX customer_product_listings_model
  ON customer_product_listings (viewer, state, product_model_id, customer_product_id);
CREATE INDEX customer_product_listings_name ON customer_product_listings (viewer, name);
CREATE INDEX customer_product_listings_search ON customer_product_listings USING gin (searchable(name))
  WITH (gin_pending_list_limit = 64);
-- Searches are planned by the frequency of their text, which needs finer statistics than the usual 100 samples.
ALTER TABLE customer_product_listings ALTER COLUMN name SET STATISTICS 500;

-- Writers of one slot take turns until the end of their transaction. The order of rows within a statement does not
-- prevent deadlocks: a change of customers decrements some totals and then increments others.
CREATE FUNCTION count_customer_products(viewers text[], states text[], models text[], changes int[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM unnest(viewers, states, models, changes) AS counted (viewer, state, model, change)
    GROUP BY viewer, state, model HAVING sum(change) <> 0
  ) THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock('customer_product_totals'::regclass::oid::int, pg_backend_pid() % 8);
  INSERT INTO customer_product_totals AS totals (viewer, state, product_model_id, slot, total)
  SELECT viewer, state, coalesce(model, ''), pg_backend_pid() % 8, sum(change)
  FROM unnest(viewers, states, models, changes) AS counted (viewer, state, model, change)
  GROUP BY GROUPING SETS ((viewer, state, model), (viewer, state))
  HAVING sum(change) <> 0
  ORDER BY 1, 2, 3
  ON CONFLICT (viewer, state, product_model_id, slot) DO UPDATE SET total = totals.total + excluded.total;
END $$;

CREATE FUNCTION customer_products_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customer_product_listings (viewer, state, customer_product_id, product_model_id, name)
  SELECT viewer, changed.state, changed.id, changed.product_model_id, changed.name
  FROM changed CROSS JOIN LATERAL customer_product_viewers(changed.customer_ids, changed.owner_id) AS viewer;
  PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(1)) FROM changed;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_products_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM customer_product_listings listing
  USING changed JOIN before ON before.id = changed.id
  WHERE listing.customer_product_id = changed.id
    AND (changed.name, changed.customer_ids, changed.product_model_id, changed.state)
        IS DISTINCT FROM (before.name, before.customer_ids, before.product_model_id, before.state);
  INSERT INTO customer_product_listings (viewer, state, customer_product_id, product_model_id, name)
  SELECT viewer, changed.state, changed.id, changed.product_model_id, changed.name
  FROM changed JOIN before ON before.id = changed.id
  CROSS JOIN LATERAL customer_product_viewers(changed.customer_ids, changed.owner_id) AS viewer
  WHERE (changed.name, changed.customer_ids, changed.product_model_id, changed.state)
        IS DISTINCT FROM (before.name, before.customer_ids, before.product_model_id, before.state);
  PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(change))
  FROM (
    SELECT state, product_model_id, 1 AS change FROM changed
    UNION ALL
    SELECT state, product_model_id, -1 FROM before
  ) AS moved;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_products_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(-1)) FROM changed;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_product_listings_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(viewer), array_agg(state), array_agg(product_model_id),
                                  array_agg(CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)) FROM changed;
  RETURN NULL;
END $$;

CREATE TRIGGER inserted AFTER INSERT ON customer_products
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_inserted();
CREATE TRIGGER updated AFTER UPDATE ON customer_products
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_updated();
CREATE TRIGGER deleted AFTER DELETE ON customer_products
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_deleted();
CREATE TRIGGER counted_in AFTER INSERT ON customer_product_listings
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_product_listings_counted();
CREATE TRIGGER counted_out AFTER DELETE ON customer_product_listings
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_product_listings_counted();

-- A customer product that an order item was resolved from cannot be deleted.
CREATE INDEX order_items_customer_product ON order_items ((product ->> 'customerProductId'))
  WHERE product ? 'customerProductId';
-- Items of earlier orders have no customerProductId and are found by the name of the product.
CREATE INDEX order_items_product_name ON order_items (product_name)
  WHERE product_name IS NOT NULL AND NOT product ? 'customerProductId';
