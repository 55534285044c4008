import { z } from 'zod';
import { uuidv7 } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { operatorsOnly, type Route, route } from '../http/route';
import { sandboxControl } from './control';
import {
  behaviourBody,
  carrierEventBody,
  dispatchBody,
  postbackBody,
  relayedResponse,
  sandboxOverview,
} from './sandbox-schemas';

const common = { tag: 'Sandbox', errors: 'coded' } as const;
const read = { ...common, access: operatorsOnly('viewer') } as const;
const write = { ...common, access: operatorsOnly('operator') } as const;
const partnerPath = z.object({ partnerName: z.string().max(100) });
const carrierPath = z.object({ carrierUid: z.string().max(100) });
const clearedBehaviour = z.object({ message: z.string() });

const partnerUrl = ({ partnerName }: { readonly partnerName: string }, command: string) =>
  `/partners/${encodeURIComponent(partnerName)}/${command}`;

/**
 * Routes with which operators control the sandbox (docs/sandbox.md). They respond with 404 where no sandbox runs with the API, which is
 * everywhere but on laptops and in demos.
 */
export function sandboxRoutes(deps: Pick<ApiDeps, 'client' | 'sandboxUrl'>): Route[] {
  const control = sandboxControl(deps);
  const relayed = async (path: string, body: object) =>
    (await control('POST', path, body)) as z.input<typeof relayedResponse>;
  return [
    route({
      ...read,
      method: 'get',
      path: '/v1/operator/sandbox',
      operationId: 'getSandbox',
      summary: 'Retrieve what the sandbox can do, its latest print orders and its parcels',
      response: z
        .object({ sandbox: sandboxOverview.nullable().describe('Null: no sandbox runs with this API.') })
        .meta({ id: 'Sandbox' }),
      handler: async () => ({
        sandbox:
          deps.sandboxUrl === undefined
            ? null
            : ((await control('GET', '/overview')) as z.input<typeof sandboxOverview>),
      }),
    }),
    route({
      ...write,
      method: 'post',
      path: '/v1/operator/sandbox/partners/{partnerName}/behaviour',
      operationId: 'setSandboxBehaviour',
      summary: 'Select the behaviour of a sandbox partner for the next print orders',
      params: partnerPath,
      body: behaviourBody,
      response: z.object({ id: z.string() }),
      handler: async ({ params, body }) => {
        const { id } = (await control('POST', partnerUrl(params, 'behaviour'), body)) as { id: string };
        return { id };
      },
    }),
    route({
      ...write,
      method: 'delete',
      path: '/v1/operator/sandbox/partners/{partnerName}/behaviour',
      operationId: 'clearSandboxBehaviours',
      summary: 'Remove every rule of a sandbox partner',
      description: 'The partner is well-behaved again.',
      params: partnerPath,
      response: clearedBehaviour,
      handler: async ({ params }) =>
        (await control('DELETE', partnerUrl(params, 'behaviour'))) as z.input<typeof clearedBehaviour>,
    }),
    route({
      ...write,
      method: 'post',
      path: '/v1/operator/sandbox/partners/{partnerName}/postback',
      operationId: 'sendSandboxPostback',
      summary: 'Send a postback as a sandbox partner',
      params: partnerPath,
      body: postbackBody,
      response: relayedResponse,
      handler: ({ params, body: { printOrderId, ...postback } }) =>
        relayed(partnerUrl(params, 'postback'), {
          timestamp: new Date().toISOString(),
          orderId: printOrderId,
          ...postback,
        }),
    }),
    route({
      ...write,
      method: 'post',
      path: '/v1/operator/sandbox/partners/{partnerName}/dispatch',
      operationId: 'requestSandboxDispatch',
      summary: 'Request the shipping documents of a print order as a sandbox partner',
      params: partnerPath,
      body: dispatchBody,
      response: relayedResponse,
      handler: ({ params, body: { printOrderId } }) =>
        relayed(partnerUrl(params, 'dispatch'), { orderId: printOrderId }),
    }),
    route({
      ...write,
      method: 'post',
      path: '/v1/operator/sandbox/carriers/{carrierUid}/events',
      operationId: 'sendSandboxCarrierEvent',
      summary: 'Report a scan of a parcel as a sandbox carrier',
      params: carrierPath,
      body: carrierEventBody,
      response: relayedResponse,
      handler: ({ params: { carrierUid }, body: { trackingNumber, statusUid, message = statusUid } }) =>
        relayed(`/carriers/${encodeURIComponent(carrierUid)}/events`, {
          events: [{ id: uuidv7(), trackingNumber, statusUid, message, createdAt: new Date().toISOString() }],
        }),
    }),
  ];
}
