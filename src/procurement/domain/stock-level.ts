/**
 * Arithmetic of one stock item. Three numbers say all:
 * what stands on the shelf, how much of it is promised to print jobs, and what demand waits for more.
 *
 * Two rules hold after every function here, and the database checks them again:
 * `0 <= reserved <= quantity`, and nobody waits while stock is free (`backorder = 0` or `quantity = reserved`).
 */
export interface StockLevel {
  /** On the shelf, reserved pieces included. */
  readonly quantity: number;
  /** Promised to print jobs, and still on the shelf. */
  readonly reserved: number;
  /** Consumption beyond stock, plus what reservations lack. */
  readonly backorder: number;
}

export const EMPTY_LEVEL: StockLevel = { quantity: 0, reserved: 0, backorder: 0 };

/** A print job's claim on the item: `allocated` of `quantity` stands on the shelf, the rest waits. */
export interface Reservation {
  readonly quantity: number;
  readonly allocated: number;
}

/** A reservation that lacks pieces; lists of these are ordered by age. */
export interface WaitingReservation {
  readonly id: string;
  readonly missing: number;
}

/** Pieces that a reservation gets out of stock that came free. */
export interface Allocation {
  readonly reservationId: string;
  readonly quantity: number;
}

export interface LevelChange {
  readonly level: StockLevel;
  readonly allocations: readonly Allocation[];
}

/** Pieces that may still be promised or consumed. */
export function available(level: StockLevel): number {
  return level.quantity - level.reserved;
}

/**
 * Free stock goes to the backorder first: to consumption beyond stock (those pieces have left the
 * shelf already), then to waiting reservations by age.
 */
function serveBackorder(level: StockLevel, waiting: readonly WaitingReservation[]): LevelChange {
  const lacking = waiting.reduce((sum, { missing }) => sum + missing, 0);
  const left = Math.min(available(level), level.backorder - lacking);
  let free = available(level) - left;
  const allocations: Allocation[] = [];
  for (const { id, missing } of waiting) {
    if (free === 0) break;
    const given = Math.min(free, missing);
    allocations.push({ reservationId: id, quantity: given });
    free -= given;
  }
  const allocated = allocations.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    level: {
      quantity: level.quantity - left,
      reserved: level.reserved + allocated,
      backorder: level.backorder - left - allocated,
    },
    allocations,
  };
}

/** Stock arrives: adjust-stock `add`, or a receipt of a procurement order. */
export function takeIn(
  level: StockLevel,
  quantity: number,
  waiting: readonly WaitingReservation[],
): LevelChange {
  return serveBackorder({ ...level, quantity: level.quantity + quantity }, waiting);
}

/** adjust-stock `consume`: lowers stock as far as it is available, the rest becomes a backorder. */
export function consume(level: StockLevel, quantity: number): StockLevel {
  const taken = Math.min(available(level), quantity);
  return { ...level, quantity: level.quantity - taken, backorder: level.backorder + quantity - taken };
}

/** Promises pieces to a print job; what is not available waits. */
export function reserve(level: StockLevel, quantity: number): { level: StockLevel; allocated: number } {
  const allocated = Math.min(available(level), quantity);
  return {
    level: {
      ...level,
      reserved: level.reserved + allocated,
      backorder: level.backorder + quantity - allocated,
    },
    allocated,
  };
}

/** The print job was printed. Pieces it lacked were printed all the same, so they stay owed as a backorder. */
export function consumeReserved(level: StockLevel, { allocated }: Reservation): StockLevel {
  return { ...level, quantity: level.quantity - allocated, reserved: level.reserved - allocated };
}

/**
 * The print job will not be printed: its pieces come free, for those who wait first.
 * @param waiting the other waiting reservations, without this one
 */
export function release(
  level: StockLevel,
  { quantity, allocated }: Reservation,
  waiting: readonly WaitingReservation[],
): LevelChange {
  const freed = {
    quantity: level.quantity,
    reserved: level.reserved - allocated,
    backorder: level.backorder - (quantity - allocated),
  };
  return serveBackorder(freed, waiting);
}

export type AlertUid = 'back_order' | 'out_of_stock' | 'low_stock';

/**
 * What the inventory list warns of (interface "Inventory item"), the gravest first; null when all is well.
 * Reserved pieces do not count: they are spoken for.
 */
export function alertUid(level: StockLevel, minStock: number): AlertUid | null {
  if (level.backorder > 0) return 'back_order';
  if (available(level) === 0) return 'out_of_stock';
  return available(level) <= minStock ? 'low_stock' : null;
}

/**
 * Pieces to buy now: once free stock, what is on order and what is owed together have fallen to the minimum,
 * so much that they reach the maximum; 0 above the minimum.
 */
export function reorderQuantity(
  level: StockLevel,
  limits: { readonly minStock: number; readonly maxStock: number; readonly quantityOrdered: number },
): number {
  const position = available(level) - level.backorder + limits.quantityOrdered;
  return position > limits.minStock ? 0 : Math.max(0, limits.maxStock - position);
}
