import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  type DispatchedPrintOrder,
  dispatchedDocuments,
  dispatchedPrintOrder,
  dispatchRequestSchema,
  itemsNamed,
  MOST_AWAITED_PARCELS,
  packagesToRelabel,
  packagesToSplit,
} from '../../src/orders/production/dispatch';
import { renewDocuments } from '../../src/orders/production/renewed-documents';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import type { LabelToReplace } from '../../src/shipping/domain/shipping-runs';
import { DISPATCH_TYPES, type StoredShipment } from '../../src/shipping/shipments';
import { runLabelReplacement } from '../../src/shipping/shipping-workflows';
import type { ApiDeps } from '../deps';
import { createFailureLimiter, FAILURE_LIMITS } from '../http/request-limits';
import { RawResponse, type Route, route } from '../http/route';

const packageName = {
  packageReferenceId: z.string().describe('Package of the document.'),
  trackingCode: z.string().describe('Of this package.'),
};

export const dispatchResponseSchema = z
  .object({
    documents: z.array(
      z.object({
        type: z
          .enum(DISPATCH_TYPES)
          .describe(
            'invoice travels in its parcel: the invoice of the shop to its customer, at retail prices, or a commercial ' +
              'invoice. packing_slip and customs_form only for partners that subscribed with documentTypes all. packing_slip ' +
              'is the packing slip of the client, or Pressline’s list of a package without one. Others get customs forms ' +
              'as label or invoice, and packing slips, and delivery notes of packages without an invoice, as invoice.',
          ),
        contentType: z.string(),
        format: z.string(),
        url: z.url().describe('Valid for seven days.'),
        ...packageName,
      }),
    ),
    trackingCode: z.string().optional().describe('Of the first parcel in the response.'),
    trackingLink: z.string().optional(),
    voidLabels: z
      .array(z.object({ packageReferenceId: z.string(), trackingCode: z.string() }))
      .optional()
      .describe('Labels of earlier responses that must not be used. Absent when there are none.'),
  })
  .meta({ id: 'DispatchResponse' });

/** Attempts of one request. An attempt fails when address, method or contents change while labels or documents are made. */
const MAX_ATTEMPTS = 4;

/** Statuses of a print order whose run has not recorded yet that the partner has it. */
const UNCONFIRMED = ['planned', 'pending'];
/** Pauses between reads of an unconfirmed print order, in milliseconds: two seconds in all. */
const PAUSES_MS = [200, 400, 600, 800];

/**
 * Returns a partner's print order. Partners often ask for documents as soon as they have received it, some milliseconds before the order
 * run has recorded that: the request then waits for the row. The run would refuse it, and the repeated request costs more.
 */
async function confirmedPrintOrder(
  sql: Sql,
  partnerId: string,
  printOrderId: string,
): Promise<DispatchedPrintOrder | null> {
  let printOrder = await dispatchedPrintOrder(sql, partnerId, printOrderId);
  for (const pauseMs of PAUSES_MS) {
    if (printOrder === null || !UNCONFIRMED.includes(printOrder.status)) break;
    await sleep(pauseMs);
    printOrder = await dispatchedPrintOrder(sql, partnerId, printOrderId);
  }
  return printOrder;
}

/** Seconds after which a partner asks again for documents that are being made. */
const RETRY_SECONDS = 5;
/** Time that a request waits for the papers of many parcels that are made again, in milliseconds. */
const PAPERS_MS = 2_000;

/** Returns the response while documents are being made. It has no `documents`, so that nobody takes it for the last one. */
function beingMade(): RawResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': String(RETRY_SECONDS) };
  const message = 'The documents are being made. Send the same request again after Retry-After seconds.';
  return new RawResponse(202, headers, JSON.stringify({ message }));
}

export function dispatchRoute({ sql, objects, links, runs, temporal, config, publicUrl }: ApiDeps): Route {
  const ofPrintOrder = createFailureLimiter('dispatch');
  /** Papers that this process makes again, by shipment. Requests for one shipment share them. */
  const renewing = new Map<string, Promise<boolean>>();
  /** Makes papers again. @returns false when that takes longer than a request waits */
  async function renewed(orderId: string, { shipmentId, packages }: StoredShipment): Promise<boolean> {
    const renewal =
      renewing.get(shipmentId) ??
      renewDocuments({ sql, objects }, { orderId, shipmentId })
        .then(() => true)
        .finally(() => renewing.delete(shipmentId));
    renewing.set(shipmentId, renewal);
    if (packages.length <= MOST_AWAITED_PARCELS) return await renewal;
    return await Promise.race([renewal, sleep(PAPERS_MS, false, { ref: false })]);
  }
  return route('POST /v2/order/dispatch', {
    operationId: 'dispatchOrder',
    refuses: ['CONFLICT', 'NOT_FOUND', 'PUBLIC_API_ERROR'],
    otherStatuses: {
      202: 'The documents are being made. The same request, after `Retry-After` seconds, gets them.',
    },
    summary: 'Get the shipping documents of a print order',
    description:
      `The response is sent when labels and documents exist. For more than ${MOST_AWAITED_PARCELS} parcels it is 202 with ` +
      '`Retry-After` until then. A repeated request returns the same shipment with new ' +
      'links, unless address or method have changed: then a new label replaces the old one. Labels of parcels that hold ' +
      'nothing any more, because their items were cancelled, are left out and listed in `voidLabels`. The papers ' +
      'of changed contents are made again. 409 while the print order is not confirmed, and after ' +
      'it was cancelled. ' +
      `429 after ${FAILURE_LIMITS.dispatch.limit} requests for one print order within an hour.`,
    isRepeatable: true,
    tag: 'Partner interaction',
    access: { credentials: 'key', roles: ['partner'] },
    errors: 'plain',
    alsoAudits: ['order.replace_label'],
    body: dispatchRequestSchema,
    response: dispatchResponseSchema,
    handler: async ({ account, body, log, audit, intend, requestId }) => {
      const name = `${account.id}/${body.orderId}`;
      ofPrintOrder.check(name);
      ofPrintOrder.failed(name);
      let printOrder = await confirmedPrintOrder(sql, account.id, body.orderId);
      if (printOrder === null) throw new Refusal('NOT_FOUND', { message: `There is no print order ${body.orderId}.` });
      if (printOrder.status === 'cancelled')
        throw new Refusal('CONFLICT', { message: `Print order ${printOrder.id} is cancelled.` });
      const { orderId, id: printOrderId } = printOrder;
      for (let attempt = 0; ; attempt += 1) {
        const { shipment } = printOrder;
        const items = body.orderItemIds == null ? null : itemsNamed(printOrder, body.orderItemIds);
        const damaged = shipment === null ? [] : packagesToRelabel(shipment, printOrder, body.replaceLabels ?? []);
        const shared =
          shipment === null || items === null ? [] : await packagesToSplit(sql, { ...printOrder, shipment }, items);
        const toReplace: readonly (Omit<LabelToReplace, 'shipmentId'> & { trackingCode: string })[] =
          shared.length > 0 ? shared : damaged;
        if (shipment !== null && toReplace.length === 0 && !printOrder.isOutdated) {
          log.info({ orderId, printOrderId, shipmentId: shipment.shipmentId }, 'dispatch response sent');
          return dispatchedDocuments(links, { ...printOrder, shipment }, items);
        }
        if (attempt === MAX_ATTEMPTS) break;
        if (shipment === null) {
          const { shipmentId } = await runs.dispatch(orderId, {
            printOrderId,
            ...(items && { first: [...items] }),
            ...(printOrder.packageCount > MOST_AWAITED_PARCELS && { inBackground: true }),
          });
          if (shipmentId === null) return beingMade();
        } else if (toReplace.length > 0) {
          const { shipmentId } = shipment;
          for (const { trackingCode, ...label } of toReplace) {
            await intend({ action: 'order.replace_label', objectId: orderId });
            const input = { ...label, shipmentId, requestId };
            const replaced = await runLabelReplacement({ client: temporal, config, publicUrl }, input);
            if (replaced.outcome === 'refused')
              throw new Refusal('CONFLICT', { message: `Label ${trackingCode} is not replaced: ${replaced.message}` });
            const before = { printOrderId, label: trackingCode };
            await audit(sql, { action: 'order.replace_label', objectId: orderId, before, after: { printOrderId } });
          }
        } else if (!(await renewed(orderId, shipment))) return beingMade();
        printOrder = (await dispatchedPrintOrder(sql, account.id, printOrderId))!;
      }
      throw new Refusal('CONFLICT', { message: 'The order changed during the request; send it again.' });
    },
  });
}
