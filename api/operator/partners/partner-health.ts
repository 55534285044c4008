import { z } from 'zod';
import { postToPartner } from '../../../src/partners/calls';
import { POSTBACK_STATUSES } from '../../../src/partners/domain/postback-status';
import { partnerHealth, RECENT_PRINT_ORDERS, RECENT_REQUESTS } from '../../../src/partners/health';
import type { Partner } from '../../../src/partners/partner-rows';
import { postbacksOfPartner } from '../../../src/partners/postbacks';
import { insertPartnerRequest, requestsToPartner } from '../../../src/partners/requests';
import { Refusal } from '../../../src/platform/errors';
import { uuidv7 } from '../../../src/platform/ids';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { formatQuery } from '../../http/lists/csv';
import { limitField, pageOf } from '../../http/lists/cursor';
import { exportedList, PAGES } from '../../http/lists/exported-list';
import { operatorsOnly, type Route, route } from '../../http/route';
import { partnerRequestSchema, partnerRequestView } from './partner-request-schema';

type Deps = Pick<ApiDeps, 'sql' | 'client' | 'secretBox'>;

const common = { tag: 'Operator: partners', errors: 'coded' } as const;
const params = z.object({ partnerId: z.string() });
const time = z.iso.datetime({ offset: true }).nullable();
const pageQuery = z.object({
  limit: limitField,
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .describe('`nextCursor` of the previous page.'),
  format: formatQuery,
});

const healthSchema = z
  .object({
    printOrders: z
      .int()
      .describe(`Print orders that the figures are of: the latest ${RECENT_PRINT_ORDERS} that were sent.`),
    accepted: z.int(),
    acceptSecondsMedian: z
      .number()
      .nullable()
      .describe('From the creation of a print order until the partner accepted it.'),
    acceptSecondsP95: z.number().nullable(),
    due: z.int().describe('Print orders that have shipped, or whose dispatch date has passed.'),
    late: z.int().describe('Of these: `shipped` came after the dispatch date (UTC), or has not come.'),
    lateShare: z.number().nullable().describe('From 0 to 1. Null when none is due.'),
    errors: z.int().describe('Print orders with an `error` postback.'),
    requests: z
      .object({ accepted: z.int(), retry: z.int(), refused: z.int() })
      .describe(`The latest ${RECENT_REQUESTS} requests by outcome.`),
    lastRequestAt: time,
    lastPostbackAt: time,
    stock: z
      .object({ skus: z.int(), oldest: time, newest: time })
      .describe('Reported stock levels, and the times of the oldest and the newest report.'),
  })
  .meta({ id: 'PartnerHealth' });

/** Routes with which operators see how a partner does, and test its address. */
export function partnerHealthRoutes(deps: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route[] {
  const { sql } = deps;
  return [
    route({
      ...common,
      method: 'get',
      access: operatorsOnly('viewer'),
      path: '/v1/partners/{partnerId}/health',
      operationId: 'getPartnerHealth',
      summary: 'Get figures of a print partner’s latest print orders, requests and stock reports',
      params,
      response: healthSchema,
      handler: async ({ params: { partnerId } }) => {
        const { lastRequestAt, lastPostbackAt, ...figures } = await partnerHealth(
          sql,
          (await requirePartner(partnerId)).partnerId,
        );
        return {
          ...figures,
          lateShare: figures.due === 0 ? null : figures.late / figures.due,
          lastRequestAt: lastRequestAt?.toISOString() ?? null,
          lastPostbackAt: lastPostbackAt?.toISOString() ?? null,
        };
      },
    }),
    exportedList({
      csv: { name: 'partner-requests', rows: 'requests', pages: PAGES.byCursor },
      ...common,
      method: 'get',
      access: operatorsOnly('viewer'),
      path: '/v1/partners/{partnerId}/requests',
      operationId: 'listPartnerRequests',
      summary: 'List the requests to a print partner, newest first',
      description:
        'Print orders, order updates, cancellations and test pings, one entry for each attempt. Kept for 90 days.',
      params,
      query: pageQuery,
      response: z.object({ requests: z.array(partnerRequestSchema), nextCursor: z.string().nullable() }),
      handler: async ({ params: { partnerId }, query: { limit, cursor } }) => {
        const { partnerId: id } = await requirePartner(partnerId);
        const rows = await requestsToPartner(sql, id, { limit: limit + 1, before: cursor });
        const { page, nextCursor } = pageOf(rows, limit, (request) => request.id);
        return { requests: page.map(partnerRequestView), nextCursor };
      },
    }),
    postbacksRoute(deps, requirePartner),
    pingRoute(deps, requirePartner),
  ];
}

function postbacksRoute({ sql }: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route {
  return exportedList({
    csv: { name: 'partner-postbacks', rows: 'postbacks', pages: PAGES.byCursor },
    ...common,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/partners/{partnerId}/postbacks',
    operationId: 'listPartnerPostbacks',
    summary: 'List the postbacks of a print partner, newest first',
    params,
    query: pageQuery,
    response: z.object({
      postbacks: z.array(
        z
          .object({
            id: z.string(),
            orderId: z.string(),
            printOrderId: z.string(),
            status: z.enum(POSTBACK_STATUSES),
            message: z.string().nullable(),
            trackingCode: z.string().nullable(),
            receivedAt: z.iso.datetime(),
            handledAt: z.iso.datetime().nullable().describe('Null: the workflow has not handled it yet.'),
          })
          .meta({ id: 'PartnerPostback' }),
      ),
      nextCursor: z.string().nullable(),
    }),
    handler: async ({ params: { partnerId }, query: { limit, cursor } }) => {
      const { partnerId: id } = await requirePartner(partnerId);
      const rows = await postbacksOfPartner(sql, id, { limit: limit + 1, before: cursor });
      const { page, nextCursor } = pageOf(rows, limit, (postback) => postback.id);
      const postbacks = page.map(({ receivedAt, handledAt, ...postback }) => ({
        ...postback,
        receivedAt: receivedAt.toISOString(),
        handledAt: handledAt?.toISOString() ?? null,
      }));
      return { postbacks, nextCursor };
    },
  });
}

function pingRoute({ sql, client, secretBox }: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route {
  return route({
    ...common,
    method: 'post',
    access: operatorsOnly('operator'),
    path: '/v1/partners/{partnerId}/ping',
    operationId: 'pingPartner',
    summary: 'Send a signed test message to a print partner',
    description:
      'Posts `{"type": "ping"}` once to the address for print orders, signed like a print order, and returns the response. It has no ' +
      'print order id, so a partner that does not know pings responds with 4xx: its address and the connection work all the same. ' +
      '409: the partner has not subscribed.',
    audits: ['partner.ping'],
    params,
    response: partnerRequestSchema,
    handler: async ({ params: { partnerId }, audit }) => {
      const partner = await requirePartner(partnerId);
      const { orderSubmitUrl: url } = partner;
      if (url === null) throw new Refusal('CONFLICT', { message: 'The partner has not subscribed.' });
      const { attempt } = await postToPartner(
        { client, secretBox },
        {
          partner,
          url,
          delivers: false,
          messageId: `ping_${uuidv7()}`,
          body: JSON.stringify({ type: 'ping', sentAt: new Date().toISOString() }),
        },
      );
      const [logged] = await inTransaction(sql, async (tx) => {
        const { status, outcome } = attempt;
        await audit(tx, {
          action: 'partner.ping',
          objectId: partner.partnerId,
          before: null,
          after: { status, outcome },
        });
        await insertPartnerRequest(tx, {
          partnerId: partner.partnerId,
          kind: 'ping',
          printOrderId: null,
          attempt,
        });
        return await requestsToPartner(tx, partner.partnerId, { limit: 1 });
      });
      return partnerRequestView(logged!);
    },
  });
}
