import { Anchor, Image, Stack, Text } from '@mantine/core';
import type { ApiResponse } from '../../api/types';
import { texts } from '../../texts';

type File = ApiResponse<'listOrderDocuments'>['files'][number];

const t = texts.order.items;

/** The files of an item, with what was measured when they were fetched. */
export function FilesOfItem({ files }: { readonly files: readonly File[] }) {
  return (
    <Stack gap={6}>
      {files.map((file) => (
        <Stack key={file.type} gap={0}>
          {file.url === null ? (
            <Text size="xs">{file.type}</Text>
          ) : (
            <Anchor size="xs" href={file.url} target="_blank" rel="noreferrer">
              {file.type}
            </Anchor>
          )}
          <Text size="xs" c="dimmed">
            {t.measured(file)}
          </Text>
        </Stack>
      ))}
    </Stack>
  );
}

/** The preview of an item's first file. */
export function PreviewOfItem({ reference, files }: { readonly reference: string; readonly files: readonly File[] }) {
  const previews = files.flatMap((file) => file.previews);
  const preview = previews.find(({ type }) => type === 'preview_thumbnail') ?? previews[0];
  if (preview === undefined) return texts.common.none;
  return <Image src={preview.url} alt={t.preview(reference)} w={56} h={56} fit="contain" />;
}
