-- Receipts of orders: invoices and refunds, and the exchange rates of their currencies.

CREATE TABLE receipts (
  id              uuid PRIMARY KEY,
  order_id        uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  -- The print order whose goods and shipping the receipt charges or refunds.
  print_order_id  bigint REFERENCES print_orders ON DELETE CASCADE,
  type            text NOT NULL,
  number          bigint GENERATED ALWAYS AS IDENTITY (START WITH 100001),
  -- The step of the run that made it: written once, however often the step is tried.
  step            text NOT NULL,
  currency        text NOT NULL,
  -- Lines and totals in integer minor units.
  body            jsonb NOT NULL,
  -- The record of the run that refunded. Null: no record did.
  run_position    bigint,
  run_version     bigint,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  UNIQUE (order_id, step)
);
CREATE INDEX receipts_print_order ON receipts (print_order_id) WHERE print_order_id IS NOT NULL;
CREATE UNIQUE INDEX receipts_number ON receipts (number);

-- Units of a currency that one euro buys from a day on.
CREATE TABLE exchange_rates (
  currency  text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  date      date NOT NULL,
  per_euro  numeric NOT NULL CHECK (per_euro > 0),
  PRIMARY KEY (currency, date)
);

-- Tax rates of goods that apply from a day on, by country of delivery. The rate is a decimal fraction.
CREATE TABLE tax_rates (
  country     text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  category    text NOT NULL CHECK (category IN ('standard', 'reduced', 'books', 'zero')),
  valid_from  date NOT NULL,
  rate        numeric NOT NULL CHECK (rate >= 0 AND rate < 1),
  -- The law or publication that states the rate.
  source      text NOT NULL,
  PRIMARY KEY (country, category, valid_from)
);
