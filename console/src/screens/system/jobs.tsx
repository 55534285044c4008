import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change, useChange } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { ErrorAlert } from '../../components/layout/error-alert';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import { durationOf } from '../../components/values/duration';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';

type Job = ApiResponse<'listJobs'>['jobs'][number];

const t = texts.system;

const COLUMNS: readonly Column<Job>[] = [
  { name: t.jobColumns.name, cell: ({ name }) => name },
  { name: t.jobColumns.every, cell: ({ everySeconds }) => durationOf(everySeconds) },
  {
    name: t.jobColumns.last,
    cell: ({ lastRun }) => (lastRun === null ? t.never : <Age at={lastRun.endedAt} />),
  },
  {
    name: t.jobColumns.duration,
    numeric: true,
    cell: ({ lastRun }) => (lastRun === null ? texts.common.none : durationOf(lastRun.seconds)),
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

/** The periodic jobs. An operator can run one now; its result appears when the run has ended. */
export function Jobs() {
  const query = useQuery(read('listJobs', {}));
  const mayRun = useMay('operator');
  const run = useChange((job: Job) => change('runJob', { params: { name: job.name } }));
  const column: Column<Job> = {
    name: texts.common.actions,
    cell: (job) => (
      <Button size="compact-xs" variant="default" onClick={() => run.mutate(job)}>
        {t.runNow}
      </Button>
    ),
  };
  return (
    <Section title={t.jobs}>
      {run.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={run.error} />}
      <QueryContent query={query}>
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
      </QueryContent>
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
