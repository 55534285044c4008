import { json, type Transaction } from '../platform/postgres';
import { available } from './domain/stock-level';
import { LockedStock, type OpenReservation } from './stock-ledger';

/** Pieces of a stock item that one print job needs. */
export interface ReservationLine {
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly quantity: number;
  /** Decimal string. */
  readonly printJobId: string;
  readonly productName?: string | null;
}

export interface ReservedLine {
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly printJobId: string;
  /** Pieces on the shelf for the job. */
  readonly allocated: number;
  /** Pieces it waits for. */
  readonly backordered: number;
}

/** A line that cannot be had: too little is free, and the partner takes no backorders for the item. */
export interface ShortLine {
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly printJobId: string;
  readonly wanted: number;
  readonly available: number;
}

export type ReserveOutcome =
  | { readonly ok: true; readonly lines: readonly ReservedLine[] }
  | { readonly ok: false; readonly short: readonly ShortLine[] };

/**
 * Reserves stock for print jobs, at one partner or several: all lines or none. Skus that a partner does not
 * keep in stock with us are its own affair (routing takes it at its word): they are passed over.
 * A step reserves once, however often it is tried: tried again, it gives what it has reserved,
 * whatever became of it since. One call per transaction, with all its lines (see {@link LockedStock}).
 * @param step names the attempt for good, e.g. `order-<id>:reserve:0`
 */
export async function reserveStock(
  tx: Transaction,
  { step, lines }: { readonly step: string; readonly lines: readonly ReservationLine[] },
): Promise<ReserveOutcome> {
  const merged = mergeLines(lines);
  const stock = await LockedStock.lock(
    tx,
    tx`(i.partner_id, i.partner_sku) IN (
      SELECT * FROM unnest(${merged.map((line) => line.partnerId)}::uuid[], ${merged.map((line) => line.partnerSku)}::text[]))`,
  );
  // Looked up behind the locks: of two attempts at once, the second sees what the first has stored.
  const before = await reservedByStep(tx, step);
  if (before.length > 0) return { ok: true, lines: before };

  const short: ShortLine[] = [];
  const reserved: { line: ReservedLine; row: object }[] = [];
  for (const { partnerId, partnerSku, printJobId, quantity, productName } of merged) {
    const item = stock.bySku(partnerId, partnerSku);
    if (item === undefined) continue;
    const free = available(item.level);
    if (free < quantity && !item.allowBackorder) {
      short.push({ partnerId, partnerSku, printJobId, wanted: quantity, available: free });
      continue;
    }
    const allocated = stock.reserve(item.id, quantity, {
      reference: `print job ${printJobId}`,
      step: `${step}:${printJobId}`,
    });
    reserved.push({
      line: { partnerId, partnerSku, printJobId, allocated, backordered: quantity - allocated },
      row: {
        item: item.id,
        partner: partnerId,
        job: printJobId,
        name: productName ?? item.productName,
        quantity,
        allocated,
      },
    });
  }
  if (short.length > 0) return { ok: false, short };
  if (reserved.length === 0) return { ok: true, lines: [] };
  await tx`
    INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, product_name, quantity, allocated)
    SELECT item, partner, job, ${step}, name, quantity, allocated FROM jsonb_to_recordset(${json(
      tx,
      reserved.map(({ row }) => row),
    )})
      AS r (item bigint, partner uuid, job bigint, name text, quantity bigint, allocated bigint)`;
  await stock.write();
  return { ok: true, lines: reserved.map(({ line }) => line) };
}

/** One line per print job and item, so that a product with two equal parts reserves once. */
function mergeLines(lines: readonly ReservationLine[]): ReservationLine[] {
  const merged = new Map<string, ReservationLine>();
  for (const line of lines) {
    const key = JSON.stringify([line.partnerId, line.partnerSku, line.printJobId]);
    const quantity = line.quantity + (merged.get(key)?.quantity ?? 0);
    merged.set(key, { ...line, quantity });
  }
  return [...merged.values()];
}

async function reservedByStep(tx: Transaction, step: string): Promise<ReservedLine[]> {
  const rows = await tx<
    { partnerId: string; partnerSku: string; printJobId: string; quantity: string; allocated: string }[]
  >`
    SELECT r.partner_id, i.partner_sku, r.print_job_id, r.quantity, r.allocated
    FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id WHERE r.step = ${step} ORDER BY r.id`;
  return rows.map(({ quantity, allocated, ...line }) => ({
    ...line,
    allocated: Number(allocated),
    backordered: Number(quantity) - Number(allocated),
  }));
}

/**
 * Settles print jobs' reservations. What printed jobs had reserved leaves the stock; what cancelled jobs
 * had reserved comes free, for waiting jobs first. Jobs without open reservations are passed over, so it may
 * be told any number of times, and what was settled once never settles otherwise afterwards.
 * One call per transaction (see {@link LockedStock}).
 * @returns how many reservations were settled now
 */
export async function settleReservations(
  tx: Transaction,
  jobs: { readonly printed?: readonly string[]; readonly cancelled?: readonly string[] },
): Promise<{ printed: number; cancelled: number }> {
  const printed = [...(jobs.printed ?? [])];
  const cancelled = [...(jobs.cancelled ?? [])];
  const stock = await LockedStock.lock(
    tx,
    tx`i.id IN (
      SELECT stock_item_id FROM stock_reservations
      WHERE print_job_id = ANY(${[...printed, ...cancelled]}::bigint[]) AND state = 'reserved')`,
  );
  // Only of locked items: what the same jobs reserve elsewhere meanwhile is a later step's.
  const settled = await tx<
    {
      id: string;
      stockItemId: string;
      printJobId: string;
      quantity: string;
      allocated: string;
      state: 'consumed' | 'released';
    }[]
  >`
    UPDATE stock_reservations
    SET state = CASE WHEN print_job_id = ANY(${printed}::bigint[]) THEN 'consumed' ELSE 'released' END, settled_at = now()
    WHERE print_job_id = ANY(${[...printed, ...cancelled]}::bigint[]) AND state = 'reserved'
      AND stock_item_id = ANY(${stock.ids()}::bigint[])
    RETURNING id, stock_item_id, print_job_id, quantity, allocated, state`;
  // Consumption first: a cancelled job's pieces must not go to one that is about to leave.
  for (const state of ['consumed', 'released'] as const) {
    const byItem = new Map<string, OpenReservation[]>();
    for (const row of settled.filter((one) => one.state === state)) {
      const { id, printJobId, stockItemId } = row;
      const reservation = {
        id,
        printJobId,
        quantity: Number(row.quantity),
        allocated: Number(row.allocated),
      };
      byItem.set(stockItemId, [...(byItem.get(stockItemId) ?? []), reservation]);
    }
    for (const [itemId, reservations] of byItem) {
      if (state === 'consumed') stock.consumeReserved(itemId, reservations);
      else stock.release(itemId, reservations);
    }
  }
  await stock.write();
  const consumed = settled.filter(({ state }) => state === 'consumed').length;
  return { printed: consumed, cancelled: settled.length - consumed };
}

/** {@link settleReservations} of printed jobs. */
export async function consumeReserved(
  tx: Transaction,
  { printJobIds }: { readonly printJobIds: readonly string[] },
): Promise<number> {
  return (await settleReservations(tx, { printed: printJobIds })).printed;
}

/** {@link settleReservations} of cancelled jobs. */
export async function releaseReservation(
  tx: Transaction,
  { printJobIds }: { readonly printJobIds: readonly string[] },
): Promise<number> {
  return (await settleReservations(tx, { cancelled: printJobIds })).cancelled;
}
