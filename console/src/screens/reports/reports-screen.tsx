import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { addressOf } from '../../api/address';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Bars } from '../../components/values/bars';
import { Link } from '../../components/values/link';
import { moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { countOf } from '../../texts/common';
import { Filters } from './filters';
import { type Dimension, useGroups } from './groups';
import type { ReportsSearch } from './reports-search';

type Row = ApiResponse<'getReport'>['rows'][number];
type Measure = keyof typeof t.measures;
interface Period {
  readonly by: Dimension;
  readonly from: string;
  readonly to: string;
}

const route = getRouteApi('/reports');
const t = texts.reports;
const { none } = texts.common;
const DAY_MS = 86_400_000;
/** Days of the period when the address has none. */
const DAYS = 30;
/** Rows that a browser shows without delay. */
const MOST_ROWS = 1_000;
const MONEY: readonly Measure[] = ['revenue', 'cost', 'margin'];
const MEASURES = Object.keys(t.measures) as Measure[];

const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the period of an address, in days of UTC. A day that is missing makes it 30 days long, and today its end. */
function periodOf({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  const last = to ?? dayAt(Date.now());
  return { from: from ?? dayAt(Date.parse(last) - (DAYS - 1) * DAY_MS), to: last };
}

/** Returns the period of as many days that ends before another begins. */
function periodBefore({ from, to }: { readonly from: string; readonly to: string }) {
  const length = Date.parse(to) - Date.parse(from) + DAY_MS;
  return { from: dayAt(Date.parse(from) - length), to: dayAt(Date.parse(from) - DAY_MS) };
}

/** Returns every day of a period. */
const daysOf = ({ from, to }: { readonly from: string; readonly to: string }) =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, index) =>
    dayAt(Date.parse(from) + index * DAY_MS),
  );

const shown = (measure: Measure, value: number, currency: string) =>
  MONEY.includes(measure) ? moneyOf(value, currency) : countOf(value);

/**
 * Returns the filters of the list of orders for the orders that a row counts, which the list shows in all currencies. Undefined:
 * the list has no such filter.
 */
function ordersOf(row: Row, of: Pick<ReportsSearch, 'clientId' | 'partnerId' | 'carrierUid' | 'productUid'> & Period) {
  const { by, from, to, carrierUid, productUid, clientId, partnerId } = of;
  const key = row[by];
  if (by === 'carrier' || by === 'product' || carrierUid !== undefined || productUid !== undefined || key === null)
    return undefined;
  const [first, last] = by === 'day' ? [key, key] : [from, to];
  return {
    clientId: row.client ?? clientId,
    partnerId: row.partner ?? partnerId,
    createdFrom: `${first}T00:00:00.000Z`,
    createdTo: new Date(Date.parse(last) + DAY_MS).toISOString(),
  };
}

export function ReportsScreen() {
  const search = route.useSearch();
  const { by = 'day', chart = 'orders', ...filters } = search;
  const period = periodOf(search);
  const input = { ...filters, ...period, by };
  const query = useQuery({ ...read('getReport', { query: input }), staleTime: 60_000, refetchInterval: false });
  const before = periodBefore(period);
  // Groups other than days have no order in time, which a line could follow.
  const { data: earlier } = useQuery({
    ...read('getReport', { query: { ...input, ...before } }),
    staleTime: 60_000,
    refetchInterval: false,
    enabled: by === 'day',
  });
  const { nameOf, cellOf } = useGroups(by);
  const figureOf = (row: Row, measure: Measure) => {
    const text = shown(measure, row[measure], row.currency);
    const counted = measure === 'orders' && row.orders > 0 ? ordersOf(row, input) : undefined;
    return counted === undefined ? (
      text
    ) : (
      <Link to="/orders" search={counted}>
        {text}
      </Link>
    );
  };
  const columns: Column<Row>[] = [
    {
      name: t.dimensions[by],
      cell: ({ [by]: key }) => (key === null ? none : cellOf(key)),
    },
    { name: t.currency, cell: ({ currency }) => currency },
    ...MEASURES.map((measure) => ({
      name: t.measures[measure],
      numeric: true,
      cell: (row: Row) => figureOf(row, measure),
    })),
  ];
  const parquet = addressOf('getReport', { query: { ...input, format: 'parquet' } });
  return (
    <Screen
      title={t.title}
      actions={
        <>
          <ExportCsv operation="getReport" input={{ query: { ...input, format: 'csv' } }} />
          <Button component="a" size="xs" variant="default" href={parquet} download>
            {t.exportParquet}
          </Button>
        </>
      }
    >
      <Filters search={{ ...search, ...period }} saved={search} />
      <PagedTable
        label={t.title}
        query={onePage(query)}
        rowsOf={({ rows }) => rows.slice(0, MOST_ROWS)}
        columns={columns}
        keyOf={(row) => `${row[by]} ${row.currency}`}
        empty={{ title: t.empty, text: t.emptyText }}
        caption={(rows, all) => (
          <>
            {all.asOf === null ? null : (
              <Text size="sm">
                {t.asOf} <Time at={all.asOf} />
              </Text>
            )}
            {rows.length < all.rows.length && <Text size="sm">{t.firstRows(rows.length, all.rows.length)}</Text>}
            <Chart rows={rows} earlier={earlier} by={by} measure={chart} period={period} nameOf={nameOf} />
          </>
        )}
      />
    </Screen>
  );
}

/**
 * A measure by the groups of a report, with a line for the days of the period before. Amounts have a chart for each currency;
 * counts are added up over currencies.
 */
function Chart(props: {
  readonly rows: readonly Row[];
  readonly earlier: ApiResponse<'getReport'> | undefined;
  readonly by: Dimension;
  readonly measure: Measure;
  readonly period: { readonly from: string; readonly to: string };
  readonly nameOf: (id: string) => string;
}) {
  const { rows, earlier, by, measure, period, nameOf } = props;
  const isMoney = MONEY.includes(measure);
  const currencies = isMoney ? [...new Set(rows.map(({ currency }) => currency))] : [''];
  return currencies.map((currency) => {
    /** Returns the values of the groups, in their order. */
    const valuesOf = (counted: readonly Row[], days: readonly string[]) => {
      const values = new Map(days.map((day) => [day, 0]));
      for (const row of counted.filter((row) => !isMoney || row.currency === currency))
        values.set(row[by] ?? none, (values.get(row[by] ?? none) ?? 0) + row[measure]);
      return values;
    };
    const values = valuesOf(rows, by === 'day' ? daysOf(period) : []);
    const before =
      by === 'day' && earlier !== undefined ? valuesOf(earlier.rows, daysOf(periodBefore(period))) : undefined;
    const name = isMoney ? t.inCurrency(t.measures[measure], currency) : t.measures[measure];
    const text = (value: number) => shown(measure, value, currency);
    const all = [...values.values()];
    return (
      <Bars
        key={currency}
        label={texts.common.chart(name, `${period.from} – ${period.to}`)}
        numbers={texts.common.scale(name, text(all.reduce((sum, value) => sum + value, 0)), text(Math.max(...all)))}
        bars={[...values].map(([key, value]) => ({ key, value, title: texts.common.bar(nameOf(key), text(value)) }))}
        before={before === undefined ? undefined : [...before.values()]}
        tone="info"
      />
    );
  });
}
