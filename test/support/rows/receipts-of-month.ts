import { buildReceipt, type ReceiptTax, refundReceipt } from '../../../src/orders/domain/receipt';
import { uuidv7 } from '../../../src/platform/ids';
import { json, type Sql } from '../../../src/platform/postgres';
import { insertOrder } from './order-rows';

/** A receipt of some units for 12.34 each and 4.90 of shipping. */
export interface MonthReceipt {
  readonly tax: ReceiptTax;
  readonly rate: string;
  readonly units: number;
  readonly currency?: string;
  readonly isRefund?: boolean;
  /** Time. Default: the middle of LAST_MONTH. */
  readonly at?: Date;
}

/** A time whose last month has statements also in the first hour of a month. */
export const BOOKED_AT = new Date(Date.now() - 2 * 3_600_000);
const middle = new Date(Date.UTC(BOOKED_AT.getUTCFullYear(), BOOKED_AT.getUTCMonth() - 1, 15));
/** The month before that of BOOKED_AT, YYYY-MM in UTC. */
export const LAST_MONTH = middle.toISOString().slice(0, 7);

/** Stores receipts of a client. */
export async function receiptsOfMonth(sql: Sql, clientId: string, receipts: readonly MonthReceipt[]): Promise<void> {
  for (const { tax, rate: vatRate, units, currency = 'EUR', isRefund = false, at = middle } of receipts) {
    const orderId = await insertOrder(sql, clientId);
    const address = { country: tax.country, firstName: 'Ada', lastName: 'Lovelace' };
    await sql`UPDATE orders SET shipping_address = ${json(sql, address)} WHERE id = ${orderId}`;
    const charged = buildReceipt({
      currency,
      tax,
      products: [
        {
          referenceId: 'a',
          title: 'Poster & frame',
          vatRate,
          price: { quantity: units, baseMinor: 1_234, lineMinor: units * 1_234 },
        },
      ],
      shipments: [{ referenceId: 'parcel', title: 'Parcel', vatRate, priceMinor: 490 }],
    });
    const body = isRefund ? refundReceipt(charged) : charged;
    await sql`
      INSERT INTO receipts (id, order_id, type, step, currency, body, created_at)
      VALUES (${uuidv7()}, ${orderId}, ${isRefund ? 'refund' : 'invoice'}, 'a', ${currency}, ${json(sql, body)}, ${at})`;
  }
}

const taxed = (country: string) => ({ treatment: 'taxed', country }) as const;

/** Receipts with every treatment of VAT, with refunds, and with several that round their VAT. */
export const MIXED: readonly MonthReceipt[] = [
  ...[1, 2, 3, 5, 7].map((units) => ({ tax: taxed('DE'), rate: '0.19', units })),
  { tax: taxed('DE'), rate: '0.07', units: 3 },
  { tax: taxed('FR'), rate: '0.2', units: 2 },
  { tax: taxed('AT'), rate: '0.2', units: 3 },
  { tax: { treatment: 'export', country: 'US' }, rate: '0', units: 4 },
  { tax: { treatment: 'reverse_charge', country: 'FR' }, rate: '0', units: 2 },
  { tax: taxed('DE'), rate: '0.19', units: 1, isRefund: true },
];

/** More refunds than charges. */
export const REFUNDED: readonly MonthReceipt[] = [
  { tax: taxed('DE'), rate: '0.19', units: 1 },
  { tax: taxed('DE'), rate: '0.19', units: 6, isRefund: true },
];

/** The environment variable SELLER of tests. */
export const SELLER = {
  name: 'Pressline Operations GmbH',
  vatNumber: 'DE129273398',
  companyNumber: 'HRB 12345',
  addressLine1: 'Torstraße 1',
  city: 'Berlin',
  postCode: '10119',
  country: 'DE',
  email: 'billing@pressline.example',
  electronicAddress: '9930:DE129273398',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  paymentDays: 14,
} as const;

/** Settings of a client that lacks nothing for an electronic invoice. */
export const BUYER = {
  billingEntity: {
    id: 1,
    companyName: 'Plakate & Söhne <NV>',
    companyVatNumber: 'BE0403170701',
    companyNumber: '0403170701',
    addressLine1: 'Meir 1',
    city: 'Antwerpen',
    postCode: '2000',
    countryIsoCode: 'BE',
    email: 'ap@plakate.example',
  },
  eInvoice: { electronicAddress: '0208:0403170701', buyerReference: 'PO 77' },
} as const;
