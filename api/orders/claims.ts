import { z } from 'zod';
import { claimSchema, claimViewSchema, decisionSchema } from '../../src/orders/domain/claim';
import { decideClaim, makeClaim } from '../../src/orders/production/claims';
import { claimsOf, claimView } from '../../src/orders/reading/claims';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { changedOrderId, forOrder, orderAddress, READERS, requesterOf, visibleRows } from './visible-order';

const claimId = z.uuid();

/** Routes for units that arrived damaged, wrong or not at all. */
export function claimRoutes(deps: Pick<ApiDeps, 'sql' | 'objects' | 'runs' | 'runSettings' | 'wake'>): Route[] {
  const { sql, wake } = deps;
  return [
    route('POST /v1/orders/{orderId}/claims', {
      operationId: 'makeClaim',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
      summary: 'Claim units that are lost, damaged or wrong',
      description:
        'An operator decides whether the units are refunded or made again. The notification `claim_status_updated` has each status. ' +
        'Operators claim for any client. 409: fewer units have shipped, or are in no other claim.',
      tag: 'Orders',
      access: { ...READERS.access, operatorRole: 'operator' },
      audits: ['order.make_claim'],
      idempotent: true,
      params: orderAddress,
      body: claimSchema,
      response: claimViewSchema,
      handler: async ({ account, params, body, audit, idempotency }) => {
        const orderId = await changedOrderId(sql, account, params.orderId);
        const claim = await makeClaim(sql, orderId, body, requesterOf(account), async (tx, made) => {
          const after = { claimId: made.id, reason: made.reason };
          await audit(tx, { action: 'order.make_claim', objectId: orderId, before: null, after });
          await idempotency.complete(tx, claimView(made));
        });
        wake('signal_workflow');
        return claimView(claim);
      },
    }),
    route('GET /v1/orders/{orderId}/claims', {
      ...READERS,
      operationId: 'listClaims',
      summary: 'List the claims of an order, oldest first',
      params: orderAddress,
      response: z.object({ claims: z.array(claimViewSchema) }),
      handler: async ({ account, params }) => {
        const { id, archived } = await visibleRows(deps, account, params.orderId);
        return { claims: (await claimsOf(sql, id, archived)).map(claimView) };
      },
    }),
    route('GET /v1/orders/{orderId}/claims/{claimId}', {
      ...READERS,
      operationId: 'getClaim',
      summary: 'Retrieve a claim',
      params: orderAddress.extend({ claimId }),
      response: claimViewSchema,
      handler: async ({ account, params }) => {
        const { id, archived } = await visibleRows(deps, account, params.orderId);
        const claim = (await claimsOf(sql, id, archived)).find((each) => each.id === params.claimId);
        if (claim === undefined) throw new Refusal('NOT_FOUND', { message: 'The order has no such claim.' });
        return claimView(claim);
      },
    }),
    route('POST /v1/operator/orders/{orderId}/claims/{claimId}/decision', {
      ...forOrder('operator'),
      operationId: 'decideClaim',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
      summary: 'Decide on a claim',
      description:
        'Refunds the units, has them made again, or refuses the claim. An open order gets a new print order for each item, at ' +
        'the same or another partner. An order that has ended is replaced by a new order, which names it in `reprintOf`. 409: the ' +
        'claim is decided, or no partner can make the units. 503: no worker is available.',
      audits: ['order.decide_claim'],
      idempotent: true,
      params: forOrder('operator').params.extend({ claimId }),
      body: decisionSchema,
      response: claimViewSchema,
      handler: async ({ account, params, body, requestId, audit, intend, idempotency }) => {
        const orderId = await changedOrderId(sql, account, params.orderId);
        const by = { by: account.name, reason: body.reason, requestId };
        await intend({ action: 'order.decide_claim', objectId: orderId });
        const claim = await decideClaim(deps, orderId, params.claimId, body, by, async (tx, before, after) => {
          const { status, liable } = after;
          await audit(tx, {
            action: 'order.decide_claim',
            objectId: orderId,
            before: { claimId: before.id, status: before.status },
            after: { claimId: before.id, status, liable },
          });
          await idempotency.complete(tx, claimView(after));
        });
        wake('signal_workflow');
        wake('start_workflow');
        return claimView(claim);
      },
    }),
  ];
}
