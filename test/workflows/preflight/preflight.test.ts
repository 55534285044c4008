import { createPresslineClient } from '../../../client/pressline-client';
import { preflightWorkflowId } from '../../../src/platform/domain/workflows';
import { uuidv7 } from '../../../src/platform/ids';
import { keepHistory } from '../../support/histories';
import { eventually, type TestClient, type TestStack, testStack } from '../../support/stack';
import { faultyFile, goodFile, isAt, ordered, orderOf, POSTER, poster } from '../order/client-orders';

/** Files that are checked before they are ordered. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});

type Body = NonNullable<Parameters<TestClient['preflightFile']>[0]>['body'];
const preflight = (url: string, over: Partial<Body> = {}, client = stack.client) =>
  reportOf({ url, type: 'default', productUid: POSTER, ...over }, client);
/** Starts a preflight and waits for its end. On a busy machine it takes longer than its first response. */
async function reportOf(body: Body, client = stack.client) {
  const { id } = await client.preflightFile({ body });
  return await ended(id, client);
}
const ended = (preflightId: string, client = stack.client) =>
  eventually(async () => {
    const found = await client.getPreflight({ params: { preflightId } });
    return found.state === 'done' ? found : undefined;
  });
const rowOf = async (id: string) =>
  (await stack.services.sql<{ url: string | null }[]>`SELECT url FROM preflights WHERE id = ${id}`)[0];

async function clientWith(name: string, settings: object = {}): Promise<TestClient> {
  const { apiKey, apiSecret } = await stack.operator.createClient({ body: { name, ...settings } });
  return createPresslineClient({ baseUrl: stack.baseUrl, apiKey, apiSecret, retries: 0 });
}

/** Stores the history of a preflight, when histories are recorded. */
async function keep(scenario: string, id: string): Promise<void> {
  if (process.env.RECORD_HISTORIES === undefined) return;
  const run = stack.services.temporal.workflow.getHandle(preflightWorkflowId(id));
  await run.result().catch(() => undefined);
  await keepHistory('preflight', scenario, await run.fetchHistory());
}

test('a fitting file has a report without findings, and nothing of it is kept', async () => {
  const done = await preflight(goodFile(stack, 'poster-a4.pdf'));
  expect(done).toMatchObject({
    state: 'done',
    report: {
      effect: 'none',
      fault: null,
      checks: [],
      file: { mimeType: 'application/pdf', pageCount: 1, facts: { complete: true } },
    },
  });
  expect(await stack.client.getPreflight({ params: { preflightId: done.id } })).toEqual(done);
  await keep('done', done.id);
  // A URL can contain credentials.
  expect(await rowOf(done.id)).toEqual({ url: null });
  const stranger = await clientWith('stranger');
  const params = { preflightId: done.id };
  await expect(stranger.getPreflight({ params })).rejects.toMatchObject({ status: 404 });
  await expect(stack.client.getPreflight({ params: { preflightId: 'none' } })).rejects.toMatchObject({ status: 404 });
});

test('a report says what an order with the file would do, as the setting of its client says', async () => {
  const wrong = faultyFile(stack, 'wrong-size.pdf');
  const held = await preflight(wrong);
  expect(held.report).toMatchObject({ effect: 'hold', checks: [{ code: 'page_size', measured: '105 × 148 mm' }] });
  const strict = await clientWith('strict', { fileChecks: { errors: 'refuse', warnings: 'warn' } });
  expect((await preflight(wrong, {}, strict)).report).toMatchObject({ effect: 'refuse' });
  // The trim makes it fit.
  const trimmed = await preflight(wrong, { customTrim: { widthMm: 105, heightMm: 148 } });
  expect(trimmed.report).toMatchObject({ effect: 'none', checks: [] });
});

test.each([
  ['missing.pdf', 'file_not_found'],
  ['corrupt.pdf', 'file_unreadable'],
  ['cut.jpg', 'file_unreadable'],
  ['protected.pdf', 'file_protected'],
  ['lies.pdf', 'file_type_not_supported'],
])('a file that cannot be used (%s) has its fault in the report', async (name, code) => {
  const { report } = await preflight(faultyFile(stack, name));
  expect(report).toEqual({
    effect: 'refuse',
    fault: { code, message: expect.stringMatching(/^[A-Z].*\.$/) },
    checks: [],
    file: null,
  });
});

test('a file with too many pages is refused as an order would be', async () => {
  const { report } = await preflight(`${goodFile(stack, 'poster-a4.pdf')}?pages=3`);
  expect(report).toMatchObject({ effect: 'refuse', fault: { code: 'file_page_count_mismatch' } });
});

test('a slow file is answered with 202 and the address of its report', async () => {
  const { apiKey, apiSecret } = stack.credentials.client;
  const response = await fetch(`${stack.baseUrl}/v1/files/preflight`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': `${apiKey}:${apiSecret}` },
    body: JSON.stringify({ url: `${faultyFile(stack, 'slow.pdf')}?ms=12000`, type: 'default', productUid: POSTER }),
  });
  expect(response.status).toBe(202);
  const { id, state } = (await response.json()) as { id: string; state: string };
  expect(state).toBe('running');
  expect(response.headers.get('location')).toBe(`/v1/files/preflight/${id}`);
  const done = await ended(id);
  expect(done.report).toMatchObject({ effect: 'none', checks: [] });
});

test('a draft shows the report of its file', async () => {
  const url = faultyFile(stack, 'low-resolution.jpg');
  const body = orderOf(stack, { orderType: 'draft', items: [poster(stack, { files: [{ type: 'default', url }] })] });
  const { id } = await stack.client.submitOrder({ body });
  const file = { orderId: id, itemReferenceId: 'poster', type: 'default' };
  const { report } = await reportOf(file);
  expect(report).toMatchObject({ effect: 'hold', checks: [{ code: 'resolution', severity: 'error' }] });
  const draft = await stack.client.getOrder({ params: { orderId: id } });
  expect(draft.items[0]!.files[0]).toMatchObject({ checks: report!.checks, facts: { image: { model: 'rgb' } } });
  const stranger = await clientWith('another stranger');
  for (const [client, over] of [
    [stranger, {}],
    [stack.client, { type: 'back' }],
  ] as const)
    await expect(client.preflightFile({ body: { ...file, ...over } })).rejects.toMatchObject({ status: 404 });
});

test.each([
  [{ productUid: 'nothing' }, ['productUid']],
  [{ type: 'sleeve-left' }, ['type']],
  [{ type: '' }, ['type']],
  [{ url: undefined }, ['url']],
  [{ productUid: undefined }, ['productUid']],
  [{ productUid: undefined, productName: 'Poster' }, ['productVariant']],
  // A file of the request is judged for an item of an order too.
  [{ orderId: 'x', itemReferenceId: 'poster' }, ['productUid']],
])('a request with %j is refused at %j', async (over, references) => {
  const refused = preflight(goodFile(stack, 'poster-a4.pdf'), over as Partial<Body>);
  const error = (await refused.catch((error: unknown) => error)) as { status: number; errors: { reference: string }[] };
  expect(error.status).toBe(400);
  expect(error.errors.map(({ reference }) => reference).sort()).toEqual(references);
});

test('a repeated request with an Idempotency-Key checks nothing again', async () => {
  const url = goodFile(stack, 'poster-a4.pdf');
  const body = { url, type: 'default', productUid: POSTER };
  const once = await stack.client.preflightFile({ body }, { idempotencyKey: 'preflight-1' });
  expect(await stack.client.preflightFile({ body }, { idempotencyKey: 'preflight-1' })).toEqual(once);
});

test('an account has at most twenty preflights under way, and they hold back no order', async () => {
  const client = await clientWith('tries files');
  const [{ clientId }] = (await stack.services.sql`
    SELECT id AS client_id FROM accounts WHERE name = 'tries files'`) as unknown as [{ clientId: string }];
  const hanging = Array.from({ length: 8 }, () =>
    client
      .preflightFile({
        body: { url: `${faultyFile(stack, 'slow.pdf')}?ms=20000`, type: 'default', productUid: POSTER },
      })
      .catch(() => undefined),
  );
  await eventually(async () => {
    const [count] = await stack.services.sql<{ running: number }[]>`
      SELECT count(*)::int AS running FROM preflights WHERE account_id = ${clientId} AND ended_at IS NULL`;
    return count!.running === 8 ? true : undefined;
  });
  await ordered(stack, orderOf(stack), isAt('delivered'));
  await stack.services.sql`
    INSERT INTO preflights (id, account_id, subject)
    SELECT gen_random_uuid(), ${clientId}, '{}' FROM generate_series(1, 20)`;
  await expect(preflight(goodFile(stack, 'poster-a4.pdf'), {}, client)).rejects.toMatchObject({
    status: 429,
    message: expect.stringContaining('20 files'),
  });
  await Promise.all(hanging);
});

test('a preflight that no worker finishes in time ends with a fault', async () => {
  const id = uuidv7();
  const { sql, temporal, config } = stack.services;
  await sql`
    INSERT INTO preflights (id, account_id, url, subject)
    SELECT ${id}, id, 'https://files.example/a.pdf', '{}' FROM accounts WHERE role = 'client' LIMIT 1`;
  // As at the end of the time that the workflow gives its activity.
  const handle = await temporal.workflow.start('preflight', {
    workflowId: `preflight-${id}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [{ preflightId: id, accountId: id }],
  });
  await handle.cancel();
  await handle.result().catch(() => undefined);
  expect(await stack.operator.getPreflight({ params: { preflightId: id } })).toMatchObject({
    state: 'done',
    report: { effect: 'refuse', fault: { code: 'file_unreachable' } },
  });
  await keep('given-up', id);
});

test('preflights are deleted after a day', async () => {
  const done = await preflight(goodFile(stack, 'poster-a4.pdf'));
  await stack.services.sql`UPDATE preflights SET created_at = now() - interval '25 hours' WHERE id = ${done.id}`;
  const { temporal, config } = stack.services;
  await temporal.workflow.execute('maintenance', {
    workflowId: 'maintenance-of-preflights',
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [],
  });
  expect(await rowOf(done.id)).toBeUndefined();
});
