import { FileInput, Progress, Stack, Text } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useState } from 'react';
import { useConnection } from '../../../api/connection';
import type { ApiResponse } from '../../../api/types';
import { TextField } from '../../../components/forms/field-faults';
import { ErrorAlert } from '../../../components/layout/error-alert';
import { Findings } from '../../../components/values/findings';
import * as texts from '../../../texts';

const t = texts.order.replaceFile;
const POLL_MS = 500;

/** Returns the function that stores a file for an order. It returns the address of the file. */
export function useStoredFile(orderId: string): (file: File) => Promise<string> {
  const { call } = useConnection();
  return async (file) => {
    const body = new Blob([file], { type: 'application/octet-stream' }) as unknown as string;
    return (await call('uploadOrderFile', { params: { orderId }, query: { name: file.name }, body })).url;
  };
}

/** Takes a file that is chosen, or dropped on it or on the fields in it, and shows how its upload goes. */
export function UploadField(props: {
  readonly label: string;
  readonly upload: Pick<UseMutationResult<unknown, Error, File>, 'mutate' | 'isPending' | 'error'>;
  readonly children: ReactNode;
}) {
  const { label, upload, children } = props;
  const take = (file: File | null | undefined) => {
    if (file != null) upload.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="xs" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {children}
      <FileInput label={label} placeholder={t.placeholder} onChange={take} clearable={false} />
      {upload.isPending ? <Progress value={100} animated aria-label={t.uploading} /> : null}
      {upload.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={upload.error} />}
    </Stack>
  );
}

/** The address of a print file. A file that is chosen or dropped is uploaded, gets an address, and is checked before it is used. */
export function FileField(props: {
  readonly orderId: string;
  readonly itemReferenceId: string;
  readonly type: string;
  /** The name of the field in the form. */
  readonly name: string;
  readonly label: string;
  readonly url?: string;
}) {
  const { orderId, itemReferenceId, type, name, label } = props;
  const { call } = useConnection();
  const store = useStoredFile(orderId);
  const [url, setUrl] = useState(props.url ?? '');
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const stored = await store(file);
      setUrl(stored);
      let preflight = await call('preflightFile', { body: { orderId, itemReferenceId, type, url: stored } });
      while (preflight.report === null) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        preflight = await call('getPreflight', { params: { preflightId: preflight.id } });
      }
      return preflight.report;
    },
  });
  return (
    <UploadField label={t.drop} upload={upload}>
      <TextField
        name={name}
        type="url"
        label={label}
        required
        maxLength={2000}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      {upload.data === undefined ? null : <Report report={upload.data} />}
    </UploadField>
  );
}

/** What was found in an uploaded file. */
function Report({
  report: { fault, checks },
}: {
  readonly report: NonNullable<ApiResponse<'preflightFile'>['report']>;
}) {
  if (fault !== null)
    return (
      <Text size="sm" c="red" role="status">
        {fault.message}
      </Text>
    );
  const found = checks.filter(({ severity }) => severity !== 'ok');
  return (
    <Stack gap={2} role="status">
      {found.length === 0 ? <Text size="sm">{t.good}</Text> : <Findings checks={found} accepted={false} />}
    </Stack>
  );
}
