import { Image, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { read } from '../../api/queries';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { texts } from '../../texts';

type Item = Answer<'getOrder'>['items'][number];

const t = texts.order.items;

const COLUMNS: readonly Column<Item>[] = [
  {
    name: t.columns.preview,
    cell: ({ previews, itemReferenceId }) => {
      const preview = previews.find(({ type }) => type === 'preview_thumbnail') ?? previews[0];
      return preview === undefined ? (
        texts.common.none
      ) : (
        <Image src={preview.url} alt={t.preview(itemReferenceId)} w={56} h={56} fit="contain" />
      );
    },
  },
  { name: t.columns.item, cell: (item) => item.itemReferenceId },
  { name: t.columns.product, cell: (item) => item.productName },
  {
    name: t.columns.attributes,
    cell: ({ attributes }) => (
      <Stack gap={2}>
        {attributes.map(({ name, title, formattedValue }) => (
          <Text key={name} size="xs">
            {title}: {formattedValue}
          </Text>
        ))}
      </Stack>
    ),
  },
  { name: t.columns.quantity, numeric: true, cell: (item) => item.quantity },
  {
    name: t.columns.files,
    cell: ({ files }) => (
      <Stack gap={2}>
        {files.map(({ id, type, mimeType }) => (
          <Text key={id} size="xs">
            {type} {mimeType}
          </Text>
        ))}
      </Stack>
    ),
  },
  { name: t.columns.status, cell: (item) => <StatusBadge status={item.fulfillmentStatus} /> },
];

/** What the client ordered, with previews of the files that partners print. */
export function Items({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('getOrder', { params: { orderId } }));
  return (
    <Section title={t.title}>
      <Loaded query={query} lines={2}>
        {({ items }) => <DataTable label={t.title} columns={COLUMNS} rows={items} keyOf={({ id }) => id} />}
      </Loaded>
    </Section>
  );
}
