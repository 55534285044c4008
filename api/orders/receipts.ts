import { z } from 'zod';
import {
  endOf,
  listReceiptLines,
  month,
  RECEIPT_TYPES,
  receiptLineSchema,
  receiptSumSchema,
  sumReceiptLines,
  tooLong,
} from '../../src/orders/books/receipt-lines';
import { statementFile } from '../../src/orders/books/statement-files';
import {
  issueStatements,
  listStatements,
  SETTLED_MS,
  statementSchema,
  statementView,
} from '../../src/orders/books/statements';
import { countryCode } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { contentDisposition } from '../../src/platform/objects/object-store';
import { inCancellableTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { cursorField, limitField, pageByTime, pageOf } from '../http/list-query';
import { forOperators, RawResponse, type Route, route } from '../http/route';
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
const statementNumber = z.string().regex(/^\d{1,18}$/);
const isLineId = (id: string) => /^\d{1,18}-\d{1,9}$/.test(id);

/** Returns the filters that an account may use: a client has its own receipts. */
const own = <F extends object>(account: Parameters<typeof viewerOf>[0], filter: F) => {
  const { clientId } = viewerOf(account);
  return clientId === null ? filter : { ...filter, clientId };
};

const STATEMENT_TYPES = {
  pdf: 'application/pdf',
  csv: 'text/csv; charset=utf-8',
  ubl: 'application/xml',
  cii: 'application/xml',
} as const;

const statementPage = z
  .object({ statements: z.array(statementSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'StatementPage' });

/** Statements: what each client owes for the receipts of a month. */
function statementRoutes({ sql, config }: Pick<ApiDeps, 'sql' | 'config'>): Route[] {
  return [
    exportedList('GET /v1/statements', {
      csv: { name: 'statements', rows: 'statements', pages: PAGES.byCursor },
      ...READERS,
      operationId: 'listStatements',
      onStandby: true,
      summary: 'List statements, newest first',
      query: z.object({
        month: month.optional(),
        clientId: z.uuid().optional().describe('For operators. Clients see only their own statements.'),
        limit: limitField,
        cursor: statementNumber.optional().describe('`nextCursor` of the previous page.'),
        format: formatQuery,
      }),
      response: statementPage,
      handler: async ({ account, query: { limit, cursor, format: _, ...filter } }) => {
        const rows = await listStatements(sql, own(account, filter), { limit: limit + 1, after: cursor });
        const { page, nextCursor } = pageOf(rows, limit, ({ number }) => number);
        return { statements: page.map(statementView), nextCursor };
      },
    }),
    route('POST /v1/statements', {
      ...forOperators('Operator: orders', 'operator'),
      operationId: 'issueStatements',
      refuses: ['CONFLICT'],
      summary: 'Issue the statements of a month',
      description:
        'Makes one statement for each client and currency with receipts in the month. Those that exist stay as they are. 409: the ' +
        'month ended less than an hour ago, or SELLER is not set.',
      audits: ['statements.issue'],
      isRepeatable: true,
      body: z.strictObject({ month, clientId: z.uuid().optional().describe('Only of this client.') }),
      response: z.object({ issued: z.int().describe('Number of new statements.') }),
      handler: async ({ body, audit, signal }) => {
        const { SELLER: seller } = config;
        if (seller === undefined) throw new Refusal('CONFLICT', { message: 'SELLER is not set (docs/money.md).' });
        if (Date.now() < endOf(body.month).getTime() + SETTLED_MS)
          throw new Refusal('CONFLICT', { message: 'The month has not ended an hour ago (UTC).' });
        const issued = await inCancellableTransaction(sql, { signal, mostMs: MOST_MS }, async (tx) => {
          const count = await issueStatements(tx, { ...body, seller });
          await audit(tx, {
            action: 'statements.issue',
            objectId: body.month,
            before: null,
            after: { ...body, issued: count },
          });
          return count;
        }).catch(tooLong(signal));
        return { issued };
      },
    }),
    route('GET /v1/statements/{statementNumber}', {
      ...READERS,
      operationId: 'getStatement',
      refuses: ['NOT_FOUND', 'CONFLICT'],
      summary: 'Retrieve a statement as PDF, CSV or XML',
      description:
        '`ubl`: UBL 2.1 for Peppol BIS Billing 3.0. `cii`: UN/CEFACT CII of the profile EN 16931; the PDF is a PDF/A-3 with the same ' +
        'XML embedded (ZUGFeRD, Factur-X), unless `notCii` of the statement says what it lacks. 409: the statement lacks something.',
      params: z.object({ statementNumber: z.string().max(40).describe('`S1001`, with or without the letter.') }),
      query: z.object({ format: z.enum(['pdf', 'csv', 'ubl', 'cii']).default('pdf') }),
      response: z.unknown(),
      contentType: 'application/pdf',
      otherContentTypes: ['text/csv', 'application/xml'],
      handler: async ({ account, params, query: { format } }) => {
        const number = params.statementNumber.replace(/^S/, '');
        if (!statementNumber.safeParse(number).success) throw new Refusal('NOT_FOUND');
        const [statement] = await listStatements(sql, own(account, { number }), { limit: 1 });
        if (statement === undefined) throw new Refusal('NOT_FOUND');
        const headers = {
          'Content-Type': STATEMENT_TYPES[format],
          'Content-Disposition': contentDisposition(
            'attachment',
            `statement-S${number}${format === 'ubl' || format === 'cii' ? `-${format}.xml` : `.${format}`}`,
          ),
        };
        return new RawResponse(200, headers, await statementFile(statement, format));
      },
    }),
  ];
}

/** The books: lines of receipts, and their sums. Archived orders are among them. */
export function receiptRoutes(deps: Pick<ApiDeps, 'sql' | 'config'>): Route[] {
  const { sql } = deps;
  return [
    ...statementRoutes(deps),
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
