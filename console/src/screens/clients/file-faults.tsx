import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { clientFileFaults } from './queries';

type Fault = ApiResponse<'getClientFileFaults'>['faults'][number];

const t = texts.clients.fileFaults;
const { severities } = texts.order.items;
const TONES = { error: 'danger', warning: 'warning', ok: 'neutral' } as const;

const COLUMNS: readonly Column<Fault>[] = [
  { name: t.columns.check, cell: ({ code }) => t.checks[code] },
  {
    name: t.columns.severity,
    cell: ({ severity }) => <Badge tone={TONES[severity]}>{severities[severity]}</Badge>,
  },
  { name: t.columns.files, numeric: true, cell: ({ files }) => files },
  { name: t.columns.orders, numeric: true, cell: ({ orders }) => orders },
  {
    name: t.columns.latest,
    cell: ({ orderId, orderReferenceId, message, at }) => (
      <>
        <Link to="/orders/$orderId" params={{ orderId }}>
          {orderReferenceId}
        </Link>
        , <Age at={at} />
        <Text size="xs">{message}</Text>
      </>
    ),
  },
];

/** What is most often wrong with the print files of a client. */
export function FileFaults({ clientId }: { readonly clientId: string }) {
  const query = useQuery(clientFileFaults(clientId));
  return (
    <Section title={t.title}>
      <Text size="sm" c="dimmed">
        {query.data === undefined ? null : t.explanation(query.data.files)}
      </Text>
      <PagedTable
        label={t.title}
        query={onePage(query)}
        lines={2}
        rowsOf={({ faults }) => faults}
        columns={COLUMNS}
        keyOf={({ code, severity }) => `${code}-${severity}`}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
