import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import { dispatchRequestSchema } from '../../src/orders/production/dispatch';
import { postbackSchema } from '../../src/orders/production/postbacks';
import type { PostbackInbox, SeenDispatch, SeenPostback } from './postback-review';

/**
 * The part of Pressline's API that a print partner calls, for a conformance check: it accepts subscriptions and postbacks, responds to
 * dispatch requests with sample labels, to the first one of each print order with 202, and serves the print files of the check's print orders.
 */
export interface CheckListener extends PostbackInbox {
  /** Base URL without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

const LIMIT_BYTES = 1024 * 1024;

/** One blank page of A4. */
const PDF = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`,
  'latin1',
);
/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Starts the listener.
 * @param secret signing secret of the responses to subscriptions
 * @param publicUrl address by which the partner reaches the listener. Default: its own address
 */
export async function startCheckListener(options: {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly publicUrl?: string | undefined;
}): Promise<CheckListener> {
  const postbacks: SeenPostback[] = [];
  const dispatches: SeenDispatch[] = [];
  const labels = createLabels();
  let url = '';
  const server = createServer((request, response) => {
    respond(request, response, { secret: options.secret, url, postbacks, dispatches, labels }).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  url = options.publicUrl ?? `http://${host}:${port}`;
  return {
    url,
    arrived: () => postbacks,
    dispatched: () => dispatches,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  state: {
    readonly secret: string;
    readonly url: string;
    readonly postbacks: SeenPostback[];
    readonly dispatches: SeenDispatch[];
    readonly labels: Labels;
  },
): Promise<void> {
  const { secret, url, postbacks, dispatches, labels } = state;
  const path = new URL(request.url!, 'http://listener').pathname;
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const file = (bytes: Buffer, type: string) => response.writeHead(200, { 'Content-Type': type }).end(bytes);
  if (request.method === 'GET' && path.endsWith('.pdf')) return void file(PDF, 'application/pdf');
  if (request.method === 'GET' && path === '/files/preview.png') return void file(PNG, 'image/png');
  // No carrier has the parcels of a check.
  if (request.method === 'GET' && path.startsWith('/v1/tracking/'))
    return void send(200, { trackingNumber: path.slice('/v1/tracking/'.length), checkpoints: [] });
  const body = await readJson(request);
  switch (`${request.method} ${path}`) {
    case 'POST /v2/subscribe':
      return void send(200, { message: 'Subscribed.', signingSecret: secret });
    case 'POST /v2/order/status': {
      const postback = seenPostback(body);
      postbacks.push(postback);
      if (postback.problems.length > 0) return void send(400, { error: postback.problems.join('; ') });
      return void send(200, { message: 'Status accepted.' });
    }
    case 'POST /v2/order/dispatch': {
      const parsed = dispatchRequestSchema.safeParse(body);
      const orderId = parsed.data?.orderId ?? String((body as { orderId?: unknown } | undefined)?.orderId);
      const dispatched = labels.dispatch(orderId, parsed.data?.replaceLabels ?? []);
      const problems = [...issuesIn(parsed), ...dispatched.problems];
      const voidLabels = dispatched.voidLabels.map(({ trackingCode }) => trackingCode);
      const isPending = problems.length === 0 && !dispatches.some((before) => before.orderId === orderId);
      dispatches.push({ orderId, at: Date.now(), isPending, voidLabels: isPending ? [] : voidLabels, problems });
      if (problems.length > 0) return void send(400, { error: problems.join('; ') });
      // As for a print order of many parcels.
      if (isPending) {
        response.setHeader('Retry-After', '1');
        return void send(202, { message: 'The documents are being made. Send the same request again.' });
      }
      const documents = dispatched.labels.map(({ packageReferenceId, trackingCode }) => ({
        type: 'label',
        contentType: 'application/pdf',
        format: 'pdf',
        url: `${url}/documents/label-${trackingCode}.pdf`,
        packageReferenceId,
        trackingCode,
      }));
      const [{ trackingCode }] = dispatched.labels as [Label];
      const trackingLink = `${url}/v1/tracking/${trackingCode}`;
      return void send(200, { documents, trackingCode, trackingLink, voidLabels: dispatched.voidLabels });
    }
    default:
      return void send(404, { error: 'A conformance check has no such operation.' });
  }
}

interface Label {
  readonly packageReferenceId: string;
  readonly trackingCode: string;
}

interface Labels {
  /**
   * Returns the labels of two packages of a print order and the void ones: a former label of the first package, and those
   * that the request names as damaged.
   */
  dispatch(
    orderId: string,
    damaged: readonly string[],
  ): { readonly labels: readonly Label[]; readonly voidLabels: readonly Label[]; readonly problems: readonly string[] };
}

function createLabels(): Labels {
  const issued = new Map<string, { labels: Label[]; voidLabels: Label[]; count: number }>();
  return {
    dispatch(orderId, damaged) {
      const label = (packageReferenceId: string, n: number) => ({
        packageReferenceId,
        trackingCode: `CHECK${orderId}-${n}`,
      });
      const before = issued.get(orderId) ?? {
        labels: [label('P-1', 1), label('P-2', 2)],
        voidLabels: [label('P-1', 0)],
        count: 2,
      };
      const isOf = (code: string) => (each: Label) => each.trackingCode === code;
      const problems = damaged.flatMap((code) =>
        before.labels.some(isOf(code)) || before.voidLabels.some(isOf(code))
          ? []
          : [`replaceLabels: there is no label ${code}`],
      );
      // A label that is void already stays void: requests are repeated.
      const replaced = before.labels.filter(({ trackingCode }) => damaged.includes(trackingCode));
      let { count } = before;
      const labels = before.labels.map((each) =>
        replaced.includes(each) ? label(each.packageReferenceId, ++count) : each,
      );
      const after = { labels, voidLabels: [...before.voidLabels, ...replaced], count };
      issued.set(orderId, after);
      return { ...after, problems };
    },
  };
}

/** Returns what is wrong with a message of a partner. */
const issuesIn = ({ error }: z.ZodSafeParseResult<unknown>): string[] =>
  error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** @returns undefined when the body is not JSON or too long */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Checks a postback with the schema of the API. */
function seenPostback(body: unknown): SeenPostback {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null);
  const parsed = postbackSchema.safeParse(body);
  return {
    orderId: text('orderId') ?? '',
    orderItemId: text('orderItemId'),
    status: text('status') ?? String(fields.status),
    timestamp: text('timestamp') ?? '',
    message: text('message'),
    trackingCode: text('trackingCode'),
    arrivedAt: Date.now(),
    problems: issuesIn(parsed),
  };
}
