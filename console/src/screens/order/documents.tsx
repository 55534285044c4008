import { Anchor, Group, Image, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { StatusBadge } from '../../components/values/badge';
import { OutsideLink } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

type Document = ApiResponse<'listOrderDocuments'>['documents'][number];

const t = texts.order.documents;

const COLUMNS: readonly Column<Document>[] = [
  { name: t.columns.type, cell: ({ documentType }) => texts.names.code(documentType) },
  {
    name: t.columns.file,
    cell: ({ url, fileName }) => <OutsideLink to={url} text={fileName} />,
  },
  { name: t.columns.parcel, cell: ({ trackingNumber }) => trackingNumber ?? texts.common.none },
  { name: t.columns.shipment, cell: ({ shipmentStatus }) => <StatusBadge status={shipmentStatus} /> },
  { name: t.columns.size, numeric: true, cell: ({ sizeBytes }) => t.kilobytes(sizeBytes) },
  { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Labels, customs forms, invoices, packing slips and packing lists of the order's shipments. */
export function Documents({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('listOrderDocuments', { params: { orderId } }));
  return (
    <Section title={t.title} folded>
      <PagedTable
        label={t.title}
        query={onePage(query)}
        lines={2}
        rowsOf={({ documents }) => documents}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText, asLine: true }}
      />
    </Section>
  );
}

/** The labels of the parcels that may be used, each with a preview and links to print it. */
export function Labels({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('listOrderDocuments', { params: { orderId } }));
  const labels = (query.data?.documents ?? []).filter(
    ({ type, shipmentStatus, deletedAt }) => type === 'label' && shipmentStatus !== 'voided' && deletedAt === null,
  );
  return (
    <Group gap="lg" align="flex-start">
      {labels.map((label) => (
        <Label key={label.id} label={label} />
      ))}
    </Group>
  );
}

function Label({ label }: { readonly label: Document }) {
  const { shipmentId, packagePosition, trackingNumber } = label;
  // The response is a file, so the generated client has no such operation.
  const path = `/v1/operator/shipments/${encodeURIComponent(shipmentId)}/labels/${packagePosition ?? 0}`;
  const address = (format: 'pdf' | 'zpl' | 'image') => `${path}?format=${format}`;
  return (
    <Stack gap={6} w={160}>
      <Image src={address('image')} alt={t.labelOf(trackingNumber ?? shipmentId)} w={160} radius="sm" />
      <Text size="xs">{trackingNumber}</Text>
      <Group gap="sm">
        <Anchor size="sm" href={address('pdf')} target="_blank" rel="noreferrer">
          {t.pdf}
        </Anchor>
        <Anchor size="sm" href={address('zpl')}>
          {t.zpl}
        </Anchor>
      </Group>
    </Stack>
  );
}
