import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import type { Logger } from '../platform/logging/logging';
import { json, type Queryable, type Sql } from '../platform/postgres';

/** What keys are used for: calls by operation and day, and the addresses that they came from. */

/** Interval at which a process writes its counts. A process that is killed loses those of one interval. */
const FLUSH_MS = 10_000;
/** Addresses that are kept for each key, the latest ones. */
export const KEPT_ADDRESSES = 50;

interface Use {
  readonly keyId: string;
  readonly name: string;
  calls: number;
}

/** Counts the calls of keys. Calls of one interval are written together, so that no request waits for its count. */
export class KeyUses {
  private operations = new Map<string, Use>();
  private addresses = new Map<string, Use>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly sql: Sql,
    private readonly log: Logger,
  ) {}

  /** Counts a call with a key. @param address IP address of the caller */
  count(keyId: string, operationId: string, address: string | undefined): void {
    add(this.operations, keyId, operationId);
    if (address !== undefined) add(this.addresses, keyId, address);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what was counted. When Postgres does not respond, these counts are lost. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const [operations, addresses] = [this.operations, this.addresses];
    this.operations = new Map();
    this.addresses = new Map();
    if (operations.size > 0)
      this.writing = this.writing
        .then(() => store(this.sql, [...operations.values()], [...addresses.values()]))
        .catch((error: unknown) => this.log.warn({ err: error }, 'counts of calls with keys are lost'));
    await this.writing;
  }
}

function add(uses: Map<string, Use>, keyId: string, name: string): void {
  const key = `${keyId} ${name}`;
  const use = uses.get(key);
  if (use === undefined) uses.set(key, { keyId, name, calls: 1 });
  else use.calls += 1;
}

/** Rows are locked in one order, so that two processes cannot block each other. */
async function store(sql: Sql, operations: readonly Use[], addresses: readonly Use[]): Promise<void> {
  const rows = (uses: readonly Use[]) =>
    sql`jsonb_to_recordset(${json(sql, uses)}) AS u ("keyId" uuid, name text, calls bigint) JOIN api_keys k ON k.id = u."keyId"`;
  await sql`
    INSERT INTO key_uses AS s (key_id, day, operation_id, calls)
    SELECT u."keyId", (now() AT TIME ZONE 'UTC')::date, u.name, u.calls FROM ${rows(operations)} ORDER BY 1, 3
    ON CONFLICT (key_id, day, operation_id) DO UPDATE SET calls = s.calls + excluded.calls`;
  await sql`
    INSERT INTO key_addresses AS s (key_id, address, calls)
    SELECT u."keyId", u.name::inet, u.calls FROM ${rows(addresses)} ORDER BY 1, 2
    ON CONFLICT (key_id, address) DO UPDATE SET calls = s.calls + excluded.calls, last_at = now()`;
  const keys = [...new Set(addresses.map(({ keyId }) => keyId))];
  await sql`
    DELETE FROM key_addresses a USING (
      SELECT key_id, address, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, address) AS place
      FROM key_addresses WHERE key_id = ANY(${keys}::uuid[])) o
    WHERE o.place > ${KEPT_ADDRESSES} AND a.key_id = o.key_id AND a.address = o.address`;
}

const calls = z.int();

export const keyUsesFields = {
  operations: z
    .array(z.object({ operationId: z.string(), calls, firstDay: z.iso.date(), lastDay: z.iso.date() }))
    .describe(
      'Calls of the last 400 days in UTC that the key was admitted to, refused ones too, the most frequent operation first.',
    ),
  addresses: z
    .array(z.object({ address: z.string(), calls, firstAt: timestamp, lastAt: timestamp }))
    .describe(`The latest ${KEPT_ADDRESSES} IP addresses of the last 90 days, the latest first.`),
};

/** Returns what a key was used for. */
export async function usesOfKey(sql: Queryable, keyId: string) {
  const operations = await sql<{ operationId: string; calls: number; firstDay: string; lastDay: string }[]>`
    SELECT operation_id, sum(calls)::float8 AS calls, min(day)::text AS first_day, max(day)::text AS last_day
    FROM key_uses WHERE key_id = ${keyId} GROUP BY 1 ORDER BY 2 DESC, 1`;
  const addresses = await sql<{ address: string; calls: number; firstAt: Date; lastAt: Date }[]>`
    SELECT host(address) AS address, calls::float8, first_at, last_at
    FROM key_addresses WHERE key_id = ${keyId} ORDER BY last_at DESC, address`;
  return { operations, addresses };
}

/** Deletes counts and addresses whose retention has ended. @param addressDays retention of addresses */
export async function pruneKeyUses(sql: Queryable, addressDays: number): Promise<void> {
  await sql`DELETE FROM key_uses WHERE day < current_date - 400`;
  await sql`DELETE FROM key_addresses WHERE last_at < now() - make_interval(days => ${addressDays})`;
}
