import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';

type Quota = ApiResponse<'getClientQuotas'>['quotas'][number];

const t = texts.clients.quotas;

const COLUMNS: readonly Column<Quota>[] = [
  { name: t.columns.quota, cell: ({ name }) => t.names[name] },
  {
    name: t.columns.used,
    numeric: true,
    cell: ({ used, limit }) =>
      limit > 0 && used >= limit ? <Badge tone="warning">{t.number(used)}</Badge> : t.number(used),
  },
  { name: t.columns.limit, numeric: true, cell: ({ limit }) => (limit === 0 ? t.noLimit : t.number(limit)) },
  { name: t.columns.setBy, cell: ({ isOwn }) => (isOwn ? t.own : t.default) },
];

/** The quotas of a client with their current use. */
export function ClientQuotas({ clientId }: { readonly clientId: string }) {
  const query = useQuery(read('getClientQuotas', { params: { connectorId: clientId } }));
  return (
    <Section title={t.title}>
      <QueryContent query={query}>
        {({ quotas }) => <DataTable label={t.title} columns={COLUMNS} rows={quotas} keyOf={({ name }) => name} />}
      </QueryContent>
    </Section>
  );
}
