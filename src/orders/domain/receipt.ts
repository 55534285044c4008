import { z } from 'zod';
import { fromMinor, timesRate } from '../../platform/domain/money';
import type { LinePrice } from './pricing';
import type { vatOf } from './vat';

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

const PART_TOTALS = ['PriceInitial', 'PriceDiscount', 'Price', 'PriceVat', 'PriceInclVat'] as const;
const TOTALS = [
  ...PART_TOTALS.map((name) => `products${name}` as const),
  ...PART_TOTALS.map((name) => `shipping${name}` as const),
  'discount',
  'discountVat',
  'discountInclVat',
  'totalInitial',
  'total',
  'totalVat',
  'totalInclVat',
] as const;

/** Totals of schema `Receipt`, in integer minor units. */
export type ReceiptTotals = Readonly<Record<(typeof TOTALS)[number], number>>;

/** Where a receipt is taxed. */
export interface ReceiptTax {
  readonly treatment: ReturnType<typeof vatOf>['treatment'];
  /** Country of delivery, as VAT has it (ISO 3166-1 alpha-2): that of the rates, also when none is charged. */
  readonly country: string;
}

/** A receipt as the table stores it: lines and totals in minor units of one currency. */
export interface Receipt {
  readonly currency: string;
  readonly tax: ReceiptTax;
  readonly lines: readonly ReceiptLine[];
  readonly totals: ReceiptTotals;
}

export interface ReceiptInput {
  readonly currency: string;
  readonly tax: ReceiptTax;
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
    }) as Record<`${Part}${(typeof PART_TOTALS)[number]}`, number>;
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
export function buildReceipt({ currency, tax, products, shipments }: ReceiptInput): Receipt {
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
  return { currency, tax, lines, totals: totalsOf(lines) };
}

/** The amounts of money of a line. */
const MONEY = ['priceBase', 'priceInitial', 'discount', 'price', 'vat', 'priceInclVat', 'discountVat'] as const;

/** Returns a line with other amounts of money. */
function changed(line: ReceiptLine, change: (minor: number) => number): ReceiptLine {
  return { ...line, ...Object.fromEntries(MONEY.map((name) => [name, change(line[name])])) };
}

/** Returns the refund of a whole receipt: the same lines and totals with negative amounts. */
export function refundReceipt(receipt: Receipt): Receipt {
  // Subtraction from zero avoids -0.
  const lines = receipt.lines.map((entry) => changed(entry, (minor) => 0 - minor));
  return { ...receipt, lines, totals: totalsOf(lines) };
}

/** Returns the members of a response that are amounts of money. */
export const amounts = <K extends string>(...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, z.number()])) as Record<K, z.ZodNumber>;

const BILLING_TEXTS = [
  'companyName',
  'companyNumber',
  'companyVatNumber',
  'countryIsoCode',
  'country',
  'recipientName',
  'addressLine1',
  'addressLine2',
  'city',
  'postCode',
  'stateCode',
  'state',
  'email',
  'phone',
  'currencyIsoCode',
  'currency',
  'iossNumber',
  'invoiceType',
] as const;
const eachText = <Value>(value: Value) =>
  Object.fromEntries(BILLING_TEXTS.map((name) => [name, value])) as Record<(typeof BILLING_TEXTS)[number], Value>;

/** The billing entity as orders and receipts show it. */
export const billingEntitySchema = z
  .object({ id: z.int(), status: z.int(), companyVatNumbers: z.array(z.string()), ...eachText(z.string()) })
  .describe('Who is billed. Unknown fields are empty.')
  .meta({ id: 'OrderBillingEntity' });

export const NO_BILLING_ENTITY = { id: 0, status: 0, companyVatNumbers: [] as string[], ...eachText('') };

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
    billingEntity: billingEntitySchema,
    billingTag: z.string().nullable(),
    transactionType: z.string(),
    ...amounts(...TOTALS),
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
  readonly billingEntity: z.output<typeof billingEntitySchema>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Returns a receipt as the retrieved order shows it. Amounts are numbers in the currency's main unit. */
export function receiptView({ currency, lines, totals }: Receipt, context: ReceiptContext) {
  const { id, orderId, clientId, createdAt, updatedAt } = context;
  const show = (minor: number) => fromMinor(minor, currency);
  const shown = Object.fromEntries(TOTALS.map((name) => [name, show(totals[name])])) as ReceiptTotals;
  return {
    id,
    orderId,
    type: context.type,
    currency,
    items: lines.map((line, index) => {
      const { vatRate: _vatRate, discountVat: _discountVat, ...item } = changed(line, show);
      return {
        id: `${id}-${index + 1}`,
        receiptId: id,
        orderId,
        clientId,
        ...item,
        currency,
        pricePlanId: null,
        createdAt,
        updatedAt,
      };
    }),
    createdAt,
    updatedAt,
    receiptNumber: context.receiptNumber,
    billingEntity: context.billingEntity,
    billingTag: null,
    transactionType: context.transactionType,
    ...shown,
    isCalculated: true,
  };
}
