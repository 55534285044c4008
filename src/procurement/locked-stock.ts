import { procurementWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import { json, type Statement, type Transaction } from '../platform/postgres';
import {
  type Allocation,
  consume,
  consumeReserved,
  type Reservation,
  receive,
  release,
  reorderQuantity,
  reserve,
  type StockLevel,
} from './domain/stock-level';
import {
  type Cause,
  type LockedItem,
  lockItems,
  type MovementType,
  type NewMovement,
  type StockItem,
  storeStockChanges,
} from './locked-stock-rows';

/** A reservation to settle, or the part of it that is settled one way. */
export interface OpenReservation extends Reservation {
  readonly id: string;
  readonly printJobId: string;
  /** Pieces of the reservation that stay reserved: those of a job that is still to be made. */
  readonly left: number;
}

/**
 * Returns the cause of a settlement. The step has a reservation id and the pieces that stay reserved, so that no movement is
 * written twice. A job can lose units several times before it ends: each time, fewer pieces stay reserved.
 */
function settlementCause(
  type: 'consume_reserved' | 'release',
  reservations: readonly OpenReservation[],
): Required<Cause> {
  return {
    reference: `print job ${reservations.map(({ printJobId }) => printJobId).join(', ')}`,
    step: `${type}:${reservations[0]!.id}:${reservations[0]!.left}`,
  };
}

/**
 * Stock items that are locked by the caller's transaction. Changes are collected in order; {@link LockedStock.write}
 * stores levels and ledger together.
 *
 * Every transaction that changes levels uses this class and locks rows by ascending id. This prevents deadlocks between
 * concurrent adjustments, reservations and receipts. A transaction must lock all its items in one call.
 */
export class LockedStock {
  private readonly items: Map<string, LockedItem>;
  private readonly movements: NewMovement[] = [];
  private readonly allocations: Allocation[] = [];

  private constructor(
    private readonly tx: Transaction,
    items: readonly LockedItem[],
  ) {
    this.items = new Map(items.map((item) => [item.id, item]));
  }

  /**
   * Locks items and reads their levels.
   * @param which condition on `stock_items i`
   */
  static async lock(tx: Transaction, which: Statement): Promise<LockedStock> {
    return new LockedStock(tx, await lockItems(tx, which));
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

  levelOf(itemId: string): StockLevel {
    return this.item(itemId).level;
  }

  add(itemId: string, quantity: number, cause: Cause): void {
    this.arrive('add', itemId, quantity, cause);
  }

  /** Adds goods of a procurement order and reduces the quantity on order. */
  receive(itemId: string, quantity: number, cause: Cause): void {
    this.arrive('receive', itemId, quantity, cause);
    this.changeOrdered(itemId, -quantity);
  }

  consume(itemId: string, quantity: number, cause: Cause): void {
    const item = this.item(itemId);
    this.move(item, 'consume', quantity, consume(item.level, quantity), cause);
  }

  /** @returns the pieces that are allocated now; the rest waits as backorder */
  reserve(itemId: string, quantity: number, cause: Cause): number {
    const item = this.item(itemId);
    const { level, allocated } = reserve(item.level, quantity);
    this.move(item, 'reserve', quantity, level, cause);
    return allocated;
  }

  /** Consumes the printed parts of reservations of one item. They must no longer be `reserved` in the database. */
  consumeReserved(itemId: string, reservations: readonly OpenReservation[]): void {
    const item = this.item(itemId);
    const total = this.takeOut(item, reservations);
    const level = consumeReserved(item.level, total);
    const cause = settlementCause('consume_reserved', reservations);
    this.move(item, 'consume_reserved', total.quantity, level, cause);
  }

  /** Releases the unprinted parts of reservations of one item. They must no longer be `reserved` in the database. */
  release(itemId: string, reservations: readonly OpenReservation[]): void {
    const item = this.item(itemId);
    const total = this.takeOut(item, reservations);
    const { level, allocations } = release(item.level, total, item.waiting);
    this.allocate(item, allocations);
    this.move(item, 'release', total.quantity, level, settlementCause('release', reservations));
  }

  /** Changes the quantity on order by a positive or negative number of pieces. */
  changeOrdered(itemId: string, pieces: number): void {
    const item = this.item(itemId);
    item.quantityOrdered = Math.max(0, item.quantityOrdered + pieces);
    item.changed = true;
  }

  /**
   * Stores all changes, and raises procurement orders for the locked items that are at or below their minimum.
   * Call it once, at the end of the transaction.
   */
  async write(): Promise<void> {
    const reorders = [...this.items.values()].flatMap((item) => this.reorder(item));
    const changed = [...this.items.values()].filter((item) => item.changed);
    if (changed.length === 0) return;
    await storeStockChanges(this.tx, changed, this.allocations, this.movements);
    await raiseProcurementOrders(this.tx, reorders);
  }

  private item(itemId: string): LockedItem {
    const item = this.items.get(itemId);
    if (item === undefined) throw new Error(`stock item ${itemId} is not locked`);
    return item;
  }

  private arrive(type: 'add' | 'receive', itemId: string, quantity: number, cause: Cause): void {
    const item = this.item(itemId);
    const { level, allocations } = receive(item.level, quantity, item.waiting);
    this.allocate(item, allocations);
    this.move(item, type, quantity, level, cause);
  }

  /**
   * Removes reservations from the waiting list and returns their sum. All reservations of one settlement are removed
   * first, so that pieces freed by one are not allocated to another.
   */
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

  private move(item: LockedItem, type: MovementType, quantity: number, after: StockLevel, cause: Cause): void {
    this.movements.push({ itemId: item.id, type, quantity, before: item.level, after, ...cause });
    item.level = after;
    item.changed = true;
  }

  private reorder(item: LockedItem): Reorder[] {
    if (item.supplier === null) return [];
    const quantity = reorderQuantity(item.level, item);
    if (quantity === 0) return [];
    this.changeOrdered(item.id, quantity);
    return [{ item, supplier: item.supplier, quantity }];
  }
}

/** A stock item that has fallen to its minimum, and the quantity to buy. */
interface Reorder {
  readonly item: Pick<LockedItem, 'id' | 'partnerId' | 'vatPercentage'>;
  readonly supplier: NonNullable<LockedItem['supplier']>;
  readonly quantity: number;
}

/**
 * Raises one procurement order per partner, supplier and currency. Its workflow starts after the caller's transaction
 * commits. The caller stores the quantity on order.
 */
async function raiseProcurementOrders(tx: Transaction, reorders: readonly Reorder[]): Promise<void> {
  const bySupplier = new Map<string, Reorder[]>();
  for (const reorder of reorders) {
    const { item, supplier } = reorder;
    const key = JSON.stringify([item.partnerId, supplier.uid, supplier.currency]);
    bySupplier.set(key, [...(bySupplier.get(key) ?? []), reorder]);
  }
  for (const lines of bySupplier.values()) await raise(tx, lines);
}

async function raise(tx: Transaction, lines: readonly Reorder[]): Promise<void> {
  const { item, supplier } = lines[0]!;
  const [order] = await tx<{ id: string }[]>`
    INSERT INTO procurement_orders (partner_id, supplier_uid, currency)
    VALUES (${item.partnerId}, ${supplier.uid}, ${supplier.currency}) RETURNING id`;
  const orderId = Number(order!.id);
  const items = lines.map(({ item, supplier, quantity }, index) => ({
    position: index + 1,
    item: item.id,
    quantity,
    cost: supplier.unitCostMinor,
    vat: item.vatPercentage,
  }));
  await tx`
    WITH raised AS (
      INSERT INTO procurement_order_events (procurement_order_id, type, actor) VALUES (${orderId}, 'raised', 'reorder')
    )
    INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor, vat_percentage)
    SELECT ${orderId}, position, item, quantity, cost, vat
    FROM jsonb_to_recordset(${json(tx, items)}) AS l (position int, item bigint, quantity bigint, cost numeric, vat numeric)`;
  await enqueue(tx, {
    kind: 'start_workflow',
    target: procurementWorkflowId(orderId),
    payload: {
      workflowType: WORKFLOW_TYPES.procurementOrder,
      args: [{ orderId }],
      memo: { supplierUid: supplier.uid, items: items.length },
      summary: `Procurement order ${orderId} at ${supplier.uid}`,
    },
  });
}
