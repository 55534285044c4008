import { Client, Connection, ServiceError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import pino from 'pino';
import type { DeliveryOutcome } from '../../../../src/platform/outbox/lane';
import { listMessages, replayDead } from '../../../../src/platform/outbox/messages';
import type { OutboxKind, OutboxRow } from '../../../../src/platform/outbox/outbox';
import { type Relay, startRelay } from '../../../../src/platform/outbox/relay';
import { outcomeOfError, temporalLanes } from '../../../../src/platform/outbox/temporal-delivery';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import { testTemporalAddress } from '../../../support/servers';

let sql: Sql;
let connection: Connection;
const relays: Relay[] = [];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  connection = await Connection.connect({ address: testTemporalAddress() });
});
afterAll(() => connection.close());
beforeEach(() => sql`DELETE FROM outbox`);
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop();
});

const lanes = (namespace = 'default', searchAttributes?: TypedSearchAttributes) =>
  temporalLanes({
    client: new Client({ connection, namespace }),
    sql,
    taskQueue: 'nobody-polls-this',
    publicUrl: 'https://pressline.test',
    searchAttributes: () => searchAttributes,
  });

async function deliver(kind: OutboxKind, row: Partial<OutboxRow>, namespace?: string): Promise<DeliveryOutcome> {
  const lane = lanes(namespace).find((each) => each.kind === kind)!;
  return await lane.deliver({
    id: '1',
    kind,
    target: `w-${Math.random()}`,
    payload: kind === 'start_workflow' ? { workflowType: 'anything', args: [] } : { signal: 'hello', args: [] },
    attempts: 1,
    createdAt: new Date(),
    traceparent: null,
    ...row,
  });
}

const failure = (code: number) =>
  new ServiceError('failed', { cause: Object.assign(new Error(), { code, details: 'why', metadata: {} }) });

test.each([
  [3, 'INVALID_ARGUMENT'],
  [5, 'NOT_FOUND'],
  [9, 'FAILED_PRECONDITION'],
])('a message that Temporal rejects with status %i is dead', (code, name) => {
  const error = `Temporal rejected the message (${name}): why`;
  expect(outcomeOfError(failure(code))).toEqual({ outcome: 'dead', error });
});

test.each([1, 4, 7, 8, 14, 16])('status %i is not the fault of the message', (code) => {
  expect(outcomeOfError(failure(code))).toEqual({ outcome: 'unavailable', error: 'failed' });
});

test.each([2, 13])('status %i counts as a failed attempt', (code) => {
  expect(() => outcomeOfError(failure(code))).toThrow('failed');
});

test('Temporal rejects the start of a workflow with an invalid id', async () => {
  const outcome = await deliver('start_workflow', { target: 'x'.repeat(2_000) });
  expect(outcome).toEqual({
    outcome: 'dead',
    error: expect.stringMatching(/^Temporal rejected the message \(INVALID_ARGUMENT\): /),
  });
});

test('messages wait for a namespace that does not exist', async () => {
  for (const kind of ['start_workflow', 'signal_workflow'] as const)
    expect(await deliver(kind, {}, 'no-such-namespace')).toMatchObject({ outcome: 'unavailable' });
});

test('starts wait until Temporal knows their search attributes', async () => {
  const name = `Unknown${Date.now()}`;
  const key = defineSearchAttributeKey(name, 'KEYWORD');
  const workflowId = `w-${Math.random()}`;
  const payload = { workflowType: 'anything', args: [] };
  await sql`
    INSERT INTO outbox (kind, target, payload) VALUES ('start_workflow', ${workflowId}, ${sql.json(payload)})`;
  const own = lanes('default', new TypedSearchAttributes([{ key, value: 'a' }]));
  relays.push(await startRelay({ sql, lanes: own, log: pino({ level: 'silent' }) }));
  const refused = await eventually(async () => {
    const [row] = await sql<{ lastError: string; deadAt: Date | null }[]>`
      SELECT last_error, dead_at FROM outbox WHERE target = ${workflowId} AND last_error IS NOT NULL`;
    return row;
  });
  expect(refused).toMatchObject({ deadAt: null, lastError: expect.stringContaining(name) });

  const { INDEXED_VALUE_TYPE_KEYWORD } = temporal.api.enums.v1.IndexedValueType;
  const searchAttributes = { [name]: INDEXED_VALUE_TYPE_KEYWORD };
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  const handle = new Client({ connection }).workflow.getHandle(workflowId);
  const started = await eventually(() => handle.describe().catch(() => undefined));
  expect(started.typedSearchAttributes.get(key)).toBe('a');
  await handle.terminate();
});

test('a signal waits for the start of its workflow and uses up no attempt', async () => {
  const target = `w-${Math.random()}`;
  await sql`INSERT INTO outbox (kind, target, payload) VALUES ('start_workflow', ${target}, '{}')`;
  const createdAt = new Date(Date.now() - 40_000);
  const outcome = await deliver('signal_workflow', { target, attempts: 20, createdAt });
  expect(outcome).toMatchObject({ outcome: 'wait', error: 'the workflow has not started yet' });
  const waitMs = (outcome as { afterMs: number }).afterMs;
  expect(waitMs).toBeGreaterThan(8_000);
  expect(waitMs).toBeLessThan(30_000);
});

test('a signal to a workflow that nothing starts is retried, then dead', async () => {
  const target = `w-${Math.random()}`;
  await sql`
    INSERT INTO outbox (kind, target, payload, dead_at) VALUES ('start_workflow', ${target}, '{}', now())`;
  expect(await deliver('signal_workflow', { target })).toMatchObject({ outcome: 'retry' });
  const error = 'no workflow has this id';
  expect(await deliver('signal_workflow', { target, attempts: 8 })).toEqual({ outcome: 'dead', error });
});

test('a rejected message is a dead letter, which a replay delivers again', async () => {
  const workflowId = `w-${Math.random()}`;
  const invalid = { workflowType: 'x'.repeat(2_000), args: [] };
  const valid = { workflowType: 'anything', args: [] };
  await sql`
    INSERT INTO outbox (kind, target, payload) VALUES ('start_workflow', ${workflowId}, ${sql.json(invalid)})`;
  relays.push(await startRelay({ sql, lanes: lanes(), log: pino({ level: 'silent' }) }));
  const [letter] = await eventually(async () => {
    const rows = await listMessages(sql, { state: 'dead' }, { limit: 10, after: null });
    return rows.length > 0 ? rows : undefined;
  });
  expect(letter).toMatchObject({ kind: 'start_workflow', target: workflowId, attempts: 1 });
  expect(letter!.lastError).toContain('INVALID_ARGUMENT');

  await sql`UPDATE outbox SET payload = ${sql.json(valid)}`;
  expect(await replayDead(sql, { ids: [letter!.id] })).toBe(1);
  const handle = new Client({ connection }).workflow.getHandle(workflowId);
  expect(await eventually(() => handle.describe().catch(() => undefined))).toMatchObject({
    type: 'anything',
  });
  await handle.terminate();
});
