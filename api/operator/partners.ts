import { z } from 'zod';
import { createAccount, issueKey, rotateKeys } from '../../src/accounts/store';
import {
  partnerChangeSchema,
  partnerSetupSchema,
  partnerViewSchema,
} from '../../src/partners/partner-schemas';
import { routingDecisions } from '../../src/partners/routing-decisions';
import { reportedLevels } from '../../src/partners/stock-levels';
import {
  changePartner,
  createPartner,
  listPartners,
  type Partner,
  partnerByAccount,
} from '../../src/partners/store';
import { Refusal } from '../../src/platform/errors';
import { isUuid } from '../../src/platform/ids';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { type RoutingDecisionView, routingDecisionSchema } from './routing-decision';

const TAG = 'Operator: partners';
const access = { credentials: 'key', roles: ['operator'] } as const;
const params = z.object({ partnerId: z.string() });

/** Longest time both the old and the new key of a partner work. */
const MAX_OVERLAP_SECONDS = 7 * 86_400;

function partnerView(partner: Partner): z.input<typeof partnerViewSchema> {
  const { orderSubmitUrl, subscribedAt } = partner;
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
            orderSubmitUrl,
            apparelOrderSubmitUrl: partner.apparelOrderSubmitUrl,
            orderCancelUrl: partner.orderCancelUrl,
            inventoryUrl: partner.inventoryUrl,
            version: partner.printOrderVersion,
            subscribedAt: subscribedAt.toISOString(),
          },
    createdAt: partner.createdAt.toISOString(),
  };
}

/** Operators set print partners up, look at them and change what they can do. */
export function operatorPartnerRoutes({ sql }: ApiDeps): Route[] {
  const found = async (partnerId: string): Promise<Partner> => {
    const partner = isUuid(partnerId) ? await partnerByAccount(sql, partnerId) : undefined;
    if (partner === undefined) throw new Refusal('NOT_FOUND');
    return partner;
  };

  return [
    route({
      method: 'get',
      path: '/v1/partners',
      operationId: 'listPartners',
      summary: 'List print partners',
      tag: TAG,
      access,
      errors: 'coded',
      response: z.object({ partners: z.array(partnerViewSchema) }),
      handler: async () => ({ partners: (await listPartners(sql)).map(partnerView) }),
    }),
    route({
      method: 'get',
      path: '/v1/partners/{partnerId}',
      operationId: 'getPartner',
      summary: 'Read a print partner',
      tag: TAG,
      access,
      errors: 'coded',
      params,
      response: partnerViewSchema,
      handler: async ({ params: { partnerId } }) => partnerView(await found(partnerId)),
    }),
    route({
      method: 'post',
      path: '/v1/partners',
      operationId: 'createPartner',
      summary: 'Set a print partner up',
      description:
        'Makes the account and its key, which this answer alone shows. Routing chooses the partner once it has subscribed.',
      tag: TAG,
      access,
      errors: 'coded',
      body: partnerSetupSchema,
      response: partnerViewSchema.extend({ apiKey: z.string() }),
      handler: async ({ body, log }) =>
        await inTransaction(sql, async (tx) => {
          const account = await createAccount(tx, { role: 'partner', name: body.uid });
          const partner = account && (await createPartner(tx, account.id, body));
          if (partner === undefined)
            throw new Refusal('CONFLICT', { message: 'A partner of this uid exists already.' });
          const { apiKey } = await issueKey(tx, partner.partnerId);
          log.info({ partner: partner.uid }, 'partner set up');
          return { ...partnerView(partner), apiKey };
        }),
    }),
    route({
      method: 'patch',
      path: '/v1/partners/{partnerId}',
      operationId: 'changePartner',
      summary: 'Change a print partner',
      description: 'Only given fields change. Orders that are routed already keep their partner.',
      tag: TAG,
      access,
      errors: 'coded',
      params,
      body: partnerChangeSchema,
      response: partnerViewSchema,
      handler: async ({ params: { partnerId }, body, log, account }) => {
        const changed = isUuid(partnerId) ? await changePartner(sql, partnerId, body) : undefined;
        if (changed === undefined) throw new Refusal('NOT_FOUND');
        log.info({ partner: changed.uid, by: account.name, fields: Object.keys(body) }, 'partner changed');
        return partnerView(changed);
      },
    }),
    route({
      method: 'post',
      path: '/v1/partners/{partnerId}/keys',
      operationId: 'rotatePartnerKey',
      summary: 'Give a print partner a new key',
      description: 'Its present keys go on working for the overlap; an overlap of 0 ends them at once.',
      tag: TAG,
      access,
      errors: 'coded',
      params,
      body: z.object({ overlapSeconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(86_400) }),
      response: z.object({ apiKey: z.string(), previousKeysExpireAt: z.iso.datetime() }),
      handler: async ({ params: { partnerId }, body, log, account }) => {
        const partner = await found(partnerId);
        const key = await inTransaction(sql, (tx) => rotateKeys(tx, partner.partnerId, body.overlapSeconds));
        log.info({ partner: partner.uid, by: account.name }, 'partner key rotated');
        return { apiKey: key.apiKey, previousKeysExpireAt: key.previousKeysExpireAt.toISOString() };
      },
    }),
    route({
      method: 'get',
      path: '/v1/partners/{partnerId}/stock',
      operationId: 'listPartnerStock',
      summary: 'List what a print partner last reported of its stock',
      tag: TAG,
      access,
      errors: 'coded',
      params,
      query: z.object({
        afterSku: z.string().max(200).default('').describe('The last SKU of the page before.'),
        limit: z.coerce.number().int().min(1).max(1_000).default(100),
      }),
      response: z.object({
        items: z.array(
          z.object({
            partnerSku: z.string(),
            status: z.enum(['in-stock', 'out-of-stock']),
            amount: z.int().nullable(),
            replenishmentDate: z.iso.date().nullable(),
            reportedAt: z.iso.datetime(),
          }),
        ),
      }),
      handler: async ({ params: { partnerId }, query }) => {
        const levels = await reportedLevels(sql, (await found(partnerId)).partnerId, query);
        return { items: levels.map((level) => ({ ...level, reportedAt: level.reportedAt.toISOString() })) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/operator/orders/{orderId}/routing',
      operationId: 'getOrderRouting',
      summary: 'Read how an order was routed',
      description: 'One decision for each time partners were chosen, with every partner that was looked at.',
      tag: TAG,
      access,
      errors: 'coded',
      params: z.object({ orderId: z.string() }),
      response: z.object({
        decisions: z.array(
          z.object({ step: z.string(), createdAt: z.iso.datetime(), decision: routingDecisionSchema }),
        ),
      }),
      handler: async ({ params: { orderId } }) => {
        const decisions = isUuid(orderId) ? await routingDecisions(sql, orderId) : undefined;
        if (decisions === undefined) throw new Refusal('NOT_FOUND');
        return {
          decisions: decisions.map(({ step, createdAt, decision }) => ({
            step,
            createdAt: createdAt.toISOString(),
            decision: decision as RoutingDecisionView,
          })),
        };
      },
    }),
  ];
}
