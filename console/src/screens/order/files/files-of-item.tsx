import { Group, Image, Stack, Text } from '@mantine/core';
import type { ApiResponse } from '../../../api/types';
import { Findings } from '../../../components/values/findings';
import { OutsideLink } from '../../../components/values/link';
import * as texts from '../../../texts';
import type { OperatorOrder } from '../types';
import styles from './files-of-item.module.css';
import { PageProof } from './page-proof';
import { ReplaceFile, RequestFile } from './replace-file';

type File = ApiResponse<'listOrderDocuments'>['files'][number];
type Item = ApiResponse<'getOrder'>['items'][number];
type OrderedFile = Item['files'][number];

const t = texts.order.items;

/** The files of an item, with what was measured and found when they were fetched. */
export function FilesOfItem(props: {
  readonly item: Item;
  readonly files: readonly File[];
  /** The order, while its files can be replaced. */
  readonly replacedIn: OperatorOrder | undefined;
}) {
  const { item, files, replacedIn } = props;
  const orderedOf = (type: string) => item.files.find((file) => file.type === type);
  return (
    <Stack gap={6}>
      {files.map((file) => (
        <Stack key={file.type} gap={2} align="flex-start">
          <Text size="xs">
            <OutsideLink to={file.url} text={file.type} size="xs" />
          </Text>
          <Text size="xs" c="dimmed">
            {t.measured(file)}
          </Text>
          {file.contentType === null ? <Source url={orderedOf(file.type)?.url} /> : null}
          <FindingsOf file={orderedOf(file.type)} />
          <PageProof file={file} />
          <Replacement of={orderedOf(file.type)?.replacement ?? null} />
          {replacedIn === undefined ? null : (
            <Group gap="xs">
              <ReplaceFile order={replacedIn} itemReferenceId={item.itemReferenceId} type={file.type} />
              <RequestFile order={replacedIn} itemReferenceId={item.itemReferenceId} type={file.type} />
            </Group>
          )}
        </Stack>
      ))}
    </Stack>
  );
}

/** The address that a file is fetched from. */
function Source({ url }: { readonly url: string | undefined }) {
  return (
    <Text size="xs" className={styles.source!}>
      {url}
    </Text>
  );
}

/** The file that is to replace another one at the partner that has the item. */
function Replacement({ of }: { readonly of: OrderedFile['replacement'] }) {
  if (of === null) return null;
  const { state, message, url } = of;
  return (
    <Text size="xs" className={styles.source!}>
      {texts.order.replaceFile.states[state]}: {message ?? url}
    </Text>
  );
}

function FindingsOf({ file }: { readonly file: OrderedFile | undefined }) {
  return file === undefined ? null : <Findings checks={file.checks} accepted={file.checksAccepted} />;
}

/** The preview of an item's first file. */
export function PreviewOfItem({ reference, files }: { readonly reference: string; readonly files: readonly File[] }) {
  const previews = files.flatMap((file) => file.previews);
  const preview = previews.find(({ type }) => type === 'preview_thumbnail') ?? previews[0];
  if (preview === undefined) return texts.common.none;
  return <Image src={preview.url} alt={t.preview(reference)} w={56} h={56} fit="contain" />;
}
