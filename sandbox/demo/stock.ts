import type { Sql } from '../../src/platform/postgres';
import { type StockItemSetup, setUpStockItems } from '../../src/procurement/stock-items';

interface DemoStock {
  readonly partnerUid: string;
  readonly supplier: Omit<NonNullable<StockItemSetup['supplier']>, 'unitCost'>;
  readonly minStock: number;
  readonly maxStock: number;
  /** SKU, name, unit cost in the supplier's currency. */
  readonly items: readonly (readonly [sku: string, name: string, unitCost: number])[];
}

const FRAMES = [
  ['wood-black', 'black wood'],
  ['wood-white', 'white wood'],
  ['wood-oak', 'oak'],
] as const;
const FRAME_SIZES = [
  ['a4', 'A4', 28.9],
  ['a3', 'A3', 36.9],
  ['30x40', '30 x 40 cm', 36.9],
  ['50x70', '50 x 70 cm', 64.5],
] as const;
const TEE_COLORS = [
  ['white', 'white'],
  ['black', 'black'],
  ['navy', 'navy'],
  ['heather-grey', 'heather grey'],
] as const;
const TEE_SIZES = [
  ['xs', 'XS', 2.85],
  ['s', 'S', 2.85],
  ['m', 'M', 2.85],
  ['l', 'L', 2.85],
  ['xl', 'XL', 3.1],
  ['xxl', 'XXL', 3.45],
] as const;

/**
 * The stock of the demo partners: every stock part of the demo catalog, at the partner that makes its products. The
 * frames are bought in PLN by a partner whose currency is EUR.
 */
const DEMO_STOCK: readonly DemoStock[] = [
  {
    partnerUid: 'prints-berlin',
    supplier: { uid: 'ramy-poznan', currency: 'PLN', vatPercentage: 0 },
    minStock: 40,
    maxStock: 400,
    items: FRAMES.flatMap(([material, named]) =>
      FRAME_SIZES.map(
        ([size, sized, cost]) => [`frame-${material}-${size}`, `Frame ${sized}, ${named}`, cost] as const,
      ),
    ),
  },
  {
    partnerUid: 'prints-ohio',
    supplier: { uid: 'carolina-blanks', currency: 'USD', vatPercentage: null },
    minStock: 60,
    maxStock: 600,
    items: TEE_COLORS.flatMap(([color, named]) =>
      TEE_SIZES.map(([size, sized, cost]) => [`tee-${color}-${size}`, `T-shirt ${sized}, ${named}`, cost] as const),
    ),
  },
];

/** Adds missing stock items of the demo partners. Existing items stay unchanged. */
export async function ensureDemoStock(
  sql: Sql,
  partners: readonly { readonly partnerId: string; readonly uid: string }[],
): Promise<void> {
  for (const { partnerUid, supplier, minStock, maxStock, items } of DEMO_STOCK) {
    const partner = partners.find(({ uid }) => uid === partnerUid);
    if (partner === undefined) continue;
    const kept = await sql<{ partnerSku: string }[]>`
      SELECT partner_sku FROM stock_items WHERE partner_id = ${partner.partnerId}`;
    const existing = new Set(kept.map(({ partnerSku }) => partnerSku));
    const missing = items
      .filter(([sku]) => !existing.has(sku))
      .map(
        ([partnerSku, productName, unitCost]): StockItemSetup => ({
          partnerSku,
          productName,
          minStock,
          maxStock,
          supplier: { ...supplier, unitCost },
          openingQuantity: maxStock,
        }),
      );
    await setUpStockItems(sql, partner.partnerId, missing);
  }
}
