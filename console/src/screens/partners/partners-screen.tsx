import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { durationOf } from '../../components/values/duration';
import { Link } from '../../components/values/link';
import { percent } from '../../components/values/percent';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { AddPartner } from './add-partner';
import { PartnerState } from './partner-state';
import { type Health, partnerHealth } from './queries';

type Row = ApiResponse<'listPartners'>['partners'][number];

const t = texts.partners;
const { none } = texts.common;

/** A figure of a partner, which is read on its own. */
function Figure({ of: row, show }: { readonly of: Row; readonly show: (health: Health) => ReactNode }) {
  const { data, error } = useQuery(partnerHealth(row.id));
  if (data !== undefined) return show(data);
  return error === null ? <Skeleton height={14} width={48} /> : none;
}

const figure = (show: (health: Health) => ReactNode) => (row: Row) => <Figure of={row} show={show} />;
const age = (at: string | null) => (at === null ? none : <Age at={at} />);

const COLUMNS: readonly Column<Row>[] = [
  {
    name: t.columns.partner,
    cell: ({ id, uid, name }) => (
      <Stack gap={0}>
        <Link to="/partners/$partnerId" params={{ partnerId: id }}>
          {uid}
        </Link>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
      </Stack>
    ),
  },
  { name: t.columns.country, cell: ({ country }) => country },
  { name: t.columns.state, cell: (row) => <PartnerState partner={row} /> },
  {
    name: t.columns.accept,
    numeric: true,
    cell: figure(({ acceptSecondsMedian: seconds }) => (seconds === null ? none : durationOf(seconds))),
  },
  {
    name: t.columns.late,
    numeric: true,
    cell: figure(({ late, lateShare }) => {
      if (lateShare === null) return none;
      return late === 0 ? percent(0) : <Badge tone="warning">{percent(lateShare)}</Badge>;
    }),
  },
  {
    name: t.columns.failures,
    numeric: true,
    cell: figure(({ errors, requests: { retry, refused } }) => {
      const failures = errors + retry + refused;
      return failures === 0 ? 0 : <Badge tone="danger">{failures}</Badge>;
    }),
  },
  { name: t.columns.stock, cell: figure(({ stock }) => age(stock.oldest)) },
  { name: t.columns.postback, cell: figure(({ lastPostbackAt }) => age(lastPostbackAt)) },
];

export function PartnersScreen() {
  const query = useQuery(read('listPartners', {}));
  const mayAdd = useMay('admin');
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={
        <Group gap="sm">
          <ExportCsv operation="listPartners" input={{ query: { format: 'csv' } }} />
          {mayAdd ? <AddPartner /> : null}
        </Group>
      }
    >
      <PagedTable
        label={t.title}
        query={onePage(query)}
        rowsOf={({ partners }) => partners}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Screen>
  );
}
