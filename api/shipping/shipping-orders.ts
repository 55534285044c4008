import { z } from 'zod';
import type { CarrierRefusal } from '../../src/carriers/carrier';
import { instant } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { requireRates } from '../../src/platform/exchange-rates';
import { COMPARED_ROWS } from '../../src/platform/list-position';
import { inTransaction } from '../../src/platform/postgres';
import { consignmentFrom, requestedMethod } from '../../src/shipping/consignment';
import { shippingOrderRequestSchema } from '../../src/shipping/request-schemas';
import {
  findShippingOrder,
  newestShippingOrdersByAccount,
  retrievedShippingOrder,
  type ShippingOrderRow,
  type ShippingOrderViewer,
  searchShippingOrders,
  shippingOrderResponse,
  shippingOrderSummary,
} from '../../src/shipping/shipping-orders/shipping-order-reader';
import {
  retrievedShippingOrderSchema,
  SHIPPING_ORDER_STATUSES,
  shippingOrderSchema,
  shippingOrderSummarySchema,
} from '../../src/shipping/shipping-orders/shipping-order-schemas';
import {
  endWait,
  insertShippingOrder,
  recordResponse,
  requestCancellation,
  resumeShippingOrder,
} from '../../src/shipping/shipping-orders/shipping-orders';
import { LABEL_WAIT_SECONDS, runCancellation, runShippingOrder } from '../../src/shipping/shipping-workflows';
import type { ApiDeps } from '../deps';
import { anyOf, cursorField, pageOfSearch } from '../http/list-query';
import { type Route, route } from '../http/route';
import { refuseAmbiguous } from '../orders/visible-order';

const readers = {
  credentials: 'key',
  roles: ['client', 'partner', 'operator'],
  operatorRole: 'viewer',
} as const;
const changers = { ...readers, operatorRole: 'operator' } as const;
/** An id or reference. References have up to 100 characters. */
const params = z.object({ shippingOrderId: z.string().min(1).max(100) });

/** Returns a carrier's refusal as an API error (docs/errors.md). */
function refusalOf({ code, message, detail, missing }: CarrierRefusal): Refusal {
  if (missing !== undefined && missing.length > 0) {
    return new Refusal('VALIDATION_ERROR', {
      errors: missing.map((reference) => ({ code: 'MISSING_FIELD_ERROR', message, reference })),
    });
  }
  return new Refusal('PUBLIC_API_ERROR', {
    message,
    detail: { code: 'CARRIER_API_ERROR', message: { code, description: message, ...detail } },
  });
}

const referenceUsed = () =>
  new Refusal('DUPLICATE_ORDER_REFERENCE', {
    message: 'A shipping order with this orderReferenceId already exists.',
    errors: [{ code: 'VALIDATION_ERROR', message: 'This reference was used before.', reference: 'orderReferenceId' }],
  });

export function createShippingOrderRoute({ sql, links, temporal, config, publicUrl, carriers }: ApiDeps): Route {
  return route('POST /v1/shipping-orders', {
    operationId: 'createShippingOrder',
    summary: 'Buy shipping labels for packages',
    description:
      'Buys the labels of all packages, or of none. Responds with 409 when the orderReferenceId was used before, also by a ' +
      'canceled shipping order. After a 503 or a lost response, send the same request again to get the labels that were ' +
      'bought meanwhile, or read the shipping order by its reference.',
    tag: 'Shipping',
    access: changers,
    errors: 'shipping',
    idempotent: true,
    body: shippingOrderRequestSchema,
    response: shippingOrderSchema,
    handler: async ({ account, body, requestId, log, idempotency }) => {
      const placement = { accountId: account.id, request: body, waitSeconds: LABEL_WAIT_SECONDS + 5 };
      let placed = await resumeShippingOrder(sql, placement);
      if (placed === null) {
        const rates = await requireRates(sql, [{ currency: body.currency, reference: 'currency' }]);
        const consignment = consignmentFrom(body, rates);
        const { methodUid } = await requestedMethod(carriers, consignment, body.shippingMethod);
        placed = await insertShippingOrder(sql, placement, { consignment, methodUid });
      }
      if (placed === 'used') throw referenceUsed();
      const { shippingOrderId } = placed;
      try {
        const input = { shippingOrderId, requestId, packages: body.packages.length };
        const run = await runShippingOrder({ client: temporal, config, publicUrl }, input);
        if (run.outcome === 'refused') throw refusalOf(run.refusal);
        const { shipmentId } = run;
        const response = await shippingOrderResponse(
          { sql, links },
          { shippingOrderId, shipmentId, orderReferenceId: body.orderReferenceId },
        );
        // One transaction: a process that dies before it can be called again, and one that dies after it has responded.
        await inTransaction(sql, async (tx) => {
          await recordResponse(tx, shippingOrderId);
          await idempotency.complete(tx, response);
        });
        log.info({ shippingOrderId, shipmentId }, 'shipping order response sent');
        return response;
      } finally {
        await endWait(sql, shippingOrderId);
      }
    },
  });
}

/** Returns the viewer's shipping order. @throws Refusal NOT_FOUND */
async function visibleShippingOrder(
  sql: ApiDeps['sql'],
  viewer: ShippingOrderViewer,
  idOrReference: string,
): Promise<ShippingOrderRow> {
  const order = await findShippingOrder(sql, viewer, idOrReference);
  if (order === null) throw new Refusal('NOT_FOUND', { message: 'There is no such shipping order.' });
  return order;
}

export function getShippingOrderRoute({ sql, links }: Pick<ApiDeps, 'sql' | 'links'>): Route {
  return route('GET /v1/shipping-orders/{shippingOrderId}', {
    operationId: 'getShippingOrder',
    summary: 'Read a shipping order',
    description:
      '`shippingOrderId` is the id or the orderReferenceId. The links to documents are new. Use it to find the labels after a lost response.',
    tag: 'Shipping',
    access: readers,
    params,
    response: retrievedShippingOrderSchema,
    handler: async ({ params, account }) =>
      await retrievedShippingOrder({ sql, links }, await visibleShippingOrder(sql, account, params.shippingOrderId)),
  });
}

const cannotCancel = (message: string) => new Refusal('CONFLICT', { message });
const SCANNED = 'A carrier has scanned a package, so the labels can no longer be voided.';

export function cancelShippingOrderRoute({ sql, links, temporal, config, publicUrl }: ApiDeps): Route {
  return route('POST /v1/shipping-orders/{shippingOrderId}/cancel', {
    operationId: 'cancelShippingOrder',
    summary: 'Void the labels of a shipping order',
    description:
      '`shippingOrderId` is the id or the orderReferenceId. Possible until a carrier has scanned one of the packages; 409 ' +
      'afterwards, and when the carrier refuses to void a label. Canceling again changes nothing. The orderReferenceId ' +
      'stays used. After a 503, send the same request again to get the outcome.',
    isRepeatable: true,
    tag: 'Shipping',
    access: changers,
    audits: ['shipping_order.cancel'],
    params,
    body: z.strictObject({}),
    response: retrievedShippingOrderSchema,
    handler: async ({ params, account, requestId, audit, intend }) => {
      const before = await visibleShippingOrder(sql, account, params.shippingOrderId);
      const { id: shippingOrderId, status } = before;
      if (account.role === 'operator' && shippingOrderId !== params.shippingOrderId.toLowerCase()) {
        refuseAmbiguous('shipping order', await newestShippingOrdersByAccount(sql, before.orderReferenceId));
      }
      await intend({ action: 'shipping_order.cancel', objectId: shippingOrderId });
      const requested = await requestCancellation(sql, shippingOrderId);
      if (requested === 'scanned') throw cannotCancel(SCANNED);
      if (requested === 'refused') throw cannotCancel('The purchase was refused, so there are no labels.');
      if (requested === 'canceling') {
        const run = await runCancellation({ client: temporal, config, publicUrl }, { shippingOrderId, requestId });
        if (run.outcome === 'scanned') throw cannotCancel(SCANNED);
        if (run.outcome === 'carrier_refused') {
          throw cannotCancel(`The carrier refused to void a label: ${run.reason}`);
        }
      }
      const canceled = await visibleShippingOrder(sql, account, shippingOrderId);
      const change = { before: { status }, after: { status: canceled.status } };
      await audit(sql, { action: 'shipping_order.cancel', objectId: shippingOrderId, ...change });
      return await retrievedShippingOrder({ sql, links }, canceled);
    },
  });
}

const searchSchema = z
  .object({
    orderReferenceIds: anyOf(z.string().min(1).max(100)),
    statuses: anyOf(z.enum(SHIPPING_ORDER_STATUSES)),
    createdFrom: instant.describe('Shipping orders created at or after this time.'),
    createdTo: instant.describe('Shipping orders created before this time.'),
    limit: z.int().min(1).max(250).default(50),
    cursor: cursorField.nullish(),
  })
  .meta({ id: 'ShippingOrderSearch', examples: [{ orderReferenceIds: ['PARCEL-1001'] }] });

const pageSchema = z
  .object({
    shippingOrders: z.array(shippingOrderSummarySchema),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page. Null on the last page.'),
  })
  .meta({ id: 'ShippingOrderPage' });

export function searchShippingOrdersRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route('POST /v1/shipping-orders/search', {
    operationId: 'searchShippingOrders',
    onStandby: true,
    isRead: true,
    summary: 'Search shipping orders, newest first',
    description:
      'Returns the shipping orders of the account that match every filter given. A list matches any of its values. Operators see all accounts. ' +
      `A page with filters compares ${COMPARED_ROWS} shipping orders at most: it can have fewer than \`limit\`, or none, and ` +
      'still a `nextCursor`.',
    tag: 'Shipping',
    access: readers,
    body: searchSchema,
    response: pageSchema,
    handler: async ({ account, body }) => {
      const { page, nextCursor } = await pageOfSearch(body, (wanted) =>
        searchShippingOrders(sql, account, body, wanted),
      );
      return { shippingOrders: page.map(shippingOrderSummary), nextCursor };
    },
  });
}
