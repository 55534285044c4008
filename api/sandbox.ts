import { z } from 'zod';
import { TRACKING_STATUSES } from '../src/consignments/domain/tracking-status';
import { POSTBACK_STATUSES } from '../src/partners/domain/partner-protocol';
import { Refusal } from '../src/platform/errors';
import { uuidv7 } from '../src/platform/ids';
import type { ApiDeps } from './deps';
import { forOperators, pathParameters, type Route, type RouteDefinition, route, type Sent } from './http/route';

const file = z.object({ name: z.string(), url: z.string(), summary: z.string().nullable() });

const sandboxOverview = z.object({
  mode: z.enum(['auto', 'manual']).describe('`manual`: partners send no postbacks before an operator does.'),
  behaviours: z.array(
    z.object({
      name: z.string(),
      summary: z.string(),
      amount: z.object({ meaning: z.string(), default: z.number() }).nullable(),
    }),
  ),
  partners: z.array(
    z.object({
      name: z.string(),
      subscribed: z.boolean(),
      rules: z
        .array(
          z.object({
            id: z.string(),
            behaviour: z.string(),
            amount: z.number(),
            contains: z.string().nullable(),
            left: z.int().nullable().describe('Print orders that it still applies to. Null: no limit.'),
          }),
        )
        .describe('The newest matching rule selects the behaviour for a print order.'),
      printOrders: z.array(
        z.object({
          printOrderId: z.string(),
          behaviour: z.string(),
          state: z.string(),
          reason: z.string().nullable(),
          postbacks: z.array(z.object({ status: z.string(), responseStatus: z.int() })),
          trackingCodes: z.array(z.string()),
        }),
      ),
    }),
  ),
  carriers: z.array(
    z.object({
      uid: z.string(),
      labelRefusal: z
        .string()
        .nullable()
        .describe('Message with which the carrier refuses to sell labels. Null: it sells them.'),
    }),
  ),
  parcels: z.array(
    z.object({
      trackingNumber: z.string(),
      carrierUid: z.string().nullable(),
      journey: z.string(),
      events: z.array(z.object({ statusUid: z.string(), responseStatus: z.int() })),
    }),
  ),
  files: z.array(
    file.extend({
      faultStatus: z.int().nullable().describe('HTTP status in place of the file. Null: the file is sent.'),
    }),
  ),
  faultyFiles: z.array(file),
});

const behaviourBody = z
  .object({
    behaviour: z.string().min(1).max(100),
    amount: z.int().min(0).optional(),
    contains: z.string().min(1).max(200).optional().describe('Text in the body of the print order.'),
    times: z.int().min(1).optional().describe('Print orders that the rule applies to. Default: no limit.'),
  })
  .meta({ id: 'SandboxBehaviour', examples: [{ behaviour: 'refuses', times: 1 }] });

const printOrderId = z.string().regex(/^\d{1,18}$/);

const postbackBody = z
  .object({
    printOrderId,
    status: z.enum(POSTBACK_STATUSES),
    message: z.string().min(1).max(500).optional(),
  })
  .meta({ id: 'SandboxPostback' });

const dispatchBody = z.object({ printOrderId }).meta({ id: 'SandboxDispatch' });

const carrierEventBody = z
  .object({
    trackingNumber: z.string().min(1).max(100),
    statusUid: z.enum(TRACKING_STATUSES),
    message: z.string().min(1).max(500).optional(),
  })
  .meta({ id: 'SandboxCarrierEvent' });

const fileFaultBody = z
  .object({ status: z.int().min(400).max(599).describe('HTTP status in place of the file.') })
  .meta({ id: 'SandboxFileFault' });

const labelFaultBody = z
  .object({ message: z.string().min(1).max(500).describe('Message of the refusal.') })
  .meta({ id: 'SandboxLabelFault', examples: [{ message: 'The postcode does not exist' }] });

/** The response of this API to the call that the sandbox made. */
const relayedResponse = z
  .object({ status: z.int(), body: z.unknown() })
  .meta({ id: 'SandboxResponse', description: 'What Pressline responded to the sandbox.' });

const done = z.object({ message: z.string() });

/** Timeout of a control call: the sandbox may wait for a response of this API. */
const TIMEOUT_MS = 25_000;
const LIMIT_BYTES = 4 * 1024 * 1024;

type Deps = Pick<ApiDeps, 'client' | 'sandboxUrl'>;
type Method = 'GET' | 'POST' | 'DELETE';

/**
 * Returns a function that calls the control API of the sandbox (docs/sandbox.md).
 * @throws Refusal `NOT_FOUND` when no sandbox runs with this API or the sandbox does not know the object, `PUBLIC_API_ERROR` when it
 *   refuses the call, `UNAVAILABLE` when it does not respond
 */
function sandboxControl({ client, sandboxUrl }: Deps) {
  return async (method: Method, path: string, body?: unknown): Promise<unknown> => {
    if (sandboxUrl === undefined) throw new Refusal('NOT_FOUND', { message: 'No sandbox runs with this API.' });
    const response = await client.exchange({
      url: `${sandboxUrl}/control${path}`,
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      limitBytes: LIMIT_BYTES,
    });
    if (!response.ok)
      throw new Refusal('UNAVAILABLE', { message: `The sandbox does not respond. ${response.message}` });
    const received: unknown = JSON.parse(response.text);
    if (response.status < 400) return received;
    const message = String((received as { error?: unknown }).error);
    throw new Refusal(response.status === 404 ? 'NOT_FOUND' : 'PUBLIC_API_ERROR', { message });
  };
}

/** A command of the sandbox's control API. */
interface Command<B extends z.ZodType, R extends z.ZodType>
  extends Pick<RouteDefinition<z.ZodType, z.ZodType, B, R>, 'operationId' | 'summary' | 'description' | 'body'> {
  readonly response: R;
  /** Returns the body for the sandbox. Default: the body of the request. */
  readonly sent?: (body: z.output<B>) => object;
}

/**
 * Returns a function that declares the route of a command.
 * @param path of the control API, with one parameter
 */
const commandRoutes =
  (call: ReturnType<typeof sandboxControl>) =>
  <B extends z.ZodType, R extends z.ZodType>(
    method: Method,
    path: string,
    { sent = (body) => body as object, ...command }: Command<B, R>,
  ): Route => {
    const [parameter] = pathParameters(path);
    return route(`${method} /v1/operator/sandbox/${path}`, {
      ...forOperators('Sandbox', 'operator'),
      ...command,
      refuses: ['PUBLIC_API_ERROR'],
      params: z.object({ [parameter!]: z.string().max(100) }),
      handler: async ({ params, body }) => {
        const name = encodeURIComponent(params[parameter!]!);
        const received = await call(method, `/${path.replace(/\{\w+\}/, name)}`, body && sent(body as z.output<B>));
        return command.response.parse(received) as Sent<R>;
      },
    });
  };

/**
 * Routes with which operators control the sandbox (docs/sandbox.md). They respond with 404 where no sandbox runs with the API, which is
 * everywhere but on laptops and in demos.
 */
export function sandboxRoutes(deps: Deps): Route[] {
  const call = sandboxControl(deps);
  const control = commandRoutes(call);
  return [
    route('GET /v1/operator/sandbox', {
      ...forOperators('Sandbox', 'viewer'),
      operationId: 'getSandbox',
      summary: 'Retrieve what the sandbox can do, its latest print orders and its parcels',
      response: z
        .object({ sandbox: sandboxOverview.nullable().describe('Null: no sandbox runs with this API.') })
        .meta({ id: 'Sandbox' }),
      handler: async () => {
        const sandbox = deps.sandboxUrl === undefined ? null : await call('GET', '/overview');
        return { sandbox: sandbox as z.input<typeof sandboxOverview> | null };
      },
    }),
    control('POST', 'partners/{partnerName}/behaviour', {
      operationId: 'setSandboxBehaviour',
      summary: 'Select the behaviour of a sandbox partner for the next print orders',
      body: behaviourBody,
      response: z.object({ id: z.string() }),
    }),
    control('DELETE', 'partners/{partnerName}/behaviour', {
      operationId: 'clearSandboxBehaviours',
      summary: 'Remove every rule of a sandbox partner',
      description:
        'The partner is well-behaved again, also when a print order is delivered again that it refused or did not ship. ' +
        'Print orders that it works on keep their behaviour.',
      response: done,
    }),
    control('POST', 'partners/{partnerName}/postback', {
      operationId: 'sendSandboxPostback',
      summary: 'Send a postback as a sandbox partner',
      body: postbackBody,
      sent: ({ printOrderId: orderId, ...postback }) => ({ timestamp: new Date().toISOString(), orderId, ...postback }),
      response: relayedResponse,
    }),
    control('POST', 'partners/{partnerName}/dispatch', {
      operationId: 'requestSandboxDispatch',
      summary: 'Request the shipping documents of a print order as a sandbox partner',
      body: dispatchBody,
      sent: ({ printOrderId: orderId }) => ({ orderId }),
      response: relayedResponse,
    }),
    control('POST', 'carriers/{carrierUid}/events', {
      operationId: 'sendSandboxCarrierEvent',
      summary: 'Report a scan of a parcel as a sandbox carrier',
      body: carrierEventBody,
      sent: ({ trackingNumber, statusUid, message = statusUid }) => ({
        events: [{ id: uuidv7(), trackingNumber, statusUid, message, createdAt: new Date().toISOString() }],
      }),
      response: relayedResponse,
    }),
    control('POST', 'files/{fileName}/fault', {
      operationId: 'setSandboxFileFault',
      summary: 'Respond to requests of a sandbox file with an HTTP status',
      body: fileFaultBody,
      response: done,
    }),
    control('DELETE', 'files/{fileName}/fault', {
      operationId: 'clearSandboxFileFault',
      summary: 'Send a sandbox file again',
      response: done,
    }),
    control('POST', 'carriers/{carrierUid}/label-fault', {
      operationId: 'setSandboxLabelFault',
      summary: 'Let a built-in carrier refuse to sell labels',
      body: labelFaultBody,
      response: done,
    }),
    control('DELETE', 'carriers/{carrierUid}/label-fault', {
      operationId: 'clearSandboxLabelFault',
      summary: 'Let a built-in carrier sell labels again',
      response: done,
    }),
  ];
}
