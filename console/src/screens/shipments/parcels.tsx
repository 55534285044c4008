import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge, ParcelBadge } from '../../components/values/badge';
import { Link, OutsideLink } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { LabelLinks } from './label-links';
import type { ShipmentsSearch } from './shipments-search';

type Parcel = ApiResponse<'listParcels'>['parcels'][number];

const t = texts.shipments;
const { none } = texts.common;

const COLUMNS: readonly Column<Parcel>[] = [
  {
    name: t.parcelColumns.number,
    cell: ({ trackingNumber, trackingUrl }) => <OutsideLink to={trackingUrl} text={trackingNumber} />,
  },
  {
    name: t.parcelColumns.problem,
    cell: ({ problem }) => (problem === null ? none : <Badge tone="warning">{t.problems[problem]}</Badge>),
  },
  {
    name: t.parcelColumns.status,
    cell: ({ status, voided }) => (voided ? <Badge tone="neutral">{t.voided}</Badge> : <ParcelBadge status={status} />),
  },
  {
    name: t.parcelColumns.label,
    cell: ({ label }) => (label === null ? none : <LabelLinks label={label} />),
  },
  { name: t.parcelColumns.of, cell: (row) => <Owner parcel={row} /> },
  { name: t.parcelColumns.client, cell: ({ clientName }) => clientName ?? none },
  { name: t.parcelColumns.carrier, cell: ({ carrierName }) => carrierName ?? none },
  { name: t.parcelColumns.updated, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** A link to the order or shipping order of a parcel. */
function Owner({ parcel: { orderId, shippingOrderId, reference } }: { readonly parcel: Parcel }) {
  if (orderId !== null) {
    return (
      <Link to="/orders/$orderId" params={{ orderId }}>
        {reference}
      </Link>
    );
  }
  if (shippingOrderId === null) return none;
  return (
    <Link to="/shipments" search={{ q: shippingOrderId }}>
      {reference}
    </Link>
  );
}

/** Packages with a tracking number, those with problems first. */
export function Parcels({ filters }: { readonly filters: ShipmentsSearch }) {
  const query = useInfiniteQuery(readPages('listParcels', { query: filters }));
  return (
    <Section
      title={t.parcels}
      actions={<ExportCsv operation="listParcels" input={{ query: { ...filters, format: 'csv' } }} />}
    >
      <PagedTable
        label={t.parcels}
        query={query}
        rowsOf={({ parcels }) => parcels}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.emptyParcels, text: t.emptyParcelsText }}
      />
    </Section>
  );
}
