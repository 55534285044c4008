import { z } from 'zod';
import {
  listReceiptLines,
  month,
  RECEIPT_TYPES,
  receiptLineSchema,
  receiptSumSchema,
  sumReceiptLines,
} from '../../src/orders/books/receipt-lines';
import { countryCode } from '../../src/platform/domain/fields';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { cursorField, limitField, pageByTime } from '../http/list-query';
import type { Route } from '../http/route';
import { READERS, viewerOf } from './visible-order';

/** Time that the sums of a month may take. */
const MOST_MS = 25_000;

const filters = {
  month: month.optional().describe('Month in which the receipts were made, in UTC: 2026-11.'),
  country: countryCode.optional().describe('Country of delivery, as VAT has it.'),
  rate: z.coerce.number().min(0).max(1).optional().describe('VAT rate as a decimal fraction.'),
  type: z.enum(RECEIPT_TYPES).optional(),
  clientId: z.uuid().optional().describe('For operators. Clients see only their own receipts.'),
};
const isLineId = (id: string) => /^\d{1,18}-\d{1,9}$/.test(id);

/** Returns the filters that an account may use: a client has its own receipts. */
const own = <F extends object>(account: Parameters<typeof viewerOf>[0], filter: F) => {
  const { clientId } = viewerOf(account);
  return clientId === null ? filter : { ...filter, clientId };
};

/** The books: lines of receipts, and their sums. Archived orders are among them. */
export function receiptRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  return [
    exportedList('GET /v1/receipts', {
      csv: { name: 'receipts', rows: 'lines', pages: PAGES.byCursor },
      ...READERS,
      operationId: 'listReceipts',
      onStandby: true,
      summary: 'List the lines of receipts, newest first',
      description:
        'Each line of an invoice or a refund is a row, with its VAT rate. Receipts of archived orders are among them.',
      query: z.object({ ...filters, limit: limitField, cursor: cursorField.optional(), format: formatQuery }),
      response: z
        .object({ lines: z.array(receiptLineSchema), nextCursor: z.string().nullable() })
        .meta({ id: 'ReceiptLinePage' }),
      handler: async ({ account, query: { limit, cursor, format: _, ...filter } }) => {
        const { page, nextCursor } = await pageByTime(
          { limit, cursor },
          (wanted) => listReceiptLines(sql, own(account, filter), wanted),
          isLineId,
        );
        return { lines: page.map(({ id: _id, position: _position, ...line }) => line), nextCursor };
      },
    }),
    exportedList('GET /v1/receipts/sums', {
      csv: { name: 'receipt-sums', rows: 'sums', pages: PAGES.single },
      ...READERS,
      operationId: 'sumReceipts',
      onStandby: true,
      timeoutMs: 30_000,
      summary: 'Add up receipts by country and VAT rate',
      description: 'The sums of the lines that the list has with the same filters. Currencies are never added.',
      query: z.object({ ...filters, month, format: formatQuery }),
      response: z.object({ sums: z.array(receiptSumSchema) }).meta({ id: 'ReceiptSums' }),
      handler: async ({ account, query: { format: _, ...filter }, signal }) => ({
        sums: await sumReceiptLines(sql, own(account, filter), { signal, mostMs: MOST_MS }),
      }),
    }),
  ];
}
