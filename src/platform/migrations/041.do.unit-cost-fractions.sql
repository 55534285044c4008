-- Unit costs keep six decimals of the currency: 0.004 EUR is 0.4 minor units.
ALTER TABLE stock_items ALTER COLUMN unit_cost_minor TYPE numeric(20, 6);
ALTER TABLE procurement_order_items ALTER COLUMN unit_cost_minor TYPE numeric(20, 6);
