import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type Operations, type PresslineClient, PresslineError } from '../../client/pressline-client';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { StopSignals } from '../terminal';
import { type Connection, inWords, RemoteFailure, WrongUse } from './connection';

export const LISTEN_OPTIONS = {
  forwardTo: 'where to send each notification with POST, such as http://localhost:4000/webhooks',
  events: 'only these events. Default: all',
  poll: 'forward what is sent to the endpoints that the client has, also where the API could reach this machine',
};

export interface ListenOptions {
  readonly forwardTo: string;
  readonly events?: string;
  readonly poll?: true;
}

type Say = (line: string) => void;
type EventName = NonNullable<Operations['createWebhook']['input']['body']['events']>[number];

const POLL_MS = 1_000;
const FORWARD_TIMEOUT_MS = 15_000;

/** The headers of a notification that a receiver reads. */
type SignedHeaders = Record<string, string>;

/**
 * Forwards the notifications of a client until the process is stopped, and prints the secret that verifies them and a line for each.
 *
 * Where the API runs on this machine and may call it, the notifications come from an endpoint that exists as long as this runs.
 * Elsewhere, they are read from the deliveries of the endpoints that the client has, and signed with a secret of this run.
 * @throws WrongUse when `forwardTo` is no URL, or no endpoint can be used
 */
export async function listen(connection: Connection, options: ListenOptions, say: Say): Promise<void> {
  const { forwardTo, poll } = options;
  const target = URL.parse(forwardTo);
  if (target === null || !/^https?:$/.test(target.protocol))
    throw new WrongUse(`--forward-to ${forwardTo} is not a URL`);
  const events = options.events?.split(',');
  const stopping = new AbortController();
  void new StopSignals().wait().then(() => stopping.abort());
  const { signal } = stopping;

  const forward = async (body: Buffer | string, headers: SignedHeaders): Promise<number> => {
    const { event, orderReferenceId = '' } = JSON.parse(body.toString()) as Record<string, string>;
    const status = await fetch(target, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: body.toString(),
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => undefined,
    );
    say(`${new Date().toISOString()}  ${event}  ${orderReferenceId}  ${status ?? 'no response'}`);
    return status ?? 502;
  };

  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(connection.baseUrl).hostname);
  if (isLocal && poll !== true && (await receive(connection.client, events, forward, say, signal))) return;
  await pollDeliveries(connection, events, forward, say, signal);
}

/**
 * Receives notifications at an endpoint of its own and forwards them as they are: the target's response is the endpoint's.
 * @returns false when the API may not call this machine
 */
async function receive(
  client: PresslineClient,
  events: readonly string[] | undefined,
  forward: (body: Buffer, headers: SignedHeaders) => Promise<number>,
  say: Say,
  signal: AbortSignal,
): Promise<boolean> {
  const server = createServer(async (request, response) => {
    const status = await forward(await buffer(request), signedHeadersOf(request)).catch(() => 502);
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = {
      url,
      description: 'pressline listen',
      ...(events === undefined ? {} : { events: events as EventName[] }),
    };
    const endpoint = await client.createWebhook({ body }).catch((error: unknown) => {
      if (error instanceof PresslineError && error.errors.some(({ reference }) => reference === 'url'))
        return undefined;
      throw error;
    });
    if (endpoint === undefined) return false;
    try {
      sayReady(endpoint.secret, say);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await client.deleteWebhook({ params: { webhookId: endpoint.id } });
    }
    return true;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function signedHeadersOf({ headers }: IncomingMessage): SignedHeaders {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent'];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/**
 * Forwards what is sent to the endpoints of the client from now on, each notification once. Reads the newest 100 deliveries of each
 * endpoint every second.
 */
async function pollDeliveries(
  { baseUrl, client }: Connection,
  events: readonly string[] | undefined,
  forward: (body: string, headers: SignedHeaders) => Promise<number>,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const { webhooks } = await client.listWebhooks();
  if (webhooks.length === 0)
    throw new WrongUse(
      'The API cannot call this machine, and the client has no endpoint to read from (POST /v1/webhooks).',
    );
  const secret = newSigningSecret();
  const signer = new Webhook(secret);
  // One notification goes to several endpoints with one id.
  const seen = new Set<string>();
  const unseen = async (webhookId: string) => {
    const { deliveries } = await client.listWebhookDeliveries({ params: { webhookId }, query: { limit: 100 } });
    return deliveries.filter(({ messageId }) => !seen.has(messageId)).reverse();
  };
  for (const { id } of webhooks) for (const { messageId } of await unseen(id)) seen.add(messageId);
  sayReady(secret, say);
  while (!signal.aborted) {
    try {
      for (const { id: webhookId } of webhooks) {
        for (const { id: deliveryId, messageId, event } of await unseen(webhookId)) {
          if (events?.includes(event) === false) continue;
          const { body } = await client.getWebhookDelivery({ params: { webhookId, deliveryId } });
          seen.add(messageId);
          const at = new Date();
          const seconds = String(Math.floor(at.getTime() / 1_000));
          await forward(body, {
            'webhook-id': messageId,
            'webhook-timestamp': seconds,
            'webhook-signature': signer.sign(messageId, at, body),
          });
        }
      }
    } catch (thrown) {
      const error = inWords(thrown, baseUrl);
      if (!(error instanceof RemoteFailure && error.kind === 'unavailable')) throw error;
      say(error.message);
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function sayReady(secret: string, say: Say): void {
  say(`Secret       ${secret}`);
  say('Ready. Press Ctrl-C to stop.');
}
