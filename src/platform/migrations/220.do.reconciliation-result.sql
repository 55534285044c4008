-- What the last reconciliation found: {finding: number}. Null before the first one of this version.
ALTER TABLE reconciliation ADD COLUMN counts jsonb;
