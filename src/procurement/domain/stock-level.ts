/**
 * The level of one stock item, in pieces.
 *
 * Every function in this file keeps two invariants, which the database checks too: `0 <= reserved <= quantity`, and no
 * backorder while stock is available (`backorder = 0` or `quantity = reserved`).
 */
export interface StockLevel {
  /** Pieces in stock, including reserved ones. */
  readonly quantity: number;
  /** Pieces in stock that are allocated to print jobs. */
  readonly reserved: number;
  /** Consumption beyond the stock, plus the missing pieces of reservations. */
  readonly backorder: number;
}

export const EMPTY_LEVEL: StockLevel = { quantity: 0, reserved: 0, backorder: 0 };

/** The pieces that a print job needs (`quantity`), and those of them that are allocated from stock. */
export interface Reservation {
  readonly quantity: number;
  readonly allocated: number;
}

/** A reservation with missing pieces. Lists of these are ordered by age, oldest first. */
export interface WaitingReservation {
  readonly id: string;
  readonly missing: number;
}

/** Pieces that are newly allocated to a waiting reservation. */
export interface Allocation {
  readonly reservationId: string;
  readonly quantity: number;
}

export interface LevelChange {
  readonly level: StockLevel;
  readonly allocations: readonly Allocation[];
}

/** Returns the pieces that can be reserved or consumed. */
export function available(level: StockLevel): number {
  return level.quantity - level.reserved;
}

/**
 * Uses available stock for the backorder: first for consumption beyond the stock (those pieces were already used), then
 * for waiting reservations by age.
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

/** Adds pieces: adjust-stock `add`, or a receipt of a procurement order. */
export function receive(level: StockLevel, quantity: number, waiting: readonly WaitingReservation[]): LevelChange {
  return serveBackorder({ ...level, quantity: level.quantity + quantity }, waiting);
}

/** Removes pieces: adjust-stock `consume`. What exceeds the available stock becomes a backorder. */
export function consume(level: StockLevel, quantity: number): StockLevel {
  const taken = Math.min(available(level), quantity);
  return { ...level, quantity: level.quantity - taken, backorder: level.backorder + quantity - taken };
}

/** Reserves pieces for a print job. What exceeds the available stock becomes a backorder. */
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

/** Consumes a reservation of a printed job. Its missing pieces were used all the same, so they stay in the backorder. */
export function consumeReserved(level: StockLevel, { allocated }: Reservation): StockLevel {
  return { ...level, quantity: level.quantity - allocated, reserved: level.reserved - allocated };
}

/**
 * Releases a reservation of a job that will not be printed. Waiting reservations get its pieces first.
 * @param waiting the waiting reservations without this one
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
 * Returns the most severe alert of a stock item (operation `listInventory`), or null. Reserved pieces do not count as
 * stock.
 */
export function alertUid(level: StockLevel, minStock: number): AlertUid | null {
  if (level.backorder > 0) return 'back_order';
  if (available(level) === 0) return 'out_of_stock';
  return available(level) <= minStock ? 'low_stock' : null;
}

/**
 * Returns the pieces to buy. When available stock, minus the backorder, plus the quantity on order is at or below the
 * minimum: as many as reach the maximum. Above the minimum: 0.
 */
export function reorderQuantity(
  level: StockLevel,
  limits: { readonly minStock: number; readonly maxStock: number; readonly quantityOrdered: number },
): number {
  const position = available(level) - level.backorder + limits.quantityOrdered;
  return position > limits.minStock ? 0 : Math.max(0, limits.maxStock - position);
}
