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

-- The books: one row for each line of a receipt. The rows stay when their order moves to the archive, so that a month can
-- always be listed and added up. They hold no personal data.
CREATE TABLE receipt_lines (
  -- Number of the receipt.
  number              bigint NOT NULL,
  -- From 1.
  line                int NOT NULL,
  created_at          timestamptz NOT NULL,
  type                text NOT NULL,
  client_id           uuid NOT NULL REFERENCES accounts,
  -- No foreign key: the order may be in the archive.
  order_id            uuid NOT NULL,
  order_reference_id  text NOT NULL,
  -- Country of delivery, as VAT has it.
  country             text NOT NULL,
  treatment           text NOT NULL CHECK (treatment IN ('taxed', 'export', 'reverse_charge')),
  -- Decimal fraction.
  rate                numeric NOT NULL,
  -- Item reference, or shipping method.
  reference           text NOT NULL,
  title               text NOT NULL,
  quantity            int NOT NULL,
  -- Minor units. Refunds are negative.
  net_minor           bigint NOT NULL,
  tax_minor           bigint NOT NULL,
  currency            text NOT NULL,
  PRIMARY KEY (number, line)
);
CREATE INDEX receipt_lines_created ON receipt_lines (created_at, number, line);
CREATE INDEX receipt_lines_client ON receipt_lines (client_id, created_at, number, line);

-- An order that returns from the archive has its lines already.
CREATE FUNCTION book_receipts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO receipt_lines (number, line, created_at, type, client_id, order_id, order_reference_id, country, treatment, rate,
    reference, title, quantity, net_minor, tax_minor, currency)
  SELECT r.number, l.position, r.created_at, r.type, o.client_id, o.id, o.order_reference_id, r.body #>> '{tax,country}',
    r.body #>> '{tax,treatment}', (l.line ->> 'vatRate')::numeric, l.line ->> 'referenceId', l.line ->> 'title',
    (l.line ->> 'amount')::int, (l.line ->> 'price')::bigint, (l.line ->> 'vat')::bigint, r.currency
  FROM added r JOIN orders o ON o.id = r.order_id
    CROSS JOIN jsonb_array_elements(r.body -> 'lines') WITH ORDINALITY AS l (line, position)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER booked AFTER INSERT ON receipts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION book_receipts();

-- What a client owes for the receipts of a month, in one currency. It stays as it was issued.
CREATE TABLE statements (
  number      bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
  client_id   uuid NOT NULL REFERENCES accounts,
  -- The first day of the month, in UTC.
  month       date NOT NULL,
  currency    text NOT NULL,
  issued_at   timestamptz NOT NULL DEFAULT now(),
  -- Seller and buyer as they were.
  parties     jsonb NOT NULL,
  -- Sums of the lines of receipts by country, treatment, rate and type, in minor units.
  lines       jsonb NOT NULL,
  UNIQUE (client_id, month, currency)
);
CREATE INDEX statements_month ON statements (month, number);

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
