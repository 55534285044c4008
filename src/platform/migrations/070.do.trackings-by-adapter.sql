--! no-transaction
-- The tracking sweep asks carriers concurrently: each reads its own packages that are due. Packages without an adapter are
-- partners' codes whose carrier is not known, and labels that the previous release has bought. `trackings_due` stays for
-- the sweeps of the previous release.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trackings_due_by_adapter ON trackings (adapter_uid, next_check_at)
  WHERE next_check_at IS NOT NULL;
