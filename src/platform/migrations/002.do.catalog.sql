-- A trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Attributes and product models ------------------------------------------------------------------------
-- Counts every change of attributes and product models: processes keep compiled models until it moves.
CREATE TABLE catalog_version (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version   bigint NOT NULL
);
INSERT INTO catalog_version (version) VALUES (1);

CREATE TABLE attributes (
  id           text PRIMARY KEY CHECK (id ~ '^[a-z0-9_.-]{1,100}$'),
  description  text NOT NULL,
  -- Definitions of what its values' properties mean: [{id, description, type}].
  properties   jsonb NOT NULL DEFAULT '[]',
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE attribute_values (
  attribute_id  text NOT NULL REFERENCES attributes,
  id            text NOT NULL CHECK (id ~ '^[a-z0-9_.-]{1,100}$'),
  -- Order of creation: defaults and listings go by it.
  position      bigint GENERATED ALWAYS AS IDENTITY,
  description   text,
  properties    jsonb NOT NULL DEFAULT '{}',
  is_custom     boolean NOT NULL DEFAULT false,
  is_default    boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (attribute_id, id)
);

CREATE TABLE product_models (
  id                    text PRIMARY KEY,
  name                  text NOT NULL,
  description           text NOT NULL,
  preview_url           text NOT NULL,
  category_id           text NOT NULL,
  product_uid_template  text NOT NULL UNIQUE,
  -- The template up to its first placeholder: what a productUid is looked up by.
  uid_prefix            text NOT NULL,
  state                 text NOT NULL CHECK (state IN ('draft', 'active', 'inactive')),
  -- [{attributeId, valueIds, defaultValueId}]; valueIds null: every value of the attribute.
  attributes            jsonb NOT NULL,
  -- [{id, modelId, name, quantity, order}]
  parts                 jsonb NOT NULL,
  -- How it is made, packed and priced (ProductionSpec).
  production            jsonb NOT NULL,
  created_at            timestamptz NOT NULL DEFAULT now(),
  updated_at            timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX product_models_prefix ON product_models (uid_prefix);
CREATE INDEX product_models_state ON product_models (state, id);

-- Customer products ------------------------------------------------------------------------------------
CREATE TABLE customer_products (
  id                uuid PRIMARY KEY,
  -- The client that made it; null for an operator's.
  owner_id          uuid REFERENCES accounts,
  name              text NOT NULL CHECK (length(name) <= 200),
  -- Customers that may order it, or '*' for all.
  customer_ids      text[] NOT NULL,
  product_model_id  text NOT NULL REFERENCES product_models,
  state             text NOT NULL DEFAULT 'published',
  -- The name by which an import knows it again.
  reference         text UNIQUE,
  -- [{id, name, attributesMapping, state, values: [{value, attributeValues, isDefault}]}]: read and written whole.
  variant_options   jsonb NOT NULL,
  part_quantities   jsonb,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now()
);
-- Operators' lists: all of a product model, newest first, and searches.
CREATE INDEX customer_products_model ON customer_products (product_model_id, id);
CREATE INDEX customer_products_search ON customer_products USING gin (name gin_trgm_ops);
CREATE INDEX customer_products_owner ON customer_products (owner_id) WHERE owner_id IS NOT NULL;

-- One row for each viewer of a customer product: '*' (every client), or one client's id. Every list, search and look-up
-- by name of a client reads ranges of '*' and of its own id, so that its cost follows the page and not the table.
CREATE TABLE customer_product_listings (
  viewer               text NOT NULL,
  customer_product_id  uuid NOT NULL REFERENCES customer_products ON DELETE CASCADE,
  product_model_id     text NOT NULL,
  name                 text NOT NULL,
  -- Whether the viewer is among customer_ids; false for an owner that may not order.
  listed               boolean NOT NULL,
  -- With the name, so that a search for a common text walks the index alone.
  PRIMARY KEY (viewer, customer_product_id) INCLUDE (name)
);
CREATE INDEX customer_product_listings_product ON customer_product_listings (customer_product_id);
CREATE INDEX customer_product_listings_model
  ON customer_product_listings (viewer, product_model_id, customer_product_id);
CREATE INDEX customer_product_listings_name ON customer_product_listings (viewer, name);
-- Trigrams by themselves: with the viewer in the same index, a search among 100,000 rows of one viewer read that
-- viewer's whole posting list (6 ms against 0.5 ms).
CREATE INDEX customer_product_listings_search ON customer_product_listings USING gin (name gin_trgm_ops);

-- Searches are planned by how common their text is: finer statistics than the usual 100 samples.
ALTER TABLE customer_products ALTER COLUMN name SET STATISTICS 500;
ALTER TABLE customer_product_listings ALTER COLUMN name SET STATISTICS 500;

-- Exact totals of the lists, kept by trigger: counting a million rows takes some 100 ms, reading these under one.
-- Each total is spread over eight slots, so that writers rarely wait for each other.
CREATE TABLE customer_product_totals (
  -- '' counts all products, for operators.
  viewer            text NOT NULL,
  listed            boolean NOT NULL,
  -- '' counts all models.
  product_model_id  text NOT NULL,
  slot              int NOT NULL,
  total             bigint NOT NULL,
  PRIMARY KEY (viewer, listed, product_model_id, slot)
) WITH (fillfactor = 70);

CREATE FUNCTION customer_product_viewers(customer_ids text[], owner_id uuid)
RETURNS TABLE (viewer text, listed boolean) LANGUAGE sql IMMUTABLE AS $$
  SELECT '*', true WHERE customer_ids @> ARRAY['*']
  UNION ALL
  SELECT DISTINCT customer, true FROM unnest(customer_ids) AS customer
  WHERE customer <> '' AND NOT customer_ids @> ARRAY['*']
  UNION ALL
  SELECT owner_id::text, false
  WHERE owner_id IS NOT NULL AND NOT customer_ids @> ARRAY['*'] AND NOT customer_ids @> ARRAY[owner_id::text]
$$;

-- Rows are locked in one order, so that two writers with the same viewers cannot block each other.
CREATE FUNCTION count_customer_products(viewers text[], listings boolean[], models text[], changes int[])
RETURNS void LANGUAGE sql AS $$
  INSERT INTO customer_product_totals AS totals (viewer, listed, product_model_id, slot, total)
  SELECT viewer, listed, coalesce(model, ''), pg_backend_pid() % 8, sum(change)
  FROM unnest(viewers, listings, models, changes) AS counted (viewer, listed, model, change)
  GROUP BY GROUPING SETS ((viewer, listed, model), (viewer, listed))
  HAVING sum(change) <> 0
  ORDER BY 1, 2, 3
  ON CONFLICT (viewer, listed, product_model_id, slot) DO UPDATE SET total = totals.total + excluded.total
$$;

CREATE FUNCTION customer_products_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO customer_product_listings (viewer, customer_product_id, product_model_id, name, listed)
  SELECT seen.viewer, changed.id, changed.product_model_id, changed.name, seen.listed
  FROM changed CROSS JOIN LATERAL customer_product_viewers(changed.customer_ids, changed.owner_id) AS seen;
  PERFORM count_customer_products(array_agg(''::text), array_agg(false), array_agg(product_model_id), array_agg(1)) FROM changed;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_products_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM customer_product_listings listing
  USING changed JOIN before ON before.id = changed.id
  WHERE listing.customer_product_id = changed.id
    AND (changed.name, changed.customer_ids, changed.product_model_id)
        IS DISTINCT FROM (before.name, before.customer_ids, before.product_model_id);
  INSERT INTO customer_product_listings (viewer, customer_product_id, product_model_id, name, listed)
  SELECT seen.viewer, changed.id, changed.product_model_id, changed.name, seen.listed
  FROM changed JOIN before ON before.id = changed.id
  CROSS JOIN LATERAL customer_product_viewers(changed.customer_ids, changed.owner_id) AS seen
  WHERE (changed.name, changed.customer_ids, changed.product_model_id)
        IS DISTINCT FROM (before.name, before.customer_ids, before.product_model_id);
  PERFORM count_customer_products(array_agg(''::text), array_agg(false), array_agg(product_model_id), array_agg(change))
  FROM (SELECT product_model_id, 1 AS change FROM changed UNION ALL SELECT product_model_id, -1 FROM before) AS moved;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_products_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(''::text), array_agg(false), array_agg(product_model_id), array_agg(-1)) FROM changed;
  RETURN NULL;
END $$;

CREATE FUNCTION customer_product_listings_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(viewer), array_agg(listed), array_agg(product_model_id),
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
