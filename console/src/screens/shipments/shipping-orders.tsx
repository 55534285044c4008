import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { FormDialog } from '../../components/forms/form-dialog';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { LabelLinks } from './label-links';
import type { ShipmentsSearch } from './shipments-search';

type ShippingOrder = ApiResponse<'listOperatorShippingOrders'>['shippingOrders'][number];

const t = texts.shipments;
const { none } = texts.common;
/** Few, because the list of parcels is below. */
const PAGE = 10;

const COLUMNS: readonly Column<ShippingOrder>[] = [
  {
    name: t.orderColumns.reference,
    cell: ({ id, orderReferenceId }) => (
      <Link to="/shipments" search={{ q: id }}>
        {orderReferenceId}
      </Link>
    ),
  },
  {
    name: t.orderColumns.problem,
    cell: ({ problem, refusal }) =>
      problem === null ? (
        none
      ) : (
        <Stack gap={2} align="flex-start">
          <Badge tone="warning">{t.problems[problem]}</Badge>
          {refusal === null ? null : <Text size="xs">{refusal}</Text>}
        </Stack>
      ),
  },
  {
    name: t.orderColumns.status,
    cell: ({ status }) => <Badge tone={t.orderStatuses[status].tone}>{t.orderStatuses[status].text}</Badge>,
  },
  {
    name: t.orderColumns.labels,
    cell: ({ packages }) =>
      packages.length === 0 ? (
        none
      ) : (
        <Stack gap={2}>
          {packages.map(({ trackingNumber, label }) => (
            <Group key={trackingNumber} gap="xs" wrap="nowrap">
              <Text size="sm">{trackingNumber}</Text>
              {label === null ? null : <LabelLinks label={label} />}
            </Group>
          ))}
        </Stack>
      ),
  },
  { name: t.orderColumns.client, cell: ({ clientName }) => clientName },
  { name: t.orderColumns.method, cell: ({ methodUid }) => texts.names.code(methodUid) },
  { name: t.orderColumns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Labels that clients and partners bought for packages of their own, those with problems first. */
export function ShippingOrders({ filters }: { readonly filters: Pick<ShipmentsSearch, 'q' | 'problem'> }) {
  const query = useInfiniteQuery(readPages('listOperatorShippingOrders', { query: { ...filters, limit: PAGE } }));
  const mayVoid = useMay('operator');
  const [voided, setVoided] = useState<ShippingOrder | null>(null);
  const buttons: Column<ShippingOrder> = {
    name: texts.common.actions,
    cell: (order) =>
      order.status === 'bought' ? (
        <Button size="compact-xs" variant="default" onClick={() => setVoided(order)}>
          {t.void}
        </Button>
      ) : null,
  };
  return (
    <Section
      title={t.shippingOrders}
      actions={<ExportCsv operation="listOperatorShippingOrders" input={{ query: { ...filters, format: 'csv' } }} />}
    >
      <PagedTable
        label={t.shippingOrders}
        query={query}
        lines={3}
        rowsOf={({ shippingOrders }) => shippingOrders}
        columns={mayVoid ? [...COLUMNS, buttons] : COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.emptyOrders, text: t.emptyOrdersText }}
      />
      <FormDialog
        content={
          voided && {
            title: t.void,
            explanation: t.voidExplanation(voided.orderReferenceId),
            button: t.voidButton,
            destructive: true,
            changeOf: () => change('cancelShippingOrder', { params: { shippingOrderId: voided.id } }),
          }
        }
        onClose={() => setVoided(null)}
      />
    </Section>
  );
}
