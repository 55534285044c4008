import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';

type Summary = ApiResponse<'getOperatorSummary'>;

const t = texts.outbox;

const columnsAt = (at: string): readonly Column<Summary['outbox'][number]>[] => [
  { name: t.summaryColumns.kind, cell: ({ kind }) => t.kinds[kind] },
  {
    name: t.summaryColumns.pending,
    numeric: true,
    cell: ({ kind, pending }) => (
      <Link to="/outbox" search={{ state: 'pending', kind }}>
        {pending}
      </Link>
    ),
  },
  {
    name: t.summaryColumns.oldest,
    cell: ({ oldestPendingSeconds: seconds }) =>
      seconds === null ? texts.common.none : <Age at={new Date(Date.parse(at) - seconds * 1_000).toISOString()} />,
  },
  {
    name: t.summaryColumns.dead,
    numeric: true,
    cell: ({ kind, dead }) => (
      <Link to="/outbox" search={{ state: 'dead', kind }}>
        {dead}
      </Link>
    ),
  },
];

/** How many messages of each kind are pending and dead. Every count is a link to its list. */
export function CountsByKind() {
  const query = useQuery(read('getOperatorSummary', {}));
  return (
    <QueryContent query={query} lines={4}>
      {({ at, outbox }) => (
        <DataTable label={t.summary} columns={columnsAt(at)} rows={outbox} keyOf={({ kind }) => kind} />
      )}
    </QueryContent>
  );
}
