import { Stack } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { read } from '../../api/queries';
import { Badge, StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { EmptySection } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { Labels } from './documents';
import type { OperatorOrder } from './order-screen';

type Parcel = OperatorOrder['parcels'][number];
type Checkpoint = Answer<'getTracking'>['checkpoints'][number];

const t = texts.order.parcels;

const COLUMNS: readonly Column<Parcel>[] = [
  { name: t.columns.number, cell: ({ trackingNumber }) => trackingNumber },
  { name: t.columns.carrier, cell: ({ carrier }) => carrier ?? texts.common.none },
  {
    name: t.columns.status,
    cell: ({ status, voided }) =>
      voided ? <Badge tone="neutral">{t.voided}</Badge> : <StatusBadge status={status} />,
  },
  { name: t.columns.expected, cell: ({ expectedDeliveryDate }) => expectedDeliveryDate ?? texts.common.none },
];

const CHECKPOINTS: readonly Column<Checkpoint>[] = [
  { name: t.checkpointColumns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t.checkpointColumns.status, cell: ({ statusUid }) => <StatusBadge status={statusUid} /> },
  { name: t.checkpointColumns.message, cell: ({ message }) => message },
  { name: t.checkpointColumns.location, cell: ({ location }) => location ?? texts.common.none },
];

/** Reads the checkpoints of an order's parcels. A parcel that no carrier follows has none. */
function useCheckpoints({ parcels }: OperatorOrder) {
  return useQueries({
    queries: parcels.map(({ trackingNumber }) => read('getTracking', { params: { trackingNumber } })),
    combine: (results) => results.flatMap(({ data }) => (data === undefined ? [] : [data])),
  });
}

export function Parcels({ order }: { readonly order: OperatorOrder }) {
  const trackings = useCheckpoints(order);
  return (
    <Section title={t.title}>
      {order.parcels.length === 0 ? (
        <EmptySection title={t.empty} text={t.emptyText} />
      ) : (
        <Stack>
          <DataTable
            label={t.title}
            columns={COLUMNS}
            rows={order.parcels}
            keyOf={({ trackingNumber }) => trackingNumber}
          />
          <Labels orderId={order.id} />
          {trackings.map(({ trackingNumber, checkpoints }) =>
            checkpoints.length === 0 ? null : (
              <DataTable
                key={trackingNumber}
                label={trackingNumber}
                columns={CHECKPOINTS}
                rows={checkpoints}
                keyOf={({ createdAt, statusUid }) => `${createdAt} ${statusUid}`}
              />
            ),
          )}
        </Stack>
      )}
    </Section>
  );
}
