import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { createPresslineClient } from '../../client/pressline-client';
import { inParallel } from '../support/in-parallel';
import { type Spread, spreadOf } from '../support/report';

type Client = ReturnType<typeof createPresslineClient>;

/** Endpoints that a client may have by default. */
const SILENT_ENDPOINTS = 20;
/** Notifications for each silent endpoint: more than one of them has in flight. */
const PER_ENDPOINT = 20;

/**
 * Measures the seconds from a test notification's request to its arrival: alone, and while all endpoints of another client accept
 * connections and never respond.
 */
export async function notificationTimes({
  quiet,
  noisy,
  count,
}: {
  quiet: Client;
  noisy: Client;
  count: number;
}): Promise<{ alone: Spread; beside: Spread; open: number }> {
  const open = new Set<ServerResponse>();
  let arrive: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    await json(request);
    if (request.url === '/silent') {
      open.add(response);
      response.on('close', () => open.delete(response));
      return;
    }
    response.writeHead(204).end();
    arrive();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = async (client: Client, path: string) =>
    (await client.createWebhook({ body: { url: `${url}/${path}`, events: ['order_status_updated'] } })).id;
  const measured = async (webhookId: string) => {
    const seconds: number[] = [];
    for (let index = 0; index < count; index++) {
      const began = performance.now();
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      await quiet.testWebhook({ params: { webhookId } });
      await arrived;
      seconds.push((performance.now() - began) / 1_000);
    }
    return spreadOf(seconds);
  };
  const receiver = await endpoint(quiet, 'quick');
  await measured(receiver);
  const alone = await measured(receiver);
  const silent = await Promise.all(Array.from({ length: SILENT_ENDPOINTS }, () => endpoint(noisy, 'silent')));
  await inParallel(SILENT_ENDPOINTS * PER_ENDPOINT, 20, async (index) => {
    await noisy.testWebhook({ params: { webhookId: silent[index % SILENT_ENDPOINTS]! } });
  });
  const beside = await measured(receiver);
  const inFlight = open.size;
  for (const webhookId of silent) await noisy.deleteWebhook({ params: { webhookId } });
  await quiet.deleteWebhook({ params: { webhookId: receiver } });
  server.close();
  server.closeAllConnections();
  return { alone, beside, open: inFlight };
}
