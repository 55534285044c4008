--! no-transaction
-- Operators read the postbacks of a partner, newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS postbacks_partner ON postbacks (partner_id, id DESC);
