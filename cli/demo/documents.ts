import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createPresslineClient } from '../../client/pressline-client';
import type { CredentialsFile } from '../credentials';

/**
 * Requests the documents of a print order as its partner does, and downloads them to a folder.
 * @returns the paths of the files, relative to the working directory
 */
export async function saveDocuments(
  credentials: Pick<CredentialsFile, 'baseUrl' | 'partners'>,
  printOrder: { readonly id: string; readonly partner: string },
  folder: string,
): Promise<string[]> {
  const { apiKey } = credentials.partners.find(({ name }) => name === printOrder.partner)!;
  const partner = createPresslineClient({ baseUrl: credentials.baseUrl, apiKey });
  const { documents } = await partner.dispatchOrder({ body: { orderId: printOrder.id } });
  await mkdir(folder, { recursive: true });
  return await Promise.all(
    documents.map(async ({ url }) => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`A document link responded with status ${response.status}`);
      const path = join(folder, decodeURIComponent(basename(new URL(url).pathname)));
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      return relative('.', path);
    }),
  );
}
