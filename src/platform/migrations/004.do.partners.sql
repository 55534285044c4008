-- A partner that picked no version gets the usual one of each product kind.
ALTER TABLE partners ALTER COLUMN print_order_version DROP NOT NULL, ALTER COLUMN print_order_version DROP DEFAULT;

-- Subscribing again makes a new secret; calls are signed with the old one too until the partner has had time to load it.
ALTER TABLE partners
  ADD COLUMN previous_signing_secret text,
  ADD COLUMN previous_secret_until   timestamptz;

-- Stock as partners report it, polled or pushed: the newest word on each sku.
CREATE TABLE partner_stock_levels (
  partner_id          uuid NOT NULL REFERENCES partners,
  partner_sku         text NOT NULL CHECK (partner_sku <> ''),
  status              text NOT NULL CHECK (status IN ('in-stock', 'out-of-stock')),
  -- Null: in stock, and the partner gives no number.
  amount              bigint CHECK (amount >= 0),
  replenishment_date  date,
  reported_at         timestamptz NOT NULL,
  -- Sku first: routing asks every partner for one sku.
  PRIMARY KEY (partner_sku, partner_id)
) WITH (fillfactor = 80);
CREATE INDEX partner_stock_levels_list ON partner_stock_levels (partner_id, partner_sku);

-- Who makes what, and why not another: one decision a step of the run, shown to operators.
CREATE TABLE routing_decisions (
  order_id    uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  step        text NOT NULL,
  routed      boolean NOT NULL,
  decision    jsonb NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (order_id, step)
);

-- A partner's load is the units it has yet to print; finished jobs, nearly all, are not in the index.
CREATE INDEX print_jobs_unprinted ON print_jobs (print_order_id) INCLUDE (quantity)
  WHERE status IN ('planned', 'passed', 'in_production');
