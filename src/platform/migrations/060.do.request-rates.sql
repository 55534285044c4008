-- Requests per key and second, for all API processes (RATE_LIMIT_STORE=postgres). rate-limiter-flexible defines the columns.
-- Unlogged: the counts of a second need not survive a crash. Half of each page stays free, so that the update of a row stays
-- on its page and needs no index entry.
CREATE UNLOGGED TABLE request_rates (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
) WITH (fillfactor = 50);
