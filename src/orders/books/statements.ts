import { z } from 'zod';
import type { BillingEntity, ClientSettings } from '../../accounts/clients';
import { type EInvoice, type InvoiceParty, missingFor, type VatCategory } from '../../documents/e-invoice';
import type { StatementRow } from '../../documents/statement';
import { timestamp } from '../../platform/domain/fields';
import { fromMinor } from '../../platform/domain/money';
import type { Seller } from '../../platform/domain/seller';
import { json, type Queryable } from '../../platform/postgres';
import type { ReceiptTax } from '../domain/receipt';
import { endOf, inMonth, month } from './receipt-lines';

const DAY_MS = 86_400_000;
/** How long after the end of a month its statements can be issued: a receipt is stored up to minutes after its time. */
export const SETTLED_MS = 3_600_000;

/** The sum of the lines of receipts that a statement shows as one. */
interface StatementLine extends ReceiptTax {
  readonly rate: number;
  readonly type: 'invoice' | 'refund';
  readonly receipts: number;
  readonly first: string;
  readonly last: string;
  readonly netMinor: number;
  readonly taxMinor: number;
}

export interface StoredStatement {
  readonly number: string;
  readonly clientId: string;
  readonly clientName: string;
  /** YYYY-MM. */
  readonly month: string;
  readonly currency: string;
  readonly issuedAt: Date;
  readonly parties: {
    readonly seller: Seller;
    readonly buyer: { readonly billingEntity?: BillingEntity | null; readonly eInvoice?: ClientSettings['eInvoice'] };
  };
  readonly lines: readonly StatementLine[];
  /** The statement of the client before, in the same currency. */
  readonly precedingNumber: string | null;
}

export const statementSchema = z
  .object({
    number: z.string().describe('Number of the series of statements.'),
    month: month.describe('In UTC.'),
    clientId: z.string(),
    clientName: z.string(),
    kind: z.enum(['invoice', 'credit_note']).describe('`credit_note`: the refunds exceed the charges.'),
    currency: z.string(),
    net: z.number(),
    tax: z.number(),
    gross: z.number(),
    issuedAt: timestamp,
    due: z.string().describe('Day on which it is due.'),
    notUbl: z.array(z.string()).describe('What it lacks for UBL (Peppol). Empty: nothing.'),
    notCii: z.array(z.string()).describe('What it lacks for CII, alone and in the PDF. Empty: nothing.'),
  })
  .meta({ id: 'Statement' });

/**
 * Issues the statements of a month: one for each client and currency with receipts. Those that exist stay as they are.
 * @param month YYYY-MM in UTC
 * @returns the number of new statements
 */
export async function issueStatements(
  tx: Queryable,
  {
    month,
    clientId,
    seller,
  }: { readonly month: string; readonly clientId?: string | undefined; readonly seller: Seller },
): Promise<number> {
  const { count } = await tx`
    INSERT INTO statements (client_id, month, currency, parties, lines)
    SELECT s.client_id, ${`${month}-01`}::date, s.currency,
      jsonb_build_object('seller', ${json(tx, seller)}::jsonb, 'buyer', jsonb_build_object(
        'billingEntity', coalesce(a.settings -> 'billingEntity', 'null'), 'eInvoice', coalesce(a.settings -> 'eInvoice', 'null'))),
      jsonb_agg(jsonb_build_object('country', s.country, 'treatment', s.treatment, 'rate', s.rate, 'type', s.type,
        'receipts', s.receipts, 'first', s.first, 'last', s.last, 'netMinor', s.net, 'taxMinor', s.tax)
        ORDER BY s.country, s.rate DESC, s.treatment, s.type)
    FROM (
      SELECT l.client_id, l.currency, l.country, l.treatment, l.rate, l.type, count(DISTINCT l.number) AS receipts,
        min(l.number)::text AS first, max(l.number)::text AS last, sum(l.net_minor) AS net, sum(l.tax_minor) AS tax
      FROM receipt_lines l
      WHERE ${inMonth(tx, month)} ${clientId === undefined ? tx`` : tx`AND l.client_id = ${clientId}`}
        AND NOT EXISTS (SELECT FROM statements e
          WHERE e.client_id = l.client_id AND e.month = ${`${month}-01`}::date AND e.currency = l.currency)
      GROUP BY l.client_id, l.currency, l.country, l.treatment, l.rate, l.type) AS s
    JOIN accounts a ON a.id = s.client_id
    GROUP BY s.client_id, s.currency, a.settings ORDER BY s.client_id, s.currency
    ON CONFLICT (client_id, month, currency) DO NOTHING`;
  return count;
}

export interface StatementFilter {
  readonly month?: string | undefined;
  readonly clientId?: string | undefined;
}

/** Reads statements, newest first. @param page `after` is the number of the last one of the page before */
export async function listStatements(
  sql: Queryable,
  { month, clientId, number }: StatementFilter & { readonly number?: string },
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<readonly StoredStatement[]> {
  return await sql<StoredStatement[]>`
    SELECT s.number::text, s.client_id, a.name AS client_name, to_char(s.month, 'YYYY-MM') AS month, s.currency, s.issued_at,
      s.parties, s.lines, (SELECT max(b.number)::text FROM statements b
        WHERE b.client_id = s.client_id AND b.currency = s.currency AND b.number < s.number) AS preceding_number
    FROM statements s JOIN accounts a ON a.id = s.client_id
    WHERE true ${month === undefined ? sql`` : sql`AND s.month = ${`${month}-01`}::date`}
      ${clientId === undefined ? sql`` : sql`AND s.client_id = ${clientId}`}
      ${number === undefined ? sql`` : sql`AND s.number = ${number}::bigint`}
      ${page.after === undefined ? sql`` : sql`AND s.number < ${page.after}::bigint`}
    ORDER BY s.number DESC LIMIT ${page.limit}`;
}

const grossOf = ({ lines }: StoredStatement) =>
  lines.reduce((sum, { netMinor, taxMinor }) => sum + netMinor + taxMinor, 0);

/** Returns a statement as the API shows it. */
export function statementView(statement: StoredStatement): z.input<typeof statementSchema> {
  const { number, month, clientId, clientName, currency, issuedAt, lines } = statement;
  const invoice = invoiceOf(statement);
  const sum = (name: 'netMinor' | 'taxMinor') => lines.reduce((total, line) => total + line[name], 0);
  return {
    ...{ number, month, clientId, clientName, currency, issuedAt },
    kind: invoice.isCreditNote ? 'credit_note' : 'invoice',
    net: fromMinor(sum('netMinor'), currency),
    tax: fromMinor(sum('taxMinor'), currency),
    gross: fromMinor(grossOf(statement), currency),
    due: invoice.due,
    notUbl: missingFor(invoice, true),
    notCii: missingFor(invoice, false),
  };
}

const categoryOf = ({ treatment, rate }: Pick<StatementLine, 'treatment' | 'rate'>): VatCategory =>
  treatment === 'export' ? 'G' : treatment === 'reverse_charge' ? 'AE' : rate === 0 ? 'Z' : 'S';

const TREATMENTS = { taxed: '', export: ', export', reverse_charge: ', reverse charge' } as const;
const nameOf = ({ type, country, treatment }: StatementLine) =>
  `${type === 'invoice' ? 'Prints and shipping' : 'Refunds'} to ${country}${TREATMENTS[treatment]}`;

/** Returns a statement as an invoice, or as a credit note when its total is negative. */
export function invoiceOf(statement: StoredStatement): EInvoice {
  const { number, month, currency, issuedAt, parties, lines, precedingNumber } = statement;
  const isCreditNote = grossOf(statement) < 0;
  const sign = isCreditNote ? -1 : 1;
  const { billingEntity: entity, eInvoice } = parties.buyer;
  const text = (value: string | undefined) => value || undefined;
  const buyer: InvoiceParty = {
    name: entity?.companyName ?? statement.clientName,
    country: entity?.countryIsoCode ?? '',
    vatNumber: text(entity?.companyVatNumber) ?? entity?.companyVatNumbers?.[0],
    companyNumber: text(entity?.companyNumber),
    addressLine1: text(entity?.addressLine1),
    addressLine2: text(entity?.addressLine2),
    city: text(entity?.city),
    postCode: text(entity?.postCode),
    email: text(entity?.email),
    electronicAddress: eInvoice?.electronicAddress,
  };
  const taxes = [...Map.groupBy(lines, (line) => `${categoryOf(line)} ${line.rate}`).values()].map((of) => ({
    category: categoryOf(of[0]!),
    rate: of[0]!.rate,
    netMinor: sign * of.reduce((sum, { netMinor }) => sum + netMinor, 0),
    taxMinor: sign * of.reduce((sum, { taxMinor }) => sum + taxMinor, 0),
  }));
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return {
    number: `S${number}`,
    isCreditNote,
    issued: day(issuedAt.getTime()),
    due: day(issuedAt.getTime() + parties.seller.paymentDays * DAY_MS),
    from: `${month}-01`,
    to: day(endOf(month).getTime() - DAY_MS),
    currency,
    seller: parties.seller,
    buyer,
    buyerReference: eInvoice?.buyerReference ?? statement.clientName,
    precedingNumber: isCreditNote && precedingNumber !== null ? `S${precedingNumber}` : null,
    lines: lines.map((line) => ({
      name: nameOf(line),
      netMinor: sign * line.netMinor,
      category: categoryOf(line),
      rate: line.rate,
    })),
    taxes,
  };
}

/** Returns the rows of a statement's table. */
export const rowsOf = ({ lines }: StoredStatement): StatementRow[] =>
  lines.map((line) => ({
    name: nameOf(line),
    receipts: line.receipts === 1 ? line.first : `${line.receipts}: ${line.first} – ${line.last}`,
    rate: line.rate,
    netMinor: line.netMinor,
    taxMinor: line.taxMinor,
  }));

/** Returns the rows of a statement's CSV. Amounts are in units of its currency. */
export function csvRowsOf(statement: StoredStatement) {
  const { number, month, currency, issuedAt } = statement;
  const amount = (minor: number) => fromMinor(minor, currency);
  return statement.lines.map(({ netMinor, taxMinor, first, last, ...line }) => ({
    statement: `S${number}`,
    issued: issuedAt.toISOString().slice(0, 10),
    month,
    ...line,
    firstReceipt: first,
    lastReceipt: last,
    net: amount(netMinor),
    tax: amount(taxMinor),
    gross: amount(netMinor + taxMinor),
    currency,
  }));
}
