-- The print order whose goods and shipping a receipt charges or refunds. Older rows have none: invoices are found by their step, refunds by
-- the items on their lines.
ALTER TABLE receipts ADD COLUMN print_order_id bigint REFERENCES print_orders ON DELETE CASCADE;

-- The financial status that the order's workflow wrote last. A record of the workflow repeats its status; it replaces the order's only when
-- it has changed, so that payments and receipts of shipping changes keep theirs. NULL: the workflow wrote the order's status.
ALTER TABLE orders ADD COLUMN run_financial_status text;
