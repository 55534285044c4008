// A print partner in one file, without packages: node partner.mts (Node 24 or later).
// It subscribes, stores print orders, reports their progress, gets their labels, and continues after a restart.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  PRESSLINE_URL = 'http://127.0.0.1:3000',
  PRESSLINE_KEY = '',
  PORT = '8080',
  DATA = 'print-orders',
} = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}`, PRINT_SECONDS = '5', SIGNING_SECRET } = process.env;

interface Item {
  readonly id?: string;
  readonly parts?: readonly Item[];
}
interface PrintOrder {
  readonly id: string;
  readonly revision?: number;
  readonly items: readonly Item[];
}
interface Stored {
  readonly body: string; // as delivered first: other content under the same id is refused
  order: PrintOrder; // of the latest revision
  cancelled: string[]; // print job ids
  state: 'accepted' | 'received' | 'printed' | 'packed' | 'shipped' | 'cancelled';
}

// One file for each print order, replaced as a whole, so that a crash leaves the old or the new one.
mkdirSync(DATA, { recursive: true });
const orders = new Map<string, Stored>();
for (const name of readdirSync(DATA).filter((file) => file.endsWith('.json')))
  orders.set(name.slice(0, -'.json'.length), JSON.parse(readFileSync(`${DATA}/${name}`, 'utf8')));
function save(stored: Stored): void {
  const path = `${DATA}/${stored.order.id}.json`;
  writeFileSync(`${path}.tmp`, JSON.stringify(stored));
  renameSync(`${path}.tmp`, path);
  orders.set(stored.order.id, stored);
}
const idsOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ id, parts }) => [...(id === undefined ? [] : [id]), ...idsOf(parts ?? [])]);

/** The parcel has its label: changes come too late. */
const isClosed = ({ state }: Stored) => state === 'packed' || state === 'shipped';

/** Calls Pressline until it responds. Repetitions are harmless. */
async function call<Response>(path: string, body: object): Promise<Response> {
  for (let pauseMs = 1_000; ; pauseMs = Math.min(pauseMs * 2, 60_000)) {
    const headers = { 'Content-Type': 'application/json', 'X-API-KEY': PRESSLINE_KEY };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${PRESSLINE_URL}${path}`, request).catch(() => undefined);
    // 202: the documents of a large print order are not ready yet.
    if (response?.ok && response.status !== 202) return (await response.json()) as Response;
    const again = response === undefined || [202, 408, 425, 429].includes(response.status) || response.status >= 500;
    if (!again) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await sleep(Number(response?.headers.get('Retry-After') ?? 0) * 1_000 || pauseMs);
  }
}
const report = (orderId: string, status: string) =>
  call('/v2/order/status', { orderId, status, timestamp: new Date().toISOString() });

/** Prints and ships. Every step is stored after it is done, so a restart repeats one step at most. */
async function produce(stored: Stored): Promise<void> {
  const step = async (from: Stored['state'], to: Stored['state'], run: () => Promise<unknown>) => {
    if (stored.state !== from) return;
    await run();
    if (stored.state === from) save(Object.assign(stored, { state: to }));
  };
  const { id } = stored.order;
  await step('accepted', 'received', () => report(id, 'received'));
  await sleep(Number(PRINT_SECONDS) * 1_000); // Download the assets, and print.
  await step('received', 'printed', () => report(id, 'printed'));
  await step('printed', 'packed', async () => {
    let revision: number | undefined;
    do {
      revision = stored.order.revision;
      const { documents } = await call<{ documents: { url: string }[] }>('/v2/order/dispatch', { orderId: id });
      console.log(`${id}: print ${documents.map(({ url }) => url).join(' ')}`);
    } while (revision !== stored.order.revision); // An update that came meanwhile has a new label.
  });
  await step('packed', 'shipped', () => report(id, 'shipped'));
  console.log(`${id}: ${stored.state}`);
}
const start = (stored: Stored) =>
  produce(stored).catch((error) => console.error(`${stored.order.id}: ${error.message}`));

/** Returns true when a message is from Pressline. */
function verify(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return String(signatures)
    .split(' ')
    .some((entry) => {
      const given = Buffer.from(entry.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

type Answer = readonly [status: number, body: object];
const refusal = (status: number, error: string): Answer => [status, { error }];
const ACCEPTED: Answer = [200, { message: 'Accepted.' }];

function receive(path: string, text: string): Answer {
  const message = JSON.parse(text);
  if (path === '/inventory')
    return [
      200,
      { items: message.SKU.map((SKU: string) => ({ SKU, status: 'in-stock', amount: 100, replenishmentDate: '' })) },
    ];
  if (message.type === 'ping') return ACCEPTED;
  const id = message.orderId ?? message.id;
  if (id === undefined) return refusal(400, 'The message has no id.');
  const known = orders.get(id);
  if (path === '/cancellations') {
    if (known === undefined) return refusal(404, 'There is no such print order.');
    if (isClosed(known)) return refusal(409, 'The parcel has left.');
    const cancelled = [...new Set([...known.cancelled, ...message.canceledPrintJobIdList])];
    const isWhole = idsOf(known.order.items).every((id) => cancelled.includes(id));
    save(Object.assign(known, { cancelled, state: isWhole ? 'cancelled' : known.state }));
    return ACCEPTED;
  }
  if (path === '/order-updates') {
    if (known === undefined) return refusal(404, 'There is no such print order.');
    if ((known.order.revision ?? 1) >= message.revision) return ACCEPTED;
    if (isClosed(known)) return refusal(409, 'The parcel has left.');
    save(Object.assign(known, { order: message }));
    return ACCEPTED;
  }
  if (known !== undefined) return known.body === text ? ACCEPTED : refusal(409, 'This id has another content.');
  const stored: Stored = { body: text, order: message, cancelled: [], state: 'accepted' };
  save(stored);
  void start(stored);
  return ACCEPTED;
}

let secret = SIGNING_SECRET ?? '';
createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const [status, answer] = verify(secret, request.headers, body)
    ? receive(request.url!, body.toString())
    : refusal(401, 'The signature is not valid.');
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
}).listen(Number(PORT), async () => {
  console.log(`Listening at ${PUBLIC_URL}`);
  if (SIGNING_SECRET === undefined) secret = await subscribe();
  for (const stored of orders.values()) if (!['shipped', 'cancelled'].includes(stored.state)) void start(stored);
});

async function subscribe(): Promise<string> {
  const { signingSecret } = await call<{ signingSecret: string }>('/v2/subscribe', {
    orderSubmitUrl: `${PUBLIC_URL}/orders`,
    orderCancelUrl: `${PUBLIC_URL}/cancellations`,
    orderUpdateUrl: `${PUBLIC_URL}/order-updates`,
    inventoryUrl: `${PUBLIC_URL}/inventory`,
  });
  console.log('Subscribed.');
  return signingSecret;
}
