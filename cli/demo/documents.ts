import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { createPresslineClient } from '../../client/pressline-client';
import type { CredentialsFile } from '../credentials';

const OUT = resolve('out');

/**
 * Requests the documents of a print order as its partner does, and downloads them to `out/`.
 * @returns the paths of the files, relative to the working directory
 */
export async function saveDocuments(
  credentials: CredentialsFile,
  printOrder: { readonly id: string; readonly partner: string },
): Promise<string[]> {
  const { apiKey } = credentials.partners.find(({ name }) => name === printOrder.partner)!;
  const partner = createPresslineClient({ baseUrl: credentials.baseUrl, apiKey });
  const { documents } = await partner.dispatchOrder({ body: { orderId: printOrder.id } });
  await mkdir(OUT, { recursive: true });
  return await Promise.all(
    documents.map(async ({ url }) => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`A document link answered with status ${response.status}`);
      const path = join(OUT, decodeURIComponent(basename(new URL(url).pathname)));
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      return relative('.', path);
    }),
  );
}
