-- Procurement: the stock of partners with its ledger and reservations, and procurement orders.

-- Stock: levels, and the ledger that explains them -------------------------------------------------
-- Dense numbering per partner: a page at any depth is a range of positions, and the total is one row. A list of a
-- million items then costs as much as a list of ten thousand.
CREATE TABLE stock_item_counts (
  partner_id  uuid PRIMARY KEY REFERENCES partners,
  items       bigint NOT NULL
);

CREATE TABLE stock_items (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partner_id        uuid NOT NULL REFERENCES partners,
  position          bigint NOT NULL,
  partner_sku       text NOT NULL CHECK (partner_sku <> ''),
  product_uid       text NOT NULL,
  product_name      text,
  -- On the shelf. `reserved` of it belongs to print jobs.
  quantity          bigint NOT NULL DEFAULT 0,
  reserved          bigint NOT NULL DEFAULT 0,
  -- Demand that waits for stock: consumption beyond it, and the missing part of reservations.
  backorder         bigint NOT NULL DEFAULT 0,
  min_stock         bigint NOT NULL DEFAULT 0,
  max_stock         bigint NOT NULL DEFAULT 0,
  quantity_ordered  bigint NOT NULL DEFAULT 0,
  -- True when print jobs may wait for stock here. Otherwise an item without stock goes to another partner.
  allow_backorder   boolean NOT NULL DEFAULT true,
  -- Where it is bought. Without a supplier, nothing is reordered.
  supplier_uid      text,
  -- Unit costs keep six decimals of a minor unit: 0.004 EUR is 0.4 minor units.
  unit_cost_minor   numeric(20, 6) CHECK (unit_cost_minor >= 0),
  cost_currency     text,
  vat_percentage    numeric(5, 2),
  created_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT stock_items_never_negative CHECK (quantity >= 0 AND reserved >= 0 AND backorder >= 0 AND quantity_ordered >= 0),
  CONSTRAINT stock_items_never_oversold CHECK (reserved <= quantity),
  -- Free stock goes to the backorder first.
  CONSTRAINT stock_items_backorder_first CHECK (backorder = 0 OR quantity = reserved),
  CONSTRAINT stock_items_min_max CHECK (min_stock >= 0 AND max_stock >= min_stock),
  CONSTRAINT stock_items_supplier CHECK (supplier_uid IS NULL OR (unit_cost_minor IS NOT NULL AND cost_currency IS NOT NULL)),
  -- Sku first: routing reads every partner for one sku.
  CONSTRAINT stock_items_sku UNIQUE (partner_sku, partner_id),
  CONSTRAINT stock_items_position UNIQUE (partner_id, position)
  -- Levels are in no index, and pages keep room: an adjustment rewrites its row within the page.
) WITH (fillfactor = 80);

CREATE TABLE stock_movements (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stock_item_id    bigint NOT NULL REFERENCES stock_items,
  type             text NOT NULL CHECK (type IN ('add', 'consume', 'reserve', 'release', 'consume_reserved', 'receive')),
  quantity         bigint NOT NULL CHECK (quantity > 0),
  -- Change of the level. The sums over an item are its level.
  quantity_delta   bigint NOT NULL,
  reserved_delta   bigint NOT NULL,
  backorder_delta  bigint NOT NULL,
  reference        text,
  -- The step of a run or receipt that made it: written once, however often the step is tried.
  step             text,
  at               timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX stock_movements_item ON stock_movements (stock_item_id, id);
CREATE UNIQUE INDEX stock_movements_step ON stock_movements (step, stock_item_id) WHERE step IS NOT NULL;

CREATE FUNCTION stock_movements_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'stock_movements is append-only';
END $$;
CREATE TRIGGER stock_movements_append_only BEFORE UPDATE OR DELETE ON stock_movements
  FOR EACH ROW EXECUTE FUNCTION stock_movements_append_only();

-- One print job's reservation of one stock item.
CREATE TABLE stock_reservations (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stock_item_id  bigint NOT NULL REFERENCES stock_items,
  partner_id     uuid NOT NULL REFERENCES partners,
  print_job_id   bigint NOT NULL,
  step           text NOT NULL,
  product_name   text,
  quantity       bigint NOT NULL CHECK (quantity > 0),
  -- Part of the quantity that is on the shelf for the job. The rest waits.
  allocated      bigint NOT NULL CHECK (allocated BETWEEN 0 AND quantity),
  -- Units of its print job that the reservation is for: a partner may make fewer of them, and then uses that much less
  -- stock. Null: the reservation is settled as a whole.
  units          int CHECK (units > 0),
  state          text NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'consumed', 'released')),
  created_at     timestamptz NOT NULL DEFAULT now(),
  settled_at     timestamptz,
  UNIQUE (step, print_job_id, stock_item_id)
);
CREATE INDEX stock_reservations_job ON stock_reservations (print_job_id);
CREATE INDEX stock_reservations_list ON stock_reservations (partner_id, created_at DESC, id DESC) WHERE state <> 'released';
CREATE INDEX stock_reservations_item ON stock_reservations (stock_item_id, created_at DESC) WHERE state <> 'released';
CREATE INDEX stock_reservations_waiting ON stock_reservations (stock_item_id, id) WHERE state = 'reserved' AND allocated < quantity;

-- Number of reservations on the consumption list, by day (UTC), kept by trigger. Counting a million of them took 120
-- ms, and so did the last page; reading the days takes less than 1 ms. Each total is spread over eight slots, so that
-- writers rarely wait for each other.
CREATE TABLE stock_reservation_totals (
  partner_id  uuid NOT NULL REFERENCES partners,
  day         date NOT NULL,
  slot        int NOT NULL,
  total       bigint NOT NULL,
  PRIMARY KEY (partner_id, day, slot)
) WITH (fillfactor = 70);

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

-- referenceIds of stock adjustments. The same one is refused for five minutes.
CREATE TABLE stock_adjustment_references (
  partner_id    uuid NOT NULL REFERENCES partners,
  reference_id  text NOT NULL,
  claimed_at    timestamptz NOT NULL,
  PRIMARY KEY (partner_id, reference_id)
);
CREATE INDEX stock_adjustment_references_age ON stock_adjustment_references (claimed_at);

-- Procurement orders -------------------------------------------------------------------------------
CREATE TABLE procurement_orders (
  id                   bigint GENERATED ALWAYS AS IDENTITY (START WITH 90001) PRIMARY KEY,
  partner_id           uuid NOT NULL REFERENCES partners,
  partner_po_number    text,
  supplier_uid         text NOT NULL,
  status               text NOT NULL DEFAULT 'supplier'
                       CHECK (status IN ('supplier', 'confirmed', 'in-transit', 'delivered', 'verified', 'invoiced')),
  -- The supplier's currency; lists convert into the partner's.
  currency             text NOT NULL,
  shipping_cost_minor  bigint CHECK (shipping_cost_minor >= 0),
  -- Why it needs attention: a status that has lasted too long.
  attention            text,
  created_at           timestamptz NOT NULL DEFAULT now(),
  updated_at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX procurement_orders_list ON procurement_orders (partner_id, created_at DESC, id DESC);
CREATE INDEX procurement_orders_open ON procurement_orders (created_at DESC, id DESC) WHERE status <> 'invoiced';

CREATE TABLE procurement_order_items (
  procurement_order_id  bigint NOT NULL REFERENCES procurement_orders ON DELETE CASCADE,
  position              int NOT NULL,
  stock_item_id         bigint NOT NULL REFERENCES stock_items,
  quantity              bigint NOT NULL CHECK (quantity > 0),
  unit_cost_minor       numeric(20, 6) NOT NULL CHECK (unit_cost_minor >= 0),
  vat_percentage        numeric(5, 2),
  quantity_received     bigint NOT NULL DEFAULT 0 CHECK (quantity_received BETWEEN 0 AND quantity),
  PRIMARY KEY (procurement_order_id, position),
  UNIQUE (procurement_order_id, stock_item_id)
);

CREATE TABLE procurement_order_receipts (
  procurement_order_id  bigint NOT NULL REFERENCES procurement_orders ON DELETE CASCADE,
  -- The sender's id of the receipt, such as the delivery note: counted once.
  receipt_id            text NOT NULL,
  items                 jsonb NOT NULL,
  received_at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (procurement_order_id, receipt_id)
);

CREATE TABLE procurement_order_invoices (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  procurement_order_id  bigint NOT NULL REFERENCES procurement_orders ON DELETE CASCADE,
  url                   text NOT NULL,
  original_filename     text NOT NULL,
  reference_id          text,
  due_date              date,
  created_at            timestamptz NOT NULL DEFAULT now(),
  UNIQUE (procurement_order_id, url)
);

CREATE TABLE procurement_order_events (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  procurement_order_id  bigint NOT NULL REFERENCES procurement_orders ON DELETE CASCADE,
  type                  text NOT NULL,
  actor                 text NOT NULL,
  data                  jsonb NOT NULL DEFAULT '{}',
  at                    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX procurement_order_events_order ON procurement_order_events (procurement_order_id, id);
