import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { EXPIRY_NOTICE_DAYS, expiringKeys } from '../../src/accounts/accounts-and-keys';
import { failingChannels } from '../../src/channels/channels';
import { failingEndpoints } from '../../src/notifications/endpoints';
import { brokenPromises } from '../../src/orders/planning/promises';
import { timestamp } from '../../src/platform/domain/fields';
import { withoutTokens } from '../../src/platform/http/outbound-addresses';
import { stockAlarms } from '../../src/procurement/stock-items';
import type { ApiDeps } from '../deps';
import { forOperators, type Route, route, type Sent } from '../http/route';

/** Lifetime of the alarms: all consoles of a process share one reading. Levels of stock are in no index. */
const ALARMS_MS = 10_000;
/** Rows of each kind. `count` has all of them. */
const LISTED = 10;

/** What can be wrong outside orders, in the order in which the console shows it. */
const KINDS = ['promises', 'endpoints', 'channels', 'keys', 'stock'] as const;

const row = z.object({
  account: z
    .object({ id: z.string(), name: z.string(), role: z.enum(['client', 'partner', 'operator']) })
    .describe('Whose it is. Partners have their uid as name.'),
  reason: z
    .enum([
      'closed_day',
      'gone',
      'failing',
      'run_failed',
      'expires',
      'expired',
      'out_of_stock',
      'back_order',
      'report_differs',
      'reported_out',
    ])
    .describe(
      '`gone`: the endpoint responded with 410, which disabled it. `reported_out`: the partner reports a SKU as out of stock that ' +
        'has no level here.',
    ),
  subject: z
    .object({ id: z.string(), name: z.string() })
    .describe(
      'The endpoint with its address, the channel, the key with its hint, the first SKU, or the promised day of dispatch.',
    ),
  detail: z.string().nullable().describe('Why a channel failed, or the day of dispatch that is possible.'),
  count: z.int().describe('Orders of a promise, items of stock; else 1.'),
  at: timestamp.nullable().describe('When a key ends, or a channel has failed.'),
});

type Row = z.input<typeof row>;

const alarms = z
  .object({
    at: timestamp,
    alarms: z
      .array(
        z.object({
          kind: z.enum(KINDS),
          count: z.int().describe('All rows of the kind.'),
          rows: z.array(row).describe(`The first ${LISTED}.`),
        }),
      )
      .describe('Only kinds with rows.'),
  })
  .meta({ id: 'Alarms' });

type Found = { readonly count: number; readonly rows: readonly Row[] };

async function readAlarms({ sql }: Pick<ApiDeps, 'sql'>): Promise<Sent<typeof alarms>> {
  const read: Record<(typeof KINDS)[number], Promise<Found>> = {
    promises: brokenPromises(sql).then((all) => ({
      count: all.length,
      rows: all.slice(0, LISTED).map(({ partnerId: id, partnerUid: name, dispatchDate, newDispatchDate, orders }) => ({
        account: { id, name, role: 'partner' },
        reason: 'closed_day',
        subject: { id: dispatchDate, name: dispatchDate },
        detail: newDispatchDate,
        count: orders,
        at: null,
      })),
    })),
    endpoints: failingEndpoints(sql, LISTED).then(({ count, rows }) => ({
      count,
      rows: rows.map(({ id, url: name, clientId, clientName, isGone }) => ({
        account: { id: clientId, name: clientName, role: 'client' },
        reason: isGone ? 'gone' : 'failing',
        subject: { id, name },
        detail: null,
        count: 1,
        at: null,
      })),
    })),
    channels: failingChannels(sql, LISTED).then(({ count, rows }) => ({
      count,
      rows: rows.map(({ id, name, clientId, clientName, lastError, lastRunAt }) => ({
        account: { id: clientId, name: clientName, role: 'client' },
        reason: 'run_failed',
        subject: { id, name },
        detail: lastError,
        count: 1,
        at: lastRunAt,
      })),
    })),
    keys: expiringKeys(sql, LISTED).then(({ count, rows }) => ({
      count,
      rows: rows.map(({ id, hint: name, expiresAt, hasExpired, account }) => ({
        account,
        reason: hasExpired ? 'expired' : 'expires',
        subject: { id, name },
        detail: null,
        count: 1,
        at: expiresAt,
      })),
    })),
    stock: stockAlarms(sql).then((all) => ({
      count: all.length,
      rows: all.slice(0, LISTED).map(({ partnerId, partnerUid, reason, items, firstSku }) => ({
        account: { id: partnerId, name: partnerUid, role: 'partner' },
        reason,
        subject: { id: firstSku, name: firstSku },
        detail: null,
        count: items,
        at: null,
      })),
    })),
  };
  const at = new Date();
  const found = await Promise.all(KINDS.map(async (kind) => ({ kind, ...(await read[kind]) })));
  return { at, alarms: found.filter(({ count }) => count > 0) };
}

export function alarmRoute(deps: Pick<ApiDeps, 'sql'>): Route {
  const cache = new LRUCache<'alarms', Sent<typeof alarms>>({
    max: 1,
    ttl: ALARMS_MS,
    fetchMethod: () => readAlarms(deps),
  });
  return route('GET /v1/operator/alarms', {
    ...forOperators('Operator: system', 'viewer'),
    operationId: 'listAlarms',
    onStandby: true,
    summary: 'List what is wrong outside orders',
    description:
      'Promises that days off of partners break, endpoints of clients that fail or are gone, channels whose latest run failed, ' +
      `accounts whose last key ends within ${EXPIRY_NOTICE_DAYS} days or ended in the last seven, and stock of partners that is out or differs from their reports. ` +
      'At most ten seconds old.',
    response: alarms,
    handler: async ({ account }) => {
      const read = await cache.forceFetch('alarms');
      if (account.operatorRole !== 'viewer') return read;
      const shown = (each: (typeof read.alarms)[number]) =>
        each.kind !== 'endpoints'
          ? each
          : {
              ...each,
              rows: each.rows.map((one) => ({
                ...one,
                subject: { ...one.subject, name: withoutTokens(one.subject.name) },
              })),
            };
      return { ...read, alarms: read.alarms.map(shown) };
    },
  });
}
