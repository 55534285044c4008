import { z } from 'zod';
import { postToPartner } from '../../../src/partners/calls';
import { partnerHealth, partnerHealthSchema } from '../../../src/partners/health';
import type { Partner } from '../../../src/partners/partner-rows';
import { partnerPostbackSchema, postbacksOfPartner } from '../../../src/partners/print-orders';
import { insertPartnerRequest, partnerRequestSchema, requestsToPartner } from '../../../src/partners/requests';
import { Refusal } from '../../../src/platform/errors';
import { uuidv7 } from '../../../src/platform/ids';
import { inTransaction } from '../../../src/platform/postgres';
import { ShareTaken } from '../../../src/platform/temporal/slot-shares';
import { unavailable } from '../../../src/platform/unavailable';
import type { ApiDeps } from '../../deps';
import { exportedList, formatQuery, PAGES } from '../../http/exported-list';
import { limitField, pageById } from '../../http/list-query';
import { forOperators, type Route, route } from '../../http/route';

type Deps = Pick<ApiDeps, 'sql' | 'client' | 'secretBox' | 'partnerCalls'>;

const params = z.object({ partnerId: z.string() });
const pageQuery = z.object({
  limit: limitField,
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .describe('`nextCursor` of the previous page.'),
  format: formatQuery,
});

export function partnerHealthRoutes(deps: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route[] {
  const { sql } = deps;
  return [
    route('GET /v1/partners/{partnerId}/health', {
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'getPartnerHealth',
      summary: 'Get figures of a print partner’s latest print orders, requests and stock reports',
      params,
      response: partnerHealthSchema,
      handler: async ({ params: { partnerId } }) => {
        return await partnerHealth(sql, (await requirePartner(partnerId)).partnerId);
      },
    }),
    exportedList('GET /v1/partners/{partnerId}/requests', {
      csv: { name: 'partner-requests', rows: 'requests', pages: PAGES.byCursor },
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'listPartnerRequests',
      onStandby: true,
      summary: 'List the requests to a print partner, newest first',
      description:
        'Print orders, order updates, cancellations and test pings, one entry for each attempt. Kept for 90 days.',
      params,
      query: pageQuery,
      response: z.object({ requests: z.array(partnerRequestSchema), nextCursor: z.string().nullable() }),
      handler: async ({ params: { partnerId }, query }) => {
        const { partnerId: id } = await requirePartner(partnerId);
        const { page: requests, nextCursor } = await pageById(query, (page) => requestsToPartner(sql, id, page));
        return { requests, nextCursor };
      },
    }),
    postbacksRoute(deps, requirePartner),
    pingRoute(deps, requirePartner),
  ];
}

function postbacksRoute({ sql }: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route {
  return exportedList('GET /v1/partners/{partnerId}/postbacks', {
    csv: { name: 'partner-postbacks', rows: 'postbacks', pages: PAGES.byCursor },
    ...forOperators('Operator: partners', 'viewer'),
    operationId: 'listPartnerPostbacks',
    onStandby: true,
    summary: 'List the postbacks of a print partner, newest first',
    params,
    query: pageQuery,
    response: z.object({
      postbacks: z.array(partnerPostbackSchema),
      nextCursor: z.string().nullable(),
    }),
    handler: async ({ params: { partnerId }, query }) => {
      const { partnerId: id } = await requirePartner(partnerId);
      const { page: postbacks, nextCursor } = await pageById(query, (page) => postbacksOfPartner(sql, id, page));
      return { postbacks, nextCursor };
    },
  });
}

function pingRoute({ sql, ...deps }: Deps, requirePartner: (partnerId: string) => Promise<Partner>): Route {
  return route('POST /v1/partners/{partnerId}/ping', {
    ...forOperators('Operator: partners', 'operator'),
    operationId: 'pingPartner',
    refuses: ['CONFLICT'],
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
      const { attempt } = await postToPartner(deps, {
        partner,
        url,
        delivers: false,
        messageId: `ping_${uuidv7()}`,
        body: JSON.stringify({ type: 'ping', sentAt: new Date().toISOString() }),
      }).catch((error: unknown) => {
        throw error instanceof ShareTaken ? unavailable(`${error.message}.`) : error;
      });
      const [logged] = await inTransaction(sql, async (tx) => {
        const { status, outcome } = attempt;
        const after = { status, outcome };
        await audit(tx, { action: 'partner.ping', objectId: partner.partnerId, before: null, after });
        const ping = { kind: 'ping', printOrderId: null, attempt } as const;
        await insertPartnerRequest(tx, { partnerId: partner.partnerId, ...ping });
        return await requestsToPartner(tx, partner.partnerId, { limit: 1 });
      });
      return logged!;
    },
  });
}
