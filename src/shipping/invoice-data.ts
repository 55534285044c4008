import { json as jsonOf } from 'node:stream/consumers';
import { type CustomerInvoice, renderCustomerInvoice } from '../documents/customer-invoice';
import type { ObjectStore } from '../platform/objects/object-store';

/**
 * Invoices are stored as the data of the dispatch, under the key of the document. Each download draws the PDF from it, in about
 * 4 ms of CPU. The PDF is not stored: one that is stored late could replace the invoice of contents that have changed meanwhile.
 */

/** Content type of an object that holds the data of an invoice. */
export const INVOICE_DATA = 'application/vnd.pressline.invoice+json';

export const invoiceData = (invoice: CustomerInvoice): Buffer => Buffer.from(JSON.stringify(invoice));

type StoredObject = NonNullable<Awaited<ReturnType<ObjectStore['get']>>>;

/** Returns the document of a stored object: the object itself, or what is drawn from it. */
export async function documentOf(
  stored: StoredObject,
): Promise<Pick<StoredObject, 'size'> & { body: StoredObject['body'] | Buffer }> {
  if (stored.contentType !== INVOICE_DATA) return stored;
  const body = await renderCustomerInvoice((await jsonOf(stored.body)) as CustomerInvoice);
  return { size: body.length, body };
}
