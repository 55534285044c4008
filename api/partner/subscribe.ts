import { z } from 'zod';
import { partnerByAccount, subscribe } from '../../src/partners/partner-rows';
import { subscriptionSchema } from '../../src/partners/partner-schemas';
import { allowsPrivateAddresses } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `POST /v2/subscribe`: a partner registers the addresses that it is called at. */
export function subscribeRoute({ sql, config, secretBox }: ApiDeps): Route {
  return route({
    method: 'post',
    path: '/v2/subscribe',
    operationId: 'subscribePartner',
    summary: 'Register the addresses a print partner is called at',
    description:
      'Every call to these addresses is signed with the secret of the response (Standard Webhooks). A later ' +
      'subscription replaces all addresses and the secret. For 24 hours, calls are also signed with the old secret.',
    tag: 'Partner interaction',
    access: { credentials: 'key', roles: ['partner'] },
    errors: 'plain',
    audits: ['partner.subscribe'],
    body: subscriptionSchema(allowsPrivateAddresses(config)),
    response: z.object({
      message: z.string(),
      signingSecret: z.string().describe('`whsec_` and base64; shown once.'),
    }),
    handler: ({ account, body, log, audit }) =>
      inTransaction(sql, async (tx) => {
        const { version: printOrderVersion, ...addresses } = body;
        const subscription = { ...addresses, printOrderVersion };
        const partner = await partnerByAccount(tx, account.id);
        const subscribed = partner && (await subscribe({ sql: tx, secretBox }, account.id, subscription));
        if (subscribed === undefined) {
          throw new Refusal('CONFLICT', { message: 'This account has not been set up as a print partner.' });
        }
        const isFirst = partner!.orderSubmitUrl === null;
        const before = isFirst ? null : partner!;
        await audit(tx, {
          action: 'partner.subscribe',
          objectId: account.id,
          before,
          after: { ...before, ...subscription },
        });
        log.info({ partner: account.name }, 'partner subscribed');
        return { message: 'Subscribed.', signingSecret: subscribed.signingSecret };
      }),
  });
}
