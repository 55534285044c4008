import { z } from 'zod';
import { type Partner, partnerByAccount, subscribe } from '../../src/partners/partner-rows';
import { type SubscriptionBody, subscriptionSchema } from '../../src/partners/partner-schemas';
import { allowsPrivateAddresses } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { SecretBox } from '../../src/platform/sealing/secret-box';
import type { ApiDeps } from '../deps';
import { type CallContext, forOperators, type Route, route } from '../http/route';

const signingSecretSchema = z.object({ signingSecret: z.string().describe('`whsec_` and base64; shown once.') });

/**
 * Registers the addresses of a partner. Returns the secret that signs calls to them.
 * @throws Refusal `CONFLICT` when the account is not set up as a print partner
 */
async function registerAddresses(
  { sql: tx, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  partnerId: string,
  { version: printOrderVersion, ...addresses }: SubscriptionBody,
  { audit, log }: Pick<CallContext, 'audit' | 'log'>,
): Promise<z.output<typeof signingSecretSchema>> {
  const subscription = { ...addresses, printOrderVersion };
  const partner = await partnerByAccount(tx, partnerId);
  const subscribed = partner && (await subscribe({ sql: tx, secretBox }, partnerId, subscription));
  if (subscribed === undefined) {
    throw new Refusal('CONFLICT', { message: 'This account has not been set up as a print partner.' });
  }
  const before = partner!.orderSubmitUrl === null ? null : partner!;
  const after = { ...before, ...subscription };
  await audit(tx, { action: 'partner.subscribe', objectId: partnerId, before, after });
  log.info({ partner: partner!.uid }, 'partner subscribed');
  return subscribed;
}

export function subscribeRoute({ sql, config, secretBox }: ApiDeps): Route {
  return route('POST /v2/subscribe', {
    operationId: 'subscribePartner',
    refuses: ['CONFLICT'],
    summary: 'Register the addresses a print partner is called at',
    description:
      'Every call to these addresses is signed with the secret of the response (Standard Webhooks). A later ' +
      'subscription replaces all addresses and the secret. For 24 hours, calls are also signed with the old secret.',
    tag: 'Partner interaction',
    access: { credentials: 'key', roles: ['partner'] },
    errors: 'plain',
    audits: ['partner.subscribe'],
    body: subscriptionSchema(allowsPrivateAddresses(config)),
    response: z.object({ message: z.string(), ...signingSecretSchema.shape }),
    handler: async ({ account, body, log, audit }) => ({
      message: 'Subscribed.',
      ...(await inTransaction(sql, (tx) =>
        registerAddresses({ sql: tx, secretBox }, account.id, body, { audit, log }),
      )),
    }),
  });
}

/** Returns the route with which operators register the addresses of a partner, for a partner that does not subscribe itself. */
export function partnerSubscriptionRoute(
  { sql, config, secretBox }: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>,
  requirePartner: (partnerId: string) => Promise<Partner>,
): Route {
  return route('POST /v1/partners/{partnerId}/subscription', {
    ...forOperators('Operator: partners', 'admin'),
    audits: ['partner.subscribe'],
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
