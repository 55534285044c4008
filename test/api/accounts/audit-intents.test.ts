import request from 'supertest';
import { z } from 'zod';
import { createApp } from '../../../api/app';
import { operatorsOnly, type Route, route } from '../../../api/http/route';
import { AUDITED_A_DAY, listAuditEntries, tidyAuditLog, writeAuditEntry } from '../../../src/accounts/audit-log';
import { Refusal } from '../../../src/platform/errors';
import type { Sql } from '../../../src/platform/postgres';
import { unavailable } from '../../../src/platform/unavailable';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

/** Acts that no transaction covers, callers that change things all day, and the retention of addresses. */

let sql: Sql;
let operator: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  operator = await testAccount(sql, 'operator');
});

const entriesOf = (object: string) => listAuditEntries(sql, { object }, { limit: 10, after: null });
const intents = async (): Promise<number> => {
  const rows = await sql`SELECT FROM audit_intents`;
  return rows.length;
};

/** Calls a route that acts after its intent, and then ends in the given way. */
async function act(name: string, end: () => Promise<unknown>): Promise<number> {
  const deps = await testApiDeps(sql);
  const acting: Route = route('POST /v1/act', {
    operationId: 'act',
    refuses: ['CONFLICT'],
    summary: 'Act',
    tag: 'System',
    access: operatorsOnly('operator'),
    audits: ['job.run'],
    response: z.object({}),
    handler: async ({ audit, intend }) => {
      await intend({ action: 'job.run', objectId: name });
      expect(await intents()).toBe(1);
      await end();
      await audit(sql, { action: 'job.run', objectId: name, before: null, after: { done: true } });
      return {};
    },
  });
  const { status }: { status: number } = await request(createApp(deps, [acting]))
    .post('/v1/act')
    .set(operator.key);
  return status;
}

test.each([
  ['succeeds', (): Promise<unknown> => Promise.resolve(), 200, [{ done: true }]],
  ['is refused', () => Promise.reject(new Refusal('CONFLICT')), 409, []],
  ['gets no response in time', () => Promise.reject(unavailable('no worker')), 503, [{ outcome: 'unknown' }]],
  ['ends with an error', () => Promise.reject(new Error('broken')), 500, [{ outcome: 'unknown' }]],
] as const)('an act that %s has its entry', async (name, end, status, after) => {
  expect(await act(name, end)).toBe(status);
  const entries = await entriesOf(name);
  expect(entries.map((entry) => entry.after)).toEqual(after);
  for (const { actor, address } of entries) expect([actor.id, address]).toEqual([operator.id, '127.0.0.1']);
  expect(await intents()).toBe(0);
});

test('an act whose process dies gets an entry with the next maintenance', async () => {
  const context = { actor: { id: operator.id, name: operator.name, role: 'admin' }, requestId: 'died', address: null };
  const entry = { ...context, action: 'job.run', objectId: 'died' };
  const at = new Date(Date.now() - 2 * 3_600_000);
  await sql`INSERT INTO audit_intents (id, at, entry) VALUES (gen_random_uuid(), ${at}, ${sql.json(entry as never)})`;
  await tidyAuditLog(sql);
  expect(await entriesOf('died')).toMatchObject([{ requestId: 'died', after: { outcome: 'unknown' } }]);
  expect(await intents()).toBe(0);
});

test('500 pairs of creation and deletion by a client write at most 1,000 rows, and the rest is summed up', async () => {
  const client = await testAccount(sql, 'client');
  const actor = { id: client.id, name: client.name, role: 'client' } as const;
  const context = { actor, requestId: null, address: '203.0.113.4' };
  for (let pair = 0; pair < 500; pair += 1) {
    for (const action of ['endpoint.create', 'endpoint.delete'] as const)
      await writeAuditEntry(sql, context, { action, objectId: `endpoint-${pair}`, before: null, after: { pair } });
  }
  const rows = async () =>
    await sql<{ action: string; after: unknown }[]>`
    SELECT action, after FROM audit_log WHERE actor_id = ${client.id} ORDER BY at, id`;
  expect((await rows()).length).toBe(2 * AUDITED_A_DAY);
  await tidyAuditLog(sql);
  expect((await rows()).length).toBe(2 * AUDITED_A_DAY);
  await sql`UPDATE audit_summaries SET day = day - 1`;
  await tidyAuditLog(sql);
  const written = await rows();
  expect(written.length).toBeLessThanOrEqual(1_000);
  const changes = { day: expect.any(String), changes: 500 - AUDITED_A_DAY };
  expect(
    written
      .slice(-2)
      .map(({ action, after }) => ({ action, after }))
      .sort((a, b) => a.action.localeCompare(b.action)),
  ).toEqual([
    { action: 'endpoint.create', after: changes },
    { action: 'endpoint.delete', after: changes },
  ]);
});

test('operators have a row for every change', async () => {
  const context = {
    actor: { id: operator.id, name: 'busy', role: 'operator' },
    requestId: null,
    address: null,
  } as const;
  for (let change = 0; change <= AUDITED_A_DAY; change += 1)
    await writeAuditEntry(sql, context, { action: 'order.hold', objectId: 'busy', before: null, after: { change } });
  const [row] = await sql`SELECT count(*)::int AS rows FROM audit_log WHERE object_id = 'busy'`;
  expect(row!.rows).toBe(AUDITED_A_DAY + 1);
});

test('addresses are deleted after 90 days, and the entries stay', async () => {
  const actor = { id: operator.id, name: operator.name, role: 'admin' } as const;
  for (const objectId of ['old-address', 'new-address'])
    await writeAuditEntry(
      sql,
      { actor, requestId: null, address: '203.0.113.5' },
      { action: 'job.run', objectId, before: null, after: null },
    );
  await sql`
    UPDATE audit_addresses SET at = at - interval '91 days'
    WHERE entry_id = (SELECT id FROM audit_log WHERE object_id = 'old-address')`;
  await tidyAuditLog(sql);
  expect((await entriesOf('old-address')).map(({ address }) => address)).toEqual([null]);
  expect((await entriesOf('new-address')).map(({ address }) => address)).toEqual(['203.0.113.5']);
});
