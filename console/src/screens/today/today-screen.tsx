import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { read } from '../../api/queries';
import { EmptyLine } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Workers } from '../../components/lists/workers';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { Stages } from './stages';
import { Throughput } from './throughput';
import type { Summary } from './types';

const t = texts.today;

/** Alarms and the dialog of their act come after the figures, in the chunk of Attention: one of their own splits those of the first load. */
const Alarms = lazy(async () => ({ default: (await import('../attention/attention-screen')).Alarms }));

/** Returns the time that was some seconds before another. */
const before = (at: string, seconds: number) => new Date(Date.parse(at) - seconds * 1_000).toISOString();

export function TodayScreen() {
  const query = useQuery(read('getOperatorSummary', {}));
  return (
    <Screen title={t.title}>
      <QueryContent query={query}>
        {(summary) => (
          <>
            <Suspense fallback={null}>
              <Alarms />
            </Suspense>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Attention summary={summary} />
              <Stages orders={summary.orders} />
            </SimpleGrid>
            <Throughput summary={summary} />
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Outbox summary={summary} />
              <Jobs jobs={summary.jobs} />
            </SimpleGrid>
            <Section title={t.workers}>
              <Workers workers={summary.workers} />
            </Section>
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

function Attention({ summary }: { readonly summary: Summary }) {
  const { attention, at } = summary;
  const columns: Column<Summary['attention'][number]>[] = [
    {
      name: t.attentionColumns.reason,
      cell: ({ reason }) => (
        <Link to="/attention" search={{ reason }}>
          {texts.names.reason(reason)}
        </Link>
      ),
    },
    {
      name: t.attentionColumns.orders,
      numeric: true,
      cell: ({ reason, count }) => (
        <Link to="/attention" search={{ reason }}>
          {count}
        </Link>
      ),
    },
    {
      name: t.attentionColumns.oldest,
      cell: ({ reason, oldestSeconds }) => (
        <Link to="/attention" search={{ reason, sort: 'age' }}>
          <Age at={before(at, oldestSeconds)} />
        </Link>
      ),
    },
  ];
  return (
    <Section title={t.attention}>
      {attention.length === 0 ? (
        <EmptyLine title={t.noAttention} text={t.noAttentionText} />
      ) : (
        <DataTable label={t.attention} columns={columns} rows={attention} keyOf={({ reason }) => reason} />
      )}
    </Section>
  );
}

function Outbox({ summary }: { readonly summary: Summary }) {
  const columns: Column<Summary['outbox'][number]>[] = [
    { name: t.outboxColumns.kind, cell: ({ kind }) => texts.names.code(kind) },
    {
      name: t.outboxColumns.pending,
      numeric: true,
      cell: ({ kind, pending }) => (
        <Link to="/outbox" search={{ kind, state: 'pending' }}>
          {pending}
        </Link>
      ),
    },
    {
      name: t.outboxColumns.oldest,
      cell: ({ kind, oldestPendingSeconds: seconds }) =>
        seconds === null ? (
          texts.common.none
        ) : (
          <Link to="/outbox" search={{ kind, state: 'pending' }}>
            <Age at={before(summary.at, seconds)} />
          </Link>
        ),
    },
    {
      name: t.outboxColumns.dead,
      numeric: true,
      cell: ({ kind, dead }) => (
        <Link to="/outbox" search={{ kind, state: 'dead' }}>
          {dead === 0 ? 0 : <Badge tone="danger">{dead}</Badge>}
        </Link>
      ),
    },
  ];
  return (
    <Section title={t.outbox}>
      <DataTable label={t.outbox} columns={columns} rows={summary.outbox} keyOf={({ kind }) => kind} />
    </Section>
  );
}

const JOBS: readonly Column<Summary['jobs'][number]>[] = [
  { name: t.jobColumns.name, cell: ({ name }) => <Link to="/system">{name}</Link> },
  {
    name: t.jobColumns.last,
    cell: ({ lastRun }) => (lastRun === null ? t.never : <Age at={lastRun.endedAt} />),
  },
  {
    name: t.jobColumns.result,
    cell: ({ lastRun }) => {
      if (lastRun === null) return texts.common.none;
      if (lastRun.error === null) return <Badge tone="success">{t.succeeded}</Badge>;
      return <Badge tone="danger">{lastRun.error}</Badge>;
    },
  },
];

function Jobs({ jobs }: Pick<Summary, 'jobs'>) {
  return (
    <Section title={t.jobs}>
      <DataTable label={t.jobs} columns={JOBS} rows={jobs} keyOf={({ name }) => name} />
    </Section>
  );
}
