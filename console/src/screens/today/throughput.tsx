import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { EmptyLine } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Bars } from '../../components/values/bars';
import { durationOf } from '../../components/values/duration';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { Summary } from './types';

type Period = Summary['hours'][number];
type Stage = Period['stages'][number];

const t = texts.today;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
/** The statuses of the charts: orders that came in, and orders that left. */
const CHARTED = ['created', 'shipped', 'delivered'] as const;

/** @param from start of the days that the figures are of */
const columnsSince = (from: string): Column<Stage>[] => [
  { name: t.throughputColumns.status, cell: ({ status }) => texts.names.status(status).text },
  {
    name: t.throughputColumns.orders,
    numeric: true,
    cell: ({ orders }) => (
      <Link to="/orders" search={{ createdFrom: from }}>
        {orders}
      </Link>
    ),
  },
  {
    name: t.throughputColumns.average,
    numeric: true,
    cell: ({ averageSeconds }) => durationOf(averageSeconds),
  },
];

/** Returns the totals over periods in the order of progress, with averages weighted by the number of orders. */
function totalsOf(periods: readonly Period[], stages: Summary['orders']): Stage[] {
  const totals = new Map<Stage['status'], Stage>();
  for (const { status, orders, averageSeconds } of periods.flatMap(({ stages }) => stages)) {
    const sum = totals.get(status) ?? { status, orders: 0, averageSeconds: 0 };
    const all = sum.orders + orders;
    const average = (sum.averageSeconds * sum.orders + averageSeconds * orders) / Math.max(1, all);
    totals.set(status, { status, orders: all, averageSeconds: average });
  }
  return stages.flatMap(({ status }) => totals.get(status) ?? []);
}

/** Orders that reached each status in the last hours and days, and how long they took. */
export function Throughput({ summary }: { readonly summary: Summary }) {
  const { hours, days, at } = summary;
  const first = Math.floor(Date.parse(at) / DAY_MS - DAYS + 1) * DAY_MS;
  const counted = days.filter(({ from }) => Date.parse(from) >= first);
  return (
    <Section title={t.throughput}>
      {days.length === 0 && hours.length === 0 ? (
        <EmptyLine title={t.nothingReached} text={t.nothingReachedText} />
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Charts periods={hours} span={t.hours} at={at} count={24} length={HOUR_MS} />
            <Charts periods={days} span={t.days} at={at} count={DAYS} length={DAY_MS} />
          </SimpleGrid>
          <DataTable
            label={t.throughput}
            columns={columnsSince(counted[0]?.from ?? at)}
            rows={totalsOf(counted, summary.orders)}
            keyOf={({ status }) => status}
          />
        </>
      )}
    </Section>
  );
}

/** The charts of the last periods, each with the line of as many before them. */
function Charts(props: {
  readonly periods: readonly Period[];
  readonly span: string;
  readonly at: string;
  readonly count: number;
  readonly length: number;
}) {
  const { periods, span, at, count, length } = props;
  const last = Math.floor(Date.parse(at) / length) * length;
  const starts = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * length);
  const reached = (start: number, status: string) =>
    periods.find(({ from }) => Date.parse(from) === start)?.stages.find((stage) => stage.status === status)?.orders ??
    0;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {span}
      </Text>
      {CHARTED.map((status) => {
        const { text, tone } = texts.names.status(status);
        const values = starts.map((start) => reached(start, status));
        return (
          <Bars
            key={status}
            label={texts.common.chart(text, span)}
            numbers={texts.common.scale(
              text,
              values.reduce((sum, value) => sum + value, 0),
              Math.max(...values),
            )}
            bars={values.map((value, index) => ({
              key: String(starts[index]),
              value,
              title: texts.common.bar(new Date(starts[index]!).toLocaleString(), value),
            }))}
            before={starts.map((start) => reached(start - count * length, status))}
            tone={tone}
          />
        );
      })}
      <Group justify="space-between">
        {[starts[0]!, last].map((start) => (
          <Text key={start} size="xs" c="dimmed">
            <Time at={new Date(start).toISOString()} />
          </Text>
        ))}
      </Group>
    </Stack>
  );
}
