import { z } from 'zod';
import type { Partner } from '../../../src/partners/partner-rows';
import { subscriptionSchema } from '../../../src/partners/partner-schemas';
import { allowsPrivateAddresses } from '../../../src/platform/config';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { registerAddresses, signingSecretSchema } from '../../partner/subscribe';

/** Returns the route with which operators register the addresses of a partner, for a partner that does not subscribe itself. */
export function partnerSubscriptionRoute(
  { sql, config, secretBox }: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>,
  requirePartner: (partnerId: string) => Promise<Partner>,
): Route {
  return route({
    tag: 'Operator: partners',
    method: 'post',
    access: operatorsOnly('admin'),
    audits: ['partner.subscribe'],
    path: '/v1/partners/{partnerId}/subscription',
    operationId: 'createPartnerSubscription',
    summary: 'Register the addresses of a print partner',
    description:
      'Does what the partner does with `POST /v2/subscribe`: it replaces all addresses and the signing secret. For 24 hours, ' +
      'calls are also signed with the old secret. The secret of the response is for the partner, which verifies calls with it.',
    idempotent: true,
    returnsSecret: true,
    params: z.object({ partnerId: z.string() }),
    body: subscriptionSchema(allowsPrivateAddresses(config)),
    response: signingSecretSchema,
    handler: async ({ params, body, idempotency, audit, log }) => {
      const { partnerId } = await requirePartner(params.partnerId);
      return await inTransaction(sql, async (tx) => {
        const subscribed = await registerAddresses({ sql: tx, secretBox }, partnerId, body, { audit, log });
        await idempotency.complete(tx, subscribed);
        return subscribed;
      });
    },
  });
}
