import { setTimeout as sleep } from 'node:timers/promises';
import type { PresslineClient } from '../../client/pressline-client';
import { PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import { clientsOf, type Submission, untilDone } from './clients';
import type { DistributedStack } from './distributed-stack';
import { changedAddress, type PlannedOrder } from './orders';

/** References of orders that come in files. */
export const CHANNEL_PREFIX = 'channel';
const ORDERS_OF_FILE = 10;
const NAME = 'files of the fault run';

/**
 * Uploads planned orders in CSV files, as a shop would that does not know what has arrived: every file twice, changes of addresses
 * before or after the orders that they change, and each upload again until it has a response. Resolves with the ids of the
 * orders that the files became.
 */
export async function runChannel(
  stack: DistributedStack,
  planned: readonly PlannedOrder[],
  withinMs: number,
  random: SeededRandom,
  signal: AbortSignal,
): Promise<Submission[]> {
  const clients = clientsOf(stack);
  const ask = <T>(question: (client: PresslineClient) => Promise<T>) => untilDone(clients, random, signal, question);
  const submissions = planned.map(
    (order): Submission => ({ planned: order, orderId: null, attempts: 0, unexpected: null }),
  );
  try {
    const channelId = await ask(channelOf);
    const uploads: { readonly atMs: number; readonly body: string; readonly orders: readonly Submission[] }[] = [];
    for (let from = 0; from < submissions.length; from += ORDERS_OF_FILE) {
      const orders = submissions.slice(from, from + ORDERS_OF_FILE);
      const changed = orders.filter(({ planned: { followUp } }) => followUp === 'change-address');
      for (const [revision, some] of [
        [1, orders],
        [2, changed],
        [1, orders],
        [2, changed],
      ] as const) {
        if (some.length === 0) continue;
        const body = fileOf(
          some.map(({ planned }) => planned),
          revision,
        );
        uploads.push({ atMs: random.below(Math.ceil(withinMs * 0.9) + 1), body, orders: some });
      }
    }
    const began = Date.now();
    await Promise.all(
      uploads.map(async ({ atMs, body, orders }) => {
        await sleep(Math.max(0, began + atMs - Date.now()), undefined, { signal });
        await ask((client) => {
          for (const order of orders) order.attempts += 1;
          return client.uploadChannelFile({ params: { channelId }, query: {}, body });
        });
      }),
    );
    await Promise.all(
      submissions.map(async (submission) => {
        const params = { orderId: submission.planned.reference };
        while (submission.orderId === null) {
          await sleep(random.between(500, 2_000), undefined, { signal });
          submission.orderId = await ask((client) => client.getOrder({ params }).then(({ id }) => id, nullWhenMissing));
        }
      }),
    );
  } catch (error) {
    if (!signal.aborted) for (const submission of submissions) submission.unexpected ??= (error as Error).message;
  }
  return submissions;
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof PresslineError && error.status === 404) return null;
  throw error;
}

/** Returns the id of the channel. The response of an earlier request may have been lost. */
async function channelOf(client: PresslineClient): Promise<string> {
  const { channels } = await client.listChannels({ query: {} });
  const found = channels.find(({ name }) => name === NAME);
  return found?.id ?? (await client.createChannel({ body: { kind: 'csv', name: NAME } })).id;
}

type Cells = Readonly<Record<string, unknown>>;
const prefixed = (prefix: string, cells: object) =>
  Object.fromEntries(Object.entries(cells).map(([name, value]) => [`${prefix}.${name}`, value]));

function fileOf(orders: readonly PlannedOrder[], revision: number): string {
  const rows = orders.flatMap(({ body }) =>
    rowsOf(revision === 1 ? body : { ...body, shippingAddress: changedAddress(body) }),
  );
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((name) => cellOf(row[name])).join(','));
  return [`revision,${columns.join(',')}`, ...lines.map((line) => `${revision},${line}`), ''].join('\n');
}

function rowsOf(body: object): Cells[] {
  const {
    items,
    shippingAddress,
    preventDuplicate: _,
    ...order
  } = body as {
    items: readonly { files: readonly { type: string; url: string }[] }[];
    shippingAddress: object;
    preventDuplicate?: boolean;
  };
  return items.map(({ files, ...item }) => ({
    ...order,
    ...prefixed('shippingAddress', shippingAddress),
    ...prefixed('items', item),
    ...prefixed('items.files', Object.fromEntries(files.map(({ type, url }) => [type, url]))),
  }));
}

const cellOf = (value: unknown) => (value === undefined ? '' : `"${String(value).replaceAll('"', '""')}"`);
