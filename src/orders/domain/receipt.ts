import { z } from 'zod';
import { fromMinor, timesRate } from '../../platform/domain/money';
import type { LinePrice } from './pricing';

/** One line of a receipt. Amounts are integer minor units. `price` is after the discount and before VAT. */
export interface ReceiptLine {
  readonly type: 'product' | 'shipment';
  /** Item reference or shipment id. */
  readonly referenceId: string;
  readonly title: string;
  /** Unit price before discounts. */
  readonly priceBase: number;
  /** Quantity. */
  readonly amount: number;
  readonly priceInitial: number;
  readonly discount: number;
  readonly price: number;
  /** Decimal fraction, e.g. `0.19`. */
  readonly vatRate: string;
  readonly vat: number;
  readonly priceInclVat: number;
  /** VAT on the discount: VAT on `priceInitial` minus VAT on `price`. */
  readonly discountVat: number;
}

/** Totals of the lines of one type. */
type PartTotal = 'PriceInitial' | 'PriceDiscount' | 'Price' | 'PriceVat' | 'PriceInclVat';

/** Totals of schema `Receipt`, in integer minor units. */
export type ReceiptTotals = Readonly<
  Record<
    | `${'products' | 'shipping'}${PartTotal}`
    | `discount${'' | 'Vat' | 'InclVat'}`
    | `total${'' | 'Initial' | 'Vat' | 'InclVat'}`,
    number
  >
>;

/** A receipt as the table stores it: lines and totals in minor units of one currency. */
export interface Receipt {
  readonly currency: string;
  readonly lines: readonly ReceiptLine[];
  readonly totals: ReceiptTotals;
}

export interface ReceiptInput {
  readonly currency: string;
  readonly products: readonly {
    readonly referenceId: string;
    readonly title: string;
    readonly vatRate: string;
    readonly price: Pick<LinePrice, 'quantity' | 'baseMinor' | 'lineMinor'>;
    /** Units of the same line on earlier partial receipts. VAT is rounded over all parts together. */
    readonly earlier?: Pick<LinePrice, 'quantity' | 'lineMinor'>;
  }[];
  readonly shipments: readonly {
    readonly referenceId: string;
    readonly title: string;
    readonly vatRate: string;
    readonly priceMinor: number;
    /** Price of the same shipment on earlier partial receipts. VAT is rounded over all parts together. */
    readonly earlierMinor?: number;
  }[];
}

function line(
  of: Pick<ReceiptLine, 'type' | 'referenceId' | 'title' | 'priceBase' | 'amount' | 'price' | 'vatRate'>,
  earlier: { readonly initialMinor: number; readonly lineMinor: number },
): ReceiptLine {
  const vatOf = (minor: number, before: number) =>
    timesRate(before + minor, of.vatRate) - timesRate(before, of.vatRate);
  const priceInitial = of.priceBase * of.amount;
  const vat = vatOf(of.price, earlier.lineMinor);
  return {
    ...of,
    priceInitial,
    discount: priceInitial - of.price,
    vat,
    priceInclVat: of.price + vat,
    discountVat: vatOf(priceInitial, earlier.initialMinor) - vat,
  };
}

function totalsOf(lines: readonly ReceiptLine[]): ReceiptTotals {
  const sum = (
    name: Exclude<keyof ReceiptLine, 'type' | 'referenceId' | 'title' | 'vatRate'>,
    type?: ReceiptLine['type'],
  ) => lines.reduce((total, entry) => (type === undefined || entry.type === type ? total + entry[name] : total), 0);
  const partTotals = <Part extends 'products' | 'shipping'>(part: Part, type: ReceiptLine['type']) =>
    ({
      [`${part}PriceInitial`]: sum('priceInitial', type),
      [`${part}PriceDiscount`]: sum('discount', type),
      [`${part}Price`]: sum('price', type),
      [`${part}PriceVat`]: sum('vat', type),
      [`${part}PriceInclVat`]: sum('priceInclVat', type),
    }) as Record<`${Part}${PartTotal}`, number>;
  const [discount, discountVat] = [sum('discount'), sum('discountVat')];
  return {
    ...partTotals('products', 'product'),
    ...partTotals('shipping', 'shipment'),
    discount,
    discountVat,
    discountInclVat: discount + discountVat,
    totalInitial: sum('priceInitial'),
    total: sum('price'),
    totalVat: sum('vat'),
    totalInclVat: sum('priceInclVat'),
  };
}

/**
 * Builds a receipt. VAT is rounded per line (half away from zero), and every total is the sum of its lines. Therefore
 * total = totalInitial - discount = productsPrice + shippingPrice, and totalInclVat = total + totalVat.
 */
export function buildReceipt({ currency, products, shipments }: ReceiptInput): Receipt {
  const lines = [
    ...products.map(({ referenceId, title, vatRate, price, earlier }) =>
      line(
        {
          type: 'product',
          referenceId,
          title,
          priceBase: price.baseMinor,
          amount: price.quantity,
          price: price.lineMinor,
          vatRate,
        },
        {
          initialMinor: price.baseMinor * (earlier?.quantity ?? 0),
          lineMinor: earlier?.lineMinor ?? 0,
        },
      ),
    ),
    ...shipments.map(({ referenceId, title, vatRate, priceMinor, earlierMinor = 0 }) =>
      line(
        { type: 'shipment', referenceId, title, vatRate, priceBase: priceMinor, amount: 1, price: priceMinor },
        { initialMinor: earlierMinor, lineMinor: earlierMinor },
      ),
    ),
  ];
  return { currency, lines, totals: totalsOf(lines) };
}

/** Returns the refund of a whole receipt: the same lines and totals with negative amounts. */
export function refundReceipt(receipt: Receipt): Receipt {
  // Subtraction from zero avoids -0.
  const lines = receipt.lines.map((entry) => ({
    ...entry,
    priceBase: 0 - entry.priceBase,
    priceInitial: 0 - entry.priceInitial,
    discount: 0 - entry.discount,
    price: 0 - entry.price,
    vat: 0 - entry.vat,
    priceInclVat: 0 - entry.priceInclVat,
    discountVat: 0 - entry.discountVat,
  }));
  return { ...receipt, lines, totals: totalsOf(lines) };
}

/** Returns the members of a response that are amounts of money. */
export const amounts = <K extends string>(...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, z.number()])) as Record<K, z.ZodNumber>;

/** A receipt as the retrieved order shows it. */
export const receiptSchema = z
  .object({
    id: z.string(),
    orderId: z.string(),
    type: z.string(),
    currency: z.string(),
    items: z.array(
      z.object({
        id: z.string(),
        receiptId: z.string(),
        orderId: z.string(),
        clientId: z.string(),
        type: z.string(),
        referenceId: z.string(),
        title: z.string(),
        currency: z.string(),
        ...amounts('priceBase', 'amount', 'priceInitial', 'discount', 'price', 'vat', 'priceInclVat'),
        pricePlanId: z.string().nullable(),
        createdAt: z.iso.datetime(),
        updatedAt: z.iso.datetime(),
      }),
    ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    receiptNumber: z.string(),
    billingEntity: z.looseObject({}).nullable(),
    billingTag: z.string().nullable(),
    transactionType: z.string(),
    ...amounts(
      'productsPriceInitial',
      'productsPriceDiscount',
      'productsPrice',
      'productsPriceVat',
      'productsPriceInclVat',
      'shippingPriceInitial',
      'shippingPriceDiscount',
      'shippingPrice',
      'shippingPriceVat',
      'shippingPriceInclVat',
      'discount',
      'discountVat',
      'discountInclVat',
      'totalInitial',
      'total',
      'totalVat',
      'totalInclVat',
    ),
    isCalculated: z.boolean(),
  })
  .meta({ id: 'Receipt' });

/** The columns of the receipt's row beside its body. */
export interface ReceiptContext {
  readonly id: string;
  readonly orderId: string;
  readonly clientId: string;
  readonly type: string;
  readonly receiptNumber: string;
  readonly transactionType: string;
  readonly billingEntity: Record<string, unknown> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Returns a receipt as the retrieved order shows it. Amounts are numbers in the currency's main unit. */
export function receiptView(receipt: Receipt, context: ReceiptContext) {
  const { currency } = receipt;
  const show = (minor: number) => fromMinor(minor, currency);
  const totals = Object.fromEntries(
    Object.entries(receipt.totals).map(([name, minor]) => [name, show(minor)]),
  ) as Record<keyof ReceiptTotals, number>;
  return {
    id: context.id,
    orderId: context.orderId,
    type: context.type,
    currency,
    items: receipt.lines.map((entry, index) => ({
      id: `${context.id}-${index + 1}`,
      receiptId: context.id,
      orderId: context.orderId,
      clientId: context.clientId,
      type: entry.type,
      referenceId: entry.referenceId,
      title: entry.title,
      currency,
      priceBase: show(entry.priceBase),
      amount: entry.amount,
      priceInitial: show(entry.priceInitial),
      discount: show(entry.discount),
      price: show(entry.price),
      vat: show(entry.vat),
      priceInclVat: show(entry.priceInclVat),
      pricePlanId: null,
      createdAt: context.createdAt,
      updatedAt: context.updatedAt,
    })),
    createdAt: context.createdAt,
    updatedAt: context.updatedAt,
    receiptNumber: context.receiptNumber,
    billingEntity: context.billingEntity,
    billingTag: null,
    transactionType: context.transactionType,
    ...totals,
    isCalculated: true,
  };
}
