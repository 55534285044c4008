import { z } from 'zod';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { ordersNamed } from '../../src/orders/reading/operator-order-list';
import { timestamp } from '../../src/platform/domain/fields';
import { isUuid } from '../../src/platform/ids';
import type { ProblemPage, ProblemPosition } from '../../src/platform/list-position';
import { listParcels, PARCEL_PROBLEMS, type ParcelListItem, parcelsNamed } from '../../src/shipping/parcel-list';
import {
  listShippingOrders,
  SHIPPING_ORDER_PROBLEMS,
  type ShippingOrderListItem,
  shippingOrdersNamed,
} from '../../src/shipping/shipping-orders/shipping-order-list';
import { SHIPPING_ORDER_STATUSES } from '../../src/shipping/shipping-orders/shipping-order-schemas';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import {
  anyOfList,
  cursorField,
  decodeCursor,
  encodeCursor,
  invalidCursor,
  limitField,
  pageOf,
} from '../http/list-query';
import { forOperators, type Route } from '../http/route';

const common = forOperators('Operator: shipments', 'viewer');

const pageQuery = {
  problem: z.enum(['true']).optional().describe('Only those with a problem.'),
  limit: limitField,
  cursor: cursorField.optional(),
  format: formatQuery,
};
const searchText = z.string().trim().min(1).max(200).optional();

/** Begins the cursor of a position among the rows with a problem, and of one after them. */
const PREFIX = { problem: 'p.', other: 'o.' } as const;
const encodeProblem = (position: ProblemPosition) =>
  `${PREFIX[position.hasProblem ? 'problem' : 'other']}${encodeCursor(position)}`;

/** @throws Refusal `VALIDATION_ERROR` at `cursor` */
function decodeProblem(cursor: string | undefined, isId: (id: string) => boolean): ProblemPosition | null {
  if (cursor === undefined) return null;
  const hasProblem = cursor.startsWith(PREFIX.problem);
  if (!hasProblem && !cursor.startsWith(PREFIX.other)) throw invalidCursor();
  return { hasProblem, ...decodeCursor(cursor.slice(2), isId) };
}

/** Reads a page of a list that begins with the rows that have a problem. */
async function problemsFirst<Row extends { readonly id: string; readonly listedAt: string; readonly problem: unknown }>(
  {
    limit,
    cursor,
    problem,
  }: { readonly limit: number; readonly cursor?: string | undefined; readonly problem?: 'true' | undefined },
  isId: (id: string) => boolean,
  read: (page: ProblemPage) => Promise<readonly Row[]>,
) {
  const only = problem !== undefined;
  const rows = await read({ limit: limit + 1, only, after: decodeProblem(cursor, isId) });
  return pageOf(rows, limit, ({ id, listedAt, problem }) =>
    encodeProblem({ hasProblem: problem !== null, time: listedAt, id }),
  );
}

const parcel = z.object({
  id: z.string(),
  trackingNumber: z.string(),
  trackingUrl: z.string().nullable(),
  status: z.enum(TRACKING_STATUSES),
  problem: z
    .enum(PARCEL_PROBLEMS)
    .nullable()
    .describe('`not_handed_over`: no scan for ten days. `overdue`: not delivered after 30 days.'),
  carrierName: z.string().nullable(),
  methodUid: z.string().nullable(),
  expectedDeliveryDate: z.iso.date().nullable(),
  voided: z.boolean().describe('The label was voided and must not be used.'),
  clientName: z.string().nullable(),
  orderId: z.string().nullable(),
  printOrderId: z.string().nullable(),
  shippingOrderId: z.string().nullable(),
  reference: z.string().nullable().describe('The client’s reference of the order or shipping order.'),
  label: z
    .object({ shipmentId: z.string(), position: z.int() })
    .nullable()
    .describe('Where the label can be fetched. Null for a voided label and for a partner’s own tracking code.'),
  createdAt: timestamp,
  updatedAt: timestamp,
});

function parcelView({ listedAt: _, isVoided, shipmentId, position, ...parcel }: ParcelListItem) {
  const hasLabel = shipmentId !== null && position !== null && !isVoided;
  return { ...parcel, voided: isVoided, label: hasLabel ? { shipmentId, position } : null };
}

function parcelsRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return exportedList('GET /v1/operator/parcels', {
    csv: { name: 'parcels', rows: 'parcels', pages: PAGES.byCursor },
    ...common,
    operationId: 'listParcels',
    onStandby: true,
    summary: 'List parcels, those with problems first',
    description:
      'Packages with our labels, and packages that partners ship with their own tracking codes. Then newest first. A parcel has no ' +
      'problem when its label is voided, or when it is no longer followed.',
    query: z.object({
      q: searchText.describe(
        'Exact text: a tracking number, the id of a shipment, an id or reference of a shipping order, or whatever finds an order.',
      ),
      status: anyOfList(z.enum(TRACKING_STATUSES)),
      ...pageQuery,
    }),
    response: z.object({ parcels: z.array(parcel), nextCursor: z.string().nullable() }).meta({ id: 'ParcelPage' }),
    handler: async ({ query: { q, status, ...query } }) => {
      const filter = { statuses: status, ids: q === undefined ? undefined : await namedParcels(sql, q) };
      // Ids of trackings are random tokens.
      const isId = (id: string) => /^[\w-]{1,64}$/.test(id);
      const { page, nextCursor } = await problemsFirst(query, isId, (page) => listParcels(sql, filter, page));
      return { parcels: page.map(parcelView), nextCursor };
    },
  });
}

async function namedParcels(sql: ApiDeps['sql'], text: string): Promise<string[]> {
  const [orderIds, shippingOrderIds] = await Promise.all([ordersNamed(sql, text), shippingOrdersNamed(sql, text)]);
  return await parcelsNamed(sql, text, { orderIds, shippingOrderIds });
}

const shippingOrder = z.object({
  id: z.string(),
  orderReferenceId: z.string(),
  clientName: z.string(),
  status: z.enum(SHIPPING_ORDER_STATUSES),
  problem: z
    .enum(SHIPPING_ORDER_PROBLEMS)
    .nullable()
    .describe(
      '`stuck`: bought for over five minutes, or being canceled. `refused`: by the carrier, in the last seven days.',
    ),
  methodUid: z.string(),
  carrierName: z.string().nullable(),
  refusal: z.string().nullable().describe('The carrier’s message.'),
  packages: z
    .array(
      z.object({
        trackingNumber: z.string(),
        label: z
          .object({ shipmentId: z.string(), position: z.int() })
          .nullable()
          .describe('Where the label can be fetched. Null for a voided label.'),
      }),
    )
    .describe('Empty until the labels are bought.'),
  createdAt: timestamp,
  canceledAt: timestamp.nullable(),
});

function shippingOrderView({ listedAt: _, shipmentId, refusal, packages, ...order }: ShippingOrderListItem) {
  const hasLabels = order.status !== 'canceled' && shipmentId !== null;
  return {
    ...order,
    refusal: refusal?.message ?? null,
    packages: (packages ?? []).map(({ trackingNumber, position }) => ({
      trackingNumber,
      label: hasLabels ? { shipmentId, position } : null,
    })),
  };
}

function shippingOrdersRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return exportedList('GET /v1/operator/shipping-orders', {
    csv: { name: 'shipping-orders', rows: 'shippingOrders', pages: PAGES.byCursor },
    ...common,
    operationId: 'listOperatorShippingOrders',
    onStandby: true,
    summary: 'List the shipping orders of all clients and partners, those with problems first',
    description: 'Then newest first.',
    query: z.object({
      q: searchText.describe(
        'Exact text: the id or reference of a shipping order, the id of its shipment, or a tracking number.',
      ),
      status: anyOfList(z.enum(SHIPPING_ORDER_STATUSES)),
      ...pageQuery,
    }),
    response: z
      .object({ shippingOrders: z.array(shippingOrder), nextCursor: z.string().nullable() })
      .meta({ id: 'OperatorShippingOrderPage' }),
    handler: async ({ query: { q, status, ...query } }) => {
      const filter = { statuses: status, ids: q === undefined ? undefined : await shippingOrdersNamed(sql, q) };
      const { page, nextCursor } = await problemsFirst(query, isUuid, (page) => listShippingOrders(sql, filter, page));
      return { shippingOrders: page.map(shippingOrderView), nextCursor };
    },
  });
}

/** Routes with which operators list parcels and shipping orders. */
export function operatorShipmentRoutes(deps: Pick<ApiDeps, 'sql'>): Route[] {
  return [parcelsRoute(deps), shippingOrdersRoute(deps)];
}
