import { Text } from '@mantine/core';
import type { ApiResponse } from '../../api/types';
import * as texts from '../../texts';
import { Empty } from '../layout/empty';
import { Age } from '../values/time';
import { type Column, DataTable } from './data-table';

type Queue = ApiResponse<'getOperatorSummary'>['workers'];

const t = texts.today;

const WORKERS: readonly Column<NonNullable<Queue>['pollers'][number]>[] = [
  { name: t.workerColumns.identity, cell: ({ identity }) => identity },
  { name: t.workerColumns.types, cell: ({ types }) => types.join(', ') },
  { name: t.workerColumns.seen, cell: ({ lastSeenAt }) => <Age at={lastSeenAt} /> },
];

/** The workers that ask Temporal for tasks, and how many tasks wait for one. */
export function Workers({ workers }: { readonly workers: Queue }) {
  const known = (count: number | null) => count ?? texts.common.none;
  if (workers === null) return <Empty title={t.workersUnknown} text={t.workersUnknownText} />;
  return (
    <>
      <Text size="sm">{t.backlog(known(workers.backlog.workflow), known(workers.backlog.activity))}</Text>
      <DataTable
        label={t.workers}
        columns={WORKERS}
        rows={workers.pollers}
        keyOf={({ identity, types }) => `${identity} ${types}`}
      />
    </>
  );
}
