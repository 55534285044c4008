-- Searches of orders, newest first ---------------------------------------------------------------------
-- Operators' pages over all clients; a client's own are served by orders_newest.
CREATE INDEX orders_created ON orders (created_at DESC, id DESC);

-- Pages of one status, which may be one order in a million. The client stands last: other clients' orders of the
-- status are passed over in the index, unread.
CREATE INDEX orders_status ON orders (fulfillment_status, created_at DESC, id DESC, client_id);
