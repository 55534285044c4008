import { Anchor, Image, Stack, Text } from '@mantine/core';
import type { ApiResponse } from '../../api/types';
import { Badge } from '../../components/values/badge';
import { texts } from '../../texts';

type File = ApiResponse<'listOrderDocuments'>['files'][number];
type OrderedFile = ApiResponse<'getOrder'>['items'][number]['files'][number];

const t = texts.order.items;

/** The files of an item, with what was measured and found when they were fetched. */
export function FilesOfItem(props: { readonly files: readonly File[]; readonly ordered: readonly OrderedFile[] }) {
  const { files, ordered } = props;
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
          <Findings file={ordered.find(({ type }) => type === file.type)} />
        </Stack>
      ))}
    </Stack>
  );
}

function Findings({ file }: { readonly file: OrderedFile | undefined }) {
  if (file === undefined || file.checks.length === 0) return null;
  return (
    <>
      {file.checks.map(({ code, severity, page, message }) => (
        <Text key={`${code} ${page}`} size="xs">
          <Badge tone={severity === 'error' ? 'danger' : 'warning'}>{t.severities[severity]}</Badge> {message}
        </Text>
      ))}
      {file.checksAccepted ? <Text size="xs">{t.accepted}</Text> : null}
    </>
  );
}

/** The preview of an item's first file. */
export function PreviewOfItem({ reference, files }: { readonly reference: string; readonly files: readonly File[] }) {
  const previews = files.flatMap((file) => file.previews);
  const preview = previews.find(({ type }) => type === 'preview_thumbnail') ?? previews[0];
  if (preview === undefined) return texts.common.none;
  return <Image src={preview.url} alt={t.preview(reference)} w={56} h={56} fit="contain" />;
}
