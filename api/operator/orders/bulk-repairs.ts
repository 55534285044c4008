import pLimit from 'p-limit';
import { z } from 'zod';
import { ordersWithBrokenPromises } from '../../../src/orders/planning/promises';
import {
  type BulkRepair,
  bulkRepairById,
  createBulkRepair,
  existingOrders,
  listBulkRepairs,
  ordersToRepair,
  progressOf,
  reasonsOf,
  requestCancel,
} from '../../../src/orders/upkeep/bulk-repair-rows';
import {
  type BulkRepairProgress,
  bulkRepair,
  bulkRepairBody,
  CHECKED_ORDERS,
  dryRunResponse,
  LISTED_REASONS,
  MOST_ORDERS,
  reasons,
} from '../../../src/orders/upkeep/bulk-repair-schemas';
import { expectedRepair } from '../../../src/orders/upkeep/repair-order';
import { partnerByAccount } from '../../../src/partners/partner-rows';
import { bulkRepairWorkflowId } from '../../../src/platform/domain/workflows';
import { invalidField, Refusal } from '../../../src/platform/errors';
import { foundById } from '../../../src/platform/ids';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { exportedList, formatQuery, PAGES } from '../../http/exported-list';
import { idCursorField, pageById } from '../../http/list-query';
import { forOperators, type Route, route, type Sent } from '../../http/route';

const CHECK_CONCURRENCY = 4;

function view(
  { requestedBy: id, requestedByName: name, cancelRequestedAt, ...repair }: BulkRepair,
  counts: BulkRepairProgress,
): Sent<typeof bulkRepair> {
  return {
    ...repair,
    requestedBy: { id, name },
    status: repair.endedAt !== null ? 'ended' : cancelRequestedAt !== null ? 'canceling' : 'running',
    workflowId: bulkRepairWorkflowId(repair.id),
    counts,
  };
}

const params = z.object({ bulkRepairId: z.string() });

export function bulkRepairRoutes(deps: ApiDeps): Route[] {
  const { sql } = deps;
  const found = (id: string) => foundById(id, () => bulkRepairById(sql, id));
  const viewOf = async (repair: BulkRepair) => view(repair, (await progressOf(sql, [repair.id])).get(repair.id)!);

  return [
    startRoute(deps),
    exportedList('GET /v1/operator/bulk-repairs', {
      csv: { name: 'bulk-repairs', rows: 'bulkRepairs', pages: PAGES.byCursor },
      ...forOperators('Operator: orders', 'viewer'),
      operationId: 'listBulkRepairs',
      onStandby: true,
      summary: 'List bulk repairs, newest first',
      query: z.object({
        limit: z.coerce.number().int().min(1).max(50).default(20),
        cursor: idCursorField.optional(),
        format: formatQuery,
      }),
      response: z.object({ bulkRepairs: z.array(bulkRepair), nextCursor: z.string().nullable() }),
      handler: async ({ query }) => {
        const { page, nextCursor } = await pageById(query, (wanted) => listBulkRepairs(sql, wanted));
        const reached = await progressOf(
          sql,
          page.map(({ id }) => id),
        );
        return { bulkRepairs: page.map((repair) => view(repair, reached.get(repair.id)!)), nextCursor };
      },
    }),
    route('GET /v1/operator/bulk-repairs/{bulkRepairId}', {
      ...forOperators('Operator: orders', 'viewer'),
      operationId: 'getBulkRepair',
      summary: 'Retrieve the progress of a bulk repair',
      description: `Lists the ${LISTED_REASONS} most frequent reasons why orders were not repaired. Kept for 90 days.`,
      params,
      response: bulkRepair.extend({ notRepaired: reasons }).meta({ id: 'BulkRepairProgress' }),
      handler: async ({ params: { bulkRepairId } }) => {
        const repair = await found(bulkRepairId);
        const [reached, why] = await Promise.all([viewOf(repair), reasonsOf(sql, repair.id, LISTED_REASONS)]);
        return { ...reached, notRepaired: why.map(({ outcome: _, ...reason }) => reason) };
      },
    }),
    route('POST /v1/operator/bulk-repairs/{bulkRepairId}/cancel', {
      ...forOperators('Operator: orders', 'operator'),
      operationId: 'cancelBulkRepair',
      refuses: ['CONFLICT'],
      summary: 'Cancel a bulk repair',
      description:
        'Ends it after the orders in progress, which are up to 50. Orders that are repaired stay so. 409: it has ended.',
      audits: ['bulk_repair.cancel'],
      params,
      body: z.strictObject({}),
      response: bulkRepair,
      handler: async ({ params: { bulkRepairId }, audit }) => {
        const { id, action } = await found(bulkRepairId);
        await inTransaction(sql, async (tx) => {
          if (!(await requestCancel(tx, id))) throw new Refusal('CONFLICT', { message: 'The bulk repair has ended.' });
          await audit(tx, { action: 'bulk_repair.cancel', objectId: id, before: null, after: { action } });
        });
        return await viewOf(await found(id));
      },
    }),
  ];
}

function startRoute(deps: ApiDeps): Route {
  const { sql, wake } = deps;
  return route('POST /v1/operator/bulk-repairs', {
    ...forOperators('Operator: orders', 'operator'),
    operationId: 'startBulkRepair',
    refuses: ['CONFLICT'],
    summary: 'Repair many orders',
    description:
      `Repairs up to ${MOST_ORDERS.toLocaleString('en')} orders in the background, each at most once. A dry run counts instead how many orders would ` +
      'accept the repair, and why others would not, as Postgres shows them. 409: no order matches, or too many.',
    audits: ['bulk_repair.start'],
    idempotent: true,
    body: bulkRepairBody,
    response: z.union([bulkRepair, dryRunResponse]),
    handler: async ({ account, body, audit, unaudited, idempotency, log }) => {
      const { action, reason, partnerId = null } = body;
      if (partnerId !== null && (await partnerByAccount(sql, partnerId)) === undefined) {
        throw invalidField('partnerId', 'There is no partner with this id.');
      }
      const orderIds = await ordersOf(sql, body);
      const request = { action, by: account.name, byId: account.id, reason, partnerId };
      if (body.dryRun === true) {
        const response = await dryRun(deps, request, orderIds);
        unaudited();
        return response;
      }
      const started = await inTransaction(sql, async (tx) => {
        const id = await createBulkRepair(tx, request, orderIds);
        // The reason is a free text, which may name a person. It is in the event log of each order, which can be erased.
        const after = { action, partnerId, orders: orderIds.length };
        await audit(tx, { action: 'bulk_repair.start', objectId: id, before: null, after });
        const response = view((await bulkRepairById(tx, id))!, (await progressOf(tx, [id])).get(id)!);
        await idempotency.complete(tx, response);
        return response;
      });
      wake('start_workflow');
      log.info({ bulkRepairId: started.id, action, orders: orderIds.length }, 'bulk repair started');
      return started;
    },
  });
}

/** Returns the orders of a request. @throws Refusal `VALIDATION_ERROR` for unknown ids, `CONFLICT` for none or too many */
async function ordersOf(sql: ApiDeps['sql'], { orderIds, filter }: z.output<typeof bulkRepairBody>): Promise<string[]> {
  if (orderIds != null) {
    const wanted = [...new Set(orderIds.map((id) => id.toLowerCase()))];
    const known = new Set(await existingOrders(sql, wanted));
    const unknown = wanted.filter((id) => !known.has(id)).slice(0, 100);
    if (unknown.length === 0) return wanted;
    const error = { code: 'VALIDATION_ERROR', reference: 'orderIds' } as const;
    throw new Refusal('VALIDATION_ERROR', {
      errors: unknown.map((id) => ({ ...error, message: `There is no order ${id}.` })),
    });
  }
  const given = Object.fromEntries(Object.entries(filter ?? {}).filter(([, value]) => value !== null));
  const matching =
    filter?.brokenPromises == null
      ? await ordersToRepair(sql, given, MOST_ORDERS + 1)
      : await ordersWithBrokenPromises(sql, filter.partnerIds ?? null, MOST_ORDERS);
  if (matching.length === 0) throw new Refusal('CONFLICT', { message: 'No order matches the filter.' });
  if (matching.length > MOST_ORDERS) {
    const most = MOST_ORDERS.toLocaleString('en');
    throw new Refusal('CONFLICT', { message: `More than ${most} orders match the filter. Narrow it.` });
  }
  return matching;
}

async function dryRun(
  deps: Parameters<typeof expectedRepair>[0],
  request: Parameters<typeof expectedRepair>[1],
  orderIds: readonly string[],
): Promise<Sent<typeof dryRunResponse>> {
  const checked = orderIds.slice(0, CHECKED_ORDERS);
  const limit = pLimit(CHECK_CONCURRENCY);
  const refused = new Map<string, string[]>();
  await Promise.all(
    checked.map((id) =>
      limit(async () => {
        const expected = await expectedRepair(deps, request, id);
        if (expected === null || expected.ok) return;
        refused.set(expected.why, [...(refused.get(expected.why) ?? []), id]);
      }),
    ),
  );
  const listed = [...refused]
    .map(([message, ids]) => ({ message, count: ids.length, orderIds: ids.slice(0, 100) }))
    .sort((a, b) => b.count - a.count);
  const notPossible = listed.reduce((sum, { count }) => sum + count, 0);
  return {
    total: orderIds.length,
    checked: checked.length,
    possible: checked.length - notPossible,
    refused: listed.slice(0, LISTED_REASONS),
  };
}
