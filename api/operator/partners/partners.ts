import { z } from 'zod';
import type { Account } from '../../../src/accounts/account';
import { createAccount, issueKey, keyExpiry } from '../../../src/accounts/accounts-and-keys';
import { unknownModelUids } from '../../../src/catalog/product-models';
import type { PartnerCapabilities } from '../../../src/partners/domain/capabilities';
import { PRINT_ORDER_VERSIONS } from '../../../src/partners/domain/partner-protocol';
import { routingDecisionSchema } from '../../../src/partners/domain/routing-decision';
import {
  changePartner,
  createPartner,
  listPartners,
  type Partner,
  partnerByAccount,
} from '../../../src/partners/partner-rows';
import { partnerChangeSchema, partnerSetupSchema } from '../../../src/partners/partner-schemas';
import { routingDecisions } from '../../../src/partners/routing-rows';
import { reportedLevelSchema, reportedLevels } from '../../../src/partners/stock-levels';
import { timestamp } from '../../../src/platform/domain/fields';
import { Refusal } from '../../../src/platform/errors';
import { requireRates } from '../../../src/platform/exchange-rates';
import { withoutTokens } from '../../../src/platform/http/outbound-addresses';
import { foundById } from '../../../src/platform/ids';
import { inTransaction, type Queryable } from '../../../src/platform/postgres';
import { type KeyOwners, keyRoutes } from '../../accounts/key-routes';
import type { ApiDeps } from '../../deps';
import { exportedList, formatQuery, PAGES } from '../../http/exported-list';
import { fieldPath } from '../../http/field-errors';
import { forOperators, type Route, route, type Sent } from '../../http/route';
import { partnerSubscriptionRoute } from '../../partner/subscribe';
import { conformanceRoute } from './partner-conformance';
import { partnerHealthRoutes } from './partner-health';

type Deps = Pick<ApiDeps, 'sql' | 'keyUses' | 'client' | 'secretBox' | 'partnerCalls' | 'config' | 'publicUrl'>;

const params = z.object({ partnerId: z.string() });

/** Returns a partner. @throws Refusal `NOT_FOUND` when there is none with this id */
async function requirePartner(sql: Queryable, partnerId: string): Promise<Partner> {
  return await foundById(partnerId, () => partnerByAccount(sql, partnerId));
}

const PARTNERS: KeyOwners = {
  noun: 'Partner',
  objectType: 'partner',
  tag: 'Operator: partners',
  path: '/v1/partners/{partnerId}',
  maxOverlapSeconds: 7 * 86_400,
  find: async (sql, id) => (await requirePartner(sql, id)).partnerId,
};

const partnerViewSchema = z.object({
  id: z.string(),
  ...partnerSetupSchema.shape,
  country: z.string(),
  stateProvince: z.string().nullable(),
  subscription: z
    .object({
      orderSubmitUrl: z.string(),
      apparelOrderSubmitUrl: z.string().nullable(),
      orderCancelUrl: z.string().nullable(),
      orderUpdateUrl: z.string().nullable(),
      inventoryUrl: z.string().nullable(),
      version: z.enum(PRINT_ORDER_VERSIONS).nullable(),
      documentTypes: z.enum(['all']).nullable(),
      subscribedAt: timestamp,
    })
    .nullable()
    .describe('Null until the partner has subscribed.'),
  createdAt: timestamp,
});

/** Returns a partner as an operator sees it. Viewers do not see the tokens that addresses can contain. */
function partnerView(partner: Partner, { operatorRole }: Account): Sent<typeof partnerViewSchema> {
  const { orderSubmitUrl, subscribedAt } = partner;
  const shown = <Url extends string | null>(url: Url) =>
    url === null || operatorRole !== 'viewer' ? url : withoutTokens(url);
  return {
    id: partner.partnerId,
    uid: partner.uid,
    name: partner.name,
    country: partner.country,
    stateProvince: partner.stateProvince,
    currency: partner.currency,
    enabled: partner.enabled,
    printHouseUid: partner.printHouseUid,
    senderAddress: partner.senderAddress,
    capabilities: partner.capabilities,
    subscription:
      orderSubmitUrl === null || subscribedAt === null
        ? null
        : {
            orderSubmitUrl: shown(orderSubmitUrl),
            apparelOrderSubmitUrl: shown(partner.apparelOrderSubmitUrl),
            orderCancelUrl: shown(partner.orderCancelUrl),
            orderUpdateUrl: shown(partner.orderUpdateUrl),
            inventoryUrl: shown(partner.inventoryUrl),
            version: partner.printOrderVersion,
            documentTypes: partner.documentTypes ?? null,
            subscribedAt,
          },
    createdAt: partner.createdAt,
  };
}

/** @throws Refusal `VALIDATION_ERROR` for models that the catalog does not have: routing would never ask for them */
async function requireModels(sql: Queryable, models: PartnerCapabilities['models'] = {}): Promise<void> {
  const errors = (await unknownModelUids(sql, Object.keys(models))).map((uid) => ({
    code: 'NO_SUCH_CHOICE_ERROR' as const,
    message: 'No product model has this modelUid.',
    reference: fieldPath(['capabilities', 'models', uid]),
  }));
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
}

export function operatorPartnerRoutes(deps: Deps): Route[] {
  const { sql } = deps;
  const required = (id: string) => requirePartner(deps.sql, id);
  return [
    exportedList('GET /v1/partners', {
      csv: { name: 'partners', rows: 'partners', pages: PAGES.single },
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'listPartners',
      summary: 'List print partners',
      query: z.object({ format: formatQuery }),
      response: z.object({ partners: z.array(partnerViewSchema) }),
      handler: async ({ account }) => ({
        partners: (await listPartners(sql)).map((partner) => partnerView(partner, account)),
      }),
    }),
    route('GET /v1/partners/{partnerId}', {
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'getPartner',
      summary: 'Get a print partner',
      params,
      response: partnerViewSchema,
      handler: async ({ account, params: { partnerId } }) => partnerView(await requirePartner(sql, partnerId), account),
    }),
    route('POST /v1/partners', {
      ...forOperators('Operator: partners', 'admin'),
      audits: ['partner.create'],
      operationId: 'createPartner',
      refuses: ['CONFLICT'],
      summary: 'Set up a print partner',
      description:
        'Creates the account and its key. The key is shown only in this response. Routing can choose the partner after it ' +
        'has subscribed, or an operator has registered its addresses.',
      idempotent: true,
      returnsSecret: true,
      body: partnerSetupSchema.extend({ keyExpiresAt: keyExpiry }),
      response: partnerViewSchema.extend({ apiKey: z.string() }),
      handler: async ({ body: { keyExpiresAt: expiresAt = null, ...body }, account, log, idempotency, audit }) => {
        await requireRates(sql, [{ currency: body.currency, reference: 'currency' }]);
        await requireModels(sql, body.capabilities.models);
        return await inTransaction(sql, async (tx) => {
          const created = await createAccount(tx, { role: 'partner', name: body.uid });
          const partner = created && (await createPartner(tx, created.id, body));
          if (partner === undefined) {
            throw new Refusal('CONFLICT', { message: 'A partner with this uid exists already.' });
          }
          const { apiKey, keyId, hint } = await issueKey(tx, partner.partnerId, { expiresAt });
          const view = partnerView(partner, account);
          const response = { ...view, apiKey };
          await idempotency.complete(tx, response);
          const after = { ...view, keyId, hint, keyExpiresAt: expiresAt };
          await audit(tx, { action: 'partner.create', objectId: partner.partnerId, before: null, after });
          log.info({ partner: partner.uid, by: account.name }, 'partner created');
          return response;
        });
      },
    }),
    route('PATCH /v1/partners/{partnerId}', {
      ...forOperators('Operator: partners', 'admin'),
      audits: ['partner.change'],
      operationId: 'changePartner',
      summary: 'Change a print partner',
      description: 'Only the given fields change. Orders that are already routed keep their partner.',
      params,
      body: partnerChangeSchema,
      response: partnerViewSchema,
      handler: ({ params: { partnerId }, body, log, account, audit }) =>
        inTransaction(sql, async (tx) => {
          const before = partnerView(await requirePartner(tx, partnerId), account);
          await requireModels(tx, body.capabilities?.models);
          const changed = (await changePartner(tx, partnerId, body))!;
          const after = partnerView(changed, account);
          await audit(tx, { action: 'partner.change', objectId: partnerId, before, after });
          log.info({ partner: changed.uid, by: account.name, fields: Object.keys(body) }, 'partner changed');
          return after;
        }),
    }),
    partnerSubscriptionRoute(deps, required),
    ...keyRoutes(deps, PARTNERS),
    route('GET /v1/partners/{partnerId}/stock', {
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'listPartnerStock',
      summary: 'List the last reported stock levels of a print partner',
      params,
      query: z.object({
        afterSku: z.string().max(200).default('').describe('The last SKU of the previous page.'),
        limit: z.coerce.number().int().min(1).max(1_000).default(100),
      }),
      response: z.object({ items: z.array(reportedLevelSchema) }),
      handler: async ({ params: { partnerId }, query }) => ({
        items: await reportedLevels(sql, (await requirePartner(sql, partnerId)).partnerId, query),
      }),
    }),
    route('GET /v1/operator/orders/{orderId}/routing', {
      ...forOperators('Operator: partners', 'viewer'),
      operationId: 'getOrderRouting',
      summary: 'Get the routing decisions of an order',
      description: 'One decision for each time partners were chosen. It lists every partner that was considered.',
      params: z.object({ orderId: z.string() }),
      response: z.object({
        decisions: z.array(z.object({ step: z.string(), createdAt: timestamp, decision: routingDecisionSchema })),
      }),
      handler: async ({ params: { orderId } }) => ({
        decisions: await foundById(orderId, () => routingDecisions(sql, orderId)),
      }),
    }),
    ...partnerHealthRoutes(deps, required),
    conformanceRoute(deps),
  ];
}
