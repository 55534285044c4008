import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Account } from '../../accounts/account';
import { QUOTA_NAMES, type QuotaLimits, type QuotaName, withDefaults } from '../../platform/domain/quotas';
import { quotaExceeded } from '../../platform/errors';
import type { Queryable, Sql } from '../../platform/postgres';
import { readRunningTotals } from '../../platform/running-totals';

export const clientQuotasSchema = z
  .object({
    quotas: z.array(
      z.object({
        name: z.enum(QUOTA_NAMES),
        counts: z.string().describe('What the quota counts.'),
        limit: z.number().describe('0: no limit.'),
        isOwn: z.boolean().describe('False: the default of all clients.'),
        used: z
          .number()
          .describe(
            '`ordersPerMinute` without a limit is not counted. `exports` are those of the process that responds.',
          ),
      }),
    ),
  })
  .meta({ id: 'ClientQuotaUse' });

/** Time for which limits and use of a client are not read again. A busy client costs two statements a second in each process. */
const READ_EVERY_MS = 1_000;
/** Clients whose use a process remembers. */
const REMEMBERED = 10_000;

interface ClientUse {
  readonly limits: QuotaLimits;
  /** Of the quotas that submissions use up. */
  readonly used: Readonly<Partial<Record<QuotaName, number>>>;
  /** Seconds until the oldest order of the last minute no longer counts. */
  readonly nextOrderIn: number;
}

/** Reads the limits of a client, and its use of the quotas that submissions use up. The cost does not grow with its orders. */
async function readUse(sql: Queryable, clientId: string, defaults: QuotaLimits): Promise<ClientUse> {
  const [client] = await sql<{ own: Partial<QuotaLimits> | null; recent: number; nextOrderIn: number }[]>`
    SELECT a.settings -> 'quotas' AS own, recent.orders AS recent,
      greatest(1, ceil(extract(epoch FROM recent.oldest + interval '1 minute' - now())))::int AS next_order_in
    FROM accounts a CROSS JOIN LATERAL (
      SELECT count(*)::int AS orders, coalesce(min(created_at), now()) AS oldest FROM (
        SELECT created_at FROM orders WHERE client_id = a.id AND created_at > now() - interval '1 minute'
        ORDER BY created_at DESC
        LIMIT coalesce((a.settings #>> '{quotas,ordersPerMinute}')::bigint, ${defaults.ordersPerMinute})) latest) recent
    WHERE a.id = ${clientId}`;
  const totals = await readRunningTotals(sql, clientId);
  const { own, recent = 0, nextOrderIn = 1 } = client ?? {};
  return {
    limits: { ...defaults, ...own },
    used: {
      ordersPerMinute: recent,
      ordersUnderWay: totals.get('ordersUnderWay') ?? 0,
      drafts: totals.get('drafts') ?? 0,
      fileBytes: totals.get('fileBytes') ?? 0,
    },
    nextOrderIn,
  };
}

/** A client's use as last read, and what this process has added to it. */
interface Known {
  readAt: number;
  read: Promise<ClientUse> | undefined;
  /** Requests in progress, and requests that have succeeded since `readAt`, by the quotas that they use. */
  readonly inProgress: Map<QuotaName, number>;
  readonly succeeded: Map<QuotaName, number>;
}

const add = (counts: Map<QuotaName, number>, names: readonly QuotaName[], by: number) => {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + by);
};

/**
 * The quotas of clients, as one API process checks them. Limits and use of a client are read at most once a second; what the
 * process has accepted since is added. No request waits for another, and several processes together can exceed a
 * quota by what they accept in a second. Quotas of operators and partners are the defaults.
 */
export class ClientQuotas {
  private readonly defaults: QuotaLimits;
  private readonly known = new LRUCache<string, Known>({ max: REMEMBERED });
  private readonly exports = new Map<string, number>();

  constructor(
    private readonly sql: Sql,
    given: Partial<QuotaLimits> | undefined,
    private readonly now: () => number = performance.now.bind(performance),
  ) {
    this.defaults = withDefaults(given ?? {});
  }

  /** Returns the limit of an account, at most a second old. No limit is Infinity. */
  async limitOf({ id, role }: Pick<Account, 'id' | 'role'>, quota: QuotaName): Promise<number> {
    const limits = role === 'client' ? (await this.read(this.knownOf(id), id)).limits : this.defaults;
    return limits[quota] || Number.POSITIVE_INFINITY;
  }

  /**
   * Does work that uses one unit of each of these quotas of a client. Work that fails uses nothing.
   * @throws Refusal `QUOTA_EXCEEDED` when one of them is used up
   */
  async using<T>(clientId: string, quotas: readonly QuotaName[], work: () => Promise<T>): Promise<T> {
    const known = this.knownOf(clientId);
    const { limits, used, nextOrderIn } = await this.read(known, clientId);
    for (const quota of quotas) {
      const sum = (used[quota] ?? 0) + (known.inProgress.get(quota) ?? 0) + (known.succeeded.get(quota) ?? 0);
      if (limits[quota] > 0 && sum >= limits[quota])
        throw quotaExceeded(quota, limits[quota], quota === 'ordersPerMinute' ? nextOrderIn : undefined);
    }
    add(known.inProgress, quotas, 1);
    try {
      const result = await work();
      add(known.succeeded, quotas, 1);
      return result;
    } finally {
      add(known.inProgress, quotas, -1);
    }
  }

  /** Counts an export of an account until the returned function is called. @throws Refusal `QUOTA_EXCEEDED` */
  async beginExport(account: Account): Promise<() => void> {
    const limit = await this.limitOf(account, 'exports');
    const { id } = account;
    const before = this.exports.get(id) ?? 0;
    if (before >= limit) throw quotaExceeded('exports', limit);
    this.exports.set(id, before + 1);
    return () => {
      const left = this.exports.get(id)! - 1;
      if (left === 0) this.exports.delete(id);
      else this.exports.set(id, left);
    };
  }

  /** Returns the current limits and use of a client. `exports` are those of this process. */
  async useOf(clientId: string): Promise<{ limits: QuotaLimits; used: Readonly<Record<QuotaName, number>> }> {
    const { limits, used } = await readUse(this.sql, clientId, this.defaults);
    const [counted] = await this.sql<{ customerProducts: number; endpoints: number }[]>`
      SELECT (SELECT count(*)::int FROM customer_products WHERE owner_id = ${clientId}) AS customer_products,
        (SELECT count(*)::int FROM webhook_endpoints WHERE client_id = ${clientId}) AS endpoints`;
    const rest = { ordersPerMinute: 0, ordersUnderWay: 0, drafts: 0, fileBytes: 0 };
    return { limits, used: { ...rest, ...used, ...counted!, exports: this.exports.get(clientId) ?? 0 } };
  }

  private knownOf(clientId: string): Known {
    const known = this.known.get(clientId) ?? {
      readAt: Number.NEGATIVE_INFINITY,
      read: undefined,
      inProgress: new Map(),
      succeeded: new Map(),
    };
    this.known.set(clientId, known);
    return known;
  }

  /** Requests that are in progress while the use is read may count twice, for a second: the quota is not exceeded by them. */
  private read(known: Known, clientId: string): Promise<ClientUse> {
    if (known.read !== undefined && this.now() - known.readAt < READ_EVERY_MS) return known.read;
    known.readAt = this.now();
    known.succeeded.clear();
    const read = readUse(this.sql, clientId, this.defaults);
    known.read = read;
    read.catch(() => {
      if (known.read === read) known.read = undefined;
    });
    return read;
  }
}
