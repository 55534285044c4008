import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, call } from '../../api/call';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { ActDialog } from '../../components/act-dialog';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { LabelLinks } from './label-links';
import type { ShipmentsSearch } from './search';

type ShippingOrder = Answer<'listOperatorShippingOrders'>['shippingOrders'][number];

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
  { name: t.orderColumns.client, cell: ({ clientName }) => clientName },
  { name: t.orderColumns.method, cell: ({ methodUid }) => methodUid },
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
  { name: t.orderColumns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Labels that clients and partners bought for packages of their own, those with problems first. */
export function ShippingOrders({ filters }: { readonly filters: Pick<ShipmentsSearch, 'q' | 'problem'> }) {
  const query = useInfiniteQuery(
    readPages('listOperatorShippingOrders', { query: { ...filters, limit: PAGE } }),
  );
  const mayVoid = useMay('operator');
  const [voided, setVoided] = useState<ShippingOrder | null>(null);
  const act: Column<ShippingOrder> = {
    name: t.orderColumns.act,
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
      actions={
        <ExportCsv operation="listOperatorShippingOrders" input={{ query: { ...filters, format: 'csv' } }} />
      }
    >
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ shippingOrders }) => shippingOrders);
          if (rows.length === 0) return <Empty title={t.emptyOrders} text={t.emptyOrdersText} />;
          return (
            <DataTable
              label={t.shippingOrders}
              columns={mayVoid ? [...COLUMNS, act] : COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
            />
          );
        }}
      </Loaded>
      <LoadMore {...query} />
      <ActDialog
        act={
          voided && {
            title: t.void,
            explanation: t.voidExplanation(voided.orderReferenceId),
            button: t.voidButton,
            run: ({ idempotencyKey }) =>
              call('cancelShippingOrder', { params: { shippingOrderId: voided.id } }, { idempotencyKey }),
          }
        }
        onClose={() => setVoided(null)}
      />
    </Section>
  );
}
