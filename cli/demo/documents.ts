import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { createPresslineClient } from '../../client/pressline-client';
import type { CredentialsFile } from '../credentials';

const OUT = resolve('out');

/**
 * Asks for a print order's documents as its partner does, and saves what the signed links lead to under `out/`.
 * @returns the files' paths as seen from here
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
      if (!response.ok) throw new Error(`a document's link answered ${response.status}`);
      const path = join(OUT, decodeURIComponent(basename(new URL(url).pathname)));
      await writeFile(path, Buffer.from(await response.arrayBuffer()));
      return relative('.', path);
    }),
  );
}
