import type { Sql } from '../../src/platform/postgres';
import type { TestDatabase } from '../support/database';

/** Tables that background work of the process writes: the calls of keys, the sums of running totals and stages, gauges, and runs of periodic jobs. */
const BACKGROUND = [
  'running_totals',
  'running_total_changes',
  'order_stages',
  'order_stage_changes',
  'gauge_snapshot',
  'job_runs',
  'key_uses',
  'key_addresses',
];

/** Installs a trigger on every table that records each written row in the same transaction, updates included. */
export async function watchWrites(database: TestDatabase): Promise<void> {
  await database.asOwner(`
    CREATE UNLOGGED TABLE fuzz_writes (relation text NOT NULL, operation text NOT NULL);
    CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- The time of the last use of a key is written for refused requests too.
      IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - '{first_used_at,last_used_at}'::text[] = to_jsonb(NEW) - '{first_used_at,last_used_at}'::text[] THEN RETURN NULL; END IF;
      -- Of a partition, the name of its table.
      INSERT INTO fuzz_writes VALUES (coalesce((SELECT inhparent::regclass::text FROM pg_inherits WHERE inhrelid = TG_RELID), TG_TABLE_NAME), TG_OP);
      RETURN NULL;
    END $$;
    DO $$ DECLARE watched text; BEGIN
      FOR watched IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND NOT relispartition AND relname <> 'fuzz_writes' AND relname <> ALL ('{${BACKGROUND.join()}}') LOOP
        EXECUTE format('CREATE TRIGGER note_write AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION note_write()', watched);
      END LOOP;
    END $$;`);
}

/** Returns the rows written since the last call as `table operation count`. */
export async function writesSince(sql: Sql): Promise<string[]> {
  const rows = await sql<{ relation: string; operation: string; times: number }[]>`
    WITH noted AS (DELETE FROM fuzz_writes RETURNING relation, operation)
    SELECT relation, operation, count(*)::int AS times FROM noted GROUP BY 1, 2 ORDER BY 1, 2`;
  const count = (relation: string, operation: string) =>
    rows.find((row) => row.relation === relation && row.operation === operation)?.times ?? 0;
  // An idempotency key that was reserved and released after a failed attempt does not count, nor an intent that a refusal ended.
  const isFreed = (relation: string) => count(relation, 'INSERT') === count(relation, 'DELETE');
  return rows
    .filter(
      ({ relation, operation }) =>
        !(['idempotency_keys', 'audit_intents'].includes(relation) && operation !== 'UPDATE' && isFreed(relation)),
    )
    .map(({ relation, operation, times }) => `${relation} ${operation} ${times}`);
}

/** Returns a digest of all objects of a client and a partner. */
export async function stateOf(sql: Sql, clientId: string, partnerId: string): Promise<string> {
  const [row] = await sql<{ digest: string }[]>`
    SELECT md5(string_agg(part, '|' ORDER BY part)) AS digest FROM (
      SELECT o::text AS part FROM orders o WHERE client_id = ${clientId}
      UNION ALL SELECT i::text FROM order_items i JOIN orders o ON o.id = i.order_id WHERE o.client_id = ${clientId}
      UNION ALL SELECT w::text FROM webhook_endpoints w WHERE client_id = ${clientId}
      UNION ALL SELECT d::text FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
        WHERE w.client_id = ${clientId}
      UNION ALL SELECT c::text FROM customer_products c WHERE owner_id = ${clientId}
      UNION ALL SELECT (to_jsonb(k) - '{first_used_at,last_used_at}'::text[])::text FROM api_keys k WHERE account_id IN (${clientId}, ${partnerId})
      UNION ALL SELECT s::text FROM stock_items s WHERE partner_id = ${partnerId}
      UNION ALL SELECT p::text FROM partners p WHERE account_id = ${partnerId}
      UNION ALL SELECT p::text FROM postbacks p WHERE partner_id = ${partnerId}
      UNION ALL SELECT p::text FROM print_orders p WHERE partner_id = ${partnerId}) AS foreign_rows`;
  return row!.digest;
}
