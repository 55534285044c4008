import { Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read, readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { ClientLink } from '../../components/accounts/account-links';
import { useClientOptions } from '../../components/accounts/account-options';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Link } from '../../components/values/link';
import { moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { ReceiptsSearch } from './receipts-search';
import { Statements } from './statements';

type Sum = ApiResponse<'sumReceipts'>['sums'][number];
type Line = ApiResponse<'listReceipts'>['lines'][number];

const route = getRouteApi('/receipts');
const t = texts.receipts;

/** Returns the month before a time, YYYY-MM in UTC: the one that is booked. */
function monthBefore(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
}

const AMOUNTS = (['net', 'tax', 'gross'] as const).map((name) => ({
  name: t.sumColumns[name],
  numeric: true,
  cell: (row: Sum | Line) => moneyOf(row[name], row.currency),
}));

export function ReceiptsScreen() {
  const search = route.useSearch();
  const shown = { ...search, month: search.month ?? monthBefore(new Date()) };
  const filters = { ...shown, rate: search.rate === undefined ? undefined : Number(search.rate) };
  const sums = useQuery({ ...read('sumReceipts', { query: filters }), refetchInterval: false });
  const lines = useInfiniteQuery(readPages('listReceipts', { query: { ...filters, limit: 50 } }));
  const empty = { title: t.empty, text: t.emptyText };
  const sumColumns: Column<Sum>[] = [
    {
      name: t.country,
      cell: ({ country, rate }) => (
        <Link to="/receipts" search={{ ...shown, country, rate: String(rate) }}>
          {country}
        </Link>
      ),
    },
    { name: t.sumColumns.treatment, cell: ({ treatment }) => t.treatments[treatment] },
    { name: t.rate, numeric: true, cell: ({ rate }) => t.percent(rate) },
    { name: t.sumColumns.receipts, numeric: true, cell: ({ receipts }) => receipts },
    ...AMOUNTS,
  ];
  return (
    <Screen title={t.title} intro={t.intro}>
      <Filters search={shown} />
      <Section
        title={t.sums}
        actions={<ExportCsv operation="sumReceipts" input={{ query: { ...filters, format: 'csv' } }} />}
      >
        <PagedTable
          label={t.sums}
          query={onePage(sums)}
          rowsOf={({ sums }) => sums}
          columns={sumColumns}
          keyOf={({ country, treatment, rate, currency }) => `${country} ${treatment} ${rate} ${currency}`}
          empty={empty}
          caption={(rows) => <Totals rows={rows} />}
        />
      </Section>
      <Statements month={shown.month} clientId={shown.clientId} />
      <Section
        title={t.lines}
        actions={<ExportCsv operation="listReceipts" input={{ query: { ...filters, format: 'csv' } }} />}
      >
        <PagedTable
          label={t.lines}
          query={lines}
          rowsOf={({ lines }) => lines}
          columns={LINE_COLUMNS}
          keyOf={({ receiptNumber, line }) => `${receiptNumber}-${line}`}
          empty={empty}
        />
      </Section>
    </Screen>
  );
}

const LINE_COLUMNS: readonly Column<Line>[] = [
  { name: t.lineColumns.date, cell: ({ date }) => <Time at={date} /> },
  { name: t.lineColumns.number, numeric: true, cell: ({ receiptNumber }) => receiptNumber },
  { name: t.type, cell: ({ type }) => t.types[type] },
  {
    name: t.lineColumns.order,
    cell: ({ orderId, orderReferenceId }) => (
      <Link to="/orders/$orderId" params={{ orderId }}>
        {orderReferenceId}
      </Link>
    ),
  },
  { name: t.lineColumns.client, cell: ({ clientId, clientName }) => <ClientLink id={clientId} name={clientName} /> },
  { name: t.lineColumns.title, cell: ({ title }) => title },
  { name: t.lineColumns.units, numeric: true, cell: ({ quantity }) => quantity },
  { name: t.country, cell: ({ country }) => country },
  { name: t.rate, numeric: true, cell: ({ rate }) => t.percent(rate) },
  ...AMOUNTS,
];

/** The sums over all countries and rates, of each currency. */
function Totals({ rows }: { readonly rows: readonly Sum[] }) {
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const total = (name: 'net' | 'tax' | 'gross') =>
      moneyOf(
        rows.reduce((sum, row) => (row.currency === currency ? sum + row[name] : sum), 0),
        currency,
      );
    return (
      <Text key={currency} size="sm">
        {t.total(total('net'), total('tax'), total('gross'))}
      </Text>
    );
  });
}

function Filters({ search }: { readonly search: ReceiptsSearch }) {
  const navigate = route.useNavigate();
  const change = (changed: ReceiptsSearch) => navigate({ search: { ...search, ...changed } });
  const apply = (form: FormData) => {
    const percent = Number.parseFloat(textOf(form, 'rate') ?? '');
    return void change({
      country: textOf(form, 'country')?.toUpperCase() ?? undefined,
      rate: Number.isNaN(percent) ? undefined : String(Number((percent / 100).toFixed(6))),
    });
  };
  return (
    <FilterForm onSubmit={apply}>
      <TextInput
        type="month"
        label={t.month}
        value={search.month ?? ''}
        onChange={(event) => change({ month: event.currentTarget.value || undefined })}
      />
      <Select
        label={texts.orders.client}
        none={texts.orders.allClients}
        w={160}
        value={search.clientId}
        onChange={(clientId) => change({ clientId })}
        options={useClientOptions()}
      />
      <FilterText name="country" label={t.country} value={search.country} width={96} />
      <FilterText
        name="rate"
        label={t.rate}
        value={search.rate === undefined ? undefined : t.percent(Number(search.rate))}
        width={96}
      />
      <Select
        label={t.type}
        none={t.allTypes}
        value={search.type}
        onChange={(type) => change({ type })}
        options={optionsOf(t.types)}
      />
    </FilterForm>
  );
}
