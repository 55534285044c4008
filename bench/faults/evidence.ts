import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, type DataConverter, type WorkflowClient } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../cli/temporal-runtime';
import { createPresslineClient, PresslineError } from '../../client/pressline-client';
import type { Seen } from '../../sandbox';
import type { DemoCredentials } from '../../sandbox/demo/accounts';
import type { ResolvedProduct } from '../../src/catalog/domain/product';
import { stockNeeds } from '../../src/partners/domain/routing-weights';
import { orderIdOfWorkflow, WORKFLOW_TYPES } from '../../src/platform/domain/workflows';
import type { Sql } from '../../src/platform/postgres';
import { inParallel } from '../support/in-parallel';
import { auditStock } from '../support/stock-audit';
import type { Evidence, SeenPrintOrder, StockBalance, StockUse, StoredOrder, SubmittedOrder } from './audit';
import { CHANNEL_PREFIX } from './channel';
import type { Submission } from './clients';
import { auditMoney } from './money-audit';
import type { OperatorRepairs } from './operator';
import type { RandomPartner } from './random-partner';
import { logLine } from './supervisor';

const LONGEST_PROBE_MS = 10_000;

/** What the records of a stack are read from. */
export interface ObservedStack {
  /** Contains the journal of the sandbox, and the logs of the processes in `logs`. */
  readonly folder: string;
  readonly credentials: Pick<DemoCredentials, 'client'>;
  readonly apiUrls: readonly string[];
  readonly sandboxUrl: string;
  readonly processes: Readonly<Record<string, { readonly name: string; readonly unexpectedExits: readonly string[] }>>;
  temporalAddress(): string;
  /** The carrier gateway. Absent when the stack has none. */
  readonly gateway?: { purchases(): Evidence['purchases'][number][] };
  /** Decrypts payloads in Temporal. Absent when they are not encrypted. */
  readonly dataConverter?: DataConverter | undefined;
}

/** Combines what clients know with what the operator did. */
export function submittedOrders(submissions: readonly Submission[], made: OperatorRepairs): SubmittedOrder[] {
  return submissions.map(({ planned, orderId, unexpected }) => ({
    reference: planned.reference,
    orderId,
    end: orderId !== null && made.cancelled.has(orderId) && planned.end !== 'any' ? 'repaired' : planned.end,
    reroutes: made.reroutes.get(orderId ?? '') ?? 0,
    followUp: planned.followUp,
    unexpected,
  }));
}

/** Returns all orders in Postgres with their items. */
export async function storedOrders(sql: Sql): Promise<StoredOrder[]> {
  const rows = await sql<
    {
      id: string;
      reference: string;
      status: string;
      attention: string | null;
      items: { id: string; status: string; quantity: number; product: ResolvedProduct }[];
    }[]
  >`
    SELECT o.id, o.order_reference_id AS reference, o.fulfillment_status AS status,
      array_to_string(o.attention, ' ') AS attention,
      (SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'status', i.fulfillment_status, 'quantity', i.quantity,
        'product', i.product)) FROM order_items i WHERE i.order_id = o.id) AS items
    FROM orders o`;
  return rows.map(({ items, ...order }) => ({
    ...order,
    items: items.map(({ id, status, quantity, product }) => ({
      id,
      status,
      needs: Object.fromEntries(stockNeeds(product, quantity)),
    })),
  }));
}

/** Returns the number of postbacks that a workflow has not processed. Late postbacks of ended orders do not count. */
export async function waitingPostbacks(sql: Sql): Promise<number> {
  const [waiting] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count
    FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id JOIN orders o ON o.id = p.order_id
    WHERE b.handled_at IS NULL AND o.fulfillment_status NOT IN ('delivered', 'returned', 'canceled', 'failed')`;
  return waiting!.count;
}

/** Returns the units on each shelf minus the units owed. */
export async function balances(sql: Sql): Promise<Pick<StockBalance, 'partner' | 'sku' | 'now'>[]> {
  const rows = await sql<{ partner: string; sku: string; now: string }[]>`
    SELECT p.uid AS partner, i.partner_sku AS sku, i.quantity - i.backorder + coalesce((
      SELECT sum(r.quantity - r.allocated) FROM stock_reservations r
      WHERE r.stock_item_id = i.id AND r.state = 'reserved'), 0) AS now
    FROM stock_items i JOIN partners p ON p.account_id = i.partner_id ORDER BY 1, 2`;
  return rows.map(({ now, ...balance }) => ({ ...balance, now: Number(now) }));
}

const NO_CALLERS = { shipped: new Set<string>(), cancelled: new Map<string, number>(), unexpected: [] };

/** Reads the records of each side. All processes must be running. */
export async function gather(
  stack: ObservedStack,
  sql: Sql,
  submissions: readonly Submission[],
  made: OperatorRepairs,
  opening: readonly Pick<StockBalance, 'partner' | 'sku' | 'now'>[],
  added: ReadonlyMap<string, number>,
  callers: Pick<RandomPartner, 'shipped' | 'cancelled' | 'unexpected'> = NO_CALLERS,
): Promise<Omit<Evidence, 'unreplayable'>> {
  const orders = await storedOrders(sql);
  const before = new Map(opening.map(({ partner, sku, now }) => [`${partner} ${sku}`, now]));
  const used = await sql<(Omit<StockUse, 'quantity'> & { quantity: string })[]>`
    SELECT j.order_item_id AS item_id, p.uid AS partner, i.partner_sku AS sku, sum(r.quantity) AS quantity
    FROM stock_reservations r
    JOIN stock_items i ON i.id = r.stock_item_id
    JOIN partners p ON p.account_id = r.partner_id
    JOIN print_jobs j ON j.id = r.print_job_id
    WHERE r.state = 'consumed' GROUP BY 1, 2, 3`;
  const unsent = await sql<{ kind: string; target: string; attempts: number; lastError: string | null }[]>`
    SELECT kind, target, attempts, last_error FROM outbox ORDER BY id LIMIT 100`;
  return {
    submitted: submittedOrders(submissions, made),
    orders,
    shown: await shownOrders(stack, submissions),
    runs: await runs(stack),
    ...(await seenOutside(stack, callers.shipped)),
    shipments: await sql<Evidence['shipments'][number][]>`
      SELECT s.id, s.print_order_id, s.status, coalesce(array_agg(p.tracking_number ORDER BY p.position)
        FILTER (WHERE p.tracking_number IS NOT NULL), '{}') AS tracking_numbers,
        coalesce(array_agg(p.tracking_number) FILTER (WHERE p.tracking_number IS NOT NULL AND p.left_out_at IS NULL), '{}') AS in_use
      FROM shipments s LEFT JOIN shipment_packages p ON p.shipment_id = s.id
      WHERE s.print_order_id IS NOT NULL GROUP BY s.id`,
    purchases: [
      ...(await sql<Evidence['purchases'][number][]>`
        SELECT tracking_number, voided_at IS NOT NULL AS voided FROM carrier_purchases
        WHERE tracking_number IS NOT NULL`),
      ...(stack.gateway?.purchases() ?? []),
    ],
    stock: {
      unexplained: (await auditStock(sql)).map(({ partnerSku, problem }) => `${partnerSku}: ${problem}`),
      balances: (await balances(sql)).map(({ partner, sku, now }) => ({
        partner,
        sku,
        opening: before.get(`${partner} ${sku}`) ?? 0,
        now,
        added: added.get(`${partner} ${sku}`) ?? 0,
      })),
      used: used.map((use) => ({ ...use, quantity: Number(use.quantity) })),
    },
    channelOrders: await latestRevisions(sql, submissions),
    unsent: unsent.map(
      ({ kind, target, attempts, lastError }) =>
        `${kind} ${target} after ${attempts} attempts: ${lastError ?? 'no error'}`,
    ),
    unhandledPostbacks: await waitingPostbacks(sql),
    notReady: await notReady(stack),
    internalErrors: [...(await internalErrors(stack)), ...callers.unexpected],
    money: await auditMoney(sql, callers.cancelled),
    unexpectedExits: Object.values(stack.processes).flatMap(({ name, unexpectedExits }) =>
      unexpectedExits.map((reason) => `${name}: ${reason}`),
    ),
  };
}

/** Returns what became of the latest revision of each order that was in a file. */
async function latestRevisions(sql: Sql, submissions: readonly Submission[]): Promise<Evidence['channelOrders']> {
  const references = submissions.map(({ planned: { reference } }) => reference);
  return await sql<Evidence['channelOrders'][number][]>`
    SELECT r.reference, c.state, coalesce(c.reasons, '[]')::text AS reasons
    FROM unnest(${references.filter((reference) => reference.startsWith(`${CHANNEL_PREFIX}-`))}::text[]) AS r (reference)
    LEFT JOIN LATERAL (
      SELECT state, reasons FROM channel_orders WHERE external_id = r.reference ORDER BY revision DESC, id LIMIT 1
    ) c ON true`;
}

/** Returns deadlocks, and the requests that were answered with 500: a server that is away or overloaded is a 503 or 429. */
async function internalErrors({ folder }: ObservedStack): Promise<string[]> {
  const logs = join(folder, 'logs');
  const found: string[] = [];
  for (const name of await readdir(logs)) {
    const errors = new Map<string | undefined, string | undefined>();
    for (const line of (await readFile(join(logs, name), 'utf8')).split('\n')) {
      if (line.includes('deadlock detected')) found.push(`${name}: ${line.slice(0, 300)}`);
      const { msg, err, status, operation, requestId } = /"err":|"status":500/.test(line) ? logLine(line) : {};
      if (err !== undefined) errors.set(requestId, err.message);
      if (msg === 'request' && status === 500)
        found.push(`${name}: ${operation ?? 'no operation'}, request ${requestId}: ${errors.get(requestId)}`);
    }
  }
  return found;
}

async function notReady({ apiUrls }: ObservedStack): Promise<string[]> {
  const reasons = await Promise.all(
    apiUrls.map(async (url) => {
      try {
        const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LONGEST_PROBE_MS) });
        return response.ok ? [] : [`${url}: ${response.status} ${await response.text()}`];
      } catch (error) {
        return [`${url}: ${(error as Error).message}`];
      }
    }),
  );
  return reasons.flat();
}

async function shownOrders(stack: ObservedStack, submissions: readonly Submission[]): Promise<Evidence['shown']> {
  const shown = new Map<string, { reference: string; status: string }>();
  const client = createPresslineClient({ baseUrl: stack.apiUrls[0]!, ...stack.credentials.client });
  const accepted = submissions.flatMap(({ orderId }) => (orderId === null ? [] : [orderId]));
  await inParallel(accepted.length, 8, async (index) => {
    const orderId = accepted[index]!;
    try {
      const order = await client.getOrder({ params: { orderId } });
      shown.set(orderId, { reference: order.orderReferenceId, status: order.fulfillmentStatus });
    } catch (error) {
      // The missing entry is the finding.
      if (!(error instanceof PresslineError)) throw error;
    }
  });
  return shown;
}

async function withTemporal<T>(stack: ObservedStack, work: (client: WorkflowClient) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporalAddress() });
  try {
    const { dataConverter } = stack;
    return await work(new Client({ connection, ...(dataConverter && { dataConverter }) }).workflow);
  } finally {
    await connection.close();
  }
}

const ORDER_RUNS = { query: `WorkflowType = '${WORKFLOW_TYPES.order}'` };

const runs = (stack: ObservedStack): Promise<Evidence['runs']> =>
  withTemporal(stack, async (client) => {
    const found: { orderId: string; status: string }[] = [];
    for await (const { workflowId, runId, status } of client.list(ORDER_RUNS)) {
      if (status.name === 'CONTINUED_AS_NEW') continue;
      if (status.name === 'TERMINATED') {
        // A reset ends a run and continues it in another, which is in the list too.
        const { raw } = await client.getHandle(workflowId, runId).describe();
        if (raw.workflowExtendedInfo?.resetRunId) continue;
      }
      found.push({ orderId: orderIdOfWorkflow(workflowId) ?? workflowId, status: status.name });
    }
    return found;
  });

/** Replays all order runs with the workflow code that ran them. Returns those that fail, each with the reason. */
export const unreplayable = (stack: ObservedStack): Promise<Evidence['unreplayable']> =>
  withTemporal(stack, async (client) => {
    const failures: string[] = [];
    const histories = client.list(ORDER_RUNS).intoHistories();
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      if (error !== undefined) failures.push(`${workflowId}: ${error.message}`);
    }
    return failures;
  });

/** The parts of a journal line of the sandbox that describe a print order. */
interface JournalLine {
  readonly entry: {
    readonly type: string;
    readonly printOrderId?: string;
    readonly order?: {
      readonly items: readonly JournalItem[];
      readonly shipping: {
        readonly address: readonly { readonly type: string; readonly lastName: string }[];
      };
    };
  };
}
type JournalItem =
  | { readonly count: number; readonly product: { readonly modelUid: string } }
  | {
      readonly parts: readonly { readonly count: number; readonly product: { readonly modelUid: string } }[];
    };

/** Reads the records of partners and carriers. */
async function seenOutside(
  stack: ObservedStack,
  alsoShipped: ReadonlySet<string>,
): Promise<Pick<Evidence, 'printOrders' | 'parcels'>> {
  const journal = await readFile(join(stack.folder, 'sandbox', 'journal.jsonl'), 'utf8');
  const arrived = new Map<string, NonNullable<JournalLine['entry']['order']>>();
  for (const line of journal.split('\n').filter((text) => text !== '')) {
    const { entry } = JSON.parse(line) as JournalLine;
    if (entry.type === 'print-order') arrived.set(entry.printOrderId!, entry.order!);
  }
  const seen = (await (await fetch(`${stack.sandboxUrl}/control/seen`)).json()) as Seen;
  const printOrders = Object.entries(seen.partners).flatMap(([partner, { printOrders }]) =>
    printOrders.map((printOrder): SeenPrintOrder => {
      const order = arrived.get(printOrder.printOrderId)!;
      const released = new Set(printOrder.cancelOrders.flatMap(({ accepted, itemIds }) => (accepted ? itemIds : [])));
      const reported = (status: string) =>
        printOrder.postbacks.some((postback) => postback.status === status && postback.responseStatus < 300);
      return {
        id: printOrder.printOrderId,
        partner,
        reference: order.shipping.address.find(({ type }) => type === 'delivery')!.lastName,
        lines: order.items.map(lineText),
        contents: printOrder.distinctContents,
        webhookIds: printOrder.distinctWebhookIds,
        binding:
          !['not-taken', 'cancelled'].includes(printOrder.state) && !printOrder.itemIds.every((id) => released.has(id)),
        shipped: reported('shipped') || alsoShipped.has(printOrder.printOrderId),
        trackingCodes: printOrder.trackingCodes,
      };
    }),
  );
  return { printOrders, parcels: seen.parcels.map(({ trackingNumber }) => trackingNumber) };
}

function lineText(item: JournalItem): string {
  const parts = 'parts' in item ? item.parts : [item];
  return parts.map(({ count, product }) => `${count} ${product.modelUid}`).join(' + ');
}
