import type { ServerResponse } from 'node:http';
import type { PresslineError } from '../../../client/pressline-client';
import { createPresslineClient } from '../../../client/pressline-client';
import { cyclicPattern, manyShadings } from '../../../sandbox/files/exhausting-files';
import { printFile } from '../../../sandbox/files/print-files';
import { serveHttp } from '../../support/other-systems/http-server';
import { eventually, type TestClient, type TestStack, testStack } from '../../support/stack';
import { isAt, ordered, orderOf, POSTER, poster, read } from './client-orders';

/** Files of one client that hold what all files need, beside those of another client. */

let stack: TestStack;
let neighbour: TestClient;
let origin: string;
/** The responses that drip, by path, and how often each path was requested. */
const dripping = new Set<ServerResponse>();
const requests = new Map<string, number>();

/** Sends 20 kB a second, without a length, and never ends. */
function drip(response: ServerResponse) {
  dripping.add(response);
  const timer = setInterval(() => response.write(Buffer.alloc(1_000, ' ')), 50);
  response.on('close', () => {
    clearInterval(timer);
    dripping.delete(response);
  });
  response.writeHead(200).write('%PDF-1.7\n');
}

beforeAll(async () => {
  const good = (await printFile('poster-a4.pdf'))!.data;
  ({ url: origin } = await serveHttp((request, response) => {
    const path = request.url!;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const seed = Number(/\d+/.exec(path)?.[0]);
    if (path.startsWith('/drips')) drip(response);
    else if (path.startsWith('/cyclic')) response.end(cyclicPattern(seed));
    else if (path.startsWith('/shadings')) response.end(manyShadings(60_000, seed));
    // Each has a content of its own.
    else response.end(Buffer.concat([good, Buffer.from(`\n% ${path}`)]));
  }));
  // A file without a length could take the whole disk.
  stack = await testStack({ config: { FILE_SIZE_LIMIT_MB: 1, FILE_DISK_BUDGET_MB: 1 } });
  const { apiKey, apiSecret } = await stack.operator.createClient({ body: { name: 'neighbour' } });
  neighbour = createPresslineClient({ baseUrl: stack.baseUrl, apiKey, apiSecret, retries: 0 });
});

const orderFrom = (path: string) =>
  orderOf(stack, { items: [poster(stack, { files: [{ type: 'default', url: `${origin}${path}` }] })] });

async function submitAll(paths: readonly string[]): Promise<string[]> {
  const submitted = await Promise.all(paths.map((path) => neighbour.submitOrder({ body: orderFrom(path) })));
  return submitted.map(({ id }) => id);
}
const statesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await read(neighbour, id)).fulfillmentStatus));
/** Cancels the orders that have not shipped: a fast machine has drawn some of their pages in time. */
const cancelAll = (ids: readonly string[]) =>
  Promise.all(
    ids.map((orderId) =>
      neighbour.cancelOrder({ params: { orderId }, body: {} }).catch((error: PresslineError) => {
        if (error.status !== 409) throw error;
      }),
    ),
  );

describe('beside fifteen files of a neighbour that drip', () => {
  let slow: string[];
  beforeAll(async () => {
    slow = await submitAll(Array.from({ length: 15 }, (_, at) => `/drips-${at}.pdf`));
    await eventually(async () => (dripping.size > 5 ? true : undefined));
  });

  test('an order passes, and a preflight says that its file is good', async () => {
    const { id } = await stack.client.preflightFile({
      body: { url: `${origin}/tried.pdf`, type: 'default', productUid: POSTER },
    });
    expect(await ordered(stack, orderFrom('/good-1.pdf'))).toMatchObject({ fulfillmentStatus: 'delivered' });
    const tried = await eventually(async () => {
      const preflight = await stack.client.getPreflight({ params: { preflightId: id } });
      return preflight.state === 'done' ? preflight : undefined;
    });
    expect(tried.report).toMatchObject({ effect: 'none', fault: null });
    expect(new Set(await statesOf(slow))).toEqual(new Set(['uploading']));
  });

  test('a host that sends less than 50 kB a second gives way, and is asked again later', async () => {
    await eventually(async () =>
      [...requests].some(([path, n]) => path.startsWith('/drips') && n > 1) ? true : undefined,
    );
    expect(new Set(await statesOf(slow))).toEqual(new Set(['uploading']));
    await cancelAll(slow);
    await eventually(async () => (dripping.size === 0 ? true : undefined));
  });
});

test('an order passes beside pages of a neighbour that take too long to draw, and cancelling them lets its next one pass', async () => {
  const paths = [1, 2, 3].flatMap((seed) => [`/cyclic-${seed}.pdf`, `/shadings-${seed}.pdf`]);
  const slow = await submitAll(paths);
  await eventually(async () => (paths.every((path) => requests.has(path)) ? true : undefined));
  expect(await ordered(stack, orderFrom('/good-2.pdf'))).toMatchObject({ fulfillmentStatus: 'delivered' });
  expect(await statesOf(slow)).toContain('uploading');
  await cancelAll(slow);
  const next = await ordered(stack, orderFrom('/good-3.pdf'), isAt('delivered'), neighbour);
  expect(next.items[0]!.files[0]).toMatchObject({ facts: { complete: true } });
});
