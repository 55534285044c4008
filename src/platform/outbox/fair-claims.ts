import { json, type Sql } from '../postgres';
import { type ClaimedJson, type Claims, lastDueAt, leasePicked, rowsOf, ScanWindow } from './claims';
import type { OutboxKind, OutboxRow } from './outbox';

/**
 * Returns whose backlog the rows of a kind belong to, with the condition of the index that has it: the starts of orders to their
 * client, so that the orders of a client with many do not delay those of others, and notifications to the endpoint of their client.
 * The other workflows share one backlog.
 */
function backlogs(sql: Sql, kind: FairKind) {
  return kind === 'start_workflow'
    ? { key: sql`coalesce(payload ->> 'fairnessKey', '')`, waiting: sql`kind = 'start_workflow' AND dead_at IS NULL` }
    : {
        key: sql`(coalesce(payload ->> 'clientId', '') || '/' || target)`,
        waiting: sql`kind = 'notification' AND dead_at IS NULL`,
      };
}

type FairKind = Exclude<OutboxKind, 'signal_workflow'>;

function keyOf({ kind, target, payload }: Pick<OutboxRow, 'kind' | 'target' | 'payload'>): string {
  if (kind === 'start_workflow') return (payload as { fairnessKey?: string }).fairnessKey ?? '';
  return `${(payload as { clientId?: string }).clientId ?? ''}/${target}`;
}

/** Returns the client of an endpoint's key. */
const ownerOf = (key: string) => key.slice(0, key.indexOf('/'));

/** A key that may have due rows, none of them due before `since`. */
export interface WaitingKey {
  readonly key: string;
  readonly since: Date;
}

export interface FairLane {
  readonly kind: FairKind;
  /** A relay's slots for notifications, which clients share. Starts hold no slot while they count, and have only `perKey`. */
  readonly concurrency: number;
  /** Maximum number of rows per key, those in delivery included. */
  readonly perKey: number;
  readonly leaseSeconds: number;
}

const KEYS_PER_CLAIM = 200;

type InDelivery = Readonly<Record<string, number>>;

/**
 * Returns how many rows of each key may be claimed. Of the slots for notifications, a client has the part that would be left for one
 * more client, and each of its endpoints what would be left for one more endpoint: whoever is silent, a slot is free for
 * those who are not.
 * @param owners number of clients that share the slots. Default: those of the keys and of the rows in delivery
 */
export function roomsOf(
  keys: readonly string[],
  { kind, concurrency, perKey }: FairLane,
  inDelivery: InDelivery,
  owners?: number,
): ReadonlyMap<string, number> {
  const held = (key: string) => inDelivery[key] ?? 0;
  if (kind === 'start_workflow') return new Map(keys.map((key) => [key, perKey - held(key)]));
  const byOwner = Map.groupBy(new Set([...Object.keys(inDelivery), ...keys]), ownerOf);
  const ofOwner = shareOf(concurrency, owners ?? byOwner.size);
  return new Map(
    [...byOwner.values()].flatMap((owned) => {
      const ofKey = Math.min(perKey, shareOf(ofOwner, owned.length));
      let left = ofOwner - owned.reduce((sum, key) => sum + held(key), 0);
      return owned
        .sort((a, b) => held(a) - held(b))
        .map((key): [string, number] => {
          const room = Math.max(0, Math.min(ofKey - held(key), left));
          left -= room;
          return [key, room];
        });
    }),
  );
}

const shareOf = (slots: number, holders: number) => Math.max(1, Math.floor(slots / (holders + 1)));

/**
 * Claims a limited number of due rows of each key (`backlogs`), so that a key with a long queue gets no more slots than a key
 * with one row.
 *
 * The times of a key are compared together with the key, so that only the index by key applies. The index of all
 * due rows looks as good to the planner, which expects few rows in the table, but with it every key reads the recent rows
 * of all keys: 6.3 ms instead of 1.7 ms for 50 targets, with a million dead rows.
 * @param options.after finds the keys of rows that became due since this time. The epoch finds every key with a row
 * @returns `candidates`: the keys that the claim considered, with the rows that it could have claimed of each. `now`: the time in Postgres up to which it found keys
 */
export async function claimFairly(
  sql: Sql,
  lane: FairLane,
  options: {
    readonly limit: number;
    readonly after: Date;
    readonly waiting: readonly WaitingKey[];
    readonly inDelivery: InDelivery;
  },
) {
  const { limit, after, waiting, inDelivery } = options;
  const { now, keys } = await keysWithDueRows(sql, lane.kind, after);
  const since = new Map(waiting.map((each) => [each.key, each.since]));
  for (const key of keys) {
    const before = since.get(key);
    since.set(key, before !== undefined && before < after ? before : after);
  }
  const rooms = roomsOf([...since.keys()], lane, inDelivery);
  let left = KEYS_PER_CLAIM;
  const candidates = [...since].map(([key, since]) => {
    const room = left > 0 ? rooms.get(key)! : 0;
    if (room > 0) left -= 1;
    return { key, since, room };
  });
  const open = candidates.filter(({ room }) => room > 0);
  return { now, candidates, rows: open.length === 0 ? [] : await claimOf(sql, lane, open, limit) };
}

async function keysWithDueRows(sql: Sql, kind: FairKind, after: Date) {
  const { key, waiting: isWaiting } = backlogs(sql, kind);
  const found =
    after.getTime() > 0
      ? sql`SELECT DISTINCT ${key} FROM outbox
            WHERE ${isWaiting} AND available_at >= ${after} AND available_at <= now()`
      : // Loose index scan: one step per key, whatever the number of waiting rows.
        sql`(SELECT ${key} FROM outbox WHERE ${isWaiting} ORDER BY ${key} LIMIT 1)
            UNION ALL
            SELECT (SELECT ${key} FROM outbox WHERE ${isWaiting} AND ${key} > f.key ORDER BY ${key} LIMIT 1)
            FROM found f WHERE f.key IS NOT NULL`;
  const [result] = await sql<{ now: Date; keys: string[] }[]>`
    WITH RECURSIVE found (key) AS (${found})
    SELECT now(), ARRAY(SELECT key FROM found WHERE key IS NOT NULL) AS keys`;
  return result!;
}

async function claimOf(
  sql: Sql,
  { kind, leaseSeconds }: FairLane,
  open: readonly (WaitingKey & { readonly room: number })[],
  limit: number,
): Promise<readonly ClaimedJson[]> {
  const { key, waiting: isWaiting } = backlogs(sql, kind);
  const [result] = await sql<{ rows: ClaimedJson[] }[]>`
    WITH picked AS (
      SELECT o.id, o.available_at FROM jsonb_to_recordset(${json(sql, open)}) AS c (key text, since timestamptz, room int)
      CROSS JOIN LATERAL (
        SELECT id, available_at FROM outbox
        WHERE ${isWaiting} AND (${key}, available_at) >= (c.key, c.since) AND (${key}, available_at) <= (c.key, now())
        ORDER BY ${key}, available_at
        LIMIT c.room
        FOR UPDATE SKIP LOCKED
      ) AS o
      LIMIT ${limit}
    ), ${leasePicked(sql, { leaseSeconds })}
    SELECT rows FROM claimed`;
  return result!.rows;
}

interface Backlog {
  inDelivery: number;
  /** No row of the key that is not claimed is due before. */
  since: Date;
  /** True when rows may be due. */
  waiting: boolean;
}

export class FairClaims implements Claims {
  private readonly window = new ScanWindow();
  /** Keys with rows in delivery and waiting keys. Claims include waiting keys in this order. */
  private readonly backlogs = new Map<string, Backlog>();
  /** The keys of each owner. A start has no owner but its key. */
  private readonly owned = new Map<string, Set<string>>();

  constructor(
    private readonly sql: Sql,
    private readonly lane: FairLane,
  ) {}

  async next(limit: number) {
    const after = this.window.next();
    const waiting = [...this.backlogs].flatMap(([key, { waiting, since }]) => (waiting ? [{ key, since }] : []));
    const options = { limit, after, waiting, inDelivery: this.inDelivery() };
    const claimed = await claimFairly(this.sql, this.lane, options).catch((error: unknown) => {
      this.window.fail();
      throw error;
    });
    this.window.advanceTo(claimed.now);
    const rowsByKey = Map.groupBy(claimed.rows, keyOf);
    const isCut = claimed.rows.length >= limit;
    for (const { key, since, room } of claimed.candidates) {
      const rows = rowsByKey.get(key) ?? [];
      this.update(key, {
        inDelivery: (this.backlogs.get(key)?.inDelivery ?? 0) + rows.length,
        since: lastDueAt(rows) ?? since,
        waiting: isCut || rows.length >= room,
      });
    }
    const passedOver = claimed.candidates.some(({ room }) => room === 0);
    return { rows: rowsOf(claimed.rows), more: isCut || this.hasRoom(), passedOver };
  }

  release(row: OutboxRow): boolean {
    const key = keyOf(row);
    const entry = this.backlogs.get(key)!;
    const owners = this.owned.size;
    this.update(key, { ...entry, inDelivery: entry.inDelivery - 1 });
    // The keys of the same owner get room. Those of others do when there are fewer owners. All of 1,000 keys take 1 ms of CPU.
    return this.hasRoom(this.owned.size < owners ? undefined : this.owned.get(this.ownerOf(key)));
  }

  /** Returns true when one of the keys may have due rows that can be claimed. */
  private hasRoom(keys: Iterable<string> = this.backlogs.keys()): boolean {
    const of = [...keys];
    const waiting = of.filter((key) => this.backlogs.get(key)!.waiting);
    const rooms = roomsOf(waiting, this.lane, this.inDelivery(of), this.owned.size);
    return waiting.some((key) => rooms.get(key)! > 0);
  }

  private inDelivery(keys: Iterable<string> = this.backlogs.keys()): InDelivery {
    const counts = [...keys].map((key): [string, number] => [key, this.backlogs.get(key)!.inDelivery]);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  private ownerOf(key: string): string {
    return this.lane.kind === 'start_workflow' ? key : ownerOf(key);
  }

  private update(key: string, entry: Backlog): void {
    // To the end: the next claim includes other keys first.
    this.backlogs.delete(key);
    const owner = this.ownerOf(key);
    const owned = this.owned.get(owner) ?? new Set();
    owned.delete(key);
    if (entry.inDelivery > 0 || entry.waiting) {
      this.backlogs.set(key, entry);
      this.owned.set(owner, owned.add(key));
    } else if (owned.size === 0) this.owned.delete(owner);
  }
}
