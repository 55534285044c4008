import { z } from 'zod';
import { MOST_GROUPS, report } from '../../src/orders/reading/report';
import { REPORT_DIMENSIONS, type ReportGroup } from '../../src/orders/reading/report-groups';
import { countryCode, day, timestamp } from '../../src/platform/domain/fields';
import { fromMinor } from '../../src/platform/domain/money';
import { type Column, parquetOf } from '../../src/platform/parquet';
import type { ApiDeps } from '../deps';
import { exportedList, PAGES } from '../http/exported-list';
import { forOperators, RawResponse, type Route } from '../http/route';

/** Days of one report. */
const MOST_DAYS = 366;
const DAY_MS = 86_400_000;
/** Time that a report may take. */
const MOST_MS = 25_000;

const count = z.int();
const key = (of: string) => z.string().nullable().describe(`${of} Null: not grouped by it, or there is none.`);

const reportRow = z
  .object({
    day: key('Day in UTC on which the orders were submitted, YYYY-MM-DD.'),
    client: key('Account of the client.'),
    country: key('Country of the shipping address.'),
    partner: key('Account of the partner.'),
    carrier: key('Carrier, planned or of the parcel.'),
    product: key('`productUid`. Shipping, parcels and errors have none.'),
    currency: z
      .string()
      .describe('Amounts of other currencies are in other rows. Counts are in the row of the order’s currency.'),
    orders: count.describe('Orders with an item in the group. An order with items in two groups counts in both.'),
    reprints: count.describe('Of these, the orders that make another one again.'),
    units: count.describe(
      'Units that partners accepted, without cancelled ones. Units that are made again count again.',
    ),
    revenue: z.number().describe('Receipts without VAT.'),
    cost: z.number().describe('The partners’ prices of these units, and labels that were not voided.'),
    margin: z.number().describe('`revenue` less `cost`. A cost in another currency is in the row of that currency.'),
    parcels: count,
    delivered: count.describe('Parcels that were delivered.'),
    late: count.describe('Of these, after the latest day (UTC) that the client was promised at first.'),
    errors: count.describe('Print orders about which the partner reported an error.'),
    claims: count.describe('Claims that the partner or the carrier of the group has to pay.'),
  })
  .meta({ id: 'ReportRow' });

type ReportRow = z.output<typeof reportRow>;

const reportQuery = z
  .object({
    from: day.describe('First day, in UTC.'),
    to: day.describe(`Last day, in UTC. At most ${MOST_DAYS} days.`),
    by: z
      .string()
      .max(100)
      .default('day')
      .transform((text) => text.split(','))
      .pipe(z.array(z.enum(REPORT_DIMENSIONS)).max(REPORT_DIMENSIONS.length))
      .describe(`Separated by commas: ${REPORT_DIMENSIONS.map((name) => `\`${name}\``).join(', ')}.`),
    clientId: z.uuid().optional(),
    country: countryCode.optional(),
    partnerId: z.uuid().optional(),
    carrierUid: z.string().max(100).optional(),
    productUid: z.string().max(500).optional(),
    format: z
      .enum(['json', 'csv', 'parquet'])
      .default('json')
      .describe('`csv` and `parquet` are files, and count as exports of the account (429).'),
  })
  .refine(({ from, to }) => from <= to && Date.parse(to) - Date.parse(from) < MOST_DAYS * DAY_MS, {
    error: `must be ${MOST_DAYS} days at most, from the first to the last one`,
    path: ['to'],
  });

const AMOUNTS: readonly string[] = ['revenue', 'cost', 'margin'];
const TEXTS: readonly string[] = [...REPORT_DIMENSIONS, 'currency'];

/** The columns of a row; amounts are minor units. */
const PARQUET_COLUMNS = Object.entries(reportRow.shape).map(
  ([name, { description = '' }]): Column => ({
    name: AMOUNTS.includes(name) ? `${name}_minor` : name,
    type: TEXTS.includes(name) ? 'STRING' : 'INT64',
    doc: description,
  }),
);

function rowOf({
  revenueMinor,
  costMinor,
  parcels,
  delivered,
  late,
  errors,
  claims,
  ...group
}: ReportGroup): ReportRow {
  const amount = (minor: number) => fromMinor(minor, group.currency);
  const amounts = { revenue: amount(revenueMinor), cost: amount(costMinor), margin: amount(revenueMinor - costMinor) };
  return { ...group, ...amounts, parcels, delivered, late, errors, claims };
}

export function reportRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  return exportedList('GET /v1/operator/reports', {
    csv: { name: 'report', rows: 'rows', pages: PAGES.single },
    ...forOperators('Operator: orders', 'viewer'),
    operationId: 'getReport',
    onStandby: true,
    timeoutMs: 30_000,
    otherContentTypes: ['application/vnd.apache.parquet'],
    summary: 'Report figures of a period',
    description:
      'Adds up the orders that were submitted in a period, archived ones too, by day, client, country, partner, carrier or product. Amounts ' +
      `of different currencies are never added. A report has at most ${MOST_GROUPS.toLocaleString('en')} rows and may take 25 seconds; a longer one gets 503.`,
    query: reportQuery,
    response: z
      .object({
        rows: z.array(reportRow),
        asOf: timestamp
          .nullable()
          .describe(
            'Changes of orders after this time may be missing, as days with many orders are added up before. Null: none is.',
          ),
      })
      .meta({ id: 'Report' }),
    handler: async ({ query: { from, to, by, format, ...of }, signal, quotas, account }) => {
      const filters = {
        ...(of.clientId === undefined ? {} : { client: of.clientId }),
        ...(of.country === undefined ? {} : { country: of.country }),
        ...(of.partnerId === undefined ? {} : { partner: of.partnerId }),
        ...(of.carrierUid === undefined ? {} : { carrier: of.carrierUid }),
        ...(of.productUid === undefined ? {} : { product: of.productUid }),
      };
      const request = { from, to, by, filters, signal, mostMs: MOST_MS };
      if (format !== 'parquet') {
        const { groups, asOf } = await report(sql, objects, request);
        return { rows: groups.map(rowOf), asOf };
      }
      const release = await quotas.beginExport(account);
      try {
        const { groups } = await report(sql, objects, request);
        const rows = groups.map(({ revenueMinor: revenue, costMinor: cost, ...group }) => ({
          ...group,
          ...{ revenue_minor: revenue, cost_minor: cost, margin_minor: revenue - cost },
        }));
        const headers = {
          'Content-Type': 'application/vnd.apache.parquet',
          'Content-Disposition': 'attachment; filename="report.parquet"',
        };
        return new RawResponse(200, headers, Buffer.from(await parquetOf(PARQUET_COLUMNS, rows)));
      } finally {
        release();
      }
    },
  });
}
