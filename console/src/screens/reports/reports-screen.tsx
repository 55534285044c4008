import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { addressOf } from '../../api/address';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { ClientLink, PartnerLink } from '../../components/accounts/account-links';
import { useClientOptions, usePartnerOptions } from '../../components/accounts/account-options';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Bars } from '../../components/values/bars';
import { moneyOf } from '../../components/values/money';
import { texts } from '../../texts';
import { countOf } from '../../texts/common';
import { Filters } from './filters';

type Row = ApiResponse<'getReport'>['rows'][number];
type Dimension = keyof typeof t.dimensions;
type Measure = keyof typeof t.measures;

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

/** Returns every day of a period. */
const daysOf = (from: string, to: string) =>
  Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, index) =>
    dayAt(Date.parse(from) + index * DAY_MS),
  );

const shown = (measure: Measure, value: number, currency: string) =>
  MONEY.includes(measure) ? moneyOf(value, currency) : countOf(value);

export function ReportsScreen() {
  const search = route.useSearch();
  const { by = 'day', chart = 'orders', ...filters } = search;
  const period = periodOf(search);
  const input = { ...filters, ...period, by };
  const query = useQuery({ ...read('getReport', { query: input }), staleTime: 60_000, refetchInterval: false });
  const clients = useClientOptions();
  const partners = usePartnerOptions();
  const nameOf = (id: string) => [...clients, ...partners].find(({ value }) => value === id)?.label ?? id;
  const cell = (id: string | null) => {
    if (id === null) return none;
    if (by === 'client') return <ClientLink id={id} name={nameOf(id)} />;
    return by === 'partner' ? <PartnerLink id={id} uid={nameOf(id)} /> : id;
  };
  const columns: Column<Row>[] = [
    { name: t.dimensions[by], cell: (row) => cell(row[by]) },
    { name: t.currency, cell: ({ currency }) => currency },
    ...MEASURES.map((measure) => ({
      name: t.measures[measure],
      numeric: true,
      cell: (row: Row) => shown(measure, row[measure], row.currency),
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
      <Filters search={{ ...search, ...period }} />
      <PagedTable
        label={t.title}
        query={onePage(query)}
        rowsOf={({ rows }) => rows.slice(0, MOST_ROWS)}
        columns={columns}
        keyOf={(row) => `${row[by]} ${row.currency}`}
        empty={{ title: t.empty, text: t.emptyText }}
        caption={(rows, all) => (
          <>
            {rows.length < all.rows.length && <Text size="sm">{t.firstRows(rows.length, all.rows.length)}</Text>}
            <Chart rows={rows} by={by} measure={chart} period={period} nameOf={nameOf} />
          </>
        )}
      />
    </Screen>
  );
}

/** A measure by the groups of a report. Amounts have a chart for each currency; counts are added up over currencies. */
function Chart(props: {
  readonly rows: readonly Row[];
  readonly by: Dimension;
  readonly measure: Measure;
  readonly period: { readonly from: string; readonly to: string };
  readonly nameOf: (id: string) => string;
}) {
  const { rows, by, measure, period, nameOf } = props;
  const isMoney = MONEY.includes(measure);
  const currencies = isMoney ? [...new Set(rows.map(({ currency }) => currency))] : [''];
  return currencies.map((currency) => {
    const values = new Map(by === 'day' ? daysOf(period.from, period.to).map((day) => [day, 0]) : []);
    for (const row of rows.filter((row) => !isMoney || row.currency === currency))
      values.set(row[by] ?? none, (values.get(row[by] ?? none) ?? 0) + row[measure]);
    const name = isMoney ? t.inCurrency(t.measures[measure], currency) : t.measures[measure];
    const text = (value: number) => shown(measure, value, currency);
    const all = [...values.values()];
    return (
      <Bars
        key={currency}
        label={texts.common.chart(name, `${period.from} – ${period.to}`)}
        numbers={texts.common.scale(name, text(all.reduce((sum, value) => sum + value, 0)), text(Math.max(...all)))}
        bars={[...values].map(([key, value]) => ({ key, value, title: texts.common.bar(nameOf(key), text(value)) }))}
        tone="info"
      />
    );
  });
}
