import type { PendingQuery, Row } from 'postgres';
import { json, type Transaction } from '../platform/postgres';
import {
  type Allocation,
  consume,
  consumeReserved,
  type Reservation,
  release,
  reorderQuantity,
  reserve,
  type StockLevel,
  takeIn,
  type WaitingReservation,
} from './domain/stock-level';
import { type Reorder, raiseProcurementOrders } from './reorder';

export type MovementType = 'add' | 'consume' | 'reserve' | 'release' | 'consume_reserved' | 'receive';

/** What a movement refers to: a client's reference, and the step of a run that must not count twice. */
interface Cause {
  readonly reference?: string;
  readonly step?: string;
}

interface Movement extends Cause {
  readonly itemId: string;
  readonly type: MovementType;
  readonly quantity: number;
  readonly before: StockLevel;
  readonly after: StockLevel;
}

/** A locked item; its level is the present one, changes that are not yet written included. */
export interface StockItem {
  readonly id: string;
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly productName: string | null;
  readonly allowBackorder: boolean;
  readonly level: StockLevel;
}

interface LockedItem extends StockItem {
  level: StockLevel;
  quantityOrdered: number;
  changed: boolean;
  waiting: WaitingReservation[];
  readonly minStock: number;
  readonly maxStock: number;
  readonly supplier: {
    readonly uid: string;
    readonly unitCostMinor: number;
    readonly currency: string;
  } | null;
  readonly vatPercentage: string | null;
}

/** A reservation, or the part of it, that is about to be settled. */
export interface OpenReservation extends Reservation {
  readonly id: string;
  readonly printJobId: string;
}

/** A reservation is settled once, in one way or in both: its id keeps a movement from being written twice. */
function settling(
  way: 'consume_reserved' | 'release',
  reservations: readonly OpenReservation[],
): Required<Cause> {
  return {
    reference: `print job ${reservations.map(({ printJobId }) => printJobId).join(', ')}`,
    step: `${way}:${reservations[0]!.id}`,
  };
}

interface ItemRow {
  id: string;
  partnerId: string;
  partnerSku: string;
  productName: string | null;
  allowBackorder: boolean;
  quantity: string;
  reserved: string;
  backorder: string;
  minStock: string;
  maxStock: string;
  quantityOrdered: string;
  supplierUid: string | null;
  unitCostMinor: string | null;
  costCurrency: string | null;
  vatPercentage: string | null;
}

/**
 * Stock items that the caller's transaction has locked. Changes gather here, in the order in which they
 * are made, and {@link LockedStock.write} stores levels and ledger together.
 *
 * Every transaction that changes levels comes through here, and rows are always locked by ascending id:
 * that is what keeps concurrent adjustments, reservations and receipts free of deadlocks. A transaction
 * locks once, all its items together.
 */
export class LockedStock {
  private readonly items: Map<string, LockedItem>;
  private readonly movements: Movement[] = [];
  private readonly allocations: Allocation[] = [];

  private constructor(
    private readonly tx: Transaction,
    rows: readonly ItemRow[],
    waiting: readonly { id: string; stockItemId: string; missing: string }[],
  ) {
    this.items = new Map(rows.map((row) => [row.id, lockedItem(row)]));
    for (const { id, stockItemId, missing } of waiting) {
      this.items.get(stockItemId)!.waiting.push({ id, missing: Number(missing) });
    }
  }

  /**
   * Locks items and reads their levels.
   * @param which condition on `stock_items i`
   */
  static async lock(tx: Transaction, which: PendingQuery<Row[]>): Promise<LockedStock> {
    const rows = await tx<ItemRow[]>`
      SELECT i.id, i.partner_id, i.partner_sku, i.product_name, i.allow_backorder, i.quantity, i.reserved, i.backorder,
             i.min_stock, i.max_stock, i.quantity_ordered, i.supplier_uid, i.unit_cost_minor, i.cost_currency, i.vat_percentage
      FROM stock_items i WHERE ${which} ORDER BY i.id FOR NO KEY UPDATE OF i`;
    const short = rows.filter(({ backorder }) => backorder !== '0').map(({ id }) => id);
    const waiting =
      short.length === 0
        ? []
        : await tx<{ id: string; stockItemId: string; missing: string }[]>`
            SELECT id, stock_item_id, quantity - allocated AS missing FROM stock_reservations
            WHERE stock_item_id = ANY(${short}::bigint[]) AND state = 'reserved' AND allocated < quantity ORDER BY id`;
    return new LockedStock(tx, rows, waiting);
  }

  bySku(partnerId: string, partnerSku: string): StockItem | undefined {
    for (const item of this.items.values()) {
      if (item.partnerSku === partnerSku && item.partnerId === partnerId) return item;
    }
    return undefined;
  }

  ids(): string[] {
    return [...this.items.keys()];
  }

  add(itemId: string, quantity: number, cause: Cause): void {
    this.arrive('add', itemId, quantity, cause);
  }

  /** Goods of a procurement order: they come in, and are no longer on order. */
  receive(itemId: string, quantity: number, cause: Cause): void {
    this.arrive('receive', itemId, quantity, cause);
    this.expect(itemId, -quantity);
  }

  consume(itemId: string, quantity: number, cause: Cause): void {
    const item = this.item(itemId);
    this.move(item, 'consume', quantity, consume(item.level, quantity), cause);
  }

  /** @returns how many pieces the reservation gets at once; the rest waits */
  reserve(itemId: string, quantity: number, cause: Cause): number {
    const item = this.item(itemId);
    const { level, allocated } = reserve(item.level, quantity);
    this.move(item, 'reserve', quantity, level, cause);
    return allocated;
  }

  /** Reservations of one item, as far as they were printed; they are no longer `reserved` in the database. */
  consumeReserved(itemId: string, reservations: readonly OpenReservation[]): void {
    const item = this.item(itemId);
    const together = this.takeOut(item, reservations);
    this.move(
      item,
      'consume_reserved',
      together.quantity,
      consumeReserved(item.level, together),
      settling('consume_reserved', reservations),
    );
  }

  /** Reservations of one item, as far as they will not be printed; they are no longer `reserved` in the database. */
  release(itemId: string, reservations: readonly OpenReservation[]): void {
    const item = this.item(itemId);
    const together = this.takeOut(item, reservations);
    const { level, allocations } = release(item.level, together, item.waiting);
    this.allocate(item, allocations);
    this.move(item, 'release', together.quantity, level, settling('release', reservations));
  }

  /** Raises (or, negative, lowers) what is on order. */
  expect(itemId: string, pieces: number): void {
    const item = this.item(itemId);
    item.quantityOrdered = Math.max(0, item.quantityOrdered + pieces);
    item.changed = true;
  }

  /**
   * Stores what has changed, and raises procurement orders for locked items that stand at their minimum or below.
   * To be called once, before the transaction ends.
   */
  async write(): Promise<void> {
    const reorders = [...this.items.values()].flatMap((item) => this.reorder(item));
    const changed = [...this.items.values()].filter((item) => item.changed);
    if (changed.length === 0) return;
    const levels = changed.map(({ id, level, quantityOrdered }) => ({
      id,
      ...level,
      ordered: quantityOrdered,
    }));
    const movements = this.movements.map(({ itemId, type, quantity, before, after, reference, step }) => ({
      item: itemId,
      type,
      quantity,
      dq: after.quantity - before.quantity,
      dr: after.reserved - before.reserved,
      db: after.backorder - before.backorder,
      reference: reference ?? null,
      step: step ?? null,
    }));
    const tx = this.tx;
    await tx`
      WITH levelled AS (
        UPDATE stock_items i
        SET quantity = l.quantity, reserved = l.reserved, backorder = l.backorder, quantity_ordered = l.ordered
        FROM jsonb_to_recordset(${json(tx, levels)})
          AS l (id bigint, quantity bigint, reserved bigint, backorder bigint, ordered bigint)
        WHERE i.id = l.id
      ), allocated AS (
        UPDATE stock_reservations r SET allocated = r.allocated + a.quantity
        FROM (
          -- A reservation may have got pieces more than once; an UPDATE takes only one row for each.
          SELECT "reservationId" AS id, sum(quantity) AS quantity
          FROM jsonb_to_recordset(${json(tx, this.allocations)}) AS a ("reservationId" bigint, quantity bigint) GROUP BY 1
        ) a
        WHERE r.id = a.id
      )
      INSERT INTO stock_movements (stock_item_id, type, quantity, quantity_delta, reserved_delta, backorder_delta, reference, step)
      SELECT m.item, m.type, m.quantity, m.dq, m.dr, m.db, m.reference, m.step
      FROM jsonb_to_recordset(${json(tx, movements)})
        AS m (item bigint, type text, quantity bigint, dq bigint, dr bigint, db bigint, reference text, step text)`;
    await raiseProcurementOrders(tx, reorders);
  }

  private item(itemId: string): LockedItem {
    const item = this.items.get(itemId);
    if (item === undefined) throw new Error(`stock item ${itemId} is not locked`);
    return item;
  }

  private arrive(type: 'add' | 'receive', itemId: string, quantity: number, cause: Cause): void {
    const item = this.item(itemId);
    const { level, allocations } = takeIn(item.level, quantity, item.waiting);
    this.allocate(item, allocations);
    this.move(item, type, quantity, level, cause);
  }

  /** Settled together, so that what one of them frees is not given to another that is leaving too. */
  private takeOut(item: LockedItem, reservations: readonly OpenReservation[]): Reservation {
    const leaving = new Set(reservations.map(({ id }) => id));
    item.waiting = item.waiting.filter(({ id }) => !leaving.has(id));
    return {
      quantity: reservations.reduce((sum, { quantity }) => sum + quantity, 0),
      allocated: reservations.reduce((sum, { allocated }) => sum + allocated, 0),
    };
  }

  private allocate(item: LockedItem, allocations: readonly Allocation[]): void {
    for (const { reservationId, quantity } of allocations) {
      item.waiting = item.waiting
        .map((waiting) =>
          waiting.id === reservationId ? { ...waiting, missing: waiting.missing - quantity } : waiting,
        )
        .filter(({ missing }) => missing > 0);
    }
    this.allocations.push(...allocations);
  }

  private move(
    item: LockedItem,
    type: MovementType,
    quantity: number,
    after: StockLevel,
    cause: Cause,
  ): void {
    this.movements.push({ itemId: item.id, type, quantity, before: item.level, after, ...cause });
    item.level = after;
    item.changed = true;
  }

  private reorder(item: LockedItem): Reorder[] {
    if (item.supplier === null) return [];
    const quantity = reorderQuantity(item.level, item);
    if (quantity === 0) return [];
    this.expect(item.id, quantity);
    return [
      {
        stockItemId: item.id,
        partnerId: item.partnerId,
        supplierUid: item.supplier.uid,
        currency: item.supplier.currency,
        unitCostMinor: item.supplier.unitCostMinor,
        vatPercentage: item.vatPercentage,
        quantity,
      },
    ];
  }
}

function lockedItem(row: ItemRow): LockedItem {
  return {
    id: row.id,
    partnerId: row.partnerId,
    partnerSku: row.partnerSku,
    productName: row.productName,
    allowBackorder: row.allowBackorder,
    level: {
      quantity: Number(row.quantity),
      reserved: Number(row.reserved),
      backorder: Number(row.backorder),
    },
    quantityOrdered: Number(row.quantityOrdered),
    changed: false,
    waiting: [],
    minStock: Number(row.minStock),
    maxStock: Number(row.maxStock),
    supplier:
      row.supplierUid === null
        ? null
        : { uid: row.supplierUid, unitCostMinor: Number(row.unitCostMinor), currency: row.costCurrency! },
    vatPercentage: row.vatPercentage,
  };
}
