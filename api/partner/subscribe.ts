import { z } from 'zod';
import { PRINT_ORDER_VERSIONS } from '../../src/partners/domain/delivery-target';
import { type Partner, partnerByAccount, type Subscription, subscribe } from '../../src/partners/partner-rows';
import { allowsPrivateAddresses } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { outboundUrl } from '../../src/platform/http/outbound-url';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** Returns the stored subscription of a partner, or null before its first one. */
function subscriptionOf(partner: Partner): Subscription | null {
  const { orderSubmitUrl, apparelOrderSubmitUrl, orderCancelUrl, orderUpdateUrl, inventoryUrl } = partner;
  if (orderSubmitUrl === null) return null;
  return {
    orderSubmitUrl,
    apparelOrderSubmitUrl,
    orderCancelUrl,
    orderUpdateUrl,
    inventoryUrl,
    printOrderVersion: partner.printOrderVersion,
    documentTypes: partner.documentTypes ?? null,
  };
}

/** `POST /v2/subscribe`: a partner registers the addresses that it is called at. */
export function subscribeRoutes({ sql, config, secretBox }: ApiDeps): Route[] {
  const address = outboundUrl(allowsPrivateAddresses(config));
  return [
    route({
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
      body: z.object({
        orderSubmitUrl: address,
        apparelOrderSubmitUrl: address.nullish().describe('Default: orderSubmitUrl.'),
        orderCancelUrl: address
          .nullish()
          .describe('Without it, cancellations are agreed with the partner outside the API.'),
        orderUpdateUrl: address
          .nullish()
          .describe(
            'Receives the whole print order again, with a revision, after its address or method has changed. Without it, an ' +
              'operator tells the partner.',
          ),
        inventoryUrl: address.nullish().describe('Polled for stock levels every 10 minutes.'),
        version: z
          .enum(PRINT_ORDER_VERSIONS)
          .nullish()
          .describe('Version of print orders; default 1.1, and 1.0 for apparel.'),
        documentTypes: z
          .enum(['all'])
          .nullish()
          .describe(
            'all: dispatch responses also have the types packing_slip and customs_form. Default: label and invoice only.',
          ),
      }),
      response: z.object({
        message: z.string(),
        signingSecret: z.string().describe('`whsec_` and base64; shown once.'),
      }),
      handler: ({ account, body, log, audit }) =>
        inTransaction(sql, async (tx) => {
          const subscription: Subscription = {
            orderSubmitUrl: body.orderSubmitUrl,
            apparelOrderSubmitUrl: body.apparelOrderSubmitUrl ?? null,
            orderCancelUrl: body.orderCancelUrl ?? null,
            orderUpdateUrl: body.orderUpdateUrl ?? null,
            inventoryUrl: body.inventoryUrl ?? null,
            printOrderVersion: body.version ?? null,
            documentTypes: body.documentTypes ?? null,
          };
          const partner = await partnerByAccount(tx, account.id);
          const subscribed = partner && (await subscribe({ sql: tx, secretBox }, account.id, subscription));
          if (subscribed === undefined) {
            throw new Refusal('CONFLICT', {
              message: 'This account has not been set up as a print partner.',
            });
          }
          const before = subscriptionOf(partner!);
          await audit(tx, { action: 'partner.subscribe', objectId: account.id, before, after: subscription });
          log.info({ partner: account.name }, 'partner subscribed');
          return { message: 'Subscribed.', signingSecret: subscribed.signingSecret };
        }),
    }),
  ];
}
