import { text as textOf } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createPartnerStockActivities } from '../../../activities/partner-stock';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { partnerByAccount, signingSecretsOf, subscribe } from '../../../src/partners/partner-rows';
import { createCandidateReader } from '../../../src/partners/routing-rows';
import { recordStockReports, reportedLevels } from '../../../src/partners/stock-levels';
import { STOCK_POLL } from '../../../src/platform/domain/periodic-jobs';
import { createSafeClient } from '../../../src/platform/http/safe-client';
import { verifySignature } from '../../../src/platform/http/webhook-signature';
import { randomToken } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { ensureSchedule, scheduleId } from '../../../src/platform/temporal/periodic-jobs';
import { createSlotShares } from '../../../src/platform/temporal/slot-shares';
import { setUpStockItems } from '../../../src/procurement/stock-items';
import type { PartnerStockPollResult } from '../../../workflows/partner-stock-poll';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { serveHttp } from '../../support/other-systems/http-server';
import { testSecretBox } from '../../support/secret-box';
import { testTemporalAddress, workflowBundle } from '../../support/servers';
import { subscription } from './builders';

interface PollRequest {
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
  readonly skus: string[];
}

type Respond = (skus: readonly string[], turn: number) => { status?: number; body: unknown };

let sql: Sql;
let temporal: Client;
let worker: Worker;
let running: Promise<void>;
let connection: NativeConnection;
let berlin: string;
let ohio: string;
const client = createSafeClient({ allowPrivate: true });
const taskQueue = `stock-poll-${randomToken(6)}`;

/** Received requests and configured responses, by path. Each path is one partner. */
const received: Record<string, PollRequest[]> = { '/berlin': [], '/ohio': [] };
const responses: Record<string, Respond> = {};

beforeAll(async () => {
  ({ sql } = await testDatabase());
  ({ temporal } = await testApiDeps(sql));
  const { url } = await serveHttp(async (incoming, response) => {
    const path = incoming.url ?? '';
    const text = await textOf(incoming);
    const skus = (JSON.parse(text) as { SKU: string[] }).SKU;
    received[path]!.push({ headers: incoming.headers as PollRequest['headers'], text, skus });
    const { status = 200, body } = responses[path]!(skus, received[path]!.length);
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(body));
  });
  const accounts = [
    await testAccount(sql, 'partner', 'prints-berlin'),
    await testAccount(sql, 'partner', 'prints-ohio'),
  ];
  await ensureDemoPartners(sql, accounts);
  [berlin, ohio] = accounts.map(({ id }) => id) as [string, string];
  for (const [id, path] of [
    [berlin, '/berlin'],
    [ohio, '/ohio'],
  ] as const) {
    await subscribe(
      { sql, secretBox: testSecretBox },
      id,
      subscription({ orderSubmitUrl: `${url}/orders`, inventoryUrl: `${url}${path}` }),
    );
  }
  connection = await NativeConnection.connect({ address: testTemporalAddress() });
  worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: workflowBundle(),
    activities: createPartnerStockActivities({
      sql,
      client,
      secretBox: testSecretBox,
      partnerCalls: createSlotShares(1),
    }),
  });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await client.close();
});

beforeEach(async () => {
  for (const requests of Object.values(received)) requests.length = 0;
  responses['/berlin'] = () => ({ body: { items: [] } });
  responses['/ohio'] = () => ({ body: { items: [] } });
  await sql`DELETE FROM partner_stock_levels`;
});

const poll = (): Promise<PartnerStockPollResult> =>
  temporal.workflow.execute<() => Promise<PartnerStockPollResult>>('partnerStockPoll', {
    taskQueue,
    workflowId: `stock-poll-${randomToken(6)}`,
  });

const inStock =
  (amount: number): Respond =>
  (skus) => ({
    body: { items: skus.map((SKU) => ({ SKU, status: 'in-stock', amount, replenishmentDate: '' })) },
  });

const levels = async (partnerId: string) => await reportedLevels(sql, partnerId, { afterSku: '', limit: 1_000 });

describe('stock poll', () => {
  test('sends signed requests of up to 100 SKUs, and routing uses the responses', async () => {
    const skus = Array.from({ length: 250 }, (_, index) => `tee-${String(index).padStart(3, '0')}`);
    await setUpStockItems(
      sql,
      ohio,
      skus.map((partnerSku) => ({ partnerSku, minStock: 0, maxStock: 0, openingQuantity: 1_000 })),
    );
    responses['/ohio'] = inStock(7);
    expect(await poll()).toEqual({ partners: 2, skusAsked: 250, skusTold: 250, failed: {} });
    expect(received['/ohio']!.map((poll) => poll.skus.length)).toEqual([100, 100, 50]);
    expect(received['/ohio']!.flatMap((poll) => poll.skus)).toEqual(skus);
    const signingSecrets = signingSecretsOf(testSecretBox, (await partnerByAccount(sql, ohio))!);
    for (const { headers, text } of received['/ohio']!) {
      expect(JSON.parse(text)).toEqual({ version: '1.0', SKU: expect.any(Array) });
      expect(verifySignature(headers, text, signingSecrets)).toBe(true);
    }
    const candidate = (await createCandidateReader(sql)(['tee-042'])).find(({ partnerId }) => partnerId === ohio);
    expect(candidate!.stock['tee-042']).toMatchObject({ available: 7 });
  });

  test('after a temporary failure only the failed page is requested again', async () => {
    responses['/ohio'] = (skus, turn) => (turn === 2 ? { status: 503, body: {} } : inStock(3)(skus, turn));
    expect(await poll()).toMatchObject({ skusAsked: 250, failed: {} });
    const firsts = received['/ohio']!.map((poll) => poll.skus[0]);
    expect(firsts).toEqual(['tee-000', 'tee-100', 'tee-100', 'tee-200']);
  });

  test('a partner that refuses or sends an invalid response does not block the others', async () => {
    await recordStockReports(sql, berlin, [{ SKU: 'frame-a4', status: 'in-stock', amount: 1 }], new Date(0));
    responses['/ohio'] = () => ({ status: 401, body: { error: 'who are you?' } });
    responses['/berlin'] = inStock(9);
    expect(await poll()).toMatchObject({
      skusTold: 1,
      failed: { [ohio]: expect.stringContaining('who are you?') },
    });
    expect(await levels(berlin)).toMatchObject([{ partnerSku: 'frame-a4', amount: 9 }]);
    responses['/ohio'] = () => ({ body: ['not', 'an', 'object'] });
    expect((await poll()).failed[ohio]).toContain('{items: [...]}');
  });

  test('invalid entries and SKUs that were not requested are skipped; the others are stored', async () => {
    responses['/ohio'] = (skus, turn) =>
      turn > 1
        ? { body: { items: [] } }
        : {
            body: {
              items: [
                { SKU: skus[0], status: 'in-stock', amount: 0, replenishmentDate: '2026-12-24' },
                { SKU: skus[1], status: 'maybe' },
                { SKU: 'never-asked-for', status: 'in-stock' },
                { SKU: skus[2], status: 'in-stock' },
              ],
            },
          };
    expect(await poll()).toMatchObject({ skusAsked: 250, skusTold: 2 });
    expect(await levels(ohio)).toMatchObject([
      { partnerSku: 'tee-000', status: 'out-of-stock', amount: 0, replenishmentDate: '2026-12-24' },
      { partnerSku: 'tee-002', status: 'in-stock', amount: null, replenishmentDate: null },
    ]);
  });

  test('a disabled partner is not polled', async () => {
    await sql`UPDATE partners SET enabled = false WHERE account_id = ${ohio}`;
    expect(await poll()).toMatchObject({ partners: 1 });
    expect(received['/ohio']).toEqual([]);
    await sql`UPDATE partners SET enabled = true WHERE account_id = ${ohio}`;
  });
});

test('the schedule starts the poll every ten minutes; ensuring it twice changes nothing', async () => {
  const config = { TEMPORAL_TASK_QUEUE: taskQueue };
  const ensure = () => ensureSchedule(temporal, config, STOCK_POLL);
  await Promise.all([ensure(), ensure()]);
  const schedule = temporal.schedule.getHandle(scheduleId(config, STOCK_POLL));
  try {
    await schedule.trigger();
    const described = await eventually(async () => {
      const description = await schedule.describe();
      return description.info.recentActions.length > 0 ? description : undefined;
    });
    expect(described.spec.intervals).toMatchObject([{ every: 600_000 }]);
    const { workflow } = described.info.recentActions[0]!.action;
    const result = (await temporal.workflow.getHandle(workflow.workflowId).result()) as PartnerStockPollResult;
    expect(result).toMatchObject({ partners: 2, skusAsked: 250 });
  } finally {
    await schedule.delete();
  }
});
