import { Alert, Stack } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { EmptyLine } from '../../components/layout/empty';
import { Fold } from '../../components/layout/fold';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge, ParcelBadge } from '../../components/values/badge';
import { calendarDay } from '../../components/values/days';
import { OutsideLink } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { Labels } from './documents';
import type { OperatorOrder } from './types';

type Parcel = OperatorOrder['parcels'][number];
type Checkpoint = ApiResponse<'getTracking'>['checkpoints'][number];

const t = texts.order.parcels;

type Contents = NonNullable<ApiResponse<'getOrder'>['shipment']>['packages'][number]['items'];

const columnsWith = (contentsOf: (trackingNumber: string) => Contents): Column<Parcel>[] => [
  {
    name: t.columns.number,
    cell: ({ trackingNumber, trackingUrl }) => <OutsideLink to={trackingUrl} text={trackingNumber} />,
  },
  {
    name: t.columns.contents,
    cell: ({ trackingNumber }) =>
      contentsOf(trackingNumber)
        .map(({ itemReferenceId, quantity }) => t.units(quantity, itemReferenceId))
        .join(', ') || texts.common.none,
  },
  { name: t.columns.carrier, cell: ({ carrier }) => carrier ?? texts.common.none },
  {
    name: t.columns.status,
    cell: ({ status, voided }) => (voided ? <Badge tone="neutral">{t.voided}</Badge> : <ParcelBadge status={status} />),
  },
  {
    name: t.columns.expected,
    cell: ({ expectedDeliveryDate: day }) => (day === null ? texts.common.none : calendarDay(day)),
  },
];

const CHECKPOINTS: readonly Column<Checkpoint>[] = [
  { name: t.checkpointColumns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t.checkpointColumns.status, cell: ({ statusUid }) => <ParcelBadge status={statusUid} /> },
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
  const surplus = order.items.filter(({ surplusLabels }) => surplusLabels > 0);
  const { data } = useQuery(read('getOrder', { params: { orderId: order.id } }));
  const columns = columnsWith(
    (number) => data?.shipment?.packages.find(({ trackingCode }) => trackingCode === number)?.items ?? [],
  );
  return (
    <Section title={t.title}>
      {surplus.length > 0 && (
        <Alert color="red" title={t.surplus}>
          {surplus.map(({ surplusLabels, itemReferenceId }) => t.units(surplusLabels, itemReferenceId)).join(', ')}
        </Alert>
      )}
      {order.parcels.length === 0 ? (
        <EmptyLine title={t.empty} text={t.emptyText} />
      ) : (
        <Stack>
          <DataTable
            label={t.title}
            columns={columns}
            rows={order.parcels}
            keyOf={({ trackingNumber }) => trackingNumber}
          />
          <Labels orderId={order.id} />
          {trackings.map(({ trackingNumber, checkpoints }) =>
            checkpoints.length === 0 ? null : (
              <Fold key={trackingNumber} summary={t.scans(checkpoints.length, trackingNumber)}>
                <DataTable
                  label={trackingNumber}
                  columns={CHECKPOINTS}
                  rows={checkpoints}
                  keyOf={({ createdAt, statusUid }) => `${createdAt} ${statusUid}`}
                />
              </Fold>
            ),
          )}
        </Stack>
      )}
    </Section>
  );
}
