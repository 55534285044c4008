-- Requests that Pressline sent to print partners, one row for each attempt. Deleted after 90 days.
CREATE TABLE partner_requests (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partner_id      uuid NOT NULL,
  -- Null: a test ping.
  print_order_id  bigint REFERENCES print_orders ON DELETE CASCADE,
  kind            text NOT NULL CHECK (kind IN ('print_order', 'order_update', 'cancellation', 'ping')),
  -- Shipping revision of an order update.
  revision        int,
  at              timestamptz NOT NULL,
  duration_ms     int NOT NULL,
  -- HTTP status. Null when there was no response.
  status          int,
  outcome         text NOT NULL CHECK (outcome IN ('accepted', 'retry', 'refused')),
  -- Beginning of the response, or why there was none.
  answer          text
);
CREATE INDEX partner_requests_print_order ON partner_requests (print_order_id, id) WHERE print_order_id IS NOT NULL;
CREATE INDEX partner_requests_partner ON partner_requests (partner_id, id DESC);
-- Rows are inserted in order of time.
CREATE INDEX partner_requests_age ON partner_requests USING brin (at);
