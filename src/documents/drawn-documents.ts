import { json as jsonOf } from 'node:stream/consumers';
import type { ObjectStore } from '../platform/objects/object-store';
import { renderCustomerInvoice } from './customer-invoice';
import { renderPackingList } from './packing-list';

/**
 * The papers that tell a customer about a parcel are stored as the data of the dispatch, under the key of the document. Each
 * download draws the PDF from it, in about 4 ms of CPU. The PDF is not stored: one that is stored late could replace the paper
 * of contents that have changed meanwhile.
 */
const RENDER = { invoice: renderCustomerInvoice, packing_list: renderPackingList } as const;
type Drawn = keyof typeof RENDER;

const contentTypeOf = (kind: Drawn) => `application/vnd.pressline.${kind.replace('_', '-')}+json`;
const KINDS = new Map((Object.keys(RENDER) as Drawn[]).map((kind) => [contentTypeOf(kind), kind]));

/** Returns true for the content type of an object that holds the data of a document. */
export const isDrawn = (contentType: string) => KINDS.has(contentType);

/** Returns what makes the data of a document, and the content type of the object that holds it. */
export const drawnFrom = <Kind extends Drawn>(kind: Kind, data: () => Parameters<(typeof RENDER)[Kind]>[0]) => ({
  make: async () => Buffer.from(JSON.stringify(data())),
  storedAs: contentTypeOf(kind),
});

type StoredObject = NonNullable<Awaited<ReturnType<ObjectStore['get']>>>;

/** Returns the document of a stored object: the object itself, or what is drawn from it. */
export async function documentOf(
  stored: StoredObject,
): Promise<Pick<StoredObject, 'size'> & { body: StoredObject['body'] | Buffer }> {
  const kind = KINDS.get(stored.contentType ?? '');
  if (kind === undefined) return stored;
  const render = RENDER[kind] as (data: unknown) => Promise<Buffer>;
  const body = await render(await jsonOf(stored.body));
  return { size: body.length, body };
}
