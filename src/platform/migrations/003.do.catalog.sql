-- The catalog: attributes, product models, and the customer products made of them, with their lists, searches and
-- totals.

-- Counts every change of attributes and product models. Processes keep compiled models until the version changes.
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
  -- Order of creation, which defaults and lists follow.
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
  -- The template up to its first placeholder: a productUid is looked up by it.
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

-- Search by part of a name -----------------------------------------------------------------------------
-- Every position in a name is an index entry of the eight characters that follow it. A text of up to eight characters
-- is then one range of entries, and a longer text matches the rows that have all of its pieces of eight. The cost
-- depends on the number of matches. With trigrams it depended on the commonest letters: among a million products, a
-- text with ten matches took 2.4 ms instead of 0.02 ms. The index has 300 MB instead of 55 MB.
CREATE FUNCTION searchable(name text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  folded text := lower(name);
  pieces text[] := '{}';
BEGIN
  FOR place IN 1..length(folded) LOOP
    pieces[place] := substr(folded, place, 8);
  END LOOP;
  RETURN array_to_tsvector(pieces);
END $$;

-- Returns the query for every name that contains the text. Any character is allowed in it.
CREATE FUNCTION search_for(search text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || replace(replace(substr(lower(search), place, 8), '\', '\\'), '''', '''''') || ''''
                    || CASE WHEN length(lower(search)) < 8 THEN ':*' ELSE '' END, '&')::tsquery
  FROM generate_series(1, greatest(1, length(lower(search)) - 7)) AS place
$$;

-- Customer products ------------------------------------------------------------------------------------
-- A customer product belongs to the account that made it. A client's product is seen and ordered by that client alone,
-- and customer_ids name the client's own customers. An operator's product is for the client accounts in customer_ids.
CREATE TABLE customer_products (
  id                uuid PRIMARY KEY,
  -- The client that made it; null for an operator's.
  owner_id          uuid REFERENCES accounts,
  name              text NOT NULL CHECK (length(name) <= 200),
  -- Customers that may order it, or '*' for all.
  customer_ids      text[] NOT NULL,
  product_model_id  text NOT NULL REFERENCES product_models,
  state             text NOT NULL DEFAULT 'published' CONSTRAINT customer_products_state CHECK (state IN ('published', 'archived')),
  -- The name by which an import finds the product again.
  reference         text UNIQUE,
  -- [{id, name, attributesMapping, state, values: [{value, attributeValues, isDefault}]}]: read and written whole.
  variant_options   jsonb NOT NULL,
  part_quantities   jsonb,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now()
);
-- Lists of operators, by state and product model, newest first.
CREATE INDEX customer_products_list ON customer_products (state, id);
CREATE INDEX customer_products_model ON customer_products (state, product_model_id, id);
-- A client's products: the quota, and lists by customer.
CREATE INDEX customer_products_owner ON customer_products (owner_id, id) WHERE owner_id IS NOT NULL;
CREATE INDEX customer_products_customers ON customer_products USING gin (customer_ids);
-- New entries wait to be sorted in together, but few of them, because every search reads those that wait. Writing a row
-- takes 0.1 ms. It takes 0.2 ms when entries are sorted in at once.
CREATE INDEX customer_products_search ON customer_products USING gin (searchable(name)) WITH (gin_pending_list_limit = 64);
-- Searches are planned by the frequency of their text, which needs finer statistics than the usual 100 samples.
ALTER TABLE customer_products ALTER COLUMN name SET STATISTICS 500;

-- Visible customer products: one row for each viewer of a product -------------------------------------
-- The viewer is '*' (every client) or the id of one client. A list, a search and a look-up by name of a client read the
-- ranges of '*' and of its own id, so that their cost depends on the page and not on the table.
CREATE TABLE visible_customer_products (
  viewer               text NOT NULL,
  state                text NOT NULL,
  customer_product_id  uuid NOT NULL REFERENCES customer_products ON DELETE CASCADE,
  product_model_id     text NOT NULL,
  name                 text NOT NULL,
  -- With the name, so that a search for a common text is an index-only scan.
  PRIMARY KEY (viewer, state, customer_product_id) INCLUDE (name)
);
CREATE INDEX visible_customer_products_product ON visible_customer_products (customer_product_id);
CREATE INDEX visible_customer_products_model
  ON visible_customer_products (viewer, state, product_model_id, customer_product_id);
CREATE INDEX visible_customer_products_name ON visible_customer_products (viewer, name);
CREATE INDEX visible_customer_products_search ON visible_customer_products USING gin (searchable(name))
  WITH (gin_pending_list_limit = 64);
ALTER TABLE visible_customer_products ALTER COLUMN name SET STATISTICS 500;

-- Totals of lists, kept by trigger: counting a million rows takes some 100 ms, and reading the totals under 1 ms. Each
-- total is spread over eight slots, so that writers rarely wait for each other.
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

CREATE FUNCTION customer_products_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(-1)) FROM changed;
  RETURN NULL;
END $$;

CREATE FUNCTION visible_customer_products_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_customer_products(array_agg(viewer), array_agg(state), array_agg(product_model_id),
                                  array_agg(CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)) FROM changed;
  RETURN NULL;
END $$;

CREATE TRIGGER deleted AFTER DELETE ON customer_products
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_deleted();
CREATE TRIGGER counted_in AFTER INSERT ON visible_customer_products
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION visible_customer_products_counted();
CREATE TRIGGER counted_out AFTER DELETE ON visible_customer_products
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION visible_customer_products_counted();

-- Customers: one row for each customer that a customer product names -----------------------------------
-- A list by customer then reads ordered ranges: with 1,000,000 products, a page of 600 matches by the
-- index on customer_ids took twice as long as a page of ten.
CREATE TABLE customer_product_customers (
  customer             text NOT NULL,
  -- The client that owns the product; '' for the operators.
  owner                text NOT NULL,
  state                text NOT NULL,
  customer_product_id  uuid NOT NULL REFERENCES customer_products ON DELETE CASCADE,
  PRIMARY KEY (customer, owner, state, customer_product_id)
);
-- Operators' lists, over all owners.
CREATE INDEX customer_product_customers_list ON customer_product_customers (customer, state, customer_product_id);
CREATE INDEX customer_product_customers_product ON customer_product_customers (customer_product_id);

-- Writes the viewers and customers of new products, and of those that have changed, and counts the products.
CREATE FUNCTION customer_products_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  listed uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    listed := ARRAY(SELECT id FROM changed);
    PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(1)) FROM changed;
  ELSE
    listed := ARRAY(
      SELECT changed.id FROM changed JOIN before USING (id)
      WHERE (changed.name, changed.customer_ids, changed.product_model_id, changed.state)
        IS DISTINCT FROM (before.name, before.customer_ids, before.product_model_id, before.state));
    DELETE FROM visible_customer_products WHERE customer_product_id = ANY(listed);
    DELETE FROM customer_product_customers WHERE customer_product_id = ANY(listed);
    PERFORM count_customer_products(array_agg(''::text), array_agg(state), array_agg(product_model_id), array_agg(change))
    FROM (
      SELECT state, product_model_id, 1 AS change FROM changed
      UNION ALL
      SELECT state, product_model_id, -1 FROM before
    ) AS moved;
  END IF;
  INSERT INTO visible_customer_products (viewer, state, customer_product_id, product_model_id, name)
  SELECT viewer, state, id, product_model_id, name
  FROM unnest(listed) AS wanted JOIN changed ON id = wanted
  CROSS JOIN LATERAL customer_product_viewers(customer_ids, owner_id) AS viewer;
  INSERT INTO customer_product_customers (customer, owner, state, customer_product_id)
  SELECT DISTINCT customer, coalesce(owner_id::text, ''), state, id
  FROM unnest(listed) AS wanted JOIN changed ON id = wanted CROSS JOIN LATERAL unnest(customer_ids) AS customer;
  RETURN NULL;
END $$;

CREATE TRIGGER inserted AFTER INSERT ON customer_products
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_changed();
CREATE TRIGGER updated AFTER UPDATE ON customer_products
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION customer_products_changed();
