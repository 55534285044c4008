import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { StatusBadge } from '../../components/values/badge';
import * as texts from '../../texts';
import { FilesOfItem, PreviewOfItem } from './files/files-of-item';
import { canReplaceFiles } from './files/replace-file';
import type { OperatorOrder } from './types';

type Item = ApiResponse<'getOrder'>['items'][number];
type File = ApiResponse<'listOrderDocuments'>['files'][number];

const t = texts.order.items;

const columnsWith = (
  filesOf: (itemId: string) => readonly File[],
  replacedIn: OperatorOrder | undefined,
): Column<Item>[] => [
  {
    name: t.columns.preview,
    cell: ({ id, itemReferenceId }) => <PreviewOfItem reference={itemReferenceId} files={filesOf(id)} />,
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
    cell: (item) => <FilesOfItem item={item} files={filesOf(item.id)} replacedIn={replacedIn} />,
  },
  { name: t.columns.status, cell: (item) => <StatusBadge status={item.fulfillmentStatus} /> },
];

/** What the client ordered, with previews of the files that partners print. */
export function Items({ order }: { readonly order: OperatorOrder }) {
  const { id: orderId } = order;
  const mayReplace = useMay('operator');
  const query = useQuery(read('getOrder', { params: { orderId } }));
  const documents = useQuery(read('listOrderDocuments', { params: { orderId } }));
  const files = documents.data?.files ?? [];
  const columns = columnsWith(
    (id) => files.filter(({ itemId }) => itemId === id),
    mayReplace && canReplaceFiles(order) ? order : undefined,
  );
  return (
    <Section title={t.title}>
      <QueryContent query={query} lines={2}>
        {({ items }) => <DataTable label={t.title} columns={columns} rows={items} keyOf={({ id }) => id} />}
      </QueryContent>
    </Section>
  );
}
