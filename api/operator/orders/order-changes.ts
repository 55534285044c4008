import { z } from 'zod';
import { reprintOf } from '../../../src/orders/intake/reprint';
import {
  orderFileSchema,
  shippingAddressSchema,
  submittedOrderSchema,
} from '../../../src/orders/planning/order-schemas';
import { readCharges, recordPayment, refundAmounts } from '../../../src/orders/planning/receipts';
import { isReprinted, storeReprint } from '../../../src/orders/production/claims';
import { requestFile } from '../../../src/orders/production/replace-file';
import { operatorOrderSchema } from '../../../src/orders/reading/operator-order-view';
import { text } from '../../../src/platform/domain/fields';
import { SIZES } from '../../../src/platform/domain/sizes';
import { Refusal } from '../../../src/platform/errors';
import { uuidv7 } from '../../../src/platform/ids';
import { DOCUMENT_LINK_SECONDS } from '../../../src/platform/objects/signed-links';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { type Route, route } from '../../http/route';
import { UPLOAD_MS } from '../../http/server';
import {
  changedOrderId,
  forOrder,
  operatorOrderParams,
  visibleOrder,
  visibleOrderId,
} from '../../orders/visible-order';

const paymentSchema = z
  .object({
    status: z.enum(['paid', 'refused']),
    reference: text(200).nullish().describe('Reference of the payment provider or the bank.'),
  })
  .meta({ id: 'Payment', examples: [{ status: 'paid', reference: 'bank-2026-11-22-0042' }] });

export function orderPaymentRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  return route('POST /v1/operator/orders/{orderId}/payment', {
    ...forOrder('operator'),
    operationId: 'recordPayment',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
    summary: 'Record the payment of an order',
    description:
      'Sets `financialStatus` and adds an entry to the event log. 409: the order is not invoiced yet, is refused or ' +
      'cancelled, or is completely refunded. A later invoice or refund changes the status again.',
    audits: ['order.record_payment'],
    idempotent: true,
    body: paymentSchema,
    response: operatorOrderSchema
      .pick({ id: true, orderReferenceId: true, financialStatus: true })
      .meta({ id: 'RecordedPayment' }),
    handler: async ({ params, body, account, requestId, log, audit }) => {
      const id = await changedOrderId(sql, account, params.orderId);
      const payment = { status: body.status, reference: body.reference ?? null, by: account.name, requestId };
      await inTransaction(sql, async (tx) => {
        const before = await recordPayment(tx, id, payment);
        if (before === undefined) {
          throw new Refusal('CONFLICT', { message: 'The order has no invoice that could be paid.' });
        }
        const change = { before: { financialStatus: before }, after: { financialStatus: body.status } };
        await audit(tx, { action: 'order.record_payment', objectId: id, ...change });
      });
      log.info({ orderId: id, status: body.status, by: account.name }, 'payment recorded');
      const { orderReferenceId, financialStatus } = await visibleOrder({ sql, objects }, account, id);
      return { id, orderReferenceId, financialStatus };
    },
  });
}

export function fileRequestRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route('POST /v1/operator/orders/{orderId}/items/{itemReferenceId}/files/{type}/requests', {
    ...forOrder('operator'),
    operationId: 'requestFile',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
    summary: 'Ask the client for another print file',
    description:
      'Sends the notification `order_file_requested` to the client’s endpoints for it, and adds an entry to the event log that the ' +
      'client sees. The client answers with another file for the item. 409: the order has ended.',
    audits: ['order.request_file'],
    params: operatorOrderParams.extend({
      itemReferenceId: z.string().min(1).max(100),
      type: orderFileSchema.shape.type.describe('Type of the file, as ordered.'),
    }),
    body: z
      .object({ message: text(500).describe('What is wrong with the file. The client reads it.') })
      .meta({ id: 'FileRequest' }),
    response: z
      .object({ notified: z.int().describe('Number of endpoints. 0: the client has none for the event.') })
      .meta({ id: 'RequestedFile' }),
    handler: async ({ account, params, body: { message }, requestId, audit }) => {
      const { itemReferenceId, type } = params;
      const orderId = await changedOrderId(sql, account, params.orderId);
      const request = { orderId, itemReferenceId, type, message, by: account.name, requestId };
      const result = await requestFile(sql, request, (tx) =>
        audit(tx, {
          action: 'order.request_file',
          objectId: orderId,
          before: null,
          after: { itemReferenceId, type },
        }),
      );
      if (result === 'not-found') {
        throw new Refusal('NOT_FOUND', { message: `The order has no file ${type} of an item ${itemReferenceId}.` });
      }
      if (result === 'ended') throw new Refusal('CONFLICT', { message: 'The order has ended.' });
      return result;
    },
  });
}

const MEGABYTE = 1_000_000;

export function fileUploadRoute({
  sql,
  objects,
  links,
  config,
}: Pick<ApiDeps, 'sql' | 'objects' | 'links' | 'config'>): Route {
  return route('POST /v1/operator/orders/{orderId}/uploads', {
    ...forOrder('operator'),
    operationId: 'uploadOrderFile',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
    summary: 'Upload a print file for an order',
    description:
      'Stores the file for eight days, and returns an address for `replaceFile`, `reprintOrder`, `preflightFile` and claims. It is fetched ' +
      'and checked from there like every other file, and the order keeps a copy of its own.',
    audits: ['order.upload_file'],
    timeoutMs: UPLOAD_MS,
    query: z.object({ name: z.string().trim().min(1).max(200).default('file').describe('Name of the file.') }),
    upload: { contentType: 'application/octet-stream', mostBytes: config.FILE_SIZE_LIMIT_MB * MEGABYTE },
    response: z
      .object({ url: z.string().describe('Valid for seven days.'), sizeBytes: z.int() })
      .meta({ id: 'UploadedFile' }),
    handler: async ({ account, params, query, upload, audit }) => {
      const orderId = await changedOrderId(sql, account, params.orderId);
      const content = upload!();
      const id = uuidv7();
      // The row comes first: what a killed process has stored is deleted with it.
      await sql`INSERT INTO uploads (id) VALUES (${id})`;
      const contentType = 'application/octet-stream';
      const { size: sizeBytes } = await objects.put(`uploads/${id}`, content, { contentType });
      await audit(sql, { action: 'order.upload_file', objectId: orderId, before: null, after: { sizeBytes } });
      const target = { objectKey: `uploads/${id}`, contentType, fileName: query.name };
      return { url: links.sign(target, { seconds: DOCUMENT_LINK_SECONDS }), sizeBytes };
    },
  });
}

const amount = z.number();

/** The route with which an operator sees what the client gets back for units. */
export function refundPreviewRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route('POST /v1/operator/orders/{orderId}/refund-preview', {
    ...forOrder('viewer'),
    operationId: 'previewRefund',
    isRead: true,
    summary: 'Preview what a refund of units returns',
    description:
      'Nothing is refunded. Units that are refunded already add nothing. Shipping is refunded with the last units of an invoice.',
    body: z
      .object({
        items: z
          .array(
            z.object({
              itemReferenceId: z.string().min(1).max(100),
              quantity: z.int().min(1).max(SIZES.itemUnits.most),
            }),
          )
          .max(SIZES.orderItems.most),
      })
      .meta({ id: 'RefundPreviewRequest' }),
    response: z
      .object({
        currency: z.string(),
        products: amount.describe('Without VAT.'),
        shipping: amount.describe('Without VAT.'),
        vat: amount,
        total: amount.describe('With VAT.'),
      })
      .meta({ id: 'RefundPreview' }),
    handler: async ({ account, params, body: { items } }) => {
      const id = await visibleOrderId(sql, account, params.orderId);
      const [order] = await sql<{ currency: string }[]>`SELECT currency FROM orders WHERE id = ${id}`;
      if (order === undefined) throw new Refusal('NOT_FOUND', { message: 'The order is archived.' });
      return refundAmounts(order.currency, await readCharges(sql, id), items);
    },
  });
}

const reprintSchema = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          itemReferenceId: z.string(),
          quantity: z
            .int()
            .min(1)
            .max(SIZES.itemUnits.most)
            .nullish()
            .describe('Default: all units of the item that were not cancelled.'),
          files: z
            .array(orderFileSchema)
            .min(1)
            .max(SIZES.itemFiles.most)
            .optional()
            .describe('Default: the files of the item.'),
        }),
      )
      .min(1)
      .max(SIZES.orderItems.most)
      .optional()
      .describe('Default: all items that were not cancelled.'),
    shippingAddress: shippingAddressSchema.optional().describe('Default: the address of the order.'),
    charge: z.boolean().default(false).describe('False: the new order costs its client nothing.'),
    reason: text(500).describe('Recorded with the operator’s name in the event logs of both orders.'),
    confirmRepeat: z
      .boolean()
      .default(false)
      .describe('True makes units once more that an earlier reprint has made. Without it: 409 `ALREADY_REPRINTED`.'),
  })
  .meta({ id: 'Reprint' });

export function orderReprintRoute({
  sql,
  objects,
  runSettings,
  wake,
}: Pick<ApiDeps, 'sql' | 'objects' | 'runSettings' | 'wake'>): Route {
  return route('POST /v1/operator/orders/{orderId}/reprint', {
    ...forOrder('operator'),
    operationId: 'reprintOrder',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'ALREADY_REPRINTED'],
    summary: 'Make and ship an order again',
    description:
      'Submits a new order of the same client, reference, products and files. It is linked to the first by `reprintOf`. ' +
      'The first order no longer needs attention for having failed or returned. 409: the order was not delivered or returned and ' +
      'has not failed; `reproduce` makes units of other orders again.',
    audits: ['order.reprint'],
    idempotent: true,
    body: reprintSchema,
    response: submittedOrderSchema.extend({ reprintOf: z.string() }).meta({ id: 'ReprintedOrder' }),
    handler: async ({ params, body, account, requestId, log, audit, idempotency }) => {
      const order = await visibleOrder({ sql, objects }, account, await changedOrderId(sql, account, params.orderId));
      const { reason, charge } = body;
      const [client] = await sql<{ name: string }[]>`SELECT name FROM accounts WHERE id = ${order.clientId}`;
      const submission = {
        ...reprintOf(order, body),
        clientId: order.clientId,
        clientName: client!.name,
        requestId,
        claim: null,
      };
      const submitted = await inTransaction(sql, async (tx) => {
        const { items } = submission.order;
        if (!body.confirmRepeat && (await isReprinted(tx, order.id, items))) throw new Refusal('ALREADY_REPRINTED');
        const by = { by: account.name, reason, requestId, charged: charge };
        const stored = await storeReprint(tx, submission, order.id, by, runSettings);
        await audit(tx, {
          action: 'order.reprint',
          objectId: order.id,
          before: null,
          after: { orderId: stored.id, charged: charge },
        });
        const response = { ...stored, reprintOf: order.id };
        await idempotency.complete(tx, response);
        return response;
      });
      wake('start_workflow');
      log.info({ orderId: submitted.id, reprintOf: order.id, by: account.name }, 'order reprinted');
      return submitted;
    },
  });
}
