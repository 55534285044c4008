import { type RunRecord, runPosition } from '../../../../src/orders/domain/run/run-record';
import { recordPayment } from '../../../../src/orders/planning/receipts';
import { writeEffects } from '../../../../src/orders/production/record-effects';
import { createRecordWriter } from '../../../../src/orders/run/record-writer';
import { uuidv7 } from '../../../../src/platform/ids';
import type { Logger } from '../../../../src/platform/logging/logging';
import type { Sql } from '../../../../src/platform/postgres';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { createOrder } from './order-records';

let sql: Sql;
let clientId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  clientId = (await testAccount(sql, 'client')).id;
});

const refusals: unknown[] = [];
const log = { error: (refused: unknown) => refusals.push(refused) } as unknown as Logger;
const records = createRecordWriter(writeEffects, () => undefined, log);
const write = (record: RunRecord) => records(sql, record);

const newOrder = () => createOrder(sql, clientId);

const rows = async (id: string) => {
  const [order] = await sql<{ status: string; financial: string; reason: string | null; item: string }[]>`
    SELECT o.fulfillment_status AS status, o.financial_status AS financial, o.refusal_reason AS reason,
      i.fulfillment_status AS item
    FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.id = ${id}`;
  const log = await sql<{ type: string }[]>`SELECT type FROM order_events WHERE order_id = ${id} ORDER BY id`;
  return { ...order!, log: log.map(({ type }) => type) };
};

test('a repeated step changes nothing', async () => {
  const { id, step } = await newOrder();
  await write(step({}));
  await write(step({}));
  expect(await rows(id)).toMatchObject({ status: 'in_production', log: ['received'] });
});

test.each([
  { endpoint: 'with an endpoint', enabled: true, notified: 2 },
  { endpoint: 'whose only endpoint is disabled', enabled: false, notified: 0 },
])('a client $endpoint gets $notified notifications of a repeated step', async ({ enabled, notified }) => {
  const { id, step } = await newOrder();
  const [endpoint] = await sql<{ id: string }[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret, enabled)
    VALUES (${uuidv7()}, ${clientId}, 'https://shop.example/hook', ${['order_status_updated', 'order_item_status_updated']},
      'whsec_x', ${enabled})
    RETURNING id`;
  await write(step({}));
  await write(step({}));
  expect(await rows(id)).toMatchObject({ status: 'in_production', item: 'in_production', log: ['received'] });
  const deliveries = await sql`SELECT event FROM webhook_deliveries WHERE order_id = ${id}`;
  expect(deliveries).toHaveLength(notified);
  await sql`DELETE FROM webhook_deliveries WHERE endpoint_id = ${endpoint!.id}`;
  await sql`DELETE FROM webhook_endpoints WHERE id = ${endpoint!.id}`;
});

test('an entry of the log that is written again keeps its time', async () => {
  const { id, step } = await newOrder();
  const log = (event: string) => ({ type: 'log' as const, event });
  await write(step({ effects: [log('received')] }));
  await sql`UPDATE order_events SET at = now() - interval '1 hour' WHERE order_id = ${id}`;
  const effects = [log('received'), log('printed')];
  await write(step({ position: 15, version: 2, follows: { position: 0, version: 0 }, effects }));
  const hours = await sql<{ type: string; age: number }[]>`
    SELECT type, round(extract(epoch FROM now() - at) / 3600)::int AS age FROM order_events
    WHERE order_id = ${id} ORDER BY id`;
  expect(hours).toEqual([
    { type: 'received', age: 1 },
    { type: 'printed', age: 0 },
  ]);
});

test('a step that runs again after a lost workflow task replaces what the lost attempt wrote', async () => {
  const { id, step } = await newOrder();
  await write(step({}));
  // Two steps of a workflow task that was lost before its completion was recorded.
  const follows = { position: 10, version: 1 };
  const canceled = { status: 'cancelled', financialStatus: 'refunded' } as const;
  const log = (event: string) => [{ type: 'log' as const, event }];
  await write(step({ position: 15, version: 2, follows, ...canceled, effects: log('lost') }));
  await write(
    step({
      position: 15,
      version: 3,
      follows: { position: 15, version: 2 },
      ...canceled,

      effects: log('lost too'),
      refusal: { code: 'lost', reason: 'From the lost attempt.', details: null },
    }),
  );
  expect(await rows(id)).toMatchObject({ status: 'canceled', log: ['received', 'lost', 'lost too'] });

  await write(
    step({
      position: 18,
      version: 2,
      follows,
      status: 'printed',
      effects: log('printed'),
    }),
  );
  expect(await rows(id)).toEqual({
    status: 'printed',
    financial: 'invoiced',
    reason: null,
    item: 'printed',
    log: ['received', 'printed'],
  });
});

describe('the financial status', () => {
  const status = async (id: string) => (await rows(id)).financial;
  const pay = (id: string) =>
    recordPayment(sql, id, { status: 'paid', reference: null, requestId: 'r', by: 'operator' });

  test('a record that repeats the status of the workflow keeps a payment', async () => {
    const { id, step } = await newOrder();
    await write(step({}));
    expect(await pay(id)).toBe('invoiced');
    await write(step({ position: 11, version: 2 }));
    expect(await status(id)).toBe('paid');
  });

  test('a refund after a payment replaces it, also when the workflow repeats its status', async () => {
    const { id, itemId, step } = await newOrder();
    const refund = (version: number, jobId: string) =>
      step({
        position: 10 + version,
        version,
        financialStatus: 'partially_refunded',
        effects: [
          {
            type: 'refund',
            reason: 'spoiled',
            printOrderId: '1',
            jobIds: [jobId],
            items: [{ itemId, quantity: 1 }],
          },
        ],
      });
    await write(step({}));
    await write(refund(2, '1'));
    expect(await status(id)).toBe('partially_refunded');
    await pay(id);
    await write(refund(3, '2'));
    expect(await status(id)).toBe('partially_refunded');
  });
});

test('a late write of a stalled worker changes nothing', async () => {
  const { id, step } = await newOrder();
  await write(step({ position: 18 }));
  await write(step({ position: 15, version: 4, status: 'shipped' }));
  expect(await rows(id)).toMatchObject({ status: 'in_production', item: 'in_production', log: ['received'] });
});

test('a workflow that continues an order keeps the event log of the previous one', async () => {
  const { id, step } = await newOrder();
  await write(step({ position: 18, version: 7 }));
  await write(
    step({
      position: 2 ** 40,
      version: 8,
      follows: { position: 18, version: 7 },
      financialStatus: null,
      effects: [{ type: 'log', event: 'printed' }],
    }),
  );
  expect(await rows(id)).toMatchObject({ financial: 'invoiced', log: ['received', 'printed'] });
});

describe('a run that was reset', () => {
  const at = (ms: number, historyLength: number) => runPosition(Date.UTC(2026, 5, 1) + ms, historyLength);
  const status = async (id: string) => (await rows(id)).status;
  const log = (event: string) => ({ effects: [{ type: 'log' as const, event }] });

  test('records again from its first step on, and replaces what the steps after that point logged', async () => {
    const { id, step } = await newOrder();
    const first = { position: at(0, 5), version: 1 };
    await write(step({ runId: 'first', ...first, ...log('kept') }));
    await write(step({ runId: 'first', position: at(1_000, 40), version: 9, follows: first, ...log('taken back') }));
    const again = step({
      runId: 'second',
      position: at(2_000, 8),
      version: 2,
      follows: first,
      status: 'printed',
      ...log('again'),
    });
    expect(await write(again)).toBe('recorded');
    expect(await write(again)).toBe('repeated');
    expect(await rows(id)).toMatchObject({ status: 'printed', log: ['kept', 'again'] });
    // A late write of the run that was reset.
    const late = step({ runId: 'first', position: at(1_500, 45), version: 10, ...log('late') });
    expect(await write(late)).toBe('skipped');
    expect(await status(id)).toBe('printed');
  });

  test('of a restored Temporal is the same run with a shorter history, and later', async () => {
    const { id, step } = await newOrder();
    await write(step({ runId: 'same', position: at(0, 60), version: 20 }));
    // An attempt of a workflow task that was lost.
    const lost = step({ runId: 'same', position: at(30_000, 55), version: 21 });
    expect(await write(lost)).toBe('skipped');
    const restored = step({
      runId: 'same',
      position: at(3_600_000, 25),
      version: 8,
      follows: { position: at(-5_000, 20), version: 7 },
      status: 'printed',
    });
    expect(await write(restored)).toBe('recorded');
    expect(await status(id)).toBe('printed');
  });

  test('of a restored Temporal writes nothing over an order that has ended since, and the run that ended it does', async () => {
    const { id, step } = await newOrder();
    const delivered = step({
      runId: 'same',
      position: at(0, 60),
      version: 20,
      status: 'delivered',
      ...log('delivered'),
    });
    await write(delivered);
    const restored = step({
      runId: 'same',
      position: at(3_600_000, 25),
      version: 8,
      follows: { position: at(-5_000, 20), version: 7 },
    });
    expect(await write(restored)).toBe('skipped');
    expect(await write({ ...restored, overrides: true })).toBe('skipped');
    expect(await rows(id)).toMatchObject({ status: 'delivered', log: ['delivered'] });
    // The workflow task that ended the order was lost, and its next attempt is as long.
    const again = { ...delivered, position: at(3_600_000, 60) };
    expect(await write(again)).toBe('recorded');
    // An operator has reset the workflow of the ended order.
    const reset = step({
      runId: 'reset',
      position: at(3_700_000, 25),
      version: 8,
      follows: restored.follows,
    });
    expect(await write(reset)).toBe('recorded');
    expect(await status(id)).toBe('in_production');
  });

  test('overrides rows that are later than it', async () => {
    const { id, step } = await newOrder();
    await write(step({ runId: 'other', position: at(86_400_000, 3), version: 1 }));
    const record = step({ runId: 'mine', position: at(0, 90), version: 30, status: 'shipped' });
    expect(await write(record)).toBe('skipped');
    expect(await write({ ...record, overrides: true })).toBe('overridden');
    expect(await status(id)).toBe('shipped');
  });

  test('keeps the order of its own records when the clock of Temporal goes back', async () => {
    const { id, step } = await newOrder();
    await write(step({ runId: 'mine', position: at(5_000, 10), version: 3 }));
    const next = step({ runId: 'mine', position: at(2_000, 14), version: 4, status: 'printed' });
    expect(await write(next)).toBe('recorded');
    expect(await status(id)).toBe('printed');
  });
});

describe('a record that Postgres refuses for its content', () => {
  const message = (text: string) => ({ type: 'log', event: 'refusal', data: { message: text } }) as const;
  const logged = (id: string) =>
    sql`SELECT type, data FROM order_events WHERE order_id = ${id} ORDER BY id`.then((found) => [...found]);

  test.each([
    ['U+0000', 'a\0b', '22P05'],
    ['half of a surrogate pair', 'Wartung \ud83d', '22P02'],
  ])('with %s is written without the data of its log', async (_what, text, code) => {
    const { id, step } = await newOrder();
    expect(await write(step({ effects: [message(text)] }))).toBe('refused');
    expect(refusals.at(-1)).toMatchObject({ err: { code } });
    expect(await rows(id)).toMatchObject({ status: 'in_production', item: 'in_production' });
    expect(await logged(id)).toEqual([{ type: 'refusal', data: {} }]);
  });

  test('is not written again when it is repeated, and the next record follows', async () => {
    const { id, step } = await newOrder();
    const record = step({ effects: [message('\0')] });
    expect(await write(record)).toBe('refused');
    expect(await write(record)).toBe('repeated');
    const next = step({ position: 12, version: 2, follows: record, effects: [message('\u{1f600}')] });
    expect(await write(next)).toBe('recorded');
    expect(await logged(id)).toEqual([
      { type: 'refusal', data: {} },
      { type: 'refusal', data: { message: '\u{1f600}' } },
    ]);
  });

  test('keeps the code of a refusal, and its reason without what Postgres cannot store', async () => {
    const { id, step } = await newOrder();
    const refusal = { code: 'file_not_found', reason: 'gone\0', details: { host: '\ud83d' } };
    expect(await write(step({ refusal }))).toBe('refused');
    expect(await rows(id)).toMatchObject({ status: 'in_production', reason: 'gone\ufffd' });
  });

  test('with an effect that has no place in its column is written without its effects', async () => {
    const { id, step } = await newOrder();
    const unknown = { type: 'log', event: 'received', printOrderId: '9'.repeat(20) } as const;
    expect(await write(step({ effects: [unknown] }))).toBe('refused');
    expect(refusals.at(-1)).toMatchObject({ err: { code: '22003' } });
    expect(await rows(id)).toMatchObject({ status: 'in_production', log: [] });
  });

  test('does not stop the run when its statuses are refused too', async () => {
    const { id, step } = await newOrder();
    const impossible = step({ financialStatus: 'x', version: 1.5 } as never);
    expect(await write(impossible)).toBe('refused');
    expect(refusals.at(-1)).toMatchObject({ err: { code: '22P02' } });
    expect(await rows(id)).toMatchObject({ status: 'created' });
    expect(await write(step({ position: 12, version: 2 }))).toBe('recorded');
    expect(await rows(id)).toMatchObject({ status: 'in_production' });
  });
});
