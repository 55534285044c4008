import { z } from 'zod';
import { timestamp } from '../../platform/domain/fields';
import { fromMinor } from '../../platform/domain/money';
import { isoMicroseconds, type SearchPage } from '../../platform/list-position';
import type { Fragment, Queryable, Sql } from '../../platform/postgres';
import { inCancellableTransaction, isCanceled } from '../../platform/postgres';
import { unavailable } from '../../platform/unavailable';
import type { ReceiptTax } from '../domain/receipt';

export const TREATMENTS = ['taxed', 'export', 'reverse_charge'] as const satisfies readonly ReceiptTax['treatment'][];
export const RECEIPT_TYPES = ['invoice', 'refund'] as const;

/** Months of the books, YYYY-MM in UTC. */
export const month = z.string().regex(/^(19|[2-9]\d)\d\d-(0[1-9]|1[0-2])$/, 'Must be a month, such as 2026-11.');

const taxFields = {
  country: z.string().describe('Country of delivery, as VAT has it: its rates apply.'),
  treatment: z.enum(TREATMENTS).describe('`export` and `reverse_charge`: no VAT is charged.'),
  rate: z.number().describe('VAT rate as a decimal fraction: 0.19.'),
};
const amountFields = {
  net: z.number().describe('Without VAT. Refunds are negative.'),
  tax: z.number(),
  gross: z.number(),
  currency: z.string(),
};

/** One line of a receipt: the rows of the books. */
export const receiptLineSchema = z
  .object({
    date: timestamp.describe('When the receipt was made.'),
    receiptNumber: z.string(),
    line: z.int().describe('Number of the line in its receipt, from 1.'),
    type: z.enum(RECEIPT_TYPES),
    orderId: z.string(),
    orderReferenceId: z.string(),
    clientId: z.string(),
    clientName: z.string(),
    referenceId: z.string().describe('Item reference, or shipping method.'),
    title: z.string(),
    quantity: z.int(),
    ...taxFields,
    ...amountFields,
  })
  .meta({ id: 'ReceiptLine' });

export const receiptSumSchema = z
  .object({ ...taxFields, receipts: z.int().describe('Receipts with such a line.'), ...amountFields })
  .meta({ id: 'ReceiptSum' });

export interface ReceiptFilter {
  /** YYYY-MM, in UTC. */
  readonly month?: string | undefined;
  readonly country?: string | undefined;
  readonly rate?: number | undefined;
  readonly type?: (typeof RECEIPT_TYPES)[number] | undefined;
  readonly clientId?: string | undefined;
}

/** Returns the end of a month, YYYY-MM in UTC. */
export function endOf(month: string): Date {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number!));
}

/** Returns the condition on rows `l` of a month, YYYY-MM in UTC. */
export const inMonth = (sql: Queryable, month: string): Fragment => {
  return sql`l.created_at >= ${`${month}-01`}::timestamptz AND l.created_at < ${endOf(month)}`;
};

const matches = (sql: Queryable, { month, country, rate, type, clientId }: ReceiptFilter): Fragment => sql`
  true ${month === undefined ? sql`` : sql`AND ${inMonth(sql, month)}`}
  ${country === undefined ? sql`` : sql`AND l.country = ${country}`} ${rate === undefined ? sql`` : sql`AND l.rate = ${rate}`}
  ${type === undefined ? sql`` : sql`AND l.type = ${type}`} ${clientId === undefined ? sql`` : sql`AND l.client_id = ${clientId}`}`;

interface Minors {
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly currency: string;
}

function amountsOf<Row extends Minors>({ netMinor, taxMinor, ...row }: Row) {
  const amount = (minor: number) => fromMinor(minor, row.currency);
  return { ...row, net: amount(netMinor), tax: amount(taxMinor), gross: amount(netMinor + taxMinor) };
}

/** Reads a page of the lines of receipts, newest first. The rows of archived orders are among them. */
export async function listReceiptLines(sql: Queryable, filter: ReceiptFilter, { limit, after }: SearchPage) {
  const [number, line] = after === null ? [] : after.id.split('-');
  const rows = await sql<
    (Minors & Omit<z.output<typeof receiptLineSchema>, 'net' | 'tax' | 'gross'> & { id: string; position: string })[]
  >`
    SELECT concat(l.number, '-', l.line) AS id, ${isoMicroseconds(sql, sql`l.created_at`)} AS position, l.created_at AS date,
      l.number::text AS receipt_number, l.line, l.type, l.order_id, l.order_reference_id, l.client_id, a.name AS client_name,
      l.reference AS reference_id, l.title, l.quantity, l.country, l.treatment, l.rate::float8, l.net_minor::float8,
      l.tax_minor::float8, l.currency
    FROM receipt_lines l JOIN accounts a ON a.id = l.client_id
    WHERE ${matches(sql, filter)} ${after === null ? sql`` : sql`AND (l.created_at, l.number, l.line) < (${after.time}::text::timestamptz, ${number!}::bigint, ${line!}::int)`}
    ORDER BY l.created_at DESC, l.number DESC, l.line DESC LIMIT ${limit}`;
  return rows.map(amountsOf);
}

/** Returns what throws the refusal of a statement that Postgres has canceled, or else the error. */
export const tooLong =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    throw isCanceled(error) || signal.aborted ? unavailable('It took too long. Narrow the filters.') : error;
  };

/** Adds up the lines of receipts by country, treatment, rate and currency. @throws Refusal `UNAVAILABLE` when it takes too long */
export async function sumReceiptLines(
  sql: Sql,
  filter: ReceiptFilter,
  limits: { readonly signal: AbortSignal; readonly mostMs: number },
) {
  const rows = await inCancellableTransaction(
    sql,
    limits,
    async (tx) =>
      await tx<(Minors & Omit<z.output<typeof receiptSumSchema>, 'net' | 'tax' | 'gross'>)[]>`
      SELECT l.country, l.treatment, l.rate::float8, count(DISTINCT l.number)::float8 AS receipts,
        sum(l.net_minor)::float8 AS net_minor, sum(l.tax_minor)::float8 AS tax_minor, l.currency
      FROM receipt_lines l WHERE ${matches(tx, filter)}
      GROUP BY l.country, l.treatment, l.rate, l.currency ORDER BY 1, 3 DESC, 2, 7`,
  ).catch(tooLong(limits.signal));
  return rows.map(amountsOf);
}
