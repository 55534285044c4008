import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../api/call';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorAlert } from '../../components/error-alert';
import { Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Age } from '../../components/time';
import { texts } from '../../texts';

type Job = Answer<'listJobs'>['jobs'][number];

const t = texts.system;

const COLUMNS: readonly Column<Job>[] = [
  { name: t.jobColumns.name, cell: ({ name }) => name },
  { name: t.jobColumns.every, cell: ({ everySeconds }) => duration(everySeconds) },
  {
    name: t.jobColumns.last,
    cell: ({ lastRun }) => (lastRun === null ? t.never : <Age at={lastRun.endedAt} />),
  },
  {
    name: t.jobColumns.duration,
    numeric: true,
    cell: ({ lastRun }) => (lastRun === null ? texts.common.none : duration(lastRun.seconds)),
  },
  {
    name: t.jobColumns.result,
    cell: ({ lastRun }) => {
      if (lastRun === null) return texts.common.none;
      if (lastRun.error === null) return <Badge tone="success">{t.succeeded}</Badge>;
      return <Badge tone="danger">{lastRun.error}</Badge>;
    },
  },
  {
    name: t.jobColumns.success,
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? texts.common.none : <Age at={lastSuccessAt} />),
  },
];

/** Returns a duration as a text such as `5 min`. */
function duration(seconds: number): string {
  const [length, unit] = (
    [
      [86_400, 'day'],
      [3_600, 'hour'],
      [60, 'minute'],
    ] as const
  ).find(([length]) => seconds >= length) ?? [1, 'second'];
  return new Intl.NumberFormat('en', { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    seconds / length,
  );
}

/** The periodic jobs. An operator can run one now; its result appears when the run has ended. */
export function Jobs() {
  const query = useQuery(read('listJobs', {}));
  const mayRun = useMay('operator');
  const run = useMutation({
    mutationFn: (job: Job) => call('runJob', { params: { name: job.name } }),
  });
  const column: Column<Job> = {
    name: t.jobColumns.act,
    cell: (job) => (
      <Button size="compact-xs" variant="default" onClick={() => run.mutate(job)}>
        {t.runNow}
      </Button>
    ),
  };
  return (
    <Section title={t.jobs}>
      {run.error === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={run.error} />}
      <Loaded query={query}>
        {({ jobs }) => (
          <div>
            <div role="status">
              {run.data === undefined || run.variables === undefined ? null : (
                <Requested before={run.variables} jobs={jobs} />
              )}
            </div>
            <DataTable
              label={t.jobs}
              columns={mayRun ? [...COLUMNS, column] : COLUMNS}
              rows={jobs}
              keyOf={({ name }) => name}
            />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

/** Says how the requested run ended. It ended when the job has another last run than before. */
function Requested({ before, jobs }: { readonly before: Job; readonly jobs: readonly Job[] }) {
  const { name } = before;
  const lastRun = jobs.find((job) => job.name === name)?.lastRun ?? null;
  const isEnded = lastRun !== null && lastRun.endedAt !== before.lastRun?.endedAt;
  const textOf = () => {
    if (!isEnded) return t.requested(name);
    return lastRun.error === null ? t.ended(name) : t.failed(name, lastRun.error);
  };
  return (
    <Text size="sm" mb="md">
      {textOf()}
    </Text>
  );
}
