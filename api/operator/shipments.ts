import { z } from 'zod';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { ordersNamed } from '../../src/orders/reading/operator-order-list';
import { isUuid } from '../../src/platform/ids';
import type { ProblemPage, ProblemPosition } from '../../src/platform/list-position';
import { listParcels, parcelSchema, parcelsNamed } from '../../src/shipping/parcel-list';
import {
  listedShippingOrderSchema,
  listShippingOrders,
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
  const { page, nextCursor } = pageOf(rows, limit, ({ id, listedAt, problem }) =>
    encodeProblem({ hasProblem: problem !== null, time: listedAt, id }),
  );
  return { page: page.map(({ listedAt: _, ...row }) => row), nextCursor };
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
    response: z
      .object({ parcels: z.array(parcelSchema), nextCursor: z.string().nullable() })
      .meta({ id: 'ParcelPage' }),
    handler: async ({ query: { q, status, ...query } }) => {
      const filter = { statuses: status, ids: q === undefined ? undefined : await namedParcels(sql, q) };
      // Ids of trackings are random tokens.
      const isId = (id: string) => /^[\w-]{1,64}$/.test(id);
      const { page, nextCursor } = await problemsFirst(query, isId, (page) => listParcels(sql, filter, page));
      return { parcels: page, nextCursor };
    },
  });
}

async function namedParcels(sql: ApiDeps['sql'], text: string): Promise<string[]> {
  const [orderIds, shippingOrderIds] = await Promise.all([ordersNamed(sql, text), shippingOrdersNamed(sql, text)]);
  return await parcelsNamed(sql, text, { orderIds, shippingOrderIds });
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
      .object({ shippingOrders: z.array(listedShippingOrderSchema), nextCursor: z.string().nullable() })
      .meta({ id: 'OperatorShippingOrderPage' }),
    handler: async ({ query: { q, status, ...query } }) => {
      const filter = { statuses: status, ids: q === undefined ? undefined : await shippingOrdersNamed(sql, q) };
      const { page, nextCursor } = await problemsFirst(query, isUuid, (page) => listShippingOrders(sql, filter, page));
      return { shippingOrders: page, nextCursor };
    },
  });
}

export function operatorShipmentRoutes(deps: Pick<ApiDeps, 'sql'>): Route[] {
  return [parcelsRoute(deps), shippingOrdersRoute(deps)];
}
