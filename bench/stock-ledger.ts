import { Command } from 'commander';
import { uuidv7 } from '../src/platform/ids';
import { connectPostgres, inTransaction, type Sql } from '../src/platform/postgres';
import { adjustStock } from '../src/procurement/adjust-stock';
import { reserveStock, settleReservations } from '../src/procurement/reservations';
import { setUpStockItems } from '../src/procurement/stock-items';
import { observeLoad } from './support/processes/process-cpu';
import { withBenchDatabase } from './support/processes/servers';
import { type Row, report, spreadOf } from './support/report';
import { seededRandom } from './support/seeded-random';
import { auditStock } from './support/stock-audit';

export interface StockLoad {
  readonly url: string;
  /** Partners whose stock changes. Each has all of `skus`. */
  readonly partnerIds: readonly string[];
  readonly skus: readonly string[];
  readonly operations: number;
  readonly connections: number;
  readonly seed: number;
}

export interface StockLoadReport {
  readonly operations: number;
  readonly adjustments: number;
  readonly rejectedReferences: number;
  readonly reservations: number;
  readonly refusedReservations: number;
  readonly settled: number;
  readonly seconds: number;
  /** Database errors, including deadlocks. */
  readonly errors: readonly string[];
  /** Stock levels that differ from the ledger or from the responses to the callers. */
  readonly differences: readonly string[];
}

/**
 * Runs random adjustments, reservations and settlements on many connections at once: random sequences of SKUs, several
 * partners, repeated references and steps. Then audits the stock levels.
 */
export async function runStockLoad(load: StockLoad): Promise<StockLoadReport> {
  const { url, partnerIds, skus, operations, connections, seed } = load;
  const sql = connectPostgres(url, { max: connections, applicationName: 'stock-load' });
  const { below, pick } = seededRandom(seed);
  const errors: string[] = [];
  const counts = {
    adjustments: 0,
    rejectedReferences: 0,
    reservations: 0,
    refusedReservations: 0,
    settled: 0,
  };
  /** Net change in units that the responses confirmed, by partner and SKU. */
  const confirmed = new Map<string, number>();
  const confirm = (partnerId: string, sku: string, units: number) => {
    const key = `${partnerId} ${sku}`;
    confirmed.set(key, (confirmed.get(key) ?? 0) + units);
  };
  const steps: {
    step: string;
    lines: { partnerId: string; partnerSku: string; quantity: number; printJobId: string }[];
  }[] = [];
  let serial = 0;

  async function adjust(): Promise<void> {
    const partnerId = pick(partnerIds);
    const adjustments = Array.from({ length: 1 + below(8) }, () => ({
      partnerSku: pick(skus),
      adjustmentType: below(100) < 55 ? ('add' as const) : ('consume' as const),
      quantity: 1 + below(20),
      ...(below(4) === 0 ? { referenceId: `note-${below(operations)}` } : {}),
    }));
    const results = await adjustStock(sql, partnerId, adjustments);
    results.forEach(({ success }, index) => {
      const { partnerSku, adjustmentType, quantity } = adjustments[index]!;
      if (success) confirm(partnerId, partnerSku, adjustmentType === 'add' ? quantity : -quantity);
      counts[success ? 'adjustments' : 'rejectedReferences'] += 1;
    });
  }

  async function reserve(): Promise<void> {
    const repeated = steps.length > 0 && below(10) === 0;
    const job = ++serial;
    const request = repeated
      ? pick(steps)
      : {
          step: `load-${seed}-${job}`,
          lines: Array.from({ length: 1 + below(4) }, () => ({
            partnerId: pick(partnerIds),
            partnerSku: pick(skus),
            quantity: 1 + below(6),
            printJobId: String(job),
          })),
        };
    const { ok } = await inTransaction(sql, (tx) => reserveStock(tx, request));
    counts[ok ? 'reservations' : 'refusedReservations'] += 1;
    if (ok && !repeated) steps.push(request);
  }

  async function settle(): Promise<void> {
    if (steps.length === 0) return;
    const printed = below(3) > 0 ? pick(steps) : undefined;
    const cancelled = printed === undefined || below(4) === 0 ? pick(steps) : undefined;
    if (printed === cancelled) return;
    const jobsOf = (step: (typeof steps)[number] | undefined) => step?.lines.map(({ printJobId }) => printJobId) ?? [];
    const settled = await inTransaction(sql, (tx) =>
      settleReservations(tx, {
        printed: jobsOf(printed).map((id) => ({ id })),
        cancelled: jobsOf(cancelled),
      }),
    );
    counts.settled += settled.printed + settled.cancelled;
    if (settled.printed > 0) {
      for (const { partnerId, partnerSku, quantity } of printed!.lines) confirm(partnerId, partnerSku, -quantity);
    }
  }

  const opening = await netUnits(sql);
  const startedAt = performance.now();
  let left = operations;
  const worker = async () => {
    // 20 errors are enough.
    while (left-- > 0 && errors.length < 20) {
      const kind = below(10);
      try {
        await (kind < 4 ? adjust() : kind < 7 ? reserve() : settle());
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1000;

  const differences = (await auditStock(sql)).map(({ partnerSku, problem }) => `${partnerSku}: ${problem}`);
  const closing = await netUnits(sql);
  for (const [key, net] of closing) {
    const expected = (opening.get(key) ?? 0) + (confirmed.get(key) ?? 0);
    if (net !== expected) differences.push(`${key}: responses add up to ${expected}, the level is ${net}`);
  }
  await sql.end();
  return { operations, ...counts, seconds, errors, differences };
}

/** Returns units on the shelf minus units owed, by partner and SKU. */
async function netUnits(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ partnerId: string; partnerSku: string; net: string }[]>`
    SELECT i.partner_id, i.partner_sku,
           i.quantity - i.backorder + coalesce((
             SELECT sum(quantity - allocated) FROM stock_reservations r WHERE r.stock_item_id = i.id AND r.state = 'reserved'
           ), 0) AS net
    FROM stock_items i`;
  return new Map(rows.map(({ partnerId, partnerSku, net }) => [`${partnerId} ${partnerSku}`, Number(net)]));
}

const SKUS = Array.from({ length: 12 }, (_, index) => `sku-${index}`);

/**
 * Creates two partners with the same twelve items. A third of the items allow no backorders. All items have a supplier,
 * so that procurement orders are created during the load.
 */
export async function createLoadItems(sql: Sql): Promise<Pick<StockLoad, 'partnerIds' | 'skus'>> {
  const partnerIds = [uuidv7(), uuidv7()];
  for (const id of partnerIds) {
    await sql`INSERT INTO accounts (id, name, role) VALUES (${id}, ${id}, 'partner')`;
    await sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      VALUES (${id}, ${id}, 'Load', 'DE', 'EUR', '{}', '{}')`;
    const items = SKUS.map((partnerSku, index) => ({
      partnerSku,
      openingQuantity: 40,
      minStock: 10,
      maxStock: 50,
      allowBackorder: index % 3 !== 0,
      supplier: { uid: `supplier-${index % 2}`, unitCost: 2.5, currency: 'EUR' },
    }));
    await setUpStockItems(sql, id, items);
  }
  return { partnerIds, skus: SKUS };
}

const none = { value: 0, atLeast: false };
const row = (what: string, unit: string, value: number, target?: Row['target']): Row => ({
  what,
  unit,
  value: spreadOf([value]),
  ...(target === undefined ? {} : { target }),
});

async function main(): Promise<void> {
  const options = new Command()
    .option('--operations <count>', 'adjustments, reservations and settlements', '10000')
    .option('--connections <count>', 'connections to Postgres', '50')
    .option('--seed <number>', 'seed of the load', '1')
    .parse()
    .opts<Record<'operations' | 'connections' | 'seed', string>>();
  const settings = {
    operations: Number(options.operations),
    connections: Number(options.connections),
    seed: Number(options.seed),
  };
  const observed = await observeLoad();
  const load = await withBenchDatabase({ max_connections: '200' }, async ({ url, sql }) => {
    const items = await createLoadItems(sql);
    return await runStockLoad({ url, ...items, ...settings });
  });
  await report(
    'stock-ledger',
    [
      row('operations', 'per s', load.operations / load.seconds),
      row('adjustments booked', 'count', load.adjustments),
      row('repeated references rejected', 'count', load.rejectedReferences),
      row('reservations made', 'count', load.reservations),
      row('reservations refused, no stock', 'count', load.refusedReservations),
      row('reservations settled', 'count', load.settled),
      row('database errors, including deadlocks', 'count', load.errors.length, none),
      row('levels that differ from ledger, reservations or responses', 'count', load.differences.length, none),
    ],
    settings,
    await observed(),
  );
  for (const fault of [...load.errors, ...load.differences]) process.stderr.write(`${fault}\n`);
  if (load.errors.length + load.differences.length > 0) process.exitCode = 1;
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
    process.exitCode = 1;
  });
}
