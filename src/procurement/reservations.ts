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
  /** The job's units that `quantity` is for: when fewer of them are made, so much less is used. Left out: all or nothing. */
  readonly units?: number;
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
  for (const { partnerId, partnerSku, printJobId, quantity, units, productName } of merged) {
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
        units: units ?? null,
      },
    });
  }
  if (short.length > 0) return { ok: false, short };
  if (reserved.length === 0) return { ok: true, lines: [] };
  await tx`
    INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, product_name, quantity, allocated, units)
    SELECT item, partner, job, ${step}, name, quantity, allocated, units FROM jsonb_to_recordset(${json(
      tx,
      reserved.map(({ row }) => row),
    )})
      AS r (item bigint, partner uuid, job bigint, name text, quantity bigint, allocated bigint, units int)`;
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

/** A print job that was printed. */
export interface PrintedJob {
  /** Decimal string. */
  readonly id: string;
  /** Units that were made of it, which may be fewer than were reserved for; left out: all of them. */
  readonly units?: number;
}

/**
 * Settles print jobs' reservations. What printed jobs had reserved leaves the stock, as far as it was made;
 * the rest, and what cancelled jobs had reserved, comes free, for waiting jobs first. Jobs without open reservations
 * are passed over, so it may be told any number of times, and what was settled once never settles otherwise afterwards.
 * One call per transaction (see {@link LockedStock}).
 * @returns how many reservations were settled now
 */
export async function settleReservations(
  tx: Transaction,
  jobs: { readonly printed?: readonly PrintedJob[]; readonly cancelled?: readonly string[] },
): Promise<{ printed: number; cancelled: number }> {
  const made = new Map((jobs.printed ?? []).map(({ id, units }) => [id, units]));
  const jobIds = [...made.keys(), ...(jobs.cancelled ?? [])];
  const stock = await LockedStock.lock(
    tx,
    tx`i.id IN (
      SELECT stock_item_id FROM stock_reservations
      WHERE print_job_id = ANY(${jobIds}::bigint[]) AND state = 'reserved')`,
  );
  // Only of locked items: what the same jobs reserve elsewhere meanwhile is a later step's. Behind the locks nobody
  // else settles these.
  const open = await tx<
    {
      id: string;
      stockItemId: string;
      printJobId: string;
      quantity: string;
      allocated: string;
      units: number | null;
    }[]
  >`
    SELECT id, stock_item_id, print_job_id, quantity, allocated, units FROM stock_reservations
    WHERE print_job_id = ANY(${jobIds}::bigint[]) AND state = 'reserved' AND stock_item_id = ANY(${stock.ids()}::bigint[])
    ORDER BY id`;
  if (open.length === 0) return { printed: 0, cancelled: 0 };
  const settled = open.map(({ id, stockItemId, printJobId, units, ...row }) => {
    const reserved = { quantity: Number(row.quantity), allocated: Number(row.allocated) };
    const used = made.has(printJobId) ? piecesFor(reserved.quantity, units, made.get(printJobId)) : 0;
    // What was made has taken the pieces on the shelf first.
    const allocated = Math.min(used, reserved.allocated);
    const consumed: OpenReservation = { id, printJobId, quantity: used, allocated };
    const released: OpenReservation = {
      id,
      printJobId,
      quantity: reserved.quantity - used,
      allocated: reserved.allocated - allocated,
    };
    return { id, stockItemId, consumed, released };
  });
  await tx`
    UPDATE stock_reservations r
    SET state = s.state, quantity = s.quantity, allocated = s.allocated, settled_at = now()
    FROM jsonb_to_recordset(${json(
      tx,
      settled.map(({ id, consumed, released }) =>
        consumed.quantity > 0
          ? { id, state: 'consumed', quantity: consumed.quantity, allocated: consumed.allocated }
          : { id, state: 'released', quantity: released.quantity, allocated: released.allocated },
      ),
    )}) AS s (id bigint, state text, quantity bigint, allocated bigint)
    WHERE r.id = s.id`;
  // Consumption first: a cancelled job's pieces must not go to one that is about to leave.
  for (const way of ['consumed', 'released'] as const) {
    const byItem = new Map<string, OpenReservation[]>();
    for (const one of settled) {
      if (one[way].quantity === 0) continue;
      byItem.set(one.stockItemId, [...(byItem.get(one.stockItemId) ?? []), one[way]]);
    }
    for (const [itemId, reservations] of byItem) {
      if (way === 'consumed') stock.consumeReserved(itemId, reservations);
      else stock.release(itemId, reservations);
    }
  }
  await stock.write();
  const printed = settled.filter(({ consumed }) => consumed.quantity > 0).length;
  return { printed, cancelled: settled.length - printed };
}

/** Pieces of a reservation that some units of its job take; it was made for `reservedUnits` of them. */
function piecesFor(quantity: number, reservedUnits: number | null, units: number | undefined): number {
  if (reservedUnits === null || units === undefined || units >= reservedUnits) return quantity;
  return (quantity / reservedUnits) * units;
}

/** {@link settleReservations} of printed jobs. */
export async function consumeReserved(
  tx: Transaction,
  { printJobIds }: { readonly printJobIds: readonly string[] },
): Promise<number> {
  return (await settleReservations(tx, { printed: printJobIds.map((id) => ({ id })) })).printed;
}

/** {@link settleReservations} of cancelled jobs. */
export async function releaseReservation(
  tx: Transaction,
  { printJobIds }: { readonly printJobIds: readonly string[] },
): Promise<number> {
  return (await settleReservations(tx, { cancelled: printJobIds })).cancelled;
}
