import { json, type Transaction } from '../platform/postgres';
import { available } from './domain/stock-level';
import { LockedStock, type OpenReservation } from './locked-stock';

/** Pieces of a stock item that one print job needs. */
export interface ReservationLine {
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly quantity: number;
  /** Decimal string. */
  readonly printJobId: string;
  /**
   * Units of the print job that `quantity` covers. When fewer units are made, proportionally fewer pieces are consumed.
   * Default: all or nothing.
   */
  readonly units?: number;
  readonly productName?: string | null;
}

type LineKey = Pick<ReservationLine, 'partnerId' | 'partnerSku' | 'printJobId'>;

/** The pieces of a line that are allocated from stock, and those that the print job waits for. */
type ReservedLine = LineKey & { readonly allocated: number; readonly backordered: number };

/** A line that cannot be reserved: too little stock is available and the item does not allow backorders. */
type ShortLine = LineKey & { readonly wanted: number; readonly available: number };

export type ReserveOutcome =
  | { readonly ok: true; readonly lines: readonly ReservedLine[] }
  | { readonly ok: false; readonly short: readonly ShortLine[] };

/**
 * Reserves stock for print jobs, at one or several partners: all lines or none. Skips SKUs that are not stock items of
 * the partner, which the partner then manages itself. Idempotent: a repeated step returns its first reservations,
 * whatever their state is now. Call it once per transaction, with all lines (see {@link LockedStock}).
 * @param step idempotency key of the step, for example `order-<id>:reserve:0`
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
  // Read after locking: of two concurrent attempts, the second one sees what the first one stored.
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

/** Merges lines of the same print job and item, so that a product with two equal parts has one reservation. */
function mergeLines(lines: readonly ReservationLine[]): ReservationLine[] {
  const merged = new Map<string, ReservationLine>();
  for (const line of lines) {
    const key = JSON.stringify([line.partnerId, line.partnerSku, line.printJobId]);
    const quantity = line.quantity + (merged.get(key)?.quantity ?? 0);
    merged.set(key, { ...line, quantity });
  }
  return [...merged.values()];
}

/**
 * Reserves again what was released of print jobs, or of units of them, that are made after all, as far as there is stock. Locks all
 * items of the jobs first, so that the transaction can settle them afterwards.
 * @param step idempotency key
 * @param jobs with the units that are to be made
 */
export async function reserveAgain(
  tx: Transaction,
  { step, jobs }: { readonly step: string; readonly jobs: readonly Required<PrintedJob>[] },
): Promise<void> {
  const jobIds = jobs.map(({ id }) => id);
  const ofJobs = tx`FROM stock_reservations r WHERE r.print_job_id = ANY(${jobIds}::bigint[])`;
  await tx`SELECT FROM stock_items i WHERE i.id IN (SELECT r.stock_item_id ${ofJobs}) ORDER BY i.id FOR NO KEY UPDATE`;
  await restoreUnits(tx, step, jobs);
  const released = await tx<ReservationLine[]>`
    SELECT DISTINCT ON (r.print_job_id, i.id) r.partner_id, i.partner_sku, r.print_job_id, r.product_name, r.units,
      r.quantity::float8
    FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id
    WHERE r.print_job_id = ANY(${jobIds}::bigint[]) AND r.state = 'released' AND NOT EXISTS (
      SELECT FROM stock_reservations o
      WHERE o.print_job_id = r.print_job_id AND o.stock_item_id = i.id AND o.state <> 'released')
    ORDER BY r.print_job_id, i.id, r.id DESC`;
  const lines = released.map(({ units, ...line }) => (units == null ? line : { ...line, units }));
  if (lines.length > 0) await reserveStock(tx, { step, lines });
}

/**
 * Adds what open reservations lack of the units that are to be made. Such a reservation gets another id, and with it a place at
 * the end of those that wait: the steps of movements have the id, and its units can be released once more.
 */
async function restoreUnits(tx: Transaction, step: string, jobs: readonly Required<PrintedJob>[]): Promise<void> {
  const reduced = await tx<
    { id: string; item: string; job: string; pieces: number; units: number; isBound: boolean }[]
  >`
    SELECT r.id, i.id AS item, r.print_job_id AS job, (r.quantity / r.units * (j.units - r.units))::float8 AS pieces,
      j.units, NOT i.allow_backorder AS is_bound
    FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id
    JOIN jsonb_to_recordset(${json(tx, jobs)}) AS j (id bigint, units int) ON j.id = r.print_job_id
    WHERE r.state = 'reserved' AND r.units < j.units ORDER BY r.id`;
  if (reduced.length === 0) return;
  const stock = await LockedStock.lock(tx, tx`i.id = ANY(${reduced.map(({ item }) => item)}::bigint[])`);
  const rows = reduced.flatMap(({ id, item, job, pieces, units, isBound }) => {
    if (isBound && available(stock.levelOf(item)) < pieces) return [];
    const cause = { reference: `print job ${job}`, step: `${step}:${job}:${id}` };
    return [{ id, pieces, units, allocated: stock.reserve(item, pieces, cause) }];
  });
  await tx`
    UPDATE stock_reservations r
    SET id = DEFAULT, quantity = r.quantity + a.pieces, allocated = r.allocated + a.allocated, units = a.units
    FROM jsonb_to_recordset(${json(tx, rows)}) AS a (id bigint, pieces bigint, allocated bigint, units int)
    WHERE r.id = a.id`;
  await stock.write();
}

async function reservedByStep(tx: Transaction, step: string): Promise<ReservedLine[]> {
  return await tx<ReservedLine[]>`
    SELECT r.partner_id, i.partner_sku, r.print_job_id, r.allocated::float8, (r.quantity - r.allocated)::float8 AS backordered
    FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id WHERE r.step = ${step} ORDER BY r.id`;
}

/** A printed job. */
export interface PrintedJob {
  /** Decimal string. */
  readonly id: string;
  /** Units that were made. They can be fewer than the units that were reserved for. Default: all of them. */
  readonly units?: number;
}

type ReservationRow = Omit<OpenReservation, 'left'> & {
  readonly stockItemId: string;
  readonly units: number | null;
};

/** An open reservation, divided into the part that is consumed and the part that is released. */
interface Settlement {
  readonly id: string;
  readonly stockItemId: string;
  /** True when the job is still to be made: nothing is consumed, and the rest stays reserved. */
  readonly isOpen: boolean;
  readonly consumed: OpenReservation;
  readonly released: OpenReservation;
}

function divide(
  { id, stockItemId, printJobId, quantity, allocated }: ReservationRow,
  used: number,
  isOpen: boolean,
): Settlement {
  // The units that were made used the allocated pieces first.
  const taken = Math.min(used, allocated);
  const left = isOpen ? used : 0;
  return {
    id,
    stockItemId,
    isOpen,
    consumed: { id, printJobId, quantity: used, allocated: taken, left },
    released: { id, printJobId, quantity: quantity - used, allocated: allocated - taken, left },
  };
}

/**
 * Settles the reservations of print jobs. Consumes the pieces of printed jobs, as far as their units were made. Releases
 * the rest and the pieces of cancelled jobs, which waiting jobs get first. Of reduced jobs, which are still to be made, it
 * releases what their units do not need. Skips jobs without open reservations, so a
 * repeated call changes nothing. Call it once per transaction (see {@link LockedStock}).
 * @returns the numbers of reservations that this call settled
 */
export async function settleReservations(
  tx: Transaction,
  jobs: {
    readonly printed?: readonly PrintedJob[];
    readonly reduced?: readonly PrintedJob[];
    readonly cancelled?: readonly string[];
  },
): Promise<{ printed: number; cancelled: number }> {
  const { printed: printedJobs = [], reduced = [] } = jobs;
  const made = new Map([...reduced, ...printedJobs].map(({ id, units }) => [id, units]));
  const jobIds = [...made.keys(), ...(jobs.cancelled ?? [])];
  const stock = await LockedStock.lock(
    tx,
    tx`i.id IN (
      SELECT stock_item_id FROM stock_reservations
      WHERE print_job_id = ANY(${jobIds}::bigint[]) AND state = 'reserved')`,
  );
  if (stock.ids().length === 0) return { printed: 0, cancelled: 0 };
  // Only reservations of locked items: a concurrent step may reserve other items for the same jobs. The locks prevent
  // other transactions from settling these.
  const open = await tx<ReservationRow[]>`
    SELECT id, stock_item_id, print_job_id, quantity::float8, allocated::float8, units FROM stock_reservations
    WHERE print_job_id = ANY(${jobIds}::bigint[]) AND state = 'reserved' AND stock_item_id = ANY(${stock.ids()}::bigint[])
    ORDER BY id`;
  if (open.length === 0) return { printed: 0, cancelled: 0 };
  const settlements = open.map((row) => {
    const { printJobId } = row;
    const isCancelled = jobs.cancelled?.includes(printJobId) === true || !made.has(printJobId);
    const isOpen = !isCancelled && !printedJobs.some(({ id }) => id === printJobId);
    return divide(row, isCancelled ? 0 : piecesFor(row.quantity, row.units, made.get(printJobId)), isOpen);
  });
  await storeSettlements(tx, settlements);
  // Consume first: the pieces of a cancelled job must not be allocated to a job that is being settled.
  for (const part of ['consumed', 'released'] as const) {
    const byItem = new Map<string, OpenReservation[]>();
    for (const settlement of settlements) {
      if (settlement[part].quantity === 0 || (part === 'consumed' && settlement.isOpen)) continue;
      const { stockItemId } = settlement;
      byItem.set(stockItemId, [...(byItem.get(stockItemId) ?? []), settlement[part]]);
    }
    for (const [itemId, reservations] of byItem) {
      if (part === 'consumed') stock.consumeReserved(itemId, reservations);
      else stock.release(itemId, reservations);
    }
  }
  await stock.write();
  const settled = settlements.filter(({ isOpen }) => !isOpen);
  const printed = settled.filter(({ consumed }) => consumed.quantity > 0).length;
  return { printed, cancelled: settled.length - printed };
}

async function storeSettlements(tx: Transaction, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map(({ consumed, released, isOpen }) => {
    if (isOpen) return { ...consumed, state: 'reserved' };
    return consumed.quantity > 0 ? { ...consumed, state: 'consumed' } : { ...released, state: 'released' };
  });
  await tx`
    UPDATE stock_reservations r
    SET state = s.state, allocated = s.allocated, settled_at = CASE WHEN s.state <> 'reserved' THEN now() END,
      units = CASE WHEN s.state = 'reserved' THEN r.units * s.quantity / r.quantity ELSE r.units END, quantity = s.quantity
    FROM jsonb_to_recordset(${json(tx, rows)}) AS s (id bigint, state text, quantity bigint, allocated bigint)
    WHERE r.id = s.id`;
}

/** Returns the pieces of a reservation that are used when `units` of the `reservedUnits` are made. */
function piecesFor(quantity: number, reservedUnits: number | null, units: number | undefined): number {
  if (reservedUnits === null || units === undefined || units >= reservedUnits) return quantity;
  return (quantity / reservedUnits) * units;
}
