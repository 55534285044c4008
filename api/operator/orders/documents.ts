import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { fileFactsSchema } from '../../../packages/file-reader/facts';
import { withExtension } from '../../../packages/file-reader/file-types';
import { printNeeds } from '../../../src/catalog/domain/print-needs';
import { type OrderFile, orderDocuments, orderFiles } from '../../../src/orders/reading/order-documents';
import { timestamp } from '../../../src/platform/domain/fields';
import { Refusal } from '../../../src/platform/errors';
import { isUuid } from '../../../src/platform/ids';
import { contentDisposition } from '../../../src/platform/objects/object-store';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../../../src/platform/objects/signed-links';
import { unavailable } from '../../../src/platform/unavailable';
import { type LabelCopy, labelCopy, type NoLabel } from '../../../src/shipping/document-set';
import { SHIPMENT_STATUSES } from '../../../src/shipping/purchase-rows';
import { DISPATCH_TYPES, DOCUMENT_TYPES, documentLink, typeOf } from '../../../src/shipping/shipments';
import type { ApiDeps } from '../../deps';
import { forOperators, RawResponse, type Route, route } from '../../http/route';
import { forOrder, visibleRows } from '../../orders/visible-order';

type Deps = Pick<ApiDeps, 'sql' | 'links' | 'objects' | 'carriers' | 'inspector' | 'workFolder'>;

const sizeMm = z.object({ widthMm: z.number(), heightMm: z.number() });

const link = z.string().nullable().describe('Valid for seven days. Null when the object is deleted.');

const document = z
  .object({
    id: z.string(),
    shipmentId: z.string(),
    shipmentStatus: z.enum(SHIPMENT_STATUSES).describe('`voided`: the labels must not be used.'),
    printOrderId: z.string(),
    packagePosition: z.int().nullable().describe('Index of the package. Null: for all packages.'),
    trackingNumber: z.string().nullable(),
    type: z.enum(DISPATCH_TYPES),
    documentType: z
      .enum(DOCUMENT_TYPES)
      .describe(
        '`packing_slip`: of the client. `packing_list`: Pressline’s list of what the package contains. `delivery_note`: ' +
          'the same in a package without an invoice.',
      ),
    contentType: z.string(),
    format: z.string(),
    fileName: z.string(),
    sizeBytes: z.int().describe('Of an invoice: of the data that it is drawn from.'),
    createdAt: timestamp,
    deletedAt: timestamp.nullable(),
    url: link,
  })
  .meta({ id: 'OperatorDocument' });

const file = z
  .object({
    itemId: z.string().nullable().describe('Null for a packing slip of the client.'),
    itemReferenceId: z.string().nullable(),
    type: z.string(),
    contentType: z.string().nullable(),
    sizeBytes: z.int().nullable(),
    pageCount: z.int().nullable(),
    widthPx: z.int().nullable(),
    heightPx: z.int().nullable(),
    itemDpi: z.int().nullable().describe('Lowest resolution among the files of the item at the print size.'),
    facts: fileFactsSchema
      .nullable()
      .describe('What was measured in the file. Null before it is fetched, and for packing slips.'),
    area: z
      .object({
        size: sizeMm.nullable(),
        print: sizeMm
          .extend(printNeeds.pick({ fitMethod: true }).shape)
          .nullable()
          .describe('How an image is printed: the size to which it is scaled, and how. Null: a PDF, or no size.'),
        ...printNeeds.pick({ bleedMm: true, safeMarginMm: true, otherSize: true }).shape,
      })
      .nullable()
      .describe('The print area of the first page, and what it needs. Null for packing slips.'),
    url: link,
    previews: z
      .array(z.object({ type: z.string(), contentType: z.string(), url: z.string() }))
      .describe(
        'Made when the file was fetched. Longest side: `preview_flat` 1600, `preview_default` 800, `preview_thumbnail` 200 pixels.',
      ),
  })
  .meta({ id: 'OperatorFile' });

function fileView(links: LinkSigner, { objectKey, mimeType, previews, area, ...file }: OrderFile) {
  const sign = (objectKey: string, contentType: string, name: string) => {
    const fileName = withExtension(name, contentType);
    return links.sign({ objectKey, contentType, fileName }, { seconds: DOCUMENT_LINK_SECONDS });
  };
  return {
    ...file,
    area: area && {
      size: area.size,
      print: area.print,
      bleedMm: area.bleedMm,
      safeMarginMm: area.safeMarginMm,
      otherSize: area.otherSize,
    },
    contentType: mimeType,
    url: objectKey === null || mimeType === null ? null : sign(objectKey, mimeType, file.type),
    previews: previews.map(({ type, objectKey: key, mimeType: contentType }) => ({
      type,
      contentType,
      url: sign(key, contentType, type),
    })),
  };
}

const NO_LABEL: Readonly<Record<NoLabel, () => Refusal>> = {
  unknown: () => new Refusal('NOT_FOUND'),
  deleted: () => new Refusal('DOCUMENT_DELETED'),
  voided: () => new Refusal('CONFLICT', { message: 'The label was voided.' }),
  format: () => new Refusal('CONFLICT', { message: 'The carrier made this label in another format.' }),
};

export function documentListRoutes(deps: Deps): Route[] {
  const { sql, links } = deps;
  return [
    route('GET /v1/operator/orders/{orderId}/documents', {
      ...forOrder('viewer'),
      operationId: 'listOrderDocuments',
      summary: 'List the documents and files of an order',
      description:
        'Labels, customs forms, invoices and packing lists of its shipments, and the print files and packing slips with their previews.',
      response: z.object({ documents: z.array(document), files: z.array(file) }),
      handler: async ({ account, params: { orderId } }) => {
        const { id, archived } = await visibleRows(deps, account, orderId);
        const [documents, files] = await Promise.all([
          orderDocuments(sql, id, archived),
          orderFiles(sql, id, archived),
        ]);
        return {
          documents: documents.map(({ objectKey, ...each }) => ({
            ...each,
            type: typeOf(each.documentType),
            url: each.deletedAt === null ? documentLink(links, { ...each, objectKey }) : null,
          })),
          files: files.map((each) => fileView(links, each)),
        };
      },
    }),
    route('GET /v1/operator/shipments/{shipmentId}/labels/{position}', {
      ...forOperators('Operator: orders', 'viewer'),
      operationId: 'getShipmentLabel',
      refuses: ['CONFLICT', 'DOCUMENT_DELETED'],
      summary: 'Fetch the label of a package as PDF, ZPL or image',
      description:
        'A format that is not stored is drawn again from the purchase, with the same tracking number; nothing is bought. ' +
        '409: the label was voided, or its carrier made it in another format. 410: the documents are deleted.',
      params: z.object({
        shipmentId: z.string(),
        position: z.coerce.number().int().min(0).max(10_000).describe('Index of the package.'),
      }),
      query: z.object({ format: z.enum(['pdf', 'zpl', 'image']).default('pdf') }),
      response: z.unknown(),
      contentType: 'application/octet-stream',
      otherContentTypes: ['application/pdf', 'application/zpl', 'image/png', 'image/jpeg'],
      handler: async ({ params: { shipmentId, position }, query: { format } }) => {
        if (!isUuid(shipmentId)) throw new Refusal('NOT_FOUND');
        const wanted = format === 'image' ? 'pdf' : format;
        const label = await labelCopy(deps, { shipmentId, position, format: wanted });
        if (typeof label === 'string') throw NO_LABEL[label]();
        const body = await bytesOf(deps, label);
        if (format === 'image') return await imageOf(deps, body);
        const shown = format === 'pdf' ? 'inline' : 'attachment';
        return bytesResponse(label.contentType, body, {
          'Content-Disposition': contentDisposition(shown, label.fileName),
        });
      },
    }),
  ];
}

function bytesResponse(contentType: string, body: Buffer, headers: Readonly<Record<string, string>>): RawResponse {
  const described = { 'Content-Type': contentType, 'Content-Length': String(body.length), ...headers };
  return new RawResponse(200, { ...described, 'X-Content-Type-Options': 'nosniff' }, body);
}

async function bytesOf({ objects }: Deps, label: LabelCopy): Promise<Buffer> {
  if (label.from === 'purchase') return label.body;
  const stored = await objects.get(label.objectKey);
  if (stored === null) throw new Refusal('DOCUMENT_DELETED');
  return await buffer(stored.body);
}

/**
 * Returns the first page of a PDF as an image of at most 800 pixels. It is drawn in a process with limits of time and memory,
 * like print files, because carriers make PDFs too. The inspector caches 32 MB of images.
 */
async function imageOf({ inspector, workFolder }: Deps, pdf: Buffer): Promise<RawResponse> {
  const folder = await mkdtemp(join(workFolder, 'label-'));
  try {
    const path = join(folder, 'label.pdf');
    await writeFile(path, pdf);
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    const inspection = await inspector.inspect({ client: 'operators', path, mimeType: 'application/pdf', sha256 });
    const image = inspection.ok ? inspection.previews.find(({ type }) => type === 'preview_default') : undefined;
    if (image === undefined) throw unavailable('The label could not be drawn. Try again shortly.');
    const cached = { 'Cache-Control': 'private, max-age=300' };
    return bytesResponse(image.contentType, Buffer.from(image.bytes), cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
