import type { Good } from './goods';

/** How units become parcels, as docs/packing.md states it. Written from the page, not from the code that it checks. */

export interface Units {
  readonly reference: string;
  readonly good: Good;
  readonly quantity: number;
}

export interface Parcel {
  readonly grams: number;
  readonly sides: readonly [number, number, number];
  readonly units: Readonly<Record<string, number>>;
}

/** Whether the products of a print order share parcels, or each product model has its own. */
export type Sharing = 'shared' | 'apart';

/** Returns the parcels of the units of one print order. @param instructions units that share a package, by reference */
export function parcelsOf(
  units: readonly Units[],
  instructions: readonly Readonly<Record<string, number>>[],
  sharing: Sharing,
): Parcel[] {
  const left = new Map(units.map(({ reference, quantity }) => [reference, quantity]));
  const take = ({ reference, good }: Units, most: number): Units => {
    const quantity = Math.min(most, left.get(reference)!);
    left.set(reference, left.get(reference)! - quantity);
    return { reference, good, quantity };
  };
  const instructed = instructions.map((wanted) =>
    Object.keys(wanted).flatMap((name) =>
      units.filter(({ reference }) => reference === name).map((each) => take(each, wanted[name]!)),
    ),
  );
  const groupOf = ({ good }: Units) => (sharing === 'apart' ? good.model : good.isRolled === true ? 'tubes' : 'boxes');
  const rest = Map.groupBy(
    units.map((each) => take(each, each.quantity)).filter(({ quantity }) => quantity > 0),
    groupOf,
  );
  return [...instructed, ...rest.values()].flatMap(filled).map(parcelOf);
}

/** Fills parcels in order. A unit takes one share of as many as fit. */
function filled(units: readonly Units[]): Units[][] {
  const parcels: Units[][] = [];
  // In shares of 1/3000, the least common multiple of the numbers of units that fit.
  const FULL = 3_000;
  let room = 0;
  for (const { reference, good, quantity } of units) {
    const share = FULL / good.unitsPerPackage;
    for (let left = quantity; left > 0; ) {
      if (room < share) {
        parcels.push([]);
        room = FULL;
      }
      const fits = Math.min(left, Math.floor(room / share));
      parcels.at(-1)!.push({ reference, good, quantity: fits });
      room -= fits * share;
      left -= fits;
    }
  }
  return parcels;
}

/** Weight: the units and the heaviest packaging. Size: units on their largest side, rolled ones in each other. */
function parcelOf(units: readonly Units[]): Parcel {
  const sorted = units.map(({ good, quantity }) => ({ good, quantity, sides: [...good.sides].sort((a, b) => b - a) }));
  const stacked = sorted.reduce(
    (sum, { good, quantity, sides }) => sum + (good.isRolled ? 0 : sides[2]! * quantity),
    0,
  );
  const tube = Math.max(0, ...sorted.map(({ good, sides }) => (good.isRolled ? sides[2]! : 0)));
  return {
    grams:
      units.reduce((sum, { good, quantity }) => sum + good.grams * quantity, 0) +
      Math.max(...units.map(({ good }) => good.packagingGrams)),
    sides: [
      Math.max(...sorted.map(({ sides }) => sides[0]!)),
      Math.max(...sorted.map(({ sides }) => sides[1]!)),
      stacked + tube,
    ],
    units: Object.fromEntries(units.map(({ reference, quantity }) => [reference, quantity])),
  };
}
