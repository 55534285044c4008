import { z } from 'zod';
import { fileFactsSchema } from '../../../packages/file-reader/facts';
import { withExtension } from '../../../packages/file-reader/file-types';
import { FIT_METHODS } from '../../catalog/domain/print-needs';
import { FILE_CHECKS, FILE_FINDING_CODES, FINDING_SEVERITIES } from '../../files/domain/file-findings';
import { cancelledUnits } from '../../notifications/order-view';
import { fromMinor } from '../../platform/domain/money';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../../platform/objects/signed-links';
import { needsOfFile } from '../domain/file-needs';
import { ITEM_STATUSES } from '../domain/lifecycle/statuses';
import { clientEvent, clientEvents } from './client-events';
import { type FileRecord, type ItemRecord, type OrderRecord, REPLACEMENT_STATES } from './order-reader';

const nullableText = z.string().nullable();
const metadata = z.array(z.object({ key: z.string(), value: z.string() }));

export const fileFinding = z
  .object({
    code: z.enum(FILE_FINDING_CODES).describe(
      Object.entries(FILE_CHECKS)
        .map(([code, { finds }]) => `\`${code}\`: ${finds}`)
        .join(' '),
    ),
    severity: z.enum(FINDING_SEVERITIES).describe('`ok`: said, and no fault.'),
    page: z.int().nullable().describe('From 1. Null: the whole file.'),
    measured: z.string().describe('What the file has.'),
    wanted: z.string().describe('What the product needs.'),
    message: z.string(),
  })
  .meta({ id: 'FileFinding', description: 'Something in a print file that prevents a good print.' });

export const retrievedItemSchema = z
  .object({
    id: z.string(),
    itemReferenceId: z.string(),
    productUid: z.string(),
    storeProductVariantId: z.null(),
    storeProductId: z.null(),
    files: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        url: z.string(),
        threadColors: z.array(z.string()),
        isVisible: z.boolean(),
        fitMethod: z
          .enum(FIT_METHODS)
          .nullable()
          .describe('How an image is scaled to its print area. Null: a PDF, which is printed at its own size.'),
        fillMethod: nullableText,
        mimeType: nullableText,
        facts: fileFactsSchema.nullable().describe('What was measured in the file. Null before it is fetched.'),
        metadata,
        checks: z.array(fileFinding).describe('What was found in the file. Empty before it is fetched.'),
        checksAccepted: z.boolean().describe('True when an operator has accepted the file with its findings.'),
        replacement: z
          .object({
            url: z.string(),
            state: z
              .enum(REPLACEMENT_STATES)
              .describe(
                'It is being checked, was sent to the print partner, or was refused by Pressline or the partner.',
              ),
            message: nullableText.describe('Why it was refused.'),
            checks: z.array(fileFinding),
          })
          .nullable()
          .describe(
            'The latest file that is to replace this one at the print partner that has the item. Null: none. It takes the ' +
              'place of this file when the partner accepts it.',
          ),
      }),
    ),
    processedFileUrl: nullableText,
    quantity: z.number(),
    cancelledQuantity: z.int().describe('Units that were cancelled while the rest of the item went on.'),
    options: z.array(z.unknown()),
    category: z.string(),
    productCategoryUid: z.string(),
    productTypeUid: z.string(),
    productNameUid: z.string(),
    productName: z.string(),
    fulfillmentStatus: z.enum(ITEM_STATUSES),
    pageCount: z.int().nullable(),
    printJobs: z.array(
      z.object({
        id: z.string(),
        printOrderId: z.string(),
        quantity: z.int(),
        status: z.string(),
        dispatchDate: z.iso.date(),
        reproducesPrintOrderId: nullableText,
      }),
    ),
    eventLog: z.array(clientEvent),
    previews: z.array(
      z.object({ type: z.enum(['preview_default', 'preview_thumbnail', 'preview_flat']), url: z.url() }),
    ),
    designId: z.null(),
    productFileMimeType: nullableText,
    finalProductUid: z.string(),
    metadata,
    retailPriceInclVat: z.number().nullable(),
    attributes: z.array(
      z.object({ name: z.string(), title: z.string(), value: z.string(), formattedValue: z.string() }),
    ),
    itemReferenceName: z.string(),
    isIgnored: z.boolean(),
    price: z.number().nullable(),
    customTrim: z.object({ widthMm: z.number(), heightMm: z.number() }).nullable(),
    fileUrl: nullableText,
    dpi: z.int().nullable(),
    appServices: z.array(z.unknown()),
    filesSize: z.int().describe('Total size of the stored print files, in bytes.'),
    productVariant: z.array(z.object({ name: z.string(), value: z.string() })),
  })
  .meta({ id: 'RetrievedItem' });

function linkTo(links: LinkSigner, file: Pick<FileRecord, 'type' | 'objectKey' | 'mimeType'>): string | null {
  const { type, objectKey, mimeType: contentType } = file;
  if (objectKey === null || contentType === null) return null;
  const fileName = withExtension(type, contentType);
  return links.sign({ objectKey, contentType, fileName }, { seconds: DOCUMENT_LINK_SECONDS });
}

export function itemView(item: ItemRecord, order: OrderRecord, links: LinkSigner) {
  const { files } = item;
  const main = files.find(({ type }) => type === 'default') ?? files[0];
  const { product } = item;
  const jobs = order.printOrders.flatMap((printOrder) =>
    printOrder.jobs
      .filter(({ itemId }) => itemId === item.id)
      .map(({ id, quantity, status }) => ({
        id,
        printOrderId: printOrder.id,
        quantity,
        status,
        dispatchDate: printOrder.dispatchDate,
        reproducesPrintOrderId: printOrder.reproducesId,
      })),
  );
  return {
    id: item.id,
    itemReferenceId: item.itemReferenceId,
    productUid: item.productUid ?? product.productUid,
    storeProductVariantId: null,
    storeProductId: null,
    files: files.map((file) => ({
      id: file.id,
      type: file.type,
      url: file.url,
      threadColors: threadColors(file.metadata),
      isVisible: true,
      fitMethod: file.mimeType?.startsWith('image/')
        ? needsOfFile({
            ...item,
            type: file.type,
            otherTypes: files.flatMap(({ id, type }) => (id === file.id ? [] : type)),
          }).areas[0]!.fitMethod
        : null,
      fillMethod: null,
      mimeType: file.mimeType,
      facts: file.facts,
      metadata: file.metadata,
      checks: file.checks,
      checksAccepted: file.checksAccepted,
      replacement: file.replacement,
    })),
    processedFileUrl: main === undefined ? null : linkTo(links, main),
    quantity: item.quantity,
    cancelledQuantity: cancelledUnits(
      item.id,
      order.events.map(({ data, ...event }) => ({ ...event, quantity: data.quantity as number })),
    ),
    options: [],
    category: product.categoryId,
    productCategoryUid: product.categoryId,
    productTypeUid: product.productTypeUid,
    productNameUid: product.productNameUid,
    productName: item.productName ?? product.name,
    fulfillmentStatus: item.fulfillmentStatus,
    pageCount: item.pageCount,
    printJobs: jobs,
    eventLog: clientEvents(order.events.filter(({ itemId }) => itemId === item.id)),
    previews: (main?.previews ?? []).map((preview) => ({
      type: preview.type,
      url: linkTo(links, preview)!,
    })),
    designId: null,
    productFileMimeType: main?.mimeType ?? null,
    finalProductUid: product.productUid,
    metadata: item.metadata,
    retailPriceInclVat: item.retailPrice === null ? null : Number(item.retailPrice),
    attributes: product.attributes.map(({ name, title, value, formattedValue }) => ({
      name,
      title,
      value,
      formattedValue,
    })),
    itemReferenceName: product.name,
    isIgnored: false,
    price: item.priceMinor === null ? null : fromMinor(Number(item.priceMinor), order.currency),
    customTrim: item.customTrim,
    fileUrl: main?.url ?? null,
    dpi: item.dpi,
    appServices: [],
    filesSize: files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    productVariant: Object.entries(item.productVariant ?? {}).map(([name, value]) => ({ name, value })),
  };
}

/** Returns the thread colors in the metadata of an embroidery file: comma-separated hex values under `threadColors`. */
function threadColors(metadata: readonly { readonly key: string; readonly value: string }[]): string[] {
  return metadata
    .filter(({ key }) => key === 'threadColors')
    .flatMap(({ value }) => value.split(','))
    .map((color) => color.trim())
    .filter((color) => color !== '');
}
