-- Lists of a partner's print orders, newest first (GET /v2/orders).
CREATE INDEX print_orders_sent ON print_orders (partner_id, id DESC) WHERE body IS NOT NULL;
CREATE INDEX print_orders_cancelled ON print_orders (partner_id, id DESC) WHERE status = 'cancelled';
-- Print orders that are not finished.
CREATE INDEX print_jobs_open ON print_jobs (print_order_id)
  WHERE status IN ('planned', 'passed', 'in_production', 'printed', 'manual_handling');
